"""The orientation of a drawn image: the directions of the tops of objects, and whether letters are mirrored."""

from __future__ import annotations

import re

from isovist.core.rotation import apply, tangent
from isovist.core.scene3d import Scene3D, SceneObject, place, project, rotation
from isovist.suites.dori.canonical_scenes import BOARD, board_of
from isovist.suites.dori.picture_operations import AS_IT_IS
from isovist.suites.dori.shared_parts import UNKNOWN
from isovist.suites.dori.signboard import mirrored_alike
from isovist.world.scenes import object_catalog
from isovist.world.scenes.scene_transforms import flat_camera

_STEEP = 80.0
"""Downward angle of the camera, in degrees, from which no direction of the image is up."""


Arrow = tuple[float, float]


def shown(picture: Scene3D, x: float, y: float) -> tuple[float, float]:
    """The position of a point of the upright image in the transformed image; x to the right, y down, origin at the centre."""
    if picture.mirrored:
        x = -x
    for _ in range(picture.image_rotation_deg // 90):
        x, y = -y, x
    return x, y


def arrow(picture: Scene3D, solid: SceneObject, direction: tuple[float, float, float]) -> Arrow:
    """The image direction of an object's own direction, at the centre of the object."""
    camera = flat_camera(picture)
    (a, b, c), (u, v, w) = solid.pivot, apply(rotation(solid.pose), direction)
    thing = object_catalog.of(solid.geometry)
    high = thing.size[1] / 2 if thing and not any(solid.pivot) else 0.0
    x, y, z = place(solid, (a, b + high, c))
    start, end = project(camera, (x, y, z)), project(camera, (x + 0.01 * u, y + 0.01 * v, z + 0.01 * w))
    return shown(picture, end[0] - start[0], end[1] - start[1])


def quarter(arrow: Arrow) -> Arrow:
    """The nearest of the four directions along the edges of the image."""
    x, y = arrow
    return (1.0 if x > 0 else -1.0, 0.0) if abs(x) > abs(y) else (0.0, 1.0 if y > 0 else -1.0)


def upwards(picture: Scene3D) -> Arrow | None:
    """The image direction of up, from the tops of the objects; None from directly above, and if the objects disagree."""
    camera = flat_camera(picture)
    down = [a - b for a, b in zip(camera.eye, camera.target, strict=True)]
    if down[1] > tangent(_STEEP) * (down[0] ** 2 + down[2] ** 2) ** 0.5:
        return None
    arrows = {quarter(arrow(picture, solid, (0.0, 1.0, 0.0))) for solid in picture.objects if object_catalog.of(solid.geometry)}
    return arrows.pop() if len(arrows) == 1 else None


def mirrored(picture: Scene3D) -> bool | None:
    """Whether the letters of a text are mirrored in the image; None without text."""
    form = board_of(picture)
    if form is None or mirrored_alike(form):
        return None
    (board,) = (solid for solid in picture.objects if solid.name == BOARD)
    # text runs toward the board's own left, which is to the right for a reader
    (x, y), (u, v) = arrow(picture, board, (1.0, 0.0, 0.0)), arrow(picture, board, (0.0, 1.0, 0.0))
    return x * v - y * u > 0  # y is down: letters whose tops are 90 degrees clockwise of the reading direction are mirrored


def _moved(step: str, arrow: Arrow) -> Arrow:
    """An image arrow after the operation that a text states."""
    x, y = arrow
    if "flip" in step:
        return (-x, y) if "left to right" in step else (x, -y)
    quarters = int(re.findall(r"\d+", step)[0]) // 90
    for _ in range(-quarters % 4 if "counter" in step else quarters):
        x, y = -y, x
    return x, y


def fits(option: str, up: Arrow, wrong: bool | None) -> bool:
    """Whether an option moves this side to the top, and leaves no letters mirrored; `wrong`: they are mirrored, None without text."""
    if option == UNKNOWN:
        return False
    is_mirrored = bool(wrong)
    for step in option.lower().split("then") if option != AS_IT_IS else ():
        up, is_mirrored = _moved(step, up), is_mirrored != ("flip" in step)
    return up[1] < -0.5 and (wrong is None or not is_mirrored)
