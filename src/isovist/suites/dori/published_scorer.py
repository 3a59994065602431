"""Soft accuracy (section 15 of the paper): half the credit for some wrong answers, at the granular level only.

A reply is read by the strict scorer. The rules go by the texts of the options as shown: by the degrees they name, and by the
words clockwise, left, right and then. Coarse options do not fit them, so they earn no half credit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from isovist.core.answers import LETTERS, Answer, Choice

Near = Callable[[str, str], bool]
"""Whether an option, told first, earns half the credit where the key, told second, is another."""

SECTOR = 45
"""Degrees: the width of a class, and the paper's window."""
_DEGREES = re.compile(r"\d+")


def degrees(option: str) -> list[int]:
    """The numbers that an option names."""
    return [int(number) for number in _DEGREES.findall(option)]


def adjacent(reply: str, key: str) -> bool:
    """The neighbouring range, or a single angle within 45 degrees."""
    a, b = degrees(reply), degrees(key)
    return bool(a and b) and abs(a[0] - b[0]) <= SECTOR


def adjacent_same_way(reply: str, key: str) -> bool:
    """The neighbouring range in the same direction, clockwise or counterclockwise."""
    ways = {"counter" if "counterclockwise" in option else "clock" if "clockwise" in option else "" for option in (reply, key)}
    return adjacent(reply, key) and len(ways) == 1 and "" not in ways


def other_side(reply: str, key: str) -> bool:
    """30 degrees to the left for 30 degrees to the right, and the other way round."""
    sides = {"left" if "left" in option else "right" for option in (reply, key)}
    return degrees(reply) == degrees(key) == [30] and len(sides) == 2


def one_component(reply: str, key: str) -> bool:
    """One of the two angles of "90 degrees ..., then 180 degrees ..." is right."""
    a, b = degrees(reply), degrees(key)
    return len(a) == len(b) == 2 and (a[0] == b[0] or a[1] == b[1])


def other_way_round(reply: str, key: str) -> bool:
    """A quarter turn in the wrong direction: 90 for 270 degrees clockwise."""
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
    "inter-object-direction": adjacent_same_way,
    "viewer-scene-direction": other_way_round,
    "canonical-orientation": swapped,
}


def published(name: str) -> Callable[[str, Answer], float]:
    """The scorer of a task: 1 for the key, 0.5 for an option that its rule calls near, else 0. It raises TypeError for
    anything but a choice.
    """
    rule = RULES[name]

    def soft(reply: str, answer: Answer) -> float:
        if not isinstance(answer, Choice):
            raise TypeError(f"DORI asks choices, not {answer.kind}")
        score = answer.score(reply)
        if score.credit or score.parsed_answer is None:
            return score.credit
        return 0.5 * rule(answer.options[LETTERS.index(score.parsed_answer)], answer.options[answer.truth])

    return soft
