"""Adaptive testing: Bayesian selection of the next problem size, to estimate the size threshold from few items.

The posterior is computed on a grid of the parameters of the psychometric function. The next size minimizes the expected posterior
variance of the size threshold. This is the scheme of QUEST+ (Watson, 2017, Journal of Vision 17(3):10) with two changes. The criterion
concerns the threshold alone, because a criterion over all parameters spends items on slope and lapse rate. The criterion is the
variance, which is the expected squared error of the posterior mean, the estimate; with the entropy of QUEST+, more simulated searches
ended far from the true threshold.

Psychometric function and prior are those of `isovist.stats.psychometric_function`, which also computes the final estimate. All
thresholds beyond the available sizes are clipped to the nearest size, because they need not be distinguished.

The package questplus is not used: it supports a fixed set of functions with one guess rate, and here chance may decrease with size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isovist.stats.psychometric_function import BEYOND, LARGEST_LAPSE, LevelCounts, curve_height, fit_threshold, prior

_Array = NDArray[np.float64]

_STEEPNESSES = np.geomspace(1.0, 24.0, 8)
_LAPSES = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.4, LARGEST_LAPSE])  # lapse rates as proportions of 1 - mean chance
_HALFWAYS = 41  # grid points within the sizes on a linear scale, and as many on a logarithmic scale
_OUTSIDE = 8  # grid points beyond the sizes on each side
_FIRST = 4
"""Number of fixed initial sizes: the smallest and the largest, to avoid extrapolation, and two between them."""
_FEWEST = 20
"""Minimum number of items before the target precision can stop a search; with fewer items the prior has too much weight."""


ENOUGH, _ENOUGH_GUESSED, _GUESSED = 80, 100, 0.25
"""Sufficient number of items of a search, for a mean chance up to `_GUESSED` and above it. In simulations (`benchmarks/adaptive.py`) a
search is then as precise as ten items at each of 20 sizes: after 100 items at a chance of 50%, after 80 or fewer at lower chance.
"""


def enough(chances: Sequence[float]) -> int:
    """The sufficient number of items of a search. `chances`: the chance level at each size."""
    return ENOUGH if sum(chances) / len(chances) <= _GUESSED else _ENOUGH_GUESSED


@dataclass(frozen=True, slots=True)
class ThresholdPosterior:
    """The posterior of the size threshold: its mean and its 95% credible interval."""

    halfway: float
    low: float
    high: float


class BayesianAdaptiveSearch:
    """The posterior of the size threshold from the responses so far, and the choice of the next size."""

    def __init__(self, sizes: Sequence[int], chances: Sequence[float]) -> None:
        """`sizes`: the available sizes in ascending order; `chances`: the chance level at each. A size with chance 1 is not chosen."""
        self._sizes = tuple(sizes)
        self._available = np.asarray(chances) < 1
        low, high = sizes[0], sizes[-1]
        halfways = _halfways(low, high)
        self._halfways: _Array = np.clip(halfways, low, high)
        h, s, lapse, shape = np.meshgrid(halfways, _STEEPNESSES, _LAPSES, [True, False], indexing="ij")
        at = np.asarray(sizes, dtype=float)[:, None, None, None, None] / h
        height = np.where(shape, curve_height(at, s, by_ratio=True), curve_height(at, s, by_ratio=False))
        floor = np.asarray(chances, dtype=float)[:, None, None, None, None]
        room = 1 - float(np.mean(chances))
        share = (floor + np.maximum(0, 1 - lapse * room - floor) * height).reshape(len(sizes), len(halfways), -1)
        self._shares: _Array = np.clip(share, 1e-6, 1 - 1e-6)  # accuracy, shape (sizes, thresholds, combinations of other parameters)
        self._log_correct, self._log_incorrect = np.log(self._shares), np.log1p(-self._shares)
        log_prior = prior(np.log(halfways), np.log(_STEEPNESSES), _LAPSES, (float(np.log(low)), float(np.log(high))))
        log_prior += np.log(_widths(np.log(halfways)))[:, None, None] + np.log(_widths(_LAPSES))
        self._prior: _Array = np.moveaxis(log_prior, 0, -1).reshape(len(halfways), -1)

    @property
    def first(self) -> tuple[int, ...]:
        """The fixed initial sizes of every search."""
        available = [size for size, can in zip(self._sizes, self._available, strict=True) if can]
        places = np.linspace(0, len(available) - 1, min(_FIRST, len(available))).round().astype(int)
        return tuple(available[int(place)] for place in places)

    def next(self, levels: Sequence[LevelCounts], under_way: Sequence[int] = ()) -> int:
        """The next size. Items `under_way`, without a response yet, count with their expected credit."""
        known = {level.size: (float(level.n), level.credit) for level in levels if level.n}
        for size in self.first:
            if size not in known and size not in under_way:
                return size
        weights = self._weights(known)
        expected = {size: float((self._shares[self._sizes.index(size)] * weights).sum()) for size in under_way}
        for size in under_way:
            n, credit = known.get(size, (0.0, 0.0))
            known[size] = n + 1, credit + expected[size]
        variances = self._expected_variances(self._weights(known) if under_way else weights)
        return self._sizes[int(np.argmin(np.where(self._available, variances, np.inf)))]

    def precise(self, levels: Sequence[LevelCounts], half_width: float) -> bool:
        """Whether half the width of the 95% interval of the size threshold, by `fit_threshold`, is at most `half_width`."""
        if sum(level.n for level in levels) < _FEWEST or not set(self.first) <= {level.size for level in levels if level.n}:
            return False
        posterior = self.belief(levels)
        if posterior.high - posterior.low > 2 * half_width:
            return False  # the interval of the finer grid is similar and takes longer to compute
        estimate = fit_threshold(levels)
        return estimate is not None and estimate.half_width <= half_width

    def belief(self, levels: Sequence[LevelCounts]) -> ThresholdPosterior:
        """The posterior of the size threshold after these responses; thresholds beyond the sizes are clipped."""
        weights = self._weights({level.size: (float(level.n), level.credit) for level in levels}).sum(axis=1)
        low, high = np.searchsorted(np.cumsum(weights), [0.025, 0.975])
        last = len(weights) - 1
        ends = (float(self._halfways[min(int(end), last)]) for end in (low, high))
        return ThresholdPosterior(float(weights @ self._halfways), *ends)

    def _weights(self, known: Mapping[int, tuple[float, float]]) -> _Array:
        """The posterior probabilities, shape (thresholds, combinations of other parameters)."""
        log_weights = self._prior.copy()
        for size, (n, credit) in known.items():
            place = self._sizes.index(size)
            log_weights += credit * self._log_correct[place] + (n - credit) * self._log_incorrect[place]
        log_weights = np.exp(log_weights - log_weights.max())
        return log_weights / log_weights.sum()

    def _expected_variances(self, weights: _Array) -> _Array:
        """The expected posterior variance of the size threshold after one response at each size, shape (sizes,)."""
        right = (self._shares * weights).sum(axis=2)  # joint probability of a correct response and each threshold
        wrong = weights.sum(axis=1) - right
        return self._spread(right) + self._spread(wrong)

    def _spread(self, masses: _Array) -> _Array:
        """The variance of the size threshold under unnormalized weights, shape (sizes, thresholds), multiplied by their sum."""
        first, second = masses @ self._halfways, masses @ self._halfways**2
        return second - first * first / np.maximum(masses.sum(axis=1), 1e-300)


def _halfways(low: float, high: float) -> _Array:
    """Grid of thresholds: linear and logarithmic within the sizes, logarithmic beyond them."""
    within = np.unique(np.concatenate([np.linspace(low, high, _HALFWAYS), np.geomspace(low, high, _HALFWAYS)]).round(9))
    beyond = np.geomspace(1, BEYOND, _OUTSIDE + 1)[1:]
    sizes: _Array = np.concatenate([low / beyond[::-1], within, high * beyond])
    return sizes


def _widths(places: _Array) -> _Array:
    """The width of the interval around each grid point, for integration over an axis."""
    edges = np.concatenate([places[:1], (places[1:] + places[:-1]) / 2, places[-1:]])
    return np.diff(edges)
