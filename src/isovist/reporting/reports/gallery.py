"""A static page with sample items of every task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isovist.common.atomic_write import write_atomically
from isovist.core.answers import Choice
from isovist.core.task import Task
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.data.reference.shortcuts import lines
from isovist.reporting.reports.html import environment
from isovist.reporting.reports.report_folder import unexpected_file, visible_files
from isovist.reporting.reports.table import anchor
from isovist.suites.abilities import ability_of
from isovist.world.render.image_encoding import png

PAGE = "index.html"
_MARK = "<title>Isovist gallery</title>"


@dataclass(frozen=True, slots=True)
class _Sample:
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
    ability: str
    items: list[_Sample]
    shortcuts: list[str]


def gallery(tasks: Sequence[Task[Any]], out: Path, samples: int = 6, progress: Callable[[], object] = lambda: None) -> Path:
    """Write `index.html` and the images of some items of each task to the folder `out`; returns the path of the page.

    Raises UserError for a folder with other files than an earlier gallery.
    """
    is_gallery = (out / PAGE).is_file() and _MARK in (out / PAGE).read_text(encoding="utf-8", errors="replace")
    if not is_gallery and (other := next(visible_files(out), None)):
        raise unexpected_file(out, other, "is not of a gallery")
    (out / "images").mkdir(parents=True, exist_ok=True)
    template = environment().get_template("gallery.html.j2")
    if not is_gallery:
        write_atomically(out / PAGE, template.render(entries=[], samples=samples))  # for the next command, if this one is interrupted
    entries: list[_Entry] = []
    for task in tasks:
        entries.append(
            _Entry(
                task,
                anchor(task.id),
                ability_of(task.id),
                [_sample(item, out) for item in _sample_items(task, samples)],
                lines(task.id, task.version),
            )
        )
        progress()
    write_atomically(out / PAGE, template.render(entries=entries, samples=samples))
    return out / PAGE


def _sample_items(task: Task[Any], n: int) -> list[Item]:
    """`n` items that cycle through the levels; of more than `n` levels, the first, the middle and the last one."""
    levels = task.levels
    if len(levels) > n:
        levels = tuple(dict.fromkeys((levels[0], levels[(len(levels) - 1) // 2], levels[-1])))[:n]
    addresses = [divmod(place, len(levels)) for place in range(n)]
    return sorted(
        (Items(task, n, level=levels[place])[index] for index, place in addresses), key=lambda item: task.levels.index(item.level)
    )


def _sample(item: Item, out: Path) -> _Sample:
    names: list[str] = []
    pictures = item.pixels()
    for i, pixels in enumerate(pictures):
        name = f"images/{item.task.id.replace('/', '-')}-{item.level}-{item.index}-{i}.png"
        write_atomically(out / name, png(pixels))
        names.append(name)
    choices = item.answer.options if isinstance(item.answer, Choice) else ()
    width = min((320, *(pixels.shape[1] for pixels in pictures)))
    return _Sample(item.id, item.level, names, width, item.question.text, choices, item.answer.canonical(), item.reasoning)
