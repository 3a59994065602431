"""Adaptive runs: the number of items of each task, and whether the size threshold has the requested precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.evaluation.run.adaptive_settings import AdaptiveSettings
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.level_results import SizeLevels
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections import takeaways
from isovist.reporting.reports.sections.size_thresholds import threshold_values
from isovist.reporting.reports.table import N_UNSCORED, RUN, TASK, Column, Table

CAPTION = (
    "An adaptive run presents most items near the size threshold. Its overall accuracy is therefore not an estimate for the task and is "
    "not reported. Results for single sizes, the psychometric function and the size threshold are valid. Where the CI is open, its "
    "half-width is measured to the end of the tested sizes."
)


@dataclass(frozen=True, slots=True)
class AdaptiveRow:
    """One task of one adaptive run."""

    run: str
    task: str
    settings: AdaptiveSettings
    sizes: SizeLevels
    """The tested sizes."""

    @property
    def n_presented(self) -> int:
        return self.sizes.n + self.sizes.n_unscored

    @property
    def half_width(self) -> float | None:
        """Half the width of the CI of the size threshold, up to the ends of the sizes; None if the threshold is not reported."""
        estimate = self.sizes.estimate
        return None if estimate is None else round(estimate.half_width, 9)  # an interval at the end has none, but for the last bits

    @property
    def stop_reason(self) -> str:
        if self.half_width is None:
            return self.sizes.reason_not_reported
        if self.half_width <= self.settings.target_half_width:
            return "target precision reached"
        return "item limit reached" if self.n_presented >= self.settings.most_of(self.task) else "incomplete"


def build_rows(runs: Sequence[RunResults]) -> list[AdaptiveRow]:
    """Each task of each adaptive run."""
    return [AdaptiveRow(run.name, task.task, run.info.adaptive, task.every_size) for run in runs if run.info.adaptive for task in run.tasks]


def sections(runs: Sequence[RunResults]) -> list[Section]:
    lines = build_rows(runs)
    columns = [TASK, RUN, Column("n", "Items", "count"), N_UNSCORED, Column("", "Size threshold", "number"), Column("", "95% CI", "number")]
    columns += [Column("range_status"), Column("threshold", kind="units"), Column("half_width"), Column("", "Half-width", "number")]
    columns += [Column("target_half_width", "Target", "number"), Column("max_items"), Column("stop_reason", "Stop reason")]
    rows = [
        (
            *(line.task, line.run, line.n_presented, line.sizes.n_unscored, line.sizes.threshold_text, line.sizes.interval_text),
            *threshold_values(line.sizes),
            line.half_width,
            None if line.half_width is None else f"{line.half_width:.2f}",
            line.settings.target_half_width,
            line.settings.most_of(line.task),
            line.stop_reason,
        )
        for line in lines
    ]
    takeaway = takeaways.counts(
        runs,
        ((line.run, line.half_width <= line.settings.target_half_width) for line in lines if line.half_width is not None),
        "task",
        "the target precision",
        "half-width of the 95% CI",
        verb="have",
    )
    return [Section("Adaptive testing", Table(columns, rows), CAPTION, takeaway, file="adaptive.csv")]
