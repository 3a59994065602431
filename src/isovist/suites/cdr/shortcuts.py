"""Cheap rules for CDR, which leave out what a task claims to test, or a part of it.

Each takes a scene and its question and gives the letters of the options among which it would guess. What a rule needs to see it takes from
the scene, so each is an upper bound for who sees that and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any, Final

from isovist.core.task import Question, Shortcut
from isovist.scenes.answer_options import letters_where
from isovist.scenes.grid import neighbours
from isovist.suites.cdr.options import direction_name

Rules = Mapping[str, Shortcut[Any]]


# A cell, and what is in the picture ---------------------------------------------------------------------------------


def _in_line(scene: Any, question: Question, axis: int) -> Collection[str]:
    """What stands in the row (axis 0) or in the column (axis 1) that is asked for."""
    cells = scene.layout.cells
    return letters_where(question, lambda option: divmod(cells.index(option), 3)[axis] == divmod(scene.cell, 3)[axis])


CELL: Final[Rules] = {
    "the row alone": Shortcut(lambda scene, question: _in_line(scene, question, 0), without="the column", partial=True),
    "the column alone": Shortcut(lambda scene, question: _in_line(scene, question, 1), without="the row", partial=True),
}


def _digits(scene: Any, question: Question, *digit_places: int) -> Collection[str]:
    """Options whose digits at these places, the first 0 and the last -1, are in the picture, in one number or in several."""
    shown = [symbol for symbol in scene.layout.cells if symbol]
    return letters_where(question, lambda option: all(option[at] in {symbol[at] for symbol in shown} for at in digit_places))


NUMBER: Final[Rules] = {
    "the first digits alone": Shortcut(lambda scene, question: _digits(scene, question, 0), without="the last digits"),
    "the last digits alone": Shortcut(lambda scene, question: _digits(scene, question, -1), without="the first digits"),
    "digits without their neighbours": Shortcut(
        lambda scene, question: _digits(scene, question, 0, -1), without="which digits stand together"
    ),
}

# Directions ---------------------------------------------------------------------------------------------------------


def _from_cell(scene: Any, question: Question, *, origin: bool) -> Collection[str]:
    """The directions in which a filled cell lies from the origin, or from which one lies to the target, the other not being found."""
    cell: int = scene.origin_cell if origin else scene.target_cell
    directions: set[str] = set()
    for direction, pairs in enumerate(neighbours()):
        ends = [(b if origin else a) for a, b in pairs if (a if origin else b) == cell]
        if any(scene.layout.cells[end] for end in ends):
            directions.add(direction_name(direction, scene.up_direction))
    return letters_where(question, directions.__contains__)


SYMBOLS: Final[Rules] = {
    "the place of the origin alone": Shortcut(partial(_from_cell, origin=True), without="the place of the target", partial=True),
    "the place of the target alone": Shortcut(partial(_from_cell, origin=False), without="the place of the origin", partial=True),
}


def _filled(scene: Any, question: Question) -> Collection[str]:
    """The directions in which anything lies."""
    filled = {direction_name(place, scene.up) for place, thing in enumerate(scene.layout.around) if thing is not None}
    return letters_where(question, filled.__contains__)


ICONS: Final[Rules] = {"any place that holds something": Shortcut(_filled, without="which thing is where")}
