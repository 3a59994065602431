"""Models of the providers of Inspect AI, and of any OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import base64
import os
import socket
import time
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from isovist.errors import MissingDependencyError, UserError
from isovist.models.base import AS_ALLOWED, GenerationConfig, ModelRequest, ModelResponse
from isovist.models.limits import limits
from isovist.models.request_errors import backoff, fault
from isovist.models.wire import watch
from isovist.prompts import IMAGE
from isovist.render.image_encoding import media_type

if TYPE_CHECKING:
    import inspect_ai.model as inspect

_OWN_RETRIES = ("openai/", "openai-api/")  # providers whose client retries by itself


class InspectModel:
    """A model of Inspect AI. It never receives an answer key."""

    def __init__(self, name: str, model: inspect.Model, options: GenerationConfig) -> None:
        allowed = limits(model)
        self.name = name
        self.longest = allowed.longest if options.max_tokens == AS_ALLOWED else options.max_tokens
        self.context = allowed.context
        self._model = model
        self._options = options
        self._config = generation(replace(options, max_tokens=self.longest))
        if client := getattr(model.api, "http_client", None):
            watch(client)

    async def close(self) -> None:
        """Close the connections, in the event loop that opened them."""
        async with self._model:
            pass

    async def reply(self, request: ModelRequest) -> ModelResponse:
        """The model's response, with retries; a remaining request error is in `error`.

        `latency_s` is that of the successful attempt.
        """
        from inspect_ai.model import ChatMessageUser

        start = time.perf_counter()
        message = ChatMessageUser(content=content(request))
        for failures in count(1):
            sent = time.perf_counter()
            left = self._options.timeout_s - (sent - start)
            try:
                async with asyncio.timeout(left):
                    # a separate task: Inspect AI keeps every request, with its images, in a transcript that lives as long as the
                    # context of the first one
                    output = await asyncio.create_task(self._model.generate([message], config=self._config))
            except Exception as error:  # noqa: BLE001 - any exception of a provider is recorded as a request error
                request_error = fault(error, self._model.api.should_retry)
            else:
                reply = replied(output, time.perf_counter() - sent)
                if not reply.error:
                    return reply
                request_error = fault(reply.error)
            pause = backoff(failures, request_error)
            spent = time.perf_counter() - start
            most = self._options.retries * (1 + request_error.busy)
            if not request_error.is_transient or failures > most or spent + pause >= self._options.timeout_s:
                return ModelResponse(
                    error=request_error.words, is_permanent_error=request_error.is_permanent, finish_reason="error", latency_s=spent
                )
            await asyncio.sleep(pause)
        raise AssertionError  # the loop is infinite


def generation(options: GenerationConfig) -> inspect.GenerateConfig:
    """The options of Inspect AI that affect a response; retries and connections are not included."""
    from inspect_ai.model import GenerateConfig

    return GenerateConfig(temperature=options.temperature, max_tokens=options.max_tokens)


def content(request: ModelRequest) -> list[inspect.Content]:
    """Text and images in the order of the prompt."""
    from inspect_ai.model import ContentImage, ContentText

    parts: list[inspect.Content] = []
    images = iter(request.images)
    for i, text in enumerate(request.prompt.split(IMAGE)):
        if i:
            image = next(images)
            kind = media_type(image) or "image/png"
            parts.append(ContentImage(image=f"data:{kind};base64,{base64.b64encode(image).decode()}"))
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
    """The model of that name. With a base URL, `name` is the name that the server uses.

    Raises:
        UserError: for an unknown provider, and for a missing key, package or server.
    """
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError:
        raise MissingDependencyError(f"the model {name}", "run") from None
    if options.base_url:
        _answers(options.base_url)
    key = os.environ.get("ISOVIST_API_KEY") or os.environ.get("OPENAI_API_KEY") or "none"
    config = GenerateConfig(max_connections=options.concurrency, max_retries=0, timeout=options.timeout_s)
    try:
        if options.base_url:
            server = get_model(
                f"openai-api/isovist/{name}", base_url=options.base_url, api_key=key, config=config, memoize=False, max_retries=0
            )
            return InspectModel(name, server, options)
        once: dict[str, Any] = {"max_retries": 0} if name.startswith(_OWN_RETRIES) else {}
        return InspectModel(name, get_model(name, config=config, memoize=False, **once), options)
    except ValueError as error:  # no such provider
        raise UserError(
            f"Unknown model ({fault(error).words}): --model {name}. Use a name such as openai/gpt-4o-mini or simulated/random, or --base-url "
            "with the name that the server uses."
        ) from error
    except Exception as error:  # a key or a package is missing, and the provider says which
        raise UserError(f"Cannot use model ({fault(error).words}): --model {name}. Fix the cause and run the command again.") from error


def _answers(url: str) -> None:
    """Raises UserError if no server listens at `url`, before a minute of retries. With a proxy, there is no check."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(f"Invalid --base-url: {url}. Use an address such as http://localhost:8000/v1.")
    if parts.username or parts.password:  # run.json would contain it
        raise UserError(f"User name or password in --base-url: {parts.scheme}://...@{parts.hostname}. Set the key in ISOVIST_API_KEY.")
    if getproxies().get(parts.scheme) and not proxy_bypass(parts.hostname):
        return
    try:
        socket.create_connection((parts.hostname, parts.port or {"http": 80, "https": 443}[parts.scheme]), timeout=10).close()
    except (OSError, ValueError) as error:
        raise UserError(f"No server at --base-url ({error}): {url}. Start the server or correct the address.") from error


def _refused(output: inspect.ModelOutput) -> bool:
    """Whether the provider marks the response as a refusal."""
    from inspect_ai.model import ContentText

    content = output.choices[0].message.content
    return not isinstance(content, str) and any(isinstance(part, ContentText) and bool(part.refusal) for part in content)


def _reasoning(output: inspect.ModelOutput) -> str:
    from inspect_ai.model import ContentReasoning

    content = output.choices[0].message.content
    return "" if isinstance(content, str) else "\n".join(part.reasoning for part in content if isinstance(part, ContentReasoning))
