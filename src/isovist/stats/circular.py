"""Signed errors of angles: how large they are, to which side they lean, and how much they agree. Items of one scene count together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, radians, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from isovist.stats.clustered_means import clustered_mean
from isovist.stats.effective_sample_size import effective_sample_size
from isovist.stats.proportions import normal

_LARGEST = 180.0


@dataclass(frozen=True, slots=True)
class Degrees:
    """An angle with its 95 % interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AngularBias:
    """The mean resultant of some errors. `direction`: above -180 up to 180 degrees, its interval around it, which may reach beyond;
    None where it cannot be told. `length`: from 0 (errors on all sides alike) to 1 (all errors the same).
    """

    direction: Degrees | None
    length: float


def mean_absolute_error(errors: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95) -> Degrees:
    """The mean of absolute errors, none above 180 degrees, with the interval of credits in [0, 1] (`clustered_mean`) made of
    them. All of 0 to 180 without errors. Raises ValueError if the lengths differ.
    """
    if not errors and not groups:
        return Degrees(float("nan"), 0.0, _LARGEST)
    interval = clustered_mean([abs(error) / _LARGEST for error in errors], groups, confidence)
    return Degrees(_LARGEST * interval.estimate, _LARGEST * interval.low, _LARGEST * interval.high)


def angular_bias(errors: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95) -> AngularBias:
    """The mean direction of errors on a circle, in degrees, each a vector of length 1.

    There is no direction as long as the sum of the vectors may be none, by Hotelling's test over the groups' sums. The interval is
    that of the direction's linear approximation for as many independent errors as tell as much (`effective`), with one more at 90
    and one at -90 degrees, so that it has a width also where all errors are the same. Raises ValueError if the lengths differ.
    """
    if not errors:
        return AngularBias(None, float("nan"))
    sums = [_sums([turn(radians(error)) for error in errors], groups) for turn in (cos, sin)]
    along, across = (sum(each) for each in sums)
    length = hypot(along, across) / len(errors)
    if not _leans(np.array(sums), confidence):
        return AngularBias(None, length)
    direction = degrees(atan2(across, along))
    aside = [sin(radians(error - direction)) for error in errors]
    square = sum(sine * sine for sine in aside) / len(aside)
    size = effective_sample_size(aside, groups, square).items
    half = degrees(normal(confidence) * sqrt(square * size + 2) / (length * size))
    return AngularBias(Degrees(direction, direction - half, direction + half) if half < 180 else None, length)


def _leans(sums: NDArray[np.float64], confidence: float) -> bool:
    """Whether vectors, shape (2, n), have a mean other than none. Their spread is that around none, so that it is one of rank 1
    where they are all the same.
    """
    from scipy.stats import chi2

    whole = sums.sum(axis=1)
    return float(whole @ np.linalg.pinv(sums @ sums.T, rcond=1e-9, hermitian=True) @ whole) > float(chi2.ppf(confidence, 2))


def _sums(values: Sequence[float], groups: Sequence[Hashable]) -> list[float]:
    """The sum of each group's values."""
    sums: dict[Hashable, float] = {}
    for value, group in zip(values, groups, strict=True):
        sums[group] = sums.get(group, 0.0) + value
    return list(sums.values())
