"""The statistics of reports, against other libraries, textbook figures, limits and simulations with a fixed seed."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from scipy import stats
from scipy.stats.contingency import association

from isovist.stats.position_bias import position_bias
from isovist.stats.proportions import ConfidenceInterval, chance_corrected_accuracy, mean, mean_of, rescale_to_chance, wilson

# Wilson's interval ------------------------------------------------------------------------------------------------

# From Newcombe (1998), method 3: r, n and the two limits as printed there.
NEWCOMBE = [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
COUNTS = [(0, 1), (1, 1), (0, 5), (5, 5), (1, 2), (3, 17), (50, 100), (199, 200), (0, 10_000), (1234, 10_000)]


def textbook(right: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The roots of (p - share)^2 = z^2 p (1 - p) / n, which the interval is made of."""
    return textbook_of(right / n, n, confidence)


def textbook_of(share: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """The same for a number of items that need not be whole."""
    z2 = float(stats.norm.ppf((1 + confidence) / 2)) ** 2
    low, high = sorted(np.roots([1 + z2 / n, -(2 * share + z2 / n), share**2]).real)
    return float(low), float(high)


@pytest.mark.parametrize(("right", "n", "low", "high"), NEWCOMBE)
def test_wilson_gives_the_published_examples(right: int, n: int, low: float, high: float) -> None:
    interval = wilson(right, n)
    assert interval.estimate == right / n
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5.1e-5)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize(("right", "n"), COUNTS)
def test_wilson_solves_its_equation(right: int, n: int, confidence: float) -> None:
    interval = wilson(right, n, confidence)
    assert (interval.low, interval.high) == pytest.approx(textbook(right, n, confidence), abs=1e-7)


def test_wilson_stays_a_share_and_holds_its_estimate() -> None:
    for n in (1, 2, 3, 7, 10, 97, 1000):
        for right in range(0, n + 1, max(1, n // 20)):
            interval = wilson(right, n)
            assert 0 <= interval.low <= interval.estimate <= interval.high <= 1, (right, n, interval)
            mirrored = wilson(n - right, n)  # right and wrong may change their names
            assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_wilson_of_all_and_none_is_open_on_one_side() -> None:
    for n in (1, 10, 1000):
        nothing, everything = wilson(0, n), wilson(n, n)
        assert (nothing.estimate, nothing.low) == (0, 0)
        assert 0 < nothing.high < 1  # no number of wrong answers shows that a model is never right
        assert (everything.estimate, everything.high) == (1, 1)
        assert 0 < everything.low < 1


def test_wilson_of_nothing_knows_nothing() -> None:
    interval = wilson(0, 0)
    assert isnan(interval.estimate)
    assert (interval.low, interval.high) == (0, 1)


def test_more_items_and_less_confidence_make_it_narrower() -> None:
    widths = [wilson(n // 4, n).high - wilson(n // 4, n).low for n in (4, 16, 64, 256, 1024)]
    assert widths == sorted(widths, reverse=True)
    assert widths[-2] / widths[-1] == pytest.approx(2, rel=0.02)  # four times the items, half the width
    wide = [wilson(30, 100, confidence) for confidence in (0.5, 0.9, 0.99)]
    assert [interval.low for interval in wide] == sorted((interval.low for interval in wide), reverse=True)


@pytest.mark.parametrize("n", [20, 80, 200])
@pytest.mark.parametrize("p", [0.125, 0.25, 0.5, 0.9])
def test_wilson_covers_what_it_promises(p: float, n: int) -> None:
    """A simulation, and the exact sum that it must come to."""
    intervals = [wilson(right, n) for right in range(n + 1)]
    covers = np.array([interval.low <= p <= interval.high for interval in intervals])
    drawn = np.random.default_rng(20241216).binomial(n, p, 20_000)
    simulated, exact = covers[drawn].mean(), stats.binom.pmf(np.arange(n + 1), n, p)[covers].sum()
    assert simulated == pytest.approx(exact, abs=4 * (0.05 * 0.95 / 20_000) ** 0.5)
    assert 0.92 < exact < 0.98


# Means of credits -------------------------------------------------------------------------------------------------


def test_credits_of_nought_and_one_have_wilsons_interval() -> None:
    assert mean([1.0, 0.0, 0.0, 1.0, 1.0]) == wilson(3, 5)
    assert mean([0.0]) == wilson(0, 1)
    assert mean([1.0] * 40) == wilson(40, 40)
    assert isnan(mean([]).estimate)
    assert (mean([]).low, mean([]).high) == (0, 1)


def test_partial_credits_have_wilsons_interval_for_as_many_items_of_that_variance() -> None:
    """With many items it is Student's t; with few it leans to the middle and stays within 0 and 1."""
    values = np.random.default_rng(2).choice([0.0, 0.25, 0.5, 1.0], 4000).tolist()
    interval, expected = mean(values), stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
    assert interval.estimate == pytest.approx(np.mean(values))
    assert (interval.low, interval.high) == pytest.approx(expected, abs=2e-4)
    few = [0.5, 1.0, 1.0, 1.0, 1.0, 1.0]
    variance = (sum((value - 11 / 12) ** 2 for value in few) + 11 / 12 / 12) / 6  # one more item, as far off as one of 0 or 1
    size = 11 / 12 / 12 / (variance / 6) * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 5)) ** 2
    assert (mean(few).low, mean(few).high) == pytest.approx(textbook_of(11 / 12, size), abs=1e-9)


def test_the_interval_of_partial_credits_stays_within_its_range() -> None:
    assert mean([0.5, 1.0, 1.0, 1.0]).high <= 1
    assert mean([0.5, 0.0, 0.0, 0.0]).low >= 0
    mirrored = mean([0.5, 0.0, 0.0, 0.0])
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((mean([0.5, 1.0, 1.0, 1.0]).low, mean([0.5, 1.0, 1.0, 1.0]).high))


def test_one_partial_credit_or_a_row_of_equal_ones_is_not_taken_for_certainty() -> None:
    """One item, or items that all came out the same, say little; an interval of no width would say all."""
    for n in (1, 3, 10):
        interval = mean([0.5] * n)
        assert 0 <= interval.low < 0.5 < interval.high <= 1, (n, interval)


# Above chance -----------------------------------------------------------------------------------------------------


def test_above_chance_is_nought_at_chance_and_one_for_the_perfect() -> None:
    for chance in (1 / 8, 1 / 4, 1 / 2):
        assert chance_corrected_accuracy([1.0] * 8, [chance] * 8) == pytest.approx(1)
        assert chance_corrected_accuracy([chance] * 8, [chance] * 8) == pytest.approx(0)
        assert chance_corrected_accuracy([0.0] * 8, [chance] * 8) == pytest.approx(-chance / (1 - chance))
    assert chance_corrected_accuracy([1.0, 0.0, 1.0, 0.0], [0.25] * 4) == pytest.approx((0.5 - 0.25) / 0.75)


def test_each_item_has_its_own_chance() -> None:
    values, chances = [1.0, 0.0, 1.0], [0.5, 0.25, 0.125]
    assert chance_corrected_accuracy(values, chances) == pytest.approx((2 - 0.875) / (3 - 0.875))


def test_above_chance_of_nothing_and_of_sure_things_is_no_number() -> None:
    assert isnan(chance_corrected_accuracy([], []))
    assert isnan(chance_corrected_accuracy([1.0], [1.0]))


def test_as_many_credits_as_chances() -> None:
    with pytest.raises(ValueError, match=r"shorter|longer"):
        chance_corrected_accuracy([1.0, 0.0], [0.5])


def test_guessers_are_at_nought_on_average() -> None:
    rng = np.random.default_rng(7)
    chances = rng.choice([1 / 8, 1 / 4, 1 / 2], 400)
    scores = [chance_corrected_accuracy((rng.random(400) < chances).astype(float).tolist(), chances.tolist()) for _ in range(300)]
    assert np.mean(scores) == pytest.approx(0, abs=4 * np.std(scores) / 300**0.5)


def test_above_chance_has_the_interval_of_its_accuracy() -> None:
    values, chances = [1.0] * 30 + [0.0] * 20, [0.5, 0.25] * 25
    interval, accuracy = rescale_to_chance(mean(values), chances), mean(values)
    assert interval.estimate == pytest.approx(chance_corrected_accuracy(values, chances))
    assert interval.low == pytest.approx((accuracy.low - 0.375) / 0.625)
    assert interval.high == pytest.approx((accuracy.high - 0.375) / 0.625)
    assert rescale_to_chance(mean([0.0] * 9), [0.5] * 9).low == -1
    assert rescale_to_chance(mean([1.0] * 9), [0.5] * 9).high == 1
    assert isnan(rescale_to_chance(mean([1.0]), [1.0]).low)
    assert isnan(rescale_to_chance(mean([]), []).estimate)


# Means over tasks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("right", "n"), [(0, 5), (5, 5), (1, 30), (15, 30), (99, 100)])
def test_the_mean_of_one_task_is_that_task(right: int, n: int) -> None:
    single, combined = wilson(right, n), mean_of([wilson(right, n)])
    assert (combined.estimate, combined.low, combined.high) == pytest.approx((single.estimate, single.low, single.high))


def test_equal_tasks_are_as_sure_as_their_items_together() -> None:
    for right in (0, 7, 20):
        pooled, combined = wilson(4 * right, 80), mean_of([wilson(right, 20)] * 4)
        assert (combined.estimate, combined.low, combined.high) == pytest.approx((pooled.estimate, pooled.low, pooled.high), abs=0.02)


def test_a_task_that_says_nothing_makes_the_mean_unsure_by_its_share() -> None:
    sure, open_ = wilson(500, 1000), ConfidenceInterval(0.5, 0.0, 1.0)
    interval = mean_of([sure, open_])
    assert interval.high - interval.low == pytest.approx(0.5, abs=0.1)
    assert mean_of([sure, open_], [9, 1]).high - mean_of([sure, open_], [9, 1]).low < 0.15


# Preference for a position ----------------------------------------------------------------------------------------


def cramer(chosen: str, options: int) -> float:
    """Cramer's V of a goodness of fit: the root of chi-square over its largest value."""
    observed = np.array([chosen.count(letter) for letter in "ABCDEFGH"[:options]])
    expected = len(chosen) / options
    return float((((observed - expected) ** 2 / expected).sum() / (len(chosen) * (options - 1))) ** 0.5)


@pytest.mark.parametrize(
    ("chosen", "options"), [("ABCD" * 5, 4), ("AABBBCD", 4), ("A", 2), ("AB", 2), ("HHHHGA", 8), ("BBBBBBBBBB", 8), ("ABBBABABB", 2)]
)
def test_position_bias_is_the_chi_square_test_of_equal_shares(chosen: str, options: int) -> None:
    bias = position_bias(list(chosen), list("ABCD"), options)
    assert bias is not None
    counts = [chosen.count(letter) for letter in "ABCDEFGH"[:options]]
    assert list(bias.chosen.values()) == counts
    statistic = sum((count - len(chosen) / options) ** 2 / (len(chosen) / options) for count in counts)
    assert bias.p_value == pytest.approx(stats.chi2.sf(statistic, options - 1))
    assert bias.cramers_v == pytest.approx(cramer(chosen, options))


def test_strength_is_cramers_v_of_scipy_for_the_strongest_and_no_preference() -> None:
    """SciPy knows tables only: two groups that choose one letter each are as far apart as a constant from equal shares."""
    constant, even = position_bias(["C"] * 30, [], 4), position_bias(list("ABCD") * 9, [], 4)
    assert constant is not None
    assert even is not None
    assert constant.cramers_v == pytest.approx(association(np.array([[30, 0], [0, 30]]), method="cramer"))
    assert constant.p_value < 1e-10
    assert even.cramers_v == pytest.approx(association(np.array([[9, 9, 9, 9], [9, 9, 9, 9]]), method="cramer"))
    assert (even.cramers_v, even.p_value) == (0, 1)


def test_every_option_has_its_counts_even_if_never_chosen() -> None:
    bias = position_bias(list("BBA"), list("ABCD"), 4)
    assert bias is not None
    assert bias.chosen == {"A": 1, "B": 2, "C": 0, "D": 0}
    assert bias.key_counts == {"A": 1, "B": 1, "C": 1, "D": 1}


def test_without_choices_or_options_there_is_no_preference() -> None:
    assert position_bias([], list("ABCD"), 4) is None
    assert position_bias(["A"], ["A"], 1) is None


def test_unbiased_models_are_called_biased_as_often_as_the_p_value_says() -> None:
    rng = np.random.default_rng(11)
    biases = [position_bias(list(rng.choice(list("ABCDEFGH"), 160)), [], 8) for _ in range(600)]
    share = np.mean([bias is not None and bias.p_value < 0.05 for bias in biases])
    assert share == pytest.approx(0.05, abs=4 * (0.05 * 0.95 / 600) ** 0.5)
