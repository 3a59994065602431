"""Views from a web service that has a picture for a coordinate, a heading and a field of view, with a key of the user's own.

A service is an address with names in braces and how its refusals are read. The key is asked from the environment; it is in the
request and nowhere else: no file and no message holds it.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import quote

from isovist import json_lines
from isovist.atomic_write import write_atomically
from isovist.errors import MissingDependencyError, UserError
from isovist.importers.benchmark_format import Unusable
from isovist.importers.image_loader import checked
from isovist.importers.street_views.view_folder import Spot, View, append, headings
from isovist.render.image_encoding import media_type

if TYPE_CHECKING:
    import httpx

KEY = "ISOVIST_VIEWS_KEY"
SKIPPED = "skipped.jsonl"
_NAMES = ("lat", "lng", "heading", "pitch", "fov", "width", "height", "key")
_RETRIES = 4
_LONGEST_PAUSE = 60.0

Availability = Literal["nothing here", "later", "never"]


@dataclass(frozen=True, slots=True)
class Service:
    """`address` with names in braces: lat, lng, heading, pitch, fov, width, height, key. `most`: width and height it gives.

    `verdict` reads a reply that is no picture, from its HTTP status and its JSON.
    """

    name: str
    address: str
    most: tuple[int, int]
    verdict: Callable[[int, dict[str, Any]], Availability]


def _by_status(status: int, body: dict[str, Any]) -> Availability:
    del body
    if status in (401, 402, 403):
        return "never"
    return "later" if status in (408, 425, 429) or status >= 500 else "nothing here"


def _baidu(status: int, body: dict[str, Any]) -> Availability:
    """Baidu answers 200 with a status of its own: 1 and 4xx for load, 3 to 5 and 100 to 399 for the key, its rights and its quota."""
    code = body.get("status")
    if not isinstance(code, int) or isinstance(code, bool):
        return _by_status(status, body)
    if code == 1 or 400 <= code < 500:
        return "later"
    return "never" if code in (3, 4, 5) or 100 <= code < 400 else "nothing here"


BAIDU = Service(
    "baidu",
    "https://api.map.baidu.com/panorama/v2?ak={key}&width={width}&height={height}&location={lng},{lat}&coordtype=wgs84ll"
    "&heading={heading}&pitch={pitch}&fov={fov}",
    (1024, 512),
    _baidu,
)


def service(name: str) -> Service:
    """A service by its name, or by its address. Raises UserError."""
    if name == BAIDU.name:
        return BAIDU
    if not name.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        raise UserError(f"{name}: give baidu, habitat, or an https address with {', '.join(f'{{{field}}}' for field in _NAMES)}.")
    try:
        name.format(**dict.fromkeys(_NAMES, ""))
    except (KeyError, IndexError, ValueError, AttributeError):
        raise UserError(f"{name}: the names in braces are {', '.join(_NAMES)}.") from None
    for needed in ("lat", "lng", "heading"):
        if f"{{{needed}}}" not in name:
            raise UserError(f"{name}: has no {{{needed}}}.")
    return Service("address", name, (4096, 4096), _by_status)


@dataclass(slots=True)
class DownloadSummary:
    fetched: int = 0
    there: int = 0
    """Views that were there before."""
    rejected: list[str] = field(default_factory=list[str])
    """Places of which there are no views."""


def fetch(
    source: Service,
    key: str,
    places: Sequence[Spot],
    out: Path,
    *,
    n: int = 4,
    fov: float = 90,
    size: int = 512,
    pause: float = 0.2,
    progress: Callable[[], object] = lambda: None,
    sleep: Callable[[float], object] = time.sleep,
) -> DownloadSummary:
    """Fetches `n` square views of each place, all around, into the folder `out`; what is there already is not asked for again.

    One request at a time with `pause` seconds between; later when the service asks for it. Raises UserError when the service will not
    serve this key, and when it does not answer; what has been fetched stays. Raises MissingDependencyError without the extra.
    """
    try:
        import httpx
    except ImportError:
        raise MissingDependencyError("the views of a service", "views") from None
    if size > min(source.most):
        raise UserError(f"--image-size {size}: {source.name} gives at most {min(source.most)} pixels.")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it would log addresses, and the key with them
    out.mkdir(parents=True, exist_ok=True)
    outcome = DownloadSummary()
    refused: list[dict[str, str]] = []
    with httpx.Client(timeout=30, follow_redirects=False, headers={"User-Agent": "isovist"}) as client:
        for place in places:
            for i, heading in enumerate(headings(n)):
                progress()
                if any((out / place.name / f"{i}.{suffix}").exists() for suffix in ("jpg", "png")):
                    outcome.there += 1
                    continue
                values = {
                    "lat": place.lat,
                    "lng": place.lng,
                    "heading": f"{heading:g}",
                    "pitch": 0,
                    "fov": f"{fov:g}",
                    "width": size,
                    "height": size,
                }
                address = source.address.format(**values, key=quote(key, safe=""))
                data = _picture(client, source, address, key, sleep)
                if isinstance(data, str):
                    refused.append({"place": place.name, "reason": data})
                    outcome.rejected.append(place.name)
                    break
                (out / place.name).mkdir(exist_ok=True)
                file = f"{place.name}/{i}.{'jpg' if media_type(data) == 'image/jpeg' else 'png'}"
                # noted first: a picture that is there has its line, whatever happens between
                append(out, View(place.name, file, heading, fov, source.name))
                write_atomically(out / file, data)
                outcome.fetched += 1
                sleep(pause)
    write_atomically(out / SKIPPED, json_lines.lines(refused))
    return outcome


def _picture(client: httpx.Client, source: Service, address: str, key: str, sleep: Callable[[float], object]) -> bytes | str:
    """A picture, or why there is none for this place. Raises UserError where that is so for every place."""
    import httpx

    why = ""
    for attempt in range(_RETRIES + 1):
        pause = 2.0**attempt
        try:
            reply = client.get(address)
        except httpx.HTTPError as error:
            why = type(error).__name__
        else:
            if reply.status_code == 200:
                try:
                    return checked(reply.content)
                except Unusable:
                    pass  # it may be the words of a refusal
            body = _told(reply)
            why = _words(reply, body, key)
            verdict = source.verdict(reply.status_code, body)
            if verdict == "nothing here":
                return why
            if verdict == "never":
                raise UserError(f"{source.name} refuses this key or request ({why}); what was fetched stays, and the same command goes on.")
            asked = reply.headers.get("Retry-After", "")
            pause = max(pause, min(float(asked), _LONGEST_PAUSE)) if asked.isdigit() else pause
        if attempt < _RETRIES:
            sleep(pause)
    raise UserError(f"{source.name} does not serve ({why}); what was fetched stays, and the same command goes on.")


def _told(reply: httpx.Response) -> dict[str, Any]:
    try:
        body = json.loads(reply.content[:10_000])
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", body) if isinstance(body, dict) else {}


def _words(reply: httpx.Response, body: dict[str, Any], key: str) -> str:
    """What a refusal says, in one line and without the key."""
    words = " ".join(str(body.get(name, "")) for name in ("status", "message", "error") if body.get(name))
    line = " ".join(f"HTTP {reply.status_code} {words}".split())[:160]
    for secret in (key, quote(key, safe="")):
        line = line.replace(secret, "***") if secret else line
    return "".join(c if c.isprintable() else "?" for c in line)
