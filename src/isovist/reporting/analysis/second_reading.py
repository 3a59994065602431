"""The answers that a second reader found in unparsed responses, beside the strict reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from isovist.evaluation.run.records import UNREAD
from isovist.evaluation.run.second_reading import SECOND_READING, SecondReading, readings, score_reading
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.runs import Run
from isovist.reporting.analysis.text_format import pluralize
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.proportions import ConfidenceInterval, wilson


@dataclass(frozen=True, slots=True)
class SecondReadingResult:
    """The readings of one reader of one run, in the standard condition."""

    reader: str
    n: int
    """Scored responses of the run."""
    n_unparsed: int
    """Unparsed responses, of any outcome."""
    n_read: int
    """Unparsed responses that the reader received."""
    n_extracted: int
    """Of these, responses with an answer according to the reader."""
    strict: ConfidenceInterval | None
    """The accuracy of the strict reading; None without scored responses and for adaptive runs."""
    if_counted: ConfidenceInterval | None
    """The accuracy if the extracted answers counted."""
    n_checked: int
    """Responses with a strict answer that the reader received."""
    n_agreeing: int
    """Of these, responses in which both found the same answer."""
    n_check_unclear: int
    """Of these, responses in which the reader found no answer."""

    @property
    def agreement(self) -> ConfidenceInterval | None:
        """The proportion of checked responses with the same answer; None without any."""
        return wilson(self.n_agreeing, self.n_checked) if self.n_checked else None

    @property
    def sentence(self) -> str:
        """The answers found, and the agreement."""
        extracted = f"Second reading by {self.reader}, not counted: an answer in {self.n_extracted:,} of {self.n_read:,} unparsed responses"
        if not self.n_checked:
            return f"{extracted}."
        return f"{extracted}; agreement with the strict parser in {self.n_agreeing:,} of {pluralize(self.n_checked, 'parsed response')}."


def second_readings(run: Run) -> list[SecondReadingResult]:
    """The results of each reader of a run, in the order of their first readings. Raises UserError for a damaged file."""
    by_reader: dict[str, dict[str, SecondReading]] = {}
    for part in run.parts:
        for reading in readings(part.folder.path / SECOND_READING):
            by_reader.setdefault(reading.reader, {})[reading.item_id] = reading
    return [_result(reader, run.rows.standard, read, is_adaptive=run.info.adaptive is not None) for reader, read in by_reader.items()]


def _result(reader: str, rows: Rows, read: Mapping[str, SecondReading], *, is_adaptive: bool) -> SecondReadingResult:
    scored = rows.scored
    counted = list(rows.credits)
    n_read = extracted = checked = agreeing = unclear = 0
    facts = zip(scored.texts("item_id"), scored.keys, scored.outcomes, scored.values("parsed_answer"), strict=True)
    for place, (id, key, outcome, parsed_answer) in enumerate(facts):
        if (reading := read.get(id)) is None:
            continue
        score = score_reading(reading, key)
        if outcome in UNREAD:
            n_read += 1
            extracted += score.parsed_answer is not None
            counted[place] = score.credit
        else:
            checked += 1
            unclear += score.parsed_answer is None
            agreeing += score.parsed_answer == parsed_answer
    has_accuracy = rows.n > 0 and not is_adaptive
    return SecondReadingResult(
        reader,
        rows.n,
        rows.n - len(rows.parsed),
        n_read,
        extracted,
        clustered_mean(rows.credits, rows.clusters) if has_accuracy else None,
        clustered_mean(counted, rows.clusters) if has_accuracy else None,
        checked,
        agreeing,
        unclear,
    )
