"""Connections to servers: addresses, proxies, bounded responses. Of the environment, only proxies and certificates are used; a password of
`~/.netrc` would replace the key.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from isovist.common.errors import UserError
from isovist.evaluation.models.wire import NoReply, bounded

if TYPE_CHECKING:
    import ssl

    import aiohttp

_CONNECT_S = 30
_LOOK_S = 2.5  # for the check before a run: a server that is not there is named within three seconds
_IDLE_S = 4  # uvicorn closes idle connections after 5 s
_PORTS = {"http": 80, "https": 443}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HOPS = 3  # redirects of one request
_PUBLIC = ("api-version=",)
"""The starts of queries that hold no key."""


def session() -> aiohttp.ClientSession:
    """A client for any number of connections; the run limits them."""
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_S, ssl=certificates()),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,  # it would read ~/.netrc
    )


@cache
def certificates() -> ssl.SSLContext:
    """Those of the environment, else of the system and of certifi, since a Python that was moved here may not find those of the system.

    Reading them takes longer than a request to a server on this machine.
    """
    import ssl

    import certifi

    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    context = ssl.create_default_context(cafile=file or None, capath=folder or None)
    if not file and not folder:
        context.load_verify_locations(certifi.where())
    return context


async def exchange(
    client: aiohttp.ClientSession, url: str, headers: Mapping[str, str], data: bytes | None = None, proxies: Proxies | None = None
) -> tuple[aiohttp.ClientResponse, bytes]:
    """The response to a POST of `data`, or to a GET, with its decoded body. `proxies` are those of the environment, read once.

    A redirect within the server is followed with the same method. Raises NoReply for one to another server, which would receive the key
    and the items, and for a body that is too large.
    """
    for _ in range(_HOPS + 1):
        body = None if data is None else BytesIO(data)  # aiohttp warns of a body of raw bytes above 1 MB
        method = "GET" if data is None else "POST"
        async with client.request(
            method, url, data=body, headers=headers, allow_redirects=False, **(proxies or Proxies())(url)
        ) as response:
            if response.status not in _REDIRECTS:
                return response, await bounded(response.content.iter_any())
            target = urljoin(url, response.headers.get("Location", ""))
        old, new = urlsplit(url), urlsplit(target)
        is_upgrade = (old.scheme, new.scheme, old.hostname) == ("http", "https", new.hostname)
        if not is_upgrade and (old.scheme, old.netloc) != (new.scheme, new.netloc):
            raise NoReply(f"the server redirects to {new.scheme}://{new.hostname or ''}; give the address of the server that responds", 404)
        url = target
    raise NoReply("the server redirects without end", 404)


class Proxies:
    """The proxies of the environment, as arguments of a request to an address. Each address is looked up once."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Any]] = {}

    def __call__(self, url: str) -> dict[str, Any]:
        if url not in self._known:
            self._known[url] = _proxy(url)
        return self._known[url]


def _proxy(url: str) -> dict[str, Any]:
    from aiohttp import BasicAuth
    from yarl import URL

    parts = urlsplit(url)
    address = getproxies().get(parts.scheme)
    if not address or proxy_bypass(parts.hostname or ""):
        return {}
    proxy = URL(address if "://" in address else f"http://{address}")
    auth = BasicAuth(proxy.user, proxy.password or "") if proxy.user else None
    return {"proxy": proxy.with_user(None), "proxy_auth": auth}


def endpoint_path(url: str, path: str) -> str:
    """The address of a path below a base URL, which may have a query."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{path}"))


def check_address(url: str) -> None:
    """Raises UserError for an invalid base URL, and for one with a text that may be a key: run.json would contain it."""
    try:
        parts = urlsplit(url)
        is_valid = bool(_port(url) and parts.hostname) and not any(char.isspace() for char in url)
    except ValueError:  # such as a port that is no number
        parts, is_valid = None, False
    if parts and (parts.username or parts.password):
        raise UserError(f"User name or password in --base-url: {parts.scheme}://...@{parts.hostname}. Set the key in ISOVIST_API_KEY.")
    if parts and (parts.fragment or any(not pair.startswith(_PUBLIC) for pair in parts.query.split("&") if pair)):
        address = urlunsplit(parts._replace(query="...", fragment=""))
        raise UserError(f"Query in --base-url, which may be a key: {address}. Remove it, and set the key in ISOVIST_API_KEY.")
    if not is_valid:
        raise UserError(f"Invalid --base-url: {url}. Use an address such as http://localhost:8000/v1.")


def _port(url: str) -> int:
    parts = urlsplit(url)
    return parts.port or _PORTS.get(parts.scheme, 0)


def unreachable(urls: Sequence[str]) -> list[str]:
    """Why no connection to each server is possible, before a minute of retries; "" otherwise. With a proxy, there is no check."""
    reasons = [f"no connection within {_LOOK_S} s"] * len(urls)

    def look(number: int, url: str) -> None:
        parts, name = urlsplit(url), urlsplit(url).hostname or ""
        try:
            if not (getproxies().get(parts.scheme) and not proxy_bypass(name)):
                socket.create_connection((name, _port(url)), timeout=_LOOK_S).close()
            reasons[number] = ""
        except (OSError, ValueError) as error:
            reasons[number] = str(error)

    # a name server that does not respond has no timeout, so the threads are not waited for
    threads = [threading.Thread(target=look, args=pair, daemon=True) for pair in enumerate(urls)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + _LOOK_S
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return list(reasons)


def get(url: str, key: str, timeout_s: float) -> bytes:
    """The body of a GET. Raises any exception, TimeoutError after `timeout_s`, and NoReply for an HTTP error."""

    async def got() -> bytes:
        async with asyncio.timeout(timeout_s), session() as client:
            response, body = await exchange(client, url, {"Authorization": f"Bearer {key}", "Accept": "application/json"})
            if response.status >= 400:
                raise NoReply(f"status {response.status}", response.status)
            return body

    result: list[bytes | BaseException] = [TimeoutError()]

    def run() -> None:
        try:
            result[0] = asyncio.run(got())
        except BaseException as error:  # noqa: BLE001 - raised below, in the thread that waits
            result[0] = error

    thread = threading.Thread(target=run, daemon=True)  # an event loop may run in this one
    thread.start()
    thread.join(timeout_s)
    if isinstance(result[0], bytes):
        return result[0]
    raise result[0]
