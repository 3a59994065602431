"""Whether a mean of credits is above a level, or below it: one-sided tests that know that items come in groups.

Where every item is a group of its own and credits are 0 or 1, these are the exact binomial tests. Else the items count as so many
independent ones as would have the variance of the groups' sums, and never for more than there are; with all groups alike, as one
a group (as in `stats.clusters`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Against:
    """The p-values of two one-sided tests."""

    above: float
    """That the mean is at most the level: small if it is above."""
    below: float
    """That the mean is at least the level: small if it is below."""


def against(values: Sequence[float], groups: Sequence[Hashable], level: float) -> Against:
    """The mean of credits in [0, 1] against a level between 0 and 1. Without items, and for one group, both are 1.

    Raises ValueError if the lengths differ.
    """
    if len(values) != len(groups):
        raise ValueError(f"{len(values)} credits of items in {len(groups)} groups")
    n, m = len(values), len(set(groups))
    if m < min(n, 2) or not n:
        return Against(1.0, 1.0)
    centre = sum(values) / n
    size = float(n)
    if m < n:
        sums: dict[Hashable, float] = {}
        for value, group in zip(values, groups, strict=True):
            sums[group] = sums.get(group, 0.0) + value - centre
        variance = m / (m - 1) * sum(it * it for it in sums.values()) / n**2
        size = min(size, centre * (1 - centre) / variance) if variance > 1e-12 else float(m)
    right = centre * size
    from scipy.special import betainc

    above = float(betainc(right, size - right + 1, level)) if right > 0 else 1.0
    below = float(betainc(size - right, right + 1, 1 - level)) if right < size else 1.0
    return Against(above, below)
