"""Precision and power where the same items are answered by the same participants and both are samples: crossed random effects.

The credit of participant i on item j is a mean, a deviation of the participant, a deviation of the item and a residual, with three
variance components. The mean over P participants and I items has the variance v_P / P + v_I / I + v_R / (P I): more participants alone
never reduce it below v_I / I (Westfall, Kenny and Judd, 2014, Journal of Experimental Psychology: General 143). Its degrees of freedom are
those of Satterthwaite (1946, Biometrics Bulletin) for the mean squares of a two-way layout without replication.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isovist.stats.pairwise_tests import ALPHA, POWER

MOST_PARTICIPANTS = 2000
_Array = NDArray[np.float64]
PARTICIPANT_SHARE, ITEM_SHARE = 0.1, 0.2
"""Shares of the variance of a credit of 0 or 1 between participants and between items that are assumed without pilot data."""


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """The variances between participants, between items, and of the residual, in squared credits."""

    participants: float
    items: float
    residual: float

    @staticmethod
    def assumed(accuracy: float) -> VarianceComponents:
        """Those of credits of 0 or 1 with this mean, by the assumed shares."""
        total = accuracy * (1 - accuracy)
        return VarianceComponents(PARTICIPANT_SHARE * total, ITEM_SHARE * total, (1 - PARTICIPANT_SHARE - ITEM_SHARE) * total)

    @staticmethod
    def estimated(answers: Sequence[Sequence[float]]) -> VarianceComponents:
        """Estimates from the credits of each participant on the same items, by mean squares; a negative estimate counts as 0.

        Raises ValueError for fewer than two participants or items, different numbers of items, and equal credits.
        """
        table = np.array(answers, dtype=float)
        if table.ndim != 2 or min(table.shape) < 2 or not np.ptp(table):
            raise ValueError("at least two participants, two items and two different credits are needed")
        people, items = table.shape
        of_people, of_items = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True)
        residual = float(((table - of_people - of_items + table.mean()) ** 2).sum()) / ((people - 1) * (items - 1))
        between = [float(means.var(ddof=1)) - residual / n for means, n in ((of_people, items), (of_items, people))]
        return VarianceComponents(max(0.0, between[0]), max(0.0, between[1]), residual)

    def of_difference(self, model_accuracy: float) -> VarianceComponents:
        """Those of the difference to a model with credits of 0 or 1 on the same items, which vary independently of those of people."""
        return VarianceComponents(self.participants, self.items + model_accuracy * (1 - model_accuracy), self.residual)

    def error(self, participants: _Array, items: int) -> tuple[_Array, _Array]:
        """The standard errors of the mean and their degrees of freedom; `participants`: their numbers, of any shape."""
        residual = self.residual / (participants * items)
        squares = ((self.participants / participants + residual, participants - 1), (self.items / items + residual, items - 1))
        variance = squares[0][0] + squares[1][0] - residual
        freedom = variance**2 / (sum(square**2 / n for square, n in squares) + residual**2 / ((participants - 1) * (items - 1)))
        return variance**0.5, freedom

    def half_width(self, participants: _Array, items: int) -> _Array:
        """Half the expected width of a 95% CI of the mean for other participants and other items."""
        from scipy.special import stdtrit

        error, freedom = self.error(participants, items)
        return np.asarray(stdtrit(freedom, 1 - ALPHA / 2)) * error

    def power(self, difference: float, participants: _Array, items: int) -> _Array:
        """The power of the two-sided test at level ALPHA of a mean of 0 if it is `difference`, by the noncentral t distribution."""
        from scipy.special import nctdtr, stdtrit

        error, freedom = self.error(participants, items)
        limit, shift = np.asarray(stdtrit(freedom, 1 - ALPHA / 2)), abs(difference) / error
        return np.asarray(1 - nctdtr(freedom, shift, limit) + nctdtr(freedom, shift, -limit), dtype=float)

    def participants_for(self, items: int, *, half_width: float = 0.0, difference: float = 0.0) -> int | None:
        """The least number of participants with `items` items for a half-width, or for power POWER to detect a difference.

        None if MOST_PARTICIPANTS are too few.
        """
        numbers = np.arange(2.0, MOST_PARTICIPANTS + 1)
        is_enough = self.power(difference, numbers, items) >= POWER if difference else self.half_width(numbers, items) <= half_width
        return int(numbers[is_enough.argmax()]) if is_enough.any() else None
