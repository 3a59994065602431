"""What wrong options stand for: the words for it, in one place, and how they follow from directions and angles.

One option may stand for several errors at once: where a thing lies to the right, left is the left-right flip and the opposite
direction. `join_types` joins such readings to the one text of `Task.distractor_types`, the most specific first, and `split_types` takes them apart again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from isovist.core.option_angles import OptionAngles
from isovist.core.rotation import wrapped
from isovist.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS

LEFT_RIGHT, UP_DOWN, FRONT_BACK = "left-right flip", "up-down flip", "front-back flip"
EAST_WEST, NORTH_SOUTH = "east-west flip", "north-south flip"
IMAGE_FRAME = "picture frame for world frame"
"""North is taken to be up in the picture, although the map is turned."""
WRONG_WAY = "map turned the wrong way"
HEADING_AS_IMAGE_TOP = "wind of the heading taken for that of the picture's top"
HEADING_FOR_NORTH = "heading taken for north"
PICTURE_SIDE = "picture side taken for world side"
OTHER_FRAME = "the other frame of reference"
MIRROR = "mirror"
OPPOSITE_ROTATION = "turned the other way"
CANNOT_TELL, TELLS = "cannot be told, it says", "told, though it cannot be"
OPPOSITE, QUARTER, NEIGHBOUR, OTHER = "opposite direction", "quarter turn", "neighbouring direction", "other direction"
CLOCKWISE, COUNTERCLOCKWISE = "clockwise", "counterclockwise"

SIDES = ("front", "front right", "right", "back right", "back", "back left", "left", "front left")
"""Directions of a body, clockwise seen from above."""
_JOINT = "; "


def join_types(names: Iterable[str]) -> str:
    """Some readings of one option as one text, each once."""
    return _JOINT.join(dict.fromkeys(names))


def split_types(error: str) -> tuple[str, ...]:
    """The readings of an option, the most specific first; none for the key."""
    return tuple(error.split(_JOINT)) if error else ()


def first(error: str) -> str:
    """The most specific reading."""
    return error.partition(_JOINT)[0]


# Directions, as indices 0 to 7 in steps of 45 degrees clockwise -----------------------------------------------------


def by_angle(truth: int, answer: int) -> tuple[str, ...]:
    """How far one of eight directions is off another, and to which side."""
    return _off(wrapped(45.0 * (answer - truth)))


def _off(degrees: float) -> tuple[str, ...]:
    """For errors above -180 up to 180 degrees, positive clockwise."""
    name = {45.0: NEIGHBOUR, 90.0: QUARTER, 180.0: OPPOSITE}.get(abs(degrees), OTHER)
    return (name,) if name in (OPPOSITE, OTHER) else (f"{name} {CLOCKWISE if degrees > 0 else COUNTERCLOCKWISE}", name)


def in_picture(truth: int) -> dict[str, int]:
    """What flips make of a direction in the picture, 0 being up."""
    return {LEFT_RIGHT: -truth % 8, UP_DOWN: (4 - truth) % 8}


def on_compass(truth: int, top: int) -> dict[str, int]:
    """What becomes of a wind if the picture's upper side is the wind `top`, by the error that is made."""
    place = truth - top  # the direction in the picture
    return {
        IMAGE_FRAME: place % 8,
        WRONG_WAY: (place - top) % 8,
        LEFT_RIGHT: (top - place) % 8,
        UP_DOWN: (top + 4 - place) % 8,
        EAST_WEST: -truth % 8,
        NORTH_SOUTH: (4 - truth) % 8,
    }


def of_directions(truth: int, shown: Sequence[int], wrong: Mapping[str, int]) -> list[str]:
    """What each direction shown stands for; "" for the truth. `wrong`: where some errors lead, the most specific first."""
    return [
        "" if direction == truth else join_types((*(name for name, to in wrong.items() if to == direction), *by_angle(truth, direction)))
        for direction in shown
    ]


# Where nothing but the options is known ----------------------------------------------------------------------------


def of_words(options: Sequence[str], truth: int) -> list[str]:
    """What options stand for that are directions in plain words; empty where they are none."""
    words = _plain(options)
    for names in (IMAGE_DIRECTIONS, COMPASS_DIRECTIONS, SIDES):
        known = [name.casefold() for name in names]
        if all(word in known for word in words):
            shown = [known.index(word) for word in words]
            key = shown[truth]
            flips = (-key % 8, (4 - key) % 8)
            kinds = {
                IMAGE_DIRECTIONS: (LEFT_RIGHT, UP_DOWN),
                COMPASS_DIRECTIONS: (EAST_WEST, NORTH_SOUTH),
                SIDES: (LEFT_RIGHT, FRONT_BACK),
            }[names]
            errors = of_directions(key, shown, dict(zip(kinds, flips, strict=True)))
            # a front that is turned to the right of the picture has turned counterclockwise, what stands to the right lies clockwise
            return (
                [join_types(name for name in split_types(error) if CLOCKWISE not in name) for error in errors] if names is SIDES else errors
            )
    return []


def _plain(options: Sequence[str]) -> list[str]:
    """As `scenes.compass` writes them, in small letters."""
    return [option.strip().casefold().replace("_", " ").replace("-", " ") for option in options]


def dial_of_words(options: Sequence[str]) -> OptionAngles | None:
    """The angles of options that are directions of a picture or winds in plain words, clockwise; None where they are none."""
    words = _plain(options)
    for names, seen in ((IMAGE_DIRECTIONS, "in the picture"), (COMPASS_DIRECTIONS, "on the compass")):
        known = [name.casefold() for name in names]
        if all(word in known for word in words):
            return OptionAngles(tuple(wrapped(45.0 * known.index(word)) for word in words), f"{CLOCKWISE} {seen}")
    return None


def of_dials(dials: Mapping[str, OptionAngles], key: int) -> list[str]:
    """What options stand for that are angles; empty where none goes round. An option of several angles stands for what is wrong with the
    only one that is off.
    """
    if not dials or not all(dial.is_circular for dial in dials.values()):
        return []
    return ["" if chosen == key else _of_dials(dials, chosen, key) for chosen in range(len(next(iter(dials.values())).angles_deg))]


def _of_dials(dials: Mapping[str, OptionAngles], chosen: int, key: int) -> str:
    off = {name: error for name, dial in dials.items() if (error := dial.error(chosen, key)) is not None}
    wrong = [(name, error) for name, error in off.items() if error]
    if len(off) < len(dials) or len(wrong) != 1:
        return OTHER
    ((name, error),) = wrong
    return join_types((*_mirrored(name, dials[name], chosen, key), *_off(error)))


def _mirrored(name: str, dial: OptionAngles, chosen: int, key: int) -> list[str]:
    """Flips of one angle: of a front left for right and front for back, of a turn which way it goes, of a wind east for west."""
    a, b = dial.angles_deg[chosen], dial.angles_deg[key]
    compass = "compass" in dial.positive_direction
    across = None if a is None or b is None else wrapped(a + b)
    if "turn" in name:
        return [OPPOSITE_ROTATION] if across == 0 else []
    if across == 0:
        return [EAST_WEST if compass else LEFT_RIGHT]
    return [NORTH_SOUTH if compass else UP_DOWN if "picture" in dial.positive_direction else FRONT_BACK] if across == 180 else []
