"""Drawings of solids as 3-D scenes: cubes on a table under the camera of the drawing, with the other shapes of the page painted over them.

The camera is orthographic and looks as the drawing does, so each cube is exactly where it is drawn. Cubes have narrow gaps in place of
drawn edges.
"""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.drawing2d import CubeGroup, Drawing, Shape
from isovist.core.scene3d import Box, Camera, Ground, Light, Pose, Scene3D, SceneObject, Sky, Vector
from isovist.world.render import rasterizer2d, scene_image
from isovist.world.render.rasterizer2d import Pixels

_GAP = 0.08
"""Between two cubes, in edges."""
_TILE = 0.04
"""Thickness of a square of the floor without a cube, in edges."""
_CUBE, _FLOOR = "#d9c7a3", "#b9bec4"
_AWAY = 10.0  # distance of the camera, which does not affect the image
_TABLE = Ground("#ffffff", None, 0.0)
_LIGHT = Light((0.45, 1.0, -0.12))


def scene(drawing: Drawing, groups: Sequence[CubeGroup], size: int) -> Scene3D:
    """The cubes of a drawing as a scene; one metre is one unit of the drawing, `size` pixels.

    The lattice's x is the world's x, its y is -z, its z is y. A group is moved on the table to where it is drawn.
    """
    toward = groups[0].toward
    along, up = (toward[0] ** 2 + toward[1] ** 2) ** 0.5, toward[2]
    right, ahead = (-toward[1] / along, toward[0] / along), (-toward[0] / along, -toward[1] / along)  # on the table, in the lattice
    objects: list[SceneObject] = []
    for group in groups:
        u, v = group.origin[0] - drawing.width / 2, (group.origin[1] - drawing.height / 2) / up
        x0, y0 = (right[k] * u + ahead[k] * v for k in (0, 1))
        for (x, y, z), thickness in [*((cell, 1 - _GAP) for cell in group.cells), *(((x, y, 0), _TILE) for x, y in group.floor)]:
            middle: Vector = (x0 + (x + 0.5) * group.edge, z * group.edge, -y0 - (y + 0.5) * group.edge)
            size_m = ((1 - _GAP) * group.edge, thickness * group.edge, (1 - _GAP) * group.edge)
            objects.append(SceneObject(Box(size_m), Pose(middle), colour=_CUBE if thickness > _TILE else _FLOOR))
    eye = (toward[0] * _AWAY, toward[2] * _AWAY, -toward[1] * _AWAY)
    camera = Camera(eye, span=drawing.height, width=round(drawing.width * size), height=round(drawing.height * size))
    return Scene3D(tuple(objects), camera, _TABLE, _LIGHT, Sky("#ffffff", "#ffffff"))


def pixels(drawing: Drawing, groups: Sequence[CubeGroup], others: Sequence[Shape], size: int) -> Pixels:
    """Render the cubes, and the other shapes over them, shape (height, width, 3). Raises the errors of `scene_image.pixels`."""
    stage = scene(drawing, groups, size)
    image = scene_image.pixels(stage, min(round(drawing.width * size), round(drawing.height * size)))
    rasterizer2d.paint(image, tuple(others), size)
    return image
