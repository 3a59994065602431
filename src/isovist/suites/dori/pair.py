"""Two pictures of an object, before and after a turn.

Both pictures look from the same side and from the same height. The camera stands at +Z of the object, so that the world's x
runs to the right in both. Distance, place in the picture, light and backdrop are drawn for each picture anew: an object that
was not turned does not give the same picture twice. Every object is scaled to a diagonal of one metre.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import dist

from isovist.core.rng import Rng
from isovist.core.rotation import Matrix, Vector, after, cosine, sine, tangent, transposed
from isovist.core.solid import Box, Camera, Ground, Light, Pose, Sky, Solid, Stage, Texture, place, posed
from isovist.kits import objects
from isovist.kits.objects import Thing
from isovist.kits.scenery import TINTS
from isovist.suites.dori.frame import Scene

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
_FILL = (0.46, 0.84)  # how much of the picture's height a diagonal takes
_FOV = 30.0
_TONE = (150, 240)  # of red, green and blue of a backdrop
_PATTERNS = ("bricks", "carpet", "paving", "planks", "tiles", "tiles-dark")
_WALLS = ("bricks", "carpet", "concrete", "grass", "paving", "planks", "plaster", "sand", "tiles", "wallpaper")
_WALLED = 0.75
_FLOORS = ("#fff4e6", "#e8f2ff", "#f2ffe8", "#ffe8f0", "#ffffff")


@dataclass(frozen=True, slots=True)
class Turned(Scene):
    """`angles`: by which the object was turned, in the order of the question. `other`: the second picture shows another object."""

    angles: tuple[int, ...]
    other: bool


def telling(*, upright: bool) -> tuple[tuple[Thing, ...], ...]:
    """Objects with a front that no turn about an axis of the world brings to look as before, upright ones or any way up."""
    left_out = ALIKE if upright else FLAT
    return groups(
        lambda thing: thing.front == "clear" and not thing.turns and thing.category not in objects.BLANK and thing.id not in left_out
    )


def even(fits: Callable[[Thing], bool]) -> tuple[tuple[Thing, ...], ...]:
    """Objects that look the same after part of a turn about their upright axis, of those that fit."""
    return groups(lambda thing: thing.turns > 0 and fits(thing))


def oblong(thing: Thing) -> bool:
    """Whether its footprint is clearly longer one way than the other."""
    w, _, d = thing.size
    return max(w, d) > _SQUARE * min(w, d)


def groups(fits: Callable[[Thing], bool]) -> tuple[tuple[Thing, ...], ...]:
    """The objects that fit, by category."""
    found = (tuple(thing for thing in things if fits(thing)) for things in objects.chosen(("clear", "symmetric", "none")))
    return tuple(things for things in found if things)


def another(rng: Rng, thing: Thing, things: tuple[tuple[Thing, ...], ...]) -> Thing:
    """An object of another category with a box of nearly the same proportions: a zebra for a horse, no zebra for a sofa. Else how much the
    second picture shows would tell it from the first.
    """
    others = [other for group in things for other in group if other.category != thing.category]
    return rng.pick(sorted(others, key=lambda other: (dist(_shape(thing), _shape(other)), other.id))[:_NEAREST])


def _shape(thing: Thing) -> tuple[float, ...]:
    """Width, height and depth in diagonals."""
    return tuple(side / thing.span for side in thing.size)


def like(thing: Thing, first: Matrix, second: Matrix) -> bool:
    """Whether an object that looks the same after its own turns about its upright axis looks the same in both rotations."""
    own = after(second, transposed(first))  # in the object's own frame
    if own[1][1] < 1 - 1e-6:  # it tilts
        return False
    if thing.turns == 1:
        return True
    angles = range(0, 360, thing.turns) if thing.turns else (0,)
    return any(abs(own[0][2] - sine(angle)) + abs(own[0][0] - cosine(angle)) < 1e-6 for angle in angles)


def stages(rng: Rng, things: tuple[Thing, Thing], turns: tuple[Matrix, Matrix], *, ground: bool) -> tuple[Stage, Stage]:
    """The two pictures: each object with its rotation, on a tiled floor or in the air before a wall. The object is the first solid."""
    elevation, tint = rng.pick(ELEVATIONS), rng.pick(TINTS)
    floor = (
        Ground(rng.pick(_FLOORS), Texture(rng.pick(_PATTERNS), round(rng.uniform(1.0, 1.8), 2)), haze=round(rng.uniform(12, 30), 1))
        if ground
        else None
    )
    one, two = (_stage(rng, thing, matrix, elevation, tint, floor) for thing, matrix in zip(things, turns, strict=True))
    return one, two


def _stage(rng: Rng, thing: Thing, matrix: Matrix, elevation: int, tint: str | None, floor: Ground | None) -> Stage:
    scale = round(1 / thing.span, 6)
    high = thing.size[1] / 2
    centre = round(scale * high, 4) if floor else 0.0
    solid = Solid(thing.form, posed(matrix, (0.0, centre, 0.0)), scale, colour=tint, pivot=(0.0, high, 0.0))
    away = 0.5 / rng.uniform(*_FILL) / tangent(_FOV / 2)  # the diagonal takes this share of the picture's height
    across, above = rng.uniform(-0.06, 0.06), rng.uniform(-0.04, 0.04)
    up, back = (0.0, cosine(elevation), -sine(elevation)), (0.0, sine(elevation), cosine(elevation))
    target = _rounded((across, centre + above * up[1], above * up[2]))
    eye = _rounded((target[0], target[1] + away * back[1], target[2] + away * back[2]))
    aside, height = rng.uniform(-60, 60), rng.uniform(35, 60)
    sun = _rounded((sine(aside) * cosine(height), sine(height), cosine(aside) * cosine(height)))
    tone = "#" + "".join(f"{rng.integer(*_TONE):02x}" for _ in range(3))
    light = Light(sun, round(rng.uniform(0.6, 1.15), 2), round(rng.uniform(0.9, 1.4), 2))
    behind = () if floor else _wall(rng, tone)
    return Stage((solid, *behind), Camera(eye, target, _FOV), floor, light, Sky(tone, tone))


def _wall(rng: Rng, tone: str) -> tuple[Solid, ...]:
    """A wall far behind what hangs in the air, in most pictures: how busy a picture is then tells little of the object in it."""
    if not rng.chance(_WALLED):
        return ()
    texture = Texture(rng.pick(_WALLS), round(rng.uniform(0.5, 1.6), 2))
    return (Solid(Box((16.0, 16.0, 0.1)), Pose((0.0, -9.0, -round(rng.uniform(1.6, 2.6), 2))), colour=tone, texture=texture, casts=False),)


def _rounded(point: Vector) -> Vector:
    x, y, z = point
    return round(x, 4), round(y, 4), round(z, 4)


# Reading two pictures ----------------------------------------------------------------------------------------------


def shown(picture: Stage) -> Solid:
    """The only object in a picture."""
    (solid,) = (solid for solid in picture.solids if objects.of(solid.form))
    return solid


Landmarks = tuple[Vector, Vector, Vector]
"""Where the front, the top and the own left of an object lie from its middle, one metre of its form away, in the world."""


def landmarks(picture: Stage) -> Landmarks:
    """Those of the only object. The camera must stand at +Z of it, so that x is to the right and z towards the viewer."""
    solid, camera = shown(picture), picture.camera
    assert isinstance(camera, Camera)
    assert abs(camera.eye[0] - camera.target[0]) < 1e-9 < camera.eye[2] - camera.target[2], "another side"
    front, top, left = (_tip(solid, axis) for axis in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)))
    return front, top, left


def _tip(solid: Solid, axis: Vector) -> Vector:
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


def spun(picture: Stage, step: int) -> list[Landmarks]:
    """All places of the landmarks that would look the same: turned about the own upright axis, in steps where the object is round."""
    thing, marks = objects.of(shown(picture).form), landmarks(picture)
    assert thing is not None
    return [about(marks[1], angle, marks) for angle in range(0, 360, step if thing.turns == 1 else thing.turns or 360)]


def same(a: Landmarks, b: Landmarks) -> bool:
    return all(abs(x - y) < 1e-4 for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True))


def same_object(pictures: tuple[Stage, ...]) -> bool:
    """Whether both pictures show one form in one colour."""
    a, b = (shown(picture) for picture in pictures)
    return (a.form, a.colour, a.scale) == (b.form, b.colour, b.scale)


def cameras_swapped(scene: Turned) -> Turned:
    """Each object seen with the distance and the light of the other picture."""
    one, two = scene.stages
    changed = tuple(replace(p, camera=q.camera, light=q.light, sky=q.sky) for p, q in ((one, two), (two, one)))
    return replace(scene, stages=changed)
