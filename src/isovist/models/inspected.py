"""Real models, through Inspect AI's model layer: every provider by its usual name, and any OpenAI-compatible server."""

from __future__ import annotations

import base64
import os
import re
import socket
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from isovist.errors import BadInput, Missing
from isovist.models.base import Options, Reply, Request
from isovist.prompts import IMAGE

if TYPE_CHECKING:
    import inspect_ai.model as inspect

_MARKUP = re.compile(r"\[/?(?:bold|blue|red|yellow|green|italic)\]|\bERROR: ")
_SECRET = re.compile(r"(?:sk|key|Bearer)[-_ ][\w.-]{6,}", re.IGNORECASE)


class Inspected:
    """A model of Inspect AI. It is never given an answer."""

    def __init__(self, name: str, model: inspect.Model) -> None:
        self.name = name
        self._model = model

    async def close(self) -> None:
        """Closes the connections, which belong to the event loop that opened them."""
        async with self._model:
            pass

    async def reply(self, request: Request) -> Reply:
        """The model's reply; a machine fault that retries did not mend comes back as `error`."""
        from inspect_ai.model import ChatMessageUser

        start = time.perf_counter()
        try:
            output = await self._model.generate([ChatMessageUser(content=_content(request))])
        except Exception as error:  # noqa: BLE001 - whatever a provider raises is a machine fault, and is recorded as one
            return Reply(error=_told(error), finish="error", latency_s=time.perf_counter() - start)
        latency = time.perf_counter() - start
        if output.error:
            return Reply(error=_told(output.error), finish="error", latency_s=latency)
        if not output.choices:
            return Reply(error="the server sent no choice", finish="error", latency_s=latency)
        told = output.usage
        usage = {"input_tokens": told.input_tokens, "output_tokens": told.output_tokens} if told else {}
        finish = "refusal" if _refused(output) else str(output.stop_reason)
        return Reply(output.completion, _reasoning(output), finish, usage, latency, served_by=output.model)


def inspected(name: str, options: Options) -> Inspected:
    """The model of that name. With a base URL, `name` is what the server calls the model.

    Raises BadInput if Inspect AI knows no such provider, or the provider misses a key or a package.
    """
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError:
        raise Missing(f"the model {name}", "run") from None
    if options.base_url:
        _answers(options.base_url)
    config = GenerateConfig(
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        max_connections=options.concurrency,
        max_retries=options.retries,
        timeout=options.timeout_s,
    )
    try:
        if options.base_url:
            key = os.environ.get("ISOVIST_API_KEY") or os.environ.get("OPENAI_API_KEY") or "none"
            return Inspected(
                name, get_model(f"openai-api/isovist/{name}", base_url=options.base_url, api_key=key, config=config, memoize=False)
            )
        return Inspected(name, get_model(name, config=config, memoize=False))
    except Exception as error:
        raise BadInput(
            f"--model {name}: {_told(error)}. Give a name such as openai/gpt-4o-mini, a fake such as fake/random, or a server's model name "
            "with --base-url."
        ) from error


def _answers(url: str) -> None:
    """Raises BadInput if nothing listens at `url`: better now than after a minute of retries. A proxy is left to itself."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"--base-url {url}: write an address such as http://localhost:8000/v1.")
    if getproxies().get(parts.scheme) and not proxy_bypass(parts.hostname):
        return
    try:
        socket.create_connection((parts.hostname, parts.port or {"http": 80, "https": 443}[parts.scheme]), timeout=10).close()
    except (OSError, ValueError) as error:
        raise BadInput(f"--base-url {url}: no server answers there ({error}); start it, or correct the address.") from error


def _content(request: Request) -> list[inspect.Content]:
    """Words and pictures in the order of the prompt."""
    from inspect_ai.model import ContentImage, ContentText

    content: list[inspect.Content] = []
    images = iter(request.images)
    for i, words in enumerate(request.prompt.split(IMAGE)):
        if i:
            content.append(ContentImage(image=f"data:image/png;base64,{base64.b64encode(next(images)).decode()}"))
        if words.strip():
            content.append(ContentText(text=words.strip("\n")))
    return content


def _refused(output: inspect.ModelOutput) -> bool:
    """Whether the provider itself marks the words as a refusal."""
    from inspect_ai.model import ContentText

    content = output.choices[0].message.content
    return not isinstance(content, str) and any(isinstance(part, ContentText) and bool(part.refusal) for part in content)


def _reasoning(output: inspect.ModelOutput) -> str:
    from inspect_ai.model import ContentReasoning

    content = output.choices[0].message.content
    return "" if isinstance(content, str) else "\n".join(part.reasoning for part in content if isinstance(part, ContentReasoning))


def _told(error: object) -> str:
    """An error in one line, without anything that looks like a key."""
    attempt = getattr(error, "last_attempt", None)  # retries wrap what they gave up on
    if attempt is not None and attempt.failed:
        error = attempt.exception()
    if provider := getattr(error, "provider_message", None):  # without the request, which fills the message
        error = ValueError(f"{getattr(error, 'status_code', None) or 'fault'}: {provider}")
    name = f"{type(error).__name__}: " if isinstance(error, Exception) and not isinstance(error, ValueError) else ""
    words = _MARKUP.sub("", " ".join(str(error).split()))
    return _SECRET.sub("[key]", name + words)[:500].rstrip(".")
