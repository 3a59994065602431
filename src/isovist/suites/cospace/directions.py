"""The eight directions around a standpoint, the sets of four in which they are offered, and which error leads to which.

A direction is an index 0 to 7 in steps of 45 degrees clockwise seen from above, 0 where the first picture looks. As a wind 0 is
north; in the frame of a body 0 is the front and 2 the right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from isovist.core.rng import Rng
from isovist.scenes.compass import COMPASS_DIRECTIONS
from isovist.scenes.distractor_types import (
    ERROR_45_DEG,
    ERROR_90_DEG,
    FRONT_BACK,
    LEFT_RIGHT,
    OPPOSITE,
    OTHER,
    REAR_VIEW_CONFUSION,
    angular_error_types,
)
from isovist.scenes.distractor_types import join_types as joined

STEP = 45.0
MIDDLE_MARGIN, SIDE_MARGIN = 10.0, 3.0
"""Degrees that the middle of a thing, and each of its sides, keep from the edges of the directions asked about."""
WIDEST = STEP - 2 * SIDE_MARGIN - 3
"""Degrees: what is wider cannot be said to lie in one direction."""
SIDES = ("Front", "Front right", "Right", "Back right", "Back", "Back left", "Left", "Front left")

CARDINAL = (0, 2, 4, 6)
DIAGONAL = (1, 3, 5, 7)


def left_right(direction: int) -> int:
    """The direction with left and right exchanged."""
    return -direction % 8


def front_back(direction: int) -> int:
    """The direction with front and back exchanged."""
    return (4 - direction) % 8


_PAIRS = tuple((a, b) for a in range(8) for b in (left_right(a), front_back(a)) if a < b)
_MIXED = tuple((*a, *b) for a, b in product(_PAIRS, _PAIRS) if a[0] % 2 == 0 and b[0] % 2 == 1)
"""Two directions straight and two aslant, each beside the one that a flip makes of it."""


def offered(rng: Rng, truth: int, *, paper: bool = False) -> tuple[int, ...]:
    """The four directions that are offered beside each other, in the order 0 to 7, `truth` among them.

    Two straight and two aslant, each of which is next to one of the straight ones; for the paper's design in half of the items all
    straight or all aslant. Each of the four is the truth equally often, so that the set tells nothing; and each has among the
    others the direction that a flip makes of it.
    """
    if paper and rng.chance(0.5):
        return CARDINAL if truth in CARDINAL else DIAGONAL
    return tuple(sorted(rng.pick([four for four in _MIXED if truth in four])))


def shown_by(truth: int, four: Sequence[int]) -> int:
    """The picture, from 0, that shows what lies in the direction `truth` if `four` are offered.

    That of a straight direction shows what lies there, that of the straight one beside a slanting direction what lies aslant. So each
    of two pictures goes with as many of the four, and which one shows a thing does not tell straight from aslant.
    """
    (straight,) = (other for other in four if other % 2 == 0 and (other - truth) % 8 in (0, 1, 7))
    return straight // 2


def listed(rng: Rng, four: Sequence[int], truth: int, letter: int) -> tuple[int, ...]:
    """The directions that are offered as options, in any order, and the truth in the place `letter`, from 0."""
    shown = rng.shuffled(four)
    at = shown.index(truth)
    shown[letter], shown[at] = shown[at], shown[letter]
    return tuple(shown)


def errors(truth: int, chosen: int) -> str:
    """All errors by which `chosen` can be taken for `truth`, the most specific first; "" if it is the same."""
    if chosen == truth:
        return ""
    flip = (LEFT_RIGHT,) if chosen == left_right(truth) else (FRONT_BACK,) if chosen == front_back(truth) else ()
    return joined((error(truth, chosen), *flip, *angular_error_types(truth, chosen)))


def error(truth: int, chosen: int) -> str:
    """The most specific error by which `chosen` is taken for `truth`; "" if it is the same.

    What stands aslant behind is seen at the left of the picture to the back if it is at the right: who takes the sides of that
    picture for the sides of the world exchanges left and right.
    """
    if chosen == truth:
        return ""
    if chosen == left_right(truth):
        return REAR_VIEW_CONFUSION if truth in (3, 5) else LEFT_RIGHT
    if chosen == front_back(truth):
        return FRONT_BACK
    return {1: ERROR_45_DEG, 2: ERROR_90_DEG, 3: OTHER, 4: OPPOSITE}[min((chosen - truth) % 8, (truth - chosen) % 8)]


def moved(name: Callable[[int], str], move: Callable[[int], int]) -> Callable[[str], str]:
    """What a symmetry that moves directions does to their names."""
    return {name(direction): name(move(direction)) for direction in range(8)}.__getitem__


def wind(direction: int) -> str:
    return COMPASS_DIRECTIONS[direction]


def side(direction: int) -> str:
    return SIDES[direction]
