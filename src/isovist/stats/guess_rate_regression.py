"""A logistic regression whose curve ends at chance: P(right) = chance + (1 - chance) / (1 + exp(-x b)), each item with its own chance.

It is the linear logistic test model (Fischer, 1973) of one person: the difficulty of an item is a linear function of what is known of
it. Fitted by Fisher's scoring with a weak normal prior on `b`, without which a model that is right (or guesses) everywhere would have
none. Its variance is the sandwich over the sums of the items of a group, so that items about one picture count together.

Tests of columns are score tests, made from the fit without them: they hold their level also where the curve is nearly flat at chance
or at 1, where the ratio of an estimate to its standard error does not.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PRIOR = 4.0
"""Standard deviation of the prior of each coefficient but the first, where columns go from 0 to 1; that of the first is twice it."""
_STEPS, _CLOSE = 100, 1e-9


@dataclass(frozen=True)
class RegressionData:
    """What was asked and what came of it: credits in [0, 1], chances below 1, a number for each item's group, and columns (n, k), of
    which the first is all 1.
    """

    credits: Array
    chances: Array
    groups: NDArray[np.intp]
    columns: Array

    @property
    def n(self) -> int:
        return len(self.credits)


def regression_data(values: Sequence[float], chances: Sequence[float], groups: Sequence[Hashable], columns: Array) -> RegressionData:
    """`values` are the credits. Groups are numbered in the order in which they come; a column of ones is put before the columns, shape (n, k)."""
    numbers: dict[Hashable, int] = {}
    numbered = [numbers.setdefault(group, len(numbers)) for group in groups]
    whole = np.column_stack([np.ones(len(values)), columns])
    return RegressionData(np.asarray(values, float), np.asarray(chances, float), np.asarray(numbered, np.intp), whole)


@dataclass(frozen=True)
class Fit:
    """Coefficients, shape (k,), with their cluster-robust covariance, shape (k, k), and its degrees of freedom."""

    coefficients: Array
    covariance: Array
    freedom: int


def fit_guess_rate_logit(observations: RegressionData) -> Fit:
    """The most likely coefficients under the prior."""
    b = _fitted(observations.columns, observations)
    weights, residuals = _working(observations.columns @ b, observations)
    bread = np.linalg.inv((observations.columns * weights[:, None]).T @ observations.columns + np.diag(_precisions(observations.columns)))
    sums = _sums(observations.columns * residuals[:, None], observations.groups)
    few = len(sums) / max(1, len(sums) - 1) * (observations.n - 1) / max(1, observations.n - observations.columns.shape[1])
    return Fit(b, bread @ (sums.T @ sums) @ bread * few, max(1, len(sums) - 1))


def predicted_accuracy(columns: Array, chances: Array, coefficients: Array) -> Array:
    """The expected credits."""
    return chances + (1 - chances) * _logistic(columns @ coefficients)


def scores(observations: RegressionData, tested: Sequence[int]) -> Array:
    """The score of the `tested` columns, less what it owes to the others' being estimated, summed over each group; shape (groups, tested).

    Sums over all groups are 0 in expectation if the columns do nothing. Tasks with groups in common may be added group by group.
    """
    rest = [place for place in range(observations.columns.shape[1]) if place not in tested]
    nuisance, tested_columns = observations.columns[:, rest], observations.columns[:, list(tested)]
    b = _fitted(nuisance, observations)
    weights, residuals = _working(nuisance @ b, observations)
    root = np.sqrt(weights / weights.max())[:, None]
    share = cast("Array", np.linalg.lstsq(nuisance * root, tested_columns * root, rcond=None)[0])  # pyright: ignore[reportUnknownMemberType]
    # without the prior, or what all items share would count
    return _sums((tested_columns - nuisance @ share) * residuals[:, None], observations.groups)


def score_test_p_value(sums: Array) -> float:
    """The p-value that sums of groups, shape (groups, k), are around 0. Their spread is that around 0, which keeps the test from
    finding too much among few groups. 1 where there is no spread.
    """
    from scipy.stats import chi2

    whole, spread = sums.sum(axis=0), sums.T @ sums
    scale = float(np.abs(spread).max(initial=0))
    if scale <= 0:
        return 1.0
    inverse = np.linalg.pinv(spread / scale, rcond=1e-9, hermitian=True)
    return float(chi2.sf(float(whole @ inverse @ whole) / scale, sums.shape[1]))


def linearly_independent_columns(columns: Array, before: Array) -> list[int]:
    """Which columns are no combination of those before them and of `before`, shape (n, j)."""
    independent: list[int] = []
    basis = before
    for place in range(columns.shape[1]):
        wider = np.column_stack([basis, columns[:, place]])
        if np.linalg.matrix_rank(wider, tol=1e-8 * np.sqrt(len(columns))) > basis.shape[1]:
            independent.append(place)
            basis = wider
    return independent


def _fitted(columns: Array, observations: RegressionData) -> Array:
    """The peak of the posterior by Fisher's scoring, with steps halved as long as they lead downhill."""
    precisions = _precisions(columns)
    b = np.zeros(columns.shape[1])
    best = _height(b, columns, observations, precisions)
    for _ in range(_STEPS):
        weights, residuals = _working(columns @ b, observations)
        slope = columns.T @ residuals - precisions * b
        step = np.linalg.solve((columns * weights[:, None]).T @ columns + np.diag(precisions), slope)
        gained = False
        for _ in range(30):
            height = _height(b + step, columns, observations, precisions)
            if height >= best - 1e-12:
                b, gained = b + step, height > best + _CLOSE
                best = max(best, height)
                break
            step = step / 2
        if not gained:
            break
    return b


def _height(b: Array, columns: Array, observations: RegressionData, precisions: Array) -> float:
    share = np.clip(predicted_accuracy(columns, observations.chances, b), 1e-12, 1 - 1e-12)
    likelihood = observations.credits * np.log(share) + (1 - observations.credits) * np.log1p(-share)
    return float(likelihood.sum() - (precisions * b * b).sum() / 2)


def _working(linear: Array, observations: RegressionData) -> tuple[Array, Array]:
    """Fisher's weight of each item, and how much it pulls at its linear predictor."""
    standing = _logistic(linear)
    share = np.clip(observations.chances + (1 - observations.chances) * standing, 1e-12, 1 - 1e-12)
    slope = (1 - observations.chances) * standing * (1 - standing)
    return slope * slope / (share * (1 - share)), (observations.credits - share) * slope / (share * (1 - share))


def _precisions(columns: Array) -> Array:
    precisions = np.full(columns.shape[1], PRIOR**-2)
    precisions[0] = (2 * PRIOR) ** -2
    return precisions


def _logistic(linear: Array) -> Array:
    return 0.5 + 0.5 * np.tanh(linear / 2)  # tanh cannot overflow


def _sums(each: Array, groups: NDArray[np.intp]) -> Array:
    sums = np.zeros((int(groups.max()) + 1, each.shape[1]))
    np.add.at(sums, groups, each)
    return sums
