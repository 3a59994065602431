"""Two pictures of an object, before and after a turn, among four posts that stay where they are.

The viewer may have walked a quarter, half or three quarters of the way around in between; the height stays the same. One odd post
tells so; two that stand opposite each other leave two sides open, and four alike posts all four. The first camera stands at +Z of the
object, so that the world's x runs to the right. Distance, place in the picture, light and sky are drawn for each picture anew: an
object that was not turned does not give the same picture twice. Every object is scaled to a diagonal of one metre.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import dist
from typing import Literal

from isovist.core.rng import Rng
from isovist.core.rotation import Matrix, Vector, after, apply, azimuth, cosine, rounded, sine, transposed, turn, wrapped
from isovist.core.scene3d import (
    Box,
    Camera,
    Cone,
    Cylinder,
    Geometry,
    Ground,
    Light,
    Pose,
    Scene3D,
    SceneObject,
    Sky,
    Sphere,
    Texture,
    place,
    posed,
)
from isovist.core.task import SamplingContext, identity
from isovist.scenes import object_catalog
from isovist.scenes.object_catalog import CatalogObject
from isovist.scenes.scene_builder import TINTS
from isovist.scenes.scene_transforms import flat_camera
from isovist.suites.dori import task_factory
from isovist.suites.dori.task_factory import Scene

STEP = 15
OBLIQUE = tuple(yaw for yaw in range(0, 360, STEP) if yaw % 90 in (30, 45, 60))
"""Yaws at which objects stand, before any quarter turns: two sides show, and a quarter turn shows as much of two sides again."""
ELEVATIONS = (15, 20, 25)
"""Degrees by which a camera looks down."""
ALIKE = frozenset(
    {"armchair-white", "basketball-hoop", "computer", "dressing-table", "printer", "tent", "tram", "tv-large", "tv-small", "water-cooler"}
)
"""Objects that look much the same from several sides while they stand upright."""
FLAT = ALIKE | {
    "arrow", "bus-coach", "car-city", "car-sedan", "car-suv", "coffee-maker", "deer", "laptop", "sailing-boat", "sofa-beige",
    "sofa-cushions", "toilet-modern", "toilet-tank", "truck-semi", "van",
}  # fmt: skip
"""Objects that look much the same in two of the 24 ways to lie, such as one face or another of a plain underside: tests tell which."""
_SQUARE = 1.3
"""An object that looks the same after half a turn shows a quarter turn if one of its sides is so much longer than the other."""
_NEAREST = 4  # objects of nearly the same proportions
_AWAY = {"floor": (4.1, 5.2), "air": (3.9, 4.8)}
"""Metres between camera and object: all posts are in the picture, those behind beside the object."""
_FOV = 30.0
_TONE = (150, 240)  # of red, green and blue of a sky
_PATTERNS = ("carpet", "concrete", "sand", "tiles", "tiles-dark")  # all look the same after a quarter turn
_FLOORS = ("#fff4e6", "#e8f2ff", "#f2ffe8", "#ffe8f0", "#ffffff")
HIGH = 0.75
"""Metres over the floor of the middle of an object in the air."""
_RING = 0.95
"""Metres from the middle at which the posts stand."""
QUARTERS = (0, 90, 180, 270)
_POSTS: tuple[Geometry, ...] = (Cylinder(0.07, 0.28), Cone(0.12, 0.32), Box((0.15, 0.2, 0.15)), Sphere(0.1))
_COLOURS = (("#f2c230", "#27408b"), ("#f5f5f5", "#7a2020"), ("#2f6b3c", "#f4d8b0"), ("#e8e8e8", "#303030"))
POST = "post"

Posts = Literal[360, 180, 90]
"""The least turn after which the four posts look the same: one is odd, two opposite ones are, or none."""


@dataclass(frozen=True, slots=True)
class Turned(Scene):
    """`angles_deg`: by which the object was turned, in the order of the question. `is_other_object`: the second picture shows another object.
    `camera_walk_deg`: by how many degrees the viewer has walked around it, to the right first.
    """

    angles_deg: tuple[int, ...]
    is_other_object: bool
    posts: Posts
    camera_walk_deg: int


def telling(*, upright: bool) -> tuple[tuple[CatalogObject, ...], ...]:
    """Objects with a front that no turn about an axis of the world brings to look as before, upright ones or any way up."""
    left_out = ALIKE if upright else FLAT
    return groups(
        lambda thing: thing.front == "clear" and not thing.turns and thing.category not in object_catalog.BLANK and thing.id not in left_out
    )


def even(fits: Callable[[CatalogObject], bool]) -> tuple[tuple[CatalogObject, ...], ...]:
    """Objects that look the same after part of a turn about their upright axis, of those that fit."""
    return groups(lambda thing: thing.turns > 0 and fits(thing))


def oblong(thing: CatalogObject) -> bool:
    """Whether its footprint is clearly longer one way than the other."""
    w, _, d = thing.size
    return max(w, d) > _SQUARE * min(w, d)


def groups(fits: Callable[[CatalogObject], bool]) -> tuple[tuple[CatalogObject, ...], ...]:
    """The objects that fit, by category."""
    fitting = (tuple(thing for thing in things if fits(thing)) for things in object_catalog.chosen(("clear", "symmetric", "none")))
    return tuple(things for things in fitting if things)


def another(rng: Rng, thing: CatalogObject, things: tuple[tuple[CatalogObject, ...], ...]) -> CatalogObject:
    """An object of another category with a box of nearly the same proportions: a zebra for a horse, no zebra for a sofa. Else how much the
    second picture shows would tell it from the first.
    """
    others = [other for group in things for other in group if other.category != thing.category]
    return rng.pick(sorted(others, key=lambda other: (dist(_shape(thing), _shape(other)), other.id))[:_NEAREST])


def _shape(thing: CatalogObject) -> tuple[float, ...]:
    """Width, height and depth in diagonals."""
    return tuple(side / thing.span for side in thing.size)


def like(thing: CatalogObject, first: Matrix, second: Matrix) -> bool:
    """Whether an object that looks the same after its own turns about its upright axis looks the same in both rotations."""
    rotation = after(second, transposed(first))  # in the object's own frame
    if rotation[1][1] < 1 - 1e-6:  # it tilts
        return False
    if thing.turns == 1:
        return True
    angles = range(0, 360, thing.turns) if thing.turns else (0,)
    return any(abs(rotation[0][2] - sine(angle)) + abs(rotation[0][0] - cosine(angle)) < 1e-6 for angle in angles)


def stages(
    rng: Rng,
    things: tuple[CatalogObject, CatalogObject],
    turns: tuple[Matrix, Matrix],
    *,
    ground: bool,
    posts: Posts = 360,
    walked: int = 0,
) -> tuple[Scene3D, Scene3D]:
    """The two pictures: each object with its rotation, on a floor or in the air above it. The object is the first solid."""
    elevation, tint = rng.pick(ELEVATIONS), rng.pick(TINTS)
    floor = Ground(rng.pick(_FLOORS), Texture(rng.pick(_PATTERNS), round(rng.uniform(1.0, 1.8), 2)), haze=round(rng.uniform(12, 30), 1))
    around = _ring(rng, posts)
    one, two = (
        _stage(rng, thing, matrix, elevation, tint, floor, around, lies=ground) for thing, matrix in zip(things, turns, strict=True)
    )
    return one, replace(two, camera=_walked(two, walked), light=_light_walked(two, walked))


def _ring(rng: Rng, posts: Posts) -> tuple[SceneObject, ...]:
    """Four posts around the object, at 45 degrees to the first view."""
    (plain, odd), colours, first = rng.sample(_POSTS, 2), rng.pick(_COLOURS), rng.integer(0, 3)
    strange = {360: (first,), 180: (first, (first + 2) % 4), 90: ()}[posts]
    made: list[SceneObject] = []
    for nth in range(4):
        at = round(_RING * sine(45 + 90 * nth), 4), 0.0, round(_RING * cosine(45 + 90 * nth), 4)
        form, colour = (odd, colours[1]) if nth in strange else (plain, colours[0])
        made.append(SceneObject(form, Pose(at), colour=colour, name=POST))
    return tuple(made)


def _stage(
    rng: Rng,
    thing: CatalogObject,
    matrix: Matrix,
    elevation: int,
    tint: str | None,
    floor: Ground,
    around: tuple[SceneObject, ...],
    *,
    lies: bool,
) -> Scene3D:
    scale = round(1 / thing.span, 6)
    high = thing.size[1] / 2
    centre = round(scale * high, 4) if lies else HIGH
    solid = SceneObject(thing.form, posed(matrix, (0.0, centre, 0.0)), scale, colour=tint, pivot=(0.0, high, 0.0))
    away = rng.uniform(*_AWAY["floor" if lies else "air"])
    across, above = rng.uniform(-0.06, 0.06), rng.uniform(-0.04, 0.04) - (0.0 if lies else 0.25)
    up, back = (0.0, cosine(elevation), -sine(elevation)), (0.0, sine(elevation), cosine(elevation))
    target = rounded((across, centre + above * up[1], above * up[2]))
    eye = rounded((target[0], target[1] + away * back[1], target[2] + away * back[2]))
    aside, height = rng.uniform(-60, 60), rng.uniform(35, 60)
    sun = rounded((sine(aside) * cosine(height), sine(height), cosine(aside) * cosine(height)))
    tone = "#" + "".join(f"{rng.integer(*_TONE):02x}" for _ in range(3))
    light = Light(sun, round(rng.uniform(0.6, 1.15), 2), round(rng.uniform(0.9, 1.4), 2))
    return Scene3D((solid, *around), Camera(eye, target, _FOV), floor, light, Sky(tone, tone))


def _light_walked(picture: Scene3D, by: float) -> Light:
    """The light further around the middle."""
    return replace(picture.light, sun_direction=apply(turn("y", by), picture.light.sun_direction))


def _walked(picture: Scene3D, by: float) -> Camera:
    """The camera further around the middle, to the right first."""
    camera, spin = flat_camera(picture), turn("y", by)
    return replace(camera, eye=rounded(apply(spin, camera.eye)), target=rounded(apply(spin, camera.target)))


# Reading two pictures ----------------------------------------------------------------------------------------------


def shown(picture: Scene3D) -> SceneObject:
    """The only object in a picture."""
    (solid,) = (solid for solid in picture.objects if object_catalog.of(solid.geometry))
    return solid


def thing_in(picture: Scene3D) -> CatalogObject:
    """What it is, in the catalog."""
    (thing,) = (thing for solid in picture.objects if (thing := object_catalog.of(solid.geometry)))
    return thing


Landmarks = tuple[Vector, Vector, Vector]
"""Where the front, the top and the own left of an object lie from its middle, one metre of its form away, in the world."""


def landmarks(picture: Scene3D) -> Landmarks:
    """Those of the only object, as the camera sees them: x to the right, y up, z towards the viewer."""
    solid, back = shown(picture), -_stands(picture)
    front, top, left = (_tip(solid, axis) for axis in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)))
    return about((0.0, 1.0, 0.0), back, (front, top, left))


def _stands(picture: Scene3D) -> float:
    """The azimuth at which the camera stands."""
    camera = flat_camera(picture)
    return azimuth((camera.eye[0] - camera.target[0], 0.0, camera.eye[2] - camera.target[2]))


def spots(picture: Scene3D) -> dict[float, tuple[Geometry, str | None]]:
    """What post stands at each bearing, in degrees to the right of the line to the camera."""
    stands = _stands(picture)
    return {
        round(wrapped(azimuth(solid.pose.position) - stands)): (solid.geometry, solid.colour)
        for solid in picture.objects
        if solid.name == POST
    }


def sides(pictures: tuple[Scene3D, ...]) -> list[int]:
    """By how many degrees the viewer may have walked around, by what posts are where in both pictures."""
    one, two = (spots(picture) for picture in pictures)
    return [by for by in QUARTERS if all(two[round(wrapped(bearing - by))] == post for bearing, post in one.items())]


def from_first(pictures: tuple[Scene3D, ...], walked: int) -> Landmarks:
    """Those of the second picture, as seen from the side of the first."""
    return about((0.0, 1.0, 0.0), walked, landmarks(pictures[1]))


def _tip(solid: SceneObject, axis: Vector) -> Vector:
    p, q = solid.pivot, axis
    (x, y, z), (u, v, w) = place(solid, (p[0] + q[0], p[1] + q[1], p[2] + q[2])), place(solid, p)
    return (x - u) / solid.scale, (y - v) / solid.scale, (z - w) / solid.scale


def about(axis: Vector, angle: float, marks: Landmarks) -> Landmarks:
    """Landmarks turned about any axis of length 1 by Rodrigues' formula, counterclockwise for one who looks against the axis."""
    a, b, c = (_rodrigues(axis, angle, point) for point in marks)
    return a, b, c


def _rodrigues(axis: Vector, angle: float, point: Vector) -> Vector:
    c, s = cosine(angle), sine(angle)
    (a, b, d), (x, y, z) = axis, point
    along = (a * x + b * y + d * z) * (1 - c)
    return (
        c * x + s * (b * z - d * y) + along * a,
        c * y + s * (d * x - a * z) + along * b,
        c * z + s * (a * y - b * x) + along * d,
    )


def spun(picture: Scene3D, step: int) -> list[Landmarks]:
    """All places of the landmarks that would look the same: turned about the own upright axis, in steps where the object is round."""
    thing, marks = thing_in(picture), landmarks(picture)
    return [about(marks[1], angle, marks) for angle in range(0, 360, step if thing.turns == 1 else thing.turns or 360)]


def same(a: Landmarks, b: Landmarks) -> bool:
    return all(abs(x - y) < 1e-4 for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True))


def same_object(pictures: tuple[Scene3D, ...]) -> bool:
    """Whether both pictures show one form in one colour."""
    a, b = (shown(picture) for picture in pictures)
    return (a.geometry, a.colour, a.scale) == (b.geometry, b.colour, b.scale)


def turned_scene(
    plan: SamplingContext,
    things: tuple[CatalogObject, CatalogObject],
    ends: tuple[Matrix, Matrix],
    angles: tuple[int, ...],
    *,
    ground: bool,
    posts: Posts,
    walked: int,
) -> Turned:
    """The scene of an object, and of the one that the second picture shows, in these two rotations."""
    made = stages(plan.image_rng, things, ends, ground=ground, posts=posts, walked=walked)
    one, two = things
    return Turned(
        plan.level, "alone", (0, 0), (one.category, two.category), (one.broad, two.broad), made, angles, one != two, posts, walked
    )


# What the tasks share ----------------------------------------------------------------------------------------------


def facets(scene: Turned) -> dict[str, str]:
    return {"viewer walked": f"{scene.camera_walk_deg % 360} degrees", "posts": {360: "one odd", 180: "two odd", 90: "alike"}[scene.posts]}


def looks_swapped(scene: Turned) -> tuple[Turned, Callable[[str], str]]:
    """Each object seen with the distance and the light of the other picture, from its own side: the same answer."""
    one, two = scene.scenes3d
    changed = tuple(
        replace(p, camera=_walked(q, by), light=_light_walked(q, by), sky=q.sky)
        for p, q, by in ((one, two, -scene.camera_walk_deg), (two, one, scene.camera_walk_deg))
    )
    return replace(scene, scenes3d=changed), identity


def in_a_mirror(scene: Turned, *angles: int) -> Turned:
    """The mirror image, in which the object was turned by these angles."""
    return replace(task_factory.in_a_mirror(scene), angles_deg=angles, camera_walk_deg=-scene.camera_walk_deg)
