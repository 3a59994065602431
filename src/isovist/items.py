"""Items as their users see them: with images and a prompt, made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, overload

from isovist import prompts, registry, render
from isovist.core.answers import Answer, to_json
from isovist.core.canonical_json import canonical_json
from isovist.core.drawing2d import Drawing
from isovist.core.scene3d import Scene3D
from isovist.core.task import ItemAddress, Picture, Question, Split, Task, Value, sample_scene

if TYPE_CHECKING:
    from PIL.Image import Image

    from isovist.render.rasterizer2d import Pixels


@dataclass(frozen=True)
class Item:
    """One question about its pictures, with its key. Images and prompt are made when they are asked for."""

    task: Task[Any] = field(compare=False, repr=False)
    address: ItemAddress
    group: str
    """Items of one group share their pictures."""
    scene: Any
    question: Question
    pictures: tuple[Picture, ...] = field(compare=False)
    chance: float = field(compare=False)
    """The expected score without a look at the pictures, see `Task.chance_of`."""
    attempts: int = field(default=1, compare=False)

    @cached_property
    def id(self) -> str:
        """The address and a digest of everything but the picture (the last digits of libm must not change an id)."""
        content = f"{self.address}\n{self.scene_json}\n{self.question.text}\n{canonical_json(to_json(self.question.answer))}"
        return f"{self.address}#{sha256(content.encode()).hexdigest()[:16]}"

    @cached_property
    def scene_json(self) -> str:
        """The scene as canonical JSON."""
        return canonical_json(self.scene)

    @property
    def version(self) -> int:
        return self.address.version

    @property
    def split(self) -> Split:
        return self.address.split

    @property
    def level(self) -> str:
        return self.address.level

    @property
    def seed(self) -> int:
        return self.address.seed

    @property
    def index(self) -> int:
        return self.address.index

    @property
    def answer(self) -> Answer:
        """The key, with the options; `answer.score(reply)` scores a model's reply."""
        return self.question.answer

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """Those of its pictures that are two-dimensional drawings."""
        return tuple(picture for picture in self.pictures if isinstance(picture, Drawing))

    @property
    def scenes3d(self) -> tuple[Scene3D, ...]:
        """Those of its pictures that are three-dimensional scenes."""
        return tuple(picture for picture in self.pictures if isinstance(picture, Scene3D))

    @property
    def size(self) -> int:
        """Pixels of a unit of its drawings, and of the shorter side of its three-dimensional scenes."""
        return int(dict(self.address.settings).get("size", self.task.image_size_px))

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
        return self.task.chain_of_thought(self.scene) if self.task.chain_of_thought else None


def make_item(task: Task[Any], address: ItemAddress) -> Item:
    """The item at an address, a pure function of its arguments. Raises ValueError for the address of another task or version."""
    sampled = sample_scene(task, address)
    question = task.ask(sampled.scene)
    return Item(
        task=task,
        address=address,
        group=sampled.group,
        scene=sampled.scene,
        question=question,
        pictures=task.draw(sampled.scene),
        chance=task.chance_of(address.level, question.answer),
        attempts=sampled.attempts,
    )


def item(id: str) -> Item:
    """The item with this id, made anew. Raises ValueError if it is no id, of another version, or comes out different."""
    address = ItemAddress.parse(id)
    task = registry.task(address.task)
    if address.version != task.version:
        raise ValueError(f"{id}: made by version {address.version} of {task.id}; this Isovist has version {task.version}")
    full_address = task.address(address.split, address.level, address.seed, address.index, dict(address.settings))
    made = make_item(task, full_address)
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
            self.address(place)  # what does not fit fails now, not at the first item

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
        return make_item(self.task, self.address(place % self.n))

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
