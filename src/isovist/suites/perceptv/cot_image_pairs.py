"""Chains of thought that compare two pictures, object by object, and count: what has gone or changed, what lies where a mirror puts it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from isovist.core.drawing2d import Circle, Drawing, Line, Point, Polygon, Shape
from isovist.reasoning.templates import NUMBER, Step, StepTemplate, one_of
from isovist.scenes.palette import HUES, NAMES
from isovist.scenes.shapes2d import Mark, middle
from isovist.suites.perceptv.cot import NONE, PLACES, THIRDS, TOTAL, Reasoning, Spot, holds, order, spot, spots_of
from isovist.suites.perceptv.task_factory import HEIGHT, WIDTH

_SPOT = rf"\({NUMBER}, {NUMBER}\)"
_HUE = f"(?:{one_of(HUES)})"
_KEPT = rf"{_SPOT}(?: {_HUE})?"
_OTHER = rf"{NUMBER} {_SPOT}(?: {_HUE} then {_HUE})?"
THIRD = StepTemplate(
    "third",
    (
        "{third} third, x {low} to {high}: as before {kept}; {what} {other}.",
        "in the {third} third (x {low} to {high}), as before: {kept}; {what}: {other}.",
        "x {low} to {high}, the {third} third: {kept} as before, {what} {other}.",
    ),
    {
        "third": one_of(THIRDS),
        "low": NUMBER,
        "high": NUMBER,
        "what": "gone|changed",
        "kept": rf"{NONE}|{_KEPT}(?:, {_KEPT})*",
        "other": rf"{NONE}|{_OTHER}(?:, {_OTHER})*",
    },
)


class _Twice(Protocol):
    @property
    def first(self) -> Sequence[Mark]: ...
    @property
    def second(self) -> Sequence[Mark]: ...


def _thirds(changes: Sequence[tuple[Spot, str, str | None]], event: str, way: int) -> tuple[list[str], int]:
    """The lines about the thirds of a picture, of places with the words for what is there and, if it is another thing now, for that."""
    lines: list[str] = []
    n = 0
    for third, (low, high) in THIRDS.items():
        kept: list[str] = []
        other: list[str] = []
        for at, before, after in sorted(changes, key=lambda change: change[0]):
            if not low <= at[0] <= high:
                continue
            if after is None:
                kept.append(f"{at} {before}".rstrip())
            else:
                n += 1
                other.append(f"{n} {at} {after}".rstrip())
        places = {"kept": ", ".join(kept) or NONE, "other": ", ".join(other) or NONE}
        lines.append(THIRD.render(way, third=third, low=low, high=high, what=event, **places))
    return lines, n


def _write_vanished(scene: _Twice, way: int) -> list[str]:
    changes = [(spot(mark.at, WIDTH, HEIGHT), "", None if mark in scene.second else "") for mark in scene.first]
    lines, n = _thirds(changes, "gone", way >> 3)
    return [PLACES.render(way), *lines, TOTAL.render(way >> 6, n=n)]


def _write_changed(scene: _Twice, way: int) -> list[str]:
    changes = [
        (spot(a.at, WIDTH, HEIGHT), a.hue, None if a.hue == b.hue else f"{a.hue} then {b.hue}")
        for a, b in zip(scene.first, scene.second, strict=True)
    ]
    lines, n = _thirds(changes, "changed", way >> 3)
    return [PLACES.render(way), *lines, TOTAL.render(way >> 6, n=n)]


def _check_twice(pictures: tuple[Drawing, ...], steps: Sequence[Step], event: str) -> list[str]:
    """By what is drawn at each place of the first picture in the second one."""
    if faults := order(steps, ["places", *["third"] * len(THIRDS), "total"]):
        return faults
    first, second = (
        {shape.center: NAMES[shape.fill or ""] for shape in picture.shapes if isinstance(shape, Circle)} for picture in pictures
    )
    faults: list[str] = []
    n = 0
    for step, (third, (low, high)) in zip(steps[1:-1], THIRDS.items(), strict=True):
        kept: list[str] = []
        other: list[str] = []
        for x, y, center in sorted((*spot(at, pictures[0].width, pictures[0].height), at) for at in first):
            if not low <= x <= high:
                continue
            now, colour = second.get(center), first[center]
            if now == colour:
                kept.append(f"({x}, {y})" + (f" {colour}" if event == "changed" else ""))
            else:
                n += 1
                other.append(f"{n} ({x}, {y})" + (f" {colour} then {now}" if event == "changed" else ""))
        faults += holds(step, (step["third"], step.number("low"), step.number("high"), step["what"]) == (third, low, high, event))
        faults += holds(step, step["kept"] == (", ".join(kept) or NONE) and step["other"] == (", ".join(other) or NONE))
    return faults + holds(steps[-1], steps[-1].number("n") == n)


VANISHED = Reasoning((PLACES, THIRD, TOTAL), _write_vanished, lambda pictures, steps: _check_twice(pictures, steps, "gone"))
CHANGED = Reasoning((PLACES, THIRD, TOTAL), _write_changed, lambda pictures, steps: _check_twice(pictures, steps, "changed"))


# ---- a mirror ------------------------------------------------------------------------------------------------------

_FORMS = ("circle", "square", "diamond", "cross")
_FORM = f"(?:{one_of(_FORMS)})"
_MOVED = rf"{NUMBER} {_FORM} {_SPOT}-{_SPOT}"
MIRROR = StepTemplate(
    "mirror",
    (
        "places are hundredths of the width from the left and of the height from the top, in the first picture and then in the second. The line is at {axis} {at}, so {place} belongs at {image}.",
        "I tell the place in the first picture, then that in the second, in hundredths from the left edge and from the top edge. With the line at {axis} {at}, what was at {place} belongs at {image}.",
        "the line is at {axis} {at} (in hundredths of the picture, x from the left, y from the top). What the first picture has at {place} belongs at {image} of the second.",
    ),
    {"axis": "[xy]", "at": NUMBER, "place": r"\(x, y\)", "image": rf"\({NUMBER} - x, y\)|\(x, {NUMBER} - y\)"},
)
COLOUR = StepTemplate(
    "colour",
    (
        "{hue}: there {mirrored}; elsewhere {elsewhere}.",
        "{hue} objects at that place: {mirrored}; others: {elsewhere}.",
        "of the {hue} ones, in place: {mirrored}; elsewhere: {elsewhere}.",
    ),
    {"hue": _HUE, "mirrored": rf"{NONE}|{_MOVED}(?:, {_MOVED})*", "elsewhere": rf"{NONE}|{_FORM}(?:, {_FORM})*"},
)


class _Thing(Protocol):
    @property
    def form(self) -> str: ...
    @property
    def hue(self) -> str: ...
    @property
    def before(self) -> Point: ...
    @property
    def after(self) -> Point: ...


class _Mirror(Protocol):
    @property
    def side(self) -> int: ...
    @property
    def things(self) -> Sequence[_Thing]: ...


def mirrored(along: float, deep: float, *, upright: bool) -> Reasoning:
    """Objects on both sides of a line so long, each side so deep; the line stands upright, or lies level like water."""

    def at(place: Point, side: int) -> Spot:
        """A place along the line and away from it, on one of its sides."""
        across = deep + side * place[1]
        return spot((across, place[0]), 2 * deep, along) if upright else spot((place[0], across), along, 2 * deep)

    def write(scene: _Mirror, way: int) -> list[str]:
        axis, image = ("x", "(100 - x, y)") if upright else ("y", "(x, 100 - y)")
        lines = [MIRROR.render(way, axis=axis, at=50, place="(x, y)", image=image)]
        n = 0
        for hue in HUES:
            those = sorted((at(pair.before, scene.side), pair.form, pair.before, pair.after) for pair in scene.things if pair.hue == hue)
            matching: list[str] = []
            for first, form, before, after in those:
                if before == after:
                    n += 1
                    matching.append(f"{n} {form} {first}-{at(after, -scene.side)}")
            elsewhere = [form for _, form, before, after in those if before != after]
            if those:
                lines.append(COLOUR.render(way >> 3, hue=hue, mirrored=", ".join(matching) or NONE, elsewhere=", ".join(elsewhere) or NONE))
        return [*lines, TOTAL.render(way >> 6, n=n)]

    return Reasoning((MIRROR, COLOUR, TOTAL), write, _check_mirrored)


def _form(shape: Shape) -> str:
    """By the number of corners; a square has level sides."""
    if isinstance(shape, Circle):
        return "circle"
    assert isinstance(shape, Polygon)
    if len(shape.points) > 4:
        return "cross"
    return "square" if len({round(y, 6) for _, y in shape.points}) == 2 else "diamond"


def _check_mirrored(pictures: tuple[Drawing, ...], steps: Sequence[Step]) -> list[str]:
    """By reflecting the middle of each drawn object in the drawn line."""
    first, second = pictures
    now = {(_form(shape), shape.fill): shape for shape in second.shapes if isinstance(shape, (Circle, Polygon))}
    drawn = sorted(
        ((spots_of([shape], first)[0], shape) for shape in first.shapes if isinstance(shape, (Circle, Polygon))), key=lambda entry: entry[0]
    )
    hues = [hue for hue in HUES if any(NAMES[shape.fill or ""] == hue for _, shape in drawn)]
    if faults := order(steps, ["mirror", *["colour"] * len(hues), "total"]):
        return faults
    (line,) = [shape.points for shape in first.backdrop if isinstance(shape, Line) and len(shape.points) == 2]
    upright = line[0][0] == line[1][0]
    x, y = spot(line[0], first.width, first.height)
    due = (
        {"axis": "x", "at": str(x), "image": f"({2 * x} - x, y)"} if upright else {"axis": "y", "at": str(y), "image": f"(x, {2 * y} - y)"}
    )
    faults = holds(steps[0], all(steps[0][name] == value for name, value in due.items()))
    n = 0
    for step, hue in zip(steps[1:-1], hues, strict=True):
        matching: list[str] = []
        elsewhere: list[str] = []
        for at, shape in drawn:
            if NAMES[shape.fill or ""] != hue:
                continue
            form, other = _form(shape), now[_form(shape), shape.fill]
            (a, b), (c, d) = middle(shape), middle(other)
            image = (2 * line[0][0] - a, b) if upright else (a, 2 * line[0][1] - b)
            if abs(image[0] - c) + abs(image[1] - d) < 0.01:
                n += 1
                matching.append(f"{n} {form} {at}-{spots_of([other], second)[0]}")
            else:
                elsewhere.append(form)
        faults += holds(step, step["hue"] == hue and step["mirrored"] == (", ".join(matching) or NONE))
        faults += holds(step, step["elsewhere"] == (", ".join(elsewhere) or NONE))
    return faults + holds(steps[-1], steps[-1].number("n") == n)
