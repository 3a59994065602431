"""Flips and rotations of a whole image by multiples of 90 degrees: their effects and their texts."""

from __future__ import annotations

from itertools import product
from typing import Literal

from isovist.suites.dori.shared_parts import UNKNOWN

State = tuple[bool, int]
"""The operations on an upright image: whether it was mirrored left to right, then the clockwise rotation in degrees."""
STATES: tuple[State, ...] = tuple((mirrored, angle) for mirrored in (False, True) for angle in (0, 90, 180, 270))
AS_IT_IS = "Leave it as it is"
UPRIGHT: State = (False, 0)
_FLIPS = ("flip it left to right", "flip it top to bottom")
_TURNS = {90: "rotate it 90 degrees clockwise", 180: "rotate it 180 degrees", 270: "rotate it 90 degrees counterclockwise"}

Operation = tuple[tuple[Literal["turn", "flip"], int], ...]
"""The steps of an option in order: clockwise rotations in degrees, and flips as indices in `_FLIPS`."""


def flipped(state: State, flip: int) -> State:
    """A state after a further flip, left to right (0) or top to bottom (1)."""
    mirrored, angle = state
    return not mirrored, (180 * flip - angle) % 360


def rotated(state: State, angle: int) -> State:
    """A state after a further clockwise rotation, in degrees."""
    return state[0], (state[1] + angle) % 360


def done(state: State, operation: Operation) -> State:
    """A state after an operation."""
    for kind, by in operation:
        state = flipped(state, by) if kind == "flip" else rotated(state, by)
    return state


def operations(turns: tuple[int, int], flip: int) -> tuple[Operation, ...]:
    """The granular operations for images with text. No two have the same effect, for all values of `turns` and `flip`."""
    single, combined = turns
    return (), (("turn", single),), (("flip", flip),), (("turn", combined), ("flip", flip)), (("flip", flip), ("turn", combined))


EVERY: tuple[Operation, ...] = (
    *((("turn", angle),) for angle in _TURNS),
    (("flip", 1),),
    *(operation for turn, flip in product((90, 270), (0, 1)) for operation in operations((90, turn), flip)[3:]),
)
"""The operations that move a side other than the top to the top."""


def option(operation: Operation) -> str:
    """The text of an operation."""
    sentence = ", then ".join(_FLIPS[by] if kind == "flip" else _TURNS[by] for kind, by in operation)
    return sentence[:1].upper() + sentence[1:] if sentence else AS_IT_IS


def options(turns: tuple[int, int], flip: int) -> tuple[str, ...]:
    """The granular options for images with text."""
    return (*map(option, operations(turns, flip)), UNKNOWN)


def restored(state: State, turns: tuple[int, int], flip: int) -> tuple[State, ...]:
    """The states that the first five of these options produce from a state."""
    return tuple(done(state, operation) for operation in operations(turns, flip))


def right(state: State, *, word: bool) -> bool:
    """Whether an image in this state is canonical: upright, and without visible mirroring."""
    return state == UPRIGHT or (not word and state[1] == 0)
