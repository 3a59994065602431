"""Angles with margins, marked targets, measurements on 3-D scenes, and transformations of whole scenes.

Angles are degrees as in `core.scene3d`. The angle of a front is `facing`: 0 toward the camera, positive counterclockwise as seen from
above, so 90 points to the right of the image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, apply, turn
from isovist.core.scene3d import Camera, ObjectMarker, Pose, Scene3D, SceneObject, place, turned, view
from isovist.world.scenes import object_catalog
from isovist.world.scenes.camera_framing import Body
from isovist.world.scenes.habitats import Habitat
from isovist.world.scenes.scene_builder import Setting, stage

MARGIN = 14.0
"""Minimum angle to every edge of a class of 42 degrees or more, in degrees; of a narrower class, a third of its width."""
RED, BLUE = "#e6002e", "#0050ff"
ALONE_SHARE, CROWD_SHARE = (0.4, 0.55), (0.3, 0.42)
"""Ranges of `Viewpoint.share` for a single target and for a target among others."""

Span = tuple[float, float]
"""Lower and upper angle in degrees; the upper one may exceed 180."""


def is_within(angle: float, span: Span, margin: float = 0.0) -> bool:
    """Whether an angle is in a span with a margin to both ends, in degrees."""
    low, high = span
    return (angle - low - margin) % 360 <= high - low - 2 * margin


def within(rng: Rng, spans: Sequence[Span], across: float = 0.0, margin: float = MARGIN) -> float:
    """A random angle to the camera direction in one of the spans, rounded to 0.1 degrees, with a margin to both ends.

    The margin also holds for the angle measured from the image plane, for an object `across` degrees to the right of the centre.
    Raises ValueError for a span that is too narrow.
    """
    low, high = rng.pick(spans)
    margin = min(margin, (high - low) / 3)
    # measured from the image plane, the angle is smaller by `across`
    least, most = low + margin + max(across, 0.0), high - margin + min(across, 0.0)
    if least > most:
        raise ValueError(f"no angle between {low} and {high} keeps {margin} degrees from both")
    return round(rng.uniform(least, most), 1)


def marked_stage(
    rng: Rng, setting: Setting, camera: Camera, bodies: Sequence[Body], targets: int, habitat: Habitat | None = None
) -> tuple[Scene3D, tuple[int, ...]]:
    """The 3-D scene of these objects, and the indices of the first `targets` of them in it.

    If there is more than one object, the targets are marked: the first red, the second blue.
    """
    shown = stage(rng, setting, camera, bodies, habitat, targets=targets)
    order = rng.shuffled(range(len(bodies)))  # the index does not depend on the role
    solids = (*(shown.objects[i] for i in order), *shown.objects[len(bodies) :])
    places = tuple(order.index(i) for i in range(targets))
    marks = tuple(ObjectMarker(i, colour) for i, colour in zip(places, (RED, BLUE), strict=False)) if len(bodies) > 1 else ()
    return Scene3D(solids, shown.camera, shown.ground, shown.light, shown.sky, marks), places


# Measurements ------------------------------------------------------------------------------------------------------


def marked(picture: Scene3D, colour: str = RED) -> SceneObject:
    """The object with the marker of a colour; the only object if the scene has no markers."""
    if picture.markers:
        (marker,) = [mark for mark in picture.markers if mark.colour == colour]
        return picture.objects[marker.object_index]
    (alone,) = [solid for solid in picture.objects if object_catalog.of(solid.geometry)]
    return alone


def flat_camera(picture: Scene3D) -> Camera:
    """The perspective camera of a scene. Raises TypeError for a panorama."""
    if not isinstance(picture.camera, Camera):
        raise TypeError("the camera of this scene is a panorama")
    return picture.camera


def ahead(solid: SceneObject) -> Vector:
    """The direction of the front in the world, from two points of the object that are 1 metre apart."""
    a, b = place(solid, (0.0, 0.0, 0.0)), place(solid, (0.0, 0.0, 1.0 / solid.scale))
    return b[0] - a[0], b[1] - a[1], b[2] - a[2]


def across_and_back(camera: Camera, solid: SceneObject) -> tuple[float, float]:
    """The components of the front to the right of the image and out of it, for a horizontal unit vector."""
    x, _, z = ahead(solid)
    (rx, _, rz), _, (bx, _, bz) = view(camera)
    level = (bx * bx + bz * bz) ** 0.5  # the camera looks down, the front points along the ground
    return rx * x + rz * z, (bx * x + bz * z) / level


# Transformations ---------------------------------------------------------------------------------------------------


def turned_solids(solids: Sequence[SceneObject], by: float) -> tuple[SceneObject, ...]:
    """Objects rotated together about +Y by degrees, counterclockwise as seen from above."""
    spin = turn("y", by)
    return tuple(replace(solid, pose=replace(turned(solid.pose, "y", by), position=apply(spin, solid.pose.position))) for solid in solids)


def mirrored_solids(solids: Sequence[SceneObject]) -> tuple[SceneObject, ...]:
    """Objects mirrored across x. Geometries are unchanged; only their poses are mirrored."""

    def mirrored(pose: Pose) -> Pose:
        return replace(pose, position=across(pose.position), yaw=-pose.yaw, roll=-pose.roll)

    return tuple(replace(solid, pose=mirrored(solid.pose)) for solid in solids)


def across(at: Vector) -> Vector:
    """The mirror image of a point across x."""
    return -at[0], at[1], at[2]


def from_another_side(picture: Scene3D, by: float = 120) -> Scene3D:
    """The world with camera and sun, rotated about +Y by degrees: the image is unchanged."""
    camera = flat_camera(picture)
    spin = turn("y", by)
    camera = replace(camera, eye=apply(spin, camera.eye), target=apply(spin, camera.target))
    return replace(
        picture,
        objects=turned_solids(picture.objects, by),
        camera=camera,
        light=replace(picture.light, sun_direction=apply(spin, picture.light.sun_direction)),
    )


def in_a_mirror(picture: Scene3D) -> Scene3D:
    """The world with camera and sun, mirrored across x. Geometries are unchanged; only their poses are mirrored."""
    camera = flat_camera(picture)
    camera = replace(camera, eye=across(camera.eye), target=across(camera.target))
    return replace(
        picture,
        objects=mirrored_solids(picture.objects),
        camera=camera,
        light=replace(picture.light, sun_direction=across(picture.light.sun_direction)),
    )


def with_turned(picture: Scene3D, who: int, by: float = 180) -> Scene3D:
    """Rotate one object in place, counterclockwise as seen from above, by default by 180 degrees."""
    solid = picture.objects[who]
    other = replace(solid, pose=turned(solid.pose, "y", by))
    return replace(picture, objects=(*picture.objects[:who], other, *picture.objects[who + 1 :]))
