"""Shards of a run: together they have the trials of the whole, and `isovist merge` makes the run of one machine of them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripted import Said, fault, serving
from workbench import COMMAND, RECORDS, RUN, contents, done, edit, isovist, records, refused, started, until, write_records

import isovist as package
from isovist.common.errors import UserError
from isovist.data.dataset.load import column
from isovist.data.dataset.manifest import Manifest
from isovist.evaluation.run.item_selection import sample, shards_of, with_blocks
from isovist.evaluation.run.run_folder import RunFolder
from isovist.evaluation.run.variants import Trial

MODEL = ("--model", "simulated/random", "--max-connections", 1)
VARIANTS = ("--mismatched-image", "--circular-eval", "--shots", 2, "--epochs", 2, "--blank-image")
TIMES = re.compile(rb'^ "(started|finished)": .*$', re.MULTILINE)
Copy = Callable[[Path], Path]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks whose items share groups, and one with text options; more than two blocks of mismatched images."""
    folder = tmp_path_factory.mktemp("data")
    done("generate", "cdr/relative-compass-letter", "cdr/relative-spatial-letter", "--n", 75, "--workers", 1, "--out", folder)
    # of three levels: each has its worked examples
    done("generate", "perceptv/circle-location", "--level", "3,4,5", "--n", 75, "--workers", 1, "--out", folder)
    return folder


def shard_runs(home: Path, data: Path, count: int, *options: object) -> list[Path]:
    for index in range(count):
        done("run", "--data", data, *MODEL, *options, "--shard", f"{index}/{count}", "--out", home / str(index), "--workers", 1)
    return [home / str(index) for index in range(count)]


@pytest.fixture(scope="module")
def shards(data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return shard_runs(tmp_path_factory.mktemp("shards"), data, 4)


def without_times(folder: Path) -> dict[str, bytes]:
    """The files of a run folder, without the times in its metadata."""
    return {name: TIMES.sub(b"", content) if name == RUN else content for name, content in contents(folder).items()}


@pytest.fixture(scope="module")
def mismatched(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one machine that asks about mismatched images as well."""
    folder = tmp_path_factory.mktemp("mismatched")
    done("run", "--data", data, *MODEL, "--mismatched-image", "--out", folder, "--workers", 1)
    return folder


def test_shards_are_of_about_one_size(data: Path, shards: Sequence[Path]) -> None:
    sizes = [len(records(folder)) for folder in shards]
    assert sum(sizes) == sum(part.n for part in Manifest.read(data).parts)
    assert max(sizes) < 1.3 * min(sizes)


@pytest.mark.parametrize(
    "options",
    [(*VARIANTS, "--n", 41), ("--image-mode", "caption-first", "--n", 41), ("--rendering", "half", "--n", 12)],
    ids=["variants", "captions, n", "half"],
)
def test_merged_shards_are_the_run_of_one_machine(data: Path, tmp_path: Path, options: Sequence[object]) -> None:
    done("run", "--data", data, *MODEL, *options, "--out", tmp_path / "whole", "--workers", 1)
    folders = shard_runs(tmp_path, data, 3, *options)
    assert sum(len(records(folder)) for folder in folders) == len(records(tmp_path / "whole"))
    done("merge", tmp_path / "merged", *reversed(folders))
    assert without_times(tmp_path / "merged") == without_times(tmp_path / "whole")
    assert not list(tmp_path.glob("*.new"))


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_trials_of_all_shards_are_those_of_the_whole(mismatched: Path, count: int) -> None:
    """The same prompts, images and keys, whatever the number of shards: a mismatched image does not depend on it."""
    folder = RunFolder(mismatched)
    info = folder.info()
    whole = {trial.trial_id: content(trial) for trial in folder.trials(info)}
    found: dict[tuple[str, str], object] = {}
    for index in range(count):
        of_shard = {trial.trial_id: content(trial) for trial in folder.trials(replace(info, shard=f"{index}/{count}"))}
        assert found.keys().isdisjoint(of_shard)
        found |= of_shard
    assert found == whole


def content(trial: Trial) -> object:
    return trial.prompt, trial.images, trial.key


def test_a_group_is_in_one_shard(data: Path) -> None:
    manifest = Manifest.read(data)
    where: dict[str, set[int]] = {}
    for part, shards in zip(manifest.parts, shards_of(data, manifest.parts, None, 5), strict=True):
        for group, shard in zip(column(data, part, "group").to_pylist(), shards.tolist(), strict=True):
            where.setdefault(str(group), set()).add(shard)
    assert len(where) < sum(part.n for part in manifest.parts)  # groups are shared
    assert all(len(found) == 1 for found in where.values())


def test_blocks_end_as_those_of_mismatched_images_do() -> None:
    rows = np.zeros(95, bool)
    rows[[3, 70]] = True
    (extended,) = with_blocks([rows], 32)
    assert np.flatnonzero(extended).tolist() == [*range(32), *range(32, 95)]
    rows[70] = False
    assert np.flatnonzero(with_blocks([rows], 32)[0]).tolist() == [*range(32)]


def test_a_sample_is_spread_over_all_selected_rows() -> None:
    rows = np.arange(100_000) % 2 == 0
    (few,) = sample([rows], 2_000)
    places = np.flatnonzero(few)
    assert rows[places].all()
    assert 2_000 <= len(places) <= 2_100
    assert places[0] < 200
    assert places[-1] > 99_800


def test_empty_shards_are_merged(tmp_path: Path, data: Path) -> None:
    folders = shard_runs(tmp_path, data, 5, "--n", 1)
    assert sum(not records(folder) for folder in folders) >= 2
    done("merge", tmp_path / "merged", *folders)
    assert len(records(tmp_path / "merged")) == len(Manifest.read(data).parts)


# Refusals


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--shard", "4/4"), ("Invalid shard", "4/4")),
        (("--shard", "-1/4"), ("Invalid shard",)),
        (("--shard", "1"), ("Invalid shard",)),
        (("--shard", "1/0"), ("Invalid shard",)),
        (("--shard", "x/y"), ("Invalid shard",)),
        (("--shard", "0/999999999"), ("Too many shards",)),
        (("--shard", "0/2", "--adaptive"), ("--adaptive", "--shard")),
    ],
)
def test_invalid_shards_are_refused(data: Path, tmp_path: Path, options: Sequence[object], words: Sequence[str]) -> None:
    refused(isovist("run", "--data", data, *MODEL, *options, "--out", tmp_path / "run"), *words)
    assert not (tmp_path / "run").exists()


def test_a_shard_needs_data(tmp_path: Path) -> None:
    refused(isovist("run", "cdr/relative-compass-letter", *MODEL, "--shard", "0/2", "--out", tmp_path / "run"), "--data", "--shard")
    assert not (tmp_path / "run").exists()


def test_a_folder_keeps_its_shard(shards: Sequence[Path], data: Path) -> None:
    for shard in ("1/4", "0/5"):
        refused(isovist("run", "--data", data, *MODEL, "--shard", shard, "--out", shards[0]), "different shard", str(shards[0]))
    refused(isovist("run", "--data", data, *MODEL, "--out", shards[0]), "different shard")


@pytest.mark.parametrize("command", ["report", "compare", "leaderboard", "rescore"])
def test_a_shard_is_not_analysed(shards: Sequence[Path], tmp_path: Path, command: str) -> None:
    runs = shards[:1] if command == "rescore" else shards
    out = ("--out", tmp_path / "out") if command in ("report", "leaderboard") else ()
    refused(isovist(command, *runs, *out), "shard 0/4", "isovist merge")


def test_results_in_python_name_the_command(shards: Sequence[Path]) -> None:
    run = package.load_run(shards[0])
    assert run.metadata.shard == "0/4"
    with pytest.raises(UserError, match="isovist merge"):
        run.summary()


def test_evaluate_and_a_file_take_a_shard(data: Path, tmp_path: Path) -> None:
    run = package.evaluate("simulated/random", data=data, shard="1/4", out=tmp_path / "a", progress=False)
    assert run.metadata.shard == "1/4"
    (tmp_path / "options.toml").write_text(f'model = "simulated/random"\ndata = "{data}"\nshard = "1/4"\nout = "b"\n')
    done("run", tmp_path / "options.toml")
    assert records(tmp_path / "b") == records(tmp_path / "a")
    with pytest.raises(UserError, match="Invalid shard"):
        package.evaluate("simulated/random", data=data, shard="4/4", out=tmp_path / "c", progress=False)


def test_the_environment_sets_a_shard(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOVIST_RUN_SHARD", "2/4")
    done("run", "--data", data, *MODEL, "--out", tmp_path)
    assert json.loads((tmp_path / RUN).read_text())["shard"] == "2/4"


def spoiled(shards: Sequence[Path], home: Path, index: int) -> list[Path]:
    """The shards with a copy of one of them."""
    copy = Path(shutil.copytree(shards[index], home / "copy"))
    return [*shards[:index], copy, *shards[index + 1 :]]


def setting(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda info: info.update(values)


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "model": (setting(model="simulated/oracle"), "Different model"),
    "style": (setting(style="direct"), "style"),
    "image mode": (setting(image_mode="caption-first"), "image mode"),
    "data": (setting(data_hash="0" * 16), "data hash"),
    "parts": (lambda info: info["parts"].pop(), "parts"),
    "n": (setting(n=3), "Different n"),
    "variants": (lambda info: info["variants"].update(no_image=True), "variants"),
    "temperature": (lambda info: info["options"].update(temperature=1.0), "temperature"),
    "tokens": (lambda info: info["options"].update(max_tokens=5), "max tokens"),
    "isovist": (lambda info: info["versions"].update(isovist="0.0.1"), "version of isovist"),
    "parser": (lambda info: info["versions"].update(parser="0"), "version of parser"),
    "plug-in": (lambda info: info["versions"].update({"my-tasks": "1"}), "version of my-tasks"),
    "division": (setting(shard="2/5"), "different divisions"),
    "repeated": (setting(shard="1/4"), "missing: 2/4"),
    "whole run": (setting(shard=""), "Not a shard"),
    "unreadable shard": (setting(shard="a/b"), "Invalid shard"),
    "unfinished": (setting(usage=None), "not finished"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_other_shards_are_not_merged(shards: Sequence[Path], tmp_path: Path, name: str) -> None:
    change, word = CHANGES[name]
    folders = spoiled(shards, tmp_path, 2)
    edit(tmp_path / "copy" / RUN, change)
    refused(isovist("merge", tmp_path / "merged", *folders), word)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy"]


def test_server_and_connections_may_differ(shards: Sequence[Path], tmp_path: Path) -> None:
    folders = spoiled(shards, tmp_path, 2)
    edit(tmp_path / "copy" / RUN, lambda info: info["options"].update(concurrency=64, timeout_s=5, retries=0, base_url="http://b/v1"))
    done("merge", tmp_path / "merged", *folders)


def test_all_shards_are_needed_once(shards: Sequence[Path], tmp_path: Path) -> None:
    refused(isovist("merge", tmp_path / "merged", *shards[:2]), "2 of 4 shards are missing", "2/4, 3/4")
    refused(isovist("merge", tmp_path / "merged", *shards, shards[1]), "Shard 1/4 is given twice")
    refused(isovist("merge", tmp_path / "merged", *shards[:3], tmp_path), "run.json")
    assert not list(tmp_path.iterdir())


def test_records_must_be_those_of_the_items(shards: Sequence[Path], tmp_path: Path) -> None:
    folders = spoiled(shards, tmp_path, 2)
    copy = tmp_path / "copy"
    whole = records(copy)
    write_records(copy, whole[:-1])
    refused(isovist("merge", tmp_path / "merged", *folders), "1 item has no record", "2/4")
    write_records(copy, [*whole, records(shards[0])[0]])
    refused(isovist("merge", tmp_path / "merged", *folders), "of another shard", records(shards[0])[0]["item_id"])
    write_records(copy, [*whole, whole[0] | {"item_id": "cdr/none@1:test:standard:0:1"}])
    refused(isovist("merge", tmp_path / "merged", *folders), "outside the run", "cdr/none@1")
    write_records(copy, [*whole, whole[0] | {"variant": "no-image"}])
    refused(isovist("merge", tmp_path / "merged", *folders), "outside the run", "no-image")
    (copy / RECORDS).write_text("{}\n")
    refused(isovist("merge", tmp_path / "merged", *folders), "Invalid record")
    (copy / RECORDS).unlink()
    refused(isovist("merge", tmp_path / "merged", *folders), "no record")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy"]


def test_an_existing_folder_is_not_replaced(shards: Sequence[Path], tmp_path: Path) -> None:
    refused(isovist("merge", shards[0], *shards), "Folder exists")
    (tmp_path / "merged.new").mkdir()
    (tmp_path / "merged.new" / "mine").write_text("x")
    refused(isovist("merge", tmp_path / "merged", *shards), "merged.new")
    assert (tmp_path / "merged.new" / "mine").read_text() == "x"
    (tmp_path / "merged.new" / ".lock").write_text("")  # of a merge that was killed
    done("merge", tmp_path / "merged", *shards)
    assert not (tmp_path / "merged" / "mine").exists()


def test_data_inside_a_shard_are_copied(data: Path, tmp_path: Path) -> None:
    for index in range(2):
        shutil.copytree(data, tmp_path / str(index) / "data")
        done("run", "--data", tmp_path / str(index) / "data", *MODEL, "--n", 5, "--shard", f"{index}/2", "--out", tmp_path / str(index))
    done("merge", tmp_path / "merged", tmp_path / "0", tmp_path / "1")
    shutil.rmtree(tmp_path / "0")
    assert json.loads((tmp_path / "merged" / RUN).read_text())["data"] == "data"
    done("report", tmp_path / "merged", "--out", tmp_path / "report")


def test_request_errors_are_merged(data: Path, tmp_path: Path) -> None:
    def script(asked: object) -> Said:
        del asked
        seen.append(0)
        return Said("Answer: A") if len(seen) % 3 else fault(400)

    seen: list[int] = []
    with serving(script) as server:
        for index in range(2):
            isovist("run", "--data", data, "--model", "m", "--base-url", server.url, "--n", 6, "--shard", f"{index}/2", "--out",
                    tmp_path / str(index), "-y", "--max-connections", 1)  # fmt: skip
    errors = sum(record["outcome"] == "request_error" for index in range(2) for record in records(tmp_path / str(index)))
    assert errors
    done("merge", tmp_path / "merged", tmp_path / "0", tmp_path / "1")
    assert sum(record["outcome"] == "request_error" for record in records(tmp_path / "merged")) == errors


# Processes


def test_shards_run_at_once_and_after_a_kill(data: Path, shards: Sequence[Path], tmp_path: Path) -> None:
    """Two real processes; one is killed in the middle and started again, as a scheduler does."""
    done("merge", tmp_path / "expected", *shards)
    options = ["run", "--data", data, *MODEL, "--workers", 1]
    other = subprocess.Popen([*map(str, (*COMMAND, *options, "--shard", "2/4", "--out", tmp_path / "2"))], stdout=subprocess.DEVNULL)
    command = (*options, "--shard", "3/4", "--out", tmp_path / "3")
    with started(*command) as process:
        until(lambda: (tmp_path / "3" / RECORDS).exists() and (tmp_path / "3" / RECORDS).stat().st_size > 0)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    done(*command)
    assert other.wait(300) == 0
    done("merge", tmp_path / "merged", *shards[:2], tmp_path / "2", tmp_path / "3")
    assert without_times(tmp_path / "merged") == without_times(tmp_path / "expected")


def test_a_shard_in_use_is_not_merged(shards: Sequence[Path], tmp_path: Path) -> None:
    with RunFolder(shards[1]).locked():
        refused(isovist("merge", tmp_path / "merged", *shards), "in use by another process", str(shards[1]))
    assert not list(tmp_path.iterdir())
