"""Unparsed responses: their number, their outcomes, and the remedy.

They count as incorrect in every accuracy and give no information about perception. If there are many, a report states them first, with
the accuracy of the parsed responses, and makes no other claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from isovist.core.answers import Outcome
from isovist.evaluation.run.records import UNREAD
from isovist.evaluation.run.run_folder import RunMetadata
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.text_format import percent, pluralize
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.proportions import ConfidenceInterval

MAX_UNPARSED = 0.1
"""With a larger share of unparsed responses, a report states them first and makes no other claim."""
MARK = "‡"
"""Follows a number with more unparsed responses."""
MANY_UNPARSED = f"more than {100 * MAX_UNPARSED:.0f}% unparsed responses"
MARK_NOTE = f"{MANY_UNPARSED}, so the accuracy gives little information about perception"


@dataclass(frozen=True, slots=True)
class UnparsedResponses:
    """The number of unparsed responses by outcome."""

    n: int
    """All responses."""
    counts: tuple[tuple[Outcome, int], ...]
    """The most frequent first."""

    @staticmethod
    def of(outcomes: Iterable[Outcome]) -> UnparsedResponses:
        """The counts of these outcomes, or of a counter of outcomes, without request errors."""
        counts = Counter(outcomes)
        kinds: list[Outcome] = sorted((outcome for outcome in UNREAD if counts[outcome]), key=lambda outcome: -counts[outcome])
        return UnparsedResponses(counts.total() - counts["request_error"], tuple((outcome, counts[outcome]) for outcome in kinds))

    @property
    def total(self) -> int:
        return sum(count for _, count in self.counts)

    @property
    def many(self) -> bool:
        """Whether a report states them first."""
        return self.total > MAX_UNPARSED * self.n

    @property
    def short(self) -> str:
        """For a table: "24 of 48 (20 truncated, 4 empty)"."""
        return f"{self.total:,} of {self.n:,}" + (f" ({self._outcomes})" if self.counts else "")

    @property
    def counts_text(self) -> str:
        """For a sentence: "24 of 48 (50%; 20 truncated, 4 empty)"."""
        return f"{self.total:,} of {self.n:,} ({percent(self.total / self.n)}; {self._outcomes})"

    @property
    def _outcomes(self) -> str:
        return ", ".join(f"{count:,} {'without a parseable answer' if kind == 'unparsed' else kind}" for kind, count in self.counts)

    def remedy(self, info: RunMetadata) -> str:
        """A sentence on the most frequent outcome."""
        kind, is_native = self.counts[0][0], not info.source_tool
        limit = f"a higher --max-tokens (now {info.options.max_tokens:,})" if is_native else "a higher limit of output tokens"
        try_style = " Another prompt style (--prompt-style) may help." if is_native else ""
        match kind:
            case "truncated":
                return f"Run again with {limit}{', in a new folder' if is_native else ''}."
            case "empty":
                return f"Inspect some of them. If a model reasons up to its token limit, {limit} helps."
            case "refused":
                return f"Inspect the refused items.{try_style}"
            case "filtered":
                return "Inspect the filtered items. Change the settings of the provider's filter, or use another provider."
            case _ if info.options.stop_seqs:
                return "Inspect some of them. A text of --stop may end the responses before the answer."
            case _:
                return f"Inspect some of them.{try_style}"


@dataclass(frozen=True, slots=True)
class AccuracyRange:
    """The accuracy with unparsed responses scored as incorrect, and that of the parsed responses."""

    unparsed: UnparsedResponses
    strict: ConfidenceInterval
    parsed_only: ConfidenceInterval | None
    """None if no response is parsed."""
    chance: float
    """Of the items with a parsed response."""

    @property
    def n_parsed(self) -> int:
        return self.unparsed.n - self.unparsed.total

    @property
    def sentence(self) -> str:
        strict = f"{_interval(self.strict)} (95% CI, n = {self.unparsed.n:,})"
        if self.parsed_only is None:
            return f"Accuracy with unparsed responses scored as incorrect: {strict}; it gives no information about perception."
        return (
            f"Accuracy of the {pluralize(self.n_parsed, 'parsed response')}: {_interval(self.parsed_only)} (chance {100 * self.chance:.1f}%). "
            f"Accuracy with unparsed responses scored as incorrect: {strict}."
        )


def _interval(interval: ConfidenceInterval) -> str:
    return f"{100 * interval.estimate:.1f}% [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def accuracy_range(rows: Rows) -> AccuracyRange:
    """Of scored items, at least one."""
    parsed, accuracy = rows.parsed, clustered_mean(rows.credits, rows.clusters)
    return AccuracyRange(UnparsedResponses.of(rows.outcomes), accuracy, parsed.accuracy, parsed.chance if parsed.n else 0.0)
