"""The eight facing directions of an object, relative to the viewer of the image.

A facing is an index 0 to 7 in steps of 45 degrees clockwise seen from above; 0 points away from the viewer, 2 to the viewer's right,
4 toward the viewer. On the annotation page, each is a digit of the numeric keypad: a plan from above with the viewer below it.
"""

from __future__ import annotations

from typing import Final

NAMES: Final = ("away", "away-right", "right", "towards-right", "towards", "towards-left", "left", "away-left")
"""Names in files."""

WORDS: Final = (
    "Away from you",
    "Away from you and to your right",
    "To your right",
    "Toward you and to your right",
    "Toward you",
    "Toward you and to your left",
    "To your left",
    "Away from you and to your left",
)
"""Texts of options."""

SEEN: Final = (
    "away from the camera",
    "away from the camera and to the right",
    "to the right",
    "toward the camera and to the right",
    "toward the camera",
    "toward the camera and to the left",
    "to the left",
    "away from the camera and to the left",
)
"""Texts in the prompt for descriptions."""

KEYS: Final = "89632147"
"""The keypad digit of each direction."""
