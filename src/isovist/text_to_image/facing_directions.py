"""The eight ways in which the front of a thing in a picture can point, for whoever looks at the picture.

A facing is an index 0 to 7 in steps of 45 degrees clockwise seen from above; 0 points away from the viewer, 2 to the viewer's right,
4 towards the viewer. On the page each is a digit of the numeric keypad, taken as a plan seen from above with the viewer below it.
"""

from __future__ import annotations

from typing import Final

AWAY, RIGHT, TOWARDS, LEFT = 0, 2, 4, 6

NAMES: Final = ("away", "away-right", "right", "towards-right", "towards", "towards-left", "left", "away-left")
"""As they are stored."""

WORDS: Final = (
    "Away from you",
    "Away from you and to your right",
    "To your right",
    "Towards you and to your right",
    "Towards you",
    "Towards you and to your left",
    "To your left",
    "Away from you and to your left",
)
"""As options say it."""

SEEN: Final = (
    "away from the camera",
    "away from the camera and to the right",
    "to the right",
    "towards the camera and to the right",
    "towards the camera",
    "towards the camera and to the left",
    "to the left",
    "away from the camera and to the left",
)
"""As a writer of descriptions is told."""

KEYS: Final = "89632147"
"""The digit of each facing."""
