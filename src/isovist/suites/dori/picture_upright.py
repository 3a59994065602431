"""What a drawn picture tells of which way it stands: where the tops of things point, and whether letters are mirrored."""

from __future__ import annotations

import re

from isovist.core.rotation import apply, tangent
from isovist.core.scene3d import Scene3D, SceneObject, place, project, rotation
from isovist.scenes import object_catalog
from isovist.scenes.scene_transforms import flat_camera
from isovist.suites.dori.canonical_scenes import BOARD, board_of
from isovist.suites.dori.picture_operations import AS_IT_IS
from isovist.suites.dori.signboard import mirrored_alike
from isovist.suites.dori.task_factory import UNKNOWN

_STEEP = 80.0
"""Degrees by which the camera looks down from where nothing stands upright any more."""


Arrow = tuple[float, float]


def shown(picture: Scene3D, x: float, y: float) -> tuple[float, float]:
    """Where a point of the upright picture stands in the finished one; both square, x to the right and y down, from the middle."""
    if picture.mirrored:
        x = -x
    for _ in range(picture.image_rotation_deg // 90):
        x, y = -y, x
    return x, y


def arrow(picture: Scene3D, solid: SceneObject, way: tuple[float, float, float]) -> Arrow:
    """Which way a direction of a solid's own runs in the finished picture, at the middle of the solid."""
    camera = flat_camera(picture)
    (a, b, c), (u, v, w) = solid.pivot, apply(rotation(solid.pose), way)
    thing = object_catalog.of(solid.geometry)
    high = thing.size[1] / 2 if thing and not any(solid.pivot) else 0.0
    x, y, z = place(solid, (a, b + high, c))
    start, end = project(camera, (x, y, z)), project(camera, (x + 0.01 * u, y + 0.01 * v, z + 0.01 * w))
    return shown(picture, end[0] - start[0], end[1] - start[1])


def quarter(arrow: Arrow) -> Arrow:
    """The nearest of the four ways along the edges of a picture."""
    x, y = arrow
    return (1.0 if x > 0 else -1.0, 0.0) if abs(x) > abs(y) else (0.0, 1.0 if y > 0 else -1.0)


def upwards(picture: Scene3D) -> Arrow | None:
    """Which way is up in the finished picture, by the tops of the objects; None from straight above, and where they disagree."""
    camera = flat_camera(picture)
    down = [a - b for a, b in zip(camera.eye, camera.target, strict=True)]
    if down[1] > tangent(_STEEP) * (down[0] ** 2 + down[2] ** 2) ** 0.5:
        return None
    arrows = {quarter(arrow(picture, solid, (0.0, 1.0, 0.0))) for solid in picture.objects if object_catalog.of(solid.geometry)}
    return arrows.pop() if len(arrows) == 1 else None


def mirrored(picture: Scene3D) -> bool | None:
    """Whether the letters of a word are mirrored in the finished picture; None where there is no word."""
    form = board_of(picture)
    if form is None or mirrored_alike(form):
        return None
    (board,) = (solid for solid in picture.objects if solid.name == BOARD)
    # along the board towards its own left a reader's eye moves to the right
    (x, y), (u, v) = arrow(picture, board, (1.0, 0.0, 0.0)), arrow(picture, board, (0.0, 1.0, 0.0))
    return x * v - y * u > 0  # y runs down: letters whose tops are a quarter clockwise of their line are mirrored


def _moved(step: str, arrow: Arrow) -> Arrow:
    """An arrow of a picture after an operation told in words."""
    x, y = arrow
    if "flip" in step:
        return (-x, y) if "left to right" in step else (x, -y)
    quarters = int(re.findall(r"\d+", step)[0]) // 90
    for _ in range(-quarters % 4 if "counter" in step else quarters):
        x, y = -y, x
    return x, y


def fits(option: str, up: Arrow, wrong: bool | None) -> bool:
    """Whether an option brings this side to the top, and leaves no letters mirrored if there are any."""
    if option == UNKNOWN:
        return False
    other = bool(wrong)
    for step in option.lower().split("then") if option != AS_IT_IS else ():
        up, other = _moved(step, up), other != ("flip" in step)
    return up[1] < -0.5 and (wrong is None or not other)
