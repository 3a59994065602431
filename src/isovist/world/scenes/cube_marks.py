"""Marks on the faces of cubes: pictures, and bars with branches. None looks like itself or another one after a rotation or in a mirror.

A mark is a list of filled polygons in a square of side 1 about the origin, x to the right and y up, the mark upright.
"""

from __future__ import annotations

from dataclasses import dataclass

from isovist.core.drawing2d import Point
from isovist.core.rotation import cosine, sine

Outline = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    name: str
    outlines: tuple[Outline, ...]


def _box(left: float, bottom: float, right: float, top: float) -> Outline:
    return (left, bottom), (right, bottom), (right, top), (left, top)


def _disc(x: float, y: float, radius: float, first: float = 0.0, last: float = 360.0) -> Outline:
    steps = [first + (last - first) * k / 16 for k in range(17 if last - first < 360 else 16)]
    return tuple((round(x + radius * cosine(angle), 4), round(y + radius * sine(angle), 4)) for angle in steps)


PICTURES = (
    Mark("flag", (_box(-0.3, -0.42, -0.19, 0.42), ((-0.19, 0.42), (0.36, 0.21), (-0.19, 0.0)))),
    Mark("boat", (((-0.42, -0.14), (0.42, -0.14), (0.26, -0.4), (-0.26, -0.4)), ((-0.1, -0.07), (-0.1, 0.42), (0.34, -0.07)))),
    Mark("bolt", (((0.16, 0.42), (-0.34, -0.04), (-0.06, -0.04), (-0.14, -0.42), (0.3, 0.1), (0.06, 0.1), (0.34, 0.42)),)),
    Mark("stairs", (((-0.4, -0.4), (0.4, -0.4), (0.4, -0.24), (0.12, -0.24), (0.12, 0.02), (-0.16, 0.02), (-0.16, 0.4), (-0.4, 0.4)),)),
    Mark(
        "cup",
        (
            _box(-0.36, -0.36, 0.1, 0.36),
            ((0.1, 0.24), (0.38, 0.24), (0.38, -0.18), (0.1, -0.18), (0.1, -0.06), (0.26, -0.06), (0.26, 0.12), (0.1, 0.12)),
        ),
    ),
    Mark("hammer", (_box(-0.06, -0.42, 0.06, 0.2), ((-0.42, 0.16), (0.26, 0.16), (0.26, 0.42), (-0.2, 0.42)))),
    Mark("house", (_box(-0.32, -0.4, 0.32, 0.02), ((-0.42, 0.02), (0.42, 0.02), (0.0, 0.36)), _box(0.2, 0.1, 0.32, 0.42))),
    Mark("key", (_disc(-0.08, 0.24, 0.19), _box(-0.13, -0.42, -0.02, 0.1), _box(-0.02, -0.42, 0.2, -0.3), _box(-0.02, -0.2, 0.13, -0.08))),
    Mark(
        "fish",
        (
            ((-0.42, -0.04), (-0.15, 0.16), (0.15, 0.04), (0.42, 0.2), (0.42, -0.3), (0.15, -0.12), (-0.15, -0.24)),
            ((-0.15, 0.16), (0.08, 0.42), (0.1, 0.06)),
        ),
    ),
    Mark(
        "comb", (_box(-0.4, 0.28, 0.4, 0.42), _box(-0.4, -0.42, -0.26, 0.28), _box(-0.07, -0.18, 0.07, 0.28), _box(0.26, 0.06, 0.4, 0.28))
    ),
    Mark("umbrella", (_disc(0.0, 0.02, 0.4, 0.0, 180.0), _box(-0.05, -0.42, 0.05, 0.02), _box(-0.26, -0.42, -0.05, -0.32))),
    Mark("pipe", (_box(-0.42, 0.2, 0.24, 0.32), ((0.1, 0.32), (0.42, 0.32), (0.36, -0.2), (0.16, -0.2)))),
)
_ROWS, _SIDES = (("upper", 0.3), ("middle", 0.0), ("lower", -0.3)), (("left", -1), ("right", 1))


def _bar(*places: tuple[int, int]) -> Mark:
    """A bar with branches at places: the row from above, and the side from the left."""
    outlines = [_box(-0.06, -0.42, 0.06, 0.42)]
    names: list[str] = []
    for row, side in places:
        (row_name, y), (side_name, sign) = _ROWS[row], _SIDES[side]
        left, right = sorted((0.06 * sign, 0.34 * sign))
        outlines.append(_box(left, y - 0.06, right, y + 0.06))
        names.append(f"{row_name} {side_name}")
    return Mark(
        f"bar with branches {', '.join(names[:-1])} and {names[-1]}" if names[1:] else f"bar with a branch {names[0]}", tuple(outlines)
    )


BRANCHES = (
    _bar((0, 0)),
    _bar((0, 0), (1, 0)),
    _bar((0, 0), (1, 1)),
    _bar((0, 0), (0, 1), (1, 0)),
    _bar((0, 0), (1, 0), (1, 1)),
    _bar((0, 0), (1, 0), (2, 1)),
    _bar((0, 0), (0, 1), (2, 0)),
    _bar((0, 0), (0, 1), (1, 0), (2, 0)),
    _bar((0, 0), (0, 1), (1, 0), (2, 1)),
    _bar((0, 0), (0, 1), (1, 0), (1, 1), (2, 0)),
)
"""Of the places of branches, one of each ten sets that no rotation by 180 degrees and no mirror maps to themselves."""
