"""Chains of thought that compare two images object by object: missing or changed circles, and objects at their mirror positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from isovist.core.drawing2d import Circle, Drawing, Line, Point, Polygon, Shape
from isovist.core.reasoning.templates import NUMBER, SPOT, Step, StepTemplate, list_of, listed, one_of
from isovist.suites.perceptv.cot import PLACES, THIRDS, TOTAL, FactChains, Spot, placed, spot, spot_of, stated
from isovist.suites.perceptv.shared_parts import HEIGHT, WIDTH
from isovist.world.scenes.palette import HUES, NAMES
from isovist.world.scenes.shapes2d import middle

_HUE = f"(?:{one_of(HUES)})"
THIRD = StepTemplate(
    "{third} third, x {low} to {high}: {same} {kept}; {what} {other}.",
    "in the {third} third (x {low} to {high}), {same}: {kept}; {what}: {other}.",
    "x {low} to {high}, the {third} third: {what} {other}; {same} {kept}.",
    third=one_of(THIRDS),
    same="in both images|unchanged",
    what="missing|changed",
    kept=list_of(rf"{SPOT}(?: {_HUE})?"),
    other=list_of(rf"{NUMBER} {SPOT}(?: {_HUE} then {_HUE})?"),
)

_Changes = Sequence[tuple[Spot, str, str]]
"""The positions in the first image, their colours, and their colours in the second image ("" if the circle is missing)."""


def _comparison(event: str, same: str, counts: Callable[[str, str], bool], describe: Callable[[str, str], str]) -> FactChains[_Changes]:
    """List the circles that count and the others; `describe` formats the colours of a position in both images."""

    def steps(changes: _Changes) -> list[Step]:
        steps = [PLACES()]
        n = 0
        for third, (low, high) in THIRDS.items():
            inside = [change for change in sorted(changes) if low <= change[0][0] <= high]
            kept = [f"{at} {describe(before, after)}".rstrip() for at, before, after in inside if not counts(before, after)]
            other = [f"{at} {describe(before, after)}".rstrip() for at, before, after in inside if counts(before, after)]
            numbered = listed(f"{i} {change}" for i, change in enumerate(other, n + 1))
            n += len(other)
            steps.append(THIRD(third=third, low=low, high=high, same=same, what=event, kept=listed(kept), other=numbered))
        return [*steps, TOTAL(n=n)]

    def of_scene(scene: Any) -> _Changes:
        first, second = ([(mark.center, mark.colour) for mark in marks] for marks in (scene.first, scene.second))
        return [(spot(at, WIDTH, HEIGHT), hue, dict(second).get(at, "")) for at, hue in first]

    return FactChains(steps, of_scene, _changes_of_pictures, stated((TOTAL, "n")))


def _changes_of_pictures(pictures: tuple[Drawing, ...]) -> _Changes:
    """Compare the drawn circles at each position of the first image with those of the second."""
    first, second = (
        {shape.center: NAMES[shape.fill or ""] for shape in picture.shapes if isinstance(shape, Circle)} for picture in pictures
    )
    return [(spot(at, pictures[0].width, pictures[0].height), hue, second.get(at, "")) for at, hue in first.items()]


VANISHED = _comparison("missing", "in both images", lambda before, after: not after, lambda before, after: "")
CHANGED = _comparison(
    "changed",
    "unchanged",
    lambda before, after: before != after,
    lambda before, after: before if before == after else f"{before} then {after}",
)


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

_Object = tuple[str, Spot, str, Spot | None]
"""An object's colour, its position in the first image, its shape, and its position in the second image if that is its mirror position."""
_Mirrored = tuple[bool, int, Sequence[_Object]]
"""Whether the line is vertical, its position, and the objects."""


def _mirror_steps(mirrored: _Mirrored) -> list[Step]:
    upright, at, objects = mirrored
    image = f"({2 * at} - x, y)" if upright else f"(x, {2 * at} - y)"
    steps = [MIRROR(axis="x" if upright else "y", at=at, place="(x, y)", image=image)]
    n = 0
    for hue in HUES:
        same_colour = sorted((first, form, second) for colour, first, form, second in objects if colour == hue)
        matching = [f"{form} {first}-{second}" for first, form, second in same_colour if second]
        elsewhere = [form for _, form, second in same_colour if not second]
        numbered = listed(f"{i} {match}" for i, match in enumerate(matching, n + 1))
        n += len(matching)
        steps += [COLOUR(hue=hue, mirrored=numbered, elsewhere=listed(elsewhere))] if same_colour else []
    return [*steps, TOTAL(n=n)]


def mirrored(along: float, deep: float, *, upright: bool) -> FactChains[_Mirrored]:
    """Objects on both sides of a line of length `along` with sides of depth `deep`; the line is vertical, or horizontal for water."""

    def at(place: Point, side: int) -> Spot:
        """The position of a point given as (along the line, distance from it), on one side of the line."""
        across = deep + side * place[1]
        return spot((across, place[0]), 2 * deep, along) if upright else spot((place[0], across), along, 2 * deep)

    def of_scene(scene: Any) -> _Mirrored:
        objects = [
            (pair.colour, at(pair.before, scene.side), pair.shape, at(pair.after, -scene.side) if pair.before == pair.after else None)
            for pair in scene.objects
        ]
        return upright, 50, objects

    return FactChains(_mirror_steps, of_scene, _mirrored_of_pictures, stated((TOTAL, "n")))


def _mirrored_of_pictures(pictures: tuple[Drawing, ...]) -> _Mirrored:
    """Reflect the centre of each drawn object in the drawn line."""
    first, second = pictures
    now = {(_form(shape), shape.fill): shape for _, shape in placed(second)}
    ((begin, end),) = [shape.points for shape in first.backdrop if isinstance(shape, Line) and len(shape.points) == 2]
    upright = begin[0] == end[0]
    objects: list[_Object] = []
    for at, shape in placed(first):
        (a, b), other = middle(shape), now[_form(shape), shape.fill]
        c, d = middle(other)
        x, y = (2 * begin[0] - a, b) if upright else (a, 2 * begin[1] - b)
        image = spot_of(other, second) if abs(x - c) + abs(y - d) < 0.01 else None
        objects.append((NAMES[shape.fill or ""], at, _form(shape), image))
    return upright, spot(begin, first.width, first.height)[0 if upright else 1], objects


def _form(shape: Shape) -> str:
    """Identify a shape by its number of corners; a square has horizontal sides."""
    if isinstance(shape, Circle):
        return "circle"
    assert isinstance(shape, Polygon)
    if len(shape.points) > 4:
        return "cross"
    return "square" if len({round(y, 6) for _, y in shape.points}) == 2 else "diamond"
