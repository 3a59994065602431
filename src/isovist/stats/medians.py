"""Medians with confidence intervals, for response times: their distributions are skewed, and a mean is sensitive to single pauses.

The interval is a cluster bootstrap percentile interval (Efron and Tibshirani, 1993, An Introduction to the Bootstrap): clusters are
resampled with replacement. The percentiles are expanded such that the interval of a normal mean would equal Student's t interval, which
corrects for the factor (clusters - 1) / clusters in the variance and for few clusters (expanded percentile interval; Hesterberg, 2015, The
American Statistician 69(4)). Without this correction, the coverage for ten clusters of three values was 90% in simulations.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from isovist.stats.effective_sample_size import FEW

SAMPLES = 2000
FEWEST = 6
"""Minimum number of clusters for a 95% CI: the range of five values does not contain the median in 6% of samples."""
_AT_ONCE = 4_000_000  # maximum number of array elements per batch


@dataclass(frozen=True, slots=True)
class Median:
    """A median with its CI, in the unit of the values. `low` and `high` are None for fewer than `FEWEST` clusters."""

    estimate: float
    low: float | None
    high: float | None
    few: bool = field(default=False, compare=False)
    """Whether there are too few clusters for a reliable interval (`effective_sample_size.FEW`)."""


def median(values: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95, samples: int = SAMPLES) -> Median:
    """The median of values with a CI for the population of clusters. The bootstrap seed is fixed.

    `groups`: the cluster of each value. Raises ValueError if the lengths differ or there is no value.
    """
    if not values or len(values) != len(groups):
        raise ValueError(f"{len(values)} values in {len(groups)} groups")
    places = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    return _median(tuple(values), tuple(places[group] for group in groups), confidence, samples)


@lru_cache(maxsize=1024)  # a report needs each median several times, and the page of a study reloads often
def _median(values: tuple[float, ...], group_codes: tuple[int, ...], confidence: float, samples: int) -> Median:
    """`group_codes`: the cluster of each value, from 0."""
    from scipy.special import ndtr, stdtrit

    groups, estimate = max(group_codes) + 1, float(np.median(values))
    if groups < FEWEST:
        return Median(estimate, None, None)
    outward = sqrt(groups / (groups - 1)) * float(stdtrit(groups - 1, (1 + confidence) / 2))
    below = 100 * float(ndtr(-outward))
    drawn = _medians(np.array(values, float), np.array(group_codes), groups, samples)
    low, high = np.percentile(drawn, [below, 100 - below])
    return Median(estimate, float(low), float(high), few=groups < FEW)


def _medians(values: NDArray[np.float64], group_codes: NDArray[np.int64], groups: int, samples: int) -> NDArray[np.float64]:
    """The medians of `samples` bootstrap samples of the clusters."""
    rng = np.random.default_rng(0)
    order = np.argsort(values, kind="stable")
    values, group_codes = values[order], group_codes[order]
    medians: list[NDArray[np.float64]] = []
    step = max(1, _AT_ONCE // len(values))
    for start in range(0, samples, step):
        times = rng.multinomial(groups, np.full(groups, 1 / groups), min(step, samples - start))
        cumulative = np.cumsum(times[:, group_codes], axis=1)  # cumulative count of a sample, by sorted value
        whole = cumulative[:, -1:]
        lower, upper = (2 * cumulative >= whole).argmax(axis=1), (2 * cumulative > whole).argmax(axis=1)
        medians.append((values[lower] + values[upper]) / 2)
    return np.concatenate(medians)
