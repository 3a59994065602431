"""Open ground with objects around its middle, photographed from any side.

Only the objects tell the side of a camera: the ground has no direction, the sky no landmark, and nothing stands behind. Positions are
(x, z) in metres; azimuths are degrees about +Y from +Z, counterclockwise seen from above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from isovist.core.rng import Rng
from isovist.core.rotation import azimuth, cosine, sine
from isovist.core.scene3d import Camera, Cylinder, Ground, Light, Pose, SceneObject, Sky, Texture, projections
from isovist.world.scenes import legibility, object_catalog
from isovist.world.scenes.camera_framing import Body, Extent, extent
from isovist.world.scenes.habitats import Surface
from isovist.world.scenes.object_catalog import CatalogObject

Spot = tuple[float, float]

THINGS: tuple[CatalogObject, ...] = tuple(
    object_catalog.known()[name]
    for name in (
        "barrel", "basket", "beanbag", "bench-blue", "crate", "fire-extinguisher", "fire-hydrant", "logs", "plant-twigs", "punching-ball",
        "rock-tall", "stepladder-wood", "stone-lantern-round", "stool-wood", "suitcase", "table-cafe-round", "traffic-cone",
        "wash-tub", "wheelie-bin",
    )
)  # fmt: skip
"""Objects without a front, 0.3 to 1.6 m high, that nobody takes for another one."""
PEOPLE: tuple[CatalogObject, ...] = tuple(
    object_catalog.known()[name]
    for name in ("man-cardigan", "man-grey-suit", "man-jacket", "man-plain", "woman-casual", "woman-dress", "woman-jacket", "woman-plain")
)
"""Standing people with a front that is visible from any side."""
_GROUNDS = (
    Surface("grass", 1.6),
    Surface("grass", 1.6, "#ffe0a0"),
    Surface("gravel", 1.6),
    Surface("gravel", 1.4, "#d8ccc0"),
    Surface("asphalt", 2.2, "#d8d4cc"),
    Surface("sand", 2.0, "#e0c898"),
    Surface("soil", 2.0, "#f0d8b0"),
    Surface("concrete", 3.0),
)
"""Textures without lines, which would show a direction."""
_SKIES = (("#7fa8d8", "#e8eef4"), ("#9db4c8", "#dfe3e6"), ("#6f9fdc", "#f2e9dc"), ("#86b4d0", "#eef2e2"))
DISC = "disc"
DISC_RADIUS = 0.3
AIM = 0.4
"""Height in metres of the point above the middle at which a camera looks."""


def at(middle: Spot, direction: float, distance: float) -> Spot:
    """The point at a distance in metres in the direction of an azimuth."""
    return middle[0] + distance * sine(direction), middle[1] + distance * cosine(direction)


def spot(body: Body) -> Spot:
    x, _, z = body.solid.pose.position
    return x, z


def distance(a: Spot, b: Spot) -> float:
    return hypot(a[0] - b[0], a[1] - b[1])


def direction(a: Spot, b: Spot) -> float:
    """The azimuth of point b from point a."""
    return azimuth((b[0] - a[0], 0.0, b[1] - a[1]))


def camera(side: float, away: float, height: float, fov: float, aim: float = AIM, size: int = 512) -> Camera:
    """A camera at the azimuth `side` of the middle, `away` metres from it, that looks at the point `aim` metres above the middle."""
    x, z = at((0.0, 0.0), side, away)
    return Camera((round(x, 3), round(height, 3), round(z, 3)), (0.0, aim, 0.0), fov, width=size, height=size)


def suns(rng: Rng, sides: Sequence[float], *, turning: bool) -> list[Light]:
    """The light of images from cameras at the azimuths `sides`: one sun for all, or with `turning` one that turns with the camera, so that
    shadows do not tell the side.
    """
    if not turning:
        return [sun(rng, rng.uniform(-180, 180))] * len(sides)
    # a stream of its own, again for each camera: the numbers drawn so far have placed the cameras
    return [sun(rng.at("sun"), side) for side in sides]


def sun(rng: Rng, side: float) -> Light:
    """A sun within 75 degrees of the azimuth `side`."""
    up, round_ = rng.uniform(35, 65), side + rng.uniform(-75, 75)
    to_sun = (round(cosine(up) * sine(round_), 3), round(sine(up), 3), round(cosine(up) * cosine(round_), 3))
    return Light(to_sun, round(rng.uniform(0.8, 1.15), 2), round(rng.uniform(0.85, 1.2), 2))


def ground(rng: Rng, bodies: Sequence[Body]) -> tuple[Ground, Sky]:
    """A ground on which the objects stand out, and a sky."""
    surface = legibility.pick_surface(rng, _GROUNDS, [(body.thing.mesh, body.solid.colour) for body in bodies])
    texture = Texture(surface.texture, round(surface.metres * rng.uniform(0.85, 1.2), 2))
    return Ground(surface.tint, texture, round(rng.uniform(150, 300), 1)), Sky(*rng.pick(_SKIES))


def disc(middle: Spot, colour: str) -> SceneObject:
    """A flat round mark on the ground."""
    return SceneObject(
        Cylinder(DISC_RADIUS, 0.02), Pose((round(middle[0], 3), 0.0, round(middle[1], 3))), colour=colour, casts_shadow=False, name=DISC
    )


@dataclass(frozen=True, slots=True)
class Seen:
    """A body in an image: its box, and its depth in metres."""

    body: Body
    box: Extent
    depth: float


def seen(camera: Camera, body: Body, margin: float = 0.03) -> Seen | None:
    """A body that is completely in the image, `margin` image heights from its edges; None for any other."""
    try:
        box, ((_, _, depth),) = extent(camera, body), projections(camera, [body.middle])
    except ValueError:
        return None
    return Seen(body, box, depth) if is_inside(camera, box, margin) else None


def is_inside(camera: Camera, box: Extent, margin: float = 0.03) -> bool:
    """Whether an image box is `margin` image heights from the edges of the image."""
    wide = camera.width / camera.height
    return box.left >= margin and box.top >= margin and box.right <= wide - margin and box.bottom <= 1 - margin


def are_clear(one: Seen, other: Seen, gap: float, most_hidden: float) -> bool:
    """Whether two bodies have `gap` metres between them, and the nearer one hides at most a share of the image box of the other."""
    (x, _, z), (u, _, w) = one.body.solid.pose.position, other.body.solid.pose.position
    if hypot(x - u, z - w) < one.body.thing.reach + other.body.thing.reach + gap:
        return False
    farther = max(one, other, key=lambda seen: seen.depth)
    return one.box.common(other.box) <= most_hidden * farther.box.area
