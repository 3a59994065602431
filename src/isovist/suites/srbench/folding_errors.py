"""Wrong sheets for paper folding: what comes out if something goes wrong between the folded paper and the open sheet.

Every error keeps the number of holes. Wrong sheets that are each made from the right one would tell it to whoever looks
at the options alone: as the one that the others resemble, or the only symmetric one. So the options of an item are
drawn such that any of them could be the one that the others are made from:

- moved: turned, mirrored or misread ones, at random from all that these motions make of the key, compounds included;
- lines: a sheet with one fold, opened about different lines through its middle;
- odd: one of them is a wrong opening of any of the others, and the others are moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import chain

from isovist.core.rng import Rng
from isovist.core.task import Reject
from isovist.kits.paper import (
    SIDE,
    STAY,
    WAYS,
    Fold,
    Mark,
    Motion,
    Spot,
    Stack,
    after,
    crease_ends,
    folded,
    mirror_through,
    moved,
    punch,
    turn_about,
    unfold,
)

ERRORS = ("forgotten-fold", "wrong-line", "missed-layer", "turned-90", "turned-180", "mirrored")
PAPER_ERRORS = ("missing-hole", "mirror")
FAMILIES = ("odd", "moved", "lines")
MISPLACED = "misplaced"

STEP = SIDE // 160  # lattice steps to a pixel at the default size
MARGIN = 8 * STEP  # from the middle of a hole to the edge of any layer
APART = 16 * STEP  # between the middles of two holes
DIFFERENT = 12 * STEP  # some hole of one option is so far from every hole of another

_MIDDLE = (SIDE, SIDE)  # of the sheet, doubled
_PLACES = 60  # tried for the holes of one sheet
_TRIES = 48  # drawings from what the motions make; there are 128 at most

Holes = tuple[Spot, ...]
Wrong = tuple[str, Holes]


@dataclass(frozen=True, slots=True)
class Punched:
    """The folds of a sheet, its marks and the right sheet."""

    folds: tuple[Fold, ...]
    marks: Sequence[Mark]
    key: Holes

    @property
    def last(self) -> Stack:
        return folded(self.folds)

    @property
    def holes(self) -> list[Spot]:
        return list(self.by_hole)

    @property
    def by_hole(self) -> dict[Spot, list[Mark]]:
        found: dict[Spot, list[Mark]] = {}
        for mark in self.marks:
            found.setdefault(mark.hole, []).append(mark)
        return found


def alike(a: Holes, b: Holes) -> bool:
    """Whether every hole of either sheet has a hole of the other nearer than `DIFFERENT`."""
    return _covered(a, b) and _covered(b, a)


def _covered(these: Holes, those: Holes) -> bool:
    there = set(those)
    for x, y in these:
        if (x, y) in there:
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


def _opened(case: Punched, number: int, by: Motion, later: tuple[int, ...] | None = None) -> Holes:
    """The sheet if one fold is opened by another motion than its reflection; for all layers, or for those alone that
    lay on the flaps of these later folds.
    """
    right = [crease.mirror for crease in case.folds]
    wrong = [*right[:number], by, *right[number + 1 :]]
    spots: set[Spot] = set()
    for mark in case.marks:
        path, spot = mark.layer.path, mark.hole
        motions = wrong if later is None or tuple(i for i in path if i > number) == later else right
        for i in reversed(path):
            spot = moved(motions[i], spot)
        spots.add(spot)
    return tuple(sorted(spots))


@lru_cache(maxsize=512)
def _crease_middle(folds: tuple[Fold, ...]) -> Spot:
    """The middle of the last crease, doubled."""
    (ax, ay), (bx, by) = crease_ends(folded(folds[:-1]), folds[-1])
    return ax + bx, ay + by


@lru_cache(maxsize=512)
def _unturned(folds: tuple[Fold, ...]) -> tuple[Motion, Motion]:
    """How the last flap goes back if its turning over is forgotten: shifted across the crease, or turned half round its middle."""
    crease = folds[-1]
    a, b = WAYS[crease.way]
    low, high = folded(folds[:-1]).range(crease.way)
    depth = (high - crease.at) if crease.side > 0 else (crease.at - low)
    shift = crease.side * depth // (a * a + b * b)
    return (1, 0, 0, 1, a * shift, b * shift), turn_about(2, _crease_middle(folds))


def _openings(rng: Rng, case: Punched) -> Iterator[Wrong]:
    """Sheets in whose opening one fold went wrong, in random order, each error as likely as the next to come first."""
    found: dict[str, list[Callable[[], Holes]]] = {}
    for number, crease in enumerate(case.folds):
        up_to_it = case.folds[: number + 1]
        others = [mirror_through(way, _crease_middle(up_to_it)) for way in WAYS if way != crease.way]
        found.setdefault("wrong-line", []).extend(partial(_opened, case, number, other) for other in others)
        found.setdefault("forgotten-fold", []).extend(partial(_opened, case, number, motion) for motion in _unturned(up_to_it))
        later = {tuple(j for j in mark.layer.path if j > number) for mark in case.marks if number in mark.layer.path}
        if len(later) > 1:
            missed = [(flaps, motion) for flaps in sorted(later) for motion in _unturned(up_to_it)]
            found.setdefault("missed-layer", []).extend(partial(_opened, case, number, motion, flaps) for flaps, motion in missed)
    piles = {name: rng.shuffled(recipes) for name, recipes in found.items()}
    while piles:
        for name in rng.shuffled(list(piles)):
            if piles[name]:
                yield name, piles[name].pop()()
            else:
                del piles[name]


def _folded_middle(case: Punched) -> Spot:
    """The middle of the folded paper, doubled."""
    wide, high = (case.last.range(way) for way in ("vertical", "horizontal"))
    return sum(wide), sum(high)


@dataclass(frozen=True)
class _Option:
    """A sheet that could be a key: a case whose open sheet was then moved as a whole. `errors` lead there from the key."""

    errors: tuple[str, ...]
    case: Punched
    whole: Motion

    def shown(self, holes: Holes) -> Holes:
        return tuple(sorted(moved(self.whole, hole) for hole in holes))

    @cached_property
    def holes(self) -> Holes:
        return self.shown(self.case.key)


def _motions(middle: Spot) -> list[tuple[str, Motion]]:
    """The motions of a square about its middle (doubled); the first leaves it as it is."""
    turns = [(name, turn_about(quarters, middle)) for quarters, name in enumerate(("", "turned-90", "turned-180", "turned-90"))]
    return [*turns, *(("mirrored", mirror_through(way, middle)) for way in WAYS)]


_WHOLE = tuple(_motions(_MIDDLE))


def _moved(rng: Rng, case: Punched, *, mixed: bool) -> Iterator[_Option]:
    """What turning and mirroring the sheet, and misreading holes of the folded paper, make of it.

    Holes are misread by one reflection or half turn of the folded paper, or if `mixed` each by any of its motions. Either
    way what is made of a sheet so could as well be what the sheet was made from.
    """
    middle, right = _folded_middle(case), case.by_hole
    holes = list(right)
    readings = [(name, motion) for name, motion in _motions(middle)[1:] if mixed or after(motion, motion) == STAY]
    known = [("", right)]
    for name, motion in rng.shuffled(readings):
        if found := _misread(case, motion, holes):
            known.append((name, found))
            if not mixed:
                break
    seen: set[tuple[int, ...]] = set()
    for _ in range(_TRIES):
        drawn = (rng.integer(0, len(_WHOLE) - 1), *(rng.integer(0, len(known) - 1) for _ in holes))
        if drawn in seen:
            continue
        seen.add(drawn)
        told, whole = _WHOLE[drawn[0]]
        which = [known[i] for i in drawn[1:]]
        misread = sorted({name for name, _ in which} - {""})
        marks = [mark for hole, (_, read) in zip(holes, which, strict=True) for mark in read[hole]]
        other = Punched(case.folds, marks, unfold(marks)) if misread else case
        if told and _whole(other, whole) == other.key:
            told = ""  # it leaves a sheet of such symmetry as it is
        yield _Option((told, *misread) if told else tuple(misread), other, whole)


def _misread(case: Punched, motion: Motion, holes: Sequence[Spot]) -> dict[Spot, list[Mark]] | None:
    """The marks of each hole if it is read at another place of the folded paper; None if a hole would not fit there."""
    found = {hole: punch(case.last, moved(motion, hole), MARGIN) for hole in holes}
    marks = {hole: there for hole, there in found.items() if there}
    return marks if len(marks) == len(holes) else None


def punched(rng: Rng, stack: Stack, count: int) -> list[Mark] | None:
    """So many holes in the folded paper, clear of the edges of all its layers and of each other; None if there is hardly room."""
    spans = [stack.range(way) for way in ("vertical", "horizontal")]
    marks: list[Mark] = []
    holes: list[Spot] = []
    for _ in range(_PLACES):
        x, y = (2 * rng.integer((low + MARGIN) // 2, (high - MARGIN) // 2) for low, high in spans)
        if any((x - u) ** 2 + (y - v) ** 2 < APART * APART for u, v in holes):
            continue
        if not (found := punch(stack, (x, y), MARGIN)):
            continue
        marks += found
        holes.append((x, y))
        if len(holes) == count:
            return marks
    return None


def _misplaced(rng: Rng, case: Punched) -> Iterator[_Option]:
    """The last resort: all holes read somewhere else on the folded paper."""
    for _ in range(_TRIES):
        marks = punched(rng, case.last, len(case.holes))
        if marks and len(marks) == len(case.marks):
            yield _Option((MISPLACED,), Punched(case.folds, marks, unfold(marks)), STAY)


def _lines(case: Punched) -> list[Wrong]:
    """A sheet with one fold, opened about the other lines through the middle of its crease."""
    others = [mirror_through(way, _crease_middle(case.folds)) for way in WAYS if way != case.folds[0].way]
    return [("wrong-line", _opened(case, 0, other)) for other in others]


def _fits(holes: Holes, others: Sequence[Holes]) -> bool:
    """Whether a sheet may stand beside others: as many holes, clear of each other, and different."""
    return len(holes) == len(others[0]) and legible(holes) and not any(alike(holes, other) for other in others)


def errors(rng: Rng, case: Punched, count: int, family: str) -> list[Wrong]:
    """So many wrong sheets, each with as many holes as the key, none like it or like another. Raises Reject."""
    chosen: list[Wrong] = []
    if family == "lines" and len(case.folds) == 1:
        for name, holes in rng.shuffled(_lines(case)):
            if len(chosen) < count and _fits(holes, [case.key, *(it for _, it in chosen)]):
                chosen.append((name, holes))
        if len(chosen) == count:
            return chosen
    key = _Option((), case, STAY)
    options = _plain(rng, key, count - (family == "odd"))
    if family == "odd" and options:
        shown = [option.holes for option in (key, *options)]
        for parent in rng.shuffled([key, *options]):
            for name, holes in _openings(rng, parent.case):
                if _fits(wrong := parent.shown(holes), shown):
                    return [*(("+".join(it.errors), it.holes) for it in options), ("+".join((*parent.errors, name)), wrong)]
        options = _plain(rng, key, count)
    if not options:
        raise Reject
    return [("+".join(it.errors), it.holes) for it in options]


def _plain(rng: Rng, key: _Option, count: int) -> list[_Option]:
    """Moved options; misplaced ones where motions make too few."""
    for mixed in (False, True):
        if options := _different(_moved(rng, key.case, mixed=mixed), key, count):
            return options
    return _different(_misplaced(rng, key.case), key, count)


def _different(offered: Iterator[_Option], key: _Option, count: int) -> list[_Option]:
    """The first so many options that fit beside the key and each other; none if there are fewer."""
    chosen: list[_Option] = []
    seen = {key.holes}
    for option in offered:
        if option.holes in seen:
            continue
        seen.add(option.holes)
        if _fits(option.holes, [key.holes, *(it.holes for it in chosen)]):
            chosen.append(option)
            if len(chosen) == count:
                return chosen
    return []


def _mirrored(rng: Rng, case: Punched) -> Iterator[Wrong]:
    """The right sheet mirrored; and, as that may change nothing, the holes of the folded paper mirrored before it is opened."""
    for axis in rng.shuffled(_AXES):
        yield "mirror", _whole(case, axis)
    for way in rng.shuffled(list(WAYS)):
        if misread := _misread(case, mirror_through(way, _folded_middle(case)), case.holes):
            yield "mirror", unfold(mark for marks in misread.values() for mark in marks)


def paper_errors(rng: Rng, case: Punched, count: int) -> list[Wrong]:
    """The paper's: a sheet that lacks a hole, a mirrored one, and of four options one that is turned. Raises Reject."""
    gone = rng.integer(0, len(case.key) - 1)
    chosen: list[Wrong] = [("missing-hole", (*case.key[:gone], *case.key[gone + 1 :]))]
    turned = ((name, _whole(case, motion)) for name, motion in rng.shuffled(_WHOLE) if name.startswith("turned"))
    offered = chain(_mirrored(rng, case), turned, ((MISPLACED, it.holes) for it in _misplaced(rng, case)))
    mirrors = 0
    for name, holes in offered:
        if len(chosen) == count:
            break
        if name == "mirror" and mirrors:
            continue
        if _fits(holes, [case.key, *(it for _, it in chosen[1:])]):
            chosen.append((name, holes))
            mirrors += name == "mirror"
    if len(chosen) < count:
        raise Reject
    return chosen
