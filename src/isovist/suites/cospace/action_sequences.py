"""Ways on foot as short lists of actions, and where they lead: the order of the actions matters.

"Go ahead" goes as far as needed. What counts is where a way ends, not where one looks at the end; so "go ahead and turn right" ends
in front, and "turn right and go ahead" at the right.
"""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.rng import Rng

AHEAD, LEFT, RIGHT, BACK = "go ahead", "turn left", "turn right", "turn back"
Route = tuple[str, ...]
_TURNS = {LEFT: -1, RIGHT: 1, BACK: 2}
SAME_ACTIONS = "same actions in another order"

WAYS: tuple[tuple[Route, ...], ...] = (
    ((AHEAD,), (AHEAD, RIGHT), (AHEAD, LEFT), (AHEAD, BACK)),
    ((AHEAD, RIGHT, AHEAD), (RIGHT, AHEAD, LEFT, AHEAD)),
    ((RIGHT, AHEAD),),
    ((BACK, AHEAD, LEFT, AHEAD), (RIGHT, AHEAD, RIGHT, AHEAD)),
    ((BACK, AHEAD),),
    ((BACK, AHEAD, RIGHT, AHEAD), (LEFT, AHEAD, LEFT, AHEAD)),
    ((LEFT, AHEAD),),
    ((AHEAD, LEFT, AHEAD), (LEFT, AHEAD, RIGHT, AHEAD)),
)
"""The ways that lead to each of the eight directions from the front clockwise."""


def action_text(route: Route) -> str:
    """A way in words: "Turn right, then go ahead"."""
    return ", then ".join(route).capitalize()


def parsed(words: str) -> Route:
    """The actions of a way in words."""
    return tuple(words.lower().split(", then "))


def chosen(rng: Rng, directions: Sequence[int]) -> tuple[Route, ...]:
    """One way to each direction; where it can be, the way to the front has the same actions as another one in other order.

    It does not depend on which of the directions is asked for.
    """
    ways = {direction: rng.pick(WAYS[direction]) for direction in directions}
    straight = [(AHEAD, way[0]) for direction, way in ways.items() if direction in (2, 4, 6)]
    if 0 in ways and straight:
        ways[0] = rng.pick(straight)
    return tuple(ways[direction] for direction in directions)


def legs(route: Route) -> tuple[bool, bool, bool, bool]:
    """Whether a way goes to the front, right, back and left: each "go ahead" to where the turns before it point."""
    facing, gone = 0, [False] * 4
    for action in route:
        if action == AHEAD:
            gone[facing % 4] = True
        else:
            facing += _TURNS[action]
    return gone[0], gone[1], gone[2], gone[3]


def leads_to(route: Route) -> int | None:
    """The direction of its end from its start; None where that depends on how far one goes back again."""
    front, right, back, left = legs(route)
    if (front and back) or (right and left):
        return None
    towards = {(1, 0): 0, (1, 1): 1, (0, 1): 2, (-1, 1): 3, (-1, 0): 4, (-1, -1): 5, (0, -1): 6, (1, -1): 7}
    return towards.get((front - back, right - left))


def reordered(a: Route, b: Route) -> bool:
    """Whether two ways have the same actions in another order."""
    return a != b and sorted(a) == sorted(b)
