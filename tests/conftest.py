"""Folders that take a while to make and that many tests read: made once, never written to (`copied` gives a copy)."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from pathlib import Path

import certificates
import pytest
from hypothesis import HealthCheck, settings
from workbench import done

from isovist.common.private_seeds import VARIABLE

COMPILING = pytest.StashKey[subprocess.Popen[bytes]]()
RENDERS = "import isovist\nfor task in ('cospace/counting', 'srbench/spatial-relations'): isovist.generate(task, n=1)[0].images"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="ignore the certificates, and draw 100 random examples for each property")


def pytest_configure(config: pytest.Config) -> None:
    full = bool(config.getoption("--full"))
    settings.register_profile(
        "isovist",
        deadline=None,  # how long drawing takes tells of the machine and what else it does, not of the tests
        suppress_health_check=[HealthCheck.too_slow],
        max_examples=100 if full else 25,
        derandomize=not full,  # the same examples each time, so that a failing test fails at once for everybody
    )
    settings.load_profile("isovist")
    if full:
        os.environ[certificates.FULL_RUN] = "1"
    starts_workers = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if starts_workers and not any((certificates.SRC / "world" / "render").rglob("*.nbi")):
        # while they collect the tests; else each of them would compile the renderer
        config.stash[COMPILING] = subprocess.Popen([sys.executable, "-c", RENDERS], stderr=subprocess.DEVNULL)


def pytest_unconfigure(config: pytest.Config) -> None:
    if compiling := config.stash.get(COMPILING, None):
        compiling.kill()
        compiling.wait()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests of the items of tasks whose certificates are valid are left out."""
    tasks = {str(mark.kwargs["task"]) for mark in item.iter_markers("certified")}
    assert all(item.path in certificates.marked_tests().get(task, ()) for task in tasks), "the name of the task is written out in the mark"
    if tasks and all(certificates.standing(task) == certificates.VALID for task in tasks):
        pytest.skip("certified")


def pytest_collection_finish() -> None:
    """What stays until the end, a gigabyte of tests and modules, is not looked through for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many certificates were used, and which tasks ran in full."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports if isinstance(report, pytest.TestReport)]
    tested = sorted({str(value) for report in reports for name, value in report.user_properties if name == certificates.STANDING})
    by_standing = {
        standing: [line.partition(" ")[2] for line in tested if line.startswith(standing)] for standing in certificates.STANDINGS
    }
    if tested:
        valid, equal, in_full = (by_standing[standing] for standing in (certificates.VALID, certificates.EQUAL, certificates.FULL))
        lot = sorted(certificates.drawn_by_lot(certificates.commit()) & set(in_full))
        terminalreporter.write_line(f"Certificates of conformance: {len(valid)} valid, {len(equal)} with equal items")
        terminalreporter.write_line(f"In full: {len(in_full)} tasks, {len(lot)} of them chosen by the commit ({', '.join(lot) or 'none'})")
        if stale := [task for task in (*equal, *in_full) if task not in lot]:
            terminalreporter.write_line(f"Without a valid certificate: {', '.join(stale)}. Renew with `just certify`")


# Under `nohup`, or in the background of a script, SIGINT is ignored, and so it would be by every command that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)

TASKS = ("cdr/object-classification-number", "cdr/relative-compass-letter", "cdr/spatial-direction-icon")
N = 16
TASKS_OF_RELEASE = ("cdr/relative-compass-letter", "cdr/step-cell-letter", "perceptv/grid-path")
FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture(scope="session", autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """Where commands and browsers that tests kill leave what they had for the time being: pytest takes it away with the rest."""
    folder = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TMPDIR", str(folder))
        patched.setattr(tempfile, "tempdir", None)
        yield folder


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder: three tasks of three kinds of pictures."""
    folder = tmp_path_factory.mktemp("shared") / "data"
    done("generate", *TASKS, "--n", N, "--workers", 1, "--out", folder)
    return folder


@pytest.fixture(scope="session")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of the oracle over fresh items, which stand in the run's own folder."""
    folder = tmp_path_factory.mktemp("shared") / "oracle"
    done("run", "cdr/relative-*-letter", "--n", 8, "--model", "simulated/oracle", "--workers", 1, "--out", folder)
    return folder


@pytest.fixture(scope="session")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder made by hand, with six items of every kind of answer."""
    from study_data import write

    return write(tmp_path_factory.mktemp("shared") / "by-hand")


@pytest.fixture(scope="session", autouse=True)
def quiet() -> Generator[None]:
    """No lines of progress: how many there are tells of the machine."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ISOVIST_PROGRESS_SECONDS", "0")
        yield


@pytest.fixture(scope="module")
def real() -> Generator[str]:
    """The address of a llama.cpp server with a tiny vision model that knows nothing."""
    xllamacpp = pytest.importorskip("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(FIXTURES / "tiny-qwen2vl.gguf")
    params.mmproj.path = str(FIXTURES / "tiny-qwen2vl-mmproj.gguf")
    params.n_ctx, params.n_parallel, params.warmup, params.port = 4096, 1, False, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # more would wait busily for each other on the cores of other tests
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(scope="session", autouse=True)
def no_secret() -> Generator[None]:
    """No secret file of the person who runs the tests."""
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv(VARIABLE, raising=False)
        yield


@pytest.fixture(scope="session")
def definition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of few items: two tasks with the same images, and one with twenty levels."""
    path = tmp_path_factory.mktemp("release") / "tiny.toml"
    done("release", "new", "tiny-1", *TASKS_OF_RELEASE, "--short", 4, "--full", 8, "--seed", 7, "--workers", 1, "--out", path)
    return path


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[Path], Path]:
    """Makes a copy of a folder that a test may spoil."""

    def copy(folder: Path) -> Path:
        return Path(shutil.copytree(folder, tmp_path / "copy" / folder.name))

    return copy
