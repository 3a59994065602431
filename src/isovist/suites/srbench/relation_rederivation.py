"""Which relation a drawn stage shows, by points of its solids: where they appear in the picture, how far they are from each other.

The keys of `srbench/spatial-relations` come from angles and heights of poses instead. The camera must stand upright.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import dist

from isovist.core.rotation import Vector, dot
from isovist.core.scene3d import Camera, ObjectMarker, Scene3D, SceneObject, place, project, view
from isovist.scenes import object_catalog
from isovist.scenes.environments.bounding_boxes import bounds, standing, standing_corners
from isovist.scenes.scene_transforms import BLUE, RED, across_and_back, ahead, flat_camera, marked
from isovist.suites.srbench.relation_types import RelationType

_FLAT = 0.7071067811865476  # cosine of 45 degrees
_TINY = 1e-3  # metres: places are rounded to thousandths


def read(picture: Scene3D, kind: RelationType, names: tuple[str, ...]) -> str:
    """The option that the picture shows of the objects with these names."""
    marks = tuple(ObjectMarker(_place(picture, name), colour) for name, colour in zip(names, (RED, BLUE), strict=False))
    return kind.options[_READ[kind.name](replace(picture, markers=marks))]


def _place(picture: Scene3D, name: str) -> int:
    """The place of the only solid that is called so."""
    things = [object_catalog.of(solid.geometry) for solid in picture.objects]
    called = [thing.category if thing else solid.name for thing, solid in zip(things, picture.objects, strict=True)]
    (index,) = (place for place, category in enumerate(called) if category == name)
    return index


def _middle(solid: SceneObject) -> Vector:
    """Of the box around a solid."""
    low, high = bounds(solid.geometry)
    return place(solid, ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2))


def _less(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _both(picture: Scene3D) -> tuple[Camera, SceneObject, SceneObject]:
    return flat_camera(picture), marked(picture, RED), marked(picture, BLUE)


def _pixels(picture: Scene3D, solid: SceneObject) -> tuple[list[float], list[float]]:
    """The x and y of the corners of its box, measured from the middle of the picture."""
    camera = flat_camera(picture)
    points = [project(camera, corner) for corner in standing_corners(solid)]
    return [x - camera.width / 2 for x, _, _ in points], [y - camera.height / 2 for _, y, _ in points]


def _side(offsets: list[float]) -> int:
    """0 where all lie before the middle, 1 where all lie after it. Raises ValueError for what lies on both sides."""
    if max(offsets) < 0:
        return 0
    if min(offsets) > 0:
        return 1
    raise ValueError("an object lies on both sides of the middle")


def _part(picture: Scene3D, axis: int) -> int:
    """The half of the picture, left or right (axis 0), upper or lower (axis 1)."""
    return _side(_pixels(picture, marked(picture))[axis])


def _faces(picture: Scene3D) -> int:
    """Left, right, towards or away, by the larger part of the front's direction."""
    right, out = across_and_back(flat_camera(picture), marked(picture))
    return int(right > 0) if abs(right) > abs(out) else 2 + (out < 0)


def _shows(picture: Scene3D) -> int:
    """The side of its box whose outward direction points most to the eye: own left, own right, front, back."""
    solid = marked(picture)
    origin = place(solid, (0.0, 0.0, 0.0))
    to_eye = _less(picture.camera.eye, origin)
    outward = [place(solid, axis) for axis in ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0))]
    towards = [dot(_less(tip, origin), to_eye) for tip in outward]
    return towards.index(max(towards))


def _left_or_right(picture: Scene3D) -> int:
    camera, red, blue = _both(picture)
    return int(project(camera, _middle(red))[0] > project(camera, _middle(blue))[0])


def _before_or_behind(picture: Scene3D) -> int:
    camera, red, blue = _both(picture)
    return int(project(camera, red.pose.position)[2] > project(camera, blue.pose.position)[2])


def _viewed(picture: Scene3D) -> int:
    """By what of the way from blue to red runs to the right, and what out of the picture along the ground."""
    camera, red, blue = _both(picture)
    right, _, back = view(camera)
    way = _less(red.pose.position, blue.pose.position)
    across, out = dot(right, way), dot(back, way) / (back[0] ** 2 + back[2] ** 2) ** 0.5
    return int(across > 0) if abs(across) > abs(out) else 2 + (out < 0)


def _owned(picture: Scene3D) -> int:
    """By what of the way from blue to red runs along blue's own left and its own front."""
    _, red, blue = _both(picture)
    origin = place(blue, (0.0, 0.0, 0.0))
    way, left = _less(red.pose.position, origin), _less(place(blue, (1.0, 0.0, 0.0)), origin)
    along, aside = dot(ahead(blue), way), dot(left, way) / blue.scale
    return int(aside < 0) if abs(aside) > abs(along) else 2 + (along < 0)


def _towards(picture: Scene3D, who: str = RED) -> bool:
    """Whether a step ahead brings one nearer to the other than a step back."""
    one, other = (marked(picture, colour) for colour in ((RED, BLUE) if who == RED else (BLUE, RED)))
    (x, y, z), (a, b, c) = one.pose.position, ahead(one)
    return dist((x + a, y + b, z + c), other.pose.position) < dist((x - a, y - b, z - c), other.pose.position)


def _along(picture: Scene3D) -> float:
    """The cosine of the angle between both fronts."""
    _, red, blue = _both(picture)
    return dot(ahead(red), ahead(blue))


def _stance(picture: Scene3D) -> int:
    along = _along(picture)
    if abs(along) < _FLAT:
        return 3
    return 2 if along > 0 else 0 if _towards(picture) else 1


def _heights(solid: SceneObject) -> tuple[float, float]:
    ys = [y for _, y, _ in standing_corners(solid)]
    return min(ys), max(ys)


def _higher(picture: Scene3D) -> int:
    """Raises ValueError where neither stands wholly above the other."""
    _, red, blue = _both(picture)
    (a, b), (c, d) = _heights(red), _heights(blue)
    if a > d:
        return 0
    if b < c:
        return 1
    raise ValueError("neither stands wholly above the other")


def _within(inner: SceneObject, outer: SceneObject) -> bool:
    """Whether the footprint of the one lies within that of the other, in the frame of the other."""
    standings = (standing(outer, corner) for corner in standing_corners(inner))
    return all(box.low[0] <= box.eye[0] <= box.high[0] and box.low[2] <= box.eye[2] <= box.high[2] for box in standings)


def _supported(picture: Scene3D) -> int:
    """On blue, under it, or left or right of it in the picture."""
    _, red, blue = _both(picture)
    if not _within(red, blue):
        return 2 + _left_or_right(picture)
    return int(_heights(red)[0] < _heights(blue)[1] - _TINY)


def _apart(picture: Scene3D) -> int:
    """Whether there is a gap between the boxes, along one of the axes of blue."""
    _, red, blue = _both(picture)
    corners = [_less(place(blue, (0.0, 0.0, 0.0)), corner) for corner in standing_corners(red)]
    axes = [_less(place(blue, axis), place(blue, (0.0, 0.0, 0.0))) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    low, high = bounds(blue.geometry)
    gaps: list[float] = []
    for axis, least, most in zip(axes, low, high, strict=True):
        along = [-dot(axis, corner) for corner in corners]
        gaps.append(max(min(along) - most, least - max(along)))
    return int(max(gaps) > 3 * _TINY)


_READ: Mapping[str, Callable[[Scene3D], int]] = {
    "half, left or right": lambda picture: _part(picture, 0),
    "half, upper or lower": lambda picture: _part(picture, 1),
    "quarter": lambda picture: _part(picture, 0) + 2 * _part(picture, 1),
    "faces left or right": _faces,
    "faces toward or away": lambda picture: _faces(picture) - 2,
    "facing direction, of four": _faces,
    "own side shown": _shows,
    "own side shown, of four": _shows,
    "left or right of": _left_or_right,
    "in front or behind": _before_or_behind,
    "nearer or farther": _before_or_behind,
    "left, right, in front, behind": _viewed,
    "own left or right of": _owned,
    "own front or back of": lambda picture: _owned(picture) - 2,
    "own left, right, front, back": _owned,
    "faces toward or away from": lambda picture: int(not _towards(picture)),
    "same or opposite direction": lambda picture: int(_along(picture) < 0),
    "parallel or perpendicular": lambda picture: int(abs(_along(picture)) < _FLAT),
    "relative facing direction": _stance,
    "higher or lower": _higher,
    "on or under": _supported,
    "on, under, left, right": _supported,
    "touching or apart": _apart,
    "inside or outside": lambda picture: int(not _within(marked(picture, RED), marked(picture, BLUE))),
}
