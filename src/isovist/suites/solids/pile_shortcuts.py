"""Shortcuts of the tasks with views of piles: rules that see the options alone, or a part of the views."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from isovist.core.summation import sum_in_order
from isovist.core.task import Question, Shortcut
from isovist.world.scenes import pile
from isovist.world.scenes.answer_options import letters_of
from isovist.world.scenes.pile import Heights, Profile

Rule = Callable[[Any, Question], Collection[str]]


def _best(values: Sequence[float]) -> Collection[str]:
    """The options with the largest value; none if all have it."""
    return letters_of(k for k, value in enumerate(values) if value == max(values)) if len(set(values)) > 1 else ()


def _n_visible(heights: Heights) -> int:
    """The number of side faces toward the eye, hidden or not."""
    along = sum(
        max(0, high - ahead)
        for row, after in zip(heights, (*heights[1:], (0,) * len(heights[0])), strict=True)
        for high, ahead in zip(row, after, strict=True)
    )
    return along + sum(max(0, high - beside) for row in heights for high, beside in zip(row, (*row[1:], 0), strict=True))


def _differing(one: Heights, other: Heights) -> int:
    return sum(abs(a - b) for row, to in zip(one, other, strict=True) for a, b in zip(row, to, strict=True))


def _centre(columns: Sequence[int]) -> float:
    return sum(k * high for k, high in enumerate(columns)) / sum(columns)


def _by_options(value: Callable[[Heights, Sequence[Heights]], float]) -> Rule:
    return lambda scene, _question: _best([value(option, scene.options) for option in scene.options])


def _by_views(value: Callable[[Heights, Heights], float]) -> Rule:
    """The option with the largest value, which reads the views from the pile of the key."""
    return lambda scene, _question: _best([value(option, scene.heights) for option in scene.options])


def _alike(heights: Heights, options: Sequence[Heights]) -> float:
    return -sum(_differing(heights, other) for other in options)


def _faces_near_area(heights: Heights, key: Heights) -> float:
    return -abs(_n_visible(heights) - sum(pile.front(key)) - sum(pile.right(key)))


def _centres(heights: Heights, key: Heights) -> float:
    """How near the centres of mass are to those of the views."""
    sums = [sum(column) for column in zip(*heights, strict=True)], [sum(row) for row in heights][::-1]
    return -sum_in_order(abs(_centre(a) - _centre(b)) for a, b in zip(sums, (pile.front(key), pile.right(key)), strict=True))


OF_THREE_VIEWS: dict[str, Shortcut[Any]] = {
    "most visible faces": Shortcut(_by_options(lambda heights, _: _n_visible(heights)), "the views"),
    "fewest visible faces": Shortcut(_by_options(lambda heights, _: -_n_visible(heights)), "the views"),
    "most like the other solids": Shortcut(_by_options(_alike), "the views"),
    "least like the other solids": Shortcut(_by_options(lambda heights, options: -_alike(heights, options)), "the views"),
    "as many visible faces as the views have squares": Shortcut(_by_views(_faces_near_area), "the order of columns"),
    "front and right exchanged": Shortcut(
        _by_views(lambda heights, key: (pile.front(heights) == pile.right(key)) + (pile.right(heights) == pile.front(key))),
        "which view is which",
        partial=True,
        bound=0.35,
    ),
    "mirrored views": Shortcut(
        _by_views(lambda heights, key: (pile.front(heights) == pile.front(key)[::-1]) + (pile.right(heights) == pile.right(key)[::-1])),
        "left and right",
        partial=True,
        bound=0.35,
    ),
    "view from the front alone": Shortcut(
        _by_views(lambda heights, key: pile.front(heights) == pile.front(key)), "the view from the right", partial=True, bound=0.5
    ),
    "view from the right alone": Shortcut(
        _by_views(lambda heights, key: pile.right(heights) == pile.right(key)), "the view from the front", partial=True, bound=0.5
    ),
    "view from above alone": Shortcut(
        _by_views(lambda heights, key: [[high > 0 for high in row] for row in heights] == [[high > 0 for high in row] for row in key]),
        "the views from the sides",
        partial=True,
        bound=0.8,
    ),
    "centre of mass of both views": Shortcut(_by_views(_centres), "the heights of the columns", partial=True, bound=0.75),
}


# The view of a solid ------------------------------------------------------------------------------------------------------


def _views(scene: Any) -> list[Profile]:
    return [pile.seen_from(scene.heights, side) for side in scene.options]


def _by_view(value: Callable[[Profile, Any], float]) -> Rule:
    return lambda scene, _question: _best([value(view, scene) for view in _views(scene)])


def _side(side: str) -> Rule:
    """The view from a side, wherever the eye is."""
    return lambda scene, _question: letters_of([scene.options.index(side)])


def _as_on_the_page(scene: Any, _question: Question) -> Collection[str]:
    """The view from the eye's side of the page, left or right, with the heights from left to right of the page."""
    return letters_of([scene.options.index("front" if scene.side in ("front", "back") else "right")])


def _centre_of_mass(scene: Any, _question: Question) -> Collection[str]:
    """The views whose centre is nearest to that of the cubes, seen from the side of the eye."""
    columns = [sum(column) for column in zip(*scene.heights, strict=True)]
    if scene.side in ("right", "left"):
        columns = [sum(row) for row in reversed(scene.heights)]
    centre = _centre(columns if scene.side in ("front", "right") else columns[::-1])
    return _best([-abs(_centre(view) - centre) for view in _views(scene)])


OF_VIEW_OF_SOLID: dict[str, Shortcut[Any]] = {
    "most squares": Shortcut(_by_view(lambda view, _: sum(view)), "the solid"),
    "fewest squares": Shortcut(_by_view(lambda view, _: -sum(view)), "the solid"),
    "most like the other views": Shortcut(
        _by_view(lambda view, scene: -sum(abs(a - b) for other in _views(scene) for a, b in zip(view, other, strict=True))), "the solid"
    ),
    "highest column on the left": Shortcut(_by_view(lambda view, _: _centre(view) < (len(view) - 1) / 2), "the solid"),
    "view from the front": Shortcut(_side("front"), "the eye"),
    "view from the right": Shortcut(_side("right"), "the eye"),
    "centre of mass from the side of the eye": Shortcut(_centre_of_mass, "the heights of the columns", partial=True, bound=0.55),
    "heights from left to right of the page": Shortcut(_as_on_the_page, "which way the eye looks", partial=True, bound=0.5),
}
