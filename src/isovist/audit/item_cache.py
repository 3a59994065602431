"""Items of a task that several checks look at: made once and drawn once, as long as the checks are of one task.

Making and drawing takes nearly all the time of the checks. Each check looks at as many items as it says; those of different
checks are the same ones. Stages are drawn at half their size or less: what looks alike at full size looks alike then too, and cheap
features of a picture hardly change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isovist import render
from isovist.audit import features
from isovist.core.scene3d import Scene3D
from isovist.core.task import Split, Task
from isovist.items import Item, Items

SEED = 0
"""Of the items that are shared."""
_LARGEST = 192  # pixels on the shorter side of a stage


def digest(pictures: Sequence[NDArray[np.uint8]]) -> str:
    """A hash of the decoded pixels of an item."""
    return sha256(b"".join(bytes(str(p.shape), "ascii") + p.tobytes() for p in pictures)).hexdigest()


@dataclass(frozen=True, slots=True)
class RenderedItem:
    """What is kept of an item's pictures: a hash of their pixels, `features`, and the share of the pixels that differ from the first
    one, in the picture where it is the least.
    """

    digest: str
    features: list[float]
    shown: float


@dataclass(slots=True)
class ItemCache:
    """The shared items of one task, made when they are asked for."""

    task: Task[Any]
    split: Split = "test"
    _made: dict[tuple[str, int], Item] = field(default_factory=dict[tuple[str, int], Item])
    _looks: dict[tuple[str, int], RenderedItem] = field(default_factory=dict[tuple[str, int], RenderedItem])

    def around(self, n: int) -> list[Item]:
        """`n` items going round the levels, as an audit has them."""
        return self._of(Items(self.task, n, SEED, self.split))

    def at(self, level: str, n: int) -> list[Item]:
        """The first `n` items of one level."""
        return self._of(Items(self.task, n, SEED, self.split, level))

    def _of(self, listed: Items) -> list[Item]:
        items: list[Item] = []
        for place in range(len(listed)):
            address = listed.address(place)
            key = (address.level, address.index)
            items.append(self._made.get(key) or self._made.setdefault(key, listed[place]))
        return items

    def look(self, item: Item) -> RenderedItem:
        """What is kept of the pictures of one of them."""
        key = (item.level, item.index)
        if key not in self._looks:
            pictures = pictures_of(item)
            shown = min((float((pixels != pixels[0, 0]).any(axis=2).mean()) for pixels in pictures), default=1.0)
            self._looks[key] = RenderedItem(digest(pictures), features.of(pictures), shown)
        return self._looks[key]

    def digest(self, item: Item) -> str:
        """The same as that of its look, for items of which nothing else is wanted: features take longer than most drawings."""
        return digest(pictures_of(item))


def pictures_of(item: Item) -> list[NDArray[np.uint8]]:
    """Its pictures, stages at half their size or less."""
    return [
        render.pixels(picture, min(item.size // 2, _LARGEST) if isinstance(picture, Scene3D) else item.size) for picture in item.pictures
    ]


_last: list[ItemCache] = []


def shared(task: Task[Any]) -> ItemCache:
    """The shared items of a task, the very ones of the last call if it was of the same task object; else none are kept."""
    if not _last or _last[0].task is not task:
        _last[:] = [ItemCache(task)]
    return _last[0]
