"""Directions in space as the viewer sees them, in words."""

from __future__ import annotations

from isovist.core.rotation import Vector

WORDS = (("right", "left"), ("up", "down"), ("towards the viewer", "away from the viewer"))
"""To either side of each axis: x to the right, y up, z towards the viewer."""


def direction(vector: Vector) -> str:
    """A direction in words: it lies along an axis, or aslant between two of them."""
    parts = sorted(((round(abs(v), 3), -axis, WORDS[axis][v < 0]) for axis, v in enumerate(vector) if abs(v) > 0.1), reverse=True)
    if len(parts) == 1:
        return f"straight {parts[0][2]}"
    (much, _, one), (less, _, two) = parts
    return f"half {one}, half {two}" if much - less < 0.1 else f"mainly {one}, partly {two}"


def aside(vector: Vector) -> str:
    """What of a direction lies to the right or left, in words."""
    far = abs(vector[0])
    if far < 0.1:
        return "neither right nor left"
    much = "straight" if far > 0.95 else "mainly" if far > 0.8 else "half" if far > 0.6 else "partly"
    return f"{much} {WORDS[0][vector[0] < 0]}"
