"""The pages of mental rotation: which bodies stand beside each other, how they are turned, and decks of pages of which none is like another.

The bodies of a page are one, its mirror image, one of which a cube was moved and, on hard pages, the mirror image of that. Which
of them is the original is drawn last, so the options alone say nothing.
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
from isovist.scenes import polycube
from isovist.scenes.polycube import Body, Form
from isovist.scenes.polycube_view import Angles, Picture, clear, cosine, view
from isovist.suites.srbench.polycube_sheet import HUES, Style

OptionKind = Literal["rotation", "mirror", "near-miss", "mirrored-near-miss"]

CUBES = tuple(str(n) for n in range(6, 11))
LEAST_SEEN = 0.18
"""Every cube shows at least this share of its outline."""
MOST_ALIKE = 0.5
"""No two bodies of a page have more than this share of their faces in common."""
NEAR = 0.3  # edges: faces that lie nearer are the same in `alike`
LEAST_FACING = 0.22
"""Every kind of face is seen at a slant of at least this (1 is face to face)."""
LEAST_APART = 0.15
"""In edges of a cube: two places of the lattice never come nearer than this in the picture."""
HARD_TURNS = (0, 60, 90, 120)
BINS = (0.1, -0.15, -0.4)
"""Cosines between the bins of disparity of the hard task: 60-83, 90-94, 104-108, and 120-139 degrees."""
MIRRORS: dict[Style, int] = {"easy": 1, "hard": 2}
KINDS: tuple[OptionKind, ...] = ("rotation", "mirror", "near-miss", "mirrored-near-miss")
_ORIGINAL: Angles = (0, 0, 0)
FORMS: tuple[Form, ...] = ("snake", "branching")
_FEW = 6  # cubes: there are a dozen bodies of each form in a split


@dataclass(frozen=True, slots=True)
class Option:
    """A body and how it is turned: by degrees about the fixed axes x, y, z of `scenes.polycube_view`, one after the other."""

    kind: OptionKind
    cells: Body
    angles: Angles


@lru_cache(maxsize=1)
def hard_pools() -> tuple[tuple[Angles, ...], ...]:
    """The turns of the hard task, by their disparity: all that are clear of 0, 60, 90 and 120 degrees about three axes."""
    pools: tuple[list[Angles], ...] = ([], [], [], [])
    for angles in product(HARD_TURNS, HARD_TURNS, HARD_TURNS):
        if any(angles) and clear(angles, LEAST_FACING, LEAST_APART, max(reach(int(n)) for n in CUBES)):
            pools[sum(cosine(angles) < edge for edge in BINS)].append(angles)
    return tuple(tuple(pool) for pool in pools)


def reach(cubes: int) -> int:
    """How many cubes a body of so many is long at most: few enough to be drawn large."""
    return 4 if cubes <= 8 else 5


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows but for its colour and the order of its options: the key first."""

    shape: Body
    original: Body
    options: tuple[Option, ...]
    hue: int
    """The colour in which it comes first."""

    def marks(self) -> tuple[Hashable, ...]:
        """The object, where there are more than a few; the original with the key; the whole page."""
        pages = (self.original, self.options[0]), (self.original, frozenset(self.options))
        return pages if len(self.shape) == _FEW else (self.shape, *pages)


@dataclass(frozen=True, slots=True)
class PageKind:
    """The pages of which a deck is made."""

    style: Style
    split: Split
    cubes: int
    form: Form
    turn: int
    of_paper: bool

    def draw(self, rng: Rng) -> Page | None:
        grown = polycube.grown(rng, self.cubes, self.form)
        shape = polycube.unmistakable(grown) if grown and polycube.sides(grown)[-1] <= reach(self.cubes) else None
        if grown is None or shape is None or split_of_layout(shape) != self.split:
            return None
        near_misses = _near_misses(rng.at("near-miss"), grown, shape, self.split, alike=not self.of_paper)
        for pose in rng.shuffled(range(len(polycube.TURNS))):
            body = polycube.turned(grown, pose)
            near = (polycube.turned(cells, pose) for cells in near_misses)
            if page := (self._of_paper if self.of_paper else self._any_of_them)(rng, body, near):
                original, options = page
                return Page(polycube.unmistakable(original) or shape, original, options, rng.integer(0, len(HUES) - 1))
        return None

    def _any_of_them(self, rng: Rng, body: Body, near_misses: Iterable[Body]) -> tuple[Body, tuple[Option, ...]] | None:
        """One of the bodies of a page as the original, and all of them turned, itself first."""
        pool, mirrors = self._turns()
        turned = _Turned(rng, pool, self.cubes == _FEW)
        if not all(turned.add(cells) for cells in (body, polycube.mirrored(body, rng.pick(mirrors)))):
            return None
        for near in near_misses:
            whole = turned.copy()
            if all(whole.add(cells) for cells in (near, polycube.mirrored(near, rng.pick(mirrors)))[: MIRRORS[self.style]]):
                wanted = rng.integer(0, len(whole.bodies) - 1)
                likely = [i for i in range(len(whole.bodies)) if (whole.may_be_first(i) if whole.few else whole.rank(i) == wanted)]
                if not likely:
                    continue
                original = rng.pick(likely)
                # the first bit of a body's number tells it from its mirror image, the second one from its near-miss
                kinds: list[OptionKind] = [KINDS[original ^ i] for i in range(len(whole.bodies))]
                options = [Option(kind, cubes, angles) for kind, cubes, angles in zip(kinds, whole.bodies, whole.angles, strict=True)]
                return whole.bodies[original], (options.pop(original), *options)
        return None

    def _of_paper(self, rng: Rng, original: Body, near_misses: Iterable[Body]) -> tuple[Body, tuple[Option, ...]] | None:
        """An original, and the options of the paper: it, its mirror images and another body, all turned."""
        pool, mirrors = self._turns()
        if not view(_ORIGINAL).shows(original, LEAST_SEEN):
            return None
        images = [polycube.mirrored(original, axis) for axis in rng.shuffled(mirrors)]
        mirrors_of: list[tuple[OptionKind, Iterable[Body]]] = [("mirror", images) for _ in range(MIRRORS[self.style])]
        options = _options(rng, [("rotation", [original]), *mirrors_of, ("near-miss", near_misses)], original, pool)
        return (original, tuple(options)) if options else None

    def _turns(self) -> tuple[tuple[Angles, ...], tuple[int, ...]]:
        """The turns of the options, and the axes across which they may be mirrored."""
        if self.style == "hard":
            return hard_pools()[self.turn], (0, 1, 2)
        axis, half = divmod(self.turn, 2)
        about = [_about(axis, angle) for angle in ((180,) if half else (90, 270))]
        # a mirror along the axis of the turn keeps what lies at which height, as the turn does
        return tuple(about), tuple(other for other in range(3) if other != axis)


def _about(axis: int, angle: int) -> Angles:
    x, y, z = (angle if i == axis else 0 for i in range(3))
    return x, y, z


def _near_misses(rng: Rng, grown: Body, shape: Body, split: Split, *, alike: bool) -> list[Body]:
    """Bodies of the same split one cube away from another that neither it nor its mirror image can be turned into.

    Those that are `alike` have arms and a box of the same lengths. There are too few bodies of six cubes for that: of them such ones come
    first.
    """
    arms, sides = polycube.arms(grown), polycube.sides(grown)
    offered = [
        near
        for near in polycube.neighbours(rng, grown)
        if polycube.sides(near)[-1] <= reach(len(near))
        and (other := polycube.unmistakable(near)) not in (None, shape)
        and split_of_layout(other) == split
    ]
    same = [near for near in offered if polycube.arms(near) == arms and polycube.sides(near) == sides] if alike else offered
    return [*same, *(near for near in offered if near not in same)] if len(grown) == _FEW else same


@dataclass
class _Turned:
    """Bodies, any of which could be the original, and a turn of each: all cubes are seen, before and after, and no turned body looks like
    another turned one, nor like any of them before its turn.
    """

    rng: Rng
    pool: Sequence[Angles]
    few: bool
    """Whether it is enough that one of the bodies can be the original."""
    bodies: list[Body] = field(default_factory=list[Body])
    angles: list[Angles] = field(default_factory=list[Angles])
    before: list[Picture] = field(default_factory=list[Picture])
    after: list[Picture] = field(default_factory=list[Picture])

    def copy(self) -> _Turned:
        return _Turned(self.rng, self.pool, self.few, [*self.bodies], [*self.angles], [*self.before], [*self.after])

    def rank(self, original: int) -> int:
        """How many of the turned bodies look more like one before its turn, by their outlines, than itself does after it."""
        like = [self.before[original].outline_shared(picture) for picture in self.after]
        return sum(share > like[original] for share in like)

    def may_be_first(self, original: int) -> bool:
        """Whether a body shows all its cubes before its turn, and no turned body looks like it."""
        return self._unlike_all(self.before[original])

    def _unlike_all(self, start: Picture) -> bool:
        return start.view.shows(start.body, LEAST_SEEN) and all(start.alike(other, NEAR) <= MOST_ALIKE for other in self.after)

    def add(self, cells: Body) -> bool:
        """Adds a body, if there is a turn for it."""
        start = Picture(view(_ORIGINAL), cells)
        if not self.few and not self._unlike_all(start):
            return False
        others = [*self.after] if self.few else [start, *self.before, *self.after]
        for angles in self.rng.shuffled(self.pool):
            if view(angles).shows(cells, LEAST_SEEN):
                end = Picture(view(angles), cells)
                if all(end.alike(other, NEAR) <= MOST_ALIKE for other in others):
                    self.bodies.append(cells)
                    self.angles.append(angles)
                    self.before.append(start)
                    self.after.append(end)
                    return True
        return False


def _options(rng: Rng, bodies: Sequence[tuple[OptionKind, Iterable[Body]]], original: Body, pool: Sequence[Angles]) -> list[Option] | None:
    """One option of each kind, in that order, all cubes seen and all pictures different; None if there are none."""
    pictures = [Picture(view(_ORIGINAL), original)]
    chosen: list[Option] = []
    for kind, cells_of in bodies:
        for cells, angles in ((cells, angles) for cells in cells_of for angles in rng.shuffled(pool)):
            if not view(angles).shows(cells, LEAST_SEEN):
                continue
            picture = Picture(view(angles), cells)
            if all(picture.alike(other, NEAR) <= MOST_ALIKE for other in pictures):
                pictures.append(picture)
                chosen.append(Option(kind, cells, angles))
                break
        else:
            return None
    return chosen


@lru_cache(maxsize=512)
def deck(key: bytes, kind: PageKind) -> Deck[Page]:
    return Deck(Rng.of(key), kind.draw, Page.marks)
