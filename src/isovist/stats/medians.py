"""Medians, of response times above all: their distributions are skewed, and one long pause moves a mean by as much as it likes.

The interval is that of the bootstrap over groups (Efron and Tibshirani, 1993, An Introduction to the Bootstrap): as many groups as
there are are drawn with replacement, and the ends are percentiles of the medians of such samples. A sample varies less than a
population by the root of (groups - 1) / groups, and few groups have heavier tails than the normal distribution, so the percentiles are
moved outwards until a normal mean would have Student's interval (the expanded percentile interval; Hesterberg, 2015, The American
Statistician 69(4)). Without that, intervals of ten groups of three held the median in 90 of 100 simulated runs.
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
"""Groups below which there is no 95 % interval: the smallest and the largest of five values have the median outside in 6 of 100 runs."""
_AT_ONCE = 4_000_000  # numbers


@dataclass(frozen=True, slots=True)
class Median:
    """A median with its interval, in the unit of the values. `low` and `high` are None for fewer than `FEWEST` groups."""

    estimate: float
    low: float | None
    high: float | None
    few: bool = field(default=False, compare=False)
    """Whether the interval rests on fewer groups than it needs to be trusted (`effective.FEW`)."""


def median(values: Sequence[float], groups: Sequence[Hashable], confidence: float = 0.95, samples: int = SAMPLES) -> Median:
    """The median of some values, with the interval that holds for other groups. The same values give the same interval.

    Raises ValueError if the lengths differ or there is no value.
    """
    if not values or len(values) != len(groups):
        raise ValueError(f"{len(values)} values in {len(groups)} groups")
    places = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    return _median(tuple(values), tuple(places[group] for group in groups), confidence, samples)


@lru_cache(maxsize=1024)  # a report needs each several times, and the page of a study asks again and again
def _median(values: tuple[float, ...], group_codes: tuple[int, ...], confidence: float, samples: int) -> Median:
    """`group_codes`: the group of each value, from 0."""
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
    """Those of so many samples of the groups."""
    rng = np.random.default_rng(0)
    order = np.argsort(values, kind="stable")
    values, group_codes = values[order], group_codes[order]
    medians: list[NDArray[np.float64]] = []
    step = max(1, _AT_ONCE // len(values))
    for start in range(0, samples, step):
        times = rng.multinomial(groups, np.full(groups, 1 / groups), min(step, samples - start))
        reached = np.cumsum(times[:, group_codes], axis=1)  # how many of a sample's values are so small, by value
        whole = reached[:, -1:]
        lower, upper = (2 * reached >= whole).argmax(axis=1), (2 * reached > whole).argmax(axis=1)
        medians.append((values[lower] + values[upper]) / 2)
    return np.concatenate(medians)
