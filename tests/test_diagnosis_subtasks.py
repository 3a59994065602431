"""The first lost step of relative compass reasoning is named for models that lose one, and none for those that lose none or all."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import sqrt

import numpy as np
import pytest
import simulated
from scipy.special import betainc
from scipy.stats import binom
from simulated import Pool, rows

from isovist.common.errors import UserError
from isovist.core.rng import Rng
from isovist.evaluation.models.baselines.simulated_models import simulated_model
from isovist.reporting.analysis.findings import Finding, significant_findings
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.subtask_analysis import detect_failed_subtask, subtask_results
from isovist.stats.clustered_means import level_test
from isovist.stats.effective_sample_size import effective_sample_size
from isovist.suites.cdr.subtasks import SUBTASKS

N = 40  # items of a task
NAMES = [step.name for step in SUBTASKS]
NAMED = NAMES[1:]  # whoever loses the first step and all after it is a guesser


@lru_cache(maxsize=8)
def items_of(seed: int) -> Pool:
    return rows([step.task for step in SUBTASKS], N, seed, "standard")


def asked(model: str, seed: int) -> dict[str, Rows]:
    """What a simulated model makes of items of every step."""
    return simulated.asked(items_of(seed), model)


def named(model: str, seed: int) -> Finding | None:
    """What is found in one run; at most one thing."""
    findings = significant_findings(asked(model, seed), [detect_failed_subtask])
    assert len(findings) <= 1
    return findings[0] if findings else None


def times(model: str, runs: int) -> Counter[str]:
    """How often each step is named as lost in so many runs, by the task that stands for it in the words."""
    counts: Counter[str] = Counter()
    for seed in range(runs):
        finding = named(model, seed)
        (lost,) = [step.name for step in SUBTASKS if finding.sentence.startswith(f"Failed subtask: {step.noun} (")] if finding else ["none"]
        counts[lost] += 1
    return counts


@pytest.mark.parametrize("lost", NAMED)
def test_the_first_lost_step_is_named(lost: str) -> None:
    assert times(f"simulated/failed-subtask:{lost}", 6) == {lost: 6}


@pytest.mark.parametrize("model", ["simulated/oracle", "simulated/random", "simulated/constant:B", f"simulated/failed-subtask:{NAMES[0]}"])
def test_nothing_is_named_for_who_loses_none_or_all(model: str) -> None:
    assert times(model, 6) == {"none": 6}


@pytest.mark.slow
@pytest.mark.parametrize("lost", [*NAMED, "none"])
def test_in_a_hundred_runs_the_lost_step_is_named_in_at_least_95(lost: str) -> None:
    models = ["simulated/oracle", "simulated/random"] if lost == "none" else [f"simulated/failed-subtask:{lost}"]
    for model in models:
        assert times(model, 100)[lost] >= 95


def test_the_words_tell_what_holds_and_what_does_not() -> None:
    finding = named("simulated/failed-subtask:rotate-compass", 3)
    assert finding is not None
    accuracy = subtask_results(asked("simulated/failed-subtask:rotate-compass", 3))[4].accuracy.estimate
    assert finding.observed_rate == 1 - accuracy
    assert finding.sentence == (
        f"Failed subtask: rotating the compass (accuracy {100 * accuracy:.0f}%, chance 12%). The preceding subtasks are solved: identifying "
        "letters (100%), locating a cell (100%), naming the direction between letters (100%) and naming the compass direction with north at "
        "the top (100%)."
    )
    assert (finding.n, finding.tasks) == (N, tuple(step.task for step in SUBTASKS))
    whole = named("simulated/failed-subtask:full-question", 3)
    assert whole is not None
    assert whole.sentence.endswith(" Each subtask is solved by itself, but not all in one question.")
    assert 0 < whole.items_affected < finding.items_affected  # the earlier a step is lost, the more is


def test_a_first_step_that_is_lost_alone_is_named() -> None:
    tasks = asked("simulated/oracle", 1)
    first, second = SUBTASKS[:2]
    tasks[first.task] = asked("simulated/random", 1)[first.task]
    (finding,) = significant_findings(tasks, [detect_failed_subtask])
    assert finding.sentence.startswith(f"Failed subtask: {first.noun} (")
    assert second.noun in finding.sentence


def test_a_lost_step_that_a_later_one_takes_is_told_so() -> None:
    """As of a small network that reasons its way to the wind and cannot say it when asked for the wind alone."""
    tasks = asked("simulated/failed-subtask:name-direction", 1)
    whole = SUBTASKS[-1]
    tasks[whole.task] = asked("simulated/oracle", 1)[whole.task]
    (finding,) = significant_findings(tasks, [detect_failed_subtask])
    assert finding.sentence.startswith(f"Failed subtask: {SUBTASKS[3].noun} (")
    assert finding.sentence.endswith(
        f" A later subtask is solved: {whole.noun} (100%), so the failure may be specific to this question format."
    )


def test_nothing_is_named_while_a_step_before_was_not_asked() -> None:
    tasks = asked("simulated/failed-subtask:rotate-compass", 5)
    del tasks[SUBTASKS[2].task]
    assert significant_findings(tasks, [detect_failed_subtask]) == []


def test_a_step_between_held_and_lost_is_not_named() -> None:
    """Right in 24 of 40 of the items with a chance of 1/8 is about half of the way."""
    tasks = asked("simulated/failed-subtask:rotate-compass", 5)
    turn = SUBTASKS[4].task
    tasks[turn] = tasks[turn].with_column("credit", [1.0] * 22 + tasks[turn].credits[22:])
    assert significant_findings(tasks, [detect_failed_subtask]) == []


def test_items_about_the_same_letters_are_paired() -> None:
    tasks = asked("simulated/failed-subtask:rotate-compass", 5)
    first, place, relate, name, turn, whole = subtask_results(tasks)
    assert [subtask.prerequisite for subtask in (first, place, relate, name, turn, whole)] == [
        "",
        "identify",
        "",
        "relate",
        "",
        "rotate-compass",
    ]
    assert (place.n_prerequisite_correct, name.n_prerequisite_correct) == (N, N)
    right = tasks[turn.subtask.task].having("outcome", "correct").column("index")
    assert whole.n_prerequisite_correct == len(right) > 0
    assert whole.accuracy_if_correct is not None
    after_right = tasks[whole.subtask.task].where(np.isin(tasks[whole.subtask.task].column("index"), right))
    assert whole.accuracy_if_correct.estimate == pytest.approx(sum(after_right.credits) / len(right))
    assert first.chance_corrected.estimate == 1
    assert turn.chance_corrected.low < 0 < turn.chance_corrected.high < 0.5


def test_a_step_that_there_is_not_is_refused() -> None:
    with pytest.raises(UserError, match="Unknown subtask: simulated/failed-subtask:hop"):
        simulated_model("simulated/failed-subtask:hop")


def test_against_is_the_exact_test_for_independent_items() -> None:
    for right in (0, 3, 11, 20):
        test = level_test([1.0] * right + [0.0] * (20 - right), range(20), 0.4)
        assert test.p_greater == pytest.approx(binom.sf(right - 1, 20, 0.4))
        assert test.p_less == pytest.approx(binom.cdf(right, 20, 0.4))


def test_against_takes_items_in_groups_for_fewer() -> None:
    groups = [index // 4 for index in range(40)]
    mixed = [float(group % 2) for group in groups]  # all of a group alike: nearly one item each
    one_each = 40 / effective_sample_size([value - 0.5 for value in mixed], groups, 1.0).items
    assert 3.5 < one_each <= 4
    assert level_test(mixed, groups, 0.3).p_greater == pytest.approx(betainc(20 / one_each, 20 / one_each + 1, 0.3))
    values = [1.0] * 40  # nothing tells whether they go together
    assert level_test(values, groups, 0.5).p_greater == pytest.approx(0.5**16)
    assert level_test(values, [0] * 40, 0.5).p_greater == 1
    assert level_test([], [], 0.5).p_less == 1
    with pytest.raises(ValueError, match="2 credits of items in 1 groups"):
        level_test([1.0, 0.0], [0], 0.5)


@pytest.mark.parametrize(("groups", "items", "level"), [(30, 3, 0.6), (12, 4, 0.9)])
def test_against_rejects_a_true_level_as_rarely_as_it_promises(groups: int, items: int, level: float) -> None:
    """Items of one group share half of their luck; 400 data sets, each tail at 5 %."""
    runs, tails = 400, Counter[str]()
    for run in range(runs):
        rng = Rng("against", run)
        values, places = [], []
        for group in range(groups):
            shared = rng.uniform(0, 1)
            for _ in range(items):
                values.append(float((shared if rng.uniform(0, 1) < sqrt(0.5) else rng.uniform(0, 1)) < level))
                places.append(group)
        test = level_test(values, places, level)
        tails.update(name for name, p in (("above", test.p_greater), ("below", test.p_less)) if p < 0.05)
    assert max(tails.values()) <= runs * 0.05 + 3 * sqrt(runs * 0.05 * 0.95)
