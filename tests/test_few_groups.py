"""Intervals from few groups of items carry a dagger wherever they stand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from conftest import TASKS, N
from recount import Page
from workbench import done

from isovist.reporting.analysis.collect import RunResults, load_results
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.reports import html
from isovist.reporting.reports.figures import export
from isovist.reporting.reports.sections import error_types, variants
from isovist.reporting.reports.sections.order import build_sections
from isovist.reporting.reports.table import FEW_MARK


def grouped(run: RunResults, groups: int) -> RunResults:
    """The run as if the items of each task were about so few pictures."""
    tasks: list[TaskResult] = []
    for task in run.tasks:
        place_of = {item: place for place, item in enumerate(task.rows.column("item").tolist())}
        clusters = [place_of[item] % groups for item in task.trials.column("item").tolist()]
        tasks.append(replace(task, trials=task.trials.with_column("cluster", clusters)))
    return replace(run, tasks=tuple(tasks))


@pytest.fixture(scope="module")
def blind(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("few") / "run"
    done("run", "--data", data, "--model", "simulated/random", "--no-image", "--out", run)
    return run


@pytest.mark.parametrize(("groups", "marked"), [(4, True), (N, False)])
def test_errors_and_other_ways_to_ask_are_marked(blind: Path, groups: int, marked: bool) -> None:
    (run,) = load_results([blind])
    run = grouped(run, groups)
    page = Page(html.page(html.ReportPage([run], build_sections([run]), export.every([run]))))
    for head, lines in (("Offered", sum(len(error_types.build_rows(task)) for task in run.tasks)), ("Agreement (%)", len(TASKS))):
        shown = [row for table in page.tables if head in table[0] for row in table[1:]]
        assert len(shown) >= lines > 0
        (names, *_) = next(table for table in page.tables if head in table[0])
        cells = [row[names.index("95% CI")] for row in shown]
        assert [cell.endswith(FEW_MARK) for cell in cells if cell != "-"] == [marked] * sum(cell != "-" for cell in cells)
    (section,) = variants.sections([run])
    lines = [line for line in section.markdown().splitlines() if line.startswith("|")][2 : 2 + len(TASKS)]
    assert all((f"{FEW_MARK} |" in line) == marked for line in lines)
    assert all(line.endswith(f",{int(marked)}") for line in section.csv_tables["variants.csv"].csv().splitlines()[1:])
