"""Sets of fold sequences with holes in the folded paper: each option of an item is the unfolded sheet of one of them.

The sequence that becomes the key is sampled last and uniformly, so the options alone give no information about it. All options have the
same number of holes. With several folds, they contain the holes of the folded paper and have the same first fold. With two folds, the
second fold differs; with three, the last fold differs in half of the items and the second fold in the others.

With one fold, a sheet that contains the holes and is symmetric about the crease is the key. Therefore the options are three of the four
sheets that result from two parallel creases and two places of one hole: neither the crease alone nor the holes alone give the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import dist

from isovist.core.rng import Rng
from isovist.suites.srbench.folding_distractors import MARGIN, Holes, alike, legible
from isovist.world.scenes.folded_paper import (
    CREASES,
    SHEET,
    SIDE,
    WAYS,
    Fold,
    Motion,
    Spot,
    Stack,
    clipped,
    folded,
    halvings,
    inside,
    moved,
)

WRONG = "wrong-fold-{}"
"""The distractor type of an option: the number, from 1, of the fold that is replaced by another one."""
MOVED = "moved-hole"
"""The distractor type of an option in which a hole of the folded paper is elsewhere."""

Folds = tuple[Fold, ...]

_FLAP = 5 * CREASES  # minimum extent of the paper on either side of a crease
_MOST = 24  # maximum number of holes in an unfolded sheet
_PLACES = 80  # attempts to place one hole
_REACH = 400  # maximum distance of a hole from the first one, in x and in y
_SHIFT = range(160, 321)  # distance between two parallel creases
_LEAST_MOVED = 192  # minimum distance between the two places of a hole


@dataclass(frozen=True, slots=True)
class FoldSequence:
    """A sequence of folds, the current holes in the folded paper, and the unfolded sheet with these holes."""

    folds: Folds
    holes: Holes = ()
    sheet: Holes = ()
    look: tuple[tuple[int, bool], ...] = ()
    """For each hole in the folded paper: the number of holes it makes, and whether one is at the same position. Equal for all options."""


def drawn(rng: Rng, folds: int, holes: int, options: int, *, middle: bool, anywhere: bool) -> list[FoldSequence] | None:
    """Return one fold sequence per option in random order, with these numbers of folds and of holes in the folded paper; None if the sample
    does not fit.

    Several folds: the sequences differ in the last fold, or in the one before it if `middle`. Creases are anywhere if `anywhere`;
    otherwise the first of several folds halves the sheet and each flap is folded onto the rest of the paper.
    """
    creases = _Creases(rng, anywhere, folds < 3 and not anywhere)
    if folds == 1:
        return creases.one_fold(holes, options)
    begun: Folds = ()
    for _ in range(folds - 1 - middle):
        begun = (*begun, next(creases.after(begun, halved=folds == 3 and not anywhere)))
    ended = (next(creases.after(begun)),) if middle else ()
    box = _box(folded(begun))
    spots: list[Spot] = []
    ways = [FoldSequence((*begun, *ended))]
    for place in range(_PLACES * holes):
        spot = _spot(rng, box, spots[0] if spots else None)
        more = _all_punched(ways, spot, all_layers=creases.all_layers and place < _PLACES)
        if not more:
            continue
        ways = more if spots else creases.ways(begun, ended, spot, options)
        spots.append(spot)
        if len(ways) < options:
            return None
        if len(spots) == holes:
            return rng.shuffled(ways)
    return None


def error(shown: FoldSequence, other: FoldSequence) -> str:
    """Return the distractor type of another fold sequence relative to the one shown."""
    wrong = [WRONG.format(number) for number, (a, b) in enumerate(zip(shown.folds, other.folds, strict=True), 1) if a != b]
    return "+".join([*wrong, *([MOVED] if other.holes != shown.holes else [])])


Box = tuple[tuple[int, int], tuple[int, int]]


def _box(stack: Stack) -> Box:
    """Return the bounding box of a folded sheet: its ranges of x and y."""
    return stack.range("vertical"), stack.range("horizontal")


def _spot(rng: Rng, box: Box, near: Spot | None = None) -> Spot:
    """Return a random position in the bounding box of a folded sheet, near another one if given."""
    spot: list[int] = []
    for axis in (0, 1):
        low, high = box[axis]
        if near:
            low, high = max(low, near[axis] - _REACH), min(high, near[axis] + _REACH)
        spot.append(2 * rng.integer((low + MARGIN) // 2, (high - MARGIN) // 2))
    return spot[0], spot[1]


@lru_cache(maxsize=1)
def _lines() -> tuple[Fold, ...]:
    """Return all creases of a flat sheet."""
    folds: list[Fold] = []
    for way in WAYS:
        low, high = SHEET.range(way)
        folds += [Fold(way, at, side) for at in range(low + CREASES, high, CREASES) for side in (1, -1)]
    return tuple(folds)


Line = tuple[int, int, int, int, Motion]
Opened = list[tuple[Spot, int]]
"""Holes of the flat sheet, each with the folds in which it was on the flap, as bits."""


def _opened(lines: Sequence[Line], spot: Spot, *, all_layers: bool) -> Opened | None:
    """Return the holes of the flat sheet under a hole; None if it is near the edge of a layer, or misses a layer although `all_layers`.

    `lines`: `_line` of each fold.
    """
    under: Opened = [(spot, 0)]
    for number in range(len(lines) - 1, -1, -1):  # unfolded one by one, the last fold first
        a, b, position, clear, mirror = lines[number]
        parts: Opened = []
        for (x, y), path in under:
            beyond = a * x + b * y - position
            if beyond * beyond < clear or (beyond > 0 and all_layers):
                return None
            if beyond < 0:
                parts += (((x, y), path), (moved(mirror, (x, y)), path | 1 << number))
        under = parts
    opened: Opened = []
    for (x, y), path in under:
        inwards = min(x, y, SIDE - x, SIDE - y)
        if inwards >= MARGIN:
            opened.append(((x, y), path))
        elif all_layers or inwards > -MARGIN:
            return None
    return opened


@lru_cache(maxsize=1024)
def _line(crease: Fold) -> Line:
    """Return a, b and position of a crease, with paper beyond it where a x + b y > position; the square of the margin; the reflection."""
    a, b = WAYS[crease.direction]
    return crease.side * a, crease.side * b, crease.side * crease.position, MARGIN * MARGIN * (a * a + b * b), crease.mirror


@dataclass(frozen=True)
class _Creases:
    """Random creases and the fold sequences made with them."""

    rng: Rng
    anywhere: bool
    all_layers: bool
    """Whether the first hole goes through the maximum number of layers; otherwise at least through a flap of every fold."""

    def after(self, folds: Folds, *, halved: bool = False) -> Iterator[Fold]:
        """Yield valid next creases in random order; those that halve the paper if `halved`, or on a flat sheet."""
        halved = not self.anywhere and (halved or not folds)
        yield from (crease for crease in self.rng.shuffled(halvings(folds) if halved else _lines()) if halved or self.fits(folds, crease))

    def fits(self, folds: Folds, crease: Fold) -> bool:
        """Return whether the crease is a valid next fold."""
        stack = folded(folds)
        low, high = stack.range(crease.direction)
        return low + _FLAP <= crease.position <= high - _FLAP and _lands(stack, crease, anywhere=self.anywhere)

    def ways(self, begun: Folds, ended: Folds, spot: Spot, count: int) -> list[FoldSequence]:
        """Return up to `count` different sequences with one more fold between `begun` and `ended`."""
        ways: list[FoldSequence] = []
        begun_lines, ended_lines = [_line(fold) for fold in begun], [_line(fold) for fold in ended]
        for crease in self.rng.shuffled(_lines()):
            opened = _opened((*begun_lines, _line(crease), *ended_lines), spot, all_layers=self.all_layers)
            if not opened:
                continue
            folds = (*begun, crease, *ended)
            way = _punched(FoldSequence(folds), spot, opened)
            if way and _goes_with(way, ways) and all(self.fits(folds[:i], folds[i]) for i in range(len(begun), len(folds))):
                ways.append(way)
                if len(ways) == count:
                    break
        return ways

    def one_fold(self, holes: int, options: int) -> list[FoldSequence] | None:
        """Return sequences of one fold, with one of two parallel creases and one of two places of a hole; None if they do not fit."""
        flap = self.rng.pick(tuple(WAYS)), self.rng.pick((1, -1))
        parallel = [crease for crease in _lines() if (crease.direction, crease.side) == flap and self.fits((), crease)]
        shown = self.rng.pick(parallel)
        others = [crease for crease in parallel if abs(crease.position - shown.position) in _SHIFT]
        ways = [FoldSequence((shown,)), FoldSequence((self.rng.pick(others),))]
        for _ in range(holes - 1):
            ways = self.with_hole(ways)
        first = self.with_hole(ways)
        second = self.with_hole(ways, first[0].holes[-1]) if first else []
        if not second or dist(first[0].holes[-1], second[0].holes[-1]) < _LEAST_MOVED:
            return None
        ways = self.rng.shuffled([*first, *second])
        return ways[:options] if all(_goes_with(way, ways[:place]) for place, way in enumerate(ways)) else None

    def with_hole(self, ways: Sequence[FoldSequence], near: Spot | None = None) -> list[FoldSequence]:
        """Return sequences of one fold with one more hole, near a point if given, otherwise near the first hole; empty if none fits."""
        box = _box(SHEET)
        spots = (_spot(self.rng, box, near or next(iter(way.holes), None)) for way in ways[:1] for _ in range(_PLACES))
        for spot in spots:
            if more := _all_punched(ways, spot, all_layers=self.all_layers):
                return more
        return []


def _punched(way: FoldSequence, spot: Spot, opened: Opened) -> FoldSequence | None:
    """Return the sequence with one more hole, with its holes of the flat sheet. None if one is near an edge or another hole, or if the first
    hole is not on a flap of every fold.
    """
    flaps = 0
    for _, path in opened:
        flaps |= path
    if not way.sheet and flaps != (1 << len(way.folds)) - 1:
        return None
    sheet = tuple(sorted((*way.sheet, *(flat for flat, _ in opened))))
    if len(sheet) > _MOST or not legible(sheet):
        return None
    return FoldSequence(way.folds, (*way.holes, spot), sheet, (*way.look, (len(opened), opened[0][1] == 0)))


def _all_punched(all_of: Sequence[FoldSequence], spot: Spot, *, all_layers: bool) -> list[FoldSequence]:
    """Return all sequences with one more hole; empty if its `look` is not the same in all of them."""
    ways: list[FoldSequence] = []
    for way in all_of:
        opened = _opened([_line(fold) for fold in way.folds], spot, all_layers=all_layers)
        more = _punched(way, spot, opened) if opened else None
        if not more or (ways and more.look != ways[0].look):
            return []
        ways.append(more)
    return ways


def _lands(stack: Stack, crease: Fold, *, anywhere: bool) -> bool:
    """Return whether the flap is folded onto the fixed part, or, if `anywhere`, onto the area of the flat sheet.

    Where all earlier flaps were folded onto fixed parts, the outline is that of the first layer, which never moved.
    """
    outlines = stack.outlines if anywhere else (stack.layers[0].corners,)
    onto = SHEET.outlines[0] if anywhere else clipped(outlines[0], crease, beyond=False)
    over = crease.mirror
    flaps = (clipped(outline, crease, beyond=True) for outline in outlines)
    return all(inside(onto, moved(over, corner), 0) for flap in flaps for corner in flap)


def _goes_with(way: FoldSequence, others: Sequence[FoldSequence]) -> bool:
    return all(way.look == other.look and not alike(way.sheet, other.sheet) for other in others)
