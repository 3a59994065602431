"""Chains of thought about folded paper: the paper unfolded fold by fold, with the positions of all holes, and the differing options.

Positions are on a grid of 32 by 32 squares over the area of the whole sheet: (0, 0) is its lower left corner, x points right, y points up.
Every crease has integer coordinates; the position of a hole is rounded. The writer uses the folds of the scene. The verifier reads
creases, grey parts, paper and holes from the drawn shapes alone, and mirrors points in drawn lines.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import floor

from isovist.core.answers import LETTERS, Answer
from isovist.core.drawing2d import Line, Point
from isovist.core.reasoning.templates import SPOT, WORDS, Step, StepTemplate, list_of, listed, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.core.summation import sum_in_order
from isovist.world.scenes.folded_paper import SIDE, Fold, Spot, folded, inside, mirror, moved

GRID = 32
_LATTICE = SIDE // GRID
_EDGE = 1e-3
"""Tolerance of drawn points, in squares."""
_NEAR = 1.0 + _EDGE
"""Maximum distance in x and in y, in squares, at which a hole of an option counts as a stated hole."""

_FLAPS = {
    ("vertical", 1): "right",
    ("vertical", -1): "left",
    ("horizontal", 1): "upper",
    ("horizontal", -1): "lower",
    ("falling", 1): "upper right",
    ("falling", -1): "lower left",
    ("rising", 1): "lower right",
    ("rising", -1): "upper left",
}
_template = partial(
    StepTemplate,
    **dict.fromkeys(("x", "y"), r"[xy\d +-]+"),
    flap=WORDS,
    line=r"[a-z ]+[xy\d +-]+ = [xy\d +-]+",
    letter="[A-Z]",
    spot=SPOT,
    spots=list_of(SPOT),
    changes=list_of(f"{SPOT} (?:is copied to {SPOT}|moves to {SPOT}|stays unchanged)"),
)
_GRID = _template(
    f"Divide the area of the whole sheet into {GRID} by {GRID} squares. The point (x, y) is x squares from the left side and y squares from the bottom.",
    f"Coordinates are in squares, with {GRID} squares along each side of the whole sheet: (x, y) is x from the left side and y from the bottom.",
    f"Let the whole sheet be {GRID} units wide and {GRID} units high, with (0, 0) at its lower left corner. x increases to the right and y increases upward.",
)
_PUNCHED = _template(
    "Number of holes in the folded paper: {count}. Positions: {spots}.",
    "Hole positions in the last drawing of the top row: {spots} ({count} in total).",
    "Visible holes in the folded paper: {count}. Their coordinates: {spots}.",
)
_CREASE = _template(
    "Undo fold {number}. The {flap} part, drawn in grey, was folded over {line}. Reflection in this line maps (x, y) to ({x}, {y}).",
    "Fold {number} is undone next. It folded the {flap} part over {line}. The mirror image of (x, y) in this line is ({x}, {y}).",
    "The next fold to undo is fold {number}. The crease is {line}, and the {flap} part moves back. The crease maps (x, y) to ({x}, {y}).",
)
_OPENED = _template(
    "The holes change as follows: {changes}.",
    "Effect on the holes: {changes}.",
    "Unfolding this part changes the holes as follows: {changes}.",
)
_OPEN = _template(
    "Number of holes in the unfolded sheet: {count}. Positions: {spots}.",
    "The sheet is now completely unfolded. Hole positions: {spots} ({count} in total).",
    "All folds are undone. Holes in the whole sheet: {count}. Their coordinates: {spots}.",
)
_LACKS = _template(
    "Sheet {letter} is incorrect: it has no hole at {spot}.",
    "Sheet {letter} has no hole near {spot}, so it is incorrect.",
    "Sheet {letter} is missing the hole at {spot}.",
)
_EXTRA = _template(
    "Sheet {letter} is incorrect: there should be no hole at {spot}.",
    "Sheet {letter} has a hole near {spot}, where there should be none.",
    "Sheet {letter} has an incorrect hole at {spot}.",
)
_FITS = _template(
    "Sheet {letter} has exactly these holes.",
    "The only sheet with all of these holes and no others is sheet {letter}.",
    "Sheet {letter} shows all of these holes and no others.",
)
_SLOTS = ((_GRID,), (_PUNCHED,), (_CREASE,), (_OPENED,), (_OPEN,), (_LACKS, _EXTRA), (_FITS,))


@dataclass(frozen=True, slots=True)
class Crease:
    """A fold to undo: direction and position of the crease in squares, as in `scenes.folded_paper`, and the side of the grey part."""

    direction: str
    position: int
    flap: str
    opened: Callable[[Point], tuple[Point | None, Point | None]]
    """The positions of a hole after unfolding: the old one, and the one in the grey part; None where there is no paper."""


def mirrored(spot: Point, line: Line) -> Point:
    """Return the mirror image of a point in a drawn line."""
    (ax, ay), (bx, by) = line.points
    ex, ey = bx - ax, by - ay
    along = ((spot[0] - ax) * ex + (spot[1] - ay) * ey) / (ex * ex + ey * ey)
    return 2 * (ax + along * ex) - spot[0], 2 * (ay + along * ey) - spot[1]


def _near(spot: Point, holes: Collection[Point]) -> bool:
    """Return whether one of the holes, in squares, counts as a hole at this position."""
    x, y = spot
    return any(-_NEAR <= u - x <= _NEAR and -_NEAR <= v - y <= _NEAR for u, v in holes)


def _nearest(hole: Point) -> Spot:
    """Return the nearest grid position; halves are rounded up."""
    return floor(hole[0] + 0.5 + _EDGE), floor(hole[1] + 0.5 + _EDGE)


def _steps(creases: Sequence[Crease], holes: Sequence[Point], options: Mapping[str, Sequence[Point]]) -> list[Step]:
    """Return the steps: unfolding from the last crease to the first, then the comparison with the options. Holes are in squares."""
    now = {_nearest(hole): hole for hole in holes}
    steps = [_GRID(), _PUNCHED(count=len(now), spots=listed(sorted(now)))]
    for number, crease in reversed(list(enumerate(creases, 1))):
        line, (x, y) = _line(crease.direction, crease.position)
        steps.append(_CREASE(number=number, flap=crease.flap, line=line, x=x, y=y))
        changes: list[str] = []
        after: dict[Spot, Point] = {}
        for spot, hole in sorted(now.items()):
            image = moved(mirror(crease.direction, crease.position), spot)
            stays, goes = crease.opened(hole)
            after |= {spot: stays} if stays else {}
            after |= {image: goes} if goes else {}
            changes.append(
                f"{spot} is copied to {image}" if stays and goes else f"{spot} moves to {image}" if goes else f"{spot} stays unchanged"
            )
        now = after
        steps.append(_OPENED(changes=", ".join(changes)))
    steps.append(_OPEN(count=len(now), spots=listed(sorted(now))))
    (fits,) = [letter for letter, option in options.items() if _same(list(now.values()), option)]
    wrong = [_wrong(letter, sorted(now), option) for letter, option in sorted(options.items()) if letter != fits]
    return [*steps, *wrong, _FITS(letter=fits)]


def _same(opened: Sequence[Point], option: Sequence[Point]) -> bool:
    """Return whether an option has exactly the holes of the unfolded sheet."""
    return len(option) == len(opened) and all(any(abs(x - u) + abs(y - v) < 2 * _EDGE for u, v in option) for x, y in opened)


def _wrong(letter: str, spots: Sequence[Spot], option: Sequence[Point]) -> Step:
    """Return the step about the first missing hole of an option, or else its first extra hole."""
    missing = next((spot for spot in spots if not _near(spot, option)), None)
    if missing:
        return _LACKS(letter=letter, spot=missing)
    return _EXTRA(letter=letter, spot=next(spot for spot in map(_nearest, option) if not _near(spot, spots)))


def _line(way: str, at: int) -> tuple[str, tuple[str, str]]:
    """Return the description of a crease and the mirror image of (x, y)."""
    if way == "vertical":
        return f"the vertical line x = {at}", (f"{2 * at} - x", "y")
    if way == "horizontal":
        return f"the horizontal line y = {at}", ("x", f"{2 * at} - y")
    if way == "falling":
        return f"the descending diagonal x + y = {at}", (f"{at} - y", f"{at} - x")
    line = f"x = {_plus('y', at)}" if at >= 0 else f"y = {_plus('x', -at)}"
    return f"the ascending diagonal {line}", (_plus("y", at), _plus("x", -at))


def _plus(name: str, number: int) -> str:
    return name if number == 0 else f"{name} {'+' if number > 0 else '-'} {abs(number)}"


def _crease(fold: Fold, before: tuple[Fold, ...]) -> Crease:
    """Return a fold of the scene as a crease; `before` are the earlier folds."""

    def opened(hole: Point) -> tuple[Point | None, Point | None]:
        here = round(hole[0] * _LATTICE), round(hole[1] * _LATTICE)
        over, outlines = moved(fold.mirror, here), folded(before).outlines
        stays, goes = (_squares(spot) if any(inside(outline, spot, 0) for outline in outlines) else None for spot in (here, over))
        return stays, goes

    return Crease(fold.direction, fold.position // _LATTICE, _FLAPS[fold.direction, fold.side], opened)


def _squares(spot: Spot) -> Point:
    return spot[0] / _LATTICE, spot[1] / _LATTICE


def explain_unfolding(folds: Sequence[Fold], holes: Sequence[Spot], options: Sequence[Sequence[Spot]], key: Answer, phrasing: int) -> str:
    """Return the chain of thought; holes are in lattice steps of `scenes.folded_paper`."""
    creases = [_crease(fold, tuple(folds[:number])) for number, fold in enumerate(folds)]
    shown = {letter: [_squares(hole) for hole in option] for letter, option in zip(LETTERS, options, strict=False)}
    return write_chain(_steps(creases, [_squares(hole) for hole in holes], shown), key, phrasing, _SLOTS)


# ---- the verifier ------------------------------------------------------------------------------------------------------

Shape = tuple[Point, ...]
"""The corners of a drawn piece of paper, in squares of the grid."""


@dataclass(frozen=True, slots=True)
class DrawnFold:
    """A sheet of the top row with its fold: the crease, the fixed paper and the grey paper, in grid squares."""

    crease: Line
    stays: tuple[Shape, ...]
    grey: tuple[Shape, ...]

    def read(self) -> Crease:
        """Return the crease from its ends, and the side of the grey paper from the mean of its corners."""
        (ax, ay), (bx, by) = self.crease.points
        upright, level, rising = abs(ax - bx) < _EDGE, abs(ay - by) < _EDGE, (bx - ax) * (by - ay) > 0
        way, at = ("vertical", ax) if upright else ("horizontal", ay) if level else ("rising", ax - ay) if rising else ("falling", ax + ay)
        corners = [corner for shape in self.grey for corner in shape]
        x, y = (sum_in_order(corner[axis] for corner in corners) / len(corners) for axis in (0, 1))
        u, v = mirrored((x, y), self.crease)
        words = [
            "upper" if y > v + _EDGE else "lower" if y < v - _EDGE else "",
            "right" if x > u + _EDGE else "left" if x < u - _EDGE else "",
        ]
        return Crease(way, round(at), " ".join(word for word in words if word), self.opened)

    def opened(self, hole: Point) -> tuple[Point | None, Point | None]:
        """Return the hole if it is in fixed paper, and its mirror image if that is in grey paper; otherwise None."""
        over = mirrored(hole, self.crease)
        return hole if _on(hole, self.stays) else None, over if _on(over, self.grey) else None


def verify_unfolding(
    folds: Sequence[DrawnFold], holes: Sequence[Point], options: Mapping[str, Sequence[Point]], key: Answer, text: str
) -> list[str]:
    """Return the errors in a chain about these drawn folds, holes in the folded paper, and options by letter."""
    steps = _steps([fold.read() for fold in folds], holes, options)
    return step_errors(text, steps, f"sheet {steps[-1]['letter']}", key)


def _on(spot: Point, shapes: Sequence[Shape]) -> bool:
    return any(_inside(spot, shape) for shape in shapes)


def _inside(spot: Point, shape: Shape) -> bool:
    """Return whether a point is in a polygon: to its right, an odd number of sides cross its y."""
    x, y = spot
    crossings = 0
    for (ax, ay), (bx, by) in zip(shape, (*shape[1:], shape[0]), strict=True):
        if (ay > y) != (by > y) and ax + (y - ay) * (bx - ax) / (by - ay) > x:
            crossings += 1
    return crossings % 2 == 1
