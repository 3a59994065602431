"""Size thresholds: the problem size above which accuracy falls.

The decrease is tested by the slope of the credits minus each item's chance over the logarithm of size, with a cluster-robust variance
(one-sided: random guessing has slope 0, a weak model 0 or more, as guessing helps less where answers are more). The threshold is that of
the fitted psychometric function (`stats.psychometric_function`); a finding needs one within the tested sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log, sqrt

from isovist.reporting.analysis.findings import Finding, Tasks
from isovist.reporting.analysis.response_bias import is_always_the_same
from isovist.reporting.analysis.scored_item import ScoredItem
from isovist.reporting.analysis.text_format import in_tasks, percent
from isovist.stats.psychometric_function import LevelCounts, fit_threshold, interval_text, threshold_text

_MIN_SIZES, _MIN_CLUSTERS = 4, 20
MIN_DECREASE = 0.15
"""The least difference between the mean credits up to the threshold and above it."""


def detect_size_thresholds(tasks: Tasks) -> Iterator[Finding]:
    """One candidate for each task with sizes."""
    for task, scored_items in tasks.items():
        by_size: dict[int, list[ScoredItem]] = {}
        for item in scored_items:
            if item.level.isdecimal() and int(item.level):
                by_size.setdefault(int(item.level), []).append(item)
        items = [item for size_items in by_size.values() for item in size_items]
        if len(by_size) < _MIN_SIZES or len({item.group for item in items}) < _MIN_CLUSTERS or is_always_the_same(items):
            continue
        estimate = fit_threshold(
            [
                LevelCounts(size, len(size_items), _credit(size_items), sum(item.chance for item in size_items) / len(size_items))
                for size, size_items in by_size.items()
            ]
        )
        if estimate is None or estimate.threshold is None:
            yield Finding("size-threshold", (task,), "", len(items), 0.0, 0.0, 1.0)
            continue
        up_to = [size_items for size, size_items in by_size.items() if size <= estimate.threshold]
        above = [size_items for size, size_items in by_size.items() if size > estimate.threshold]
        easy, hard = _mean(up_to), _mean(above)
        sentence = (
            f"Size threshold: {threshold_text(estimate)} (95% CI {interval_text(estimate)}), {in_tasks((task,))}. "
            f"Accuracy is {percent(easy)} up to this size and {percent(hard)} above it."
        )
        p = _decrease_p_value(items) if easy - hard >= MIN_DECREASE else 1.0
        yield Finding("size-threshold", (task,), sentence, len(items), hard, easy, p, sum(map(len, above)) * (easy - hard))


def _credit(items: Sequence[ScoredItem]) -> float:
    return sum(item.credit for item in items)


def _mean(sizes: Sequence[Sequence[ScoredItem]]) -> float:
    """The mean over sizes, not over items: adaptive runs present some sizes more often because of earlier answers."""
    return sum(_credit(size_items) / len(size_items) for size_items in sizes) / max(1, len(sizes))


def _decrease_p_value(items: Sequence[ScoredItem]) -> float:
    """The one-sided p-value of a negative slope."""
    from scipy.stats import t

    sizes = [log(int(item.level)) for item in items]
    mean_x, mean = sum(sizes) / len(items), sum(item.credit - item.chance for item in items) / len(items)
    sum_of_squares = sum((x - mean_x) ** 2 for x in sizes)
    slope = sum((x - mean_x) * (item.credit - item.chance - mean) for x, item in zip(sizes, items, strict=True)) / sum_of_squares
    sums: dict[str, float] = {}
    residual_squares = 0.0
    for x, item in zip(sizes, items, strict=True):
        residual = item.credit - item.chance - mean - slope * (x - mean_x)
        sums[item.group] = sums.get(item.group, 0.0) + (x - mean_x) * residual
        residual_squares += residual * residual
    robust = sqrt(sum(total * total for total in sums.values()) * len(sums) / (len(sums) - 2)) / sum_of_squares
    error = max(
        robust, sqrt(residual_squares / (len(items) - 2) / sum_of_squares)
    )  # clusters can hide the weight of a few correct answers at one end
    return float(t.cdf(slope / error, len(sums) - 2)) if error else float(slope >= 0)
