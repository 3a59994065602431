"""What the first screen tells of runs whose sizes were chosen by the answers: up to which size each task is done, in words and one figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor

from isovist.analysis.collect import RunResults
from isovist.reports.figures.row_layout import of_tasks
from isovist.reports.figures.svg import HUES, INK, RULE, SOFT, add, canvas, text, written
from isovist.reports.sections import adaptive
from isovist.reports.sections.adaptive import AdaptiveRow

_TOP = 30


def lead(run: RunResults) -> str:
    """The first sentences on a run; empty for one that was not adaptive, or without a task whose items all have verdicts."""
    known = [line for line in adaptive.build_rows([run]) if line.sizes.fall]
    if not known:
        return ""
    within = sorted((line for line in known if _at(line) is not None), key=lambda line: _at(line) or 0)
    beyond = [line for line in known if line.sizes.fall and line.sizes.fall.range_status == "above"]
    below = [line for line in known if line not in within and line not in beyond]
    if len(known) == 1:
        return f"{_one(known[0])}."
    clauses = [f"in {_count(within, known)} it is right up to some size: half-way to guessing it is {_ends(within)}"] if within else []
    clauses += [f"in {_count(beyond, known)} beyond the largest size that was asked"] if beyond else []
    clauses += [f"in {_count(below, known)} it is less than half-way above guessing at the smallest size already"] if below else []
    floors = [floor(_at(line) or 0) for line in within]
    few = "" if not within else f"{min(floors)}" if min(floors) == max(floors) else f"{min(floors)} to {max(floors)}"
    start = f"It is right up to about size {few}" if few and len(within) == len(known) else "Up to which size it is right"
    return f"{start}: {'; '.join(clauses)}. The sizes were chosen by the answers, in {sum(line.asked for line in known):,} items."


def _one(line: AdaptiveRow) -> str:
    task, at = line.task.partition("/")[2], _at(line)
    if at is not None:
        return f"It is right up to about size {floor(at)} in {task}: half-way to guessing it is at {_named(line)}"
    if line.sizes.fall and line.sizes.fall.range_status == "above":
        return f"In {task} no size was too large for it: it is more than half-way above guessing at the largest one that was asked"
    return f"In {task} it fails at every size that was asked: it is less than half-way above guessing at the smallest one"


def _at(line: AdaptiveRow) -> float | None:
    return line.sizes.fall.threshold if line.sizes.fall else None


def _ends(within: Sequence[AdaptiveRow]) -> str:
    """Where the smallest and the largest half-way size are."""
    ends = within if len(within) < 3 else (within[0], within[-1])
    return ("at " if len(within) < 3 else "between ") + " and ".join(f"{_named(line)} in {line.task.partition('/')[2]}" for line in ends)


def _named(line: AdaptiveRow) -> str:
    return f"size {line.sizes.halfway} (95 % interval {line.sizes.interval})"


def _count(lines: Sequence[AdaptiveRow], known: Sequence[AdaptiveRow]) -> str:
    return f"all {len(known)} tasks" if len(lines) == len(known) else f"{len(lines)} of {len(known)} tasks"


def ordered(runs: Sequence[RunResults]) -> list[tuple[str, list[AdaptiveRow | None]]]:
    """Each task with the line of each adaptive run, the smallest half-way size first; what lies beyond the sizes asked stands last."""
    names = [run.name for run in runs]
    tasks: dict[str, list[AdaptiveRow | None]] = {}
    for line in adaptive.build_rows(runs):
        if line.sizes.fall:
            tasks.setdefault(line.task, [None] * len(names))[names.index(line.run)] = line
    return sorted(tasks.items(), key=lambda entry: (_height(entry[1]), entry[0]))


def _height(lines: Sequence[AdaptiveRow | None]) -> float:
    places = [_place(line) for line in lines if line]
    return sum(places) / len(places)


def _place(line: AdaptiveRow) -> float:
    """The half-way size, or the end of the sizes asked beyond which it is."""
    fall = line.sizes.fall
    if not fall:
        return 0.0
    return fall.threshold if fall.threshold is not None else float(fall.largest if fall.range_status == "above" else fall.smallest)


def figure(runs: Sequence[RunResults], *, narrow: bool = False) -> str:
    """A row a task: a dot for each run at its half-way size with the 95 % interval, hollow where it lies beyond the sizes asked.

    Empty without an adaptive run.
    """
    tasks = ordered(runs)
    if not tasks:
        return ""
    rows = of_tasks(len(runs), narrow=narrow)
    falls = [line.sizes.fall for _, lines in tasks for line in lines if line and line.sizes.fall]
    least, most = min(estimate.smallest for estimate in falls), max(estimate.largest for estimate in falls)
    height = _TOP + rows.tall * len(tasks) + 12

    def x(size: float) -> float:
        return rows.left + rows.span * (size - least) / max(1, most - least)

    svg = canvas(rows.width, height, "Half-way size of each task, the smallest first, with 95 % intervals")
    for size in _ticks(least, most):
        add(svg, "line", x1=x(size), x2=x(size), y1=_TOP - 6, y2=height - 6, stroke=RULE)
        text(
            svg,
            x(size),
            _TOP - 12,
            f"size {size}" if size == least else str(size),
            11,
            "start" if narrow and size == least else "middle",
            SOFT,
        )
    for place, (task, lines) in enumerate(tasks):
        y = _TOP + place * rows.tall
        rows.name(svg, y, task.partition("/")[2])
        for number, line in enumerate(lines):
            fall = line.sizes.fall if line else None
            if line is None or fall is None:
                continue
            hint = f"{line.run}, {task}: half-way size {line.sizes.halfway} ({line.sizes.interval}), {line.asked} items"
            places = x(_place(line)), x(fall.low or fall.smallest), x(fall.high or fall.largest)
            rows.dot(svg, y, number, places, hint, full=fall.threshold is not None)
            if len(runs) == 1:
                rows.number(svg, y, line.sizes.halfway, INK if fall.threshold is None else HUES[0])
    return written(svg)


def _ticks(least: int, most: int) -> Iterator[int]:
    """The ends, and what lies between at even steps."""
    step = max(1, round((most - least) / 5))
    yield from (size for size in range(least, most, step) if most - size > step / 2)
    yield most


CAPTION = (
    "How large a task may be: the size at which accuracy is half-way between its top and guessing, with 95 % intervals, the smallest first. "
    "Hollow: it lies beyond the sizes asked."
)
