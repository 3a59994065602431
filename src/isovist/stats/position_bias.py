"""Whether a model prefers an option for where it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from isovist.core.answers import LETTERS


@dataclass(frozen=True, slots=True)
class PositionBias:
    """How often each letter was chosen, and how often it was right."""

    chosen: dict[str, int]
    key_counts: dict[str, int]
    cramers_v: float
    """Cramer's V of the chosen letters against equal shares: 0 is none, 1 is always the same letter."""
    p_value: float
    """Of the chi-square test of the chosen letters against equal shares."""


def position_bias(chosen: Sequence[str], keyed: Sequence[str], options: int) -> PositionBias | None:
    """The bias of choices among `options` letters; None if nothing was chosen.

    Keys are placed evenly over the letters, so that an unbiased model, right or wrong, chooses them evenly too.
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
