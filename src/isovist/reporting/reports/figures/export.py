"""All figures of a report as SVG files, with the tables of their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from isovist.reporting.analysis.collect import RunResults, every_task
from isovist.reporting.analysis.level_results import SizeLevels
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.reports.figures import (
    angle_histogram,
    error_wheel,
    factor_curves,
    overview,
    published_comparison,
    size_curves,
    task_plots,
    threshold_plot,
)
from isovist.reporting.reports.figures.figure import FOLDER, Figure, run_marks
from isovist.reporting.reports.figures.text_to_paths import convert_text_to_paths
from isovist.reporting.reports.sections import angular_errors, position_bias, size_thresholds, skill_profile, subtasks
from isovist.reporting.reports.table import CHANCE, RUN, Column, N, Table


def every(runs: Sequence[RunResults]) -> list[Figure]:
    """All figures of the page in its order."""
    return [figure for figures in (_of_runs(runs), _of_sizes(runs), _of_tasks(runs)) for figure in figures if figure.svg]


def files(figures: Sequence[Figure], runs: Sequence[RunResults]) -> dict[str, str]:
    """The contents of the files by their paths relative to the report folder; the legend of each figure names its runs."""
    marks = run_marks(runs)
    svgs = {
        figure.svg_path: convert_text_to_paths(figure.svg, [(name, marks[name]) for name in figure.runs or marks]) for figure in figures
    }
    return svgs | {figure.table: figure.csv for figure in figures if figure.csv}


def _of_runs(runs: Sequence[RunResults]) -> Iterator[Figure]:
    tasks = list(every_task(runs))
    label = "Chance-corrected accuracy"
    yield Figure(
        f"{label} by task", "overview", overview.figure(runs), f"{FOLDER}/overview.csv", overview.table(runs).csv(), key=("overview",)
    )
    yield Figure("Size thresholds", "thresholds", threshold_plot.figure(runs), "adaptive.csv", key=("thresholds",))
    yield Figure("Accuracy of all tasks", "accuracy", task_plots.forest(tasks) if tasks else "", "results.csv", key=("accuracy",))
    yield Figure(f"{label} by subtask", "subtasks", subtasks.figure(runs), "subtasks.csv", key=("subtasks",))
    yield Figure(f"{label} by skill", "profile", skill_profile.figure(runs), "profile.csv", key=("profile",))
    for panel in factor_curves.panels(runs):
        name, key = f"factor-{_file_name(f'{panel.task} {panel.factor}')}", ("factor", panel.task, panel.factor)
        yield Figure(f"Accuracy by {panel.factor}: {panel.task}", name, panel.svg, "factor_curves.csv", key=key)


def _of_sizes(runs: Sequence[RunResults]) -> Iterator[Figure]:
    """A panel for each task with sizes, and for each skill of these tasks; then the figures of papers."""
    marks = run_marks(runs)
    for task, results in every_task(runs):
        if by_size := [(sizes, marks[result.run]) for result in results if result is not None and (sizes := result.sizes)]:
            panel = size_curves.panel(task, by_size)
            yield Figure(f"Accuracy by size: {task}", f"sizes-{_file_name(task)}", panel, "levels.csv", key=("size", task))
    by_skill: dict[str, list[SizeLevels]] = {}
    for skill in size_thresholds.build_skills(runs):
        if sizes := skill.sizes:
            by_skill.setdefault(skill.name, []).append(sizes)
    for skill, levels in by_skill.items():
        name = f"sizes-by-skill-{_file_name(skill)}"
        rows = [(sizes.run, size, part.n, part.accuracy, part.chance) for sizes in levels for size, part in sizes.rows.items()]
        table = Table([RUN, Column("level"), N, Column("accuracy", kind="interval"), CHANCE], rows)
        panel = size_curves.panel(skill, [(sizes, marks[sizes.run]) for sizes in levels])
        yield Figure(f"Accuracy by size and skill: {skill}", name, panel, f"{FOLDER}/{name}.csv", table.csv(), key=("skill", skill))
    for drawing in published_comparison.build_figures(runs):
        caption, svg = drawing.comparison.caption, published_comparison.figure(drawing)
        yield Figure(caption, f"published-{_file_name(caption)}", svg, "results.csv", key=("published", drawing.paper, caption))


def _of_tasks(runs: Sequence[RunResults]) -> Iterator[Figure]:
    marks, names = run_marks(runs), [_file_name(run.name) for run in runs]
    unique = {
        run.name: name if names.count(name) == 1 else f"{name}-{nth}" for nth, (run, name) in enumerate(zip(runs, names, strict=True), 1)
    }
    for task, results in every_task(runs):
        for result in filter(None, results):
            suffix = _file_name(task) + (f"-{unique[result.run]}" if len(runs) > 1 else "")
            title = task + (f", {result.run}" if len(runs) > 1 else "")
            yield from _of_task(result, marks[result.run].hue, suffix, title)


def _of_task(result: TaskResult, hue: str, suffix: str, title: str) -> Iterator[Figure]:
    runs, place = (result.run,), (result.task, result.run)
    if confusion := result.confusion:
        svg, key = task_plots.confusion(confusion, hue), ("confusion", *place)
        yield Figure(f"Confusion matrix: {title}", f"confusion-{suffix}", svg, "confusion.csv", runs=runs, key=key)
    if row := position_bias.single_row(result):
        name, key = f"position-{suffix}", ("position", *place)
        counts = [(label, n_chosen, row.bias.key_counts[label]) for label, n_chosen in row.bias.chosen.items()]
        table = Table(list(map(Column, ("option_label", "n_chosen", "n_key"))), counts)
        yield Figure(f"Option labels: {title}", name, task_plots.position(row.bias, hue), f"{FOLDER}/{name}.csv", table.csv(), runs, key)
    for nth, wheel in enumerate(wheel for wheel in error_wheel.wheels(result) if wheel.n_errors):
        name, key = f"wheel-{suffix}{_number(nth)}", ("wheel", *place, nth)
        yield Figure(f"Error wheel: {title}, {wheel.name}", name, error_wheel.draw(wheel, hue), "error_wheel.csv", runs=runs, key=key)
    for nth, signed in enumerate(angular_errors.shown(result)):
        name, key, svg = f"angles-{suffix}{_number(nth)}", ("angles", *place, nth), angle_histogram.histogram(signed, hue)
        yield Figure(f"Signed errors: {title}, {signed.title}", name, svg, "angle_histogram.csv", runs=runs, key=key)


def _number(nth: int) -> str:
    return f"-{nth + 1}" if nth else ""


def _file_name(text: str) -> str:
    """A file name that is valid on any system."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")[:100] or "unnamed"
