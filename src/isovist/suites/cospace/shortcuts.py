"""Cheap rules for the tasks of CoSpace, which leave out what the tasks claim to test, or a part of it.

Each takes a scene and its question and gives the replies among which it would guess, in canonical form; none where it has no opinion. What a
rule needs to see (in which pictures a thing is, how many a picture shows) it takes from the scene: so each is an upper bound for who
sees that and nothing else. All of them do a part of the work, `PARTIAL`, but those that look at the options' sizes and distances alone.
Rules on pixels stand in `benchmarks/cospace_shortcuts.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from isovist.core.answers import LETTERS, Choice, Fields
from isovist.core.rotation import wrapped
from isovist.core.task import Question
from isovist.kits.worlds.world import Sighting
from isovist.suites.cospace import routes
from isovist.suites.cospace.targets import pictures_of, share_in
from isovist.suites.cospace.views import AROUND, Views

Rule = Callable[[Any, Question], Collection[str]]
SHORTCUT: Final = "shortcut"
PARTIAL: Final = "partial"


def _letters(of: Collection[int]) -> tuple[str, ...]:
    return tuple(LETTERS[place] for place in sorted(of))


# Directions ---------------------------------------------------------------------------------------------------------


def _target(scene: Any) -> tuple[Views, str, Sequence[int | None]]:
    """The views, the thing asked about, and the direction that each option stands for."""
    if hasattr(scene, "offered"):
        return scene.views, scene.thing, scene.offered
    return scene.views, scene.thing, scene.sides


def _seen_in(views: Views, name: str) -> tuple[int, ...]:
    return pictures_of(views.thing(name), views.heading, views.fov)


def _aslant(pictures: Sequence[int]) -> int:
    """The direction between two neighbouring pictures."""
    return 1 + 2 * (pictures[0] if pictures[1] - pictures[0] == 1 else pictures[1])


def _fitting(directions: Sequence[int | None], wanted: Collection[int]) -> tuple[str, ...]:
    return _letters([place for place, direction in enumerate(directions) if direction in wanted])


def straight_if_once(scene: Any, question: Question) -> Collection[str]:
    """Seen in one picture it lies straight that way, seen in two between them."""
    del question
    views, name, directions = _target(scene)
    pictures = _seen_in(views, name)
    return _fitting(directions, {2 * pictures[0]} if len(pictures) == 1 else {_aslant(pictures)})


def any_in_pictures(scene: Any, question: Question) -> Collection[str]:
    """A direction of which the picture that shows it holds a part, or which lies between the two that do."""
    del question
    views, name, directions = _target(scene)
    pictures = _seen_in(views, name)
    around = {(2 * pictures[0] + k) % 8 for k in (-1, 0, 1)}
    return _fitting(directions, around if len(pictures) == 1 else {_aslant(pictures)})


def most_of_it(scene: Any, question: Question) -> Collection[str]:
    """Straight to where the picture looks that shows most of it."""
    del question
    views, name, directions = _target(scene)
    thing = views.thing(name)
    picture = max(range(4), key=lambda i: share_in(thing, views.heading + AROUND[i], views.fov))
    return _fitting(directions, {2 * picture})


def place_alone(scene: Any, question: Question) -> Collection[str]:
    """By where in a picture it is seen, no matter in which: straight near the middle, aslant near the sides."""
    del question
    views, name, directions = _target(scene)
    off = min(abs(wrapped(views.thing(name).bearing - views.heading - turn)) for turn in AROUND)
    return _fitting(directions, {0, 2, 4, 6} if off < 22.5 else {1, 3, 5, 7})


def _of_ways(rule: Rule) -> Rule:
    """The same rule where the options are ways: by where each leads."""

    def of_ways(scene: Any, question: Question) -> Collection[str]:
        sides = [routes.leads_to(way) for way in scene.ways]
        return rule(_Standing(scene.views, scene.thing, sides), question)

    return of_ways


class _Standing:
    """A scene whose options are these directions."""

    def __init__(self, views: Views, thing: str, offered: Sequence[int | None]) -> None:
        self.views, self.thing, self.offered = views, thing, offered


def same_direction_twice(scene: Any, question: Question) -> Collection[str]:
    """The joint question without its pictures: two options that name one direction."""
    assert isinstance(question.answer, Fields)
    ends = [routes.leads_to(way) for way in scene.ways]
    names = [name for name, _ in question.answer.parts]
    told = [(place, ends.index(side)) for place, side in enumerate(scene.sides) if side in ends]
    return tuple(
        Fields(tuple((name, Choice(tuple("ABCD"), place)) for name, place in zip(names, pair, strict=True))).canonical() for pair in told
    )


# Things that lie in a direction -------------------------------------------------------------------------------------


def in_its_pictures(scene: Any, question: Question) -> Collection[str]:
    """An option that is seen in a picture which the asked direction is part of; aslant, if there is one, in both."""
    del question
    return _letters(_sharing(scene))


def _sharing(scene: Any) -> list[int]:
    around = [scene.asked // 2] if scene.asked % 2 == 0 else [scene.asked // 2, (scene.asked // 2 + 1) % 4]
    seen = [_seen_in(scene.views, name) for name in scene.things]
    both = [place for place, pictures in enumerate(seen) if scene.asked % 2 and set(pictures) == set(around)]
    return both or [place for place, pictures in enumerate(seen) if len(pictures) == 1 and pictures[0] in around]


def _extreme(of: Callable[[Sighting], float], *, sharing: bool) -> Rule:
    """The option that has most of something, among all or among those of `in_its_pictures`."""

    def extreme(scene: Any, question: Question) -> Collection[str]:
        del question
        among = _sharing(scene) if sharing else range(len(scene.things))
        return _letters([max(among, key=lambda place: of(scene.views.thing(scene.things[place])))] if among else [])

    return extreme


_SIZES: dict[str, Callable[[Sighting], float]] = {
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
    seen = [pictures_of(thing, looked.heading, looked.fov) for thing in looked.things if thing.name == scene.kind]
    return [sum(picture in pictures for pictures in seen) for picture in range(4)]


def _number(of: Callable[[list[int]], int], more: int) -> Rule:
    def number(scene: Any, question: Question) -> Collection[str]:
        del question
        return (str(max(1, of(shown(scene)) + more)),)

    return number


_NUMBERS: dict[str, tuple[Callable[[list[int]], int], range]] = {
    "all pictures together": (sum, range(-3, 1)),
    "the fullest picture": (max, range(3)),
    "pictures that show one": (lambda each: sum(n > 0 for n in each), range(-1, 3)),
}


# All of them --------------------------------------------------------------------------------------------------------

_DIRECTIONS: dict[str, Rule] = {
    "one picture is straight, two are aslant": straight_if_once,
    "which pictures show it": any_in_pictures,
    "the picture that shows most of it": most_of_it,
    "the place in a picture, no matter in which": place_alone,
}
_PLANNED: dict[str, Rule] = {name: _of_ways(rule) for name, rule in _DIRECTIONS.items()}

RULES: dict[str, dict[str, tuple[Rule, str]]] = {
    "direction-recognition": {name: (rule, PARTIAL) for name, rule in _DIRECTIONS.items()},
    "planning-question": {name: (rule, PARTIAL) for name, rule in _DIRECTIONS.items()},
    "planning-decision": {name: (rule, PARTIAL) for name, rule in _PLANNED.items()},
    "planning": {"two options that name one direction": (same_direction_twice, PARTIAL)},
    "directional-object": {
        "in a picture of the direction": (in_its_pictures, PARTIAL),
        **{name: (_extreme(of, sharing=False), SHORTCUT) for name, of in _SIZES.items()},
        **{f"in a picture of the direction, {name}": (_extreme(of, sharing=True), PARTIAL) for name, of in _SIZES.items()},
    },
    "counting": {
        f"{name} {more:+d}" if more else name: (_number(of, more), PARTIAL) for name, (of, mores) in _NUMBERS.items() for more in mores
    },
}
"""By task and name: the rule and whether it is a `SHORTCUT` or `PARTIAL`."""
