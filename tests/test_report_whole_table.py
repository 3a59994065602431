"""SRBench's result table with a run in it: seven columns, each once more from the records; and its figure on mental rotation."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from recount import lines_of, page
from workbench import done, records

from isovist.data.reference import reference
from isovist.reporting.analysis.collect import RunResults, load_results
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.reports.figures import published_comparison
from isovist.reporting.reports.sections import paper_table
from isovist.stats.proportions import mean_of, wilson

COLUMNS = ("Paper Folding", "MRT Easy", "MRT Hard", "Navigation", "Orientation", "Spatial Relations", "Overall")
TASKS = ("paper-folding", "mrt-easy", "mrt-hard", "maze-nav", "orientation@", "spatial-relations")
QUESTIONS = (200, 200, 200, 400, 400, 400)
N = 8


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A guesser over the whole suite."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    done("run", "srbench/*", "--n", N, "--image-size", 200, "--model", "simulated/random", "--workers", 1, "--out", folder)
    return folder


def test_every_column_is_that_of_the_records(run: Path, tmp_path: Path) -> None:
    done("report", run, "--out", tmp_path / "report")
    run_records = records(run)
    shares: list[float] = []
    for name in TASKS:
        values = [record["credit"] for record in run_records if record["item_id"].startswith(f"srbench/{name}")]
        assert len(values) == N * (3 if name == "maze-nav" else 1)
        shares.append(sum(values) / len(values))
    shares.append(sum(share * n for share, n in zip(shares, QUESTIONS, strict=True)) / sum(QUESTIONS))
    lines = [line for line in lines_of(tmp_path / "report", "paper_table.csv") if line["source"] == "run"]
    assert [line["column"] for line in lines] == list(COLUMNS)
    assert [float(line["accuracy"]) for line in lines] == pytest.approx(shares, abs=1e-5)
    # mazes: two tasks that count, with four options, one of two options; spatial relations: half of the items have two options, half have four
    chances = [1 / 3, 1 / 3, 1 / 4, (2 / 4 + 1 / 2) / 3, 1 / 2, 3 / 8]
    chances.append(sum(chance * n for chance, n in zip(chances, QUESTIONS, strict=True)) / sum(QUESTIONS))
    assert [float(line["chance"]) for line in lines] == pytest.approx(chances, abs=1e-5)
    shown = page(tmp_path / "report").table("Overall")
    assert [row["Model"] for row in shown[:3]] == ["simulated/random", "simulated/random: chance level", "SmolVLM (500M) (published)"]
    assert [shown[0][column] for column in COLUMNS] == [f"{100 * share:.1f}" for share in shares]
    assert [row["Overall"] for row in shown if row["Model"] in ("GPT-4o (Undisclosed) (published)", "Random (published)")] == [
        "47.44",
        "32.37",
    ]
    assert len(shown) == 2 + 15 + 1
    assert "| simulated/random | " + " | ".join(f"{100 * share:.1f}" for share in shares) in (tmp_path / "report" / "report.md").read_text()


def part(run: RunResults, *names: str) -> RunResults:
    """The run with some of its tasks only."""
    return replace(run, tasks=tuple(task for task in run.tasks if task.task.endswith(names)))


def test_the_whole_takes_columns_of_one_picture_together(run: Path) -> None:
    width: list[float] = []
    for everywhere in (False, True):
        (run_results,) = load_results([run])
        tasks: list[TaskResult] = []
        for number, task in enumerate(run_results.tasks):
            clusters = [place if everywhere else number * N + place for place in range(N)]
            trials = task.trials.with_column("cluster", clusters).with_column("credit", [float(place % 2) for place in range(N)])
            tasks.append(replace(task, trials=trials))  # what is wrong about a picture is so in all columns
        (table,) = paper_table.build_tables([replace(run_results, tasks=tuple(tasks))])
        cell = table.runs[0][1][-1]
        assert cell
        assert cell.accuracy.estimate == pytest.approx(0.5)
        width.append(cell.accuracy.high - cell.accuracy.low)
    assert width[1] > 1.5 * width[0]


def test_what_was_not_asked_in_full_has_no_figure(run: Path) -> None:
    (whole,) = load_results([run])
    (table,) = paper_table.build_tables([part(whole, "orientation", "maze-nav-turns")])
    ((_, cells),) = table.runs
    assert [bool(cell) for cell in cells] == [name == "Orientation" for name in COLUMNS]  # one of three maze tasks is not navigation
    assert not paper_table.build_tables([part(whole, "maze-nav-turns")])
    (files,) = paper_table.sections([part(whole, "maze-nav-turns")])
    assert files.markdown() == ""
    assert list(csv.reader(files.files["paper_table.csv"].csv().splitlines())) == [
        ["suite", "column", "source", "model", "accuracy", "ci_low", "ci_high", "chance", "too_few_clusters"]
    ]


def test_the_figure_sets_generated_pictures_beside_mental_rotation(run: Path) -> None:
    (whole,) = load_results([run])
    (drawn,) = published_comparison.build_figures([whole])
    assert [label for label, _ in drawn.comparison.rows] == ["MRT Easy", "MRT Hard", "Generated pictures"]
    assert [bool(row[0]) for row in drawn.cells] == [True, True, False]
    svg = published_comparison.figure(drawn)
    assert svg.count("incomplete") == 1
    assert svg.count("published: ") == 30  # fifteen models in each of two rows
    (generated,) = part(whole, "orientation-eight-way").tasks
    (drawn,) = published_comparison.build_figures(
        [replace(whole, tasks=(*whole.tasks, replace(generated, task="srbench-generated/turned")))]
    )
    assert [cell.chance for row in drawn.cells for cell in row if cell] == pytest.approx([1 / 3, 1 / 4, 1 / 8])
    assert "incomplete" not in published_comparison.figure(drawn)
    assert not published_comparison.build_figures([part(whole, "mrt-easy")])  # a figure of one row compares nothing


def test_means_have_weights() -> None:
    a, b = wilson(4, 20), wilson(40, 50)
    even, one = mean_of([a, b]), mean_of([a, b], [3, 0])
    assert (even.estimate, one.estimate) == pytest.approx((0.5, 0.2))
    assert (one.low, one.high) == pytest.approx((a.low, a.high))
    assert mean_of([a, b], [1, 3]).estimate == pytest.approx(0.65)


def test_the_whole_is_described_by_the_tables_of_the_reference() -> None:
    published = reference("srbench")
    assert published.whole is not None
    assert tuple(row.label for row in published.table(published.whole.table).rows) == COLUMNS
    assert tuple(row.values[0] for row in published.table(published.whole.counts).rows)[:-1] == QUESTIONS
    assert reference("cdr").whole is None
