"""Which size to ask next, so that few items tell where accuracy has fallen half-way to chance.

A posterior on a grid of the curve's parameters, and the next question the one after whose answer the half-way size is expected to be
known best: its variance is expected to be least. That is the choice of QUEST+ (Watson 2017, Journal of Vision 17(3):10) with another
measure of what is known, and with one number in its focus: to learn much about all of the parameters is to spend items on how steep
the curve is and how high it begins. The measure is that of the estimate, which is the posterior's mean. QUEST+ takes entropy; a choice
by entropy gives large misses away for small ones, and in simulations more searches ended far from the planted size.

Curve and prior are those of `isovist.stats.psychometric_function`, which also judges in the end. All half-way sizes beyond the sizes that can be
asked count as one on each side: they need not be told apart.

questplus, the usual package, has a closed list of curves with one floor for all sizes, and here chance may fall with size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isovist.stats.psychometric_function import BEYOND, LARGEST_LAPSE, LevelCounts, curve_height, fit_threshold, prior

_Array = NDArray[np.float64]

_STEEPNESSES = np.geomspace(1.0, 24.0, 8)
_LAPSES = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.4, LARGEST_LAPSE])  # of the room above the mean chance
_HALFWAYS = 41  # within the sizes, evenly, and as many by ratio
_OUTSIDE = 8  # beyond them on each side
_FIRST = 4
"""Sizes that are asked before any is chosen: the ends, so that nothing is extrapolated, and two between."""
_FEWEST = 20
"""Items before which no search ends by itself: what was believed before any answer would have too large a part in it."""


ENOUGH, _ENOUGH_GUESSED, _GUESSED = 80, 100, 0.25
"""Items of which a search need not ask more, for a mean chance up to that and above. Measured: where half of all guesses are right, a search finds after 100 items
what ten items at each of 20 sizes find, elsewhere after 80 or fewer (`benchmarks/adaptive.py`).
"""


def enough(chances: Sequence[float]) -> int:
    """Items of which a search need not ask more. `chances`: of a guesser at each size."""
    return ENOUGH if sum(chances) / len(chances) <= _GUESSED else _ENOUGH_GUESSED


@dataclass(frozen=True, slots=True)
class ThresholdPosterior:
    """Where the half-way size is believed to lie: its mean, and the ends that leave out one part in 40 on each side."""

    halfway: float
    low: float
    high: float


class BayesianAdaptiveSearch:
    """What answers to items of some sizes say about the half-way size, and which size says more."""

    def __init__(self, sizes: Sequence[int], chances: Sequence[float]) -> None:
        """`chances`: of a guesser at each of the sizes, which rise. A size at which nobody can be wrong is never chosen."""
        self._sizes = tuple(sizes)
        self._askable = np.asarray(chances) < 1
        low, high = sizes[0], sizes[-1]
        halfways = _halfways(low, high)
        self._halfways: _Array = np.clip(halfways, low, high)
        h, s, lapse, shape = np.meshgrid(halfways, _STEEPNESSES, _LAPSES, [True, False], indexing="ij")
        at = np.asarray(sizes, dtype=float)[:, None, None, None, None] / h
        height = np.where(shape, curve_height(at, s, by_ratio=True), curve_height(at, s, by_ratio=False))
        floor = np.asarray(chances, dtype=float)[:, None, None, None, None]
        room = 1 - float(np.mean(chances))
        share = (floor + np.maximum(0, 1 - lapse * room - floor) * height).reshape(len(sizes), len(halfways), -1)
        self._shares: _Array = np.clip(share, 1e-6, 1 - 1e-6)  # (sizes, half-way sizes, the other parameters)
        self._right, self._wrong = np.log(self._shares), np.log1p(-self._shares)
        believed = prior(np.log(halfways), np.log(_STEEPNESSES), _LAPSES, (float(np.log(low)), float(np.log(high))))
        believed += np.log(_widths(np.log(halfways)))[:, None, None] + np.log(_widths(_LAPSES))
        self._prior: _Array = np.moveaxis(believed, 0, -1).reshape(len(halfways), -1)

    @property
    def first(self) -> tuple[int, ...]:
        """The sizes with which every search begins."""
        askable = [size for size, can in zip(self._sizes, self._askable, strict=True) if can]
        places = np.linspace(0, len(askable) - 1, min(_FIRST, len(askable))).round().astype(int)
        return tuple(askable[int(place)] for place in places)

    def next(self, levels: Sequence[LevelCounts], under_way: Sequence[int] = ()) -> int:
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
        left = self._left(self._weights(known) if under_way else weights)
        return self._sizes[int(np.argmin(np.where(self._askable, left, np.inf)))]

    def precise(self, levels: Sequence[LevelCounts], half_width: float) -> bool:
        """Whether the 95 % interval of the half-way size, as `fit_threshold` has it, is as narrow as that."""
        if sum(level.n for level in levels) < _FEWEST or not set(self.first) <= {level.size for level in levels if level.n}:
            return False
        believed = self.belief(levels)
        if believed.high - believed.low > 2 * half_width:
            return False  # and that of the finer grid is hardly narrower; working it out takes its time
        estimate = fit_threshold(levels)
        return estimate is not None and estimate.half_width <= half_width

    def belief(self, levels: Sequence[LevelCounts]) -> ThresholdPosterior:
        """Where the half-way size is believed to lie after these answers, one beyond the sizes at their end."""
        weights = self._weights({level.size: (float(level.n), level.credit) for level in levels}).sum(axis=1)
        low, high = np.searchsorted(np.cumsum(weights), [0.025, 0.975])
        last = len(weights) - 1
        ends = (float(self._halfways[min(int(end), last)]) for end in (low, high))
        return ThresholdPosterior(float(weights @ self._halfways), *ends)

    def _weights(self, known: Mapping[int, tuple[float, float]]) -> _Array:
        """The posterior: a probability for each half-way size and combination of the others."""
        log_weights = self._prior.copy()
        for size, (n, credit) in known.items():
            place = self._sizes.index(size)
            log_weights += credit * self._right[place] + (n - credit) * self._wrong[place]
        log_weights = np.exp(log_weights - log_weights.max())
        return log_weights / log_weights.sum()

    def _left(self, weights: _Array) -> _Array:
        """The variance of the half-way size to be expected after an answer at each size."""
        right = (self._shares * weights).sum(axis=2)  # and the half-way size being this one
        wrong = weights.sum(axis=1) - right
        return self._spread(right) + self._spread(wrong)

    def _spread(self, masses: _Array) -> _Array:
        """The variance of the half-way size by these masses, shape (sizes, half-way sizes), times their sum."""
        first, second = masses @ self._halfways, masses @ self._halfways**2
        return second - first * first / np.maximum(masses.sum(axis=1), 1e-300)


def _halfways(low: float, high: float) -> _Array:
    """Half-way sizes: evenly and by ratio within the sizes, and by ratio beyond."""
    within = np.unique(np.concatenate([np.linspace(low, high, _HALFWAYS), np.geomspace(low, high, _HALFWAYS)]).round(9))
    beyond = np.geomspace(1, BEYOND, _OUTSIDE + 1)[1:]
    sizes: _Array = np.concatenate([low / beyond[::-1], within, high * beyond])
    return sizes


def _widths(places: _Array) -> _Array:
    """How much of an axis each of some places on it stands for."""
    edges = np.concatenate([places[:1], (places[1:] + places[:-1]) / 2, places[-1:]])
    return np.diff(edges)
