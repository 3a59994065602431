"""Distractors as in the paper: one sheet lacks a hole, one is mirrored, of four options one is rotated; and the similarity of sheets.

These distractors are derived from the key, so the options alone reveal it: `folding_sets` has distractors without this leakage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from isovist.core.rng import Rng
from isovist.core.task import RejectSample
from isovist.world.scenes.folded_paper import (
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

STEP = SIDE // 160  # lattice steps per pixel at the default size
MARGIN = 8 * STEP  # minimum distance from the centre of a hole to the edge of any layer
APART = 16 * STEP  # minimum distance between the centres of two holes
DIFFERENT = 12 * STEP  # minimum distance of some hole of one option from every hole of another

_MIDDLE = (SIDE, SIDE)  # centre of the sheet, doubled
_PLACES = 60  # attempts to place the holes of one sheet
_TRIES = 48  # attempts to place all holes elsewhere

Holes = tuple[Spot, ...]
Wrong = tuple[str, Holes]


@dataclass(frozen=True, slots=True)
class Punched:
    """The folds of a sheet, its punched layers and the correct unfolded sheet."""

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
    """Return whether every hole of either sheet is nearer than `DIFFERENT` to a hole of the other."""
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
    """Return whether all holes have the minimum distance from the edge of the sheet and from each other."""
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
    """Return the correct sheet, moved about its centre."""
    return tuple(sorted(moved(motion, spot) for spot in case.key))


_WHOLE: tuple[tuple[str, Motion], ...] = (
    *((name, turn_about(quarters, _MIDDLE)) for quarters, name in enumerate(("", "rotated-90", "rotated-180", "rotated-90"))),
    *(("mirrored", mirror) for mirror in _AXES),
)
"""The symmetries of the sheet about its centre; the first is the identity."""


def _misread(case: Punched, motion: Motion, holes: Sequence[Spot]) -> dict[Spot, list[PunchedLayer]] | None:
    """Return the punched layers of each hole after a motion of the folded paper; None if a hole does not fit there."""
    by_hole = {hole: punch(case.last, moved(motion, hole), MARGIN) for hole in holes}
    marks = {hole: hole_marks for hole, hole_marks in by_hole.items() if hole_marks}
    return marks if len(marks) == len(holes) else None


def punched(rng: Rng, stack: Stack, count: int) -> list[PunchedLayer] | None:
    """Return `count` random holes in the folded paper with the minimum distances; None if there is too little room."""
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
    """Yield sheets with all holes elsewhere on the folded paper; used where nothing else fits."""
    for _ in range(_TRIES):
        marks = punched(rng, case.last, len(case.holes))
        if marks and len(marks) == len(case.marks):
            yield MISPLACED, unfold(marks)


def _mirrored(rng: Rng, case: Punched) -> Iterator[Wrong]:
    """Yield mirrored sheets: the key mirrored, or the holes of the folded paper mirrored before unfolding (the first may equal the key)."""
    for axis in rng.shuffled(_AXES):
        yield "mirror", _whole(case, axis)
    wide, high = (sum(case.last.range(way)) for way in ("vertical", "horizontal"))
    for way in rng.shuffled(list(WAYS)):
        if misread := _misread(case, mirror_through(way, (wide, high)), case.holes):  # about the centre of the folded paper, doubled
            yield "mirror", unfold(mark for marks in misread.values() for mark in marks)


def paper_errors(rng: Rng, case: Punched, count: int) -> list[Wrong]:
    """Return the distractors of the paper: a missing hole, a mirrored sheet, and of four options a rotated sheet. Raises RejectSample."""
    missing = rng.integer(0, len(case.key) - 1)
    chosen: list[Wrong] = [("missing-hole", (*case.key[:missing], *case.key[missing + 1 :]))]
    rotated = ((name, _whole(case, motion)) for name, motion in rng.shuffled(_WHOLE) if name.startswith("rotated"))
    offered = chain(_mirrored(rng, case), rotated, _misplaced(rng, case))
    mirrors = 0
    for name, holes in offered:
        if len(chosen) == count:
            break
        if name == "mirror" and mirrors:
            continue
        others = (case.key, *(option for _, option in chosen[1:]))
        if len(holes) == len(case.key) and legible(holes) and not any(alike(holes, other) for other in others):
            chosen.append((name, holes))
            mirrors += name == "mirror"
    if len(chosen) < count:
        raise RejectSample
    return chosen
