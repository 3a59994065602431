"""Kitchen, bathroom and laundry: rows of units along a wall, and what has a tap."""

from __future__ import annotations

from isovist.core.rng import Rng
from isovist.core.scene3d import Cylinder, Group, MeshRef, Part, Pose
from isovist.scenes.environments import fixtures, furniture_catalog
from isovist.scenes.environments.bounding_boxes import bounds
from isovist.scenes.environments.fixtures import box, mixed, tube
from isovist.scenes.environments.furniture import DARK, STEEL
from isovist.scenes.environments.furniture_catalog import WHITE, mesh
from isovist.scenes.environments.furniture_groups import decorate, dining
from isovist.scenes.environments.object_placement import ObjectPlacer, Piece, Spot
from isovist.scenes.environments.style import Style

TOP = 0.9
"""Height of a worktop."""


def unit(width: float, front: str, top: str) -> Group:
    """A base unit with doors and a worktop."""
    doors = max(1, round(width / 0.5))
    step = width / doors
    parts = [
        box(width, TOP - 0.14, 0.56, 0, 0.1, 0, mixed(front, "#000000", 0.06)),
        box(width, 0.1, 0.5, 0, 0, -0.02, DARK),
        box(width, 0.04, 0.62, 0, TOP - 0.04, 0.01, top),
    ]
    for k in range(doors):
        x = (k + 0.5) * step - width / 2
        parts += [box(step - 0.016, TOP - 0.18, 0.02, x, 0.12, 0.29, front), box(0.14, 0.016, 0.02, x, TOP - 0.14, 0.308, STEEL)]
    return Group(tuple(parts))


def cupboard(width: float, front: str) -> Group:
    """For a wall."""
    doors = max(1, round(width / 0.45))
    step = width / doors
    parts = [box(width, 0.66, 0.32, 0, 0, 0, mixed(front, "#000000", 0.06))]
    parts += [box(step - 0.016, 0.64, 0.02, (k + 0.5) * step - width / 2, 0.01, 0.165, front) for k in range(doors)]
    parts += [box(0.1, 0.016, 0.02, (k + 0.5) * step - width / 2, 0.04, 0.182, STEEL) for k in range(doors)]
    return Group(tuple(parts))


def stove(colour: str) -> Group:
    parts = [box(0.6, TOP - 0.02, 0.58, 0, 0, 0, colour), box(0.6, 0.02, 0.6, 0, TOP - 0.02, 0, "#1f1f22")]
    parts += [
        Part(Cylinder(r, 0.006, 20), Pose((x, TOP, z)), colour="#55565a")
        for x, z, r in ((-0.14, -0.13, 0.09), (0.14, -0.13, 0.07), (-0.14, 0.14, 0.07), (0.14, 0.14, 0.1))
    ]
    parts += [
        box(0.5, 0.42, 0.02, 0, 0.2, 0.295, DARK),
        box(0.4, 0.26, 0.006, 0, 0.26, 0.306, "#454a50"),
        box(0.46, 0.02, 0.03, 0, 0.64, 0.315, STEEL),
    ]
    parts += [Part(Cylinder(0.022, 0.03, 12), Pose((x, 0.76, 0.285), pitch=90.0), colour=STEEL) for x in (-0.2, -0.1, 0.0, 0.1, 0.2)]
    return Group(tuple(parts))


def sink(metal: str) -> Group:
    """Lies on a worktop: a basin with a drainer and a tap."""
    parts = [box(0.8, 0.012, 0.44, 0, 0, 0, metal), box(0.34, 0.004, 0.34, -0.18, 0.012, 0.02, mixed(metal, "#000000", 0.55))]
    parts += [box(0.26, 0.004, 0.012, 0.2, 0.012, -0.12 + 0.07 * k, mixed(metal, "#000000", 0.25)) for k in range(5)]
    parts += [
        tube(0.016, 0.26, -0.18, 0, -0.19, STEEL, 10),
        box(0.022, 0.022, 0.18, -0.18, 0.25, -0.11, STEEL),
        box(0.06, 0.015, 0.015, -0.1, 0.03, -0.19, STEEL),
    ]
    return Group(tuple(parts))


def hood() -> Group:
    return Group((box(0.6, 0.08, 0.46, 0, 0, 0, STEEL), box(0.24, 0.6, 0.24, 0, 0.08, -0.1, STEEL)))


def bathtub(width: float) -> Group:
    d, h, t = 0.74, 0.56, 0.07
    parts = [box(width, h, t, 0, 0, z * (d - t) / 2, WHITE) for z in (-1, 1)]
    parts += [box(t, h, d - 2 * t, x * (width - t) / 2, 0, 0, WHITE) for x in (-1, 1)]
    parts += [box(width - 2 * t, 0.12, d - 2 * t, 0, 0, 0, "#e6ecee"), box(width - 2 * t, 0.004, d - 2 * t, 0, 0.36, 0, "#b8dbe4")]
    parts += [tube(0.018, 0.12, -width / 2 + 0.035, h, 0, STEEL, 10), box(0.16, 0.022, 0.022, -width / 2 + 0.09, h + 0.11, 0, STEEL)]
    return Group(tuple(parts))


def shower(curtain: str) -> Group:
    """A tray in a corner with a pipe, a head and a curtain drawn to one side."""
    s = 0.9
    parts = [
        box(s, 0.1, s, 0, 0, 0, WHITE),
        box(s - 0.12, 0.004, s - 0.12, 0, 0.1, 0, "#dfe6e8"),
        tube(0.014, 1.95, 0, 0.1, -s / 2 + 0.05, STEEL, 8),
    ]
    parts += [
        box(0.02, 0.02, 0.28, 0, 2.04, -s / 2 + 0.18, STEEL),
        tube(0.1, 0.025, 0, 2.01, -s / 2 + 0.32, STEEL, 20),
        box(s, 0.025, 0.025, 0, 2.03, s / 2 - 0.03, STEEL),
    ]
    parts += [
        box(0.05, 1.85, 0.03, -s / 2 + 0.04 + 0.06 * k, 0.18, s / 2 - 0.03 + 0.02 * (k % 2), mixed(curtain, "#000000", 0.1 * (k % 2)))
        for k in range(6)
    ]
    return Group(tuple(parts))


def washbasin(front: str) -> Group:
    """On a cupboard."""
    parts = [box(0.62, 0.5, 0.42, 0, 0.2, 0, front), box(0.02, 0.5, 0.01, 0, 0.2, 0.213, DARK), box(0.7, 0.14, 0.5, 0, 0.7, 0.02, WHITE)]
    return Group(
        (
            *parts,
            tube(0.19, 0.004, 0, 0.84, 0.06, "#cfdadd", 28),
            tube(0.016, 0.14, 0, 0.84, -0.17, STEEL, 10),
            box(0.02, 0.02, 0.14, 0, 0.97, -0.11, STEEL),
        )
    )


def towels(colour: str, other: str) -> Group:
    """A heated rail with two towels."""
    parts = [box(0.03, 1.1, 0.03, x, 0, 0, WHITE) for x in (-0.26, 0.26)]
    parts += [box(0.52, 0.025, 0.025, 0, 0.04 + 0.1 * k, 0.01, WHITE) for k in range(11)]
    return Group((*parts, box(0.44, 0.42, 0.05, 0, 0.6, 0.03, colour), box(0.44, 0.3, 0.05, 0, 0.14, 0.03, other)))


def drying_rack(rng: Rng) -> Group:
    parts = [
        Part(box(0.03, 1.05, 0.03, 0, 0, 0).form, Pose((x, 0.0, z), pitch=p), colour=STEEL)
        for x in (-0.45, 0.45)
        for z, p in ((0.3, -32.0), (-0.3, 32.0))
    ]
    parts += [box(0.94, 0.015, 0.015, 0, 0.86, z, STEEL) for z in (-0.24, -0.12, 0.0, 0.12, 0.24)]
    for z in (-0.24, 0.0, 0.24):
        parts.append(
            box(
                rng.uniform(0.3, 0.6),
                rng.uniform(0.35, 0.6),
                0.012,
                rng.uniform(-0.12, 0.12),
                0.3,
                z,
                rng.pick(("#d84a4a", "#f4f2ec", "#4a8fc0", "#e8c048", "#6aa868")),
            )
        )
    return Group(tuple(parts))


def ironing_board(colour: str) -> Group:
    legs = [Part(box(0.03, 0.98, 0.03, 0, 0, 0).form, Pose((x, 0.0, 0.0), roll=r), colour=STEEL) for x, r in ((-0.28, -34.0), (0.28, 34.0))]
    return Group(
        (
            *legs,
            box(1.1, 0.04, 0.34, -0.05, 0.83, 0, colour),
            box(0.18, 0.04, 0.2, 0.58, 0.83, 0, colour),
            box(0.2, 0.1, 0.1, 0.3, 0.87, 0, "#3a78d0"),
        )
    )


def _row(site: ObjectPlacer, units: list[Piece]) -> list[Spot]:
    """Units side by side from a corner along one wall, where all of them fit, else as many as do."""
    wide = [piece.size[0] + 0.016 for piece in units]
    ends = [(wall, side) for wall in site.plan.walls for side in (1, -1)]
    for least in range(len(units), 1, -1):
        total = sum(wide[:least]) + 0.1
        for wall, side in site.rng.shuffled(ends):
            low, high = (0.06, total) if side > 0 else (wall.length - total, wall.length - 0.06)
            zone = wall.rect(low, high, 0.04, 1.1)
            if not site.bare(wall, low, high, 0.0, TOP) or not site.empty(zone) or not site.free(wall.rect(low, high, 0.04, 0.66)):
                continue
            spots: list[Spot] = []
            at = 0.06 if side > 0 else wall.length - 0.06
            for piece, width in zip(units, wide, strict=True):
                middle = at + side * width / 2
                x, _, z = wall.at(middle, 0.04 - bounds(piece.form)[0][2])
                spot = site.stand(piece, x, z, wall.facing, wall=wall, along=round(middle, 4))
                if spot is None:
                    break
                spots.append(spot)
                at += side * width
            if spots:
                return spots
    return []


def kitchen(site: ObjectPlacer, st: Style) -> None:
    rng = site.rng
    front, top = rng.pick((st.front, st.accent, WHITE, st.wood)), rng.pick(("#6f6a64", "#3d3d40", "#c8a06a", "#e4e0d8"))
    fridge = rng.pick(
        (Piece(MeshRef("fridge-white"), "refrigerator", ahead=0.5), Piece(MeshRef("fridge-large"), "refrigerator", ahead=0.5))
    )
    oven = Piece(stove(rng.pick((WHITE, STEEL, DARK))), "stove", ahead=0.5)
    wet = Piece(unit(round(rng.uniform(1.0, 1.3), 2), front, top), ahead=0.5)
    dry = Piece(unit(round(rng.uniform(0.6, 1.0), 2), front, top), ahead=0.5)
    order = [fridge, wet, oven, dry] if rng.chance(0.5) else [fridge, dry, oven, wet]
    spots = _row(site, order)
    for spot in spots:
        width = spot.piece.size[0]
        if spot.piece is wet:
            site.on(spot, Piece(sink(STEEL), "sink"), -0.3, 0.0)
            decorate(site, st, spot, ("jug", "basket"), 0.97)
        elif spot.piece is dry:
            decorate(site, st, spot, ("toaster", "bread", "bowl", "coffee"), 0.0)
        if spot.wall is None:
            continue
        if spot.piece is oven:
            site.hang(Piece(hood()), 1.55, walls=[spot.wall], along=spot.along, gap=-0.06)
        elif spot.piece is not fridge:
            site.hang(Piece(cupboard(round(width - 0.02, 3), front)), 1.45, walls=[spot.wall], along=spot.along, gap=-0.06)
    dining(site, st, 4)
    if rng.chance(0.5):
        site.at_wall(mesh("washing-machine", "washing machine", 0.4)(rng, st))
    if rng.chance(0.5):
        site.at_wall([Piece(MeshRef("high-chair"), "high chair"), furniture_catalog.stool(rng, st)], where="corner")
    if rng.chance(0.6):
        site.at_wall(furniture_catalog.waste_bin(rng, st), where="corner")
    if rng.chance(0.6):
        side = site.at_wall([furniture_catalog.sideboard(rng, st), furniture_catalog.chest(rng, st)])
        if side is not None:
            decorate(site, st, side, ("vase", "basket", "bowl"))
    if rng.chance(0.35):
        site.at_wall(Piece(MeshRef("water-cooler"), "water cooler"), where="corner")
    if rng.chance(0.3):
        site.at_wall(Piece(MeshRef("cat-sitting"), "cat"))


def bathroom(site: ObjectPlacer, st: Style) -> None:
    rng = site.rng
    if rng.chance(0.75):
        site.at_wall(Piece(bathtub(1.65), "bathtub", ahead=0.4), where="corner")
    if rng.chance(0.6):
        site.at_wall(Piece(shower(st.cover), "shower", ahead=0.3), where="corner")
    basin = site.at_wall(
        [Piece(washbasin(st.front), "washbasin", ahead=0.4), Piece(MeshRef("washbasin"), "washbasin", ahead=0.4)], where="middle"
    )
    if basin is not None and basin.wall is not None:
        site.hang(Piece(fixtures.mirror(0.6, 0.75, st.metal), "mirror"), 1.15, walls=[basin.wall], along=basin.along)
    site.at_wall([Piece(MeshRef("toilet-modern"), "toilet", ahead=0.4), Piece(MeshRef("toilet-tank"), "toilet", ahead=0.4)])
    site.hang(Piece(towels(st.accent, st.cover), "towel rail"), 0.55)
    if rng.chance(0.6):
        site.at_wall(mesh("washing-machine", "washing machine", 0.4)(rng, st))
    site.at_wall([Piece(MeshRef("basket"), "basket"), furniture_catalog.waste_bin(rng, st)])
    if rng.chance(0.5):
        site.at_wall(furniture_catalog.stool(rng, st))
    if rng.chance(0.5):
        site.at_wall(furniture_catalog.chest(rng, st))
    if rng.chance(0.5):
        site.at_wall(furniture_catalog.plant(rng, st), where="corner")
    if rng.chance(0.5):
        site.hang(furniture_catalog.clock(rng, st), 1.7)


def laundry(site: ObjectPlacer, st: Style) -> None:
    rng = site.rng
    site.at_wall(mesh("washing-machine", "washing machine", 0.4)(rng, st))
    site.at_wall(Piece(drying_rack(rng), "drying rack"))
    site.at_wall(Piece(ironing_board(st.accent), "ironing board"))
    site.at_wall([Piece(washbasin(st.front), "washbasin", ahead=0.4)])
    site.at_wall(furniture_catalog.toy_shelf(rng, st))
    site.at_wall([Piece(MeshRef("basket"), "basket"), Piece(MeshRef("wheelie-bin"), "wheelie bin")])
    for piece in rng.sample(
        (
            furniture_catalog.chest(rng, st),
            furniture_catalog.wardrobe(rng, st),
            furniture_catalog.cardboard_box(rng, st),
            furniture_catalog.stool(rng, st),
        ),
        2,
    ):
        site.at_wall(piece)
    if rng.chance(0.5):
        site.at_wall([Piece(MeshRef("fridge-white"), "refrigerator"), Piece(MeshRef("suitcase"), "suitcase")])
    site.hang(furniture_catalog.clock(rng, st), 1.7)
