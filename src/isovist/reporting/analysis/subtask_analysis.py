"""Relative compass reasoning by subtask: the first failed subtask after solved ones.

A subtask is solved if its chance-corrected accuracy is significantly above `MASTERY_LEVEL`, and failed if it is significantly below. A
subtask is reported only if it is failed and all subtasks before it are solved; the p-value is the largest of these tests (an
intersection-union test, which needs no correction). Random guessing solves no subtask, so it causes no finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from isovist.reporting.analysis.findings import Finding, Tasks
from isovist.reporting.analysis.text_format import join_names, percent
from isovist.stats.clustered_means import LevelTest, clustered_mean, level_test
from isovist.stats.proportions import ConfidenceInterval, rescale_to_chance
from isovist.suites import registry
from isovist.suites.cdr.subtasks import SUBTASKS, Step

MASTERY_LEVEL = 0.5
"""The chance-corrected accuracy that separates solved and failed subtasks."""


@dataclass(frozen=True, slots=True)
class SubtaskResult:
    """One subtask of a run."""

    subtask: Step
    n: int
    chance: float
    accuracy: ConfidenceInterval
    mastery_test: LevelTest
    """Of the accuracy against that at `MASTERY_LEVEL`."""
    prerequisite: str = ""
    """The subtask whose items are about the same letters; empty if the run has none."""
    n_prerequisite_correct: int = 0
    accuracy_if_correct: ConfidenceInterval | None = None
    """The accuracy on items with a correct prerequisite; None without any."""

    @property
    def chance_corrected(self) -> ConfidenceInterval:
        return rescale_to_chance(self.accuracy, [self.chance])


def subtask_results(tasks: Tasks) -> list[SubtaskResult]:
    """The subtasks of a run in order."""
    return [_result(subtask, tasks) for subtask in SUBTASKS if subtask.task in tasks and tasks[subtask.task].n]


def _result(subtask: Step, tasks: Tasks) -> SubtaskResult:
    rows = tasks[subtask.task]
    test = level_test(rows.credits, rows.clusters, rows.chance + MASTERY_LEVEL * (1 - rows.chance))
    result = SubtaskResult(subtask, rows.n, rows.chance, clustered_mean(rows.credits, rows.clusters), test)
    task = registry.find(subtask.task)
    before = next((other for other in SUBTASKS if task and task.reported.prerequisite == other.task and other.task in tasks), None)
    if before is None:
        return result
    correct = {scene for scene, credit in zip(tasks[before.task].scenes, tasks[before.task].credits, strict=True) if credit == 1}
    after_correct = rows.where(np.array([scene in correct for scene in rows.scenes], bool))
    return replace(result, prerequisite=before.name, n_prerequisite_correct=after_correct.n, accuracy_if_correct=after_correct.accuracy)


def detect_failed_subtask(tasks: Tasks) -> Iterable[Finding]:
    """The first subtask below `MASTERY_LEVEL`, as a candidate; none unless the run has all subtasks before it."""
    results = subtask_results(tasks)
    place = next((place for place, result in enumerate(results) if result.chance_corrected.estimate < MASTERY_LEVEL), None)
    if place is None or [result.subtask for result in results[: place + 1]] != list(SUBTASKS[: place + 1]):
        return
    failed, before, after = results[place], results[:place], results[place + 1 :]
    if before:
        p = max(failed.mastery_test.p_less, *(result.mastery_test.p_greater for result in before))
        solved_level = min(result.chance_corrected.estimate for result in before)
    elif after:  # the first subtask: a later one has to be solved, or the model guesses (Bonferroni over the later ones)
        p = max(failed.mastery_test.p_less, min(1.0, len(after) * min(result.mastery_test.p_greater for result in after)))
        solved_level = max(result.chance_corrected.estimate for result in after)
    else:
        return
    yield Finding(
        kind="failed-subtask",
        tasks=tuple(result.subtask.task for result in results),
        sentence=_sentence(failed, before, [result for result in after if result.chance_corrected.low > MASTERY_LEVEL]),
        n=failed.n,
        observed_rate=1 - failed.accuracy.estimate,
        expected_rate=(1 - solved_level) * (1 - failed.chance),
        p_adjusted=p,
        items_affected=sum(
            result.n * (1 - result.chance) * max(0.0, solved_level - result.chance_corrected.estimate) for result in (failed, *after)
        ),
    )


def _sentence(failed: SubtaskResult, before: Sequence[SubtaskResult], solved_after: Sequence[SubtaskResult]) -> str:
    sentence = f"Failed subtask: {failed.subtask.noun} (accuracy {percent(failed.accuracy.estimate)}, chance {percent(failed.chance)})."
    if before:
        sentence += f" The preceding subtasks are solved: {_listed(before)}."
    if failed.subtask == SUBTASKS[-1] and before:
        sentence += " Each subtask is solved by itself, but not all in one question."
    if solved_after:
        sentence += f" A later subtask is solved: {_listed(solved_after)}"
        sentence += ", so the failure may be specific to this question format." if before else "."
    return sentence


def _listed(results: Sequence[SubtaskResult]) -> str:
    return join_names([f"{result.subtask.noun} ({percent(result.accuracy.estimate)})" for result in results])
