"""Types of street objects: forms, zones, and distances at which they are easily visible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from isovist.core.rng import Rng
from isovist.core.scene3d import Geometry, MeshRef
from isovist.world.scenes.environments import street_furniture, street_trees
from isovist.world.scenes.environments.street_plan import Use
from isovist.world.scenes.furniture_meshes import built, tinted

PAINTS = {
    "red": "#b81c1c",
    "blue": "#1d4fae",
    "yellow": "#e2b616",
    "green": "#2c7a3a",
    "white": "#f0f0ee",
    "black": "#202226",
    "orange": "#e06a14",
}
"""Colours that distinguish cars."""
Turn = Literal["zone", "eye", "side", "any", "across"]
"""Yaw of the front: that of the zone, within 40 degrees of the direction to the eye or of a side view, any, or across the zone."""

_PAINTED = {
    "red": ("car-coupe-red",),
    "blue": ("car-coupe-blue",),
    "green": ("car-hatchback-green",),
}
"""Cars of the mesh pack by their colour."""

Draw = Callable[[Rng], Geometry]


@dataclass(frozen=True, slots=True)
class StreetObjectType:
    """`name`: object name; `near` and `far`: least and greatest distance of its centre from the eye in metres; `draw`: samples the form;
    `weight`: relative frequency; `places`: allowed layouts, all if empty.
    """

    name: str
    draw: Draw
    uses: tuple[Use, ...]
    near: float
    far: float
    turn: Turn = "zone"
    weight: int = 1
    places: tuple[str, ...] = ()


def _one(*forms: Geometry) -> Draw:
    return lambda rng: rng.pick(forms)


def _mesh(*names: str) -> Draw:
    return _one(*(MeshRef(name) for name in names))


def _car(paint: str) -> Draw:
    bodies = (built(f"car-{body}", paint=PAINTS[paint]) for body in ("saloon", "hatchback", "estate", "compact"))
    return _one(*(MeshRef(name) for name in _PAINTED.get(paint, ())), *bodies)


def any_car(rng: Rng) -> Geometry:
    """A car in any colour, including those of the mesh pack."""
    return (
        MeshRef(rng.pick(("car-city", "car-suv", "car-family", "car-convertible")))
        if rng.chance(0.2)
        else _car(rng.pick(tuple(PAINTS)))(rng)
    )


_VAN = _one(MeshRef("van"), *(tinted("van", paint) for paint in ("#f09040", "#6090e0", "#e05050", "#70b070")))
_WARNING = _one(*(built("warning-sign", face=face) for face in ("#f4f4f0", "#f4d838")))
_MEN = (
    "boy",
    "man-plain",
    "man-crossed-arms",
    "man-cardigan",
    "man-jacket",
    "man-suit",
    "man-grey-suit",
)  # the boy of its library looks like a man
_WOMEN = ("woman-plain", "woman-jacket", "woman-dress", "woman-long-dress", "woman-pink", "woman-casual")
_DRIVE: tuple[Use, ...] = ("lane", "parking", "bay")
_STAND: tuple[Use, ...] = ("kerb", "wall")
_OPEN: tuple[Use, ...] = ("walk", "plaza", "grass", "garden")
_ROADS = ("street", "crossroads", "T-junction", "street corner", "suburban street")
_VEHICLES: tuple[StreetObjectType, ...] = (
    *(StreetObjectType(f"{paint} car", _car(paint), _DRIVE, 5.0, 22.0, weight=3) for paint in PAINTS),
    StreetObjectType("bus", _mesh("bus-city"), ("lane",), 10.0, 34.0, weight=4),
    StreetObjectType("coach", _mesh("bus-coach"), ("lane",), 11.0, 34.0),
    StreetObjectType("tram", _mesh("tram", "tram-blue"), ("rail",), 11.0, 34.0, weight=10),
    StreetObjectType("truck", _mesh("truck-box", "truck-box-blue"), ("lane", "parking"), 8.0, 28.0, weight=3),
    StreetObjectType("van", _VAN, _DRIVE, 7.0, 26.0, weight=3),
    StreetObjectType("motorcycle", _mesh("motorcycle-red", "motorcycle-blue"), ("parking", "bay", "wall", "kerb"), 3.5, 13.0, weight=3),
    StreetObjectType("motor scooter", _mesh("moped-blue", "moped-vintage"), ("parking", "bay", "wall", "kerb"), 3.5, 13.0, weight=2),
    StreetObjectType(
        "bicycle", _mesh("bicycle-bmx", "bicycle-bmx-purple", "bicycle-black"), ("kerb", "wall", "walk", "plaza"), 2.6, 8.0, "side", 4
    ),
)
_PEOPLE: tuple[StreetObjectType, ...] = (
    StreetObjectType("man", _mesh(*_MEN), (*_OPEN, "wall"), 2.6, 13.0, "any", 5),
    StreetObjectType("woman", _mesh(*_WOMEN), (*_OPEN, "wall"), 2.6, 13.0, "any", 5),
    StreetObjectType("dog", _mesh("dog"), _OPEN, 2.4, 6.5, "any", 2),
    StreetObjectType("horse", _mesh("horse-bay", "horse-chestnut"), ("grass",), 5.0, 18.0, "any", 3),
)
_FURNITURE: tuple[StreetObjectType, ...] = (
    StreetObjectType("bench", _one(built("bench")), ("kerb", "wall", "plaza", "grass"), 2.6, 15.0, "zone", 4),
    StreetObjectType("post box", _one(street_furniture.POST_BOX), (*_STAND, "plaza"), 2.6, 13.0, "zone", 4),
    StreetObjectType("telephone box", _one(street_furniture.PHONE_BOX), (*_STAND, "plaza"), 3.0, 18.0, "eye", 4),
    StreetObjectType("litter bin", _one(built("litter-bin")), (*_STAND, "plaza", "grass"), 2.5, 9.0, "zone", 3),
    StreetObjectType("wheelie bin", _mesh("wheelie-bin"), ("wall", "kerb"), 2.4, 7.5, "zone", 2),
    StreetObjectType("fire hydrant", _one(built("hydrant")), ("kerb",), 2.2, 6.5, "zone", 2),
    StreetObjectType("traffic light", _one(built("traffic-light")), ("signal",), 4.0, 24.0, "eye", 12),
    StreetObjectType("stop sign", _mesh("stop-sign"), ("kerb", "signal"), 3.0, 13.0, "eye", 3),
    StreetObjectType("warning sign", _WARNING, ("kerb", "grass"), 3.0, 12.0, "eye", 2),
    StreetObjectType("bus stop shelter", _one(built("bus-shelter")), ("walk",), 5.0, 24.0, "zone", 5, ("street", "suburban street", "crossroads", "T-junction", "park edge")),
    StreetObjectType("kiosk", _one(built("kiosk")), ("plaza", "grass"), 6.0, 26.0, "zone", 3),
    StreetObjectType("market stall", _one(built("market-stall")), ("plaza",), 5.0, 22.0, "zone", 5),
    StreetObjectType("advertising column", _one(built("advertising-column")), ("plaza", "kerb", "wall"), 4.0, 22.0, "zone", 3),
    StreetObjectType("billboard", _one(built("billboard")), ("grass", "wall", "kerb"), 8.0, 30.0, "eye", 3),
    StreetObjectType("fountain", _one(built("fountain")), ("centre", "grass"), 5.0, 26.0, "zone", 6),
    StreetObjectType("statue", _one(built("statue")), ("centre", "grass"), 5.0, 24.0, "zone", 5),
    StreetObjectType("street clock", _one(built("street-clock")), ("kerb", "plaza"), 3.0, 16.0, "eye", 3),
    StreetObjectType("flag", _one(built("flagpole")), ("kerb", "plaza", "grass", "garden"), 4.0, 24.0, "any", 3),
    StreetObjectType("umbrella", _mesh("parasol"), ("plaza", "grass", "garden"), 4.0, 20.0, "any", 3),
    StreetObjectType("picnic table", _one(built("picnic-table")), ("grass", "garden"), 3.0, 15.0, "any", 3),
    StreetObjectType("traffic cone", _mesh("traffic-cone"), ("parking", "kerb", "lane", "bay"), 2.2, 6.5, "any", 3),
    StreetObjectType("swing set", _mesh("swing-set"), ("grass", "garden"), 4.0, 18.0, "zone", 4, ("park edge", "suburban street")),
    StreetObjectType("slide", _one(built("slide")), ("grass", "garden"), 4.0, 18.0, "any", 3, ("park edge", "suburban street")),
    StreetObjectType("tent", _mesh("tent"), ("grass", "garden"), 4.0, 18.0, "any", 1, ("park edge", "suburban street")),
    StreetObjectType("sailing boat", _mesh("sailing-boat", "sailing-boat-green"), ("water",), 8.0, 40.0, "any", 20),
    StreetObjectType("rowing boat", _mesh("rowboat"), ("water",), 4.0, 20.0, "any", 20),
    StreetObjectType("church", _one(street_furniture.CHURCH), ("landmark",), 26.0, 75.0, "zone", 8),
    StreetObjectType("water tower", _one(built("water-tower")), ("landmark",), 24.0, 80.0, "zone", 4),
    StreetObjectType("petrol station", _one(built("petrol-station")), ("landmark",), 20.0, 75.0, "zone", 4, _ROADS),
)  # fmt: skip

KINDS: tuple[StreetObjectType, ...] = (*_VEHICLES, *_PEOPLE, *_FURNITURE)
"""Object types with unique names in a street."""


COUNTED: dict[str, StreetObjectType] = {
    kind.name: kind
    for kind in (
        StreetObjectType("car", any_car, _DRIVE, 5.0, 26.0),
        StreetObjectType(
            "person",
            _mesh(*_MEN, *_WOMEN, "girl"),
            (*_OPEN, "wall", "kerb"),
            2.6,
            13.0,
            "any",
        ),
        StreetObjectType("tree", street_trees.whole, ("tree", "grass", "plaza"), 3.5, 22.0, "any"),
        StreetObjectType("street lamp", _one(street_furniture.STREET_LAMP), ("lamp",), 3.0, 22.0),
        StreetObjectType("bench", _one(built("bench")), ("kerb", "wall", "plaza", "grass"), 2.6, 13.0),
        StreetObjectType(
            "bicycle", _mesh("bicycle-bmx", "bicycle-bmx-purple", "bicycle-black"), ("kerb", "wall", "walk", "plaza"), 2.6, 8.5, "side"
        ),
        StreetObjectType("litter bin", _one(built("litter-bin")), (*_STAND, "plaza", "grass"), 2.5, 9.0),
        StreetObjectType("traffic cone", _mesh("traffic-cone"), ("parking", "kerb", "lane", "bay"), 2.2, 7.0, "any"),
        StreetObjectType("flag", _one(built("flagpole")), ("kerb", "plaza", "grass", "garden"), 4.0, 20.0, "any"),
        StreetObjectType("motorcycle", _mesh("motorcycle-red", "motorcycle-blue"), ("parking", "bay", "wall", "kerb"), 3.5, 12.0),
    )
}
"""Object types that a street can repeat."""
