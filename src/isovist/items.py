"""Items as their users see them: with images and a prompt, made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from isovist import prompts, registry, render
from isovist.core import task as core
from isovist.core.task import ItemAddress, Task, Value

if TYPE_CHECKING:
    from PIL.Image import Image

    from isovist.render.rasterizer2d import Pixels


@dataclass(frozen=True)
class Item(core.Item):
    """One question about its pictures, with its key.

    Beside `images` and `prompt` it has `id`, `task`, `version`, `level`, `split`, `seed`, `index`, `group`, `scene`,
    `question` and `answer`; `answer.score(reply)` scores a model's reply.
    """

    @property
    def size(self) -> int:
        """Pixels of a unit of its drawings, and of the shorter side of its stages."""
        given = dict(self.address.settings).get("size")
        return registry.task(self.task).image_size_px if given is None else int(given)

    @cached_property
    def images(self) -> list[Image]:
        """The pictures as PIL images, RGB."""
        return [render.image(picture, self.size) for picture in self.pictures]

    def pixels(self, renderer: str = render.RASTER) -> list[Pixels]:
        """The pictures as arrays, shape (height, width, 3), 8-bit RGB."""
        return [render.pixels(picture, self.size, renderer) for picture in self.pictures]

    @cached_property
    def prompt(self) -> str:
        """The words for a model, in the default style, with one ``<image>`` for each picture."""
        return prompts.prompt(self.question.text, self.answer, len(self.pictures))

    @property
    def reasoning(self) -> str | None:
        """A chain of thought that leads to the answer, if the task has one."""
        explain = registry.task(self.task).chain_of_thought
        return explain(self.scene) if explain else None


_FIELDS = tuple(f.name for f in fields(core.Item))


def make(task: Task[Any], address: ItemAddress) -> Item:
    """The item at an address. Raises ValueError for the address of another task or version."""
    made = core.make_item(task, address)
    return Item(**{name: getattr(made, name) for name in _FIELDS})


def item(id: str) -> Item:
    """The item with this id, made anew. Raises ValueError if it is no id, of another version, or comes out different."""
    address = ItemAddress.parse(id)
    task = registry.task(address.task)
    if address.version != task.version:
        raise ValueError(f"{id}: made by version {address.version} of {task.id}; this Isovist has version {task.version}")
    full_address = task.address(address.split, address.level, address.seed, address.index, dict(address.settings))
    made = make(task, full_address)
    if "#" in id and made.id != id:
        raise ValueError(f"{id}: the item at this address is {made.id}")
    return made


@dataclass(frozen=True)
class Items(Sequence[Item]):
    """Items of one task, in order, made when they are asked for. With several levels, the items go round them.

    `level` names one, or several with commas between them; None stands for all levels of the task. With `counts`, levels with
    their numbers of items, the items go level by level instead; `n` is then their sum.
    """

    task: Task[Any]
    n: int
    seed: int = 0
    split: str = "test"
    level: str | None = None
    settings: tuple[tuple[str, Value], ...] = ()
    counts: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        if self.n < 0:
            raise ValueError(f"n={self.n}: give a number of items from 0")
        if self.counts and self.n != sum(count for _, count in self.counts):
            raise ValueError(f"n={self.n}: the levels have {sum(count for _, count in self.counts)} items")
        for place in range(len(self.levels)):
            self.address(place)  # what does not fit is told now, not at the first item

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that the items go round, or through."""
        if self.counts:
            return tuple(level for level, _ in self.counts)
        return self.task.levels if self.level is None else tuple(self.level.split(","))

    def address(self, place: int) -> ItemAddress:
        """The address of the item at a place of the sequence."""
        level, index = self._through(place) if self.counts else self._round(place)
        return self.task.address(self.split, level, self.seed, index, dict(self.settings))

    def _round(self, place: int) -> tuple[str, int]:
        index, turn = divmod(place, len(self.levels))
        return self.levels[turn], index

    def _through(self, place: int) -> tuple[str, int]:
        last, before = len(self.counts) - 1, 0
        for turn, (level, count) in enumerate(self.counts):
            if place < before + count or turn == last:
                return level, place - before
            before += count
        raise IndexError(place)

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(self.n))]
        if not -self.n <= place < self.n:
            raise IndexError(f"item {place} of {self.n}")
        return make(self.task, self.address(place % self.n))

    def __iter__(self) -> Iterator[Item]:
        return (self[i] for i in range(self.n))


class Several(Sequence[Item]):
    """The items of several tasks, one task after the other."""

    def __init__(self, parts: Sequence[Items]) -> None:
        self.parts = tuple(parts)

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        at = place + len(self) if place < 0 else place
        for part in self.parts:
            if 0 <= at < len(part):
                return part[at]
            at -= len(part)
        raise IndexError(f"item {place} of {len(self)}")


def generate(
    tasks: str | Sequence[str], n: int = 100, seed: int = 0, split: str = "test", level: str | None = None, **settings: Value
) -> Sequence[Item]:
    """`n` items of each task that an id or a glob names; lazy, and the same for the same arguments.

    >>> items = generate("cdr/relative-compass-letter", n=8, seed=0)
    >>> items[3].answer.score(items[3].answer.canonical()).value
    1.0

    Settings are those of the task (``order="paper"``) and ``size`` in pixels. Raises ValueError with one line that
    says what does not fit.
    """
    names = [tasks] if isinstance(tasks, str) else list(tasks)
    chosen = registry.matching(names)
    task_settings = registry.require_setting_support(chosen, settings)
    parts = [Items(task, n, seed, split, level, tuple(sorted(values.items()))) for task, values in zip(chosen, task_settings, strict=True)]
    return parts[0] if len(parts) == 1 else Several(parts)
