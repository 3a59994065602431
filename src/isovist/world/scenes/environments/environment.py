"""An environment around a camera position, its views, and the geometric visibility of its objects.

Headings and bearings are degrees in world coordinates, clockwise seen from above: 0 is -Z, 90 is +X. A question may define north in another
direction. Elevations are degrees above the horizon.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, degrees, hypot

from isovist.core.rotation import Vector, azimuth, cosine, sine, wrapped
from isovist.core.scene3d import Camera, Ground, Light, Panorama, Scene3D, SceneObject, Sky
from isovist.core.summation import sum_in_order
from isovist.world.scenes.environments.bounding_boxes import Standing, meets, standing, standing_corners

RAYS = 8
"""Number of rays per axis across the box of an object, for its visible share."""
_MARGIN = 0.01  # degrees beside an outline where a ray is still tested: more than rounding errors


@dataclass(frozen=True, slots=True)
class Environment:
    """`place`: kind of place ("kitchen", "crossing"). A question may refer to an object with a name. Objects with the same name are of one
    category. Walls, kerbs and similar objects have no name. `eye`: camera position in metres.
    """

    place: str
    objects: tuple[SceneObject, ...]
    eye: Vector
    ground: Ground | None
    light: Light
    sky: Sky


@dataclass(frozen=True, slots=True)
class VisibleObject:
    """A named object as seen from the camera position. `object_index`: its index in the objects of the environment.

    `left` and `right`: bearings of its counterclockwise and clockwise sides; `bearing`: the mean of both. They are not wrapped:
    left <= bearing <= right, and both sides are within 180 degrees of the bearing. `low` and `high`: elevations. `visible_share`: share
    of its box that no nearer box occludes. `distance`: horizontal distance of its centre in metres. Angles are in degrees.
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
    """The compass bearing of a point, above -180 and up to 180 degrees."""
    return wrapped(180.0 - azimuth((point[0] - eye[0], 0.0, point[2] - eye[2])))


def ahead(heading: float, elevation: float = 0.0) -> Vector:
    """The unit vector of a heading and an elevation."""
    flat = cosine(elevation)
    return flat * sine(heading), sine(elevation), -flat * cosine(heading)


def shot(world: Environment, heading: float, fov: float, size: int = 512, pitch: float = 0.0) -> Scene3D:
    """The square view of a pinhole camera at the camera position: field of view `fov` and upward `pitch` in degrees."""
    x, y, z = ahead(heading, pitch)
    ex, ey, ez = world.eye
    target = (round(ex + x, 6), round(ey + y, 6), round(ez + z, 6))
    return Scene3D(world.objects, Camera(world.eye, target, fov, width=size, height=size), world.ground, world.light, world.sky)


def panorama(world: Environment, heading: float = 0.0, width: int = 2048) -> Scene3D:
    """The equirectangular view from the camera position, with `heading` at the centre."""
    return Scene3D(world.objects, Panorama(world.eye, heading, width), world.ground, world.light, world.sky)


def heading(stage: Scene3D) -> float:
    """The heading of a 3-D scene's camera, above -180 and up to 180 degrees."""
    camera = stage.camera
    return wrapped(camera.heading) if isinstance(camera, Panorama) else bearing(camera.eye, camera.target)


Outline = tuple[float, float, float, float, float]
"""See `outline`."""


def outline(eye: Vector, solid: SceneObject) -> Outline:
    """Bearings of the centre, left and right, and lowest and highest elevation of the box of an object; see `VisibleObject`."""
    points = standing_corners(solid)
    ex, ey, ez = eye
    centre = (sum_in_order([p[0] for p in points]) / 8, 0.0, sum_in_order([p[2] for p in points]) / 8)
    centre_bearing = bearing(eye, centre)
    upright = not (solid.pose.pitch or solid.pose.roll)
    # of an upright box, four corners are above the other four
    feet = (points[0], points[1], points[4], points[5]) if upright else points
    offsets = [wrapped(bearing(eye, point) - centre_bearing) for point in feet]
    away = [hypot(p[0] - ex, p[2] - ez) for p in feet]
    tops = [(points[0], points[2]), (points[1], points[3]), (points[4], points[6]), (points[5], points[7])] if upright else zip(points)
    elevations = [degrees(atan2(p[1] - ey, flat)) for flat, ends in zip(away, tops, strict=True) for p in ends]
    left, right = min(offsets), max(offsets)
    return (
        wrapped(centre_bearing + (left + right) / 2), centre_bearing + left, centre_bearing + right, min(elevations), max(elevations),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Measured:
    """The outlines and boxes of the objects of an environment, and the visible objects measured so far by index."""

    objects: tuple[SceneObject, ...]
    eye: Vector
    outlines: Sequence[Outline]
    boxes: Sequence[Standing]
    visible: dict[int, VisibleObject]


_last: _Measured | None = None


def sightings(world: Environment, name: str = "") -> tuple[VisibleObject, ...]:
    """All named objects, or those of one name, in the order of the environment's objects, without cropping by image edges."""
    global _last  # noqa: PLW0603 - a place is measured for one name, then for all
    known = _last
    if known is None or known.objects is not world.objects or known.eye != world.eye:
        outlines = [outline(world.eye, solid) for solid in world.objects]
        known = _last = _Measured(world.objects, world.eye, outlines, [standing(solid, world.eye) for solid in world.objects], {})
    wanted = [index for index, solid in enumerate(world.objects) if solid.name and name in ("", solid.name)]
    for index in wanted:
        if index not in known.visible:
            known.visible[index] = _sighting(known, index)
    return tuple(known.visible[index] for index in wanted)


def _sighting(known: _Measured, index: int) -> VisibleObject:
    solid = known.objects[index]
    centre, left, right, low, high = known.outlines[index]
    half = (right - left) / 2
    points = standing_corners(solid)
    x, z = (sum_in_order(p[axis] for p in points) / 8 - known.eye[axis] for axis in (0, 2))
    share = _visible_share(known.boxes, index, known.outlines)
    return VisibleObject(index, solid.name, centre, centre - half, centre + half, low, high, hypot(x, z), share)


def _visible_share(boxes: Sequence[Standing], index: int, outlines: Sequence[Outline]) -> float:
    """The share of the rays to the box of an object that meet no nearer box."""
    centre, left, right, low, high = outlines[index]
    half = (right - left) / 2
    target_box, farthest = boxes[index].slabs, boxes[index].far
    occluders = [
        (outlines[i][0], (outlines[i][2] - outlines[i][1]) / 2 + _MARGIN, box.slabs)
        for i, box in enumerate(boxes)
        if i != index and _overlap(outlines[index], outlines[i]) and box.near < farthest
    ]
    n_hits = n_visible = 0
    elevations = [low + (high - low) * (2 * j + 1) / (2 * RAYS) for j in range(RAYS)]
    heights = [(cosine(rise), sine(rise)) for rise in elevations]
    for i in range(RAYS):
        azimuth_deg = centre + half * ((2 * i + 1) / RAYS - 1)
        x, z = sine(azimuth_deg), cosine(azimuth_deg)
        near = [slabs for middle, reach, slabs in occluders if reach >= 90 or abs(wrapped(azimuth_deg - middle)) <= reach]
        for flat, y in heights:
            ray = (flat * x, y, -flat * z)  # `ahead` with precomputed sines
            distance = meets(target_box, ray)
            if distance is None:
                continue
            n_hits += 1
            for k, box in enumerate(near):
                hit = meets(box, ray)
                if hit is not None and hit < distance:
                    near[0], near[k] = box, near[0]  # this box is tested first for the next ray, which it probably also occludes
                    break
            else:
                n_visible += 1
    return n_visible / n_hits if n_hits else 0.0


def _overlap(a: Outline, b: Outline) -> bool:
    """Whether two outlines may overlap. An outline that surrounds the eye overlaps all others."""
    reach = (a[2] - a[1] + b[2] - b[1]) / 2
    return reach >= 180 or (abs(wrapped(a[0] - b[0])) <= reach and a[3] <= b[4] and b[3] <= a[4])


def once(objects: Sequence[VisibleObject]) -> tuple[VisibleObject, ...]:
    """The visible objects with a unique name."""
    counts = Counter(visible.name for visible in objects)
    return tuple(visible for visible in objects if counts[visible.name] == 1)
