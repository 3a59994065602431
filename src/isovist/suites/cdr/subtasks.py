"""Relative compass reasoning as a ladder: each step needs the ones before it, or is the next one that the whole needs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    task: str
    success_phrase: str
    """What a model does that takes it, as the rest of a sentence that begins with "It"."""
    failure_phrase: str
    """The same after "It does not"."""


SUBTASKS = (
    Step("see", "cdr/object-classification-letter", "sees which letters are there", "see which letters are there"),
    Step("place", "cdr/step-cell-letter", "finds the letter of a cell", "find the letter of a cell"),
    Step(
        "relate",
        "cdr/relative-spatial-letter",
        "tells which way one letter lies from another",
        "tell which way one letter lies from another",
    ),
    Step("name", "cdr/step-north-up-letter", "names that way as a wind while north is up", "name that way as a wind, even with north up"),
    Step("turn", "cdr/step-turned-frame-letter", "turns the compass", "turn the compass"),
    Step("whole", "cdr/relative-compass-letter", "does all of it in one question", "do all of it in one question"),
)
"""Names come before turns, other than in the paper's list of components: to say where a turned compass points takes the names of winds."""
