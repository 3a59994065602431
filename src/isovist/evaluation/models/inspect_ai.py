"""Models of the providers of Inspect AI, and of any OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import base64
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from isovist.common.errors import MissingDependencyError, UserError
from isovist.common.installation import install_command
from isovist.data.prompts import IMAGE
from isovist.evaluation.models.base import AS_ALLOWED, GenerationConfig, ModelRequest, ModelResponse
from isovist.evaluation.models.connections import unreachable
from isovist.evaluation.models.endpoint_pool import Endpoint, EndpointPool
from isovist.evaluation.models.limits import Limits, limits
from isovist.evaluation.models.option_support import require_support
from isovist.evaluation.models.request_errors import RequestError, backoff, fault
from isovist.evaluation.models.response_schemas import OfferedSchema, SchemaSupport
from isovist.evaluation.models.wire import watch
from isovist.evaluation.run_spec import ImageDetail
from isovist.world.render.image_encoding import media_type

if TYPE_CHECKING:
    import inspect_ai.model as inspect

_MANY_OPTIONS = frozenset({"system_prompt", "top_p", "seed", "stop_seqs", "reasoning_effort", "image_detail"})
_EXTRA_BODY = frozenset({"OpenAICompatibleAPI", "OpenAIAPI"})  # classes of Inspect AI that send further fields of the body
_REASONING_TOKENS = ("anthropic/", "bedrock/", "google/", "openrouter/")  # providers with a token limit of the reasoning
_OWN_RETRIES = ("openai/", "openai-api/")  # providers whose client retries by itself


Attempt = Callable[[Endpoint, OfferedSchema], Awaitable[ModelResponse]]
"""Sends one request; raises what the provider raises."""


class InspectModel:
    """A model of Inspect AI. It never receives an answer key."""

    def __init__(self, name: str, model: inspect.Model, options: GenerationConfig, allowed: Limits) -> None:
        self.name = name
        self.longest = allowed.longest if options.max_tokens == AS_ALLOWED else options.max_tokens
        self.context = allowed.context
        self.pool = EndpointPool(options.base_urls or ("",))
        self.notices: list[str] = []
        """Lines for the start of a run."""
        self._model = model
        self._options = options
        self._config = generation(replace(options, max_tokens=self.longest))
        self._schemas = SchemaSupport()

    async def close(self) -> None:
        """Close the connections, in the event loop that opened them."""
        async with self._model:
            pass

    async def reply(self, request: ModelRequest) -> ModelResponse:
        """The model's response, with retries; a remaining request error is in `error`.

        `latency_s` is that of the successful attempt. With several endpoints, a request that fails on one of them moves to another at once.
        """
        start = time.perf_counter()
        attempt, schema = self._attempt(request), self._schemas.offered(request)
        request_error, endpoint = RequestError("no endpoint responded in time (increase --timeout)", is_transient=True), None
        moved_from: list[str] = []
        failures = 0
        while (left := self._options.timeout_s - (time.perf_counter() - start)) > 0:
            chosen = await self.pool.choose(left)
            if chosen is None:
                break
            endpoint = chosen
            result = await self._sent(attempt, endpoint, schema, left)
            if isinstance(result, ModelResponse):
                url = endpoint.url if self.pool.has_several else ""
                return schema.accepted(replace(result, endpoint=url, moved_from=tuple(moved_from)) if url else result)
            request_error, is_outage = result
            if schema.refused_by(request_error.words):
                continue
            is_moved = is_outage and self.pool.has_several
            failures += not (is_moved and request_error.is_down)
            most = self._options.retries * (1 + request_error.busy)
            if is_moved and request_error.status is not None:  # each endpoint refused; a request that ends servers must not end them all
                most *= len(self.pool.endpoints)
            if not request_error.is_transient or failures > most:
                break
            if is_moved:
                endpoint.moved += 1
                moved_from.append(endpoint.url)
                continue
            pause = backoff(failures, request_error)
            if time.perf_counter() - start + pause >= self._options.timeout_s:
                break
            await asyncio.sleep(pause)
        return ModelResponse(
            error=request_error.words,
            is_permanent_error=request_error.is_permanent,
            finish_reason="error",
            latency_s=time.perf_counter() - start,
            endpoint=endpoint.url if endpoint and self.pool.has_several else "",
            moved_from=tuple(moved_from),
        )

    async def _sent(
        self, attempt: Attempt, endpoint: Endpoint, schema: OfferedSchema, left: float
    ) -> ModelResponse | tuple[RequestError, bool]:
        """The response, or the request error and whether it is one of the endpoint."""
        sent, started, outage = time.perf_counter(), endpoint.start(), None
        try:
            # a server that hangs takes half of the time that is left, so that another one can respond
            async with asyncio.timeout(left / 2 if self.pool.has_several else left):
                reply = await attempt(endpoint, schema)
        except Exception as error:  # noqa: BLE001 - any exception of a provider is recorded as a request error
            request_error = fault(error, self._model.api.should_retry)
            outage = request_error if request_error.is_transient else None
            return request_error, outage is not None
        finally:
            endpoint.end(started, failed=outage is not None, wait_s=(outage and outage.wait_s) or 0.0)
        if reply.error:
            return fault(reply.error), False
        return replace(reply, latency_s=time.perf_counter() - sent)

    def _attempt(self, request: ModelRequest) -> Attempt:
        sent_messages = messages(request, self._options)
        config = self._config.merge({"seed": self._options.seed_of(request.variant)})

        async def attempt(endpoint: Endpoint, schema: OfferedSchema) -> ModelResponse:
            del endpoint  # the provider's own
            # a separate task: Inspect AI keeps every request, with its images, in a transcript that lives as long as the
            # context of the first one
            return replied(await asyncio.create_task(self._model.generate(list(sent_messages), config=schema.config(config))))

        return attempt


def generation(options: GenerationConfig) -> inspect.GenerateConfig:
    """The options of Inspect AI that affect a response; retries and connections are not included."""
    from inspect_ai.model import GenerateConfig

    return GenerateConfig(
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        top_p=options.top_p,
        seed=options.seed,
        stop_seqs=list(options.stop_seqs) or None,
        reasoning_effort=options.reasoning_effort,
        reasoning_tokens=options.reasoning_tokens,
        extra_body=options.model_args or None,
    )


def messages(request: ModelRequest, options: GenerationConfig) -> list[inspect.ChatMessage]:
    """The system prompt, if there is one, and the request."""
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser

    system = [ChatMessageSystem(content=options.system_prompt)] if options.system_prompt else []
    return [*system, ChatMessageUser(content=content(request, options.image_detail))]


def content(request: ModelRequest, detail: ImageDetail = "auto") -> list[inspect.Content]:
    """Text and images in the order of the prompt."""
    from inspect_ai.model import ContentImage, ContentText

    parts: list[inspect.Content] = []
    images = iter(request.images)
    for i, text in enumerate(request.prompt.split(IMAGE)):
        if i:
            image = next(images)
            kind = media_type(image) or "image/png"
            parts.append(ContentImage(image=f"data:{kind};base64,{base64.b64encode(image).decode()}", detail=detail))
        if text.strip():
            parts.append(ContentText(text=text.strip("\n")))
    return parts


def replied(output: inspect.ModelOutput, latency_s: float = 0.0) -> ModelResponse:
    """The response of a model output; an output without text because of a request error has an `error`."""
    if output.error:
        return ModelResponse(error=fault(output.error).words, finish_reason="error", latency_s=latency_s)
    if not output.choices:
        return ModelResponse(error="the server sent no choice", finish_reason="error", latency_s=latency_s)
    if output.stop_reason == "model_length" and output.usage is None:  # nothing was generated: the text is an error message
        return ModelResponse(
            error=f"the prompt is too long for the model ({fault(output.completion).words})", finish_reason="error", latency_s=latency_s
        )
    model_usage = output.usage
    cached = (
        ((model_usage.input_tokens_cache_read or 0) + (model_usage.input_tokens_cache_write or 0)) if model_usage else 0
    )  # cached tokens are input too
    usage = {"input_tokens": model_usage.input_tokens + cached, "output_tokens": model_usage.output_tokens} if model_usage else {}
    finish = "refusal" if _refused(output) else str(output.stop_reason)
    return ModelResponse(output.completion, _reasoning(output), finish, usage, latency_s, served_by=output.model)


def inspected(name: str, options: GenerationConfig) -> InspectModel:
    """The model of a provider of Inspect AI.

    Raises:
        UserError: for an unknown provider, and for a missing key or package.
    """
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError:
        raise MissingDependencyError(f"the model {name}", "run") from None
    config = GenerateConfig(max_connections=options.concurrency, max_retries=0, timeout=options.timeout_s)
    try:
        once: dict[str, Any] = {"max_retries": 0} if name.startswith(_OWN_RETRIES) else {}
        provided = get_model(name, config=config, memoize=False, **once)
        require_support_of(provided, name, options)
        _require_server(provided, name)
        if client := getattr(provided.api, "http_client", None):
            watch(client)
        return InspectModel(name, provided, options, limits(provided, options.timeout_s / 3))
    except UserError:
        raise
    except ValueError as error:  # no such provider
        raise UserError(
            f"Unknown model ({fault(error).words}): --model {name}. Use a name such as openai/gpt-4o-mini or simulated/random, or --base-url "
            "with the name that the server uses."
        ) from error
    except Exception as error:  # a key or a package is missing, and the provider says which
        reason = re.sub(r"Install with: pip install (\S+)", lambda match: f"Run `{install_command(package=match[1])}`", fault(error).words)
        raise UserError(f"Cannot use model ({reason}): --model {name}. Fix the cause and run the command again.") from error


def _require_server(model: inspect.Model, name: str) -> None:
    """Raises UserError if the server of the provider, where it is known, cannot be reached."""
    known = vars(model.api)
    address = str(getattr(known.get("client"), "base_url", None) or known.get("base_url") or "")
    if address.startswith(("http://", "https://")) and (reason := unreachable([address])[0]):
        server = address.partition("?")[0].rstrip("/")
        raise UserError(f"No server at {server} ({reason}): --model {name}. Check the connection, start the server or correct its address.")


def require_support_of(model: inspect.Model, name: str, options: GenerationConfig) -> None:
    """Raises UserError for an option that the provider would ignore."""
    supported, remedy = set(_MANY_OPTIONS), "Remove it."
    if _EXTRA_BODY & {cls.__name__ for cls in type(model.api).__mro__}:
        supported.add("model_args")
        remedy = "Use --reasoning-effort, or the field of the server with --model-arg."
    if not options.base_url and name.startswith(_REASONING_TOKENS):
        supported.add("reasoning_tokens")
    require_support(f"--model {name}", options, supported, remedy)


def _refused(output: inspect.ModelOutput) -> bool:
    """Whether the provider marks the response as a refusal."""
    from inspect_ai.model import ContentText

    content = output.choices[0].message.content
    return not isinstance(content, str) and any(isinstance(part, ContentText) and bool(part.refusal) for part in content)


def _reasoning(output: inspect.ModelOutput) -> str:
    from inspect_ai.model import ContentReasoning

    content = output.choices[0].message.content
    return "" if isinstance(content, str) else "\n".join(part.reasoning for part in content if isinstance(part, ContentReasoning))
