"""What each model is good at: the heat map of reports, comparisons and leaderboards."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from recount import lines_of, page
from workbench import done, records

from isovist.reporting.analysis.run_names import short_names

TASKS = ("cdr/relative-spatial-letter", "cdr/relative-compass-letter", "cdr/object-classification-letter", "perceptv/circle-location")
POSITION = ("cdr/relative-spatial-letter", "perceptv/circle-location")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("abilities")
    done("generate", *TASKS, "--n", 40, "--workers", 1, "--out", home / "data")
    for name, model in (("north-up", "deficit:north-up"), ("random", "random"), ("oracle", "oracle")):
        done("run", "--data", home / "data", "--model", f"simulated/{model}", "--workers", 1, "--out", home / name)
    return home


@pytest.fixture(scope="module")
def report(runs: Path) -> Path:
    done("report", runs / "north-up", runs / "random", "--item-browser", "--out", runs / "report")
    return runs / "report"


def _map(folder: Path) -> str:
    """The table of the page."""
    found = re.search(r'<table class="abilities".*?</table>', (folder / "index.html").read_text(), re.DOTALL)
    assert found
    return found[0]


def test_a_cell_is_the_mean_over_the_tasks_of_an_ability(report: Path, runs: Path) -> None:
    rows = {(row["run"], row["ability"]): row for row in lines_of(report, "abilities.csv")}
    assert {ability for _, ability in rows} == {"perception", "position", "reference frames"}
    for name in ("north-up", "random"):
        of_task = {task: [record["credit"] for record in records(runs / name) if record["item_id"].startswith(task)] for task in POSITION}
        chances = {"cdr/relative-spatial-letter": 1 / 8, "perceptv/circle-location": 1 / 4}
        above = [(sum(values) / len(values) - chances[task]) / (1 - chances[task]) for task, values in of_task.items()]
        row = rows[f"simulated/{'deficit:' if name == 'north-up' else ''}{name}", "position"]
        assert row["tasks"] == "cdr/relative-spatial-letter perceptv/circle-location"
        assert int(row["n"]) == 80
        assert float(row["chance_corrected"]) == pytest.approx(sum(above) / 2, abs=1e-5)
    assert [rows["simulated/deficit:north-up", name]["significantly_above_chance"] for name in ("perception", "reference frames")] == [
        "1",
        "0",
    ]
    assert rows["simulated/random", "position"]["significantly_above_chance"] == "0"


def test_the_first_screen_says_which_model_to_take_for_what(report: Path) -> None:
    sentence = "Significantly more accurate than every other model: deficit:north-up in perception and position. In the other 1 ability, no model leads."
    assert sentence in (report / "report.md").read_text()
    html = (report / "index.html").read_text()
    assert sentence in html
    assert html.index(sentence) < html.index('class="abilities"') < html.index("Significant findings")
    table = _map(report)
    assert re.findall(r"<td class=\"([^\"]*)\"", table) == [
        "num leads",
        "num chance",
        "num leads",
        "num chance",
        "num chance",
        "num chance",
    ]
    assert re.findall(r'<tr><th scope="row">weakest at</th><td>(.*?)</td><td>(.*?)</td>', table) == [("reference frames", "-")]


def test_a_cell_leads_to_its_items(report: Path) -> None:
    html = (report / "index.html").read_text()
    assert 'href="items.html#run=simulated%2Frandom&amp;ability=reference%20frames"' in html.replace("+", "%20")
    index = json.loads((report / "items" / "index.js").read_text().removeprefix("isovist.index(").rstrip().removesuffix(");"))
    assert sorted(index["values"]["ability"]) == ["perception", "position", "reference frames"]


def test_one_model_has_its_highest_and_its_lowest_ability(runs: Path, tmp_path: Path) -> None:
    done("report", runs / "north-up", "--no-item-browser", "--out", tmp_path)
    sentence = page(tmp_path).words
    assert re.search(
        r"Highest ability: perception and position \(100\); lowest: reference frames \(\d+\)\. Not significantly above chance: reference frames\.",
        sentence,
    )
    done("report", runs / "oracle", "--no-item-browser", "--out", tmp_path)
    assert "Not significantly above chance" not in page(tmp_path).words.partition("What the numbers mean")[0]


def test_compare_and_leaderboard_have_the_same_map(runs: Path, report: Path, tmp_path: Path) -> None:
    folders = (runs / "north-up", runs / "random")
    done("compare", *folders, "--workers", 1, "--out", tmp_path / "compare")
    done("leaderboard", *folders, "--workers", 1, "--out", tmp_path / "board")
    numbers = [re.findall(r">(-?\d+)(?:</a>)?</td>", _map(folder)) for folder in (report, tmp_path / "compare", tmp_path / "board")]
    assert numbers[0] == numbers[1] == numbers[2]
    assert len(numbers[0]) == 6


def test_short_names_leave_out_providers_where_the_rest_differs() -> None:
    assert short_names(["openai/gpt-4o", "openai/gpt-4o-mini"]) == ["gpt-4o", "gpt-4o-mini"]
    assert short_names(["openai/m", "azure/m"]) == ["openai/m", "azure/m"]
    assert short_names(["hf/home/me/model (runs/a)", "hf/home/me/model (runs/b)"]) == ["model (runs/a)", "model (runs/b)"]
    assert short_names(["model", "human/BCDF"]) == ["model", "human/BCDF"]
