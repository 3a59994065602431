"""The choice of sizes: the rule is what it says, and few items find the half-way size that the full design finds."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from itertools import product
from math import log
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from isovist.stats.adaptive_testing import BayesianAdaptiveSearch, enough
from isovist.stats.psychometric_function import LevelCounts, PsychometricCurve, prior

SIZES = tuple(range(1, 21))


def loaded() -> ModuleType:
    """The benchmark, whose simulated models and designs are those of the tests here."""
    path = Path(__file__).parent.parent / "benchmarks" / "adaptive.py"
    spec = importlib.util.spec_from_file_location("benchmark_adaptive", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


bench = loaded()


# The rule ---------------------------------------------------------------------------------------------------------


def left(levels: Sequence[LevelCounts], chances: Sequence[float]) -> list[float]:
    """The variance of the half-way size to be expected after an answer at each size, worked out by Bayes' rule point by point."""
    from isovist.stats import adaptive_testing as rule

    halfways = rule._halfways(SIZES[0], SIZES[-1]).tolist()
    curves: list[tuple[float, PsychometricCurve, float]] = []
    ends = log(SIZES[0]), log(SIZES[-1])
    log_widths, lapse_widths = rule._widths(np.log(halfways)), rule._widths(rule._LAPSES)
    for (i, halfway), steepness, (j, lapse), by_ratio in product(
        enumerate(halfways), rule._STEEPNESSES.tolist(), enumerate(rule._LAPSES.tolist()), (True, False)
    ):
        log_prior = prior(np.log([halfway]), np.log([steepness]), np.array([lapse]), ends)[0 if by_ratio else 1, 0, 0, 0]
        curve = PsychometricCurve(halfway, steepness, lapse * (1 - sum(chances) / 20), by_ratio)
        curves.append((min(max(halfway, SIZES[0]), SIZES[-1]), curve, float(np.exp(log_prior) * log_widths[i] * lapse_widths[j])))

    def share(curve: PsychometricCurve, size: int, chance: float) -> float:
        return min(max(curve.at(size, chance), 1e-6), 1 - 1e-6)

    logs = [
        log(believed)
        + sum(
            level.credit * log(p) + (level.n - level.credit) * log(1 - p)
            for level in levels
            for p in [share(curve, level.size, level.chance)]
        )
        for _, curve, believed in curves
    ]
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    places = np.array([halfway for halfway, _, _ in curves])  # those beyond an end stand at it
    variances: list[float] = []
    for size, chance in zip(SIZES, chances, strict=True):
        right = np.array([share(curve, size, chance) for _, curve, _ in curves])
        expected = 0.0
        for after in (weights * right, weights * (1 - right)):
            mean = float(after @ places / after.sum())
            expected += float(after @ (places - mean) ** 2)
        variances.append(expected)
    return variances


def test_the_next_size_is_the_one_after_which_the_half_way_size_is_known_best() -> None:
    chances = [max(0.02, 0.5**size) for size in SIZES]
    levels = [
        LevelCounts(1, 1, 1.0, chances[0]),
        LevelCounts(7, 3, 2.5, chances[6]),
        LevelCounts(14, 2, 0.0, chances[13]),
        LevelCounts(20, 1, 0.0, chances[19]),
    ]
    search = BayesianAdaptiveSearch(SIZES, chances)
    variances = left(levels, chances)
    known = {level.size: (float(level.n), level.credit) for level in levels}
    assert search._expected_variances(search._weights(known)).tolist() == pytest.approx(variances, abs=1e-9)
    assert search.next(levels) == SIZES[int(np.argmin(variances))]
    assert 7 < search.next(levels) < 14


def test_a_search_begins_at_the_ends_and_two_sizes_between() -> None:
    search = BayesianAdaptiveSearch(SIZES, [0.05] * 20)
    assert search.first == (1, 7, 14, 20)
    assert [search.next([], SIZES[:0]), search.next([LevelCounts(1, 1, 1.0, 0.05)]), search.next([], (1, 7, 14))] == [1, 7, 20]


def test_a_size_at_which_nobody_can_be_wrong_is_not_asked() -> None:
    search = BayesianAdaptiveSearch(SIZES, [1.0, 1.0, *[0.5] * 18])
    assert search.first[0] == 3
    levels = [LevelCounts(size, 3, 0.0, 0.5) for size in search.first]  # all wrong: it will look at the smallest
    assert search.next(levels) >= 3


def test_what_is_under_way_moves_the_choice_and_adds_nothing_to_what_is_known() -> None:
    search = BayesianAdaptiveSearch(SIZES, [0.05] * 20)
    levels = [
        LevelCounts(1, 4, 4.0, 0.05),
        LevelCounts(7, 4, 4.0, 0.05),
        LevelCounts(9, 3, 2.0, 0.05),
        LevelCounts(14, 2, 0.0, 0.05),
        LevelCounts(20, 1, 0.0, 0.05),
    ]
    together: list[int] = []
    for _ in range(8):
        together.append(search.next(levels, together))
    assert len(set(together)) > 1
    assert together[0] == search.next(levels)
    assert search.belief(levels).low <= search.belief(levels).halfway <= search.belief(levels).high


def test_models_that_are_always_right_or_never_are_looked_for_at_the_ends() -> None:
    for credit, end in ((1.0, range(15, 21)), (0.0, range(1, 7))):
        search, levels = BayesianAdaptiveSearch(SIZES, [0.05] * 20), dict[int, LevelCounts]()
        for _ in range(20):
            size = search.next(list(levels.values()))
            n = levels[size].n + 1 if size in levels else 1
            levels[size] = LevelCounts(size, n, n * credit, 0.05)
        assert sum(level.n for level in levels.values() if level.size in end) >= 12
        assert search.belief(list(levels.values())).halfway == pytest.approx(20 if credit else 1, abs=1.5)


# Savings ----------------------------------------------------------------------------------------------------------


def errors(models: Sequence[object], seeds: int, way: str) -> np.ndarray:
    results = [bench.result(model, bench.WAYS[way](model, seed)) for model in models for seed in range(seeds)]
    assert all(result.items <= (200 if way == "full design" else 80) for result in results)
    return np.array([result.error for result in results])


def test_80_items_find_what_200_find() -> None:
    """Two of five items, for a sixth as many models as in the slow test, others than there."""
    models = list(bench.models())[5::12]
    adaptive, whole = errors(models, 1, "adaptive, 80 items"), errors(models, 1, "full design")
    assert np.mean(np.abs(adaptive) <= 1) >= 0.75
    assert np.mean(np.abs(adaptive - whole) <= 1) >= 0.7
    assert np.mean(np.abs(adaptive)) <= 0.8
    assert np.median(np.abs(adaptive)) <= 0.5
    assert abs(np.median(adaptive)) <= 0.4


@pytest.mark.slow
def test_80_chosen_items_find_what_200_find_and_more_than_80_others() -> None:
    """Half of the benchmark's curves; with 126 of them, shares are good to three points or four."""
    models = list(bench.models())[::2]
    ways = ("full design", "adaptive, 80 items", "staircase, 80 items", "all sizes, 80 items")
    by_way = {way: [bench.result(model, bench.WAYS[way](model, 0)) for model in models] for way in ways}
    near = {way: float(np.mean([abs(result.error) <= 1 for result in results])) for way, results in by_way.items()}
    far = {way: float(np.mean([abs(result.error) for result in results])) for way, results in by_way.items()}
    assert near["adaptive, 80 items"] >= near["full design"] - 0.05
    assert near["adaptive, 80 items"] >= near["all sizes, 80 items"] + 0.05
    assert far["adaptive, 80 items"] <= 1.1 * far["full design"]
    assert far["adaptive, 80 items"] <= 0.8 * far["staircase, 80 items"]
    assert far["adaptive, 80 items"] <= 0.8 * far["all sizes, 80 items"]
    for way, results in by_way.items():
        assert np.mean([result.held for result in results]) >= 0.93, way


def test_it_stops_where_the_interval_is_as_narrow_as_asked_for() -> None:
    model = bench.Simulated("1/20 (counting)", 4.0, True, 8.0, 0.02)
    asked = bench.adaptive(model, 3, 200, 1.0)
    assert asked.fall.half_width <= 1
    assert asked.items < 80
    assert bench.adaptive(model, 3, 200, 0.5).items > asked.items


def test_no_search_ends_by_itself_before_20_items() -> None:
    """All wrong, most at size 1: what is believed is soon narrow, by what was believed before any answer."""
    search = BayesianAdaptiveSearch(SIZES, [0.0] * 20)
    few = [LevelCounts(1, 12, 0.0, 0.0), LevelCounts(7, 1, 0.0, 0.0), LevelCounts(14, 1, 0.0, 0.0), LevelCounts(20, 1, 0.0, 0.0)]
    assert search.belief(few).high - search.belief(few).low < 2
    assert not search.precise(few, 1.0)
    assert search.precise([LevelCounts(1, 17, 0.0, 0.0), *few[1:]], 1.0)


def test_more_items_are_enough_where_guesses_are_often_right() -> None:
    assert [enough([chance] * 20) for chance in (0.0, 0.05, 0.25, 0.286, 0.5)] == [80, 80, 80, 100, 100]
    assert enough([0.5**size for size in SIZES]) == 80
    assert enough(np.geomspace(0.85, 0.06, 20).tolist()) == 100
