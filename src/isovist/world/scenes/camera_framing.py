"""Camera positions at which the targets have a given size in the image, and image boxes of objects.

Image boxes are in image heights: x to the right, y down, origin at the upper left corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import asin, degrees, sqrt

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, cosine, rounded, sine
from isovist.core.scene3d import Camera, Pose, SceneObject, place, projections
from isovist.core.summation import sum_in_order
from isovist.core.task import RejectSample
from isovist.world.scenes.object_catalog import CatalogObject

MOST_WIDE, MOST_WIDE_OF_SEVERAL = 0.78, 0.86
"""Maximum width and height of one target, and of several together, in image heights."""
LEAST_OFF_EDGE = 0.03


@dataclass(frozen=True, slots=True)
class Body:
    """A catalog object and its object in the 3-D scene."""

    thing: CatalogObject
    solid: SceneObject

    @property
    def corners(self) -> tuple[Vector, ...]:
        """The eight corners of the bounding box in the world."""
        w, h, d = self.thing.size
        return tuple(place(self.solid, (x, y, z)) for x in (-w / 2, w / 2) for y in (0.0, h) for z in (-d / 2, d / 2))

    @property
    def middle(self) -> Vector:
        return place(self.solid, (0.0, self.thing.size[1] / 2, 0.0))


@dataclass(frozen=True, slots=True)
class Extent:
    """An image box."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return max(0.0, self.right - self.left)

    @property
    def height(self) -> float:
        return max(0.0, self.bottom - self.top)

    @property
    def area(self) -> float:
        return self.width * self.height

    def common(self, other: Extent) -> float:
        """The area of the intersection."""
        return Extent(
            max(self.left, other.left), max(self.top, other.top), min(self.right, other.right), min(self.bottom, other.bottom)
        ).area


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """A camera direction relative to its targets, in degrees.

    `azimuth`: camera position about +Y from +Z. `elevation`: angle above the horizon. `fov`: vertical field of view. `across`, `down`:
    angles of the targets to the right of and below the image centre. `share`: square root of a target's image box, in image heights.
    `height_m`: the height of the camera above the surface on which the targets stand, in place of `elevation`. The camera is lower where
    it would look down by more than `STEEPEST`, as a photographer crouches before a low object.
    """

    azimuth: float
    elevation: float
    fov: float
    across: float
    down: float
    share: float
    height_m: float | None = None


FOVS = (20.0, 60.0)
"""Vertical fields of view of photographs in degrees, from a portrait lens to the wide lens of a telephone."""
STEEPEST, LEAST_OF_FLAT = 32.0, 18.0
"""Maximum elevation of a photograph in degrees, and the minimum one of an object that lies flat on the ground."""
FLAT = 0.25
"""Maximum height of a flat object, relative to half the diagonal of its footprint."""


RAISED_SHARE, RAISED = 0.2, (8.0, 30.0)
"""Share of the photographs from a raised position, such as a window, and their elevations in degrees: fronts behind a screen need them."""


def photograph(rng: Rng, share: tuple[float, float], off: float = 8.0) -> Viewpoint:
    """A random viewpoint at any focal length, independent of all facing directions: from a raised position in `RAISED_SHARE` of the cases,
    else for `at_height`. Fields of view are uniform in their logarithm.
    """
    low, high = FOVS
    fov = round(low * (high / low) ** rng.random(), 1)
    raised = rng.chance(RAISED_SHARE)
    most = min(off, 0.14 * fov)  # the angle from the image centre is limited by the field of view
    return Viewpoint(
        azimuth=round(rng.uniform(-180, 180), 1),
        elevation=round(rng.uniform(*RAISED), 1),
        fov=fov,
        across=round(rng.uniform(-most, most), 1),
        down=round(rng.uniform(-0.4 * most, 0.4 * most), 1),
        share=round(rng.uniform(*share), 3),
        height_m=None if raised else 0.0,
    )


def at_height(view: Viewpoint, height_m: float, thing: CatalogObject) -> Viewpoint:
    """The viewpoint with the camera at a height in metres above the surface on which the target stands, unless it is raised.

    The camera looks down at an object that lies flat on the ground.
    """
    if thing.size[1] <= FLAT * thing.reach:
        return replace(view, height_m=None, elevation=max(view.elevation, LEAST_OF_FLAT))
    return view if view.height_m is None else replace(view, height_m=round(height_m, 2))


def viewpoint(rng: Rng, share: tuple[float, float], elevation: tuple[float, float] = (6, 30), off: float = 8.0) -> Viewpoint:
    """A random viewpoint, independent of all facing directions. Angles are rounded to 0.1 degrees."""
    return Viewpoint(
        azimuth=round(rng.uniform(-180, 180), 1),
        elevation=round(rng.uniform(*elevation), 1),
        fov=round(rng.uniform(34, 48), 1),
        across=round(rng.uniform(-off, off), 1),
        down=round(rng.uniform(-0.4 * off, 0.4 * off), 1),
        share=round(rng.uniform(*share), 3),
    )


def standing(thing: CatalogObject, at: tuple[float, float], yaw: float, tint: str | None = None) -> Body:
    """An object on the ground at (x, z) in metres, with a yaw in degrees; a tint is left out where it would not look natural."""
    x, z = at
    pose = Pose((round(x, 3), 0.0, round(z, 3)), round(yaw, 1))
    return Body(thing, SceneObject(thing.form, pose, colour=thing.tinted(tint)))


def extent(camera: Camera, body: Body) -> Extent:
    """The image box of an object's bounding box, not clipped. Raises ValueError if a part is behind the camera."""
    return _box(camera, body.corners)


def _box(camera: Camera, corners: Sequence[Vector]) -> Extent:
    points = projections(camera, corners)
    xs, ys = [x / camera.height for x, _, _ in points], [y / camera.height for _, y, _ in points]
    return Extent(min(xs), min(ys), max(xs), max(ys))


def camera(view: Viewpoint, distance: float, middle: Vector) -> Camera:
    """The camera of a viewpoint at a distance in metres from the centre of its targets. Positions are rounded to 1 millimetre."""
    x, y, z = middle
    a = view.azimuth
    e = view.elevation if view.height_m is None else _elevation(view, distance, y)
    eye = (x + distance * cosine(e) * sine(a), y + distance * sine(e), z + distance * cosine(e) * cosine(a))
    # the camera looks to the left of targets that are right of the centre, and above targets that are below it
    rise, heading = view.down - e, a + 180 + view.across
    target = (
        eye[0] + distance * cosine(rise) * sine(heading),
        eye[1] + distance * sine(rise),
        eye[2] + distance * cosine(rise) * cosine(heading),
    )
    return Camera(rounded(eye), rounded(target), view.fov)


def _elevation(view: Viewpoint, distance: float, y: float) -> float:
    """The elevation in degrees of a camera at the height of the viewpoint, above or below a point at the height `y`."""
    steep = sine(STEEPEST)
    return round(degrees(asin(max(-steep, min(steep, ((view.height_m or 0.0) - y) / distance)))), 1)


def aimed(view: Viewpoint, targets: Sequence[Body]) -> Camera:
    """The camera of a viewpoint at the distance where the targets have their share, independent of their facing directions.

    Raises RejectSample if the targets are not completely in the image.
    """
    middles, corners = [target.middle for target in targets], [target.corners for target in targets]
    n = len(middles)
    middle = (sum_in_order(m[0] for m in middles) / n, sum_in_order(m[1] for m in middles) / n, sum_in_order(m[2] for m in middles) / n)
    near, far = 0.6 * max(target.thing.span for target in targets), 400.0
    for _ in range(22):
        between = sqrt(near * far)
        if _fills(view, camera(view, between, middle), corners) > 1:
            near = between
        else:
            far = between
    result = camera(view, far, middle)
    edge = LEAST_OFF_EDGE
    for target in corners:
        box = _box(result, target)
        if box.left < edge or box.top < edge or box.right > result.width / result.height - edge or box.bottom > 1 - edge:
            raise RejectSample
    return result


def _fills(view: Viewpoint, seen_by: Camera, corners: Sequence[Sequence[Vector]]) -> float:
    """The size of the targets in the image relative to the wanted size; above 1 if the camera is too near.

    `corners`: those of the bounding box of each target.
    """
    try:
        boxes = [_box(seen_by, target) for target in corners]
    except ValueError:  # behind the camera
        return 2.0
    sides = (max(b.right for b in boxes) - min(b.left for b in boxes), max(b.bottom for b in boxes) - min(b.top for b in boxes))
    mean = sum_in_order(sqrt(box.area) for box in boxes) / len(boxes)
    most = MOST_WIDE if len(boxes) == 1 else MOST_WIDE_OF_SEVERAL
    return max(mean / view.share, *(side / most for side in sides))
