"""Cache of items and rendered images for consecutive checks of one task.

Generation and rendering take most of the time of the checks. Each check uses the first n items, so checks share them. 3-D scenes are
rendered at half size or less, which hardly changes coarse image features and comparisons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isovist.audit import features
from isovist.core.scene3d import Scene3D
from isovist.core.task import Split, Task
from isovist.data.item import Item
from isovist.data.items import Items
from isovist.world import render

SEED = 0
"""Seed of the shared items."""
_LARGEST = 192  # maximum length of the shorter side of a 3-D scene in pixels


def digest(pictures: Sequence[NDArray[np.uint8]]) -> str:
    """Return a hash of the decoded pixels of an item."""
    return sha256(b"".join(bytes(str(p.shape), "ascii") + p.tobytes() for p in pictures)).hexdigest()


@dataclass(frozen=True, slots=True)
class RenderedItem:
    """Results of rendering an item: a hash of its pixels, its `features`, and the minimum over its images of the proportion of pixels
    that differ from the first pixel.
    """

    digest: str
    features: list[float]
    shown: float


@dataclass(slots=True)
class ItemCache:
    """The shared items of one task, generated on use."""

    task: Task[Any]
    split: Split = "test"
    _made: dict[tuple[str, int], Item] = field(default_factory=dict[tuple[str, int], Item])
    _looks: dict[tuple[str, int], RenderedItem] = field(default_factory=dict[tuple[str, int], RenderedItem])

    def around(self, n: int) -> list[Item]:
        """Return `n` items with alternating levels, as in an audit."""
        return self._of(Items(self.task, n, SEED, self.split))

    def at(self, level: str, n: int) -> list[Item]:
        """Return the first `n` items of one level."""
        return self._of(Items(self.task, n, SEED, self.split, level))

    def _of(self, listed: Items) -> list[Item]:
        items: list[Item] = []
        for place in range(len(listed)):
            address = listed.address(place)
            key = (address.level, address.index)
            items.append(self._made.get(key) or self._made.setdefault(key, listed[place]))
        return items

    def look(self, item: Item) -> RenderedItem:
        """Return the cached results of rendering an item."""
        key = (item.level, item.index)
        if key not in self._looks:
            pictures = pictures_of(item)
            shown = min(map(_shown, pictures), default=1.0)
            self._looks[key] = RenderedItem(digest(pictures), features.of(pictures), shown)
        return self._looks[key]

    def digest(self, item: Item) -> str:
        """Return the hash of the pixels only; computing features takes longer than rendering most drawings."""
        return digest(pictures_of(item))


def pictures_of(item: Item) -> list[NDArray[np.uint8]]:
    """Return the images of an item, 3-D scenes at half size or less."""
    return [
        render.pixels(picture, min(item.size // 2, _LARGEST) if isinstance(picture, Scene3D) else item.size) for picture in item.pictures
    ]


def _shown(pixels: NDArray[np.uint8]) -> float:
    red, green, blue = pixels[0, 0]
    differ = (pixels[..., 0] != red) | (pixels[..., 1] != green) | (pixels[..., 2] != blue)  # `any` over an axis of length three is slow
    return float(differ.mean())


_last: dict[Split, ItemCache] = {}


def shared(task: Task[Any], split: Split = "test") -> ItemCache:
    """Return the item cache of a task and split. Those of the last task are reused if it is the same task object."""
    if any(cache.task is not task for cache in _last.values()):
        _last.clear()
    return _last.setdefault(split, ItemCache(task, split))
