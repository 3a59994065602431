"""Several ways to fold a sheet that go with the same holes: each option of an item is the open sheet of one of them.

Which way is the one shown is drawn last and at random, so the options alone say nothing, in whatever way they are compared. All
of them have the holes that are seen in the folded paper, equally many holes and, where there are several folds, the same first
fold. With two folds the second one differs; with three the ways are corners of a square of two second and two third folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from isovist.core.rng import Rng
from isovist.scenes.folded_paper import CREASES, SHEET, SIDE, WAYS, Fold, Motion, Spot, Stack, clipped, folded, halvings, inside, moved
from isovist.suites.srbench.folding_distractors import MARGIN, Holes, alike, legible

WRONG = "wrong-fold-{}"
"""The error of an option: which fold, counted from 1, is taken for another one."""

Folds = tuple[Fold, ...]

_FLAP = 5 * CREASES  # how far the paper reaches from a crease on either side
_MOST = 24  # holes in an open sheet
_PLACES = 80  # tried for one hole
_REACH = 400  # how far holes lie from the first one at most, across and up


@dataclass(frozen=True, slots=True)
class FoldSequence:
    """A way to fold the sheet, and what comes out with the holes at hand."""

    folds: Folds
    sheet: Holes
    look: tuple[tuple[int, bool], ...]
    """Of each hole in the folded paper how many it makes, and whether one lies in the same place: all options have this in common."""


@dataclass(frozen=True)
class Ways:
    """So many ways to fold a sheet, in random order, and the holes that go with all of them."""

    all: tuple[FoldSequence, ...]
    holes: Holes


def drawn(rng: Rng, folds: int, holes: int, options: int, *, middle: bool, anywhere: bool) -> Ways | None:
    """As many ways as there are options, with so many folds and holes in the folded paper. None for a draw that does not fit.

    They differ in the last fold; in the one before it if `middle`. Creases lie anywhere, or the sheet is halved at first and each later
    flap comes to lie on the rest of the paper.
    """
    creases = _Creases(rng, anywhere, folds < 3 and not anywhere)
    begun: Folds = ()
    for _ in range(folds - 1 - middle):
        begun = (*begun, next(creases.after(begun, halved=folds == 3 and not anywhere)))
    ended = (next(creases.after(begun)),) if middle else ()
    spots: list[Spot] = []
    ways = [FoldSequence((*begun, *ended), (), ())]
    for place in range(_PLACES * holes):
        spot = _spot(rng, folded(begun), spots[0] if spots else None)
        more = _all_punched(ways, spot, all_layers=creases.all_layers and place < _PLACES)
        if not more:
            continue
        ways = more if spots else creases.ways(begun, ended, spot, options)
        spots.append(spot)
        if len(ways) < options:
            return None
        if len(spots) == holes:
            return Ways(tuple(rng.shuffled(ways)), tuple(sorted(spots)))
    return None


def error(shown: Folds, other: Folds) -> str:
    """What leads from one way to another."""
    return "+".join(WRONG.format(number) for number, (a, b) in enumerate(zip(shown, other, strict=True), 1) if a != b)


def _spot(rng: Rng, stack: Stack, near: Spot | None = None) -> Spot:
    """A spot in the box around a folded sheet, near another one if there is one."""
    spot: list[int] = []
    for axis, way in enumerate(("vertical", "horizontal")):
        low, high = stack.range(way)
        if near:
            low, high = max(low, near[axis] - _REACH), min(high, near[axis] + _REACH)
        spot.append(2 * rng.integer((low + MARGIN) // 2, (high - MARGIN) // 2))
    return spot[0], spot[1]


@lru_cache(maxsize=1)
def _lines() -> tuple[Fold, ...]:
    """All creases that a sheet may have."""
    folds: list[Fold] = []
    for way in WAYS:
        low, high = SHEET.range(way)
        folds += [Fold(way, at, side) for at in range(low + CREASES, high, CREASES) for side in (1, -1)]
    return tuple(folds)


Opened = list[tuple[Spot, int]]
"""Holes of the flat sheet, each with the folds in which it was on the flap, as bits."""


def _opened(folds: Folds, spot: Spot, *, all_layers: bool) -> Opened | None:
    """What a hole in the folded paper makes; None if it lies near an edge of a layer, or misses one where it may not."""
    if not folds:
        inwards = min(*spot, SIDE - spot[0], SIDE - spot[1])
        return [(spot, 0)] if inwards >= MARGIN else None if all_layers or inwards > -MARGIN else []
    before, crease = folds[:-1], folds[-1]
    beyond = crease.beyond(spot)
    if beyond * beyond < _CLEAR[crease.direction]:
        return None
    if beyond > 0:
        return None if all_layers else []
    stays = _opened(before, spot, all_layers=all_layers)
    if stays is None:
        return None
    over = _opened(before, moved(_mirror(crease), spot), all_layers=all_layers)
    return None if over is None else [*stays, *((flat, path | 1 << len(before)) for flat, path in over)]


_CLEAR = {way: MARGIN * MARGIN * (a * a + b * b) for way, (a, b) in WAYS.items()}


@lru_cache(maxsize=1024)
def _mirror(crease: Fold) -> Motion:
    return crease.mirror


@dataclass(frozen=True)
class _Creases:
    """Creases in random order, and what comes of them."""

    rng: Rng
    anywhere: bool
    all_layers: bool
    """Whether the first hole goes through as many layers as there can be; else at least through a flap of every fold."""

    def after(self, folds: Folds, *, halved: bool = False) -> Iterator[Fold]:
        """Creases that may come next; of those that halve the paper if wanted, and on a flat sheet."""
        halved = not self.anywhere and (halved or not folds)
        yield from (crease for crease in self.rng.shuffled(halvings(folds) if halved else _lines()) if halved or self.fits(folds, crease))

    def fits(self, folds: Folds, crease: Fold) -> bool:
        """Whether a sheet may be folded so next."""
        if not folds and not self.anywhere:
            return True
        stack = folded(folds)
        low, high = stack.range(crease.direction)
        return low + _FLAP <= crease.position <= high - _FLAP and _lands(stack, crease, anywhere=self.anywhere)

    def ways(self, begun: Folds, ended: Folds, spot: Spot, count: int) -> list[FoldSequence]:
        """So many ways with one more fold between some others, all different; fewer if there are no more."""
        ways: list[FoldSequence] = []
        for crease in self.rng.shuffled(_lines() if begun or self.anywhere else halvings(())):
            folds = (*begun, crease, *ended)
            way = _punched(FoldSequence(folds, (), ()), spot, all_layers=self.all_layers)
            if way and _goes_with(way, ways) and all(self.fits(folds[:i], folds[i]) for i in range(len(begun), len(folds))):
                ways.append(way)
                if len(ways) == count:
                    break
        return ways


def _punched(way: FoldSequence, spot: Spot, *, all_layers: bool) -> FoldSequence | None:
    """A way with one more hole. None if it would lie near an edge or another hole, or if the first one does not go through every fold."""
    opened = _opened(way.folds, spot, all_layers=all_layers)
    if not opened:
        return None
    if not way.sheet and not all(any(path >> number & 1 for _, path in opened) for number in range(len(way.folds))):
        return None
    sheet = tuple(sorted((*way.sheet, *(flat for flat, _ in opened))))
    if len(sheet) > _MOST or not legible(sheet):
        return None
    return FoldSequence(way.folds, sheet, (*way.look, (len(opened), opened[0][1] == 0)))


def _all_punched(all_of: Sequence[FoldSequence], spot: Spot, *, all_layers: bool) -> list[FoldSequence]:
    """All ways with one more hole; none if it does not make as many in each."""
    ways: list[FoldSequence] = []
    for way in all_of:
        more = _punched(way, spot, all_layers=all_layers)
        if not more or (ways and more.look != ways[0].look):
            return []
        ways.append(more)
    return ways


def _lands(stack: Stack, crease: Fold, *, anywhere: bool) -> bool:
    """Whether what is folded over comes to lie on what stays, or on the place of the flat sheet.

    Where all flaps came to lie on what stayed, the first layer, which never moved, is the whole outline.
    """
    outlines = stack.outlines if anywhere else (stack.layers[0].corners,)
    onto = SHEET.outlines[0] if anywhere else clipped(outlines[0], crease, beyond=False)
    over = crease.mirror
    flaps = (clipped(outline, crease, beyond=True) for outline in outlines)
    return all(inside(onto, moved(over, corner), 0) for flap in flaps for corner in flap)


def _goes_with(way: FoldSequence, others: Sequence[FoldSequence]) -> bool:
    return all(way.look == other.look and not alike(way.sheet, other.sheet) for other in others)
