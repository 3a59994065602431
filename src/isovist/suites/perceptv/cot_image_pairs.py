"""Chains of thought that compare two pictures, object by object, and count: what has gone or changed, what lies where a mirror puts it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from isovist.core.drawing2d import Circle, Drawing, Line, Point, Polygon, Shape
from isovist.reasoning.templates import NUMBER, SPOT, Step, StepTemplate, list_of, listed, one_of
from isovist.scenes.palette import HUES, NAMES
from isovist.scenes.shapes2d import middle
from isovist.suites.perceptv.cot import PLACES, THIRDS, TOTAL, Reasoning, Spot, placed, spot, spot_of, stated
from isovist.suites.perceptv.task_factory import HEIGHT, WIDTH

_HUE = f"(?:{one_of(HUES)})"
THIRD = StepTemplate(
    "{third} third, x {low} to {high}: unchanged {kept}; {what} {other}.",
    "in the {third} third (x {low} to {high}), unchanged: {kept}; {what}: {other}.",
    "x {low} to {high}, the {third} third: unchanged are {kept}, {what} are {other}.",
    third=one_of(THIRDS),
    what="missing|changed",
    kept=list_of(rf"{SPOT}(?: {_HUE})?"),
    other=list_of(rf"{NUMBER} {SPOT}(?: {_HUE} then {_HUE})?"),
)

_Changes = Sequence[tuple[Spot, str, str]]
"""Places of the first picture, the colours that are there, and the colours in the second picture: "" for what has gone."""


def _twice(event: str, tell: Callable[[str, str], str]) -> Reasoning[_Changes]:
    """What has gone or changed; `tell` puts into words the colours of a place in both pictures."""

    def steps(changes: _Changes) -> list[Step]:
        steps = [PLACES()]
        n = 0
        for third, (low, high) in THIRDS.items():
            inside = [change for change in sorted(changes) if low <= change[0][0] <= high]
            kept = [f"{at} {tell(before, after)}".rstrip() for at, before, after in inside if before == after]
            other = [f"{at} {tell(before, after)}".rstrip() for at, before, after in inside if before != after]
            numbered = listed(f"{i} {change}" for i, change in enumerate(other, n + 1))
            n += len(other)
            steps.append(THIRD(third=third, low=low, high=high, what=event, kept=listed(kept), other=numbered))
        return [*steps, TOTAL(n=n)]

    def of_scene(scene: Any) -> _Changes:
        first, second = ([(mark.center, mark.colour) for mark in marks] for marks in (scene.first, scene.second))
        return [(spot(at, WIDTH, HEIGHT), hue, dict(second).get(at, "")) for at, hue in first]

    return Reasoning(steps, of_scene, _changes_of_pictures, stated((TOTAL, "n")))


def _changes_of_pictures(pictures: tuple[Drawing, ...]) -> _Changes:
    """By what is drawn at each place of the first picture in the second one."""
    first, second = (
        {shape.center: NAMES[shape.fill or ""] for shape in picture.shapes if isinstance(shape, Circle)} for picture in pictures
    )
    return [(spot(at, pictures[0].width, pictures[0].height), hue, second.get(at, "")) for at, hue in first.items()]


VANISHED = _twice("missing", lambda before, after: "")
CHANGED = _twice("changed", lambda before, after: before if before == after else f"{before} then {after}")


# ---- a mirror ------------------------------------------------------------------------------------------------------

_FORM = "(?:circle|square|diamond|cross)"
MIRROR = StepTemplate(
    "positions are in hundredths of the width from the left and of the height from the top, in the first image and then in the second. The line is at {axis} {at}, so {place} is mirrored to {image}.",
    "I give the position in the first image, then that in the second, in hundredths from the left edge and from the top edge. The line is at {axis} {at}, so the mirror position of {place} is {image}.",
    "the line is at {axis} {at} (in hundredths of the image, x from the left, y from the top). An object at {place} in the first image is mirrored to {image} in the second.",
    axis="[xy]",
    place=r"\(x, y\)",
    image=rf"\({NUMBER} - x, y\)|\(x, {NUMBER} - y\)",
)
COLOUR = StepTemplate(
    "{hue}: at the mirror position {mirrored}; elsewhere {elsewhere}.",
    "{hue} objects at their mirror positions: {mirrored}; others: {elsewhere}.",
    "of the {hue} objects, mirrored: {mirrored}; elsewhere: {elsewhere}.",
    hue=_HUE,
    mirrored=list_of(f"{NUMBER} {_FORM} {SPOT}-{SPOT}"),
    elsewhere=list_of(_FORM),
)

_Thing = tuple[str, Spot, str, Spot | None]
"""An object's colour, its place in the first picture, its form, and its place in the second one if that is the mirror image."""
_Mirrored = tuple[bool, int, Sequence[_Thing]]
"""Whether the line stands upright, where it is, and the objects."""


def _mirror_steps(mirrored: _Mirrored) -> list[Step]:
    upright, at, things = mirrored
    image = f"({2 * at} - x, y)" if upright else f"(x, {2 * at} - y)"
    steps = [MIRROR(axis="x" if upright else "y", at=at, place="(x, y)", image=image)]
    n = 0
    for hue in HUES:
        alike = sorted((first, form, second) for colour, first, form, second in things if colour == hue)
        matching = [f"{form} {first}-{second}" for first, form, second in alike if second]
        elsewhere = [form for _, form, second in alike if not second]
        numbered = listed(f"{i} {match}" for i, match in enumerate(matching, n + 1))
        n += len(matching)
        steps += [COLOUR(hue=hue, mirrored=numbered, elsewhere=listed(elsewhere))] if alike else []
    return [*steps, TOTAL(n=n)]


def mirrored(along: float, deep: float, *, upright: bool) -> Reasoning[_Mirrored]:
    """Objects on both sides of a line so long, each side so deep; the line stands upright, or lies level like water."""

    def at(place: Point, side: int) -> Spot:
        """A place along the line and away from it, on one of its sides."""
        across = deep + side * place[1]
        return spot((across, place[0]), 2 * deep, along) if upright else spot((place[0], across), along, 2 * deep)

    def of_scene(scene: Any) -> _Mirrored:
        things = [
            (pair.colour, at(pair.before, scene.side), pair.shape, at(pair.after, -scene.side) if pair.before == pair.after else None)
            for pair in scene.objects
        ]
        return upright, 50, things

    return Reasoning(_mirror_steps, of_scene, _mirrored_of_pictures, stated((TOTAL, "n")))


def _mirrored_of_pictures(pictures: tuple[Drawing, ...]) -> _Mirrored:
    """By reflecting the middle of each drawn object in the drawn line."""
    first, second = pictures
    now = {(_form(shape), shape.fill): shape for _, shape in placed(second)}
    ((begin, end),) = [shape.points for shape in first.backdrop if isinstance(shape, Line) and len(shape.points) == 2]
    upright = begin[0] == end[0]
    things: list[_Thing] = []
    for at, shape in placed(first):
        (a, b), other = middle(shape), now[_form(shape), shape.fill]
        c, d = middle(other)
        x, y = (2 * begin[0] - a, b) if upright else (a, 2 * begin[1] - b)
        image = spot_of(other, second) if abs(x - c) + abs(y - d) < 0.01 else None
        things.append((NAMES[shape.fill or ""], at, _form(shape), image))
    return upright, spot(begin, first.width, first.height)[0 if upright else 1], things


def _form(shape: Shape) -> str:
    """By the number of corners; a square has level sides."""
    if isinstance(shape, Circle):
        return "circle"
    assert isinstance(shape, Polygon)
    if len(shape.points) > 4:
        return "cross"
    return "square" if len({round(y, 6) for _, y in shape.points}) == 2 else "diamond"
