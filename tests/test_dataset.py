"""Data folders: what `generate` writes, that it is the same however it is written, and what the Hub's loader makes of it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from conftest import TASKS, N
from PIL import Image
from workbench import contents, done, isovist, parquet, refused, spawned, stored

import isovist as api
from isovist.core.answers import Choice, from_json
from isovist.core.canonical_json import canonical_json
from isovist.data.dataset import generate as generation
from isovist.data.dataset.generate import generate
from isovist.data.dataset.generation_request import requested
from isovist.data.dataset.json_documents import PARTIAL
from isovist.data.dataset.manifest import MANIFEST
from isovist.data.dataset.parallel import PRELOADED, run_parallel
from isovist.data.item_options import ItemOptions
from isovist.world import attribution

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each worker process is started anew")
LETTERS = "cdr/relative-compass-letter"
COLUMNS = (
    "id", "suite", "task", "version", "split", "seed", "index", "level", "group", "images", "prompt", "choices", "answer", "answer_type",
    "chance", "skills", "metadata",
)  # fmt: skip


def pixels(image: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(image)).convert("RGB"))


def test_the_folder_holds_the_files_of_the_hugging_face_layout_and_nothing_else(data: Path) -> None:
    assert set(contents(data)) == {"README.md", "eval.yaml", MANIFEST, *(f"{task}/test-00000-of-00001.parquet" for task in TASKS)}


def test_the_columns_are_those_that_other_tools_rely_on(data: Path) -> None:
    for task in TASKS:
        schema = pq.read_schema(parquet(data, task))
        assert tuple(schema.names) == COLUMNS
        assert schema.field("images").type == pa.list_(pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
        assert schema.field("choices").type == schema.field("skills").type == pa.list_(pa.string())
        for name in ("version", "seed", "index"):
            assert schema.field(name).type == pa.int64()


@pytest.mark.parametrize("task", TASKS)
def test_a_row_tells_all_of_its_item(data: Path, task: str) -> None:
    entry = api.task(task)
    raw: list[dict[str, Any]] = pq.read_table(parquet(data, task)).to_pylist()
    assert len(raw) == N
    for row, item in zip(raw, api.generate(task, n=N), strict=True):
        assert (row["id"], row["suite"], row["task"], row["version"]) == (item.id, "cdr", task, entry.version)
        assert (row["split"], row["seed"], row["index"]) == ("test", 0, item.index)
        assert (row["level"], row["group"]) == (item.level, item.group)
        assert row["prompt"] == item.prompt
        assert row["prompt"].count("<image>") == len(row["images"]) == len(item.images)
        assert isinstance(item.answer, Choice)
        assert tuple(row["choices"]) == item.answer.options
        assert row["answer"] == item.answer.canonical() == "ABCDEFGH"[item.answer.truth]
        assert row["answer_type"] == "choice"
        assert row["chance"] == 1 / len(item.answer.options)
        assert tuple(row["skills"]) == entry.skills
        for image, shown in zip(row["images"], item.images, strict=True):
            assert image["bytes"].startswith(b"\x89PNG\r\n\x1a\n")
            assert np.array_equal(pixels(image["bytes"]), np.asarray(shown))
            assert image["path"].endswith(".png")
            assert "/" not in image["path"]


@pytest.mark.parametrize("task", TASKS)
def test_the_metadata_hold_scene_question_key_style_and_size(data: Path, task: str) -> None:
    for row, item in zip(stored(data, task), api.generate(task, n=N), strict=True):
        metadata = json.loads(row.metadata_json)
        assert canonical_json(metadata["scene"]) == canonical_json(item.scene)
        assert metadata["question"] == item.question.text
        assert from_json(metadata["answer"]) == item.answer
        assert (metadata["style"], metadata["settings"]) == ("final-line", {})
        assert metadata["size"] == pixels(row.images[0]).shape[0] == 200
        assert metadata.get("reasoning") == item.reasoning
        assert ("reasoning" in metadata) == (task == LETTERS)  # only some tasks have a chain of thought


def test_settings_and_styles_reach_the_rows(tmp_path: Path) -> None:
    done(
        "generate",
        LETTERS,
        "--n",
        3,
        "--image-size",
        96,
        "--task-option",
        "order=paper",
        "--prompt-style",
        "direct",
        "--seed",
        5,
        "--out",
        tmp_path,
    )
    for row in stored(tmp_path):
        assert row.choices == ("East", "West", "South", "North", "Northeast", "Northwest", "Southeast", "Southwest")
        assert pixels(row.images[0]).shape == (96, 96, 3)
        assert row.prompt.endswith("and nothing else.")
        assert row.seed == 5
        assert json.loads(row.metadata_json)["settings"] == {"order": "paper", "size": 96}


def test_neither_workers_nor_the_order_of_tasks_change_rows(data: Path, tmp_path: Path) -> None:
    assert spawned("generate", *reversed(TASKS), "--n", N, "--workers", 2, "--out", tmp_path).code == 0
    for task in TASKS:
        assert stored(tmp_path, task) == stored(data, task)  # pictures byte for byte included
    assert contents(tmp_path)[MANIFEST] == contents(data)[MANIFEST]
    assert contents(tmp_path)["README.md"] == contents(data)["README.md"]


@ON_LINUX
def test_worker_processes_are_forked_from_a_process_with_one_thread() -> None:
    code = f"import os, {', '.join(PRELOADED)}; print(len(os.listdir('/proc/self/task')))"
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert completed.stdout == "1\n"


@ON_LINUX
def test_workers_have_the_environment_of_the_command_and_not_of_the_first_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isovist("list").code == 0  # in a command
    for value in ("first", "second"):
        monkeypatch.setenv("ISOVIST_TEST_VARIABLE", value)
        assert set(run_parallel(os.getenv, [("ISOVIST_TEST_VARIABLE",)] * 3, 2)) == {value}


def test_a_long_path_of_the_temporary_folder_only_changes_how_workers_start(data: Path, tmp_path: Path) -> None:
    """The socket of the server is in this folder, and the path of a socket has at most 108 bytes."""
    temporary = tmp_path / ("long" * 30)
    temporary.mkdir()
    ended = spawned("generate", *TASKS, "--n", N, "--workers", 2, "--out", tmp_path / "data", TMPDIR=str(temporary))
    assert ended.code == 0, ended.err
    assert contents(tmp_path / "data")[MANIFEST] == contents(data)[MANIFEST]


def test_more_rows_than_a_file_holds_go_into_several_files(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stored(data, LETTERS)
    monkeypatch.setattr(generation, "_ROWS_2D", 7)
    done("generate", LETTERS, "--n", N, "--workers", 1, "--out", tmp_path)
    names = sorted(path.name for path in (tmp_path / LETTERS).iterdir())
    assert names == [f"test-0000{i}-of-00003.parquet" for i in range(3)]
    assert [pq.read_metadata(tmp_path / LETTERS / name).num_rows for name in names] == [7, 7, 2]
    assert stored(tmp_path) == whole


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_moves_within_a_file(tmp_path: Path, workers: int) -> None:
    """A file has up to 500 rows, which can take minutes."""
    parts, _ = requested((LETTERS, "srbench/orientation"), ItemOptions(), default=9)
    moves: list[int] = []
    generate(parts, tmp_path / "out", workers, moves.append)
    assert sum(moves) == 18
    assert len([n for n in moves if n]) > (2 if workers == 2 else 17)
    moves.clear()
    generate(parts, tmp_path / "out", workers, moves.append)
    assert moves == [18]


def test_no_items_are_a_data_folder_too(tmp_path: Path) -> None:
    refused(isovist("generate", LETTERS, "--limit", 0, "--out", tmp_path), "--limit", "0 is not in the range")
    parts, _ = requested((LETTERS,), ItemOptions(), default=0)
    generate(parts, tmp_path)
    assert stored(tmp_path) == []
    assert tuple(pq.read_schema(parquet(tmp_path, LETTERS)).names) == COLUMNS
    assert done("verify", tmp_path).out == "0 rows, 0 differ\n"


def test_another_task_or_split_leaves_what_is_there(data: Path, tmp_path: Path, copied: Callable[[Path], Path]) -> None:
    folder = copied(data)
    before = contents(folder)
    done("generate", "cdr/relative-spatial-number", "--n", 4, "--workers", 1, "--out", folder)
    done("generate", LETTERS, "--split", "train", "--n", 5, "--workers", 1, "--out", folder)
    after = contents(folder)
    files = {name for name in before if name.endswith(".parquet")}
    assert {name: after[name] for name in files} == {name: before[name] for name in files}
    assert set(after) - set(before) == {
        "cdr/relative-spatial-number/test-00000-of-00001.parquet",
        f"{LETTERS}/train-00000-of-00001.parquet",
    }
    assert len(stored(folder)) == 3 * N + 4 + 5
    test, train = ({row.metadata_json for row in stored(folder, LETTERS) if row.split == split} for split in ("test", "train"))
    assert len(test) == N
    assert len(train) == 5
    assert not test & train
    assert done("verify", folder, "--workers", 1).out == f"{3 * N + 9} rows, 0 differ\n"


def test_the_same_request_again_writes_nothing(data: Path) -> None:
    times = {path: path.stat().st_mtime_ns for path in data.rglob("*")}
    before = contents(data)
    done("generate", *TASKS, "--n", N, "--workers", 1, "--out", data)
    done("generate", TASKS[1], "--n", N, "--workers", 2, "--out", data)  # a part of it is there as well
    assert contents(data) == before
    assert {path: path.stat().st_mtime_ns for path in data.rglob("*")} == times


@pytest.mark.parametrize(
    "other", [("--n", N + 1), ("--seed", 1, "--n", N), ("--n", N, "--prompt-style", "direct"), ("--n", N, "--task-option", "order=paper")]
)
def test_another_request_for_a_task_that_is_there_is_refused(data: Path, other: tuple[object, ...]) -> None:
    before = contents(data)
    refused(isovist("generate", LETTERS, *other, "--out", data), LETTERS, "already")
    assert contents(data) == before


def test_a_folder_of_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    refused(isovist("generate", LETTERS, "--n", 2, "--out", tmp_path), "thesis.txt")
    refused(isovist("generate", LETTERS, "--n", 2, "--out", tmp_path / "thesis.txt"), "a file")
    assert contents(tmp_path) == {"thesis.txt": b"mine"}


@pytest.mark.parametrize("out", ["/proc/isovist/data", "/dev/null/data", "x" * 300])
def test_a_folder_that_cannot_be_made_is_told_in_one_line(out: str) -> None:
    refused(isovist("generate", LETTERS, "--n", 2, "--out", out), out.removesuffix("/data"))


def test_a_crash_after_the_last_file_does_not_block_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data are whole by then; only the hidden folder is left."""
    import isovist.data.dataset.generate as module

    def killed(path: object) -> None:
        raise OSError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(module.shutil, "rmtree", killed)
        assert isovist("generate", LETTERS, "--n", 3, "--out", tmp_path).code == 2
    assert (tmp_path / PARTIAL).is_dir()
    done("generate", "cdr/relative-spatial-letter", "--n", 3, "--out", tmp_path)
    assert len(stored(tmp_path)) == 6


def test_the_card_lists_each_task_and_credits_what_is_shown(data: Path) -> None:
    _, head, text = (data / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    card = yaml.safe_load(head)
    assert card["license"] == "cc-by-4.0"
    assert card["size_categories"] == ["n<1K"]
    data_files = {config["config_name"]: config["data_files"] for config in card["configs"]}
    assert data_files == {task.replace("/", "-"): [{"split": "test", "path": f"{task}/test-*.parquet"}] for task in TASKS}
    for task in TASKS:
        (line,) = [line for line in text.splitlines() if line.startswith(f"| {task} |")]
        assert api.task(task).summary in line
        assert f"| {N} |" in line
    for source in attribution.sources():
        assert f"{source['source']}, by {source['creator']} ({source['licence']}" in text
    for column in COLUMNS:
        assert f"`{column}`" in text


def test_the_card_of_letters_credits_the_font_and_no_icons(tmp_path: Path) -> None:
    done("generate", LETTERS, "--n", 2, "--out", tmp_path)
    credited = (tmp_path / "README.md").read_text(encoding="utf-8").rpartition("## Licence and attribution")[2]
    fonts = [source for source in attribution.sources() if attribution.is_font(source)]
    assert fonts
    for source in attribution.sources():
        assert (source["source"] in credited) == (source in fonts)


LOADING = """
import datasets, json, sys
found = {}
for name in sys.argv[2:]:
    rows = datasets.load_dataset(sys.argv[1], name, split="test")
    images = rows[0]["images"]
    found[name] = {
        "n": len(rows), "columns": rows.column_names, "ids": rows["id"][:], "size": images[0].size, "kind": type(images[0]).__module__,
        "pixels": [list(images[0].convert("RGB").getpixel((x, x))) for x in range(0, 200, 7)], "answer": rows[0]["answer"],
    }
print(json.dumps(found))
"""


def test_the_hub_loader_reads_a_folder_with_decoded_images(data: Path, tmp_path: Path) -> None:
    """In a process of its own: the library reads its settings from the environment when it is imported."""
    names = {task.replace("/", "-"): task for task in TASKS}
    env = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
    }
    ended = subprocess.run([sys.executable, "-c", LOADING, str(data), *names], capture_output=True, text=True, check=False, env=env)
    assert ended.returncode == 0, ended.stderr
    for name, loaded in json.loads(ended.stdout).items():
        rows = stored(data, names[name])
        shown = Image.open(io.BytesIO(rows[0].images[0])).convert("RGB")
        assert loaded["n"] == N
        assert tuple(loaded["columns"]) == COLUMNS
        assert loaded["ids"] == [row.id for row in rows]
        assert loaded["kind"].startswith("PIL.")
        assert tuple(loaded["size"]) == shown.size
        assert loaded["pixels"] == [list(shown.getpixel((x, x)) or ()) for x in range(0, 200, 7)]  # pyright: ignore[reportArgumentType]
        assert loaded["answer"] == rows[0].answer
