"""How a model does when items are asked in another way, pair by pair with the items as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from isovist.core.answers import LETTERS, Answer, Choice
from isovist.run.records import TrialResult
from isovist.run.variants import STANDARD, family
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.paired_differences import Difference, paired_difference
from isovist.stats.proportions import ConfidenceInterval, mean

_WORDS = {
    "no-image": "no picture",
    "blank-image": "a white picture",
    "mismatched-image": "another item's picture",
    "circular": "turned options",
    "epoch": "the same once more",
}
_ORDERS = {"start": "another first picture", "shuffled": "pictures in disorder"}
IMAGE_ABLATIONS = ("no-image", "blank-image", "mismatched-image")
"""The families in which a model that looks cannot do better than chance."""


def in_words(variant: str) -> str:
    """One variant in words; empty for the item as it is."""
    kind, _, more = variant.partition(":")
    if kind == "circular":
        return f"options turned by {more}"
    if kind == "epoch":
        return f"the same, time {more}"
    if kind == "order":
        return f"pictures in the order {more}"
    return words(variant) if variant else ""


def words(name: str) -> str:
    """A family of variants in words."""
    kind, _, more = name.partition(":")
    if kind == "order":
        return _ORDERS.get(more, f"pictures in the order {more!r}")
    return _WORDS.get(name) or f"style {more}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A family of variants beside the items as they are."""

    name: str
    n: int
    """Items with a verdict in both."""
    missing: int
    """Items without: machine faults, and what was never asked."""
    plain: float
    varied: ConfidenceInterval
    difference: Difference
    """`varied` minus `plain`."""
    same: float
    """Share of items that got the same answer every time."""
    correct_in_all: float | None
    """Share of items with full credit every time, as they are included; None where nothing was to be seen."""


@dataclass(slots=True)
class Pairs:
    """The items of one family, as they come in."""

    name: str
    missing: int = 0
    groups: list[str] = field(default_factory=list[str])
    plain: list[float] = field(default_factory=list[float])
    varied: list[float] = field(default_factory=list[float])
    same: int = 0
    askings: list[int] = field(default_factory=list[int])
    """How often each item was asked in all, as it is included."""
    every: list[float] = field(default_factory=list[float])
    """1 for an item with full credit every time, else 0."""

    def add(self, group: str, key: Answer, verdicts: Mapping[str, TrialResult | None]) -> None:
        """An item; `verdicts` holds that of the item as it is, and one for each of its variants of this family."""
        known = [verdict for verdict in verdicts.values() if verdict is not None and verdict.outcome != "error"]
        if len(known) < len(verdicts):
            self.missing += 1
            return
        values = {name: verdict.value for name, verdict in verdicts.items() if verdict is not None}
        plain = values.pop(STANDARD)
        answers = {answer_text(key, name, verdict) for name, verdict in verdicts.items()}
        self.groups.append(group)
        self.plain.append(plain)
        self.varied.append(sum(values.values()) / len(values))
        self.same += len(answers) == 1 and None not in answers
        self.askings.append(1 + len(values))
        self.every.append(float(plain == 1 and all(value == 1 for value in values.values())))

    @property
    def comparison(self) -> Comparison:
        """The numbers of the items with all their verdicts; NaN without any."""
        n = len(self.plain)
        share = 1 / n if n else float("nan")
        differences = [varied - plain for varied, plain in zip(self.varied, self.plain, strict=True)]
        return Comparison(
            self.name,
            n,
            self.missing,
            sum(self.plain) * share,
            clustered_mean(self.varied, self.groups) if n else mean(self.varied),
            paired_difference(differences, self.groups),
            self.same * share,
            None if self.name in IMAGE_ABLATIONS else sum(self.every) * share,
        )


def of(verdicts: Mapping[str, TrialResult | None]) -> dict[str, dict[str, TrialResult | None]]:
    """The verdicts of an item's askings by family, each family with the item as it is."""
    families: dict[str, dict[str, TrialResult | None]] = {}
    for variant, verdict in verdicts.items():
        if variant != STANDARD:
            families.setdefault(family(variant), {STANDARD: verdicts[STANDARD]})[variant] = verdict
    return families


def answer_text(key: Answer, variant: str, verdict: TrialResult | None) -> str | None:
    """What was answered; where options are turned, the letter that the option has in the item as it is."""
    if verdict is None or verdict.parsed is None:
        return None
    kind, _, turn = variant.partition(":")
    if kind != "circular" or not isinstance(key, Choice):
        return verdict.parsed
    return LETTERS[(LETTERS.index(verdict.parsed) + int(turn)) % len(key.options)]
