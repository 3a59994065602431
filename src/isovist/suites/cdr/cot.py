"""Chains of thought for CDR's relations and headings, and the verifier that replays them against the picture.

A chain has up to five steps (section III-D's components, in our words): where things are, what that is as a direction of the picture,
which wind each of the eight directions of the picture is, the inference, the answer. The writer goes by the scene's own indices. The
verifier goes by the drawn shapes: the cells in which the names stand, the turn of the icon, and directions as angles between points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from isovist.core.answers import Choice
from isovist.core.drawing2d import Drawing
from isovist.reasoning.templates import WORDS, Step, StepTemplate, list_of, phrasing, write_chain
from isovist.reasoning.verifier import step_errors
from isovist.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS, STEPS
from isovist.scenes.grid import cell_at
from isovist.suites.cdr import layouts
from isovist.suites.cdr.rederivation import DrawnSymbol, seen

_template = partial(
    StepTemplate, origin=WORDS, target=WORDS, front=WORDS, place=WORDS, known=WORDS, wind=WORDS, mapping=list_of("[A-Za-z ]{1,40}")
)
CELLS = _template(
    "{origin} is in row {row}, column {column}, and {target} is in row {down}, column {across} of the grid.",
    "on the grid, {origin} stands in row {row}, column {column}; {target} stands in row {down}, column {across}.",
    "in the grid I find {origin} in row {row}, column {column}, and {target} in row {down}, column {across}.",
    "row {row}, column {column} of the grid holds {origin}; row {down}, column {across} holds {target}.",
)
POINTS = _template(
    "the {front} of {origin} points {place} in the picture.",
    "in the picture, {origin} is turned so that its {front} points {place}.",
    "looking at {origin}, its {front} points {place} in the picture.",
)
PLACE = _template(
    "so in the picture the direction from {origin} to {target} is {place}.",
    "seen from {origin}, {target} is therefore in the direction {place}.",
    "going from {origin} to {target} therefore leads {place}.",
    "that makes {place} the direction of {target} from {origin}.",
)
FRAME = _template(
    "the question fixes the compass: {known} is {wind}. Clockwise, step by step: {mapping}.",
    "since {known} is {wind}, the eight directions of the picture are, clockwise: {mapping}.",
    "with {known} as {wind}, every eighth of a turn clockwise gives the next wind: {mapping}.",
    "let me turn the compass so that {known} is {wind}: {mapping}.",
)
INFERENCE = _template(
    "hence {target} lies {wind} of {origin}.",
    "therefore {target} is {wind} of {origin}.",
    "on the compass, then, {target} lies {wind} of {origin}.",
    "so the compass direction of {target} from {origin} is {wind}.",
)
HEADING = _template(
    "so the {front} of {origin} points {wind}.",
    "hence, on the compass, the {front} of {origin} points {wind}.",
    "that turns the {front} of {origin} towards {wind}.",
)
_SLOTS = ((CELLS,), (POINTS,), (PLACE,), (FRAME,), (INFERENCE,))


def _steps(
    origin: str, target: str | None, cells: Iterable[int], direction: int, points: tuple[str, int] | None, known: tuple[int, int] | None
) -> list[Step]:
    """The steps to the direction of a target, or of the origin's own front if there is no target.

    `cells`: row and column of the origin and of the target, from 0. `direction`: an index into the directions of the picture, as are
    the others. `points`: the origin's front and its direction, if it is told. `known`: a direction of the picture and the wind that it
    is, if the question is of the compass.
    """
    steps: list[Step] = []
    if target is not None:
        row, column, down, across = (place + 1 for place in cells)
        steps.append(CELLS(origin=origin, target=target, row=row, column=column, down=down, across=across))
        steps.append(PLACE(origin=origin, target=target, place=IMAGE_DIRECTIONS[direction]))
    if points is not None:
        front, heading = points
        steps.append(POINTS(front=front, origin=origin, place=IMAGE_DIRECTIONS[heading]))
    if known is not None:
        place, north = known
        winds = [(IMAGE_DIRECTIONS[(place + k) % 8], COMPASS_DIRECTIONS[(north + k) % 8]) for k in range(8)]
        steps.append(FRAME(known=winds[0][0], wind=winds[0][1], mapping=", ".join(f"{image} is {wind}" for image, wind in winds)))
        wind = dict(winds)[IMAGE_DIRECTIONS[direction]]
        if target is not None:
            steps.append(INFERENCE(origin=origin, target=target, wind=wind))
        elif points is not None:
            steps.append(HEADING(front=points[0], origin=origin, wind=wind))
    return steps


def _key(scene: Any) -> Choice:
    return Choice(scene.options, scene.options.index(scene.answer))


def _written(scene: Any, steps: list[Step]) -> str:
    slots = _SLOTS if steps[0].template is CELLS else ()
    return write_chain(steps, _key(scene), phrasing(scene), slots, bits=3)


def of_symbols(scene: Any) -> str:
    cells = (*divmod(scene.origin_cell, 3), *divmod(scene.target_cell, 3))
    known = None if scene.up_direction is None else (0, scene.up_direction)
    return _written(scene, _steps(scene.origin, scene.target, cells, scene.place, None, known))


def of_icons(scene: Any) -> str:
    place: int = scene.target_position
    down, right = STEPS[place]
    cells, heading = (1, 1, 1 + down, 1 + right), scene.layout.center.heading
    points, known = (None, None) if scene.stated_heading is None else ((scene.front, heading), (heading, scene.stated_heading))
    return _written(scene, _steps(scene.origin, scene.target, cells, place, points, known))


def of_heading(scene: Any) -> str:
    heading = scene.layout.heading
    return _written(scene, _steps(scene.origin, None, (), heading, (scene.front, heading), (0, scene.up_direction)))


# ---- the verifier --------------------------------------------------------------------------------------------------


def replay_symbols(scene: Any, text: str) -> list[str]:
    things = _named(layouts.draw_symbols(scene.layout))
    known = None if scene.up_direction is None else (0, scene.up_direction)
    return _replayed(scene, _related(things, scene, None, known), text)


def replay_icons(scene: Any, text: str) -> list[str]:
    things = _named(layouts.draw_surrounded(scene.layout))
    heading = _heading(things[scene.origin])
    points, known = (None, None) if scene.stated_heading is None else ((scene.front, heading), (heading, scene.stated_heading))
    return _replayed(scene, _related(things, scene, points, known), text)


def replay_heading(scene: Any, text: str) -> list[str]:
    heading = _heading(_named(layouts.draw_icon(scene.layout))[scene.origin])
    return _replayed(scene, _steps(scene.origin, None, (), heading, (scene.front, heading), (0, scene.up_direction)), text)


def _replayed(scene: Any, due: list[Step], text: str) -> list[str]:
    return step_errors(text, due, due[-1].values.get("wind") or due[-1]["place"], _key(scene))


def _related(things: Mapping[str, DrawnSymbol], scene: Any, points: tuple[str, int] | None, known: tuple[int, int] | None) -> list[Step]:
    """The steps about two drawn things."""
    origin, target = things[scene.origin], things[scene.target]
    cells = (*cell_at(origin.at), *cell_at(target.at))
    degrees = math.degrees(math.atan2(target.at[0] - origin.at[0], target.at[1] - origin.at[1]))
    return _steps(scene.origin, scene.target, cells, _eighth(degrees), points, known)


def _named(drawings: Sequence[Drawing]) -> dict[str, DrawnSymbol]:
    """What is drawn, by the names that a chain gives it."""
    by_name: dict[str, DrawnSymbol] = {}
    for thing in seen(drawings[0]):
        kind = "number " if thing.name.isdecimal() else "letter " if len(thing.name) == 1 else ""
        by_name[f"the {kind}{thing.name}"] = thing
    return by_name


def _heading(thing: DrawnSymbol) -> int:
    assert thing.heading is not None
    return _eighth(thing.heading)


def _eighth(degrees: float) -> int:
    """The direction that lies so many degrees clockwise from up."""
    return round(degrees / 45) % 8
