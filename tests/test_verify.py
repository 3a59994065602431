"""`verify` makes every row again: whatever was changed is found and named, and what cannot be read is one line."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import TASKS, N
from PIL import Image
from workbench import Ended, contents, done, edit, isovist, parquet, refused, spawned, spoil, stored

from isovist.data.dataset.manifest import MANIFEST
from isovist.world.render.image_encoding import png

TASK = "cdr/relative-compass-letter"
ROW = 5
Raw = dict[str, Any]
Copy = Callable[[Path], Path]


def verify(folder: Path, *more: object) -> Ended:
    return isovist("verify", folder, "--workers", 1, *more)


@pytest.fixture
def folder(data: Path, copied: Copy) -> Path:
    return copied(data)


def told(row: Raw, change: Callable[[Raw], object]) -> None:
    """Changes the metadata of a row."""
    metadata = json.loads(row["metadata"])
    change(metadata)
    row["metadata"] = json.dumps(metadata)


def test_a_fresh_folder_verifies_with_any_number_of_workers(data: Path) -> None:
    before = contents(data)
    assert verify(data) == Ended(0, f"{3 * N} rows, 0 differ\n", "")
    assert spawned("verify", data, "--workers", 2) == Ended(0, f"{3 * N} rows, 0 differ\n", "")
    assert contents(data) == before


def test_only_the_named_tasks_are_looked_at(folder: Path) -> None:
    parquet(folder, TASK).unlink()
    assert verify(folder, "cdr/*-icon", "cdr/*-number").out == f"{2 * N} rows, 0 differ\n"
    refused(verify(folder, "cdr/relative-spatial-icon"), "cdr/relative-spatial-icon", *TASKS)


def one_pixel(row: Raw) -> None:
    pixels = np.array(Image.open(io.BytesIO(row["images"][0]["bytes"])))
    pixels[17, 42, 1] ^= 1  # by the smallest step there is
    row["images"][0]["bytes"] = png(pixels)


def one_word(row: Raw) -> None:
    row["prompt"] = row["prompt"].replace("letter", "symbol", 1)


def the_key(row: Raw) -> None:
    row["answer"] = "A" if row["answer"] != "A" else "B"


def the_key_that_scores(row: Raw) -> None:
    told(row, lambda data: data["answer"].update(truth=(data["answer"]["truth"] + 1) % 8))


def the_scene(row: Raw) -> None:
    told(row, lambda data: data["scene"].popitem())


def the_question_in_the_metadata(row: Raw) -> None:
    told(row, lambda data: data.update(question=data["question"] + " "))


def the_reasoning(row: Raw) -> None:
    told(row, lambda data: data.pop("reasoning"))


def two_options(row: Raw) -> None:
    row["choices"][0], row["choices"][1] = row["choices"][1], row["choices"][0]


def the_chance(row: Raw) -> None:
    row["chance"] = 0.25


def the_skills(row: Raw) -> None:
    row["skills"] = ["juggling"]


def a_picture_that_does_not_decode(row: Raw) -> None:
    row["images"][0]["bytes"] = row["images"][0]["bytes"][:200]


def no_bytes_of_a_picture(row: Raw) -> None:
    row["images"][0]["bytes"] = None


def a_bomb_of_a_picture(row: Raw) -> None:
    """A header that announces 60,000 x 60,000 pixels."""
    row["images"][0]["bytes"] = row["images"][0]["bytes"][:16] + (60_000).to_bytes(4, "big") * 2 + row["images"][0]["bytes"][24:]


def no_picture(row: Raw) -> None:
    row["images"] = []


def metadata_that_are_no_object(row: Raw) -> None:
    row["metadata"] = "[]"


CHANGES = (
    one_pixel, one_word, the_key, the_key_that_scores, the_scene, the_question_in_the_metadata, the_reasoning, two_options, the_chance,
    the_skills, a_picture_that_does_not_decode, no_bytes_of_a_picture, a_bomb_of_a_picture, no_picture, metadata_that_are_no_object,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_a_changed_row_is_found_and_named(folder: Path, change: Callable[[Raw], None]) -> None:
    id = stored(folder, TASK)[ROW].id
    spoil(parquet(folder, TASK), lambda rows: change(rows[ROW]))
    ended = verify(folder)
    assert ended.code == 1, ended
    assert ended.err == ""
    lines = ended.out.splitlines()
    assert len(lines) == 2, lines
    assert id in lines[0]
    assert TASK in lines[0]
    assert lines[1] == f"{3 * N} rows, 1 differ"


@pytest.mark.parametrize(
    "id", ["", "nonsense", "cdr/none@1:test:standard:0:5#0", f"{TASK}@1:test:standard:0:6", f"{TASK}@2:test:standard:0:5"]
)
def test_a_changed_id_is_found_and_named(folder: Path, id: str) -> None:
    spoil(parquet(folder, TASK), lambda rows: rows[ROW].update(id=id))
    ended = verify(folder)
    assert ended.code == 1, ended
    assert id in ended.out
    assert ended.out.endswith(f"{3 * N} rows, 1 differ\n")


def test_a_missing_and_a_surplus_row_are_found(folder: Path) -> None:
    spoil(parquet(folder, TASK), lambda rows: rows.pop(ROW))
    ended = verify(folder)
    assert (ended.code, ended.err) == (1, "")
    assert f"{TASK}/test-00000-of-00001.parquet" in ended.out
    assert f"{N - 1} rows instead of {N}" in ended.out
    spoil(parquet(folder, TASK), lambda rows: rows.extend([rows[0], rows[0]]))
    assert f"{N + 1} rows instead of {N}" in verify(folder).out


def test_a_row_in_the_place_of_another_is_found(folder: Path) -> None:
    """Each of the rows is a good one, and yet the folder does not hold what its manifest says."""
    ids = [row.id for row in stored(folder, TASK)]
    spoil(parquet(folder, TASK), lambda rows: rows.__setitem__(ROW, rows[0]))
    ended = verify(folder)
    assert ended.code == 1, ended
    assert ids[ROW] in ended.out or ids[0] in ended.out


def test_a_file_in_the_place_of_another_is_found(folder: Path) -> None:
    shutil.copy(parquet(folder, TASKS[0]), parquet(folder, TASK))
    assert verify(folder).code == 1


def test_rows_of_another_seed_than_the_manifest_tells_are_found(folder: Path, tmp_path: Path) -> None:
    done("generate", TASK, "--n", N, "--seed", 1, "--out", tmp_path / "other")
    shutil.copy(parquet(tmp_path / "other", TASK), parquet(folder, TASK))
    assert verify(folder).code == 1


def test_no_more_than_twenty_rows_of_a_file_are_named(tmp_path: Path) -> None:
    done("generate", TASK, "--n", 30, "--out", tmp_path)

    def every(rows: list[Raw]) -> None:
        for row in rows:
            the_key(row)

    spoil(parquet(tmp_path, TASK), every)
    ended = verify(tmp_path)
    assert ended.code == 1
    assert ended.out.count("answer is") == 20
    assert "10 more" in ended.out
    assert ended.out.endswith("30 rows, 30 differ\n")


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-500])


def garbage(path: Path) -> None:
    path.write_bytes(b"PAR1" + bytes(range(256)) * 40 + b"PAR1")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def damaged_inside(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    for place in range(len(whole) // 4, len(whole) // 4 + 2000):
        whole[place] ^= 0xFF
    path.write_bytes(whole)


def without_a_column(path: Path) -> None:
    pq.write_table(pq.read_table(path).drop_columns(["answer"]), path)


def numbers_for_pictures(path: Path) -> None:
    table = pq.read_table(path)
    place = table.column_names.index("images")
    pq.write_table(table.set_column(place, "images", pa.array([7] * table.num_rows)), path)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "change",
    [truncated, garbage, empty, damaged_inside, without_a_column, numbers_for_pictures, a_folder, Path.unlink],
    ids=lambda change: change.__name__,
)
def test_a_file_that_cannot_be_read_is_one_line(folder: Path, tmp_path: Path, change: Callable[[Path], None]) -> None:
    path = parquet(folder, TASK)
    change(path)
    refused(verify(folder), str(path))
    refused(isovist("run", "--data", folder, "--model", "simulated/oracle", "--out", tmp_path / "run"), str(path))


def test_a_file_that_a_worker_cannot_read_is_one_line(folder: Path) -> None:
    garbage(parquet(folder, TASK))
    refused(spawned("verify", folder, "--workers", 2), str(parquet(folder, TASK)))


def manifest(change: Callable[[Raw], object]) -> Callable[[Path], None]:
    return lambda folder: edit(folder / MANIFEST, change)


MANIFESTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "another version of the task": (manifest(lambda data: data["parts"][0].update(version=99)), "version 99"),
    "a task that is not installed": (manifest(lambda data: data["parts"][0].update(task="other/task")), "other/task"),
    "another format": (manifest(lambda data: data.update(format=2)), "format 2"),
    "no format": (manifest(lambda data: data.pop("format")), "format"),
    "no parts": (manifest(lambda data: data.pop("parts")), MANIFEST),
    "a part with an unknown field": (manifest(lambda data: data["parts"][0].update(colour="red")), MANIFEST),
    "a part without a task": (manifest(lambda data: data["parts"][0].pop("task")), MANIFEST),
    "a number in words": (manifest(lambda data: data["parts"][0].update(n="ten")), MANIFEST),
    "parts that are no list": (manifest(lambda data: data.update(parts=7)), MANIFEST),
    "an unknown field": (manifest(lambda data: data.update(colour="red")), MANIFEST),
    "half a file": (lambda folder: (folder / MANIFEST).write_bytes((folder / MANIFEST).read_bytes()[:100]), MANIFEST),
    "no JSON": (lambda folder: (folder / MANIFEST).write_text("isovist"), MANIFEST),
    "a list": (lambda folder: (folder / MANIFEST).write_text("[]"), MANIFEST),
    "no UTF-8": (lambda folder: (folder / MANIFEST).write_bytes(b"\xff\xfe\x00"), MANIFEST),
    "nothing": (lambda folder: (folder / MANIFEST).unlink(), MANIFEST),
    "a folder": (lambda folder: ((folder / MANIFEST).unlink(), (folder / MANIFEST).mkdir()), MANIFEST),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_that_does_not_fit_is_one_line(folder: Path, name: str) -> None:
    change, word = MANIFESTS[name]
    change(folder)
    refused(verify(folder), str(folder), word)


def test_an_empty_manifest_is_no_fault_of_the_program(folder: Path, tmp_path: Path) -> None:
    edit(folder / MANIFEST, lambda data: data.update(parts=[]))
    assert verify(folder).out == "0 rows, 0 differ\n"
    refused(isovist("run", "--data", folder, "--model", "simulated/oracle", "--out", tmp_path / "run"), str(folder))


def test_what_is_no_data_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    refused(verify(tmp_path), str(tmp_path), "no data set")
    refused(verify(tmp_path / "none"), "no such folder")
    refused(verify(tmp_path / "file"), "a file")
