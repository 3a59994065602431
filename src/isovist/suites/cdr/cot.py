"""Chains of thought for CDR's relations and headings, and the verifier that replays them against the picture.

A chain has up to five steps (section III-D's components, in our words): where things are, what that is as a direction of the picture,
which wind each of the eight directions of the picture is, the inference, the answer. The writer goes by the scene's own indices. The
verifier goes by the drawn shapes: the cells in which the names stand and the turn of the icon, directions as angles between points,
winds by turning a compass so that it agrees with the question.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Protocol

from isovist.core.answers import Choice
from isovist.core.drawing2d import Drawing
from isovist.reasoning.templates import Step, StepTemplate, answer, one_of, parse_chain, phrasing
from isovist.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS, STEPS
from isovist.scenes.grid import cell_at
from isovist.scenes.icons import DIRECTED, UPRIGHT
from isovist.suites.cdr import layouts
from isovist.suites.cdr.layouts import Icon, Surrounded, Symbols
from isovist.suites.cdr.rederivation import DrawnSymbol, seen

_PLACE, _WIND = one_of(IMAGE_DIRECTIONS), one_of(COMPASS_DIRECTIONS)
_FRONT = one_of({kind.front for kind in DIRECTED})
_THING = f"the (?:letter [A-Z]|number [0-9]+|{one_of({kind.category for kind in (*DIRECTED, *UPRIGHT)})})"
_CELL = "[1-3]"
_EIGHTHS = rf"(?:{_PLACE}) is (?:{_WIND})"

CELLS = StepTemplate(
    "cells",
    (
        "{origin} is in row {row}, column {column}, and {target} is in row {down}, column {across} of the grid.",
        "on the grid, {origin} stands in row {row}, column {column}; {target} stands in row {down}, column {across}.",
        "in the grid I find {origin} in row {row}, column {column}, and {target} in row {down}, column {across}.",
        "row {row}, column {column} of the grid holds {origin}; row {down}, column {across} holds {target}.",
    ),
    {"origin": _THING, "target": _THING, "row": _CELL, "column": _CELL, "down": _CELL, "across": _CELL},
)
POINTS = StepTemplate(
    "points",
    (
        "the {front} of {origin} points {place} in the picture.",
        "in the picture, {origin} is turned so that its {front} points {place}.",
        "looking at {origin}, its {front} points {place} in the picture.",
    ),
    {"front": _FRONT, "origin": _THING, "place": _PLACE},
)
PLACE = StepTemplate(
    "place",
    (
        "so in the picture the direction from {origin} to {target} is {place}.",
        "seen from {origin}, {target} is therefore in the direction {place}.",
        "going from {origin} to {target} therefore leads {place}.",
        "that makes {place} the direction of {target} from {origin}.",
    ),
    {"origin": _THING, "target": _THING, "place": _PLACE},
)
FRAME = StepTemplate(
    "frame",
    (
        "the question fixes the compass: {known} is {wind}. Clockwise, step by step: {mapping}.",
        "since {known} is {wind}, the eight directions of the picture are, clockwise: {mapping}.",
        "with {known} as {wind}, every eighth of a turn clockwise gives the next wind: {mapping}.",
        "let me turn the compass so that {known} is {wind}: {mapping}.",
    ),
    {"known": _PLACE, "wind": _WIND, "mapping": rf"{_EIGHTHS}(?:, {_EIGHTHS}){{7}}"},
)
INFERENCE = StepTemplate(
    "inference",
    (
        "hence {target} lies {wind} of {origin}.",
        "therefore {target} is {wind} of {origin}.",
        "on the compass, then, {target} lies {wind} of {origin}.",
        "so the compass direction of {target} from {origin} is {wind}.",
    ),
    {"origin": _THING, "target": _THING, "wind": _WIND},
)
HEADING = StepTemplate(
    "heading",
    (
        "so the {front} of {origin} points {wind}.",
        "hence, on the compass, the {front} of {origin} points {wind}.",
        "that turns the {front} of {origin} towards {wind}.",
    ),
    {"front": _FRONT, "origin": _THING, "wind": _WIND},
)
_STATEMENTS = (CELLS, POINTS, PLACE, FRAME, INFERENCE, HEADING)


class _Asked(Protocol):
    @property
    def origin(self) -> str: ...
    @property
    def options(self) -> tuple[str, ...]: ...
    @property
    def answer(self) -> str: ...


class _SymbolScene(_Asked, Protocol):
    @property
    def layout(self) -> Symbols: ...
    @property
    def origin_cell(self) -> int: ...
    @property
    def target_cell(self) -> int: ...
    @property
    def target(self) -> str: ...
    @property
    def place(self) -> int: ...
    @property
    def up(self) -> int | None: ...


class _IconScene(_Asked, Protocol):
    @property
    def layout(self) -> Surrounded: ...
    @property
    def target(self) -> str: ...
    @property
    def place(self) -> int: ...
    @property
    def front(self) -> str: ...
    @property
    def heading_is(self) -> int | None: ...


class _HeadingScene(_Asked, Protocol):
    @property
    def layout(self) -> Icon: ...
    @property
    def front(self) -> str: ...
    @property
    def up(self) -> int | None: ...


def of_symbols(scene: _SymbolScene) -> str:
    way = phrasing(scene)
    places = divmod(scene.origin_cell, 3), divmod(scene.target_cell, 3)
    lines = [_cells(way, scene.origin, places[0], scene.target, places[1]), _place(way, scene, scene.target, scene.place)]
    if scene.up is None:
        return "\n".join([*lines, answer(_key(scene))])
    return "\n".join([*lines, *_compass(way, scene, scene.target, (0, scene.up))])


def of_icons(scene: _IconScene) -> str:
    way = phrasing(scene)
    down, right = STEPS[scene.place]
    lines = [_cells(way, scene.origin, (1, 1), scene.target, (1 + down, 1 + right)), _place(way, scene, scene.target, scene.place)]
    if scene.heading_is is None:
        return "\n".join([*lines, answer(_key(scene))])
    heading = scene.layout.center.heading
    lines.append(POINTS.render(way // 8, front=scene.front, origin=scene.origin, place=IMAGE_DIRECTIONS[heading]))
    return "\n".join([*lines, *_compass(way, scene, scene.target, (heading, scene.heading_is))])


def of_heading(scene: _HeadingScene) -> str:
    assert scene.up is not None
    way, named = phrasing(scene), {"front": scene.front, "origin": scene.origin}
    lines = [
        POINTS.render(way, **named, place=IMAGE_DIRECTIONS[scene.layout.heading]),
        _frame(way // 8, 0, scene.up),
        HEADING.render(way // 64, **named, wind=scene.answer),
        answer(_key(scene)),
    ]
    return "\n".join(lines)


def _cells(way: int, origin: str, at: tuple[int, int], target: str, to: tuple[int, int]) -> str:
    (row, column), (down, across) = at, to
    return CELLS.render(way, origin=origin, target=target, row=row + 1, column=column + 1, down=down + 1, across=across + 1)


def _place(way: int, scene: _Asked, target: str, place: int) -> str:
    return PLACE.render(way // 64, origin=scene.origin, target=target, place=IMAGE_DIRECTIONS[place])


def _compass(way: int, scene: _Asked, target: str, known: tuple[int, int]) -> list[str]:
    """The last lines of a chain about the compass; `known` is a direction of the picture and the wind that it is."""
    inference = INFERENCE.render(way // 4096, origin=scene.origin, target=target, wind=scene.answer)
    return [_frame(way // 512, *known), inference, answer(_key(scene))]


def _frame(way: int, known: int, wind: int) -> str:
    mapping = ", ".join(f"{IMAGE_DIRECTIONS[(known + k) % 8]} is {COMPASS_DIRECTIONS[(wind + k) % 8]}" for k in range(8))
    return FRAME.render(way, known=IMAGE_DIRECTIONS[known], wind=COMPASS_DIRECTIONS[wind], mapping=mapping)


def _key(scene: _Asked) -> Choice:
    return Choice(scene.options, scene.options.index(scene.answer))


# ---- the verifier --------------------------------------------------------------------------------------------------

_DEGREES = {"up": 0, "right": 90, "down": 180, "left": 270, "upper right": 45, "lower right": 135, "lower left": 225, "upper left": 315}
_BEARINGS = {"North": 0, "East": 90, "South": 180, "West": 270, "Northeast": 45, "Southeast": 135, "Southwest": 225, "Northwest": 315}
"""Degrees clockwise from up and from north: not the lists of indices from which chains are written."""


def replay_symbols(scene: _SymbolScene, text: str) -> list[str]:
    (drawing,) = layouts.draw_symbols(scene.layout)
    up = None if scene.up is None else (0, _BEARINGS[COMPASS_DIRECTIONS[scene.up]])
    return _replayed(scene, scene.target, None, drawing, up, text)


def replay_icons(scene: _IconScene, text: str) -> list[str]:
    (drawing,) = layouts.draw_surrounded(scene.layout)
    if scene.heading_is is None:
        return _replayed(scene, scene.target, None, drawing, None, text)
    known = _heading(_named(drawing)[scene.origin]), _BEARINGS[COMPASS_DIRECTIONS[scene.heading_is]]
    return _replayed(scene, scene.target, scene.front, drawing, known, text)


def replay_heading(scene: _HeadingScene, text: str) -> list[str]:
    assert scene.up is not None
    (drawing,) = layouts.draw_icon(scene.layout)
    return _replayed(scene, None, scene.front, drawing, (0, _BEARINGS[COMPASS_DIRECTIONS[scene.up]]), text)


def _named(drawing: Drawing) -> dict[str, DrawnSymbol]:
    """What is drawn, by the names that a chain gives it."""
    by_name: dict[str, DrawnSymbol] = {}
    for thing in seen(drawing):
        kind = "number " if thing.name.isdecimal() else "letter " if len(thing.name) == 1 else ""
        by_name[f"the {kind}{thing.name}"] = thing
    return by_name


def _heading(thing: DrawnSymbol) -> int:
    assert thing.heading is not None
    return round(thing.heading) % 360


def _direction(origin: DrawnSymbol, target: DrawnSymbol) -> int:
    """Degrees clockwise from up."""
    return round(math.degrees(math.atan2(target.at[0] - origin.at[0], target.at[1] - origin.at[1]))) % 360


def _replayed(
    scene: _Asked, target: str | None, front: str | None, drawing: Drawing, known: tuple[int, int] | None, text: str
) -> list[str]:
    """What is wrong with a chain. `known`: an angle of the picture and the bearing that it has, if the question is of the compass."""
    steps, faults = parse_chain(text, _STATEMENTS, _key(scene))
    due = (["cells", "place"] if target else []) + (["points"] if front else [])
    due += [] if known is None else ["frame", "inference" if target else "heading"]
    if [step.statement for step in steps] != due:
        faults.append(f"its steps are {[step.statement for step in steps]}, not {due}")
    things = _named(drawing)
    origin = things[scene.origin]
    angle = _direction(origin, things[target]) if target else _heading(origin)
    for step in steps:
        asked = {"origin": scene.origin, "target": target, "front": front}
        if any(step.values.get(name, right) != right for name, right in asked.items()):
            faults.append(f"{step.line!r} is not about what is asked")
        else:
            faults += _held(step, things, angle, known)
    return faults


def _held(step: Step, things: Mapping[str, DrawnSymbol], angle: int, known: tuple[int, int] | None) -> list[str]:
    """A fault if a step about the right things does not hold."""
    right = True
    match step.statement:
        case "cells":
            cells = (cell_at(things[step[name]].at) for name in ("origin", "target"))
            right = [(row + 1, column + 1) for row, column in cells] == [
                (step.number("row"), step.number("column")),
                (step.number("down"), step.number("across")),
            ]
        case "points":
            right = _DEGREES[step["place"]] == _heading(things[step["origin"]])
        case "place":
            right = _DEGREES[step["place"]] == angle
        case "frame":
            right = known is not None and _turned(step, known)
        case _:  # an inference: the compass turned from what is known to the direction asked
            right = known is not None and _BEARINGS[step["wind"]] == (known[1] + angle - known[0]) % 360
    return [] if right else [f"{step.line!r} does not hold"]


_EIGHTH = re.compile(rf"({_PLACE}) is ({_WIND})")


def _turned(step: Step, known: tuple[int, int]) -> bool:
    """Whether the compass goes once round, clockwise from what is known, and every wind follows the one before."""
    pairs = [(_DEGREES[place], _BEARINGS[wind]) for place, wind in _EIGHTH.findall(step["mapping"])]
    first = (_DEGREES[step["known"]], _BEARINGS[step["wind"]])
    on = all((a[0] + 45) % 360 == b[0] and (a[1] + 45) % 360 == b[1] for a, b in pairwise(pairs))
    return first == known == pairs[0] and len(pairs) == len(_DEGREES) and on
