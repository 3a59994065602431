"""Colours with common names that are clearly distinguishable from each other.

The distance between any two, and to white paper, is at least `APART` in CIE Lab (Euclidean, D65).
"""

from __future__ import annotations

APART = 25.0

HUES: dict[str, str] = {
    "red": "#d32f2f",
    "green": "#2e9e4f",
    "blue": "#2962cc",
    "yellow": "#f5c518",
    "orange": "#f57c1f",
    "purple": "#7b3fa8",
    "pink": "#f48fb8",
    "brown": "#7a4a26",
    "grey": "#9aa0a6",
    "cyan": "#29c3d9",
    "black": "#1a1a1a",
}
RED_GREEN_SAFE = ("green", "blue", "yellow", "pink", "brown", "black")
"""Colours that are distinguishable, also from white paper, with red-green colour blindness: at least 15 in CIEDE2000 for simulated
protanopia and deuteranopia. No larger subset of the palette has this property.
"""
NAMES: dict[str, str] = {colour: name for name, colour in HUES.items()}
