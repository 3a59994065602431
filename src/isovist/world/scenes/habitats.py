"""Where objects of each category are usually photographed: ground, walls, background and other objects that fit.

A habitat never depends on a facing direction, so it does not tell the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from isovist.core.rng import Rng
from isovist.world.assets import asset
from isovist.world.scenes import object_catalog
from isovist.world.scenes.mesh_catalog import Front
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


_TABLE = asset("tables", "habitats.json")
_SURFACES: dict[str, tuple[Surface, ...]] = {name: tuple(Surface(*row) for row in rows) for name, rows in _TABLE["surfaces"].items()}


def _habitat(*, grounds: Sequence[str], walls: Sequence[str] = (), **more: Any) -> Habitat:
    """A habitat with the surfaces of these names."""
    on_ground, on_walls = (tuple(surface for name in names for surface in _SURFACES[name]) for names in (grounds, walls))
    return Habitat(grounds=on_ground, walls=on_walls, **more)


HABITATS: tuple[Habitat, ...] = tuple(_habitat(**row) for row in _TABLE["habitats"])
_BY_NAME = {habitat.name: habitat for habitat in HABITATS}
_HOMES: dict[str, list[str]] = _TABLE["categories"]
"""The habitats of each category; categories without a mesh of the pack do no harm."""

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
