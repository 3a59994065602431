"""How long people took for an item: medians by task, by whether they were right, and by level.

Models have no such table: how long a reply takes tells of a server and of how many requests it is sent at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.analysis.collect import RunResults, TaskResult, Timed
from isovist.analysis.level_results import size
from isovist.reports.tables import FEW_MARK, as_csv, as_markdown
from isovist.stats.medians import FEWEST, Median, median

TABLE_HEAD = (
    "task",
    "people",
    "answers",
    "median, seconds",
    "95 % interval",
    "where right",
    "95 % interval",
    "where wrong",
    "95 % interval",
)


@dataclass(frozen=True, slots=True)
class ResponseTimeRow:
    """One task in one run of people, or one of its levels; `level` is empty for all of them together."""

    run: str
    task: str
    level: str
    n: int
    every: Median
    right: Median | None
    """Of the answers with full credit; None without any."""
    wrong: Median | None
    """Of all others."""

    @property
    def medians(self) -> tuple[Median | None, ...]:
        return self.every, self.right, self.wrong


def build_rows(runs: Sequence[RunResults]) -> list[ResponseTimeRow]:
    """All tasks of all runs of people, each followed by its levels if there are several."""
    return [line for task in _timed(runs) for line in (_line(task, "", task.times), *_by_level(task))]


def of_tasks(runs: Sequence[RunResults]) -> list[ResponseTimeRow]:
    """Without the levels, which stand in the file."""
    return [_line(task, "", task.times) for task in _timed(runs)]


def _timed(runs: Sequence[RunResults]) -> list[TaskResult]:
    return [task for run in runs for task in run.tasks if task.times]


def _by_level(task: TaskResult) -> list[ResponseTimeRow]:
    """Sizes from the smallest, names by the alphabet."""
    levels = sorted({timed.level for timed in task.times}, key=lambda level: (size(level) or 0, level))
    return [_line(task, level, [timed for timed in task.times if timed.level == level]) for level in levels] if len(levels) > 1 else []


def _line(task: TaskResult, level: str, times: Sequence[Timed]) -> ResponseTimeRow:
    right, wrong = ([timed for timed in times if timed.right is is_right] for is_right in (True, False))
    parts = (_median(some) if some else None for some in (right, wrong))
    return ResponseTimeRow(task.run, task.task, level, len(times), _median(times), *parts)


def _median(times: Sequence[Timed]) -> Median:
    return median([timed.seconds for timed in times], [timed.group for timed in times])


def format_cells(line: ResponseTimeRow) -> list[str]:
    """The number of answers and the medians with their intervals."""
    return [str(line.n), *(cell for median in line.medians for cell in _shown(median))]


def _shown(median: Median | None) -> tuple[str, str]:
    if median is None:
        return "-", "-"
    ends = "-" if median.low is None or median.high is None else f"{median.low:.1f} to {median.high:.1f}{FEW_MARK if median.few else ''}"
    return f"{median.estimate:.1f}", ends


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Empty without people."""
    rows = [(line.task, line.run, *format_cells(line)) for line in of_tasks(runs)]
    return as_markdown(TABLE_HEAD, rows) + "\n" + CAPTION + "\n" if rows else ""


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a run, task and level, numbers in seconds; the level is empty for all levels together."""
    names = ("median", "right_median", "wrong_median")
    head = ["run", "task", "level", "answers", *(f"{name}{end}" for name in names for end in ("", "_low", "_high"))]
    return as_csv(
        head,
        [
            [line.run, line.task, line.level, line.n, *(cell for median in line.medians for cell in _ends(median))]
            for line in build_rows(runs)
        ],
    )


def _ends(median: Median | None) -> list[object]:
    if median is None:
        return ["", "", ""]
    return [median.estimate, *("" if end is None else end for end in (median.low, median.high))]


CAPTION = (
    "Seconds from an item's appearance to its answer, as the browser measured them; where a run takes several people together, one answer "
    f"an item. Intervals: bootstrap over groups of items that share a picture; none from fewer than {FEWEST} groups. By level: times.csv."
)
