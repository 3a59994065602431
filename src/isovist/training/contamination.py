"""Contamination check: no image or scene of a test split in a mixture, and no duplicate items.

Generated items are separated by `isovist.core.task.split_of_layout`, which is verified for every item of a mixture. Items are also
compared with dataset folders of tests, including imported ones: by layout if scenes are stored, and by image pixels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

from isovist.common.errors import UserError
from isovist.core.canonical_json import Json, canonical_json, plain
from isovist.core.task import Task, split_of_layout
from isovist.data.dataset.external_rows import digest
from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import Manifest
from isovist.data.dataset.verify import pixels
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.suites import registry


class ContaminationError(Exception):
    """An example of a mixture is also in a test set; the message names both."""


def of_pixels(image: bytes) -> str:
    """Return a hash of the decoded pixels and shape of an image. Raises ValueError if it cannot be decoded."""
    decoded = pixels(image)
    return digest(repr(decoded.shape).encode() + decoded.tobytes())


def of_layout(task: Task[Any], layout: Json) -> str:
    """Return a hash of a layout and of the image family of its task."""
    return digest(f"{task.images.family or task.id}\n{canonical_json(layout)}".encode())


def of_content(images: Sequence[bytes], question: str, key: str) -> str:
    """Return a hash of images, question and key. Items with equal hashes are duplicates."""
    hasher = blake2b(digest_size=8)
    for part in (*images, question.encode(), key.encode()):
        hasher.update(len(part).to_bytes(8, "big") + part)
    return hasher.hexdigest()


@dataclass(frozen=True, slots=True)
class ItemFingerprint:
    """The hashes by which an item of a mixture is compared; layout and pixels only if there are tests to compare with."""

    id: str
    content: str
    layout: str = ""
    pictures: tuple[str, ...] = ()


def mark(item: Item, images: Sequence[bytes], key: str, *, against: bool) -> ItemFingerprint:
    """Return the fingerprint of an item. Raises ContaminationError if its layout belongs to another split."""
    task = item.task
    layout = task.sampling.layout(item.scene)
    if split_of_layout(layout) != item.split:
        raise ContaminationError(f"{item.id} has a layout of the split {split_of_layout(layout)}")
    content = of_content(images, item.question.text, key)
    if not against:
        return ItemFingerprint(item.id, content)
    return ItemFingerprint(item.id, content, of_layout(task, plain(layout)), tuple(map(of_pixels, images)))


@dataclass(frozen=True, slots=True)
class TestSetIndex:
    """The layouts and images of test items, each with the id of its item."""

    layouts: Mapping[str, str] = field(default_factory=dict[str, str])
    pictures: Mapping[str, str] = field(default_factory=dict[str, str])
    items: int = 0

    def check(self, mark: ItemFingerprint) -> None:
        """Raises ContaminationError if an item of a mixture has the layout or an image of a test item."""
        if (where := self.layouts.get(mark.layout)) is not None:
            raise ContaminationError(f"{mark.id} has the same scene as {where}")
        if (where := next((self.pictures[picture] for picture in mark.pictures if picture in self.pictures), None)) is not None:
            raise ContaminationError(f"{mark.id} has the same image as {where}")

    def shows(self, image: bytes) -> str | None:
        """Return the test item with this image, or None."""
        return self.pictures.get(of_pixels(image)) if self.pictures else None


def build_test_index(folders: Iterable[Path], tasks: Iterable[Task[Any]], progress: Callable[[int], object]) -> TestSetIndex:
    """Index the test items in dataset folders that could have layouts or images in common with items of `tasks`.

    Raises UserError for a folder that is not a dataset folder, is damaged or holds no test items.
    """
    shapes: dict[str, set[object]] = defaultdict(set)
    for task in tasks:
        layout = plain(task.sampling.layout(Items(task, 1, split="train")[0].scene))
        shapes[task.images.family or task.id].add(_shape_of(layout))  # by which a layout is recognized in the JSON of a scene
    layouts: dict[str, str] = {}
    pictures: dict[str, str] = {}
    count = 0
    for folder in folders:
        parts = [part for part in Manifest.read(folder).parts if part.split != "train"]
        if not parts:
            raise UserError(f"No test items to exclude from the mixture: {folder}. Generate or import test items, or omit the folder.")
        for row in load(folder, parts):
            where = f"{row.id} ({folder})"
            task = registry.find(row.task)
            if task is not None and (known := shapes.get(task.images.family or task.id)):
                for layout in _like(row.metadata.scene, known):
                    layouts.setdefault(of_layout(task, layout), where)
            for image in row.images:
                try:
                    pictures.setdefault(of_pixels(image), where)
                except ValueError as error:
                    raise UserError(f"{folder}: {row.id}: {error}; generate or import the data again.") from None
            count += 1
            progress(1)
    return TestSetIndex(layouts, pictures, count)


def _shape_of(value: Json) -> object:
    return frozenset(value) if isinstance(value, dict) else type(value)


def _like(value: Json, shapes: Collection[object]) -> Iterator[Json]:
    """Yield the values inside `value`, including itself, that have the structure of a layout."""
    if isinstance(value, dict | list):
        if _shape_of(value) in shapes:
            yield value
        for inner in value.values() if isinstance(value, dict) else cast("list[Json]", value):
            yield from _like(inner, shapes)
