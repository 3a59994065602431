"""Response times of participants: medians by task, by correctness and by level.

Models have no such table: their response times depend on the server and on the number of concurrent requests.
"""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.level_size import size
from isovist.evaluation.run.records import TrialResult
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.scored_item import PresentedItem
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import RUN, TASK, Column, Table
from isovist.stats.medians import FEWEST, Median, median

CAPTION = (
    "Seconds from the display of an item to its answer, measured by the browser; a run that combines participants has one answer "
    f"per item. Intervals: bootstrap over clusters of items that share an image; none for fewer than {FEWEST} clusters. "
    "By level: response_times.csv."
)
_COLUMNS = (
    *(TASK, RUN, Column("level"), Column("n", "Answers", "count"), Column("median_s", "Median (s)", "units")),
    *(Column("correct_median_s", "Correct (s)", "units"), Column("incorrect_median_s", "Incorrect (s)", "units")),
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """Each task of runs with participants; the CSV file has its levels as well."""
    rows: list[tuple[object, ...]] = []
    for task in (task for run in runs for task in run.tasks if task.is_human_run):
        answers = [(trials.item, result) for trials in task.trials if (result := trials.scored)]
        levels = sorted({item.level for item, _ in answers}, key=lambda level: (size(level) or 0, level))
        for level in ("", *(levels if len(levels) > 1 else ())) if answers else ():
            times = [(item, result) for item, result in answers if level in ("", item.level)]
            rows.append((task.task, task.run, level, len(times), *_medians(times)))
    table = Table(_COLUMNS, [row for row in rows if not row[2]])
    medians = [
        (time.estimate, f"{row[0]}, {row[1]}" if len(runs) > 1 else row[0]) for row in table.rows if isinstance(time := row[4], Median)
    ]
    takeaway = ""
    if len(medians) > 1:
        (fast, task), (slow, other) = min(medians), max(medians)
        takeaway = f"Median response times are {fast:.1f} s ({task}) to {slow:.1f} s ({other})."
    return [Section("Response times of participants", table, CAPTION, takeaway, files={"response_times.csv": Table(_COLUMNS, rows)})]


def _medians(times: Sequence[tuple[PresentedItem, TrialResult]]) -> list[Median | None]:
    """Of all answers, of the correct ones (full credit) and of the others."""
    parts = [times, *([time for time in times if (time[1].outcome == "correct") is correct] for correct in (True, False))]
    return [median([result.latency_s for _, result in part], [item.group for item, _ in part]) if part else None for part in parts]
