"""What a picture of a stage shows of its solids, counted in pixels: how much of each is hidden, where it lies, and whether its
front is turned to the eye.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isovist.core.rotation import Matrix, cosine
from isovist.core.scene3d import Camera, Panorama, Scene3D, SceneObject, rotation
from isovist.render import rasterizer3d
from isovist.render.assembly import Cast, assemble
from isovist.render.zbuffer import Ints

FRONT = 60.0
"""Degrees from straight ahead within which a surface belongs to the front of a form."""

Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Sight:
    """Pixels of one solid in a picture; the boxes are left, top, right, bottom in whole pixels, right and bottom just outside.

    `alone` counts what it would show with nothing else there, cut off by the picture's edge all the same; `front` and
    `front_alone` count those pixels that show a surface within 60 degrees of straight ahead in the frame of its form.
    """

    pixels: int
    alone: int
    front: int
    front_alone: int
    box: Box | None
    box_alone: Box | None
    cut: bool
    """Whether it touches the edge of the picture, where more of it may lie outside."""

    @property
    def share(self) -> float:
        """How much of it is seen, 0 to 1; 0 if it lies outside the picture."""
        return self.pixels / self.alone if self.alone else 0.0

    @property
    def front_share(self) -> float:
        """How much of the front that is turned to the eye is seen, 0 to 1; 0 if none is."""
        return self.front / self.front_alone if self.front_alone else 0.0


def box(mask: NDArray[np.bool_]) -> Box | None:
    """The smallest box around the true pixels of (height, width)."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def sights(stage: Scene3D, size: int | None = None) -> tuple[Sight, ...]:
    """One for each solid, in order, in the picture whose shorter side has `size` pixels. Marks, mirroring and turning of the
    finished picture are left out.
    """
    cast = assemble(stage.objects)
    whole = _visible(stage, cast, size)
    return tuple(_sight(stage, cast, whole, _visible(stage, cast, size, place), place) for place in range(len(stage.objects)))


def _visible(stage: Scene3D, cast: Cast, size: int | None, only: int | None = None) -> tuple[Ints, Ints]:
    """Solid and triangle of each pixel."""
    if isinstance(stage.camera, Camera):
        seen, _ = rasterizer3d.look(stage, cast, rasterizer3d.camera_eye(stage.camera, size), None if only is None else cast.ranges[only])
        return rasterizer3d.settled(seen, cast)
    # of a panorama the faces are put together only with their colours
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
    """Of each triangle of a solid: whether the side of it that is turned to the eye belongs to the front.

    What is seen of a closed surface is its outside, so that it does not matter in which order its corners are given.
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
