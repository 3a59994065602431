"""Which size to ask next, so that few items tell where accuracy has fallen half-way to chance.

This is QUEST+ (Watson 2017, Journal of Vision 17(3):10) with one number in its focus: a posterior on a grid of the curve's
parameters, and the next question the one whose answer is expected to say most about them. To say much about all of them is to spend
items on how steep the curve is and how high it begins; here the information counts that an answer holds about the half-way size
alone, I(answer; half-way) = H(answer) - sum over half-way sizes of P(half-way) H(answer | half-way).

The curve is that of `isovist.stats.thresholds`, which also judges in the end, with no prior; what stands here only chooses. All
half-way sizes beyond the sizes that can be asked count as one on each side: they need not be told apart.

questplus, the usual package, has a closed list of curves with one floor for all sizes, and here chance may fall with size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isovist.stats.thresholds import LARGEST_LAPSE, Level, fall, remaining

_Array = NDArray[np.float64]

_STEEPNESSES = np.geomspace(1.5, 20.0, 7)
_LAPSES = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.4, LARGEST_LAPSE])  # of the room above the mean chance
# What is believed of them before any answer. Measured in simulations: with less certain ones items go to size 1 and to the slope,
# with more certain ones a few searches are lost (`benchmarks/adaptive.py`).
_STEEPNESS, _STEEPNESS_SPREAD = 4.0, 0.7
_LAPSE = 0.2
_HALFWAYS = 81  # within the sizes
_BEYOND = 0.5  # of the span of the sizes, how far beyond them the half-way size may lie
_FIRST = 4
"""Sizes that are asked before any is chosen: the ends, so that nothing is extrapolated, and two between."""


@dataclass(frozen=True, slots=True)
class Belief:
    """Where the half-way size is believed to lie: its mean, and the ends that leave out one part in 40 on each side."""

    halfway: float
    low: float
    high: float


class Search:
    """What answers to items of some sizes say about the half-way size, and which size says more."""

    def __init__(self, sizes: Sequence[int], chances: Sequence[float]) -> None:
        """`chances`: of a guesser at each of the sizes, which rise. A size at which nobody can be wrong is never chosen."""
        self._sizes = tuple(sizes)
        self._askable = np.asarray(chances) < 1
        low, high = sizes[0], sizes[-1]
        halfways = _halfways(low, high)
        self._halfways: _Array = np.clip(halfways, low, high)
        self._within = int(np.searchsorted(self._halfways, low, side="right"))  # the first of them
        self._above = int(np.searchsorted(self._halfways, high, side="left"))
        h, s, lapse, shape = np.meshgrid(halfways, _STEEPNESSES, _LAPSES, [True, False], indexing="ij")
        at = np.asarray(sizes, dtype=float)[:, None, None, None, None] / h
        height = np.where(shape, remaining(at, s, by_ratio=True), remaining(at, s, by_ratio=False))
        floor = np.asarray(chances, dtype=float)[:, None, None, None, None]
        room = 1 - float(np.mean(chances))
        share = (floor + np.maximum(0, 1 - lapse * room - floor) * height).reshape(len(sizes), len(halfways), -1)
        self._shares: _Array = np.clip(share, 1e-6, 1 - 1e-6)  # (sizes, half-way sizes, the other parameters)
        self._right, self._wrong = np.log(self._shares), np.log1p(-self._shares)
        certain = -lapse / _LAPSE - (np.log(s / _STEEPNESS) / _STEEPNESS_SPREAD) ** 2 / 2
        self._prior: _Array = certain.reshape(len(halfways), -1)

    @property
    def first(self) -> tuple[int, ...]:
        """The sizes with which every search begins."""
        askable = [size for size, can in zip(self._sizes, self._askable, strict=True) if can]
        places = np.linspace(0, len(askable) - 1, min(_FIRST, len(askable))).round().astype(int)
        return tuple(askable[int(place)] for place in places)

    def next(self, levels: Sequence[Level], under_way: Sequence[int] = ()) -> int:
        """The size to ask next. Items `under_way` count as answered to that part that is to be expected."""
        known = {level.size: (float(level.n), level.credit) for level in levels if level.n}
        for size in self.first:
            if size not in known and size not in under_way:
                return size
        weights = self._weights(known)
        expected = {size: float((self._shares[self._sizes.index(size)] * weights).sum()) for size in under_way}
        for size in under_way:
            n, credit = known.get(size, (0.0, 0.0))
            known[size] = n + 1, credit + expected[size]
        told = self._information(self._weights(known) if under_way else weights)
        return self._sizes[int(np.argmax(np.where(self._askable, told, -1.0)))]

    def precise(self, levels: Sequence[Level], half_width: float) -> bool:
        """Whether the 95 % interval of the half-way size, as `fall` has it, is as narrow as that."""
        if not set(self.first) <= {level.size for level in levels if level.n}:
            return False
        believed = self.belief(levels)
        if believed.high - believed.low > 2 * half_width:
            return False  # and the interval, which rests on no prior, is hardly narrower; working it out takes its time
        found = fall(levels)
        return found is not None and found.half_width <= half_width

    def belief(self, levels: Sequence[Level]) -> Belief:
        """Where the half-way size is believed to lie after these answers, one beyond the sizes at their end."""
        weights = self._weights({level.size: (float(level.n), level.credit) for level in levels}).sum(axis=1)
        low, high = np.searchsorted(np.cumsum(weights), [0.025, 0.975])
        last = len(weights) - 1
        ends = (float(self._halfways[min(int(end), last)]) for end in (low, high))
        return Belief(float(weights @ self._halfways), *ends)

    def _weights(self, known: Mapping[int, tuple[float, float]]) -> _Array:
        """The posterior: a probability for each half-way size and combination of the others."""
        found = self._prior.copy()
        for size, (n, credit) in known.items():
            place = self._sizes.index(size)
            found += credit * self._right[place] + (n - credit) * self._wrong[place]
        found = np.exp(found - found.max())
        return found / found.sum()

    def _information(self, weights: _Array) -> _Array:
        """What an answer at each size is expected to say about the half-way size, in nats."""
        right = self._merged((self._shares * weights).sum(axis=2))  # and the half-way size being this one
        of = self._merged(weights.sum(axis=1)[None, :])
        return _entropy(right.sum(axis=1)) - (of * _entropy(right / np.maximum(of, 1e-300))).sum(axis=1)

    def _merged(self, shares: _Array) -> _Array:
        """With one column for all half-way sizes below, and one for all above."""
        below, above = (it.sum(axis=1, keepdims=True) for it in (shares[:, : self._within], shares[:, self._above :]))
        return np.hstack([below, shares[:, self._within : self._above], above])


def _halfways(low: float, high: float) -> _Array:
    """Half-way sizes, evenly: within the sizes, and beyond."""
    step = (high - low) / (_HALFWAYS - 1)
    beyond = int(_BEYOND * (_HALFWAYS - 1))
    found: _Array = low + step * np.arange(-beyond, _HALFWAYS + beyond, dtype=np.float64)
    return found[found >= low / 2]


def _entropy(share: _Array) -> _Array:
    share = np.clip(share, 1e-12, 1 - 1e-12)
    return -share * np.log(share) - (1 - share) * np.log1p(-share)
