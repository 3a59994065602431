"""What breaks a command: every fault is one clear line and exit code 2, and nothing is written; Ctrl-C ends it in one line as well."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import pytest
from test_help import EVERY
from workbench import COMMAND, contents, isovist, refused, started, until

from isovist.cli import main
from isovist.core.task import ItemAddress, Task, sample_scene

LETTERS = "cdr/relative-compass-letter"
NEAR = "cdr/relative-compass-leter"
Words = Sequence[object]

# Folders and files that are not what they should be: IN stands for one that is missing, empty, or a file of something else ----------

INPUTS: dict[str, Words] = {
    "verify": ("verify", "IN"),
    "rescore": ("rescore", "IN"),
    "report": ("report", "IN", "--out", "out"),
    "compare": ("compare", "IN", "other"),
    "leaderboard": ("leaderboard", "IN", "other", "--out", "out"),
    "show --data": ("show", LETTERS, "--data", "IN"),
    "run --data": ("run", "--data", "IN", "--model", "simulated/oracle", "--out", "out"),
    "run --model hf/": ("run", LETTERS, "--n", 2, "--model", "hf/IN", "--out", "out"),
    "run --model embedded/": ("run", LETTERS, "--n", 2, "--model", "embedded/IN.npz", "--out", "out"),
    "run --pricing": ("run", LETTERS, "--n", 2, "--model", "simulated/oracle", "--pricing", "IN", "--out", "out"),
    "export": ("export", "IN", "--format", "llava", "--out", "out"),
    "mix": ("mix", "./IN", "--out", "out"),
    "mix --exclude-test-data": ("mix", "cdr-cot-all", "--exclude-test-data", "IN", "--out", "out"),
    "annotate": ("annotate", "IN"),
    "annotate --agreement": ("annotate", "IN", "--agreement"),
    "study serve": ("study", "serve", "IN", "--out", "out"),
    "study codes": ("study", "codes", "IN"),
    "study status": ("study", "status", "IN"),
    "study export": ("study", "export", "IN", "--out", "out"),
    "study remove": ("study", "remove", "IN", "ABCD"),
    "panoramas": ("panoramas", "IN", "--out", "out"),
    "street-views": ("street-views", "http://127.0.0.1:9/{lat}/{lng}/{heading}", "IN", "--out", "out"),
    "draft-questions": ("draft-questions", "IN", "--collect", "--out", "out"),
    "write-questions --example": (
        "draft-questions",
        ".",
        "--model",
        "simulated/oracle",
        "--kind",
        "counting",
        "--example",
        "IN",
        "--out",
        "out",
    ),
    "paint write --examples": ("text-to-image", "describe", "--model", "simulated/oracle", "--examples", "IN", "--out", "out"),
    "paint draw": ("text-to-image", "generate", "IN"),
    "paint questions": ("text-to-image", "questions", "IN", "--out", "out"),
    "meshes check": ("meshes", "check", "IN"),
    "train sft": ("train", "sft", "IN", "--out", "out"),
    "train evaluate": ("train", "evaluate", "IN"),
    "train table": ("train", "table", "IN", "other"),
    "import srbench": ("import", "srbench", "IN", "--out", "out"),
    "import coco": ("import", "coco", "IN", "--labels", "IN", "--out", "out"),
    "import kitti": ("import", "kitti", "IN", "--out", "out"),
    "import upright": ("import", "upright", "IN", "--out", "out"),
    "import predictions": ("import", "predictions", "IN", "--source-tool", "lmms-eval", "--data", "IN", "--out", "out"),
}


@pytest.mark.parametrize("name", INPUTS)
def test_an_input_that_is_missing_empty_or_something_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("hello\n")
    monkeypatch.chdir(tmp_path)
    for bad in ("none", "file", "empty"):
        message = refused(isovist(*(str(word).replace("IN", bad) for word in INPUTS[name])))
        assert bad in message
        assert "Error" not in message.replace("IsADirectoryError", "").replace("JSONDecodeError", "")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file"], bad


# Tasks that are not there -------------------------------------------------------------------------------------------

FRESH: dict[str, Words] = {
    "list": ("list",),
    "show": ("show",),
    "generate": ("generate", "--out", "out"),
    "run": ("run", "--model", "simulated/oracle", "--out", "out"),
    "gallery": ("gallery", "--out", "out"),
    "audit": ("audit",),
    "audit --check-keys": ("audit", "--check-keys", 5),
}
STORED: dict[str, Words] = {
    "verify": ("verify", "DATA", "TASK"),
    "run --data": ("run", "TASK", "--data", "DATA", "--model", "simulated/oracle", "--out", "out"),
    "show --data": ("show", "TASK", "--data", "DATA"),
    "export": ("export", "DATA", "--format", "llava", "--split", "test", "--tasks", "TASK", "--out", "out"),
    "annotate": ("annotate", "DATA", "--tasks", "TASK"),
    "study serve": ("study", "serve", "DATA", "--tasks", "TASK", "--out", "out"),
}


@pytest.mark.parametrize("name", FRESH)
def test_a_task_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    refused(isovist(*FRESH[name], NEAR), NEAR, f"Did you mean {LETTERS}")
    refused(isovist(*FRESH[name], "cdr/zzz*"), "cdr/zzz*", "isovist list")
    refused(isovist(*FRESH[name], "cdr/["), "cdr/[")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", STORED)
def test_a_task_that_a_data_folder_does_not_hold(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    before = contents(data)
    for task in (NEAR, "cdr/zzz*", ""):
        refused(isovist(*(data if word == "DATA" else task if word == "TASK" else word for word in STORED[name])), repr(task), LETTERS)
    assert list(tmp_path.iterdir()) == []
    assert contents(data) == before


# Numbers ------------------------------------------------------------------------------------------------------------

NUMBERS: dict[tuple[str, ...], click.Option] = {
    (*names, param.opts[0]): param
    for names, command in EVERY.items()
    for param in command.params
    if isinstance(param, click.Option) and isinstance(param.type, click.types.IntRange | click.types.FloatRange)
}


@pytest.mark.parametrize("names", NUMBERS, ids=" ".join)
def test_a_number_that_cannot_be_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]) -> None:
    """Of every option that is a number, in the order in which the command line has them."""
    monkeypatch.chdir(tmp_path)
    kind, words = NUMBERS[names].type, [*names[:-1], *("x" for param in EVERY[names[:-1]].params if isinstance(param, click.Argument))]
    bad = ["many", ""]
    if isinstance(kind, click.types.IntRange):
        bad += ["1.5", *(["9" * 30] if names[-1] != "--max-tokens" else [])]  # models differ in what they allow
    assert isinstance(kind, click.types.IntRange | click.types.FloatRange)
    if kind.min is not None and kind.min >= 0:
        bad.append("-1")
    for number in bad:
        message = refused(isovist(*words, f"{names[-1]}={number}"), f"'{names[-1]}'")
        assert number in message
    assert list(tmp_path.iterdir()) == []


# Folders that cannot be written -------------------------------------------------------------------------------------

WRITERS: dict[str, Words] = {
    "generate": ("generate", LETTERS, "--n", 2, "--workers", 1, "--out"),
    "run": ("run", LETTERS, "--n", 2, "--workers", 1, "--model", "simulated/oracle", "--out"),
    "run --data": ("run", "--data", "DATA", "--model", "simulated/oracle", "--out"),
    "export": ("export", "DATA", "--format", "llava", "--split", "test", "--out"),
    "mix": ("mix", "cdr-cot-all", "--out"),
    "study serve": ("study", "serve", "DATA", "--per-task", 2, "--port", 0, "--out"),
    "annotate": ("annotate", "DATA", "--port", 0, "--answers"),
    "import": ("import", "upright", "PICTURES", "--n", 1, "--out"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_that_cannot_be_written(data: Path, tmp_path: Path, name: str) -> None:
    """As on a file system that is read only, where also the superuser writes nothing."""
    (tmp_path / "file").write_text("mine")
    pictures = Path(__file__).parent.parent / "docs" / "images"
    words = [data if word == "DATA" else pictures if word == "PICTURES" else word for word in WRITERS[name]]
    refused(isovist(*words, "/proc/isovist/out"), "/proc/isovist")
    refused(isovist(*words, tmp_path / "file" / "out"), str(tmp_path / "file"))
    assert contents(tmp_path) == {"file": b"mine"}


# Ctrl-C and closed pipes --------------------------------------------------------------------------------------------

LONG: dict[str, Words] = {
    "verify": ("verify", "DATA", "--workers", 1),
    "audit": ("audit", LETTERS, "--n", 400),
    "audit --check-keys": ("audit", LETTERS, "--check-keys", 1_000_000),
    "gallery": ("gallery", LETTERS, "--samples", 100, "--out", "OUT"),
    "generate": ("generate", LETTERS, "--n", 2000, "--workers", 1, "--out", "OUT"),
    "mix": ("mix", "cdr-cot-all", "--workers", 1, "--out", "OUT"),
}
INTERRUPTED = "isovist: interrupted. Run the same command again to resume."


@pytest.mark.parametrize("name", LONG)
def test_control_c_at_an_item_is_one_line(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    made = list[ItemAddress]()

    def interrupted(task: Task[Any], address: ItemAddress) -> object:
        made.append(address)
        if len(made) == 8:
            signal.raise_signal(signal.SIGINT)
        return sample_scene(task, address)

    monkeypatch.setattr("isovist.data.item.sample_scene", interrupted)
    ended = isovist(*(data if word == "DATA" else tmp_path / "out" if word == "OUT" else word for word in LONG[name]))
    assert (ended.code, ended.err) == (130, f"{INTERRUPTED}\n")
    assert len(made) == 8


def test_control_c_in_the_middle_is_one_line_and_ends_every_process(tmp_path: Path) -> None:
    with started("generate", "cdr/*", "--n", 2000, "--workers", 2, "--out", tmp_path / "out", ISOVIST_PROGRESS_SECONDS="0.3") as process:
        assert process.stderr is not None
        process.stderr.readline()  # it is under way; workers may still be importing
        os.killpg(process.pid, signal.SIGINT)
        stderr = process.stderr.read()
        # a shell shows 130 for both: Python ends by the signal where Ctrl-C fell into code that the standard library runs from a string
        assert process.wait() in (130, -signal.SIGINT), stderr

        def gone() -> bool:
            try:
                os.killpg(process.pid, 0)
            except ProcessLookupError:
                return True
            return False

        until(gone, 30)
    assert "Traceback" not in stderr, stderr
    assert [line for line in stderr.splitlines() if not line.endswith(("elapsed", "left"))] == [INTERRUPTED]


def test_control_c_while_the_command_line_is_imported_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt")
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    ended = subprocess.run([*COMMAND, "list"], capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path})
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "isovist: interrupted.\n")


READ: dict[str, tuple[Words, int]] = {
    "help": (("--help",), 0),
    "no command": ((), 2),
    "list": (("list",), 0),
    "show": (("show", LETTERS), 0),
    "published-results": (("published-results", "cdr", "--json"), 0),
    "verify": (("verify", "DATA", "--workers", 1), 0),
    "mix --list-recipes": (("mix", "--list-recipes"), 0),
    "generate": (("generate", LETTERS, "--n", 2, "--workers", 1, "--out", "OUT"), 0),
    "a fault": (("verify", "none"), 2),
}


def words_of(name: str, data: Path, tmp_path: Path) -> list[object]:
    return [data if word == "DATA" else tmp_path / "out" if word == "OUT" else word for word in READ[name][0]]


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("both", [False, True], ids=["| head", "2>&1 | head"])
def test_a_reader_that_goes_away_changes_nothing(data: Path, tmp_path: Path, name: str, both: bool) -> None:
    command = ["isovist", *map(str, words_of(name, data, tmp_path))]
    with ExitStack() as streams, pytest.MonkeyPatch.context() as patched:
        for stream in ("stdout", "stderr")[: 1 + both]:
            reader, writer = os.pipe()
            os.close(reader)
            # nothing is left in stderr to be written at the end
            pipe = io.TextIOWrapper(os.fdopen(writer, "wb", -1 if stream == "stdout" else 0), "utf-8", write_through=stream == "stderr")
            patched.setattr(sys, stream, streams.enter_context(pipe))
        patched.setattr(sys, "argv", command)
        with pytest.raises(SystemExit) as ended:
            main()
        sys.stdout.flush()  # as at the end of a process
    assert ended.value.code == READ[name][1]


@pytest.mark.parametrize("name", ["generate", "a fault"])
def test_a_process_whose_readers_go_away_ends_as_any_other(data: Path, tmp_path: Path, name: str) -> None:
    command = [*COMMAND, *map(str, words_of(name, data, tmp_path))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stderr.close()
        assert process.wait() == READ[name][1]


def test_a_command_with_closed_streams_does_its_work(tmp_path: Path) -> None:
    """As a service manager may start it."""
    command = [*COMMAND, "generate", LETTERS, "--n", "2", "--workers", "1", "--out", str(tmp_path / "out")]
    ended = subprocess.run(["sh", "-c", '"$@" >&- 2>&-', "sh", *command], check=False)
    assert ended.returncode == 0
    assert (tmp_path / "out" / "isovist.json").exists()
