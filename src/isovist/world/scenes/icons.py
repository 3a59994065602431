"""The icons: their categories and names, and the poses of directed icons.

The outlines are in `assets/glyphs.json`: x right, y UP, centred on the smallest enclosing circle, whose diameter is 1000 units, so that a
rotated glyph stays inside that circle. A directed glyph is stored facing RIGHT (+x): a side view with its wheels or feet down, a top view
along its own axis. An upright glyph is stored and shown in its upright pose.

Angles are in degrees, clockwise. A heading is the direction of the front: 0 up, 90 right, 180 down, 270 left.
Every name, front and heading was visually inspected at 54 pixels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

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


DIRECTED: tuple[Directed, ...] = (
    Directed("arrow", "tip", "top", ("arrow-thin", "arrow-thick", "arrow-striped", "arrow-tile")),
    Directed("pointing hand", "index finger", "top", ("hand-plain", "hand-cuffed", "hand-back")),
    Directed(
        "airplane",
        "nose",
        "top",
        ("airplane-plain", "airplane-jetliner", "airplane-fighter", "airplane-blue", "airplane-propeller"),
    ),
    Directed("rocket", "nose", "top", ("rocket-plain", "rocket-launched", "rocket-finned", "rocket-red")),
    Directed("flashlight", "lens", "top", ("flashlight-plain", "flashlight-round", "flashlight-lit")),
    Directed("pencil", "tip", "top", ("pencil-thin", "pencil-orange")),
    Directed("car", "front", "side", ("car-formula", "car-racing", "car-red", "car-blue")),
    Directed(
        "truck",
        "front",
        "side",
        ("truck-trailer", "truck-canvas", "truck-dump", "truck-yellow", "truck-green"),
    ),
    Directed("tractor", "front", "side", ("tractor-farm", "tractor-green")),
    Directed("fish", "head", "side", ("fish-plain", "fish-flat", "fish-angel")),
    Directed("dog", "nose", "side", ("dog-brown", "dog-guide", "dog-poodle")),
    Directed("shoe", "toe", "side", ("shoe-sneaker", "shoe-high-top")),
)

UPRIGHT: tuple[Upright, ...] = (
    Upright(
        "person",
        ("person-plain", "person-arms-spread", "person-silhouette", "person-orange-shirt", "person-purple-shirt"),
    ),
    Upright(
        "flower",
        (
            "flower-plain",
            "flower-outlined-tulip",
            "flower-daisy",
            "flower-tulip",
            "flower-sunflower",
            "flower-hibiscus",
        ),
    ),
    Upright("tree", ("tree-round", "tree-conifer", "tree-pine", "tree-green", "tree-green-conifer")),
    Upright("house", ("house-plain", "house-eaves", "house-chimney", "house-red-roof")),
    Upright("star", ("star-plain", "star-yellow")),
    Upright("heart", ("heart-plain", "heart-red", "heart-blue")),
    Upright("umbrella", ("umbrella-plain", "umbrella-panelled", "umbrella-long", "umbrella-purple")),
    Upright("cup", ("cup-plain", "cup-saucer", "cup-grey")),
    Upright("key", ("key-plain", "key-yellow", "key-old")),
    Upright("bell", ("bell-plain", "bell-ringing", "bell-yellow")),
    Upright("clock", ("clock-plain", "clock-alarm", "clock-twin-bell", "clock-red-alarm", "clock-wall")),
    Upright("apple", ("apple-plain", "apple-red", "apple-green")),
    Upright("book", ("book-plain", "book-open", "book-pages", "book-red", "book-blue-open")),
    Upright("chair", ("chair-plain", "chair-office", "chair-wooden", "chair-brown")),
    Upright("crown", ("crown-plain", "crown-queen", "crown-yellow")),
    Upright("padlock", ("padlock-plain", "padlock-round", "padlock-yellow")),
)

# Colours for glyphs without fills of their own: black, red, blue, green, purple, brown, teal and magenta. Each is dark
# enough for thin lines on white (contrast 5:1 or more) and clearly distinguishable from the others by name.
INK: tuple[str, ...] = ("#1a1a1a", "#c01622", "#1748c4", "#187030", "#6f1fb0", "#7a4616", "#0a6c7d", "#b0127a")


# Glyphs with their own fills, which do not take an ink.
COLOURED = frozenset(
    [
        "airplane-blue",
        "airplane-propeller",
        "apple-green",
        "apple-red",
        "arrow-tile",
        "bell-yellow",
        "book-blue-open",
        "book-red",
        "car-blue",
        "car-racing",
        "car-red",
        "chair-brown",
        "clock-red-alarm",
        "clock-wall",
        "crown-yellow",
        "cup-grey",
        "dog-brown",
        "dog-guide",
        "dog-poodle",
        "flashlight-lit",
        "flower-hibiscus",
        "flower-sunflower",
        "flower-tulip",
        "hand-back",
        "heart-blue",
        "heart-red",
        "house-red-roof",
        "key-old",
        "key-yellow",
        "padlock-yellow",
        "pencil-orange",
        "person-orange-shirt",
        "person-purple-shirt",
        "rocket-red",
        "star-yellow",
        "tractor-green",
        "tree-green",
        "tree-green-conifer",
        "truck-green",
        "truck-yellow",
        "umbrella-purple",
    ]
)

# Mirror-symmetric glyphs (less than 1% of their ink differs visibly).
SYMMETRIC = frozenset(
    [
        "airplane-fighter",
        "airplane-jetliner",
        "airplane-plain",
        "airplane-propeller",
        "arrow-striped",
        "arrow-thick",
        "arrow-thin",
        "flashlight-plain",
        "pencil-orange",
        "pencil-thin",
        "rocket-launched",
        "rocket-plain",
    ]
)


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
    x, y = (-1.0, 0.0) if mirrored else (1.0, 0.0)
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    x, y = x * cos + y * sin, y * cos - x * sin
    return round(math.degrees(math.atan2(x, y)), 9) % 360


def _wrapped(angle: float) -> float:
    """The angle in (-180, 180]."""
    return 180 - (180 - angle) % 360
