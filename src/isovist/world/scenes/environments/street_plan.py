"""The ground plan of an outdoor environment: roads, pavements, rows of houses, and zones for objects.

x and z are in metres, yaws in degrees. `streets` rotates the complete environment about the eye later.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import hypot
from typing import Literal

from isovist.core.rng import Rng
from isovist.core.rotation import azimuth
from isovist.core.scene3d import Geometry, Pose, SceneObject, Texture
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.environments.facades import House, Style, house
from isovist.world.scenes.environments.footprint import Footprint, Spot, apart, covers
from isovist.world.scenes.environments.primitives import block, group

Use = Literal["lane", "rail", "parking", "bay", "kerb", "walk", "wall", "lamp", "signal", "tree", "grass", "garden", "plaza", "centre", "landmark", "water"]  # fmt: skip
"""The use of a zone: traffic, trams, vehicles parked along the kerb or in a bay; objects at the kerb, people, objects at the houses, lamps,
traffic lights; trees, park lawns, front gardens, open squares and their centre, large buildings, boats.
"""

KERB = 0.12
"""Height of pavements and lawns above the road in metres."""
UNDER = 2.0
"""Greatest height in metres of objects under awnings and trees."""
_WHITE = "#e9e7dc"
PAVEMENTS = (("paving", "#ffffff"), ("paving", "#f0e0d0"), ("concrete", "#ffffff"), ("concrete", "#e8e0d4"))


@dataclass(frozen=True, slots=True)
class Zone:
    """An area for the centres of objects of one use. Their fronts have the yaw of the area. `y`: height of the ground in metres."""

    use: Use
    area: Footprint
    y: float = KERB


@dataclass(frozen=True, slots=True)
class Look:
    """Shared properties of the houses and pavements of an environment."""

    styles: tuple[Style, ...]
    storeys: tuple[int, int]
    shops: float
    paving: Texture
    tint: str
    gap: float = 0.0


@dataclass(slots=True)
class StreetPlan:
    """The state of a plan during layout. `ground`: flat objects; `built`: standing objects; `taken`: footprints of the standing objects."""

    look: Look
    eye: Spot = (0.0, 0.0)
    eye_y: float = KERB
    ground: list[SceneObject] = field(default_factory=list[SceneObject])
    built: list[SceneObject] = field(default_factory=list[SceneObject])
    taken: list[Footprint] = field(default_factory=list[Footprint])
    tall: list[Footprint] = field(default_factory=list[Footprint])
    """Footprints of objects higher than `UNDER`, including awnings, balconies and tree crowns."""
    walls: list[Footprint] = field(default_factory=list[Footprint])
    """Footprints of opaque obstacles: houses and wide objects higher than one metre."""
    roads: list[Footprint] = field(default_factory=list[Footprint])
    zones: list[Zone] = field(default_factory=list[Zone])
    lift: float = 0.0
    """Height of the environment above the infinite ground plane, which is water if this is not 0."""

    def zone(self, use: Use, area: Footprint, y: float = KERB) -> None:
        if area.width > 0 and area.depth > 0:
            self.zones.append(Zone(use, area, y))

    def slab(self, area: Footprint, texture: Texture | None, colour: str, height: float = KERB) -> None:
        """Add a flat surface such as a pavement or lawn."""
        at = (round(area.x, 3), 0.0, round(area.z, 3))
        form = group(block((area.width, height, area.depth), (0.0, 0.0, 0.0)))
        self.ground.append(SceneObject(form, Pose(at, area.yaw), colour=colour, texture=texture, casts_shadow=False))

    def strip(self, area: Footprint, colour: str = _WHITE, height: float = 0.012) -> None:
        """Add a road marking."""
        self.slab(area, None, colour, height)

    def free(self, area: Footprint, gap: float = 0.0) -> bool:
        return all(apart(area, other, gap) for other in self.taken)

    def clear(self, area: Footprint) -> bool:
        """Whether no high object covers an area."""
        return all(apart(area, other, 0.1) for other in self.tall)

    def in_sight(self, area: Footprint) -> bool:
        """Whether no opaque obstacle is between the eye and the centre of an area."""
        x, z = area.x - self.eye[0], area.z - self.eye[1]
        line = Footprint(self.eye[0] + x / 2, self.eye[1] + z / 2, azimuth((x, 0.0, z)), 0.6, hypot(x, z))
        return all(apart(line, wall) for wall in self.walls)

    def stand(self, form: Geometry, at: Spot, yaw: float, y: float = KERB, casts: bool = True, gap: float = 0.1) -> bool:
        """Add a standing object. False if the position is occupied or within 1.6 m of the eye."""
        where = (round(at[0], 3), y, round(at[1], 3))
        box = bounds(form)
        area, tall = covers(box, where, yaw), box[1][1] > UNDER
        if not self.free(area, gap) or area.away(self.eye) < 1.6 or (tall and not self.clear(area)):
            return False
        self.taken.append(area)
        if area.width > 1.5 and 1.0 < box[1][1] < 5.0:
            self.walls.append(area)
        if tall:
            self.tall.append(area)
        self.built.append(SceneObject(form, Pose(where, round(yaw, 1)), casts_shadow=casts))
        return True


def road(plan: StreetPlan, area: Footprint, rng: Rng, lanes: tuple[tuple[float, float], ...], marks: bool = True) -> None:
    """A road along the front axis of `area` with one lane in each direction and right-hand traffic.

    `lanes`: the sections with vehicles and road markings, as distances ahead of the centre in metres.
    """
    plan.roads.append(area)
    dashed = rng.chance(0.75)
    for start, end in lanes:
        length = end - start
        for side, turn in ((-1, 0.0), (1, 180.0)):
            plan.zone("lane", area.part(side * area.width / 4, (start + end) / 2, 0.3, length - 1.0, turn), 0.0)
        count = max(1, int(length / 6)) if dashed else 1
        for k in range(count if marks else 0):
            plan.strip(area.part(0.0, start + (k + 0.5) * length / count, 0.14, 3.0 if dashed else length))


def rails(plan: StreetPlan, way: Footprint, lanes: tuple[tuple[float, float], ...]) -> None:
    """Tram tracks in both lanes of a road."""
    for start, end in lanes:
        for side, turn in ((-1, 0.0), (1, 180.0)):
            across, ahead = side * way.width / 4, (start + end) / 2
            plan.zone("rail", way.part(across, ahead, 0.1, end - start - 1.0, turn), 0.0)
            for off in (-0.72, 0.72):
                plan.strip(way.part(across + off, ahead, 0.1, end - start), "#5c6066", 0.011)


def zebra(plan: StreetPlan, area: Footprint, ahead: float) -> None:
    """A zebra crossing at a distance ahead of the road's centre."""
    count = int(area.width / 1.0)
    for k in range(count):
        plan.strip(area.part(-area.width / 2 + (k + 0.5) * area.width / count, ahead, 0.5, 3.2), height=0.014)


def pavement(plan: StreetPlan, area: Footprint, parking: float = 0.0, use: bool = True) -> None:
    """A pavement with its kerb at the front and its zones, and the zone of a `parking` strip in front of it."""
    plan.slab(area, plan.look.paving, plan.look.tint)
    plan.slab(area.part(0.0, area.depth / 2 - 0.06, area.width, 0.16), None, "#c9c5ba", KERB + 0.012)
    if not use:
        return
    bands: tuple[tuple[Use, float, float], ...] = (  # distance range behind the kerb
        ("lamp", 0.45, 0.55),
        ("tree", 0.9, 1.0),
        ("kerb", 0.7, 1.1),
        ("walk", 1.2, area.depth - 0.9),
        ("wall", area.depth - 0.75, area.depth - 0.6),
    )
    for kind, near, far in bands:
        plan.zone(kind, area.part(0.0, area.depth / 2 - (near + far) / 2, area.width - 1.0, far - near))
    if parking:
        # right-hand traffic: the kerb is to the right of the driver
        plan.zone("parking", area.part(0.0, (area.depth + parking) / 2, 0.1, area.width - 4.0, -90.0), 0.0)


_WIDTHS: dict[Style, tuple[float, float]] = {"cottage": (8, 11), "office": (9, 15), "flats": (9, 15), "town": (6, 12)}


def near_end(area: Footprint) -> int:
    """The end of an area that is nearer to the plan's origin: 1 for the left end, -1 for the right end."""
    return min((1, -1), key=lambda side: (hypot(*area.at(side * area.width / 2, 0.0)), side))


def houses(plan: StreetPlan, rng: Rng, area: Footprint, setback: float = 0.0) -> None:
    """A row of houses behind the pavement `area`, from the end that is nearer to the plan's origin."""
    side = near_end(area)
    along, number = 0.0, 0
    drawn: dict[bool, tuple[Rng, House]] = {}  # the house with this number, by `plain`: it may fit at a later position only
    while along < area.width - 5:
        draw = rng.at("house", number)
        style = draw.pick(plan.look.styles)
        wide = round(draw.uniform(*_WIDTHS[style]), 1)
        across, back = side * (area.width / 2 - along - wide / 2), -area.depth / 2 - setback
        x, z = area.at(across, back)
        plain = hypot(x - plan.eye[0], z - plan.eye[1]) > 40
        if plain not in drawn:
            storeys = draw.pick((1, 2, 2)) if style == "cottage" else draw.integer(*plan.look.storeys)
            ground = "shop" if style != "cottage" and draw.chance(plan.look.shops) else "home"
            drawn[plain] = draw, house(draw, style, wide, storeys, ground, plain=plain, free=number == 0 or plan.look.gap > 0)
        draw, one = drawn[plain]
        body = area.part(across, back - one.depth / 2, one.width - 0.02, one.depth)
        forms = [form for form in (one.form, one.over) if form]
        pose = Pose((round(body.x, 3), KERB, round(body.z, 3)), area.yaw)
        whole = [covers(bounds(form), (body.x, 0.0, body.z), area.yaw) for form in forms]
        near = body.away(plan.eye) < 2.0 or any(part.away(plan.eye) < 1.6 for part in whole)
        if near or not plan.free(body) or not all(apart(body, way, 1.5) for way in plan.roads):
            along = round(along + 1.0, 2)  # the same house at the next position
            continue
        drawn.clear()
        number += 1
        plan.taken.append(body)
        plan.tall += whole
        plan.walls.append(body)
        plan.built += [SceneObject(form, pose, casts_shadow=False) for form in forms]
        gap = plan.look.gap * draw.uniform(0.6, 1.4) if plan.look.gap else draw.pick((0.0, 0.0, 0.0, 0.0, 2.5))
        along = round(along + wide + gap, 2)
