"""Items with images and prompt, generated on access."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, overload

from isovist.common.errors import optional_package
from isovist.core.answers import Answer, to_json
from isovist.core.canonical_json import canonical_json
from isovist.core.drawing2d import Drawing
from isovist.core.item_ids import stated_release
from isovist.core.scene3d import Scene3D
from isovist.core.task import ItemAddress, Picture, Question, Split, Task, Value, sample_scene
from isovist.data import prompts
from isovist.suites import registry
from isovist.world import render

if TYPE_CHECKING:
    import pyarrow as pa
    from PIL.Image import Image

    from isovist.world.render.rasterizer2d import Pixels


@dataclass(frozen=True, repr=False)
class Item:
    """One question about images, with its answer key. Images and prompt are generated on access.

    Attributes:
        id: Address and content hash, such as ``"cdr/step-cell-letter@3:test:standard:0:3#0123456789abcdef"``; enough to regenerate the item.
        task: The task.
        address: Task id, version, split, level, seed, index and settings.
        group: Items of one group share an image or a scene; statistics treat them as one cluster.
        scene: The sampled content, a frozen dataclass of the task.
        question: The text and the typed answer.
        pictures: The images as data: 2-D drawings or 3-D scenes.
        chance: The chance level, see `Task.chance_of`.
        attempts: Scenes sampled until one was accepted.
        answer: The typed answer with its key; `answer.score(response)` scores a response, `answer.canonical()` is the key.
    """

    task: Task[Any] = field(compare=False, repr=False)
    address: ItemAddress
    group: str
    scene: Any
    question: Question
    pictures: tuple[Picture, ...] = field(compare=False)
    chance: float = field(compare=False)
    attempts: int = field(default=1, compare=False)

    @cached_property
    def id(self) -> str:
        """The address and a digest of everything but the pixels, which rounding on other machines may change."""
        content = f"{self.address}\n{self.scene_json}\n{self.question.text}\n{canonical_json(to_json(self.question.answer))}"
        return f"{self.address}#{sha256(content.encode()).hexdigest()[:16]}"

    def __repr__(self) -> str:
        return f"<Item {self.id}>"

    def _repr_html_(self) -> str:
        """For notebooks: images, prompt, and the key behind a click."""
        from isovist.data.notebook import item_html

        return item_html(self)

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
        return self.question.answer

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """The images that are 2-D drawings, as data."""
        return tuple(picture for picture in self.pictures if isinstance(picture, Drawing))

    @property
    def scenes3d(self) -> tuple[Scene3D, ...]:
        """The images that are 3-D scenes, as data."""
        return tuple(picture for picture in self.pictures if isinstance(picture, Scene3D))

    @property
    def size(self) -> int:
        """Pixels of a drawing's unit, or of the shorter side of a 3-D scene."""
        return int(dict(self.address.settings).get("size", self.task.image_size_px))

    @cached_property
    def images(self) -> list[Image]:
        """The images as PIL images, RGB."""
        return [render.image(picture, self.size) for picture in self.pictures]

    def pixels(self, renderer: str = render.RASTER) -> list[Pixels]:
        """The images as arrays.

        Args:
            renderer: ``"raster"`` or ``"cycles"`` (path tracing with Blender, for 3-D scenes).

        Returns:
            One array of shape (height, width, 3), 8-bit RGB, for each image.

        Raises:
            UserError: For an unknown renderer, or one that cannot draw the item.
        """
        return [render.pixels(picture, self.size, renderer) for picture in self.pictures]

    @cached_property
    def prompt(self) -> str:
        """The prompt in the default style, with one ``<image>`` for each image."""
        return prompts.prompt(self.question.text, self.answer, len(self.pictures))

    @property
    def reasoning(self) -> str | None:
        """A chain of thought that leads to the key; None if the task has none."""
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


def item(id: str, task: Task[Any] | None = None) -> Item:
    """Regenerate an item from its id.

    Args:
        id: The id; its content hash after ``#`` is optional.
        task: The task of the id, for one that is not registered.

    Returns:
        The item, equal to the original one.

    Raises:
        ValueError: For an invalid id, an unknown task, another version of the task, or a different content hash.
    """
    if stated_release(id):
        raise ValueError(f"Item with a private seed, which its id does not state: {id}. Read it from its dataset folder")
    address = ItemAddress.parse(id)
    task = task or registry.task(address.task)
    if address.version != task.version:
        raise ValueError(f"Item of version {address.version} of {task.id}, but the installed version is {task.version}: {id}")
    full_address = task.address(address.split, address.level, address.seed, address.index, dict(address.settings))
    regenerated = make_item(task, full_address)
    if "#" in id and regenerated.id != id:
        raise ValueError(f"Content hash of the item differs: {id}, regenerated as {regenerated.id}")
    return regenerated


class ItemSequence(Sequence[Item]):
    """Items that are generated on access, with conversion to tables."""

    def _table(self, *, pictures: bool) -> pa.Table:
        """The columns of `isovist generate`."""
        from isovist.data.dataset.rows import item_to_row, table

        return table(item_to_row(item, pictures=pictures) for item in self)

    def to_hf(self) -> Any:
        """The items as a `datasets.Dataset` in memory, with the columns and images of `isovist generate`.

        Raises:
            MissingDependencyError: The package `datasets` is not installed.
        """
        return optional_package("datasets", "a Hugging Face dataset").Dataset(self._table(pictures=True))

    def to_pandas(self) -> Any:
        """The items as a pandas data frame, with the columns of `isovist generate` but without images; `isovist.item(id)` has them.

        Raises:
            MissingDependencyError: The package `pandas` is not installed.
        """
        optional_package("pandas", "a data frame")
        return self._table(pictures=False).drop_columns(["images"]).to_pandas()  # pyright: ignore[reportUnknownMemberType] - incomplete stubs

    def _repr_html_(self) -> str:
        """For notebooks: the number of items, and the first one."""
        from isovist.data.notebook import sequence_html

        return sequence_html(self)


@dataclass(frozen=True, repr=False)
class Items(ItemSequence):
    """A lazy sequence of items of one task, in round-robin order of the levels.

    `level` names one level, or several separated by commas; None means all levels of the task. A level that is named several times has as
    many items in each round. With `counts` (level and number of items),
    the items are ordered level by level, and `n` is the sum of the counts.
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
            raise ValueError(f"Invalid n: {self.n}. Give a number of items from 0")
        if self.counts and self.n != sum(count for _, count in self.counts):
            raise ValueError(f"Invalid n: {self.n}. The levels have {sum(count for _, count in self.counts)} items")
        for place in range(len(self.levels)):
            self.address(place)  # raises errors here instead of at the first item

    def __repr__(self) -> str:
        return f"<{self.n} items of {self.task.id}, {self.split} split, seed {self.seed}>"

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of the items, in order."""
        if self.counts:
            return tuple(level for level, _ in self.counts)
        return self.task.levels if self.level is None else tuple(self.level.split(","))

    def address(self, place: int) -> ItemAddress:
        """The address of the item at an index of the sequence."""
        level, index = self._level_by_level(place) if self.counts else self._round_robin(place)
        return self.task.address(self.split, level, self.seed, index, dict(self.settings))

    def _round_robin(self, place: int) -> tuple[str, int]:
        index, turn = divmod(place, len(self.levels))
        level = self.levels[turn]
        return level, index * self.levels.count(level) + self.levels[:turn].count(level)

    def _level_by_level(self, place: int) -> tuple[str, int]:
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
        return self._made(place % self.n)

    def _made(self, place: int) -> Item:
        return make_item(self.task, self.address(place))

    def __iter__(self) -> Iterator[Item]:
        return (self[i] for i in range(self.n))


@dataclass(frozen=True, repr=False)
class PrivateItems(Items):
    """Items with a private seed, which no text of this object and no error of the sampling states."""

    def __repr__(self) -> str:
        return f"<{self.n} items of {self.task.id}, {self.split} split, private seed>"

    def _made(self, place: int) -> Item:
        try:
            return super()._made(place)
        except RuntimeError:  # its message states the address
            raise RuntimeError(f"{self.task.id}, item {place} of a private seed: no scene fits") from None


class Several(ItemSequence):
    """A lazy sequence of the items of several tasks, one task after the other."""

    def __init__(self, parts: Sequence[Items]) -> None:
        self.parts = tuple(parts)

    def __repr__(self) -> str:
        return f"<{len(self)} items of {len(self.parts)} tasks>"

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        offset = place + len(self) if place < 0 else place
        for part in self.parts:
            if 0 <= offset < len(part):
                return part[offset]
            offset -= len(part)
        raise IndexError(f"item {place} of {len(self)}")


def generate(
    tasks: str | Sequence[str], n: int = 100, seed: int = 0, split: str = "test", level: str | None = None, **settings: Value
) -> ItemSequence:
    """Generate items; the same arguments give the same items.

    Args:
        tasks: Task id or glob, such as ``"cdr/*"``, or several of them.
        n: Items of each task.
        seed: Random seed; a 64-bit integer.
        split: ``"test"`` or ``"train"``; the two have no common layout.
        level: Difficulty level, or several separated by commas; all levels by default.
        **settings: Options of the tasks, such as ``order="paper"``, and ``size``, the image size in pixels.

    Returns:
        A lazy sequence of items, which are generated on access. `to_hf()` and `to_pandas()` convert it.

    Raises:
        ValueError: For an unknown task, split, level or option, and for an invalid value.

    Examples:
        >>> items = generate("cdr/relative-compass-letter", n=8, seed=0)
        >>> items[3].answer.score(items[3].answer.canonical()).credit
        1.0
    """
    names = [tasks] if isinstance(tasks, str) else list(tasks)
    chosen = registry.matching(names)
    task_settings = registry.require_setting_support(chosen, settings)
    parts = [Items(task, n, seed, split, level, tuple(sorted(values.items()))) for task, values in zip(chosen, task_settings, strict=True)]
    return parts[0] if len(parts) == 1 else Several(parts)
