"""Several objects of one category around the viewer, separated and unoccluded, for counting questions."""

from __future__ import annotations

from dataclasses import dataclass

from isovist.core.rng import Rng
from isovist.core.rotation import cosine, sine, tangent
from isovist.core.task import RejectSample
from isovist.world.scenes.environments import doors_windows
from isovist.world.scenes.environments import furniture_catalog as catalog
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.environments.floor_plan import Wall
from isovist.world.scenes.environments.furniture_catalog import Maker
from isovist.world.scenes.environments.object_placement import CLEAR, ObjectPlacer, Piece
from isovist.world.scenes.environments.room_shell import Opening
from isovist.world.scenes.environments.style import Style

APART = 24.0
"""Least difference in degrees between the bearings of two objects."""
STEEPEST = 38.0
"""Greatest angle in degrees below the horizon of the middle of a standing object."""
_EVEN = 6
"""Greatest number of objects at equal distances."""
_TRIES = 20


@dataclass(frozen=True, slots=True)
class CountableObject:
    """`most`: greatest number; `made`: samples one object; `how`: "stand" on the floor, "wall" for the back to a wall, "hang" on a wall, or the
    kind of opening ("door", "window"); `places`: kinds of rooms that may have several.
    """

    most: int
    made: Maker
    how: str
    places: tuple[str, ...]


_LIVED = ("living room", "bedroom", "study", "children's room", "dining room", "office", "waiting room", "music room")
COUNTED: dict[str, CountableObject] = {
    "chair": CountableObject(11, catalog.chair, "stand", ("dining room", "waiting room", "music room", "office", "store room")),
    "armchair": CountableObject(4, catalog.armchair, "stand", ("living room", "waiting room")),
    "stool": CountableObject(11, catalog.stool, "stand", ("kitchen", "children's room", "music room", "store room")),
    "plant": CountableObject(5, catalog.plant, "stand", _LIVED),
    "picture": CountableObject(6, catalog.picture, "hang", _LIVED),
    "window": CountableObject(4, catalog.picture, "window", _LIVED),
    "door": CountableObject(4, catalog.picture, "door", ("living room", "office", "waiting room", "store room", "dining room")),
    "bookcase": CountableObject(4, catalog.bookcase, "wall", ("study", "office", "living room")),
    "cardboard box": CountableObject(11, catalog.cardboard_box, "stand", ("store room", "office", "children's room")),
    "floor lamp": CountableObject(4, catalog.floor_lamp, "stand", ("living room", "study", "waiting room", "bedroom")),
    "balloon": CountableObject(11, catalog.balloon, "stand", ("children's room", "living room", "dining room")),
    "waste bin": CountableObject(4, catalog.waste_bin, "stand", ("office", "waiting room", "store room")),
}
"""The countable objects of rooms by category."""


def count(site: ObjectPlacer, st: Style, repeats: tuple[str, int]) -> list[Opening]:
    """Place the counted objects before the room is furnished and return the openings of windows. Raises RejectSample if they do not fit."""
    kind, n = repeats
    if not n:
        return []
    thing, rng = COUNTED[kind], site.rng
    alike = rng.chance(0.5)
    piece = thing.made(rng, st)
    shared = doors_windows.window_piece(site, st)
    leaf = doors_windows.door_piece(site, st)
    holes: list[Opening] = []

    def placed(towards: float) -> bool:
        """Whether one object fits in a direction from the viewer."""
        hit = site.plan.ahead(site.eye[0], site.eye[2], towards)
        if hit is None:
            return False
        wall, along, far = hit
        one = piece if alike else thing.made(rng, st)
        half, high = one.size[0] / 2, one.size[1]
        match thing.how:
            case "window":
                hole = doors_windows.window(site, st, shared, "none", [wall], wall.nearest(along, shared[1] / 2), counted=True)
                holes.extend([hole] if hole else [])
                return hole is not None
            case "door":
                return doors_windows.door(site, leaf, [wall], wall.nearest(along, 0.5), counted=True) is not None
            case "hang":
                foot = round(1.55 - high / 2 + rng.uniform(-0.1, 0.1), 3)
                return site.hang(one, foot, walls=[wall], along=wall.nearest(along, half), counted=True) is not None
            case how:
                return _standing(site, one, towards, wall, along, far, against=how == "wall")

    slack = max(360.0 / n - APART - 6.0, 0.0) if n <= _EVEN else 8.0
    start = rng.uniform(0, 360)
    for bearing in _bearings(rng, n):
        turns = (start + bearing + rng.uniform(-0.5, 0.5) * slack * (1.0 + attempt / _TRIES) for attempt in range(_TRIES))
        if not any(placed(towards) for towards in turns):
            raise RejectSample("no room for another one to count")
    return holes


def _bearings(rng: Rng, n: int) -> list[float]:
    """The bearings of `n` objects, relative to the first: equal distances for few objects, unequal ones of at least `APART` for many.

    With many objects at equal distances, the number of objects that two images show would follow from their number.
    """
    if n <= _EVEN:
        return [360.0 * k / n for k in range(n)]
    return [APART * k + free for k, free in enumerate(sorted(rng.uniform(0.0, 360.0 - n * APART) for _ in range(n)))]


def _standing(site: ObjectPlacer, piece: Piece, towards: float, wall: Wall, along: float, far: float, *, against: bool) -> bool:
    (x0, _, z0), (x1, high, z1) = bounds(piece.form)
    # at a smaller distance, more than half of the object is below every image
    visible_from = max(site.eye[1] - high / 2, 0.0) / tangent(STEEPEST)
    if against or site.rng.chance(0.5):
        if far - (z1 - z0) / 2 < visible_from:
            return False
        return site.against(piece, wall, wall.nearest(along, max(-x0, x1)), 0.04, counted=True) is not None
    reach = max(-x0, x1, -z0, z1)
    least, most = max(CLEAR + reach + 0.05, visible_from), far - reach - 0.1
    if most < least:
        return False
    out = site.rng.uniform(least, most)
    x, z = site.eye[0] + out * sine(towards), site.eye[2] - out * cosine(towards)
    return site.stand(piece, x, z, site.rng.pick((0.0, 90.0, 180.0, 270.0)), counted=True) is not None
