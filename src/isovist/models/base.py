"""What goes to a model and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt; each ``<image>`` in it stands for the next of `images`, which travel byte for byte."""

    item_id: str
    prompt: str
    images: tuple[bytes, ...]
    variant: str = ""
    """How the item is asked otherwise than as it is."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's words. `reasoning` is what the provider marks as thinking: kept, and never parsed.

    `finish` is "stop", "max_tokens", "content_filter" or the provider's other word. `error` is a machine fault; then
    there are no words. It is `lasting` if the next request will meet it too: a wrong key, an unknown model.
    """

    text: str = ""
    reasoning: str = ""
    finish: str = "stop"
    usage: dict[str, int] = field(default_factory=dict[str, int])
    latency_s: float = 0.0
    error: str = ""
    lasting: bool = False
    served_by: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """How a model is asked. `timeout_s` bounds one request with its retries."""

    base_url: str = ""
    temperature: float = 0.0
    max_tokens: int = 4096
    concurrency: int = 8
    timeout_s: int = 600
    retries: int = 3
