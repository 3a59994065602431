"""Soft accuracy (section 15 of the paper): half credit for some incorrect answers, at the granular level only.

The strict scorer parses the response. The rules use the texts of the options: their degrees, and the words clockwise, left, right and
then. They do not match coarse options, which therefore earn no half credit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from isovist.core.answers import LETTERS, Answer, Choice

Near = Callable[[str, str], bool]
"""Whether an option (first argument) earns half credit for a different key (second argument)."""

SECTOR = 45
"""Width of a class and of the paper's window, in degrees."""
_DEGREES = re.compile(r"\d+")


def degrees(option: str) -> list[int]:
    """The numbers in the text of an option."""
    return [int(number) for number in _DEGREES.findall(option)]


def adjacent(reply: str, key: str) -> bool:
    """The neighbouring range, or a single angle within 45 degrees."""
    a, b = degrees(reply), degrees(key)
    return bool(a and b) and abs(a[0] - b[0]) <= SECTOR


def adjacent_same_direction(reply: str, key: str) -> bool:
    """The neighbouring range in the same direction, clockwise or counterclockwise."""
    directions = {"counter" if "counterclockwise" in option else "clock" if "clockwise" in option else "" for option in (reply, key)}
    return adjacent(reply, key) and len(directions) == 1 and "" not in directions


def other_side(reply: str, key: str) -> bool:
    """30 degrees to the left instead of 30 degrees to the right, or vice versa."""
    sides = {"left" if "left" in option else "right" for option in (reply, key)}
    return degrees(reply) == degrees(key) == [30] and len(sides) == 2


def one_component(reply: str, key: str) -> bool:
    """One of the two angles of "90 degrees ..., then 180 degrees ..." is correct."""
    a, b = degrees(reply), degrees(key)
    return len(a) == len(b) == 2 and (a[0] == b[0] or a[1] == b[1])


def reversed_rotation(reply: str, key: str) -> bool:
    """A rotation by 90 degrees in the wrong direction: 90 instead of 270 degrees clockwise."""
    return sorted(degrees(reply) + degrees(key)) == [90, 270]


def swapped(reply: str, key: str) -> bool:
    """The same two operations, "... then ...", in the other order."""
    a, b = ([part.strip(" ,").lower() for part in option.split("then")] for option in (reply, key))
    return len(a) == len(b) == 2 and a == b[::-1]


RULES: Mapping[str, Near] = {
    "view-parallelism": adjacent,
    "directional-facing": other_side,
    "single-axis-rotation": adjacent,
    "compound-rotation": one_component,
    "inter-object-direction": adjacent_same_direction,
    "viewer-scene-direction": reversed_rotation,
    "canonical-orientation": swapped,
}


def published(name: str) -> Callable[[str, Answer], float]:
    """The scorer of a task: 1 for the key, 0.5 for an option that its rule accepts, else 0. Raises TypeError for other answer types."""
    rule = RULES[name]

    def soft(reply: str, answer: Answer) -> float:
        if not isinstance(answer, Choice):
            raise TypeError(f"DORI asks choices, not {answer.kind}")
        score = answer.score(reply)
        if score.credit or score.parsed_answer is None:
            return score.credit
        return 0.5 * rule(answer.options[LETTERS.index(score.parsed_answer)], answer.options[answer.truth])

    return soft
