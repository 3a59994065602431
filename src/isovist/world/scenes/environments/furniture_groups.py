"""Groups of furniture: pieces at and on walls, chairs at a table, a lamp beside a bed, a television opposite a sofa.

A step furnishes a part of a room. Pieces that do not fit are omitted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isovist.core.scene3d import MeshRef
from isovist.world.scenes.environments import furniture_catalog as catalog
from isovist.world.scenes.environments.bounding_boxes import bounds
from isovist.world.scenes.environments.floor_plan import Rect, Wall
from isovist.world.scenes.environments.furniture_catalog import Maker
from isovist.world.scenes.environments.object_placement import CLEAR, ObjectPlacer, Piece, Spot
from isovist.world.scenes.environments.style import Style
from isovist.world.scenes.furniture_meshes import built

Step = Callable[[ObjectPlacer, Style], object]
_TRIES = 60


def at_wall(
    *makers: Maker,
    chance: float = 1.0,
    where: str = "any",
    times: tuple[int, int] = (1, 1),
    top: Sequence[tuple[Sequence[str], float | None]] = (),
) -> Step:
    """A step that places one of several pieces at a wall, `times` (least, greatest) times. `top`: objects on top of it; see `decorate`."""

    def step(site: ObjectPlacer, st: Style) -> None:
        if not site.rng.chance(chance):
            return
        pieces = [make(site.rng, st) for make in makers]
        for _ in range(site.rng.integer(*times)):
            spot = site.at_wall(pieces, where=where)
            if spot is not None:
                for kinds, right in top:
                    decorate(site, st, spot, kinds, right)

    return step


def hung(*makers: Maker, foot: float, chance: float = 1.0) -> Step:
    """A step that hangs one of several pieces on a wall, `foot` metres above the floor."""
    return lambda site, st: site.rng.chance(chance) and site.hang([make(site.rng, st) for make in makers], foot)


def standing_free(make: Maker, around: float, chance: float = 1.0) -> Step:
    """A step that places a piece anywhere on the floor; see `freely`."""
    return lambda site, st: site.rng.chance(chance) and freely(site, make(site.rng, st), around)


def some(count: int, *steps: Step) -> Step:
    """A step that executes `count` of several steps in random order."""
    return lambda site, st: [step(site, st) for step in site.rng.sample(steps, count)]


def facing(site: ObjectPlacer, yaw: float) -> list[Wall]:
    """The walls opposite to an object with this yaw."""
    return [wall for wall in site.plan.walls if wall.facing == (round(yaw) + 180) % 360 and wall.length > 1.2]


def freely(site: ObjectPlacer, piece: Piece, around: float = 0.0, yaws: Sequence[float] = (0, 90, 180, 270)) -> Spot | None:
    """Place a piece anywhere on the floor, `around` metres from walls and furniture."""
    (x0, _, z0), (x1, _, z1) = bounds(piece.form)
    for attempt in range(_TRIES):
        yaw = site.rng.pick(yaws)
        half_x, half_z = (max(-x0, x1), max(-z0, z1)) if yaw % 180 == 0 else (max(-z0, z1), max(-x0, x1))
        b = site.plan.bounds
        x = site.rng.uniform(b.x0 + half_x + around, max(b.x1 - half_x - around, b.x0 + half_x + around + 0.01))
        z = site.rng.uniform(b.z0 + half_z + around, max(b.z1 - half_z - around, b.z0 + half_z + around + 0.01))
        rect = Rect(x - half_x - around, z - half_z - around, x + half_x + around, z + half_z + around)
        near = rect.distance(site.eye[0], site.eye[2]) < CLEAR - 0.1 if around > 0.3 and attempt < _TRIES / 2 else False
        if not near and site.inside(rect) and site.empty(rect) and (spot := site.stand(piece, x, z, yaw)) is not None:
            return spot
    return None


def rug(site: ObjectPlacer, st: Style, x: float, z: float, width: float, depth: float, yaw: float = 0.0) -> None:
    """Place a rug under furniture where it fits, but not under the viewer, where it would be visible in all directions."""
    a, b = (width, depth) if yaw % 180 == 0 else (depth, width)
    rect = Rect(x - a / 2, z - b / 2, x + a / 2, z + b / 2)
    around = Rect(rect.x0 - 0.1, rect.z0 - 0.1, rect.x1 + 0.1, rect.z1 + 0.1)
    if rect.distance(site.eye[0], site.eye[2]) > 0.6 and site.inside(around) and "rug" not in site.names:
        kind = site.rng.pick(("round", "bordered", "bordered", "striped"))
        wide, deep = (min(width, depth),) * 2 if kind == "round" else (width, depth)
        form = built(f"rug-{kind}", width=round(wide, 2), depth=round(deep, 2), cloth=st.cover, trim=st.accent)
        site.lay(Piece(form, "rug"), x, z, yaw)


def sofa_group(site: ObjectPlacer, st: Style) -> None:
    """A sofa at a wall with a coffee table and a rug in front of it, and a television opposite."""
    sofa = site.at_wall(catalog.sofa(site.rng, st), where="middle")
    if sofa is None:
        return
    table = catalog.coffee_table(site.rng, st)
    front = bounds(sofa.piece.form)[1][2]
    spot = site.stand(table, *sofa.point(0.0, front + 0.3 + table.size[2] / 2), sofa.yaw)
    if site.rng.chance(0.8):
        rug(site, st, *sofa.point(0.0, front + 0.75), site.rng.uniform(1.9, 2.5), site.rng.uniform(1.4, 1.8), sofa.yaw)
    if spot is not None:
        decorate(site, st, spot, ("vase", "books", "bowl"))
    television(facing(site, sofa.yaw) or None)(site, st)


def television(walls: Sequence[Wall] | None = None, chance: float = 1.0) -> Step:
    """A television on a stand at a wall."""

    def step(site: ObjectPlacer, st: Style) -> None:
        if not site.rng.chance(chance) or not site.allows("TV"):
            return
        stand = site.at_wall(catalog.tv_stand(site.rng, st), where="middle", walls=walls, above=0.7)
        if stand is not None:
            site.on(stand, catalog.tv(site.rng, st))

    return step


_ORNAMENTS: dict[str, Maker] = {
    **{name: catalog.mesh(name, name) for name in ("bowl", "telephone", "stereo", "printer", "jug", "basket", "toaster")},
    "bread": catalog.mesh("bread", "loaf of bread"),
    "books": catalog.books,
    "table lamp": catalog.table_lamp,
    "vase": catalog.vase,
}


def decorate(site: ObjectPlacer, st: Style, spot: Spot, kinds: Sequence[str], right: float | None = None) -> None:
    """Place an object of one of several categories on a piece, unless the room has one: at a random position, or at the share `right`."""
    rng = site.rng
    for kind in rng.shuffled(kinds):
        piece = _ORNAMENTS[kind](rng, st)
        if piece.name and piece.name in site.names:
            continue
        at = rng.uniform(-0.7, 0.7) if right is None else right
        if site.on(spot, piece, at, rng.uniform(-0.4, 0.4), 0.0 if kind == "stereo" else rng.uniform(-25, 25)) is not None:
            return


def dining(site: ObjectPlacer, st: Style) -> Spot | None:
    """A table with up to four chairs at its sides."""
    return _dining(site, st, at_ends=False)


def large_dining(site: ObjectPlacer, st: Style) -> Spot | None:
    """A table with chairs at its sides and ends."""
    return _dining(site, st, at_ends=True)


def _dining(site: ObjectPlacer, st: Style, *, at_ends: bool) -> Spot | None:
    if not site.allows("chair"):
        return None
    table = catalog.dining_table(site.rng, st)
    spot = freely(site, table, around=0.55, yaws=(0, 90))
    if spot is None:
        return None
    chair = catalog.chair(site.rng, st)
    (x0, _, _), (x1, _, z1) = bounds(table.form)
    front = bounds(chair.form)[1][2]
    wide = x1 - x0 > 1.15
    seats = [(s * 0.23 * (x1 - x0), e * (z1 + front + 0.03), 180 if e > 0 else 0) for e in (1, -1) for s in ((-1, 1) if wide else (0,))]
    seats += [(e * (x1 + front + 0.03), 0.0, 270 if e > 0 else 90) for e in (1, -1) if at_ends or not wide]
    for right, ahead, turn in seats:
        site.stand(chair, *spot.point(right, ahead), (spot.yaw + turn) % 360)
    decorate(site, st, spot, ("vase", "bowl", "jug"), 0.0)
    return spot


def work_place(chance: float = 1.0, *, computer: bool = True) -> Step:
    """A desk at a wall with a chair, a computer and a lamp."""

    def step(site: ObjectPlacer, st: Style) -> None:
        rng = site.rng
        spot = site.at_wall(catalog.desk(rng, st)) if rng.chance(chance) else None
        if spot is None:
            return
        seat = catalog.office_chair(rng, st) if rng.chance(0.6) else catalog.chair(rng, st)
        if not site.allows(seat.name):
            seat = catalog.stool(rng, st)
        front = bounds(spot.piece.form)[1][2]
        site.stand(seat, *spot.point(-0.15, front + 0.06 + bounds(seat.form)[1][2]), (spot.yaw + 180) % 360)
        if computer and site.allows("computer"):
            kind = rng.pick(("computer", "laptop"))
            site.on(spot, Piece(MeshRef(kind), kind), -0.25, -0.2)
        if rng.chance(0.6) and "table lamp" not in site.names:
            site.on(spot, catalog.table_lamp(rng, st), 0.95, -0.6)
        elif rng.chance(0.5) and "printer" not in site.names:
            site.on(spot, Piece(MeshRef("printer"), "printer"), 0.85, -0.3)

    return step


def bedside(site: ObjectPlacer, st: Style, bed: Spot) -> None:
    """A bedside table with a lamp on one or both sides of a bed."""
    table, lamp = catalog.bedside_table(site.rng, st), catalog.table_lamp(site.rng, st)
    both = site.rng.chance(0.5)
    for side in site.rng.shuffled((-1, 1)):
        spot = site.beside(bed, table, side)
        if spot is not None:
            site.on(spot, lamp, 0.0, -0.3)
            if not both:
                return
