"""The psychometric function: accuracy as a function of problem size, and the size threshold.

The function is ``chance + (1 - lapse - chance) / (1 + exp(slope * u))``, a logistic function that decreases from ``1 - lapse`` for small
sizes to chance for large sizes. At the size threshold ``u = 0``: accuracy is midway between the upper asymptote and chance.

- ``u`` is ``log(size / threshold)`` or ``size / threshold - 1``. The difficulty of counting increases with the ratio of sizes, that of
  a path with its number of steps, and few data do not distinguish the two. The scale is therefore a parameter. A fit with a fixed scale
  often excludes simulated thresholds of the other scale, with a narrow interval around an incorrect size.
- Chance is not fitted. It is the known chance level of each size; it may decrease with size.
- The lapse rate is the error rate for the smallest sizes. It is bounded; otherwise any decrease could be interpreted as a threshold.
- The estimate is the posterior mean under a weak prior (`prior`), with thresholds beyond the tested sizes clipped. The interval is the
  central 95% credible interval; an end beyond the tested sizes is open, because nothing is extrapolated. Maximum likelihood diverges
  for few items at the extreme sizes, which leave lapse rate and slope undetermined.

psignifit is also Bayesian (Schuett, Harmeling, Macke and Wichmann, 2016, Vision Research). It is not used: it has one guess rate for all
levels, requires matplotlib, and for a decreasing function its "nAFC" type fixes the upper asymptote instead of the lower. Here the
posterior is computed on a grid that is refined around its mode. This needs no starting value and always converges.
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
"""Position of the size threshold: within the tested sizes, above the largest, below the smallest, or unknown."""

_Array = NDArray[np.float64]

LARGEST_LAPSE = 0.5
"""Maximum lapse rate as a proportion of 1 - chance; the upper asymptote is at least midway between chance and 1."""
BEYOND = 3.0
"""Maximum ratio of the size threshold to the largest tested size, and of the smallest tested size to it."""
_OUTSIDE = 0.05  # prior probability of a threshold beyond the tested sizes, on each side
_LAPSE = 0.15  # mean of the exponential prior of the lapse rate, before truncation
_STEEPNESS, _STEEPNESS_SPREAD = 4.0, 0.7
_FLATTEST, _STEEPEST = 0.25, 400.0  # nearly flat over 20 sizes; a step between 19 and 20
_GRID = (41, 17, 11)  # thresholds, slopes, lapse rates
_MARGIN = 10.0  # the grid is refined where the log posterior is less than this below its maximum
_FEW, _REFINEMENT = 200.0, 16.0  # with more items the mode may be missed between grid points, and the grid is refined in several steps


@dataclass(frozen=True, slots=True)
class LevelCounts:
    """The results of the items of one size."""

    size: int
    n: float
    """Number of items; for clustered items the effective sample size."""
    credit: float
    """Sum of the credits of these items, each in [0, 1]."""
    chance: float
    """Mean chance level."""


@dataclass(frozen=True, slots=True)
class PsychometricCurve:
    """A fitted psychometric function. `halfway` is the size threshold."""

    halfway: float
    slope: float
    """Slope at the threshold: an increase of size by 1% decreases the function by about `slope` / 4 percent of its range."""
    lapse_rate: float
    log_scale: bool
    """Whether the function is symmetric in log(size); otherwise in size."""

    def at(self, size: float, chance: float) -> float:
        """The accuracy at a size with this chance level."""
        ratio = size / self.halfway
        return chance + max(0.0, 1 - self.lapse_rate - chance) * float(curve_height(ratio, np.asarray(self.slope), by_ratio=self.log_scale))


@dataclass(frozen=True, slots=True)
class ThresholdEstimate:
    """An estimated size threshold. `threshold`, `low` and `high` are None if they are beyond the tested sizes."""

    range_status: Side
    threshold: float | None
    low: float | None
    high: float | None
    smallest: int
    largest: int
    curve: PsychometricCurve | None
    """A curve with this threshold, for plots only: for a threshold beyond the tested sizes it is one of many possible curves."""

    @property
    def half_width(self) -> float:
        """Half the width of the interval; an open end is replaced by the largest or smallest tested size."""
        return ((self.largest if self.high is None else self.high) - (self.smallest if self.low is None else self.low)) / 2

    def meets_precision(self, size: float) -> bool:
        """Whether the interval contains the threshold `size`, which may be beyond the tested sizes."""
        return (self.low is None or self.low <= size) and (self.high is None or size <= self.high)


def fit_threshold(levels: Sequence[LevelCounts], confidence: float = 0.95) -> ThresholdEstimate | None:
    """Fit the psychometric function to the results by size; None without any item. A partial credit counts as a fraction of a correct
    response.
    """
    asked = tuple(sorted((level for level in levels if level.n), key=lambda level: level.size))
    return _fit(asked, confidence) if asked else None


@lru_cache(maxsize=1024)  # a report needs each fit several times
def _fit(levels: tuple[LevelCounts, ...], confidence: float) -> ThresholdEstimate:
    smallest, largest = levels[0].size, levels[-1].size
    levels = tuple(level for level in levels if level.chance < 1)  # a level with chance 1 has no information
    if len(levels) < 2:  # one size does not determine a threshold
        return ThresholdEstimate("unknown", None, None, None, smallest, largest, None)
    room = 1 - sum(level.n * level.chance for level in levels) / sum(level.n for level in levels)
    edges = float(np.log(smallest)), float(np.log(largest))
    posterior, axes = _posterior(levels, room, edges)
    masses = posterior.sum(axis=(0, 2, 3))
    masses /= masses.sum()
    out = (1 - confidence) / 2
    cumulative = np.cumsum(masses) - masses / 2  # half of the mass of a grid point is on each side of it
    low, high = (float(np.interp(share, cumulative, axes[0])) for share in (out, 1 - out))
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
    """The log prior density, shape (2 scales, thresholds, slopes, lapse rates).

    `halfways` (thresholds), `steepnesses` (slopes) and `edges` (smallest and largest tested size) are logarithms, and the density is per
    unit of the logarithm; lapse rates are proportions of 1 - chance. Within the tested sizes, thresholds are uniform on the scale on which
    the function is symmetric: log(size) or size. Beyond them, up to the factor `BEYOND`, the density decreases.
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
    """The normalized height of the curve, from 1 to 0, at a size given as its ratio to the size threshold."""
    distance = np.log(ratio) if by_ratio else ratio - 1
    return 0.5 - 0.5 * np.tanh(steepness * distance / 2)  # the logistic function; tanh cannot overflow


def _likelihoods(levels: Sequence[LevelCounts], halfways: _Array, steepnesses: _Array, lapses: _Array) -> _Array:
    """The log-likelihood of each combination of parameters, shape (2 scales, thresholds, slopes, lapse rates)."""
    total = np.zeros((2, len(halfways), len(steepnesses), len(lapses)))
    for level in levels:
        ratios = level.size / halfways[:, None]
        height = np.stack([curve_height(ratios, steepnesses[None, :], by_ratio=by_ratio) for by_ratio in (True, False)])
        share = np.maximum(0, 1 - lapses - level.chance) * height[..., None]
        share += level.chance
        np.minimum(np.maximum(share, 1e-9, out=share), 1 - 1e-9, out=share)  # one unexpected response must not exclude a curve
        missed = np.negative(share)
        np.log(share, out=share)
        np.log1p(missed, out=missed)
        share *= level.credit
        missed *= level.n - level.credit
        share += missed
        total += share
    return total


def _posterior(levels: Sequence[LevelCounts], room: float, edges: tuple[float, float]) -> tuple[_Array, list[_Array]]:
    """The unnormalized posterior on a grid refined around its mode, and the axes of the grid: log thresholds, log slopes, and lapse rates
    as proportions of 1 - chance (`room`).
    """
    axes: list[_Array] = [
        np.linspace(edges[0] - np.log(BEYOND), edges[1] + np.log(BEYOND), _GRID[0]),
        np.linspace(np.log(_FLATTEST), np.log(_STEEPEST), _GRID[1]),
        np.linspace(0.0, LARGEST_LAPSE, _GRID[2]),
    ]

    def heights() -> _Array:
        return _likelihoods(levels, np.exp(axes[0]), np.exp(axes[1]), room * axes[2]) + prior(axes[0], axes[1], axes[2], edges)

    log_weights, wide = heights(), sum(level.n for level in levels) / _FEW
    for margin in [_MARGIN * _REFINEMENT**step for step in range(max(0, ceil(log(wide, _REFINEMENT))), -1, -1)] + [_MARGIN]:
        near = log_weights > log_weights.max() - margin
        axes = [_refined(axis, near.any(axis=others)) for axis, others in zip(axes, ((0, 2, 3), (0, 1, 3), (0, 1, 2)), strict=True)]
        log_weights = heights()
    weights: _Array = np.exp(log_weights - log_weights.max())
    for place in (0, -1):  # trapezoidal rule: boundary points have half the weight
        weights[:, place] /= 2
        weights[:, :, place] /= 2
        weights[..., place] /= 2
    return weights, axes


def _refined(axis: _Array, near: NDArray[np.bool_]) -> _Array:
    """An axis with the same number of points over the range where `near` is true, extended by one point on each side."""
    (places,) = np.nonzero(near)
    first, last = max(0, int(places[0]) - 1), min(len(axis) - 1, int(places[-1]) + 1)
    return np.linspace(float(axis[first]), float(axis[last]), len(axis))


def threshold_text(estimate: ThresholdEstimate) -> str:
    """A size threshold, such as "9.4" or "above 20"."""
    return {
        "within": f"{estimate.threshold or 0:.1f}",
        "above": f"above {estimate.largest}",
        "below": f"below {estimate.smallest}",
        "unknown": "not determined",
    }[estimate.range_status]


def interval_text(estimate: ThresholdEstimate) -> str:
    """The 95% CI of a size threshold, such as "[8.1, 10.9]" or "above 8.1" where it extends beyond the tested sizes."""
    match estimate.low, estimate.high:
        case None, None:
            return "-"
        case None, high:
            return f"below {high:.1f}"
        case low, None:
            return f"above {low:.1f}"
        case low, high:
            return f"[{low:.1f}, {high:.1f}]"
