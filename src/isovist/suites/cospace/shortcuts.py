"""Cheap rules for the tasks of CoSpace, which leave out what the tasks claim to test, or a part of it.

What a rule needs to see (in which pictures a thing is, how many a picture shows) it takes from the scene: so each is an upper bound for
who sees that and nothing else. Rules on pixels stand in `benchmarks/cospace_shortcuts.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from isovist.core.answers import Choice, JointAnswer
from isovist.core.rotation import wrapped
from isovist.core.task import Question, Shortcut
from isovist.scenes.answer_options import letters_of
from isovist.scenes.environments.environment import VisibleObject
from isovist.suites.cospace import action_sequences
from isovist.suites.cospace.directions import CARDINAL, DIAGONAL
from isovist.suites.cospace.target_objects import pictures_of, share_in
from isovist.suites.cospace.view_sets import AROUND, Views

Rule = Callable[[Any, Question], Collection[str]]
Shortcuts = dict[str, Shortcut[Any]]


# Directions ---------------------------------------------------------------------------------------------------------

DirectionRule = Callable[[Views, str, Sequence[int | None]], Collection[str]]
"""A rule that is given the views, the name of the thing asked about, and the direction that each option stands for."""


def _seen_in(views: Views, name: str) -> tuple[int, ...]:
    return pictures_of(views.thing(name), views.heading, views.fov)


def _aslant(pictures: Sequence[int]) -> int:
    """The direction between two neighbouring pictures."""
    return 1 + 2 * (pictures[0] if pictures[1] - pictures[0] == 1 else pictures[1])


def _fitting(directions: Sequence[int | None], wanted: Collection[int]) -> tuple[str, ...]:
    return letters_of(place for place, direction in enumerate(directions) if direction in wanted)


def straight_if_once(views: Views, name: str, directions: Sequence[int | None]) -> Collection[str]:
    """Seen in one picture it lies straight that way, seen in two between them."""
    pictures = _seen_in(views, name)
    return _fitting(directions, {2 * pictures[0]} if len(pictures) == 1 else {_aslant(pictures)})


def any_in_pictures(views: Views, name: str, directions: Sequence[int | None]) -> Collection[str]:
    """A direction of which the picture that shows it holds a part, or which lies between the two that do."""
    pictures = _seen_in(views, name)
    around = {(2 * pictures[0] + k) % 8 for k in (-1, 0, 1)}
    return _fitting(directions, around if len(pictures) == 1 else {_aslant(pictures)})


def most_of_it(views: Views, name: str, directions: Sequence[int | None]) -> Collection[str]:
    """Straight to where the picture looks that shows most of it."""
    thing = views.thing(name)
    picture = max(range(4), key=lambda i: share_in(thing, views.heading + AROUND[i], views.fov))
    return _fitting(directions, {2 * picture})


def place_alone(views: Views, name: str, directions: Sequence[int | None]) -> Collection[str]:
    """By where in a picture it is seen, no matter in which: straight near the middle, aslant near the sides."""
    off = min(abs(wrapped(views.thing(name).bearing - views.heading - turn)) for turn in AROUND)
    return _fitting(directions, CARDINAL if off < 22.5 else DIAGONAL)


def straight(_views: Views, _name: str, directions: Sequence[int | None]) -> Collection[str]:
    """One of the straight directions, whatever is seen."""
    return _fitting(directions, CARDINAL)


def amid_the_others(_views: Views, _name: str, directions: Sequence[int | None]) -> Collection[str]:
    """The direction that is nearest to the other options, whatever is seen."""
    far = [sum(min(((a or 0) - (b or 0)) % 8, ((b or 0) - (a or 0)) % 8) for b in directions) for a in directions]
    return letters_of(place for place, off in enumerate(far) if off == min(far))


def _of_directions(directions_of: Callable[[Any], Sequence[int | None]]) -> Shortcuts:
    """The rules for options that stand for directions, which `directions_of` tells of a scene."""

    def of(rule: DirectionRule) -> Rule:
        return lambda scene, _: rule(scene.views, scene.target, directions_of(scene))

    return {name: Shortcut(of(rule), without, is_partial) for name, (rule, without, is_partial) in _DIRECTIONS.items()}


def same_direction_twice(scene: Any, question: Question) -> Collection[str]:
    """The joint question without its pictures: two options that name one direction."""
    assert isinstance(question.answer, JointAnswer)
    ends = [action_sequences.leads_to(way) for way in scene.routes]
    names = [name for name, _ in question.answer.parts]
    matches = [(place, ends.index(side)) for place, side in enumerate(scene.sides) if side in ends]
    return tuple(
        JointAnswer(tuple((name, Choice(tuple("ABCD"), place)) for name, place in zip(names, pair, strict=True))).canonical()
        for pair in matches
    )


# Things that lie in a direction -------------------------------------------------------------------------------------


def in_its_pictures(scene: Any, _question: Question) -> Collection[str]:
    """An option that is seen in a picture which the asked direction is part of; aslant, if there is one, in both."""
    return letters_of(_sharing(scene))


def _sharing(scene: Any) -> list[int]:
    around = (
        [scene.asked_direction // 2]
        if scene.asked_direction % 2 == 0
        else [scene.asked_direction // 2, (scene.asked_direction // 2 + 1) % 4]
    )
    seen = [_seen_in(scene.views, name) for name in scene.candidates]
    both = [place for place, pictures in enumerate(seen) if scene.asked_direction % 2 and set(pictures) == set(around)]
    return both or [place for place, pictures in enumerate(seen) if len(pictures) == 1 and pictures[0] in around]


def _extreme(scene: Any, _question: Question, *, measure: Callable[[VisibleObject], float], sharing: bool) -> Collection[str]:
    """The option that has most of something, among all or among those of `in_its_pictures`."""
    among = _sharing(scene) if sharing else range(len(scene.candidates))
    return letters_of([max(among, key=lambda place: measure(scene.views.thing(scene.candidates[place])))] if among else [])


_SIZES: dict[str, Callable[[VisibleObject], float]] = {
    "widest": lambda thing: thing.width,
    "narrowest": lambda thing: -thing.width,
    "highest": lambda thing: thing.height,
    "largest": lambda thing: thing.width * thing.height,
    "smallest": lambda thing: -thing.width * thing.height,
    "nearest": lambda thing: -thing.distance,
    "farthest": lambda thing: thing.distance,
}


# Counting -----------------------------------------------------------------------------------------------------------


def shown(scene: Any) -> list[int]:
    """How many of the kind each picture shows."""
    looked = scene.views
    seen = [pictures_of(thing, looked.heading, looked.fov) for thing in looked.objects if thing.name == scene.category]
    return [sum(picture in pictures for pictures in seen) for picture in range(4)]


def _number(scene: Any, _question: Question, *, count_of: Callable[[list[int]], int], more: int) -> Collection[str]:
    return (str(max(1, count_of(shown(scene)) + more)),)


def of_its_group(scene: Any, _question: Question) -> Collection[str]:
    """One or two where the pictures show two together at most, else three to five: all that the pictures tell by themselves."""
    return ("1", "2") if sum(shown(scene)) <= 2 else ("3", "4", "5")


_NUMBERS: dict[str, tuple[Callable[[list[int]], int], range]] = {
    "all pictures together": (sum, range(-3, 1)),
    "the fullest picture": (max, range(3)),
    "pictures that show one": (lambda each: sum(n > 0 for n in each), range(-1, 2)),
}


# Turns --------------------------------------------------------------------------------------------------------------


def round_again(scene: Any, _question: Question) -> Collection[str]:
    """The last picture is the first one: the angle by which the turns make a whole one; else one of the others."""
    turns, n = scene.views.rotations_deg, len(scene.views.rotations_deg) - 1
    same = wrapped(turns[-1] - turns[0]) == 0
    return letters_of([place for place, angle in enumerate(scene.offered_angles) if (angle * n % 360 == 0) == same])


def wide_view(scene: Any, _question: Question) -> Collection[str]:
    """The greatest angle where the pictures are at least 100 degrees wide, else the smallest."""
    wanted = max(scene.offered_angles) if scene.views.fov >= 100 else min(scene.offered_angles)
    return letters_of([scene.offered_angles.index(wanted)])


def _apart(scene: Any) -> list[list[float]]:
    turns = scene.views.rotations_deg
    return [[abs(wrapped(a - b)) for b in turns] for a in turns]


Extreme = Callable[[list[float]], float]


def _outlier(scene: Any, wanted: Extreme) -> Collection[str]:
    """The picture that looks farthest from the others, or nearest to them, in whatever order they stand."""
    far = [sum(distances) for distances in _apart(scene)]
    return tuple(str(place + 1) for place, value in enumerate(far) if abs(value - wanted(far)) < 1e-6)


def _one_of_a_pair(scene: Any, wanted: Extreme) -> Collection[str]:
    """One of the two neighbours that share most, or least."""
    apart = _apart(scene)
    turns = [apart[i][i + 1] for i in range(len(apart) - 1)]
    first = turns.index(wanted(turns))
    return str(first + 1), str(first + 2)


# All of them --------------------------------------------------------------------------------------------------------

_PICTURE, _PLACE, _LOOK = "where in the picture it stands", "which picture shows it", "the pictures"
_DIRECTIONS: dict[str, tuple[DirectionRule, str, bool]] = {
    "one picture is straight, two are aslant": (straight_if_once, _PICTURE, True),
    "the pictures that show it": (any_in_pictures, _PICTURE, True),
    "the picture that shows most of it": (most_of_it, _PICTURE, True),
    "the place in a picture, no matter in which": (place_alone, _PLACE, True),
    "a straight direction": (straight, _LOOK, False),
    "the direction amid the others": (amid_the_others, _LOOK, False),
}

OFFERED: Shortcuts = _of_directions(lambda scene: scene.offered_directions)
SIDES: Shortcuts = _of_directions(lambda scene: scene.sides)
WAYS: Shortcuts = _of_directions(lambda scene: [action_sequences.leads_to(way) for way in scene.routes])
BOTH: Shortcuts = {"two options that name one direction": Shortcut(same_direction_twice, _LOOK)}
THINGS: Shortcuts = {
    "in a picture of the direction": Shortcut(in_its_pictures, _PICTURE, partial=True),
    **{name: Shortcut(partial(_extreme, measure=measure, sharing=False), "directions") for name, measure in _SIZES.items()},
    **{
        f"in a picture of the direction, {name}": Shortcut(partial(_extreme, measure=_SIZES[name], sharing=True), _PICTURE, partial=True)
        for name in ("narrowest", "nearest", "farthest")
    },
}
COUNTS: Shortcuts = {
    "one or two, or three to five": Shortcut(of_its_group, "finding what is seen twice", partial=True),
    **{
        f"{name} {more:+d}" if more else name: Shortcut(
            partial(_number, count_of=count_of, more=more), "finding what is seen twice", partial=True
        )
        for name, (count_of, mores) in _NUMBERS.items()
        for more in mores
    },
}
ANGLES: Shortcuts = {
    "first and last picture the same": Shortcut(round_again, "what neighbouring pictures share"),
    "wide pictures turn far": Shortcut(wide_view, _LOOK),
}
ODD_ONES: Shortcuts = {
    "looks farthest from the others": Shortcut(lambda scene, _: _outlier(scene, max), "the order of the pictures"),
    "looks nearest to the others": Shortcut(lambda scene, _: _outlier(scene, min), "the order of the pictures"),
    "one of the two neighbours that share most": Shortcut(lambda scene, _: _one_of_a_pair(scene, min), "the other turns", partial=True),
    "one of the two neighbours that share least": Shortcut(lambda scene, _: _one_of_a_pair(scene, max), "the other turns", partial=True),
}
