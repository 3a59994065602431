"""Visibility of scene objects, measured in pixels: occlusion, bounding boxes, and visibility of the front."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isovist.core.rotation import Matrix, cosine
from isovist.core.scene3d import Camera, Panorama, Scene3D, SceneObject, rotation
from isovist.world.render import rasterizer3d
from isovist.world.render.assembly import Cast, assemble
from isovist.world.render.zbuffer import Ints

FRONT = 60.0
"""Angle in degrees from the front direction up to which a surface belongs to the front of a geometry."""

Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Sight:
    """Pixels of one object in an image. Boxes are left, top, right, bottom in whole pixels; right and bottom are exclusive.

    `alone`: pixel count without other objects, clipped to the image. `front` and `front_alone`: counts of pixels of surfaces within
    `FRONT` degrees of the front direction in the frame of the geometry.
    """

    pixels: int
    alone: int
    front: int
    front_alone: int
    box: Box | None
    box_alone: Box | None
    cut: bool
    """Whether the object touches the edge of the image and may be truncated."""

    @property
    def share(self) -> float:
        """Visible proportion, 0 to 1; 0 if the object is outside the image."""
        return self.pixels / self.alone if self.alone else 0.0

    @property
    def front_share(self) -> float:
        """Visible proportion of the front surfaces that face the eye, 0 to 1; 0 if none does."""
        return self.front / self.front_alone if self.front_alone else 0.0


def box(mask: NDArray[np.bool_]) -> Box | None:
    """Return the bounding box of the true pixels of a mask (height, width)."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def sights(stage: Scene3D, size: int | None = None) -> tuple[Sight, ...]:
    """Return the visibility of each object, in order, in an image whose shorter side has `size` pixels.

    Markers, mirroring and rotation of the final image are not applied.
    """
    cast = assemble(stage.objects)
    whole = _visible(stage, cast, size)
    return tuple(_sight(stage, cast, whole, _visible(stage, cast, size, place), place) for place in range(len(stage.objects)))


def _visible(stage: Scene3D, cast: Cast, size: int | None, only: int | None = None) -> tuple[Ints, Ints]:
    """Return object and triangle of each pixel."""
    if isinstance(stage.camera, Camera):
        eye = rasterizer3d.camera_eye(stage.camera, size)
        seen = rasterizer3d.look(stage, cast, eye, None if only is None else cast.ranges[only])
        return rasterizer3d.settled(seen.triangle, cast)
    # cube faces of a panorama are combined only together with colours
    solids = stage.objects if only is None else (stage.objects[only],)
    picture = rasterizer3d.render(replace(stage, objects=solids, ground=stage.ground if only is None else None), size)
    if only is None:
        return picture.solid, picture.triangle
    first = cast.ranges[only][0]
    return (
        np.where(picture.solid >= 0, np.int32(only), picture.solid).astype(np.int32),
        np.where(picture.triangle >= 0, picture.triangle + first, picture.triangle).astype(np.int32),
    )


def _sight(stage: Scene3D, cast: Cast, whole: tuple[Ints, Ints], alone: tuple[Ints, Ints], place: int) -> Sight:
    front = _front(stage.objects[place], cast, place, stage.camera)
    first = cast.ranges[place][0]
    shown, bare = whole[0] == place, alone[0] == place
    around = box(bare)
    height, width = bare.shape
    return Sight(
        int(shown.sum()),
        int(bare.sum()),
        int(front[whole[1][shown] - first].sum()),
        int(front[alone[1][bare] - first].sum()),
        box(shown),
        around,
        around is not None and (min(around[:2]) == 0 or around[2] == width or around[3] == height),
    )


def _front(solid: SceneObject, cast: Cast, place: int, camera: Camera | Panorama) -> NDArray[np.bool_]:
    """Return for each triangle of an object whether the side that faces the eye belongs to the front.

    The visible side of a closed surface is its outside, so the winding order does not matter.
    """
    first, last = cast.ranges[place]
    a, b, c = (cast.world[first:last, k] for k in range(3))
    normal = np.cross(b - a, c - a)
    length = np.sqrt((normal**2).sum(axis=1))
    if isinstance(camera, Camera) and camera.span is not None:
        towards = np.broadcast_to(np.subtract(camera.eye, camera.target), a.shape)
    else:
        towards = np.array(camera.eye) - a
    ahead: Matrix = rotation(solid.pose)
    along = sum(normal[:, i] * ahead[i][2] for i in range(3)) * np.where((normal * towards).sum(axis=1) < 0, -1.0, 1.0)
    return along >= cosine(FRONT) * np.maximum(length, 1e-30)
