"""Rederivation of spatial relations from points of the objects: their positions in the image and their distances.

The keys of `srbench/spatial-relations` come from angles and heights of poses instead. The camera must be upright.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import dist

from isovist.core.rotation import Vector, dot
from isovist.core.scene3d import Camera, Group, ObjectMarker, Scene3D, SceneObject, place, project, view
from isovist.suites.srbench.relation_types import RelationType
from isovist.world.scenes import object_catalog
from isovist.world.scenes.environments.bounding_boxes import bounds, standing, standing_corners
from isovist.world.scenes.scene_transforms import BLUE, RED, across_and_back, ahead, flat_camera, marked

_COS_45 = 0.7071067811865476  # cosine of 45 degrees
_ROUNDING = 1e-3  # metres: positions are rounded to thousandths
_GREEN = "#009a3d"  # of the third object


def read(scene3d: Scene3D, kind: RelationType, names: tuple[str, ...]) -> str:
    """Return the option that holds in the 3-D scene for the objects with these names."""
    markers = tuple(ObjectMarker(_index_of(scene3d, name), colour) for name, colour in zip(names, (RED, BLUE, _GREEN), strict=False))
    return kind.options[_READ[kind.name](replace(scene3d, markers=markers))]


def _index_of(scene3d: Scene3D, name: str) -> int:
    """Return the index of the only object with this name."""
    entries = [object_catalog.of(solid.geometry) for solid in scene3d.objects]
    names = [entry.category if entry else solid.name for entry, solid in zip(entries, scene3d.objects, strict=True)]
    (index,) = (i for i, object_name in enumerate(names) if object_name == name)
    return index


def _centre(solid: SceneObject) -> Vector:
    """Return the centre of the bounding box."""
    low, high = bounds(solid.geometry)
    return place(solid, ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2))


def _less(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _both(scene3d: Scene3D) -> tuple[Camera, SceneObject, SceneObject]:
    return flat_camera(scene3d), marked(scene3d, RED), marked(scene3d, BLUE)


def _pixels(scene3d: Scene3D, solid: SceneObject) -> tuple[list[float], list[float]]:
    """Return the x and y of the corners of the bounding box in pixels, relative to the image centre."""
    camera = flat_camera(scene3d)
    points = [project(camera, corner) for corner in standing_corners(solid)]
    return [x - camera.width / 2 for x, _, _ in points], [y - camera.height / 2 for _, y, _ in points]


def _side(offsets: list[float]) -> int:
    """Return 0 if all offsets are negative, 1 if all are positive. Raises ValueError otherwise."""
    if max(offsets) < 0:
        return 0
    if min(offsets) > 0:
        return 1
    raise ValueError("an object is on both sides of the image centre")


def _part(scene3d: Scene3D, axis: int) -> int:
    """Return the half of the image: left or right (axis 0), upper or lower (axis 1)."""
    return _side(_pixels(scene3d, marked(scene3d))[axis])


def _facing_side(scene3d: Scene3D) -> int:
    """Return left, right, toward or away (0 to 3) from the larger component of the front vector."""
    right, out = across_and_back(flat_camera(scene3d), marked(scene3d))
    return int(right > 0) if abs(right) > abs(out) else 2 + (out < 0)


def _side_toward_viewer(scene3d: Scene3D) -> int:
    """Return the side of the box whose outward normal is closest to the direction of the eye: own left, own right, front, back."""
    solid = marked(scene3d)
    origin = place(solid, (0.0, 0.0, 0.0))
    to_eye = _less(scene3d.camera.eye, origin)
    outward = [place(solid, axis) for axis in ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0))]
    components = [dot(_less(tip, origin), to_eye) for tip in outward]
    return components.index(max(components))


def _left_or_right(scene3d: Scene3D) -> int:
    camera, red, blue = _both(scene3d)
    return int(project(camera, _centre(red))[0] > project(camera, _centre(blue))[0])


def _before_or_behind(scene3d: Scene3D) -> int:
    camera, red, blue = _both(scene3d)
    return int(project(camera, red.pose.position)[2] > project(camera, blue.pose.position)[2])


def _viewer_direction(scene3d: Scene3D) -> int:
    """Return the direction of red from blue by its components to the right and out of the image along the ground."""
    camera, red, blue = _both(scene3d)
    right, _, back = view(camera)
    offset = _less(red.pose.position, blue.pose.position)
    across, out = dot(right, offset), dot(back, offset) / (back[0] ** 2 + back[2] ** 2) ** 0.5
    return int(across > 0) if abs(across) > abs(out) else 2 + (out < 0)


def _own_direction(scene3d: Scene3D) -> int:
    """Return the direction of red from blue by its components along the own left and the front of blue."""
    _, red, blue = _both(scene3d)
    origin = place(blue, (0.0, 0.0, 0.0))
    offset, left = _less(red.pose.position, origin), _less(place(blue, (1.0, 0.0, 0.0)), origin)
    along, sideways = dot(ahead(blue), offset), dot(left, offset) / blue.scale
    return int(sideways < 0) if abs(sideways) > abs(along) else 2 + (along < 0)


def _faces_blue(scene3d: Scene3D) -> bool:
    """Return whether a step forward brings red nearer to blue than a step back."""
    _, red, blue = _both(scene3d)
    (x, y, z), (a, b, c) = red.pose.position, ahead(red)
    return dist((x + a, y + b, z + c), blue.pose.position) < dist((x - a, y - b, z - c), blue.pose.position)


def _facing_cosine(scene3d: Scene3D) -> float:
    """Return the cosine of the angle between the two facing directions."""
    _, red, blue = _both(scene3d)
    return dot(ahead(red), ahead(blue))


def _relative_facing(scene3d: Scene3D) -> int:
    cosine = _facing_cosine(scene3d)
    if abs(cosine) < _COS_45:
        return 3
    return 2 if cosine > 0 else 0 if _faces_blue(scene3d) else 1


def _heights(solid: SceneObject) -> tuple[float, float]:
    ys = [y for _, y, _ in standing_corners(solid)]
    return min(ys), max(ys)


def _higher(scene3d: Scene3D) -> int:
    """Return 0 if red is above blue, 1 if it is below. Raises ValueError if their height ranges overlap."""
    _, red, blue = _both(scene3d)
    (a, b), (c, d) = _heights(red), _heights(blue)
    if a > d:
        return 0
    if b < c:
        return 1
    raise ValueError("neither object is wholly above the other")


def _within(inner: SceneObject, outer: SceneObject) -> bool:
    """Return whether the footprint of `inner` is within that of `outer`, in the frame of `outer`."""
    standings = (standing(outer, corner) for corner in standing_corners(inner))
    return all(box.low[0] <= box.eye[0] <= box.high[0] and box.low[2] <= box.eye[2] <= box.high[2] for box in standings)


def _enclosed(inner: SceneObject, walls: SceneObject) -> bool:
    """Return whether walls are around every corner of an object: a line along the ground away from it meets an odd number of them."""
    assert isinstance(walls.geometry, Group)
    across = [part for part in walls.geometry.parts if bounds(part.geometry)[1][0] > bounds(part.geometry)[1][2]]

    def walls_ahead(x: float, z: float) -> int:
        return sum(abs(x - part.pose.position[0]) < bounds(part.geometry)[1][0] and part.pose.position[2] > z for part in across)

    (x, _, z), *others = (standing(walls, corner).eye for corner in standing_corners(inner))
    odd = walls_ahead(x, z) % 2
    if any(walls_ahead(x, z) % 2 != odd for x, _, z in others):
        raise ValueError("an object is on both sides of a wall")
    return odd == 1


def _supported(scene3d: Scene3D) -> int:
    """Return on blue, under it, or left or right of it in the image (0 to 3)."""
    _, red, blue = _both(scene3d)
    if not _within(red, blue):
        return 2 + _left_or_right(scene3d)
    return int(_heights(red)[0] < _heights(blue)[1] - _ROUNDING)


def _apart(scene3d: Scene3D) -> int:
    """Return whether there is a gap between the boxes along one of the axes of blue."""
    return int(_gap(scene3d) > 3 * _ROUNDING)


def _gap(scene3d: Scene3D) -> float:
    """Return the gap in metres between the boxes along one of the axes of blue, the largest of the three; below 0 if they overlap."""
    _, red, blue = _both(scene3d)
    corners = [_less(place(blue, (0.0, 0.0, 0.0)), corner) for corner in standing_corners(red)]
    axes = [_less(place(blue, axis), place(blue, (0.0, 0.0, 0.0))) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    low, high = bounds(blue.geometry)
    gaps: list[float] = []
    for axis, least, most in zip(axes, low, high, strict=True):
        along = [-dot(axis, corner) for corner in corners]
        gaps.append(max(min(along) - most * blue.scale, least * blue.scale - max(along)))
    return max(gaps)


def _middle_or_corner(scene3d: Scene3D) -> int:
    """Return 0 if the box contains the image centre, 1 if it is in a quarter. Raises ValueError if it is on one centre line."""
    if all(min(offsets) < 0 < max(offsets) for offsets in _pixels(scene3d, marked(scene3d))):
        return 0
    for axis in (0, 1):
        _part(scene3d, axis)
    return 1


def _near_or_far(scene3d: Scene3D) -> int:
    """Return 0 if the gap between two objects is smaller than the larger of them is wide, 1 if it is wider than both together."""
    _, red, blue = _both(scene3d)
    widths: list[float] = []
    for solid in (red, blue):
        low, high = bounds(solid.geometry)
        widths.append(dist((low[0], low[2]), (high[0], high[2])) * solid.scale)
    gap = _gap(scene3d)
    if gap < max(widths):
        return 0
    if gap > widths[0] + widths[1]:
        return 1
    raise ValueError("the objects are neither next to each other nor far apart")


def _in_row(scene3d: Scene3D) -> int:
    """Return 0 if red is between the other two in the image, 1 otherwise."""
    x, *others = (project(flat_camera(scene3d), _centre(marked(scene3d, colour)))[0] for colour in (RED, BLUE, _GREEN))
    return int(not min(others) < x < max(others))


def _carried(scene3d: Scene3D) -> int:
    """Return in the left hand, in the right hand, on the head or on the ground (0 to 3), from the box of red in the frame of blue."""
    _, red, blue = _both(scene3d)
    (low, high), (_, tall) = _heights(red), _heights(blue)
    if low < 0.05 * tall:
        return 3
    if high > tall - 0.1:
        return 2
    left = _less(place(blue, (1.0, 0.0, 0.0)), place(blue, (0.0, 0.0, 0.0)))
    return int(dot(left, _less(_centre(red), blue.pose.position)) < 0)


_READ: Mapping[str, Callable[[Scene3D], int]] = {
    "half, left or right": lambda scene3d: _part(scene3d, 0),
    "half, upper or lower": lambda scene3d: _part(scene3d, 1),
    "quarter": lambda scene3d: _part(scene3d, 0) + 2 * _part(scene3d, 1),
    "faces left or right": _facing_side,
    "faces toward or away": lambda scene3d: _facing_side(scene3d) - 2,
    "facing direction, of four": _facing_side,
    "own side shown": _side_toward_viewer,
    "own side shown, of four": _side_toward_viewer,
    "left or right of": _left_or_right,
    "in front or behind": _before_or_behind,
    "nearer or farther": _before_or_behind,
    "left, right, in front, behind": _viewer_direction,
    "own left or right of": _own_direction,
    "own front or back of": lambda scene3d: _own_direction(scene3d) - 2,
    "own left, right, front, back": _own_direction,
    "faces toward or away from": lambda scene3d: int(not _faces_blue(scene3d)),
    "same or opposite direction": lambda scene3d: int(_facing_cosine(scene3d) < 0),
    "parallel or perpendicular": lambda scene3d: int(abs(_facing_cosine(scene3d)) < _COS_45),
    "relative facing direction": _relative_facing,
    "higher or lower": _higher,
    "on or under": _supported,
    "on, under, left, right": _supported,
    "touching or apart": _apart,
    "middle or corner": _middle_or_corner,
    "on a block or on the ground": lambda scene3d: int(_heights(marked(scene3d, RED))[0] < _ROUNDING),
    "toward or away from each other": _relative_facing,
    "next to or far from": _near_or_far,
    "middle or end of a row": _in_row,
    "attached or in front": _apart,
    "held or not": _apart,
    "left or right hand": _carried,
    "on the head, in a hand, on the ground": _carried,
    "inside or outside": lambda scene3d: int(not _enclosed(marked(scene3d, RED), marked(scene3d, BLUE))),
}
