"""What things take up on the ground, seen from above: rectangles at any angle, and whether they are apart."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from isovist.core.rotation import Vector, cosine, sine
from isovist.scenes.environments.bounding_boxes import Bounds

Spot = tuple[float, float]
"""x and z in metres."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """A rectangle around (x, z): `width` along its own left and `depth` along its front, which is turned to `yaw` as that of a
    pose: 0 is +Z, 90 is +X. Metres and degrees.
    """

    x: float
    z: float
    yaw: float
    width: float
    depth: float

    def at(self, across: float, ahead: float) -> Spot:
        """The point so far to its own left and to its front of its middle."""
        s, c = sine(self.yaw), cosine(self.yaw)
        return self.x + across * c + ahead * s, self.z - across * s + ahead * c

    def local(self, spot: Spot) -> Spot:
        """How far to its left and to its front a point lies: the other way of `at`."""
        s, c = sine(self.yaw), cosine(self.yaw)
        x, z = spot[0] - self.x, spot[1] - self.z
        return x * c - z * s, x * s + z * c

    def corners(self) -> tuple[Spot, ...]:
        w, d = self.width / 2, self.depth / 2
        s, c = sine(self.yaw), cosine(self.yaw)
        # `at` for each, its sine worked out once
        return tuple((self.x + a * c + b * s, self.z - a * s + b * c) for a, b in ((-w, -d), (w, -d), (w, d), (-w, d)))

    def part(self, across: float, ahead: float, width: float, depth: float, turn: float = 0.0) -> Footprint:
        """A rectangle around the point so far to its left and to its front, turned from it by some degrees."""
        return Footprint(*self.at(across, ahead), self.yaw + turn, width, depth)

    def away(self, spot: Spot) -> float:
        """How far a point lies outside of it; 0 inside."""
        across, ahead = self.local(spot)
        x, z = max(abs(across) - self.width / 2, 0.0), max(abs(ahead) - self.depth / 2, 0.0)
        return (x * x + z * z) ** 0.5


def covers(box: Bounds, at: Vector, yaw: float, scale: float = 1.0) -> Footprint:
    """The footprint of a form's box that stands upright at a place."""
    (x0, _, z0), (x1, _, z1) = box
    whole = Footprint(at[0], at[2], yaw, (x1 - x0) * scale, (z1 - z0) * scale)
    x, z = whole.at((x0 + x1) / 2 * scale, (z0 + z1) / 2 * scale)
    return Footprint(x, z, yaw, whole.width, whole.depth)


def apart(a: Footprint, b: Footprint, gap: float = 0.0) -> bool:
    """Whether a straight line can be drawn between two footprints, along a side of one of them, that leaves them `gap` apart."""
    reach = gap + (hypot(a.width, a.depth) + hypot(b.width, b.depth)) / 2
    if hypot(a.x - b.x, a.z - b.z) > 1.5 * reach:
        return True  # far off: most pairs are
    return _beside(a, b, gap) or _beside(b, a, gap)


def _beside(this: Footprint, that: Footprint, gap: float) -> bool:
    """Whether one lies wholly beyond a side of the other."""
    s, c = sine(this.yaw), cosine(this.yaw)
    spots = [(x - this.x, z - this.z) for x, z in that.corners()]
    # `local` of each corner, its sine worked out once
    across = [x * c - z * s for x, z in spots]
    half = this.width / 2
    if min(across) > half + gap or max(across) < -half - gap:
        return True
    ahead = [x * s + z * c for x, z in spots]
    half = this.depth / 2
    return min(ahead) > half + gap or max(ahead) < -half - gap
