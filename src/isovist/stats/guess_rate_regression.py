"""Logistic regression with a known guess rate: P(correct) = chance + (1 - chance) / (1 + exp(-x b)), with the chance of each item.

It is the linear logistic test model (Fischer, 1973) for one respondent: the difficulty of an item is a linear function of its
properties. The coefficients are fitted by Fisher scoring with a weak normal prior, without which the estimate would not exist for a
model that is correct, or at chance, on all items. The covariance is the cluster-robust sandwich estimator.

Columns are tested with score tests, computed from the fit without them. Their type I error rate is correct also where the curve is
nearly flat (at chance or at 1), unlike that of Wald tests.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PRIOR = 4.0
"""Standard deviation of the prior of the coefficients, for columns in [0, 1]; that of the intercept is twice as large."""
_STEPS, _CLOSE = 100, 1e-9


@dataclass(frozen=True)
class RegressionData:
    """The data of a regression over n items.

    Attributes:
        credits: Credits in [0, 1], shape (n,).
        chances: Chance levels below 1, shape (n,).
        groups: The cluster of each item, from 0, shape (n,).
        columns: Predictors, shape (n, k); the first column is all 1 (intercept).
    """

    credits: Array
    chances: Array
    groups: NDArray[np.intp]
    columns: Array

    @property
    def n(self) -> int:
        return len(self.credits)


def regression_data(values: Sequence[float], chances: Sequence[float], groups: Sequence[Hashable], columns: Array) -> RegressionData:
    """Build the data of a regression: number the clusters and prepend the intercept to `columns`, shape (n, k). `values` are credits."""
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
    """The maximum a posteriori coefficients with their cluster-robust covariance."""
    b = _posterior_mode(observations.columns, observations)
    weights, residuals = _weights_and_gradients(observations.columns @ b, observations)
    bread = np.linalg.inv((observations.columns * weights[:, None]).T @ observations.columns + np.diag(_precisions(observations.columns)))
    sums = _sums(observations.columns * residuals[:, None], observations.groups)
    few = len(sums) / max(1, len(sums) - 1) * (observations.n - 1) / max(1, observations.n - observations.columns.shape[1])
    return Fit(b, bread @ (sums.T @ sums) @ bread * few, max(1, len(sums) - 1))


def predicted_accuracy(columns: Array, chances: Array, coefficients: Array) -> Array:
    """The expected credits, shape (n,), for `columns`, shape (n, k), `chances`, shape (n,), and `coefficients`, shape (k,)."""
    return chances + (1 - chances) * _logistic(columns @ coefficients)


def scores(observations: RegressionData, tested: Sequence[int]) -> Array:
    """The efficient scores of the `tested` columns (indices), summed over each cluster; shape (clusters, tested).

    The part explained by the estimated nuisance columns is removed. Under the null hypothesis the sum over all clusters has expectation
    0. The scores of tasks with common clusters may be added cluster by cluster.
    """
    rest = [place for place in range(observations.columns.shape[1]) if place not in tested]
    nuisance, tested_columns = observations.columns[:, rest], observations.columns[:, list(tested)]
    b = _posterior_mode(nuisance, observations)
    weights, residuals = _weights_and_gradients(nuisance @ b, observations)
    root = np.sqrt(weights / weights.max())[:, None]
    share = cast("Array", np.linalg.lstsq(nuisance * root, tested_columns * root, rcond=None)[0])  # pyright: ignore[reportUnknownMemberType]
    # without the gradient of the prior, which would add a constant to all scores
    return _sums((tested_columns - nuisance @ share) * residuals[:, None], observations.groups)


def score_test_p_value(sums: Array) -> float:
    """The p-value of the hypothesis that the mean of the cluster sums, shape (clusters, k), is 0 (chi-squared test).

    The covariance is computed around 0, which makes the test conservative for few clusters. The p-value is 1 if all sums are 0.
    """
    from scipy.stats import chi2

    whole, spread = sums.sum(axis=0), sums.T @ sums
    scale = float(np.abs(spread).max(initial=0))
    if scale <= 0:
        return 1.0
    inverse = np.linalg.pinv(spread / scale, rcond=1e-9, hermitian=True)
    return float(chi2.sf(float(whole @ inverse @ whole) / scale, sums.shape[1]))


def linearly_independent_columns(columns: Array, before: Array) -> list[int]:
    """The indices of the columns that are linearly independent of the earlier ones and of `before`, shape (n, j)."""
    independent: list[int] = []
    basis = before
    for place in range(columns.shape[1]):
        wider = np.column_stack([basis, columns[:, place]])
        if np.linalg.matrix_rank(wider, tol=1e-8 * np.sqrt(len(columns))) > basis.shape[1]:
            independent.append(place)
            basis = wider
    return independent


def _posterior_mode(columns: Array, observations: RegressionData) -> Array:
    """The posterior mode by Fisher scoring with step halving."""
    precisions = _precisions(columns)
    b = np.zeros(columns.shape[1])
    best = _log_posterior(b, columns, observations, precisions)
    for _ in range(_STEPS):
        weights, residuals = _weights_and_gradients(columns @ b, observations)
        slope = columns.T @ residuals - precisions * b
        step = np.linalg.solve((columns * weights[:, None]).T @ columns + np.diag(precisions), slope)
        gained = False
        for _ in range(30):
            height = _log_posterior(b + step, columns, observations, precisions)
            if height >= best - 1e-12:
                b, gained = b + step, height > best + _CLOSE
                best = max(best, height)
                break
            step = step / 2
        if not gained:
            break
    return b


def _log_posterior(b: Array, columns: Array, observations: RegressionData, precisions: Array) -> float:
    share = np.clip(predicted_accuracy(columns, observations.chances, b), 1e-12, 1 - 1e-12)
    likelihood = observations.credits * np.log(share) + (1 - observations.credits) * np.log1p(-share)
    return float(likelihood.sum() - (precisions * b * b).sum() / 2)


def _weights_and_gradients(linear: Array, observations: RegressionData) -> tuple[Array, Array]:
    """The Fisher weight of each item, and the derivative of its log-likelihood by the linear predictor; both of shape (n,)."""
    probability = _logistic(linear)
    share = np.clip(observations.chances + (1 - observations.chances) * probability, 1e-12, 1 - 1e-12)
    slope = (1 - observations.chances) * probability * (1 - probability)
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
