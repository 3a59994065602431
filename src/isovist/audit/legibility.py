"""Legibility of the objects that a question asks about, measured in rendered pixels.

Three measures of each object: its visible pixels, its contrast to what surrounds it in the image, and how much its image changes with its
heading. `scenes.legibility` predicts the last two without rendering; this module checks the images themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isovist.core.scene3d import Camera, Light, Scene3D, SceneObject, Sky, turned
from isovist.data.item import Item
from isovist.world.render import rasterizer3d
from isovist.world.render.asset_pool import linear
from isovist.world.scenes import object_catalog
from isovist.world.scenes.occlusion import front_hidden

LEAST_PIXELS = 400
"""Minimum visible pixels of an object in an image with the size that the task has by default: 20 x 20."""
LEAST_CONTRAST = 6.0
"""Minimum mean CIELAB difference across the outline of an object; 2.3 is about the smallest that people notice side by side."""
LEAST_CHANGE = 0.08
"""Minimum share of the pixels of an object that change between its heading and the most similar one of seven others."""
HEADINGS = 8
"""Headings in equal steps of 45 degrees."""
_CHANGED = 24  # minimum difference of a changed pixel in one of three channels, of 255
_ACROSS = 2  # pixels between the two sides of an outline: the pixels on it are mixtures
_SIDE = 160  # image side in pixels for the headings

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Legibility:
    """The measures of an object of an item. `change` is None without a visible front, `contrast` without an outline in the image."""

    item: str
    pixels: int
    contrast: float | None
    change: float | None

    @property
    def faults(self) -> tuple[str, ...]:
        """What is below its margin."""
        return (
            *((f"{self.pixels} pixels",) if self.pixels < LEAST_PIXELS else ()),
            *((f"contrast {self.contrast:.1f}",) if self.contrast is not None and self.contrast < LEAST_CONTRAST else ()),
            *((f"change {self.change:.2f}",) if self.change is not None and self.change < LEAST_CHANGE else ()),
        )


def measured(item: Item) -> Iterator[Legibility]:
    """The measures of all objects that an item asks about; none for tasks that ask about no object.

    A named object is measured in the image that shows most of it, other objects in every image. The change counts where a question asks for a
    heading: of a named object, if it asks where the object faces.
    """
    task, text = item.task, item.question.text
    best: dict[str, Legibility] = {}
    for picture in task.draw(item.scene):
        if not isinstance(picture, Scene3D):
            continue
        objects = asked(picture, text)
        if not objects:
            continue
        buffers = rasterizer3d.render(picture, task.images.size_px)
        for place in objects:
            mask, name = buffers.solid == place, picture.objects[place].name
            pixels = int(mask.sum())
            if name and pixels <= (best[name].pixels if name in best else 0):
                continue  # another image shows more of it
            change = None if name and " face" not in text else _change_of(picture, place)
            one = Legibility(item.id, pixels, contrast(buffers.colour, mask), change)
            if name:
                best[name] = one
            else:
                yield one
    yield from best.values()


def asked(picture: Scene3D, text: str) -> tuple[int, ...]:
    """The objects that a question asks about: marked, or named in it, or the only object of the catalogue."""
    if picture.markers:
        return tuple(dict.fromkeys(marker.object_index for marker in picture.markers))
    named = tuple(place for place, solid in enumerate(picture.objects) if solid.name and f"the {solid.name}" in text)
    if named:
        return named
    known = tuple(place for place, solid in enumerate(picture.objects) if object_catalog.of(solid.geometry))
    return known if len(known) == 1 else ()


def contrast(colours: NDArray[np.uint8], mask: Mask) -> float | None:
    """The mean CIELAB difference of the pixels on both sides of the outline of a mask (height, width)."""
    lab = cielab(colours)
    differences = [
        np.sqrt(((a - b) ** 2).sum(axis=-1))[one != other]
        for a, b, one, other in (
            (lab[:, :-_ACROSS], lab[:, _ACROSS:], mask[:, :-_ACROSS], mask[:, _ACROSS:]),
            (lab[:-_ACROSS], lab[_ACROSS:], mask[:-_ACROSS], mask[_ACROSS:]),
        )
    ]
    pairs = np.concatenate(differences)
    return float(pairs.mean()) if len(pairs) else None


def cielab(colours: NDArray[np.uint8]) -> NDArray[np.float64]:
    """CIELAB coordinates (..., 3) of 8-bit sRGB colours with the white point D65 (CIE 15:2004)."""
    to_xyz = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
    xyz = linear()[colours].astype(np.float64) @ to_xyz.T / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    x, y, z = (f[..., k] for k in range(3))
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def _change_of(picture: Scene3D, place: int) -> float | None:
    """The least change of an object that turns in place, if it has one visible front."""
    solid = picture.objects[place]
    thing = object_catalog.of(solid.geometry)
    if thing is None or thing.front != "clear" or not isinstance(picture.camera, Camera) or front_hidden(picture, solid):
        return None
    return float(changes(solid, picture.camera)[0].min())


def changes(solid: SceneObject, camera: Camera) -> NDArray[np.float64]:
    """The shares of changed pixels between headings of an object, alone in the image: (8, 7).

    Row i is the heading 45 i degrees counterclockwise from that of the pose; the columns are the other seven.
    """
    frames = [_alone(replace(solid, pose=turned(solid.pose, "y", 360 / HEADINGS * k)), camera) for k in range(HEADINGS)]
    rows: list[list[float]] = []
    for i, (one, here) in enumerate(frames):
        rows.append([])
        for j, (other, there) in enumerate(frames):
            if i != j:
                changed = np.abs(one.astype(int) - other.astype(int)).max(axis=2) > _CHANGED
                rows[i].append(min(1.0, float((changed | (here != there)).sum() / max(1, (here | there).sum()))))
    return np.array(rows)


def _alone(solid: SceneObject, camera: Camera) -> tuple[NDArray[np.uint8], Mask]:
    """Colours of an object in even light and its mask."""
    light = Light((0.3, 0.8, 0.5), 0.8, 1.1, shadows=False)
    buffers = rasterizer3d.render(Scene3D((solid,), camera, None, light, Sky("#d8dce0", "#d8dce0")), _SIDE)
    return buffers.colour, buffers.solid == 0


def percentiles(values: list[float]) -> dict[str, Any]:
    """Minimum, 5th, 25th, 50th and 95th percentile."""
    return {name: float(np.percentile(values, at)) for name, at in (("min", 0), ("p5", 5), ("p25", 25), ("p50", 50), ("p95", 95))}
