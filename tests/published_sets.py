"""Small sets in the form in which others publish theirs, with invented questions and drawn pictures, and what they become."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image
from workbench import stored

from isovist.data.dataset.rows import ItemRow

Told = dict[str, Any]
_EMBEDDED = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def picture(shade: int = 0, kind: str = "PNG", size: tuple[int, int] = (24, 16)) -> bytes:
    """A picture of one colour, a colour of its own for each `shade` below 256."""
    file = io.BytesIO()
    Image.new("RGB", size, (shade, 90, 200)).save(file, kind)
    return file.getvalue()


def embedded(data: bytes | None, path: str | None = None) -> Told:
    return {"bytes": data, "path": path}


def to_parquet(path: Path, rows: Sequence[Told], columns: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    schema = pa.schema([(name, _EMBEDDED if name.lower() == "image" else pa.string()) for name in columns])
    pq.write_table(pa.Table.from_pylist([{name: row.get(name) for name in columns} for row in rows], schema=schema), path)


def to_json(path: Path, rows: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows), encoding="utf-8")


GOOD = "Where is it?\nA. left\nB. right"
EIGHT = ("front", "front right", "right", "back right", "back", "back left", "left", "front left")
SRBENCH = ("image", "question", "answer", "split")


def srbench(folder: Path, rows: Sequence[Told] | None = None) -> Path:
    """Six rows of five parts: lettered options, yes or no, and options in the picture with and without their letters."""
    rows = rows or [
        {"question": "Where is the cup?\nA. left\nB. right\nC. above\nD. below", "answer": "C. above", "split": "spatial_obj"},
        {"question": "Is the dog facing 'front' from the camera's perspective? \nAnswer with 'yes' or 'no' only.", "answer": "no", "split": "ego_orientation"},
        {"question": "Which piece is the first one, turned? Choose A, B, C or D.", "answer": "D", "split": "mrt_hard"},
        {"question": "Which piece is the first one, turned?", "answer": "B", "split": "mrt_easy"},
        {"question": "Which sheet is the unfolded one?\nA. Option A\nB. Option B\nC. Option C", "answer": "A", "split": "paper folding"},
        {"question": "Which sheet is the unfolded one? {A, B, C}", "answer": "c", "split": "paper folding"},
    ]  # fmt: skip
    for i, row in enumerate(rows):
        row.setdefault("image", embedded(picture(i)))
    to_parquet(folder / "data" / "test-00000-of-00001.parquet", rows, SRBENCH)
    return folder


MAZE = ("id", "text", "oracle_answer", "oracle_option", "oracle_full_answer")


def spatialeval(folder: Path) -> Path:
    """One maze with three questions in each of the three configurations, and a map."""
    head = "The figure represents a Maze.\n- Black blocks represent walls.\n"
    questions: list[Told] = [
        {"text": f"{head}How many right turns are there? Available options:\nA. 4\nB. 8\nC. 2\nD. 7.", "oracle_answer": "2", "oracle_option": "C", "oracle_full_answer": "C. 2"},
        {"text": f"{head}How many total turns are there? Available options:\nA. 2\nB. 9\nC. 3\nD. 7.", "oracle_answer": "2", "oracle_option": "A", "oracle_full_answer": "A. 2"},
        {"text": f"{head}Is E directly below S? Available options:\nA. Yes\nB. No.", "oracle_answer": "No", "oracle_option": "B", "oracle_full_answer": "B. No"},
    ]  # fmt: skip
    for mode in ("tqa", "vqa", "vtqa"):
        rows = [{**row, "id": f"mazenav.{mode}.7.{i}", "image": embedded(picture(7))} for i, row in enumerate(questions)]
        rows.append({**questions[0], "id": f"spatialmap.{mode}.0.0", "image": embedded(picture(9))})
        to_parquet(folder / mode / "test-00000-of-00001.parquet", rows, MAZE if mode == "tqa" else (*MAZE, "image"))
    return folder


def egoorient(folder: Path) -> Path:
    """One picture with all five types of question."""
    eight = " ".join(f"{a}.{d}" for a, d in zip("ABCDEFGH", EIGHT, strict=True))
    same: Told = {
        "domain": "real",
        "base_dataset": "X",
        "image": "./imagenet_after/a.jpg",
        "original_label": "front right",
        "category_name": "bird",
    }
    to_json(
        folder / "testing_data" / "benchmark.json",
        [
            {**same, "type": "general_complex", "question": f"Which way is the bird facing? {eight}\n Answer with the option's letter and word from the given choices directly. Answer: [choose one in {eight}]", "label": "front right"},
            {**same, "type": "freeform", "question": "Answer what orientation the bird is facing.", "label": "facing right while facing the camera"},
            {**same, "type": "general_two_option", "question": "Is the bird facing 'left' or 'front right' from the camera's perspective? \nAnswer the question using a single word or phrase only.", "label": "front right"},
            {**same, "type": "general_binary", "question": "Is the bird facing 'front right' from the camera's perspective? \nAnswer with 'yes' or 'no' only.", "label": "yes"},
            {**same, "type": "verbose_binary", "question": "Is the bird facing 'facing away the camera' from the camera's perspective? \nAnswer with 'yes' or 'no' only", "label": "no"},
        ],
    )  # fmt: skip
    (folder / "image_after").mkdir()  # not the folder that the records name
    (folder / "image_after" / "a.jpg").write_bytes(picture(1, "JPEG"))
    return folder


def spatial_mm(folder: Path, rows: Sequence[Told] | None = None) -> Path:
    """Two objects twice, once with yes and no, and one object, with pictures in a folder beside the records."""
    two = rows or [
        {"image_name": "a.jpg", "question": "In which hand is the man holding the glass?\nA. left\nB. right", "answer": "B. right", "object1": "man", "object2": "glass"},
        {"image_name": "b.jpg", "question": "Is the glass touching the watch?\nA. yes\nB. no", "answer": "B. no", "object1": "glass", "object2": "watch"},
    ]  # fmt: skip
    one = [{"image_name": "b.jpg", "question": "Where is the cat?\nA. bottom left\nB. left\nC. right\nD. up", "answer": "A. bottom left", "object1": "cat", "object2": ""}]  # fmt: skip
    to_json(folder / "data" / "spatial_mm_two_obj.json", two)
    to_json(folder / "data" / "spatial_mm_one_obj.json", one)
    pictures = folder / "data" / "spatial_mm"
    pictures.mkdir()
    for i, name in enumerate("ab"):
        (pictures / f"{name}.jpg").write_bytes(picture(i, "JPEG"))
    return folder


def to_lines(path: Path, rows: Sequence[Told]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def cospace(folder: Path) -> Path:
    """Two scenes of four views, frames of one place, and a room: an item of each of the tasks, with its other orders."""

    def views(kind: str, scene: str, order: Sequence[int] = (0, 1, 2, 3)) -> Told:
        return {"image_file": f"../../data/{kind}/{scene}", "images": [f"../../data/{kind}/{scene}/{k}.jpg" for k in order]}

    anno = folder / "src" / "data" / "anno"
    road: Told = {
        "index": 0,
        "question": "Which way does the road run?",
        "options": "A. north to south B. east to west C.northeast to southwest  D. northwest to southeast",
        "answer": "B",
    }
    first = road | {"index": 2, "question": "Which way does the road in the first image run?"}
    fourth: Told = {
        "index": 1,
        "question": "Which direction is the fourth image facing?",
        "options": "A. North B. East C. South D. West",
        "answer": "D",
    }
    cars: Told = {"index": 0, "question": "How many  cars are visible in this scene?", "answer": "3"}
    seen: Told = {
        "index": 0,
        "question": "What can be seen in the southeast direction?",
        "options": "a. a bus b. a garden C. A tall tree D. A kiosk",
        "answer": "C",
    }
    stairs: Told = {
        "index": 0,
        "question-qa": "Where is the staircase relative to you?",
        "options-qa": "A. frontleft B. backleft C. frontright D. backright",
        "answer-qa": "C",
        "question-dec": "What should you do to reach the staircase?",
        "options-dec": "A. go ahead and turn left B. turn right and go ahead C. go ahead D. go ahead and turn right",
        "answer-dec": "D",
    }
    shelf = stairs | {
        "index": 1,
        "question-qa": "Where is the shelf relative to you?",
        "question-dec": "What should you do to reach the shelf?",
    }
    turned, mixed = (1, 2, 3, 0), (0, 3, 1, 2)
    for name, rows in {
        "direction": [row | views("images", "5") for row in (road, fourth, first)],
        "direction-turn": [row | views("images", "5", turned) for row in (road, fourth, first)],
        "direction-2": [row | views("images", "5", mixed) for row in (road, fourth, first)],
        "object": [seen | views("images", "7")],
        "object-turn": [seen | views("images", "7", turned) | {"answer": "A"}],
        "object-2": [seen | views("images", "7", mixed)],
        "counting": [cars | views("images", "7")],
        "counting-turn": [cars | views("images", "7", (2, 3, 0, 1))],
        "counting-2": [cars | views("images", "7", mixed)],
        "angle": [
            {"index": 0, "question": "What is the turning angle?", "options": "A.45 B.90", "answer": "A"} | views("frames_45", "9"),
            {"index": 1, "question": "What is the turning angle?", "options": "A.45 B.90", "answer": "B"}
            | views("frames_45", "9", (0, 2, 4, 5)),
        ],
        "dif-ang": [
            {"index": 0, "question": "Which image does not belong here?", "answer": "2"} | views("frames_30", "9", (0, 6, 1, 2, 3))
        ],
        "planning": [stairs | views("habitat-scenes", "1"), shelf | views("habitat-scenes", "1")],
        "planning-2": [stairs | views("habitat-scenes", "1", mixed), shelf | views("habitat-scenes", "1")],
    }.items():
        to_lines(anno / f"{name}.jsonl", [row | {"task": name} for row in rows])
    for place, (kind, scene, count) in enumerate(
        (("panorama_images", "5", 4), ("panorama_images", "7", 4), ("habitat_scenes", "1", 4), ("frames_45", "9", 6), ("frames_30", "9", 7))
    ):
        for k in range(count):
            path = folder / "src" / "data" / kind / scene / f"{k}.jpg"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(picture(10 * place + k, "JPEG"))
    return folder  # fmt: skip


def by_part(folder: Path) -> dict[str, list[ItemRow]]:
    """The rows of an imported folder by the second half of their task's id."""
    parts: dict[str, list[ItemRow]] = {}
    for row in stored(folder):
        parts.setdefault(row.task.partition("/")[2], []).append(row)
    return parts


def rejected(folder: Path) -> list[Told]:
    path = folder / "skipped.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
