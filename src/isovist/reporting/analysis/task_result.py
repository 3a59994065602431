"""The result of one task of one run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import isnan

import numpy as np

from isovist.core.answers import Outcome
from isovist.core.level_size import size
from isovist.data import reference
from isovist.data.reference import STANDARD, published
from isovist.reporting.analysis import constant_responses, signed_errors, variants
from isovist.reporting.analysis.confusion import Confusion
from isovist.reporting.analysis.level_results import MIN_SIZES, SizeLevels
from isovist.reporting.analysis.repeated_epochs import RepeatedEpochs, repeated_epochs
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.text_format import not_scored
from isovist.reporting.analysis.trial_table import NOT_PRESENTED
from isovist.reporting.analysis.unparsed_responses import UnparsedResponses
from isovist.stats.clustered_means import clustered_mean, exceeds_level
from isovist.stats.proportions import ConfidenceInterval, rescale_to_chance, widened
from isovist.suites import registry
from isovist.world.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS

OPTIONS = "options"
"""The attribute that all choices have: the number of their options."""
_FAMILIES = {
    reference.TWO_ORDERS: "order:start",
    reference.BOTH_ORDERS: "order:start",
    reference.SHUFFLED: "order:shuffled",
    reference.IN_3D: "rendering:3d",
}
"""The family of variants that gives the results of a published condition."""


@dataclass(frozen=True)
class TaskResult:
    """One task of one run: numbers of its items with their results."""

    run: str
    task: str
    trials: Rows
    """All variants of its items."""
    is_human_run: bool = False
    """Whether participants answered: their response times depend on the items, those of models on the server."""
    is_adaptive: bool = False
    """Whether earlier answers decided the sizes of the items: then a mean credit over several sizes is not an estimate."""
    condition: str = STANDARD
    """The published condition (`isovist.data.reference`) of its standard trials: as all images are shown, or descriptions of them."""

    @cached_property
    def summary(self) -> str:
        """What the task asks; empty for imported items."""
        registered = registry.find(self.task)
        return registered.summary if registered else ""

    @cached_property
    def rows(self) -> Rows:
        """Its items in the standard condition, with their own chance levels."""
        return self.trials.standard

    @cached_property
    def counted(self) -> Rows:
        """The same with other chance levels: a constant answer counts as chance level, whatever its accuracy (see `constant_responses`)."""
        chances = self.rows.column("chance").copy()
        chances[~np.isnan(self.rows.column("credit"))] = constant_responses.chances(self.rows.scored)
        return self.rows.with_column("chance", chances)

    @property
    def scored(self) -> Rows:
        """Those of `counted` with a score."""
        return self.counted.scored

    @property
    def n(self) -> int:
        """The number of scored items; request errors have no score."""
        return self.rows.n

    @cached_property
    def outcome_counts(self) -> Counter[Outcome]:
        return Counter(self.rows.where(~self.rows.has("outcome", NOT_PRESENTED)).outcomes)

    @property
    def n_not_presented(self) -> int:
        return len(self.rows) - self.outcome_counts.total()

    @property
    def n_unscored(self) -> int:
        """Items without a score: request errors, and items that were not presented."""
        return self.rows.n_unscored

    @property
    def accuracy(self) -> ConfidenceInterval | None:
        """Mean credit with its interval, which is widened by items that are not scored; None if none is, and for adaptive runs."""
        return None if self.is_adaptive else self.rows.accuracy

    @property
    def reason_not_reported(self) -> str:
        """Why there is no accuracy."""
        return "adaptive run" if self.is_adaptive else not_scored(self.n_unscored)

    def within(self, confidence: float) -> ConfidenceInterval:
        """Mean credit of the scored items, at least one, with its interval, as `accuracy`."""
        return widened(clustered_mean(self.rows.credits, self.rows.clusters, confidence), *self.counted.scores.effects_of_missing)

    def exceeds_chance(self, n_claims: int) -> bool:
        """Whether accuracy is significantly above chance, as one of so many simultaneous claims at 95% (Bonferroni).

        Items that are not scored count as incorrect here.
        """
        missing = range(-self.n_unscored, 0)  # each a cluster
        return exceeds_level([*self.rows.credits, *(0.0 for _ in missing)], [*self.rows.clusters, *missing], self.chance, n_claims)

    @property
    def published_accuracy(self) -> ConfidenceInterval | None:
        """The mean credit by the scorer of the paper, as `accuracy`; None without one."""
        return None if self.is_adaptive else self.rows.published_accuracy

    @cached_property
    def chance(self) -> float:
        return (self.scored if self.n else self.rows).chance

    @cached_property
    def shortcut(self) -> float | None:
        """The accuracy of the best rules without the claimed skill or a part of it, each at its level; None if it was not measured on such items."""
        rates = self.rows.scored.column("shortcut_accuracy").tolist()
        return sum(rates) / len(rates) if rates and not isnan(sum(rates)) else None

    @cached_property
    def chance_corrected(self) -> ConfidenceInterval | None:
        """Chance-corrected accuracy; None without an accuracy."""
        return rescale_to_chance(self.accuracy, self.scored.chances) if self.accuracy else None

    @property
    def accuracy_range(self) -> tuple[float, float]:
        """The accuracy if all unparsed responses were incorrect, and if all were correct."""
        total = sum(self.rows.credits)
        return (total / self.n, (total + self.unparsed_responses.total) / self.n) if self.n else (0.0, 1.0)

    @cached_property
    def unparsed_responses(self) -> UnparsedResponses:
        return UnparsedResponses.of(self.outcome_counts)

    @property
    def n_parsed(self) -> int:
        return self.n - self.unparsed_responses.total

    @property
    def parsed_accuracy(self) -> ConfidenceInterval | None:
        """The accuracy of the parsed responses; None if all or none are parsed, and if no accuracy is reported."""
        return self.rows.parsed.accuracy if self.accuracy and self.unparsed_responses.total else None

    @property
    def is_interpretable(self) -> bool:
        """Whether it has an accuracy and few unparsed or missing responses: the missing items may be the hard ones."""
        return self.accuracy is not None and not self.unparsed_responses.many and not self.rows.misses_many

    @cached_property
    def skills(self) -> set[str]:
        return set(chain.from_iterable(self.rows.values("skills")))

    @cached_property
    def answers_by_key(self) -> Counter[tuple[str, str]]:
        """How often each option was chosen for each key, as texts."""
        rows = self.scored.choices
        chosen = zip(rows.texts("key_text"), rows.values("options"), rows.column("chosen_place").tolist(), strict=True)
        return Counter((key, options[int(place)]) for key, options, place in chosen)

    @cached_property
    def unparsed_by_key(self) -> Counter[str]:
        """The number of responses to choices without an answer, by the text of the key."""
        is_choice, is_chosen = (~np.isnan(self.scored.column(name)) for name in ("n_options", "chosen_place"))
        return Counter(self.scored.where(is_choice & ~is_chosen).texts("key_text"))

    @cached_property
    def variant_results(self) -> dict[str, variants.Pairs]:
        return variants.pairs_by_family(self.trials)

    @cached_property
    def repeated_epochs(self) -> RepeatedEpochs | None:
        """None for an adaptive run, and without repetitions of scored items."""
        return None if self.is_adaptive else repeated_epochs(self.trials)

    @cached_property
    def attributes(self) -> dict[tuple[str, str], Rows]:
        """By the name of an attribute and its value; empty for adaptive runs."""
        if self.is_adaptive:
            return {}
        options = {(OPTIONS, str(n)): rows for n, rows in self.rows.by("n_options").items()}
        # not the attribute of this name that some choices have: it may be another number
        return {entry: rows for entry, rows in self.rows.by_entry("attributes").items() if not options or entry[0] != OPTIONS} | options

    @cached_property
    def angles(self) -> signed_errors.SignedErrorsByAngle:
        """For options with angles."""
        return signed_errors.signed_errors(self.rows)

    @cached_property
    def by_level(self) -> dict[str, Rows]:
        """By named level."""
        return {level: rows for level, rows in self.rows.by("level").items() if size(level) is None}

    @cached_property
    def by_size(self) -> dict[int, Rows]:
        """By size, for levels that are sizes, from the smallest."""
        return dict(sorted(self.rows.by("size").items()))

    @property
    def published(self) -> dict[str, float]:
        """The published results in the condition of its standard trials."""
        return published(self.task, condition=self.condition)

    def in_condition(self, condition: str) -> ConfidenceInterval | None:
        """The accuracy in a published condition, by the measure of its results; None if not all items were scored in it."""
        if condition == self.condition:
            return self.accuracy
        pairs = self.variant_results.get(_FAMILIES.get(condition, "")) if self.condition == STANDARD and not self.is_adaptive else None
        if pairs is None or pairs.n_unscored or not pairs.standard:
            return None
        values = {reference.TWO_ORDERS: pairs.means, reference.BOTH_ORDERS: pairs.all_correct}
        if condition in values and set(pairs.n_trials) != {2}:
            return None
        return clustered_mean(values.get(condition, pairs.variant), pairs.clusters)

    @property
    def confusion(self) -> Confusion | None:
        """None without choices, or with more than 16 different answers."""
        names = {name for pair in self.answers_by_key for name in pair} | set(self.unparsed_by_key)
        order = (
            COMPASS_DIRECTIONS
            if names <= set(COMPASS_DIRECTIONS)
            else IMAGE_DIRECTIONS
            if names <= set(IMAGE_DIRECTIONS)
            else tuple(sorted(names))
        )
        if not self.answers_by_key or len(order) > 16:
            return None
        counts = tuple(tuple(self.answers_by_key[key, answer] for answer in order) for key in order)
        return Confusion(order, counts, tuple(self.unparsed_by_key[key] for key in order))

    @property
    def comparisons(self) -> list[variants.Comparison]:
        """The variants compared with the standard condition."""
        return [pairs.comparison for pairs in self.variant_results.values()]

    @cached_property
    def sizes(self) -> SizeLevels | None:
        """The results by size; None for a task with few sizes."""
        return self.every_size if len(self.by_size) >= MIN_SIZES else None

    @property
    def every_size(self) -> SizeLevels:
        """The results by size, also for few sizes."""
        return SizeLevels(self.run, self.task, self.by_size, unparsed_responses=self.unparsed_responses)
