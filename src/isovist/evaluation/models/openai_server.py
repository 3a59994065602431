"""Models on OpenAI-compatible servers. One client with pooled connections sends the requests that Inspect AI would send.

Inspect AI names the fields of a request and reads the response; only its transport, a transcript of every request, is left out.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from isovist.common.errors import MissingDependencyError, UserError
from isovist.data.prompts import IMAGE
from isovist.evaluation.models.base import GenerationConfig, ModelRequest, ModelResponse
from isovist.evaluation.models.endpoint_pool import Endpoint
from isovist.evaluation.models.inspect_ai import Attempt, InspectModel, replied, require_support_of
from isovist.evaluation.models.limits import Limits, ModelList, limits, model_list
from isovist.evaluation.models.request_errors import fault
from isovist.evaluation.models.response_schemas import OfferedSchema
from isovist.evaluation.models.wire import OF_THE_BODY, completion, refusal
from isovist.world.render.image_encoding import media_type

if TYPE_CHECKING:
    import ssl

    import aiohttp
    import inspect_ai.model as inspect

_LOG = logging.getLogger(__name__)
_CONNECT_S = 30
_IDLE_S = 4  # uvicorn closes idle connections after 5 s
_LIMITED = frozenset({400, 403, 413, 422})  # refusals of one prompt, such as for its length
_MOST_KEPT = 1000
_PLAIN = frozenset({"role", "content"})
_ENDS = {"stop": "stop", "eos": "stop", "length": "max_tokens"}


class ServerModel(InspectModel):
    """A model on one or several servers. It never receives an answer key."""

    def __init__(self, name: str, model: inspect.Model, options: GenerationConfig, allowed: Limits, key: str) -> None:
        super().__init__(name, model, options, allowed)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Accept": "application/json"}
        self._session: aiohttp.ClientSession | None = None
        self._fields: dict[tuple[int | None, str], dict[str, Any]] = {}

    async def close(self) -> None:
        if self._session:
            await self._session.close()
            self._session = None
        await super().close()

    def _attempt(self, request: ModelRequest) -> Attempt:
        sent_messages = chat_messages(request, self._options)
        seed = self._options.seed_of(request.variant)

        async def attempt(endpoint: Endpoint, schema: OfferedSchema) -> ModelResponse:
            body = {"messages": sent_messages, **self._other_fields(seed, schema)}
            data = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
            return await self._chat(f"{endpoint.url.rstrip('/')}/chat/completions", data)

        return attempt

    async def _chat(self, url: str, data: bytes) -> ModelResponse:
        self._session = self._session or _session()
        # aiohttp warns of a body of raw bytes above 1 MB
        async with self._session.post(url, data=BytesIO(data), headers=self._headers) as response:
            content = await response.read()
        _LOG.info('HTTP Request: POST %s "%d %s"', url, response.status, response.reason)
        if response.status >= 400:
            return self._refused(url, response, content)
        return _read(completion(content))

    def _refused(self, url: str, response: aiohttp.ClientResponse, content: bytes) -> ModelResponse:
        """The response to a refusal that concerns one prompt. Raises the client library's exception for any other."""
        import httpx2

        payload = refusal(content)
        api: Any = self._model.api
        error: Any = api.client._make_status_error_from_response(  # noqa: SLF001
            httpx2.Response(
                response.status,
                headers=[(name, value) for name, value in response.headers.items() if name.lower() not in OF_THE_BODY],
                content=content if payload is None else json.dumps(payload).encode(),
                request=httpx2.Request("POST", url),
            )
        )
        if response.status not in _LIMITED:
            raise error
        output = api.handle_bad_request(error)
        if isinstance(output, Exception):
            output.provider_message = str(output)  # pyright: ignore[reportAttributeAccessIssue] - as Inspect AI words it
            raise output
        return replied(output)

    def _other_fields(self, seed: int | None, schema: OfferedSchema) -> dict[str, Any]:
        """The fields of the body besides the messages, as Inspect AI and the client library send them."""
        key = seed, json.dumps(schema.offered)
        if (fields := self._fields.get(key)) is None:
            api: Any = self._model.api
            config = self._model.config.merge(schema.config(self._config.merge({"seed": seed})))
            fields = cast("dict[str, Any]", api.completion_params(config, tools=False))
            fields |= fields.pop("extra_body", {})
            if len(self._fields) < _MOST_KEPT:
                self._fields[key] = fields
        return fields


def _read(answer: dict[str, Any]) -> ModelResponse:
    """The response in a chat completion of `isovist.evaluation.models.wire`. Inspect AI reads one with reasoning, a refusal or another end."""
    (choice,) = answer["choices"]
    message, usage, finish = choice["message"], answer["usage"], _ENDS.get(choice["finish_reason"])
    text = message["content"] or ""
    if finish and message.keys() == _PLAIN and "<think" not in text:
        counts = {"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]} if usage else {}
        return ModelResponse(text, finish_reason=finish, usage=counts, served_by=answer["model"])

    from inspect_ai.model._openai import chat_choices_from_openai, model_output_from_openai
    from openai.types.chat import ChatCompletion

    parsed = ChatCompletion.construct(**answer)
    return replied(model_output_from_openai(parsed, chat_choices_from_openai(parsed, [])))


def _session() -> aiohttp.ClientSession:
    """A client for any number of connections; the run limits them. Its proxies and certificates are those of the environment."""
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_S, ssl=_certificates()),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=True,
    )


@cache
def _certificates() -> ssl.SSLContext:
    """Those of the environment; reading them takes longer than a request to a server on this machine."""
    import httpx2

    return httpx2.create_ssl_context()


def chat_messages(request: ModelRequest, options: GenerationConfig) -> list[dict[str, Any]]:
    """The system prompt, if there is one, and the request, as `isovist.evaluation.models.inspect_ai.messages` does for Inspect AI."""
    parts: list[dict[str, Any]] = []
    images = iter(request.images)
    for i, text in enumerate(request.prompt.split(IMAGE)):
        if i:
            image = next(images)
            url = f"data:{media_type(image) or 'image/png'};base64,{base64.b64encode(image).decode()}"
            parts.append({"type": "image_url", "image_url": {"url": url, "detail": options.image_detail}})
        if text.strip():
            parts.append({"type": "text", "text": text.strip("\n")})
    system = [{"role": "system", "content": options.system_prompt}] if options.system_prompt else []
    return [*system, {"role": "user", "content": parts}]


def server_model(name: str, options: GenerationConfig) -> ServerModel:
    """The model that the servers call `name`.

    Raises:
        UserError: for an invalid address, for endpoints of different models, and if no server listens.
    """
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError:
        raise MissingDependencyError(f"the model {name}", "run") from None
    urls, key = options.base_urls, os.environ.get("ISOVIST_API_KEY") or os.environ.get("OPENAI_API_KEY") or "none"
    hosts = [_host(url) for url in urls]
    for url in urls:
        if sum(other.rstrip("/") == url.rstrip("/") for other in urls) > 1:
            raise UserError(f"--base-url given twice: {url}. Name each endpoint once.")
    with ThreadPoolExecutor(min(32, len(urls))) as threads:
        unreachable = list(threads.map(_unreachable, hosts))
        if all(unreachable):
            raise UserError(f"No server at --base-url ({unreachable[0]}): {', '.join(urls)}. Start the server or correct the address.")
        reached = [url for url, reason in zip(urls, unreachable, strict=True) if not reason]
        lists = dict(zip(reached, threads.map(partial(model_list, key=key), reached), strict=True)) if len(urls) > 1 else {}
    _require_one_model(name, lists)
    config = GenerateConfig(max_connections=options.concurrency, max_retries=0, timeout=options.timeout_s)
    try:
        service = get_model(f"openai-api/isovist/{name}", base_url=reached[0], api_key=key, config=config, memoize=False, max_retries=0)
        require_support_of(service, name, options)
        model = ServerModel(name, service, options, limits(service), key)
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"Cannot use model ({fault(error).words}): --model {name}. Correct the name.") from error
    for endpoint, reason in zip(model.pool.endpoints, unreachable, strict=True):
        if reason:
            endpoint.leave_out()
            model.notices.append(f"No server at --base-url ({reason}): {endpoint.url}. It is left out until it responds.")
    return model


def _host(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of a base URL. Raises UserError for an invalid one."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    except ValueError:  # such as a port that is no number
        parts, port = None, 0
    if parts is None or not port or not parts.hostname or any(char.isspace() for char in url):
        raise UserError(f"Invalid --base-url: {url}. Use an address such as http://localhost:8000/v1.")
    if parts.username or parts.password:  # run.json would contain it
        raise UserError(f"User name or password in --base-url: {parts.scheme}://...@{parts.hostname}. Set the key in ISOVIST_API_KEY.")
    return parts.scheme, parts.hostname, port


def _unreachable(host: tuple[str, str, int]) -> str:
    """Why no connection is possible, before a minute of retries; "" otherwise. With a proxy, there is no check."""
    scheme, name, port = host
    if getproxies().get(scheme) and not proxy_bypass(name):
        return ""
    try:
        socket.create_connection((name, port), timeout=10).close()
    except (OSError, ValueError) as error:
        return str(error)
    return ""


def _require_one_model(name: str, lists: dict[str, ModelList | None]) -> None:
    """Raises UserError if the lists of models differ. A server without a list is not checked."""
    known = {url: _identity(name, entries) for url, entries in lists.items() if entries}
    first = next(iter(known), "")
    for url, identity in known.items():
        if identity != known[first]:
            raise UserError(
                f"Endpoints of different models: {first} has {_shown(known[first])}, {url} has {_shown(identity)}. Serve one model at all."
            )


def _identity(name: str, entries: ModelList) -> tuple[str, ...]:
    """What distinguishes the model of a server: name, weights and context length. Folders of the weights may differ."""
    listed = [entry for entry in entries if entry.get("id") == name] or entries
    limit = Limits.of(listed[0]) if len(listed) == 1 else Limits()
    weights = (str(entry[field]).rstrip("/").rpartition("/")[2] for entry in listed for field in ("id", "root") if entry.get(field))
    context = (f"a context of {limit.context} tokens",) if limit.context else ()
    return (*sorted(set(weights)), *context)


def _shown(identity: Sequence[str]) -> str:
    return ", ".join(identity[:5]) + ", ..." * (len(identity) > 5)
