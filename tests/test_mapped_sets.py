"""DORI and CDR as published, whose columns are not known, and Percept-V: small sets in such forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from published_sets import picture
from workbench import done, isovist, refused, stored

from isovist.core.answers import CellSet, Choice, Count, CountTuple, WordSequence, WordSubset, YesNo, ZeroBasedCell
from isovist.suites.perceptv.published_scorer import published
from isovist.suites.registry import published_scorer

Told = dict[str, Any]
RANGES = ["0 to 45 degrees", "45 to 90 degrees", "90 to 135 degrees", "135 to 180 degrees"]
LINES = "\n".join(f"{letter}. {option}" for letter, option in zip("ABCD", RANGES, strict=True))


def records(folder: Path, rows: list[Told], name: str = "test.json") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(rows))
    for i in range(4):
        (folder / f"{i}.png").write_bytes(picture(i))
    return folder


def reasons(out: Path) -> dict[int, str]:
    rejections = map(json.loads, (out / "skipped.jsonl").read_text().splitlines())
    return {one["record"]: one["reason"] for one in rejections}


FORMS: dict[str, Told] = {
    "a list and a text": {"question": "How far?", "options": RANGES, "answer": RANGES[1]},
    "a list and a letter": {"question": "How far?", "options": RANGES, "answer": "B"},
    "letters in the list": {"prompt": "How far?", "choices": LINES.split("\n"), "correct_answer": "B. 45 to 90 degrees"},
    "lines": {"question": "How far?", "options": LINES, "gt": "b"},
    "by letters": {"query": "How far?", "options": dict(zip("ABCD", RANGES, strict=True)), "label": "B"},
    "in the question": {"question": f"How far?\n{LINES}", "answer": "B"},
}


@pytest.mark.parametrize("form", FORMS)
def test_dori_in_any_usual_form(tmp_path: Path, form: str) -> None:
    path = records(tmp_path / "d", [{**FORMS[form], "image": "1.png", "task": "View Parallelism", "level": "granular"}])
    done("import", "dori", path, "--out", tmp_path / "out")
    (row,) = stored(tmp_path / "out")
    assert row.task == "dori-published/view-parallelism"
    assert row.choices == tuple(RANGES)
    assert row.answer == "B"
    assert row.metadata.question == "How far?"
    assert row.metadata.attributes == {"dimension": "frontal alignment", "level": "granular"}
    score = published_scorer(row.task)
    assert score is not None
    assert [score(f"Answer: {letter}", row.key) for letter in "ABCD"] == [0.5, 1.0, 0.5, 0.0]


def test_dori_states_source_dataset_and_category_of_an_item_as_attributes(tmp_path: Path) -> None:
    of_item: Told = {**FORMS["a list and a letter"], "image": "1.png", "task": "View Parallelism"}
    rows = [
        {**of_item, "dataset": "KITTI", "object_category": "Car"},
        {**of_item, "dataset": "3D-FUTURE", "object_category": ""},
        {**of_item, "dataset": "Something new"},
        of_item,
    ]
    done("import", "dori", records(tmp_path / "d", rows), "--out", tmp_path / "out")
    dimension = {"dimension": "frontal alignment"}
    assert [row.metadata.attributes for row in stored(tmp_path / "out")] == [
        {**dimension, "category": "car", "source": "kitti", "pictures": "natural"},
        {**dimension, "source": "3d-future", "pictures": "rendered"},
        {**dimension, "source": "something-new"},
        dimension,
    ]


def test_a_folder_without_records_is_refused(tmp_path: Path) -> None:
    message = refused(
        isovist("import", "dori", tmp_path, "--out", tmp_path / "out"), str(tmp_path), "not DORI", ".parquet, .json, .jsonl files"
    )
    assert "columns" not in message  # they are not known beforehand


def test_dori_tasks_with_two_pictures(tmp_path: Path) -> None:
    two = {"question": "Was it turned?", "options": ["yes", "no"], "answer": "A", "task": "viewer_scene_direction_coarse"}
    path = records(tmp_path / "d", [{**two, "images": ["1.png", "2.png"]}, {**two, "image_1": "1.png", "image_2": "2.png"}])
    done("import", "dori", path, "--out", tmp_path / "out")
    assert [(row.task, len(row.images), row.metadata.attributes["level"]) for row in stored(tmp_path / "out")] == [
        ("dori-published/viewer-scene-direction", 2, "coarse")
    ] * 2


def test_a_mapping_names_other_columns(tmp_path: Path) -> None:
    path = records(tmp_path / "d", [{"Frage": "How far?", "Wahl": RANGES, "Nr": 1, "Bild": "1.png"}])
    refused(isovist("import", "dori", path, "--out", tmp_path / "out"), "no column for the question: a mapping can tell it")
    mapping = tmp_path / "mapping.json"
    mapping.write_text(json.dumps({"question": "Frage", "options": "Wahl", "answer": {"place": "Nr"}, "image": "Bild"}))
    done("import", "dori", path, "--column-mapping", mapping, "--out", tmp_path / "out")
    (row,) = stored(tmp_path / "out")
    assert (row.task, row.answer, row.choices) == ("dori-published/all", "B", tuple(RANGES))


@pytest.mark.parametrize("mapping", ["[]", "{}", "{", '{"frage": "x"}', '{"question": 3}', '{"answer": {"letter": "x"}}'])
def test_mappings_that_mean_nothing_are_refused(tmp_path: Path, mapping: str) -> None:
    path = records(tmp_path / "d", [{"question": "How far?", "options": RANGES, "answer": "B", "image": "1.png"}])
    (tmp_path / "m.json").write_text(mapping)
    refused(isovist("import", "dori", path, "--column-mapping", tmp_path / "m.json", "--out", tmp_path / "out"), "m.json")
    refused(
        isovist("import", "srbench", path, "--column-mapping", tmp_path / "m.json", "--out", tmp_path / "out"),
        "--column-mapping is an option of",
    )


def test_unusable_records_are_reported(tmp_path: Path) -> None:
    good: Told = {"question": "How far?", "options": RANGES, "answer": "B", "image": "1.png"}
    rows = [
        good,
        {**good, "answer": 1},
        {**good, "answer": "E"},
        {**good, "options": [RANGES[0], RANGES[0]]},
        {**good, "image": "9.png"},
        {**good, "image": ["1.png"] * 3},
        {**good, "options": None},
        {**good, "options": {"A": "x", "C": "y"}},
        {**good, "answer": {"a": 1}},
    ]
    ended = done("import", "dori", records(tmp_path / "d", rows), "--out", tmp_path / "out")
    assert reasons(tmp_path / "out") == {
        1: "the answer is a number; a mapping can declare it as the index of an option",
        2: "the answer is not among the options",
        3: "two options are the same",
        4: "the image is missing",
        5: "not one or two images",
        6: "no options",
        7: "the options are not labelled A, B, C ...",
        8: "the answer is not text",
    }
    assert "Imported 1 of 9 records. Skipped: 8." in ended.out


SPATIAL = "A. down B. left C. lower_left D. lower_right E. right F. up G. upper_left H. upper_right"
COMPASS = "A. East B. West C. South D. North E. Northeast F. Northwest G. Southeast H. Southwest"


def test_cdr_question_types_are_derived_from_options_and_text(tmp_path: Path) -> None:
    rows = [
        {"question": f"Which way does it point?\n{SPATIAL}", "answer": "F. up"},
        {"question": f"Up is West. Where does it point? {COMPASS}", "answer": "B. West"},
        {"question": f"With P as the origin, where is Q relative to it?\n{SPATIAL}", "answer": "G. upper_left", "type": "letter"},
        {"question": f"Up is West. Where does Q lie in relation to P?\n{COMPASS}", "answer": "G", "type": "Letters"},
        {"question": "What is shown?\nA. finger B. arrow C. car D. plane", "answer": "C. car", "type": "icon"},
    ]
    path = records(tmp_path / "c", [{**row, "image": f"{i % 4}.png"} for i, row in enumerate(rows)])
    done("import", "cdr", path, "--out", tmp_path / "out")
    answers = {row.task.partition("/")[2]: (row.answer, len(row.choices)) for row in stored(tmp_path / "out")}
    assert answers == {
        "spatial-direction": ("F", 8),
        "compass-direction": ("B", 8),
        "relative-spatial-letter": ("G", 8),
        "relative-compass-letter": ("G", 8),
        "object-classification-icon": ("C", 4),
    }


def domain(folder: Path, name: str, rows: list[Told], *, two: bool = False, prompts: bool = True) -> None:
    inside = folder / name
    (inside / "data").mkdir(parents=True)
    if prompts:
        (inside / "prompts").mkdir()
        (inside / "prompts" / "input_prompt.txt").write_text("A picture.\n")
        (inside / "prompts" / "rules.txt").write_text("Do something.\n")
        (inside / "prompts" / "output_prompt.txt").write_text("Write COUNT:x\n")
    for i, row in enumerate(rows, 1):
        row["id"] = f"second{i}.png" if two else f"{i}.png"
        for start in ("first", "second") if two else ("",):
            (inside / "data" / f"{start}{i}.png").write_bytes(picture(i + 40 * (start == "second")))
    (inside / "data.json").write_text(json.dumps(rows))


def test_perceptv_keys_by_domain(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    domain(folder, "change_colour", [{"num_differences": 2}, {"num_differences": 7}], two=True)
    domain(folder, "counting_shapes", [{"circles": 1, "triangles": 2, "squares": 3}])
    domain(folder, "comparing_size", [{"Gold_output": ["Blue", "Green", "Blue"], "Rows": 3}])
    domain(folder, "list_colours", [{"list_colours": ["Red"], "num_objects": 1}, {"list_colours": ["blue", "red"], "num_objects": 2}])
    domain(folder, "circle_right_triangle", [{"right": False, "circles": 1}])
    domain(folder, "sort_circles", [{"Gold_output": [2, 10, 1], "Rows": 3}])
    domain(folder, "cross_and_knots", [{"gold_output": [[0, 1], [6, 6]], "n": 7, "crosses": 3}])
    domain(folder, "locate_circles_colour", [{"gold_output": [[6, 1], [1, 2]], "rows": 6, "n_circles": 2}])
    domain(folder, "locate_circles_shape", [{"gold_output": [[3, 3]], "rows": 6, "n_circles": 1}])
    domain(folder, "maze_solving", [{"path": ["S", "2", "3", "E"], "Rows": 11, "Columns": 11}])
    domain(folder, "circle_boxes", [{"answer": 4}], prompts=False)
    ended = done("import", "perceptv", folder, "--out", tmp_path / "out")
    rows = stored(tmp_path / "out")
    keys = {row.task.partition("/")[2]: row.key for row in rows}
    assert keys == {
        "change-colour": Count(7, 0, 7),
        "counting-shapes": CountTuple((1, 2, 3), ("circles", "triangles", "squares"), 0, 3),
        "comparing-size": WordSequence(("blue", "green", "blue"), ("blue", "green")),
        "list-colours": WordSubset(("blue", "red"), ("blue", "red")),
        "circle-right-triangle": YesNo(False),
        "sort-circles": WordSequence(("2", "10", "1"), ("1", "2", "10")),
        "cross-and-knots": ZeroBasedCell(((0, 1), (6, 6)), 7, 7),
        "locate-circles-colour": CellSet(((6, 1), (1, 2)), 6, 6),
        "locate-circles-shape": CellSet(((3, 3),), 6, 6),
        "maze-solving": WordSequence(("S", "2", "3", "E"), ("2", "3", "E", "S")),
    }
    for name, replies in {
        "cross-and-knots": {"Answer: (6, 6)": 1, "Answer: (1, 2)": 0, "Answer: (7, 7)": 0},  # the last two are counted from 1
        "locate-circles-colour": {"(1, 2), (6, 1)": 1, "(0, 1), (5, 0)": 0},
        "maze-solving": {"Answer: S, 2, 3, E": 1, "Answer: E, 3, 2, S": 0, "Answer: 2, 3": 0},
    }.items():
        for reply, credit in replies.items():
            assert keys[name].score(reply).credit == published(reply, keys[name]) == credit, reply
    prompts = {row.task.partition("/")[2]: row.prompt for row in rows}
    assert "(row, column), counted from 0 at the top left" in prompts["cross-and-knots"]
    assert "counted from 1 at the top left" in prompts["locate-circles-colour"]
    first = next(row for row in rows if row.task.endswith("change-colour"))
    assert first.images == (picture(1), picture(41))
    assert first.metadata.question == "A picture.\nDo something."
    assert "COUNT" not in first.prompt
    assert "Imported 12 of 13 records. Skipped: 1." in ended.out
    assert "no question" in ended.err


def test_unusable_perceptv_records_are_reported(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    domain(folder, "circle_boxes", [{"answer": 4}, {"answer": "four"}, {}, {"answer": 2.5}])
    domain(folder, "drawing_cats", [{"answer": 4}])
    (folder / "circle_boxes" / "answer.json").write_text(json.dumps([{"id": "1.png", "answer": 4, "Output": 4}]))
    done("import", "perceptv", folder, "--out", tmp_path / "out")
    rejection_reasons = sorted(json.loads(line)["reason"] for line in (tmp_path / "out" / "skipped.jsonl").read_text().splitlines())
    assert rejection_reasons == [
        "no key",
        "not a domain of Percept-V",
        "not of a data.json",
        "the key is not a whole number",
        "the key is not a whole number",
    ]


@pytest.mark.parametrize(
    ("name", "row", "reason"),
    [
        ("cross_and_knots", {"gold_output": [[7, 1]], "n": 7}, "the key does not fit"),  # counted from 1, in a domain that counts from 0
        ("locate_circles_colour", {"gold_output": [[0, 1]], "rows": 6}, "the key does not fit"),  # the other way round
        ("locate_circles_shape", {"gold_output": [[7, 1]], "rows": 6}, "the key does not fit"),
        ("locate_circles_shape", {"gold_output": [[1, 1], [1, 1]], "rows": 6}, "the key does not fit"),
        ("cross_and_knots", {"gold_output": [], "n": 7}, "no cell is correct, which no answer type can state"),
        ("cross_and_knots", {"gold_output": [1, 2], "n": 7}, "the key is no list of cells"),
        ("cross_and_knots", {"gold_output": [[1, "x"]], "n": 7}, "the key is not a whole number"),
        ("cross_and_knots", {"gold_output": [[1, 1]]}, "no key"),
        ("cross_and_knots", {"gold_output": [[1, 1]], "n": 10**9}, "not a grid of 2 to 30 rows"),
        ("maze_solving", {"path": "S, 2, E"}, "the key is no list"),
        ("maze_solving", {"path": []}, "the key does not fit"),
    ],
)
def test_keys_with_cells_follow_the_convention_of_their_domain(tmp_path: Path, name: str, row: Told, reason: str) -> None:
    domain(tmp_path / "p", name, [row])
    domain(tmp_path / "p", "counting_circles", [{"num_objects": 2}])
    done("import", "perceptv", tmp_path / "p", "--out", tmp_path / "out")
    assert [json.loads(line)["reason"] for line in (tmp_path / "out" / "skipped.jsonl").read_text().splitlines()] == [reason]


def test_a_published_choice_scores(tmp_path: Path) -> None:
    path = records(tmp_path / "d", [{**FORMS["lines"], "image": "1.png"}])
    done("import", "dori", path, "--out", tmp_path / "out")
    (row,) = stored(tmp_path / "out")
    assert isinstance(row.key, Choice)
    assert row.key.score("Answer: B").credit == 1
    # the paper's rules go by the task, and this record tells none
    assert published_scorer(row.task) is None
