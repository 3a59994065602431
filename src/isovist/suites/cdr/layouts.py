"""Layouts of CDR's images: symbols on a 3x3 grid, one directed icon, or one with objects around it (section II-A)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import hypot
from string import ascii_uppercase
from typing import TypeVar

from isovist.core.drawing2d import Drawing, IconShape, Label
from isovist.core.rng import Rng
from isovist.core.task import SamplingContext, Setting
from isovist.world.scenes.compass import STEPS
from isovist.world.scenes.grid import center, neighbours, rules
from isovist.world.scenes.icons import DIRECTED, INK_CENTRE, INK_SHARE, UPRIGHT, Directed, Upright, different_poses, inks, posed, poses

LETTERS = Setting("I-Z", "which letters appear; A-H are option letters too", choices=("I-Z", "A-Z"))
_ALL_LETTERS = tuple(ascii_uppercase)
_NOT_OPTION_LETTERS = _ALL_LETTERS[_ALL_LETTERS.index("I") :]
NUMBERS = tuple(str(n) for n in range(1, 100))
EMPTY = ""
_CELL_SIZE = 0.28  # of an icon in a cell of the grid
_LONE_SIZE, _SIZE_RANGE, _LARGEST = 0.35, (0.6, 1.65), 0.84
"""The mean size of a single icon whose circle is full of ink, the factors of the size, and the largest size."""
_MARGIN, _LEAST_OFFSET = 0.01, 0.02

FAMILY_LETTERS, FAMILY_NUMBERS = "cdr/letters@1", "cdr/numbers@1"
FAMILY_ICON, FAMILY_ICONS = "cdr/icon@3", "cdr/icons@2"


@dataclass(frozen=True, slots=True)
class Symbols:
    """Letters or numbers in the nine cells, row by row from the top left; "" is an empty cell."""

    cells: tuple[str, ...]

    def pairs(self, direction: int) -> list[tuple[int, int]]:
        """All pairs of filled neighbouring cells (origin, target) with the target in that direction."""
        return [(a, b) for a, b in neighbours()[direction] if self.cells[a] and self.cells[b]]


@dataclass(frozen=True, slots=True)
class Icon:
    """A directed icon; `heading` is the index of its image direction, `position` the centre of its circle."""

    category: str
    glyph: str
    heading: int
    mirrored: bool
    rotation_deg: float
    colour: str
    position: tuple[float, float]


@dataclass(frozen=True, slots=True)
class LoneIcon(Icon):
    """A directed icon that is alone in its image; `size` is the diameter of its circle."""

    size: float


_Icon = TypeVar("_Icon", bound=Icon)


@dataclass(frozen=True, slots=True)
class UprightIcon:
    """An upright icon."""

    category: str
    glyph: str
    colour: str


@dataclass(frozen=True, slots=True)
class Surrounded:
    """A directed icon in the centre cell, and objects in the surrounding cells, clockwise from the cell above."""

    center: Icon
    around: tuple[UprightIcon | None, ...]


def letters(plan: SamplingContext) -> tuple[str, ...]:
    return _ALL_LETTERS if plan.settings["letters"] == "A-Z" else _NOT_OPTION_LETTERS


def symbols(plan: SamplingContext, vocabulary: tuple[str, ...]) -> tuple[Symbols, list[str]]:
    """Return a grid of different symbols with some empty cells, and its symbols; the first is balanced over the vocabulary.

    Every direction has at least two pairs of filled neighbours, so that the pattern of filled cells gives no information
    about the answer.
    """
    rng = plan.image_rng
    filled = rng.pick(_patterns())
    certain = vocabulary[plan.image_stratum("certain", len(vocabulary))]
    others = rng.sample([symbol for symbol in vocabulary if symbol != certain], len(filled) - 1)
    shown = dict(zip(filled, rng.shuffled([certain, *others]), strict=True))
    return plan.check_split(Symbols(tuple(shown.get(cell, EMPTY) for cell in range(9)))), [certain, *others]


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[int, ...], ...]:
    """The sets of filled cells, five to eight of nine, in which each direction has two or more pairs of neighbours."""
    sets = (tuple(cell for cell in range(9) if mask >> cell & 1) for mask in range(1 << 9))
    return tuple(
        cells
        for cells in sets
        if 5 <= len(cells) <= 8 and all(sum(a in cells and b in cells for a, b in pairs) >= 2 for pairs in neighbours())
    )


def draw_symbols(layout: Symbols) -> tuple[Drawing, ...]:
    size = 0.2 if all(len(symbol) <= 1 for symbol in layout.cells) else 0.17
    labels = tuple(Label(symbol, center(*divmod(cell, 3)), size) for cell, symbol in enumerate(layout.cells) if symbol)
    return (Drawing(labels, backdrop=rules()),)


def directed_icon(plan: SamplingContext) -> tuple[Icon, Directed]:
    """Return a directed icon; category and heading are balanced over the images, glyph, pose and colour are random."""
    rng = plan.image_rng
    kind = DIRECTED[plan.image_stratum("category", len(DIRECTED))]
    heading = plan.image_stratum("heading", 8)
    glyph = rng.pick(kind.glyphs)
    pose = rng.pick(different_poses(kind, glyph, 45 * heading))
    return Icon(kind.category, glyph, heading, pose.mirrored, pose.rotation_deg, rng.pick(inks(glyph)), center(1, 1)), kind


def single_icon(plan: SamplingContext) -> tuple[LoneIcon, Directed]:
    """Return a directed icon of random size, with its ink centred on a random point near the image centre.

    Icons with little ink are larger, so that neither size nor ink alone gives the icon. The centre of the ink does not give the heading.
    """
    icon, kind = directed_icon(plan)
    rng = plan.image_rng
    size = round(min(_LARGEST, _LONE_SIZE * INK_SHARE[icon.glyph] ** -0.3 * rng.uniform(*_SIZE_RANGE)), 3)
    x, y = (size * part for part in posed(*INK_CENTRE[icon.glyph], icon.mirrored, icon.rotation_deg))
    most = max(_LEAST_OFFSET, 0.5 - _MARGIN - size / 2 - hypot(x, y))
    across, up = (rng.uniform(-most, most) for _ in range(2))
    position = round(0.5 + across - x, 4), round(0.5 + up - y, 4)
    return LoneIcon(icon.category, icon.glyph, icon.heading, icon.mirrored, icon.rotation_deg, icon.colour, position, size), kind


def rotate(icon: _Icon, steps: int) -> _Icon:
    """Return the icon rotated clockwise by steps of 45 degrees, in a valid pose of its view."""
    kind = next(kind for kind in DIRECTED if kind.category == icon.category)
    heading = (icon.heading + steps) % 8
    pose = poses(kind.view, 45 * heading)[0]
    return replace(icon, heading=heading, mirrored=pose.mirrored, rotation_deg=pose.rotation_deg)


def surroundings(rng: Rng, filled: list[int]) -> tuple[UprightIcon | None, ...]:
    """Return a different object in each of the `filled` positions around the centre."""
    kinds = dict(zip(filled, rng.sample(UPRIGHT, len(filled)), strict=True))
    return tuple(_upright_icon(rng, kinds[place]) if place in kinds else None for place in range(8))


def _upright_icon(rng: Rng, kind: Upright) -> UprightIcon:
    glyph = rng.pick(kind.glyphs)
    return UprightIcon(kind.category, glyph, rng.pick(inks(glyph)))


def draw_icon(layout: LoneIcon) -> tuple[Drawing, ...]:
    return (Drawing((IconShape(layout.glyph, layout.position, layout.size, layout.mirrored, layout.rotation_deg, layout.colour),)),)


def draw_surrounded(layout: Surrounded) -> tuple[Drawing, ...]:
    icon = layout.center
    shapes = [IconShape(icon.glyph, icon.position, _CELL_SIZE, icon.mirrored, icon.rotation_deg, icon.colour)]
    for (down, right), icon_around in zip(STEPS, layout.around, strict=True):
        if icon_around is not None:
            shapes.append(IconShape(icon_around.glyph, center(1 + down, 1 + right), _CELL_SIZE, colour=icon_around.colour))
    return (Drawing(tuple(shapes), backdrop=rules()),)
