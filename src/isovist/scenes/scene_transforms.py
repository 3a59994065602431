"""From targets to a stage and back: angles that keep a margin, marked targets among other objects, and what a drawn stage tells of them.

Angles are degrees as in `core.solid`: that of a front is `facing`, 0 towards the camera and positive counterclockwise seen from
above, so that 90 faces the right of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, apply, turn
from isovist.core.scene3d import Camera, ObjectMarker, Pose, Scene3D, SceneObject, place, turned, view
from isovist.scenes import object_catalog
from isovist.scenes.camera_framing import Body
from isovist.scenes.scene_builder import Setting, stage

MARGIN = 10.0
"""Degrees that an angle keeps from every edge of its class."""
RED, BLUE = "#e6002e", "#0050ff"
ALONE_SHARE, CROWD_SHARE = (0.4, 0.55), (0.3, 0.42)
"""Of a target alone and of one among others, as in `framing.Viewpoint`."""

Span = tuple[float, float]
"""Angles from the first up to the second, which may lie beyond 180."""


def within(rng: Rng, spans: Sequence[Span], across: float = 0.0, margin: float = MARGIN) -> float:
    """An angle to the line to the camera in one of the spans, to a tenth of a degree, that keeps the margin from both ends.

    So does the same angle measured from the picture plane, for an object `across` degrees right of the middle.
    Raises ValueError for a span that is too narrow for that.
    """
    low, high = rng.pick(spans)
    # measured from the picture plane the angle is smaller by `across`
    least, most = low + margin + max(across, 0.0), high - margin + min(across, 0.0)
    if least > most:
        raise ValueError(f"no angle between {low} and {high} keeps {margin} degrees from both")
    return round(rng.uniform(least, most), 1)


def marked_stage(rng: Rng, setting: Setting, camera: Camera, bodies: Sequence[Body], targets: int) -> tuple[Scene3D, tuple[int, ...]]:
    """The stage of these objects, of which the first are the targets, and the places of the targets in its solids.

    They are marked, the first red and the second blue, if there are others, or several.
    """
    shown = stage(rng, setting, camera, bodies)
    order = rng.shuffled(range(len(bodies)))  # the place in the list of solids tells nothing
    solids = (*(shown.objects[i] for i in order), *shown.objects[len(bodies) :])
    places = tuple(order.index(i) for i in range(targets))
    marks = tuple(ObjectMarker(i, colour) for i, colour in zip(places, (RED, BLUE), strict=False)) if len(bodies) > 1 else ()
    return Scene3D(solids, shown.camera, shown.ground, shown.light, shown.sky, marks), places


# Reading a picture -------------------------------------------------------------------------------------------------


def marked(picture: Scene3D, colour: str = RED) -> SceneObject:
    """What the frame of a colour marks; the only object where nothing is marked."""
    if picture.markers:
        (marker,) = [mark for mark in picture.markers if mark.colour == colour]
        return picture.objects[marker.object_index]
    (alone,) = [solid for solid in picture.objects if object_catalog.of(solid.geometry)]
    return alone


def flat_camera(picture: Scene3D) -> Camera:
    """Its camera. Raises TypeError for a panorama, which has no left and right half."""
    if not isinstance(picture.camera, Camera):
        raise TypeError("this stage is seen in a panorama")
    return picture.camera


def ahead(solid: SceneObject) -> Vector:
    """The direction of the front in the world, from two points of the solid: one a metre before the other."""
    a, b = place(solid, (0.0, 0.0, 0.0)), place(solid, (0.0, 0.0, 1.0 / solid.scale))
    return b[0] - a[0], b[1] - a[1], b[2] - a[2]


def across_and_back(camera: Camera, solid: SceneObject) -> tuple[float, float]:
    """How far the front points to the right of the picture, and how far out of it: parts of a horizontal metre."""
    x, _, z = ahead(solid)
    (rx, _, rz), _, (bx, _, bz) = view(camera)
    level = (bx * bx + bz * bz) ** 0.5  # the camera looks down, the front points along the ground
    return rx * x + rz * z, (bx * x + bz * z) / level


# Moving a whole stage ----------------------------------------------------------------------------------------------


def turned_solids(solids: Sequence[SceneObject], by: float) -> tuple[SceneObject, ...]:
    """Solids turned together about +Y, counterclockwise seen from above."""
    spin = turn("y", by)
    return tuple(replace(solid, pose=replace(turned(solid.pose, "y", by), position=apply(spin, solid.pose.position))) for solid in solids)


def mirrored_solids(solids: Sequence[SceneObject]) -> tuple[SceneObject, ...]:
    """Solids where a mirror across x shows them. Every form stays itself, only its pose is mirrored."""

    def mirrored(pose: Pose) -> Pose:
        return replace(pose, position=across(pose.position), yaw=-pose.yaw, roll=-pose.roll)

    return tuple(replace(solid, pose=mirrored(solid.pose)) for solid in solids)


def across(at: Vector) -> Vector:
    """The mirror image of a point across x."""
    return -at[0], at[1], at[2]


def from_another_side(picture: Scene3D, by: float = 120) -> Scene3D:
    """The whole world, camera and sun included, turned about +Y: it looks the same."""
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
    """Everything, camera and sun included, where a mirror across x shows it. Every form stays itself, only its pose is mirrored."""
    camera = flat_camera(picture)
    camera = replace(camera, eye=across(camera.eye), target=across(camera.target))
    return replace(
        picture,
        objects=mirrored_solids(picture.objects),
        camera=camera,
        light=replace(picture.light, sun_direction=across(picture.light.sun_direction)),
    )


def with_turned(picture: Scene3D, who: int, by: float = 180) -> Scene3D:
    """One of the solids is turned on the spot, counterclockwise seen from above; by default it faces the other way."""
    solid = picture.objects[who]
    other = replace(solid, pose=turned(solid.pose, "y", by))
    return replace(picture, objects=(*picture.objects[:who], other, *picture.objects[who + 1 :]))
