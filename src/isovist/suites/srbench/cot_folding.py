"""Chains of thought about folded paper: opened fold by fold, with where every hole goes, and what tells the sheets apart.

Spots are told on a grid of 32 by 32 squares over the place of the whole sheet, (0, 0) at its lower left corner, x to the right, y up;
on it every crease has whole numbers, and a hole is told to the nearest ones. The verifier takes creases, grey parts, paper and
holes from the drawn shapes alone, and mirrors points in the drawn lines.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from isovist.core.answers import LETTERS, Answer
from isovist.core.drawing2d import Point
from isovist.reasoning.templates import NUMBER, StepTemplate, answer, one_of
from isovist.scenes.folded_paper import SIDE, Fold, Spot, folded, inside, moved

GRID = 32
_LATTICE = SIDE // GRID
NEAR = 1.0
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
_SPOT = r"\(\d+, \d+\)"
_CHANGE = rf"{_SPOT} (?:opens at {_SPOT} too|goes to {_SPOT}|stays alone)"
_TERM = r"(?:\d+ - )?[xy](?: [+-] \d+)?"
_LINE = r"the upright line x = \d+|the level line y = \d+|the falling diagonal x \+ y = \d+|the rising diagonal (?:x = y|y = x)(?: \+ \d+)?"
_ONLY = {"count": NUMBER, "spots": rf"{_SPOT}(?:, {_SPOT})*"}
_SHEET = {"letter": "[A-Z]", "spot": _SPOT}

_GRID = StepTemplate(
    "grid",
    (
        f"Lay a grid of {GRID} by {GRID} squares over the place of the whole sheet, and call the spot x squares from its left side and y from its bottom (x, y).",
        f"I measure in squares, with {GRID} to a side of the whole sheet: (x, y) lies x from its left side and y above its bottom.",
        f"Let the whole sheet be {GRID} wide and {GRID} high, with (0, 0) at its lower left corner; x grows to the right and y upwards.",
    ),
)
_PUNCHED = StepTemplate(
    "punched",
    (
        "Number of holes in the folded paper: {count}, at {spots}.",
        "The last picture of the top row shows the folded paper punched here: {spots} ({count} in all).",
        "Holes that I see in the folded paper: {count}. Where: {spots}.",
    ),
    _ONLY,
)
_CREASE = StepTemplate(
    "crease",
    (
        "Undo fold {number}. Its grey part was the {flap} one, folded over {line}, which mirrors (x, y) to ({x}, {y}).",
        "Fold {number} is opened now: it had brought the {flap} part over {line}. The mirror image of (x, y) in it is ({x}, {y}).",
        "Next comes fold {number} backwards. The crease is {line}, and what goes back is the {flap} part; (x, y) is mirrored to ({x}, {y}).",
    ),
    {"number": NUMBER, "flap": one_of(_FLAPS.values()), "line": _LINE, "x": _TERM, "y": _TERM},
)
_OPENED = StepTemplate(
    "opened",
    ("Hole by hole: {changes}.", "So {changes}.", "With that part back in its place, {changes}."),
    {"changes": rf"{_CHANGE}(?:, {_CHANGE})*"},
)
_OPEN = StepTemplate(
    "open",
    (
        "The open sheet therefore has {count} holes: {spots}.",
        "Now it lies open, with {count} holes at {spots}.",
        "That is the whole sheet. Its {count} holes are at {spots}.",
    ),
    _ONLY,
)
_LACKS = StepTemplate(
    "lacks",
    (
        "Sheet {letter} is out: nothing at {spot}.",
        "There is no hole near {spot} in sheet {letter}.",
        "Sheet {letter} lacks the hole at {spot}.",
    ),
    _SHEET,
)
_EXTRA = StepTemplate(
    "extra",
    (
        "Sheet {letter} is out: no hole belongs at {spot}.",
        "Sheet {letter} has a hole near {spot}, where none comes out.",
        "The hole of sheet {letter} at {spot} is wrong.",
    ),
    _SHEET,
)
_FITS = StepTemplate(
    "fits",
    ("Sheet {letter} has just these holes.", "All of them, and no others, are in sheet {letter}.", "Sheet {letter} shows every one of them and nothing else."),
    {"letter": "[A-Z]"},
)  # fmt: skip
ALL = (_GRID, _PUNCHED, _CREASE, _OPENED, _OPEN, _LACKS, _EXTRA, _FITS)


def opening(folds: Sequence[Fold], holes: Sequence[Spot], options: Sequence[Sequence[Spot]], truth: int, key: Answer, phrasing: int) -> str:
    """The paper opened fold by fold, and the options compared with what comes out; holes in steps of `scenes.folded_paper`."""
    p = [phrasing >> 4 * k for k in range(7)]
    now = {hole: _told(hole) for hole in sorted(holes)}
    lines = [_GRID.render(p[0]), _PUNCHED.render(p[1], count=len(now), spots=_list(now.values()))]
    for number in reversed(range(len(folds))):
        fold = folds[number]
        x, y = _image(fold)
        lines.append(_CREASE.render(p[2], number=number + 1, flap=_FLAPS[fold.way, fold.side], line=_line(fold), x=x, y=y))
        changes: list[str] = []
        after: dict[Spot, Spot] = {}
        for hole, spot in sorted(now.items(), key=lambda entry: entry[1]):
            over, image = moved(fold.mirror, hole), _mirrored(fold, spot)
            outlines = folded(tuple(folds[:number])).outlines
            stays, goes = (any(inside(outline, point, 0) for outline in outlines) for point in (hole, over))
            if stays:
                after[hole] = spot
            if goes:
                after[over] = image
            changes.append(
                f"{spot} opens at {image} too" if stays and goes else f"{spot} goes to {image}" if goes else f"{spot} stays alone"
            )
        now = after
        lines.append(_OPENED.render(p[3], changes=", ".join(changes)))
    spots = sorted(now.values())
    lines.append(_OPEN.render(p[4], count=len(spots), spots=_list(spots)))
    for place, option in enumerate(options):
        if place != truth:
            shown = [(x / _LATTICE, y / _LATTICE) for x, y in option]
            lines.append(_wrong(LETTERS[place], spots, [_told(hole) for hole in option], shown, p[5]))
    return "\n".join([*lines, _FITS.render(p[6], letter=LETTERS[truth]), answer(key)])


def _wrong(letter: str, true_spots: Sequence[Spot], option_spots: Sequence[Spot], shown: Sequence[Point], phrasing: int) -> str:
    """The first hole that an option lacks, or that it has too many."""
    missing = next((spot for spot in true_spots if not near(spot, shown)), None)
    if missing:
        return _LACKS.render(phrasing, letter=letter, spot=missing)
    return _EXTRA.render(phrasing, letter=letter, spot=next(spot for spot in option_spots if not near(spot, true_spots)))


def near(spot: Spot, holes: Collection[Point]) -> bool:
    """Whether one of the holes, in squares, counts as one at a spot."""
    x, y = spot
    return any(-NEAR <= u - x <= NEAR and -NEAR <= v - y <= NEAR for u, v in holes)


def _told(hole: Spot) -> Spot:
    """The nearest spot of the grid; halves go to the right and up."""
    x, y = ((2 * v + _LATTICE) // (2 * _LATTICE) for v in hole)
    return x, y


def _list(spots: Collection[Spot]) -> str:
    return ", ".join(map(str, sorted(spots)))


def _line(fold: Fold) -> str:
    at = fold.at // _LATTICE
    if fold.way == "vertical":
        return f"the upright line x = {at}"
    if fold.way == "horizontal":
        return f"the level line y = {at}"
    if fold.way == "falling":
        return f"the falling diagonal x + y = {at}"
    return f"the rising diagonal {f'x = y + {at}' if at > 0 else f'y = x + {-at}' if at else 'x = y'}"


def _image(fold: Fold) -> tuple[str, str]:
    """Where a crease mirrors (x, y) to, in words."""
    at = fold.at // _LATTICE
    if fold.way == "vertical":
        return f"{2 * at} - x", "y"
    if fold.way == "horizontal":
        return "x", f"{2 * at} - y"
    if fold.way == "falling":
        return f"{at} - y", f"{at} - x"
    return _plus("y", at), _plus("x", -at)


def _plus(name: str, number: int) -> str:
    return name if number == 0 else f"{name} {'+' if number > 0 else '-'} {abs(number)}"


def _mirrored(fold: Fold, spot: Spot) -> Spot:
    """The same with numbers."""
    (x, y), at = spot, fold.at // _LATTICE
    if fold.way == "vertical":
        return 2 * at - x, y
    if fold.way == "horizontal":
        return x, 2 * at - y
    return (at - y, at - x) if fold.way == "falling" else (y + at, x - at)
