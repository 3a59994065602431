"""Drawing without replacement: none twice, the same from any place, and in the end all again."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isovist.core.rng import Rng
from isovist.core.sampling_without_replacement import Deck
from isovist.core.task import SamplingContext
from isovist.data.item import make_item
from isovist.suites import registry

Pair = tuple[int, int]


def uneven(rng: Rng) -> Pair | None:
    """A pair of a first number that is mostly small and a second one; every other draw fails."""
    return None if rng.chance(0.5) else (min(rng.integer(0, 9), rng.integer(0, 9)), rng.integer(0, 3))


def marks(pair: Pair) -> tuple[Hashable, ...]:
    return pair[0], pair


@given(st.integers(0, 10**6), st.integers(0, 60))
def test_a_place_holds_the_same_whichever_place_is_asked_for_first(seed: int, place: int) -> None:
    in_order = Deck(Rng(seed), uneven, marks)
    drawn = [in_order.at(k) for k in range(place + 1)]
    assert Deck(Rng(seed), uneven, marks).at(place) == drawn[-1]


@given(st.integers(0, 10**6))
def test_none_comes_twice_and_those_of_one_coarse_mark_only_when_others_are_rare(seed: int) -> None:
    deck = Deck(Rng(seed), uneven, marks)
    first_round = [pair for pair, again in map(deck.at, range(40)) if not again]
    assert len(set(first_round)) == len(first_round) > 20
    assert len({pair[0] for pair in first_round[:6]}) == 6
    (pair, again), size = deck.at(len(first_round)), len(first_round)
    assert (pair, again) == ((first_round[0], 1) if size < 40 else (pair, again))


def test_a_space_of_nothing_is_told() -> None:
    with pytest.raises(RuntimeError, match="nothing can be drawn"):
        Deck(Rng(0), lambda rng: None, marks).at(0)


def test_a_rank_counts_the_pictures_before_in_the_same_cells() -> None:
    """From whichever picture one begins."""
    task = registry.task("srbench/maze-nav-position")
    cells: dict[int, tuple[int, int]] = {}
    ranks: dict[int, int] = {}

    def sample(plan: SamplingContext) -> Any:
        cells[plan._group] = plan.image_stratum("a", 3), plan.image_stratum("b", 4)
        ranks[plan._group] = plan.rank(("a", 3), ("b", 4))
        return task.sample(plan)

    for k in (30, *range(30)):
        make_item(replace(task, sample=sample), task.address("test", "13x13", 0, k, {}))
    for k, rank in ranks.items():
        assert rank == sum(cells[j] == cells[k] for j in range(k))
    assert max(ranks.values()) > 1
