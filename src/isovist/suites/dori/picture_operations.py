"""Flips and quarter turns of a whole picture: what they do to one, and in words."""

from __future__ import annotations

from itertools import product
from typing import Literal

from isovist.suites.dori.task_factory import UNKNOWN

State = tuple[bool, int]
"""What was done to an upright picture: mirrored left to right, then turned clockwise by so many degrees."""
STATES: tuple[State, ...] = tuple((mirrored, angle) for mirrored in (False, True) for angle in (0, 90, 180, 270))
AS_IT_IS = "Leave it as it is"
UPRIGHT: State = (False, 0)
_FLIPS = ("flip it left to right", "flip it top to bottom")
_TURNS = {90: "rotate it 90 degrees clockwise", 180: "rotate it 180 degrees", 270: "rotate it 90 degrees counterclockwise"}

Operation = tuple[tuple[Literal["turn", "flip"], int], ...]
"""What an option does, in order: turns clockwise by so many degrees, and flips, by their place in `_FLIPS`."""


def flipped(state: State, flip: int) -> State:
    """A state after a further flip, left to right (0) or top to bottom (1)."""
    mirrored, angle = state
    return not mirrored, (180 * flip - angle) % 360


def rotated(state: State, angle: int) -> State:
    """A state after a further turn clockwise."""
    return state[0], (state[1] + angle) % 360


def done(state: State, operation: Operation) -> State:
    """A state after an operation."""
    for kind, by in operation:
        state = flipped(state, by) if kind == "flip" else rotated(state, by)
    return state


def operations(turns: tuple[int, int], flip: int) -> tuple[Operation, ...]:
    """What the granular options do where there is a word. No two do the same to a picture, whichever the turns and the flip."""
    alone, beside = turns
    return (), (("turn", alone),), (("flip", flip),), (("turn", beside), ("flip", flip)), (("flip", flip), ("turn", beside))


EVERY: tuple[Operation, ...] = (
    *((("turn", angle),) for angle in _TURNS),
    (("flip", 1),),
    *(operation for turn, flip in product((90, 270), (0, 1)) for operation in operations((90, turn), flip)[3:]),
)
"""The operations that bring something other than the top to the top."""


def option(operation: Operation) -> str:
    """An operation in words."""
    sentence = ", then ".join(_FLIPS[by] if kind == "flip" else _TURNS[by] for kind, by in operation)
    return sentence[:1].upper() + sentence[1:] if sentence else AS_IT_IS


def options(turns: tuple[int, int], flip: int) -> tuple[str, ...]:
    """The granular options where there is a word."""
    return (*map(option, operations(turns, flip)), UNKNOWN)


def restored(state: State, turns: tuple[int, int], flip: int) -> tuple[State, ...]:
    """What the first five of these make of a state."""
    return tuple(done(state, operation) for operation in operations(turns, flip))


def right(state: State, *, word: bool) -> bool:
    """Whether a picture in this state is as it should be: upright, and not mirrored as far as one can tell."""
    return state == UPRIGHT or (not word and state[1] == 0)
