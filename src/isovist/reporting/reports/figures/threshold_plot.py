"""The first screen of adaptive runs: the size threshold of each task, as sentences and a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.text_format import task_name
from isovist.reporting.reports.figures.row_layout import of_tasks
from isovist.reporting.reports.figures.svg import HUES, INK, RULE, SOFT, add, canvas, text, written
from isovist.reporting.reports.sections import adaptive
from isovist.reporting.reports.sections.adaptive import AdaptiveRow

_TOP = 30


def lead(run: RunResults) -> str:
    """The first sentences on a run; empty for a run that is not adaptive, or without a complete task."""
    rows = [row for row in adaptive.build_rows([run]) if row.sizes.estimate]
    if not rows:
        return ""
    within = sorted((row for row in rows if _threshold(row) is not None), key=lambda row: _threshold(row) or 0)
    above = [row for row in rows if row.sizes.estimate and row.sizes.estimate.range_status == "above"]
    n_other = len(rows) - len(within) - len(above)
    n_items = sum(row.n_presented for row in rows)
    if len(rows) == 1:
        return f"Size threshold in {task_name(rows[0].task)}: {rows[0].sizes.threshold_text} {_interval(rows[0])} ({n_items:,} items)."
    sentences = [f"Size thresholds: estimated in {len(within)} of {len(rows)} tasks ({n_items:,} items, adaptive testing, 95% CI)."]
    ends = within if len(within) < 3 else (within[0], within[-1])
    if ends:
        values = " to ".join(f"{row.sizes.threshold_text} {_interval(row)} in {task_name(row.task)}" for row in ends)
        sentences.append(f"They are {values}." if len(ends) > 1 else f"It is {values}.")
    if above:
        sentences.append(f"The threshold is above the largest tested size in {len(above)} of {len(rows)} tasks.")
    if n_other:
        sentences.append(f"It is below the smallest tested size or not determined in {n_other} of {len(rows)} tasks.")
    return " ".join(sentences)


def _threshold(row: AdaptiveRow) -> float | None:
    return row.sizes.estimate.threshold if row.sizes.estimate else None


def _interval(row: AdaptiveRow) -> str:
    interval = row.sizes.interval_text
    return interval if interval.startswith("[") else f"(95% CI: {interval})"


def ordered(runs: Sequence[RunResults]) -> list[tuple[str, list[AdaptiveRow | None]]]:
    """Each task with the row of each adaptive run, by mean threshold, ascending; thresholds outside the tested sizes count as the end."""
    names = [run.name for run in runs]
    tasks: dict[str, list[AdaptiveRow | None]] = {}
    for row in adaptive.build_rows(runs):
        if row.sizes.estimate:
            tasks.setdefault(row.task, [None] * len(names))[names.index(row.run)] = row
    return sorted(tasks.items(), key=lambda entry: (fmean(_place(row) for row in entry[1] if row), entry[0]))


def _place(row: AdaptiveRow) -> float:
    """The size threshold, or the end of the tested sizes beyond which it is."""
    estimate = row.sizes.estimate
    if not estimate:
        return 0.0
    outside = estimate.largest if estimate.range_status == "above" else estimate.smallest
    return float(outside) if estimate.threshold is None else estimate.threshold


def figure(runs: Sequence[RunResults], *, narrow: bool = False) -> str:
    """A row for each task: a dot for each run at its threshold with the 95% CI, hollow outside the tested sizes.

    Empty without an adaptive run.
    """
    tasks = ordered(runs)
    if not tasks:
        return ""
    rows = of_tasks(len(runs), narrow=narrow)
    estimates = [row.sizes.estimate for _, task_rows in tasks for row in task_rows if row and row.sizes.estimate]
    smallest, largest = min(estimate.smallest for estimate in estimates), max(estimate.largest for estimate in estimates)
    height = _TOP + rows.tall * len(tasks) + 12

    def x(size: float) -> float:
        return rows.left + rows.span * (size - smallest) / max(1, largest - smallest)

    svg = canvas(rows.width, height, "Size threshold by task with 95% CIs, lowest first")
    for size in _ticks(smallest, largest):
        add(svg, "line", x1=x(size), x2=x(size), y1=_TOP - 6, y2=height - 6, stroke=RULE)
        label, anchor = (f"size {size}", "start" if narrow else "middle") if size == smallest else (str(size), "middle")
        text(svg, x(size), _TOP - 12, label, 11, anchor, SOFT)
    for place, (task, task_rows) in enumerate(tasks):
        y = _TOP + place * rows.tall
        rows.name(svg, y, task_name(task))
        for number, row in enumerate(task_rows):
            estimate = row.sizes.estimate if row else None
            if row is None or estimate is None:
                continue
            hint = f"{row.run}, {task}: size threshold {row.sizes.threshold_text} {row.sizes.interval_text}, {row.n_presented} items"
            places = x(_place(row)), x(estimate.low or estimate.smallest), x(estimate.high or estimate.largest)
            rows.dot(svg, y, number, places, hint, is_filled=estimate.threshold is not None)
            if len(runs) == 1:
                rows.number(svg, y, row.sizes.threshold_text, INK if estimate.threshold is None else HUES[0])
    return written(svg)


def _ticks(smallest: int, largest: int) -> Iterator[int]:
    """The ends, and sizes at even steps between them."""
    step = max(1, round((largest - smallest) / 5))
    yield from (size for size in range(smallest, largest, step) if largest - size > step / 2)
    yield largest


def caption(runs: Sequence[RunResults]) -> str:
    """Empty without an adaptive run."""
    if not ordered(runs):
        return ""
    return (
        "Size threshold by task, lowest first: the problem size at which accuracy is midway between its upper asymptote and chance; bars are "
        "95% CIs. Hollow markers: outside the tested sizes."
    )
