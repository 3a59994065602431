"""Where objects of each category are usually photographed: ground, walls, background and other objects that fit.

A habitat never depends on a facing direction, so it does not tell the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from isovist.core.rng import Rng
from isovist.world.scenes import object_catalog
from isovist.world.scenes.mesh_catalog_data import Front
from isovist.world.scenes.object_catalog import CatalogObject, Place

Background = Literal["room", "street", "land", "shore"]


@dataclass(frozen=True, slots=True)
class Surface:
    """A texture of the asset pack, the length in metres over which it repeats, and the tint it is multiplied with."""

    texture: str
    metres: float
    tint: str = "#ffffff"


@dataclass(frozen=True, slots=True)
class Habitat:
    """`table_m`: the height in metres of the table on which the objects stand; 0 for the ground. `walls`: surfaces of the walls of a room."""

    name: str
    place: Place
    background: Background
    grounds: tuple[Surface, ...]
    walls: tuple[Surface, ...] = ()
    table_m: float = 0.0


_PLANKS = (Surface("planks", 1.2), Surface("planks-dark", 1.2), Surface("parquet", 1.2), Surface("parquet", 1.2, "#d8b890"))
_CARPETS = (Surface("carpet", 1.0, "#e8e4dc"), Surface("carpet-warm", 1.0, "#d8ccc4"), Surface("carpet", 1.0, "#b4bcc4"))
_TILES = (Surface("tiles", 1.2), Surface("tiles-dark", 1.2), Surface("stone", 1.2), Surface("stone", 1.2, "#e4dccc"))
_PAINT = tuple(Surface("plaster", 2.0, tint) for tint in ("#efe9dc", "#dfe5e3", "#cfd9d3", "#c9d7e0", "#e6dccb", "#d7d7d7", "#c9c0b0"))
_PAPER = tuple(Surface("wallpaper", 1.6, tint) for tint in ("#ffffff", "#e6e0f0", "#e0ece0", "#f0e4d4"))
_WALL_TILES = (Surface("tiles-bathroom", 1.2), Surface("tiles-bathroom", 1.2, "#d4e4e8"), Surface("tiles-bathroom", 1.0, "#dce8dc"))
_BRICK = (Surface("bricks", 2.0), Surface("bricks", 2.0, "#e8e4e0"), Surface("concrete", 3.0, "#e4e0d8"))
_TOPS = (
    Surface("planks", 0.9),
    Surface("planks-dark", 0.9),
    Surface("parquet", 1.0, "#e8d0b0"),
    Surface("plaster", 1.0, "#f0ece4"),
    Surface("plaster", 1.0, "#8c8c90"),
    Surface("stone", 1.0, "#d8d4cc"),
)
_LAWN = (Surface("lawn", 1.5), Surface("lawn", 1.7, "#f0e8c0"), Surface("grass", 1.4), Surface("grass", 1.6, "#f0f0d8"))
_DRY = (Surface("grass", 1.6, "#ffe0a0"), Surface("sand", 2.0, "#e0c898"), Surface("soil", 2.0, "#f0d8b0"))
_STREET = (Surface("asphalt", 2.0), Surface("asphalt", 2.2, "#d8d4cc"), Surface("concrete", 3.0, "#c4c0b8"))
_PAVING = (Surface("paving", 1.6), Surface("paving", 1.4, "#e8dccc"), Surface("concrete", 3.0), Surface("asphalt", 2.0, "#f0f0f0"))
_WATER = (Surface("water", 4.0), Surface("water", 5.0, "#d8e8e0"), Surface("water", 4.5, "#e8f0ff"))
_GRAVEL = (Surface("gravel", 1.6), Surface("gravel", 1.4, "#d8ccc0"))

HABITATS: tuple[Habitat, ...] = (
    Habitat("water", "outdoors", "shore", _WATER),
    Habitat("road", "outdoors", "street", _STREET),
    Habitat("railway", "outdoors", "land", _GRAVEL),
    Habitat("airfield", "outdoors", "land", (Surface("asphalt", 4.0), Surface("concrete", 5.0), Surface("grass", 3.0))),
    Habitat("pasture", "outdoors", "land", (*_LAWN, Surface("soil", 1.6))),
    Habitat("savanna", "outdoors", "land", _DRY),
    Habitat("snow", "outdoors", "land", (Surface("plaster", 3.0, "#f4f8ff"), Surface("sand", 3.0, "#f0f4fc"))),
    Habitat("pavement", "outdoors", "street", _PAVING),
    Habitat("garden", "outdoors", "land", (*_LAWN, Surface("paving", 1.4, "#e8dccc"))),
    Habitat("living room", "indoors", "room", (*_PLANKS, *_CARPETS), (*_PAINT, *_PAPER)),
    Habitat("dining room", "indoors", "room", (*_PLANKS, *_TILES), _PAINT),
    Habitat("kitchen", "indoors", "room", _TILES, (*_PAINT, *_WALL_TILES)),
    Habitat("bathroom", "indoors", "room", _TILES, (*_WALL_TILES, *_WALL_TILES, *_PAINT)),
    Habitat("bedroom", "indoors", "room", (*_PLANKS, *_CARPETS), (*_PAINT, *_PAPER)),
    Habitat("child's room", "indoors", "room", (*_PLANKS, *_CARPETS), (*_PAINT, *_PAPER)),
    Habitat("office", "indoors", "room", (*_CARPETS, *_PLANKS), _PAINT),
    Habitat("hall", "indoors", "room", (*_TILES, *_PLANKS), (*_PAINT, *_BRICK)),
    Habitat("workshop", "indoors", "room", (Surface("concrete", 3.0), Surface("concrete", 2.5, "#d0ccc4")), _BRICK),
    Habitat("table", "indoors", "room", _TOPS, (*_PAINT, *_PAPER), table_m=0.74),
    Habitat("kitchen counter", "indoors", "room", _TOPS, (*_PAINT, *_WALL_TILES), table_m=0.9),
    Habitat("workbench", "indoors", "room", _TOPS, _BRICK, table_m=0.85),
)
_BY_NAME = {habitat.name: habitat for habitat in HABITATS}

_RESIDENTS: dict[str, str] = {
    "water": "rowboat, sailing boat, ship, motorboat, canoe, kayak, yacht, ferry, boat, speedboat, tugboat, fishing boat",
    "road": "car, van, truck, bus, moped, motorcycle, bicycle, tram, forklift, traffic cone, stop sign, arrow, scooter, tractor, ambulance, "
    "fire engine, taxi, police car, trailer, caravan, pickup truck, excavator, quad bike",
    "railway": "locomotive, tram, train, wagon",
    "airfield": "airliner, helicopter, aeroplane, airplane, glider, biplane, jet, fighter jet, propeller plane",
    "pasture": "cow, horse, sheep, chicken, rabbit, dog, goat, pig, donkey, bear, tractor, duck, goose, rooster, bull, foal, calf, fox, barrel, "
    "wheelbarrow, shed, wolf, boar, rock, pile of logs, fence, hedge",
    "savanna": "elephant, giraffe, zebra, lion, rhinoceros, hippopotamus, camel, ostrich, crocodile, leopard, tiger, antelope, kangaroo, rock, "
    "palm tree",
    "snow": "snowman",
    "pavement": "man, woman, boy, girl, dog, cat, bicycle, kick scooter, stroller, wheelchair, stop sign, traffic cone, wheelie bin, moped, "
    "motorcycle, tricycle, ball, crate, bench, basketball hoop, arrow, umbrella, fountain, pigeon, post box, park bench, fire "
    "hydrant, street lamp, railing",
    "garden": "cat, dog, rabbit, chicken, tricycle, dog house, shed, tent, lawn mower, swing set, trampoline, stone lantern, umbrella, "
    "wheelbarrow, barrel, ball, crate, house, sun lounger, boy, man, woman, girl, table tennis table, fountain, tree, kick scooter, "
    "basketball hoop, park bench, deck chair, hammock, gazebo, climbing frame, seesaw, sandpit, paddling pool, swimming pool, hot "
    "tub, palm tree, pile of logs, rock, fence, hedge, air mattress, sleeping bag, wash tub, clothes horse, camping lantern",
    "living room": "armchair, sofa, bookcase, fireplace, piano, grand piano, TV stand, dresser, cat, dog, man, woman, boy, girl, rocking horse, "
    "stool, round table, basket, chair, TV, loudspeaker, wardrobe, coffee table, clock, floor lamp, beanbag, sideboard, folding "
    "screen, wood stove, Christmas tree, cupboard, shelf unit, electric guitar, trunk, radiator",
    "dining room": "chair, table, round table, high chair, bar stool, stool, man, woman, boy, dog, dresser, basket, sideboard, cupboard, bar table, "
    "floor lamp, radiator",
    "kitchen": "chair, table, high chair, bar stool, stool, refrigerator, stove, washing machine, waste bin, man, woman, cat, basket, "
    "dishwasher, dog, kitchen cabinet, kitchen sink, oven, chest freezer, cupboard, stepladder, radiator",
    "bathroom": "toilet, bidet, washbasin, washing machine, waste bin, basket, stool, bathtub, shower, laundry basket, wash tub, tumble dryer, "
    "clothes horse, potty, urinal, changing table, radiator, stepladder",
    "bedroom": "bed, wardrobe, dresser, bedside table, dressing table, armchair, suitcase, basket, woman, man, cat, stool, hospital bed, chair, "
    "loft bed, folding screen, trunk, pile of clothes, changing table, floor lamp, shelf unit",
    "child's room": "rocking horse, tricycle, boy, girl, dollhouse, wardrobe, stool, ball, basket, teddy bear, toy car, cat, dog, bookcase, bed, "
    "beanbag, changing table, loft bed, storage box, backpack, trunk",
    "office": "office chair, filing cabinet, desk, water cooler, safe, fire extinguisher, bookcase, waste bin, man, woman, chair, cardboard "
    "box, wheelchair, whiteboard, locker, shelf unit, backpack, floor lamp, radiator",
    "hall": "exercise bike, wheelchair, pinball machine, suitcase, stroller, man, woman, boy, piano, grand piano, fire extinguisher, water "
    "cooler, cardboard box, bar stool, hospital bed, chair, waste bin, vending machine, exercise bench, punching ball, locker, bar "
    "table, trunk",
    "workshop": "crate, barrel, cardboard box, safe, fire extinguisher, stool, man, kick scooter, forklift, waste bin, tricycle, filing cabinet, "
    "workbench, pallet, stepladder, wood stove, shelf unit, storage box, tumble dryer, locker, chest freezer",
    "table": "camera, laptop, computer, telephone, clock, printer, projector, mug, vase, table lamp, handbag, sunglasses, cap, helmet, teddy "
    "bear, toy car, wooden figure, puzzle cube, jug, bowl, bowl of apples, birthday cake, stereo, TV, bottle, wine bottle, electric "
    "piano, deer, loudspeaker, milk carton, loaf of bread, hot dog, roast chicken, pair of shoes, pair of boots, "
    "desk lamp, game controller, headphones, doll, hat, open book, picture frame, stapler, toy plane, toy train, candle, paper "
    "lantern, potted plant, gift box, cup of coffee, paper cup, plastic cup, fan",
    "kitchen counter": "microwave oven, coffee maker, toaster, jug, mug, bowl, bowl of apples, bottle, wine bottle, milk carton, loaf of bread, roast "
    "chicken, hot dog, spray bottle, vase, blender, kettle, baby bottle, cooking pot, pair of oil bottles, plate, soap dispenser, "
    "sugar bowl, kitchen scale, rice cooker, bowl of fruit, bowl of salad, cupcake, steak, knife block, roll of paper towels, cup of "
    "coffee, paper cup",
    "workbench": "drill, flashlight, helmet, spray bottle, bottle, pair of boots, camera, toaster, clock, stereo, loudspeaker, camping lantern, "
    "headphones, desk lamp, fan",
}  # fmt: skip
"""Categories of each habitat; names without a mesh of the pack do no harm."""
_HOMES: dict[str, tuple[str, ...]] = {}
for _name, _listed in _RESIDENTS.items():
    for _category in _listed.split(", "):
        _HOMES[_category] = (*_HOMES.get(_category, ()), _name)

_SMALL = 0.65
"""Maximum diagonal in metres of an object that stands on a table, if its category is not listed."""
_STANDING, _CROUCHING, _LOW = (1.1, 1.9), (0.5, 1.3), 0.7
"""Heights of a camera in metres; the second one before objects up to a height of `_LOW`."""
AFLOAT = 0.12
"""Share of the height of a hull that is under water: of a boat without a mast."""
_DRAUGHTS = {"sailing boat": 0.035, "yacht": 0.04}
"""The same of boats with a mast, relative to their total height."""


@lru_cache(maxsize=4096)
def of(thing: CatalogObject, place: Place | None = None) -> tuple[Habitat, ...]:
    """The habitats of an object, optionally only those of a place; at least one."""
    listed = tuple(_BY_NAME[name] for name in _HOMES.get(thing.category, ()))
    fitting = tuple(habitat for habitat in listed if place in (None, habitat.place))
    return fitting or (_BY_NAME[_default(thing, place)],)


def _default(thing: CatalogObject, place: Place | None) -> str:
    """The habitat of a category that is not listed for a place, by its broad class and size."""
    outdoors = place == "outdoors" or (place is None and thing.belongs("outdoors"))
    if outdoors:
        return {"Vehicle": "road", "Animals": "pasture", "Person": "pavement"}.get(thing.broad, "garden")
    if thing.span <= _SMALL:
        return {"Food": "kitchen counter"}.get(thing.broad, "table")
    return {"Person": "hall", "Vehicle": "workshop", "Containers": "workshop"}.get(thing.broad, "living room")


def draw(rng: Rng, thing: CatalogObject, place: Place | None = None) -> Habitat:
    """A random habitat of an object."""
    return rng.pick(of(thing, place))


def shared(things: Sequence[CatalogObject], place: Place | None) -> Habitat:
    """The first habitat, without tables, that all objects share; else that of the first object, or of a plain room or street."""
    common = [habitat for habitat in HABITATS if not habitat.table_m and all(habitat in of(thing, place) for thing in things)]
    alternatives = [
        habitat for thing in things[:1] for habitat in of(thing, place) if not habitat.table_m and habitat.background != "shore"
    ]
    return next(iter((*common, *alternatives)), _BY_NAME["living room" if place == "indoors" else "pavement"])


@lru_cache(maxsize=2048)
def residents(
    habitat: Habitat, fronts: tuple[Front, ...], near: float | None = None, ratio: float = 2.5, sure: bool = True
) -> tuple[tuple[CatalogObject, ...], ...]:
    """The objects of a habitat by category: see `object_catalog.chosen`."""
    groups = object_catalog.chosen(fronts, habitat.place, near, ratio, sure)
    return object_catalog.fitting(groups, lambda thing: habitat in of(thing, habitat.place))


def draught(thing: CatalogObject) -> float:
    """How deep an object is in the water, in metres; 0 for what does not float."""
    if "water" not in _HOMES.get(thing.category, ()):
        return 0.0
    return round(_DRAUGHTS.get(thing.category, AFLOAT) * thing.size[1], 3)


def eye_height(rng: Rng, thing: CatalogObject, habitat: Habitat) -> float:
    """A height of the camera in metres above the surface on which an object stands, as a person holds it: standing, or crouching before
    a low object; above a table; on a quay.
    """
    if habitat.table_m:
        return rng.uniform(0.3, 0.85)
    if habitat.background == "shore":
        return rng.uniform(1.5, 4.0)
    return rng.uniform(*(_CROUCHING if thing.size[1] < _LOW else _STANDING))
