"""Directions in space as text, in the frame of the viewer."""

from __future__ import annotations

from isovist.core.rotation import Vector

WORDS = (("to the right", "to the left"), ("up", "down"), ("toward the viewer", "away from the viewer"))
"""The positive and the negative direction of each axis: x to the right, y up, z toward the viewer."""


def direction(vector: Vector) -> str:
    """The text of a direction along an axis, or between two axes."""
    parts = sorted(((round(abs(v), 3), -axis, WORDS[axis][v < 0]) for axis, v in enumerate(vector) if abs(v) > 0.1), reverse=True)
    if len(parts) == 1:
        return f"straight {parts[0][2]}"
    (larger, _, main), (smaller, _, minor) = parts
    return f"equally {main} and {minor}" if larger - smaller < 0.1 else f"mainly {main}, partly {minor}"


def aside(vector: Vector) -> str:
    """The text of the left-right component of a direction."""
    size = abs(vector[0])
    if size < 0.1:
        return "neither to the right nor to the left"
    degree = "straight" if size > 0.95 else "mainly" if size > 0.8 else "halfway" if size > 0.6 else "partly"
    return f"{degree} {WORDS[0][vector[0] < 0]}"
