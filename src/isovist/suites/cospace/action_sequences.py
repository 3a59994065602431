"""Routes as short action sequences, and the directions of their final positions. The order of the actions matters.

"Go ahead" has any length. Only the final position matters, not the final heading: "go ahead, then turn right" ends in front of the start,
and "turn right, then go ahead" ends to its right.
"""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.rng import Rng

AHEAD, LEFT, RIGHT, BACK = "go ahead", "turn left", "turn right", "turn back"
Route = tuple[str, ...]
_TURNS = {LEFT: -1, RIGHT: 1, BACK: 2}
SAME_ACTIONS = "same actions in another order"

ROUTES: tuple[tuple[Route, ...], ...] = (
    ((AHEAD,), (AHEAD, RIGHT), (AHEAD, LEFT), (AHEAD, BACK)),
    ((AHEAD, RIGHT, AHEAD), (RIGHT, AHEAD, LEFT, AHEAD)),
    ((RIGHT, AHEAD),),
    ((BACK, AHEAD, LEFT, AHEAD), (RIGHT, AHEAD, RIGHT, AHEAD)),
    ((BACK, AHEAD),),
    ((BACK, AHEAD, RIGHT, AHEAD), (LEFT, AHEAD, LEFT, AHEAD)),
    ((LEFT, AHEAD),),
    ((AHEAD, LEFT, AHEAD), (LEFT, AHEAD, RIGHT, AHEAD)),
)
"""The routes to each of the eight directions, clockwise from the front."""


def action_text(route: Route) -> str:
    """The text of a route, such as "Turn right, then go ahead"."""
    return ", then ".join(route).capitalize()


def parsed(text: str) -> Route:
    """The actions of a route from its text."""
    return tuple(text.lower().split(", then "))


def chosen(rng: Rng, directions: Sequence[int]) -> tuple[Route, ...]:
    """One route to each direction. If possible, the route to the front has the same actions as another route in a different order.

    The choice does not depend on the direction of the target.
    """
    routes = {direction: rng.pick(ROUTES[direction]) for direction in directions}
    straight = [(AHEAD, route[0]) for direction, route in routes.items() if direction in (2, 4, 6)]
    if 0 in routes and straight:
        routes[0] = rng.pick(straight)
    return tuple(routes[direction] for direction in directions)


def legs(route: Route) -> tuple[bool, bool, bool, bool]:
    """Whether a route has moves to the front, right, back and left. The preceding turns determine the direction of a move."""
    facing, moves = 0, [False] * 4
    for action in route:
        if action == AHEAD:
            moves[facing % 4] = True
        else:
            facing += _TURNS[action]
    return moves[0], moves[1], moves[2], moves[3]


def leads_to(route: Route) -> int | None:
    """The direction (0 to 7) of the final position from the start; None if it depends on the lengths of opposite moves."""
    front, right, back, left = legs(route)
    if (front and back) or (right and left):
        return None
    by_components = {(1, 0): 0, (1, 1): 1, (0, 1): 2, (-1, 1): 3, (-1, 0): 4, (-1, -1): 5, (0, -1): 6, (1, -1): 7}
    return by_components.get((front - back, right - left))


def reordered(a: Route, b: Route) -> bool:
    """Whether two routes have the same actions in a different order."""
    return a != b and sorted(a) == sorted(b)
