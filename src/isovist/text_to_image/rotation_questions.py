"""Questions about a thing after a turn that did not happen, and their keys in two ways.

The key comes from adding up eighths of a turn; `second` derives it again from what people pressed and from the finished words alone,
with vectors and rotations. All turns are about the vertical, about the thing's own middle.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from isovist.core.answers import Choice
from isovist.core.rng import Rng
from isovist.core.rotation import Vector, apply, cosine, cross, dot, sine, turn, unit
from isovist.text_to_image.facing_directions import KEYS, NAMES, WORDS

ONE, TWO = "one-turn", "two-turns"
TASKS = (ONE, TWO)
OPTIONS = 4

ABOVE, OWN = "seen from above", "its own side"
NOT_TURNED, OTHER_WAY, OPPOSITE, QUARTER = "no rotation", "opposite rotation", "opposite direction", "90° error"

_OPENINGS = {
    ONE: (
        "Suppose the {name} in the picture turned on the spot, staying upright, by {turns}.",
        "The {name} in the picture stays where it is and turns, without tilting, by {turns}.",
        "Imagine that somebody turned the {name} in the picture about its own vertical axis by {turns}.",
    ),
    TWO: (
        "Suppose the {name} in the picture turned on the spot, staying upright, first by {turns}.",
        "The {name} in the picture stays where it is and turns twice, without tilting: by {turns}.",
        "Imagine that somebody turned the {name} in the picture about its own vertical axis, first by {turns}.",
    ),
}
_ASKED = "Which way would its front point then, for you who look at the picture?"
_STEP = re.compile(r"(\d+) degrees (?:(clockwise|counterclockwise), seen from above|to its own (left|right))")
_UP: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn by `eighths` (1 to 7) of a full one, clockwise seen from above. `premise`: from above, or as its own left and right."""

    eighths: int
    premise: str

    @property
    def degrees(self) -> int:
        """How far it goes, the shorter way: 45 to 180."""
        return 45 * min(self.eighths, 8 - self.eighths)

    @property
    def way(self) -> str:
        """Clockwise or counterclockwise, seen from above; half a turn has no way."""
        return "either" if self.eighths == 4 else "clockwise" if self.eighths < 4 else "counterclockwise"

    def words(self, rng: Rng) -> str:
        """The turn in words, such as "90 degrees to its own left". For half a turn, either way is named at random."""
        clockwise = rng.chance(0.5) if self.eighths == 4 else self.eighths < 4
        if self.premise == OWN:
            return f"{self.degrees} degrees to its own {'right' if clockwise else 'left'}"
        return f"{self.degrees} degrees {'clockwise' if clockwise else 'counterclockwise'}, seen from above"


@dataclass(frozen=True, slots=True)
class RotationQuestion:
    """A question with its key; `errors` says for each option what it stands for, "" for the key."""

    task: str
    text: str
    answer: Choice
    turns: tuple[Turn, ...]
    after: int
    errors: tuple[str, ...]


def question(rng: Rng, task: str, name: str, facing: int, after: int, letter: int) -> RotationQuestion:
    """The question by which turn or turns a thing called `name` comes from `facing` to `after`, the key at the place `letter`.

    The wrong options lie a quarter turn or more from the key and from each other, so that a facing judged one class wrongly leads to
    no other option. Raises ValueError if `after` is `facing`, and RuntimeError if the two derivations of the key differ.
    """
    total = (after - facing) % 8
    if not total:
        raise ValueError("a turn that brings a thing back to where it was")
    eighths = (total,)
    if task == TWO:
        first = rng.at("first").pick([eighth for eighth in range(1, 8) if eighth != total])
        eighths = (first, (total - first) % 8)
    frame = rng.at("told").pick((ABOVE, OWN))
    turns = tuple(Turn(eighth, frame) for eighth in eighths)
    steps = [one.words(rng.at("words", i)) for i, one in enumerate(turns)]
    opening = rng.at("opening").pick(_OPENINGS[task]).format(name=name, turns=", then by ".join(steps))
    text = f"{opening} {_ASKED}"
    others = rng.at("options").shuffled([(after + step) % 8 for step in (2, 4, 6)])
    shown = [*others[:letter], after, *others[letter:]]
    answer = Choice(tuple(WORDS[one] for one in shown), letter)
    if second(KEYS[facing], text, answer.options) != letter:
        raise RuntimeError(f"two derivations of a key differ: {NAMES[facing]}, {text}")
    return RotationQuestion(task, text, answer, turns, after, tuple(_error(one, facing, after) for one in shown))


def _error(chosen: int, facing: int, after: int) -> str:
    if chosen == after:
        return ""
    if chosen == facing:
        return NOT_TURNED
    if chosen == (2 * facing - after) % 8:
        return OTHER_WAY
    return OPPOSITE if (chosen - after) % 8 == 4 else QUARTER


def second(key: str, text: str, options: Sequence[str]) -> int | None:
    """The place of the right option, from the digit that people pressed and the words; None if not exactly one fits.

    Vectors on the ground: x to the viewer's right, y away from the viewer, z up (right-handed).
    """
    column, row = (int(key) - 1) % 3 - 1, (int(key) - 1) // 3 - 1
    front = unit((float(column), float(row), 0.0))
    steps = _STEP.findall(text)
    if not steps:
        return None
    for degrees, way, side in steps:
        angle = float(degrees)
        if way:
            front = apply(turn("z", -angle if way == "clockwise" else angle), front)
        else:
            left = cross(_UP, front)
            across = left if side == "left" else (-left[0], -left[1], -left[2])
            c, s = cosine(angle), sine(angle)
            front = (c * front[0] + s * across[0], c * front[1] + s * across[1], 0.0)
    fitting = [place for place, option in enumerate(options) if dot(_pointing(option), front) > 0.99]
    return fitting[0] if len(fitting) == 1 else None


def _pointing(option: str) -> Vector:
    """The direction that the words of an option tell, on the ground."""
    lowered = option.lower()
    x = ("your right" in lowered) - ("your left" in lowered)
    y = ("away from you" in lowered) - ("towards you" in lowered)
    return unit((float(x), float(y), 0.0))
