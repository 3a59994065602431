"""The subtasks of relative compass reasoning, in the order of difficulty: each requires those before it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    task: str
    success_phrase: str
    """The rest of a sentence that begins with "The model"."""
    noun: str
    """The subtask as a noun phrase."""


SUBTASKS = (
    Step("identify", "cdr/object-classification-letter", "identifies the letters", "identifying letters"),
    Step("locate", "cdr/step-cell-letter", "locates the letter in a cell", "locating a cell"),
    Step("relate", "cdr/relative-spatial-letter", "names the direction between two letters", "naming the direction between letters"),
    Step(
        "name-direction",
        "cdr/step-north-up-letter",
        "names the compass direction with north at the top",
        "naming the compass direction with north at the top",
    ),
    Step("rotate-compass", "cdr/step-turned-frame-letter", "rotates the compass", "rotating the compass"),
    Step("full-question", "cdr/relative-compass-letter", "solves the full question", "the full question"),
)
"""Naming directions precedes rotation, other than in the paper's list of components: a rotated compass requires the names."""
