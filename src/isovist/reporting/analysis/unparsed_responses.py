"""Unparsed responses: their number, their outcomes, the remedy, and the order of models that they could reverse.

They count as incorrect in every accuracy and give no information about perception. If there are many, a report states them first, with
the accuracy of the parsed responses, and makes no other claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from isovist.core.answers import Outcome
from isovist.evaluation.run.records import UNREAD
from isovist.evaluation.run.run_folder import RunMetadata
from isovist.evaluation.run.variants import STANDARD, STRUCTURED
from isovist.reporting.analysis.rows import MAX_UNSCORED, Rows, mean_accuracy
from isovist.reporting.analysis.text_format import percent, pluralize
from isovist.stats.proportions import ConfidenceInterval

MAX_UNPARSED = 0.05
"""With a larger share of unparsed responses, a report states them first and makes no other claim; see also `may_reverse`."""
MARK = "‡"
"""Follows a number with more unparsed responses."""
MANY_UNPARSED = f"more than {100 * MAX_UNPARSED:.0f}% unparsed responses"
MARK_NOTE = f"{MANY_UNPARSED}, so the accuracy measures the format as well as perception"
NO_ORDER = "No order is claimed between it and a model whose interval it could reach if these responses were correct."
"""What `may_reverse` means for a model with many unparsed responses."""


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

    def __add__(self, other: UnparsedResponses) -> UnparsedResponses:
        counts = Counter(dict(self.counts)) + Counter(dict(other.counts))
        return UnparsedResponses(self.n + other.n, tuple(counts.most_common()))

    @property
    def total(self) -> int:
        return sum(count for _, count in self.counts)

    @property
    def share(self) -> float:
        return self.total / self.n if self.n else 0.0

    @property
    def many(self) -> bool:
        """Whether a report states them first."""
        return self.share > MAX_UNPARSED

    @property
    def short(self) -> str:
        """For a table: "24 of 48 (20 truncated, 4 empty)"."""
        return f"{self.total:,} of {self.n:,}" + (f" ({self._outcomes})" if self.counts else "")

    @property
    def counts_text(self) -> str:
        """For a sentence: "24 of 48 (50%; 20 truncated, 4 empty)"."""
        return f"{self.total:,} of {self.n:,} ({percent(self.share)}; {self._outcomes})"

    @property
    def _outcomes(self) -> str:
        return ", ".join(f"{count:,} {'without a parseable answer' if kind == 'unparsed' else kind}" for kind, count in self.counts)

    def remedy(self, info: RunMetadata) -> str:
        """A sentence on the most frequent outcome."""
        kind, is_native = self.counts[0][0], not info.source_tool
        limit = f"a higher --max-tokens (now {info.options.max_tokens:,})" if is_native else "a higher limit of output tokens"
        style = " Another prompt style (--prompt-style){} may help." if is_native else ""
        match kind:
            case "truncated":
                return f"Run again with {limit}{', in a new folder' if is_native else ''}."
            case "empty":
                return f"Inspect some of them. If a model reasons up to its token limit, {limit} helps."
            case "refused":
                return f"Inspect the refused items.{style.format('')}"
            case "filtered":
                return "Inspect the filtered items. Change the settings of the provider's filter, or use another provider."
            case _ if info.options.stop_seqs:
                return "Inspect some of them. A text of --stop may end the responses before the answer."
            case _:
                other = style.format("" if info.variants.structured else " or --structured (replies in JSON)")
                return f"Inspect some of them.{other} `isovist rescore RUN --reader model:NAME` lets a model read them."


@dataclass(frozen=True, slots=True)
class AccuracyRange:
    """The accuracy with unparsed responses scored as incorrect, and that of the parsed responses."""

    unparsed: UnparsedResponses
    strict: ConfidenceInterval
    """The mean over tasks, as every overall accuracy."""
    parsed_only: ConfidenceInterval | None
    """The mean over the tasks with a parsed response; None without one."""
    chance: float
    """Of the items with a parsed response."""
    share: float
    """The mean over tasks of the share of unparsed responses."""
    n_missing: int
    """Further items without a score."""

    @property
    def n_parsed(self) -> int:
        return self.unparsed.n - self.unparsed.total

    @property
    def misses_many(self) -> bool:
        """Whether more than 5% of the items are missing: the interval is wide enough for all their answers."""
        return self.n_missing > MAX_UNSCORED * (self.unparsed.n + self.n_missing)

    @property
    def reachable_high(self) -> float:
        """The upper end of the interval, if many unparsed responses were all correct. The lower end has them as incorrect already."""
        return self.strict.high + self.share if self.unparsed.many else self.strict.high

    @property
    def sentence(self) -> str:
        strict = f"{_interval(self.strict)} (95% CI, n = {self.unparsed.n:,})"
        if self.parsed_only is None:
            return f"Accuracy with unparsed responses scored as incorrect: {strict}; it gives no information about perception."
        return (
            f"Accuracy of the {pluralize(self.n_parsed, 'parsed response')}: {_interval(self.parsed_only)} (chance {100 * self.chance:.1f}%). "
            f"Accuracy with unparsed responses scored as incorrect: {strict}."
        )


def may_reverse(a: AccuracyRange, b: AccuracyRange) -> bool:
    """Whether many unparsed responses or missing items of one of two models could reverse their order: no order is claimed then."""
    reaches = a.strict.low <= b.reachable_high and b.strict.low <= a.reachable_high
    return reaches and any(each.unparsed.many or each.misses_many for each in (a, b))


def by_prompt_style(info: RunMetadata, outcomes: Mapping[str, Iterable[Outcome]]) -> str:
    """A sentence after another one: " By prompt style: final-line 41%, direct 3%, structured 0%."

    Empty for a run of another tool, and for one style none of whose responses failed by its format.

    `outcomes`: those of each variant, or counters of them. Only the standard condition and variants with another format are named.
    """
    names = {STANDARD: info.style, **{f"style:{style}": style for style in info.variants.prompt_styles}, STRUCTURED: STRUCTURED}
    by_style = {name: UnparsedResponses.of(outcomes[variant]) for variant, name in names.items() if variant in outcomes}
    is_of_format = any(kind == "unparsed" for unparsed in by_style.values() for kind, _ in unparsed.counts)
    if info.source_tool or (len(by_style) < 2 and not is_of_format):
        return ""
    shares = (f"{name} {percent(unparsed.share)}" for name, unparsed in by_style.items())
    return f" By prompt style: {', '.join(shares)}."


def _interval(interval: ConfidenceInterval) -> str:
    return f"{100 * interval.estimate:.1f}% [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def accuracy_range(tasks: Sequence[Rows]) -> AccuracyRange:
    """Of the items of some tasks, each with a scored one."""
    unparsed = [UnparsedResponses.of(rows.scored.outcomes) for rows in tasks]
    parsed = [rows.parsed for rows in tasks if rows.parsed.n]
    return AccuracyRange(
        sum(unparsed[1:], unparsed[0]),
        mean_accuracy(tasks),
        mean_accuracy(parsed) if parsed else None,
        fmean(rows.chance for rows in parsed) if parsed else 0.0,
        fmean(each.share for each in unparsed),
        sum(rows.n_unscored for rows in tasks),
    )
