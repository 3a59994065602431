"""`generate --shard` and `--finish`: several processes write one folder, equal byte for byte to that of a single command."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from workbench import COMMAND, Ended, contents, done, edit, isovist, refused, started, stored, until

from isovist.data.dataset import generate as generation
from isovist.data.dataset import sharded_generation
from isovist.data.dataset.json_documents import PARTIAL
from isovist.data.dataset.manifest import MANIFEST, Manifest
from isovist.data.dataset.partial_output import LOCK, REQUEST, locked

LETTERS, ICONS, SCENES = "cdr/relative-spatial-letter", "cdr/spatial-direction-icon", "srbench/orientation"
COMMAND_OF = ("generate", ICONS, LETTERS, "--n", 40, "--workers", 1)
SHARDS = 4


@pytest.fixture(autouse=True)
def _small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "_ROWS_2D", 15)


def shard(out: Path, index: int, count: int = SHARDS, *more: object) -> Ended:
    return isovist(*COMMAND_OF, *more, "--out", out, "--shard", f"{index}/{count}")


def finish(out: Path) -> Ended:
    return isovist(*COMMAND_OF, "--out", out, "--finish")


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """The folder of the single command: three files of each of two tasks."""
    done(*COMMAND_OF, "--out", tmp_path / "whole")
    return tmp_path / "whole"


@pytest.fixture
def sharded(tmp_path: Path) -> Path:
    """A folder with the files of all shards, not finished."""
    for index in (2, 0, 3, 1):
        assert shard(tmp_path / "sharded", index).code == 0
    return tmp_path / "sharded"


def test_shards_and_finish_give_the_folder_of_the_single_command(whole: Path, sharded: Path) -> None:
    assert not (sharded / MANIFEST).exists()
    assert finish(sharded).code == 0
    assert contents(sharded) == contents(whole)
    assert len(contents(whole)) == 6 + 3
    before = contents(sharded)
    assert finish(sharded).code == 0
    assert "nothing to do" in shard(sharded, 1).out
    assert contents(sharded) == before


def test_the_order_of_tasks_does_not_matter_to_shards(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert shard(out, 0, 2).code == 0
    done("generate", LETTERS, ICONS, "--n", 40, "--workers", 2, "--out", out, "--shard", "1/2")
    assert finish(out).code == 0
    assert contents(out) == contents(whole)


def test_shards_of_a_scene_part_give_the_same_folder(tmp_path: Path) -> None:
    command = ("generate", LETTERS, SCENES, "--n", 4, "--image-size", 200, "--workers", 1)
    done(*command, "--out", tmp_path / "single")
    for index in (1, 0):
        done(*command, "--out", tmp_path / "out", "--shard", f"{index}/2")
    done(*command, "--out", tmp_path / "out", "--finish")
    assert contents(tmp_path / "out") == contents(tmp_path / "single")
    assert "Meshes by" in contents(tmp_path / "out")["README.md"].decode()


def test_shards_at_once_in_processes_give_the_same_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shard 1 twice at the same time, as after a scheduler has lost sight of it."""
    monkeypatch.undo()  # the processes do not see it
    command = ("generate", LETTERS, ICONS, "--n", 12, "--workers", 1)
    done(*command, "--out", tmp_path / "single")
    args = [*COMMAND, *map(str, command), "--out", str(tmp_path / "out")]
    processes = [subprocess.Popen([*args, "--shard", f"{index}/2"], stdout=subprocess.DEVNULL) for index in (0, 1, 1)]
    assert [process.wait(240) for process in processes] == [0, 0, 0]
    done(*command, "--out", tmp_path / "out", "--finish")
    assert contents(tmp_path / "out") == contents(tmp_path / "single")


def test_a_killed_shard_is_queued_again_and_writes_only_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    command = ("generate", LETTERS, "--n", 2010, "--image-size", 96, "--workers", 1, "--out", tmp_path / "out")  # five files

    def finished() -> dict[str, int]:
        return {path.name: path.stat().st_ino for path in (tmp_path / "out" / PARTIAL).rglob("*.parquet")}

    with started(*command, "--shard", "0/2") as process:
        until(finished)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    before = finished()
    assert 1 <= len(before) < 3, "the machine was too fast for this test: raise --n"
    (tmp_path / "out" / PARTIAL / LETTERS / ".node-1-0a.tmp").write_bytes(b"left by a killed process")
    done(*command, "--shard", "1/2")
    done(*command, "--shard", "0/2")
    assert len(finished()) == 5
    assert {name: finished()[name] for name in before} == before
    done(*command, "--finish")
    assert len(stored(tmp_path / "out")) == 2010
    assert not [path for path in (tmp_path / "out").rglob("*") if path.name.endswith(".tmp")]


def test_missing_shards_are_named(sharded: Path) -> None:
    files = sorted((sharded / PARTIAL).rglob("*.parquet"))
    assert len(files) == 6
    files[1].unlink()
    files[3].with_suffix(".json").unlink()
    refused(finish(sharded), "2 of 6 files are missing", f"shards of {SHARDS} (again): 1,3.")
    for index in (1, 3):
        assert shard(sharded, index).code == 0
    assert finish(sharded).code == 0


def test_ranges_of_missing_shards_are_in_the_form_of_slurm() -> None:
    assert sharded_generation._ranges([0, 1, 2, 5, 7, 8]) == "0-2,5,7-8"  # pyright: ignore[reportPrivateUsage]
    assert sharded_generation._ranges([4]) == "4"  # pyright: ignore[reportPrivateUsage]


def test_another_count_request_or_version_is_refused(sharded: Path) -> None:
    before = contents(sharded / PARTIAL)
    refused(shard(sharded, 0, 5), "shards of 4, not of 5", str(sharded))
    refused(shard(sharded, 0, SHARDS, "--seed", 3), "another request")
    refused(shard(sharded, 0, SHARDS, "--prompt-style", "direct"), "another request")
    refused(isovist(*COMMAND_OF, "--out", sharded), "another request")  # the single command
    refused(isovist(*COMMAND_OF, "--seed", 3, "--out", sharded, "--finish"), "another request")
    assert contents(sharded / PARTIAL) == before
    edit(sharded / PARTIAL / REQUEST, lambda request: request["versions"].update(numpy="1.0"))
    refused(shard(sharded, 0), "numpy 1.0")
    refused(finish(sharded), "numpy 1.0")


def test_a_shard_of_an_interrupted_single_command_is_refused(tmp_path: Path) -> None:
    (tmp_path / PARTIAL).mkdir()
    (tmp_path / PARTIAL / REQUEST).write_text('[{"task": "cdr/other"}]')
    refused(shard(tmp_path, 0), "without --shard")
    refused(finish(tmp_path), "without --shard")


@pytest.mark.parametrize("text", ["", "{", "null", "[]", '{"parts": 5}', '{"parts": []}'])
def test_a_damaged_request_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / PARTIAL).mkdir()
    (tmp_path / PARTIAL / REQUEST).write_text(text)
    for ended in (shard(tmp_path, 0), finish(tmp_path), isovist(*COMMAND_OF, "--out", tmp_path)):
        refused(ended, "incomplete", str(tmp_path / PARTIAL))
    assert (tmp_path / PARTIAL / REQUEST).read_text() == text


def test_damaged_notes_are_written_again_with_their_file(sharded: Path, whole: Path) -> None:
    notes = sorted((sharded / PARTIAL).rglob("test-*.json"))
    notes[2].write_text("")
    refused(finish(sharded), "1 of 6 files are missing", ": 2.")
    assert shard(sharded, 2).code == 0
    assert finish(sharded).code == 0
    assert contents(sharded) == contents(whole)


def test_finish_before_any_shard_is_refused(tmp_path: Path) -> None:
    refused(finish(tmp_path / "out"), "No shard has written", "--shard I/N")
    assert not (tmp_path / "out").exists()


def test_shards_and_single_commands_exclude_each_other(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with locked(out):
        refused(shard(out, 0), "another isovist command")
    assert not out.exists()
    with locked(out, shared=True):
        assert shard(out, 0).code == 0
        refused(finish(out), "another isovist command")
        refused(isovist("generate", LETTERS, "--split", "train", "--n", 2, "--out", out), "another isovist command")
    for index in range(1, SHARDS):
        assert shard(out, index).code == 0
    assert finish(out).code == 0
    assert not (out / LOCK).exists()


def test_a_shard_without_files_says_so(tmp_path: Path) -> None:
    ended = shard(tmp_path, 6, 9)
    assert (ended.code, ended.out) == (0, "Shard 6/9: nothing to do, the dataset has 6 files.\n")
    assert not list(tmp_path.rglob("*.parquet"))


@pytest.mark.parametrize("text", ["3/2", "2/2", "0/0", "a/b", "-1/4", "", "1/2/3", "0 /4x"])
@pytest.mark.parametrize("command", ["generate", "verify"])
def test_a_text_that_is_no_shard_is_one_line(data: Path, tmp_path: Path, command: str, text: str) -> None:
    args = ("generate", LETTERS, "--out", tmp_path / "out") if command == "generate" else ("verify", data)
    refused(isovist(*args, "--shard", text), "Invalid shard", "I/N")
    assert not (tmp_path / "out").exists()


def test_shard_with_finish_is_refused(tmp_path: Path) -> None:
    refused(isovist(*COMMAND_OF, "--out", tmp_path / "out", "--shard", "0/2", "--finish"), "--shard", "--finish")


def test_the_count_is_never_read_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "JOB_COMPLETION_INDEX", "ISOVIST_GENERATE_SHARD", "ISOVIST_SHARD"):
        monkeypatch.setenv(name, "1/2")
    done("generate", LETTERS, "--n", 3, "--out", tmp_path)
    assert len(stored(tmp_path)) == 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    refused(shard(tmp_path, 0), str(tmp_path))
    tmp_path.chmod(0o700)


def test_an_interruption_of_finish_is_completed_by_the_next(whole: Path, sharded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Manifest, "write", lambda self, folder: (_ for _ in ()).throw(OSError("killed")))
        assert finish(sharded).code == 2
    assert (sharded / ICONS).is_dir()
    assert not (sharded / MANIFEST).exists()
    assert finish(sharded).code == 0
    assert contents(sharded) == contents(whole)


def test_shards_add_to_a_folder(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done("generate", ICONS, "--n", 40, "--workers", 1, "--out", out)
    for index in range(2):
        assert shard(out, index, 2).code == 0
    assert finish(out).code == 0
    assert contents(out) == contents(whole)


# Folders from before manifests stated rows and contents -----------------------------------------------------------


def old(folder: Path) -> None:
    """Change the manifest to that of an earlier version."""

    def change(manifest: dict[str, object]) -> None:
        del manifest["contents"]
        for part in manifest["parts"]:  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType]
            del part["rows_per_file"]

    edit(folder / MANIFEST, change)


def test_an_old_folder_reads_verifies_and_takes_more_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    monkeypatch.setattr(generation, "_ROWS_2D", 2000)
    done("generate", ICONS, "--n", 40, "--workers", 1, "--out", out)
    old(out)
    monkeypatch.setattr(generation, "_ROWS_2D", 15)
    assert len(stored(out)) == 40
    assert done("verify", out, "--workers", 1).out == "40 rows, 0 differ\n"
    before = contents(out)
    done("generate", ICONS, "--n", 40, "--workers", 1, "--out", out)  # it is there, in files of another size
    assert contents(out) == before
    done("generate", LETTERS, "--n", 40, "--workers", 1, "--out", out)
    assert [(part.task, part.rows_per_file) for part in Manifest.read(out).parts] == [(LETTERS, 15), (ICONS, 2000)]
    assert done("verify", out, "--workers", 1).out == "80 rows, 0 differ\n"
    done(*COMMAND_OF, "--out", tmp_path / "whole")
    assert contents(out)["README.md"] == contents(tmp_path / "whole")["README.md"]  # the font and the icons are credited


def test_no_item_of_an_existing_part_is_made_again_for_the_card(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(generation, "stored_content", lambda *args: pytest.fail("an existing part was read again"))
        done("generate", LETTERS, "--split", "train", "--n", 4, "--workers", 1, "--out", whole)
    content = Manifest.read(whole).contents
    assert {name: part.distinct for name, part in content.items()} == {f"{ICONS}/test": 40, f"{LETTERS}/test": 40, f"{LETTERS}/train": 4}
    assert content[f"{ICONS}/test"].assets == (("icons", ""),)
    edit(whole / MANIFEST, lambda manifest: manifest.pop("contents"))
    done("generate", ICONS, "--split", "train", "--n", 4, "--workers", 1, "--out", whole)
    stated = Manifest.read(whole).contents
    assert {name: stated[name] for name in content} == content


@pytest.mark.parametrize("rows", [0, -5])
def test_a_manifest_with_impossible_rows_per_file_is_one_line(data: Path, copied: Callable[[Path], Path], rows: int) -> None:
    folder = copied(data)
    edit(folder / MANIFEST, lambda manifest: manifest["parts"][0].update(rows_per_file=rows))
    refused(isovist("verify", folder), MANIFEST, "rows_per_file")


def test_the_number_of_rows_depends_on_the_part_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    from isovist.data.dataset.manifest import DataPart

    def rows(task: str, n: int) -> int:
        (part,) = generation.missing_parts(Manifest(()), [DataPart(task, 2, "test", n, rows_per_file=7)], Path())
        assert part.file_count <= 5000
        return part.rows_per_file

    assert [rows(LETTERS, n) for n in (0, 1, 2000, 2_500_000, 2_500_001, 10**9)] == [500, 500, 500, 500, 1000, 256_000]
    assert [rows(SCENES, n) for n in (0, 1, 500_000, 10**6)] == [500, 100, 100, 200]


# Parts of a verification ------------------------------------------------------------------------------------------


def test_verify_in_shards_has_every_row_once(whole: Path) -> None:
    outputs = [done("verify", whole, "--workers", 1, "--shard", f"{index}/4").out for index in range(4)]
    assert outputs == ["30 rows, 0 differ\n", "25 rows, 0 differ\n", "10 rows, 0 differ\n", "15 rows, 0 differ\n"]
    assert done("verify", whole, "--shard", "6/7").out == "Shard 6/7: nothing to do, the number of files is 6.\n"


def test_a_sample_finds_a_changed_file_also_where_it_has_no_row(whole: Path) -> None:
    assert done("verify", whole, "--workers", 1, "--sample", 5).out == "5 rows and the hashes of 6 files, 0 differ\n"
    assert done("verify", whole, "--workers", 1, "--sample", 5000).out == "80 rows and the hashes of 6 files, 0 differ\n"
    paths = sorted(whole.rglob("*.parquet"))
    for path in paths:
        before = path.read_bytes()
        path.write_bytes(before[:2000] + bytes([before[2000] ^ 1]) + before[2001:])
        ended = isovist("verify", whole, "--workers", 1, "--sample", 1)
        assert ended.code == 1
        assert f"{path.relative_to(whole)}: -: has changed since it was written\n" in ended.out
        path.write_bytes(before)
    paths[2].unlink()
    refused(isovist("verify", whole, "--workers", 1, "--sample", 1), "Missing file", paths[2].name)


def test_a_sample_regenerates_its_rows(whole: Path) -> None:
    """The hashes in the manifest may have been changed with the files."""
    other = whole.parent / "other"
    done(*COMMAND_OF, "--seed", 1, "--out", other)
    shutil.copytree(other / ICONS, whole / ICONS, dirs_exist_ok=True)
    hashes = json.loads((other / MANIFEST).read_text())["hashes"]
    edit(whole / MANIFEST, lambda manifest: manifest["hashes"].update({name: hashes[name] for name in hashes if name.startswith(ICONS)}))
    ended = isovist("verify", whole, "--workers", 1, "--sample", 20)
    assert ended.code == 1
    assert "is in the place of" in ended.out


def test_the_sample_of_the_shards_is_that_of_the_whole(whole: Path) -> None:
    outputs = [done("verify", whole, "--workers", 1, "--sample", 9, "--shard", f"{index}/3").out for index in range(3)]
    assert sum(int(out.split()[0]) for out in outputs) == 9
    assert all("the hashes of 2 files" in out for out in outputs)


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.5", "", "99999999999999"])
def test_an_invalid_sample_is_one_line(data: Path, number: str) -> None:
    refused(isovist("verify", data, "--sample", number), "--sample")
