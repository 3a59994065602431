"""Cheap rules for CDR, which leave out what a task claims to test, or a part of it.

Each takes a scene and its question and gives the letters of the options among which it would guess. What a rule needs to see it takes from
the scene, so each is an upper bound for who sees that and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from isovist.core.task import Question, Shortcut
from isovist.scenes.answer_options import letters_where
from isovist.scenes.grid import neighbours
from isovist.suites.cdr.options import direction_name

Rules = Mapping[str, Shortcut[Any]]


# A cell, and what is in the picture ---------------------------------------------------------------------------------


def _in_row(scene: Any, question: Question) -> Collection[str]:
    return letters_where(question, lambda option: scene.layout.cells.index(option) // 3 == scene.cell // 3)


def _in_column(scene: Any, question: Question) -> Collection[str]:
    return letters_where(question, lambda option: scene.layout.cells.index(option) % 3 == scene.cell % 3)


CELL: Final[Rules] = {
    "the row alone": Shortcut(_in_row, without="the column", partial=True),
    "the column alone": Shortcut(_in_column, without="the row", partial=True),
}


def _digits(*digit_places: int) -> Callable[[Any, Question], Collection[str]]:
    """Options whose digits at these places, the first 0 and the last -1, are in the picture, in one number or in several."""

    def rule(scene: Any, question: Question) -> Collection[str]:
        shown = [symbol for symbol in scene.layout.cells if symbol]
        return letters_where(question, lambda option: all(option[at] in {symbol[at] for symbol in shown} for at in digit_places))

    return rule


NUMBER: Final[Rules] = {
    "the first digits alone": Shortcut(_digits(0), without="the last digits"),
    "the last digits alone": Shortcut(_digits(-1), without="the first digits"),
    "digits without their neighbours": Shortcut(_digits(0, -1), without="which digits stand together"),
}

# Directions ---------------------------------------------------------------------------------------------------------


def _from_cell(*, origin: bool) -> Callable[[Any, Question], Collection[str]]:
    """The directions in which a filled cell lies from the origin, or from which one lies to the target, the other not being found."""

    def rule(scene: Any, question: Question) -> Collection[str]:
        cell: int = scene.origin_cell if origin else scene.target_cell
        cells: tuple[str, ...] = scene.layout.cells
        directions: set[str] = set()
        for direction, pairs in enumerate(neighbours()):
            ends = [(b if origin else a) for a, b in pairs if (a if origin else b) == cell]
            if any(cells[end] for end in ends):
                directions.add(direction_name(direction, scene.up))
        return letters_where(question, directions.__contains__)

    return rule


SYMBOLS: Final[Rules] = {
    "the place of the origin alone": Shortcut(_from_cell(origin=True), without="the place of the target", partial=True),
    "the place of the target alone": Shortcut(_from_cell(origin=False), without="the place of the origin", partial=True),
}


def _filled(scene: Any, question: Question) -> Collection[str]:
    """The directions in which anything lies."""
    filled = {direction_name(place, scene.up) for place, thing in enumerate(scene.layout.around) if thing is not None}
    return letters_where(question, filled.__contains__)


ICONS: Final[Rules] = {"any place that holds something": Shortcut(_filled, without="which thing is where")}
