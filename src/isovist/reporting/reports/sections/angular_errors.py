"""Signed errors of angles: table and CSV files."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.signed_errors import ErrorCounts, SignedErrors
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.analysis.text_format import not_scored
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections import takeaways
from isovist.reporting.reports.table import N_UNSCORED, RUN, TASK, Column, N, Table
from isovist.suites import registry

CAPTION = (
    "The signed error is the angle of the chosen option minus that of the key, in degrees; a class of angles counts as its midpoint. "
    "Positive errors are clockwise as seen in the task, or too large where the two directions are not distinguished. The table covers "
    "items whose key and response correspond to an angle. By chance: the value for a uniform choice among these options. Mean error: the "
    "mean absolute error; items that share an image are treated as one cluster. Bias: the mean direction of the errors as unit vectors, or the "
    "mean error where the two directions are not distinguished, with its 95% CI. Opposite: errors of 180°. Mirrored: "
    "errors that swap left and right of 0°. Both are proportions of the items with such an option; the proportion expected by chance is "
    "in parentheses. An error from 90° left to 90° right is both. The histograms are in the section of each task."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    errors = [(run.name, task.task, signed) for run in runs for task in run.tasks for signed in of_task(task)]
    columns = [TASK, RUN, Column("", "Angle"), N, Column("", "No angle", "count"), Column("", "Mean error (°)", "units")]
    columns += [Column("", name, "number") for name in ("By chance (°)", "Bias (°)", "Opposite (%)", "Mirrored (%)")]
    table = Table(columns, [_page_row(*line) for line in errors])
    files = {"angular_errors.csv": _values(errors), "angle_histogram.csv": _histogram(errors)}
    biased = ((run, each.bias != "none") for run, _, each in errors if each.errors and not each.n_unscored)
    takeaway = takeaways.counts(runs, biased, "angle", "a significant bias", "95% CIs, not adjusted", verb="have")
    return [Section("Angular errors", table, CAPTION, takeaway, files=files)]


def of_task(task: TaskResult) -> list[SignedErrors]:
    """The errors of a task, its levels in the order of the registry."""
    registered = registry.find(task.task)
    levels = registered.levels if registered else tuple(level for level, _ in task.angles)
    return sorted(task.angles.values(), key=lambda signed: levels.index(signed.level) if signed.level in levels else len(levels))


def shown(task: TaskResult) -> list[SignedErrors]:
    """Those with a histogram."""
    return [signed for signed in of_task(task) if signed.errors and not signed.n_unscored]


def _page_row(run: str, task: str, signed: SignedErrors) -> tuple[object, ...]:
    start = (task, run, signed.title)
    if signed.n_unscored:
        return (*start, None, None, not_scored(signed.n_unscored), *[None] * 4)
    without_angle = signed.n_without_angle + signed.unparsed
    if not signed.errors:
        return (*start, 0, without_angle, *[None] * 5)
    mean = signed.mean_direction
    bias = f"{signed.bias}, {mean[0]:+.0f} [{mean[1]:+.0f}, {mean[2]:+.0f}]" if mean else signed.bias
    sides = (_proportion(signed.opposite), _proportion(signed.mirrored))
    return (*start, len(signed.errors), without_angle, signed.mean_absolute_error, f"{signed.mean_error_by_chance:.1f}", bias, *sides)


def _proportion(counts: ErrorCounts) -> str | None:
    return f"{100 * counts.proportion:.1f} ({100 * counts.expected_proportion:.1f})" if counts.n_possible else None


def _values(errors: Sequence[tuple[str, str, SignedErrors]]) -> Table:
    """Angles in degrees, proportions as shares of 1. Cells are empty where a value is not reported."""
    columns = [
        RUN,
        TASK,
        *map(Column, ("level", "angle", "positive_direction")),
        N,
        Column("n_without_angle"),
        Column("unparsed"),
        N_UNSCORED,
    ]
    columns += [Column("mean_absolute_error_deg", kind="units"), Column("expected_by_chance_deg"), Column("bias")]
    columns += [Column(name) for name in ("direction_deg", "direction_deg_low", "direction_deg_high", "resultant_length")]
    columns += [Column(f"{kind}{end}") for kind in ("opposite", "mirrored") for end in ("_possible", "", "_expected_by_chance")]
    columns.append(Column("opposite_and_mirrored"))
    rows: list[tuple[object, ...]] = []
    for run, task, signed in errors:
        start = (run, task, signed.level, signed.name, signed.positive, len(signed.errors), signed.n_without_angle, signed.unparsed)
        values: tuple[object, ...] = (None,) * 14
        if signed.errors and not signed.n_unscored:
            bias = signed.angular_bias
            values = (
                *(signed.mean_absolute_error, signed.mean_error_by_chance, signed.bias, *(signed.mean_direction or (None,) * 3)),
                bias.length if bias else None,
                *(
                    value
                    for counts in (signed.opposite, signed.mirrored)
                    for value in (counts.n_possible, counts.n_made, counts.expected_proportion if counts.n_possible else None)
                ),
                signed.n_both,
            )
        rows.append((*start, signed.n_unscored, *values))
    return Table(columns, rows)


def _histogram(errors: Sequence[tuple[str, str, SignedErrors]]) -> Table:
    """How often each error was made, and how often a uniform choice makes it."""
    rows = [
        (run, task, signed.level, signed.name, f"{error:g}", signed.counts[error], signed.expected_counts[error])
        for run, task, signed in errors
        for error in sorted(signed.expected_counts)
    ]
    return Table([RUN, TASK, *map(Column, ("level", "angle", "error_deg", "count", "expected_by_chance"))], rows)
