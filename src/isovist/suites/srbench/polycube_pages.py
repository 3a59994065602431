"""Sampling of the pages of mental rotation: the bodies of a page, their rotations, and decks of different pages.

The bodies of a page are a body, its mirror image, a near-miss with one cube moved and, on hard pages, the mirror image of the near-miss.
The original is selected last, so the options alone give no information about the key.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Literal

from isovist.core.rng import Rng
from isovist.core.sampling_without_replacement import Deck
from isovist.core.task import Split, split_of_layout
from isovist.suites.srbench.polycube_sheet import HUES, Style
from isovist.world.scenes import polycube
from isovist.world.scenes.polycube import Body, Form
from isovist.world.scenes.polycube_view import Angles, Picture, clear, cosine, picture, shows

OptionKind = Literal["rotation", "mirror", "near-miss", "mirrored-near-miss"]

CUBES = tuple(str(n) for n in range(7, 11))
"""Not six cubes: a split has only 5 to 15 bodies of a form, and most have no near-miss with the same arms and box."""
LEAST_SEEN = 0.18
"""Minimum visible share of the outline of every cube."""
MOST_ALIKE = 0.5
"""Maximum share of faces that two bodies of a page have in common."""
NEAR = 0.3  # cube edges: faces at a smaller distance are the same in `alike`
LEAST_FACING = 0.22
"""Minimum cosine of the angle between each face normal and the viewing direction."""
LEAST_APART = 0.15
"""Minimum distance in the image between two lattice positions, in cube edges."""
HARD_TURNS = (0, 60, 90, 120)
BINS = (0.1, -0.15, -0.4)
"""Cosines that separate the disparity bins of the hard task: 60-83, 90-94, 104-108, and 120-139 degrees."""
MIRRORS: dict[Style, int] = {"easy": 1, "hard": 2}
KINDS: tuple[OptionKind, ...] = ("rotation", "mirror", "near-miss", "mirrored-near-miss")
_ORIGINAL: Angles = (0, 0, 0)
FORMS: tuple[Form, ...] = ("snake", "branching")


@dataclass(frozen=True, slots=True)
class Option:
    """A body and its rotation: degrees about the fixed axes x, y, z of `scenes.polycube_view`, in this order."""

    kind: OptionKind
    cells: Body
    angles: Angles


@lru_cache(maxsize=1)
def hard_pools() -> tuple[tuple[Angles, ...], ...]:
    """Return the rotations of the hard task by disparity bin: those by 0, 60, 90 and 120 degrees about three axes that are `clear`."""
    pools: tuple[list[Angles], ...] = ([], [], [], [])
    for angles in product(HARD_TURNS, HARD_TURNS, HARD_TURNS):
        if any(angles) and clear(angles, LEAST_FACING, LEAST_APART, max(reach(int(n)) for n in CUBES)):
            pools[sum(cosine(angles) < edge for edge in BINS)].append(angles)
    return tuple(tuple(pool) for pool in pools)


def reach(cubes: int) -> int:
    """Return the maximum length, in cubes, of a body of this many cubes."""
    return 4 if cubes <= 8 else 5


@dataclass(frozen=True, slots=True)
class Page:
    """The content of a page without its colour and the order of its options; the key is the first option."""

    shape: Body
    original: Body
    options: tuple[Option, ...]
    hue: int
    """The index of the colour of its first occurrence."""

    def marks(self) -> tuple[Hashable, ...]:
        """Return what must not repeat in a deck: the object, the original with the key, the whole page."""
        return self.shape, (self.original, self.options[0]), (self.original, frozenset(self.options))


@dataclass(frozen=True, slots=True)
class PageKind:
    """Specification of the pages of a deck."""

    style: Style
    split: Split
    cubes: int
    form: Form
    turn: int
    of_paper: bool
    rank: int | None
    """How many options have an outline more similar to the original than the key has; None if each page draws it."""

    def draw(self, rng: Rng) -> Page | None:
        grown = polycube.grown(rng, self.cubes, self.form)
        shape = polycube.unmistakable(grown) if grown and polycube.sides(grown)[-1] <= reach(self.cubes) else None
        if grown is None or shape is None or split_of_layout(shape) != self.split:
            return None
        near_misses = _near_misses(rng.at("near-miss"), grown, shape, self.split, alike=not self.of_paper)
        if not near_misses:
            return None
        for pose in rng.shuffled(range(len(polycube.TURNS))):
            body = polycube.turned(grown, pose)
            near = (polycube.turned(cells, pose) for cells in near_misses)
            if page := (self._of_paper if self.of_paper else self._any_of_them)(rng, body, near):
                original, options = page
                return Page(polycube.unmistakable(original) or shape, original, options, rng.integer(0, len(HUES) - 1))
        return None

    def _any_of_them(self, rng: Rng, body: Body, near_misses: Iterable[Body]) -> tuple[Body, tuple[Option, ...]] | None:
        """Return one of the bodies as the original, and all of them rotated, the key first."""
        pool, mirrors = self._turns()
        turned = _RotatedBodies(rng, pool)
        if not all(turned.add(cells) for cells in (body, polycube.mirrored(body, rng.pick(mirrors)))):
            return None
        for near in near_misses:
            whole = turned.copy()
            if all(whole.add(cells) for cells in (near, polycube.mirrored(near, rng.pick(mirrors)))[: MIRRORS[self.style]]):
                wanted = rng.integer(0, len(whole.bodies) - 1) if self.rank is None else self.rank
                likely = [i for i in range(len(whole.bodies)) if whole.rank(i) == wanted]
                if not likely:
                    continue
                original = rng.pick(likely)
                # bit 0 of an index separates a body from its mirror image, bit 1 from its near-miss
                kinds: list[OptionKind] = [KINDS[original ^ i] for i in range(len(whole.bodies))]
                options = [Option(kind, cubes, angles) for kind, cubes, angles in zip(kinds, whole.bodies, whole.angles, strict=True)]
                return whole.bodies[original], (options.pop(original), *options)
        return None

    def _of_paper(self, rng: Rng, original: Body, near_misses: Iterable[Body]) -> tuple[Body, tuple[Option, ...]] | None:
        """Return an original and the options of the paper: the original, its mirror images and another body, all rotated."""
        pool, mirrors = self._turns()
        if not shows(_ORIGINAL, original, LEAST_SEEN):
            return None
        images = [polycube.mirrored(original, axis) for axis in rng.shuffled(mirrors)]
        mirrors_of: list[tuple[OptionKind, Iterable[Body]]] = [("mirror", images) for _ in range(MIRRORS[self.style])]
        options = _options(rng, [("rotation", [original]), *mirrors_of, ("near-miss", near_misses)], original, pool)
        return (original, tuple(options)) if options else None

    def _turns(self) -> tuple[tuple[Angles, ...], tuple[int, ...]]:
        """Return the rotations of the options, and the axes across which they may be mirrored."""
        if self.style == "hard":
            return hard_pools()[self.turn], (0, 1, 2)
        axis, half = divmod(self.turn, 2)
        about = [_about(axis, angle) for angle in ((180,) if half else (90, 270))]
        # a mirror image across the rotation axis would change heights, which the rotation does not
        return tuple(about), tuple(other for other in range(3) if other != axis)


def _about(axis: int, angle: int) -> Angles:
    x, y, z = (angle if i == axis else 0 for i in range(3))
    return x, y, z


def _near_misses(rng: Rng, grown: Body, shape: Body, split: Split, *, alike: bool) -> list[Body]:
    """Return bodies of the same split that differ from a body and its mirror image by the position of one cube.

    If `alike`, their arm lengths and box sides are equal to those of the body.
    """
    arms, sides = polycube.arms(grown), polycube.sides(grown)

    def suits(near: Body) -> bool:
        near_sides = polycube.sides(near)
        if alike and (near_sides != sides or polycube.arms(near) != arms):
            return False
        other = polycube.unmistakable(near) if near_sides[-1] <= reach(len(near)) else None
        return other not in (None, shape) and split_of_layout(other) == split

    return [near for near in polycube.neighbours(rng, grown) if suits(near)]


@dataclass
class _RotatedBodies:
    """Bodies, any of which could be the original, with a rotation of each: all cubes are visible before and after it, and no rotated body
    is similar to another rotated body or to any body before its rotation.
    """

    rng: Rng
    pool: Sequence[Angles]
    bodies: list[Body] = field(default_factory=list[Body])
    angles: list[Angles] = field(default_factory=list[Angles])
    before: list[Picture] = field(default_factory=list[Picture])
    after: list[Picture] = field(default_factory=list[Picture])

    def copy(self) -> _RotatedBodies:
        return _RotatedBodies(self.rng, self.pool, [*self.bodies], [*self.angles], [*self.before], [*self.after])

    def rank(self, original: int) -> int:
        """Return how many rotated bodies have an outline more similar to the original than the key has."""
        like = [self.before[original].outline_shared(picture) for picture in self.after]
        return sum(share > like[original] for share in like)

    def add(self, cells: Body) -> bool:
        """Add a body if there is a valid rotation for it; return whether there is."""
        start = picture(_ORIGINAL, cells)
        if not shows(_ORIGINAL, start.body, LEAST_SEEN) or any(start.alike(other, NEAR) > MOST_ALIKE for other in self.after):
            return False
        others = [start, *self.before, *self.after]
        for angles in self.rng.shuffled(self.pool):
            if shows(angles, cells, LEAST_SEEN):
                end = picture(angles, cells)
                if all(end.alike(other, NEAR) <= MOST_ALIKE for other in others):
                    self.bodies.append(cells)
                    self.angles.append(angles)
                    self.before.append(start)
                    self.after.append(end)
                    return True
        return False


def _options(rng: Rng, bodies: Sequence[tuple[OptionKind, Iterable[Body]]], original: Body, pool: Sequence[Angles]) -> list[Option] | None:
    """Return one option of each type, with all cubes visible and all images different; None if there are none."""
    pictures = [picture(_ORIGINAL, original)]
    chosen: list[Option] = []
    for kind, cells_of in bodies:
        for cells, angles in ((cells, angles) for cells in cells_of for angles in rng.shuffled(pool)):
            if not shows(angles, cells, LEAST_SEEN):
                continue
            shown = picture(angles, cells)
            if all(shown.alike(other, NEAR) <= MOST_ALIKE for other in pictures):
                pictures.append(shown)
                chosen.append(Option(kind, cells, angles))
                break
        else:
            return None
    return chosen


@lru_cache(maxsize=512)
def deck(key: bytes, kind: PageKind) -> Deck[Page]:
    return Deck(Rng.of(key), kind.draw, Page.marks)
