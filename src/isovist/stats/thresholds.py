"""How accuracy falls with size, and the size at which it has fallen half-way to chance.

The curve is ``chance + (1 - lapse - chance) / (1 + exp(steepness * u))``, a logistic function that falls from ``1 - lapse`` for
the smallest sizes to chance for the largest, with ``u = 0`` at the half-way size.

- ``u`` is ``log(size / halfway)`` or ``size / halfway - 1``. Things that are counted get harder by ratios, steps along a path
  one by one, and few data tell the two apart; so the shape is one more thing that is not known. A fit of one shape alone
  misses thresholds planted with the other far too often, with a narrow interval around a wrong size.
- Chance is no parameter. It is what a guesser gets, known level by level: the more positions, the smaller it may be.
- The lapse is what keeps a model from 100 % even where things are easy. It is bounded, or else any fall would be half a fall.
- The interval is that of the profile likelihood: the half-way sizes that some shape, steepness and lapse explain nearly as
  well as the best. Where that holds beyond the sizes that were asked, it is open on that side; nothing is extrapolated.

psignifit, the usual program, has one chance for all levels and brings matplotlib; with a falling curve, its "nAFC" fixes the
curve's top instead of its floor. Here the likelihood is worked out on a grid that closes in on its peak, which has no
starting point to choose and cannot fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Side = Literal["within", "above", "below", "unknown"]
"""Where the half-way size lies: within the sizes asked, above the largest, below the smallest, or nobody knows."""

_Array = NDArray[np.float64]

LARGEST_LAPSE = 0.5
"""As a share of the room above chance, so that the curve's top is always at least half-way from chance to 100 %."""
_FLATTEST, _STEEPEST = 0.25, 400.0  # over 20 sizes nearly flat, and a cliff between 19 and 20
_BEYOND = 3.0  # how many times beyond the sizes asked the half-way size is looked for
_GRID = (41, 17, 9)  # half-way sizes, steepnesses, lapses
_ZOOMS = 3  # to the interval
_CLOSE_UPS = 3  # and from there to the peak
_MARGIN = 3.0  # of log-likelihood below the interval's ends, up to which the grid is made finer
_PEAK = 0.1  # of log-likelihood: how near the peak the estimate is looked for
_FEW = 40
"""Bartlett's correction of the likelihood ratio, which is a little too sure of itself with few items: ``1 + 40 / items``. The
40 is measured: with ten items at each of 20 sizes, intervals without it held 92 of 100 planted sizes, with it 95."""


@dataclass(frozen=True, slots=True)
class Level:
    """What came of the items of one size."""

    size: int
    n: float
    """How many; of items in groups, as many independent ones as they are worth."""
    credit: float
    """The sum of the credits of so many, each in [0, 1]."""
    chance: float
    """Their mean chance."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A fitted curve: accuracy as a function of size."""

    halfway: float
    steepness: float
    """How fast it falls half-way: there, 1 % more size costs about a quarter of `steepness` per cent of its height."""
    lapse: float
    by_ratio: bool
    """Whether it is symmetric in the logarithm of size, else in size."""

    def at(self, size: float, chance: float) -> float:
        """The accuracy at a size, given the chance there."""
        ratio = size / self.halfway
        return chance + max(0.0, 1 - self.lapse - chance) * float(remaining(ratio, np.asarray(self.steepness), by_ratio=self.by_ratio))


@dataclass(frozen=True, slots=True)
class Fall:
    """A fitted curve. The estimate and the ends of the interval are None where they are beyond the sizes asked."""

    side: Side
    halfway: float | None
    low: float | None
    high: float | None
    smallest: int
    largest: int
    curve: Curve | None
    """The best one, only to be drawn: where the half-way size is beyond the sizes asked, it is one of many."""

    @property
    def half_width(self) -> float:
        """Half the width of the interval; where it is open, it goes to the end of the sizes that were asked."""
        return ((self.largest if self.high is None else self.high) - (self.smallest if self.low is None else self.low)) / 2

    def holds(self, size: float) -> bool:
        """Whether the interval holds a half-way size, which may be beyond the sizes asked."""
        return (self.low is None or self.low <= size) and (self.high is None or size <= self.high)


def fall(levels: Sequence[Level], confidence: float = 0.95) -> Fall | None:
    """The curve through some levels; None without any item. Partial credit counts as that share of a right answer."""
    asked = tuple(sorted((level for level in levels if level.n), key=lambda level: level.size))
    return _fall(asked, confidence) if asked else None


@lru_cache(maxsize=1024)  # a report needs each several times
def _fall(levels: tuple[Level, ...], confidence: float) -> Fall:
    from scipy.stats import chi2

    smallest, largest = levels[0].size, levels[-1].size
    levels = tuple(level for level in levels if level.chance < 1)  # where nobody can be wrong, nothing is learned
    if len(levels) < 2:  # and from one size nothing of a fall
        return Fall("unknown", None, None, None, smallest, largest, None)
    items = sum(level.n for level in levels)
    drop = float(chi2.ppf(confidence, 1)) / 2 * (1 + _FEW / items)
    room = 1 - sum(level.n * level.chance for level in levels) / items
    edges = float(np.log(smallest)), float(np.log(largest))
    axes: list[_Array] = [
        np.linspace(edges[0] - np.log(_BEYOND), edges[1] + np.log(_BEYOND), _GRID[0]),
        np.linspace(np.log(_FLATTEST), np.log(_STEEPEST), _GRID[1]),
        np.linspace(0.0, LARGEST_LAPSE * room, _GRID[2]),
    ]
    found, axes = _zoomed(levels, axes, drop + _MARGIN, _ZOOMS)
    profile, halfways = found.max(axis=(0, 2, 3)), axes[0]
    found, axes = _zoomed(levels, axes, _PEAK, _CLOSE_UPS)
    shape, *best = (int(place) for place in np.unravel_index(int(found.argmax()), found.shape))
    at, steepness, lapse = (float(axis[place]) for axis, place in zip(axes, best, strict=True))
    low, high = _within(halfways, profile - max(profile.max(), found.max()) + drop, edges)
    side: Side = "below" if at < edges[0] else "above" if at > edges[1] else "within"
    if low is None and high is None:
        side = "unknown"
    curve = Curve(float(np.exp(at)), float(np.exp(steepness)), lapse, by_ratio=shape == 0)
    return Fall(side, curve.halfway if side == "within" else None, low, high, smallest, largest, curve)


def remaining(ratio: _Array | float, steepness: _Array, *, by_ratio: bool) -> _Array:
    """How much of the curve's height is left at a size, given as its ratio to the half-way size."""
    way = np.log(ratio) if by_ratio else ratio - 1
    return 0.5 - 0.5 * np.tanh(steepness * way / 2)  # the logistic function; tanh cannot overflow


def _likelihoods(levels: Sequence[Level], halfways: _Array, steepnesses: _Array, lapses: _Array) -> _Array:
    """The log-likelihood of each combination, in an array with an axis for the two shapes and one for each parameter."""
    total = np.zeros((2, len(halfways), len(steepnesses), len(lapses)))
    for level in levels:
        ratios = level.size / halfways[:, None]
        standing = np.stack([remaining(ratios, steepnesses[None, :], by_ratio=by_ratio) for by_ratio in (True, False)])
        share = level.chance + np.maximum(0, 1 - lapses - level.chance) * standing[..., None]
        share = np.clip(share, 1e-9, 1 - 1e-9)  # a single slip must not make a curve impossible
        total += level.credit * np.log(share) + (level.n - level.credit) * np.log1p(-share)
    return total


def _zoomed(levels: Sequence[Level], axes: list[_Array], loss: float, times: int) -> tuple[_Array, list[_Array]]:
    """The log-likelihoods on axes that have closed in on those within a loss of the best, and these axes."""
    found = _likelihoods(levels, np.exp(axes[0]), np.exp(axes[1]), axes[2])
    for _ in range(times):
        near = found > found.max() - loss
        axes = [_closer(axis, near.any(axis=others)) for axis, others in zip(axes, ((0, 2, 3), (0, 1, 3), (0, 1, 2)), strict=True)]
        found = _likelihoods(levels, np.exp(axes[0]), np.exp(axes[1]), axes[2])
    return found, axes


def _closer(axis: _Array, near: NDArray[np.bool_]) -> _Array:
    """As many places as before, evenly over those that explain the data nearly as well as the best, and one more each side."""
    (places,) = np.nonzero(near)
    first, last = max(0, int(places[0]) - 1), min(len(axis) - 1, int(places[-1]) + 1)
    return np.linspace(float(axis[first]), float(axis[last]), len(axis))


def _within(halfways: _Array, spare: _Array, edges: tuple[float, float]) -> tuple[float | None, float | None]:
    """The ends of where there is likelihood to spare, as sizes; None beyond the edges."""
    (inside,) = np.nonzero(spare >= min(0.0, float(spare.max())))  # the best, where the peak is too sharp for these places
    first, last = int(inside[0]), int(inside[-1])

    def end(place: int, outside: int) -> float:
        if not 0 <= outside < len(halfways):
            return float(halfways[place])
        part = 1.0 if spare[place] < 0 else spare[place] / (spare[place] - spare[outside])
        return float(halfways[place] + part * (halfways[outside] - halfways[place]))

    low, high = end(first, first - 1), end(last, last + 1)
    return (
        None if low <= edges[0] else float(np.exp(min(low, edges[1]))),
        None if high >= edges[1] else float(np.exp(max(high, edges[0]))),
    )
