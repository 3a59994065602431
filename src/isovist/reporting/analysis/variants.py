"""Variants of items, compared with the same items in the standard condition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isovist.evaluation.run.records import UNREAD
from isovist.evaluation.run.variants import STANDARD
from isovist.reporting.analysis.rows import Array, Rows
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


@dataclass(frozen=True, slots=True)
class Pairs:
    """The items of one family that are scored in all trials; each list has a value for each item."""

    name: str
    n_unscored: int
    clusters: list[int]
    standard: list[float]
    variant: list[float]
    """The mean credit of the other trials."""
    n_trials: list[int]
    """With the standard one."""
    all_correct: list[float]
    """1 for full credit in all trials, else 0."""
    n_agreeing: int
    unparsed_standard: float
    unparsed_variant: float
    """The sums over the items of the proportions of unparsed responses."""
    n_schemas_refused: int

    @property
    def means(self) -> list[float]:
        """The mean credit of all trials of each item."""
        return [(plain + other * (n - 1)) / n for plain, other, n in zip(self.standard, self.variant, self.n_trials, strict=True)]

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
            self.unparsed_standard * weight,
            self.unparsed_variant * weight,
            self.n_schemas_refused,
        )


def pairs_by_family(rows: Rows) -> dict[str, Pairs]:
    """The variants of the items of a task by family."""
    standard = rows.standard
    return {name: _pairs(name, standard, variants) for name, variants in rows.by("variant_family").items() if name != STANDARD}


def _pairs(name: str, standard: Rows, variants: Rows) -> Pairs:
    place = np.searchsorted(standard.column("item"), variants.column("item"))  # of the item of each trial

    def total(values: Array) -> Array:
        """The sum over the trials of each item."""
        return np.bincount(place, values, len(standard))

    n, first, others = np.bincount(place, minlength=len(standard)), standard.column("credit"), total(variants.column("credit"))
    is_scored = (n > 0) & ~np.isnan(first + others)
    answers, unparsed = answer_numbers(standard), total(variants.has("outcome", *UNREAD))
    is_agreeing = (answers >= 0) & (total(answer_numbers(variants) == answers[place]) == n)
    return Pairs(
        name=name,
        n_unscored=int(((n > 0) & ~is_scored).sum()),
        clusters=standard.column("cluster")[is_scored].tolist(),
        standard=first[is_scored].tolist(),
        variant=(others[is_scored] / n[is_scored]).tolist(),
        n_trials=(1 + n[is_scored]).tolist(),
        all_correct=((first == 1) & (total(variants.column("credit") == 1) == n))[is_scored].astype(float).tolist(),
        n_agreeing=int(is_agreeing[is_scored].sum()),
        unparsed_standard=float(standard.has("outcome", *UNREAD)[is_scored].sum()),
        unparsed_variant=float((unparsed[is_scored] / n[is_scored]).sum()),
        n_schemas_refused=int((total(variants.column("is_schema_refused")) > 0)[is_scored].sum()),
    )


def answer_numbers(rows: Rows) -> Array:
    """A number for each answer, which is that of the option for rotated options; -1 for an unparsed response."""
    chosen = rows.column("chosen_place")
    return np.where(np.isnan(rows.column("n_options")), rows.column("parsed_answer"), np.where(np.isnan(chosen), -1, chosen))
