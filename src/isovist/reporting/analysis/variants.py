"""Variants of items, compared with the same items in the standard condition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from isovist.core.answers import LETTERS, Answer, Choice
from isovist.evaluation.run.records import UNREAD, TrialResult
from isovist.evaluation.run.variants import STANDARD, family
from isovist.reporting.analysis.scored_item import ItemTrials, PresentedItem
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.paired_differences import Difference, paired_difference
from isovist.stats.proportions import ConfidenceInterval, mean

_LABELS = {
    "no-image": "no image",
    "blank-image": "blank image",
    "mismatched-image": "image of another item",
    "circular": "rotated options (CircularEval)",
    "structured": "structured replies",
    "epoch": "repeated epochs",
}
_ORDERS = {"start": "another first image", "shuffled": "shuffled images"}
_RENDERINGS = {
    "sketch": "line drawing",
    "flat": "without textures and shadows",
    "noisy": "half the light, sensor noise",
    "cycles": "path-traced (Cycles)",
    "half": "half resolution",
    "double": "double resolution",
    "3d": "3-D scene of the drawing",
}
IMAGE_ABLATIONS = ("no-image", "blank-image", "mismatched-image")
"""The families without the content of the image: performance above chance does not come from the image."""


def variant_label(variant: str) -> str:
    """A short description of one variant; empty for the standard condition."""
    kind, _, value = variant.partition(":")
    labels = {"circular": f"options rotated by {value}", "epoch": f"epoch {value}", "order": f"image order {value}"}
    return labels.get(kind) or (family_label(variant) if variant else "")


def family_label(name: str) -> str:
    """A short description of a family of variants."""
    kind, _, value = name.partition(":")
    if kind == "order":
        return _ORDERS.get(value, f"image order {value!r}")
    if kind == "rendering":
        return _RENDERINGS.get(value, f"rendering {value!r}")
    if kind == "shots":
        return f"{value} worked example{'s' * (value != '1')}"
    return _LABELS.get(name) or f"prompt style {value}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A family of variants, compared with the standard condition."""

    name: str
    n: int
    """Items that are scored in all trials."""
    n_unscored: int
    standard: float
    variant: ConfidenceInterval
    difference: Difference
    """`variant` minus `standard`."""
    agreement_rate: float
    """Proportion of items with the same answer in all trials."""
    correct_in_all: float | None
    """Proportion of items with full credit in all trials; None for image ablations."""
    unparsed_standard: float
    """Proportion of items with an unparsed response in the standard condition."""
    unparsed_variant: float
    """Mean proportion of unparsed responses in the other trials of each item."""
    n_schemas_refused: int = 0
    """Items with a structured reply whose JSON schema the server refused."""


@dataclass(slots=True)
class Pairs:
    """The items of one family that are scored in all trials."""

    name: str
    n_unscored: int = 0
    clusters: list[str] = field(default_factory=list[str])
    standard: list[float] = field(default_factory=list[float])
    variant: list[float] = field(default_factory=list[float])
    """The mean credit of the other trials of each item."""
    n_agreeing: int = 0
    n_trials: list[int] = field(default_factory=list[int])
    """The trials of each item, with the standard one."""
    all_correct: list[float] = field(default_factory=list[float])
    """1 for an item with full credit in all trials, else 0."""
    unparsed: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """The proportions of unparsed responses of each item: standard, and in the other trials."""
    n_schemas_refused: int = 0

    def add(self, item: PresentedItem, results: Mapping[str, TrialResult | None]) -> None:
        """An item with its results in the standard condition and in each variant of this family."""
        scored = {name: result for name, result in results.items() if result is not None and result.is_scored}
        if len(scored) < len(results):
            self.n_unscored += 1
            return
        answers = {answer_text(item.key, name, result) for name, result in scored.items()}
        first = scored.pop(STANDARD)
        standard, others = first.credit, [result.credit for result in scored.values()]
        unparsed = [result.outcome in UNREAD for result in scored.values()]
        self.unparsed.append((float(first.outcome in UNREAD), sum(unparsed) / len(unparsed)))
        self.n_schemas_refused += any(result.schema_refused for result in scored.values())
        self.clusters.append(item.group)
        self.standard.append(standard)
        self.variant.append(sum(others) / len(others))
        self.n_agreeing += len(answers) == 1 and None not in answers
        self.n_trials.append(1 + len(others))
        self.all_correct.append(float(standard == 1 and all(credit == 1 for credit in others)))

    @property
    def comparison(self) -> Comparison:
        """The numbers of the completely scored items; NaN without any."""
        n = len(self.standard)
        weight = 1 / n if n else float("nan")
        differences = [other - standard for other, standard in zip(self.variant, self.standard, strict=True)]
        return Comparison(
            self.name,
            n,
            self.n_unscored,
            sum(self.standard) * weight,
            clustered_mean(self.variant, self.clusters) if n else mean(self.variant),
            paired_difference(differences, self.clusters),
            self.n_agreeing * weight,
            None if self.name in IMAGE_ABLATIONS else sum(self.all_correct) * weight,
            sum(standard for standard, _ in self.unparsed) * weight,
            sum(variant for _, variant in self.unparsed) * weight,
            self.n_schemas_refused,
        )


def pairs_by_family(items: Iterable[ItemTrials]) -> dict[str, Pairs]:
    """The variants of some items by family."""
    pairs: dict[str, Pairs] = {}
    for trials in items:
        standard, *others = zip(trials.variants, trials.results, strict=True)
        families: dict[str, dict[str, TrialResult | None]] = {}
        for variant, result in others:
            families.setdefault(family(variant), dict([standard]))[variant] = result
        for name, results in families.items():
            pairs.setdefault(name, Pairs(name)).add(trials.item, results)
    return pairs


def answer_text(key: Answer, variant: str, result: TrialResult | None) -> str | None:
    """The parsed answer; for rotated options, the label of the option in the standard condition."""
    if result is None or result.parsed_answer is None:
        return None
    kind, _, rotation = variant.partition(":")
    if kind != "circular" or not isinstance(key, Choice):
        return result.parsed_answer
    return LETTERS[(LETTERS.index(result.parsed_answer) + int(rotation)) % len(key.options)]
