"""The one figure of a report's first screen: the tasks by how far above guessing a model is in them, the weakest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from isovist.analysis.collect import RunResults, TaskResult, every_task
from isovist.reports.figures.row_layout import of_tasks
from isovist.reports.figures.svg import HUES, INK, SOFT, add, canvas, text, written
from isovist.reports.tables import as_csv

_TOP, _TALL = 44, 500
_FEWEST = 8
"""So many rows are shown however many runs there are."""
_WASH, _LINE = "#eef1f4", "#d9dee3"


@dataclass(frozen=True, slots=True)
class RunMark:
    """One run on one task, from 0 for guessing to 1 for all right; below guessing it is negative."""

    result: TaskResult
    estimate: float
    low: float
    high: float
    sure: bool
    """Whether it is better than a guesser, as a claim beside those about all other tasks of the run."""


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """One task with a mark for each run, None where there is none."""

    task: str
    marks: tuple[RunMark | None, ...]

    @property
    def height(self) -> float:
        """Of all runs together: the mean of their marks."""
        estimates = [mark.estimate for mark in self.marks if mark]
        return sum(estimates) / len(estimates)


def build_rows(runs: Sequence[RunResults]) -> list[OverviewRow]:
    """The tasks in which a run can be judged, the weakest first."""
    judged = {run.name: sum(task.judged for task in run.tasks) for run in runs}
    all_lines = [
        OverviewRow(task, tuple(_mark(result, judged[result.run]) if result else None for result in results))
        for task, results in every_task(runs)
    ]
    return sorted((line for line in all_lines if any(line.marks)), key=lambda line: (line.height, line.task))


def _mark(result: TaskResult, claims: int) -> RunMark | None:
    accuracy, chance = result.accuracy, result.chance
    if accuracy is None or result.unreadable.many or chance >= 1:
        return None
    # with chances given, what is above chance is a straight function of the accuracy
    estimate, low, high = ((share - chance) / (1 - chance) for share in (accuracy.estimate, accuracy.low, accuracy.high))
    return RunMark(result, estimate, low, high, result.beats_guessing(claims))


def shown(lines: Sequence[OverviewRow], runs: int) -> Sequence[OverviewRow]:
    """As many of the weakest as a screen holds; all, where only a few more would be left out."""
    room = max(_FEWEST, int(_TALL // of_tasks(runs, narrow=False).tall))
    return lines if len(lines) <= room + 3 else lines[:room]


def figure(runs: Sequence[RunResults], *, whole: bool = False, narrow: bool = False) -> str:
    """A row a task: a dot for each run with its 95 % interval, hollow where the run is not surely better than a guesser.

    With `whole`, all tasks; `narrow`, as a phone shows it without being pushed sideways. Empty without a task that has an accuracy.
    """
    every = build_rows(runs)
    if not every:
        return ""
    chosen = every if whole else shown(every, len(runs))
    rows = of_tasks(len(runs), narrow=narrow)
    least = min(mark.estimate for line in chosen for mark in line.marks if mark)
    start = max(-1.0, floor(4 * min(-0.1, least)) / 4)  # intervals may go on beyond it
    height = _TOP + rows.tall * len(chosen) + 12

    def x(share: float) -> float:
        return rows.left + rows.span * (max(start, share) - start) / (1 - start)

    svg = canvas(rows.width, height, "How far above guessing each task is, the weakest first, with 95 % intervals")
    add(svg, "rect", x=float(rows.left), y=_TOP - 6, width=x(0) - rows.left, height=height - _TOP, fill=_WASH)
    for share in (0.25, 0.5, 0.75, 1.0):
        add(svg, "line", x1=x(share), x2=x(share), y1=_TOP - 6, y2=height - 6, stroke=_LINE)
        text(svg, x(share), _TOP - 12, f"{100 * share:.0f}", 11, "middle", SOFT)
    add(svg, "line", x1=x(0), x2=x(0), y1=_TOP - 6, y2=height - 6, stroke=INK, stroke_width=1.2, stroke_dasharray="2 2")
    text(svg, x(0), _TOP - 12, "0", 11, "middle")
    text(svg, x(0), 14, "guessing", 11.5, "middle", font_weight="600")
    text(svg, rows.width - 4 if narrow else x(1), 14, "all right", 11.5, "end" if narrow else "middle", font_weight="600")
    suites = {line.task.partition("/")[0] for line in chosen}
    for place, line in enumerate(chosen):
        y = _TOP + place * rows.tall
        name = line.task if len(suites) > 1 else line.task.partition("/")[2]
        rows.name(svg, y, name if len(name) <= 40 else f"{name[:38]}...")
        for number, mark in enumerate(line.marks):
            if mark is None:
                continue
            rows.dot(svg, y, number, (x(mark.estimate), x(mark.low), x(mark.high)), _hint(mark), full=mark.sure)
            if len(runs) == 1:
                accuracy = mark.result.accuracy
                words = f"{100 * accuracy.estimate:.0f} % right" if accuracy else ""
                rows.number(svg, y, words, HUES[0] if mark.sure else SOFT)
    return written(svg)


def _hint(mark: RunMark) -> str:
    accuracy, result = mark.result.accuracy, mark.result
    right = f"{100 * accuracy.estimate:.1f} % right, " if accuracy else ""
    return (
        f"{result.run}, {result.task}: {right}chance {100 * result.chance:.1f} %; {100 * mark.estimate:.1f} above chance "
        f"({100 * mark.low:.1f} to {100 * mark.high:.1f}), n = {result.n}{'' if mark.sure else '; not surely better than a guesser'}"
    )


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a task and run, the weakest task first; 0 is chance, 1 all right."""
    rows = [
        [line.task, mark.result.run, mark.result.n, mark.estimate, mark.low, mark.high, int(mark.sure)]
        for line in build_rows(runs)
        for mark in line.marks
        if mark is not None
    ]
    return as_csv(["task", "run", "n", "above_chance", "low", "high", "better_than_guessing"], rows)
