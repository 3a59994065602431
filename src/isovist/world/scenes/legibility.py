"""Which headings of an object look different, and on which surfaces it stands out, predicted without rendering.

Both predictions use measurements of single meshes and textures (`assets/tables/legibility.json`). `isovist audit --legibility` verifies the images.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol, TypedDict, TypeVar

from isovist.core.rng import Rng
from isovist.core.rotation import Vector
from isovist.world.assets import asset

LEAST_CHANGE = 8
"""Minimum share of an object's pixels, in percent, that change between its heading and any of seven others."""
LEAST_CONTRAST = 14.0
"""Minimum CIELAB difference of the mean colours of an object and of the surface below or behind it."""
_STEP = 45.0


class Measured(TypedDict):
    """Mean colour of the sides of a mesh, and for headings of 0, 45 ... 315 degrees to the camera the least share of its pixels, in percent,
    that change between this heading and any of the other seven; -1 for a mesh without a clear front.
    """

    colour: str
    changes: list[int]


_TABLE = asset("tables", "legibility.json")
MESHES: dict[str, Measured] = _TABLE["meshes"]
TEXTURES: dict[str, str] = _TABLE["textures"]
"""Mean colours."""


class Coloured(Protocol):
    """A textured surface: see `habitats.Surface`."""

    @property
    def texture(self) -> str: ...
    @property
    def tint(self) -> str: ...


S = TypeVar("S", bound=Coloured)


def tells(mesh: str, angle: float) -> bool:
    """Whether a heading of a mesh, in degrees from the direction to the camera, looks different from others; true without measurements."""
    if mesh not in MESHES:
        return True
    changes = MESHES[mesh]["changes"]
    place = angle / _STEP % len(changes)
    return min(changes[int(place)], changes[(int(place) + 1) % len(changes)]) >= LEAST_CHANGE


def always_tells(mesh: str) -> bool:
    """Whether all headings of a mesh look different; true without measurements."""
    return mesh not in MESHES or min(MESHES[mesh]["changes"]) >= LEAST_CHANGE


def pick_surface(rng: Rng, surfaces: Sequence[S], meshes: Sequence[tuple[str, str | None]]) -> S:
    """A random surface on which all meshes stand out, each given with its tint; if there is none, the one with the most contrast."""
    least = [min((contrast(mesh, surface, tint) for mesh, tint in meshes), default=100.0) for surface in surfaces]
    fitting = [surface for surface, value in zip(surfaces, least, strict=True) if value >= LEAST_CONTRAST]
    return rng.pick(fitting) if fitting else surfaces[least.index(max(least))]


def contrast(mesh: str, surface: Coloured, tint: str | None = None) -> float:
    """The CIELAB difference of the mean colours of a mesh and a surface; 100 for a mesh without measurements."""
    if mesh not in MESHES:
        return 100.0
    one, other = _lab(MESHES[mesh]["colour"], tint or "#ffffff"), _lab(TEXTURES.get(surface.texture, "#ffffff"), surface.tint)
    return ((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2) ** 0.5


@lru_cache(maxsize=4096)
def _lab(colour: str, tint: str) -> Vector:
    """CIELAB coordinates of an sRGB colour multiplied with a tint in linear light, white point D65 (CIE 15:2004)."""
    r, g, b = (_linear(colour[i : i + 2]) * _linear(tint[i : i + 2]) for i in (1, 3, 5))
    x, y, z = (
        _f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047),
        _f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b),
        _f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883),
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _linear(channel: str) -> float:
    value = int(channel, 16) / 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _f(part: float) -> float:
    return part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116
