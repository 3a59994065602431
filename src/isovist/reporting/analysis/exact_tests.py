"""Exact tests of counts, where each item has its own probability (Poisson binomial distribution)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np


def poisson_binomial_upper_tail(count: int, chances: Sequence[float]) -> float:
    """The probability of `count` or more successes among independent items with these probabilities, each in [0, 1].

    The result is the convolution of the binomial distributions of items with equal probability, which is exact in the tails.
    """
    from scipy.stats import binom

    whole = np.ones(1)
    for chance, n in sorted(Counter(round(value, 12) for value in chances).items()):
        whole = np.convolve(whole, binom.pmf(np.arange(n + 1), n, chance))
    return 1.0 if count <= 0 else min(1.0, float(whole[count:].sum()))


def two_sided(count: int, chances: Sequence[float]) -> float:
    """Twice the smaller of both tails."""
    above = poisson_binomial_upper_tail(count, chances)
    below = poisson_binomial_upper_tail(len(chances) - count, [1 - chance for chance in chances])
    return min(1.0, 2 * min(above, below))
