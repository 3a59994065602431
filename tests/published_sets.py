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

from isovist.dataset.rows import Row

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
    told: list[Told] = [
        {"text": f"{head}How many right turns are there? Available options:\nA. 4\nB. 8\nC. 2\nD. 7.", "oracle_answer": "2", "oracle_option": "C", "oracle_full_answer": "C. 2"},
        {"text": f"{head}How many total turns are there? Available options:\nA. 2\nB. 9\nC. 3\nD. 7.", "oracle_answer": "2", "oracle_option": "A", "oracle_full_answer": "A. 2"},
        {"text": f"{head}Is E directly below S? Available options:\nA. Yes\nB. No.", "oracle_answer": "No", "oracle_option": "B", "oracle_full_answer": "B. No"},
    ]  # fmt: skip
    for mode in ("tqa", "vqa", "vtqa"):
        rows = [{**row, "id": f"mazenav.{mode}.7.{i}", "image": embedded(picture(7))} for i, row in enumerate(told)]
        rows.append({**told[0], "id": f"spatialmap.{mode}.0.0", "image": embedded(picture(9))})
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


def by_part(folder: Path) -> dict[str, list[Row]]:
    """The rows of an imported folder by the second half of their task's id."""
    found: dict[str, list[Row]] = {}
    for row in stored(folder):
        found.setdefault(row.task.partition("/")[2], []).append(row)
    return found


def rejected(folder: Path) -> list[Told]:
    path = folder / "rejected.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
