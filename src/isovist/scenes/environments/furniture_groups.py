"""Furniture that belongs together: chairs at a table, a lamp beside a bed, a television before a sofa."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.scene3d import Geometry, MeshRef
from isovist.scenes.environments import fixtures, furniture, furniture_catalog
from isovist.scenes.environments.bounding_boxes import bounds
from isovist.scenes.environments.floor_plan import Rect, Wall
from isovist.scenes.environments.object_placement import CLEAR, ObjectPlacer, Piece, Spot
from isovist.scenes.environments.style import Style


def facing(site: ObjectPlacer, yaw: float) -> list[Wall]:
    """The walls that face against a yaw: those opposite to what looks that way."""
    return [wall for wall in site.plan.walls if wall.facing == (round(yaw) + 180) % 360 and wall.length > 1.2]


def freely(
    site: ObjectPlacer, piece: Piece, around: float = 0.0, tries: int = 60, yaws: Sequence[float] = (0, 90, 180, 270)
) -> Spot | None:
    """Puts a piece anywhere on the floor, `around` metres from walls and furniture."""
    (x0, _, z0), (x1, _, z1) = bounds(piece.form)
    for attempt in range(tries):
        yaw = site.rng.pick(yaws)
        half_x, half_z = (max(-x0, x1), max(-z0, z1)) if yaw % 180 == 0 else (max(-z0, z1), max(-x0, x1))
        b = site.plan.bounds
        x = site.rng.uniform(b.x0 + half_x + around, max(b.x1 - half_x - around, b.x0 + half_x + around + 0.01))
        z = site.rng.uniform(b.z0 + half_z + around, max(b.z1 - half_z - around, b.z0 + half_z + around + 0.01))
        rect = Rect(x - half_x - around, z - half_z - around, x + half_x + around, z + half_z + around)
        near = rect.distance(site.eye[0], site.eye[2]) < CLEAR - 0.1 if around > 0.3 and attempt < tries / 2 else False
        if not near and site.inside(rect) and site.empty(rect) and (spot := site.stand(piece, x, z, yaw)) is not None:
            return spot
    return None


def rug(site: ObjectPlacer, st: Style, x: float, z: float, width: float, depth: float, yaw: float = 0.0) -> None:
    """Under what stands there; only where it fits, and not under the viewer, who would see it in all directions."""
    a, b = (width, depth) if yaw % 180 == 0 else (depth, width)
    rect = Rect(x - a / 2, z - b / 2, x + a / 2, z + b / 2)
    if (
        rect.distance(site.eye[0], site.eye[2]) > 0.6
        and site.inside(Rect(x - a / 2 - 0.1, z - b / 2 - 0.1, x + a / 2 + 0.1, z + b / 2 + 0.1))
        and "rug" not in site.names
    ):
        site.lay(Piece(fixtures.rug(site.rng, round(width, 2), round(depth, 2), st.cover, st.accent), "rug"), x, z, yaw)


def sofa_group(site: ObjectPlacer, st: Style) -> Spot | None:
    """A sofa at a wall with a coffee table and a rug before it, and a television where it can be seen from it."""
    sofa = site.at_wall([furniture_catalog.sofa(site.rng, st)], where="middle")
    if sofa is None:
        return None
    table = furniture_catalog.coffee_table(site.rng, st)
    depth = table.size[2]
    front = bounds(sofa.piece.form)[1][2]
    x, z = sofa.point(0.0, front + 0.3 + depth / 2)
    spot = site.stand(table, x, z, sofa.yaw)
    if site.rng.chance(0.8):
        rx, rz = sofa.point(0.0, front + 0.75)
        rug(site, st, rx, rz, site.rng.uniform(1.9, 2.5), site.rng.uniform(1.4, 1.8), sofa.yaw)
    if spot is not None:
        decorate(site, st, spot, ("vase", "books", "bowl"))
    television(site, st, facing(site, sofa.yaw) or None)
    return sofa


def television(site: ObjectPlacer, st: Style, walls: Sequence[Wall] | None) -> Spot | None:
    stand = site.at_wall(furniture_catalog.tv_stand(site.rng, st), where="middle", walls=walls, above=0.7) if site.allows("TV") else None
    return site.on(stand, furniture_catalog.tv(site.rng, st)) if stand is not None else None


def decorate(site: ObjectPlacer, st: Style, spot: Spot, kinds: Sequence[str], right: float | None = None) -> None:
    """Puts one thing of some kinds on top of a piece, unless the room has one."""
    rng = site.rng
    for kind in rng.shuffled(kinds):
        piece = _ornament(site, st, kind)
        if piece.name and piece.name in site.names:
            continue
        at = rng.uniform(-0.7, 0.7) if right is None else right
        if site.on(spot, piece, at, rng.uniform(-0.4, 0.4), 0.0 if kind in ("computer", "stereo") else rng.uniform(-25, 25)) is not None:
            return


def _ornament(site: ObjectPlacer, st: Style, kind: str) -> Piece:
    made: dict[str, Geometry] = {
        "bowl": MeshRef("bowl"),
        "telephone": MeshRef("telephone"),
        "stereo": MeshRef("stereo"),
        "printer": MeshRef("printer"),
        "jug": MeshRef("jug"),
        "basket": MeshRef("basket"),
        "bread": MeshRef("bread"),
        "toaster": MeshRef("toaster"),
    }
    names = {"bread": "loaf of bread"}
    if kind in made:
        return Piece(made[kind], names.get(kind, kind))
    if kind == "books":
        return Piece(furniture.book_pile(site.rng))
    if kind == "table lamp":
        return furniture_catalog.table_lamp(site.rng, st)
    if kind == "cactus":
        return furniture_catalog.cactus(site.rng, st)
    return furniture_catalog.vase(site.rng, st)


def dining(site: ObjectPlacer, st: Style, seats: int = 4) -> Spot | None:
    """A table somewhere with chairs at its sides."""
    if not site.allows("chair"):
        return None
    table = furniture_catalog.dining_table(site.rng, st)
    spot = freely(site, table, around=0.55, yaws=(0, 90))
    if spot is None:
        return None
    chair = furniture_catalog.chair(site.rng, st)
    (x0, _, _), (x1, _, z1) = bounds(table.form)
    front = bounds(chair.form)[1][2]
    wide = x1 - x0 > 1.15
    places = [(s * 0.23 * (x1 - x0), e) for e in (1, -1) for s in ((-1, 1) if wide else (0,))][: max(seats, 2)]
    for right, side in places:
        x, z = spot.point(right, side * (z1 + front + 0.03))
        site.stand(chair, x, z, (spot.yaw + (180 if side > 0 else 0)) % 360)
    if not wide or seats > 4:
        for side in (1, -1):
            x, z = spot.point(side * (x1 + front + 0.03), 0.0)
            site.stand(chair, x, z, (spot.yaw + (270 if side > 0 else 90)) % 360)
    decorate(site, st, spot, ("vase", "bowl", "jug"), 0.0)
    return spot


def work_place(site: ObjectPlacer, st: Style, *, computer: bool = True) -> Spot | None:
    """A desk at a wall with a chair before it, a computer and a lamp on it."""
    rng = site.rng
    spot = site.at_wall(furniture_catalog.desk(rng, st))
    if spot is None:
        return None
    seat = furniture_catalog.office_chair(rng, st) if rng.chance(0.6) else furniture_catalog.chair(rng, st)
    if not site.allows(seat.name):
        seat = furniture_catalog.stool(rng, st)
    front = bounds(spot.piece.form)[1][2]
    x, z = spot.point(-0.15, front + 0.06 + bounds(seat.form)[1][2])
    site.stand(seat, x, z, (spot.yaw + 180) % 360)
    if computer and site.allows("computer"):
        kind = rng.pick(("computer", "laptop"))
        site.on(spot, Piece(MeshRef(kind), kind), -0.25, -0.2)
    if rng.chance(0.6) and "table lamp" not in site.names:
        site.on(spot, furniture_catalog.table_lamp(rng, st), 0.95, -0.6)
    elif rng.chance(0.5) and "printer" not in site.names:
        site.on(spot, Piece(MeshRef("printer"), "printer"), 0.85, -0.3)
    return spot


def bedside(site: ObjectPlacer, st: Style, bed: Spot) -> None:
    """A small table with a lamp at each side of a bed, or at one."""
    table, lamp = furniture_catalog.bedside_table(site.rng, st), furniture_catalog.table_lamp(site.rng, st)
    both = site.rng.chance(0.5)
    for side in site.rng.shuffled((-1, 1)):
        spot = site.beside(bed, table, side)
        if spot is not None:
            site.on(spot, lamp, 0.0, -0.3)
            if not both:
                return
