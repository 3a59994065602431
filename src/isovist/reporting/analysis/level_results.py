"""Accuracy by level, and by size for tasks whose levels are problem sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from isovist.reporting.analysis.rows import MAX_UNSCORED, Rows
from isovist.reporting.analysis.text_format import not_scored
from isovist.reporting.analysis.unparsed_responses import UnparsedResponses
from isovist.stats.effective_sample_size import effective_sample_size
from isovist.stats.psychometric_function import LevelCounts, ThresholdEstimate, fit_threshold, interval_text, threshold_text

MIN_SIZES = 4
"""A task with fewer sizes has no psychometric function."""


@dataclass(frozen=True)
class SizeLevels:
    """One task of one run, or all tasks of a skill together, by size."""

    run: str
    task: str
    rows: Mapping[int, Rows]
    """The items by size, from the smallest."""
    n_tasks: int = 1
    unparsed_responses: UnparsedResponses | None = None
    """None for several tasks together."""

    @property
    def n(self) -> int:
        return sum(rows.n for rows in self.rows.values())

    @property
    def n_unscored(self) -> int:
        return sum(rows.n_unscored for rows in self.rows.values())

    @cached_property
    def estimate(self) -> ThresholdEstimate | None:
        """The fitted psychometric function; None if it is not reported, and for several tasks, whose functions differ.

        Items that are not scored widen the interval: it contains those of the fits with all of them incorrect, and all correct.
        """
        if self.reason_not_reported or self.n_tasks > 1:
            return None
        scored = {size: rows for size, rows in self.rows.items() if rows.n}
        weight = self._effective_share(list(scored.values())) if scored else 1.0

        def fit(*added: float) -> ThresholdEstimate | None:
            """With the credits of items that are not scored."""
            results = [(size, [*rows.credits, *rows.n_unscored * added], rows.chance) for size, rows in scored.items()]
            return fit_threshold([LevelCounts(size, weight * len(each), weight * sum(each), chance) for size, each, chance in results])

        fits = list(filter(None, [fit(), fit(0.0), fit(1.0)] if self.n_unscored else [fit()]))
        lows, highs = [each.low for each in fits], [each.high for each in fits]
        ends = {"low": None if None in lows else min(filter(None, lows)), "high": None if None in highs else max(filter(None, highs))}
        return replace(fits[0], **ends) if len(fits) > 1 else next(iter(fits), None)

    @staticmethod
    def _effective_share(sizes: Sequence[Rows]) -> float:
        """The effective sample size divided by the number of items: less than 1 where items share an image."""
        means = [sum(rows.credits) / rows.n for rows in sizes]
        residuals = [value - mean for rows, mean in zip(sizes, means, strict=True) for value in rows.credits]
        clusters = [cluster for rows in sizes for cluster in rows.clusters]
        spread = sum(4 * mean * (1 - mean) for mean in means) / len(means)
        return effective_sample_size(residuals, clusters, spread).items / len(residuals)

    @property
    def reason_not_reported(self) -> str:
        """Why there is no psychometric function; empty if there is one."""
        if self.n_unscored > MAX_UNSCORED * (self.n + self.n_unscored):
            return not_scored(self.n_unscored)
        unparsed = self.unparsed_responses
        return f"{unparsed.total} of {unparsed.n} responses unparsed" if unparsed and unparsed.many else ""

    @property
    def threshold_text(self) -> str:
        estimate = self.estimate
        return f"not reported ({self.reason_not_reported})" if estimate is None else threshold_text(estimate)

    @property
    def interval_text(self) -> str:
        estimate = self.estimate
        return "-" if estimate is None else interval_text(estimate)


def pool_sizes(run: str, name: str, parts: Sequence[SizeLevels]) -> SizeLevels | None:
    """Several tasks as one, each item with the same weight; None without any."""
    by_size: dict[int, list[Rows]] = {}
    for part in parts:
        for size_, rows in part.rows.items():
            by_size.setdefault(size_, []).append(rows)
    return SizeLevels(run, name, {size_: Rows.together(by_size[size_]) for size_ in sorted(by_size)}, len(parts)) if by_size else None
