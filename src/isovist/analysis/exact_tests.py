"""Exact tests of how often something was seen, where each item has its own chance for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from isovist.analysis.scored_item import ScoredItem


def poisson_binomial_upper_tail(seen: int, chances: Sequence[float]) -> float:
    """The probability of `seen` or more among independent items with these chances, each in [0, 1] (the Poisson-binomial tail).

    Items of one chance are counted together as a binomial, and those counts added up, so that a tail stays exact however far out.
    """
    from scipy.stats import binom

    whole = np.ones(1)
    for chance, n in sorted(Counter(round(value, 12) for value in chances).items()):
        whole = np.convolve(whole, binom.pmf(np.arange(n + 1), n, chance))
    return 1.0 if seen <= 0 else min(1.0, float(whole[seen:].sum()))


def two_sided(seen: int, chances: Sequence[float]) -> float:
    """Twice the smaller of both tails."""
    above = poisson_binomial_upper_tail(seen, chances)
    below = poisson_binomial_upper_tail(len(chances) - seen, [1 - chance for chance in chances])
    return min(1.0, 2 * min(above, below))


def first_per_cluster(items: Iterable[ScoredItem]) -> list[ScoredItem]:
    """The first item of each group of each task: items that share a scene are wrong together and must not count twice in an exact test."""
    firsts: dict[tuple[str, str], ScoredItem] = {}
    for item in items:
        firsts.setdefault((item.task, item.group), item)
    return list(firsts.values())
