"""Score recorded responses again; no requests are sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean

from isovist.common.errors import UserError
from isovist.core.answers import Answer, Outcome
from isovist.evaluation.models.base import ModelResponse
from isovist.evaluation.run.records import AttemptRecord, line_of, outcome_of, read, score_as_published
from isovist.evaluation.run.run_folder import RunFolder, parser
from isovist.evaluation.run.variants import STANDARD, STRUCTURED, rotate_key


@dataclass(slots=True)
class Rescored:
    """What new scores change in a run."""

    n: int = 0
    """Responses, with those of variants and of earlier attempts."""
    outcomes: Counter[tuple[Outcome, Outcome]] = field(default_factory=Counter[tuple[Outcome, Outcome]])
    """The responses with another outcome or answer, by old and new outcome."""
    n_read: int = 0
    """Responses that were unparsed and have an answer now."""
    n_unread: int = 0
    """Responses that had an answer and are unparsed now."""
    n_other_answer: int = 0
    """Responses with another answer."""
    credits: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """The old and the new credit of each scored item in the standard condition."""

    def add(self, old: AttemptRecord, new: AttemptRecord) -> None:
        """Count one response."""
        self.n += 1
        before, after = old.parsed_answer, new.parsed_answer
        if (old.outcome, before) != (new.outcome, after):
            self.outcomes[old.outcome, new.outcome] += 1
        if before != after:
            self.n_read += before is None
            self.n_unread += after is None
            self.n_other_answer += before is not None and after is not None
        if new.variant == STANDARD and new.outcome != "request_error":
            self.credits[new.item_id] = old.credit, new.credit

    def n_becoming(self, outcome: Outcome) -> int:
        """The number of responses that have this outcome now, and had another one."""
        return sum(count for (old, new), count in self.outcomes.items() if new == outcome != old)

    @property
    def accuracies(self) -> tuple[float, float] | None:
        """The old and the new mean credit of the items; None without a scored item."""
        if not self.credits:
            return None
        old, new = map(fmean, zip(*self.credits.values(), strict=True))
        return old, new


def rescore(folder: RunFolder, keys: Mapping[str, tuple[str, Answer]]) -> Rescored:
    """Score every response of a run again and replace its records atomically.

    Args:
        folder: the run.
        keys: task and key of each item.

    Raises:
        UserError: for a record of an unknown item or variant.
    """
    rescored = Rescored()
    with folder.locked():
        new = folder.records.with_suffix(".jsonl.new")
        try:
            with new.open("wb") as file:
                for record in read(folder.records):
                    if record.item_id not in keys:
                        raise UserError(f"Record of an item outside the run: {record.item_id}. Restore the data of the run.")
                    scored = again(record, keys)
                    rescored.add(record, scored)
                    file.write(line_of(scored))
            new.replace(folder.records)
            info = folder.info()
            folder.write(replace(info, versions=info.versions | {"parser": parser()}))
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(folder.records)) from error
        finally:
            new.unlink(missing_ok=True)
    return rescored


def again(record: AttemptRecord, keys: Mapping[str, tuple[str, Answer]]) -> AttemptRecord:
    """A record with the new score of its response. Raises UserError for an unknown variant."""
    reply = ModelResponse(record.response, record.reasoning, record.finish_reason, error=record.error, schema_refused=record.schema_refused)
    task, key = keys[record.item_id]
    try:
        key = rotate_key(key, record.variant)
    except ValueError:
        raise UserError(f"Unknown variant in the record of {record.item_id}: {record.variant}. Fix the record.") from None
    structured = record.variant == STRUCTURED
    outcome, value, parsed = outcome_of(reply, key, structured=structured)
    published = None if structured else score_as_published(task, reply, key)
    return replace(record, outcome=outcome, credit=value, parsed_answer=parsed, published_credit=published)
