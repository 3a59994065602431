"""Colours as people see them: CIE Lab, the difference CIEDE2000, what a red-green blind person sees, and what names mean.

Sources: Lab by the definitions of CIE 15; CIEDE2000 by Sharma, Wu and Dalal (Color Research and Application 30, 2005); protanopia and
deuteranopia by Machado, Oliveira and Fernandes (IEEE TVCG 15, 2009), severity 1.0.
"""

from __future__ import annotations

from math import atan2, cos, degrees, exp, hypot, radians, sin

Lab = tuple[float, float, float]

_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
_D65 = (0.95047, 1.0, 1.08883)

DEFICIENCIES: dict[str, tuple[tuple[float, float, float], ...]] = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}
"""What each does to linear red, green and blue. Both together are red-green blindness."""

SURVEY: dict[str, str] = {
    "red": "#e50000", "maroon": "#650021", "pink": "#ff81c0", "magenta": "#c20078", "purple": "#7e1e9c", "lavender": "#c79fef",
    "navy": "#01153e", "blue": "#0343df", "light blue": "#95d0fc", "cyan": "#00ffff", "teal": "#029386", "dark green": "#033500",
    "green": "#15b01a", "mint": "#9ffeb0", "lime": "#aaff32", "olive": "#6e750e", "yellow": "#ffff14", "cream": "#ffffc2",
    "orange": "#f97306", "peach": "#ffb07c", "brown": "#653700", "grey": "#929591", "light grey": "#d8dcd6", "dark grey": "#363737",
    "black": "#000000", "white": "#ffffff",
}  # fmt: skip
"""What a hundred thousand people called so: the colour survey of xkcd (2010), https://xkcd.com/color/rgb.txt, CC0."""

CSS: dict[str, str] = {
    "red": "#ff0000", "maroon": "#800000", "pink": "#ffc0cb", "magenta": "#ff00ff", "purple": "#800080", "lavender": "#e6e6fa",
    "navy": "#000080", "blue": "#0000ff", "light blue": "#add8e6", "cyan": "#00ffff", "teal": "#008080", "dark green": "#006400",
    "green": "#008000", "lime": "#00ff00", "olive": "#808000", "yellow": "#ffff00", "orange": "#ffa500", "brown": "#a52a2a",
    "grey": "#808080", "light grey": "#d3d3d3", "dark grey": "#a9a9a9", "black": "#000000", "white": "#ffffff",
}  # fmt: skip
"""The named colours of CSS (W3C, CSS Color Module Level 4); it has no mint, cream or peach."""


def _linear(colour: str) -> list[float]:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in channels]


def lab(colour: str, deficiency: str = "") -> Lab:
    """CIE Lab of an sRGB colour under D65, as a person with normal colour vision or with a deficiency sees it."""
    linear = _linear(colour)
    if deficiency:
        linear = [min(max(sum(a * b for a, b in zip(row, linear, strict=True)), 0.0), 1.0) for row in DEFICIENCIES[deficiency]]
    xyz = [sum(a * b for a, b in zip(row, linear, strict=True)) / white for row, white in zip(_XYZ, _D65, strict=True)]
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def euclidean(a: Lab, b: Lab) -> float:
    """The distance in CIE Lab (CIE76)."""
    return sum((p - q) ** 2 for p, q in zip(a, b, strict=True)) ** 0.5


def ciede2000(one: Lab, two: Lab) -> float:
    """The colour difference CIEDE2000, whose unit is about the least that is seen."""
    (l1, a1, b1), (l2, a2, b2) = one, two
    mean_c = (hypot(a1, b1) + hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * (mean_c**7 / (mean_c**7 + 25**7)) ** 0.5
    a1, a2 = a1 * stretch, a2 * stretch
    c1, c2 = hypot(a1, b1), hypot(a2, b2)
    h1, h2 = (degrees(atan2(b, a)) % 360 if (a or b) else 0.0 for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 and c2 else 0.0
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    mean_h = (h1 + turn / 2) % 360 if c1 and c2 else h1 + h2
    t = 1 - 0.17 * _cos(mean_h - 30) + 0.24 * _cos(2 * mean_h) + 0.32 * _cos(3 * mean_h + 6) - 0.2 * _cos(4 * mean_h - 63)
    s_l = 1 + 0.015 * (mean_l - 50) ** 2 / (20 + (mean_l - 50) ** 2) ** 0.5
    s_c, s_h = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    chroma = 2 * (mean_c**7 / (mean_c**7 + 25**7)) ** 0.5
    twist = -chroma * sin(radians(60 * exp(-(((mean_h - 275) / 25) ** 2))))
    dl, dc, dh = (l2 - l1) / s_l, (c2 - c1) / s_c, 2 * (c1 * c2) ** 0.5 * sin(radians(turn / 2)) / s_h
    return (dl**2 + dc**2 + dh**2 + twist * dc * dh) ** 0.5


def _cos(angle: float) -> float:
    return cos(radians(angle))
