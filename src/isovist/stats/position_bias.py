"""Position bias: a preference for options by their position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from isovist.core.answers import LETTERS


@dataclass(frozen=True, slots=True)
class PositionBias:
    """How often each option label was chosen, and how often it was the key."""

    chosen: dict[str, int]
    key_counts: dict[str, int]
    cramers_v: float
    """Cramér's V of the chosen labels against a uniform distribution: 0 is no bias, 1 is always the same label."""
    p_value: float
    """p-value of the chi-squared test of the chosen labels against a uniform distribution."""


def position_bias(chosen: Sequence[str], keyed: Sequence[str], options: int) -> PositionBias | None:
    """The position bias of choices among `options` labels; None without choices.

    `chosen` and `keyed`: the chosen label and the key of each response. Keys are balanced over the labels, so the choices of an unbiased
    model are uniform, whether correct or not.
    """
    if not chosen or options < 2:
        return None
    from scipy.stats import chisquare

    letters = LETTERS[:options]
    chosen_counts, right = Counter(chosen), Counter(keyed)
    counts = [chosen_counts[letter] for letter in letters]
    test = chisquare(counts)
    strength = (float(test.statistic) / (sum(counts) * (options - 1))) ** 0.5
    return PositionBias({c: chosen_counts[c] for c in letters}, {c: right[c] for c in letters}, strength, float(test.pvalue))
