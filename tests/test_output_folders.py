"""Commands that fill a folder: one at a time in each, and a card that is the same however the folder was filled."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from published_sets import srbench
from workbench import COMMAND, contents, done, isovist, refused, started, stored, until

from isovist.common.errors import UserError
from isovist.core.task import ItemAddress, Task
from isovist.data import items
from isovist.data.dataset.json_documents import PARTIAL
from isovist.data.dataset.partial_output import LOCK, locked

LETTERS, ICONS, SCENES = "cdr/relative-spatial-letter", "cdr/spatial-direction-icon", "srbench/orientation"
RECIPE = f'seed = 4\n[[parts]]\ntasks = ["{LETTERS}"]\nn = 8\nsettings = {{ size = 96 }}\n'


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


# One at a time ----------------------------------------------------------------------------------------------------


def test_a_second_generate_in_a_folder_is_one_line_and_leaves_the_first_alone(tmp_path: Path) -> None:
    out = tmp_path / "data"
    command = ("generate", LETTERS, ICONS, "--n", 200, "--workers", 1, "--out", out)
    with started(*command) as first:
        until((out / PARTIAL).exists)
        os.kill(first.pid, signal.SIGSTOP)
        try:
            for same in (command, ("generate", ICONS, "--n", 3, "--out", out)):
                refused(isovist(*same), str(out), "another isovist command", "Wait")
        finally:
            os.kill(first.pid, signal.SIGCONT)
        assert first.wait(120) == 0
    assert len(stored(out)) == 400
    assert hidden(out) == []
    assert done("verify", out, "--workers", 1).out == "400 rows, 0 differ\n"


def test_commands_that_start_at_once_leave_one_whole_folder(tmp_path: Path) -> None:
    out = tmp_path / "data"
    command = [*COMMAND, "generate", LETTERS, "--n", "40", "--workers", "1", "--out", str(out)]
    with ThreadPoolExecutor(3) as pool:
        ended = list(pool.map(lambda _: subprocess.run(command, capture_output=True, text=True, check=False), range(3)))
    codes = sorted(one.returncode for one in ended)
    assert codes[0] == 0, ended
    assert set(codes) <= {0, 2}, ended
    for one in ended:
        if one.returncode:
            assert "another isovist command" in one.stderr
            assert one.stderr.count("\n") == 1
    assert len(stored(out)) == 40
    assert hidden(out) == []


def test_a_folder_that_another_command_fills_is_left_to_it(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(RECIPE)
    published = srbench(tmp_path / "set")
    done("generate", LETTERS, "--split", "train", "--n", 3, "--workers", 1, "--out", tmp_path / "data")
    aside = tmp_path / ".new.isovist-import"
    for folder, command in (
        (tmp_path / "new", ("generate", LETTERS, "--n", 2)),
        (tmp_path / "new", ("mix", tmp_path / "mine.toml", "--workers", 1)),
        (aside, ("import", "srbench", published)),
        (aside, ("export", tmp_path / "data", "--format", "folder")),
    ):
        with locked(folder):
            refused(isovist(*command, "--out", tmp_path / "new"), str(tmp_path / "new"), "another isovist command")
            assert hidden(folder) == [LOCK]
        assert not folder.exists()
        done(*command, "--out", tmp_path / "new")
        assert hidden(tmp_path / "new") == hidden(tmp_path) == []
        shutil.rmtree(tmp_path / "new")


def test_a_lock_goes_with_the_process_that_held_it(tmp_path: Path) -> None:
    out = tmp_path / "data"
    command = ("generate", LETTERS, "--n", 400, "--workers", 1, "--out", out)
    with started(*command) as first:
        until((out / PARTIAL).exists)
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
    assert LOCK in hidden(out)
    done(*command)
    assert hidden(out) == []


def test_an_import_that_was_killed_leaves_nothing_to_the_next(tmp_path: Path) -> None:
    aside = tmp_path / ".out.isovist-import"
    (aside / "some" / "rows").mkdir(parents=True)
    (aside / "some" / "rows" / "0.parquet").write_bytes(b"half")
    done("import", "srbench", srbench(tmp_path / "set"), "--out", tmp_path / "out")
    assert hidden(tmp_path) == hidden(tmp_path / "out") == []
    assert not (tmp_path / "out" / "some").exists()


def test_a_lock_that_was_removed_meanwhile_holds_nothing(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(UserError, match="another isovist command"), locked(tmp_path, tmp_path / "other"):
        pass
    with locked(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b" / LOCK).exists()
    assert not (tmp_path / "a").exists()


# The card ---------------------------------------------------------------------------------------------------------


def test_the_card_makes_no_item_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    make = items.make_item
    monkeypatch.setattr(items, "make_item", lambda task, address: made.append(address.index) or make(task, address))
    done("generate", SCENES, "--n", 4, "--image-size", 200, "--workers", 1, "--out", tmp_path / "data")
    assert made.count(3) == 1
    assert "Meshes by" in (tmp_path / "data" / "README.md").read_text(encoding="utf-8")


def test_the_card_is_the_same_for_any_workers_and_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tasks at once in two processes, one after the other, and after an interruption."""

    def interrupted(task: Task[Any], address: ItemAddress) -> items.Item:
        if (task.id, address.index) == (ICONS, 3):  # the part of the scenes is written by then
            raise KeyboardInterrupt
        return make(task, address)

    make, size = items.make_item, ("--n", 4, "--image-size", 200)
    command = ("generate", SCENES, ICONS, *size)
    done(*command, "--workers", 1, "--out", tmp_path / "one")
    done(*command, "--workers", 2, "--out", tmp_path / "two")
    done("generate", ICONS, *size, "--workers", 1, "--out", tmp_path / "steps")
    done("generate", SCENES, *size, "--workers", 1, "--out", tmp_path / "steps")
    with monkeypatch.context() as patched:
        patched.setattr(items, "make_item", interrupted)
        assert isovist(*command, "--workers", 1, "--out", tmp_path / "interrupted").code == 130
    assert list((tmp_path / "interrupted" / PARTIAL).rglob("*.parquet"))
    done(*command, "--workers", 1, "--out", tmp_path / "interrupted")
    assert "Meshes by" in contents(tmp_path / "one")["README.md"].decode()
    for other in ("two", "steps", "interrupted"):
        assert contents(tmp_path / other) == contents(tmp_path / "one")


def test_a_card_says_how_many_items_are_distinct(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = items.make_item
    monkeypatch.setattr(items, "make_item", lambda task, address: make(task, task.address("test", address.level, 0, address.index % 6, {})))
    for task in (LETTERS, ICONS):
        assert isovist("generate", task, "--n", 8, "--workers", 1, "--out", tmp_path / "data").code == 0
    card = (tmp_path / "data" / "README.md").read_text(encoding="utf-8")
    assert f"- {LETTERS} (test): 6 distinct items of 8." in card
    assert f"- {ICONS} (test): 6 distinct items of 8." in card
    assert "practice" not in card


def test_a_card_names_levels_for_practice(tmp_path: Path) -> None:
    assert isovist("generate", "perceptv/layered-shapes", "--n", 20, "--workers", 1, "--out", tmp_path / "data").code == 0
    card = (tmp_path / "data" / "README.md").read_text(encoding="utf-8")
    assert "- perceptv/layered-shapes: level 1 is for practice. It has only about 18,000 distinct items in a split." in card
