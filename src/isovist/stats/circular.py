"""Signed angular errors: mean absolute error and angular bias, with cluster-robust intervals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import atan2, cos, degrees, hypot, radians, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from isovist.stats.clustered_means import clustered_mean
from isovist.stats.effective_sample_size import cluster_sums, effective_sample_size
from isovist.stats.proportions import normal

_LARGEST = 180.0


@dataclass(frozen=True, slots=True)
class Degrees:
    """An angle in degrees with its 95% CI."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AngularBias:
    """The mean resultant vector of angular errors.

    Attributes:
        direction: The mean direction in (-180, 180] degrees with its interval, whose ends may exceed this range; None if the mean
            vector is not significantly different from 0.
        length: The mean resultant length, from 0 (no common direction) to 1 (all errors equal).
    """

    direction: Degrees | None
    length: float


def mean_absolute_error(errors: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95) -> Degrees:
    """The mean absolute error in degrees, each at most 180, with the interval of `clustered_mean` for the errors divided by 180.

    The interval is [0, 180] without errors. Raises ValueError if the lengths differ.
    """
    if not errors and not groups:
        return Degrees(float("nan"), 0.0, _LARGEST)
    interval = clustered_mean([abs(error) / _LARGEST for error in errors], groups, confidence)
    return Degrees(_LARGEST * interval.estimate, _LARGEST * interval.low, _LARGEST * interval.high)


def angular_bias(errors: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95) -> AngularBias:
    """The mean direction and resultant length of circular errors in degrees.

    The direction is None unless Hotelling's test over the cluster sums rejects a mean vector of 0. Its interval is that of the
    linearized direction for the effective sample size (`effective_sample_size`), with one additional error at 90 and one at -90 degrees,
    so that the width is positive also for equal errors. Raises ValueError if the lengths differ.
    """
    if not errors:
        return AngularBias(None, float("nan"))
    sums = [list(cluster_sums([turn(radians(error)) for error in errors], groups).values()) for turn in (cos, sin)]
    along, across = (sum(each) for each in sums)
    length = hypot(along, across) / len(errors)
    if not _is_significant(np.array(sums), confidence):
        return AngularBias(None, length)
    direction = degrees(atan2(across, along))
    aside = [sin(radians(error - direction)) for error in errors]
    square = sum(sine * sine for sine in aside) / len(aside)
    size = effective_sample_size(aside, groups, square).items
    half = degrees(normal(confidence) * sqrt(square * size + 2) / (length * size))
    return AngularBias(Degrees(direction, direction - half, direction + half) if half < 180 else None, length)


def _is_significant(sums: NDArray[np.float64], confidence: float) -> bool:
    """Whether the mean of vectors, shape (2, n), is significantly different from 0 (Hotelling's test).

    The covariance is computed around 0, so that it has rank 1, not 0, if all vectors are equal.
    """
    from scipy.stats import chi2

    whole = sums.sum(axis=1)
    return float(whole @ np.linalg.pinv(sums @ sums.T, rcond=1e-9, hermitian=True) @ whole) > float(chi2.ppf(confidence, 2))
