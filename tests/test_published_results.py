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
    assert re.search(r"\| cdr/spatial-direction-icon +\| +[\d.]+ +\| +\[[^]]+\] +\| new items +\|", plain)
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


# arXiv 2505.21649, Tables 2 to 4: a model a line; coarse and granular by turns for the seven tasks in the order of the paper, then the averages.
DORI = {
    "Table 2": """
Random | 35.7 25.5 20.2 19.8 20.7 17.4 20.4 6.6 15.0 10.1 33.1 20.3 34.8 16.0 25.7 16.5
LLaVA-v1.6-13B | 55.9 26.8 22.6 19.8 23.4 12.9 32.8 10.6 7.2 12.4 39.8 20.1 16.7 11.3 28.3 16.7
LLaVA-v1.6-34B | 52.8 35.3 32.6 26.4 22.1 26.2 13.0 4.3 16.2 14.8 30.5 25.4 9.9 11.6 25.3 20.6
LLaVA-Next-8B | 33.2 9.0 21.3 21.0 20.5 17.9 40.6 6.3 10.3 12.0 61.5 25.2 10.5 9.2 28.3 14.4
Yi-VL-6B | 33.7 31.0 16.9 25.2 28.5 14.7 3.8 3.0 15.2 12.3 15.8 10.8 6.0 14.4 17.1 15.9
Yi-VL-34B | 53.1 35.1 23.3 24.0 28.1 21.2 25.9 4.4 13.4 14.5 44.7 19.7 11.3 12.5 28.5 18.7
Mantis-CLIP | 60.1 24.3 26.1 16.3 15.4 20.9 9.1 5.8 13.2 10.1 37.7 17.9 23.7 34.5 23.8 15.0
Mantis-Idefics2-8B | 57.8 33.0 22.5 12.7 25.7 23.4 25.9 6.6 17.6 9.0 55.4 24.5 48.8 41.0 34.5 17.5
DeepSeek-1.3B-Base | 58.1 24.8 15.0 19.4 21.1 15.2 17.0 5.3 17.0 11.9 61.3 26.0 2.5 2.3 29.3 14.7
DeepSeek-1.3B-Chat | 58.1 24.8 22.6 22.0 21.2 15.5 33.9 5.8 15.3 10.5 47.6 18.0 29.2 17.3 33.0 14.1
DeepSeek-7B-Base | 26.3 31.1 14.6 16.4 18.3 14.3 35.5 2.8 3.6 4.1 35.7 6.8 31.3 10.7 24.7 9.6
DeepSeek-7B-Chat | 59.4 31.3 31.3 24.5 28.2 17.8 35.8 6.0 20.2 14.9 18.5 32.2 15.2 32.2 29.4 18.6
""",
    "Table 3": """
LLaVA-v1.6-34B | 45.5 30.0 22.5 23.5 15.0 15.5 19.3 7.6 15.0 10.5 37.3 34.3 17.0 19.0 24.5 20.0
LLaVA-Next-8B | 34.0 13.0 18.0 19.0 12.5 17.5 40.3 7.0 12.0 13.5 64.0 25.0 17.0 16.0 28.2 15.8
DeepSeek-7B-Chat | 52.5 28.0 24.5 24.5 21.0 15.0 35.3 5.0 24.0 14.0 23.6 32.0 16.0 2.0 28.1 19.7
Gemini 1.5 Pro | 68.5 53.0 43.5 39.0 24.0 37.5 65.3 12.3 25.0 14.5 91.0 47.3 22.0 28.0 54.2 33.0
Gemini 2.0 Flash | 67.0 35.0 37.5 33.5 28.5 27.0 52.0 14.3 23.0 17.0 92.0 43.6 5.0 29.0 49.9 28.5
GPT-4 | 44.5 45.0 30.5 35.5 29.5 34.0 39.3 15.3 23.5 13.5 88.3 53.3 19.0 45.0 19.0 45.0
GPT-4-1 | 48.5 41.0 39.0 40.5 32.5 42.0 31.6 14.0 22.5 8.5 87.6 44.6 20.0 46.0 40.2 33.8
""",
    "Table 4": """
GPT-4 | 43.3 56.6 46.6 26.6 33.3 23.3 69.9 46.6 36.6 43.3 89.9 70.0 20.0 46.6 48.5 44.7
Gemini 1.5 Pro | 73.7 70.0 73.0 86.5 49.9 60.0 96.6 53.0 56.6 33.3 100.0 63.3 26.6 66.6 68.0 61.8
Human | 83.3 86.6 93.3 76.6 70.0 70.0 76.6 83.3 83.3 70.0 100.0 93.3 100.0 86.7 86.6 80.9
""",
}
IN_ORDER = [
    "view-parallelism", "directional-facing", "single-axis-rotation", "compound-rotation", "inter-object-direction", "viewer-scene-direction",
    "canonical-orientation",
]  # fmt: skip


@pytest.mark.parametrize("name", DORI)
def test_every_figure_of_dori_is_that_of_the_paper(name: str) -> None:
    transcription = {model: list(map(float, row.split())) for model, row in (line.split(" | ") for line in DORI[name].strip().splitlines())}
    printed = reference("dori").table(name)
    assert list(printed.columns) == list(transcription)
    expected = [(f"dori/{task}", level) for task in IN_ORDER for level in ("coarse", "granular")] + [("", "coarse"), ("", "granular")]
    assert [(row.task, row.level) for row in printed.rows] == expected
    for model, values in transcription.items():
        assert [row.values[printed.columns.index(model)] for row in printed.rows] == values
