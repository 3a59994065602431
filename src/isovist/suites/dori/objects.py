"""The objects of the scenes: what they are, how large, and whether they have a front.

Simple models built of primitives; they stand in where no mesh is at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from isovist.core.rng import Rng
from isovist.core.rotation import Vector
from isovist.core.solid import Ball, Box, Cone, Cylinder, Form, Group, Part, Pose, Wedge

Front = Literal["clear", "symmetric", "none"]
Where = Literal["indoors", "outdoors"]


@dataclass(frozen=True, slots=True)
class Thing:
    """`size`: width, height, depth in metres, the front at +Z. `turns`: the least turn about +Y, in degrees, after which it
    looks the same; 0 if there is none but the whole.
    """

    id: str
    category: str
    broad: str
    size: Vector
    front: Front
    turns: int
    where: Where
    form: Form

    @property
    def span(self) -> float:
        """The diagonal of its box in metres."""
        w, h, d = self.size
        return (w * w + h * h + d * d) ** 0.5

    @property
    def reach(self) -> float:
        """Half the diagonal of its footprint in metres."""
        w, _, d = self.size
        return (w * w + d * d) ** 0.5 / 2


def _part(
    form: Box | Wedge | Cylinder | Cone | Ball, x: float, y: float, z: float, colour: str, yaw: float = 0, pitch: float = 0, roll: float = 0
) -> Part:
    return Part(form, Pose((x, y, z), yaw, pitch, roll), colour=colour)


def _box(w: float, h: float, d: float, x: float, y: float, z: float, colour: str) -> Part:
    return _part(Box((w, h, d)), x, y, z, colour)


def _car(paint: str) -> Group:
    wheels = [_part(Cylinder(0.32, 0.2), x + 0.1, 0.32, z, "#222222", roll=90) for x in (-0.8, 0.8) for z in (-1.3, 1.35)]
    return Group((
        _box(1.7, 0.55, 4.2, 0, 0.3, 0, paint),
        _box(1.5, 0.55, 1.9, 0, 0.85, -0.5, "#30404c"),
        _box(1.52, 0.08, 1.8, 0, 1.38, -0.5, paint),
        *(_box(0.35, 0.18, 0.06, x, 0.6, 2.1, "#fff8d0") for x in (-0.6, 0.6)),
        *(_box(0.35, 0.18, 0.06, x, 0.6, -2.1, "#c01818") for x in (-0.6, 0.6)),
        _box(0.8, 0.22, 0.06, 0, 0.5, 2.1, "#202020"),
        *wheels,
    ))  # fmt: skip


def _chair(wood: str) -> Group:
    legs = [_box(0.05, 0.45, 0.05, x, 0, z, "#5a4632") for x in (-0.2, 0.2) for z in (-0.2, 0.2)]
    return Group((*legs, _box(0.46, 0.06, 0.46, 0, 0.45, 0, wood), _box(0.46, 0.5, 0.05, 0, 0.5, -0.2, wood)))


def _person(shirt: str) -> Group:
    return Group((
        *(_part(Cylinder(0.09, 0.85), x, 0, 0, "#2d3a55") for x in (-0.1, 0.1)),
        *(_box(0.1, 0.07, 0.26, x, 0, 0.06, "#222222") for x in (-0.1, 0.1)),
        _box(0.42, 0.6, 0.24, 0, 0.85, 0, shirt),
        *(_part(Cylinder(0.05, 0.55), x, 0.88, 0, "#d9a988") for x in (-0.27, 0.27)),
        _part(Ball(0.13), 0, 1.45, 0, "#d9a988"),
        _part(Ball(0.14), 0, 1.48, -0.05, "#4a2f1d"),
        _part(Ball(0.025), 0, 1.55, 0.13, "#c88f70"),
    ))  # fmt: skip


def _sofa(cloth: str) -> Group:
    return Group((
        _box(2.0, 0.42, 0.9, 0, 0, 0, cloth),
        _box(2.0, 0.45, 0.22, 0, 0.4, -0.34, cloth),
        *(_box(0.2, 0.25, 0.9, x, 0.4, 0, "#8a7a6a") for x in (-0.9, 0.9)),
    ))  # fmt: skip


def _screen() -> Group:
    return Group(
        (
            _box(0.9, 0.55, 0.06, 0, 0.1, 0, "#30302e"),
            _box(0.84, 0.48, 0.01, 0, 0.13, 0.035, "#3c6ea5"),
            _box(0.4, 0.1, 0.2, 0, 0, 0, "#222222"),
        )
    )


def _table(wood: str) -> Group:
    legs = [_box(0.06, 0.7, 0.06, x, 0, z, wood) for x in (-0.65, 0.65) for z in (-0.35, 0.35)]
    return Group((*legs, _box(1.4, 0.05, 0.8, 0, 0.7, 0, wood)))


THINGS: tuple[Thing, ...] = (
    Thing("car", "car", "Vehicle", (1.8, 1.46, 4.3), "clear", 0, "outdoors", _car("#b03a2e")),
    Thing("person", "person", "Person", (0.64, 1.76, 0.38), "clear", 0, "outdoors", _person("#3b7a57")),
    Thing("chair", "chair", "Furniture", (0.46, 1.0, 0.46), "clear", 0, "indoors", _chair("#a9764a")),
    Thing("sofa", "sofa", "Furniture", (2.0, 0.85, 0.9), "clear", 0, "indoors", _sofa("#5c6f8c")),
    Thing("screen", "tv", "Electronics", (0.9, 0.65, 0.2), "clear", 0, "indoors", _screen()),
    Thing("table", "table", "Furniture", (1.4, 0.75, 0.8), "symmetric", 180, "indoors", _table("#8c6239")),
    Thing("vase", "vase", "Miscellaneous", (0.4, 0.8, 0.4), "none", 1, "indoors",
          Group((_part(Cone(0.2, 0.4, 0.1), 0, 0.4, 0, "#4c8c8a"), _part(Cone(0.1, 0.4, 0.2), 0, 0, 0, "#4c8c8a")))),
    Thing("ball", "ball", "Miscellaneous", (0.7, 0.7, 0.7), "none", 1, "outdoors", Group((_part(Ball(0.35), 0, 0, 0, "#d08a2e"),))),
    Thing("column", "column", "Miscellaneous", (1.6, 1.8, 1.6), "none", 1, "outdoors",
          Group((_part(Cylinder(0.8, 0.4), 0, 0, 0, "#9c9588"), _part(Cylinder(0.5, 1.4), 0, 0.4, 0, "#b8b2a4")))),
)  # fmt: skip


@lru_cache(maxsize=1)
def known() -> dict[str, Thing]:
    """Every object by its id."""
    return {thing.id: thing for thing in THINGS}


@lru_cache(maxsize=256)
def chosen(
    fronts: tuple[Front, ...], where: Where | None = None, near: float | None = None, ratio: float = 2.5
) -> tuple[tuple[Thing, ...], ...]:
    """The objects with such fronts by category: of a place, and of a diagonal within a ratio of `near` metres, if given."""
    found: dict[str, list[Thing]] = {}
    for thing in THINGS:
        fits = near is None or near / ratio <= thing.span <= near * ratio
        if thing.front in fronts and where in (None, thing.where) and fits:
            found.setdefault(thing.category, []).append(thing)
    return tuple(tuple(things) for things in found.values())


def pick(rng: Rng, groups: Sequence[Sequence[Thing]]) -> Thing:
    """One object: every category equally likely, then every object of it."""
    return rng.pick(rng.pick(groups))


def of(form: Form) -> Thing | None:
    """The object that has this form; none for walls and the like."""
    return _by_form().get(form)


@lru_cache(maxsize=1)
def _by_form() -> dict[Form, Thing]:
    return {thing.form: thing for thing in THINGS}
