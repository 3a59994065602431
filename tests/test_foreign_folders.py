"""Folders from anybody: one line names the file and the field, whatever a manifest holds; nothing hangs, and nothing is written elsewhere."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import TASKS
from workbench import contents, done, edit, isovist, parquet, records, refused, spawned, write_records

from isovist.common.errors import UserError
from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import MANIFEST, Manifest
from isovist.data.exporters import lmms_eval
from isovist.data.exporters.file_writers import within
from isovist.data.exporters.formats import FORMATS
from isovist.data.releases.definition import release
from isovist.evaluation.run.run_folder import RunFolder

LETTERS = TASKS[0]
FILE = f"{LETTERS}/test-00000-of-00001.parquet"
RELEASE = "isovist-2026.12/short"
Raw = dict[str, Any]

# Values that are nowhere valid, and those of numbers and of names --------------------------------------------------------

TYPES: list[object] = [None, True, 1.5, float("nan"), 10**30, [1], {"a": [2]}]
NUMBERS: list[object] = ["1", -(10**19), -1]
TEXTS: list[object] = [7, "a\nb: !function os.system", "a\0b", "a\x1b[2J", "x" * 20_000, "\ud800"]
NAMES: list[object] = ["", ".", "..", "../../evil", "/evil", "a/../../evil", "a\\b", "a//b", " a", "a b"]
FIELDS: dict[str, list[object]] = {
    "task": TYPES + TEXTS + NAMES,
    "split": TYPES + TEXTS + NAMES + ["dev"],
    "version": TYPES + NUMBERS,
    "n": [*TYPES, *NUMBERS, 10**9],
    "rows_per_file": [*TYPES, *NUMBERS, 0, 1],
    "seed": [*TYPES, "1", -(10**19), 2**63],
    "level": TYPES[1:] + TEXTS + ["", "none"],
    "settings": [*TYPES, {"none": 1}, {"size": "a"}, {"size": -1}, {"size": 10**30}, {"size": 1.5}, {"size": None}, {"size": "a\nb"}, {"\0": 1}],
    "style": TYPES + TEXTS + ["", "none"],
    "renderer": TYPES + TEXTS + ["", "none", "cycles-a"],
    "counts": [*TYPES, {"standard": -1}, {"standard": 10**30}, {"standard": 1}, {"none": 4}, {"a\nb": 4}],
    "package": TYPES + TEXTS,
    "release": TYPES + TEXTS + NAMES[1:] + ["isovist-2026.12", "isovist-2026.12/none", "isovist-2026.12/../short"],
    "commitment": TYPES + TEXTS + ["0" * 64],
}  # fmt: skip
WHOLE: dict[str, list[object]] = {
    "parts": [*TYPES, [7], [[]], {"task": LETTERS}],
    "hashes": [*TYPES, {}, {FILE: 7}, {"a\nb": 7}, {FILE: "none"}, {FILE: "0" * 63}],
    "contents": [*TYPES, {"a": 7}, {"a\nb": {"distinct": 1, "assets": []}}, {"a": {"distinct": -1, "assets": []}},
                 {f"{LETTERS}/test": {"distinct": 10**9, "assets": []}}, {"a": {"distinct": 1, "assets": [["font", "a\nb"]]}}],
    "isovist": TYPES + TEXTS,
    "format": [*TYPES, "1", 0, 2],
}  # fmt: skip


def spoilt() -> Iterator[tuple[str, Callable[[Raw], object]]]:
    for name, values in FIELDS.items():
        yield from ((name, lambda manifest, name=name, value=value: manifest["parts"][0].update({name: value})) for value in values)
    for name, values in WHOLE.items():
        yield from ((name, lambda manifest, name=name, value=value: manifest.update({name: value})) for value in values)
    yield "parts", lambda manifest: manifest["parts"].append(manifest["parts"][0])
    yield "rows_per_file", lambda manifest: manifest["parts"][0].update(n=10**8, rows_per_file=1)


def write(folder: Path, manifest: object) -> None:
    (folder / MANIFEST).write_bytes(json.dumps(manifest, ensure_ascii=False).encode(errors="surrogatepass"))


@pytest.fixture
def folder(data: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(data, tmp_path / "in" / "data"))


def test_every_field_of_a_manifest_is_checked_before_anything_is_read(folder: Path) -> None:
    plain = (folder / MANIFEST).read_bytes()
    for name, change in spoilt():
        manifest = json.loads(plain)
        change(manifest)
        write(folder, manifest)
        with pytest.raises(UserError, match=str(folder)) as raised:
            Manifest.read(folder)
        line = str(raised.value)
        assert "\n" not in line, (name, line)
        assert len(line) < 700 + len(str(folder)), (name, line)
    (folder / MANIFEST).write_bytes(plain)
    assert len(Manifest.read(folder).parts) == len(TASKS)


@pytest.mark.parametrize("text", ["[" * 10**6, '{"parts":' * 10**5, '{"format": 1, "parts": ' + "9" * 10**5 + "}", " " * (65 << 20)])
def test_a_manifest_that_is_deep_or_large_is_one_line(folder: Path, text: str) -> None:
    (folder / MANIFEST).write_text(text)
    refused(isovist("verify", folder), MANIFEST)


@pytest.mark.parametrize(
    "change",
    [{"task": "../../../out/evil"}, {"task": "a\nb: !function os.system"}, {"n": 10**9, "rows_per_file": 1}, {"split": "dev"}, {"style": "none"},
     {"settings": {"size": "a"}}, {"n": -3}],
    ids=str,
)  # fmt: skip
def test_every_command_refuses_it_and_writes_nothing(folder: Path, tmp_path: Path, change: Raw) -> None:
    """The files of the data are where the names say."""
    edit(folder / MANIFEST, lambda manifest: manifest["parts"][0].update(change))
    if "task" in change:
        moved = folder / change["task"] / Path(FILE).name
        moved.parent.mkdir(parents=True)
        shutil.copy(folder / FILE, moved)
        edit(folder / MANIFEST, lambda manifest: manifest["hashes"].update({f"{change['task']}/{Path(FILE).name}": "0" * 64}))
    before, out = contents(tmp_path), tmp_path / "out" / "new"
    for command in (
        ("verify", folder),
        ("show", LETTERS, "--data", folder),
        ("run", "--data", folder, "--model", "simulated/oracle", "--out", out),
        *(("export", folder, "--format", name, "--split", "test", "--out", out) for name in FORMATS),
        ("submit", "questions", folder, "--out", out),
        ("annotate", folder, "--agreement", "--answers", out),
        ("generate", TASKS[1], "--split", "train", "--n", 2, "--workers", 1, "--out", folder),
    ):
        refused(isovist(*command), str(folder / MANIFEST))
        assert contents(tmp_path) == before, command
        assert not out.exists(), command


# Files that are none -----------------------------------------------------------------------------------------------------


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("name", [MANIFEST, FILE])
@pytest.mark.parametrize("change", [pipe, loop, device], ids=lambda change: change.__name__)
def test_a_pipe_in_place_of_a_file_is_one_line(folder: Path, tmp_path: Path, change: Callable[[Path], None], name: str) -> None:
    change(folder / name)
    for command in (
        ("verify", folder, "--workers", 1),
        ("verify", folder, "--workers", 1, "--sample", 2),
        ("run", "--data", folder, "--model", "simulated/oracle", "--out", tmp_path / "out"),
        ("export", folder, "--format", "llava", "--split", "test", "--out", tmp_path / "out"),
    ):
        refused(spawned(*command, timeout=60), str(folder / name))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("n", [3, 10**8 - 99])
def test_a_file_with_another_number_of_rows_is_one_line(folder: Path, tmp_path: Path, n: int) -> None:
    edit(folder / MANIFEST, lambda manifest: manifest["parts"][0].update(n=n, rows_per_file=n))
    edit(folder / MANIFEST, lambda manifest: manifest["contents"].clear())
    run = ("run", "--data", folder, "--model", "simulated/oracle", "--out", tmp_path / "out")
    refused(isovist(*run), str(parquet(folder, LETTERS)), f"instead of {n:,}")
    assert not (tmp_path / "out").exists()
    with pytest.raises(UserError, match="rows instead of"):
        list(load(folder, Manifest.read(folder).parts))


# Releases ------------------------------------------------------------------------------------------------------------------


def test_a_release_that_a_manifest_states_is_compared_with_its_definition(folder: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    done("run", "--data", folder, "--model", "simulated/oracle", "--out", run)
    edit(folder / MANIFEST, lambda manifest: [part.update(release=RELEASE) for part in manifest["parts"]])
    before, command = contents(tmp_path), ("run", "--data", folder, "--model", "simulated/oracle", "--out", tmp_path / "out")
    for more in ((), (LETTERS,), ("--n", 2)):
        refused(isovist(*command, *more), RELEASE, str(folder))
    assert contents(tmp_path) == before
    assert not (tmp_path / "out").exists()
    edit(folder / MANIFEST, lambda manifest: [part.update(release="of-another-lab/short") for part in manifest["parts"]])
    done(*command)  # which only the organiser can compare


def test_a_release_that_a_run_states_is_compared_with_its_data(data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    done("run", "--data", data, "--model", "simulated/oracle", "--out", run)
    edit(run / "run.json", lambda info: info.update(release=RELEASE))
    before = contents(tmp_path)
    for command in (
        ("report", run, "--out", tmp_path / "out"),
        ("report", run, "--no-verify", "--out", tmp_path / "out"),
        ("leaderboard", run, run, "--no-verify", "--out", tmp_path / "out"),
        ("submit", "pack", run, "--out", tmp_path / "out.zip"),
    ):
        refused(isovist(*command), RELEASE if command[0] != "leaderboard" else str(run))
    assert contents(tmp_path) == before


def test_the_definition_needs_neither_secret_nor_installed_tasks() -> None:
    parts = release("isovist-2026.12").design("short", "0" * 64)
    assert {(part.seed, part.commitment, part.release) for part in parts} == {(0, "0" * 64, RELEASE)}


# Run folders ---------------------------------------------------------------------------------------------------------------

RUN_FIELDS: dict[str, list[object]] = {
    "model": TYPES + TEXTS[:-1],
    "data": TYPES + TEXTS,
    "started": TYPES + TEXTS,
    "style": TYPES + TEXTS,
    "parts": [*TYPES, [], [[LETTERS]], [["a", "b"]], [[LETTERS, "test"], ["a\nb", "test"]]],
    "n": [*TYPES[1:], *NUMBERS],
    "n_participants": TYPES + NUMBERS,
    "versions": [*TYPES, {"a\nb": "1"}, {"isovist": "\0"}],
    "variants": [*TYPES, {"epochs": 10**9}, {"epochs": -1}, {"shots": [10**9]}, {"renderings": ["../evil"]}, {"prompt_styles": ["a\nb"]}],
    "adaptive": [*TYPES[1:], {"target_half_width": 1.0, "max_items": 1, "batch_size": 1, "pool": [{"task": "../a", "version": 1, "split": "test", "n": 1}]}],
    "shard": [*TYPES, *TEXTS, "1/0", "none"],
}  # fmt: skip


def test_every_field_of_run_metadata_is_checked_before_anything_is_read(data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    done("run", LETTERS, "--data", data, "--model", "simulated/oracle", "--out", run)
    plain = (run / "run.json").read_bytes()
    for name, values in RUN_FIELDS.items():
        for value in values:
            text = json.dumps(json.loads(plain) | {name: value}, ensure_ascii=False)
            (run / "run.json").write_bytes(text.encode(errors="surrogatepass"))
            with pytest.raises(UserError, match=str(run)) as raised:
                RunFolder(run).parts(RunFolder(run).info())
            line = str(raised.value)
            assert "\n" not in line, (name, line)
            assert len(line) < 700 + len(str(run)), (name, line)
    (run / "run.json").write_bytes(plain)
    assert RunFolder(run).parts(RunFolder(run).info())


@pytest.mark.parametrize(
    "change",
    [{"credit": 10**9}, {"credit": -1.0}, {"published_credit": 1e308}, {"latency_s": 1e308}, {"usage": {"input_tokens": 10**30}}],
    ids=str,
)
def test_a_record_with_an_impossible_number_is_one_line(data: Path, tmp_path: Path, change: Raw) -> None:
    run = tmp_path / "run"
    done("run", LETTERS, "--data", data, "--model", "simulated/oracle", "--out", run)
    first, *others = records(run)
    write_records(run, [first | change, *others])
    for command in (("report", run, "--out", tmp_path / "out"), ("compare", run, run), ("rescore", run)):
        refused(isovist(*command, *(("--no-verify",) if command[0] != "rescore" else ())), str(run))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["run.json", "records.jsonl"])
@pytest.mark.parametrize("change", [pipe, device], ids=lambda change: change.__name__)
def test_a_pipe_in_a_run_folder_is_one_line(data: Path, tmp_path: Path, change: Callable[[Path], None], name: str) -> None:
    run = tmp_path / "run"
    done("run", LETTERS, "--data", data, "--model", "simulated/oracle", "--out", run)
    change(run / name)
    for command in (
        ("report", run, "--no-verify", "--out", tmp_path / "out"),
        ("rescore", run),
        ("submit", "pack", run, "--out", tmp_path / "out.zip"),
        ("run", LETTERS, "--data", data, "--model", "simulated/oracle", "--out", run),
    ):
        spoilt_run = spawned(*command, timeout=60)
        assert (spoilt_run.code, spoilt_run.err.count("\n")) == (2, 1), spoilt_run
    assert not (tmp_path / "out").exists()


# Folders of others that a command would write to -----------------------------------------------------------------------------


def test_pages_are_not_written_into_a_data_folder(folder: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    done("run", "--data", folder, "--model", "simulated/oracle", "--out", run)
    other = Path(shutil.copytree(run, tmp_path / "other"))
    edit(other / "run.json", lambda info: info.update(model="simulated/other"))
    before = contents(folder)
    for command in (
        ("report", run, "--no-item-browser"),
        ("compare", run, other),
        ("leaderboard", run, other),
        ("gallery", LETTERS, "--samples", 1),
    ):
        refused(isovist(*command, "--out", folder), str(folder), "unexpected file")
        assert contents(folder) == before, command


def test_a_folder_of_version_control_alone_may_become_a_report(data: Path, tmp_path: Path) -> None:
    (tmp_path / "out" / ".git").mkdir(parents=True)
    (tmp_path / "out" / ".git" / "HEAD").write_text("main")
    for _ in range(2):
        done("gallery", LETTERS, "--samples", 1, "--out", tmp_path / "out")
    assert (tmp_path / "out" / ".git" / "HEAD").read_text() == "main"


# Exports ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../a", "/a", "a/../b", "a//b", "a\\b", "", ".", "a\nb", "a\0", "there"])
def test_a_name_that_leaves_an_export_or_comes_twice_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "there").write_text("kept")
    with pytest.raises(UserError, match="file name"):
        within(tmp_path, name)
    assert contents(tmp_path) == {"there": b"kept"}


def test_yaml_gives_back_any_name() -> None:
    """The YAML of an export is written with JSON strings."""
    text = "a: !function os.system\n\"'#{}\\\t\u00e9\u2028\x7f"
    loader = type("Loader", (yaml.SafeLoader,), {})
    loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))  # type: ignore[attr-defined]
    task = yaml.load(lmms_eval.task_yaml(text, [text], 3), loader)
    assert (task["task"], task["dataset_kwargs"]["data_files"]["test"], task["metadata"]) == (text, [text], {"version": 3})
