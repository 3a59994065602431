"""Labels of objects in panoramas, and a substitute environment made from them.

Angles are in degrees: headings clockwise from the centre of the photograph, elevations above the horizon.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from isovist.core.rotation import cosine, sine, tangent
from isovist.core.scene3d import Box, Ground, Group, Light, Part, Pose, SceneObject, Sky
from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Unusable
from isovist.world.scenes.environments.environment import Environment

COLUMNS = ("file", "object", "heading", "elevation", "extent")

ROAD = "road"
"""The extent of a road."""
_LONGEST = 60  # maximum length of a name in characters
_ARTICLE = re.compile(r"^(?:the|an?) (?=.)", re.IGNORECASE)
_REGULAR = re.compile(r"[A-Za-z' -]*[a-z]", re.ASCII)
_IRREGULAR = re.compile(r"(?<![sui])s$|(?:fe?|o|man|men|people|child|children|foot|feet|tooth|teeth|mouse|goose|fish|sheep|deer|craft)$")
"""Ends of a noun whose plural may not follow the rules, and of a noun that may be a plural."""
_WIDEST, _HIGHEST = 120.0, 80.0
_NEAREST, _STEP = 10.0, 0.25  # metres
_THIN = 0.001
_ROAD_WIDTH, _ROAD_LENGTH = 4.0, 200.0


@dataclass(frozen=True, slots=True)
class Label:
    """A labelled object: direction of the centre of its visible part, and its angular width and height. A road has the heading of the
    point on the horizon toward which it runs, and no extent.
    """

    name: str
    heading: float
    elevation: float = 0.0
    width: float = 0.0
    height: float = 0.0
    plural: str = ""
    """The stated plural of the name; "" if none is stated."""

    @property
    def is_road(self) -> bool:
        return self.width == 0

    @property
    def low(self) -> float:
        return self.elevation - self.height / 2

    @property
    def high(self) -> float:
        return self.elevation + self.height / 2


@dataclass(frozen=True, slots=True)
class LabelLine:
    """A line of a label file: a label of a photograph, or the reason why it is unusable."""

    number: int
    file: str
    name: str
    """Name of the object; "" if unreadable."""
    label: Label | None
    fault: Unusable | None = None


def read(path: Path) -> list[LabelLine]:
    """Read a label file, CSV with a header or JSON Lines. Raises UserError if it is neither."""
    return [_line(number, row) for number, row in file_reader.label_rows(path, COLUMNS)]


def _line(number: int, row: Mapping[str, Any]) -> LabelLine:
    file = row.get("file")
    where, name = file.strip() if isinstance(file, str) else "", _name(row.get("object"))
    try:
        if not where:
            raise Unusable("no file is named")
        return LabelLine(number, where, name, _label(name, row))
    except Unusable as fault:
        return LabelLine(number, where, name, None, fault)


def _name(value: object) -> str:
    """A name without its article; "" if it is unreadable."""
    if not (isinstance(value, str) and len(value) <= _LONGEST and value.isprintable()):
        return ""
    return _ARTICLE.sub("", unicodedata.normalize("NFC", " ".join(value.split())))


def has_regular_plural(name: str) -> bool:
    """Whether a name is a singular of English whose plural follows the rules, as far as its letters show."""
    noun = name.partition(" of ")[0]
    return bool(_REGULAR.fullmatch(name)) and not _IRREGULAR.search(noun)


def _label(name: str, row: Mapping[str, Any]) -> Label:
    if not name:
        raise Unusable("the object has no name")
    plural = _name(row.get("plural"))
    if row.get("plural") and not plural:
        raise Unusable("the plural cannot be read")
    heading = _number(row.get("heading"), "heading")
    if not -180 <= heading <= 360:
        raise Unusable("the heading is not an angle from -180 to 360", f"{heading:g}")
    if str(row.get("extent")).strip() == ROAD:
        return Label(name, heading % 360, plural=plural)
    (width, height), elevation = _extent(row.get("extent")), _number(row.get("elevation"), "elevation")
    if not (0 < width <= _WIDEST and height > 0):
        raise Unusable("the extent is invalid", f"{width:g}x{height:g}")
    label = Label(name, heading % 360, elevation, width, height, plural)
    if label.low < -_HIGHEST or label.high > _HIGHEST:
        raise Unusable(f"it reaches higher or lower than {_HIGHEST:g} degrees", f"{label.low:g} to {label.high:g}")
    return label


def _extent(value: object) -> tuple[float, float]:
    """Parse width and height from "12x30", or one number for both."""
    if isinstance(value, str) and value.lower().count("x") == 1:
        width, _, height = value.lower().partition("x")
        return _number(width, "extent"), _number(height, "extent")
    both = _number(value, "extent")
    return both, both


def _number(cell: object, name: str) -> float:
    try:
        value = float(cell) if isinstance(cell, str | int | float) and not isinstance(cell, bool) else float("nan")
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise Unusable(f"the {name} is not a number", repr(cell)[:40])
    return value


def world(digest: str, labels: Sequence[Label]) -> Environment:
    """Return an environment with a thin board for each object, of the labelled direction, width and height.

    Large boards are behind small ones: where two overlap, the larger counts as occluded. `digest`: of the photograph.
    """
    eye = (0.0, 1.6, 0.0)
    ordered = sorted(
        (label for label in labels if not label.is_road), key=lambda label: (label.width * label.height, label.heading, label.name)
    )
    boards = (_board(label, eye[1], _NEAREST + _STEP * i) for i, label in enumerate(ordered))
    return Environment(f"photograph {digest}", tuple(boards), eye, Ground(), Light(), Sky())


def roads(digest: str, labels: Sequence[Label]) -> Environment:
    """Return an environment with a straight strip under the camera for each labelled road."""
    strip = Group((Part(Box((_ROAD_WIDTH, _THIN, _ROAD_LENGTH))),))
    surfaces = (
        SceneObject(strip, Pose(yaw=round(180.0 - label.heading, 6)), name=f"the {label.name}") for label in labels if label.is_road
    )
    return Environment(f"photograph {digest}", tuple(surfaces), (0.0, 1.6, 0.0), Ground(), Light(), Sky())


def _board(label: Label, eye: float, distance: float) -> SceneObject:
    """Return a vertical board that faces the camera; its corners, not its centre, have the labelled elevations."""
    corner = distance / cosine(label.width / 2)
    low, high = corner * tangent(label.low), corner * tangent(label.high)
    at = (round(distance * sine(label.heading), 6), round(eye + low, 6), round(-distance * cosine(label.heading), 6))
    size = (round(2 * distance * tangent(label.width / 2), 6), round(high - low, 6), _THIN)
    return SceneObject(Box(size), Pose(at, yaw=round(-label.heading, 6)), name=label.name)
