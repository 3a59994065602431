"""The stages before the arms: questions about grids of letters, made of what a picture shows.

    cells     which letter stands in a cell, or in each
    look-up   which option says some direction, asked before the list; the options are all eight, as in the target
    look-back the same, asked behind the list, and what an option says
    look-far  the same, the direction being told in a sentence before the question
    locate    in which cell a letter stands, if it does
    relation  in which direction one letter lies from another, in words (the questions of `cdr/relative-spatial-letter`)

None of them asks about a compass, and none gives a chain of thought.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from string import ascii_uppercase

from isovist.core.answers import Choice
from isovist.suites.cdr.question_templates import SPATIAL_RELATION
from isovist.world.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS, STEPS

Turn = tuple[str, str]
"""A question and its reply."""
_VOCABULARY = ascii_uppercase[8:]  # I-Z, the letters of the pictures
_PLACES = [(row, column) for row in range(3) for column in range(3)]
_MOST = 8


def cells(shown: Sequence[str], rng: Random, turns: int) -> list[Turn]:
    if turns > 1 and rng.random() < 0.5:
        rows = (", ".join(shown[3 * row + column] or "empty" for column in range(3)) for row in range(3))
        return [("Read the grid, row by row.", "\n".join(rows))]
    return [
        (f"What stands in row {row + 1}, column {column + 1}?", shown[3 * row + column] or "empty")
        for row, column in rng.sample(_PLACES, turns)
    ]


def locate(shown: Sequence[str], rng: Random, turns: int) -> list[Turn]:
    present = [letter for letter in shown if letter]
    asked = [rng.choice(_VOCABULARY) if rng.random() < 0.15 else rng.choice(present) for _ in range(turns)]
    return [(f"Where is the letter {letter}?", _where(shown, letter)) for letter in asked]


def _where(shown: Sequence[str], letter: str) -> str:
    if letter not in shown:
        return "not in the picture"
    row, column = divmod(shown.index(letter), 3)
    return f"row {row + 1}, column {column + 1}"


def relation(shown: Sequence[str], rng: Random, turns: int) -> list[Turn]:
    """Letters in cells that touch, each direction as often as any other."""
    asked: list[Turn] = []
    while len(asked) < turns:
        place = rng.randrange(8)
        pairs = [(a, b) for a, b in _touching(place) if shown[a] and shown[b]]
        origin, target = rng.choice(pairs)
        words = rng.choice(SPATIAL_RELATION).format(origin=f"the letter {shown[origin]}", target=f"the letter {shown[target]}")
        asked.append((f"{words}\nName the direction.", IMAGE_DIRECTIONS[place]))
    return asked


def _touching(place: int) -> list[tuple[int, int]]:
    down, right = STEPS[place]
    return [
        (3 * row + column, 3 * (row + down) + column + right) for row, column in _PLACES if 0 <= row + down < 3 and 0 <= column + right < 3
    ]


def look_up(shown: Sequence[str], rng: Random, turns: int) -> list[Turn]:
    """A list of options behind a question, as a prompt has them. The picture does not matter."""
    del shown, turns
    options = _options(rng)
    said, letter = _one(options, rng)
    return [(f"{_which(said)}\n{_listing(options)}", letter)]


def look_back(shown: Sequence[str], rng: Random, turns: int) -> list[Turn]:
    """The same list before the questions."""
    del shown
    options = _options(rng)
    asked: list[Turn] = []
    for turn in range(turns):
        said, letter = _one(options, rng)
        back = turn > 0 and rng.random() < 0.25
        asked.append((f"What does option {letter} say?", said) if back else (_which(said), letter))
    return _behind(options, asked)


def look_far(shown: Sequence[str], rng: Random, turns: int) -> list[Turn]:
    """The same list before sentences, each of which ends in a question: what a chain of thought does when it has come to a direction and
    names its option. The letters of a sentence need not be in the picture.
    """
    del shown
    options = _options(rng)
    asked: list[Turn] = []
    for _ in range(turns):
        (said, letter), (one, other) = _one(options, rng), rng.sample(_VOCABULARY, 2)
        asked.append((f"The letter {one} lies {said} of the letter {other}.\nWhich option says so?", letter))
    return _behind(options, asked)


def _behind(options: tuple[str, ...], asked: Sequence[Turn]) -> list[Turn]:
    (first, reply), *others = asked
    return [(f"{_listing(options)}\n{first}", reply), *others]


def _options(rng: Random) -> tuple[str, ...]:
    return tuple(rng.sample(rng.choice((IMAGE_DIRECTIONS, COMPASS_DIRECTIONS, COMPASS_DIRECTIONS)), _MOST))


def _one(options: tuple[str, ...], rng: Random) -> tuple[str, str]:
    """What one of the options says, and its letter."""
    choice = Choice(options, rng.randrange(len(options)))
    return options[choice.truth], choice.canonical()


def _which(said: str) -> str:
    return f"Which option says {said}?"


def _listing(options: tuple[str, ...]) -> str:
    return Choice(options, 0).options_text()


Lesson = Callable[[Sequence[str], Random, int], list[Turn]]
LESSONS: dict[str, Lesson] = {
    "cells": cells,
    "look-up": look_up,
    "look-back": look_back,
    "locate": locate,
    "relation": relation,
    "look-far": look_far,
}
STAGES = (("cells", "look-up", "look-back"), ("locate",), ("relation", "look-far"))
"""What is learnt together, one after the other."""
GATE = ("relation", "look-up", "look-back", "look-far")
"""The lessons that have to be known before the arms start."""
