"""A place around a standpoint, the views that are taken of it, and what is seen of each thing there by geometry alone.

Headings and bearings are compass degrees in the frame of the world, clockwise seen from above: 0 is -Z, 90 is +X. Which of
them a question calls north is the question's business. Elevations are degrees over the horizon.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, degrees, hypot

from isovist.core.rotation import Vector, azimuth, cosine, sine, wrapped
from isovist.core.scene3d import Camera, Ground, Light, Panorama, Scene3D, SceneObject, Sky
from isovist.scenes.environments.bounding_boxes import Standing, meets, standing, standing_corners

RAYS = 8
"""Rays across and down the box of a thing by which it is judged how much of it is hidden."""


@dataclass(frozen=True, slots=True)
class Environment:
    """`place`: what kind of place it is ("kitchen", "crossing"). A solid with a name is a thing that a question may name, by that
    name; two with one name are two of a kind. Walls, kerbs and the like have no name. `eye` is the standpoint.
    """

    place: str
    objects: tuple[SceneObject, ...]
    eye: Vector
    ground: Ground | None
    light: Light
    sky: Sky


@dataclass(frozen=True, slots=True)
class VisibleObject:
    """A named thing as it appears from the standpoint. `object_index` is its place in the world's solids.

    `bearing` is that of the middle of its sides, `left` and `right` those of its sides, `left` counterclockwise of it and
    `right` clockwise, each within 180 degrees of it: not wrapped, so that left <= bearing <= right. `visible_share` is the share of it
    that no nearer box hides. `distance` is that of its middle, along the ground, in metres.
    """

    object_index: int
    name: str
    bearing: float
    left: float
    right: float
    low: float
    high: float
    distance: float
    visible_share: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.high - self.low


def bearing(eye: Vector, point: Vector) -> float:
    """The compass bearing of a point, above -180 up to 180 degrees."""
    return wrapped(180.0 - azimuth((point[0] - eye[0], 0.0, point[2] - eye[2])))


def ahead(heading: float, elevation: float = 0.0) -> Vector:
    """The unit vector of a heading and an elevation."""
    flat = cosine(elevation)
    return flat * sine(heading), sine(elevation), -flat * cosine(heading)


def shot(world: Environment, heading: float, fov: float, size: int = 512, pitch: float = 0.0) -> Scene3D:
    """What a pin-hole camera at the standpoint sees in a square picture, `fov` degrees wide, `pitch` degrees up."""
    x, y, z = ahead(heading, pitch)
    ex, ey, ez = world.eye
    target = (round(ex + x, 6), round(ey + y, 6), round(ez + z, 6))
    return Scene3D(world.objects, Camera(world.eye, target, fov, width=size, height=size), world.ground, world.light, world.sky)


def panorama(world: Environment, heading: float = 0.0, width: int = 2048) -> Scene3D:
    """All that is seen from the standpoint, equirectangular, the heading in the middle."""
    return Scene3D(world.objects, Panorama(world.eye, heading, width), world.ground, world.light, world.sky)


def heading(stage: Scene3D) -> float:
    """Where a picture's camera looks, above -180 up to 180 degrees."""
    camera = stage.camera
    return wrapped(camera.heading) if isinstance(camera, Panorama) else bearing(camera.eye, camera.target)


def outline(eye: Vector, solid: SceneObject) -> tuple[float, float, float, float, float]:
    """Bearing of the middle, left, right, lowest and highest elevation of the box of a solid; see `VisibleObject`."""
    points = standing_corners(solid)
    middle = (sum(p[0] for p in points) / 8, 0.0, sum(p[2] for p in points) / 8)
    towards = bearing(eye, middle)
    across = [wrapped(bearing(eye, point) - towards) for point in points]
    rises = [degrees(atan2(p[1] - eye[1], hypot(p[0] - eye[0], p[2] - eye[2]))) for p in points]
    left, right = min(across), max(across)
    return wrapped(towards + (left + right) / 2), towards + left, towards + right, min(rises), max(rises)


def sightings(world: Environment, name: str = "") -> tuple[VisibleObject, ...]:
    """Every named thing, or those of one name, in the order of the solids. Nothing is cut off by a picture's edge: all around
    is seen.
    """
    outlines = [outline(world.eye, solid) for solid in world.objects]
    boxes = [standing(solid, world.eye) for solid in world.objects]
    visible: list[VisibleObject] = []
    for place, solid in enumerate(world.objects):
        if not solid.name or (name and solid.name != name):
            continue
        middle, left, right, low, high = outlines[place]
        half = (right - left) / 2
        points = standing_corners(solid)
        x, z = (sum(p[axis] for p in points) / 8 - world.eye[axis] for axis in (0, 2))
        seen = _seen(boxes, place, outlines)
        visible.append(VisibleObject(place, solid.name, middle, middle - half, middle + half, low, high, hypot(x, z), seen))
    return tuple(visible)


def _seen(boxes: Sequence[Standing], place: int, outlines: Sequence[tuple[float, float, float, float, float]]) -> float:
    """The share of the rays that meet the box of a thing and no other box before it."""
    middle, left, right, low, high = outlines[place]
    half = (right - left) / 2
    own_box, most = boxes[place].slabs, boxes[place].far
    near = [box.slabs for i, box in enumerate(boxes) if i != place and _overlap(outlines[place], outlines[i]) and box.near < most]
    hits = seen = 0
    rises = [low + (high - low) * (2 * j + 1) / (2 * RAYS) for j in range(RAYS)]
    heights = [(cosine(rise), sine(rise)) for rise in rises]
    for i in range(RAYS):
        turn = middle + half * ((2 * i + 1) / RAYS - 1)
        x, z = sine(turn), cosine(turn)
        for flat, y in heights:
            ray = (flat * x, y, -flat * z)  # `ahead`, its sines worked out once
            at = meets(own_box, ray)
            if at is None:
                continue
            hits += 1
            for k, box in enumerate(near):
                hit = meets(box, ray)
                if hit is not None and hit < at:
                    near[0], near[k] = box, near[0]  # what hides one ray hides most likely the next one: it is tried first
                    break
            else:
                seen += 1
    return seen / hits if hits else 0.0


def _overlap(a: tuple[float, float, float, float, float], b: tuple[float, float, float, float, float]) -> bool:
    """Whether two outlines may lie over each other; for one that surrounds the eye always."""
    reach = (a[2] - a[1] + b[2] - b[1]) / 2
    return reach >= 180 or (abs(wrapped(a[0] - b[0])) <= reach and a[3] <= b[4] and b[3] <= a[4])


def once(seen: Sequence[VisibleObject]) -> tuple[VisibleObject, ...]:
    """Those whose name no other has."""
    names = Counter(thing.name for thing in seen)
    return tuple(thing for thing in seen if names[thing.name] == 1)
