"""The published tables: every figure against a second transcription, made from the paper's text for this test."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from recount import page
from workbench import done, isovist, records, refused

from isovist.data.reference import CONDITIONS, published, reference, suites
from isovist.suites import registry

# arXiv 2412.16599, the table of six models: a row a line, as printed.
SIX_MODELS = """
LLaVA-7B | LLaVA-13B | Claude-3-Haiku | Claude-3-Sonnet | GPT-4o-mini | Gemini-1.5-Pro
Object Classification (icon) | 97.72 | 99.47 | 87.00 | 70.50 | 94.91 | 98.95
Object Classification (letter) | 100 | 100 | 100 | 100 | 99.57 | 100
Object Classification (number) | 99.89 | 99.89 | 100 | 99.00 | 98.89 | 100
Spatial Direction Reasoning (icon) | 14.08 | 25.72 | 37.00 | 33.96 | 61.42 | 62.64
Compass Direction Reasoning (icon) | 12.42 | 22.73 | 37.14 | 35.61 | 51.00 | 52.99
Relative Spatial Reasoning (icon) | 27.27 | 27.79 | 16.30 | 14.90 | 45.30 | 64.80
Relative Spatial Reasoning (letter) | 15.20 | 22.89 | 23.31 | 48.53 | 36.35 | 52.48
Relative Spatial Reasoning (number) | 16.99 | 23.61 | 26.84 | 48.37 | 38.83 | 43.42
Relative Compass Reasoning (icon) | 11.90 | 13.41 | 20.26 | 19.46 | 18.65 | 17.04
Relative Compass Reasoning (letter) | 13.04 | 13.95 | 14.97 | 19.90 | 15.27 | 21.35
Relative Compass Reasoning (number) | 13.54 | 11.82 | 13.50 | 18.80 | 16.78 | 17.74
"""
# The table of fine-tuned models, on relative compass reasoning with icons.
FINE_TUNED = """
7B_Base | All | All+20K | All+40K | All+60K | All+80K | All+100K | CoTAll | CoTAll+40K
Relative Compass Reasoning (icon) | 11.90 | 10.69 | 20.87 | 31.05 | 24.50 | 15.93 | 19.45 | 34.78 | 53.43
"""
# Which of our tasks is which of the paper's rows.
TASKS = {
    "Object Classification (icon)": "cdr/object-classification-icon",
    "Object Classification (letter)": "cdr/object-classification-letter",
    "Object Classification (number)": "cdr/object-classification-number",
    "Spatial Direction Reasoning (icon)": "cdr/spatial-direction-icon",
    "Compass Direction Reasoning (icon)": "cdr/compass-direction-icon",
    "Relative Spatial Reasoning (icon)": "cdr/relative-spatial-icon",
    "Relative Spatial Reasoning (letter)": "cdr/relative-spatial-letter",
    "Relative Spatial Reasoning (number)": "cdr/relative-spatial-number",
    "Relative Compass Reasoning (icon)": "cdr/relative-compass-icon",
    "Relative Compass Reasoning (letter)": "cdr/relative-compass-letter",
    "Relative Compass Reasoning (number)": "cdr/relative-compass-number",
}


def table(text: str) -> tuple[list[str], dict[str, list[float]]]:
    head, *lines = ([cell.strip() for cell in line.split("|")] for line in text.strip().splitlines())
    return head, {label: [float(figure) for figure in figures] for label, *figures in lines}


PAPER = {"Table II": table(SIX_MODELS), "Table III": table(FINE_TUNED)}


def test_the_second_transcription_is_whole() -> None:
    assert [len(rows) * len(head) for head, rows in PAPER.values()] == [66, 9]
    assert all(len(figures) == len(head) for head, rows in PAPER.values() for figures in rows.values())


def test_every_figure_is_that_of_the_paper() -> None:
    paper_results = json.loads(done("published-results", "cdr", "--json").out)
    assert paper_results["suite"] == "cdr"
    assert paper_results["paper"]["arxiv"] == "2412.16599"
    assert paper_results["paper"]["title"].startswith("Do Multimodal Language Models Really Understand Direction?")
    assert [entry["name"] for entry in paper_results["tables"]] == list(PAPER)
    for entry in paper_results["tables"]:
        head, rows = PAPER[entry["name"]]
        assert entry["columns"] == head
        assert {row["label"]: row["values"] for row in entry["rows"]} == rows
        assert {row["label"]: row["task"] for row in entry["rows"]} == {label: TASKS[label] for label in rows}


def test_every_row_is_a_task_that_can_be_run() -> None:
    """And each task of the suite that the paper has has its row; steps of compass reasoning are not among them."""
    known = {task.id for task in registry.tasks().values() if task.suite == "cdr" and not task.name.startswith("step-")}
    assert set(TASKS.values()) == known


def test_the_printed_tables_show_every_figure() -> None:
    output = done("published-results", "cdr").out
    for name, (head, rows) in PAPER.items():
        part = output[output.index(f"\n{name}: ") :]
        columns, *lines = [line for line in part.splitlines()[3:] if line][: len(rows) + 1]
        assert columns.split() == head
        for line, (label, figures) in zip(lines, rows.items(), strict=True):
            assert line.startswith(label)
            assert line.removeprefix(label).split() == [f"{figure:.2f}" for figure in figures]


def test_where_the_paper_contradicts_itself_the_notes_say_so() -> None:
    notes = " ".join(reference("cdr").notes)
    for figure in ("11.90", "10.69", "11.98", "11.7"):  # the table's score of "All" and the text's; scores that no row holds
        assert figure in notes
    assert "Gemini-1.5-Pro" in notes  # which the text calls flash
    assert notes in re.sub(r"\n- |\n", " ", done("published-results", "cdr").out)


def test_a_task_has_the_figures_of_the_six_models() -> None:
    head, rows = PAPER["Table II"]
    for label, figures in rows.items():
        assert published(TASKS[label]) == dict(zip(head, figures, strict=True))
    assert published("cdr/none") == {}
    assert published("elsewhere/task") == {}


@pytest.mark.parametrize("suite", ["nope", "", "CDR", "../cdr", "cdr.json"])
def test_an_unknown_suite_is_one_line_that_names_the_known(suite: str) -> None:
    assert "cdr" in suites()
    refused(isovist("published-results", suite), repr(suite), "cdr")
    refused(isovist("published-results", suite, "--json"), repr(suite), "cdr")


def test_the_report_says_how_the_items_differ_from_those_of_the_paper(tmp_path: Path) -> None:
    small = ("--model", "simulated/random", "--image-size", "256", "--workers", "1")
    for name, tasks in (
        ("plain", ("cdr/spatial-direction-icon",)),
        ("level", ("cospace/direction-recognition", "--level", "position", "--image-order", "start-3")),
        ("paper", ("cospace/direction-recognition", "--preset", "paper", "--image-order", "start-3")),
    ):
        done("run", *tasks, "--n", "6", *small, "--out", tmp_path / name)
        done("report", tmp_path / name, "--no-item-browser", "--out", tmp_path / f"{name}-report")
    plain, level, paper = ((tmp_path / f"{name}-report" / "report.md").read_text() for name in ("plain", "level", "paper"))
    assert re.search(r"\| cdr/spatial-direction-icon +\| +[\d.]+ +\| new items +\|", plain)
    assert "| other items: the paper has photographs; other shares of the levels |" in level
    assert "| other items: the paper has photographs |" in paper


def test_shares_of_levels_are_compared_with_those_of_the_paper() -> None:
    assert reference("cospace").difference_of("cospace/planning-question") == "scanned rooms"
    assert reference("cospace").difference_of("cospace/counting") == "photographs"
    assert reference("cdr").difference_of("cdr/spatial-direction-icon") == ""


IN_CONDITION = {
    "mean of two image orders": ("Table 2", "Table 6"),
    "correct in both image orders": ("Table 2, ACC_p",),
    "shuffled images": ("Table 3",),
    "descriptions in place of images": ("Table 5",),
}
"""For counting of CoSpace: the tables with results in each condition."""


def test_each_condition_has_the_results_of_its_tables_alone() -> None:
    assert published("cospace/counting") == {}
    tables = {table.name: table for table in reference("cospace").tables}
    for condition, names in IN_CONDITION.items():
        printed: dict[str, float | None] = {}
        for table in (tables[name] for name in names):
            (row,) = (row for row in table.rows if row.task == "cospace/counting")
            printed |= dict(zip(table.columns, row.values, strict=True))
        expected = {model: value for model, value in printed.items() if model not in ("Random", "Best model")}
        assert published("cospace/counting", condition=condition) == expected
    assert published("cospace/rotation-angle")["Human"] == 96.17
    assert "Human" in published("dori/view-parallelism", "granular")
    assert set(published("perceptv/numbered-shapes", condition="3-D scenes")) == {"GPT-5-mini, 3-D", "Qwen2.5-VL, 3-D"}
    assert set(CONDITIONS) >= {row.condition for suite in suites() for table in reference(suite).tables for row in table.rows} - {
        "after training", "chance", "numbers of questions", "in the text of section 15"
    }  # fmt: skip


def test_rows_have_the_condition_and_the_measure_of_the_published_results(tmp_path: Path) -> None:
    small = ("--n", "12", "--image-size", "256", "--workers", "1")
    for name, more in (
        ("orders", ("--image-order", "start-3", "--image-order", "shuffled")),
        ("described", ("--image-mode", "caption-first", "--prompt-style", "published")),
    ):
        done("run", "cospace/counting", *small, *more, "--model", "simulated/random", "--out", tmp_path / name)
        done("report", tmp_path / name, "--no-item-browser", "--out", tmp_path / f"{name}-report")
    by_variant: dict[str, list[float]] = {}
    for record in records(tmp_path / "orders"):
        by_variant.setdefault(record["variant"], []).append(record["credit"])
    first, start, shuffled = by_variant[""], by_variant["order:start-3"], by_variant["order:shuffled"]
    assert len(first) == len(start) == len(shuffled) == 12
    shown = {row["Condition"]: row for row in page(tmp_path / "orders-report").table("GPT-4o")}
    values = {
        "mean of two image orders": sum(first + start) / 24,
        "correct in both image orders": sum(one == other == 1 for one, other in zip(first, start, strict=True)) / 12,
        "shuffled images": sum(shuffled) / 12,
    }
    assert {condition: row["simulated/random"] for condition, row in shown.items()} == {
        condition: f"{100 * value:.1f}" for condition, value in values.items()
    }
    for condition, row in shown.items():
        assert float(row["GPT-4o"]) == published("cospace/counting", condition=condition)["GPT-4o"]
    (described,) = page(tmp_path / "described-report").table("LLaVA-v1.6")
    assert (described["Condition"], described["LLaVA-v1.6"]) == ("descriptions in place of images", "21")


def test_results_of_one_image_order_stand_beside_no_mean_of_two(tmp_path: Path) -> None:
    done("run", "cospace/counting", "cospace/rotation-angle", "--n", "6", "--image-size", "256", "--model", "simulated/random", "--workers", "1",
         "--out", tmp_path / "run")  # fmt: skip
    done("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report")
    assert {row["Task"] for row in page(tmp_path / "report").table("GPT-4o")} == {"cospace/rotation-angle"}
    assert "mean of two image orders for cospace/counting: add --image-order start-3" in (tmp_path / "report" / "report.md").read_text()


def test_accuracy_and_soft_accuracy_of_dori_stand_beside_their_own_results(tmp_path: Path) -> None:
    """Also with published prompts, whose scorer gives the soft accuracy: Table 2 has none."""
    done("run", "dori/inter-object-direction", "--n", "40", "--image-size", "192", "--prompt-style", "published", "--model", "simulated/random",
         "--workers", "1", "--out", tmp_path / "run")  # fmt: skip
    done("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report")
    granular = [record for record in records(tmp_path / "run") if ":granular:" in record["item_id"]]
    accuracy, soft = (100 * sum(record[field] for record in granular) / len(granular) for field in ("credit", "published_credit"))
    assert soft > accuracy
    shown = {(row["Level"], row["Condition"]): row for row in page(tmp_path / "report").table("LLaVA-v1.6-13B")}
    assert set(shown) == {("coarse", "standard"), ("granular", "standard"), ("granular", "soft accuracy")}
    for condition, value, published_value in (("standard", accuracy, 14.9), ("soft accuracy", soft, 29.8)):
        row = shown["granular", condition]
        assert (row["simulated/random"], float(row["DeepSeek-7B-Chat"])) == (f"{value:.1f}", published_value)
