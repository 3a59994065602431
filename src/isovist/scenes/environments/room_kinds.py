"""The kinds of rooms: how large they are, what their floors are made of, and how they are furnished."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from isovist.core.scene3d import MeshRef
from isovist.scenes.environments import furniture_catalog
from isovist.scenes.environments.bathrooms_kitchens import bathroom, kitchen, laundry
from isovist.scenes.environments.decoration import LIVED, OFFICE, PLAY, UTILITY, WET
from isovist.scenes.environments.furniture_catalog import mesh
from isovist.scenes.environments.furniture_groups import bedside, decorate, dining, freely, rug, sofa_group, television, work_place
from isovist.scenes.environments.object_placement import ObjectPlacer, Piece
from isovist.scenes.environments.style import Style

_SOFT = ("planks", "planks-dark", "planks", "carpet", "carpet-warm")
_HARD = ("tiles", "tiles-dark", "checkered", "planks")
_TILED = ("tiles", "tiles-dark", "checkered")
_OFFICE = ("carpet", "planks", "tiles-dark", "concrete")


@dataclass(frozen=True, slots=True)
class RoomKind:
    """`wide` and `deep`: from and to how many metres; `extras`: what may stand in it besides; `windows`: numbers of windows to
    pick from.
    """

    place: str
    wide: tuple[float, float]
    deep: tuple[float, float]
    floors: tuple[str, ...]
    furnish: Callable[[ObjectPlacer, Style], None]
    extras: tuple[furniture_catalog.Maker, ...]
    must: tuple[tuple[str, ...], ...] = ()
    """Of each of these groups of names one thing must be there, or nobody would take the room for what it is."""
    windows: tuple[int, ...] = (1, 2, 2, 3)
    plain: bool = False
    """Without pictures."""
    tiled: bool = False
    """Its walls may have tiles."""
    aside: bool = False
    """The viewer stands nearer to a corner, so that a bed fits in."""


def _may(site: ObjectPlacer, st: Style, probability: float, *makers: furniture_catalog.Maker, where: str = "any") -> None:
    if site.rng.chance(probability):
        site.at_wall([maker(site.rng, st) for maker in makers], where=where)


def _living(site: ObjectPlacer, st: Style) -> None:
    rng = site.rng
    sofa_group(site, st)
    arrangement = rng.pick(("dining", "armchairs", "armchairs", "reading"))
    if arrangement == "dining":
        dining(site, st)
    elif arrangement == "armchairs":
        piece = furniture_catalog.armchair(rng, st)
        for _ in range(rng.integer(1, 2)):
            site.at_wall(piece, where="corner")
    _may(site, st, 0.8, furniture_catalog.bookcase, mesh("fireplace", "fireplace", 0.5))
    _may(site, st, 0.5, mesh("piano", "piano"), furniture_catalog.sideboard, furniture_catalog.chest)
    _may(site, st, 0.6, furniture_catalog.floor_lamp, where="corner")
    if rng.chance(0.3):
        freely(site, Piece(MeshRef("dog"), "dog"), 0.05)


def _bedroom(site: ObjectPlacer, st: Style) -> None:
    rng = site.rng
    bed = site.at_wall([furniture_catalog.bed(rng, st)], where="middle")
    if bed is not None:
        bedside(site, st, bed)
        x, z = bed.point(0.0, 0.55)
        rug(site, st, x, z, 2.3, 1.5, bed.yaw)
    site.at_wall(furniture_catalog.wardrobe(rng, st), where="corner")
    _may(site, st, 0.8, furniture_catalog.chest, furniture_catalog.dressing_table)
    _may(site, st, 0.45, furniture_catalog.armchair, furniture_catalog.chair, where="corner")
    _may(site, st, 0.4, furniture_catalog.floor_lamp, where="corner")
    if rng.chance(0.3):
        television(site, st, None)
    if rng.chance(0.25):
        work_place(site, st)
    if rng.chance(0.35):
        site.at_wall([Piece(MeshRef("suitcase"), "suitcase"), Piece(MeshRef("exercise-bike"), "exercise bike")])


def _dining_room(site: ObjectPlacer, st: Style) -> None:
    spot = dining(site, st, 6)
    if spot is not None and site.rng.chance(0.6):
        rug(site, st, spot.at[0], spot.at[2], 2.6, 2.2, spot.yaw)
    side = site.at_wall([furniture_catalog.sideboard(site.rng, st), furniture_catalog.chest(site.rng, st)])
    if side is not None:
        decorate(site, st, side, ("stereo", "vase", "table lamp", "jug"), -0.6)
        decorate(site, st, side, ("bowl", "books", "telephone"), 0.6)
    _may(site, st, 0.5, furniture_catalog.bookcase, mesh("grand-piano", "grand piano"), mesh("fireplace", "fireplace", 0.5))
    _may(site, st, 0.5, mesh("high-chair", "high chair"), furniture_catalog.floor_lamp, where="corner")


def _study(site: ObjectPlacer, st: Style) -> None:
    rng = site.rng
    work_place(site, st)
    case = furniture_catalog.bookcase(rng, st)
    for _ in range(rng.integer(1, 2)):
        site.at_wall(case)
    _may(site, st, 0.7, furniture_catalog.armchair, furniture_catalog.sofa, where="corner")
    _may(site, st, 0.5, mesh("filing-cabinet", "filing cabinet"), mesh("safe", "safe"))
    _may(site, st, 0.6, furniture_catalog.floor_lamp, mesh("suitcase", "suitcase"), where="corner")
    _may(site, st, 0.6, furniture_catalog.waste_bin)
    if rng.chance(0.4):
        site.hang(furniture_catalog.board(rng), 1.05)


def _office(site: ObjectPlacer, st: Style) -> None:
    rng = site.rng
    for _ in range(rng.integer(1, 2)):
        work_place(site, st)
    site.hang(furniture_catalog.board(rng, cork=rng.chance(0.3)), 0.95)
    _may(site, st, 0.8, mesh("filing-cabinet", "filing cabinet"), furniture_catalog.bookcase)
    _may(site, st, 0.7, mesh("water-cooler", "water cooler"), where="corner")
    _may(site, st, 0.7, furniture_catalog.waste_bin)
    _may(site, st, 0.5, furniture_catalog.cardboard_box, mesh("fire-extinguisher", "fire extinguisher"), where="corner")
    _may(site, st, 0.5, furniture_catalog.sofa)


def _children(site: ObjectPlacer, st: Style) -> None:
    rng = site.rng
    bed = site.at_wall([furniture_catalog.single_bed(rng, st)], where="corner")
    if bed is not None and rng.chance(0.5):
        bedside(site, st, bed)
    site.at_wall(furniture_catalog.toy_shelf(rng, st))
    _may(site, st, 0.8, furniture_catalog.chest, furniture_catalog.wardrobe)
    if rng.chance(0.6):
        work_place(site, st, computer=rng.chance(0.5))
    _may(site, st, 0.6, mesh("dollhouse", "doll's house"), mesh("basketball-hoop", "basketball hoop"))
    for id, name in rng.sample(
        (
            ("rocking-horse", "rocking horse"),
            ("tricycle", "tricycle"),
            ("ball-soccer", "ball"),
            ("kick-scooter", "scooter"),
            ("teddy-bear", "teddy bear"),
        ),
        3,
    ):
        freely(site, Piece(MeshRef(id), name), 0.03)
    b = site.plan.bounds
    for _ in range(6):
        rug(site, st, rng.uniform(b.x0 + 1, b.x1 - 1), rng.uniform(b.z0 + 1, b.z1 - 1), 1.6, 1.3)


def _music(site: ObjectPlacer, st: Style) -> None:
    rng = site.rng
    if rng.chance(0.5):
        freely(site, Piece(MeshRef("grand-piano"), "grand piano"), 0.1, 60)
    site.at_wall(mesh("piano", "piano", 0.6)(rng, st))
    side = site.at_wall([furniture_catalog.sideboard(rng, st), furniture_catalog.chest(rng, st)])
    if side is not None:
        decorate(site, st, side, ("stereo",))
    site.at_wall(furniture_catalog.bookcase(rng, st))
    _may(site, st, 0.7, furniture_catalog.sofa, furniture_catalog.armchair)
    _may(site, st, 0.6, furniture_catalog.floor_lamp, where="corner")
    piece = furniture_catalog.chair(rng, st)
    for _ in range(rng.integer(0, 3)):
        site.at_wall(piece)


def _waiting(site: ObjectPlacer, st: Style) -> None:
    rng = site.rng
    if rng.chance(0.5):
        site.at_wall(furniture_catalog.sofa(rng, st), where="middle")
    piece = rng.pick((furniture_catalog.chair, furniture_catalog.armchair))(rng, st)
    for _ in range(rng.integer(3, 6)):
        site.at_wall(piece)
    table = site.at_wall(furniture_catalog.coffee_table(rng, st))
    if table is not None:
        decorate(site, st, table, ("books", "vase"))
    _may(site, st, 0.8, mesh("water-cooler", "water cooler"), where="corner")
    _may(site, st, 0.7, furniture_catalog.waste_bin)
    _may(site, st, 0.5, mesh("wheelchair", "wheelchair"), mesh("stroller", "pushchair"))
    _may(site, st, 0.6, mesh("fire-extinguisher", "fire extinguisher"), where="corner")
    if rng.chance(0.5):
        site.hang(furniture_catalog.board(rng), 1.0)
    television(site, st, None)


def _store(site: ObjectPlacer, st: Style) -> None:
    rng = site.rng
    things = (
        ("bicycle-bmx", "bicycle"), ("barrel", "barrel"), ("crate", "crate"), ("wheelie-bin", "wheelie bin"), ("stroller", "pushchair"),
        ("suitcase", "suitcase"), ("exercise-bike", "exercise bike"), ("safe", "safe"), ("fridge-white", "refrigerator"),
        ("washing-machine", "washing machine"), ("wheelbarrow", "wheelbarrow"), ("motorcycle-red", "motorcycle"), ("pinball-machine", "pinball machine"),
        ("lawn-mower", "lawn mower"), ("fire-extinguisher", "fire extinguisher"), ("dog-house", "dog house"),
    )  # fmt: skip
    site.at_wall(furniture_catalog.toy_shelf(rng, st))
    for id, name in rng.sample(things, 8):
        if name not in site.names:
            site.at_wall(Piece(MeshRef(id), name))
    box = furniture_catalog.cardboard_box(rng, st)
    for _ in range(rng.integer(0, 3)):
        site.at_wall(box, where="corner")
    _may(site, st, 0.5, furniture_catalog.wardrobe, furniture_catalog.desk)


KINDS: tuple[RoomKind, ...] = (
    RoomKind("living room", (4.2, 5.8), (4.0, 5.2), _SOFT, _living, LIVED, (("sofa",),)),
    RoomKind("bedroom", (4.0, 5.2), (3.9, 5.0), _SOFT, _bedroom, LIVED, (("bed",),), (1, 1, 2), aside=True),
    RoomKind("kitchen", (4.0, 5.2), (3.9, 4.8), _HARD, kitchen, WET, (("stove",),), (1, 1, 2), plain=True, tiled=True, aside=True),
    RoomKind("dining room", (4.8, 6.0), (4.4, 5.4), _SOFT, _dining_room, LIVED, (("dining table",),), aside=True),
    RoomKind("study", (3.8, 5.0), (3.8, 4.8), _SOFT, _study, LIVED, (("desk",),), (1, 2)),
    RoomKind("office", (4.2, 5.8), (4.0, 5.4), _OFFICE, _office, OFFICE, (("desk",),)),
    RoomKind(
        "bathroom",
        (3.6, 4.4),
        (3.6, 4.2),
        _TILED,
        bathroom,
        WET,
        (("toilet",), ("washbasin",), ("bathtub", "shower")),
        (0, 1, 1),
        plain=True,
    ),
    RoomKind("children's room", (4.0, 5.2), (4.0, 5.0), _SOFT, _children, PLAY, (("bed", "bunk bed"),), (1, 1, 2), aside=True),
    RoomKind("music room", (4.4, 6.0), (4.2, 5.6), _SOFT, _music, LIVED, (("piano", "grand piano"),)),
    RoomKind("waiting room", (4.0, 5.6), (4.0, 5.4), _OFFICE, _waiting, OFFICE, (("chair", "armchair", "sofa"),)),
    RoomKind(
        "laundry room",
        (3.6, 4.6),
        (3.6, 4.4),
        ("tiles", "concrete", "checkered"),
        laundry,
        UTILITY,
        (("washing machine",),),
        (0, 1, 1),
        plain=True,
    ),
    RoomKind("store room", (3.9, 5.4), (3.9, 5.2), ("concrete", "paving", "tiles-dark"), _store, UTILITY, (), (0, 1, 2), plain=True),
)
