"""A run that was killed, stopped, cut off or short of room loses nothing: the same command asks what is missing."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import N
from scripted import Asked, Book, Said, Server, serving
from workbench import (
    RECORDS,
    RUN,
    Ended,
    contents,
    done,
    edit,
    isovist,
    records,
    refused,
    started,
    stored,
    until,
    verdicts,
    with_room,
    write_records,
)

from isovist.evaluation.run.fixed_trials import fixed_trials
from isovist.evaluation.run.run_folder import RunFolder

Copy = Callable[[Path], Path]
AGAIN = ("run", "cdr/relative-*-letter", "--n", 8, "--model", "simulated/oracle", "--workers", 1)


def lines(run: Path) -> int:
    return (run / RECORDS).read_bytes().count(b"\n") if (run / RECORDS).exists() else 0


@pytest.mark.parametrize("keep", [0.0, 0.001, 0.3, 0.5, 0.77, 0.999, 1.0])
def test_records_cut_off_anywhere_are_completed(oracle: Path, copied: Copy, keep: float) -> None:
    run = copied(oracle)
    whole, before = verdicts(run), (run / RECORDS).read_bytes()
    cut = before[: round(len(before) * keep)]
    (run / RECORDS).write_bytes(cut)
    kept = cut.count(b"\n")
    ended = done(*AGAIN, "--out", run)
    assert f"16 items (16 correct), {16 - kept} evaluated now" in ended.out
    assert (f"{kept} items already evaluated" in ended.err) == (kept > 0)
    after = (run / RECORDS).read_bytes()
    assert after.startswith(cut[: cut.rfind(b"\n") + 1])  # whole records stay as they are
    assert len(records(run)) == 16
    assert verdicts(run) == whole


def test_records_cut_off_inside_a_letter_of_two_bytes_are_completed(tmp_path: Path) -> None:
    """A crash stops a write at any byte."""
    command = ("run", "cdr/relative-spatial-letter", "--n", 4, "--model", "simulated/constant:süd", "--out", tmp_path)
    done(*command)
    before = (tmp_path / RECORDS).read_bytes()
    (tmp_path / RECORDS).write_bytes(before[: before.rindex("ü".encode()) + 1])
    done("report", tmp_path, "--out", tmp_path / "report")
    assert "1 evaluated now" in done(*command).out
    assert len(records(tmp_path)) == 4


def test_a_finished_run_asks_nothing_and_appends_nothing(oracle: Path, copied: Copy) -> None:
    run = copied(oracle)
    before = (run / RECORDS).read_bytes()
    assert "16 items (16 correct), 0 evaluated now" in done(*AGAIN, "--out", run).out
    assert (run / RECORDS).read_bytes() == before


DAMAGE = {
    "no JSON": b"lorem ipsum\n",
    "an empty line": b"\n",
    "another object": b'{"hello": "world"}\n',
    "a list": b"[1, 2]\n",
    "no UTF-8": b'{"item_id": "\xff\xfe"}\n',
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_line_is_named_and_nothing_is_lost(oracle: Path, tmp_path: Path, copied: Copy, name: str) -> None:
    run = copied(oracle)
    whole = (run / RECORDS).read_bytes().splitlines(keepends=True)
    (run / RECORDS).write_bytes(b"".join([*whole[:6], DAMAGE[name], *whole[6:]]))
    before = contents(run)
    for command in (("report", run, "--out", tmp_path / "report"), ("rescore", run), (*AGAIN, "--out", run)):
        refused(isovist(*command), f"{run / RECORDS}, line 7")
    assert contents(run) == before


WRONG = {
    "credit": "one",
    "outcome": "excellent",
    "parsed_answer": 5,
    "item_id": 5,
    "response": None,
    "usage": [],
    "attempt": "first",
    "latency_s": "long",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_record_with_a_value_of_another_kind_is_named(oracle: Path, tmp_path: Path, copied: Copy, name: str) -> None:
    run = copied(oracle)
    run_records = records(run)
    run_records[6][name] = WRONG[name]
    write_records(run, run_records)
    refused(isovist("report", run, "--out", tmp_path / "report"), f"{run / RECORDS}, line 7")


def test_a_letter_that_is_no_option_is_not_counted_as_one(oracle: Path, tmp_path: Path, copied: Copy) -> None:
    """Whatever wrote the record: the report names it, or passes it over, and does not break."""
    run = copied(oracle)
    run_records = records(run)
    run_records[6]["parsed_answer"] = "ZZ"
    write_records(run, run_records)
    assert isovist("report", run, "--out", tmp_path / "report").code == 1
    assert isovist("report", run, "--no-verify", "--out", tmp_path / "report").code in (0, 2)


@pytest.fixture
def slow(data: Path) -> Iterator[Server]:
    """A server that knows the answers and takes its time."""
    book = Book(data)

    def answer(asked: Asked) -> Said:
        return Said(f"Answer: {book.row(asked).answer}", wait_s=0.03)

    with serving(answer) as server:
        yield server


def command(data: Path, server: Server, out: Path) -> tuple[object, ...]:
    return ("run", "--data", data, "--model", "slow", "--base-url", server.url, "--max-connections", 2, "--out", out)


def finished(ended: Ended, run: Path, data: Path, asked: int) -> None:
    assert ended.code == 0, ended
    assert f"slow: {3 * N} items ({3 * N} correct), {asked} evaluated now" in ended.out
    assert sorted(record["item_id"] for record in records(run)) == sorted(row.id for row in stored(data))
    assert len(verdicts(run)) == len(records(run)) == 3 * N


def test_a_killed_run_goes_on_where_it_stopped(data: Path, tmp_path: Path, slow: Server) -> None:
    with started(*command(data, slow, tmp_path)) as process:
        until(lambda: lines(tmp_path) >= 10)
        process.kill()
        assert process.wait() == -signal.SIGKILL
    kept = lines(tmp_path)
    assert 10 <= kept < 3 * N, "the server was too fast for this test"
    assert len(slow.asked) - kept <= 2 + 1  # no more is lost than was under way
    slow.asked.clear()
    finished(isovist(*command(data, slow, tmp_path)), tmp_path, data, 3 * N - kept)
    assert len(slow.asked) == 3 * N - kept


def test_control_c_ends_a_run_with_130(data: Path, tmp_path: Path) -> None:
    book, sent = Book(data), list[int]()

    def answer(asked: Asked) -> Said:
        if lines(tmp_path) >= 5 and not sent:
            sent.append(lines(tmp_path))
            os.kill(os.getpid(), signal.SIGINT)
        return Said(f"Answer: {book.row(asked).answer}", wait_s=0.03)

    with serving(answer) as slow:
        ended = isovist(*command(data, slow, tmp_path))
        assert ended.code == 130
        assert ended.err.splitlines()[-1] == "isovist: interrupted. Run the same command again to resume."
        kept = lines(tmp_path)
        assert 5 <= kept < 3 * N
        assert kept == len(slow.asked)  # also what arrived after the signal
        finished(isovist(*command(data, slow, tmp_path)), tmp_path, data, 3 * N - kept)


def test_a_stopped_run_ends_with_130_and_a_second_run_beside_it_is_refused(data: Path, tmp_path: Path) -> None:
    """As a scheduler stops it."""
    book, refused_beside = Book(data), threading.Event()

    def answer(asked: Asked) -> Said:
        if lines(tmp_path) >= 5:
            refused_beside.wait(60)  # the first run is still at work, however long the second takes to start
        return Said(f"Answer: {book.row(asked).answer}", wait_s=0.03)

    with serving(answer) as slow:
        _stopped(data, tmp_path, slow, refused_beside)


def _stopped(data: Path, tmp_path: Path, slow: Server, refused_beside: threading.Event) -> None:
    with started(*command(data, slow, tmp_path)) as process:
        until(lambda: lines(tmp_path) >= 5)
        beside = isovist(*command(data, slow, tmp_path))
        assert beside.code == 2
        assert "in use by another process" in beside.err
        os.killpg(process.pid, signal.SIGTERM)
        refused_beside.set()
        assert process.wait(30) == 130
        assert process.stderr is not None
        stderr_text = process.stderr.read()
    kept = lines(tmp_path)
    assert kept < 3 * N, "the server was too fast for this test"
    assert len(records(tmp_path)) == kept  # every line is whole
    finished(isovist(*command(data, slow, tmp_path)), tmp_path, data, 3 * N - kept)
    assert "Traceback" not in stderr_text
    assert stderr_text.strip().splitlines()[-1:] == ["isovist: interrupted. Run the same command again to resume."]


@pytest.mark.parametrize("exact", [False, True], ids=["inside a record", "between two records"])
def test_a_full_disk_is_one_line_and_leaves_whole_records(data: Path, tmp_path: Path, exact: bool) -> None:
    args = ("run", "--data", str(data), "--model", "simulated/oracle", "--max-connections", "1", "--out")
    done(*args, tmp_path / "whole")
    ends = [i + 1 for i, byte in enumerate((tmp_path / "whole" / RECORDS).read_bytes()) if byte == ord("\n")]
    limit = ends[20] if exact else ends[20] + 100
    run = tmp_path / "run"
    refused(with_room(limit, *args, run), str(run / RECORDS))
    assert lines(run) == 21
    assert all(json.loads(line) for line in (run / RECORDS).read_bytes().splitlines())
    assert f"{3 * N - 21} evaluated now" in done(*args, run).out
    assert verdicts(run) == verdicts(tmp_path / "whole")


def test_the_usage_of_a_killed_run_counts_the_images_of_all_sessions(oracle: Path, copied: Copy) -> None:
    run = copied(oracle)
    whole = json.loads((run / RUN).read_text())["usage"]
    write_records(run, records(run)[:5])
    edit(run / RUN, lambda info: info.update(usage=None, finished=""))
    done(*AGAIN, "--out", run)
    assert json.loads((run / RUN).read_text())["usage"] == whole


def test_a_long_run_is_estimated_from_a_sample(oracle: Path, copied: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of requests is exact and equal images give the exact number of tokens of images."""
    run = copied(oracle)
    info = RunFolder(run).info()
    (run / RECORDS).unlink()
    trials = fixed_trials(RunFolder(run), info)
    n_read: Counter[str] = Counter()
    every = trials.estimate(lambda: n_read.update(["every"]))
    monkeypatch.setattr("isovist.evaluation.run.fixed_trials._MOST", 4)
    monkeypatch.setattr("isovist.evaluation.run.fixed_trials._SAMPLE", 4)
    monkeypatch.setattr("isovist.evaluation.run.item_selection._CHUNK", 2)
    scaled = trials.estimate(lambda: n_read.update(["sample"]))
    assert scaled.is_sampled
    assert 0 < n_read["sample"] < n_read["every"] == every.requests == 16
    assert (scaled.requests, scaled.pictures, scaled.pixels) == (every.requests, every.pictures, every.pixels)
    assert abs(scaled.characters - every.characters) < 0.2 * every.characters

    async def count() -> int:
        n = 0
        while await trials.next():
            n += 1
        return n

    assert asyncio.run(count()) == 16
