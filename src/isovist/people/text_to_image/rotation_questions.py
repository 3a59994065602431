"""Questions about the direction of an object after an imagined rotation, and their keys from two derivations.

The key is a sum of multiples of 45 degrees. `second` derives it again from the key that annotators pressed and from the text, with
vectors and rotations. All rotations are about the vertical axis through the centre of the object.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from isovist.core.answers import Choice
from isovist.core.rng import Rng
from isovist.core.rotation import Vector, apply, cosine, cross, dot, sine, turn, unit
from isovist.people.text_to_image.facing_directions import KEYS, NAMES, WORDS
from isovist.world.scenes.distractor_types import ERROR_90_DEG, OPPOSITE, OPPOSITE_ROTATION

ONE, TWO = "one-turn", "two-turns"
TASKS = (ONE, TWO)
OPTIONS = 4

ABOVE, OWN = "seen from above", "object's own sides"
NOT_ROTATED = "not rotated"

_OPENINGS = {
    ONE: (
        "Suppose that the {name} in the image rotates in place, about its vertical axis, by {turns}.",
        "The {name} in the image stays in place, remains upright and rotates by {turns}.",
        "Imagine that the {name} in the image is rotated about its own vertical axis by {turns}.",
    ),
    TWO: (
        "Suppose that the {name} in the image rotates in place, about its vertical axis, first by {turns}.",
        "The {name} in the image stays in place, remains upright and rotates twice: by {turns}.",
        "Imagine that the {name} in the image is rotated about its own vertical axis, first by {turns}.",
    ),
}
_QUESTION = "In which direction does its front then point, from your perspective as the viewer of the image?"
_FROM_ABOVE, _TO_SIDE = "{degrees} degrees {direction} as seen from above", "{degrees} degrees to its own {direction}"
_STEP = re.compile(
    f"{_FROM_ABOVE.format(degrees=r'([0-9]+)', direction='(clockwise|counterclockwise)')}"
    f"|{_TO_SIDE.format(degrees=r'([0-9]+)', direction='(left|right)')}"
)
_UP: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Turn:
    """A clockwise rotation by `eighths` (1 to 7) times 45 degrees, as seen from above.

    `frame`: the reference frame of the text, `ABOVE` or `OWN`.
    """

    eighths: int
    frame: str

    @property
    def degrees(self) -> int:
        """The angle of the shorter rotation, 45 to 180."""
        return 45 * min(self.eighths, 8 - self.eighths)

    @property
    def direction(self) -> str:
        """Clockwise or counterclockwise as seen from above; "either" for 180 degrees."""
        return "either" if self.eighths == 4 else "clockwise" if self.eighths < 4 else "counterclockwise"

    def text(self, rng: Rng) -> str:
        """The rotation as text, such as "90 degrees to its own left". The direction of 180 degrees is random."""
        clockwise = rng.chance(0.5) if self.eighths == 4 else self.eighths < 4
        if self.frame == OWN:
            return _TO_SIDE.format(degrees=self.degrees, direction="right" if clockwise else "left")
        return _FROM_ABOVE.format(degrees=self.degrees, direction="clockwise" if clockwise else "counterclockwise")


@dataclass(frozen=True, slots=True)
class RotationQuestion:
    """A question with its key; `errors` are the distractor types of the options, "" for the key."""

    task: str
    text: str
    answer: Choice
    turns: tuple[Turn, ...]
    after: int
    errors: tuple[str, ...]


def question(rng: Rng, task: str, name: str, facing: int, after: int, letter: int) -> RotationQuestion:
    """A question about one or two rotations of the object `name` from `facing` to `after`; `letter` is the index of the key.

    The options are 90 degrees or more apart, so that an error of one facing class does not make another option correct. Raises ValueError
    if `after` is `facing`, and RuntimeError if the two derivations of the key differ.
    """
    total = (after - facing) % 8
    if not total:
        raise ValueError("a rotation that brings the object back to its first direction")
    eighths = (total,)
    if task == TWO:
        first = rng.at("first").pick([eighth for eighth in range(1, 8) if eighth != total])
        eighths = (first, (total - first) % 8)
    frame = rng.at("told").pick((ABOVE, OWN))
    turns = tuple(Turn(eighth, frame) for eighth in eighths)
    steps = [rotation.text(rng.at("words", i)) for i, rotation in enumerate(turns)]
    opening = rng.at("opening").pick(_OPENINGS[task]).format(name=name, turns=", then by ".join(steps))
    text = f"{opening} {_QUESTION}"
    others = rng.at("options").shuffled([(after + step) % 8 for step in (2, 4, 6)])
    shown = [*others[:letter], after, *others[letter:]]
    answer = Choice(tuple(WORDS[direction] for direction in shown), letter)
    if second(KEYS[facing], text, answer.options) != letter:
        raise RuntimeError(f"two derivations of a key differ: {NAMES[facing]}, {text}")
    return RotationQuestion(task, text, answer, turns, after, tuple(_error(direction, facing, after) for direction in shown))


def _error(chosen: int, facing: int, after: int) -> str:
    if chosen == after:
        return ""
    if chosen == facing:
        return NOT_ROTATED
    if chosen == (2 * facing - after) % 8:
        return OPPOSITE_ROTATION
    return OPPOSITE if (chosen - after) % 8 == 4 else ERROR_90_DEG


def second(key: str, text: str, options: Sequence[str]) -> int | None:
    """The index of the correct option, from the digit that annotators pressed and the texts; None if not exactly one fits.

    Vectors on the ground: x to the viewer's right, y away from the viewer, z up (right-handed).
    """
    column, row = (int(key) - 1) % 3 - 1, (int(key) - 1) // 3 - 1
    front = unit((float(column), float(row), 0.0))
    steps = _STEP.findall(text)
    if not steps:
        return None
    for degrees_from_above, sense, degrees_to_side, side in steps:
        angle = float(degrees_from_above or degrees_to_side)
        if sense:
            front = apply(turn("z", -angle if sense == "clockwise" else angle), front)
        else:
            left = cross(_UP, front)
            across = left if side == "left" else (-left[0], -left[1], -left[2])
            c, s = cosine(angle), sine(angle)
            front = (c * front[0] + s * across[0], c * front[1] + s * across[1], 0.0)
    fitting = [place for place, option in enumerate(options) if dot(_pointing(option), front) > 0.99]
    return fitting[0] if len(fitting) == 1 else None


def _pointing(option: str) -> Vector:
    """The direction on the ground that an option states."""
    lowered = option.lower()
    x = ("your right" in lowered) - ("your left" in lowered)
    y = ("away from you" in lowered) - ("toward you" in lowered)
    return unit((float(x), float(y), 0.0))
