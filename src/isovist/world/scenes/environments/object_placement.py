"""Placement of furniture in a room: each piece fits, leaves required space free, and does not occlude required objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, cosine, sine, wrapped
from isovist.core.scene3d import Geometry, Pose, SceneObject
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.environments.environment import outline
from isovist.world.scenes.environments.floor_plan import FloorPlan, Rect, Wall
from isovist.world.scenes.environments.object_names import LOOK_ALIKE, SEVERAL, is_confusable

CLEAR = 1.1
"""Radius in metres around the eye without furniture, along the floor."""
_GAP = 0.015  # between pieces
_OFF_WALL = 0.018  # the skirting
_TRIES = 14
_BEFORE = 0.7  # metres: furniture within this distance occludes objects on the wall
_DEEP = 0.25  # depth in metres of objects on a wall


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece to place. `ahead`: metres of free floor in front of it."""

    form: Geometry
    name: str = ""
    ahead: float = 0.0

    @property
    def size(self) -> Vector:
        low, high = bounds(self.form)
        return high[0] - low[0], high[1] - low[1], high[2] - low[2]


@dataclass(frozen=True, slots=True)
class Spot:
    """A placed piece: position of its origin, yaw in degrees, and the rectangle of floor that it covers."""

    piece: Piece
    at: Vector
    yaw: float
    rect: Rect
    wall: Wall | None = None
    along: float = 0.0

    @property
    def top(self) -> float:
        return self.at[1] + bounds(self.piece.form)[1][1]

    def point(self, right: float, ahead: float) -> tuple[float, float]:
        """A point on the floor from coordinates of the piece: along its +X and +Z axes, in metres."""
        c, s = cosine(self.yaw), sine(self.yaw)
        return self.at[0] + right * c + ahead * s, self.at[2] - right * s + ahead * c


class ObjectPlacer:
    """The state of a room during placement. `eye`: camera position; `height`: ceiling height in metres."""

    def __init__(self, rng: Rng, plan: FloorPlan, eye: Vector, height: float, only: str = "") -> None:
        """`only`: a category whose objects are placed as counted objects only."""
        self.rng, self.plan, self.eye, self.height, self.only = rng, plan, eye, height, only
        self.solids: list[SceneObject] = []
        self.names: set[str] = {only} - {""}
        self._floor: list[Rect] = []
        self._kept: list[Rect] = []
        self._tops: list[tuple[Rect, float, float]] = []
        self._before: dict[Wall, list[Rect]] = {wall: [] for wall in plan.walls}
        self._hung: dict[Wall, list[Rect]] = {wall: [] for wall in plan.walls}
        self._shown: list[SceneObject] = []
        self.doors: list[Spot] = []
        self.windows: list[tuple[Wall, float]] = []

    # Free space -----------------------------------------------------------------------------------------

    def allows(self, name: str, counted: bool = False) -> bool:
        """Whether an object of this name may be added: no confusable object is present, and a unique name is unused."""
        is_repeated = name in self.names and name not in SEVERAL
        if not counted and (is_repeated or name == self.only or name in LOOK_ALIKE.get(self.only, ())):
            return not name
        return not is_confusable(name, self.names, "rooms")

    def inside(self, rect: Rect) -> bool:
        return rect.within(self.plan.bounds) and not any(rect.meets(notch) for notch in self.plan.notches)

    def free(self, rect: Rect, gap: float = _GAP) -> bool:
        """Whether furniture may cover this rectangle of the floor."""
        off = Rect(rect.x0 - _OFF_WALL, rect.z0 - _OFF_WALL, rect.x1 + _OFF_WALL, rect.z1 + _OFF_WALL)
        return (
            self.inside(off)
            and rect.distance(self.eye[0], self.eye[2]) >= CLEAR
            and not any(rect.meets(other, gap) for other in self._floor)
            and not any(rect.meets(other) for other in self._kept)
        )

    def keep(self, rect: Rect) -> None:
        """Reserve a rectangle of the floor as free space."""
        self._kept.append(rect)

    def empty(self, rect: Rect) -> bool:
        """Whether no furniture covers any part of a rectangle."""
        return not any(rect.meets(other) for other in self._floor)

    def bare(self, wall: Wall, area: Rect) -> bool:
        """Whether no object is on or in front of this area of a wall; see `Wall` for the coordinates."""
        obstacles = self._hung[wall] + self._before[wall]
        return area.x0 >= 0.03 and area.x1 <= wall.length - 0.03 and not any(area.meets(obstacle) for obstacle in obstacles)

    def _note(self, rect: Rect, foot: float, top: float, *, hangs: bool = False) -> None:
        """Reserve the wall areas behind and beside an object near a wall."""
        for wall in self.plan.walls:
            low, high, near, far = wall.span(rect)
            if far > 0 and near < _BEFORE and high > 0 and low < wall.length:
                (self._hung if hangs else self._before)[wall].append(Rect(low - 0.05, foot, high + 0.05, top + 0.05))

    def _clear_of_hung(self, rect: Rect, foot: float, top: float) -> bool:
        """Whether no object on a wall, such as a curtain, intersects the space of furniture."""
        spans = [(wall, *wall.span(rect)) for wall in self.plan.walls]
        near_walls = [(wall, Rect(low, foot, high, top)) for wall, low, high, near, far in spans if far > 0 and near < _DEEP]
        return not any(area.meets(hung) for wall, area in near_walls for hung in self._hung[wall])

    def occupy(self, wall: Wall, area: Rect) -> None:
        """Mark an area of a wall as occupied."""
        self._hung[wall].append(area)

    def _hides(self, solid: SceneObject) -> bool:
        """Whether an object occludes an object that must be visible."""
        new_outline = outline(self.eye, solid)
        distance = hypot(solid.pose.position[0] - self.eye[0], solid.pose.position[2] - self.eye[2])
        for shown in self._shown:
            other = outline(self.eye, shown)
            shown_distance = hypot(shown.pose.position[0] - self.eye[0], shown.pose.position[2] - self.eye[2])
            beside = abs(wrapped(new_outline[0] - other[0])) > (new_outline[2] - new_outline[1] + other[2] - other[1]) / 2
            if distance < shown_distance and not (beside or new_outline[4] < other[3] or new_outline[3] > other[4]):
                return True
        return False

    # Placing --------------------------------------------------------------------------------------------------------

    def _add(self, solid: SceneObject, shown: bool) -> None:
        self.solids.append(solid)
        if solid.name:
            self.names.add(solid.name)
        if shown:
            self._shown.append(solid)

    def stand(
        self, piece: Piece, x: float, z: float, yaw: float, *, wall: Wall | None = None, along: float = 0.0, counted: bool = False
    ) -> Spot | None:
        """Place a piece on the floor if it fits. Other yaws than multiples of 90 degrees use the bounding rectangle."""
        if not self.allows(piece.name, counted):
            return None
        (x0, foot, _), (x1, high, z1) = bounds(piece.form)
        rect = _rect(piece, x, z, yaw)
        solid = SceneObject(
            piece.form,
            Pose((round(x, 4), max(round(-foot, 4), 0.0) + 0.0, round(z, 4)), round(yaw, 2)),  # slanted legs would extend below the floor
            name=piece.name,
        )
        if not self.free(rect) or not self._clear_of_hung(rect, 0.0, high) or self._hides(solid):
            return None
        spot = Spot(piece, solid.pose.position, yaw, rect, wall, along)
        if piece.ahead:
            (ax, az), (bx, bz) = spot.point(x0, z1), spot.point(x1, z1 + piece.ahead)
            zone = Rect(min(ax, bx), min(az, bz), max(ax, bx), max(az, bz))
            if not self.empty(zone) or not self.inside(zone):
                return None
            self.keep(zone)
        self._note(rect, 0.0, high)
        self._floor.append(rect)
        self._add(solid, counted)
        return spot

    def at_wall(
        self, pieces: Piece | Sequence[Piece], *, where: str = "any", walls: Sequence[Wall] | None = None, above: float = 0.0
    ) -> Spot | None:
        """Place a piece, or the first of several in random order that fits, with its back to a wall.

        `where`: "any", "middle" of a wall, or "corner" near one end; `above`: metres of free wall above the piece.
        """
        for piece, wall in self._choices(pieces, walls):
            (x0, _, _), (x1, high, _) = bounds(piece.form)
            least, most = -x0 + 0.05, wall.length - x1 - 0.05
            for attempt in range(_TRIES if most >= least else 0):
                along = self._along(where, least, most, attempt)
                area = Rect(along + x0, 0.0, along + x1, high + above)
                if self.bare(wall, area) and (spot := self.against(piece, wall, along)) is not None:
                    return spot
        return None

    def _choices(
        self, pieces: Piece | Sequence[Piece], walls: Sequence[Wall] | None, counted: bool = False
    ) -> Iterator[tuple[Piece, Wall]]:
        """The allowed pieces with each wall, in random order."""
        for piece in [pieces] if isinstance(pieces, Piece) else self.rng.shuffled(pieces):
            if self.allows(piece.name, counted):
                for wall in self.rng.shuffled(self.plan.walls if walls is None else walls):
                    yield piece, wall

    def against(self, piece: Piece, wall: Wall, along: float, gap: float = 0.03, *, counted: bool = False) -> Spot | None:
        """Place a piece with its back to a wall, `along` metres from the left end, if it fits."""
        x, _, z = wall.at(along, gap - bounds(piece.form)[0][2])
        return self.stand(piece, x, z, wall.facing, wall=wall, along=along, counted=counted)

    def _along(self, where: str, least: float, most: float, attempt: int) -> float:
        if where == "corner":
            near = self.rng.uniform(0.0, 0.08 + 0.04 * attempt)
            return round(min(max(least + near if self.rng.chance(0.5) else most - near, least), most), 3)
        if where == "middle" and attempt < _TRIES // 2:
            return round(min(max((least + most) / 2 + self.rng.uniform(-0.07, 0.07) * attempt, least), most), 3)
        return round(self.rng.uniform(least, most), 3)

    def beside(self, spot: Spot, piece: Piece, side: int, gap: float = 0.06) -> Spot | None:
        """Place a piece at the same wall to the left (-1) or right (+1) of another piece."""
        if spot.wall is None:
            return None
        (x0, _, _), (x1, high, _) = bounds(piece.form)
        spot_bounds = bounds(spot.piece.form)
        along = spot.along + (spot_bounds[1][0] + gap - x0 if side > 0 else spot_bounds[0][0] - gap - x1)
        if high > 0.9 and not self.bare(spot.wall, Rect(along + x0, 0.1, along + x1, high)):
            return None
        return self.against(piece, spot.wall, along)

    def on(self, spot: Spot, piece: Piece, right: float = 0.0, ahead: float = 0.0, turn: float = 0.0) -> Spot | None:
        """Place a piece on top of another. `right` and `ahead`: shares of half the free width and depth; `turn`: relative yaw in degrees."""
        (x0, _, z0), (x1, _, z1) = bounds(spot.piece.form)
        (px0, _, pz0), (px1, _, pz1) = bounds(piece.form)
        half = max(x1 - x0 - (px1 - px0), 0.0) / 2, max(z1 - z0 - (pz1 - pz0), 0.0) / 2
        x, z = spot.point((x0 + x1) / 2 + right * half[0], (z0 + z1) / 2 + ahead * half[1])
        if not self.allows(piece.name):
            return None
        at = round(x, 4), round(spot.top + 0.002, 4), round(z, 4)
        solid = SceneObject(piece.form, Pose(at, round(spot.yaw + turn, 2)), name=piece.name)
        rect = _rect(piece, x, z, spot.yaw + turn)
        beside = not any(rect.meets(other) and at[1] < top and low < at[1] + piece.size[1] for other, low, top in self._tops)
        if not beside or not self.inside(rect) or self._hides(solid) or not self._clear_of_hung(rect, at[1], at[1] + piece.size[1]):
            return None
        self._tops.append((rect, at[1], at[1] + piece.size[1]))
        self._note(rect, at[1], at[1] + piece.size[1])
        self._add(solid, False)
        return Spot(piece, at, spot.yaw + turn, rect)

    def hang(
        self, pieces: Piece | Sequence[Piece], foot: float, *, walls: Sequence[Wall] | None = None, along: float | None = None,
        counted: bool = False, out: float = 0.004, gap: float = 0.1,
    ) -> Spot | None:  # fmt: skip
        """Hang a piece on a wall at a random position, or with its centre at `along`. `foot`: height of its origin; `out`: distance of its back
        from the wall; `gap`: least distance from other objects on the wall; all in metres.
        """
        for piece, wall in self._choices(pieces, walls, counted):
            (x0, under, z0), (x1, high, z1) = bounds(piece.form)
            least, most = 0.25 - x0, wall.length - x1 - 0.25
            if (most < least and along is None) or foot + high > self.height - 0.1:
                continue
            for _ in range(_TRIES if along is None else 1):
                s = round(self.rng.uniform(least, most), 3) if along is None else along
                at = wall.at(s, out - z0, foot)
                solid = SceneObject(piece.form, Pose(at, wall.facing), casts_shadow=False, name=piece.name)
                if self.bare(wall, Rect(s + x0 - gap, foot + under, s + x1 + gap, foot + high)) and not self._hides(solid):
                    self._note(wall.rect(s + x0, s + x1, 0.0, max(out - z0 + z1, 0.02)), foot + under, foot + high, hangs=True)
                    self._add(solid, counted)
                    return Spot(piece, at, wall.facing, wall.rect(s + x0, s + x1, 0.0, 0.05), wall, s)
        return None

    def lay(self, piece: Piece, x: float, z: float, yaw: float) -> None:
        """Place a flat object on the floor, under the furniture."""
        if self.allows(piece.name):
            solid = SceneObject(piece.form, Pose((round(x, 4), 0.0, round(z, 4)), yaw), casts_shadow=False, name=piece.name)
            self._add(solid, False)

    def fix(self, solid: SceneObject, counted: bool = False) -> None:
        """Add an object that needs no free space."""
        self._add(solid, counted)


def _rect(piece: Piece, x: float, z: float, yaw: float) -> Rect:
    """The axis-aligned rectangle around a piece at a position."""
    (x0, _, z0), (x1, _, z1) = bounds(piece.form)
    c, s = cosine(yaw), sine(yaw)
    corners = [(x + a * c + b * s, z - a * s + b * c) for a in (x0, x1) for b in (z0, z1)]
    return Rect(min(p[0] for p in corners), min(p[1] for p in corners), max(p[0] for p in corners), max(p[1] for p in corners))
