"""Every figure of a report as an SVG file, and the table with the numbers that it is drawn from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from isovist.analysis.collect import RunResults, every_task
from isovist.analysis.level_results import SizeLevels
from isovist.reports.figures import angle_histogram, error_wheel, overview, published_comparison, size_curves, task_plots, threshold_plot
from isovist.reports.figures.figure import FOLDER, Figure
from isovist.reports.figures.svg import HUES
from isovist.reports.figures.text_to_paths import convert_text_to_paths
from isovist.reports.sections import angular_errors, failure_analysis, position_bias, size_thresholds
from isovist.reports.tables import as_csv, shares


def every(runs: Sequence[RunResults]) -> list[Figure]:
    """All figures of the page, in its order; none where it has none."""
    return [figure for figure in _every(runs) if figure.svg]


def files(figures: Sequence[Figure], runs: Sequence[RunResults]) -> dict[str, str]:
    """The contents of the files by their paths from the report's folder; below each figure its runs in their hues."""
    hues = _hues(runs)
    drawn = {figure.svg_path: convert_text_to_paths(figure.svg, [(name, hues[name]) for name in figure.runs or hues]) for figure in figures}
    return drawn | {figure.table: figure.csv for figure in figures if figure.csv}


def _every(runs: Sequence[RunResults]) -> Iterator[Figure]:
    tasks = list(every_task(runs))
    plain = [_plain(run.name) for run in runs]
    names = {
        run.name: name if plain.count(name) == 1 else f"{name}-{nth}" for nth, (run, name) in enumerate(zip(runs, plain, strict=True), 1)
    }
    hues = _hues(runs)
    table = f"{FOLDER}/overview.csv"
    yield Figure(
        "How far above guessing, the weakest tasks", "overview", overview.figure(runs), table, overview.to_csv(runs), of=("overview",)
    )
    yield Figure("How large a task may be", "halfway", threshold_plot.figure(runs), "adaptive.csv", of=("halfway",))
    yield Figure("How far above guessing, every task", "overview-all", overview.figure(runs, whole=True), table)
    yield Figure("Accuracy of every task", "accuracy", task_plots.forest(tasks) if tasks else "", "results.csv", of=("accuracy",))
    yield from failure_analysis.figures(runs)
    for task, results in tasks:
        sized = [(sizes, hues[result.run]) for result in results if result is not None and (sizes := result.sizes)]
        if sized:
            panel, figure_key = size_curves.panel(task, sized), ("size", task)
            yield Figure(f"Accuracy against size: {task}", f"sizes-{_plain(task)}", panel, "levels.csv", of=figure_key)
    yield from _skills(runs, hues)
    for drawing in published_comparison.drawn(runs):
        name = f"beside-{_plain(drawing.of.caption)}"
        yield Figure(
            drawing.of.caption, name, published_comparison.figure(drawing), "results.csv", of=("beside", drawing.paper, drawing.of.caption)
        )
    for task, results in tasks:
        for result in filter(None, results):
            where = _plain(task) + (f"-{names[result.run]}" if len(runs) > 1 else "")
            whose = task + (f", {result.run}" if len(runs) > 1 else "")
            hue, run_names, at = hues[result.run], (result.run,), (task, result.run)
            if confusion := result.confusion:
                drawn, figure_key = task_plots.confusion(confusion, hue), ("confusion", *at)
                yield Figure(f"Confusion matrix: {whose}", f"confusion-{where}", drawn, "confusion.csv", runs=run_names, of=figure_key)
            if line := position_bias.drawn(result):
                rows = [[letter, chosen, line.bias.key_counts[letter]] for letter, chosen in line.bias.chosen.items()]
                name = f"letters-{where}"
                table = as_csv(["letter", "chosen", "right"], rows)
                drawn, figure_key = task_plots.position(line.bias, hue), ("letters", *at)
                yield Figure(f"Letters chosen: {whose}", name, drawn, f"{FOLDER}/{name}.csv", table, run_names, figure_key)
            for nth, drawing in enumerate(one for one in error_wheel.of(result) if one.wrong):
                name = f"wheel-{where}" + (f"-{nth + 1}" if nth else "")
                drawn, figure_key = error_wheel.wheel(drawing, hue), ("wheel", *at, nth)
                yield Figure(f"Confusion wheel: {whose}, {drawing.name}", name, drawn, "wheels.csv", runs=run_names, of=figure_key)
            for nth, drawing in enumerate(one for one in angular_errors.of(result) if one.errors and not one.missing):
                name = f"angles-{where}" + (f"-{nth + 1}" if nth else "")
                drawn, figure_key = angle_histogram.histogram(drawing, hue), ("angles", *at, nth)
                yield Figure(f"Signed errors: {whose}, {drawing.title}", name, drawn, "angle_histogram.csv", runs=run_names, of=figure_key)


def _skills(runs: Sequence[RunResults], hues: dict[str, str]) -> Iterator[Figure]:
    """A panel for each skill of the tasks with sizes."""
    by_skill: dict[str, list[SizeLevels]] = {}
    for skill in size_thresholds.skills(runs):
        if sized := skill.sizes:
            by_skill.setdefault(skill.name, []).append(sized)
    for skill, sizes in by_skill.items():
        name = f"sizes-by-skill-{_plain(skill)}"
        rows = [
            [levels.run, size, len(tally.values), *shares(tally.accuracy), tally.chance]
            for levels in sizes
            for size, tally in levels.tallies.items()
        ]
        table = as_csv(["run", "level", "n", "accuracy", "low", "high", "chance"], rows)
        panel = size_curves.panel(skill, [(levels, hues[levels.run]) for levels in sizes])
        yield Figure(f"Accuracy against size by skill: {skill}", name, panel, f"{FOLDER}/{name}.csv", table, of=("skill", skill))


def _hues(runs: Sequence[RunResults]) -> dict[str, str]:
    return {run.name: HUES[number % len(HUES)] for number, run in enumerate(runs)}


def _plain(words: str) -> str:
    """As the name of a file on any system."""
    return re.sub(r"[^a-z0-9]+", "-", words.casefold()).strip("-")[:100] or "unnamed"
