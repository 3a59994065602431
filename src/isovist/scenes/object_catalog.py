"""The objects of the scenes: what they are, how large, whether they have a front, and where they belong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, wrapped
from isovist.core.scene3d import Geometry, Group, MeshRef, Part, Pose
from isovist.scenes.mesh_catalog_data import ROWS, Broad, Front

Place = Literal["indoors", "outdoors"]

VAGUE = frozenset({
    "bar stool", "bed", "bidet", "birthday cake", "bread", "cap", "desk", "dollhouse", "drill", "electric piano", "exercise bike", "flashlight", "grand piano",
    "handbag", "hospital bed", "pair of boots", "pair of shoes", "piano", "puzzle cube", "rowboat", "spray bottle", "stroller", "sun lounger",
    "sunglasses", "telephone", "toy car", "tram", "TV stand", "umbrella", "washbasin", "waste bin", "wheelbarrow", "wooden figure",
})  # fmt: skip
"""Categories about whose front people may differ: never asked about, though they stand around."""
FRONTLESS = frozenset({"ball", "bowl of apples", "tree"})
"""Categories that no one would give a front, though their sides differ in pattern or in small parts."""
BLANK = frozenset({
    "bedside table", "bookcase", "clock", "coffee maker", "dog house", "dresser", "filing cabinet", "fireplace", "house", "loudspeaker",
    "microwave oven", "printer", "projector", "refrigerator", "safe", "shed", "stereo", "stove", "tent", "TV", "washing machine", "wardrobe",
    "water cooler",
})  # fmt: skip
"""Categories that look like a plain box or hump from behind: asked about only where their front is seen."""
SUBTLE = frozenset({
    "basketball-hoop", "boy", "bus-city", "camera", "car-sedan", "computer", "deer", "dressing-table", "helmet", "kick-scooter", "lawn-mower",
    "pinball-machine", "rocking-horse", "sailing-boat", "stop-sign", "teddy-bear",
})  # fmt: skip
"""Objects whose direction takes a close look from some sides: a saloon as long before as behind, a thin plate, a small figure."""
FRONT_SEEN = 70.0
"""Degrees off the camera up to which the front of those is seen well enough."""
_OUTDOORS = frozenset({
    "arrow", "ball", "barrel", "basketball hoop", "crate", "dog house", "fountain", "house", "lawn mower", "shed", "snowman", "stone lantern",
    "stop sign", "swing set", "table tennis table", "tent", "traffic cone", "trampoline", "tree", "umbrella", "wheelbarrow", "wheelie bin",
})  # fmt: skip
_BOTH = frozenset({"ball", "boy", "cat", "crate", "barrel", "dog", "man", "stroller", "tricycle", "wheelchair", "woman"})
LARGEST = 18.0
"""Metres: the diagonal of what stands among other things; larger ones are shown alone."""


@dataclass(frozen=True, slots=True)
class CatalogObject:
    """`size`: width, height, depth in metres, the front at +Z. `turns`: the least turn about +Y, in degrees, after which it
    looks the same: 1 for any turn, 0 if there is none but the whole. `upright`: whether one sees which way up is right.
    """

    id: str
    category: str
    broad: Broad
    size: Vector
    front: Front
    turns: int
    upright: bool
    made: Group | None = None  # of two meshes, see `two`

    @property
    def form(self) -> Geometry:
        return self.made or MeshRef(self.id)

    @property
    def span(self) -> float:
        """The diagonal of its box in metres."""
        w, h, d = self.size
        return (w * w + h * h + d * d) ** 0.5

    @property
    def reach(self) -> float:
        """Half the diagonal of its footprint in metres."""
        w, _, d = self.size
        return (w * w + d * d) ** 0.5 / 2

    @property
    def sure(self) -> bool:
        """Whether its front is beyond doubt: there is one, or a turn about +Y shows that there cannot be one, or none is looked for."""
        return self.category not in VAGUE and (self.front == "clear" or self.turns > 0 or self.category in FRONTLESS)

    @property
    def plain(self) -> bool:
        """Whether a glance from any side tells which way it faces."""
        return self.front == "clear" and self.sure and self.category not in BLANK and self.id not in SUBTLE

    def front_is_visible(self, angle: float) -> bool:
        """Whether it shows which way it faces where its front is turned so far off the camera, in degrees."""
        return abs(wrapped(angle)) <= FRONT_SEEN or self.category not in BLANK

    def belongs(self, place: Place) -> bool:
        outdoors = self.broad in ("Vehicle", "Person", "Animals") or self.category in _OUTDOORS
        return self.span <= LARGEST and (self.category in _BOTH or outdoors == (place == "outdoors"))


THINGS: tuple[CatalogObject, ...] = tuple(CatalogObject(*row) for row in ROWS)


@lru_cache(maxsize=1)
def known() -> dict[str, CatalogObject]:
    """Every object by its id."""
    return {thing.id: thing for thing in THINGS}


@lru_cache(maxsize=1024)
def chosen(
    fronts: tuple[Front, ...], place: Place | None = None, near: float | None = None, ratio: float = 2.5, sure: bool = True
) -> tuple[tuple[CatalogObject, ...], ...]:
    """The objects with such fronts by category: of a place, and of a diagonal within a ratio of `near` metres, if given."""
    by_category: dict[str, list[CatalogObject]] = {}
    for thing in THINGS:
        fits = near is None or near / ratio <= thing.span <= near * ratio
        if thing.front in fronts and (place is None or thing.belongs(place)) and fits and (thing.sure or not sure):
            by_category.setdefault(thing.category, []).append(thing)
    return tuple(tuple(things) for things in by_category.values())


def pick(rng: Rng, groups: Sequence[Sequence[CatalogObject]]) -> CatalogObject:
    """One object: every category equally likely, then every object of it."""
    return rng.pick(rng.pick(groups))


def two_of(rng: Rng, thing: CatalogObject, angle: float, *, front: bool) -> CatalogObject:
    """Two of an object with one front, or without; beside each other as one sees them whose front is turned so far off the camera."""
    return two(thing, "ahead" if front else rng.pick(("apart", "together")), abreast=abs(abs(wrapped(angle)) - 90) > 45)


def telling(groups: Sequence[Sequence[CatalogObject]], angle: float) -> tuple[tuple[CatalogObject, ...], ...]:
    """Those of them that show which way they face at such an angle to the camera."""
    visible = (tuple(thing for thing in things if thing.front_is_visible(angle)) for things in groups)
    return tuple(things for things in visible if things)


def plain(groups: Sequence[Sequence[CatalogObject]]) -> tuple[tuple[CatalogObject, ...], ...]:
    """Those of them that tell at a glance which way they face."""
    plain_groups = (tuple(thing for thing in things if thing.plain) for things in groups)
    return tuple(things for things in plain_groups if things)


Two = Literal["ahead", "apart", "together"]
"""How two of a kind face: the same way, or opposite ways."""
_YAWS: Mapping[Two, tuple[float, float]] = {"ahead": (0.0, 0.0), "apart": (0.0, 180.0), "together": (180.0, 0.0)}
_BETWEEN = 0.12
"""Of the width or depth of one: the gap between two of a kind."""


@lru_cache(maxsize=1024)
def two(thing: CatalogObject, facing: Two, *, abreast: bool) -> CatalogObject:
    """Two of an object as one object, abreast or behind each other: with one front if both face ahead, else it looks the same after
    half a turn.
    """
    width, height, depth = thing.size
    along = width if abreast else depth
    away = round(along * (1 + _BETWEEN) / 2, 4)
    places = [(off, 0.0, 0.0) if abreast else (0.0, 0.0, off) for off in (away, -away)]
    parts = tuple(Part(MeshRef(thing.id), Pose(at, yaw)) for at, yaw in zip(places, _YAWS[facing], strict=True))
    whole = round(2 * away + along, 4)
    size = (whole, height, depth) if abreast else (width, height, whole)
    front, turns = (thing.front, thing.turns) if facing == "ahead" else ("symmetric", 180)
    id = f"{thing.id}-{facing}{'-abreast' if abreast else ''}"
    return CatalogObject(id, thing.category, thing.broad, size, front, turns, thing.upright, Group(parts))


def of(form: Geometry) -> CatalogObject | None:
    """The object that has this form; none for walls and the like."""
    if isinstance(form, Group):
        one, *others = (part.geometry for part in form.parts)
        if len(others) != 1 or not isinstance(one, MeshRef) or one != others[0]:
            return None
        yaws = tuple(part.pose.yaw for part in form.parts)
        facing = next(facing for facing, turned in _YAWS.items() if turned == yaws)
        return two(known()[one.name], facing, abreast=form.parts[0].pose.position[0] != 0)
    return known().get(form.name) if isinstance(form, MeshRef) else None
