"""One item with its images and prompt, and how its id gives it back."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from isovist.core.answers import Answer, to_json
from isovist.core.canonical_json import canonical_json
from isovist.core.drawing2d import Drawing
from isovist.core.item_ids import stated_release
from isovist.core.scene3d import Scene3D
from isovist.core.task import ItemAddress, Picture, Question, Split, Task, sample_scene
from isovist.data import prompts
from isovist.suites import registry
from isovist.world import render

if TYPE_CHECKING:
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

        key, shown = self.answer.canonical(), self.answer.balance_bin()
        return item_html(self.images, self.prompt, key if shown == key else f"{key}: {shown}", self.id)

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
        return int(dict(self.address.settings).get("size", self.task.images.size_px))

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
        return self.task.reasoning.write(self.scene) if self.task.reasoning else None


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
    task = task or registry.task(ItemAddress.parse(id).task)
    regenerated = make_item(task, full_address(task, id))
    if "#" in id and regenerated.id != id:
        raise ValueError(f"Content hash of the item differs: {id}, regenerated as {regenerated.id}")
    return regenerated


def full_address(task: Task[Any], id: str) -> ItemAddress:
    """The address in an id, with the settings that differ from the defaults. Raises ValueError for an invalid id and for another version."""
    address = ItemAddress.parse(id)
    if address.version != task.version:
        raise ValueError(f"Item of version {address.version} of {task.id}, but the installed version is {task.version}: {id}")
    return task.address(address.split, address.level, address.seed, address.index, dict(address.settings))
