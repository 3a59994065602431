"""The content of a submission: `submission.json` with the facts of a run, `replies.jsonl` with its responses in the standard condition."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from math import isfinite

from isovist.core.answers import OUTCOMES, Outcome
from isovist.evaluation.models.base import GenerationConfig
from isovist.evaluation.run.records import AttemptRecord
from isovist.reporting.submissions.model_card import ModelCard

SUBMISSION, REPLIES = "submission.json", "replies.jsonl"
FORMAT = 1
_MOST_TOKENS = 1_000_000_000  # of one request
_LONGEST_REQUEST_S = 7 * 86400.0


@dataclass(frozen=True, slots=True)
class Reply:
    """One attempt at one item: a record of a run without what concerns its endpoints and its other variants."""

    item_id: str
    variant: str
    attempt: int
    response: str
    reasoning: str
    finish_reason: str
    prompt_hash: str
    image_hashes: list[str]
    outcome: Outcome
    credit: float
    parsed_answer: str | None
    usage: dict[str, int]
    latency_s: float
    served_by: str
    error: str

    def record(self) -> AttemptRecord:
        """The record of a run."""
        return AttemptRecord(**asdict(self))

    def number_fault(self) -> str:
        """The invalid number; "" if there is none."""
        if not (isfinite(self.latency_s) and 0 <= self.latency_s <= _LONGEST_REQUEST_S):
            return f"latency_s {self.latency_s}"
        if not (isfinite(self.credit) and 0 <= self.credit <= 1):
            return f"credit {self.credit}"
        return next((f"{name[:40]} {str(count)[:40]}" for name, count in self.usage.items() if not 0 <= count <= _MOST_TOKENS), "")


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts over the replies of a submission."""

    outcomes: dict[str, int]
    """Number of items by outcome."""
    attempts: int
    input_tokens: int
    output_tokens: int
    served_by: tuple[str, ...]
    """The model names that the server reported, sorted."""


@dataclass(frozen=True, slots=True)
class Submission:
    """The content of `submission.json`."""

    release: str
    """The release and form, such as "isovist-2026.12/short"."""
    commitment: str
    """The commitment of the secret of a private seed; "" for the public development seed."""
    model: str
    options: GenerationConfig
    """The options of the requests, without servers."""
    image_mode: str
    style: str
    versions: dict[str, str]
    started: str
    finished: str
    counts: Counts
    replies_sha256: str
    """The SHA-256 hash of `replies.jsonl`."""
    card: ModelCard | None = None
    format: int = FORMAT


@dataclass(slots=True)
class Counting:
    """Counts replies one by one."""

    outcomes: Counter[str] = field(default_factory=Counter[str])
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    served_by: set[str] = field(default_factory=set[str])

    def add(self, reply: Reply) -> None:
        """Count a reply. The outcome of an item is that of its only attempt without a request error."""
        self.attempts += 1
        self.input_tokens += reply.usage.get("input_tokens", 0)
        self.output_tokens += reply.usage.get("output_tokens", 0)
        if reply.served_by:
            self.served_by.add(reply.served_by)
        if reply.outcome != "request_error":
            self.outcomes[reply.outcome] += 1

    def counts(self) -> Counts:
        """The counts so far."""
        outcomes = {name: self.outcomes[name] for name in OUTCOMES if self.outcomes[name]}
        return Counts(outcomes, self.attempts, self.input_tokens, self.output_tokens, tuple(sorted(self.served_by)))
