"""Chains of thought for CDR's relations and headings, and their verifier.

A chain has up to five steps (the components of section III-D): the cells of the symbols, the image direction, the compass direction of
each image direction, the inference, and the answer. The writer uses the indices of the scene. The verifier uses the drawn shapes: the
cells of the symbols, the rotation of the icon, and directions as angles between points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from isovist.core.answers import Choice
from isovist.core.drawing2d import Drawing
from isovist.core.reasoning.templates import WORDS, Step, StepTemplate, list_of, phrasing, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.suites.cdr import layouts
from isovist.suites.cdr.rederivation import DrawnSymbol, drawn_symbols
from isovist.world.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS, STEPS
from isovist.world.scenes.grid import cell_at

_template = partial(
    StepTemplate,
    origin=WORDS,
    target=WORDS,
    front=WORDS,
    direction=WORDS,
    stated=WORDS,
    compass=WORDS,
    mapping=list_of("[A-Za-z ]{1,40}"),
)
CELLS = _template(
    "{origin} is in row {row}, column {column}, and {target} is in row {down}, column {across} of the grid.",
    "on the grid, {origin} is located in row {row}, column {column}; {target} is located in row {down}, column {across}.",
    "in the grid I find {origin} in row {row}, column {column}, and {target} in row {down}, column {across}.",
    "row {row}, column {column} of the grid contains {origin}; row {down}, column {across} contains {target}.",
)
POINTS = _template(
    "in the image, the {front} of {origin} points in the direction {direction}.",
    "in the image, {origin} is rotated so that its {front} points in the direction {direction}.",
    "the direction of the {front} of {origin} in the image is {direction}.",
)
PLACE = _template(
    "so in the image the direction from {origin} to {target} is {direction}.",
    "from {origin}, {target} is therefore in the direction {direction}.",
    "moving from {origin} to {target} therefore means moving {direction}.",
    "therefore {direction} is the direction of {target} from {origin}.",
)
FRAME = _template(
    "the question states the compass: {stated} is {compass}. Clockwise in steps of 45 degrees: {mapping}.",
    "since {stated} is {compass}, the eight directions of the image are, clockwise: {mapping}.",
    "with {stated} as {compass}, each clockwise rotation by 45 degrees gives the next compass direction: {mapping}.",
    "rotate the compass so that {stated} is {compass}: {mapping}.",
)
INFERENCE = _template(
    "hence {target} is located {compass} of {origin}.",
    "therefore {target} is {compass} of {origin}.",
    "on the compass, {target} is located {compass} of {origin}.",
    "so the compass direction of {target} from {origin} is {compass}.",
)
HEADING = _template(
    "so the {front} of {origin} points {compass}.",
    "hence, on the compass, the {front} of {origin} points {compass}.",
    "therefore the compass direction of the {front} of {origin} is {compass}.",
)
_SLOTS = ((CELLS,), (POINTS,), (PLACE,), (FRAME,), (INFERENCE,))


def _steps(
    origin: str, target: str | None, cells: Iterable[int], direction: int, points: tuple[str, int] | None, stated: tuple[int, int] | None
) -> list[Step]:
    """Return the steps to the direction of a target, or of the origin's front if there is no target.

    `cells`: row and column of the origin and of the target, from 0. `direction`: the index of an image direction, as are the others.
    `points`: the origin's front and its direction, if it is a step. `stated`: an image direction and its compass direction, for compass
    questions.
    """
    steps: list[Step] = []
    if target is not None:
        row, column, down, across = (coordinate + 1 for coordinate in cells)
        steps.append(CELLS(origin=origin, target=target, row=row, column=column, down=down, across=across))
        steps.append(PLACE(origin=origin, target=target, direction=IMAGE_DIRECTIONS[direction]))
    if points is not None:
        front, heading = points
        steps.append(POINTS(front=front, origin=origin, direction=IMAGE_DIRECTIONS[heading]))
    if stated is not None:
        image_start, compass_start = stated
        steps.append(
            FRAME(
                stated=IMAGE_DIRECTIONS[image_start],
                compass=COMPASS_DIRECTIONS[compass_start],
                mapping=_mapping(image_start, compass_start),
            )
        )
        compass = COMPASS_DIRECTIONS[(compass_start + direction - image_start) % 8]
        if target is not None:
            steps.append(INFERENCE(origin=origin, target=target, compass=compass))
        elif points is not None:
            steps.append(HEADING(front=points[0], origin=origin, compass=compass))
    return steps


@lru_cache(maxsize=64)
def _mapping(image_start: int, compass_start: int) -> str:
    """Return the compass direction of each image direction as text, clockwise from the stated one."""
    pairs = ((IMAGE_DIRECTIONS[(image_start + k) % 8], COMPASS_DIRECTIONS[(compass_start + k) % 8]) for k in range(8))
    return ", ".join(f"{image} is {compass}" for image, compass in pairs)


def _key(scene: Any) -> Choice:
    return Choice(scene.options, scene.options.index(scene.answer))


def _written(scene: Any, steps: list[Step]) -> str:
    slots = _SLOTS if steps[0].template is CELLS else ()
    return write_chain(steps, _key(scene), phrasing(scene), slots, bits=3)


def of_symbols(scene: Any) -> str:
    cells = (*divmod(scene.origin_cell, 3), *divmod(scene.target_cell, 3))
    stated = None if scene.up_direction is None else (0, scene.up_direction)
    return _written(scene, _steps(scene.origin, scene.target, cells, scene.place, None, stated))


def of_icons(scene: Any) -> str:
    place: int = scene.target_position
    down, right = STEPS[place]
    cells, heading = (1, 1, 1 + down, 1 + right), scene.layout.center.heading
    points, stated = (None, None) if scene.stated_heading is None else ((scene.front, heading), (heading, scene.stated_heading))
    return _written(scene, _steps(scene.origin, scene.target, cells, place, points, stated))


def of_heading(scene: Any) -> str:
    heading = scene.layout.heading
    return _written(scene, _steps(scene.origin, None, (), heading, (scene.front, heading), (0, scene.up_direction)))


# ---- the verifier --------------------------------------------------------------------------------------------------


def replay_symbols(scene: Any, text: str) -> list[str]:
    symbols = _symbols_by_name(layouts.draw_symbols(scene.layout))
    stated = None if scene.up_direction is None else (0, scene.up_direction)
    return _chain_errors(scene, _relation_steps(symbols, scene, None, stated), text)


def replay_icons(scene: Any, text: str) -> list[str]:
    symbols = _symbols_by_name(layouts.draw_surrounded(scene.layout))
    heading = _heading(symbols[scene.origin])
    points, stated = (None, None) if scene.stated_heading is None else ((scene.front, heading), (heading, scene.stated_heading))
    return _chain_errors(scene, _relation_steps(symbols, scene, points, stated), text)


def replay_heading(scene: Any, text: str) -> list[str]:
    heading = _heading(_symbols_by_name(layouts.draw_icon(scene.layout))[scene.origin])
    return _chain_errors(scene, _steps(scene.origin, None, (), heading, (scene.front, heading), (0, scene.up_direction)), text)


def _chain_errors(scene: Any, expected: list[Step], text: str) -> list[str]:
    return step_errors(text, expected, expected[-1].values.get("compass") or expected[-1]["direction"], _key(scene))


def _relation_steps(
    symbols: Mapping[str, DrawnSymbol], scene: Any, points: tuple[str, int] | None, stated: tuple[int, int] | None
) -> list[Step]:
    """Return the steps about two drawn symbols."""
    origin, target = symbols[scene.origin], symbols[scene.target]
    cells = (*cell_at(origin.at), *cell_at(target.at))
    degrees = math.degrees(math.atan2(target.at[0] - origin.at[0], target.at[1] - origin.at[1]))
    return _steps(scene.origin, scene.target, cells, _direction_index(degrees), points, stated)


def _symbols_by_name(drawings: Sequence[Drawing]) -> dict[str, DrawnSymbol]:
    """Return the drawn symbols by their names in a chain."""
    by_name: dict[str, DrawnSymbol] = {}
    for symbol in drawn_symbols(drawings[0]):
        kind = "number " if symbol.name.isdecimal() else "letter " if len(symbol.name) == 1 else ""
        by_name[f"the {kind}{symbol.name}"] = symbol
    return by_name


def _heading(symbol: DrawnSymbol) -> int:
    assert symbol.heading is not None
    return _direction_index(symbol.heading)


def _direction_index(degrees: float) -> int:
    """Return the index of the direction at an angle, in degrees clockwise from up."""
    return round(degrees / 45) % 8
