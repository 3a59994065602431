"""The icons: their categories and names, and the poses of directed icons.

The tables are in `assets/icons.json`, the outlines in `assets/glyphs.json`: x right, y UP, centred on the smallest enclosing circle, whose diameter is 1000 units, so that a
rotated glyph stays inside that circle. A directed glyph is stored facing RIGHT (+x): a side view with its wheels or feet down, a top view
along its own axis. An upright glyph is stored and shown in its upright pose.

Angles are in degrees, clockwise. A heading is the direction of the front: 0 up, 90 right, 180 down, 270 left.
Every name, front and heading was visually inspected at 54 pixels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from isovist.world.assets import asset

View = Literal["side", "top"]


@dataclass(frozen=True)
class Directed:
    """A category whose glyphs have a direction; `front` names the part that points in it."""

    category: str
    front: str
    view: View
    glyphs: tuple[str, ...]


@dataclass(frozen=True)
class Upright:
    """A category whose glyphs are always shown as stored."""

    category: str
    glyphs: tuple[str, ...]


@dataclass(frozen=True)
class IconPose:
    """Mirror the stored glyph left-right if `mirrored`, then rotate it clockwise by `rotation_deg` degrees, in (-180, 180]."""

    mirrored: bool
    rotation_deg: float


_TABLE = asset("icons.json")
DIRECTED: tuple[Directed, ...] = tuple(Directed(**row | {"glyphs": tuple(row["glyphs"])}) for row in _TABLE["directed"])
UPRIGHT: tuple[Upright, ...] = tuple(Upright(**row | {"glyphs": tuple(row["glyphs"])}) for row in _TABLE["upright"])
INK: tuple[str, ...] = ("#1a1a1a", "#c01622", "#1748c4", "#187030", "#6f1fb0", "#7a4616", "#0a6c7d", "#b0127a")
"""Colours for glyphs without fills of their own: black, red, blue, green, purple, brown, teal and magenta. Each is dark enough for thin
lines on white (contrast 5:1 or more) and clearly distinguishable from the others by name.
"""
COLOURED: frozenset[str] = frozenset(_TABLE["coloured"])
"""Glyphs with their own fills, which do not take an ink."""
SYMMETRIC: frozenset[str] = frozenset(_TABLE["symmetric"])
"""Mirror-symmetric glyphs (less than 1% of their ink differs visibly)."""

INK_SHARE: dict[str, float] = {glyph: row[0] for glyph, row in _TABLE["ink"].items()}
"""The share of ink of each directed glyph in the square around its circle."""
INK_CENTRE: dict[str, tuple[float, float]] = {glyph: (row[1], row[2]) for glyph, row in _TABLE["ink"].items()}
"""The centre of mass of the ink of each directed glyph as stored, in diameters of its circle."""


def inks(glyph: str) -> tuple[str, ...]:
    """The inks of a glyph; "" if it has its own colours."""
    return ("",) if glyph in COLOURED else INK


def poses(view: View, heading: float) -> tuple[IconPose, ...]:
    """The poses in which a stored glyph has this heading.

    A side view is never upside down: it is rotated by at most 90°. It therefore has two poses for up and down, and one for every other
    heading.
    """
    plain = IconPose(False, _wrapped(heading - 90))
    mirrored = IconPose(True, _wrapped(heading + 90))
    return tuple(pose for pose in (plain, mirrored) if view == "top" or abs(pose.rotation_deg) <= 90)


def different_poses(kind: Directed, glyph: str, heading: float) -> tuple[IconPose, ...]:
    """The poses that look different from each other."""
    candidates = poses(kind.view, heading)
    return candidates[:1] if glyph in SYMMETRIC else candidates


def heading(mirrored: bool, turn: float) -> float:
    """The heading of a stored glyph in a pose, in [0, 360).

    This is the inverse of `poses`. It transforms the direction vector of the front instead of adding angles.
    """
    x, y = posed(1.0, 0.0, mirrored, turn)
    return round(math.degrees(math.atan2(x, y)), 9) % 360


def posed(x: float, y: float, mirrored: bool, turn: float) -> tuple[float, float]:
    """A point of a stored glyph in a pose."""
    x, cos, sin = -x if mirrored else x, math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return x * cos + y * sin, y * cos - x * sin


def _wrapped(angle: float) -> float:
    """The angle in (-180, 180]."""
    return 180 - (180 - angle) % 360
