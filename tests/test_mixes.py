"""The manifest of a mix and its examples come back as they were written, and what is damaged says so in one line."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import isovist
from isovist.common.errors import UserError
from isovist.data.dataset.mixture import MIX, Mix, file_names, read_examples
from isovist.data.dataset.rows import item_to_row
from isovist.data.dataset.training_examples import of_row, table

MADE = [of_row(item_to_row(item)) for item in isovist.generate("cdr/object-classification-number", n=5, split="train")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    names = file_names(2)
    pq.write_table(table(MADE[:3]), tmp_path / names[0])
    pq.write_table(table(MADE[3:]), tmp_path / names[1])
    Mix({"seed": 0}, {"cdr/object-classification-number/answer": 5}, dict.fromkeys(names, "0" * 64)).write(tmp_path)
    return tmp_path


def test_a_mix_comes_back_in_order(folder: Path) -> None:
    assert list(read_examples(folder)) == MADE
    assert [one.images for one in read_examples(folder, pictures=False)] == [()] * 5
    mix = Mix.read(folder)
    assert (mix.recipe, len(mix), list(mix.files)) == ({"seed": 0}, 5, file_names(2))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "a mix of format 2"),
        ({"counts": {"a": "5"}}, "counts.a"),
        ({"files": {"../train.parquet": ""}}, "Unexpected file name"),
        ({"stranger": 1}, "stranger"),
    ],
)
def test_a_manifest_that_cannot_be_used_says_why(folder: Path, change: dict[str, object], message: str) -> None:
    written = json.loads((folder / MIX).read_text())
    (folder / MIX).write_text(json.dumps(written | change))
    with pytest.raises(UserError, match=message):
        Mix.read(folder)


def test_what_is_no_mix_says_so(folder: Path, tmp_path: Path) -> None:
    for path, message in ((tmp_path / "nowhere", "no such folder"), (folder / MIX, "a file")):
        with pytest.raises(UserError, match=message):
            Mix.read(path)
    (folder / MIX).unlink()
    with pytest.raises(UserError, match=f"no mix \\({MIX} is missing"):
        list(read_examples(folder))


def test_a_missing_or_a_damaged_file_says_so(folder: Path) -> None:
    first, second = (folder / name for name in file_names(2))
    second.write_bytes(second.read_bytes()[:-40])
    with pytest.raises(UserError, match="damaged"):
        list(read_examples(folder))
    first.unlink()
    with pytest.raises(UserError, match="Missing file"):
        list(read_examples(folder))
