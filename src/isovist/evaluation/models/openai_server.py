"""Models on OpenAI-compatible servers. One client with pooled connections sends the requests that Inspect AI would send.

Inspect AI names the fields of a request and reads the response; only its transport, a transcript of every request, is left out.
"""

from __future__ import annotations

import base64
import json
import logging
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from isovist.common.errors import MissingDependencyError, UserError
from isovist.data.prompts import IMAGE
from isovist.evaluation.models.base import GenerationConfig, ModelRequest, ModelResponse
from isovist.evaluation.models.connections import check_address, endpoint_path, exchange, session, unreachable
from isovist.evaluation.models.endpoint_pool import Endpoint
from isovist.evaluation.models.finish_reasons import finish_reason
from isovist.evaluation.models.inspect_ai import Attempt, InspectModel, replied, require_support_of
from isovist.evaluation.models.limits import Limits, ModelList, limits, model_list
from isovist.evaluation.models.request_errors import fault, is_unsupported
from isovist.evaluation.models.response_schemas import OfferedSchema
from isovist.evaluation.models.wire import OF_THE_BODY, completion, refusal
from isovist.world.render.image_encoding import media_type

if TYPE_CHECKING:
    import aiohttp
    import inspect_ai.model as inspect

_LOG = logging.getLogger(__name__)
_LIMITED = frozenset({400, 403, 413, 422})  # refusals of one prompt, such as for its length
_MOST_KEPT = 1000
_PLAIN = frozenset({"role", "content"})
_OTHER_LIMIT = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""The names of the token limit: newer models of OpenAI refuse the first, older servers the second."""


class ServerModel(InspectModel):
    """A model on one or several servers. It never receives an answer key."""

    def __init__(self, name: str, model: inspect.Model, options: GenerationConfig, allowed: Limits, key: str) -> None:
        super().__init__(name, model, options, allowed)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Accept": "application/json"}
        self._session: aiohttp.ClientSession | None = None
        self._fields: dict[tuple[int | None, str], dict[str, Any]] = {}
        self._limit_names: dict[str, str] = {}
        """The name of the token limit that the server takes instead of the one that it refused."""

    async def close(self) -> None:
        if self._session:
            await self._session.close()
            self._session = None
        await super().close()

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
                if name != limit or not limit or not is_unsupported(str(getattr(error, "provider_message", error)), limit):
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
        response, content = await exchange(self._session, url, self._headers, data)
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
                headers=[(name, value) for name, value in response.raw_headers if name.decode("latin-1").lower() not in OF_THE_BODY],
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


def _renamed(fields: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if name == old else name: value for name, value in fields.items()}


def _read(answer: dict[str, Any]) -> ModelResponse:
    """The response in a chat completion of `isovist.evaluation.models.wire`. Inspect AI reads one with reasoning, a refusal or another end."""
    (choice,) = answer["choices"]
    message, usage, finish = choice["message"], answer["usage"], finish_reason(choice["finish_reason"])
    text = message["content"] or ""
    if message.keys() == _PLAIN and "<think" not in text and finish in ("stop", "max_tokens"):
        counts = {"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]} if usage else {}
        return ModelResponse(text, finish_reason=finish, usage=counts, served_by=answer["model"])

    from inspect_ai.model._openai import chat_choices_from_openai, model_output_from_openai
    from openai.types.chat import ChatCompletion

    parsed = ChatCompletion.construct(**answer)
    reply = replied(model_output_from_openai(parsed, chat_choices_from_openai(parsed, [])))
    return replace(reply, finish_reason=finish) if reply.finish_reason == "unknown" else reply


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
    urls, key = options.base_urls, (os.environ.get("ISOVIST_API_KEY") or os.environ.get("OPENAI_API_KEY") or "").strip() or "none"
    for url in urls:
        check_address(url)
        if sum(other.rstrip("/") == url.rstrip("/") for other in urls) > 1:
            raise UserError(f"--base-url given twice: {url}. Name each endpoint once.")
    if not key.isprintable() or not key.isascii():
        raise UserError("Invalid characters in the key of ISOVIST_API_KEY or OPENAI_API_KEY. Set the key in one line of ASCII.")
    reasons = unreachable(urls)
    if all(reasons):
        raise UserError(f"No server at --base-url ({reasons[0]}): {', '.join(urls)}. Start the server or correct the address.")
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError:
        raise MissingDependencyError(f"the model {name}", "run") from None
    reached = [url for url, reason in zip(urls, reasons, strict=True) if not reason]
    lists: dict[str, ModelList | None] = {}
    if len(urls) > 1:
        with ThreadPoolExecutor(min(32, len(urls))) as threads:
            lists = dict(zip(reached, threads.map(partial(model_list, key=key, wait_s=options.timeout_s / 3), reached), strict=True))
    _require_one_model(name, lists)
    config = GenerateConfig(max_connections=options.concurrency, max_retries=0, timeout=options.timeout_s)
    try:
        service = get_model(f"openai-api/isovist/{name}", base_url=reached[0], api_key=key, config=config, memoize=False, max_retries=0)
        require_support_of(service, name, options)
        model = ServerModel(name, service, options, limits(service, options.timeout_s / 3), key)
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"Cannot use model ({fault(error).words}): --model {name}. Correct the name.") from error
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
