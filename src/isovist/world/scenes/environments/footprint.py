"""Footprints of objects on the ground: rectangles at any angle, and tests for their distance."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from isovist.core.rotation import Vector, cosine, sine
from isovist.world.scenes.environments.bounding_boxes import Bounds

Spot = tuple[float, float]
"""x and z in metres."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """A rectangle with the centre (x, z): `width` along its left axis and `depth` along its front axis. `yaw` is the direction of the front:
    0 is +Z, 90 is +X. Metres and degrees.
    """

    x: float
    z: float
    yaw: float
    width: float
    depth: float

    def at(self, across: float, ahead: float) -> Spot:
        """The point `across` metres to the left and `ahead` metres to the front of the centre."""
        s, c = sine(self.yaw), cosine(self.yaw)
        return self.x + across * c + ahead * s, self.z - across * s + ahead * c

    def local(self, spot: Spot) -> Spot:
        """The distances of a point to the left and to the front of the centre: the inverse of `at`."""
        s, c = sine(self.yaw), cosine(self.yaw)
        x, z = spot[0] - self.x, spot[1] - self.z
        return x * c - z * s, x * s + z * c

    def corners(self) -> tuple[Spot, ...]:
        w, d = self.width / 2, self.depth / 2
        s, c = sine(self.yaw), cosine(self.yaw)
        # `at` for each corner with precomputed sine
        return tuple((self.x + a * c + b * s, self.z - a * s + b * c) for a, b in ((-w, -d), (w, -d), (w, d), (-w, d)))

    def part(self, across: float, ahead: float, width: float, depth: float, turn: float = 0.0) -> Footprint:
        """A rectangle with its centre at `at(across, ahead)`, rotated by `turn` degrees relative to this one."""
        return Footprint(*self.at(across, ahead), self.yaw + turn, width, depth)

    def away(self, spot: Spot) -> float:
        """The distance of a point from the rectangle; 0 inside."""
        across, ahead = self.local(spot)
        x, z = max(abs(across) - self.width / 2, 0.0), max(abs(ahead) - self.depth / 2, 0.0)
        return (x * x + z * z) ** 0.5


def covers(box: Bounds, at: Vector, yaw: float, scale: float = 1.0) -> Footprint:
    """The footprint of an upright bounding box at a position."""
    (x0, _, z0), (x1, _, z1) = box
    whole = Footprint(at[0], at[2], yaw, (x1 - x0) * scale, (z1 - z0) * scale)
    x, z = whole.at((x0 + x1) / 2 * scale, (z0 + z1) / 2 * scale)
    return Footprint(x, z, yaw, whole.width, whole.depth)


def apart(a: Footprint, b: Footprint, gap: float = 0.0) -> bool:
    """Whether a line parallel to a side of one footprint separates both by at least `gap`."""
    reach = gap + (hypot(a.width, a.depth) + hypot(b.width, b.depth)) / 2
    if hypot(a.x - b.x, a.z - b.z) > 1.5 * reach:
        return True  # most pairs are far apart
    return _beside(a, b, gap) or _beside(b, a, gap)


def _beside(this: Footprint, that: Footprint, gap: float) -> bool:
    """Whether `that` is completely beyond a side of `this`."""
    s, c = sine(this.yaw), cosine(this.yaw)
    spots = [(x - this.x, z - this.z) for x, z in that.corners()]
    # `local` for each corner with precomputed sine
    across = [x * c - z * s for x, z in spots]
    half = this.width / 2
    if min(across) > half + gap or max(across) < -half - gap:
        return True
    ahead = [x * s + z * c for x, z in spots]
    half = this.depth / 2
    return min(ahead) > half + gap or max(ahead) < -half - gap
