"""The size at which accuracy falls half-way to chance: planted ones are found again, and where there is none it says so."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from isovist.stats.psychometric_function import LevelCounts, ThresholdEstimate, fit_threshold

SIZES = np.arange(1.0, 21.0)
Array = NDArray[np.float64]
Shape = Callable[[Array, float | Array, float], Array]


def by_ratio(size: Array, halfway: float | Array, steepness: float) -> Array:
    return 1 / (1 + (size / halfway) ** steepness)


def by_step(size: Array, halfway: float | Array, steepness: float) -> Array:
    return 1 / (1 + np.exp(np.minimum(500, steepness * (size / halfway - 1))))


def levels(sums: Sequence[float], n: int, chances: Sequence[float] | float, sizes: Sequence[float] = tuple(SIZES)) -> list[LevelCounts]:
    each = [chances] * len(sizes) if isinstance(chances, int | float) else chances
    return [LevelCounts(int(size), n, float(credit), chance) for size, credit, chance in zip(sizes, sums, each, strict=True)]


def found(counts: Sequence[LevelCounts]) -> ThresholdEstimate:
    """The fit, which must be silent."""
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        estimate = fit_threshold(counts)
    assert estimate is not None
    assert estimate.low is None or estimate.high is None or estimate.low <= estimate.high
    assert estimate.threshold is None or ((estimate.low or estimate.smallest) <= estimate.threshold <= (estimate.high or estimate.largest))
    return estimate


# Planted sizes ----------------------------------------------------------------------------------------------------


PLANTED = ((3, 4, 0.02), (6, 5, 0.0), (9, 3, 0.05), (14, 8, 0.02))
CHANCES = (0.0, 0.25, 0.5, "1 / (size + 1)")


def times_held(shape: Shape, n: int, chance: float | str, planted: tuple[float, float, float], runs: int) -> float:
    """In how many per cent of simulated runs the interval holds the planted half-way size."""
    chances = 1 / (SIZES + 1) if isinstance(chance, str) else np.full(20, chance)
    halfway, steepness, lapse = planted
    rng = np.random.default_rng(20)
    right = chances + (1 - lapse - chances) * shape(SIZES, halfway, steepness)
    fits = [fit_threshold(levels(rng.binomial(n, right).tolist(), n, chances.tolist())) for _ in range(runs)]
    return 100 * sum(estimate is not None and estimate.meets_precision(halfway) for estimate in fits) / runs


@pytest.mark.parametrize("n", [10, 50])
@pytest.mark.parametrize(("place", "chance"), list(enumerate(CHANCES)))
def test_a_planted_half_way_size_lies_in_its_interval(n: int, place: int, chance: float | str) -> None:
    assert times_held(by_ratio if n == 50 else by_step, n, chance, PLANTED[place], 50) >= 90


@pytest.mark.slow
@pytest.mark.parametrize("shape", [by_ratio, by_step])
@pytest.mark.parametrize("n", [10, 50])
@pytest.mark.parametrize("chance", CHANCES)
def test_every_planted_half_way_size_lies_in_its_interval(shape: Shape, n: int, chance: float | str) -> None:
    held = [times_held(shape, n, chance, planted, 200) for planted in PLANTED]
    assert min(held) >= 88, held  # three standard errors of 200 runs below 93
    assert sum(held) / len(held) >= 93, held


def test_the_interval_says_something() -> None:
    """An interval that holds everything would pass the test above."""
    rng = np.random.default_rng(4)
    for n, most, near in ((10, 1.45, 0.07), (50, 1.2, 0.03)):  # with few items the prior's lapse is seen
        fits = [found(levels(rng.binomial(n, by_ratio(SIZES, 8, 4)).tolist(), n, 0.0)) for _ in range(40)]
        ratios = [estimate.high / estimate.low for estimate in fits if estimate.low and estimate.high]
        assert len(ratios) == 40
        assert float(np.median(ratios)) < most
        assert float(np.median([estimate.threshold or 0 for estimate in fits])) == pytest.approx(8, rel=near)


def test_many_items_give_the_planted_curve() -> None:
    chances = 1 / (SIZES + 1)
    for shape in (by_ratio, by_step):
        right = chances + (0.9 - chances) * shape(SIZES, 7, 3.5)
        estimate = found(levels((right * 100_000).tolist(), 100_000, chances.tolist()))
        assert estimate.curve is not None
        assert estimate.threshold == pytest.approx(7, rel=2e-3)
        assert (estimate.low, estimate.high) == pytest.approx((7, 7), rel=0.02)
        assert estimate.curve.slope == pytest.approx(3.5, rel=0.03)
        assert estimate.curve.lapse_rate == pytest.approx(0.1, abs=3e-3)
        assert estimate.curve.log_scale == (shape is by_ratio)
        assert [estimate.curve.at(float(s), c) for s, c in zip(SIZES, chances, strict=True)] == pytest.approx(right, abs=3e-3)


# Other programs ---------------------------------------------------------------------------------------------------

# 400 answers, 20 a size, drawn once from a curve with its half-way at 9, chance 1/8, and steepness 5 (seed 3).
DRAWN = (20, 20, 19, 19, 20, 18, 16, 16, 10, 6, 6, 5, 4, 4, 4, 6, 2, 3, 3, 2)
# psignifit 4.3 on them: psignifit(data, experiment_type="yes/no", sigmoid="neg_logistic", fixed_parameters={"lambda": 1 / 8}),
# its logistic being in size: threshold, and its 95 % interval. (With a falling sigmoid its lambda is the floor.)
PSIGNIFIT = (9.08, 8.31, 9.79)


def test_psignifit_finds_about_the_same() -> None:
    estimate = found(levels(DRAWN, 20, 1 / 8))
    halfway, low, high = PSIGNIFIT
    assert estimate.threshold == pytest.approx(halfway, rel=0.04)
    assert estimate.low == pytest.approx(low, rel=0.08)
    assert estimate.high == pytest.approx(high, rel=0.08)


def masses(counts: Sequence[LevelCounts], halfways: Array) -> Array:
    """The posterior at half-way sizes evenly apart within the sizes, by another route: a sum over random steepnesses, lapses and shapes."""
    rng = np.random.default_rng(2)
    sizes, n, credit, chance = (np.array([getattr(level, name) for level in counts], float) for name in ("size", "n", "credit", "chance"))
    total = np.zeros(len(halfways))
    for shape, scale in ((by_ratio, 1 / (halfways * np.log(20))), (by_step, np.full(len(halfways), 1 / 19))):
        for _ in range(2000):
            steepness, lapse = float(np.exp(rng.normal(np.log(4), 0.7))), float(rng.uniform(0, 0.5))
            standing = shape(sizes, halfways[:, None], steepness)
            right = np.clip(chance + (1 - lapse * (1 - chance.mean()) - chance) * standing, 1e-9, 1 - 1e-9)
            logs = np.log(right) @ credit + np.log(1 - right) @ (n - credit)
            total += np.exp(logs - PEAK - lapse / 0.15) * scale
    return total / total.sum()


PEAK = -250.0
"""About the log-likelihood of the data below, so that no weight is too small."""


@pytest.mark.parametrize(("chance", "planted", "n"), [(0.0, 5.0, 10), (0.25, 9.0, 20), (0.5, 12.0, 30)])
def test_the_estimate_is_the_mean_of_the_posterior_and_the_interval_its_middle_part(chance: float, planted: float, n: int) -> None:
    rng = np.random.default_rng(8)
    counts = levels(rng.binomial(n, chance + (0.97 - chance) * by_ratio(SIZES, planted, 4)).tolist(), n, chance)
    estimate = found(counts)
    halfways = np.linspace(1.05, 19.95, 190)
    belief = masses(counts, halfways)
    low, high = np.interp([0.025, 0.975], np.cumsum(belief) - belief / 2, halfways)
    assert estimate.threshold == pytest.approx(float(belief @ halfways), abs=0.1)
    assert estimate.low == pytest.approx(low, abs=0.2)
    assert estimate.high == pytest.approx(high, abs=0.2)


def test_many_items_leave_nothing_of_the_prior() -> None:
    """Steepness 60 and a lapse of 40 % are both rare by it."""
    counts = levels((20_000 * 0.6 * by_step(SIZES, 9.3, 60)).tolist(), 20_000, 0.0)
    estimate = found(counts)
    assert estimate.threshold == pytest.approx(9.3, abs=0.02)
    assert estimate.curve
    assert estimate.curve.slope == pytest.approx(60, rel=0.05)
    assert estimate.curve.lapse_rate == pytest.approx(0.4, abs=0.01)


# Where there is nothing to be found -------------------------------------------------------------------------------


def test_all_right_lies_above_and_all_wrong_below() -> None:
    for chance in (0.0, 0.25, 0.5):
        above = found(levels([10] * 20, 10, chance))
        assert (above.range_status, above.threshold, above.high) == ("above", None, None)
        assert above.low
        assert above.low > 15
        below = found(levels([10 * chance] * 20, 10, chance))
        assert (below.range_status, below.threshold, below.low) == ("below", None, None)
        assert below.high
        assert below.high < 12
    nothing = found(levels([0] * 20, 10, 0.5))  # worse than a guesser
    assert (nothing.range_status, nothing.low) == ("below", None)


def test_accuracy_that_size_does_not_change_is_no_fall() -> None:
    """Neither near chance nor near the top: nobody can say where such a model will be half-way."""
    estimate = found(levels([15] * 20, 50, 0.0))
    assert estimate.low is None or estimate.high is None
    rising = found(levels([min(50, 2 + 2.5 * size) for size in SIZES], 50, 0.0))
    assert rising.low is None or rising.high is None


def test_a_half_way_size_outside_is_not_guessed_at() -> None:
    for planted, side in ((60.0, "above"), (0.3, "below")):
        estimate = found(levels((50 * by_ratio(SIZES, planted, 3)).tolist(), 50, 0.0))
        assert (estimate.range_status, estimate.threshold) == (side, None)
        assert (estimate.high if side == "above" else estimate.low) is None
        assert estimate.meets_precision(planted)
    far = found(levels((500 * by_ratio(SIZES, 30.0, 3)).tolist(), 500, 0.0))
    assert far.low == pytest.approx(20)  # no more is said than that it is beyond


def test_one_size_or_none_or_nothing_to_lose_tells_nothing() -> None:
    assert fit_threshold([]) is None
    assert fit_threshold([LevelCounts(3, 0, 0.0, 0.25)]) is None
    for counts in (levels([5], 10, 0.25, [7]), levels([10] * 20, 10, 1.0)):
        estimate = found(counts)
        assert (estimate.range_status, estimate.threshold, estimate.low, estimate.high, estimate.curve) == (
            "unknown",
            None,
            None,
            None,
            None,
        )


def test_a_cliff_lies_between_its_two_sizes() -> None:
    for edge in (1, 4, 10, 19):
        estimate = found(levels([50.0 * (size <= edge) for size in SIZES], 50, 0.0))
        assert estimate.threshold
        assert edge < estimate.threshold < edge + 1
        assert estimate.low is None or estimate.low > edge - 0.2
        assert estimate.high is None or estimate.high < edge + 1.2


@pytest.mark.parametrize("n", [1, 2, 10])
@pytest.mark.parametrize("chance", [0.0, 0.125, 0.5])
def test_whatever_comes_back_there_is_an_answer(n: int, chance: float) -> None:
    rng = np.random.default_rng(n)
    for _ in range(25):
        sizes = np.sort(rng.choice(np.array([1, 2, 3, 5, 8, 13, 100, 100_000]), 4, replace=False))
        found(levels(rng.integers(0, n + 1, 4).tolist(), n, chance, sizes.tolist()))


def test_partial_credit_counts_as_its_share_and_order_as_nothing() -> None:
    counts = levels((20 * by_ratio(SIZES, 6, 4)).tolist(), 20, 0.0)
    estimate = found(counts)
    assert estimate.threshold == pytest.approx(6, rel=0.02)
    assert found(counts[::-1]) == estimate


def test_a_size_at_which_nobody_can_be_wrong_changes_nothing() -> None:
    counts = levels([20, *(20 * by_ratio(SIZES[1:], 6, 4))], 20, [1.0, *[0.25] * 19])
    assert found(counts).threshold == pytest.approx(found(counts[1:]).threshold, rel=5e-3)
