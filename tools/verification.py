"""Writes the tables of `docs/verification.md`: each published result, beside what simulated models have in the same condition here.

    python tools/verification.py RUNS [--limit 200]

The runs are kept in the folder RUNS, so that an interrupted call goes on where it stopped. Delete the folder when items have changed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from isovist.data.reference import BOTH_ORDERS, CONDITIONS, IN_3D, SOFT, Reference, ReferenceRow, Table, reference
from isovist.evaluation.paper_protocols import PROTOCOLS
from isovist.reporting.analysis.collect import RunResults, load_results
from isovist.reporting.reports.sections.published_results import accuracy_in_condition
from isovist.suites import registry

PAGE = Path(__file__).parent.parent / "docs" / "verification.md"
_START, _END = "<!-- tables: written by tools/verification.py -->\n", "<!-- end of tables -->\n"
NAMES = {"cdr": "CDR", "cospace": "CoSpace", "perceptv": "Percept-V", "dori": "DORI", "srbench": "SRBench"}
ORDERS, CAPTIONS, SCENES = (
    "--image-order start-3 --image-order shuffled",
    "--image-mode caption-first",
    "--rendering 3d --level 1,2,3,4,5,6,7,8,9,10",
)
ADDED: Mapping[str, Sequence[str]] = {
    "cdr": ("",), "cospace": (ORDERS, CAPTIONS), "perceptv": ("", SCENES), "dori": ("",), "srbench": ("",),
}  # fmt: skip
"""By suite: the runs that its conditions need, as what they add to `isovist run --paper SUITE`."""
MODELS = {
    "simulated/random": "random answers",
    "simulated/oracle": "key as answer",
    "simulated/pixel-solver": "pixel solver",
    "embedded/tiny": "embedded/tiny",
}
SUPPORTED: Mapping[str, Sequence[str]] = {
    "simulated/pixel-solver": ("cdr/*", "perceptv/*", "srbench/paper-folding", "srbench/maze-nav-*", "cospace/rotation-*"),
    "embedded/tiny": ("cdr/*-letter",),
}
"""The tasks of models that do not support every task."""
_SMALL: Mapping[str, str] = dict.fromkeys(("cospace", "dori"), "--image-size 256")
"""Smaller images of scenes: neither random answers nor the key depend on them."""
_BRIEF = 20
"""Items of a task for all models but `simulated/random`: they are right on all or wrong on many."""


def results(suite: str, added: str, model: str, folder: Path, limit: int) -> RunResults | None:
    """The results of a model under the conditions of a paper; None if it supports none of the tasks."""
    globs = SUPPORTED.get(model, ("*",))
    published = [task.id for task in registry.matching(PROTOCOLS[suite].tasks) if "test" in task.paper.sizes]
    tasks = [task for task in published if any(fnmatchcase(task, glob) for glob in globs)]
    if added == SCENES:
        tasks = [task for task in tasks if any(row.covers(task) for row in reference(suite).table("3-D").rows if row.task)]
    if model in SUPPORTED:  # these do not need the other conditions
        tasks, added = (tasks, "") if added == ADDED[suite][0] else ([], added)
    if not tasks:
        return None
    place = folder / "-".join((suite, *added.replace(",", " ").split(), model.rpartition("/")[2]))
    n = limit if model == "simulated/random" else _BRIEF
    command = f"run --paper {suite} {added} --model {model} --limit {n} {_SMALL.get(suite, '')} --out {place}"
    subprocess.run([sys.executable, "-m", "isovist", *command.split(), *tasks], check=True)
    return load_results([place])[0]


def tables(whole: Reference, runs: Mapping[str, Sequence[RunResults]]) -> Iterator[str]:
    """One for each condition: the paper's results of each task and level, a column for each of its tables, then those of the models here."""
    for condition in CONDITIONS:
        covering = [(table, row) for table in whole.tables for row in table.rows if row.task and row.condition == condition]
        printed = [table for table in whole.tables if any(table is other and _models(other, row) for other, row in covering)]
        heads = ["task", *(table.name for table in printed), "guessing", "people", "chance", *MODELS.values()]
        lines: list[list[str]] = []
        for task, level in dict.fromkeys((task, row.level) for _, row in covering for task in registry.tasks() if row.covers(task)):
            here = [_here(task, level, condition, runs[model]) for model in MODELS]
            if any(here):
                found = [(table, row) for table, row in covering if row.covers(task) and row.level == level]
                models = [", ".join(_models(table, row) for other, row in found if other is table) for table in printed]
                aside = [_printed(whole, task, level, condition, name) for name in ("Random", "Human")]
                name = " ".join(filter(None, (task.partition("/")[2], level)))
                lines.append([name, *models, *aside, _chance(task, level, condition, runs["simulated/random"]), *here])
        shown = [place for place in range(len(heads)) if any(line[place] for line in lines)]
        if lines:
            yield f"Condition: {condition or 'standard'}.\n\n"
            for cells in (heads, ["---"] * len(heads), *lines):
                yield f"| {' | '.join(cells[place] or '-' for place in shown)} |\n"
            yield "\n"


def _models(table: Table, row: ReferenceRow) -> str:
    """The lowest and the highest result of the models of a row."""
    named = zip(table.columns, row.values, strict=True)
    results = sorted(value for column, value in named if value is not None and column not in (*table.aside, "Human"))
    return " to ".join(dict.fromkeys(f"{end:g}" for end in (results[0], results[-1]))) if results else ""


def _printed(whole: Reference, task: str, level: str, condition: str, column: str) -> str:
    """What the paper prints in this column, in any of its tables."""
    for table in (table for table in whole.tables if column in table.columns):
        for row in table.rows:
            if row.task and row.covers(task) and row.level == level and row.condition in (condition, "chance"):
                return f"{row.values[table.columns.index(column)]:g}"
    return ""


def _here(task: str, level: str, condition: str, runs: Sequence[RunResults]) -> str:
    for run, result in ((each, result) for each in runs for result in each.tasks if result.task == task):
        if accuracy := accuracy_in_condition(run, result, level, condition):
            interval = f" [{100 * accuracy.low:.1f}, {100 * accuracy.high:.1f}]" if run.info.model == "simulated/random" else ""
            return f"{100 * accuracy.estimate:.1f}{interval}"
    return ""


def _chance(task: str, level: str, condition: str, runs: Sequence[RunResults]) -> str:
    """The mean chance level of the items here, for measures that are the accuracy of each answer."""
    if condition in (SOFT, BOTH_ORDERS, IN_3D):
        return ""
    found = (result.by_level.get(level) if level else result for run in runs for result in run.tasks if result.task == task)
    chance = next((rows.chance for rows in found if rows), None)
    return "" if chance is None else f"{100 * chance:.1f}"


def page(suite: str, runs: Mapping[str, Sequence[RunResults]]) -> Iterator[str]:
    whole = reference(suite)
    yield f"## {NAMES[suite]}\n\n{whole.paper['title']}, arXiv {whole.paper['arxiv']}. "
    yield f"{sum(value is not None for table in whole.tables for row in table.rows for value in row.values)} printed values.\n\n"
    yield from tables(whole, runs)
    command = f"isovist run --paper {suite} --model MODEL --out runs/a"
    yield f"With weights, a server or a service:\n\n```bash\n{''.join(f'{command} {added}'.strip() + chr(10) for added in ADDED[suite])}```\n\n"
    aside = (*CONDITIONS, "chance", "numbers of questions")
    others = [table.name for table in whole.tables if not any(row.task and row.condition in aside for row in table.rows)]
    if others:
        yield f"Printed, but not for one task in one of these conditions: {', '.join(others)} (`isovist published-results {suite}`).\n\n"
    yield "What to add for the others:\n\n"
    yield from (f"- {name}: {text}.\n" for name, text in PROTOCOLS[suite].others.items())
    yield "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--limit", type=int, default=200, help="items of a task for random answers")
    given = parser.parse_args()
    written: list[str] = []
    for suite, additions in ADDED.items():
        runs = {model: [run for added in additions if (run := results(suite, added, model, given.runs, given.limit))] for model in MODELS}
        written += page(suite, runs)
    before, rest = PAGE.read_text(encoding="utf-8").split(_START)
    PAGE.write_text(f"{before}{_START}\n{''.join(written)}{_END}{rest.split(_END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
