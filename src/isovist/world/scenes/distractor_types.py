"""Distractor types: the error that each wrong option of a choice stands for.

One option can have several types: if the key is right, the option left is both the left-right mirrored and the opposite direction.
`join_types` joins the types of an option to one string of `Task.reported.distractor_types`, the most specific first. `split_types` separates them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from isovist.core.option_angles import OptionAngles
from isovist.core.rotation import wrapped
from isovist.world.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS

LEFT_RIGHT, UP_DOWN, FRONT_BACK = "left-right mirrored", "up-down mirrored", "front-back reversed"
EAST_WEST, NORTH_SOUTH = "east-west mirrored", "north-south mirrored"
NORTH_UP_ASSUMPTION = "north-up assumption"
"""The answer for a map with north at the top, although the map is rotated."""
REVERSED_MAP_ROTATION = "reversed map rotation"
HEADING_AS_IMAGE_TOP = "heading as image top"
"""The stated compass direction of a heading is used as that of the image top."""
HEADING_AS_NORTH = "heading as north"
"""The heading is used as north, whatever its stated compass direction."""
REAR_VIEW_CONFUSION = "rear-view confusion"
"""Left and right of a rear view are used as left and right of the environment."""
OTHER_REFERENCE_FRAME = "other reference frame"
VIEWERS_SIDE = "viewer's own side"
"""Correct for the position of the camera instead of the one that the question is about."""
SCENE_MOTION = "movement of the scene"
"""The movement of the image is taken for that of the camera."""
SAME_ORDER = "same order from the left"
"""Correct if both images had the same order from left to right."""
TOO_FEW, TOO_MANY = "too few", "too many"
FRONT_ALONE, RIGHT_ALONE, NEITHER_VIEW = "view from the front alone", "view from the right alone", "neither view"
"""Correct for one of two views, or for none."""
OTHER_SIDE = "view of another side"
HANDEDNESS, TURNED_MARK = "handedness", "turned mark"
"""Two marks of a cube exchanged, which changes the order around a corner; a mark turned by a quarter."""
MIRROR = "mirror"
OPPOSITE_ROTATION = "opposite rotation"
ANSWERED_INDETERMINABLE, MISSED_INDETERMINABLE = "answered indeterminable", "missed indeterminable"
OPPOSITE, OTHER = "opposite direction", "other direction"
ERROR_90_DEG, ERROR_45_DEG = "90° error", "45° error"
CLOCKWISE, COUNTERCLOCKWISE = "clockwise", "counterclockwise"

SIDES = ("front", "front right", "right", "back right", "back", "back left", "left", "front left")
"""Directions relative to an object, clockwise seen from above."""
_SEPARATOR = "; "


def join_types(names: Iterable[str]) -> str:
    """Join the types of one option to one string, without duplicates."""
    return _SEPARATOR.join(dict.fromkeys(names))


def split_types(types: str) -> tuple[str, ...]:
    """Return the types of an option, the most specific first; empty for the key."""
    return tuple(types.split(_SEPARATOR)) if types else ()


def most_specific_type(types: str) -> str:
    """Return the most specific type of an option; empty for the key."""
    return types.partition(_SEPARATOR)[0]


# Directions: indices 0 to 7 in steps of 45 degrees clockwise --------------------------------------------------------


@lru_cache(maxsize=64)
def angular_error_types(key: int, answer: int) -> tuple[str, ...]:
    """Return the types of a direction by its signed angle from the key."""
    return _types_of_angle(wrapped(45.0 * (answer - key)))


def _types_of_angle(error_deg: float) -> tuple[str, ...]:
    """Return the types of a signed error, above -180 up to 180 degrees, positive clockwise."""
    name = {45.0: ERROR_45_DEG, 90.0: ERROR_90_DEG, 180.0: OPPOSITE}.get(abs(error_deg), OTHER)
    return (name,) if name in (OPPOSITE, OTHER) else (f"{name} {CLOCKWISE if error_deg > 0 else COUNTERCLOCKWISE}", name)


def mirrored_directions(key: int) -> dict[str, int]:
    """Return the mirrored image directions of `key`; 0 is up."""
    return {LEFT_RIGHT: -key % 8, UP_DOWN: (4 - key) % 8}


def compass_errors(key: int, top: int) -> dict[str, int]:
    """Return the compass direction to which each error leads; `top` is the compass direction of the image top."""
    image_direction = key - top
    return {
        NORTH_UP_ASSUMPTION: image_direction % 8,
        REVERSED_MAP_ROTATION: (image_direction - top) % 8,
        LEFT_RIGHT: (top - image_direction) % 8,
        UP_DOWN: (top + 4 - image_direction) % 8,
        EAST_WEST: -key % 8,
        NORTH_SOUTH: (4 - key) % 8,
    }


def direction_types(key: int, options: Sequence[int], errors: Mapping[str, int]) -> list[str]:
    """Return the types of each option, "" for the key.

    `errors`: the directions to which specific errors lead, the most specific first.
    """
    names_of: dict[int, list[str]] = {}
    for name, direction in errors.items():
        names_of.setdefault(direction, []).append(name)
    return ["" if option == key else join_types((*names_of.get(option, ()), *angular_error_types(key, option))) for option in options]


# Types that follow from the options alone ---------------------------------------------------------------------------


def types_by_option_text(options: Sequence[str], key: int) -> list[str]:
    """Return the types of options that are names of directions; empty for other options. `key`: the place of the key."""
    texts = _normalized(options)
    for names in (IMAGE_DIRECTIONS, COMPASS_DIRECTIONS, SIDES):
        known = [name.casefold() for name in names]
        if all(text in known for text in texts):
            directions = [known.index(text) for text in texts]
            key_direction = directions[key]
            mirrored = (-key_direction % 8, (4 - key_direction) % 8)
            mirror_types = {
                IMAGE_DIRECTIONS: (LEFT_RIGHT, UP_DOWN),
                COMPASS_DIRECTIONS: (EAST_WEST, NORTH_SOUTH),
                SIDES: (LEFT_RIGHT, FRONT_BACK),
            }[names]
            types = direction_types(key_direction, directions, dict(zip(mirror_types, mirrored, strict=True)))
            # The sign is ambiguous: facing right of the image is counterclockwise from facing the camera, a position on the right clockwise.
            return [join_types(name for name in split_types(text) if CLOCKWISE not in name) for text in types] if names is SIDES else types
    return []


def _normalized(options: Sequence[str]) -> list[str]:
    """Return the options in lower case, with spaces for hyphens and underscores."""
    return [option.strip().casefold().replace("_", " ").replace("-", " ") for option in options]


def angles_by_option_text(options: Sequence[str]) -> OptionAngles | None:
    """Return the clockwise angles of options that are image or compass directions; None for other options."""
    texts = _normalized(options)
    for names, frame in ((IMAGE_DIRECTIONS, "in the image"), (COMPASS_DIRECTIONS, "on the compass")):
        known = [name.casefold() for name in names]
        if all(text in known for text in texts):
            return OptionAngles(tuple(wrapped(45.0 * known.index(text)) for text in texts), f"{CLOCKWISE} {frame}")
    return None


def types_by_option_angles(angles_by_name: Mapping[str, OptionAngles], key: int) -> list[str]:
    """Return the types of options that are angles; empty if an angle is not circular. `key`: the place of the key.

    For options of several angles, the types are those of the one incorrect angle, or "other direction" if several are incorrect.
    """
    if not angles_by_name or not all(angles.is_circular for angles in angles_by_name.values()):
        return []
    n_options = len(next(iter(angles_by_name.values())).angles_deg)
    return ["" if chosen == key else _types_by_angles(angles_by_name, chosen, key) for chosen in range(n_options)]


def _types_by_angles(angles_by_name: Mapping[str, OptionAngles], chosen: int, key: int) -> str:
    errors = {name: error for name, angles in angles_by_name.items() if (error := angles.error(chosen, key)) is not None}
    incorrect = [(name, error) for name, error in errors.items() if error]
    if len(errors) < len(angles_by_name) or len(incorrect) != 1:
        return OTHER
    ((name, error_deg),) = incorrect
    return join_types((*_mirror_types(name, angles_by_name[name], chosen, key), *_types_of_angle(error_deg)))


def _mirror_types(name: str, angles: OptionAngles, chosen: int, key: int) -> list[str]:
    """Return the mirror type of an option: of a facing, of a rotation, or of a compass direction."""
    chosen_deg, key_deg = angles.angles_deg[chosen], angles.angles_deg[key]
    on_compass, in_image = ("compass" in angles.positive_direction, "in the image" in angles.positive_direction)
    sum_deg = None if chosen_deg is None or key_deg is None else wrapped(chosen_deg + key_deg)
    if "rotation" in name:
        return [OPPOSITE_ROTATION] if sum_deg == 0 else []
    if sum_deg == 0:
        return [EAST_WEST if on_compass else LEFT_RIGHT]
    return [NORTH_SOUTH if on_compass else UP_DOWN if in_image else FRONT_BACK] if sum_deg == 180 else []
