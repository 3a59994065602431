"""What the logs say: three figures, and a table as Markdown. Nothing is rounded in anyone's favour, and what is missing is left out."""

from __future__ import annotations

import csv
import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from cdr_finetuning.arms import ARMS
from cdr_finetuning.final import place
from cdr_finetuning.settings import BESIDE, TARGET, Settings
from isovist.suites import registry

Row = dict[str, str]
_COLOURS = {"answer": "#7f7f7f", "mixed": "#1f77b4", "reasoning": "#ff7f0e", "reasoning-mixed": "#2ca02c"}
_LESSONS = {
    "cells": "#7f7f7f",
    "locate": "#1f77b4",
    "relation": "#ff7f0e",
    "look-up": "#2ca02c",
    "look-back": "#9467bd",
    "look-far": "#d62728",
}
_PAPER = {"start": "7B_Base", "answer": "All", "mixed": "All+40K", "reasoning": "CoTAll", "reasoning-mixed": "CoTAll+40K"}
"""The columns of the paper's Table III that are nearest."""


def results(settings: Settings, folder: Path) -> None:
    """Writes `stages.png`, `samples.png`, `compute.png` and `results.md` of what there is so far."""
    staged = _read(folder / "stages" / "stages.csv")
    if staged:
        _stages(staged, settings, folder / "stages.png")
    curves = {arm.name: [rows for seed in settings.seeds if (rows := _read(place(folder, arm, seed) / "curve.csv"))] for arm in ARMS}
    if any(curves.values()):
        _curves(curves, "target", "samples of the target seen", folder / "samples.png")
        _curves(curves, "flop", "operations of training", folder / "compute.png")
    told = _table(settings, curves, _read(folder / "tests.csv")) + _steps(settings, folder)
    (folder / "results.md").write_text(told, encoding="utf-8")


def _read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _figure(across: str) -> tuple[Any, Any]:
    figure, axes = plt.subplots(figsize=(7, 4.2), dpi=120, layout="constrained")
    axes.set(xlabel=across, ylabel="share right", ylim=(0, 1.02))
    axes.grid(alpha=0.3)
    return figure, axes


def _stages(rows: Sequence[Row], settings: Settings, path: Path) -> None:
    figure, axes = _figure("samples")
    across = [int(row["samples"]) for row in rows]
    for name, colour in _LESSONS.items():
        axes.plot(across, [float(row[name]) for row in rows], color=colour, label=name)
    axes.axhline(max(0.0, settings.gate), color="black", linestyle=":", linewidth=1)
    for before, row in pairwise(rows):
        if before["stage"] != row["stage"]:
            axes.axvline(int(before["samples"]), color="black", linewidth=0.5, alpha=0.5)
    axes.legend(loc="lower right", title="held-out questions")
    figure.savefig(path)
    plt.close(figure)


def _curves(curves: dict[str, list[list[Row]]], over: str, across: str, path: Path) -> None:
    figure, axes = _figure(across)
    for name, seeds in curves.items():
        for k, rows in enumerate(seeds):
            label = f"{name} ({len(seeds)} seeds)" if k == 0 else None
            axes.plot([float(r[over]) for r in rows], [float(r["accuracy"]) for r in rows], color=_COLOURS[name], alpha=0.8, label=label)
    axes.axhline(registry.task(TARGET).answers.mean_chance, color="black", linestyle=":", linewidth=1, label="chance")
    axes.legend(loc="best", fontsize=8)
    figure.savefig(path)
    plt.close(figure)


def _table(settings: Settings, curves: dict[str, list[list[Row]]], tests: Sequence[Row]) -> str:
    heads = (
        "arm",
        f"at {settings.samples:,} samples of the target",
        "at equal compute",
        *(f"`{task}`" for task in (TARGET, *BESIDE)),
        "the paper",
    )
    lines = [_line(heads), _line("---" for _ in heads)]
    for style in ("direct", "step-by-step"):
        told = _tested(tests, "start", style)
        if any(told):
            lines.append(_line((f"before ({style})", "", "", *told, _paper("start"))))
    for arm in ARMS:
        rows = [rows for rows in curves[arm.name] if rows]
        points = (_at(rows, lambda seed: _reached(seed, settings.samples)), _at(rows, lambda seed: _last(seed, settings.samples)))
        lines.append(_line((arm.name, *points, *_tested(tests, arm.name, arm.style), _paper(arm.name))))
    return "\n".join((*lines, "", _NOTE.format(tested=settings.tested, seeds=len(settings.seeds)), ""))


_NOTE = (
    "Percent right: the mean of the seeds and, in brackets, each of them. The first two columns are of held-out items of the split `train`; "
    "the others of {tested:,} items each of the split `test`, asked by `isovist run` once the arm's compute is used up. The paper's are "
    "LLaVA-1.5-7B on relations of icons (Table III): another model, task and size, shown for the order of the arms alone."
)


def _steps(settings: Settings, folder: Path) -> str:
    """How far the chains of the arms that reason are right, line by line."""
    rows = {arm.name: [row for seed in settings.seeds for row in _read(place(folder, arm, seed) / "steps.csv")] for arm in ARMS}
    if not any(rows.values()):
        return ""
    heads = ("steps of the chain that hold", *(name for name in next(filter(None, rows.values()))[0] if name != "n"))
    told = [_line((name, *(_shares([float(row[step]) for row in found]) for step in heads[1:]))) for name, found in rows.items() if found]
    return "\n".join(("", _line(heads), _line("---" for _ in heads), *told, "", _STEPS_NOTE, ""))


_STEPS_NOTE = (
    "Percent of the replies to held-out items, at the end of an arm, in which a line of the chain holds: the cells of the two letters, their "
    "direction in the picture, the eight directions as the question fixes the compass, the direction asked for, and the option with what it says."
)


def _paper(name: str) -> str:
    tables = json.loads(files("isovist.data.reference").joinpath("cdr.json").read_text("utf-8"))["tables"]
    told = next(table for table in tables if table["name"] == "Table III")
    return f"{told['rows'][0]['values'][told['columns'].index(_PAPER[name])]} ({_PAPER[name]})"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _reached(rows: Sequence[Row], samples: int) -> Row | None:
    return next((row for row in rows if int(row["target"]) >= samples), None)


def _last(rows: Sequence[Row], samples: int) -> Row | None:
    """The end of a curve, if it is not under way any more as far as its samples tell."""
    return rows[-1] if int(rows[-1]["target"]) >= samples else None


def _at(seeds: Sequence[Sequence[Row]], point: Callable[[Sequence[Row]], Row | None]) -> str:
    return _shares([float(row["accuracy"]) for row in map(point, seeds) if row])


def _tested(tests: Sequence[Row], model: str, style: str) -> list[str]:
    ours = [row for row in tests if row["model"] == model and row["style"] == style]
    return [_shares([float(row["accuracy"]) for row in ours if row["task"] == task]) for task in (TARGET, *BESIDE)]


def _shares(values: Sequence[float]) -> str:
    if not values:
        return ""
    each = ", ".join(f"{100 * value:.1f}" for value in values)
    return f"{100 * statistics.fmean(values):.1f} ({each})" if len(values) > 1 else each
