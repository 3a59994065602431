"""How accuracy falls with size, and the size at which it has fallen half-way to chance.

The curve is ``chance + (1 - lapse - chance) / (1 + exp(steepness * u))``, a logistic function that falls from ``1 - lapse`` for
the smallest sizes to chance for the largest, with ``u = 0`` at the half-way size.

- ``u`` is ``log(size / halfway)`` or ``size / halfway - 1``. Things that are counted get harder by ratios, steps along a path
  one by one, and few data tell the two apart; so the shape is one more thing that is not known. A fit of one shape alone
  misses thresholds planted with the other far too often, with a narrow interval around a wrong size.
- Chance is no parameter. It is what a guesser gets, known level by level: the more positions, the smaller it may be.
- The lapse is what keeps a model from 100 % even where things are easy. It is bounded, or else any fall would be half a fall.
- The estimate is the mean of the posterior under a weak prior (`prior`), half-way sizes beyond those that were asked counting as the
  end; the interval leaves out one part in 40 on each side, and is open where that is beyond the sizes: nothing is extrapolated. A
  fit by maximum likelihood runs away where few items are asked at the ends, since then nothing bounds lapse and steepness.

psignifit, the usual program, is Bayesian too (Schuett, Harmeling, Macke and Wichmann, 2016, Vision Research). It has one chance for
all levels and brings matplotlib; with a falling curve, its "nAFC" fixes the curve's top instead of its floor. Here the posterior is
worked out on a grid that closes in on where it is, which has no starting point to choose and cannot fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Side = Literal["within", "above", "below", "unknown"]
"""Where the half-way size lies: within the sizes asked, above the largest, below the smallest, or nobody knows."""

_Array = NDArray[np.float64]

LARGEST_LAPSE = 0.5
"""As a share of the room above chance, so that the curve's top is always at least half-way from chance to 100 %."""
BEYOND = 3.0
"""How many times beyond the sizes asked the half-way size may lie."""
_OUTSIDE = 0.05  # what is believed of that before any answer, on each side
_LAPSE = 0.15  # the mean, but for its bound
_STEEPNESS, _STEEPNESS_SPREAD = 4.0, 0.7
_FLATTEST, _STEEPEST = 0.25, 400.0  # over 20 sizes nearly flat, and a cliff between 19 and 20
_GRID = (41, 17, 11)  # half-way sizes, steepnesses, lapses
_MARGIN = 10.0  # of log-posterior below the peak, down to which the grid is made finer
_FEW, _CLOSER = 200.0, 16.0  # with more items the peak may be lost between two places, and the grid closes in on it by steps


@dataclass(frozen=True, slots=True)
class LevelCounts:
    """What came of the items of one size."""

    size: int
    n: float
    """How many; of items in groups, as many independent ones as they are worth."""
    credit: float
    """The sum of the credits of so many, each in [0, 1]."""
    chance: float
    """Their mean chance."""


@dataclass(frozen=True, slots=True)
class PsychometricCurve:
    """A fitted curve: accuracy as a function of size."""

    halfway: float
    slope: float
    """How fast it falls half-way: there, 1 % more size costs about a quarter of `steepness` per cent of its height."""
    lapse_rate: float
    log_scale: bool
    """Whether it is symmetric in the logarithm of size, else in size."""

    def at(self, size: float, chance: float) -> float:
        """The accuracy at a size, given the chance there."""
        ratio = size / self.halfway
        return chance + max(0.0, 1 - self.lapse_rate - chance) * float(curve_height(ratio, np.asarray(self.slope), by_ratio=self.log_scale))


@dataclass(frozen=True, slots=True)
class ThresholdEstimate:
    """A fitted curve. The estimate and the ends of the interval are None where they are beyond the sizes asked."""

    range_status: Side
    threshold: float | None
    low: float | None
    high: float | None
    smallest: int
    largest: int
    curve: PsychometricCurve | None
    """One with that half-way size, only to be drawn: where it is beyond the sizes asked, the curve is one of many."""

    @property
    def half_width(self) -> float:
        """Half the width of the interval; where it is open, it goes to the end of the sizes that were asked."""
        return ((self.largest if self.high is None else self.high) - (self.smallest if self.low is None else self.low)) / 2

    def meets_precision(self, size: float) -> bool:
        """Whether the interval holds a half-way size, which may be beyond the sizes asked."""
        return (self.low is None or self.low <= size) and (self.high is None or size <= self.high)


def fit_threshold(levels: Sequence[LevelCounts], confidence: float = 0.95) -> ThresholdEstimate | None:
    """The curve through some levels; None without any item. Partial credit counts as that share of a right answer."""
    asked = tuple(sorted((level for level in levels if level.n), key=lambda level: level.size))
    return _fall(asked, confidence) if asked else None


@lru_cache(maxsize=1024)  # a report needs each several times
def _fall(levels: tuple[LevelCounts, ...], confidence: float) -> ThresholdEstimate:
    smallest, largest = levels[0].size, levels[-1].size
    levels = tuple(level for level in levels if level.chance < 1)  # where nobody can be wrong, nothing is learned
    if len(levels) < 2:  # and from one size nothing of a fall
        return ThresholdEstimate("unknown", None, None, None, smallest, largest, None)
    room = 1 - sum(level.n * level.chance for level in levels) / sum(level.n for level in levels)
    edges = float(np.log(smallest)), float(np.log(largest))
    posterior, axes = _posterior(levels, room, edges)
    masses = posterior.sum(axis=(0, 2, 3))
    masses /= masses.sum()
    out = (1 - confidence) / 2
    low, high = _quantiles(axes[0], masses, (out, 1 - out))
    below, above = (float(masses[beyond].sum()) for beyond in (axes[0] < edges[0], axes[0] > edges[1]))
    side: Side = "below" if below > 0.5 else "above" if above > 0.5 else "within"
    if low <= edges[0] and high >= edges[1]:
        side = "unknown"
    mean = float(masses @ np.exp(np.clip(axes[0], *edges)))
    halfway = min(max(mean, float(np.exp(low))), float(np.exp(high)))
    place = int(np.abs(axes[0] - np.log(halfway)).argmin() if side == "within" else masses.argmax())
    shape, *best = (int(index) for index in np.unravel_index(int(posterior[:, place].argmax()), posterior[:, place].shape))
    steepness, lapse = (float(axis[index]) for axis, index in zip(axes[1:], best, strict=True))
    curve = PsychometricCurve(
        halfway if side == "within" else float(np.exp(axes[0][place])), float(np.exp(steepness)), lapse * room, log_scale=shape == 0
    )
    return ThresholdEstimate(
        side,
        halfway if side == "within" else None,
        None if low <= edges[0] else float(np.exp(min(low, edges[1]))),
        None if high >= edges[1] else float(np.exp(max(high, edges[0]))),
        smallest,
        largest,
        curve,
    )


def prior(halfways: _Array, steepnesses: _Array, lapses: _Array, edges: tuple[float, float]) -> _Array:
    """The logarithm of what is believed before any answer, in an array with an axis for the two shapes and one for each parameter.

    `halfways`, `steepnesses` and `edges` (the smallest size and the largest) are logarithms, and so is the scale of the density; lapses
    are shares of the room above chance. Within the sizes, half-way sizes are equally likely on the scale on which the curve is
    symmetric: in log(size) or in size. Beyond, to `BEYOND` times, they are ever less likely.
    """
    low, high = edges
    outwards = np.maximum(low - halfways, halfways - high)
    beyond = _OUTSIDE * 2 / np.log(BEYOND) * np.maximum(1e-9, 1 - outwards / np.log(BEYOND))
    even = np.full(len(halfways), 1 / (high - low)), np.exp(halfways) / (np.exp(high) - np.exp(low))
    at = np.log(np.stack([np.where(outwards > 0, beyond, (1 - 2 * _OUTSIDE) * density) for density in even]))
    others = -(((steepnesses[:, None] - np.log(_STEEPNESS)) / _STEEPNESS_SPREAD) ** 2) / 2 - lapses / _LAPSE
    log_prior: _Array = at[:, :, None, None] + others
    return log_prior


def curve_height(ratio: _Array | float, steepness: _Array, *, by_ratio: bool) -> _Array:
    """How much of the curve's height is left at a size, given as its ratio to the half-way size."""
    way = np.log(ratio) if by_ratio else ratio - 1
    return 0.5 - 0.5 * np.tanh(steepness * way / 2)  # the logistic function; tanh cannot overflow


def _likelihoods(levels: Sequence[LevelCounts], halfways: _Array, steepnesses: _Array, lapses: _Array) -> _Array:
    """The log-likelihood of each combination, in an array with an axis for the two shapes and one for each parameter."""
    total = np.zeros((2, len(halfways), len(steepnesses), len(lapses)))
    for level in levels:
        ratios = level.size / halfways[:, None]
        standing = np.stack([curve_height(ratios, steepnesses[None, :], by_ratio=by_ratio) for by_ratio in (True, False)])
        share = level.chance + np.maximum(0, 1 - lapses - level.chance) * standing[..., None]
        share = np.clip(share, 1e-9, 1 - 1e-9)  # a single slip must not make a curve impossible
        total += level.credit * np.log(share) + (level.n - level.credit) * np.log1p(-share)
    return total


def _posterior(levels: Sequence[LevelCounts], room: float, edges: tuple[float, float]) -> tuple[_Array, list[_Array]]:
    """The weight of each combination, on axes that have closed in on those that matter, and these axes: logarithms of half-way sizes and
    steepnesses, and lapses as shares of the room.
    """
    axes: list[_Array] = [
        np.linspace(edges[0] - np.log(BEYOND), edges[1] + np.log(BEYOND), _GRID[0]),
        np.linspace(np.log(_FLATTEST), np.log(_STEEPEST), _GRID[1]),
        np.linspace(0.0, LARGEST_LAPSE, _GRID[2]),
    ]

    def heights() -> _Array:
        return _likelihoods(levels, np.exp(axes[0]), np.exp(axes[1]), room * axes[2]) + prior(axes[0], axes[1], axes[2], edges)

    log_weights, wide = heights(), sum(level.n for level in levels) / _FEW
    for margin in [_MARGIN * _CLOSER**step for step in range(max(0, ceil(log(wide, _CLOSER))), -1, -1)] + [_MARGIN]:
        near = log_weights > log_weights.max() - margin
        axes = [_closer(axis, near.any(axis=others)) for axis, others in zip(axes, ((0, 2, 3), (0, 1, 3), (0, 1, 2)), strict=True)]
        log_weights = heights()
    weights: _Array = np.exp(log_weights - log_weights.max())
    for place in (0, -1):  # the trapezoidal rule: half of a step lies outside
        weights[:, place] /= 2
        weights[:, :, place] /= 2
        weights[..., place] /= 2
    return weights, axes


def _closer(axis: _Array, near: NDArray[np.bool_]) -> _Array:
    """As many places as before, evenly over those that are near the best, and one more each side."""
    (places,) = np.nonzero(near)
    first, last = max(0, int(places[0]) - 1), min(len(axis) - 1, int(places[-1]) + 1)
    return np.linspace(float(axis[first]), float(axis[last]), len(axis))


def _quantiles(axis: _Array, masses: _Array, shares: Sequence[float]) -> list[float]:
    """Where these shares of all lie below; a place's mass lies half on each side of it."""
    return [float(np.interp(share, np.cumsum(masses) - masses / 2, axis)) for share in shares]
