"""Wrong sheets as the paper has them: one lacks a hole, one is mirrored, of four options one is turned; and when sheets look alike.

Such wrong sheets are each made from the right one, and whoever looks at the options alone finds it: see `folding_sets` for others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from isovist.core.rng import Rng
from isovist.core.task import RejectSample
from isovist.scenes.folded_paper import (
    SIDE,
    WAYS,
    Fold,
    Motion,
    PunchedLayer,
    Spot,
    Stack,
    folded,
    mirror_through,
    moved,
    punch,
    turn_about,
    unfold,
)

PAPER_ERRORS = ("missing-hole", "mirror")
MISPLACED = "misplaced"

STEP = SIDE // 160  # lattice steps to a pixel at the default size
MARGIN = 8 * STEP  # from the middle of a hole to the edge of any layer
APART = 16 * STEP  # between the middles of two holes
DIFFERENT = 12 * STEP  # some hole of one option is so far from every hole of another

_MIDDLE = (SIDE, SIDE)  # of the sheet, doubled
_PLACES = 60  # tried for the holes of one sheet
_TRIES = 48  # places for all holes

Holes = tuple[Spot, ...]
Wrong = tuple[str, Holes]


@dataclass(frozen=True, slots=True)
class Punched:
    """The folds of a sheet, its marks and the right sheet."""

    folds: tuple[Fold, ...]
    marks: Sequence[PunchedLayer]
    key: Holes

    @property
    def last(self) -> Stack:
        return folded(self.folds)

    @property
    def holes(self) -> list[Spot]:
        return list(self.by_hole)

    @property
    def by_hole(self) -> dict[Spot, list[PunchedLayer]]:
        groups: dict[Spot, list[PunchedLayer]] = {}
        for mark in self.marks:
            groups.setdefault(mark.hole, []).append(mark)
        return groups


def alike(a: Holes, b: Holes) -> bool:
    """Whether every hole of either sheet has a hole of the other nearer than `DIFFERENT`."""
    return _covered(a, b) and _covered(b, a)


def _covered(these: Holes, those: Holes) -> bool:
    other_holes = set(those)
    for x, y in these:
        if (x, y) in other_holes:
            continue
        for u, v in those:
            if (x - u) ** 2 + (y - v) ** 2 < DIFFERENT * DIFFERENT:
                break
        else:
            return False
    return True


def legible(holes: Holes) -> bool:
    """Whether all holes lie clear of the sheet's edge and of each other."""
    if not all(MARGIN <= x <= SIDE - MARGIN and MARGIN <= y <= SIDE - MARGIN for x, y in holes):
        return False
    for i, (x, y) in enumerate(holes):  # from left to right
        for u, v in holes[i + 1 :]:
            if u - x >= APART:
                break
            if (u - x) ** 2 + (v - y) ** 2 < APART * APART:
                return False
    return True


_AXES = tuple(mirror_through(way, _MIDDLE) for way in WAYS)


def _whole(case: Punched, motion: Motion) -> Holes:
    """The right sheet, moved about its middle."""
    return tuple(sorted(moved(motion, spot) for spot in case.key))


def _folded_middle(case: Punched) -> Spot:
    """The middle of the folded paper, doubled."""
    wide, high = (case.last.range(way) for way in ("vertical", "horizontal"))
    return sum(wide), sum(high)


def _motions(middle: Spot) -> list[tuple[str, Motion]]:
    """The motions of a square about its middle (doubled); the first leaves it as it is."""
    turns = [(name, turn_about(quarters, middle)) for quarters, name in enumerate(("", "rotated-90", "rotated-180", "rotated-90"))]
    return [*turns, *(("mirrored", mirror_through(way, middle)) for way in WAYS)]


_WHOLE = tuple(_motions(_MIDDLE))


def _misread(case: Punched, motion: Motion, holes: Sequence[Spot]) -> dict[Spot, list[PunchedLayer]] | None:
    """The marks of each hole if it is read at another place of the folded paper; None if a hole would not fit there."""
    by_hole = {hole: punch(case.last, moved(motion, hole), MARGIN) for hole in holes}
    marks = {hole: hole_marks for hole, hole_marks in by_hole.items() if hole_marks}
    return marks if len(marks) == len(holes) else None


def punched(rng: Rng, stack: Stack, count: int) -> list[PunchedLayer] | None:
    """So many holes in the folded paper, clear of the edges of all its layers and of each other; None if there is hardly room."""
    spans = [stack.range(way) for way in ("vertical", "horizontal")]
    marks: list[PunchedLayer] = []
    holes: list[Spot] = []
    for _ in range(_PLACES):
        x, y = (2 * rng.integer((low + MARGIN) // 2, (high - MARGIN) // 2) for low, high in spans)
        if any((x - u) ** 2 + (y - v) ** 2 < APART * APART for u, v in holes):
            continue
        if not (hole_marks := punch(stack, (x, y), MARGIN)):
            continue
        marks += hole_marks
        holes.append((x, y))
        if len(holes) == count:
            return marks
    return None


def _misplaced(rng: Rng, case: Punched) -> Iterator[Wrong]:
    """The last resort: all holes read somewhere else on the folded paper."""
    for _ in range(_TRIES):
        marks = punched(rng, case.last, len(case.holes))
        if marks and len(marks) == len(case.marks):
            yield MISPLACED, unfold(marks)


def _fits(holes: Holes, others: Sequence[Holes]) -> bool:
    """Whether a sheet may stand beside others: as many holes, clear of each other, and different."""
    return len(holes) == len(others[0]) and legible(holes) and not any(alike(holes, other) for other in others)


def _mirrored(rng: Rng, case: Punched) -> Iterator[Wrong]:
    """The right sheet mirrored; and, as that may change nothing, the holes of the folded paper mirrored before it is opened."""
    for axis in rng.shuffled(_AXES):
        yield "mirror", _whole(case, axis)
    for way in rng.shuffled(list(WAYS)):
        if misread := _misread(case, mirror_through(way, _folded_middle(case)), case.holes):
            yield "mirror", unfold(mark for marks in misread.values() for mark in marks)


def paper_errors(rng: Rng, case: Punched, count: int) -> list[Wrong]:
    """The paper's: a sheet that lacks a hole, a mirrored one, and of four options one that is turned. Raises RejectSample."""
    gone = rng.integer(0, len(case.key) - 1)
    chosen: list[Wrong] = [("missing-hole", (*case.key[:gone], *case.key[gone + 1 :]))]
    turned = ((name, _whole(case, motion)) for name, motion in rng.shuffled(_WHOLE) if name.startswith("rotated"))
    offered = chain(_mirrored(rng, case), turned, _misplaced(rng, case))
    mirrors = 0
    for name, holes in offered:
        if len(chosen) == count:
            break
        if name == "mirror" and mirrors:
            continue
        if _fits(holes, [case.key, *(option for _, option in chosen[1:])]):
            chosen.append((name, holes))
            mirrors += name == "mirror"
    if len(chosen) < count:
        raise RejectSample
    return chosen
