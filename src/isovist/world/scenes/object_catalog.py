"""The catalogue of objects: category, size, front and place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from isovist.core.rng import Rng
from isovist.core.rotation import Vector, wrapped
from isovist.core.scene3d import Geometry, Group, MeshRef, Part, Pose
from isovist.world.scenes import legibility
from isovist.world.scenes.mesh_catalog import MESHES, Broad, Front

Place = Literal["indoors", "outdoors"]

VAGUE = frozenset({
    "backpack", "bar stool", "bed", "bidet", "birthday cake", "bread", "cap", "desk", "dollhouse", "drill", "electric piano",
    "exercise bike", "flashlight", "grand piano", "handbag", "hospital bed", "pair of boots", "pair of shoes", "pair of slippers",
    "piano", "potty", "puzzle cube", "rowboat", "spray bottle", "stroller", "sun lounger", "sunglasses", "telephone", "toy car",
    "toy train", "tram", "trunk", "TV stand", "umbrella", "washbasin", "waste bin", "wheelbarrow", "wooden figure",
})  # fmt: skip
"""Categories with a disputable front: never targets, but they occur as other objects."""
FRONTLESS = frozenset({
    "ball", "bowl of apples", "bowl of fruit", "bowl of salad", "Christmas tree", "cupcake", "hedge", "palm tree", "potted plant", "rock",
    "tree",
})  # fmt: skip
"""Categories without a front, although their sides differ in pattern or in small parts."""
BLANK = frozenset({
    "bedside table", "bookcase", "changing table", "chest freezer", "clock", "coffee maker", "cupboard",
    "dog house", "dresser", "electric guitar", "filing cabinet", "fireplace", "house", "kitchen cabinet", "kitchen scale", "kitchen sink",
    "locker", "loudspeaker", "microwave oven", "oven", "picture frame", "printer", "projector", "refrigerator", "rice cooker",
    "safe", "shed", "sideboard", "stereo", "stove", "tent", "tumble dryer", "TV", "urinal", "wardrobe", "washing machine", "water cooler",
    "wood stove", "workbench",
})  # fmt: skip
"""Categories with a plain back: targets only if their front is visible."""
SUBTLE = frozenset({
    "basketball-hoop", "boy", "bus-city", "camera", "camera-compact", "car-hatchback-green", "car-hatchback-red", "car-sedan",
    "car-sedan-blue", "computer", "deer", "dressing-table", "girl", "helmet", "kick-scooter", "lawn-mower", "pinball-machine", "rocking-horse",
    "sailing-boat", "sailing-boat-green", "stop-sign", "teddy-bear",
})  # fmt: skip
"""Objects whose direction is hard to see from some sides: symmetric cars, thin plates, small figures."""
LETTERED = frozenset({
    "birthday-cake", "book-open", "bookcase-full", "bottle-wine", "bottle-wine-labelled", "bus-city", "bus-coach", "camera",
    "camera-compact", "car-city", "car-coupe-blue", "car-coupe-red", "car-suv", "clock", "cupboard-colourful", "cupboard-office", "dryer",
    "exercise-bike", "fire-extinguisher", "kitchen-scale", "milk-carton", "oven-built-in", "oven-double", "oven-small",
    "picture-frame-yellow", "pinball-machine", "printer", "projector", "rice-cooker", "stereo", "stop-sign", "telephone",
    "telephone-desk", "toaster", "van", "washing-machine", "water-cooler",
})  # fmt: skip
"""Objects with letters or digits, which show whether an image is mirrored."""
CRUDE = frozenset({"car-sedan", "car-sedan-blue"})
"""Objects of few flat surfaces, which look wrong among the others: in scenes of the user only."""
FRONT_SEEN = 70.0
"""Maximum angle from the camera direction, in degrees, at which the front of `BLANK` categories is clearly visible."""
_OUTDOORS = frozenset({
    "arrow", "ball", "barrel", "basketball hoop", "bench", "climbing frame", "crate", "deck chair", "dog house", "fence", "fire hydrant",
    "fountain", "gazebo", "hammock", "hedge", "hot tub", "house", "lawn mower", "paddling pool", "pallet", "palm tree", "park bench",
    "pile of logs", "railing", "rock", "sandpit", "seesaw", "shed", "snowman", "stone lantern", "stop sign", "street lamp", "sun lounger",
    "swimming pool", "swing set", "table tennis table", "tent", "traffic cone", "trampoline", "tree", "umbrella", "wheelbarrow",
    "wheelie bin",
})  # fmt: skip
_BOTH = frozenset({
    "ball", "barrel", "bench", "cat", "crate", "dog", "girl", "man", "potted plant", "stepladder", "stroller", "tricycle",
    "wheelchair", "woman",
})  # fmt: skip
_PAINTED = frozenset({"Furniture", "Containers"})
_UNPAINTED = frozenset({"barrel", "cardboard box", "cup of coffee", "milk carton", "paper cup", "wine bottle"})
_COLOURED = frozenset({"car", "pair of boots", "pair of shoes", "tent", "van", "vase"})
"""Objects that take a tint: furniture and containers except for `_UNPAINTED`, and `_COLOURED`."""
LARGEST = 18.0
"""Maximum diagonal of an object among others, in metres; larger objects are shown alone."""


@dataclass(frozen=True, slots=True)
class CatalogObject:
    """An object of the catalogue.

    `size`: width, height and depth in metres, with the front at +Z. `turns`: the smallest rotation about +Y, in degrees, after which it
    looks the same; 1 for any rotation, 0 for none below 360. `upright`: its upright orientation is visible.
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
    def mesh(self) -> str:
        """The name of the mesh, of a pair the one that it has twice."""
        first = self.made.parts[0].geometry if self.made else None
        return first.name if isinstance(first, MeshRef) else self.id

    @property
    def span(self) -> float:
        """The diagonal of the bounding box in metres."""
        w, h, d = self.size
        return (w * w + h * h + d * d) ** 0.5

    @property
    def reach(self) -> float:
        """Half the diagonal of the footprint in metres."""
        w, _, d = self.size
        return (w * w + d * d) ** 0.5 / 2

    @property
    def sure(self) -> bool:
        """Whether it is certain if the object has a front: a clear front, rotational symmetry, or a category of `FRONTLESS`."""
        return self.category not in VAGUE and (self.front == "clear" or self.turns > 0 or self.category in FRONTLESS)

    @property
    def tintable(self) -> bool:
        """Whether a tint of its colours looks natural: of painted or upholstered things, never of people, animals and food."""
        return (self.broad in _PAINTED and self.category not in _UNPAINTED) or self.category in _COLOURED

    def tinted(self, tint: str | None) -> str | None:
        """The tint if it suits the object, else None."""
        return tint if self.tintable else None

    @property
    def plain(self) -> bool:
        """Whether the facing direction is obvious from every side."""
        return (
            self.front == "clear"
            and self.sure
            and self.category not in BLANK
            and self.id not in SUBTLE
            and legibility.always_tells(self.mesh)
        )

    def front_is_visible(self, angle: float) -> bool:
        """Whether the facing direction is visible with the front at `angle` degrees from the camera direction."""
        seen = abs(wrapped(angle)) <= FRONT_SEEN or self.category not in BLANK
        return seen and legibility.tells(self.mesh, angle)

    def belongs(self, place: Place) -> bool:
        outdoors = self.broad in ("Vehicle", "Person", "Animals") or self.category in _OUTDOORS
        return self.span <= LARGEST and (self.category in _BOTH or outdoors == (place == "outdoors"))


THINGS: tuple[CatalogObject, ...] = tuple(
    CatalogObject(mesh.id, mesh.category, mesh.broad, mesh.size, mesh.front, mesh.symmetry, mesh.upright) for mesh in MESHES
)


@lru_cache(maxsize=1)
def known() -> dict[str, CatalogObject]:
    """All objects by id."""
    return {thing.id: thing for thing in THINGS}


@lru_cache(maxsize=1024)
def chosen(
    fronts: tuple[Front, ...], place: Place | None = None, near: float | None = None, ratio: float = 2.5, sure: bool = True
) -> tuple[tuple[CatalogObject, ...], ...]:
    """The objects with these fronts, by category; optionally of a place, and with a diagonal within a ratio of `near` metres."""
    by_category: dict[str, list[CatalogObject]] = {}
    for thing in THINGS:
        fits = near is None or near / ratio <= thing.span <= near * ratio
        if (
            thing.id not in CRUDE
            and thing.front in fronts
            and (place is None or thing.belongs(place))
            and fits
            and (thing.sure or not sure)
        ):
            by_category.setdefault(thing.category, []).append(thing)
    return tuple(tuple(things) for things in by_category.values())


def pick(rng: Rng, groups: Sequence[Sequence[CatalogObject]]) -> CatalogObject:
    """A random object: a uniformly chosen category, then a uniformly chosen object of it."""
    return rng.pick(rng.pick(groups))


def two_of(rng: Rng, thing: CatalogObject, angle: float, *, front: bool) -> CatalogObject:
    """A pair of an object, with one front or none.

    The two are beside each other as seen with the front at `angle` degrees to the camera.
    """
    return two(thing, "ahead" if front else rng.pick(("apart", "together")), abreast=abs(abs(wrapped(angle)) - 90) > 45)


Groups = tuple[tuple[CatalogObject, ...], ...]
"""Objects by category."""


def fitting(groups: Sequence[Sequence[CatalogObject]], fits: Callable[[CatalogObject], bool]) -> Groups:
    """The objects that fit; categories without any are left out."""
    kept = (tuple(thing for thing in things if fits(thing)) for things in groups)
    return tuple(things for things in kept if things)


def telling(groups: Sequence[Sequence[CatalogObject]], angle: float) -> Groups:
    """The objects whose facing direction is visible at an angle to the camera, in degrees."""
    return fitting(groups, lambda thing: thing.front_is_visible(angle))


def plain(groups: Sequence[Sequence[CatalogObject]]) -> Groups:
    """The objects whose facing direction is obvious."""
    return fitting(groups, lambda thing: thing.plain)


def without_letters(groups: Sequence[Sequence[CatalogObject]]) -> Groups:
    """The objects that do not show whether an image is mirrored."""
    return fitting(groups, lambda thing: thing.id not in LETTERED)


Two = Literal["ahead", "apart", "together"]
"""The facing directions of a pair: equal, or opposite."""
_YAWS: Mapping[Two, tuple[float, float]] = {"ahead": (0.0, 0.0), "apart": (0.0, 180.0), "together": (180.0, 0.0)}
_BETWEEN = 0.12
"""The gap of a pair, as a share of the width or depth of one object."""


@lru_cache(maxsize=1024)
def two(thing: CatalogObject, facing: Two, *, abreast: bool) -> CatalogObject:
    """A pair as one object, side by side (`abreast`) or one behind the other.

    It has one front if both face ahead; otherwise it looks the same after a rotation by 180 degrees.
    """
    width, height, depth = thing.size
    length = width if abreast else depth
    offset = round(length * (1 + _BETWEEN) / 2, 4)
    places = [(off, 0.0, 0.0) if abreast else (0.0, 0.0, off) for off in (offset, -offset)]
    parts = tuple(Part(MeshRef(thing.id), Pose(at, yaw)) for at, yaw in zip(places, _YAWS[facing], strict=True))
    total = round(2 * offset + length, 4)
    size = (total, height, depth) if abreast else (width, height, total)
    front, turns = (thing.front, thing.turns) if facing == "ahead" else ("symmetric", 180)
    id = f"{thing.id}-{facing}{'-abreast' if abreast else ''}"
    return CatalogObject(id, thing.category, thing.broad, size, front, turns, thing.upright, Group(parts))


def of(form: Geometry) -> CatalogObject | None:
    """The object with this geometry; None for walls and other fixtures."""
    if isinstance(form, Group):
        mesh, *others = (part.geometry for part in form.parts)
        if len(others) != 1 or not isinstance(mesh, MeshRef) or mesh != others[0] or mesh.name not in known():
            return None  # also furniture with two equal parts, such as a fence
        yaws = tuple(part.pose.yaw for part in form.parts)
        facing = next(facing for facing, turned in _YAWS.items() if turned == yaws)
        return two(known()[mesh.name], facing, abreast=form.parts[0].pose.position[0] != 0)
    return known().get(form.name) if isinstance(form, MeshRef) else None
