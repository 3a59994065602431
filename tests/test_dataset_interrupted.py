"""A `generate` that is killed, stopped or short of room leaves no data set, and the same command finishes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from workbench import done, isovist, refused, started, stored, until, with_room

from isovist.data.dataset.json_documents import PARTIAL
from isovist.data.dataset.manifest import MANIFEST

TASKS = ("cdr/object-classification-letter", "cdr/relative-spatial-letter", "cdr/spatial-direction-icon")
N = 400


def command(out: Path, workers: int) -> tuple[object, ...]:
    return ("generate", *TASKS, "--n", N, "--workers", workers, "--out", out)


def finished(out: Path) -> dict[str, tuple[int, int]]:
    """The finished files by their place, each with its inode and time of writing."""
    files = (out / PARTIAL).rglob("*.parquet")
    return {str(path.relative_to(out / PARTIAL)): (path.stat().st_ino, path.stat().st_mtime_ns) for path in files}


def test_a_killed_run_is_no_data_set_and_the_same_command_finishes_it(tmp_path: Path) -> None:
    out = tmp_path / "data"
    with started(*command(out, 2)) as process:
        until(lambda: finished(out))
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    before = finished(out)
    assert 1 <= len(before) < len(TASKS), "the machine was too fast for this test: raise N"
    assert not (out / MANIFEST).exists()
    assert not (out / "README.md").exists()
    assert not (out / "cdr").exists()
    for reader in (("verify", out), ("run", "--data", out, "--model", "simulated/oracle", "--out", tmp_path / "run")):
        refused(isovist(*reader), "unfinished", "again")
    assert not (tmp_path / "run").exists()
    refused(isovist("generate", "cdr/relative-spatial-letter", "--n", 3, "--out", out), "another request")

    done(*command(out, 1))
    after = {name: ((out / name).stat().st_ino, (out / name).stat().st_mtime_ns) for name in before}
    assert after == before  # what was finished was not made again
    assert not (out / PARTIAL).exists()
    done("generate", *TASKS, "--n", N, "--workers", 1, "--out", tmp_path / "undisturbed")
    for row, undisturbed in zip(stored(out), stored(tmp_path / "undisturbed"), strict=True):
        assert row == undisturbed


def test_control_c_ends_with_130_and_says_that_the_same_command_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "data"
    with started(*command(out, 1)) as process:
        until(lambda: finished(out))
        os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to the whole group
        assert process.wait(30) == 130
        assert process.stderr is not None
        stderr = process.stderr.read()
    assert "Traceback" not in stderr
    assert not (out / MANIFEST).exists()
    done(*command(out, 1))
    assert len(stored(out)) == len(TASKS) * N
    assert stderr.strip() == "isovist: interrupted. Run the same command again to resume."


def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    args = ("generate", "cdr/relative-spatial-letter", "--n", "40", "--workers", "1", "--out", str(tmp_path / "data"))
    refused(with_room(20_000, *args))
    assert not list(tmp_path.rglob("*.parquet"))
    assert not list(tmp_path.rglob("*.tmp"))
    done(*args)
    assert len(stored(tmp_path / "data")) == 40


MEMORY = r"""
import pathlib, re, sys
from isovist.cli import main
sys.argv = ["isovist", "generate", "cdr/relative-compass-letter", "--n", sys.argv[1], "--workers", "1", "--out", sys.argv[2]]
try:
    main()
finally:
    # not ru_maxrss, which begins with what the tests' own process takes
    print(int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the most memory of a process alone")
def test_twenty_thousand_items_need_no_more_memory_than_a_few(tmp_path: Path) -> None:
    def peak(n: int) -> int:
        """Megabytes."""
        ended = subprocess.run([sys.executable, "-c", MEMORY, str(n), str(tmp_path / str(n))], capture_output=True, text=True, check=True)
        return int(ended.stdout.split()[-1])

    few, many = peak(1000), peak(20_000)
    assert many < 400
    assert many < few + 100, (few, many)
