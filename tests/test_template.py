"""`isovist new-task`: what it writes is a task that passes, under any name it takes; names it cannot serve are refused."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from test_plug_ins import forget
from workbench import contents, done, isovist, refused, spawned

from isovist.audit.testing import conformance
from isovist.cli.new_task import command
from isovist.core.task import Task
from isovist.suites import registry

ROOT = Path(__file__).parent.parent
NAME = "my-suite2/second-nearest-dot-3"
MODULE = "second_nearest_dot_3"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new task, in a folder that was not there."""
    new = tmp_path_factory.mktemp("template") / "deep" / "new"
    done("new-task", NAME, "--dir", new)
    return new


@pytest.fixture(scope="module")
def task(folder: Path) -> Task[object]:
    spec = importlib.util.spec_from_file_location(MODULE, folder / f"{MODULE}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[MODULE] = module  # where its dataclass looks for its own module
    spec.loader.exec_module(module)
    del sys.modules[MODULE]
    return module.TASK


# ---- what is written ------------------------------------------------------------------------------------------------


def test_two_files_are_written_and_named(tmp_path: Path) -> None:
    lines = done("new-task", NAME, "--dir", tmp_path).out.splitlines()
    assert lines[:2] == [str(tmp_path / f"{MODULE}.py"), str(tmp_path / f"test_{MODULE}.py")]
    assert set(contents(tmp_path)) == {f"{MODULE}.py", f"test_{MODULE}.py"}


def test_no_word_of_the_template_is_left(folder: Path, task: Task[object]) -> None:
    for path in folder.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not any(mark in text for mark in ("SUITE", "MODULE"))
    assert task.id == NAME
    assert f"from {MODULE} import TASK" in (folder / f"test_{MODULE}.py").read_text(encoding="utf-8")


def test_the_new_task_states_at_most_13_things(folder: Path) -> None:
    (call,) = re.findall(r"^TASK = Task\(\n(.+?)^\)", (folder / f"{MODULE}.py").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(re.findall(r"^    \w+=", call, re.MULTILINE)) <= 13


@pytest.mark.parametrize("check", conformance.CHECKS, ids=lambda check: check.__name__)
def test_the_new_task_conforms(task: Task[object], check: conformance.Check) -> None:
    check(task)


def test_the_task_of_the_tutorial_has_no_shortcut(task: Task[object]) -> None:
    """Another name gives other items; the tutorial reports that all checks pass with this one."""
    conformance.no_shortcut_beats_chance(replace(task, id="mysuite/nearest-dot"))


def test_the_test_of_the_new_task_runs_every_check(folder: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", "--rootdir", folder, folder],
        capture_output=True, text=True, check=False, cwd=folder,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
    assert all(f"test_conformance[{check.__name__}]" in ran.stdout for check in conformance.CHECKS)


@pytest.mark.parametrize("step", [("check", "-"), ("format", "--check", "-")], ids=lambda step: step[0])
def test_the_new_task_keeps_the_rules_of_the_house(folder: Path, step: tuple[str, ...]) -> None:
    """As if it stood in its suite; the file is the model for those who add tasks."""
    for path, place in ((f"{MODULE}.py", f"src/isovist/suites/cdr/{MODULE}.py"), (f"test_{MODULE}.py", f"tests/test_{MODULE}.py")):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", *step[:-1], "--stdin-filename", ROOT / place, "-"],
            input=(folder / path).read_text(encoding="utf-8"), capture_output=True, text=True, check=False, cwd=ROOT,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_printed_lines_let_isovist_find_the_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry point is taken from what the command prints, and a package is installed that names it."""
    package = tmp_path / "yourpackage"
    output = done("new-task", NAME, "--dir", package).out
    (group,) = tomllib.loads(output[output.index("  [") :])["project"]["entry-points"].items()
    assert group == (registry.ENTRY_POINT, {MODULE: f"yourpackage.{MODULE}"})
    (package / "__init__.py").write_text("")
    installed = tmp_path / "yourpackage-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: yourpackage\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(f"[{group[0]}]\n{MODULE} = {group[1][MODULE]}\n")
    monkeypatch.syspath_prepend(tmp_path)
    forget(tmp_path)
    try:
        (entry,) = (row for row in json.loads(done("list", "--json").out) if row["id"] == NAME)
        assert (entry["suite"], entry["version"], entry["answer_type"]) == ("my-suite2", 1, "choice")
        done("generate", NAME, "--n", "3", "--out", tmp_path / "data")
        assert done("verify", tmp_path / "data").out == "3 rows, 0 differ\n"
    finally:
        sys.path.remove(str(tmp_path))
        forget(tmp_path)


# ---- the printed command of its test ----------------------------------------------------------------------------------


def printed(output: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs the printed command as a shell does, but for one check: that it finds the task is what differs from place to place."""
    (line,) = (line for line in output.splitlines() if line.startswith("Next: "))
    command = f"{line.removeprefix('Next: ')} -q -p no:cacheprovider -k it_describes_itself"
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")} | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=False, cwd=cwd, env=env)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout, as far as a task needs it."""
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "src", root / "src")
    shutil.copy(ROOT / "pyproject.toml", root)
    return root


@pytest.mark.parametrize(("place", "absolute"), [("cdr", False), ("my-suite2", False), ("new/deep", True)])
def test_the_printed_command_tests_a_task_in_the_suites_of_a_checkout(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, place: str, absolute: bool
) -> None:
    monkeypatch.chdir(checkout)
    folder = Path("src", "isovist", "suites", *place.split("/"))
    name = f"my-suite2/dot-{len(place)}"
    output = done("new-task", name, "--dir", checkout / folder if absolute else folder).out
    ran = printed(output, checkout)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    ruff = subprocess.run([sys.executable, "-m", "ruff", "check", folder], capture_output=True, text=True, check=False)
    assert ruff.returncode == 0 or place == "my-suite2", ruff.stdout  # its name is no module's, which ruff tells
    assert "pyproject.toml" not in output  # Isovist finds it there
    assert f"isovist show {name}" in output
    shown = spawned("list", name, PYTHONPATH=str(checkout / "src"))
    assert shown.out.split()[:1] == [name], shown.err


@pytest.mark.parametrize(
    ("place", "absolute", "mode"),
    [
        ("plain", False, "prepend"),
        ("with a space", True, "prepend"),
        (".", False, "importlib"),
        ("package", True, "importlib"),
        ("package/inner/most", False, "prepend"),
    ],
)
def test_the_printed_command_tests_a_task_in_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, absolute: bool, mode: str
) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = --import-mode={mode}\n")
    monkeypatch.chdir(tmp_path)
    output = done("new-task", NAME, "--dir", tmp_path / place if absolute else place).out
    ran = printed(output, tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    package = place.replace("/", ".") if place.startswith("package") else "yourpackage"
    assert output.splitlines()[-1] == f'  {MODULE} = "{package}.{MODULE}"'


def test_a_name_that_another_task_or_package_has_is_refused(tmp_path: Path) -> None:
    """Two tasks of one name would stop every command; a module called as an installed one would hide it from its test."""
    refused(isovist("new-task", "cdr/relative-compass-letter", "--dir", tmp_path / "out"), "Task already exists")
    refused(isovist("new-task", "mysuite/numpy", "--dir", tmp_path / "out"), "installed package: mysuite/numpy")
    assert contents(tmp_path) == {}


# ---- names ----------------------------------------------------------------------------------------------------------

BAD = (
    "nearest-dot",
    "mysuite/",
    "/nearest-dot",
    "mysuite/nearest_dot",
    "mysuite/Nearest-Dot",
    "MySuite/nearest-dot",
    "mysuite/nearest dot",
    "mysuite/nearest--dot",
    "mysuite/-dot",
    "mysuite/dot-",
    "mysuite/2dots",  # a module does not start with a digit
    "mysuite/a/b",
    "mysuite\\nearest-dot",
    "mysuite/nearest.dot",
    "../mysuite/dot",
    "mysuite/..",
    "mysuite/dot\n",
    "mysuite/dot\x00",
    "mysuite/punkt-für-punkt",
    "mysuite/٣",
    "mysuite/dot@1",
    "*/dot",
    "",
)


@pytest.mark.parametrize("name", BAD, ids=repr)
def test_a_bad_name_is_refused_and_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    for where in ((), ("--dir", tmp_path / "new")):
        refused(isovist("new-task", name, *where), "suite/task in kebab case")
    assert list(tmp_path.iterdir()) == []


# a keyword of Python, and modules that stand before one's own where tests run
@pytest.mark.parametrize("name", ["mysuite/class", "mysuite/isovist", "mysuite/random", "mysuite/a1", "my-2nd-suite/dot-2-dot"])
def test_a_name_that_is_taken_makes_a_test_that_python_can_import(tmp_path: Path, name: str) -> None:
    """What no import can reach is refused, and nothing is written."""
    ended = isovist("new-task", name, "--dir", tmp_path)
    if ended.code == 0:
        module = name.partition("/")[2].replace("-", "_")
        ran = subprocess.run(
            [sys.executable, "-c", f"import random, test_{module}"], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert ran.returncode == 0, ran.stderr.splitlines()[-1]
    else:
        refused(ended, name)
        assert list(tmp_path.iterdir()) == []


def test_a_name_is_needed() -> None:
    refused(isovist("new-task"), "SUITE/TASK")


def test_the_help_tells_where_the_file_belongs() -> None:
    output = done("new-task", "--help").out
    assert "src/isovist/suites/SUITE" in output
    assert registry.ENTRY_POINT in output
    assert command.name == "new-task"
