"""Floor plans of rooms: rectangles on the floor, walls with an inner side, and room shapes.

Lengths are metres. In the plan view, x points right and z points down. Coordinates of a wall: `along` is the distance from its left end, for
a person with the back to the wall, and `out` is the distance into the room. An object with its back to the wall has the wall's `facing` as
its yaw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, cosine, sine

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rect:
    """An axis-aligned rectangle on the floor, or on a wall with x as the distance along the wall and z as the height."""

    x0: float
    z0: float
    x1: float
    z1: float

    def meets(self, other: Rect, gap: float = 0.0) -> bool:
        """Whether two rectangles are nearer than `gap` along both x and z."""
        return self.x0 < other.x1 + gap and other.x0 < self.x1 + gap and self.z0 < other.z1 + gap and other.z0 < self.z1 + gap

    def within(self, other: Rect) -> bool:
        return self.x0 >= other.x0 and self.z0 >= other.z0 and self.x1 <= other.x1 and self.z1 <= other.z1

    def distance(self, x: float, z: float) -> float:
        """The distance from a point to the rectangle; 0 inside."""
        return hypot(max(self.x0 - x, x - self.x1, 0.0), max(self.z0 - z, z - self.z1, 0.0))


@dataclass(frozen=True, slots=True)
class Wall:
    """`facing`: yaw into the room: 0, 90, 180 or 270 degrees. `outer`: whether the wall is on the bounding rectangle of the floor. `ends`:
    whether the room has a concave corner of 90 degrees at the left and right end.
    """

    x: float
    z: float
    facing: int
    length: float
    outer: bool
    ends: tuple[bool, bool]

    def at(self, along: float, out: float = 0.0, up: float = 0.0) -> Vector:
        """A point in world coordinates from coordinates of the wall."""
        c, s = cosine(self.facing), sine(self.facing)
        return round(self.x + along * c + out * s, 4), round(up, 4), round(self.z - along * s + out * c, 4)

    def rect(self, low: float, high: float, near: float, far: float) -> Rect:
        """The rectangle of floor from `low` to `high` along the wall and from `near` to `far` away from it."""
        (ax, _, az), (bx, _, bz) = self.at(low, near), self.at(high, far)
        return Rect(min(ax, bx), min(az, bz), max(ax, bx), max(az, bz))

    def nearest(self, along: float, half: float) -> float:
        """The position nearest to `along` where an object of half width `half` fits with a margin of 0.2 m."""
        return round(min(max(along, half + 0.2), max(self.length - half - 0.2, half + 0.2)), 3)

    def span(self, rect: Rect) -> tuple[float, float, float, float]:
        """The least and greatest `along` and the least and greatest `out` of a rectangle."""
        c, s = cosine(self.facing), sine(self.facing)
        corners = [(x - self.x, z - self.z) for x in (rect.x0, rect.x1) for z in (rect.z0, rect.z1)]
        along, out = [x * c - z * s for x, z in corners], [x * s + z * c for x, z in corners]
        return min(along), max(along), min(out), max(out)


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """The floor is `bounds` without the `notches`. `walls` surround it in order."""

    bounds: Rect
    notches: tuple[Rect, ...]
    walls: tuple[Wall, ...]

    def ahead(self, x: float, z: float, heading: float) -> tuple[Wall, float, float] | None:
        """The wall ahead of a viewer at (x, z) with a heading in degrees, the position along it, and the distance in metres."""
        dx, dz = sine(heading), -cosine(heading)
        hits: list[tuple[float, int, float]] = []
        for k, wall in enumerate(self.walls):
            along, _, out, _ = wall.span(Rect(x, z, x, z))
            end, _, nearer, _ = wall.span(Rect(x + dx, z + dz, x + dx, z + dz))
            if out <= 0 or nearer >= out - 1e-9:
                continue
            far = out / (out - nearer)
            at = along + far * (end - along)
            if -1e-6 <= at <= wall.length + 1e-6:
                hits.append((far, k, at))
        if not hits:
            return None
        far, k, at = min(hits)
        return self.walls[k], at, far


def plan(rng: Rng, wide: tuple[float, float], deep: tuple[float, float]) -> FloorPlan:
    """Sample a floor plan within ranges of width and depth in metres: a rectangle, an L, or a room with an alcove or chimney breast."""
    w, d = rng.uniform(*wide), rng.uniform(*deep)
    shape = rng.pick(("plain", "plain", "plain", "ell", "ell", "alcove", "breast"))
    x0, z0, x1, z1 = -w / 2, -d / 2, w / 2, d / 2
    notches: tuple[Rect, ...] = ()
    loop: list[Point] = [(x0, z0), (x1, z0), (x1, z1), (x0, z1)]
    if shape == "ell":
        cx, cz = x1 - rng.uniform(0.22, 0.38) * w, z1 - rng.uniform(0.22, 0.38) * d
        loop = [(x0, z0), (x1, z0), (x1, cz), (cx, cz), (cx, z1), (x0, z1)]
        notches = (Rect(cx, cz, x1, z1),)
    elif shape == "alcove":
        deeper, a = z0 - rng.uniform(0.5, 1.0), x0 + rng.uniform(0.1, 0.4) * w
        b = min(a + rng.uniform(2.0, 2.8), x1 - 0.3)
        loop = [(x0, z0), (a, z0), (a, deeper), (b, deeper), (b, z0), (x1, z0), (x1, z1), (x0, z1)]
        notches = (Rect(x0, deeper, a, z0), Rect(b, deeper, x1, z0))
    elif shape == "breast":
        a = x0 + rng.uniform(0.3, 0.45) * w
        b, out = a + rng.uniform(1.3, 1.6), z0 + rng.uniform(0.25, 0.4)
        loop = [(x0, z0), (a, z0), (a, out), (b, out), (b, z0), (x1, z0), (x1, z1), (x0, z1)]
        notches = (Rect(a, z0, b, out),)
    for _ in range(rng.integer(0, 3)):
        loop = [(-z, x) for x, z in loop]
        notches = tuple(Rect(-r.z1, r.x0, -r.z0, r.x1) for r in notches)
    loop = [(round(x, 3), round(z, 3)) for x, z in loop]
    xs, zs = [x for x, _ in loop], [z for _, z in loop]
    bounds = Rect(min(xs), min(zs), max(xs), max(zs))
    notches = tuple(Rect(round(r.x0, 3), round(r.z0, 3), round(r.x1, 3), round(r.z1, 3)) for r in notches)
    return FloorPlan(bounds, notches, _walls(loop, bounds))


def _walls(loop: Sequence[Point], bounds: Rect) -> tuple[Wall, ...]:
    n = len(loop)
    facings = [_facing(loop[i], loop[(i + 1) % n]) for i in range(n)]
    walls: list[Wall] = []
    for i, facing in enumerate(facings):
        (x, z), (u, v) = loop[i], loop[(i + 1) % n]
        outer = {0: z == bounds.z0, 180: z == bounds.z1, 90: x == bounds.x0, 270: x == bounds.x1}[facing]
        # at a concave corner, the facing decreases by 90 degrees from one wall to the next
        ends = (facing - facings[i - 1]) % 360 == 270, (facings[(i + 1) % n] - facing) % 360 == 270
        walls.append(Wall(x, z, facing, round(hypot(u - x, v - z), 3), outer, ends))
    return tuple(walls)


def _facing(a: Point, b: Point) -> int:
    if abs(b[0] - a[0]) > abs(b[1] - a[1]):
        return 0 if b[0] > a[0] else 180
    return 270 if b[1] > a[1] else 90
