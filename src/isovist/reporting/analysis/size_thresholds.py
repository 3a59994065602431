"""Size thresholds: the problem size above which accuracy falls.

The decrease is tested by the slope of the credits minus each item's chance over the logarithm of size, with a cluster-robust variance
(one-sided: random guessing has slope 0, a weak model 0 or more, as guessing helps less where answers are more). The threshold is that of
the fitted psychometric function (`stats.psychometric_function`); a finding needs one within the tested sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np

from isovist.reporting.analysis.findings import Finding, Tasks
from isovist.reporting.analysis.response_bias import is_always_the_same
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.text_format import in_tasks, percent
from isovist.stats.psychometric_function import LevelCounts, fit_threshold, interval_text, threshold_text

_MIN_SIZES, _MIN_CLUSTERS = 4, 20
MIN_DECREASE = 0.15
"""The least difference between the mean credits up to the threshold and above it."""


def detect_size_thresholds(tasks: Tasks) -> Iterator[Finding]:
    """One candidate for each task with sizes."""
    for task, scored in tasks.items():
        by_size = scored.by("size")
        rows = scored.where(~np.isnan(scored.column("size")))
        if len(by_size) < _MIN_SIZES or len(set(rows.clusters)) < _MIN_CLUSTERS or is_always_the_same(rows):
            continue
        estimate = fit_threshold([LevelCounts(size, part.n, sum(part.credits), part.chance) for size, part in by_size.items()])
        if estimate is None or estimate.threshold is None:
            yield Finding("size-threshold", (task,), "", rows.n, 0.0, 0.0, 1.0)
            continue
        up_to = [part for size, part in by_size.items() if size <= estimate.threshold]
        above = [part for size, part in by_size.items() if size > estimate.threshold]
        easy, hard = _mean(up_to), _mean(above)
        sentence = (
            f"Size threshold: {threshold_text(estimate)} (95% CI {interval_text(estimate)}), {in_tasks((task,))}. "
            f"Accuracy is {percent(easy)} up to this size and {percent(hard)} above it."
        )
        p = _decrease_p_value(rows) if easy - hard >= MIN_DECREASE else 1.0
        yield Finding("size-threshold", (task,), sentence, rows.n, hard, easy, p, sum(map(len, above)) * (easy - hard))


def _mean(sizes: Sequence[Rows]) -> float:
    """The mean over sizes, not over items: adaptive runs present some sizes more often because of earlier answers."""
    return sum(sum(rows.credits) / rows.n for rows in sizes) / max(1, len(sizes))


def _decrease_p_value(rows: Rows) -> float:
    """The one-sided p-value of a negative slope."""
    from scipy.stats import t

    x, y = np.log(rows.column("size")), rows.column("credit") - rows.column("chance")
    x, y = x - x.mean(), y - y.mean()
    sum_of_squares = float((x * x).sum())
    slope = float((x * y).sum()) / sum_of_squares
    residuals = y - slope * x
    sums = np.bincount(np.unique(rows.column("cluster"), return_inverse=True)[1], x * residuals)
    robust = sqrt(float((sums * sums).sum()) * len(sums) / (len(sums) - 2)) / sum_of_squares
    # clusters can hide the weight of a few correct answers at one end
    error = max(robust, sqrt(float((residuals * residuals).sum()) / (rows.n - 2) / sum_of_squares))
    return float(t.cdf(slope / error, len(sums) - 2)) if error else float(slope >= 0)
