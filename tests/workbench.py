"""What several tests use: the command line in this process and in one of its own, and files to look into and to spoil."""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from isovist.cli import main
from isovist.core.task import Task
from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import Manifest
from isovist.data.dataset.rows import SCHEMA, ItemRow
from isovist.suites import registry

COMMAND = (sys.executable, "-m", "isovist")
RUN = "run.json"
RECORDS = "records.jsonl"

# A command in this process starts no others unless a test says `--workers`: they take longer to start than to make what tests need
os.sched_getaffinity = lambda pid: {0}  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


def isovist(*args: object) -> Ended:
    """Runs the command line in this process, with the exit code and the words that a shell would see."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["isovist", *map(str, args)]
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as exit_:
        code = exit_.code
    else:
        code = 0
    finally:
        sys.argv = before
    return Ended(int(code or 0), out.getvalue(), err.getvalue())


def done(*args: object) -> Ended:
    """Runs a command that is expected to succeed."""
    ended = isovist(*args)
    assert ended.code == 0, ended
    return ended


def spawned(*args: object, timeout: float = 300, cwd: Path | None = None, **env: str) -> Ended:
    """Runs the command line in a process of its own."""
    completed = subprocess.run(
        [*COMMAND, *map(str, args)], capture_output=True, text=True, timeout=timeout, check=False, cwd=cwd, env={**os.environ, **env}
    )
    return Ended(completed.returncode, completed.stdout, completed.stderr)


def with_room(size: int, *args: object) -> Ended:
    """Runs the command line as on a full disk: it can write no more than `size` bytes into a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python itself must write nothing: half a compiled module would stay behind and break every later import
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        return isovist(*args)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = before


@contextmanager
def started(*args: object, **env: str) -> Generator[subprocess.Popen[str]]:
    """Starts the command line in a process group of its own, as a shell does, and ends what is left of it."""
    with (
        tempfile.TemporaryFile("w+") as out,
        subprocess.Popen(
            [*COMMAND, *map(str, args)], stdout=out, stderr=subprocess.PIPE, text=True, start_new_session=True, env={**os.environ, **env}
        ) as process,
    ):
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def until(true: Callable[[], object], seconds: float = 180) -> None:
    """Waits until something is true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"not true after {seconds} s"
        time.sleep(0.01)


def refused(ended: Ended, *words: str) -> str:
    """Asserts that a command refused its input as every command does: exit code 2, one line, nothing on stdout."""
    assert ended.code == 2, ended
    assert ended.out == "", ended.out
    assert ended.err.startswith("isovist: "), ended.err
    assert ended.err.count("\n") == 1, ended.err
    for word in words:
        assert word in ended.err, f"{word!r} is not in {ended.err!r}"
    return ended.err


def install(monkeypatch: pytest.MonkeyPatch, *tasks: Task[Any]) -> None:
    """Lets the registry know these tasks for the time of a test, in this process."""
    registered = registry.tasks() | {task.id: task for task in tasks}
    monkeypatch.setattr(registry, "tasks", lambda: registered)
    monkeypatch.setattr(registry, "find", registered.get)


def stored(data: Path, *tasks: str) -> list[ItemRow]:
    """The rows of a data folder."""
    manifest = Manifest.read(data)
    return list(load(data, [part for part in manifest.parts if not tasks or part.task in tasks]))


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def records(run: Path) -> list[dict[str, Any]]:
    """The records of a run as they stand."""
    return [json.loads(line) for line in (run / RECORDS).read_bytes().splitlines()]


def verdicts(run: Path) -> dict[str, tuple[str, float]]:
    """Outcome and credit of the last record of each item."""
    return {record["item_id"]: (record["outcome"], record["credit"]) for record in records(run)}


def parquet(folder: Path, task: str, split: str = "test") -> Path:
    """The one file of a small part of a data folder."""
    (path,) = (folder / task).glob(f"{split}-*.parquet")
    return path


def spoil(path: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Writes a Parquet file again after `change` has changed its rows."""
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), path)


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Writes a JSON file again after `change` has changed its object."""
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def write_records(run: Path, new_records: Sequence[dict[str, Any]]) -> None:
    """Puts these records in the place of those of a run."""
    (run / RECORDS).write_text("".join(json.dumps(record) + "\n" for record in new_records), encoding="utf-8")
