"""All pairs of many models: the exact tests agree with those for two, and ties of models that are all alike are found at once."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from isovist.stats.multiple_comparisons import compact_letter_groups, every_pair, sign_flip_test
from isovist.stats.pairwise_tests import compare_paired


def test_single_items_give_mcnemars_test() -> None:
    rng = np.random.default_rng(1)
    scores = (rng.random((4, 60)) < [[0.3], [0.35], [0.6], [0.9]]).astype(float)
    groups = list(range(60))
    for (a, b), p in every_pair(scores, groups).items():
        assert p == pytest.approx(compare_paired(list(scores[a]), list(scores[b]), groups).p)


@pytest.mark.parametrize("seed", range(5))
def test_flipped_signs_are_those_of_every_flip(seed: int) -> None:
    sums = np.random.default_rng(seed).integers(1, 5, 9) * np.random.default_rng(seed + 9).choice([-1, 1, 1], 9)
    flips = [abs(sum(sign * value for sign, value in zip(signs, sums, strict=True))) for signs in product((-1, 1), repeat=9)]
    assert sign_flip_test(sums.astype(float)) == pytest.approx(sum(total >= abs(sums.sum()) for total in flips) / 2**9)


def test_a_large_difference_of_few_groups_is_not_stopped_by_a_floor() -> None:
    """Forty groups of three, all to one side: no number of random flips would say how unlikely that is."""
    scores = np.array([[0.0] * 120, [1.0] * 120])
    (p,) = every_pair(scores, [place // 3 for place in range(120)]).values()
    assert p == pytest.approx(2 / 2**40)


@pytest.mark.parametrize("groups", [8, 30, 450], ids=["few", "more", "very many"])
def test_broken_credits_and_very_many_groups_give_the_same_verdict_as_for_two(groups: int) -> None:
    rng = np.random.default_rng(3)
    scores = np.clip(rng.random((3, 2 * groups)) * 0.5 + [[0.0], [0.0], [0.5]], 0, 1).round(2)
    names = [place // 2 for place in range(2 * groups)]
    p_values = every_pair(scores, names)
    assert {pair: p < 0.05 for pair, p in p_values.items()} == {
        (a, b): compare_paired(list(scores[a]), list(scores[b]), names).p < 0.05 for a, b in combinations(range(3), 2)
    }
    assert p_values[0, 2] < 0.05 < p_values[0, 1]


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="3 credits of items in 2 groups"):
        every_pair(np.zeros((2, 3)), [1, 2])


def test_thirty_models_that_are_all_alike_are_one_tie() -> None:
    assert compact_letter_groups(30, []) == [tuple(range(30))]
    apart = [(a, b) for a, b in combinations(range(30), 2) if b - a > 14]
    assert compact_letter_groups(30, apart) == [tuple(range(first, first + 15)) for first in range(16)]
