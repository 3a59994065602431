"""Two images of an object, before and after a rotation, among four posts that do not move.

Between the images, the viewer may have moved 90, 180 or 270 degrees around the object at the same height. There are two posts of each of two
kinds. If the posts of a kind are next to each other, they show the viewer's position; if they are opposite each other, they allow two
positions. The first camera is at +Z of the object, so that the x axis of the world points right. Distance, position in the image, light and sky are
sampled for each image: an object that was not rotated does not give two identical images. Every object is scaled to a diagonal of 1 metre.
In the paper's design the camera does not move, and there are no posts; the light still differs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
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
from isovist.core.task import Checks, Question, SamplingContext, identity
from isovist.suites.dori import shared_parts
from isovist.suites.dori.shared_parts import Scene
from isovist.world.scenes import object_catalog
from isovist.world.scenes.answer_options import letters_where
from isovist.world.scenes.object_catalog import CatalogObject
from isovist.world.scenes.scene_builder import TINTS
from isovist.world.scenes.scene_transforms import flat_camera

VIEWER = (
    "The posts do not move. Between the two images, the viewer may have moved 90, 180 or 270 degrees around the object. The movement of the "
    "viewer is not a rotation of the object. Ignore differences in light and distance."
)
FIXED = "The viewer does not move between the two images. Ignore differences in light."
CAUSES = (
    "This can happen if the object looks the same from several sides, or if the posts do not show the position of the viewer in the second "
    "image. The answer also cannot be determined if the second image shows a different object."
)
SYMMETRIC = "This can happen if the object looks the same from several sides."
"""Texts of the questions of both tasks; `FIXED` and `SYMMETRIC` for the paper's design."""

STEP = 15
OBLIQUE = tuple(yaw for yaw in range(0, 360, STEP) if yaw % 90 in (30, 45, 60))
"""Yaws of objects before rotations by 90 degrees: two sides are visible, before and after the rotation."""
ELEVATIONS = (15, 20, 25)
"""Angles in degrees by which the camera looks down."""
ALIKE = frozenset({
    "armchair-white", "basketball-hoop", "chair-white", "computer", "dressing-table", "printer", "sofa-white", "tent", "toilet-grey",
    "toilet-tank", "tram", "tram-blue", "tv-large", "tv-small", "water-cooler",
})  # fmt: skip
"""Upright objects that look similar from several sides."""
FLAT = ALIKE | {
    "armchair-black", "armchair-narrow", "arrow", "bench-park-white", "bus-coach", "car-city", "car-convertible", "car-coupe-blue",
    "car-coupe-red", "car-family", "car-hatchback-green", "car-hatchback-red", "car-sedan", "car-sedan-blue", "car-suv", "chair-child-wood",
    "chair-cushion-blue", "chair-cushion-red", "chair-tulip", "chair-white-arms", "coffee-maker", "deer", "laptop", "laptop-silver",
    "sailing-boat", "sailing-boat-green", "snowman", "sofa-beige", "sofa-black", "sofa-burlap", "sofa-cushions", "sofa-orange",
    "sofa-striped", "toilet-modern", "truck-semi", "van",
}  # fmt: skip
"""Objects that look similar in two of the 24 orientations, for example because of a plain underside; determined by tests."""
_SQUARE = 1.3
"""Minimum ratio of the sides of a symmetric object for which a rotation by 90 degrees is visible."""
_NEAREST = 4  # candidates with similar proportions
_AWAY = {"floor": (4.1, 5.2), "air": (3.9, 4.8)}
"""Distance from camera to object in metres: all posts are in the image, the rear ones beside the object."""
_FOV = 30.0
_TONE, _HUE = (160, 240), 9  # mean of red, green and blue of a sky, and their largest deviation
_PATTERNS = ("carpet", "concrete", "sand", "tiles", "tiles-dark")  # all look the same after a rotation by 90 degrees
_FLOORS = ("#fff4e6", "#eef4fc", "#f4f8f0", "#e8e2dc", "#ffffff")
HIGH = 0.75
"""Height of the centre of an object in the air, in metres."""
CAUSES_OF_UNKNOWN = ("another object", "symmetry", "posts")
"""Why the answer is unknown, in equal shares: the second image shows another object; the object looks the same from several sides; the posts
do not determine the position of the viewer. "Not rotated" has none of these causes, so a rule that sees one of them exceeds chance by its
share of the unknown answers. Equal shares give the lowest maximum.
"""
_RING = 0.95
"""Distance of the posts from the centre, in metres."""
QUARTERS = (0, 90, 180, 270)
_POSTS: tuple[Geometry, ...] = (Cylinder(0.07, 0.28), Cone(0.12, 0.32), Box((0.15, 0.2, 0.15)), Sphere(0.1))
_COLOURS = (("#f2c230", "#27408b"), ("#f5f5f5", "#7a2020"), ("#2f6b3c", "#f4d8b0"), ("#e8e8e8", "#303030"))
POST = "post"

Posts = Literal[360, 180, 0]
"""The smallest rotation after which the four posts look the same: equal posts are next to each other, or opposite each other. 0: no posts."""


@dataclass(frozen=True, slots=True)
class Turned(Scene):
    """`angles_deg`: the rotations of the object in the order of the question. `is_other_object`: the second image shows another object.
    `camera_walk_deg`: the movement of the viewer around the object in degrees, positive to the right.
    """

    angles_deg: tuple[int, ...]
    is_other_object: bool
    posts: Posts
    camera_walk_deg: int


def telling(*, upright: bool) -> tuple[tuple[CatalogObject, ...], ...]:
    """Objects with a front that look different after every rotation about an axis, if upright, or in any orientation."""
    excluded = ALIKE if upright else FLAT
    return groups(
        lambda thing: thing.front == "clear" and not thing.turns and thing.category not in object_catalog.BLANK and thing.id not in excluded
    )


def even(fits: Callable[[CatalogObject], bool]) -> tuple[tuple[CatalogObject, ...], ...]:
    """Objects that look the same after a rotation of less than 360 degrees about their vertical axis, and that fit."""
    return groups(lambda thing: thing.turns > 0 and fits(thing))


def oblong(thing: CatalogObject) -> bool:
    """Whether one side of the footprint is clearly longer than the other."""
    w, _, d = thing.size
    return max(w, d) > _SQUARE * min(w, d)


def groups(fits: Callable[[CatalogObject], bool]) -> tuple[tuple[CatalogObject, ...], ...]:
    """The objects that fit, by category."""
    return object_catalog.fitting(object_catalog.chosen(("clear", "symmetric", "none")), fits)


def another(rng: Rng, thing: CatalogObject, things: tuple[tuple[CatalogObject, ...], ...]) -> CatalogObject:
    """An object of another category whose box has similar proportions: a zebra for a horse, but not for a sofa.

    Otherwise the visible area in the second image would show that the object differs.
    """
    others = [other for group in things for other in group if other.category != thing.category]
    return rng.pick(sorted(others, key=lambda other: (dist(_shape(thing), _shape(other)), other.id))[:_NEAREST])


def _shape(thing: CatalogObject) -> tuple[float, ...]:
    """Width, height and depth, relative to the diagonal."""
    return tuple(side / thing.span for side in thing.size)


def like(thing: CatalogObject, first: Matrix, second: Matrix) -> bool:
    """Whether an object looks the same in both rotations, given its symmetry about its vertical axis."""
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
    """The two 3-D scenes: each object with its rotation, on a floor or in the air above it. The object is the first in its scene."""
    elevation, tint = rng.pick(ELEVATIONS), rng.pick(TINTS)
    floor = Ground(rng.pick(_FLOORS), Texture(rng.pick(_PATTERNS), round(rng.uniform(1.0, 1.8), 2)), haze=round(rng.uniform(12, 30), 1))
    around = _ring(rng, posts) if posts else ()
    first, second = (
        _stage(rng, thing, matrix, elevation, tint, floor, around, lies=ground) for thing, matrix in zip(things, turns, strict=True)
    )
    return first, replace(second, camera=_moved_camera(second if posts else first, walked), light=_moved_light(second, walked))


def _ring(rng: Rng, posts: Posts) -> tuple[SceneObject, ...]:
    """Four posts around the object, at 45 degrees to the first view direction."""
    (plain, odd), colours, first = rng.sample(_POSTS, 2), rng.pick(_COLOURS), rng.integer(0, 3)
    different = first, (first + (1 if posts == 360 else 2)) % 4
    ring: list[SceneObject] = []
    for nth in range(4):
        at = round(_RING * sine(45 + 90 * nth), 4), 0.0, round(_RING * cosine(45 + 90 * nth), 4)
        form, colour = (odd, colours[1]) if nth in different else (plain, colours[0])
        ring.append(SceneObject(form, Pose(at), colour=colour, name=POST))
    return tuple(ring)


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
    solid = SceneObject(thing.form, posed(matrix, (0.0, centre, 0.0)), scale, colour=thing.tinted(tint), pivot=(0.0, high, 0.0))
    away = rng.uniform(*_AWAY["floor" if lies else "air"])
    across, above = rng.uniform(-0.06, 0.06), rng.uniform(-0.04, 0.04) - (0.0 if lies else 0.25)
    up, back = (0.0, cosine(elevation), -sine(elevation)), (0.0, sine(elevation), cosine(elevation))
    target = rounded((across, centre + above * up[1], above * up[2]))
    eye = rounded((target[0], target[1] + away * back[1], target[2] + away * back[2]))
    aside, height = rng.uniform(-60, 60), rng.uniform(35, 60)
    sun = rounded((sine(aside) * cosine(height), sine(height), cosine(aside) * cosine(height)))
    grey = rng.integer(*_TONE)
    tone = "#" + "".join(f"{grey + rng.integer(-_HUE, _HUE):02x}" for _ in range(3))
    light = Light(sun, round(rng.uniform(0.6, 1.15), 2), round(rng.uniform(0.9, 1.4), 2))
    return Scene3D((solid, *around), Camera(eye, target, _FOV), floor, light, Sky(tone, tone))


def _moved_light(picture: Scene3D, by: float) -> Light:
    """The light, moved around the centre with the viewer."""
    return replace(picture.light, sun_direction=apply(turn("y", by), picture.light.sun_direction))


def _moved_camera(picture: Scene3D, by: float) -> Camera:
    """The camera, moved around the centre by degrees; positive to the right."""
    camera, spin = flat_camera(picture), turn("y", by)
    return replace(camera, eye=rounded(apply(spin, camera.eye)), target=rounded(apply(spin, camera.target)))


# Rederivation ------------------------------------------------------------------------------------------------------


def shown(picture: Scene3D) -> SceneObject:
    """The only object in a 3-D scene."""
    (solid,) = (solid for solid in picture.objects if object_catalog.of(solid.geometry))
    return solid


def thing_in(picture: Scene3D) -> CatalogObject:
    """The only object in a 3-D scene, as an entry of the catalog."""
    (thing,) = (thing for solid in picture.objects if (thing := object_catalog.of(solid.geometry)))
    return thing


Landmarks = tuple[Vector, Vector, Vector]
"""Vectors of 1 metre from the centre of an object to its front, its top and its own left."""


def landmarks(picture: Scene3D) -> Landmarks:
    """The landmarks of the only object in the camera frame: x to the right, y up, z toward the viewer."""
    solid, back = shown(picture), -_camera_azimuth(picture)
    front, top, left = (_tip(solid, axis) for axis in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)))
    return about((0.0, 1.0, 0.0), back, (front, top, left))


def _camera_azimuth(picture: Scene3D) -> float:
    """The azimuth of the camera as seen from its target, in degrees."""
    camera = flat_camera(picture)
    return azimuth((camera.eye[0] - camera.target[0], 0.0, camera.eye[2] - camera.target[2]))


def spots(picture: Scene3D) -> dict[float, tuple[Geometry, str | None]]:
    """The post at each bearing, in degrees to the right of the direction to the camera."""
    camera_azimuth = _camera_azimuth(picture)
    return {
        round(wrapped(azimuth(solid.pose.position) - camera_azimuth)): (solid.geometry, solid.colour)
        for solid in picture.objects
        if solid.name == POST
    }


def sides(pictures: tuple[Scene3D, ...]) -> list[int]:
    """The movements of the viewer, in degrees, that agree with the posts in both images; without posts, the viewer does not move."""
    before, moved = (spots(picture) for picture in pictures)
    movements = QUARTERS if before else (0,)
    return [by for by in movements if all(moved[round(wrapped(bearing - by))] == post for bearing, post in before.items())]


def from_first(pictures: tuple[Scene3D, ...], walked: int) -> Landmarks:
    """The landmarks of the second image, in the camera frame of the first."""
    return about((0.0, 1.0, 0.0), walked, landmarks(pictures[1]))


def _tip(solid: SceneObject, axis: Vector) -> Vector:
    p, q = solid.pivot, axis
    (x, y, z), (u, v, w) = place(solid, (p[0] + q[0], p[1] + q[1], p[2] + q[2])), place(solid, p)
    return (x - u) / solid.scale, (y - v) / solid.scale, (z - w) / solid.scale


def about(axis: Vector, angle: float, marks: Landmarks) -> Landmarks:
    """Landmarks rotated about a unit axis by Rodrigues' formula, counterclockwise as seen against the axis."""
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
    """All landmarks with the same appearance: rotated about the object's own vertical axis, in steps of `step` degrees if it is round."""
    thing, marks = thing_in(picture), landmarks(picture)
    return [about(marks[1], angle, marks) for angle in range(0, 360, step if thing.turns == 1 else thing.turns or 360)]


def same(a: Landmarks, b: Landmarks) -> bool:
    return all(abs(x - y) < 1e-4 for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True))


def same_object(pictures: tuple[Scene3D, ...]) -> bool:
    """Whether both images show the same geometry, colour and scale."""
    a, b = (shown(picture) for picture in pictures)
    return (a.geometry, a.colour, a.scale) == (b.geometry, b.colour, b.scale)


def cause_of_unknown(plan: SamplingContext) -> str:
    """One of `CAUSES_OF_UNKNOWN`; its share does not depend on how many samples are rejected."""
    return CAUSES_OF_UNKNOWN[plan.image_stratum("cause", len(CAUSES_OF_UNKNOWN))]


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
    """The scene of the objects of both images, in these two rotations."""
    scenes3d = stages(plan.image_rng, things, ends, ground=ground, posts=posts, walked=walked)
    first, second = things
    categories, broad_categories = (first.category, second.category), (first.broad, second.broad)
    return Turned(plan.level, "alone", (0, 0), categories, broad_categories, scenes3d, angles, first != second, posts, walked)


# Shared parts of both tasks ----------------------------------------------------------------------------------------


def attributes(scene: Turned) -> dict[str, str]:
    """The item attributes of both tasks."""
    posts = {360: "side by side", 180: "opposite", 0: "none"}
    return {"viewer movement": f"{scene.camera_walk_deg % 360} degrees", "equal posts": posts[scene.posts]}


CHECKS: Checks[Turned] = Checks(
    factors={
        "ground": shared_parts.FACTORS["ground"],
        "viewer movement": lambda scene: str(scene.camera_walk_deg % 360),
    }
)
"""The category is no factor: that a symmetric object was not rotated is never certain (`BY_SYMMETRY`)."""


BY_POSTS = "equal posts opposite each other: cannot be determined; otherwise: not rotated"
"""The name of the rule of `by_posts`."""


def by_posts(scene: Turned, question: Question) -> Collection[str]:
    """The answer of the arrangement of the posts, without the object. Where every item can be determined, this leaves all answers."""
    if scene.posts == 180:
        return shared_parts.unknown(question)
    return letters_where(question, "It was not rotated".__eq__) or shared_parts.known(question)


BY_SYMMETRY = "symmetric objects: cannot be determined; others: not rotated"
"""The name of the rule of `by_symmetry`."""


def by_symmetry(scene: Turned, question: Question) -> Collection[str]:
    """The answer of the category of the object, without its pose."""
    if thing_in(scene.scenes3d[0]).turns:
        return shared_parts.unknown(question)
    return letters_where(question, "It was not rotated".__eq__) or shared_parts.known(question)


def looks_swapped(scene: Turned) -> tuple[Turned, Callable[[str], str]]:
    """Exchange distance and light of the two images, but not the viewer's position: the answer is unchanged."""
    first, second = scene.scenes3d
    changed = tuple(
        replace(p, camera=_moved_camera(q, by), light=_moved_light(q, by), sky=q.sky)
        for p, q, by in ((first, second, -scene.camera_walk_deg), (second, first, scene.camera_walk_deg))
    )
    return replace(scene, scenes3d=changed), identity


def in_a_mirror(scene: Turned, *angles: int) -> Turned:
    """The mirrored scene, in which the object was rotated by these angles."""
    return replace(shared_parts.in_a_mirror(scene), angles_deg=angles, camera_walk_deg=-scene.camera_walk_deg)
