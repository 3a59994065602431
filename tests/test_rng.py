"""Random streams: named by their path, fixed for ever, fair."""

from __future__ import annotations

import math
import struct
from collections import Counter
from contextlib import suppress
from hashlib import blake2b
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from isovist.core.rng import Rng, balanced_stratum

names = st.one_of(st.text(st.characters(codec="utf-8"), max_size=8), st.integers(-(2**40), 2**40))
paths = st.lists(names, max_size=5)


def derived(path: list[str | int], n: int) -> list[float]:
    """The first numbers of a stream, by the published recipe and without the class."""
    key = b""
    for name in path:
        kind = b"i" if isinstance(name, int) else b"s"
        key = blake2b(kind + str(name).encode(), key=key, digest_size=32).digest()
    out: list[float] = []
    for block in range(-(-n // 8)):
        digest = blake2b(struct.pack(">Q", block), key=key, digest_size=64).digest()
        words = [int.from_bytes(digest[i : i + 8], "big") for i in range(0, 64, 8)]
        out += [(word >> 11) / 2**53 for word in reversed(words)]
    return out[:n]


def fair(counts: Counter[int], cells: int) -> bool:
    """Whether the counts pass a chi-square test that a fair stream fails once in 10,000 seeds."""
    n = sum(counts.values())
    expected = n / cells
    statistic = sum((counts[cell] - expected) ** 2 / expected for cell in range(cells))
    return bool(statistic < chi2.isf(1e-4, cells - 1))


# ---- streams are keyed ---------------------------------------------------------------------------------------------


@given(paths)
def test_a_stream_is_the_published_recipe(path: list[str | int]) -> None:
    stream = Rng(*path)
    assert [stream.random() for _ in range(20)] == derived(path, 20)


@given(paths, st.integers(0, 5))
def test_a_path_may_be_given_in_pieces(path: list[str | int], cut: int) -> None:
    whole = Rng(*path)
    assert Rng(*path[:cut]).at(*path[cut:]).key == whole.key
    assert Rng.of(whole.key).random() == whole.random()


def test_draws_elsewhere_do_not_matter() -> None:
    parent = Rng("task", 3)
    child = parent.at("item").random()
    for _ in range(11):
        parent.random()
    parent.at("other").shuffled(range(50))
    assert parent.at("item").random() == child


def test_paths_with_the_same_letters_are_other_streams() -> None:
    streams = [
        Rng(),
        Rng(""),
        Rng("ab"),
        Rng("a", "b"),
        Rng("b", "a"),
        Rng("", "ab"),
        Rng("ab", ""),
        Rng(1),
        Rng("1"),
        Rng(-1),
        Rng(1, 1),
        Rng(11),
    ]
    assert len({stream.key for stream in streams}) == len(streams)
    assert len({stream.random() for stream in streams}) == len(streams)


def test_a_path_does_not_depend_on_paths_named_before() -> None:
    # True equals 1 in every dictionary and cache; whoever asks for it first must not decide what 1 means
    with suppress(TypeError, ValueError):  # it may also be refused
        Rng("named only here", True)
    assert Rng("named only here", 1).random() == derived(["named only here", 1], 1)[0]


def test_neighbouring_seeds_are_not_shifted_copies() -> None:
    a, b = ([Rng(seed, i).random() for i in range(200)] for seed in (42, 43))
    assert not set(a) & set(b)


def test_a_stream_does_not_run_out_or_repeat() -> None:
    stream = Rng("long")
    assert len({stream.random() for _ in range(10_000)}) == 10_000


# ---- golden values -------------------------------------------------------------------------------------------------
# Every item ever published depends on these numbers. If one of them moves, the algorithm has changed: put it back.

GOLDEN_FLOATS = [
    0.4261802128767552,
    0.13327046967722112,
    0.40347179261369426,
    0.10759869013274614,
    0.6834844363021607,
    0.8577443183789086,
    0.12695371702736202,
    0.258988881292322,
    0.3562740950990517,
    0.3508486299552087,
]
GOLDEN_ROOT = 0.023643953363773784
GOLDEN_KEY = "aa95ddde8c37654f051dd449d8ae724d23870abd6cc3511556f8e2d700c8a3f6"
GOLDEN_CELLS = [6, 1, 5, 3, 0, 2, 7, 4, 0, 2, 3, 1, 5, 6, 4, 7, 1, 2, 5, 4, 0, 3, 7, 6]


def test_the_numbers_never_change() -> None:
    stream = Rng("cdr/relative-compass-letter", 1, "test", "standard", 0)
    assert [stream.random() for _ in range(10)] == GOLDEN_FLOATS
    assert Rng().random() == GOLDEN_ROOT
    assert Rng("a", 1, "", -7).key.hex() == GOLDEN_KEY


def test_the_draws_never_change() -> None:
    stream = Rng("golden")
    assert [stream.at("integer").integer(-5, 5), stream.at("integer").integer(0, 10**6)] == [4, 828190]
    assert stream.at("shuffled").shuffled(range(12)) == [6, 0, 9, 4, 11, 10, 7, 5, 2, 3, 8, 1]
    assert stream.at("sample").sample("abcdefgh", 5) == ["g", "b", "e", "c", "d"]
    assert stream.at("pick").pick(["x", "y", "z"]) == "z"
    assert stream.at("chance").chance(0.5) is True
    assert stream.at("uniform").uniform(-1, 3) == -0.6740994066031272
    assert [balanced_stratum(stream.at("cells"), 8, i) for i in range(24)] == GOLDEN_CELLS


# ---- ranges and fairness -------------------------------------------------------------------------------------------


@given(names, st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_uniform_stays_in_its_range(name: str | int, low: float, width: float) -> None:
    stream = Rng("uniform", name)
    assert all(low <= stream.uniform(low, low + width) <= low + width for _ in range(20))


@given(names, st.integers(-1000, 1000), st.integers(0, 50))
def test_integer_stays_in_its_range_and_takes_one_value_where_there_is_one(name: str | int, low: int, more: int) -> None:
    stream = Rng("integer", name)
    drawn = {stream.integer(low, low + more) for _ in range(40)}
    assert drawn <= set(range(low, low + more + 1))


def test_integer_reaches_both_ends() -> None:
    stream = Rng("ends")
    assert {stream.integer(3, 5) for _ in range(100)} == {3, 4, 5}


@pytest.mark.parametrize("cells", [2, 3, 8, 100])
def test_integers_and_picks_are_fair(cells: int) -> None:
    stream = Rng("fair", cells)
    assert fair(Counter(stream.integer(0, cells - 1) for _ in range(200 * cells)), cells)
    assert fair(Counter(stream.pick(range(cells)) for _ in range(200 * cells)), cells)


def test_chance_hits_its_probability() -> None:
    stream = Rng("chance")
    hits = sum(stream.chance(0.3) for _ in range(10_000))
    assert abs(hits - 3000) < 4 * math.sqrt(10_000 * 0.3 * 0.7)
    assert not any(stream.chance(0) for _ in range(100))
    assert all(stream.chance(1) for _ in range(100))


@given(names, st.lists(st.integers(), max_size=30))
def test_a_shuffle_is_a_permutation_and_leaves_its_argument_alone(name: str | int, xs: list[int]) -> None:
    before = list(xs)
    assert Counter(Rng("shuffle", name).shuffled(xs)) == Counter(xs)
    assert xs == before


@given(names, st.lists(st.integers(), unique=True, max_size=30), st.data())
def test_a_sample_has_no_member_twice(name: str | int, xs: list[int], data: st.DataObject) -> None:
    k = data.draw(st.integers(0, len(xs)))
    drawn = Rng("sample", name).sample(xs, k)
    assert len(drawn) == len(set(drawn)) == k
    assert set(drawn) <= set(xs)


def test_a_sample_of_more_than_there_is_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot draw 4 of 3"):
        Rng().sample("abc", 4)


def test_all_orders_are_equally_likely() -> None:
    seen = Counter(tuple(Rng("orders", i).shuffled("abcd")) for i in range(4800))
    assert fair(Counter(dict(enumerate(seen.values()))), 24)
    drawn = Counter(tuple(Rng("draws", i).sample("abcd", 2)) for i in range(2400))
    assert fair(Counter(dict(enumerate(drawn.values()))), 12)


# ---- balance -------------------------------------------------------------------------------------------------------


@given(names, st.integers(1, 40), st.integers(0, 400))
def test_cells_are_balanced_at_every_length(name: str | int, cells: int, n: int) -> None:
    stream = Rng("balanced", name)
    counts = Counter(dict.fromkeys(range(cells), 0))
    counts.update(balanced_stratum(stream, cells, i) for i in range(n))
    assert set(counts) == set(range(cells))
    assert max(counts.values()) - min(counts.values()) <= (n % cells > 0)


@given(names, st.integers(2, 20), st.integers(0, 10**9))
def test_a_cell_needs_no_history(name: str | int, cells: int, index: int) -> None:
    first = balanced_stratum(Rng("history", name), cells, index)
    stream = Rng("history", name)
    stream.random()
    for i in range(50):
        balanced_stratum(stream, cells, i)
    assert balanced_stratum(stream, cells, index) == first


def test_one_block_does_not_foretell_the_next() -> None:
    stream = Rng("blocks")
    blocks = [tuple(balanced_stratum(stream, 4, 4 * b + i) for i in range(4)) for b in range(2400)]
    assert fair(Counter(dict(enumerate(Counter(blocks).values()))), 24)
    # what follows a block starts anew: the first of a block against the first and the last of the one before
    for place in (0, 3):
        pairs = Counter(4 * a[place] + b[0] for a, b in pairwise(blocks))
        assert fair(pairs, 16)


def test_streams_of_other_names_are_balanced_in_other_orders() -> None:
    orders = {tuple(balanced_stratum(Rng("name", k), 8, i) for i in range(8)) for k in range(50)}
    assert len(orders) > 45
