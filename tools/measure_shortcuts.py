"""Measures the best cheap rules of each task and writes them to `src/isovist/data/reference/shortcuts/measured.json`.

    python tools/measure_shortcuts.py [TASK ...] [--each 320] [--workers 2]

Without tasks it measures those whose version has no figures yet. The best rule of each level is found among items of one seed and
measured on those of another. Figures are kept task by task, so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from isovist.audit.scene_attributes import attribute_of
from isovist.audit.shortcuts import FACTS, ITEMS, Measured, best, count, exemption, once
from isovist.audit.testing.sampled_items import is_staged
from isovist.core.task import Task
from isovist.suites import registry

FILE = Path(__file__).parent.parent / "src" / "isovist" / "data" / "reference" / "shortcuts" / "measured.json"
PAGE = Path(__file__).parent.parent / "docs" / "validity.md"
_SEEDS = (101, 102)
_START, _END = "<!-- figures: written by tools/measure_shortcuts.py -->\n", "<!-- end of figures -->\n"


def rows(name: str, each: int) -> list[dict[str, Any]]:
    """The figures of one task."""
    task = registry.task(name)
    first, second = ([score for score in once(task, count(task, each), seed) if not _reads_exempt_facts(task, score)] for seed in _SEEDS)
    groups = dict.fromkeys((measured.level, measured.kind) for measured in first)
    again = {(measured.level, measured.kind, measured.rule): measured for measured in second}
    figures: list[dict[str, Any]] = []
    for level, kind in groups:
        shortcut, partial = best(first, level, kind), best(first, level, kind, partial=True)
        if shortcut is None or (level, kind, shortcut.rule) not in again:
            continue
        remeasured = again[level, kind, shortcut.rule]
        partial_remeasured = again.get((level, kind, partial.rule)) if partial else None
        common = {"task": name, "version": task.version, "level": level, "kind": kind}
        common |= {"n": remeasured.n, "chance": round(remeasured.chance, 4)}
        figures.append(
            common | {"shortcut": _rate(task, remeasured), "partial": _rate(task, partial_remeasured) if partial_remeasured else None}
        )
    if len({level for level, _ in groups}) == 1:
        figures = [row | {"level": ""} for row in figures]
    return figures


def _reads_exempt_facts(task: Task[Any], score: Measured) -> bool:
    """Whether a rule reads a name in the data, or facts of a 3-D scene, that the task exempts: it finds the object in question without an
    error, or reads the data in an order that no image has. Its accuracy is no reference for a model.
    """
    attribute = attribute_of(score.rule)
    of_scene = is_staged(task) and (bool(attribute) or score.rule in FACTS)
    return bool(score.reason) and (of_scene or attribute == "glyph")


def _rate(task: Task[Any], measured: Measured) -> dict[str, Any]:
    shortcut = task.checks.shortcuts.get(measured.rule)
    return {"rule": measured.rule, "accuracy": round(measured.accuracy, 4), "without": shortcut.without if shortcut else "", "reason": ""}


def reasoned(known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The figures with the reasons that tasks list now for rules that beat chance."""
    for row in known:
        rate = row["shortcut"]
        measured = Measured(row["task"], row["level"], rate["rule"], False, row["n"], rate["accuracy"], row["chance"])
        excuse = exemption(registry.task(row["task"]), rate["rule"])
        rate["reason"] = excuse.reason if excuse and measured.beats_chance else ""
    return known


def page(text: str, known: list[dict[str, Any]]) -> str:
    """The documentation with the figures of every task: of all levels, and of the level or kind at which a shortcut gets most above chance."""
    lines = ["| task | chance | best shortcut | by | most at a level or kind | best partial rule |\n", "|---|---|---|---|---|---|\n"]
    for name in dict.fromkeys(row["task"] for row in known):
        task_rows = [row for row in known if row["task"] == name]
        (whole,) = (row for row in task_rows if not row["level"] and not row.get("kind"))
        levels = [row for row in task_rows if row["level"] or row.get("kind")]
        top = max(levels, key=lambda row: row["shortcut"]["accuracy"] - row["chance"], default=None)
        cells = [name, f"{whole['chance']:.1%}", f"{whole['shortcut']['accuracy']:.1%}", _by(whole["shortcut"])]
        cells.append(
            f"{', '.join(filter(None, (top['level'], top.get('kind'))))}: {top['shortcut']['accuracy']:.1%} (chance {top['chance']:.1%}, n = {top['n']})"
            if top
            else ""
        )
        cells.append(f"{whole['partial']['accuracy']:.1%}: {whole['partial']['rule']}" if whole["partial"] else "")
        lines.append(f"| {' | '.join(cells)} |\n")
    missing = [name for name in registry.tasks() if name not in {row["task"] for row in known}]
    note = f"\nNot measured yet: {', '.join(missing)}.\n" if missing else ""
    before, rest = text.split(_START)
    return before + _START + "\n" + "".join(lines) + note + "\n" + _END + rest.split(_END)[1]


def _by(rate: dict[str, Any]) -> str:
    return f"{rate['rule']}: {rate['reason']}" if rate["reason"] else str(rate["rule"])


def _write(known: list[dict[str, Any]]) -> None:
    FILE.write_text("[\n" + ",\n".join(json.dumps(row) for row in reasoned(known)) + "\n]\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), known), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--each", type=int, default=ITEMS, help="items of each level")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    known: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else []
    tasks = registry.tasks()
    known = [row for row in known if row["task"] in tasks and row["version"] == tasks[row["task"]].version]
    fresh = {row["task"] for row in known}
    chosen = [task.id for task in registry.matching(given.tasks)] if given.tasks else [name for name in tasks if name not in fresh]
    _write(known)
    with ProcessPoolExecutor(given.workers) as pool:
        jobs = {name: pool.submit(rows, name, given.each) for name in chosen}
        for name, job in jobs.items():
            figures = job.result()
            known = sorted([row for row in known if row["task"] != name] + figures, key=lambda row: list(tasks).index(row["task"]))
            _write(known)
            top = max(figures, key=lambda row: row["shortcut"]["accuracy"] - row["chance"])
            print(f"{name}: {json.dumps({k: top[k] for k in ('level', 'n', 'chance', 'shortcut')})}", flush=True)


if __name__ == "__main__":
    main()
