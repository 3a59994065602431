"""Models of the providers of Inspect AI."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from isovist.common.errors import MissingDependencyError, UserError
from isovist.common.installation import install_command
from isovist.data.dataset.pictures import data_url
from isovist.data.prompts import IMAGE
from isovist.evaluation.models.base import GenerationConfig, ModelRequest, ModelResponse
from isovist.evaluation.models.connection_limit import MOST
from isovist.evaluation.models.connections import unreachable
from isovist.evaluation.models.endpoint_pool import Endpoint
from isovist.evaluation.models.limits import Limits, limits
from isovist.evaluation.models.option_support import FIELD_REMEDY, require_support
from isovist.evaluation.models.plug_in_models import RESERVED
from isovist.evaluation.models.remote import REQUEST_OPTIONS, Attempt, RemoteModel
from isovist.evaluation.models.request_errors import fault
from isovist.evaluation.models.response_schemas import OfferedSchema
from isovist.evaluation.models.wire import watch
from isovist.evaluation.run_spec import ImageDetail

if TYPE_CHECKING:
    import inspect_ai.model as inspect

_EXTRA_BODY = frozenset({"OpenAICompatibleAPI", "OpenAIAPI"})  # classes of Inspect AI that send further fields of the body
_REASONING_TOKENS = ("anthropic/", "bedrock/", "google/", "openrouter/")  # providers with a token limit of the reasoning
_OWN_RETRIES = ("openai/", "openai-api/")  # providers whose client retries by itself


class InspectModel(RemoteModel):
    """A model of Inspect AI."""

    def __init__(self, name: str, model: inspect.Model, options: GenerationConfig, allowed: Limits) -> None:
        super().__init__(name, options, allowed)
        self._model = model
        self._config = generation(self._options)

    async def close(self) -> None:
        async with self._model:
            pass

    def _may_pass(self, error: Exception) -> object:
        return self._model.api.should_retry(error)

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
            parts.append(ContentImage(image=data_url(next(images)), detail=detail))
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
        prefix, slash, _ = name.partition("/")
        if not slash or prefix not in RESERVED:  # a typing error, or a server without its address
            raise _unknown(name, "no such provider") from None
        raise MissingDependencyError(f"the model {name}", "providers") from None
    most = MOST if options.auto_concurrency else options.concurrency
    config = GenerateConfig(max_connections=most, max_retries=0, timeout=options.timeout_s)
    try:
        once: dict[str, Any] = {"max_retries": 0} if name.startswith(_OWN_RETRIES) else {}
        provided = get_model(name, config=config, memoize=False, **once)
        _require_support(provided, name, options)
        _require_server(provided, name)
        if client := getattr(provided.api, "http_client", None):
            watch(client)
        return InspectModel(name, provided, options, limits(provided, options.timeout_s / 3))
    except UserError:
        raise
    except ValueError as error:  # no such provider
        raise _unknown(name, fault(error).words) from error
    except Exception as error:  # a key or a package is missing, and the provider says which
        reason = re.sub(r"Install with: pip install (\S+)", lambda match: f"Run `{install_command(package=match[1])}`", fault(error).words)
        raise UserError(f"Cannot use model ({reason}): --model {name}. Fix the cause and run the command again.") from error


def _unknown(name: str, reason: str) -> UserError:
    return UserError(
        f"Unknown model ({reason}): --model {name}. Use a name such as openai/gpt-4o-mini or simulated/random, or --base-url with the name "
        "that the server uses."
    )


def _require_server(model: inspect.Model, name: str) -> None:
    """Raises UserError if the server of the provider, where it is known, cannot be reached."""
    known = vars(model.api)
    address = str(getattr(known.get("client"), "base_url", None) or known.get("base_url") or "")
    if address.startswith(("http://", "https://")) and (reason := unreachable([address])[0]):
        server = address.partition("?")[0].rstrip("/")
        raise UserError(f"No server at {server} ({reason}): --model {name}. Check the connection, start the server or correct its address.")


def _require_support(model: inspect.Model, name: str, options: GenerationConfig) -> None:
    """Raises UserError for an option that the provider would ignore."""
    supported, remedy = set(REQUEST_OPTIONS), "Remove it."
    if _EXTRA_BODY & {cls.__name__ for cls in type(model.api).__mro__}:
        supported.add("model_args")
        remedy = FIELD_REMEDY
    if name.startswith(_REASONING_TOKENS):
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
