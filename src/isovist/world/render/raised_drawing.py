"""A 2-D drawing as a 3-D scene: its shapes are pieces of one height on a sheet of paper, seen obliquely from above.

The tops of all pieces are in one plane above which there is nothing, and the camera is orthographic. So every top is completely visible, and
the image of that plane is the drawing, compressed vertically by the sine of the camera's elevation: numbers, colours, places, order and
relative sizes do not change. The sides of the pieces are lower in the image than the gaps between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import atan2, degrees, hypot

from isovist.core.drawing2d import Circle, Drawing, Label, Line, Point, Polygon, Shape
from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Box, Camera, Cylinder, Geometry, Ground, Light, Pose, Prism, Scene3D, SceneObject, Sky, Texture, project
from isovist.world.render import rasterizer2d, scene_image
from isovist.world.render.rasterizer2d import Pixels

ELEVATION = 60.0
"""Degrees of the camera above the horizon."""
HEIGHT = 0.022
"""Height of the pieces, in units of the drawing."""
_MARGIN = 0.06  # of the table around the sheet, in units
_SHEET = 0.012  # thickness of the sheet
_PRINT, _LAYER = 0.001, 2e-5  # height of what is printed on the sheet, and of each further layer above it
_CORNERS = 64  # of a disc
_AWAY = 10.0  # distance of the camera, which does not affect the image
_TABLE = Ground("#ffffff", Texture("planks-dark", 1.2), 0.0)
_LIGHT = Light((-0.45, 1.0, 0.25))


def scene(drawing: Drawing, size: int, printed: Sequence[str] = ()) -> Scene3D:
    """The scene without its labels; one metre is one unit of the drawing, `size` pixels. Shapes with a fill in `printed` are flat.

    The drawing's x is the world's x, its y is -z. Raises ValueError for a shape that is no piece: an outline, an icon.
    """
    objects = [SceneObject(Box((drawing.width, _SHEET, drawing.height)), colour=drawing.background)]
    for layer, shape in enumerate((*drawing.backdrop, *drawing.shapes)):
        is_raised = layer >= len(drawing.backdrop) and not _is_printed(shape, printed)
        for geometry, at, yaw, colour in _pieces(shape, HEIGHT if is_raised else _PRINT + layer * _LAYER):
            place = (at[0] - drawing.width / 2, _SHEET, drawing.height / 2 - at[1])
            objects.append(SceneObject(geometry, Pose(place, yaw), colour=colour, casts_shadow=is_raised))
    down, along = sine(ELEVATION), cosine(ELEVATION)
    top = _SHEET + HEIGHT
    width, height = (round(side * size) for side in (drawing.width + 2 * _MARGIN, drawing.height * down + top * along + 2 * _MARGIN))
    eye = (0.0, top / 2 + _AWAY * down, _AWAY * along)
    camera = Camera(eye, (0.0, top / 2, 0.0), span=height / size, width=width, height=height)
    return Scene3D(tuple(objects), camera, _TABLE, _LIGHT, Sky("#ffffff", "#ffffff"))


def pixels(drawing: Drawing, size: int, printed: Sequence[str] = ()) -> Pixels:
    """Render the scene and its labels, shape (height, width, 3). Raises the errors of `scene` and of `scene_image.pixels`.

    The tops of the pieces are evenly lit, and have exactly the colours of the drawing: some domains ask for the names of similar colours.
    """
    stage = scene(drawing, size, printed)
    camera = stage.camera
    assert isinstance(camera, Camera)  # noqa: S101 - of `scene`
    image = scene_image.pixels(stage, min(camera.width, camera.height))

    def projected(point: Point, height: float) -> Point:
        x, y, _ = project(camera, (point[0] - drawing.width / 2, _SHEET + height, drawing.height / 2 - point[1]))
        return x / size, (camera.height - y) / size

    pieces = [shape for shape in drawing.shapes if not _is_printed(shape, printed)]
    shown: list[Shape] = [
        Polygon(tuple(projected(point, HEIGHT) for point in outline), fill) for shape in pieces for outline, fill in _tops(shape)
    ]
    for label in (shape for shape in (*drawing.backdrop, *drawing.shapes) if isinstance(shape, Label)):
        height = HEIGHT if any(_has_inside(piece, label.position) for piece in pieces) else _PRINT
        shown.append(Label(label.text, projected(label.position, height), label.size, label.fill))
    rasterizer2d.paint(image, tuple(shown), size)
    return image


def _is_printed(shape: Shape, printed: Sequence[str]) -> bool:
    return isinstance(shape, Label) or (isinstance(shape, (Circle, Polygon)) and shape.fill in printed)


def _has_inside(shape: Shape, point: Point) -> bool:
    """Whether a point is in a circle, or in the bounding box of a polygon."""
    if isinstance(shape, Circle):
        return hypot(point[0] - shape.center[0], point[1] - shape.center[1]) < shape.radius
    return isinstance(shape, Polygon) and all(
        min(axis) < at < max(axis) for axis, at in zip(zip(*shape.points, strict=True), point, strict=True)
    )


def _tops(shape: Shape) -> Iterator[tuple[tuple[Point, ...], str]]:
    """The outline of the top of each piece of a shape, and its colour."""
    match shape:
        case Circle(center=(x, y), radius=radius, fill=str(fill)):
            angles = (360.0 * k / _CORNERS for k in range(_CORNERS))
            yield tuple((x + radius * cosine(angle), y + radius * sine(angle)) for angle in angles), fill
        case Polygon(points=points, fill=str(fill)):
            yield points, fill
        case Line(fill=fill):
            for (x, y), length, width, angle in _segments(shape):
                along, across = (
                    (length / 2 * cosine(angle), length / 2 * sine(angle)),
                    (-width / 2 * sine(angle), width / 2 * cosine(angle)),
                )
                corners = ((1, 1), (-1, 1), (-1, -1), (1, -1))
                yield tuple((x + a * along[0] + b * across[0], y + a * along[1] + b * across[1]) for a, b in corners), fill
        case _:
            return


def _pieces(shape: Shape, height: float) -> Iterator[tuple[Geometry, Point, float, str]]:
    """The geometry, place, yaw and colour of each piece of a shape; none for a label."""
    match shape:
        case Circle(center=center, radius=radius, fill=str(fill), stroke=None):
            yield Cylinder(radius, height, _CORNERS), center, 0.0, fill
        case Polygon(points=points, fill=str(fill), stroke=None):
            xs, ys = zip(*points, strict=True)
            middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
            yield Prism(tuple((x - middle[0], middle[1] - y) for x, y in points), height), middle, 0.0, fill
        case Line(fill=fill):
            for middle, length, width, angle in _segments(shape):
                yield Box((length, height, width)), middle, angle, fill
        case Label():
            return
        case _:
            raise ValueError(f"no piece of a 3-D scene: {shape}")


def _segments(line: Line) -> Iterator[tuple[Point, float, float, float]]:
    """The middle, length, width and angle, in degrees counterclockwise from the right, of each segment. Those of a longer line overlap."""
    joint = line.width if len(line.points) > 2 else 0.0
    for (ax, ay), (bx, by) in pairwise(line.points):
        yield ((ax + bx) / 2, (ay + by) / 2), hypot(bx - ax, by - ay) + joint, line.width, degrees(atan2(by - ay, bx - ax))
