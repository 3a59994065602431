"""Any visual question answering set becomes a data folder by a mapping of its columns; what is ambiguous is skipped with a reason."""

from __future__ import annotations

import base64
import csv
import json
import tomllib
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from published_sets import embedded, picture, rejected
from workbench import Ended, done, isovist, stored

from isovist.data.dataset.rows import ItemRow
from isovist.data.importers.vqa.mapping import read_mapping
from isovist.data.importers.vqa.record_stream import stream_records

EXAMPLES = Path(__file__).parent.parent / "examples" / "vqa"
Row = dict[str, Any]

HEAD = """
name = "toy"
title = "Toy set"
"""
LETTERED = """
id = "id"
[question]
column = "question"
[images]
columns = ["image"]
[options]
columns = ["A", "B", "C"]
[answer]
column = "answer"
forms = ["letter"]
"""
OPTIONS = {"A": "left", "B": "right", "C": "above"}


def base64_text(shade: int) -> str:
    return base64.b64encode(picture(shade)).decode()


def mapped(folder: Path, content: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "map.toml").write_text(HEAD + content, encoding="utf-8")
    return folder / "map.toml"


def import_rows(folder: Path, content: str, rows: Sequence[Row]) -> Ended:
    """Import rows of JSON Lines; the images 0.png, 1.png ... are beside them."""
    mapping = mapped(folder, content)
    for i in range(4):
        (folder / f"{i}.png").write_bytes(picture(i))
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return isovist("import", "vqa", folder / "rows.jsonl", "--mapping", mapping, "--out", folder / "out")


def imported(folder: Path, content: str, rows: Sequence[Row]) -> list[ItemRow]:
    ended = import_rows(folder, content, rows)
    assert ended.code == 0, ended
    return stored(folder / "out")


def reasons(folder: Path) -> list[str]:
    return [str(entry["reason"]) for entry in rejected(folder / "out")]


def refused(ended: Ended, *texts: str) -> None:
    assert ended.code == 2, ended
    assert "Traceback" not in ended.err
    assert len(ended.err.strip().splitlines()) == 1, ended.err
    for text in texts:
        assert text in ended.err, ended.err


def test_an_image_is_the_file_under_its_name_on_another_system(tmp_path: Path) -> None:
    """A backslash separates folders; letters may be composed or decomposed."""
    name = "caf\u00e9_\u5317.png"
    mapping = mapped(tmp_path, LETTERED)
    (tmp_path / "im").mkdir()
    (tmp_path / "im" / normalize("NFD", name)).write_bytes(picture(1))
    paths = [f"im/{normalize('NFC', name)}", f"im\\{normalize('NFD', name)}", "..\\map.toml", "C:\\a.png"]
    rows = [{"id": str(i), "question": "Where?", **OPTIONS, "answer": "A", "image": path} for i, path in enumerate(paths)]
    write(tmp_path / "set.jsonl", rows)
    done("import", "vqa", tmp_path / "set.jsonl", "--mapping", mapping, "--out", tmp_path / "out")
    assert len(stored(tmp_path / "out")) == 2
    assert reasons(tmp_path) == ["the image path leaves the folder"] * 2


def test_columns_inside_others_and_paths_beside_empty_bytes(tmp_path: Path) -> None:
    mapping = mapped(tmp_path, LETTERED.replace('columns = ["image"]', 'columns = ["meta.image"]\nencoding = "base64"'))
    (tmp_path / "0.png").write_bytes(picture(0))
    row = {"id": "1", "question": "Where?", **OPTIONS, "answer": "A", "meta": {"image": {"bytes": b"", "path": "0.png"}}}
    write(tmp_path / "set.parquet", [row])
    done("import", "vqa", tmp_path / "set.parquet", "--mapping", mapping, "--out", tmp_path / "out")
    assert len(stored(tmp_path / "out")) == 1


# Files --------------------------------------------------------------------------------------------------------------


def write(path: Path, rows: list[Row]) -> None:
    match path.suffix:
        case ".json":
            path.write_text(json.dumps(rows), encoding="utf-8")
        case ".jsonl":
            path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        case ".parquet":
            pq.write_table(pa.Table.from_pylist(rows), path)
        case _:
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
                writer.writeheader()
                writer.writerows(rows)


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv", "tsv", "parquet"])
def test_each_file_format_gives_the_same_items(tmp_path: Path, suffix: str) -> None:
    mapping = mapped(tmp_path, LETTERED.replace('columns = ["image"]', 'columns = ["image"]\nencoding = "base64"\nreferences = true'))
    texts = ["Where, in\tthe image,\nis the “cup”?", 'Is "it" there?', "Where is it?"]
    rows = [{"id": str(i), "question": text, **OPTIONS, "answer": "ABC"[i], "image": base64_text(i)} for i, text in enumerate(texts)]
    rows[2]["image"] = "0"  # the image of the record with the id 0
    write(tmp_path / f"set.{suffix}", rows)
    ended = done("import", "vqa", tmp_path / f"set.{suffix}", "--mapping", mapping, "--out", tmp_path / "out")
    assert ended.out == "      3  toy-published/all\nImported 3 of 3 records. Skipped: 0.\n"
    items = stored(tmp_path / "out")
    assert [item.answer for item in items] == ["A", "B", "C"]
    assert [item.metadata.question for item in items] == texts
    assert [item.images for item in items] == [(picture(0),), (picture(1),), (picture(0),)]  # byte for byte
    assert items[0].group == items[2].group != items[1].group
    assert items[0].choices == ("left", "right", "above")
    assert items[0].metadata.scene["published"]["id"] == "0"
    done("verify", tmp_path / "out")


def test_references_may_point_forward_and_must_be_unique(tmp_path: Path) -> None:
    mapping = LETTERED.replace('columns = ["image"]', 'columns = ["image"]\nencoding = "base64"\nreferences = true')
    base = {"question": "Where?", **OPTIONS, "answer": "A"}
    cells = [("1", "2"), ("2", base64_text(2)), ("3", "1"), ("4", "nowhere"), ("5", base64_text(0)), ("5", base64_text(1)), ("6", "5")]
    items = imported(tmp_path, mapping, [{**base, "id": number, "image": cell} for number, cell in cells])
    assert [item.images[0] for item in items] == [picture(2), picture(2), picture(0)]
    assert reasons(tmp_path) == [
        "no record with an image has the id of the image",  # a reference to a reference
        "no record with an image has the id of the image",
        "an earlier record has the id",
        "several records have the id of the image",
    ]


def test_images_of_all_forms(tmp_path: Path) -> None:
    """Paths, bytes, structs, lists of them, and lists as text; several columns, with gaps only at the end."""
    content = LETTERED.replace('columns = ["image"]', 'columns = ["one", "two"]')
    base = {"question": "Where?", **OPTIONS, "answer": "A"}
    cells: list[tuple[object, object]] = [
        ("0.png", None),
        ("0.png", "./1.png"),
        (["0.png", "1.png"], ""),
        ("['0.png', '1.png']", "2.png"),
        (embedded(None, "3.png"), float("nan")),
        (None, "1.png"),
        (None, None),
        ([], None),
        ("absent.png", None),
        ("../0.png", None),
        ("/etc/passwd", None),
        ("deep/0.png", None),  # another file has this name
        ("map.toml", None),
        (7, None),
        (["0.png", {"bytes": None}], None),
        ("x" * 300, None),
        ("\ud800", None),
    ]
    rows = [{**base, "id": i, "one": one, "two": two} for i, (one, two) in enumerate(cells)]
    assert [len(item.images) for item in imported(tmp_path, content, rows)] == [1, 2, 2, 3, 1]
    assert reasons(tmp_path) == [
        "a picture before the last is missing",
        "no picture",
        "no picture",
        "the image is missing",
        "the image path leaves the folder",
        "the image path leaves the folder",
        "the image is missing",
        "the image cannot be decoded",
        "the image is missing",
        "no picture",
        "the image cannot be read",
        "the image is not text",
    ]


def test_bytes_in_parquet_and_a_folder_of_images(tmp_path: Path) -> None:
    mapping = mapped(tmp_path / "set", LETTERED.replace('columns = ["image"]', 'columns = ["image"]\npath = "pics/{}.png"'))
    (tmp_path / "elsewhere" / "pics").mkdir(parents=True)
    (tmp_path / "elsewhere" / "pics" / "7.png").write_bytes(picture(7))
    base = {"id": "1", "question": "Where?", **OPTIONS, "answer": "C"}
    write(tmp_path / "set" / "a.csv", [{**base, "image": "7"}])
    args = ("import", "vqa", tmp_path / "set" / "a.csv", "--mapping", mapping)
    refused(isovist(*args, "--out", tmp_path / "out"), "No usable record of Toy set (1 the image is missing)")
    refused(isovist(*args, "--images", tmp_path / "none", "--out", tmp_path / "out"), "No folder for --images")
    done(*args, "--images", tmp_path / "elsewhere", "--out", tmp_path / "out")
    assert stored(tmp_path / "out")[0].images == (picture(7),)
    plain = mapped(tmp_path / "set", 'files = "*.parquet"\n' + LETTERED)
    for i, cell in enumerate(([embedded(picture(1)), embedded(picture(2))], [embedded(picture(3))])):
        write(tmp_path / "set" / f"{i}.parquet", [{**base, "image": cell}])  # an id counts within its file
    done("import", "vqa", tmp_path / "set", "--mapping", plain, "--out", tmp_path / "two")
    assert [len(item.images) for item in stored(tmp_path / "two")] == [2, 1]


def test_a_link_out_of_the_folder_is_no_image(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(picture(9))
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "link.png").symlink_to(tmp_path / "secret.png")
    row = {"id": 1, "question": "Where?", **OPTIONS, "answer": "A", "image": "link.png"}
    refused(import_rows(tmp_path / "set", LETTERED, [row]), "1 the image path leaves the folder")


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.csv", "id,question\n1,x\n", "no column 'answer', which the mapping names as answer.column"),
        ("a.csv", "", "no column 'id'"),
        ("a.csv", "id,id\n", "two columns have the same name"),
        ("a.csv", 'id,question,A,B,C,answer,image\n1,"never closed', "line 2"),
        ("a.json", '{"a": 1}', "no JSON list"),
        ("a.json", "[{} {}]", "no comma"),
        ("a.json", "[{}", "the list does not end"),
        ("a.json", "[{}] x", "text after the list"),
        ("a.json", '[{"a": ', "cannot be read as JSON"),
        ("a.json", "", "no JSON list"),
        ("a.json", "[]", "there is none"),
        ("a.json", "[1, null]", "2 no record with named columns"),
        ("a.jsonl", "{}\n{\n", "line 2 cannot be read as JSON"),
        ("a.parquet", "no parquet", "cannot be read as Parquet"),
        ("a.txt", "x", "the suffix is none of"),
        ("a.csv", "\0\n\0", ""),
    ],
)
def test_damaged_files_are_refused_and_nothing_is_written(tmp_path: Path, name: str, content: str, text: str) -> None:
    mapping = mapped(tmp_path, LETTERED)
    (tmp_path / name).write_text(content, encoding="utf-8")
    refused(isovist("import", "vqa", tmp_path / name, "--mapping", mapping, "--out", tmp_path / "out"), text)
    assert not (tmp_path / "out").exists()


def test_records_of_an_object_and_a_format_without_a_suffix(tmp_path: Path) -> None:
    row = {"id": 1, "question": "Where?", **OPTIONS, "answer": "A", "image": base64_text(1)}
    content = LETTERED.replace('columns = ["image"]', 'columns = ["image"]\nencoding = "base64"')
    nested = mapped(tmp_path, 'records = "questions"\n' + content)
    (tmp_path / "a.json").write_text(json.dumps({"questions": [row], "types": {}}), encoding="utf-8")
    done("import", "vqa", tmp_path / "a.json", "--mapping", nested, "--out", tmp_path / "nested")
    refused(isovist("import", "vqa", tmp_path, "--mapping", nested, "--out", tmp_path / "x"), "the mapping has no key files")
    lines = mapped(tmp_path, 'format = "jsonl"\n' + content)
    (tmp_path / "b.json").write_text(json.dumps(row), encoding="utf-8")
    done("import", "vqa", tmp_path / "b.json", "--mapping", lines, "--out", tmp_path / "lines")
    assert [item.answer for folder in ("nested", "lines") for item in stored(tmp_path / folder)] == ["A", "A"]


@pytest.mark.parametrize("suffix", ["json", "jsonl", "tsv"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, suffix: str) -> None:
    mapping = read_mapping(mapped(tmp_path, LETTERED))
    row = {"id": "1", "question": "Where?", **OPTIONS, "answer": "A", "image": "x" * 100_000}
    write(tmp_path / f"a.{suffix}", [row] * 300)  # 30 MB
    tracemalloc.start()
    assert sum(1 for _ in stream_records(mapping, tmp_path / f"a.{suffix}", "a")) == 300
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 12 << 20


# Options and answers ------------------------------------------------------------------------------------------------

SIMPLE = """
[question]
column = "question"
[images]
columns = ["image"]
"""


@pytest.mark.parametrize(
    ("options", "answer", "row", "key", "kind"),
    [
        ('columns = ["A", "B", "C"]', 'forms = ["letter"]', {**OPTIONS, "answer": "(b)"}, "B", "choice"),
        ('columns = ["A", "B", "C"]', 'forms = ["letter"]', {**OPTIONS, "C": "", "answer": "B. right"}, "B", "choice"),
        ('columns = ["A", "B", "C"]', 'forms = ["text"]', {**OPTIONS, "answer": "Above"}, "C", "choice"),
        ('columns = ["A", "B", "C"]', 'forms = ["index"]', {**OPTIONS, "answer": 2}, "C", "choice"),
        ('columns = ["A", "B", "C"]', 'forms = ["index"]\nfirst = 1', {**OPTIONS, "answer": "2"}, "B", "choice"),
        ('columns = ["A", "B", "C"]', 'forms = ["index"]', {"A": 2, "B": 0, "C": 1, "answer": 1}, "B", "choice"),
        ('column = "options"', 'forms = ["letter", "text"]', {"options": ["left", "right"], "answer": "right"}, "B", "choice"),
        ('column = "options"', 'forms = ["letter"]', {"options": '["left", "right"]', "answer": "B"}, "B", "choice"),
        ('column = "options"', 'forms = ["letter"]', {"options": "['left', 'right']", "answer": "B"}, "B", "choice"),
        ('column = "options"', 'forms = ["letter"]', {"options": ["A. left", "B. right"], "answer": "B"}, "B", "choice"),
        ('column = "options"', 'forms = ["letter"]', {"options": {"A": "left", "B": "right", "C": None}, "answer": "B"}, "B", "choice"),
        ('labelled = "options"', 'forms = ["letter"]', {"options": "(a) left (b) right", "answer": "(b)"}, "B", "choice"),
        ("in_question = true", 'forms = ["letter"]', {"question": "Where?\nA. left\nB. right", "answer": "B"}, "B", "choice"),
        ("in_question = true", 'forms = ["letter", "yes-no"]', {"question": "Is it?", "answer": "No"}, "no", "yes-no"),
        ("in_image = 4", 'forms = ["letter"]', {"answer": "D"}, "D", "drawn-choice"),
        ("in_image = 4", 'forms = ["index"]', {"answer": 3}, "D", "drawn-choice"),
        ("", 'forms = ["yes-no"]', {"answer": "Yes."}, "yes", "yes-no"),
        ("", 'forms = ["yes-no"]\nyes = ["1", "True"]\nno = ["0", "False"]', {"answer": False}, "no", "yes-no"),
        ("", 'forms = ["integer"]\nlow = 0\nhigh = 9', {"answer": "3.0"}, "3", "count"),
        ("", 'forms = ["number"]\nlow = 0\nhigh = 10\ntolerance = 0.5\nunit = "m"', {"answer": "3.25"}, "3.25", "number"),
    ],
)
def test_each_form_of_an_answer(tmp_path: Path, options: str, answer: str, row: Row, key: str, kind: str) -> None:
    content = f'{SIMPLE}[options]\n{options}\n[answer]\ncolumn = "answer"\n{answer}\n'
    item = imported(tmp_path, content, [{"question": "Where?", "image": "0.png", **row}])[0]
    assert (item.answer, item.answer_type) == (key, kind)
    if kind == "choice" and item.choices[1] != "0":
        assert item.choices[:2] == ("left", "right")
    assert "A. left" not in item.metadata.question


@pytest.mark.parametrize(
    ("options", "answer", "row", "reason"),
    [
        ('columns = ["A", "B"]', 'forms = ["letter"]', {"A": "B", "B": "C", "answer": "B"}, "the answer is ambiguous: a label or an option"),
        ('columns = ["A", "B"]', 'forms = ["letter"]', {"A": "x", "B": "y", "answer": "A. y"}, "the answer contradicts itself"),
        ('columns = ["A", "B"]', 'forms = ["letter"]', {"A": "x", "B": "y", "answer": "C"}, "the answer is not among the options"),
        ('columns = ["A", "B"]', 'forms = ["letter"]', {"A": "x", "B": "y", "answer": "both"}, "the answer is no letter"),
        ('columns = ["A", "B"]', 'forms = ["letter"]', {"A": "x", "B": "X ", "answer": "A"}, "two options are the same"),
        ('columns = ["A", "B"]', 'forms = ["letter"]', {"A": "", "B": "x", "answer": "B"}, "an option before the last is empty"),
        ('columns = ["A", "B"]', 'forms = ["letter"]', {"A": "x", "B": "", "answer": "A"}, "not 2 to 26 options"),
        ('columns = ["A", "B"]', 'forms = ["letter"]', {"A": "", "B": "", "answer": "A"}, "no options"),
        ('columns = ["A", "B"]', 'forms = ["letter"]', {"A": "x", "B": "y", "answer": None}, "no answer"),
        ('columns = ["A", "B"]', 'forms = ["letter"]', {"A": "x", "B": "y", "answer": ["A"]}, "the answer is not text"),
        ('columns = ["A", "B"]', 'forms = ["text"]', {"A": "x", "B": "y", "answer": "A"}, "the answer is no text"),
        ('columns = ["A", "B"]', 'forms = ["index"]', {"A": "x", "B": "y", "answer": 2}, "the answer is not among the options"),
        ('columns = ["A", "B"]', 'forms = ["index"]', {"A": "x", "B": "y", "answer": -1}, "the answer is not among the options"),
        ('columns = ["A", "B"]', 'forms = ["index"]\nfirst = 1', {"A": "x", "B": "y", "answer": 0}, "the answer is not among the options"),
        ('columns = ["A", "B"]', 'forms = ["index"]', {"A": "x", "B": "y", "answer": 0.5}, "the answer is no index"),
        ('columns = ["A", "B"]', 'forms = ["index", "text"]', {"A": "1", "B": "0", "answer": 1}, "the answer is ambiguous: an index or an option"),
        ('column = "o"', 'forms = ["letter"]', {"o": "left or right", "answer": "A"}, "the o is not a list"),
        ('column = "o"', 'forms = ["letter"]', {"o": {"A": "x", "C": "y"}, "answer": "A"}, "the options are not labelled A, B, C ..."),
        ('column = "o"', 'forms = ["letter"]', {"o": ["x", ["y"]], "answer": "A"}, "the option is not text"),
        ('labelled = "o"', 'forms = ["letter"]', {"o": "left, right", "answer": "A"}, "no options with labels"),
        ("in_question = true", 'forms = ["letter"]', {"question": "Where?\nA. x\nC. y", "answer": "A"}, "the options are not labelled A, B, C ..."),
        ("in_image = 3", 'forms = ["letter"]', {"answer": "D"}, "the answer is not among the options"),
        ("", 'forms = ["yes-no"]', {"answer": "maybe"}, "the answer is no yes-no"),
        ("", 'forms = ["integer"]\nlow = 0\nhigh = 9', {"answer": "10"}, "the answer is outside low and high of the mapping"),
        ("", 'forms = ["integer"]\nlow = 0\nhigh = 9', {"answer": "1.5"}, "the answer is no integer"),
        ("", 'forms = ["number"]\nlow = 0\nhigh = 9', {"answer": "nan"}, "the answer is no number"),
        ("", 'forms = ["yes-no"]', {"question": " ", "answer": "yes"}, "no question"),
        ("", 'forms = ["yes-no"]', {"question": "<image> or <image>?", "answer": "yes"}, "the question cannot be put into a prompt"),
        ("", 'forms = ["yes-no"]', {"question": "x" * 20_001, "answer": "yes"}, "the question is too long"),
    ],
)  # fmt: skip
def test_what_is_ambiguous_is_skipped_with_its_reason(tmp_path: Path, options: str, answer: str, row: Row, reason: str) -> None:
    content = f'{SIMPLE}[options]\n{options}\n[answer]\ncolumn = "answer"\n{answer}\n'
    refused(import_rows(tmp_path, content, [{"question": "Where?", "image": "0.png", **row}]), f"(1 {reason})")
    assert not (tmp_path / "out").exists()


def test_category_level_split_group_attributes_and_context(tmp_path: Path) -> None:
    content = """
category = "type"
level = "hard"
split = "part"
group = "scene"
attributes = ["source set"]
[question]
column = "question"
context = "hint"
template = "Is this true? {question}"
[images]
columns = ["image"]
[answer]
column = "answer"
forms = ["yes-no"]
"""
    base = {
        "question": "It is left.",
        "image": "0.png",
        "answer": "yes",
        "type": "Left/Right",
        "hard": 2,
        "part": "val",
        "source set": "COCO",
    }
    rows = [{**base, "scene": "s1", "hint": "A hint."}, {**base, "scene": "s1", "image": "1.png"}, {**base, "scene": "s2", "type": "Depth"}]
    depth, first, second = imported(
        tmp_path, content, [*rows, {**base, "scene": "s2", "type": "深度"}, {**base, "scene": "s3", "type": "Left right"}, {**base}]
    )
    assert [item.task for item in (depth, first, second)] == ["toy-published/depth", *["toy-published/left-right"] * 2]
    assert first.metadata.question == "A hint.\nIs this true? It is left."
    assert second.metadata.question == "Is this true? It is left."
    assert first.metadata.attributes == {"level": "2", "split": "val", "source-set": "COCO"}
    assert first.group == second.group != depth.group
    assert reasons(tmp_path) == [
        "the category has no Latin letters or digits for the name of a task",
        "two categories have the same task name",
        "no scene",
    ]


def test_a_constant_answer_requires_shuffled_options(tmp_path: Path) -> None:
    content = SIMPLE + '[options]\ncolumn = "o"\nshuffle = true\n[answer]\nconstant = "0"\nforms = ["index"]\n'
    rows = [{"question": f"Which {i}?", "image": "0.png", "o": ["first", "second", "third", "fourth"]} for i in range(60)]
    items = imported(tmp_path / "a", content, rows)
    assert {item.choices[ord(item.answer) - ord("A")] for item in items} == {"first"}
    counts = [sum(item.answer == letter for item in items) for letter in "ABCD"]
    assert min(counts) > 5
    assert [item.choices for item in imported(tmp_path / "b", content, rows)] == [item.choices for item in items]
    refused(import_rows(tmp_path / "c", content.replace("shuffle = true\n", ""), rows), "answer.constant: requires options.shuffle")


# Mappings -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ('id = "id"', 'identity = "id"', "identity: unknown key"),
        ('forms = ["letter"]', 'forms = ["letter"]\nfist = 1', "answer.fist: unknown key"),
        ('forms = ["letter"]', 'forms = ["guess"]', "answer.forms.0"),
        ('forms = ["letter"]', "forms = []", "answer.forms"),
        ('forms = ["letter"]', 'forms = ["integer"]', "answer.forms: options require letter, index or text"),
        ('forms = ["letter"]', 'forms = ["letter", "integer"]', "answer.low, answer.high"),
        ('forms = ["letter"]', 'forms = ["letter"]\nfirst = 2', "answer.first"),
        ('forms = ["letter"]', 'forms = ["letter"]\nyes = ["x"]\nno = ["X"]', "answer.yes, answer.no"),
        ('columns = ["image"]', "columns = []", "images.columns"),
        ('columns = ["image"]', 'columns = "image"', "images.columns"),
        ('columns = ["image"]', 'columns = ["image"]\npath = "x.png"', "images.path"),
        ('columns = ["image"]', 'columns = ["image"]\nreferences = true', "images.references"),
        ('columns = ["A", "B", "C"]', 'columns = ["A", "B"]\ncolumn = "x"', "options: give one of"),
        ('columns = ["A", "B", "C"]', 'columns = ["A"]', "options.columns"),
        ('columns = ["A", "B", "C"]', "", "letter, index and text require options"),
        ('column = "question"', 'column = "question"\ntemplate = "none"', "question: give column"),
        ('column = "question"', "", "question: give column"),
        ('name = "toy"', 'name = "Toy set"', "name: give lower-case letters"),
        ('name = "toy"', 'name = "cdr"', "name: cdr is a suite of Isovist"),
        ('name = "toy"', "name = 2026-01-01", "Give a TOML file"),
        ('name = "toy"', "name = toy", "Give a TOML file"),
        ('id = "id"', 'format = "xlsx"', "format"),
        ('column = "answer"', 'column = ""', "answer: give column or constant"),
    ],
)
def test_a_wrong_mapping_is_one_line_with_its_key(tmp_path: Path, before: str, after: str, text: str) -> None:
    assert before in HEAD + LETTERED
    (tmp_path / "map.toml").write_text((HEAD + LETTERED).replace(before, after, 1), encoding="utf-8")
    write(tmp_path / "a.jsonl", [{}])
    refused(isovist("import", "vqa", tmp_path / "a.jsonl", "--mapping", tmp_path / "map.toml", "--out", tmp_path / "out"), text)


def test_mapping_and_path_must_exist(tmp_path: Path) -> None:
    refused(isovist("import", "vqa", tmp_path, "--mapping", tmp_path / "none.toml", "--out", tmp_path / "out"), "Mapping cannot be read")
    mapping = mapped(tmp_path, LETTERED)
    refused(isovist("import", "vqa", tmp_path / "none", "--mapping", mapping, "--out", tmp_path / "out"), "does not exist")


# Examples: one record in the layout of each set, with invented text ---------------------------------------------------

ABCD = {"A": "left", "B": "right", "C": "above", "D": "below"}
VLMEVALKIT: Row = {"index": "1", "question": "Where is it?", **ABCD, "answer": "B", "category": "spatial relation", "image": base64_text(1)}
LAYOUTS: dict[str, tuple[str, Row, str]] = {
    "mmbench": ("MMBench_DEV_EN.tsv", {**VLMEVALKIT, "hint": "", "l2-category": "x", "source": "y", "split": "dev"}, "B"),
    "mmstar": ("MMStar.tsv", VLMEVALKIT, "B"),
    "3dsrbench": ("3DSRBench.tsv", {**VLMEVALKIT, "C": "", "D": ""}, "B"),
    "blink": (
        "Counting/val-00000-of-00001.parquet",
        {"idx": "val_1", "sub_task": "Counting", "question": "How many?", "choices": ["1", "2"], "answer": "(B)"}
        | {f"image_{i}": embedded(picture(i)) if i < 3 else None for i in range(1, 5)},
        "B",
    ),
    "cv-bench": (
        "test_2d.parquet",
        {"idx": 1, "type": "2D", "task": "Count", "source": "COCO", "question": "How many?", "choices": ["3", "2"], "answer": "(B)", "image": embedded(picture(1))},
        "B",
    ),
    "realworldqa": (
        "test-00000.parquet",
        {"question": "Where?\n\nA. left\nB. right\nPlease answer directly with only the letter of the correct option and nothing else.", "answer": "B", "image": embedded(picture(1))},
        "B",
    ),
    "pope": ("coco_pope_random.json", {"question_id": 1, "image": "images/1.png", "text": "Is there a cup in the image?", "label": "no"}, "no"),
    "vsr": ("test.jsonl", {"image": "images/1.png", "caption": "The cup is left.", "label": 1, "relation": "left of"}, "yes"),
    "hallusionbench": (
        "HallusionBench.json",
        {"category": "VD", "subcategory": "figure", "visual_input": "1", "question": "Is it?", "gt_answer": "0", "filename": "images/1.png"},
        "no",
    ),
    "mmvp": ("Questions.csv", {"Index": "1", "Question": "Is it open?", "Options": "(a) Open (b) Closed", "Correct Answer": "(b)"}, "B"),
    "whatsup": ("set.json", {"image_path": "images/1.png", "caption_options": ["A cup left of a mug", "A cup on a mug"]}, "*"),
    "seed-bench": (
        "test-00000.parquet",
        {"question_id": "1", "data_type": "image", "question": "Where?", "answer": "B", "image": [embedded(picture(1))]}
        | {f"choice_{letter.lower()}": text for letter, text in ABCD.items()},
        "B",
    ),
    "embspatial": (
        "test-00000.parquet",
        {"question_id": "mp3d_1", "relation": "close", "question": "Which?", "answer_options": ["cup", "mug"], "answer": 1, "image": embedded(picture(1))},
        "B",
    ),
}  # fmt: skip


def test_every_example_has_a_layout_here() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.toml")} == set(LAYOUTS)
    for path in EXAMPLES.glob("*.toml"):
        assert tomllib.loads(path.read_text(encoding="utf-8"))["name"] == path.stem


@pytest.mark.parametrize("name", LAYOUTS)
def test_examples(tmp_path: Path, name: str) -> None:
    file, row, answer = LAYOUTS[name]
    path = tmp_path / "set" / file
    for image in ("images/1.png", "MMVP Images/1.jpg"):
        (path.parent / image).parent.mkdir(parents=True, exist_ok=True)
        (path.parent / image).write_bytes(picture(1))
    if name == "pope":
        path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    else:
        write(path, [row])
    example = EXAMPLES / f"{name}.toml"
    done(
        "import",
        "vqa",
        tmp_path / "set" if "files" in tomllib.loads(example.read_text()) else path,
        "--mapping",
        example,
        "--out",
        tmp_path / "out",
    )
    item = stored(tmp_path / "out")[0]
    assert item.suite == f"{name}-published"
    assert item.images == ((picture(1), picture(2)) if name == "blink" else (picture(1),))
    assert item.choices[ord(item.answer) - ord("A")].startswith("A cup left") if answer == "*" else item.answer == answer


def test_run_and_report(tmp_path: Path) -> None:
    mapping = LETTERED.replace('id = "id"', 'id = "id"\ncategory = "kind"')
    rows = [
        {"id": i, "question": f"Where {i}?", **OPTIONS, "answer": "ABC"[i % 3], "image": f"{i % 4}.png", "kind": "ab"[i % 2]}
        for i in range(24)
    ]
    items = imported(tmp_path, mapping, rows)
    assert len({item.group for item in items}) == 4
    done(
        "run",
        "--data",
        tmp_path / "out",
        "--model",
        "simulated/random",
        "--no-image",
        "--circular-eval",
        "--out",
        tmp_path / "run",
        "--quiet",
    )
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    assert "toy-published/a" in (tmp_path / "report" / "report.md").read_text(encoding="utf-8")


# Anything else ------------------------------------------------------------------------------------------------------

CELLS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
    | st.sampled_from(["0.png", "A", "(a)", "yes", "[", "['0.png']", "data:image/png;base64,AA==", "..", "{}", "left", "1", base64_text(0)]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["bytes", "path", "A", "B", "x"]), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
COLUMNS = ("id", "question", "A", "B", "C", "image", "answer", "o", "t")
MAPPINGS = [
    LETTERED,
    LETTERED.replace('columns = ["image"]', 'columns = ["image"]\nencoding = "base64"\nreferences = true'),
    SIMPLE + '[options]\ncolumn = "o"\nshuffle = true\n[answer]\ncolumn = "answer"\nforms = ["text", "letter", "index"]\n',
    SIMPLE
    + '[options]\nlabelled = "t"\n[answer]\ncolumn = "answer"\nforms = ["letter", "yes-no", "integer", "number"]\nlow = 0\nhigh = 9\n',
    SIMPLE + '[options]\nin_question = true\n[answer]\ncolumn = "answer"\nforms = ["index", "number", "yes-no"]\nlow = -1\nhigh = 9\n',
]


@given(st.sampled_from(MAPPINGS), st.lists(st.dictionaries(st.sampled_from(COLUMNS), CELLS) | CELLS, min_size=1, max_size=4))
def test_no_record_is_lost_and_none_breaks_the_import(tmp_path_factory: pytest.TempPathFactory, content: str, rows: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    ended = import_rows(folder, content, rows)
    if ended.code:
        refused(ended)
        assert not (folder / "out").exists()
    else:
        skipped = len(rejected(folder / "out")) if (folder / "out" / "skipped.jsonl").exists() else 0
        assert len(stored(folder / "out")) + skipped == len(rows)


@given(st.binary(max_size=200), st.sampled_from(["json", "jsonl", "csv", "tsv", "parquet"]))
def test_garbage_files_and_mappings_are_one_line(tmp_path_factory: pytest.TempPathFactory, data: bytes, suffix: str) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    mapping = mapped(folder, LETTERED)
    (folder / f"a.{suffix}").write_bytes(data)
    refused(isovist("import", "vqa", folder / f"a.{suffix}", "--mapping", mapping, "--out", folder / "out"))
    mapping.write_bytes(data)
    refused(isovist("import", "vqa", folder / f"a.{suffix}", "--mapping", mapping, "--out", folder / "out"))
