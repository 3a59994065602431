"""The one figure of a report's first screen: the tasks by how far above guessing a model is in them, the weakest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from isovist.report.collect import Run, TaskResult, every_task
from isovist.report.svg import HUES, INK, PAPER, SOFT, add, canvas, hint, over_lines, text, written
from isovist.report.tables import as_csv

_LEFT, _RIGHT, _TOP, _WIDTH, _TALL = 262, 96, 44, 900, 500
_NARROW, _NAME = 380, 16
"""Of the figure for a phone: its width, and the height of the task's name, which stands over its row there."""
_FEWEST = 8
"""So many rows are shown however many runs there are."""
_WASH, _LINE = "#eef1f4", "#d9dee3"


@dataclass(frozen=True, slots=True)
class Mark:
    """One run on one task, from 0 for guessing to 1 for all right; below guessing it is negative."""

    result: TaskResult
    estimate: float
    low: float
    high: float
    sure: bool
    """Whether it is better than a guesser, as a claim beside those about all other tasks of the run."""


@dataclass(frozen=True, slots=True)
class Line:
    """One task with a mark for each run, None where there is none."""

    task: str
    marks: tuple[Mark | None, ...]

    @property
    def height(self) -> float:
        """Of all runs together: the mean of their marks."""
        there = [mark.estimate for mark in self.marks if mark]
        return sum(there) / len(there)


def lines(runs: Sequence[Run]) -> list[Line]:
    """The tasks of which a run has an accuracy, the weakest first."""
    judged = {run.name: sum(task.accuracy is not None for task in run.tasks) for run in runs}
    found = [
        Line(task, tuple(_mark(result, judged[result.run]) if result else None for result in results)) for task, results in every_task(runs)
    ]
    return sorted((line for line in found if any(line.marks)), key=lambda line: (line.height, line.task))


def _mark(result: TaskResult, claims: int) -> Mark | None:
    accuracy, chance = result.accuracy, result.chance
    if accuracy is None or chance >= 1:
        return None
    # with chances given, what is above chance is a straight function of the accuracy
    estimate, low, high = ((share - chance) / (1 - chance) for share in (accuracy.estimate, accuracy.low, accuracy.high))
    return Mark(result, estimate, low, high, result.beats_guessing(claims))


def shown(found: Sequence[Line], runs: int) -> Sequence[Line]:
    """As many of the weakest as a screen holds; all, where only a few more would be left out."""
    room = max(_FEWEST, int(_TALL // _row(runs)))
    return found if len(found) <= room + 3 else found[:room]


def _row(runs: int) -> float:
    return 22 if runs == 1 else 10 + 9 * runs


def figure(runs: Sequence[Run], *, whole: bool = False, narrow: bool = False) -> str:
    """A row a task: a dot for each run with its 95 % interval, hollow where the run is not surely better than a guesser.

    With `whole`, all tasks; `narrow`, as a phone shows it without being pushed sideways. Empty without a task that has an accuracy.
    """
    every = lines(runs)
    if not every:
        return ""
    found = every if whole else shown(every, len(runs))
    left, right, width, over = (12, 24, _NARROW, _NAME) if narrow else (_LEFT, _RIGHT, _WIDTH, 0)
    tall = _row(len(runs)) + over
    least = min(mark.estimate for line in found for mark in line.marks if mark)
    start = max(-1.0, floor(4 * min(-0.1, least)) / 4)  # intervals may go on beyond it
    height, span = _TOP + tall * len(found) + 12, width - left - right

    def x(share: float) -> float:
        return left + span * (max(start, share) - start) / (1 - start)

    svg = canvas(width, height, "How far above guessing each task is, the weakest first, with 95 % intervals")
    add(svg, "rect", x=float(left), y=_TOP - 6, width=x(0) - left, height=height - _TOP, fill=_WASH)
    for share in (0.25, 0.5, 0.75, 1.0):
        add(svg, "line", x1=x(share), x2=x(share), y1=_TOP - 6, y2=height - 6, stroke=_LINE)
        text(svg, x(share), _TOP - 12, f"{100 * share:.0f}", 11, "middle", SOFT)
    add(svg, "line", x1=x(0), x2=x(0), y1=_TOP - 6, y2=height - 6, stroke=INK, stroke_width=1.2, stroke_dasharray="2 2")
    text(svg, x(0), _TOP - 12, "0", 11, "middle")
    text(svg, x(0), 14, "guessing", 11.5, "middle", font_weight="600")
    text(svg, width - 4 if narrow else x(1), 14, "all right", 11.5, "end" if narrow else "middle", font_weight="600")
    suites = {line.task.partition("/")[0] for line in found}
    for place, line in enumerate(found):
        y = _TOP + place * tall
        name = line.task if len(suites) > 1 else line.task.partition("/")[2]
        told = name if len(name) <= 40 else f"{name[:38]}..."
        if narrow:
            over_lines(svg, left, y + 12, told, 12.5)
        else:
            text(svg, left - 14, y + tall / 2 + 4, told, 12.5, "end")
        for number, mark in enumerate(line.marks):
            if mark is None:
                continue
            middle = y + over + ((tall - over) / 2 - over / 5 if len(runs) == 1 else 9.5 + 9 * number)
            hue = HUES[number % len(HUES)]
            add(svg, "line", x1=x(mark.low), x2=x(mark.high), y1=middle, y2=middle, stroke=hue, stroke_width=2.2)
            dot = add(svg, "circle", cx=x(mark.estimate), cy=middle, r=4.4, fill=hue if mark.sure else PAPER, stroke=hue, stroke_width=1.8)
            hint(dot, _hint(mark))
            if len(runs) == 1:
                accuracy = mark.result.accuracy
                words = f"{100 * accuracy.estimate:.0f} % right" if accuracy else ""
                text(svg, width - 6, y + 12 if narrow else middle + 4, words, 12, "end", hue if mark.sure else SOFT, font_weight="600")
    return written(svg)


def _hint(mark: Mark) -> str:
    accuracy, it = mark.result.accuracy, mark.result
    right = f"{100 * accuracy.estimate:.1f} % right, " if accuracy else ""
    return (
        f"{it.run}, {it.task}: {right}chance {100 * it.chance:.1f} %; {100 * mark.estimate:.1f} above chance "
        f"({100 * mark.low:.1f} to {100 * mark.high:.1f}), n = {it.n}{'' if mark.sure else '; not surely better than a guesser'}"
    )


def csv(runs: Sequence[Run]) -> str:
    """One line a task and run, the weakest task first; 0 is chance, 1 all right."""
    rows = [
        [line.task, mark.result.run, mark.result.n, mark.estimate, mark.low, mark.high, int(mark.sure)]
        for line in lines(runs)
        for mark in line.marks
        if mark is not None
    ]
    return as_csv(["task", "run", "n", "above_chance", "low", "high", "better_than_guessing"], rows)
