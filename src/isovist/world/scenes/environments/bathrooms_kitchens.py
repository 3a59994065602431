"""Kitchens, bathrooms and laundries: rows of units along a wall, and washbasins."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.summation import sum_in_order
from isovist.world.scenes.environments import furniture_catalog as catalog
from isovist.world.scenes.environments.floor_plan import Rect
from isovist.world.scenes.environments.furniture_catalog import DARK, STEEL, WHITE, Form, chosen, furniture, maker, mesh, pack
from isovist.world.scenes.environments.furniture_groups import Step, at_wall, decorate, dining, hung, some
from isovist.world.scenes.environments.object_placement import ObjectPlacer, Piece, Spot
from isovist.world.scenes.environments.style import Style
from isovist.world.scenes.furniture_meshes import built

TOP = 0.9
"""Height of a worktop in metres."""
_UNITS, _CUPBOARDS = ((0.75, "one"), (1.25, "two"), (9.0, "three")), ((0.68, "one"), (1.13, "two"), (9.0, "three"))
"""Greatest width in metres for each number of doors, of base units and of wall cupboards."""

_FRIDGE = maker("refrigerator", pack("fridge-white"), pack("fridge-large"), ahead=0.5)
_STOVE = maker("stove", furniture("stove", body=(WHITE, STEEL, DARK)), ahead=0.5)
_WASHBASIN: Form = furniture("washbasin-cupboard", front="front")


def _doors(kind: str, table: Sequence[tuple[float, str]], width: float, **colours: str) -> Piece:
    doors = next(doors for most, doors in table if width <= most)
    return Piece(built(f"{kind}-{doors}", width=round(width, 3), **colours), ahead=0.5)


def _row(site: ObjectPlacer, units: list[Piece]) -> list[Spot]:
    """Place units side by side from a corner along one wall, as many as fit."""
    wide = [piece.size[0] + 0.016 for piece in units]
    ends = [(wall, side) for wall in site.plan.walls for side in (1, -1)]
    for least in range(len(units), 1, -1):
        total = sum_in_order(wide[:least]) + 0.1
        for wall, side in site.rng.shuffled(ends):
            low, high = (0.06, total) if side > 0 else (wall.length - total, wall.length - 0.06)
            zone = wall.rect(low, high, 0.04, 1.1)
            if not site.bare(wall, Rect(low, 0.0, high, TOP)) or not site.empty(zone) or not site.free(wall.rect(low, high, 0.04, 0.66)):
                continue
            spots: list[Spot] = []
            at = 0.06 if side > 0 else wall.length - 0.06
            for piece, width in zip(units, wide, strict=True):
                spot = site.against(piece, wall, round(at + side * width / 2, 4), 0.04)
                if spot is None:
                    break
                spots.append(spot)
                at += side * width
            if spots:
                return spots
    return []


def _units(site: ObjectPlacer, st: Style) -> None:
    """A row with a refrigerator, a stove and two base units with wall cupboards."""
    rng = site.rng
    front, top = chosen(rng, st, ("front", "accent", WHITE, "wood")), rng.pick(("#6f6a64", "#3d3d40", "#c8a06a", "#e4e0d8"))
    fridge, oven = _FRIDGE(rng, st), _STOVE(rng, st)
    wet, dry = (_doors("kitchen-unit", _UNITS, round(rng.uniform(*wide), 2), front=front, top=top) for wide in ((1.0, 1.3), (0.6, 1.0)))
    for spot in _row(site, [fridge, wet, oven, dry] if rng.chance(0.5) else [fridge, dry, oven, wet]):
        if spot.piece is wet:
            site.on(spot, Piece(built("sink"), "sink"), -0.3, 0.0)
            decorate(site, st, spot, ("jug", "basket"), 0.97)
        elif spot.piece is dry:
            decorate(site, st, spot, ("toaster", "bread", "bowl", "vase"), 0.0)
        if spot.wall is None or spot.piece is fridge:
            continue
        above, foot = (Piece(built("hood")), 1.55) if spot.piece is oven else (_cupboard(spot, front), 1.45)
        site.hang(above, foot, walls=[spot.wall], along=spot.along, gap=-0.06)


def _cupboard(unit: Spot, front: str) -> Piece:
    return _doors("kitchen-cupboard", _CUPBOARDS, unit.piece.size[0] - 0.02, front=front)


KITCHEN: tuple[Step, ...] = (
    _units,
    dining,
    at_wall(catalog.washing_machine, chance=0.5),
    at_wall(mesh("high-chair", "high chair"), catalog.stool, chance=0.5, where="corner"),
    at_wall(catalog.waste_bin, chance=0.6, where="corner"),
    at_wall(catalog.sideboard, catalog.chest, chance=0.6, top=((("vase", "basket", "bowl"), None),)),
    at_wall(mesh("water-cooler", "water cooler"), chance=0.35, where="corner"),
    at_wall(mesh("cat-sitting", "cat"), chance=0.3),
)
BATHROOM: tuple[Step, ...] = (
    at_wall(maker("bathtub", furniture("bathtub"), ahead=0.4), chance=0.75, where="corner"),
    at_wall(maker("shower", furniture("shower", curtain="cover"), ahead=0.3), chance=0.6, where="corner"),
    at_wall(maker("washbasin", _WASHBASIN, pack("washbasin"), ahead=0.4), where="middle"),
    at_wall(maker("toilet", pack("toilet-modern"), pack("toilet-tank"), ahead=0.4)),
    hung(maker("towel rail", furniture("towel-rail", towel="accent", other="cover")), foot=0.55),
    at_wall(catalog.washing_machine, chance=0.6),
    at_wall(mesh("basket", "basket"), catalog.waste_bin),
    at_wall(catalog.stool, chance=0.5),
    at_wall(catalog.chest, chance=0.5),
    at_wall(catalog.plant, chance=0.5, where="corner"),
    hung(catalog.clock, foot=1.7, chance=0.5),
)
LAUNDRY: tuple[Step, ...] = (
    at_wall(catalog.washing_machine),
    at_wall(maker("drying rack", furniture("drying-rack-1"), furniture("drying-rack-2"))),
    at_wall(maker("ironing board", furniture("ironing-board", cover="accent"))),
    at_wall(maker("washbasin", _WASHBASIN, ahead=0.4)),
    at_wall(catalog.toy_shelf),
    at_wall(mesh("basket", "basket"), mesh("wheelie-bin", "wheelie bin")),
    some(2, at_wall(catalog.chest), at_wall(catalog.wardrobe), at_wall(catalog.cardboard_box), at_wall(catalog.stool)),
    at_wall(mesh("fridge-white", "refrigerator"), mesh("suitcase", "suitcase"), chance=0.5),
    hung(catalog.clock, foot=1.7),
)
