"""Models on OpenAI-compatible servers. One client with pooled connections sends the requests that Inspect AI would send.

A test compares the bodies. Neither Inspect AI nor the client of OpenAI is needed.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from isovist.common.errors import UserError, require_extra
from isovist.data.dataset.pictures import data_url
from isovist.data.prompts import IMAGE
from isovist.evaluation.models.base import GenerationConfig, ModelRequest, ModelResponse
from isovist.evaluation.models.chat_replies import RefusedRequest, read, refused
from isovist.evaluation.models.connections import Proxies, check_address, endpoint_path, exchange, session, unreachable
from isovist.evaluation.models.endpoint_pool import Endpoint
from isovist.evaluation.models.limits import Limits, ModelList, model_list, served
from isovist.evaluation.models.option_support import FIELD_REMEDY, require_support
from isovist.evaluation.models.remote import REQUEST_OPTIONS, Attempt, RemoteModel
from isovist.evaluation.models.request_errors import is_unsupported
from isovist.evaluation.models.response_schemas import OfferedSchema
from isovist.evaluation.models.wire import completion

if TYPE_CHECKING:
    import aiohttp

_LOG = logging.getLogger(__name__)
_MOST_KEPT = 1000
_LATER = re.compile(r"gpt-[5-9](?!\d)|(?:^|/)o\d")  # models of OpenAI that refuse max_tokens
_OTHER_LIMIT = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""The names of the token limit: newer models of OpenAI refuse the first, older servers the second."""


class ServerModel(RemoteModel):
    """A model on one or several servers."""

    def __init__(self, name: str, options: GenerationConfig, allowed: Limits, key: str) -> None:
        super().__init__(name, options, allowed)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Accept": "application/json"}
        self._session: aiohttp.ClientSession | None = None
        self._proxies = Proxies()
        self._fields: dict[tuple[int | None, str], dict[str, Any]] = {}
        self._limit_names: dict[str, str] = {}
        """The name of the token limit that the server takes instead of the one that it refused."""

    async def close(self) -> None:
        if self._session:
            await self._session.close()
            self._session = None

    def _may_pass(self, error: Exception) -> object:
        return error if isinstance(error, RefusedRequest) and error.may_pass else False

    def _attempt(self, request: ModelRequest) -> Attempt:
        sent_messages = chat_messages(request, self._options)
        seed = self._options.seed_of(request.variant)

        async def attempt(endpoint: Endpoint, schema: OfferedSchema) -> ModelResponse:
            fields = self._other_fields(seed, schema)
            limit = next((name for name in _OTHER_LIMIT if name in fields), "")
            name = self._limit_names.get(limit, limit)
            try:
                return await self._chat(endpoint, sent_messages, _renamed(fields, limit, name))
            except Exception as error:
                if name != limit or not limit or not is_unsupported(str(error), limit):
                    raise
            reply = await self._chat(endpoint, sent_messages, _renamed(fields, limit, _OTHER_LIMIT[limit]))
            self._limit_names[limit] = _OTHER_LIMIT[limit]
            return reply

        return attempt

    async def _chat(self, endpoint: Endpoint, messages: list[dict[str, Any]], fields: dict[str, Any]) -> ModelResponse:
        self._session = self._session or session()
        url = endpoint_path(endpoint.url, "chat/completions")
        body = {"messages": messages, **fields}
        data = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        response, content = await exchange(self._session, url, self._headers, data, self._proxies)
        _LOG.info('HTTP Request: POST %s "%d %s"', url, response.status, response.reason)
        if response.status >= 400:
            return refused(response.status, response.headers, content, self.name)
        return read(completion(content))

    def _other_fields(self, seed: int | None, schema: OfferedSchema) -> dict[str, Any]:
        """The fields of the body besides the messages, as Inspect AI sends them."""
        key = seed, json.dumps(schema.offered)
        if (fields := self._fields.get(key)) is None:
            options = self._options
            named = {
                "model": self.name,
                "max_completion_tokens" if _LATER.search(self.name.lower()) else "max_tokens": options.max_tokens,
                "stop": list(options.stop_seqs) or None,
                "seed": seed,
                "temperature": options.temperature,
                "top_p": options.top_p,
                "reasoning_effort": options.reasoning_effort,
                "response_format": schema.response_format,
            }
            fields = {name: value for name, value in named.items() if value is not None}
            fields |= {name: value for name, value in options.model_args.items() if name != "metadata"}  # a field of stored completions
            if len(self._fields) < _MOST_KEPT:
                self._fields[key] = fields
        return fields


def _renamed(fields: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if name == old else name: value for name, value in fields.items()}


def chat_messages(request: ModelRequest, options: GenerationConfig) -> list[dict[str, Any]]:
    """The system prompt, if there is one, and the request, as `isovist.evaluation.models.inspect_ai.messages` does for Inspect AI."""
    parts: list[dict[str, Any]] = []
    images = iter(request.images)
    for i, text in enumerate(request.prompt.split(IMAGE)):
        if i:
            image = next(images)
            url = data_url(image)
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
    urls, key = options.base_urls, (os.environ.get("ISOVIST_API_KEY") or os.environ.get("OPENAI_API_KEY") or "").strip() or "none"
    for url in urls:
        check_address(url)
        if sum(other.rstrip("/") == url.rstrip("/") for other in urls) > 1:
            raise UserError(f"--base-url given twice: {url}. Name each endpoint once.")
    if not key.isprintable() or not key.isascii():
        raise UserError("Invalid characters in the key of ISOVIST_API_KEY or OPENAI_API_KEY. Set the key in one line of ASCII.")
    require_extra("run", f"the model {name}", "aiohttp", "certifi")
    reasons = unreachable(urls)
    if all(reasons):
        raise UserError(f"No server at --base-url ({reasons[0]}): {', '.join(urls)}. Start the server or correct the address.")
    require_support(f"--model {name}", options, {*REQUEST_OPTIONS, "model_args"}, FIELD_REMEDY)
    reached = [url for url, reason in zip(urls, reasons, strict=True) if not reason]
    lists: dict[str, ModelList | None] = {}
    if len(urls) > 1:
        with ThreadPoolExecutor(min(32, len(urls))) as threads:
            lists = dict(zip(reached, threads.map(partial(model_list, key=key, wait_s=options.timeout_s / 3), reached), strict=True))
    _require_one_model(name, lists)
    model = ServerModel(name, options, served(reached[0], key, name, options.timeout_s / 3), key)
    for endpoint, reason in zip(model.pool.endpoints, reasons, strict=True):
        if reason:
            endpoint.leave_out()
            model.notices.append(f"No server at --base-url ({reason}): {endpoint.url}. It is left out until it responds.")
    return model


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
