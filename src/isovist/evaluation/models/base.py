"""Requests to models and their responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from isovist.common.json_lines import whole
from isovist.evaluation.models.finish_reasons import end_of, finish_reason
from isovist.evaluation.run_spec import ImageDetail, ImageFormat, ReasoningEffort

LONGEST = 32_768
"""Token limit of a response if the limit of the model is unknown; reasoning models often need more than 4,096."""
AS_ALLOWED = 0
_MOST_TOKENS = 1_000_000_000  # the largest plausible token count of one request
_TEXTS = ("text", "reasoning", "error", "served_by", "schema_refused")


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One prompt; each ``<image>`` in it is the placeholder of the next of `images`, which are sent unchanged."""

    item_id: str
    prompt: str
    images: tuple[bytes, ...]
    variant: str = ""
    """The variant; "" for the standard condition."""
    schema: Mapping[str, Any] | None = field(default=None, hash=False)
    """The JSON schema of a structured reply; None for free text."""
    distractor_types: tuple[str, ...] = field(default=(), hash=False)
    """Of the options, those of a joint answer one after another: for simulated models, which receive the key too; no other model gets them."""


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """A model's response.

    `reasoning` is the text that the provider marks as thinking; it is stored and never parsed. `finish_reason` is a reason of
    `isovist.evaluation.models.finish_reasons`, such as "stop" and "max_tokens", or an unknown value of the provider. `error` is a request
    error; then `text` is empty. A response that failed or was aborted is a request error. `is_permanent_error` means that the next request
    will fail too (invalid key, unknown model).

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
    schema_refused: str = ""
    """The error with which the server refused the schema of the request; then the response is free text."""
    endpoint: str = ""
    """The base URL of the server; "" if the run has only one."""
    moved_from: tuple[str, ...] = ()
    """The endpoints on which the request failed before."""

    def __post_init__(self) -> None:
        for name in _TEXTS:
            object.__setattr__(self, name, whole(getattr(self, name)))
        object.__setattr__(self, "finish_reason", finish_reason(given := self.finish_reason))
        if end_of(self.finish_reason) == "failed" and not self.error:
            object.__setattr__(self, "error", f"the response ended early (finish reason {given})")
            object.__setattr__(self, "text", "")
        if not all(type(count) is int and 0 <= count <= _MOST_TOKENS for count in self.usage.values()):
            object.__setattr__(self, "usage", {})


@dataclass(frozen=True, slots=True)
class GenerationConfig:
    """Options of the requests to a model. `timeout_s` limits one request with its retries.

    None, an empty text and an empty collection mean that a request does not have the option.
    """

    base_url: str | tuple[str, ...] = ""
    """An OpenAI-compatible server, or several of one model."""
    temperature: float | None = 0.0
    """None: the default of the server."""
    max_tokens: int = AS_ALLOWED
    """Token limit of a response; `AS_ALLOWED`: the limit of the model, `Model.longest`."""
    concurrency: int = 8
    auto_concurrency: bool = False
    """Whether the number of concurrent requests follows what the servers take, from `concurrency` on; a finished run has the last one."""
    timeout_s: int = 600
    retries: int = 3
    system_prompt: str = ""
    top_p: float | None = None
    """Nucleus sampling: the proportion of probability from which tokens are sampled."""
    seed: int | None = None
    """Seed of the sampling; a repetition (`epoch:2`) adds its number minus 1, so that repetitions differ."""
    stop_seqs: tuple[str, ...] = ()
    """Texts that end a response; the response does not contain them."""
    reasoning_effort: ReasoningEffort | None = None
    reasoning_tokens: int | None = None
    """Token limit of the reasoning."""
    model_args: dict[str, Any] = field(default_factory=dict[str, Any])
    """Further fields of the request body."""
    image_detail: ImageDetail = "auto"
    image_format: ImageFormat = "unchanged"
    """The images are converted to this format before they are sent."""

    def __post_init__(self) -> None:
        if not isinstance(self.base_url, str) and len(self.base_url) <= 1:  # one server has the form of older runs
            object.__setattr__(self, "base_url", self.base_url[0] if self.base_url else "")

    @property
    def base_urls(self) -> tuple[str, ...]:
        """The servers, if any."""
        return (self.base_url,) * bool(self.base_url) if isinstance(self.base_url, str) else self.base_url

    @property
    def shown_temperature(self) -> float | str:
        return "not sent" if self.temperature is None else self.temperature

    def differing(self, other: GenerationConfig) -> list[str]:
        """The names of the fields with another value in `other` that may affect responses."""
        return [name for name in _NAMES if name not in _WITHOUT_EFFECT and getattr(self, name) != getattr(other, name)]

    def request_options(self) -> dict[str, object]:
        """The options that the requests have besides server, temperature and token limit, by field name."""
        always = {"base_url", "temperature", "max_tokens"}
        return {name: getattr(self, name) for name in GenerationConfig().differing(self) if name not in always}

    def seed_of(self, variant: str) -> int | None:
        """The seed of the requests of a variant."""
        kind, _, number = variant.partition(":")
        return self.seed + int(number) - 1 if self.seed is not None and kind == "epoch" else self.seed


_NAMES = tuple(option.name for option in fields(GenerationConfig))
_WITHOUT_EFFECT = frozenset({"concurrency", "auto_concurrency", "timeout_s", "retries"})
