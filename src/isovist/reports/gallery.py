"""A static page of every task, made from the registry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from isovist import attribution
from isovist.atomic_write import write_atomically
from isovist.core.answers import Choice
from isovist.core.task import Task
from isovist.items import Item, Items
from isovist.reference.shortcuts import lines
from isovist.render.image_encoding import png
from isovist.reports.html import anchor, environment


@dataclass(frozen=True, slots=True)
class _Shown:
    id: str
    level: str
    images: list[str]
    width: int
    question: str
    choices: tuple[str, ...]
    key: str
    reasoning: str | None


@dataclass(frozen=True, slots=True)
class _Entry:
    task: Task[Any]
    anchor: str
    items: list[_Shown]
    shortcuts: list[str]


def gallery(tasks: Sequence[Task[Any]], out: Path, samples: int = 6, progress: Callable[[], object] = lambda: None) -> Path:
    """Writes `index.html` and the pictures of some items of each task to the folder `out`; returns the page's path."""
    (out / "images").mkdir(parents=True, exist_ok=True)
    entries: list[_Entry] = []
    for task in tasks:
        entries.append(_Entry(task, anchor(task.id), [_shown(item, out) for item in _some(task, samples)], lines(task.id, task.version)))
        progress()
    page = (
        environment()
        .get_template("gallery.html.j2")
        .render(entries=entries, samples=samples, version=version("isovist"), credits=attribution.sentence())
    )
    write_atomically(out / "index.html", page)
    return out / "index.html"


def _some(task: Task[Any], n: int) -> list[Item]:
    """`n` items that go round the levels; of more levels than that only the first, the middle and the last."""
    levels = task.levels
    if len(levels) > n:
        levels = tuple(dict.fromkeys((levels[0], levels[(len(levels) - 1) // 2], levels[-1])))[:n]
    turns = [divmod(place, len(levels)) for place in range(n)]
    return sorted((Items(task, n, level=levels[turn])[index] for index, turn in turns), key=lambda item: task.levels.index(item.level))


def _shown(item: Item, out: Path) -> _Shown:
    names: list[str] = []
    pictures = item.pixels()
    for i, pixels in enumerate(pictures):
        name = f"images/{item.task.id.replace('/', '-')}-{item.level}-{item.index}-{i}.png"
        write_atomically(out / name, png(pixels))
        names.append(name)
    choices = item.answer.options if isinstance(item.answer, Choice) else ()
    width = min((320, *(pixels.shape[1] for pixels in pictures)))
    return _Shown(item.id, item.level, names, width, item.question.text, choices, item.answer.canonical(), item.reasoning)
