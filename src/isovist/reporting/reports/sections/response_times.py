"""Response times of participants: medians by task, by correctness and by level.

Models have no such table: their response times depend on the server and on the number of concurrent requests.
"""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.level_size import size
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import RUN, TASK, Column, Table
from isovist.stats.medians import FEWEST, Median, median

CAPTION = (
    "Seconds from the display of an item to its answer, measured by the browser; a run that combines participants has one answer "
    f"per item. Intervals: bootstrap (items that share an image are one cluster); none for fewer than {FEWEST} clusters. "
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
        answers = task.rows.scored
        by_level = sorted(answers.by("level").items(), key=lambda group: (size(group[0]) or 0, group[0]))
        for level, group in (("", answers), *(by_level if len(by_level) > 1 else ())) if answers.n else ():
            is_correct = group.has("outcome", "correct")
            medians = map(_median, (group, group.where(is_correct), group.where(~is_correct)))
            rows.append((task.task, task.run, level, group.n, *medians))
    table = Table(_COLUMNS, [row for row in rows if not row[2]])
    of_tasks = [
        (time.estimate, f"{row[0]}, {row[1]}" if len(runs) > 1 else row[0]) for row in table.rows if isinstance(time := row[4], Median)
    ]
    takeaway = ""
    if len(of_tasks) > 1:
        (fast, task), (slow, other) = min(of_tasks), max(of_tasks)
        takeaway = f"Median response times are {fast:.1f} s ({task}) to {slow:.1f} s ({other})."
    return [Section("Response times of participants", table, CAPTION, takeaway, files={"response_times.csv": Table(_COLUMNS, rows)})]


def _median(answers: Rows) -> Median | None:
    return median(answers.column("response_time_s").tolist(), answers.clusters) if answers.n else None
