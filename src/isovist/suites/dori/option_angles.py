"""The angles of the options of DORI's tasks: the centre of each class, positive clockwise if the class has a direction.

Measured are the direction of a front (directional facing), a rotation (single-axis rotation, inter-object direction granular,
viewer-scene direction, compound rotation by its two axes), and the unsigned angle between two directions (view parallelism, inter-object
direction coarse). Options without degrees are listed in tables; the others contain their degrees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from isovist.core.answers import Choice
from isovist.core.option_angles import OptionAngles
from isovist.core.rotation import wrapped

FROM_ABOVE = "clockwise, seen from above"
FROM_THE_LEFT = "clockwise, seen from the left of the image (the top moves toward the viewer)"
TURNED_AWAY = "rotated further away from the camera"
APART = "further apart"

WORDS: Mapping[str, Mapping[str, float]] = {
    "view-parallelism": {
        "Toward the camera": 0,
        "Sideways, toward the left or the right": 90,
        "Away from the camera": 180,
    },
    "directional-facing": {
        # seen from above with the camera at the bottom: the left of the image is 90 degrees clockwise of the camera direction
        "Toward the camera": 0,
        "Toward the camera (0 degrees)": 0,
        "Toward the left of the image": 90,
        "About 30 degrees to the left": 30,
        "Away from the camera": 180,
        "Toward the right of the image": -90,
        "About 30 degrees to the right": -30,
    },
    "single-axis-rotation": {
        "Clockwise": 90,
        "Counterclockwise": -90,
        "No rotation: it already faces the camera": 0,
        "Rotation by 180 degrees: both directions are equally long": 180,
    },
    "inter-object-direction": {
        "In the same direction": 0,
        "In opposite directions": 180,
    },
}  # fmt: skip
"""Angles of options by task and text."""
_NAMED = re.compile(r"(\d+)(?: to (\d+))? degrees")


def stands_for(task: str, option: str) -> float | None:
    """The angle of an option in degrees, negative if counterclockwise; None for an option without an angle."""
    known = WORDS.get(task, {}).get(option)
    match = _NAMED.search(option)
    if known is not None or match is None or option.startswith("Another direction"):
        return known
    low, high = int(match[1]), int(match[2] or match[1])
    middle = (low + high) / 2
    return wrapped(-middle if "counterclockwise" in option else middle)


def _single(task: str, name: str, positive: str, *, around: bool = True) -> Callable[[Choice], Mapping[str, OptionAngles]]:
    def option_angles(answer: Choice) -> Mapping[str, OptionAngles]:
        angles = tuple(stands_for(task, option) for option in answer.options)
        return {name: OptionAngles(angles, positive, around)} if any(angle is not None for angle in angles) else {}

    return option_angles


def _relative(answer: Choice) -> Mapping[str, OptionAngles]:
    """For two fronts: the rotation of one if the options have a direction, else the angle between both."""
    has_direction = any("clockwise" in option for option in answer.options)
    name, positive = ("rotation", FROM_ABOVE) if has_direction else ("angle between", APART)
    return _single("inter-object-direction", name, positive, around=has_direction)(answer)


def _compound(answer: Choice) -> Mapping[str, OptionAngles]:
    """The two rotations separately."""
    matches = [_NAMED.findall(option) for option in answer.options]
    if not all(len(turns) == 2 for turns in matches):
        return {}
    horizontal, vertical = (tuple(wrapped(float(turns[nth][0])) for turns in matches) for nth in (0, 1))
    return {"horizontal rotation": OptionAngles(horizontal, FROM_ABOVE), "vertical rotation": OptionAngles(vertical, FROM_THE_LEFT)}


_ANGLES: Mapping[str, Callable[[Choice], Mapping[str, OptionAngles]]] = {
    "view-parallelism": _single("view-parallelism", "angle to the camera", TURNED_AWAY, around=False),
    "directional-facing": _single("directional-facing", "facing direction", FROM_ABOVE),
    "single-axis-rotation": _single("single-axis-rotation", "rotation", FROM_ABOVE),
    "compound-rotation": _compound,
    "inter-object-direction": _relative,
    "viewer-scene-direction": _single("viewer-scene-direction", "rotation", FROM_ABOVE),
}


def angles(name: str) -> Callable[[Choice], Mapping[str, OptionAngles]] | None:
    """The option angles of a task; None for a task without angles (canonical orientation)."""
    return _ANGLES.get(name)
