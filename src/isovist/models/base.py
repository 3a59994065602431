"""What goes to a model and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field

from isovist.json_lines import whole

LONGEST = 32_768
"""Tokens of the longest reply where nobody says what the model allows: thinking models often need more than 4,096."""
AS_ALLOWED = 0
_MOST_TOKENS = 1_000_000_000  # that a server may count for one request; more is no count
_TEXTS = ("text", "reasoning", "finish_reason", "error", "served_by")


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One prompt; each ``<image>`` in it stands for the next of `images`, which travel byte for byte."""

    item_id: str
    prompt: str
    images: tuple[bytes, ...]
    variant: str = ""
    """How the item is asked otherwise than as it is."""


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """A model's words. `reasoning` is what the provider marks as thinking: kept, and never parsed.

    `finish_reason` is "stop", "max_tokens", "content_filter" or the provider's other word. `error` is a machine fault; then
    there are no words. It is `is_permanent_error` if the next request will meet it too: a wrong key, an unknown model.

    Whatever a server sends can be stored: half a surrogate pair becomes U+FFFD, and a `usage` with odd counts is left out.
    """

    text: str = ""
    reasoning: str = ""
    finish_reason: str = "stop"
    usage: dict[str, int] = field(default_factory=dict[str, int])
    latency_s: float = 0.0
    error: str = ""
    is_permanent_error: bool = False
    served_by: str = ""

    def __post_init__(self) -> None:
        for name in _TEXTS:
            object.__setattr__(self, name, whole(getattr(self, name)))
        if not all(type(count) is int and 0 <= count <= _MOST_TOKENS for count in self.usage.values()):
            object.__setattr__(self, "usage", {})


@dataclass(frozen=True, slots=True)
class GenerationConfig:
    """How a model is asked. `timeout_s` bounds one request with its retries."""

    base_url: str = ""
    temperature: float = 0.0
    max_tokens: int = AS_ALLOWED
    """Of a reply; `AS_ALLOWED`: as many as the model allows, which `Model.longest` tells."""
    concurrency: int = 8
    timeout_s: int = 600
    retries: int = 3
