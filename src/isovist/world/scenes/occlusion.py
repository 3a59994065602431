"""Occluded fronts: objects with a plain top behind a screen that occludes all their sides.

Only the top of such an object is visible, or a part of it. It looks the same after a rotation by 180 degrees, so the object may face
either of two opposite directions. Other scenes also contain a screen, which does not occlude the target.
"""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, azimuth, cosine, dot, sine, unit
from isovist.core.scene3d import Box, Camera, Pose, Scene3D, SceneObject, Texture, place, project
from isovist.core.summation import sum_in_order
from isovist.core.task import RejectSample
from isovist.world.scenes.camera_framing import Body, extent
from isovist.world.scenes.environments.bounding_boxes import bounds, standing
from isovist.world.scenes.object_catalog import CatalogObject, Place

ALIKE_ON_TOP: dict[Place, tuple[str, ...]] = {
    "indoors": ("bedside-table", "bookcase-white", "projector", "washing-machine"),
    "outdoors": ("bus-coach",),
}
"""Objects with a front whose tops look the same from the front and from behind. Each is also a target with a visible front."""
_ROUNDED = {"bus-coach": 0.5, "projector": 0.5}
"""Approximate visible share of a top with a ridge or round edges, relative to a flat top."""
LEAST_TOP = 0.012
"""Minimum visible area of the top, in squared image heights."""
MOST_TOP = 0.05
"""Maximum visible area of the top, in squared image heights: a larger one shows small details, such as the mirrors of a bus."""
_TEXTURES: dict[Place, tuple[str, ...]] = {
    "indoors": ("plaster", "wallpaper", "planks", "planks-dark"),
    "outdoors": ("bricks", "concrete", "planks", "plaster"),
}
_COLOURS = ("#ffffff", "#e8dcc8", "#d0d8e0", "#c8d4c0", "#e0c8b8")
_THICK = 0.04  # thickness of a screen, relative to its height
_TILT = 12.0  # maximum angle between a screen and the camera direction, in degrees
_RAYS = 6  # per side, horizontally and vertically
_SIDE_SEEN = 0.02
"""Maximum visible share of the sides that face the camera, for a hidden front."""


def screen(rng: Rng, where: Place, size: Vector, at: tuple[float, float], yaw: float) -> Body:
    """A free-standing wall or fence on the ground."""
    width, height, depth = (round(side, 3) for side in size)
    thing = CatalogObject("screen", "screen", "Miscellaneous", (width, height, depth), "symmetric", 180, upright=False)
    pose = Pose((round(at[0], 3), 0.0, round(at[1], 3)), round(yaw, 1))
    texture = Texture(rng.pick(_TEXTURES[where]), round(max(height, 1.0) * rng.uniform(0.5, 1.0), 2))
    return Body(thing, SceneObject(Box(thing.size), pose, colour=rng.pick(_COLOURS), texture=texture))


def hiding(rng: Rng, where: Place, camera: Camera, body: Body) -> Body:
    """A screen in front of an object that occludes all sides facing the camera, and leaves a part of the top visible.

    Raises RejectSample if the visible part would be too small or too large.
    """
    eye, solid = camera.eye, body.solid
    yaw = round(azimuth((eye[0] - solid.pose.position[0], 0.0, eye[2] - solid.pose.position[2])) + rng.uniform(-_TILT, _TILT), 1)
    ahead = -sine(yaw), -cosine(yaw)  # from the eye through the screen
    footprint = _footprint(body)
    high = body.thing.size[1]
    depths = [(x - eye[0]) * ahead[0] + (z - eye[2]) * ahead[1] for x, z in footprint]
    seen = {end for side in range(4) if _turned_to(eye, footprint, side) for end in (side, (side + 1) % 4)}
    last = max(depths[i] for i in seen)  # the part of the top beyond this depth is visible
    top = _shown_area(camera, _beyond(footprint, depths, last), high)
    if eye[1] <= 1.05 * high or top > MOST_TOP or top * _ROUNDED.get(body.thing.id, 1.0) < LEAST_TOP:
        raise RejectSample
    back = min(depths) - body.thing.span * rng.uniform(0.05, 0.25)
    # the line of sight over the far upper edge of the screen meets the top at the end of the last side
    height = eye[1] - (eye[1] - high) * back / last
    across = [((x - eye[0]) * ahead[1] - (z - eye[2]) * ahead[0]) * back / d for (x, z), d in zip(footprint, depths, strict=True)]
    wide = max(across) - min(across)
    left, right = min(across) - wide * rng.uniform(0.1, 0.5), max(across) + wide * rng.uniform(0.1, 0.5)
    thick = round(_THICK * height, 3)
    along, out = (left + right) / 2, back - thick / 2
    at = eye[0] + along * ahead[1] + out * ahead[0], eye[2] - along * ahead[0] + out * ahead[1]
    return screen(rng, where, (right - left, height * 1.01, thick), at, yaw)


def _footprint(body: Body) -> list[tuple[float, float]]:
    """The x and z of the four bottom corners of the box, in order; the front is between the last and the first."""
    w, _, d = body.thing.size
    ends = ((w / 2, d / 2), (w / 2, -d / 2), (-w / 2, -d / 2), (-w / 2, d / 2))
    return [place(body.solid, (x, 0.0, z))[::2] for x, z in ends]  # pyright: ignore[reportReturnType] - two of three


def _turned_to(eye: Vector, corners: Sequence[tuple[float, float]], side: int) -> bool:
    """Whether the side from a corner to the next faces the eye: the eye and the centre are on different sides of it."""
    (ax, az), (bx, bz) = corners[side], corners[(side + 1) % 4]
    mx, mz = sum_in_order(x for x, _ in corners) / 4, sum_in_order(z for _, z in corners) / 4

    def over(x: float, z: float) -> float:
        return (bx - ax) * (z - az) - (bz - az) * (x - ax)

    return over(eye[0], eye[2]) * over(mx, mz) < 0


def _beyond(corners: Sequence[tuple[float, float]], depths: Sequence[float], least: float) -> list[tuple[float, float]]:
    """The corners of the part of a polygon with at least a given depth."""
    points: list[tuple[float, float]] = []
    for i in range(len(corners)):
        (ax, az), (bx, bz) = corners[i - 1], corners[i]
        a, b = depths[i - 1], depths[i]
        if (a < least) != (b < least):
            t = (least - a) / (b - a)
            points.append((ax + t * (bx - ax), az + t * (bz - az)))
        if b >= least:
            points.append((bx, bz))
    return points


def _shown_area(camera: Camera, corners: Sequence[tuple[float, float]], high: float) -> float:
    """The image area of a horizontal polygon at a height, in squared image heights."""
    points = [project(camera, (x, high, z))[:2] for x, z in corners]
    doubled = sum_in_order(a * d - b * c for (a, b), (c, d) in zip(points, [*points[1:], *points[:1]], strict=True))
    return abs(doubled) / 2 / camera.height**2


def beside(rng: Rng, where: Place, camera: Camera, body: Body, at: tuple[float, float]) -> Body:
    """A screen at another position, with the size and angle of a screen that could hide this object."""
    yaw = azimuth((camera.eye[0] - at[0], 0.0, camera.eye[2] - at[1])) + rng.uniform(-_TILT, _TILT)
    width, height = body.thing.span * rng.uniform(0.6, 1.3), body.thing.span * rng.uniform(0.4, 0.8)
    return screen(rng, where, (width, height, _THICK * height), at, yaw)


def clear_of(camera: Camera, bodies: Sequence[Body], target: Body, behind: Body) -> tuple[Body, ...]:
    """Return the bodies that do not cover the visible part of a target above the screen `behind`."""
    target_extent, edge = extent(camera, target), extent(camera, behind)
    return tuple(
        body
        for body in bodies
        if extent(camera, body).common(target_extent) == 0 or extent(camera, body).top > max(edge.top, target_extent.top)
    )


# Measurements ------------------------------------------------------------------------------------------------------


def front_hidden(picture: Scene3D, solid: SceneObject) -> bool:
    """Whether nearly all rays from the eye to the facing sides of an object meet the box of another object first."""
    eye = picture.camera.eye
    (x0, y0, z0), (x1, y1, z1) = bounds(solid.geometry)
    others = [standing(other, eye) for other in picture.objects if other is not solid]
    rays = seen = 0
    steps = [(2 * i + 1) / (2 * _RAYS) for i in range(_RAYS)]
    for axis, end, out in ((0, x0, -1.0), (0, x1, 1.0), (2, z0, -1.0), (2, z1, 1.0)):
        outwards = place(solid, (out, 0.0, 0.0) if axis == 0 else (0.0, 0.0, out))
        middle = place(solid, (0.0, 0.0, 0.0))
        normal = outwards[0] - middle[0], outwards[1] - middle[1], outwards[2] - middle[2]
        for a in steps:
            for b in steps:
                y = y0 + b * (y1 - y0)
                point = place(solid, (end, y, z0 + a * (z1 - z0)) if axis == 0 else (x0 + a * (x1 - x0), y, end))
                line = point[0] - eye[0], point[1] - eye[1], point[2] - eye[2]
                if dot(line, normal) >= 0:
                    continue
                rays += 1
                far = dot(line, line) ** 0.5
                hits = (other.meets(unit(line)) for other in others)
                seen += all(hit is None or hit >= far for hit in hits)
    return seen <= _SIDE_SEEN * rays
