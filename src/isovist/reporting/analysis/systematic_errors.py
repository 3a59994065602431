"""Systematic errors: whether distractors of one type (`scenes.distractor_types`) are chosen more often than their share of the options.

The exact test uses errors alone, so the accuracy of the model does not matter: a weak model without a systematic error chooses each
distractor of an item equally often. The probability under this hypothesis is the number of distractors of the type divided by the number
of all distractors. For items with two options an error has only one type; there all choices count, with a probability of one half, so
only a model with more errors than correct answers stands out. Items of one cluster count once. Tasks with a constant label are excluded.

A distractor may have several types. So each pattern has to be significant by itself and among the errors and options that stronger
patterns leave. The finding reports the latter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isovist.reporting.analysis.exact_tests import poisson_binomial_upper_tail
from isovist.reporting.analysis.findings import ALPHA, Finding, Tasks
from isovist.reporting.analysis.response_bias import without_constant_tasks
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.text_format import in_tasks, observed_rate
from isovist.world.scenes import distractor_types

MIN_EXCESS = 0.05
"""The least difference between the observed and the expected rate of a finding."""


@dataclass(frozen=True, slots=True)
class ErrorPattern:
    """Errors of one distractor type, with the kind and the sentence of its finding."""

    kind: str
    title: str
    distractor_type: str
    predicate: str
    """The rest of a sentence whose subject is the errors."""


PATTERNS = (
    ErrorPattern("left-right-confusion", "Left-right confusion", distractor_types.LEFT_RIGHT, "chose the left-right mirrored direction"),
    ErrorPattern("up-down-confusion", "Up-down confusion", distractor_types.UP_DOWN, "chose the up-down mirrored direction"),
    ErrorPattern("front-back-confusion", "Front-back confusion", distractor_types.FRONT_BACK, "chose the opposite facing direction"),
    ErrorPattern("east-west-confusion", "East-west confusion", distractor_types.EAST_WEST, "chose the east-west mirrored direction"),
    ErrorPattern("north-south-confusion", "North-south confusion", distractor_types.NORTH_SOUTH, "chose the north-south mirrored direction"),
    ErrorPattern("north-up-assumption", "North-up assumption", distractor_types.NORTH_UP_ASSUMPTION, "are correct only for a map with north at the top"),
    ErrorPattern("rear-view-confusion", "Rear-view confusion", distractor_types.REAR_VIEW_CONFUSION, "swap left and right of a rear-facing image"),
    ErrorPattern("reversed-map-rotation", "Reversed map rotation", distractor_types.REVERSED_MAP_ROTATION, "apply the map rotation in the opposite direction"),
    ErrorPattern("heading-as-image-top", "Heading as image top", distractor_types.HEADING_AS_IMAGE_TOP, "use the heading of the object as the direction of the image top"),
    ErrorPattern("heading-as-north", "Heading as north", distractor_types.HEADING_AS_NORTH, "ignore the stated compass direction of the heading"),
    ErrorPattern("reference-frame-confusion", "Reference-frame confusion", distractor_types.OTHER_REFERENCE_FRAME, "use the viewer-centred instead of the object-centred frame, or vice versa"),
    ErrorPattern("viewers-side", "Answers from the viewer's side", distractor_types.VIEWERS_SIDE, "are correct from the viewer's own side of the scene"),
    ErrorPattern("scene-motion", "Movement of the scene", distractor_types.SCENE_MOTION, "take the movement of the image for that of the camera"),
    ErrorPattern("same-order", "Same order", distractor_types.SAME_ORDER, "are correct if both images have the same order from the left"),
    ErrorPattern("hidden-cubes", "Hidden cubes left out", distractor_types.TOO_FEW, "count fewer cubes than there are"),
    ErrorPattern("front-view-alone", "Front view alone", distractor_types.FRONT_ALONE, "agree with the view from the front alone"),
    ErrorPattern("right-view-alone", "Right view alone", distractor_types.RIGHT_ALONE, "agree with the view from the right alone"),
    ErrorPattern("handedness-confusion", "Handedness confusion", distractor_types.HANDEDNESS, "reverse the order of the marks around a corner"),
    ErrorPattern("ignored-mark-direction", "Ignored direction of marks", distractor_types.TURNED_MARK, "differ in the direction of a mark"),
    ErrorPattern("mirror-confusion", "Mirror confusion", distractor_types.MIRROR, "chose a mirror image of the target"),
    ErrorPattern("rotation-direction-confusion", "Rotation-direction confusion", distractor_types.OPPOSITE_ROTATION, "reverse clockwise and counterclockwise"),
    ErrorPattern("opposite-direction", "Opposite direction", distractor_types.OPPOSITE, "chose the direction 180° from the key"),
    ErrorPattern("90-degree-error", "90° error", distractor_types.ERROR_90_DEG, "chose a direction 90° from the key"),
    ErrorPattern("45-degree-error", "45° error", distractor_types.ERROR_45_DEG, "chose a direction 45° from the key"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Choice:
    """A choice among options, with the places of the distractors of each type."""

    task: str
    item: str
    """Its id."""
    chosen: int
    n_options: int
    distractors: Mapping[str, set[int]]


@dataclass(frozen=True, slots=True)
class _Trial:
    """A choice that can show a pattern."""

    task: str
    item: str
    is_shown: bool
    chance: float
    is_error: bool
    """Whether it is certain to be an error: choices between two options may be correct."""


@dataclass(frozen=True, slots=True)
class _Test:
    """The result of some trials of a pattern."""

    tasks: tuple[str, ...]
    """Tasks that are significant by themselves; all, if it is significant over all tasks only."""
    trials: Sequence[_Trial]
    p: float

    @property
    def n(self) -> int:
        return len(self.trials)

    @property
    def n_shown(self) -> int:
        return sum(trial.is_shown for trial in self.trials)

    @property
    def n_expected(self) -> float:
        return sum(trial.chance for trial in self.trials)

    @property
    def excess(self) -> float:
        return (self.n_shown - self.n_expected) / self.n if self.n else 0.0


def detect_systematic_errors(tasks: Tasks) -> Iterator[Finding]:
    """One candidate for each pattern, over all tasks whose options can show it."""
    choices = [choice for task, rows in without_constant_tasks(tasks).items() for choice in _choices(task, rows)]
    alone = [(pattern, _test(_trials(choices, pattern))) for pattern in PATTERNS]
    ranked = sorted((pair for pair in alone if pair[1].n), key=lambda pair: (pair[1].p, -pair[1].excess))
    stronger: list[ErrorPattern] = []
    for pattern, by_itself in ranked:
        remaining = _test(_trials(choices, pattern, stronger)) if stronger else by_itself
        p = max(by_itself.p, remaining.p) if remaining.excess >= MIN_EXCESS else 1.0
        if p * len(ranked) < ALPHA:
            stronger.append(pattern)
        yield _finding(pattern, remaining, p)


def _finding(pattern: ErrorPattern, test: _Test, p: float) -> Finding:
    n = max(1, test.n)
    rate, expected = test.n_shown / n, test.n_expected / n
    noun = "errors" if all(trial.is_error for trial in test.trials) else "choices"
    sentence = f"{pattern.title}: {observed_rate(test.n_shown, test.n, noun, expected)} {pattern.predicate}, {in_tasks(test.tasks)}."
    n_affected = (test.n_shown - test.n_expected) / (1 - expected) if expected < 1 else 0.0  # choices beyond those of a uniform choice
    items = tuple(trial.item for trial in test.trials if trial.is_shown)
    return Finding(pattern.kind, test.tasks, sentence, test.n, rate, expected, p, n_affected, items)


def _choices(task: str, rows: Rows) -> list[_Choice]:
    """The first error of each cluster; for items with two options, the first choice."""
    choices = rows.choices
    n_options = np.array([len(types) for types in choices.values("distractor_types")])
    errors = choices.where((n_options > 2) & ~choices.is_key_chosen).first_of_clusters
    of_two = choices.where(n_options == 2).first_of_clusters
    return [
        _Choice(task, item, int(chosen), len(types), distractors_by_type(types, key))
        for part in (errors, of_two)
        for item, chosen, key, types in zip(
            part.texts("item_id"), part.column("chosen_place"), part.column("key_place"), part.values("distractor_types"), strict=True
        )
    ]


def distractors_by_type(types: Sequence[str], key: int) -> dict[str, set[int]]:
    """The places of the distractors of each type, from the types of each option; one distractor may have several."""
    places: dict[str, set[int]] = {}
    for place, joined in enumerate(types):
        for name in distractor_types.split_types(joined) if place != key else ():
            places.setdefault(name, set()).add(place)
    return places


def _trials(choices: Sequence[_Choice], pattern: ErrorPattern, without: Sequence[ErrorPattern] = ()) -> list[_Trial]:
    """`without`: patterns whose options, and the choices of them, are excluded."""
    trials: list[_Trial] = []
    for choice in choices:
        of_type = choice.distractors.get(pattern.distractor_type, set())
        excluded = set[int]().union(*(choice.distractors.get(other.distractor_type, ()) for other in without))
        options, n_distractors = of_type - excluded, choice.n_options - 1 - len(excluded)
        if choice.n_options == 2 and options:
            trials.append(_Trial(choice.task, choice.item, choice.chosen in options, 0.5, is_error=False))
        elif 0 < len(options) < n_distractors and choice.chosen not in excluded:
            trials.append(_Trial(choice.task, choice.item, choice.chosen in options, len(options) / n_distractors, is_error=True))
    return trials


def _test(trials: Sequence[_Trial]) -> _Test:
    """Over all tasks together, or in the most significant one; twice the smaller p-value of both."""
    if not trials:
        return _Test((), (), 1.0)
    by_task: dict[str, list[_Trial]] = {}
    for trial in trials:
        by_task.setdefault(trial.task, []).append(trial)
    ps = {task: _p(task_trials) * len(by_task) for task, task_trials in by_task.items()}
    p = min(1.0, 2 * min(_p(trials), *ps.values())) if len(by_task) > 1 else _p(trials)
    tasks = tuple(task for task, p in ps.items() if p < ALPHA) or tuple(by_task)
    return _Test(tasks, [trial for trial in trials if trial.task in tasks], p)


def _p(trials: Sequence[_Trial]) -> float:
    return poisson_binomial_upper_tail(sum(trial.is_shown for trial in trials), [trial.chance for trial in trials])
