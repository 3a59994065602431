"""Chains of thought about folded paper: opened fold by fold, with where every hole goes, and what tells the sheets apart.

Spots are told on a grid of 32 by 32 squares over the place of the whole sheet, (0, 0) at its lower left corner, x to the right, y up;
on it every crease has whole numbers, and a hole is told to the nearest ones. The writer goes by the folds; the verifier takes creases,
grey parts, paper and holes from the drawn shapes alone (`cot_folding_verifier`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import floor
from typing import Protocol

from isovist.core.answers import LETTERS, Answer
from isovist.core.drawing2d import Point
from isovist.reasoning.templates import SPOT, WORDS, Step, StepTemplate, list_of, listed, write_chain
from isovist.scenes.folded_paper import SIDE, Fold, Spot, folded, inside, mirror, moved

GRID = 32
_LATTICE = SIDE // GRID
EDGE = 1e-3
"""Squares by which drawn points may be off."""
_NEAR = 1.0 + EDGE
"""Squares, across and up, within which a hole of an option counts as the one that was told."""

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
    changes=list_of(f"{SPOT} (?:opens at {SPOT} too|goes to {SPOT}|stays alone)"),
)
_GRID = _template(
    f"Lay a grid of {GRID} by {GRID} squares over the place of the whole sheet, and call the spot x squares from its left side and y from its bottom (x, y).",
    f"I measure in squares, with {GRID} to a side of the whole sheet: (x, y) lies x from its left side and y above its bottom.",
    f"Let the whole sheet be {GRID} wide and {GRID} high, with (0, 0) at its lower left corner; x grows to the right and y upwards.",
)
_PUNCHED = _template(
    "Number of holes in the folded paper: {count}, at {spots}.",
    "The last picture of the top row shows the folded paper punched here: {spots} ({count} in all).",
    "Holes that I see in the folded paper: {count}. Where: {spots}.",
)
_CREASE = _template(
    "Undo fold {number}. Its grey part was the {flap} one, folded over {line}, which mirrors (x, y) to ({x}, {y}).",
    "Fold {number} is opened now: it had brought the {flap} part over {line}. The mirror image of (x, y) in it is ({x}, {y}).",
    "Next comes fold {number} backwards. The crease is {line}, and what goes back is the {flap} part; (x, y) is mirrored to ({x}, {y}).",
)
_OPENED = _template(
    "Hole by hole: {changes}.",
    "So {changes}.",
    "With that part back in its place, {changes}.",
)
_OPEN = _template(
    "The open sheet therefore has {count} holes: {spots}.",
    "Now it lies open, with {count} holes at {spots}.",
    "That is the whole sheet. Its {count} holes are at {spots}.",
)
_LACKS = _template(
    "Sheet {letter} is out: nothing at {spot}.",
    "There is no hole near {spot} in sheet {letter}.",
    "Sheet {letter} lacks the hole at {spot}.",
)
_EXTRA = _template(
    "Sheet {letter} is out: no hole belongs at {spot}.",
    "Sheet {letter} has a hole near {spot}, where none comes out.",
    "The hole of sheet {letter} at {spot} is wrong.",
)
_FITS = _template(
    "Sheet {letter} has just these holes.",
    "All of them, and no others, are in sheet {letter}.",
    "Sheet {letter} shows every one of them and nothing else.",
)
_SLOTS = ((_GRID,), (_PUNCHED,), (_CREASE,), (_OPENED,), (_OPEN,), (_LACKS, _EXTRA), (_FITS,))


class Crease(Protocol):
    """A fold to undo: the way that its line runs and where, in squares, as in `scenes.folded_paper`; the grey part that it brought over;
    and what becomes of a hole, which has a place of its own kind.
    """

    @property
    def way(self) -> str: ...
    @property
    def squares(self) -> int: ...
    @property
    def flap(self) -> str: ...
    def opened(self, hole: Point) -> tuple[Point | None, Point | None]:
        """Where a hole is when this fold is undone: where it was, and in the grey part; None where no paper is."""
        ...


def near(spot: Point, holes: Collection[Point]) -> bool:
    """Whether one of the holes, in squares, counts as one at a spot."""
    x, y = spot
    return any(-_NEAR <= u - x <= _NEAR and -_NEAR <= v - y <= _NEAR for u, v in holes)


def nearest(hole: Point) -> Spot:
    """The nearest spot of the grid; halves go to the right and up."""
    return floor(hole[0] + 0.5 + EDGE), floor(hole[1] + 0.5 + EDGE)


def steps(creases: Sequence[Crease], holes: Sequence[Point], options: Mapping[str, Sequence[Point]], fits: str) -> list[Step]:
    """The paper opened crease by crease from the last one on, and the options by letter compared with what comes out; `fits` is the
    letter that is left. Holes are in squares.
    """
    now = {nearest(hole): hole for hole in holes}
    due = [_GRID(), _PUNCHED(count=len(now), spots=listed(sorted(now)))]
    for number, crease in reversed(list(enumerate(creases, 1))):
        line, (x, y) = _line(crease.way, crease.squares)
        due.append(_CREASE(number=number, flap=crease.flap, line=line, x=x, y=y))
        changes: list[str] = []
        after: dict[Spot, Point] = {}
        for spot, hole in sorted(now.items()):
            image = moved(mirror(crease.way, crease.squares), spot)
            stays, goes = crease.opened(hole)
            after |= {spot: stays} if stays else {}
            after |= {image: goes} if goes else {}
            changes.append(
                f"{spot} opens at {image} too" if stays and goes else f"{spot} goes to {image}" if goes else f"{spot} stays alone"
            )
        now = after
        due.append(_OPENED(changes=", ".join(changes)))
    due.append(_OPEN(count=len(now), spots=listed(sorted(now))))
    wrong = [_wrong(letter, sorted(now), option) for letter, option in sorted(options.items()) if letter != fits]
    return [*due, *wrong, _FITS(letter=fits)]


def _wrong(letter: str, spots: Sequence[Spot], option: Sequence[Point]) -> Step:
    """The first hole that an option lacks, or that it has too many."""
    missing = next((spot for spot in spots if not near(spot, option)), None)
    if missing:
        return _LACKS(letter=letter, spot=missing)
    return _EXTRA(letter=letter, spot=next(spot for spot in map(nearest, option) if not near(spot, spots)))


def _line(way: str, at: int) -> tuple[str, tuple[str, str]]:
    """A crease in words, and where it mirrors (x, y) to."""
    if way == "vertical":
        return f"the upright line x = {at}", (f"{2 * at} - x", "y")
    if way == "horizontal":
        return f"the level line y = {at}", ("x", f"{2 * at} - y")
    if way == "falling":
        return f"the falling diagonal x + y = {at}", (f"{at} - y", f"{at} - x")
    line = f"x = {_plus('y', at)}" if at >= 0 else f"y = {_plus('x', -at)}"
    return f"the rising diagonal {line}", (_plus("y", at), _plus("x", -at))


def _plus(name: str, number: int) -> str:
    return name if number == 0 else f"{name} {'+' if number > 0 else '-'} {abs(number)}"


@dataclass(frozen=True, slots=True)
class _Folded:
    """A fold of the scene, and the folds before it."""

    fold: Fold
    before: tuple[Fold, ...]

    @property
    def way(self) -> str:
        return self.fold.way

    @property
    def squares(self) -> int:
        return self.fold.at // _LATTICE

    @property
    def flap(self) -> str:
        return _FLAPS[self.fold.way, self.fold.side]

    def opened(self, hole: Point) -> tuple[Point | None, Point | None]:
        outlines = folded(self.before).outlines
        here = round(hole[0] * _LATTICE), round(hole[1] * _LATTICE)
        over = moved(self.fold.mirror, here)
        stays, goes = (_squares(spot) if any(inside(outline, spot, 0) for outline in outlines) else None for spot in (here, over))
        return stays, goes


def _squares(spot: Spot) -> Point:
    return spot[0] / _LATTICE, spot[1] / _LATTICE


def opening(folds: Sequence[Fold], holes: Sequence[Spot], options: Sequence[Sequence[Spot]], truth: int, key: Answer, phrasing: int) -> str:
    """The chain of folded paper; holes in steps of `scenes.folded_paper`."""
    creases = [_Folded(fold, tuple(folds[:number])) for number, fold in enumerate(folds)]
    shown = {letter: [_squares(hole) for hole in option] for letter, option in zip(LETTERS, options, strict=False)}
    return write_chain(steps(creases, [_squares(hole) for hole in holes], shown, LETTERS[truth]), key, phrasing, _SLOTS)
