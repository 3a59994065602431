"""The figure of all tasks: chance-corrected accuracy by task, grouped by ability, lowest first in each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from isovist.reporting.analysis.collect import RunResults, every_task
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.analysis.text_format import task_name
from isovist.reporting.reports.figures.row_layout import of_tasks
from isovist.reporting.reports.figures.svg import HUES, INK, SOFT, add, canvas, text, written
from isovist.reporting.reports.table import RUN, TASK, Column, N, Table, ci_text
from isovist.stats.proportions import ConfidenceInterval
from isovist.suites.abilities import NAMES, ability_of

_TOP = 44
_HEADING = 28
"""Height of the name of an ability above its tasks."""
OTHER = "other tasks"
_WASH, _LINE = "#eef1f4", "#d9dee3"


@dataclass(frozen=True, slots=True)
class RunMark:
    """One run on one task, on the scale of chance-corrected accuracy."""

    result: TaskResult
    estimate: float
    low: float
    high: float
    is_above_chance: bool
    """Whether it is significantly above chance, corrected for all tasks of the run."""

    @property
    def interval(self) -> ConfidenceInterval:
        return ConfidenceInterval(self.estimate, self.low, self.high)


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """One task with a mark for each run, None without a result."""

    task: str
    marks: tuple[RunMark | None, ...]

    @property
    def mean(self) -> float:
        """The mean over the runs."""
        estimates = [mark.estimate for mark in self.marks if mark]
        return sum(estimates) / len(estimates)


def build_rows(runs: Sequence[RunResults]) -> list[OverviewRow]:
    """The interpretable tasks by ability, in each the lowest mean first."""
    n_tasks = {run.name: sum(task.is_interpretable for task in run.tasks) for run in runs}
    rows = [
        OverviewRow(task, tuple(_mark(result, n_tasks[result.run]) if result else None for result in results))
        for task, results in every_task(runs)
    ]
    return sorted((row for row in rows if any(row.marks)), key=lambda row: (*_groups(row.task), row.mean, row.task))


def _groups(task: str) -> tuple[int, str]:
    """The place and the name of the ability of a task."""
    ability = ability_of(task)
    return (NAMES.index(ability), ability) if ability else (len(NAMES), OTHER)


def _mark(result: TaskResult, n_claims: int) -> RunMark | None:
    accuracy, chance = result.accuracy, result.chance
    if accuracy is None or result.unparsed_responses.many or chance >= 1:
        return None
    estimate, low, high = ((share - chance) / (1 - chance) for share in (accuracy.estimate, accuracy.low, accuracy.high))
    return RunMark(result, estimate, low, high, result.exceeds_chance(n_claims))


def figure(runs: Sequence[RunResults], *, narrow: bool = False) -> str:
    """A row for each task: a dot for each run with its 95% CI, hollow if the run is not significantly above chance.

    `narrow`: for phones. Empty without an interpretable task.
    """
    chosen = build_rows(runs)
    if not chosen:
        return ""
    rows = of_tasks(len(runs), narrow=narrow)
    smallest = min(mark.estimate for row in chosen for mark in row.marks if mark)
    start = max(-1.0, floor(4 * min(-0.1, smallest)) / 4)  # intervals may go on beyond it
    groups = dict.fromkeys(_groups(row.task)[1] for row in chosen)
    heading = _HEADING if len(groups) > 1 else 0
    height = _TOP + rows.tall * len(chosen) + heading * len(groups) + 12

    def x(share: float) -> float:
        return rows.left + rows.span * (max(start, share) - start) / (1 - start)

    svg = canvas(rows.width, height, "Chance-corrected accuracy by task with 95% CIs, by ability, lowest first")
    add(svg, "rect", x=float(rows.left), y=_TOP - 6, width=x(0) - rows.left, height=height - _TOP, fill=_WASH)
    for share in (0.25, 0.5, 0.75, 1.0):
        add(svg, "line", x1=x(share), x2=x(share), y1=_TOP - 6, y2=height - 6, stroke=_LINE)
        text(svg, x(share), _TOP - 12, f"{100 * share:.0f}", 11, "middle", SOFT)
    add(svg, "line", x1=x(0), x2=x(0), y1=_TOP - 6, y2=height - 6, stroke=INK, stroke_width=1.2, stroke_dasharray="2 2")
    text(svg, x(0), _TOP - 12, "0", 11, "middle")
    text(svg, x(0), 14, "chance", 11.5, "middle", font_weight="600")
    text(svg, rows.width - 4 if narrow else x(1), 14, "perfect", 11.5, "end" if narrow else "middle", font_weight="600")
    suites = {row.task.partition("/")[0] for row in chosen}
    y, group = _TOP - rows.tall, ""
    for row in chosen:
        y += rows.tall
        if heading and _groups(row.task)[1] != group:
            group = _groups(row.task)[1]
            text(svg, 12.0, y + heading - 9.0, group, 13, "start", font_weight="700")
            y += heading
        name = row.task if len(suites) > 1 else task_name(row.task)
        rows.name(svg, y, name)
        for number, mark in enumerate(row.marks):
            if mark is None:
                continue
            rows.dot(svg, y, number, (x(mark.estimate), x(mark.low), x(mark.high)), _hint(mark), is_filled=mark.is_above_chance)
            if len(runs) == 1:
                accuracy = mark.result.accuracy
                label = f"acc. {100 * accuracy.estimate:.0f}%" if accuracy else ""
                rows.number(svg, y, label, HUES[0] if mark.is_above_chance else SOFT)
    return written(svg)


def _hint(mark: RunMark) -> str:
    result = mark.result
    accuracy = f"accuracy {ci_text(result.accuracy)} %, " if result.accuracy else ""
    note = "" if mark.is_above_chance else "; not significantly above chance"
    return (
        f"{result.run}, {result.task}: {accuracy}chance {100 * result.chance:.1f}%; chance-corrected accuracy "
        f"{ci_text(mark.interval, kind='points')}, n = {result.n}{note}"
    )


def table(runs: Sequence[RunResults]) -> Table:
    rows = [
        (row.task, mark.result.run, mark.result.n, mark.interval, mark.is_above_chance)
        for row in build_rows(runs)
        for mark in row.marks
        if mark is not None
    ]
    return Table([TASK, RUN, N, Column("chance_corrected", kind="points"), Column("significantly_above_chance")], rows)
