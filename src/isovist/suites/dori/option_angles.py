"""The angles that the options of DORI's tasks stand for: the middle of a class, clockwise where clockwise means something.

What is measured: where a front points (directional facing), the turn that is asked for (single-axis rotation, inter-object
direction granular, viewer-scene direction, compound rotation by its two axes), and how far two directions are apart, whichever
way (view parallelism, inter-object direction coarse). Options in plain words stand in tables; the others name their degrees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from isovist.core.answers import Choice
from isovist.core.option_angles import OptionAngles
from isovist.core.rotation import wrapped

FROM_ABOVE = "clockwise, seen from above"
FROM_THE_LEFT = "clockwise, seen from the left of the picture (the top first towards the viewer)"
TURNED_AWAY = "turned further away from the camera"
APART = "further apart"

WORDS: Mapping[str, Mapping[str, float]] = {
    "view-parallelism": {
        "Towards the camera": 0,
        "Sideways, to the left or the right of the camera": 90,
        "Away from the camera": 180,
    },
    "directional-facing": {
        # seen from above, with the camera below: a front that points to the left of the picture is a quarter clockwise of the camera
        "Towards the camera": 0,
        "Towards the camera (0 degrees)": 0,
        "To the left of the picture": 90,
        "About 30 degrees to the left": 30,
        "Away from the camera": 180,
        "To the right of the picture": -90,
        "About 30 degrees to the right": -30,
    },
    "single-axis-rotation": {
        "Clockwise": 90,
        "Counterclockwise": -90,
        "None: it faces the camera already": 0,
        "Half a turn: both ways are equally long": 180,
    },
    "inter-object-direction": {
        "In the same direction": 0,
        "In opposite directions": 180,
    },
}  # fmt: skip
"""Options whose words tell their angle."""
_NAMED = re.compile(r"(\d+)(?: to (\d+))? degrees")


def stands_for(task: str, option: str) -> float | None:
    """The angle of an option, counterclockwise ones negative; None for one that has none."""
    known = WORDS.get(task, {}).get(option)
    match = _NAMED.search(option)
    if known is not None or match is None or option.startswith("Another direction"):
        return known
    low, high = int(match[1]), int(match[2] or match[1])
    middle = (low + high) / 2
    return wrapped(-middle if "counterclockwise" in option else middle)


def _one(task: str, name: str, positive: str, *, around: bool = True) -> Callable[[Choice], Mapping[str, OptionAngles]]:
    def dials(answer: Choice) -> Mapping[str, OptionAngles]:
        angles = tuple(stands_for(task, option) for option in answer.options)
        return {name: OptionAngles(angles, positive, around)} if any(angle is not None for angle in angles) else {}

    return dials


def _relative(answer: Choice) -> Mapping[str, OptionAngles]:
    """Of two fronts: the turn of the one, where the options tell which way it goes, or how far both are apart."""
    turns = any("clockwise" in option for option in answer.options)
    dial = ("turn", FROM_ABOVE) if turns else ("apart", APART)
    return _one("inter-object-direction", *dial, around=turns)(answer)


def _compound(answer: Choice) -> Mapping[str, OptionAngles]:
    """The two turns, each by itself."""
    matches = [_NAMED.findall(option) for option in answer.options]
    if not all(len(turns) == 2 for turns in matches):
        return {}
    across, down = (tuple(wrapped(float(turns[nth][0])) for turns in matches) for nth in (0, 1))
    return {"horizontal turn": OptionAngles(across, FROM_ABOVE), "vertical turn": OptionAngles(down, FROM_THE_LEFT)}


_ANGLES: Mapping[str, Callable[[Choice], Mapping[str, OptionAngles]]] = {
    "view-parallelism": _one("view-parallelism", "off the camera", TURNED_AWAY, around=False),
    "directional-facing": _one("directional-facing", "front", FROM_ABOVE),
    "single-axis-rotation": _one("single-axis-rotation", "turn", FROM_ABOVE),
    "compound-rotation": _compound,
    "inter-object-direction": _relative,
    "viewer-scene-direction": _one("viewer-scene-direction", "turn", FROM_ABOVE),
}


def angles(name: str) -> Callable[[Choice], Mapping[str, OptionAngles]] | None:
    """Those of a task; None for one that does not ask for angles (canonical orientation: flips have none)."""
    return _ANGLES.get(name)
