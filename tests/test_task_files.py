"""Tasks that no registry knows: `Items` takes the object, and commands take the Python file."""

from __future__ import annotations

from pathlib import Path

import pytest
from workbench import done, isovist, refused

from isovist.data.items import Items
from isovist.suites import registry

FILE = """
from dataclasses import dataclass
from isovist.core.answers import Choice
from isovist.core.drawing2d import Circle, Drawing
from isovist.core.task import Answers, Question, Task

SIDES = ("left", "right")

@dataclass(frozen=True)
class Scene:
    side: int
    y: float

def rederive(pictures, text):
    return SIDES[pictures[0].shapes[0].center[0] > 0.5]

TASK = Task(
    id="mine/dot-side",
    version=1,
    summary="Name the side of a dot.",
    sample=lambda context: Scene(context.stratum, round(context.item_rng.uniform(0.2, 0.8), 3)),
    draw=lambda scene: (Drawing((Circle((0.25 + 0.5 * scene.side, scene.y), 0.1, "#000000"),)),),
    ask=lambda scene: Question("On which side is the dot?", Choice(SIDES, scene.side)),
    rederive=rederive,
    answers=Answers(type="choice", strata=2),
)
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(registry, "_tasks_of_files", {})
    path = tmp_path / "dot_side.py"
    path.write_text(FILE)
    return path


def test_items_of_an_unregistered_task(file: Path) -> None:
    (task,) = registry.load_file(str(file))
    registry.__dict__["_tasks_of_files"].clear()
    with pytest.raises(registry.UnknownTask):
        registry.task(task.id)
    item = Items(task, 2)[0]
    assert item.task is task
    assert [image.size for image in item.images] == [(200, 200)]
    assert item.answer.score(item.answer.canonical()).credit == 1
    assert task.rederive(item.pictures, item.prompt) == item.answer.balance_bin()


def test_a_command_takes_the_file(file: Path, tmp_path: Path) -> None:
    assert "On which side is the dot?" in done("show", file, "--index", 3).out
    assert done("run", file, "--n", 8, "--model", "simulated/oracle", "--workers", 1, "--out", tmp_path / "run").out
    done("generate", file, "--n", 2400, "--workers", 2, "--out", tmp_path / "data")  # two files: worker processes load the task
    assert done("verify", tmp_path / "data", "--workers", 2).out.splitlines()[-1] == "2400 rows, 0 differ"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "Task file does not exist"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def", "SyntaxError"),
        ("A = 1", "Task file defines no task"),
        (FILE.replace("mine/dot-side", "cdr/relative-compass-letter"), "Duplicate task id cdr/relative-compass-letter"),
    ],
)
def test_a_file_that_gives_no_task(file: Path, text: str | None, why: str) -> None:
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
    refused(isovist("show", file), str(file), why)
