"""Shortcuts of CDR: rules without the skill that a task claims to test, or without a part of it.

Each takes a scene and its question and returns the labels of the options among which it chooses at random. A rule reads the scene, so it
is an upper bound for a solver that perceives that part of the image and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any, Final

from isovist.core.task import Question, Shortcut
from isovist.suites.cdr.options import direction_name
from isovist.world.scenes.answer_options import letters_where
from isovist.world.scenes.grid import neighbours

Rules = Mapping[str, Shortcut[Any]]


# Cells and symbols  ---------------------------------------------------------------------------------


def _in_line(scene: Any, question: Question, axis: int) -> Collection[str]:
    """Return the options in the stated row (axis 0) or the stated column (axis 1)."""
    cells = scene.layout.cells
    return letters_where(question, lambda option: divmod(cells.index(option), 3)[axis] == divmod(scene.cell, 3)[axis])


CELL: Final[Rules] = {
    "the row alone": Shortcut(lambda scene, question: _in_line(scene, question, 0), without="the column", partial=True),
    "the column alone": Shortcut(lambda scene, question: _in_line(scene, question, 1), without="the row", partial=True),
}


def _digits(scene: Any, question: Question, *digit_places: int) -> Collection[str]:
    """Return the options whose digits at these places (0: first, -1: last) occur in the image, in one number or several."""
    shown = [symbol for symbol in scene.layout.cells if symbol]
    return letters_where(question, lambda option: all(option[at] in {symbol[at] for symbol in shown} for at in digit_places))


NUMBER: Final[Rules] = {
    "the first digits alone": Shortcut(lambda scene, question: _digits(scene, question, 0), without="the last digits"),
    "the last digits alone": Shortcut(lambda scene, question: _digits(scene, question, -1), without="the first digits"),
    "digits without their neighbours": Shortcut(
        lambda scene, question: _digits(scene, question, 0, -1), without="which digits form a number"
    ),
}

# Directions ---------------------------------------------------------------------------------------------------------


def _from_cell(scene: Any, question: Question, *, origin: bool) -> Collection[str]:
    """Return the directions from the origin to any filled cell, or from any filled cell to the target."""
    cell: int = scene.origin_cell if origin else scene.target_cell
    directions: set[str] = set()
    for direction, pairs in enumerate(neighbours()):
        ends = [(b if origin else a) for a, b in pairs if (a if origin else b) == cell]
        if any(scene.layout.cells[end] for end in ends):
            directions.add(direction_name(direction, scene.up_direction))
    return letters_where(question, directions.__contains__)


SYMBOLS: Final[Rules] = {
    "the position of the origin alone": Shortcut(partial(_from_cell, origin=True), without="the position of the target", partial=True),
    "the position of the target alone": Shortcut(partial(_from_cell, origin=False), without="the position of the origin", partial=True),
}


def _filled(scene: Any, question: Question) -> Collection[str]:
    """Return the directions in which there is an object."""
    filled = {direction_name(place, scene.up) for place, icon in enumerate(scene.layout.around) if icon is not None}
    return letters_where(question, filled.__contains__)


ICONS: Final[Rules] = {"any position with an object": Shortcut(_filled, without="which object is where")}
