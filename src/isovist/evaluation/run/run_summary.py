"""The outcomes of a session of a run, and what to do about truncated and refused requests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from isovist.core.answers import Outcome
from isovist.evaluation.models import Model, RemoteModel
from isovist.evaluation.models.finish_reasons import unknown_ends
from isovist.evaluation.models.option_support import refused_option
from isovist.evaluation.models.request_errors import too_long
from isovist.evaluation.run.records import AttemptRecord
from isovist.evaluation.run.run_folder import RunMetadata


@dataclass(slots=True)
class RunSummary:
    """Outcomes of the trials of a run."""

    outcomes: Counter[Outcome] = field(default_factory=Counter["Outcome"])
    requested: int = 0
    """Trials evaluated in this session; the others were already recorded."""
    failed_permanently: int = 0
    """Trials that reached the limit of attempts."""
    over_budget: bool = False
    first_fault: str = ""
    """The first request error of this session."""
    last_cut: AttemptRecord | None = None
    """The last truncated response of this session."""
    unknown_ends: Counter[str] = field(default_factory=Counter["str"])
    """Finish reasons of this session that no table has."""
    n_only_reasoning: int = 0
    """Responses of this session that have reasoning and no text, although they are complete."""
    schemas_refused: int = 0
    """Structured replies of this session that were requested as free text, as the server refused the schema."""
    warned: bool = False
    """Whether the warning about truncated responses was printed."""
    n_new: int = 0
    """Trials with their first record in this session."""
    connections: int = 0
    """Where the number of concurrent requests settled, if it follows what the servers take."""
    image_sizes: Counter[str] = field(default_factory=Counter["str"])
    """The number of their images by size."""

    @property
    def total(self) -> int:
        return sum(self.outcomes.values())

    @property
    def answered(self) -> int:
        return self.total - self.outcomes["request_error"]


def cut_off(summary: RunSummary, info: RunMetadata) -> str:
    """The number of truncated responses, and what to do."""
    count = f"{summary.outcomes['truncated']} of {summary.answered} responses are truncated before an answer. "
    limit = f"The limit is {info.options.max_tokens:,} tokens. Stop with Ctrl-C and use a new folder with a larger --max-tokens."
    return count + (limit_elsewhere(summary, info) or limit)


def limit_elsewhere(summary: RunSummary, info: RunMetadata) -> str:
    """What to do if the last truncated response ended before the requested limit; "" if it did not."""
    last, most = summary.last_cut, info.options.max_tokens
    if last and last.finish_reason in summary.unknown_ends:
        return unknown_ends(summary.unknown_ends)
    written = last.usage.get("output_tokens", 0) if last else 0
    if not 0 < written < most:
        return ""
    return (
        f"The last one ended after {written:,} tokens, before --max-tokens {most}: the server or the context length of the model sets the "
        "limit. Serve the model with a longer context, or use smaller images."
    )


def not_scored(summary: RunSummary, info: RunMetadata, model: Model) -> str:
    """The number of trials with a request error that the next session sends again, with the first error and what to do; "" without any."""
    retryable = summary.outcomes["request_error"] - summary.failed_permanently
    if not retryable:
        return ""
    first = f" (first: {summary.first_fault})" if summary.first_fault else ""
    advice = remedy(summary.first_fault, info, model) or "Run the same command again to retry them."
    return f"{retryable} items not scored: request error{first}. {advice}"


def remedy(fault: str, info: RunMetadata, model: Model) -> str:
    """What to do about an error of length or a refused field, as a sentence; "" for another error."""
    if too_long(fault):
        context = model.context if isinstance(model, RemoteModel) else None
        known = f" of {context:,} tokens" if context else ""
        captions = ", one image at a time (--image-mode caption-first)" if info.image_mode == "joint" else ""
        return (
            f"Prompt and response exceed the model's context{known}. Use smaller images (--image-size, for new items){captions} or a lower "
            f"--max-tokens (now {info.options.max_tokens}), or serve the model with a longer context."
        )
    refused = refused_option(fault, info.options)
    return f"{refused} Use a new --out folder." if refused else ""
