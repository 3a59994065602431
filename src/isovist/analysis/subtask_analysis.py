"""Relative compass reasoning step by step: which is the first step that is lost, while the ones before hold?

A step holds where a model has gone half of the way from chance to perfect or more, and is lost where it has not, both beyond noise.
A step is named only if it is lost and all before it hold; its p-value is the largest of these tests (an intersection-union test,
which needs no correction). A guesser holds no step, so that nothing is named for it; nor is anything named where a step is
neither held nor lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from isovist import registry
from isovist.analysis.findings import Finding, Tasks
from isovist.analysis.scored_item import ScoredItem
from isovist.analysis.text_format import join_names, percent
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.level_tests import LevelTest, level_test
from isovist.stats.proportions import ConfidenceInterval, rescale_to_chance
from isovist.suites.cdr.subtasks import SUBTASKS, Step

MASTERY_LEVEL = 0.5
"""From where on a step holds, as a share of the way from chance to perfect."""


@dataclass(frozen=True, slots=True)
class SubtaskResult:
    """One step as a model does."""

    step: Step
    n: int
    chance: float
    accuracy: ConfidenceInterval
    tests: LevelTest
    """Of the accuracy half of the way from chance to perfect."""
    given: str = ""
    """The step whose items are about the same letters, place by place; empty without one in the run."""
    prerequisite_correct_n: int = 0
    """Items where that one is right."""
    conditional: ConfidenceInterval | None = None
    """The accuracy on these; None if there is none."""

    @property
    def above_chance(self) -> ConfidenceInterval:
        """How much of the way from chance to perfect: 0 is chance, 1 perfect."""
        return rescale_to_chance(self.accuracy, [self.chance])


def subtask_results(tasks: Tasks) -> list[SubtaskResult]:
    """The steps that a run was asked, in the order of the ladder."""
    return [_stage(step, tasks) for step in SUBTASKS if tasks.get(step.task)]


def _stage(step: Step, tasks: Tasks) -> SubtaskResult:
    items = tasks[step.task]
    values, groups = [item.value for item in items], [item.group for item in items]
    chance = sum(item.chance for item in items) / len(items)
    accuracy = clustered_mean(values, groups)
    tests = level_test(values, groups, chance + MASTERY_LEVEL * (1 - chance))
    task = registry.tasks().get(step.task)
    before = next((other for other in SUBTASKS if task and task.prerequisite == other.task and tasks.get(other.task)), None)
    if before is None:
        return SubtaskResult(step, len(items), chance, accuracy, tests)
    right = _where_right(items, tasks[before.task])
    interval = clustered_mean([item.value for item in right], [item.group for item in right]) if right else None
    return SubtaskResult(step, len(items), chance, accuracy, tests, before.name, len(right), interval)


def _where_right(items: Sequence[ScoredItem], before: Sequence[ScoredItem]) -> list[ScoredItem]:
    """The items of which those of another task in the same places are right."""
    known = {(item.group, item.index) for item in before if item.value == 1}
    return [item for item in items if (item.group, item.index) in known]


def detect_failed_subtask(tasks: Tasks) -> Iterable[Finding]:
    """The first step that seems lost, as a candidate; none unless all before it were asked."""
    stages = subtask_results(tasks)
    lost = next((place for place, stage in enumerate(stages) if stage.above_chance.estimate < MASTERY_LEVEL), None)
    if lost is None or [stage.step for stage in stages[: lost + 1]] != list(SUBTASKS[: lost + 1]):
        return
    stage, before, after = stages[lost], stages[:lost], stages[lost + 1 :]
    if before:
        p = max(stage.tests.p_less, *(subtask.tests.p_greater for subtask in before))
        held = min(subtask.above_chance.estimate for subtask in before)
    elif after:  # the first step: something later has to hold, or it is a guesser (Bonferroni over what is later)
        p = max(stage.tests.p_less, min(1.0, len(after) * min(subtask.tests.p_greater for subtask in after)))
        held = max(subtask.above_chance.estimate for subtask in after)
    else:
        return
    room = 1 - stage.chance
    yield Finding(
        kind="lost-stage",
        tasks=tuple(subtask.step.task for subtask in stages),
        sentence=_words(stage, before, [subtask for subtask in after if subtask.above_chance.low > MASTERY_LEVEL]),
        n=stage.n,
        observed_rate=1 - stage.accuracy.estimate,
        expected_rate=(1 - held) * room,
        p_adjusted=p,
        items_affected=sum(
            subtask.n * (1 - subtask.chance) * max(0.0, held - subtask.above_chance.estimate) for subtask in (stage, *after)
        ),
    )


def _words(stage: SubtaskResult, before: Sequence[SubtaskResult], after: Sequence[SubtaskResult]) -> str:
    """`after`: the later steps that hold."""
    fails = f"does not {stage.step.failure_phrase} ({percent(stage.accuracy.estimate)}, a guesser {percent(stage.chance)})"
    if not before:
        return f"It {fails}, though it {_listed(after)}." if after else f"It {fails}."
    alone = ": each step by itself, but not all together" if stage.step == SUBTASKS[-1] else ""
    yet = f" Yet it {_listed(after)}, which needs this step: what fails is the question by itself." if after else ""
    return f"It {_listed(before)}, but {fails}{alone}.{yet}"


def _listed(stages: Sequence[SubtaskResult]) -> str:
    return join_names([f"{stage.step.success_phrase} ({percent(stage.accuracy.estimate)})" for stage in stages])
