"""Decoration for all kinds of rooms: radiators, pictures, plants, pets."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.scene3d import Pose, SceneObject
from isovist.world.scenes.environments import fixtures
from isovist.world.scenes.environments import furniture_catalog as catalog
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.environments.environment import outline
from isovist.world.scenes.environments.floor_plan import Rect, Wall
from isovist.world.scenes.environments.furniture_catalog import Maker, mesh
from isovist.world.scenes.environments.furniture_groups import decorate
from isovist.world.scenes.environments.object_placement import ObjectPlacer, Piece
from isovist.world.scenes.environments.style import Style
from isovist.world.scenes.furniture_meshes import built

_EMPTY = 40.0  # widest angle in degrees with bare wall only
_STRETCH = 1.5  # width in metres of bare wall at eye level for a picture


_BASKET, _SUITCASE = mesh("basket", "basket"), mesh("suitcase", "suitcase")
_CAT, _SIAMESE = mesh("cat-sitting", "cat"), mesh("cat-siamese", "cat")

LIVED: tuple[Maker, ...] = (
    catalog.aquarium, catalog.globe, catalog.guitar, catalog.grandfather_clock, catalog.coat_stand, catalog.cactus, catalog.plant,
    catalog.floor_lamp, catalog.stool, _BASKET, _SUITCASE, catalog.waste_bin, mesh("dog", "dog"), _CAT, catalog.chest, catalog.bookcase,
)  # fmt: skip
OFFICE: tuple[Maker, ...] = (
    catalog.plant, catalog.cactus, catalog.coat_stand, catalog.aquarium, catalog.floor_lamp, _SUITCASE, catalog.cardboard_box,
    mesh("filing-cabinet", "filing cabinet"), catalog.bookcase, catalog.globe, mesh("safe", "safe"),
)  # fmt: skip
PLAY: tuple[Maker, ...] = (
    catalog.easel, catalog.drum_kit, catalog.globe, catalog.guitar, catalog.balloon, catalog.plant, catalog.stool, catalog.floor_lamp,
    _SIAMESE, mesh("rabbit", "rabbit"), catalog.bookcase,
)  # fmt: skip
UTILITY: tuple[Maker, ...] = (
    catalog.ladder, _BASKET, catalog.cardboard_box, catalog.stool, catalog.waste_bin, _SIAMESE, mesh("crate", "crate"), _SUITCASE,
    catalog.plant, mesh("wheelie-bin", "wheelie bin"),
)  # fmt: skip
WET: tuple[Maker, ...] = (catalog.plant, catalog.stool, _BASKET, catalog.waste_bin, catalog.chest, _CAT, catalog.cactus)


def finish(site: ObjectPlacer, st: Style, extras: tuple[Maker, ...], *, plain: bool) -> None:
    """Decorate a furnished room. `plain`: without pictures."""
    rng = site.rng
    if rng.chance(0.7):
        _radiator(site)
    for maker in rng.sample(extras, rng.integer(2, 4)):
        piece = maker(rng, st)
        if piece.name not in site.names:
            spot = site.at_wall(piece, where="corner" if rng.chance(0.4) else "any")
            if spot is not None and 0.7 < spot.top < 1.1 and piece.name == "chest of drawers":
                decorate(site, st, spot, ("vase", "table lamp", "stereo", "books"))
    if rng.chance(0.4) and "clock" not in site.names:
        site.hang(catalog.clock(rng, st), 1.75)
    if not plain:
        if rng.chance(0.35):
            piece = catalog.wall_shelf(rng, st)
            site.hang(piece, max(round(1.6 - piece.size[1] / 2, 3), 0.95))
        for wall in rng.shuffled(site.plan.walls):
            if rng.chance(0.9):
                _dress(site, st, wall)
    _fill(site, st)
    b = site.plan.bounds
    at = round((b.x0 + b.x1) / 2, 3), round(site.height, 3), round((b.z0 + b.z1) / 2, 3)
    if site.inside(Rect(at[0] - 0.3, at[2] - 0.3, at[0] + 0.3, at[2] + 0.3)):
        site.fix(SceneObject(fixtures.ceiling_lamp(rng, st.accent, round(max(site.height - 2.3, 0.1), 3)), Pose(at), casts_shadow=False))


def _radiator(site: ObjectPlacer) -> None:
    """Place a radiator under a window if it fits."""
    piece = Piece(built("radiator", width=round(site.rng.uniform(0.7, 1.2), 2)), "radiator")
    for wall, along in site.rng.shuffled(site.windows):
        if site.against(piece, wall, along) is not None:
            return
    site.at_wall(piece)


def _dress(site: ObjectPlacer, st: Style, wall: Wall) -> None:
    """Hang pictures on bare parts of a wall."""
    for _ in range(2):
        piece = catalog.picture(site.rng, st)
        foot = round(1.6 - piece.size[1] / 2, 3)
        at = site.rng.uniform(0.0, max(wall.length - _STRETCH, 0.0))
        area = Rect(max(at, 0.04), foot, min(at + _STRETCH, wall.length - 0.04), foot + piece.size[1])
        if wall.length > _STRETCH and site.bare(wall, area):
            site.hang(piece, foot, walls=[wall], along=round(at + _STRETCH / 2, 3))


def _fill(site: ObjectPlacer, st: Style) -> None:
    """Place an object where the viewer would otherwise see only bare wall over a wide angle."""
    given_up: list[float] = []
    for _ in range(8):
        spans = [outline(site.eye, solid)[1:3] for solid in site.solids if solid.pose.position[1] < 2.2 and solid.name != "rug"]
        gap, towards = _widest_gap([*spans, *((turn - 15, turn + 15) for turn in given_up)])
        hit = site.plan.ahead(site.eye[0], site.eye[2], towards)
        if gap < _EMPTY or hit is None:
            return
        wall, along, _ = hit
        piece = catalog.picture(site.rng, st)
        place = wall.nearest(along, piece.size[0] / 2)
        if site.hang(piece, round(1.55 - piece.size[1] / 2, 3), walls=[wall], along=place) is None and not _standing(site, st, wall, along):
            given_up.append(towards)


def _standing(site: ObjectPlacer, st: Style, wall: Wall, along: float) -> bool:
    """Place one of several small objects in front of a wall."""
    for maker in site.rng.shuffled((catalog.plant, catalog.chest, catalog.floor_lamp, catalog.bookcase, catalog.cardboard_box)):
        piece = maker(site.rng, st)
        (x0, _, _), (x1, high, _) = bounds(piece.form)
        place = wall.nearest(along, max(-x0, x1))
        if site.bare(wall, Rect(place + x0, 0.0, place + x1, high)) and site.against(piece, wall, place) is not None:
            return True
    return False


def _widest_gap(spans: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The widest angle that no span of bearings covers, and its centre, in degrees."""
    covered = sorted((low % 360, low % 360 + high - low) for low, high in spans)
    if not covered:
        return 360.0, 0.0
    best, reach = (0.0, 0.0), max(high for _, high in covered) - 360.0
    for low, high in covered:
        best = max(best, (low - reach, (low + reach) / 2))
        reach = max(reach, high)
    return best
