"""Outdoor layouts: each samples a ground plan with roads, pavements, houses and zones around a camera position."""

from __future__ import annotations

from collections.abc import Callable

from isovist.core.rng import Rng
from isovist.core.scene3d import Group, Pose, SceneObject, Texture
from isovist.world.scenes.environments import street_furniture as furniture
from isovist.world.scenes.environments.facades import Style
from isovist.world.scenes.environments.footprint import Footprint
from isovist.world.scenes.environments.primitives import block, group
from isovist.world.scenes.environments.street_plan import (
    KERB,
    PAVEMENTS,
    Look,
    StreetPlan,
    Use,
    houses,
    near_end,
    pavement,
    rails,
    road,
    zebra,
)

REACH = 58.0
"""Length in metres of roads from the plan's origin to the building that closes the view."""
_TOWNS: tuple[tuple[tuple[Style, ...], tuple[int, int], float], ...] = (
    (("town", "town", "flats"), (2, 4), 0.5),
    (("town",), (3, 5), 0.8),
    (("office", "office", "flats", "town"), (4, 7), 0.5),
    (("flats",), (3, 6), 0.15),
    (("town", "cottage"), (2, 3), 0.4),
)
_GRASS = Texture("grass", 1.6)
_ENDS = (("east", 1, -90.0), ("west", -1, 90.0))
"""The ends of a road along x: name, side, and yaw back toward the centre in degrees."""


def look(rng: Rng) -> Look:
    styles, storeys, shops = rng.pick(_TOWNS)
    name, tint = rng.pick(PAVEMENTS)
    return Look(styles, storeys, shops, Texture(name, round(rng.uniform(1.2, 2.4), 1)), tint)


def _main_road(plan: StreetPlan, rng: Rng, wide: float, z: float = 0.0, marks: bool = True) -> Footprint:
    """A road along x through the complete plan."""
    way = Footprint(0.0, z, 90.0, wide, 2 * REACH)
    road(plan, way, rng, ((-REACH, REACH),), marks)
    return way


def _lawn(plan: StreetPlan, area: Footprint, depth: float, sunk: float) -> None:
    """A lawn behind an area, slightly lower, so two lawns do not intersect at the same height."""
    plan.slab(area.part(0.0, -(area.depth + depth) / 2, area.width, depth), _GRASS, "#ffffff", KERB - sunk)


def _row(plan: StreetPlan, rng: Rng, name: str, area: Footprint, parking: float = 0.0, inset: float = 0.0) -> None:
    """A pavement with houses and a lawn behind it. The houses start `inset` metres from the end that is nearer to the plan's origin."""
    pavement(plan, area, parking)
    _lawn(plan, area, 16.0, 0.004 if area.yaw % 180 else 0.008)
    houses(plan, rng.at(name), area.part(-near_end(area) * inset / 2, 0.0, area.width - inset, area.depth))


def _close(plan: StreetPlan, rng: Rng, name: str, x: float, z: float, yaw: float) -> None:
    """Close the view at the end of a road with the far side of a crossing road."""
    area = Footprint(x, z, yaw, 64.0, 3.0)
    pavement(plan, area, use=False)
    _lawn(plan, area, 16.0, 0.01)
    if rng.at(name).chance(0.75):
        houses(plan, rng.at(name), area)
    else:
        plan.zone("landmark", area.part(0.0, -8.0, 6.0, 1.0))
        plan.zone("tree", area.part(0.0, -4.0, 60.0, 4.0))
        plan.zone("tree", area.part(0.0, -12.0, 60.0, 6.0))


def _close_both(plan: StreetPlan, rng: Rng, z: float = 0.0) -> None:
    """Close the view at both ends of a road along x."""
    for name, side, yaw in _ENDS:
        _close(plan, rng, name, side * (REACH + 9.0), z, yaw)


def _all_ways(plan: StreetPlan, use: Use, z: float, width: float, depth: float) -> None:
    """A zone whose objects face any of the four sides."""
    for yaw in (0.0, 90.0, 180.0, -90.0):
        plan.zone(use, Footprint(0.0, z, yaw, *((depth, width) if yaw % 180 else (width, depth))))


def _stand_along(plan: StreetPlan, rng: Rng, wide: float, parking: float, least: float, most: float) -> None:
    """Place the eye on the south pavement, within a range of metres behind the kerb."""
    plan.eye = (round(rng.uniform(-8, 8), 1), round(wide / 2 + parking + rng.uniform(least, most), 2))


def street(rng: Rng) -> StreetPlan:
    """One road with houses on both sides. The eye is on a pavement."""
    plan = StreetPlan(look(rng))
    wide, parking, deep = round(rng.uniform(6.4, 8.4), 1), rng.pick((0.0, 2.2, 2.2)), round(rng.uniform(3.6, 5.2), 1)
    _stand_along(plan, rng, wide, parking, 1.2, deep - 2.1)
    way = _main_road(plan, rng, wide)
    if rng.chance(0.35):
        rails(plan, way, ((-REACH, REACH),))
    if rng.chance(0.6):
        zebra(plan, way, plan.eye[0] + rng.pick((-1, 1)) * rng.uniform(5, 12))
    for name, z, yaw in (("south", 1, 180.0), ("north", -1, 0.0)):
        _row(plan, rng, name, Footprint(0.0, z * (wide / 2 + parking + deep / 2), yaw, 2 * REACH, deep), parking)
    _close_both(plan, rng)
    return plan


def _junction(rng: Rng, arms: frozenset[str]) -> StreetPlan:
    """A junction with arms to "e", "w", "n" and "s" of the plan. The eye is on the south-east corner."""
    plan = StreetPlan(look(rng))
    a, b = round(rng.uniform(6.6, 8.6), 1), round(rng.uniform(6.4, 7.8), 1)  # the widths of the roads along x and along z
    deep = round(rng.uniform(3.6, 5.0), 1)
    plan.eye = (round(b / 2 + rng.uniform(1.2, deep - 0.5), 2), round(a / 2 + rng.uniform(1.2, deep - 0.5), 2))
    stop = 4.2  # metres from the edge of the crossing road to the waiting vehicles
    for along, wide, other, (low, high) in ((90.0, a, b, ("w", "e")), (0.0, b, a, ("n", "s"))):
        least, most = (-REACH if low in arms else -other / 2), (REACH if high in arms else other / 2)
        lanes = tuple(stretch for arm, stretch in ((low, (-REACH, -other / 2 - stop)), (high, (other / 2 + stop, REACH))) if arm in arms)
        middle = (least + most) / 2
        way = Footprint(0.0, 0.0, along, 1.0, 1.0).part(0.0, middle, wide, most - least)
        road(plan, way, rng, tuple((start - middle, end - middle) for start, end in lanes))
        for arm, at in ((low, -other / 2 - 2.2), (high, other / 2 + 2.2)):
            if arm in arms and rng.chance(0.75):
                zebra(plan, way, at - middle)
    for sx, sz in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        east, south = ("e" if sx > 0 else "w"), ("s" if sz > 0 else "n")
        x, z, name = sx * b / 2, sz * a / 2, f"{sx}{sz}"
        yaw_a, yaw_b = (180.0 if sz > 0 else 0.0), (-90.0 if sx > 0 else 90.0)
        if east in arms and south in arms:
            _row(plan, rng, name + "a", Footprint(x + sx * (REACH - b / 2) / 2, z + sz * deep / 2, yaw_a, REACH - b / 2, deep), inset=deep)
            length = REACH - a / 2 - deep
            _row(plan, rng, name + "b", Footprint(x + sx * deep / 2, z + sz * (deep + length / 2), yaw_b, length, deep))
            plan.zone("signal", Footprint(x + sx * 0.6, z + sz * 0.6, rng.pick((yaw_a, yaw_b)), 0.3, 0.3))
        elif east in arms and sx > 0:
            # no arm on this side: one continuous pavement
            least = -REACH if "w" in arms else -b / 2 - deep
            _row(plan, rng, name + "a", Footprint((REACH + least) / 2, z + sz * deep / 2, yaw_a, REACH - least, deep))
        elif south in arms and sz > 0 and east not in arms:
            least = -REACH if "n" in arms else -a / 2
            _row(plan, rng, name + "b", Footprint(x + sx * deep / 2, (REACH + least) / 2, yaw_b, REACH - least, deep))
    for arm, x, z, yaw in (("e", 1, 0, -90.0), ("w", -1, 0, 90.0), ("s", 0, 1, 180.0), ("n", 0, -1, 0.0)):
        if arm in arms:
            _close(plan, rng, arm, x * (REACH + 9.0), z * (REACH + 9.0), yaw)
    return plan


def crossroads(rng: Rng) -> StreetPlan:
    return _junction(rng, frozenset("ewns"))


def tee(rng: Rng) -> StreetPlan:
    return _junction(rng, frozenset("ews"))


def corner(rng: Rng) -> StreetPlan:
    return _junction(rng, frozenset("es"))


def square(rng: Rng) -> StreetPlan:
    """An open square between houses, with a road along one side. The eye is on the square."""
    plan = StreetPlan(look(rng))
    half, deep = round(rng.uniform(15, 21), 1), round(rng.uniform(12, 17), 1)
    wide, walk = round(rng.uniform(6.4, 7.6), 1), 3.6
    plan.eye = (round(rng.pick((-1, 1)) * rng.uniform(6, half - 5), 1), round(rng.uniform(-deep + 5, deep - 4), 1))
    plan.slab(
        Footprint(0.0, 0.0, 0.0, 2 * half, 2 * deep),
        Texture(rng.pick(("paving", "paving", "concrete", "tiles")), round(rng.uniform(1.4, 3.0), 1)),
        rng.pick(("#ffffff", "#f0dcc8", "#dcdce4")),
    )
    plan.slab(Footprint(0.0, deep - 0.1, 0.0, 2 * half, 0.2), None, "#c9c5ba", KERB + 0.012)
    way = _main_road(plan, rng, wide, deep + wide / 2)
    if rng.chance(0.35):
        rails(plan, way, ((-REACH, REACH),))
    _row(plan, rng, "south", Footprint(0.0, deep + wide + walk / 2, 180.0, 2 * REACH, walk))
    for name, x, yaw in _ENDS:
        area = Footprint(x * (half - 1.5), -2.0, yaw, 2 * deep - 4, 3.0)
        plan.zone("wall", area.part(0.0, -0.8, 2 * deep - 10, 0.2))
        plan.zone("tree", area.part(0.0, 4.0, 2 * deep - 6, 0.2))
        houses(plan, rng.at(name), area)
        side = Footprint(x * (half + (REACH - half) / 2), deep - walk / 2, 0.0, REACH - half, walk)
        _row(plan, rng, name + "side", side, inset=10.0)
        _close(plan, rng, name + "end", x * (REACH + 9.0), deep, yaw)
    north = Footprint(0.0, -deep + 1.5, 0.0, 2 * half + 24, 3.0)
    plan.zone("wall", north.part(0.0, -0.8, 2 * half - 8, 0.2))
    houses(plan, rng.at("north"), north)
    plan.zone("centre", Footprint(0.0, 0.0, rng.pick((0.0, 90.0, 180.0, -90.0)), 1.0, 1.0))
    _all_ways(plan, "plaza", 0.0, 2 * half - 5, 2 * deep - 5)
    plan.zone("kerb", Footprint(0.0, deep - 0.9, 0.0, 2 * half - 2, 0.3))
    plan.zone("walk", Footprint(0.0, deep - 2.5, 0.0, 2 * half - 2, 2.0))
    plan.zone("lamp", Footprint(0.0, deep - 0.5, 0.0, 2 * half - 2, 0.1))
    plan.zone("lamp", Footprint(0.0, 5.0 - deep, 0.0, 2 * half - 8, 0.1))
    return plan


def park(rng: Rng) -> StreetPlan:
    """A road with houses on one side and a park on the other. The eye is at the edge of the park."""
    plan = StreetPlan(look(rng))
    wide, parking, deep = round(rng.uniform(6.4, 7.6), 1), rng.pick((0.0, 2.2)), 4.0
    edge = wide / 2 + 3.0
    plan.eye = (round(rng.uniform(-8, 8), 1), round(edge + rng.uniform(-1.6, 4.0), 2))
    _main_road(plan, rng, wide)
    _row(plan, rng, "north", Footprint(0.0, -wide / 2 - parking - deep / 2, 0.0, 2 * REACH, deep), parking)
    pavement(plan, Footprint(0.0, wide / 2 + 1.5, 180.0, 2 * REACH, 3.0))
    plan.slab(Footprint(0.0, edge + 22.0, 180.0, 2 * REACH, 44.0), _GRASS, rng.pick(("#ffffff", "#f0ffd8", "#fff4d0")))
    at = plan.eye[0] + rng.pick((-1, 1)) * rng.uniform(3.0, 9.0)
    plan.slab(Footprint(at, edge + 22.0, 0.0, 2.4, 44.0), Texture("sand", 2.0), "#f4e8d0", KERB + 0.014)
    cross = edge + rng.uniform(9.0, 15.0)
    plan.slab(Footprint(0.0, cross, 90.0, 2.2, 2 * REACH), Texture("sand", 2.0), "#f4e8d0", KERB + 0.01)
    _all_ways(plan, "grass", edge + 13.0, 56.0, 22.0)
    plan.zone("tree", Footprint(0.0, edge + 20.0, 180.0, 90.0, 34.0))
    plan.zone("tree", Footprint(0.0, edge + 41.0, 180.0, 110.0, 4.0))
    plan.zone("landmark", Footprint(0.0, edge + 36.0, 180.0, 30.0, 4.0))
    barrier = rng.pick(("hedge", "fence", "none"))
    for k in range(-12, 12):
        x = k * 4.0 + 2.0
        if abs(x - at) < 4.2 or abs(x - plan.eye[0]) < 4.0 or barrier == "none":
            continue
        form = furniture.hedge(4.0, 0.8) if barrier == "hedge" else furniture.railing(4.0)
        plan.stand(form, (x, edge + 0.4), 0.0, gap=-0.1)
    houses(plan, rng.at("south"), Footprint(0.0, edge + 46.0, 180.0, 2 * REACH, 3.0))
    _close_both(plan, rng)
    return plan


def suburb(rng: Rng) -> StreetPlan:
    """A road between detached houses with front gardens. The eye is on a pavement."""
    name, tint = rng.pick(PAVEMENTS)
    plan = StreetPlan(Look(("cottage",), (1, 2), 0.0, Texture(name, 1.6), tint, gap=3.2))
    wide, parking, deep = round(rng.uniform(5.6, 6.8), 1), rng.pick((0.0, 2.1)), 2.6
    _stand_along(plan, rng, wide, parking, 1.0, 1.6)
    _main_road(plan, rng, wide, marks=rng.chance(0.6))
    garden = round(rng.uniform(4.5, 6.5), 1)
    for side, z, yaw in (("south", 1, 180.0), ("north", -1, 0.0)):
        area = Footprint(0.0, z * (wide / 2 + parking + deep / 2), yaw, 2 * REACH, deep)
        pavement(plan, area, parking)
        _lawn(plan, area, 24.0, 0.004)
        houses(plan, rng.at(side), area, setback=garden)
        plan.zone("tree", area.part(0.0, -deep / 2 - 0.6 * garden, 2 * REACH - 8, garden * 0.4))
        plan.zone("garden", area.part(0.0, -deep / 2 - 0.55 * garden, 60.0, garden * 0.5))
        draw, x = rng.at(side, "border"), -44.0
        while x < 44.0:
            length, kind = draw.pick((4.0, 6.0, 8.0)), draw.pick(("hedge", "fence", "fence", "open"))
            colour = draw.pick(("#ece8dc", "#8a5f38", "#5a6a5a"))
            if kind != "open":
                form = furniture.hedge(length, 0.9) if kind == "hedge" else furniture.fence(length, colour)
                plan.stand(form, area.at(x + length / 2, -deep / 2 - 0.5), yaw, gap=-0.05)
            x += length + draw.pick((0.0, 2.6, 3.0))
    _close_both(plan, rng)
    return plan


def waterfront(rng: Rng) -> StreetPlan:
    """A road with houses on one side and a promenade with boats on the other. The eye is on the promenade."""
    plan = StreetPlan(look(rng), lift=1.1)
    wide, parking, deep, walk = round(rng.uniform(6.2, 7.4), 1), rng.pick((0.0, 2.2)), 4.0, round(rng.uniform(5.5, 8.5), 1)
    edge = wide / 2 + walk
    _stand_along(plan, rng, wide, 0.0, 1.6, walk - 2.2)
    land = group(block((320.0, plan.lift, 120.0), (0.0, 0.0, 0.0)))
    at = (0.0, -plan.lift, round(edge - 60.0, 3))
    plan.ground.append(SceneObject(land, Pose(at), colour="#ffffff", texture=Texture("asphalt", 3.0), casts_shadow=False))
    _main_road(plan, rng, wide)
    _row(plan, rng, "north", Footprint(0.0, -wide / 2 - parking - deep / 2, 0.0, 2 * REACH, deep), parking)
    pavement(plan, Footprint(0.0, wide / 2 + walk / 2, 180.0, 320.0, walk))
    plan.slab(Footprint(0.0, edge - 0.25, 0.0, 320.0, 0.5), None, "#a39e92", KERB + 0.06)
    barrier = rng.pick(("railing", "bollards", "none"))
    for k in range(-20, 20):
        if barrier == "railing" and k % 6:
            plan.stand(furniture.railing(3.0), (k * 3.0, edge - 0.3), 0.0, gap=-0.2)
        elif barrier == "bollards":
            plan.stand(furniture.BOLLARD, (k * 3.0, edge - 0.7), 0.0)
    for yaw in (90.0, -90.0):
        plan.zone("water", Footprint(0.0, edge + 12.0, yaw, 14.0, 90.0), -plan.lift - 0.15)
    _close_both(plan, rng, wide / 2 - 32.0)
    return plan


def _hall(rng: Rng) -> Group:
    """A long, low supermarket with a glass front."""
    wide, colour = round(rng.uniform(26, 38), 1), rng.pick(("#c8402c", "#2a6a9a", "#3a7a48", "#d09a28"))
    panes = round(wide / 3)
    return group(
        block((wide, 6.0, 14.0), (0.0, 0.0, 0.0), rng.pick(("#d8d4c8", "#c4bcae", "#b8bec2")), Texture("concrete", 3.0)),
        block((wide * 0.7, 3.2, 0.1), (0.0, 0.2, 7.0), "#40555f"),
        *(block((0.16, 3.3, 0.16), ((k / panes - 0.5) * wide * 0.7, 0.2, 7.03), "#e8e6de") for k in range(panes + 1)),
        block((wide + 0.1, 1.3, 0.3), (0.0, 4.4, 7.0), colour),
        block((wide * 0.3, 0.6, 0.1), (-0.2 * wide, 4.75, 7.16), "#f6f2e6"),
        block((wide * 0.74, 0.2, 2.4), (0.0, 3.6, 8.0), "#8f9599"),
        block((3.2, 2.9, 0.12), (0.1 * wide, 0.1, 7.06), "#6d8894"),
    )


def car_park(rng: Rng) -> StreetPlan:
    """A car park with bays, hedges and surrounding houses. The eye is on an island between the bays."""
    plan = StreetPlan(look(rng))
    half, deep = round(rng.uniform(19, 25), 1), 15.0
    plan.eye = (round(rng.uniform(-0.5, 0.5) * half, 1), round(rng.uniform(-0.5, 0.5), 2))
    plan.slab(Footprint(0.0, 0.0, 0.0, 2 * half - 6, 3.0), plan.look.paving, plan.look.tint)
    bays = int((2 * half - 8) / 2.6)
    for row, yaw in ((-4.2, 0.0), (4.2, 180.0), (-12.6, 180.0), (12.6, 0.0)):
        for k in range(bays + 1):
            x = (k - bays / 2) * 2.6
            plan.strip(Footprint(x, row, 0.0, 0.12, 5.0))
            if k < bays:
                plan.zone("bay", Footprint(x + 1.3, row, yaw, 0.1, 0.1), 0.0)
    for z in (-8.4, 8.4):
        plan.zone("lane", Footprint(0.0, z, 90.0 if z > 0 else -90.0, 0.4, 2 * half - 6), 0.0)
    for yaw in (0.0, 180.0):
        plan.zone("walk", Footprint(0.0, 0.0, yaw, 2 * half - 8, 1.6))
        plan.zone("kerb", Footprint(0.0, 0.0, yaw, 2 * half - 8, 0.8))
    plan.zone("tree", Footprint(0.0, 0.0, 0.0, 2 * half - 8, 0.2))
    plan.zone("lamp", Footprint(0.0, 0.4, 0.0, 2 * half - 8, 0.1))
    hall = rng.chance(0.6)
    for name, x, z, yaw, length in (
        ("n", 0.0, -1, 0.0, 2 * half + 4),
        ("s", 0.0, 1, 180.0, 2 * half + 4),
        ("e", 1, 0.0, -90.0, 2 * deep + 6),
        ("w", -1, 0.0, 90.0, 2 * deep + 6),
    ):
        area = Footprint(x * (half + 3.2), z * (deep + 2.6), yaw, length, 4.0)
        plan.slab(area, _GRASS, "#ffffff", KERB - (0.004 if x else 0.0))
        plan.zone("tree", area.part(0.0, 0.2, length - 4, 0.8))
        plan.zone("kerb", area.part(0.0, 1.2, length - 6, 0.3))
        if name == "n" and hall:
            plan.stand(_hall(rng), area.at(0.0, -11.0), yaw, casts=False)
        if rng.chance(0.7):
            count = int(length / 4) - 1
            for k in range(count):
                plan.stand(furniture.hedge(4.0, 1.1), area.at((k - (count - 1) / 2) * 4.0, -1.4), yaw, gap=-0.1)
        behind = area.part(0.0, -12.0, length + 30, 3.0)
        pavement(plan, behind, use=False)
        houses(plan, rng.at(name), behind)
    return plan


LAYOUTS: dict[str, Callable[[Rng], StreetPlan]] = {
    "street": street,
    "crossroads": crossroads,
    "T-junction": tee,
    "street corner": corner,
    "square": square,
    "park edge": park,
    "suburban street": suburb,
    "car park": car_park,
    "waterfront": waterfront,
}
