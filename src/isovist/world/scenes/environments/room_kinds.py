"""Kinds of rooms: size, floor materials and furniture."""

from __future__ import annotations

from dataclasses import dataclass

from isovist.world.scenes.environments import furniture_catalog as catalog
from isovist.world.scenes.environments.bathrooms_kitchens import BATHROOM, KITCHEN, LAUNDRY
from isovist.world.scenes.environments.decoration import LIVED, OFFICE, PLAY, UTILITY, WET
from isovist.world.scenes.environments.furniture_catalog import Maker, mesh
from isovist.world.scenes.environments.furniture_groups import (
    Step,
    at_wall,
    bedside,
    dining,
    hung,
    large_dining,
    rug,
    sofa_group,
    some,
    standing_free,
    television,
    work_place,
)  # fmt: skip
from isovist.world.scenes.environments.object_placement import ObjectPlacer
from isovist.world.scenes.environments.style import Style

_SOFT = ("planks", "planks-dark", "planks", "carpet", "carpet-warm")
_HARD = ("tiles", "tiles-dark", "checkered", "planks")
_TILED = ("tiles", "tiles-dark", "checkered")
_OFFICE_FLOORS = ("carpet", "planks", "tiles-dark", "concrete")


@dataclass(frozen=True, slots=True)
class RoomKind:
    """`wide` and `deep`: ranges in metres; `steps`: furnishing steps; `extras`: optional additional objects; `windows`: possible numbers of
    windows.
    """

    place: str
    wide: tuple[float, float]
    deep: tuple[float, float]
    floors: tuple[str, ...]
    steps: tuple[Step, ...]
    extras: tuple[Maker, ...]
    must: tuple[tuple[str, ...], ...] = ()
    """At least one name of each group must be present, so the kind of room is recognizable."""
    windows: tuple[int, ...] = (1, 2, 2, 3)
    plain: bool = False
    """Whether the room has no pictures."""
    tiled: bool = False
    """Whether the walls may have tiles."""
    aside: bool = False
    """Whether the viewer is nearer to a corner, to leave space for a bed."""


def _bed(site: ObjectPlacer, st: Style) -> None:
    bed = site.at_wall(catalog.bed(site.rng, st), where="middle")
    if bed is not None:
        bedside(site, st, bed)
        rug(site, st, *bed.point(0.0, 0.55), 2.3, 1.5, bed.yaw)


def _single_bed(site: ObjectPlacer, st: Style) -> None:
    make = catalog.bunk_bed if site.rng.chance(0.35) else catalog.single_bed
    bed = site.at_wall(make(site.rng, st), where="corner")
    if bed is not None and site.rng.chance(0.5):
        bedside(site, st, bed)


def _dining_table(site: ObjectPlacer, st: Style) -> None:
    spot = large_dining(site, st)
    if spot is not None and site.rng.chance(0.6):
        rug(site, st, spot.at[0], spot.at[2], 2.6, 2.2, spot.yaw)


def _play_rug(site: ObjectPlacer, st: Style) -> None:
    b = site.plan.bounds
    for _ in range(6):
        rug(site, st, site.rng.uniform(b.x0 + 1, b.x1 - 1), site.rng.uniform(b.z0 + 1, b.z1 - 1), 1.6, 1.3)


def _nothing(_: ObjectPlacer, _style: Style) -> None:
    pass


_ARMCHAIRS = at_wall(catalog.armchair, where="corner", times=(1, 2))
_COOLER = mesh("water-cooler", "water cooler")
_EXTINGUISHER = mesh("fire-extinguisher", "fire extinguisher")
_FIREPLACE = mesh("fireplace", "fireplace", 0.5)
_SUITCASE = mesh("suitcase", "suitcase")

_LIVING: tuple[Step, ...] = (
    sofa_group,
    some(1, dining, _ARMCHAIRS, _ARMCHAIRS, _nothing),
    at_wall(catalog.bookcase, _FIREPLACE, chance=0.8),
    at_wall(mesh("piano", "piano"), catalog.sideboard, catalog.chest, chance=0.5),
    at_wall(catalog.floor_lamp, chance=0.6, where="corner"),
    standing_free(mesh("dog", "dog"), 0.05, chance=0.3),
)
_BEDROOM: tuple[Step, ...] = (
    _bed,
    at_wall(catalog.wardrobe, where="corner"),
    at_wall(catalog.chest, catalog.dressing_table, chance=0.8),
    at_wall(catalog.armchair, catalog.chair, chance=0.45, where="corner"),
    at_wall(catalog.floor_lamp, chance=0.4, where="corner"),
    television(chance=0.3),
    work_place(chance=0.25),
    at_wall(_SUITCASE, mesh("exercise-bike", "exercise bike"), chance=0.35),
)
_DINING_ROOM: tuple[Step, ...] = (
    _dining_table,
    at_wall(
        catalog.sideboard,
        catalog.chest,
        top=((("stereo", "vase", "table lamp", "jug"), -0.6), (("bowl", "books", "telephone"), 0.6)),
    ),
    at_wall(catalog.bookcase, mesh("grand-piano", "grand piano"), _FIREPLACE, chance=0.5),
    at_wall(mesh("high-chair", "high chair"), catalog.floor_lamp, chance=0.5, where="corner"),
)
_STUDY: tuple[Step, ...] = (
    work_place(),
    at_wall(catalog.bookcase, times=(1, 2)),
    at_wall(catalog.armchair, catalog.sofa, chance=0.7, where="corner"),
    at_wall(mesh("filing-cabinet", "filing cabinet"), mesh("safe", "safe"), chance=0.5),
    at_wall(catalog.floor_lamp, _SUITCASE, chance=0.6, where="corner"),
    at_wall(catalog.waste_bin, chance=0.6),
    hung(catalog.notice_board, foot=1.05, chance=0.4),
)
_OFFICE: tuple[Step, ...] = (
    work_place(),
    work_place(chance=0.5),
    hung(catalog.any_board, foot=0.95),
    at_wall(mesh("filing-cabinet", "filing cabinet"), catalog.bookcase, chance=0.8),
    at_wall(_COOLER, chance=0.7, where="corner"),
    at_wall(catalog.waste_bin, chance=0.7),
    at_wall(catalog.cardboard_box, _EXTINGUISHER, chance=0.5, where="corner"),
    at_wall(catalog.sofa, chance=0.5),
)
_TOYS = (
    ("rocking-horse", "rocking horse"), ("tricycle", "tricycle"), ("ball-soccer", "ball"), ("kick-scooter", "scooter"),
    ("teddy-bear", "teddy bear"),
)  # fmt: skip
_CHILDREN: tuple[Step, ...] = (
    _single_bed,
    at_wall(catalog.toy_shelf),
    at_wall(catalog.chest, catalog.wardrobe, chance=0.8),
    some(1, work_place(chance=0.6), work_place(chance=0.6, computer=False)),
    at_wall(mesh("dollhouse", "doll's house"), mesh("basketball-hoop", "basketball hoop"), chance=0.6),
    some(3, *(standing_free(mesh(*toy), 0.03) for toy in _TOYS)),
    _play_rug,
)
_MUSIC: tuple[Step, ...] = (
    standing_free(mesh("grand-piano", "grand piano"), 0.1, chance=0.5),
    at_wall(mesh("piano", "piano", 0.6)),
    at_wall(catalog.sideboard, catalog.chest, top=((("stereo",), None),)),
    at_wall(catalog.bookcase),
    at_wall(catalog.sofa, catalog.armchair, chance=0.7),
    at_wall(catalog.floor_lamp, chance=0.6, where="corner"),
    at_wall(catalog.chair, times=(0, 3)),
)
_WAITING: tuple[Step, ...] = (
    at_wall(catalog.sofa, chance=0.5, where="middle"),
    some(1, at_wall(catalog.chair, times=(3, 6)), at_wall(catalog.armchair, times=(3, 6))),
    at_wall(catalog.coffee_table, top=((("books", "vase"), None),)),
    at_wall(_COOLER, chance=0.8, where="corner"),
    at_wall(catalog.waste_bin, chance=0.7),
    at_wall(mesh("wheelchair", "wheelchair"), mesh("stroller", "pushchair"), chance=0.5),
    at_wall(_EXTINGUISHER, chance=0.6, where="corner"),
    hung(catalog.notice_board, foot=1.0, chance=0.5),
    television(),
)
_STORED = (
    ("bicycle-bmx", "bicycle"), ("barrel", "barrel"), ("crate", "crate"), ("wheelie-bin", "wheelie bin"), ("stroller", "pushchair"),
    ("suitcase", "suitcase"), ("exercise-bike", "exercise bike"), ("safe", "safe"), ("fridge-white", "refrigerator"),
    ("washing-machine", "washing machine"), ("wheelbarrow", "wheelbarrow"), ("motorcycle-red", "motorcycle"),
    ("pinball-machine", "pinball machine"), ("lawn-mower", "lawn mower"), ("fire-extinguisher", "fire extinguisher"), ("dog-house", "dog house"),
)  # fmt: skip
_STORE: tuple[Step, ...] = (
    at_wall(catalog.toy_shelf),
    some(8, *(at_wall(mesh(*thing)) for thing in _STORED)),
    at_wall(catalog.cardboard_box, where="corner", times=(0, 3)),
    at_wall(catalog.wardrobe, catalog.desk, chance=0.5),
)

KINDS: tuple[RoomKind, ...] = (
    RoomKind("living room", (4.2, 5.8), (4.0, 5.2), _SOFT, _LIVING, LIVED, (("sofa",),)),
    RoomKind("bedroom", (4.0, 5.2), (3.9, 5.0), _SOFT, _BEDROOM, LIVED, (("bed",),), (1, 1, 2), aside=True),
    RoomKind("kitchen", (4.0, 5.2), (3.9, 4.8), _HARD, KITCHEN, WET, (("stove",),), (1, 1, 2), plain=True, tiled=True, aside=True),
    RoomKind("dining room", (4.8, 6.0), (4.4, 5.4), _SOFT, _DINING_ROOM, LIVED, (("dining table",),), aside=True),
    RoomKind("study", (3.8, 5.0), (3.8, 4.8), _SOFT, _STUDY, LIVED, (("desk",),), (1, 2)),
    RoomKind("office", (4.2, 5.8), (4.0, 5.4), _OFFICE_FLOORS, _OFFICE, OFFICE, (("desk",),)),
    RoomKind(
        "bathroom",
        (3.6, 4.4),
        (3.6, 4.2),
        _TILED,
        BATHROOM,
        WET,
        (("toilet",), ("washbasin",), ("bathtub", "shower")),
        (0, 1, 1),
        plain=True,
    ),
    RoomKind("children's room", (4.0, 5.2), (4.0, 5.0), _SOFT, _CHILDREN, PLAY, (("bed", "bunk bed"),), (1, 1, 2), aside=True),
    RoomKind("music room", (4.4, 6.0), (4.2, 5.6), _SOFT, _MUSIC, LIVED, (("piano", "grand piano"),)),
    RoomKind("waiting room", (4.0, 5.6), (4.0, 5.4), _OFFICE_FLOORS, _WAITING, OFFICE, (("chair", "armchair", "sofa"),)),
    RoomKind(
        "laundry room",
        (3.6, 4.6),
        (3.6, 4.4),
        ("tiles", "concrete", "checkered"),
        LAUNDRY,
        UTILITY,
        (("washing machine",),),
        (0, 1, 1),
        plain=True,
    ),
    RoomKind("store room", (3.9, 5.4), (3.9, 5.2), ("concrete", "paving", "tiles-dark"), _STORE, UTILITY, (), (0, 1, 2), plain=True),
)
