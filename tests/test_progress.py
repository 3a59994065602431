"""Progress: a bar at a terminal; in a log plain lines now and then, and none from a command that is soon done."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import termios
from collections import Counter
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from published_sets import srbench
from workbench import COMMAND, Ended, done, spawned, until

from isovist.cli import study as study_command
from isovist.common import progress
from isovist.common.progress import SECONDS, Progress
from isovist.evaluation.console import Console
from isovist.evaluation.models import GenerationConfig, model
from isovist.evaluation.prepare import Work
from isovist.evaluation.run.cost_estimate import CostEstimate
from isovist.evaluation.run.fixed_trials import fixed_trials
from isovist.evaluation.run.pricing import RunLimits
from isovist.evaluation.run.run_folder import RunFolder
from isovist.evaluation.send import send
from isovist.people.study.plan import WELCOME, StudyPlan

LETTER = "cdr/step-cell-letter"
LINE = re.compile(r"[a-zA-Z/ -]+: (?:[\d,]+ of [\d,]+ [a-z]+ \(\d+%\)|[\d,]+ [a-z]+|\d+:\d\d elapsed)")


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


# One line -----------------------------------------------------------------------------------------------------------


def test_a_line_has_done_total_rate_and_the_time_that_is_left() -> None:
    clock = Clock()
    with Progress(4400, "item", "generate", clock=clock, interval=0) as bar:
        clock.now += 30
        bar.update(1200)
        assert bar.line() == "generate: 1,200 of 4,400 items (27%), 40.0 items/s, 0:30 elapsed, 1:20 left"
        bar.update(failed=True, cost_usd=2.504)
        assert "(27%), 40.0 items/s, 1 error, 2.50 USD, 0:30 elapsed, " in bar.line()
        bar.update(2, failed=True)
        bar.note("loss 0.5")
        assert ", 3 errors, loss 0.5, " in bar.line()
        clock.now += 3600
        bar.update(3197)
        assert bar.line() == "generate: 4,400 of 4,400 items (100%), 1.2 items/s, 3 errors, loss 0.5, 1:00:30 elapsed"


def test_a_slow_command_tells_seconds_and_an_unknown_total_no_share() -> None:
    clock = Clock()
    with Progress(None, "step", "train", clock=clock, interval=0) as bar:
        assert bar.line() == "train: 0:00 elapsed"
        clock.now += 20
        bar.update(4)
        assert bar.line() == "train: 4 steps, 5.0 s per step, 0:20 elapsed"
        bar.total = 10
        assert bar.line() == "train: 4 of 10 steps (40%), 5.0 s per step, 0:20 elapsed, 0:30 left"


# When lines come ----------------------------------------------------------------------------------------------------


def written(err: io.StringIO) -> list[str]:
    return err.getvalue().splitlines()


def test_lines_come_by_the_clock_also_when_nothing_is_done() -> None:
    """A log shows that a command waits: for a server, or for a step that counts nothing."""
    err = io.StringIO()
    with redirect_stderr(err), progress.stage("reading the runs"), Progress(5, desc="run", interval=0.05):
        until(lambda: len(written(err)) >= 3)
    assert {re.sub(r"\d", "0", line) for line in written(err)} == {"run: 0 of 0 items (0%), 0:00 elapsed"}


def test_what_was_on_record_makes_no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that goes on passes a thousand items at once: the time left is that of the others."""
    err = io.StringIO()
    with redirect_stderr(err), Progress(1010, desc="run", interval=0.2) as bar:
        bar.update(1000)
        until(lambda: written(err))
        assert "left" not in written(err)[0]
        bar.update(1)
        now = len(written(err))
        until(lambda: len(written(err)) > now)
        (rate,) = re.findall(r"([\d.]+) (?:items/s|s per item)", written(err)[now])
        assert float(rate) < 100


def test_a_short_command_writes_no_line_and_a_long_one_a_last_one() -> None:
    err = io.StringIO()
    with redirect_stderr(err), Progress(5, desc="run", interval=30) as bar:
        bar.update(5)
    assert written(err) == []
    with redirect_stderr(err), Progress(5, desc="run", interval=0.3) as bar:
        until(lambda: bar.line().endswith("elapsed") and written(err))
        bar.update(5)
    assert written(err)[-1].startswith("run: 5 of 5 items (100%), ")


@pytest.mark.parametrize(("setting", "seconds"), [("", 30), ("soon", 30), ("nan", 30), ("inf", 30), ("2.5", 2.5), ("0", 0)])
def test_the_time_between_lines_is_set_in_the_environment(monkeypatch: pytest.MonkeyPatch, setting: str, seconds: float) -> None:
    monkeypatch.setenv(SECONDS, setting)
    assert progress._seconds() == seconds


def test_a_log_that_nobody_reads_any_more_stops_no_command() -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    with redirect_stderr(Closed()), Progress(5, desc="run", interval=0.01) as bar:
        until(bar._ended.is_set)
        bar.update(5)


# Commands -----------------------------------------------------------------------------------------------------------


def test_a_command_writes_lines_to_a_log_and_its_results_to_stdout(tmp_path: Path) -> None:
    ended = spawned("generate", LETTER, "--n", 400, "--workers", 1, "--out", tmp_path / "out", ISOVIST_PROGRESS_SECONDS="0.1")
    *_, last = ended.err.splitlines()
    assert all(LINE.match(line) and line.startswith("generate: ") for line in ended.err.splitlines()), ended.err
    assert last.startswith("generate: 400 of 400 items (100%), ")
    assert "elapsed" not in ended.out
    assert "\r" not in ended.err


def test_a_terminal_gets_the_bar(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = [*COMMAND, "generate", LETTER, "--n", "8", "--workers", "1", "--out", tmp_path / "out"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, SECONDS: "0.01"}) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
    os.close(ours)
    assert process.returncode == 0
    assert b"8/8" in shown
    assert b"\r" in shown
    assert b"elapsed" not in shown


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECONDS, "0.001")


def shown(ended: Ended) -> set[str]:
    """The names of what told its progress."""
    assert ended.code == 0, ended
    return {line.partition(":")[0] for line in ended.err.splitlines() if LINE.match(line) and line.endswith(("elapsed", "left"))}


@pytest.mark.usefixtures("often")
def test_every_long_command_tells_how_far_it_is(data: Path, tmp_path: Path) -> None:
    out = tmp_path
    ways: dict[str, tuple[object, ...]] = {
        "generate": ("generate", LETTER, "--n", 4, "--workers", 1, "--out", out / "generate"),
        "run": ("run", "--data", data, "--model", "simulated/oracle", "--out", out / "run"),
        "verify": ("verify", data, "--workers", 1),
        "audit": ("audit", LETTER, "--n", 40),
        LETTER: ("audit", LETTER, "--check-keys", 2000),
        "gallery": ("gallery", LETTER, "--samples", 40, "--out", out / "gallery"),
        "export": ("export", data, "--format", "lmms-eval", "--out", out / "export"),
        "import srbench": ("import", "srbench", srbench(out / "set"), "--out", out / "import"),
        "report": ("report", out / "run", "--out", out / "report"),
    }
    for name, words in ways.items():
        assert name in shown(done(*words)), name
    assert "writing the tables" in shown(done("report", out / "run", "--out", out / "report"))
    (out / "mix.toml").write_text(f'[[parts]]\ntasks = ["{LETTER}"]\nn = 40\nreasoning = 0\n')
    # "mix" until the first example, which may take less than the interval
    assert {"mix", "examples"} & shown(done("mix", out / "mix.toml", "--workers", 1, "--out", out / "mix"))


@pytest.mark.usefixtures("often")
def test_a_study_tells_how_far_its_preparation_is(data: Path, tmp_path: Path) -> None:
    err = io.StringIO()
    with redirect_stderr(err):
        study_command._opened(StudyPlan.of(data, (), "test", 4, 1, 0, WELCOME), tmp_path)
    assert "reading the items" in shown(Ended(0, "", err.getvalue()))


def test_only_one_module_draws_bars() -> None:
    """So that every command has lines in a log as well, also those that need weights, services or people."""
    folder = Path(progress.__file__).parents[1]
    assert [path.name for path in folder.rglob("*.py") if "from tqdm" in path.read_text(encoding="utf-8")] == ["progress.py"]
    commands = (f"cli/{name}.py" for name in ("train", "street_views", "text_to_image", "draft_questions"))
    for name in (*commands, "data/importers/panoramas/importer.py"):
        assert "with Progress(" in (folder / name).read_text(encoding="utf-8"), name


def test_a_run_counts_each_item(oracle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the items that were scored before."""
    folder, counted = RunFolder(oracle), Counter[bool]()
    monkeypatch.setattr(Progress, "update", lambda self, n=1, *, failed=False, cost_usd=None: counted.update({failed: n}))
    work = Work(folder, folder.info(), fixed_trials(folder, folder.info()))
    summary = send(work, model("simulated/oracle", GenerationConfig()), RunLimits(), CostEstimate(), Console(shown=False))
    assert counted == {False: summary.total}
    assert summary.outcomes == {"correct": summary.total}
