"""Whether two models are told apart when they differ, and are not when they do not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from isovist.stats.multiple_comparisons import compact_letter_groups, holm
from isovist.stats.pairwise_tests import ALPHA, POWER, compare_paired


def pairs(
    rng: np.random.Generator, n: int, only_a: float, only_b: float, both: float = 0.3, members: int = 1
) -> tuple[list[float], list[float], list[int]]:
    """`n` groups of items: what each group's items come to is drawn once for all of them."""
    kinds = rng.choice(4, size=n, p=[only_a, only_b, both, 1 - only_a - only_b - both]).repeat(members)
    a, b = (np.isin(kinds, right_kinds).astype(float).tolist() for right_kinds in ((0, 2), (1, 2)))
    return a, b, np.arange(n).repeat(members).tolist()


def test_it_is_mcnemars_test_where_each_item_stands_for_itself() -> None:
    comparison = compare_paired([1.0] * 9 + [0.0] * 21, [1.0] * 2 + [0.0] * 10 + [1.0] * 18, range(30))
    assert (comparison.only_a, comparison.only_b, comparison.n, comparison.groups) == (7, 18, 30, 30)
    assert comparison.p == pytest.approx(binomtest(7, 25).pvalue)
    assert comparison.difference.estimate == pytest.approx(11 / 30)


def test_flipping_the_signs_of_groups_is_the_same_test_with_one_item_a_group() -> None:
    a, b = [1.0] * 8 + [0.0] * 12, [0.0] * 8 + [1.0] * 2 + [0.0] * 10
    plain = compare_paired(a, b, range(20))
    partial = compare_paired([*a, 0.5], [*b, 0.5], range(21))  # one tie with partial credit changes no difference
    assert plain.test != partial.test
    assert partial.p == pytest.approx(plain.p, abs=1e-12)  # ten groups differ: all their flips are gone through


@pytest.mark.parametrize(("members", "difference"), [(1, False), (4, False), (1, True), (4, True)])
def test_false_alarms_are_as_rare_as_they_should_be_and_real_differences_found(members: int, difference: bool) -> None:
    rng, times, n = np.random.default_rng(5), 200, 80
    significant = [compare_paired(*pairs(rng, n, 0.05, 0.3 if difference else 0.05, members=members)).p < ALPHA for _ in range(times)]
    assert (np.mean(significant) > 0.95) if difference else (np.mean(significant) <= ALPHA + 3 * (ALPHA * (1 - ALPHA) / times) ** 0.5)


@pytest.mark.parametrize("members", [1, 3])
def test_as_many_items_as_are_needed_find_the_difference_as_often_as_is_said(members: int) -> None:
    rng = np.random.default_rng(8)
    needed = compare_paired(*pairs(rng, 40_000, 0.08, 0.2, members=members)).required_n
    assert needed is not None
    significant = [compare_paired(*pairs(rng, needed // members, 0.08, 0.2, members=members)).p < ALPHA for _ in range(300)]
    assert abs(np.mean(significant) - POWER) < 0.08


def test_no_number_of_items_tells_twins_apart() -> None:
    comparison = compare_paired([1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0, 1, 2])
    assert comparison.required_n is None
    assert comparison.p == 1


def test_a_difference_in_every_item_still_needs_items() -> None:
    needed = compare_paired([0.0] * 30, [1.0] * 30, range(30)).required_n
    assert needed == 6
    assert compare_paired([0.0] * needed, [1.0] * needed, range(needed)).p < ALPHA
    assert compare_paired([0.0] * 5, [1.0] * 5, range(5)).p > ALPHA


def test_no_items_are_refused() -> None:
    with pytest.raises(ValueError, match="no items"):
        compare_paired([], [], [])


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


@pytest.mark.parametrize(
    ("apart", "sets"),
    [([], [(0, 1, 2)]), ([(0, 2)], [(0, 1), (1, 2)]), ([(0, 1), (0, 2)], [(0,), (1, 2)]), ([(0, 1), (0, 2), (1, 2)], [(0,), (1,), (2,)])],
)
def test_ties_are_the_largest_sets_that_are_not_apart(apart: list[tuple[int, int]], sets: list[tuple[int, ...]]) -> None:
    assert compact_letter_groups(3, apart) == sets
