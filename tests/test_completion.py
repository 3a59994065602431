"""Shell completion: the scripts, the names that fit, and what real shells make of them."""

from __future__ import annotations

import logging
import os
import pty
import re
import select
import shutil
import sys
import time
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest
from test_plug_ins import forget, install
from workbench import Ended, isovist, spawned

from isovist.cli import _COMMANDS as COMMANDS
from isovist.data.exporters.formats import FORMATS
from isovist.reporting.publication import RESULT_FORMATS
from isovist.suites import registry

LETTERS = "cdr/relative-compass-letter"
SHELLS = ("bash", "zsh", "fish")


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """A cache of names for these tests alone."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def told(**env: str) -> Ended:
    """What the command line answers a shell."""
    with pytest.MonkeyPatch.context() as patched:
        for name, value in env.items():
            patched.setenv(name, value)
        try:
            return isovist()
        finally:
            logging.disable(logging.NOTSET)  # it prints no warning into the line


def asked(shell: str, line: str) -> Ended:
    """What it answers a shell that completes the last word of a line."""
    words = line.split(" ")
    place = words[-1] if shell == "fish" else str(len(words) - 1)
    return told(COMP_WORDS=line, COMP_CWORD=place, _ISOVIST_COMPLETE=f"{shell}_complete")


def fits(shell: str, line: str) -> list[str]:
    """The values that it offers."""
    ended = asked(shell, line)
    assert (ended.code, ended.err) == (0, ""), ended
    lines = ended.out.splitlines()
    if shell == "zsh":  # three lines a value: type, value, help
        return [value.replace("\\:", ":") for value in lines[1::3]]
    return [line.partition(",")[2].partition("\t")[0] for line in lines if line]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_a_shell_is_printed(shell: str) -> None:
    ended = told(_ISOVIST_COMPLETE=f"{shell}_source")
    assert (ended.code, ended.err) == (0, "")
    assert "_isovist_completion" in ended.out
    assert f"_ISOVIST_COMPLETE={shell}_complete" in ended.out
    assert "Usage" not in ended.out


@pytest.mark.parametrize("instruction", ["tcsh_source", "bash", "bash_nope"])
def test_an_unknown_shell_is_one_line(instruction: str) -> None:
    ended = told(_ISOVIST_COMPLETE=instruction)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert f"_ISOVIST_COMPLETE={instruction}" in ended.err
    assert "bash_source, zsh_source or fish_source" in ended.err


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("isovist ", [*COMMANDS]),
        ("isovist re", ["release", "report", "rescore"]),
        ("isovist --ver", ["--version"]),
        ("isovist study s", ["serve", "status"]),
        ("isovist import ki", ["kitti"]),
        ("isovist import kitti x --l", ["--limit"]),
        ("isovist import spatialeval x --a", ["--all-tasks"]),
        ("isovist run --ad", ["--adaptive"]),
        ("isovist run cdr/step-", [id for id in registry.tasks() if id.startswith("cdr/step-")]),
        ("isovist list perceptv/*", ["perceptv/*"]),
        (f"isovist show {LETTERS[:-2]}", [LETTERS]),
        ("isovist run --model simulated/o", ["simulated/oracle"]),
        ("isovist run --model simulated/deficit:left", ["simulated/deficit:left-right"]),
        ("isovist text-to-image describe --model embedded", ["embedded/tiny"]),
        ("isovist export data --format ", [*FORMATS, *RESULT_FORMATS]),
        ("isovist generate cdr/* --split t", ["test", "train"]),
        ("isovist published-results c", ["cdr", "cospace"]),
        ("isovist mix cdr-b", ["cdr-base"]),
        ("isovist nope ", []),
        ("isovist verify nowhere ", []),
    ],
)
def test_what_fits_is_offered(shell: str, line: str, values: list[str]) -> None:
    if not values:
        ended = asked(shell, line)
        assert (ended.out.strip(), ended.err) == ("", "")
        return
    assert sorted(fits(shell, line)) == sorted(values)


def test_globs_of_every_suite_are_offered_where_several_tasks_may_be_named() -> None:
    offered = fits("fish", "isovist generate ")
    assert {f"{id.partition('/')[0]}/*" for id in registry.tasks()} <= set(offered)
    assert "*" not in "".join(fits("fish", "isovist show "))


def test_the_tasks_of_a_data_folder_are_offered_where_one_is_named(data: Path) -> None:
    stored = {"cdr/*", "cdr/object-classification-number", LETTERS, "cdr/spatial-direction-icon"}
    for line in (f"isovist verify {data} ", f"isovist run --data {data} ", f"isovist export {data} --tasks "):
        assert set(fits("zsh", line)) == stored, line


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_a_value_behind_an_equals_sign_keeps_its_option(shell: str) -> None:
    assert fits(shell, "isovist run --model=simulated/or") == ["--model=simulated/oracle"]


@pytest.mark.parametrize(
    ("line", "word", "values"),
    [
        ("isovist run --model simulated/deficit:left", "left", ["left-right"]),  # bash takes what is before the colon for another word
        (
            "isovist run --model simulated/deficit:left",
            "simulated/deficit:left",
            ["simulated/deficit:left-right"],
        ),  # as one that has been told not to
        ("isovist run --model=simulated/or", "simulated/or", ["simulated/oracle"]),
        ("isovist list perceptv/", "perceptv/", [r"perceptv/\*"]),
        ("isovist list 'perceptv/", "perceptv/", ["perceptv/*"]),
        ("isovist run 'cdr/*' --model simulated/or", "simulated/or", ["simulated/oracle"]),
    ],
)
def test_bash_is_told_what_stands_after_the_colon(line: str, word: str, values: list[str]) -> None:
    ended = told(ISOVIST_LINE=line, ISOVIST_WORD=word, _ISOVIST_COMPLETE="bash_complete")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[: len(values)] == [f"plain,{value}" for value in values]


# Real shells --------------------------------------------------------------------------------------------------------

START = {"bash": ("bash", "--norc", "--noprofile", "-i"), "zsh": ("zsh", "-f", "-i"), "fish": ("fish", "--no-config", "-i")}
SETUP = {
    "bash": 'eval "$(_ISOVIST_COMPLETE=bash_source isovist)"',
    "zsh": 'autoload -Uz compinit; compinit -D -u; eval "$(_ISOVIST_COMPLETE=zsh_source isovist)"',
    "fish": "_ISOVIST_COMPLETE=fish_source isovist | source",
}


def typed(shell: str, lines: Sequence[str], home: Path) -> list[list[str]]:
    """The words of each command when somebody types a line, presses the tab key and then enter."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(home)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        env = {**os.environ, "PATH": path, "HOME": str(home), "TERM": "xterm" if shell == "fish" else "dumb"}
        os.execvpe(START[shell][0], START[shell], env)
    shown = b""

    def until(mark: bytes) -> None:
        nonlocal shown
        end = time.monotonic() + 60
        while mark not in shown:
            assert time.monotonic() < end, shown
            if select.select([terminal], [], [], 0.2)[0]:
                new = os.read(terminal, 65536)
                shown += new
                if b"\x1b[c" in new:  # fish asks what the terminal can do
                    os.write(terminal, b"\x1b[?1;2c")

    try:
        os.write(terminal, f"{SETUP[shell]}; echo rea''dy\n".encode())
        until(b"ready\r")
        for number, line in enumerate(lines):
            time.sleep(0.3)  # the shell's prompt
            os.write(terminal, line.encode() + b"\t")
            if shell != "bash":  # bash reads what is typed next after the completion alone
                time.sleep(2)
            os.write(terminal, f"\x01printf '<%s>' do''ne{number} \n".encode())  # to the start of the line
            until(f"<done{number}><".encode())
        time.sleep(0.3)
        shown += os.read(terminal, 65536) if select.select([terminal], [], [], 0.5)[0] else b""
    finally:
        os.close(terminal)
        os.waitpid(child, 0)
    found = dict(re.findall(r"<done(\d+)>((?:<[^<>]*>)+)", shown.decode(errors="replace")))
    return [found[str(number)][1:-1].split("><") for number in range(len(lines))]


TYPED = {
    "isovist gen": ["isovist", "generate"],
    "isovist doc": ["isovist", "doctor"],
    "isovist run --model simulated/deficit:le": ["isovist", "run", "--model", "simulated/deficit:left-right"],
    "isovist run --model=simulated/deficit:le": ["isovist", "run", "--model=simulated/deficit:left-right"],
    "isovist run --model emb": ["isovist", "run", "--model", "embedded/tiny"],
    "isovist run --prompt-style dir": ["isovist", "run", "--prompt-style", "direct"],
    "isovist run 'cdr/step-c": ["isovist", "run", "cdr/step-cell-letter"],
    "isovist list cdr/step-c": ["isovist", "list", "cdr/step-cell-letter"],
    "isovist export x --format vlm": ["isovist", "export", "x", "--format", "vlmevalkit"],
    "isovist import kitti x --lim": ["isovist", "import", "kitti", "x", "--limit"],
}


@pytest.mark.parametrize("shell", ["bash", *(pytest.param(shell, marks=pytest.mark.slow) for shell in ("zsh", "fish"))])
def test_a_shell_puts_in_what_fits(tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    assert dict(zip(TYPED, typed(shell, [*TYPED], tmp_path), strict=True)) == TYPED


# Speed --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["isovist run cdr/st", "isovist run --model simulated/o", "isovist run --prompt-style d", "isovist re"])
def test_no_task_is_imported_once_the_names_are_known(line: str) -> None:
    fits("fish", line)
    words = line.split()
    ended = spawned(COMP_WORDS=line, COMP_CWORD=words[-1], _ISOVIST_COMPLETE="fish_complete", PYTHONPROFILEIMPORTTIME="1")
    imported = {line.rpartition("|")[2].strip() for line in ended.err.splitlines()}
    assert "isovist.cli" in imported
    assert not {"isovist.suites", "isovist.core.answers", "isovist.evaluation.models", "numpy", "pydantic"} & imported


def test_a_changed_plug_in_and_a_read_only_home_are_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def offered(line: str) -> list[str]:
        forget(tmp_path / "site")
        return fits("fish", line)

    assert offered("isovist run exam") == []
    source = (Path(__file__).parent.parent / "examples" / "plugin" / "isovist_example.py").read_text(encoding="utf-8")
    groups = {"isovist.tasks": {"dot": "plugged"}, "isovist.models": {"example": "plugged:TopPixel"}}
    install(tmp_path / "site", "plugged", groups, source)
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert offered("isovist run exam") == ["example/*", "example/higher-dot"]
    assert offered("isovist run --model exam") == ["example/"]
    (tmp_path / "site" / "plugged.py").write_text(source.replace("higher-dot", "other-dot"), encoding="utf-8")
    assert offered("isovist run exam") == ["example/*", "example/other-dot"]
    (tmp_path / "site" / "plugged.py").write_text("import not_installed_anywhere", encoding="utf-8")
    assert offered("isovist run exam") == []
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/no-such-folder")
    assert offered("isovist run cdr/step-c") == ["cdr/step-cell-letter"]
    sys.path.remove(str(tmp_path / "site"))
    forget(tmp_path / "site")
