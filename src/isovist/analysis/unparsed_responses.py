"""Replies that could not be read: how many, of which kind, and what is most likely to be done about it.

They count as wrong in every accuracy, and say nothing about what a model sees. Where they are many, that is told before anything else,
the accuracy of the readable ones stands beside, and nothing else is claimed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from isovist.analysis.text_format import percent, pluralize
from isovist.core.answers import Outcome
from isovist.run.records import UNREAD
from isovist.run.run_folder import RunMetadata
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.proportions import ConfidenceInterval

MOST = 0.1
"""From more than this share on, unread replies are told first, and hide what could be said."""
MARK = "‡"
"""Behind what rests on so many of them."""
UNREAD_MANY = f"more than {100 * MOST:.0f} % of the replies could not be read"
MARK_WORDS = f"{UNREAD_MANY}, so the accuracy says little of what the model sees"

_WORDS: dict[Outcome, str] = {
    "unparsed": "hold no answer that can be read",
    "empty": "are empty",
    "refused": "are refusals",
    "filtered": "were stopped by a content filter",
    "truncated": "were truncated",
}
_SHORT: dict[Outcome, str] = {"unparsed": "without a readable answer"}


@dataclass(frozen=True, slots=True)
class Unreadable:
    """How many of some replies could not be read, by their outcomes."""

    n: int
    """All replies."""
    counts: tuple[tuple[Outcome, int], ...]
    """The most frequent first."""

    @staticmethod
    def of(outcomes: Iterable[Outcome]) -> Unreadable:
        """Those among replies with these outcomes, which may be counted already; machine faults are left out."""
        every = Counter(outcomes)
        kinds: list[Outcome] = [outcome for outcome in UNREAD if every[outcome]]
        kinds.sort(key=lambda outcome: -every[outcome])
        return Unreadable(every.total() - every["error"], tuple((outcome, every[outcome]) for outcome in kinds))

    @property
    def total(self) -> int:
        return sum(count for _, count in self.counts)

    @property
    def many(self) -> bool:
        """Whether they are so many that they are told first."""
        return self.total > MOST * self.n

    @property
    def short(self) -> str:
        """For a table: "24 of 48 (20 truncated, 4 empty)"."""
        kinds = ", ".join(f"{count} {_SHORT.get(kind, kind)}" for kind, count in self.counts)
        return f"{self.total:,} of {self.n:,}" + (f" ({kinds})" if kinds else "")

    @property
    def words(self) -> str:
        """For a sentence: "24 of 48 replies (50 %) were truncated"."""
        start = f"{self.total:,} of {pluralize(self.n, 'reply').replace('replys', 'replies')} ({percent(self.total / self.n)})"
        if len(self.counts) == 1:
            return f"{start} {_WORDS[self.counts[0][0]]}"
        kinds = ", ".join(f"{count:,} {_SHORT.get(kind, kind)}" for kind, count in self.counts)
        return f"{start} could not be read, {kinds}"

    def remedy(self, info: RunMetadata) -> str:
        """What is most likely to help, by the most frequent kind."""
        kind, is_native = self.counts[0][0], not info.source_tool
        limit = f"a higher --max-tokens (it was {info.options.max_tokens:,})" if is_native else "a higher limit of tokens"
        match kind:
            case "truncated":
                return f"ask again with {limit}" + (", in a new folder" if is_native else "")
            case "empty":
                return f"look at a few of them; where a model thinks until its limit, {limit} helps"
            case "refused":
                return (
                    "look at what was refused; another prompt style (--prompt-style) may help" if is_native else "look at what was refused"
                )
            case "filtered":
                return "look at what was stopped; the provider's filter has to be set otherwise, or another provider be asked"
            case _:
                return "look at a few of them; another prompt style (--prompt-style) may help" if is_native else "look at a few of them"


@dataclass(frozen=True, slots=True)
class AccuracyRange:
    """The accuracy with the unread replies as wrong, and that of the readable ones."""

    unreadable: Unreadable
    strict: ConfidenceInterval
    readable: ConfidenceInterval | None
    """None where none could be read."""
    chance: float
    """Of the readable ones."""

    @property
    def n_readable(self) -> int:
        return self.unreadable.n - self.unreadable.total

    @property
    def words(self) -> str:
        """Both in a sentence or two."""
        n = self.unreadable.n
        strict = f"{_share(self.strict)} (95 % interval {_ends(self.strict)}, n = {n:,})"
        if self.readable is None:
            return f"With the unread ones as wrong, the accuracy is {strict}: it says nothing of what the model sees."
        return (
            f"Of the {self.n_readable:,} readable ones {_share(self.readable)} are right (95 % interval {_ends(self.readable)}, "
            f"n = {self.n_readable:,}; chance {100 * self.chance:.1f} %); with the unread ones as wrong it is {strict}."
        )


def _share(interval: ConfidenceInterval) -> str:
    return f"{100 * interval.estimate:.1f} %"


def _ends(interval: ConfidenceInterval) -> str:
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"


def both(answered: Iterable[tuple[Outcome, float, float, str]]) -> AccuracyRange:
    """Of some items with a verdict, of which there has to be one: the outcome, the credit, the chance and the group of each."""
    every = list(answered)
    read = [entry for entry in every if entry[0] not in UNREAD]
    return AccuracyRange(
        Unreadable.of(outcome for outcome, *_ in every),
        clustered_mean([credit for _, credit, _, _ in every], [group for *_, group in every]),
        clustered_mean([credit for _, credit, _, _ in read], [group for *_, group in read]) if read else None,
        sum(chance for _, _, chance, _ in read) / len(read) if read else 0.0,
    )
