"""Signed errors of angles: how large they are, to which side they lean, and how much they agree. Items of one scene count together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, radians, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from isovist.stats.proportions import mean

_LARGEST = 180.0


@dataclass(frozen=True, slots=True)
class Degrees:
    """An angle with its 95 % interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Lean:
    """The mean resultant of some errors. `direction`: above -180 up to 180 degrees, its interval around it, which may reach beyond;
    None where it cannot be told. `length`: from 0 (errors on all sides alike) to 1 (all errors the same).
    """

    direction: Degrees | None
    length: float


def mean_size(errors: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95) -> Degrees:
    """The mean of absolute errors, none above 180 degrees, with Student's t over the groups' sums.

    Where the groups do not differ, as when all is right, it is as wide as `proportions.mean` makes it. All of 0 to 180 without
    errors. Raises ValueError if the lengths differ.
    """
    if not errors:
        return Degrees(float("nan"), 0.0, _LARGEST)
    shares = [abs(error) / _LARGEST for error in errors]
    centre = sum(shares) / len(shares)
    off = _sums([share - centre for share in shares], groups)
    variance = sum(it * it for it in off)
    if variance < 1e-18 or len(off) < 2:  # the rounding of a centre
        found = mean([centre] * len(off), confidence)
        return Degrees(_LARGEST * centre, _LARGEST * found.low, _LARGEST * found.high)
    from scipy.stats import t

    half = float(t.ppf((1 + confidence) / 2, len(off) - 1)) * sqrt(variance * len(off) / (len(off) - 1)) / len(shares)
    return Degrees(_LARGEST * centre, _LARGEST * max(0.0, centre - half), _LARGEST * min(1.0, centre + half))


def lean(errors: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95) -> Lean:
    """The mean direction of errors on a circle, in degrees, each a vector of length 1.

    There is no direction as long as the sum of the vectors may be none, by Hotelling's test over the groups' sums. The interval is
    that of the direction's linear approximation over them, with one more group at 90 and one at -90 degrees, so that it has a
    width also where all errors are the same. Raises ValueError if the lengths differ.
    """
    if not errors:
        return Lean(None, float("nan"))
    sums = [_sums([turn(radians(error)) for error in errors], groups) for turn in (cos, sin)]
    along, across = (sum(each) for each in sums)
    length = hypot(along, across)
    if not _leans(np.array(sums), confidence):
        return Lean(None, length / len(errors))
    from scipy.stats import norm

    middle = atan2(across, along)
    size = len(errors) / len(sums[0])  # errors of a group, on average
    aside = [y * cos(middle) - x * sin(middle) for x, y in zip(*sums, strict=True)] + [size, -size]
    half = degrees(float(norm.ppf((1 + confidence) / 2)) * sqrt(sum(it * it for it in aside)) / length)
    direction = degrees(middle)
    return Lean(Degrees(direction, direction - half, direction + half) if half < 180 else None, length / len(errors))


def _leans(sums: NDArray[np.float64], confidence: float) -> bool:
    """Whether vectors, shape (2, n), have a mean other than none. Their spread is that around none, so that it is one of rank 1
    where they are all the same.
    """
    from scipy.stats import chi2

    whole = sums.sum(axis=1)
    return float(whole @ np.linalg.pinv(sums @ sums.T, rcond=1e-9, hermitian=True) @ whole) > float(chi2.ppf(confidence, 2))


def _sums(values: Sequence[float], groups: Sequence[Hashable]) -> list[float]:
    """The sum of each group's values."""
    found: dict[Hashable, float] = {}
    for value, group in zip(values, groups, strict=True):
        found[group] = found.get(group, 0.0) + value
    return list(found.values())
