"""Published sets become data folders that can be asked, scored, reported and verified."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from published_sets import (
    EIGHT,
    GOOD,
    by_part,
    egoorient,
    embedded,
    picture,
    rejected,
    spatial_mm,
    spatialeval,
    srbench,
    to_json,
    to_parquet,
)
from workbench import done, isovist, stored

from isovist.data.dataset.manifest import Manifest
from isovist.data.importers import option_parser
from isovist.data.importers.benchmark_format import Unusable

Told = dict[str, Any]


# Each format, worked out by hand ------------------------------------------------------------------------------------


def test_srbench(tmp_path: Path) -> None:
    ended = done("import", "srbench", srbench(tmp_path / "set"), "--out", tmp_path / "out")
    assert ended.out.endswith("Imported 6 of 6 records. Skipped: 0.\n")
    parts = by_part(tmp_path / "out")
    assert {part: [(row.answer_type, row.answer, row.chance) for row in listed] for part, listed in parts.items()} == {
        "ego-orientation": [("yes-no", "no", 0.5)],
        "mrt-easy": [("drawn-choice", "B", 1 / 3)],
        "mrt-hard": [("drawn-choice", "D", 0.25)],
        "paper-folding": [("drawn-choice", "A", 1 / 3), ("drawn-choice", "C", 1 / 3)],
        "spatial-obj": [("choice", "C", 0.25)],
    }
    cup = parts["spatial-obj"][0]
    assert cup.choices == ("left", "right", "above", "below")
    assert cup.metadata.question == "Where is the cup?"
    assert cup.prompt.startswith("<image>\nWhere is the cup?\nA. left\nB. right\nC. above\nD. below\nYou may reason first.")
    assert cup.metadata.scene["published"]["question"] == "Where is the cup?\nA. left\nB. right\nC. above\nD. below"
    assert cup.images == (picture(0),)  # byte for byte
    assert (cup.task, cup.version, cup.split, cup.suite) == ("srbench-published/spatial-obj", 0, "test", "srbench-published")
    dog = parts["ego-orientation"][0]
    assert dog.metadata.question == "Is the dog facing 'front' from the camera's perspective?"
    assert "only" not in dog.prompt  # the published words on the reply would contradict ours
    assert [row.metadata.question for row in parts["paper-folding"]] == [
        "Which sheet is the unfolded one?",
        "Which sheet is the unfolded one? {A, B, C}",
    ]


def test_spatialeval_takes_the_mazes_and_with_all_the_rest(tmp_path: Path) -> None:
    folder = spatialeval(tmp_path / "set")
    ended = done("import", "spatialeval", folder, "--out", tmp_path / "mazes")
    assert "Imported 9 of 12 records. Skipped: 3." in ended.out
    assert "3  not of Maze-Nav (--all-tasks imports it)" in ended.err
    assert "earlier one" not in ended.err  # with and without the maze in words it is not the same question
    parts = by_part(tmp_path / "mazes")
    assert set(parts) == {"maze-nav-tqa", "maze-nav-vqa", "maze-nav-vtqa"}
    for part, listed in parts.items():
        assert [(row.answer, row.choices) for row in listed] == [
            ("C", ("4", "8", "2", "7")),
            ("A", ("2", "9", "3", "7")),
            ("B", ("Yes", "No")),
        ]
        assert listed[0].metadata.question.endswith("- Black blocks represent walls.\nHow many right turns are there?")
        assert {len(row.images) for row in listed} == {0 if part.endswith("-tqa") else 1}
        assert {row.prompt.count("<image>") for row in listed} == {0 if part.endswith("-tqa") else 1}
        assert len({row.group for row in listed}) == 1  # one maze, with or without its picture
    ended = done("import", "spatialeval", folder, "--all-tasks", "--out", tmp_path / "all")
    assert "Imported 12 of 12 records. Skipped: 0." in ended.out
    assert {part for part in by_part(tmp_path / "all") if not part.startswith("maze")} == {
        f"spatial-map-{m}" for m in ("tqa", "vqa", "vtqa")
    }


def test_egoorient(tmp_path: Path) -> None:
    ended = done("import", "egoorient", egoorient(tmp_path / "set"), "--out", tmp_path / "out")
    assert "Imported 5 of 5 records. Skipped: 0." in ended.out
    parts = by_part(tmp_path / "out")
    assert {part: [(row.answer_type, row.answer, row.choices) for row in listed] for part, listed in parts.items()} == {
        "eight-way": [("choice", "B", EIGHT)],
        "free-form": [("word", "front right", ())],
        "two-option": [("choice", "B", ("left", "front right"))],
        "yes-no": [("yes-no", "yes", ())],
        "yes-no-verbose": [("yes-no", "no", ())],
    }
    assert parts["eight-way"][0].metadata.question == "Which way is the bird facing?"
    assert parts["two-option"][0].metadata.question == "Is the bird facing 'left' or 'front right' from the camera's perspective?"
    assert parts["eight-way"][0].images == (picture(1, "JPEG"),)
    (free,) = parts["free-form"]
    assert free.chance == 1 / 8
    assert "one of: front, front right, right, back right, back, back left, left, front left" in free.prompt
    assert free.key.score("It faces the camera and the right.\nAnswer: front-right").credit == 1
    for wrong in ("Answer: front", "Answer: right", "Answer: front, right", "Answer: front left", "B"):
        assert free.key.score(wrong).credit == 0


@pytest.mark.parametrize(
    ("label", "direction", "answer"),
    [
        ("facing the camera", "front", "front"),
        ("facing away the camera", "back", "back"),
        ("facing left", "left", "left"),
        ("facing left while facing the camera", "front left", "front left"),
        ("toward right while facing away the camera", "back right", "back right"),
        ("front left", "front left", "front left"),
        ("Facing right.", "front right", "the label contradicts the original label"),
        ("facing left or right", "left", "the label names no direction"),
        ("facing the tree", "left", "the label names no direction"),
    ],
)
def test_labels_of_free_form_questions(tmp_path: Path, label: str, direction: str, answer: str) -> None:
    folder = egoorient(tmp_path / "set")
    file = folder / "testing_data" / "benchmark.json"
    rows = json.loads(file.read_text())
    rows[1] |= {"label": label, "original_label": direction}
    file.write_text(json.dumps(rows))
    done("import", "egoorient", folder, "--out", tmp_path / "out")
    reasons = [line["reason"] for line in rejected(tmp_path / "out")]
    assert (reasons or [by_part(tmp_path / "out")["free-form"][0].answer]) == [answer]


def test_spatial_cot(tmp_path: Path) -> None:
    folder = spatial_mm(tmp_path / "set")
    same = {"image_name": "a.jpg", "reasoning": "{[a], [b]}", "hop": 2}
    records = [
        ("Is the cup behind the plate?", "No"),
        ("Where is the cup from the perspective of the dog?", "left"),
        ("What colour is the cup to the left?", "Grey"),
        ("What fruit is to the left?", "orange"),  # not a colour
        ("Where is the cup?", "left behind"),
        ("What is inside the bowl?", "two mugs"),
    ]
    to_json(folder / "data" / "hops.json", [same | {"question": text, "answer": answer} for text, answer in records])
    ended = done("import", "spatial-mm", folder, "--out", tmp_path / "out")
    assert "Imported 6 of 9 records. Skipped: 3." in ended.out
    parts = by_part(tmp_path / "out")
    assert {part: (row.answer, row.chance) for part, (row, *_) in parts.items() if part.startswith("cot-")} == {
        "cot-yes-no": ("no", 0.5),
        "cot-place": ("left", 1 / 7),
        "cot-colour": ("gray", 1 / 12),
    }
    assert parts["cot-place"][0].metadata.attributes == {"hops": "2"}
    assert {(line["record"], line["reason"]) for line in rejected(tmp_path / "out")} == {
        (n, "an open answer, which no answer type can score") for n in (3, 4, 5)
    }


def test_spatial_mm(tmp_path: Path) -> None:
    to_json(tmp_path / "set" / "data" / "multihop.json", [{"question": "?", "steps": []}])
    ended = done("import", "spatial-mm", spatial_mm(tmp_path / "set"), "--out", tmp_path / "out")
    assert "Imported 3 of 3 records. Skipped: 0." in ended.out
    assert "Skipped file data/multihop.json: no column 'image_name'" in ended.err
    parts = by_part(tmp_path / "out")
    assert [(row.answer, row.choices, row.chance) for row in parts["two-objects"]] == [
        ("B", ("left", "right"), 0.5),
        ("B", ("yes", "no"), 0.5),
    ]
    assert [(row.answer, row.chance) for row in parts["one-object"]] == [("A", 0.25)]
    # the pictures are shared between the files
    assert parts["two-objects"][1].images == parts["one-object"][0].images == (picture(1, "JPEG"),)


def test_columns_in_other_case_json_lines_and_a_single_file_are_read(tmp_path: Path) -> None:
    row = {"Image": embedded(picture()), "Question": "Left?\nA. yes\nB. no", "ANSWER": "a", "Split": "Spatial Obj"}
    to_parquet(tmp_path / "x.parquet", [row], ("Image", "Question", "ANSWER", "Split"))
    done("import", "srbench", tmp_path / "x.parquet", "--out", tmp_path / "a")
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "p.png").write_bytes(picture())
    line = {"image": "p.png", "question": "Left?\r\nA. yes\r\nB. no", "answer": "a", "split": "Spatial Obj"}
    (tmp_path / "set" / "x.jsonl").write_text(f"{json.dumps(line)}\n\n")
    done("import", "srbench", tmp_path / "set", "--out", tmp_path / "b")
    assert stored(tmp_path / "a")[0].id == stored(tmp_path / "b")[0].id


def test_a_snapshot_in_a_cache_is_followed_into_its_store_and_its_revision_noted(tmp_path: Path) -> None:
    folder = srbench(tmp_path / "plain")
    cache = tmp_path / "datasets--x--srbench"
    (cache / "blobs").mkdir(parents=True)
    snapshot = cache / "snapshots" / "abc123"
    (snapshot / "data").mkdir(parents=True)
    (file,) = (folder / "data").iterdir()
    file.rename(cache / "blobs" / "0f0f")
    (snapshot / "data" / file.name).symlink_to("../../../blobs/0f0f")
    done("import", "srbench", snapshot, "--out", tmp_path / "out")
    assert {part.settings["revision"] for part in Manifest.read(tmp_path / "out").parts} == {"abc123"}


# The imported folder ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["stogiannidis--srbench", "stogian--srbench", "stogian--srbench_v3"])
def test_srbench_of_each_published_name(tmp_path: Path, name: str) -> None:
    rows = [
        {"question": "Which sheet is the unfolded one?", "answer": "C", "split": "pf"},
        {"question": "Which piece is the first one, turned? Choose A, B, C or D.", "answer": "D", "split": "mrt"},
        {"question": "Which piece is the first one, turned?", "answer": "A", "split": "mrt"},
    ]
    snapshot = tmp_path / f"datasets--{name}" / "snapshots" / "abc"
    done("import", "srbench", srbench(snapshot, rows), "--out", tmp_path / "out")
    parts = by_part(tmp_path / "out")
    assert {part: [(row.answer, row.chance) for row in listed] for part, listed in parts.items()} == {
        "pf": [("C", 1 / 3)],
        "mrt": [("D", 0.25)],
    }
    assert [(line["record"], line["reason"]) for line in rejected(tmp_path / "out")] == [(2, "no options in the question")]


def test_imported_items_are_asked_scored_reported_and_verified(tmp_path: Path) -> None:
    data = tmp_path / "data"
    done("import", "spatial-mm", spatial_mm(tmp_path / "set"), "--out", data)
    for name, right in (("simulated/oracle", 3), ("simulated/constant:B", 2)):
        run = tmp_path / name.replace("/", "-").replace(":", "-")
        ended = done("run", "--data", data, "--model", name, "--circular-eval", "--no-image", "--out", run)
        assert f"{3 + 3 + 1 + 1 + 3} items and variants" in ended.out
        assert done("rescore", run).out.startswith("11 responses")
        done("report", run, "--out", run / "report")
        lines = (run / "report" / "results.csv").read_text().splitlines()
        assert sum(line.count("spatial-mm-published/") for line in lines) == 2
        plain = [json.loads(line) for line in (run / "records.jsonl").read_text().splitlines()]
        assert sum(record["credit"] for record in plain if not record["variant"]) == right
        assert "data:image/jpeg;base64," in (run / "report" / "index.html").read_text()
    assert done("verify", data).out == "3 rows, 0 differ\n"
    file = next((data / "spatial-mm-published" / "one-object").iterdir())
    table = pq.read_table(file)
    pq.write_table(table.set_column(table.schema.get_field_index("answer"), "answer", pa.array(["B"])), file)
    ended = isovist("verify", data)
    assert ended.code == 1
    assert "has changed since it was imported" in ended.out


def test_the_card_claims_no_licence_and_names_the_source(tmp_path: Path) -> None:
    done("import", "spatial-mm", spatial_mm(tmp_path / "set"), "--out", tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text()
    assert "license: other" in card
    assert "CC-BY" not in card
    assert "github.com/FatemehShiri/Spatial-MM" in card
    # items of our own beside them have their licence
    done("generate", "cdr/relative-compass-letter", "--n", 2, "--workers", 1, "--out", tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text()
    assert "license: other" in card
    assert "All other items are licensed under CC-BY-4.0" in card
    assert done("verify", tmp_path / "out", "--workers", 1).out == "5 rows, 0 differ\n"


def test_pictures_carry_the_suffix_of_what_they_are(tmp_path: Path) -> None:
    done("import", "spatial-mm", spatial_mm(tmp_path / "set"), "--out", tmp_path / "out")
    (file,) = (tmp_path / "out" / "spatial-mm-published" / "one-object").iterdir()
    rows: list[Told] = pq.read_table(file).to_pylist()
    (image,) = rows[0]["images"]
    assert image["path"].endswith("-0.jpg")


def test_more_items_than_a_file_holds_keep_their_order(tmp_path: Path) -> None:
    count = 2001
    source_rows = [{"image": embedded(picture(i % 7, size=(4, 4))), "question": f"Number {i}?\nA. x\nB. y", "answer": "AB"[i % 2], "split": "s"} for i in range(count)]  # fmt: skip
    srbench(tmp_path / "set", source_rows)
    done("import", "srbench", tmp_path / "set", "--out", tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out" / "srbench-published" / "s").iterdir())
    assert names == ["test-00000-of-00002.parquet", "test-00001-of-00002.parquet"]
    rows = stored(tmp_path / "out")
    assert [row.metadata.question for row in rows] == [f"Number {i}?" for i in range(count)]
    assert [row.index for row in rows] == list(range(count))
    assert done("verify", tmp_path / "out").out == f"{count} rows, 0 differ\n"


def test_duplicates_are_imported_and_reported(tmp_path: Path) -> None:
    source_rows = [{"image": embedded(picture()), "question": GOOD, "answer": answer, "split": "s"} for answer in "AAB"]
    ended = done("import", "srbench", srbench(tmp_path / "set", source_rows), "--out", tmp_path / "out")
    assert "Items with the same images and prompt as an earlier item: 2 (1 with another key)." in ended.err
    rows = stored(tmp_path / "out")
    assert len({row.id for row in rows}) == 3
    lines = [json.loads(line) for line in (tmp_path / "out" / "duplicates.jsonl").read_text().splitlines()]
    assert lines == [
        {"id": rows[1].id, "as": rows[0].id, "same_key": True},
        {"id": rows[2].id, "as": rows[0].id, "same_key": False},
    ]


@pytest.mark.parametrize("kind", ["WEBP", "BMP", "GIF", "TIFF"])
def test_other_pictures_become_png_of_the_same_pixels(tmp_path: Path, kind: str) -> None:
    colours = np.random.default_rng(1).integers(0, 256, (16, 24, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(colours).save(file, kind, lossless=True)
    srbench(tmp_path / "set", [{"image": embedded(file.getvalue()), "question": GOOD, "answer": "A", "split": "s"}])
    done("import", "srbench", tmp_path / "set", "--out", tmp_path / "out")
    (image,) = stored(tmp_path / "out")[0].images
    assert image.startswith(b"\x89PNG")
    with Image.open(io.BytesIO(image)) as mine, Image.open(file) as theirs:
        assert np.array_equal(np.asarray(mine), np.asarray(theirs.convert("RGB")))


# Options in the words -----------------------------------------------------------------------------------------------

SPLIT = {
    "Where?\nA. left\nB. right": ("Where?", ("left", "right")),
    "Where?\n(A) left\n(B) right": ("Where?", ("left", "right")),
    "Where?\nA) left\nB) right\nAnswer with the letter only.": ("Where?", ("left", "right")),
    "Where? Options: A. left, B. right, C. up.": ("Where?", ("left", "right", "up")),
    "Where?\nA. left\nB. right\nThe cat counts.": ("Where?\nThe cat counts", ("left", "right")),
    "Plan B. Is it good?": ("Plan B. Is it good?", ()),
    "Which of (A), (B) or (C)?": ("Which of (A), (B) or (C)?", ()),
}


@pytest.mark.parametrize("text", SPLIT)
def test_options_are_split_off(text: str) -> None:
    assert option_parser.split(text) == SPLIT[text]


@pytest.mark.parametrize(
    ("answer", "place"),
    [("A", 0), ("b", 1), ("(C)", 2), ("C.", 2), ("A. left", 0), ("B) Right", 1), ("up", 2), ("UP.", 2), ("A left", 0)],
)
def test_answers_are_found_by_letter_text_or_both(answer: str, place: int) -> None:
    assert option_parser.choice(("left", "right", "up"), answer).truth == place


def test_an_answer_that_can_be_read_in_two_ways_is_not_guessed() -> None:
    assert option_parser.choice(("C", "B", "A"), "B").truth == 1
    with pytest.raises(Unusable, match="ambiguous: a label or an option"):
        option_parser.choice(("C", "B", "A"), "A")  # the first, or the one that says A?
    with pytest.raises(Unusable, match="not among"):
        option_parser.choice(("left", "right"), "Z")


@pytest.mark.parametrize(
    ("text", "count"), [("A, B or C", 3), ("(A), (B), (C), (D)", 4), ("{A/B}", 2), ("A", 0), ("A, C, B", 0), ("CAB", 0)]
)
def test_letters_that_a_question_names_are_counted(text: str, count: int) -> None:
    assert option_parser.letters_named(f"Choose {text}.") == count


PIECES = st.lists(st.sampled_from(["A", "B", "C", ". ", ") ", "(", ": ", "\n", " ", "left", "right", "Options:", "or", ", ", "Answer with the letter"]), max_size=14)  # fmt: skip


@given(PIECES.map("".join), PIECES.map("".join))
def test_whatever_a_record_says_is_a_choice_or_unusable(text: str, answer: str) -> None:
    try:
        question, listed = option_parser.split(text)
        key = option_parser.choice(listed, answer) if listed else option_parser.pictured(option_parser.letters_named(text), answer)
    except Unusable:
        return
    assert question in text or not question or set(question.split()) <= set(text.split())
    assert key.score(key.canonical()).credit == 1


@given(st.lists(st.lists(st.sampled_from(["B", "3", "4", "(option B)", "There are", "turns", "answer is", ". ", " "]), max_size=6).map("".join), max_size=3))  # fmt: skip
def test_answer_columns_agree_or_are_unusable(columns: list[str]) -> None:
    texts = [text.strip() for text in columns if text.strip()] or ["3"]  # a record without any is skipped before
    try:
        key = option_parser.agreed(("4", "3", "2"), texts)
    except Unusable:
        return
    other = {"3", "B"} if key.truth == 0 else {"4", "A"}
    assert not other & set(texts)


def test_a_jpeg_is_sent_as_what_it_is() -> None:
    from isovist.evaluation.models.base import ModelRequest
    from isovist.evaluation.models.inspect_ai import content

    sent = content(ModelRequest("id", "<image>\nWhere?\n<image>", (picture(1, "JPEG"), picture(1)), ""))
    assert [part.image.partition(";")[0] for part in sent if part.type == "image"] == ["data:image/jpeg", "data:image/png"]
