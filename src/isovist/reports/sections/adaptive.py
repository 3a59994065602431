"""What came of adaptive runs: how many items each task took, and whether the half-way size is known as well as was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.analysis.collect import RunResults
from isovist.analysis.level_results import SizeLevels
from isovist.reports.tables import as_csv, as_markdown
from isovist.run.adaptive_settings import AdaptiveSettings


@dataclass(frozen=True, slots=True)
class AdaptiveRow:
    """One task of one adaptive run."""

    run: str
    task: str
    design: AdaptiveSettings
    sizes: SizeLevels
    """The sizes that were asked."""

    @property
    def asked(self) -> int:
        return self.sizes.n + self.sizes.missing

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval of the half-way size, up to the ends of the sizes; None while it is withheld."""
        fall = self.sizes.fall
        return None if fall is None else round(fall.half_width, 9)  # an interval at the end has none, but for the last bits

    @property
    def threshold_text(self) -> str:
        """How it ended."""
        if self.half_width is None:
            return self.sizes.withheld
        if self.half_width <= self.design.target_half_width:
            return "precise enough"
        return "most items asked" if self.asked >= self.design.most_of(self.task) else "not done"


def build_rows(runs: Sequence[RunResults]) -> list[AdaptiveRow]:
    """Each task of each adaptive run."""
    return [
        AdaptiveRow(
            run.name,
            task.task,
            run.info.adaptive,
            SizeLevels(run.name, task.task, dict(sorted(task.levels.items())), unreadable=task.unreadable),
        )
        for run in runs
        if run.info.adaptive
        for task in run.tasks
    ]


def format_cells(line: AdaptiveRow) -> tuple[str, ...]:
    """A line in words, without task and model."""
    width = "-" if line.half_width is None else f"{line.half_width:.2f}"
    return (str(line.asked), line.sizes.halfway, line.sizes.interval, width, f"{line.design.target_half_width:g}", line.threshold_text)


TABLE_HEAD = ("items", "half-way size", "95 % interval", "half-width", "asked for", "ended")


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Empty without an adaptive run."""
    rows = [(line.task, line.run, *format_cells(line)) for line in build_rows(runs)]
    return as_markdown(("task", "model", *TABLE_HEAD), rows) + "\n" + CAPTION + "\n" if rows else ""


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a task of an adaptive run, in sizes."""
    rows: list[Sequence[object]] = []
    for line in build_rows(runs):
        fall = line.sizes.fall
        fall_cells = [fall.range_status, fall.threshold, fall.low, fall.high] if fall else ["withheld", None, None, None]
        row = [
            line.run,
            line.task,
            line.asked,
            line.sizes.missing,
            *fall_cells,
            line.half_width,
            line.design.target_half_width,
            line.design.most_of(line.task),
            line.threshold_text,
        ]
        rows.append(["" if cell is None else cell for cell in row])
    head = ["run", "task", "n", "missing", "where", "halfway", "low", "high", "half_width", "precision", "most", "ended"]
    return as_csv(head, rows)


CAPTION = (
    "An adaptive run asks most items where accuracy falls, so its share of right answers says nothing about the task and is withheld, "
    "as is whatever takes items of several sizes together. What is told of one size, the curve and the half-way size hold as in any run. "
    "The half-width is that of the interval; where it is open, up to the end of the sizes."
)
