"""Requests to models and their responses."""

from __future__ import annotations

from dataclasses import dataclass, field

from isovist.json_lines import whole

LONGEST = 32_768
"""Token limit of a response if the limit of the model is unknown; reasoning models often need more than 4,096."""
AS_ALLOWED = 0
_MOST_TOKENS = 1_000_000_000  # the largest plausible token count of one request
_TEXTS = ("text", "reasoning", "finish_reason", "error", "served_by")


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One prompt; each ``<image>`` in it is the placeholder of the next of `images`, which are sent unchanged."""

    item_id: str
    prompt: str
    images: tuple[bytes, ...]
    variant: str = ""
    """The variant; "" for the standard condition."""


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """A model's response.

    `reasoning` is the text that the provider marks as thinking; it is stored and never parsed. `finish_reason` is "stop", "max_tokens",
    "content_filter" or another value of the provider. `error` is a request error; then `text` is empty. `is_permanent_error` means that
    the next request will fail too (invalid key, unknown model).

    Every server response can be stored: a lone surrogate becomes U+FFFD, and a `usage` with invalid counts becomes empty.
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
    """Options of the requests to a model. `timeout_s` limits one request with its retries."""

    base_url: str = ""
    temperature: float = 0.0
    max_tokens: int = AS_ALLOWED
    """Token limit of a response; `AS_ALLOWED`: the limit of the model, `Model.longest`."""
    concurrency: int = 8
    timeout_s: int = 600
    retries: int = 3
