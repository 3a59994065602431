"""What cannot be imported is told, row by row; what is no set at all is one line, and nothing is written."""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from published_sets import (
    GOOD,
    MAZE,
    SRBENCH,
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
from workbench import contents, done, isovist, refused, stored

Told = dict[str, Any]


# What cannot be used ------------------------------------------------------------------------------------------------


def bomb(side: int) -> bytes:
    """A small file that says it holds a square picture of that many pixels a side."""
    header = b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    whole = picture()
    return whole[:12] + header + struct.pack(">I", zlib.crc32(header)) + whole[33:]


BROKEN: dict[str, tuple[Told, str]] = {
    "no picture": ({"image": embedded(None)}, "no picture"),
    "no picture at all": ({"image": None}, "no picture"),
    "half a picture": ({"image": embedded(picture(size=(64, 64))[:90])}, "the image cannot be decoded"),
    "no picture but words": ({"image": embedded(b"hello")}, "the image cannot be decoded"),
    "a large picture": ({"image": embedded(bomb(8_000))}, "the image is too large"),
    "a bomb": ({"image": embedded(bomb(100_000))}, "the image is too large"),
    "a name that is nowhere": ({"image": embedded(None, "nowhere.png")}, "the image is missing"),
    "a name above the folder": ({"image": embedded(None, "../outside.png")}, "the image path leaves the folder"),
    "an absolute name": ({"image": embedded(None, "/etc/hostname")}, "the image path leaves the folder"),
    "a name with a drive": ({"image": embedded(None, "C:\\x.png")}, "the image path leaves the folder"),
    "a link out of the folder": ({"image": embedded(None, "link.png")}, "the image path leaves the folder"),
    "an endless name": ({"image": embedded(None, "x" * 5000)}, "the image is missing"),
    "no question": ({"question": None}, "no question"),
    "an empty question": ({"question": "  \n"}, "no question"),
    "options alone": ({"question": "A. left\nB. right"}, "the question is empty"),
    "a question without end": ({"question": "x" * 20_001}, "the question is too long"),
    "a question with a place for two pictures": ({"question": f"<image><image> {GOOD}"}, "the question cannot be put into a prompt"),
    "no answer": ({"answer": None}, "no answer"),
    "an answer beyond the options": ({"answer": "C"}, "the answer is not among the options"),
    "an answer in other words": ({"answer": "above"}, "the answer is not among the options"),
    "an answer that names two": ({"answer": "A. right"}, "the answer contradicts itself"),
    "two options alike": ({"question": "Where?\nA. left\nB. Left."}, "two options are the same"),
    "an empty option": ({"question": "Where?\nA. left\nB.\nC. right"}, "an option is empty"),
    "letters out of order": ({"question": "Where?\nA. left\nC. right\nB. up"}, "the options are not labelled A, B, C ..."),
    "options twice": ({"question": f"{GOOD}\n{GOOD}"}, "the options are not labelled A, B, C ..."),
    "words between the options": ({"question": "Where?\nA. left\nor else\nB. right"}, "the options are not distinct"),
    "no options": ({"question": "Where is it?"}, "no options in the question"),
    "a part without a name": ({"split": "../.."}, "the split is not a name"),
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A set in which every second record is broken, imported, and what was told about it."""
    folder = tmp_path_factory.mktemp("broken")
    (folder / "outside.png").write_bytes(picture())
    (folder / "set").mkdir()
    (folder / "set" / "link.png").symlink_to(folder / "outside.png")
    rows: list[Told] = []
    for i, (changes, _) in enumerate(BROKEN.values()):
        good: Told = {"image": embedded(picture(i)), "question": f"{i}. {GOOD}", "answer": "A", "split": "s"}
        rows += [good, {**good, "question": GOOD, **changes}]
    to_parquet(folder / "set" / "x.parquet", rows, SRBENCH)
    ended = done("import", "srbench", folder / "set", "--out", folder / "out")
    return folder / "out", ended.out + ended.err


@pytest.mark.parametrize("name", BROKEN)
def test_a_damaged_record_is_reported_with_its_index_and_reason(broken: tuple[Path, str], name: str) -> None:
    place = 2 * list(BROKEN).index(name) + 1
    (rejection,) = [line for line in rejected(broken[0]) if line["record"] == place]
    assert (rejection["file"], rejection["reason"]) == ("x.parquet", BROKEN[name][1])


def test_no_record_is_dropped_in_silence(broken: tuple[Path, str]) -> None:
    folder, output = broken
    assert f"Imported {len(BROKEN)} of {2 * len(BROKEN)} records. Skipped: {len(BROKEN)}." in output
    reasons = Counter(line["reason"] for line in rejected(folder))
    assert reasons == Counter(reason for _, reason in BROKEN.values())
    for reason, count in reasons.items():
        assert f"{count:>7}  {reason}\n" in output
    assert [row.metadata.scene["record"] for row in stored(folder)] == [f"x.parquet:{2 * i}" for i in range(len(BROKEN))]


def test_values_of_other_types_are_reported(tmp_path: Path) -> None:
    good = {"image_name": "a.jpg", "question": GOOD, "answer": "A. left", "object1": "cat", "object2": "dog"}
    rows: list[object] = [good, {**good, "question": 7}, {**good, "answer": ["A"]}, {**good, "image_name": 3}, "no record", {**good, "question": f"\ud800 {GOOD}"}]  # fmt: skip
    folder = spatial_mm(tmp_path / "set", rows)  # type: ignore[arg-type]
    done("import", "spatial-mm", folder, "--out", tmp_path / "out")
    assert [(line["record"], line["reason"]) for line in rejected(tmp_path / "out")] == [
        (1, "the question is not text"),
        (2, "the answer is not text"),
        (3, "the image is neither bytes nor a name"),
        (4, "no record with named columns"),
        (5, "the question is not text"),
    ]


def test_columns_that_are_kept_must_be_text_of_bearable_length(tmp_path: Path) -> None:
    folder = egoorient(tmp_path / "set")
    file = folder / "testing_data" / "benchmark.json"
    data = json.loads(file.read_text())
    data[0]["category_name"] = "\ud800"
    data[2]["domain"] = "x" * 200_001
    to_json(file, data)
    done("import", "egoorient", folder, "--out", tmp_path / "out")
    assert [(line["record"], line["reason"]) for line in rejected(tmp_path / "out")] == [
        (0, "a column is not text"),
        (2, "the columns are too long"),
    ]


def test_records_and_pictures_that_are_links_or_pipes_are_not_followed(tmp_path: Path) -> None:
    folder = spatial_mm(tmp_path / "set")
    outside = tmp_path / "outside.json"
    (folder / "data" / "spatial_mm_two_obj.json").rename(outside)
    (folder / "data" / "two.json").symlink_to(outside)
    (folder / "data" / "spatial_mm" / "b.jpg").unlink()
    os.mkfifo(folder / "data" / "spatial_mm" / "b.jpg")
    os.mkfifo(folder / "data" / "pipe.json")
    message = refused(isovist("import", "spatial-mm", folder, "--out", tmp_path / "out"), "1 the image is missing")
    assert "two.json" not in message
    outside.rename(folder / "data" / "spatial_mm_two_obj.json")
    ended = done("import", "spatial-mm", folder, "--out", tmp_path / "out")
    assert "Imported 1 of 3 records. Skipped: 2." in ended.out
    (tmp_path / "link.json").symlink_to(folder / "data" / "spatial_mm_two_obj.json")
    (tmp_path / "a.jpg").write_bytes(picture())
    assert "Imported 1 of 2 records" in done("import", "spatial-mm", tmp_path / "link.json", "--out", tmp_path / "named").out


def test_an_image_name_of_several_files_is_an_error_unless_the_record_has_a_path(tmp_path: Path) -> None:
    folder = spatial_mm(tmp_path / "set")
    (folder / "more").mkdir()
    (folder / "more" / "a.jpg").write_bytes(picture(5))
    done("import", "spatial-mm", folder, "--out", tmp_path / "out")
    assert [line["reason"] for line in rejected(tmp_path / "out")] == ["several images have the name"]
    to_json(folder / "data" / "spatial_mm_two_obj.json", [{"image_name": "more/a.jpg", "question": GOOD, "answer": "A. left", "object1": "x", "object2": "y"}])  # fmt: skip
    done("import", "spatial-mm", folder, "--out", tmp_path / "again")
    assert by_part(tmp_path / "again")["two-objects"][0].images == (picture(5),)


def test_answers_of_several_columns_must_agree(tmp_path: Path) -> None:
    folder = spatialeval(tmp_path / "set")
    file = folder / "vqa" / "test-00000-of-00001.parquet"
    table = pq.read_table(file)
    pq.write_table(table.set_column(table.schema.get_field_index("oracle_answer"), "oracle_answer", pa.array(["8", "2", "No", "2"])), file)
    done("import", "spatialeval", file, "--out", tmp_path / "out")
    assert next((line["record"], line["reason"]) for line in rejected(tmp_path / "out")) == (0, "the answer contradicts itself")


@pytest.mark.parametrize(
    "columns",
    [
        ("3", "B", "There are 3 right turns in the path."),
        ("3", "B", "3 (option B)"),
        ("3", "B", "3 (Option B)."),
        ("3", "B", "B. 3"),
        ("3", "b", "There are three right turns in the path."),  # two columns agree, the third names no option
        ("B", "3", "The answer is B. 3 because of the 4 walls."),  # the label in a sentence counts before its numbers
        ("3", None, "There are 3 right turns."),
        (None, "B", "There are 3 right turns."),
    ],
)
def test_every_published_form_of_the_three_answer_columns_is_one_key(tmp_path: Path, columns: tuple[str | None, ...]) -> None:
    assert one_maze(tmp_path, columns) == "B"


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        (("3", "A", "There are 3 right turns."), "the answer contradicts itself"),
        (("3", "B", "There are 4 right turns."), "the answer contradicts itself"),
        (("3", "B", "3 (option A)"), "the answer contradicts itself"),
        (("3", "B", "The answer is A: there are 3 right turns."), "the answer contradicts itself"),
        (("3", "B", "4"), "the answer contradicts itself"),
        (("3", "B", "7"), "the answer is not among the options"),
        ((None, "B", "There are three right turns."), "the answer is not among the options"),  # one column is not two
        ((None, "B", "There are 3 or 4 right turns."), "the answer is not among the options"),
        (("There are 3 turns here.", "There are 3 turns.", "There are 3 right turns."), "the answer is not among the options"),
    ],
)
def test_answer_columns_that_contradict_or_do_not_decide_are_rejected(tmp_path: Path, columns: tuple[str | None, ...], reason: str) -> None:
    assert one_maze(tmp_path, columns) == reason


def one_maze(folder: Path, columns: tuple[str | None, ...]) -> str:
    """The key of the first of two records, the one with these answer columns, or the reason why it is rejected."""
    record = {"text": "How many right turns are there? Available options:\nA. 4\nB. 3\nC. 2.", "image": embedded(picture())}
    given = dict(zip(("oracle_answer", "oracle_option", "oracle_full_answer"), columns, strict=True))
    right = {"id": "mazenav.vqa.8.0", "oracle_answer": "2", "oracle_option": "C", "oracle_full_answer": "There are 2 right turns."}
    to_parquet(folder / "vqa" / "x.parquet", [record | given | {"id": "mazenav.vqa.7.0"}, record | right], (*MAZE, "image"))
    done("import", "spatialeval", folder / "vqa", "--out", folder / "out")
    reasons = [line["reason"] for line in rejected(folder / "out")]
    return reasons[0] if reasons else by_part(folder / "out")["maze-nav-vqa"][0].answer


# All or nothing -----------------------------------------------------------------------------------------------------


def test_all_is_for_the_set_that_has_more(tmp_path: Path) -> None:
    refused(isovist("import", "srbench", srbench(tmp_path / "set"), "--all-tasks", "--out", tmp_path / "out"), "--all-tasks", "spatialeval")


@pytest.mark.parametrize("name", ["srbench", "spatialeval", "egoorient", "spatial-mm"])
def test_what_is_no_such_set_is_one_line_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    to_json(tmp_path / "set" / "x.json", [{"a": 1}])
    before = contents(tmp_path)
    refused(
        isovist("import", name, tmp_path / "set", "--out", tmp_path / "new" / "out"),
        "looked for",
        "x.json",
        "question" if name != "spatialeval" else "text",
    )
    refused(isovist("import", name, tmp_path / "nothing", "--out", tmp_path / "new" / "out"), "does not exist")
    assert contents(tmp_path) == before
    assert not (tmp_path / "new").exists()


def test_a_set_without_one_usable_record_leaves_nothing_behind(tmp_path: Path) -> None:
    srbench(tmp_path / "set", [{"question": "Where?", "answer": "A", "split": "s"}])
    refused(isovist("import", "srbench", tmp_path / "set", "--out", tmp_path / "new" / "out"), "1 no options in the question")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["set"]


def test_a_damaged_file_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = srbench(tmp_path / "set", [{"question": f"{i} {GOOD}", "answer": "A", "split": "s"} for i in range(200)])
    (file,) = (folder / "data").iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:3000] + bytes(200) + whole[3200:])
    refused(isovist("import", "srbench", folder, "--out", tmp_path / "out"), file.name, "Parquet")
    (folder / "data" / "x.json").write_text("[{")
    refused(isovist("import", "srbench", folder, "--out", tmp_path / "out"), "x.json", "JSON")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["set"]


def test_a_folder_in_use_is_not_touched(tmp_path: Path) -> None:
    folder = srbench(tmp_path / "set")
    done("import", "srbench", folder, "--out", tmp_path / "out")
    before = contents(tmp_path)
    refused(isovist("import", "srbench", folder, "--out", tmp_path / "out"), "not empty")
    refused(isovist("import", "srbench", folder, "--out", tmp_path / "out" / "README.md"), "a file")
    assert contents(tmp_path) == before


def test_an_interrupted_import_leaves_nothing_and_one_that_was_killed_is_swept_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = srbench(tmp_path / "set")

    def interrupt(*args: object, **more: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("isovist.data.importers.pipeline.card", interrupt)  # when all rows are written, and before the manifest is
        assert isovist("import", "srbench", folder, "--out", tmp_path / "out").code == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == ["set"]
    (tmp_path / ".out.isovist-import" / "half").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    done("import", "srbench", folder, "--out", tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "set"]
    assert not any("half" in name for name in contents(tmp_path / "out"))


def test_the_same_set_gives_the_same_folder(tmp_path: Path) -> None:
    folder = srbench(tmp_path / "set")
    done("import", "srbench", folder, "--out", tmp_path / "a")
    os.utime(next((folder / "data").iterdir()), (1, 1))
    done("import", "srbench", folder, "--out", tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
