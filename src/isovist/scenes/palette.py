"""Colours that a person can name, and that no two of which look alike.

Any two are at least `APART` from each other in CIE Lab (Euclidean distance, D65), and from white paper.
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
"""Those of which red-green blind people too can tell each two apart, and each from white paper: at least 15 in CIEDE2000 as a protanope
and a deuteranope see them. No larger set of these colours holds that.
"""
NAMES: dict[str, str] = {colour: name for name, colour in HUES.items()}
