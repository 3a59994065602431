"""Repeated epochs of the standard condition: pass@k, majority votes, and output tokens per correct answer.

pass@k is the probability that at least one of k responses to an item is correct, if k of its n responses are drawn without replacement; its
mean over the items is unbiased (Chen et al. 2021, arXiv 2107.03374, section 2.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from isovist.reporting.analysis.rows import Array, Rows
from isovist.reporting.analysis.variants import answer_numbers
from isovist.stats.clustered_means import mean_of_tasks
from isovist.stats.effective_sample_size import cluster_sums
from isovist.stats.proportions import ConfidenceInterval, normal

EPOCH = "epoch"
KS = (1, 2, 4, 8, 16)
"""The k of pass@k, where they are below the number of epochs, besides this number."""


@dataclass(frozen=True, slots=True)
class RepeatedEpochs:
    """The results of a task whose items were presented several times."""

    n_epochs: int
    correct: list[int]
    """Correct responses to each item that is scored in all epochs."""
    majority: list[float]
    """The credit of the most frequent answer of each item."""
    clusters: list[int]
    tokens_per_correct: ConfidenceInterval | None
    """Output tokens of all responses for each correct one; None without recorded tokens or without a correct response."""


def repeated_epochs(rows: Rows) -> RepeatedEpochs | None:
    """The results of the standard condition and its repetitions; None without repetitions of scored items."""
    standard, repeated = rows.standard, rows.having("variant_family", EPOCH)
    if not len(repeated):
        return None
    place = np.searchsorted(standard.column("item"), repeated.column("item"))
    n_epochs = 1 + int(np.bincount(place).max())
    credit_values, answers, tokens = (
        [[value] for value in first]
        for first in (standard.column("credit").tolist(), answer_numbers(standard).tolist(), standard.column("output_tokens").tolist())
    )
    columns = repeated.column("credit").tolist(), answer_numbers(repeated).tolist(), repeated.column("output_tokens").tolist()
    for at, credit, answer, count in zip(place.tolist(), *columns, strict=True):
        credit_values[at].append(credit)
        answers[at].append(answer)
        tokens[at].append(count)
    scored = [k for k, each in enumerate(credit_values) if len(each) == n_epochs and not np.isnan(each).any()]
    if not scored:
        return None
    clusters = standard.column("cluster")[scored].tolist()
    n_correct = [sum(credit == 1 for credit in credit_values[k]) for k in scored]
    return RepeatedEpochs(
        n_epochs,
        n_correct,
        [majority_credit(answers[k], credit_values[k]) for k in scored],
        clusters,
        _ratio(np.array([sum(tokens[k]) for k in scored], float), np.array(n_correct, float), clusters),
    )


def mean_pass_at(tasks: Sequence[RepeatedEpochs], k: int) -> ConfidenceInterval:
    """pass@k, the mean over tasks."""
    return mean_of_tasks([([pass_at(task.n_epochs, count, k) for count in task.correct], task.clusters) for task in tasks])


def mean_majority(tasks: Sequence[RepeatedEpochs]) -> ConfidenceInterval:
    """The credit of the most frequent answer, the mean over tasks."""
    return mean_of_tasks([(task.majority, task.clusters) for task in tasks])


def pass_at(n: int, correct: int, k: int) -> float:
    """The probability that at least one of k responses is correct, drawn from n of which some are correct."""
    return 1.0 - comb(n - correct, k) / comb(n, k)


def majority_credit(answers: Sequence[float], credit_values: Sequence[float]) -> float:
    """The credit of the most frequent answer; the mean of several that are equally frequent.

    Answers are numbers, and below 0 for an unparsed response, which has no vote. The credit is 0 if no response has a vote.
    """
    votes = [answer for answer in answers if answer >= 0]
    if not votes:
        return 0.0
    most = max(votes.count(answer) for answer in votes)
    tied = sorted({answer for answer in votes if votes.count(answer) == most})
    return sum(credit_values[list(answers).index(answer)] for answer in tied) / len(tied)


def _ratio(total: Array, count: Array, clusters: Sequence[int]) -> ConfidenceInterval | None:
    """The ratio of two sums over items, with a 95% CI by linearization for the population of clusters."""
    if not total.sum() or not count.sum():
        return None
    ratio = float(total.sum() / count.sum())
    residuals = np.array(list(cluster_sums((total - ratio * count).tolist(), clusters).values()))
    n = len(residuals)
    if n == 1:
        return ConfidenceInterval(ratio, 0.0, float("inf"), too_few_clusters=True)
    half = normal(0.95) * float((n / (n - 1) * (residuals**2).sum()) ** 0.5 / count.sum())
    return ConfidenceInterval(ratio, max(0.0, ratio - half), ratio + half)
