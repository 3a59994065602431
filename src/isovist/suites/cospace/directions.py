"""The eight directions around the camera position, the sets of four that are offered, and the errors between them.

A direction is an index 0 to 7 in steps of 45 degrees, clockwise seen from above. Direction 0 is the heading of the first image: north as a
compass direction, front relative to a body.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from isovist.core.rng import Rng
from isovist.world.scenes.compass import COMPASS_DIRECTIONS
from isovist.world.scenes.distractor_types import (
    ERROR_45_DEG,
    ERROR_90_DEG,
    FRONT_BACK,
    LEFT_RIGHT,
    OPPOSITE,
    OTHER,
    REAR_VIEW_CONFUSION,
    angular_error_types,
)
from isovist.world.scenes.distractor_types import join_types as joined

STEP = 45.0
MIDDLE_MARGIN, SIDE_MARGIN = 10.0, 3.0
"""Least angles in degrees from the edges of a direction to the centre and to the sides of an object."""
WIDEST = STEP - 2 * SIDE_MARGIN - 3
"""Degrees: a wider object does not fit into one direction."""
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
"""Two cardinal and two diagonal directions, each with its mirror image."""


def offered(rng: Rng, truth: int, *, paper: bool = False) -> tuple[int, ...]:
    """The four offered directions in ascending order, including `truth`.

    Two are cardinal and two diagonal, and each diagonal direction is next to a cardinal one. In the paper's design, all four are cardinal
    or all four diagonal in half of the items. Each of the four is the truth equally often, so the set does not show the key. The mirror
    image of each direction is also in the set.
    """
    if paper and rng.chance(0.5):
        return CARDINAL if truth in CARDINAL else DIAGONAL
    return tuple(sorted(rng.pick([four for four in _MIXED if truth in four])))


def shown_by(truth: int, four: Sequence[int]) -> int:
    """The index of the image that shows an object in the direction `truth` if `four` are offered.

    An object in a cardinal direction is visible in the image with this heading. An object in a diagonal direction is visible in the image
    of the neighbouring offered cardinal direction. The image therefore does not distinguish cardinal from diagonal directions.
    """
    (straight,) = (other for other in four if other % 2 == 0 and (other - truth) % 8 in (0, 1, 7))
    return straight // 2


def listed(rng: Rng, four: Sequence[int], truth: int, letter: int) -> tuple[int, ...]:
    """The offered directions in random order with `truth` at the index `letter`."""
    options = rng.shuffled(four)
    index = options.index(truth)
    options[letter], options[index] = options[index], options[letter]
    return tuple(options)


def errors(truth: int, chosen: int) -> str:
    """All distractor types of `chosen` relative to `truth`, the most specific first; "" if they are equal."""
    if chosen == truth:
        return ""
    flip = (LEFT_RIGHT,) if chosen == left_right(truth) else (FRONT_BACK,) if chosen == front_back(truth) else ()
    return joined((error(truth, chosen), *flip, *angular_error_types(truth, chosen)))


def error(truth: int, chosen: int) -> str:
    """The most specific distractor type of `chosen` relative to `truth`; "" if they are equal.

    An object at the back right appears on the left side of the rear view. Using the sides of this image as the sides of the viewer
    exchanges left and right.
    """
    if chosen == truth:
        return ""
    if chosen == left_right(truth):
        return REAR_VIEW_CONFUSION if truth in (3, 5) else LEFT_RIGHT
    if chosen == front_back(truth):
        return FRONT_BACK
    return {1: ERROR_45_DEG, 2: ERROR_90_DEG, 3: OTHER, 4: OPPOSITE}[min((chosen - truth) % 8, (truth - chosen) % 8)]


def moved(name: Callable[[int], str], move: Callable[[int], int]) -> Callable[[str], str]:
    """The function from direction names to the names after a metamorphic relation `move`."""
    return {name(direction): name(move(direction)) for direction in range(8)}.__getitem__


def compass_name(direction: int) -> str:
    """The compass name of a direction."""
    return COMPASS_DIRECTIONS[direction]


def side(direction: int) -> str:
    """The name of a direction relative to a body."""
    return SIDES[direction]
