"""Chains of thought about several views of one place: orders from the left and from the front, as seen from other standpoints.

The writer takes the spots of the scene; the verifier reads them off the drawn main view, and the orders off the other images.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations

from isovist.core.reasoning.templates import WORDS, Step, StepTemplate, one_of
from isovist.suites.viewpoint import views_around
from isovist.suites.viewpoint.views_around import CLEAR, MIDDLE_NAME, Shown
from isovist.world.scenes.open_ground import THINGS, Spot

PLACES = ("near side", "left", "far side", "right")
"""Where a person stands in the main view, by side."""
_RELATIONS = ("farther left than", "farther away than")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
_NAMES = {thing.id: thing.category for thing in THINGS} | {MIDDLE_NAME: "middle of the place"}
_template = partial(
    StepTemplate,
    names=rf"{WORDS}(?:, {WORDS})*",
    **dict.fromkeys(("a", "b"), WORDS),
    place=one_of(PLACES),
    relation=one_of(_RELATIONS),
    letter="[A-Z]",
)

# ---- what a person sees ----------------------------------------------------------------------------------------------------

_PERSON = _template(
    "In the first image, the person stands at the {place} and looks at the middle.",
    "The person of the first image looks at the middle from the {place}.",
)
_EXPECTED = _template(
    "Seen from there, the objects from left to right are: {names}.",
    "For the person, the objects stand in this order from left to right: {names}.",
)
_IMAGE = _template(
    "Image {letter} shows from left to right: {names}.",
    "In image {letter}, the order from left to right is: {names}.",
)


def person_steps(place: str, expected: Shown, images: Mapping[str, Shown]) -> list[Step]:
    """The place of the person, the order of the objects from there, and the order in each image."""
    orders = [_IMAGE(letter=letter, names=_order(image)) for letter, image in images.items()]
    return [_PERSON(place=place), _EXPECTED(names=_order(expected)), *orders]


def _order(shown: Shown) -> str:
    return ", ".join(_name(look) for look, _, _ in sorted(shown, key=lambda thing: thing[1]))


def _name(look: str) -> str:
    return _NAMES[look]


# ---- from which post -------------------------------------------------------------------------------------------------------

_POST = _template(
    "From post {letter}, the {a} would be {relation} the {b}. In the second image it is not.",
    "Post {letter} would show the {a} {relation} the {b}, which the second image does not.",
)
_AGREES = _template(
    "From post {letter}, the orders from left to right and from far to near are those of the second image.",
    "Post {letter} shows the orders of the second image, from left to right and from far to near.",
)


def post_steps(posts: Mapping[str, Spot], things: Sequence[tuple[str, Spot]], middle: Spot, height: float, seen: Shown) -> list[Step]:
    """For each post, two objects that it would show in another order than the second image, or that all orders agree."""
    steps: list[Step] = []
    for letter, spot in posts.items():
        expected = views_around.seen_from(spot, middle, height, [*things, (MIDDLE_NAME, middle)])
        differing: list[tuple[float, str, str, str]] = []
        for relation, axis, start in zip(_RELATIONS, (1, 2), ("left", "back"), strict=True):
            here, there = ([(str(thing[0]), float(thing[axis])) for thing in shown] for shown in (expected, seen))
            differing += [(clear, relation, a, b) for clear, a, b in _in_another_order(here, there, start)]
        if differing:
            _, relation, a, b = max(differing)
            steps.append(_POST(letter=letter, a=a, b=b, relation=relation))
        else:
            steps.append(_AGREES(letter=letter))
    return steps


def _in_another_order(one: Sequence[tuple[str, float]], other: Sequence[tuple[str, float]], start: str) -> list[tuple[float, str, str]]:
    """The pairs that are visibly in another order: how clearly, and the names of the first and the second one in `one`.

    Objects of one look are counted from `start`.
    """
    looks = [look for look, _ in one]
    matched: list[tuple[str, str, float, float]] = []
    for (look, x), (_, y) in zip(sorted(one), sorted(other), strict=True):
        nth = sum(known == look for known, *_ in matched)
        name = _name(look) if looks.count(look) == 1 else f"{_ORDINALS[nth]} {_name(look)} from the {start}"
        matched.append((look, name, x, y))
    pairs: list[tuple[float, str, str]] = []
    for (look, a, x, y), (other_look, b, u, v) in combinations(matched, 2):
        clear = min(abs(x - u), abs(y - v))
        if look != other_look and (x < u) != (y < v) and clear >= CLEAR:
            pairs.append((round(clear, 5), *((a, b) if x < u else (b, a))))
    return pairs
