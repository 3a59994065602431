"""The pieces that rooms are furnished with, by the name that people give them; each call draws one in the colours of a room."""

from __future__ import annotations

from collections.abc import Callable

from isovist.core.rng import Rng
from isovist.core.scene3d import Group, MeshRef, Part, Pose, Sphere
from isovist.scenes.environments import fixtures, furniture
from isovist.scenes.environments.fixtures import box, mixed, tube
from isovist.scenes.environments.object_placement import Piece
from isovist.scenes.environments.style import Style

Maker = Callable[[Rng, Style], Piece]

WHITE = "#f4f2ec"


def _mesh(id: str, name: str, colour: str | None = None, ahead: float = 0.0) -> Piece:
    return Piece(MeshRef(id), name, colour, ahead=ahead)


def light(colour: str, part: float = 0.45) -> str:
    """A tint: what multiplies a pale mesh without making it dark."""
    return mixed(colour, "#ffffff", part)


def sofa(rng: Rng, st: Style) -> Piece:
    kind = rng.pick(("built", "built", "sofa-beige", "sofa-cushions"))
    if kind == "built":
        form = furniture.sofa(round(rng.uniform(1.7, 2.3), 2), st.fabric, st.accent, st.metal)
        return Piece(form, "sofa", ahead=0.2)
    return _mesh(kind, "sofa", rng.pick((None, light(st.fabric))), 0.2)


def armchair(rng: Rng, st: Style) -> Piece:
    kind = rng.pick(("built", "armchair-cream", "armchair-rattan", "armchair-white"))
    if kind == "built":
        return Piece(furniture.sofa(0.92, st.accent, st.fabric, st.metal), "armchair")
    return _mesh(kind, "armchair", None if kind == "armchair-rattan" else rng.pick((None, light(st.accent, 0.3))))


def chair(rng: Rng, st: Style) -> Piece:
    kind = rng.pick(("built", "built", "chair-blue", "chair-kitchen", "chair-red", "chair-yellow"))
    if kind == "built":
        return Piece(furniture.chair(st.wood, rng.pick((st.wood, st.accent, st.fabric))), "chair")
    return _mesh(kind, "chair", light(st.wood, 0.2) if kind == "chair-kitchen" and rng.chance(0.5) else None)


def stool(rng: Rng, st: Style) -> Piece:
    kind = rng.pick(("built", "built", "stool-green"))
    return Piece(furniture.stool(st.accent, st.metal), "stool") if kind == "built" else _mesh(kind, "stool")


def coffee_table(rng: Rng, st: Style) -> Piece:
    if rng.chance(0.35):
        return Piece(furniture.round_table(round(rng.uniform(0.36, 0.48), 2), 0.42, st.wood), "coffee table")
    return Piece(furniture.table(round(rng.uniform(0.8, 1.15), 2), 0.55, 0.42, st.wood, rng.pick((st.wood, st.metal))), "coffee table")


def dining_table(rng: Rng, st: Style) -> Piece:
    kind = rng.pick(("built", "built", "round", "table-dining", "table-wood"))
    if kind == "built":
        return Piece(
            furniture.table(round(rng.uniform(1.2, 1.7), 2), 0.82, 0.75, st.wood, rng.pick((st.wood, st.metal, WHITE))), "dining table"
        )
    if kind == "round":
        return Piece(furniture.round_table(0.56, 0.75, st.wood), "dining table")
    return _mesh(kind, "dining table")


def tv_stand(rng: Rng, st: Style) -> Piece:
    return Piece(furniture.tv_stand(round(rng.uniform(1.2, 1.7), 2), st.wood, st.front))


def tv(rng: Rng, _: Style) -> Piece:
    kind = rng.pick(("built", "built", "tv-large", "tv-small"))
    return Piece(furniture.tv(round(rng.uniform(0.9, 1.15), 2)), "TV") if kind == "built" else _mesh(kind, "TV")


def bookcase(rng: Rng, st: Style) -> Piece:
    if rng.chance(0.2):
        return _mesh("bookcase-full", "bookcase", rng.pick((None, light(st.wood))))
    return Piece(
        furniture.bookcase(rng, round(rng.uniform(0.8, 1.2), 2), round(rng.uniform(1.5, 2.1), 2), st.wood, mixed(st.wood, "#000000", 0.2)),
        "bookcase",
    )


def toy_shelf(rng: Rng, st: Style) -> Piece:
    return Piece(furniture.open_shelf(rng, round(rng.uniform(1.1, 1.6), 2), round(rng.uniform(0.85, 1.3), 2), st.wood), "shelf")


def wardrobe(rng: Rng, st: Style) -> Piece:
    kind = rng.pick(("built", "built", "wardrobe-white", "wardrobe-wood"))
    if kind == "built":
        return Piece(
            furniture.wardrobe(rng.pick((1.0, 1.5, 1.8)), round(rng.uniform(1.9, 2.15), 2), st.wood, st.front), "wardrobe", ahead=0.5
        )
    return _mesh(kind, "wardrobe", rng.pick((None, light(st.wood))), 0.5)


def chest(rng: Rng, st: Style) -> Piece:
    kind = rng.pick(("built", "built", "built", "dresser-white", "dresser-wood"))
    if kind == "built":
        width, rows, columns = rng.pick(((0.85, 4, 1), (1.2, 3, 2), (1.4, 3, 2)))
        return Piece(furniture.drawers(width, 0.85 if rows == 3 else 1.0, st.wood, st.front, rows, columns), "chest of drawers", ahead=0.3)
    return _mesh(kind, "chest of drawers", None, 0.3)


def sideboard(rng: Rng, st: Style) -> Piece:
    return Piece(furniture.drawers(round(rng.uniform(1.4, 1.8), 2), 0.78, st.wood, st.front, 1, 3), "sideboard", ahead=0.3)


def bed(rng: Rng, st: Style) -> Piece:
    if rng.chance(0.15):
        return _mesh("bed", "bed")
    return Piece(furniture.bed(rng.pick((1.4, 1.6, 1.7)), st.wood, st.cover, tall=rng.chance(0.6)), "bed")


def single_bed(rng: Rng, st: Style) -> Piece:
    if rng.chance(0.35):
        return Piece(furniture.bunk_bed(st.wood, st.cover), "bunk bed")
    return Piece(furniture.bed(0.95, st.wood, st.cover, tall=rng.chance(0.5)), "bed")


def bedside_table(rng: Rng, st: Style) -> Piece:
    if rng.chance(0.25):
        return _mesh("bedside-table", "bedside table")
    return Piece(furniture.drawers(0.45, 0.5, st.wood, st.front, 2, 1), "bedside table")


def dressing_table(rng: Rng, st: Style) -> Piece:
    return _mesh("dressing-table", "dressing table", rng.pick((None, light(st.accent))), 0.4)


def desk(rng: Rng, st: Style) -> Piece:
    return Piece(furniture.desk(round(rng.uniform(1.2, 1.6), 2), st.wood, st.front), "desk")


def office_chair(_rng: Rng, _: Style) -> Piece:
    return _mesh("office-chair-blue", "office chair")


def floor_lamp(rng: Rng, st: Style) -> Piece:
    return Piece(furniture.floor_lamp(rng.pick(("#f6ecd2", st.accent)), st.metal), "floor lamp")


def table_lamp(rng: Rng, st: Style) -> Piece:
    return Piece(furniture.table_lamp(rng.pick(("#f6ecd2", st.accent)), rng.pick((st.metal, st.pot, st.cover))), "table lamp")


def plant(rng: Rng, st: Style) -> Piece:
    return Piece(furniture.plant(rng, st.pot), "plant")


def cactus(_: Rng, st: Style) -> Piece:
    return Piece(furniture.cactus(st.pot), "cactus")


def vase(rng: Rng, st: Style) -> Piece:
    return Piece(
        furniture.vase(rng.pick((st.pot, st.fabric, WHITE)), rng.pick(("#d84a5a", "#e8c048", "#e88ab0", "#f4f0f0", "#8a6ac0"))), "vase"
    )


def picture(rng: Rng, st: Style) -> Piece:
    width, height = rng.pick(((0.6, 0.8), (0.9, 0.65), (1.1, 0.75), (0.7, 0.7), (0.8, 1.0)))
    return Piece(fixtures.picture(rng, width, height, rng.pick((st.wood, DARK_FRAME, WHITE, "#b59a5a"))), "picture")


DARK_FRAME = "#2e2e31"


def mirror(rng: Rng, st: Style) -> Piece:
    width, height = rng.pick(((0.6, 0.8), (0.5, 1.3), (0.9, 0.7)))
    return Piece(fixtures.mirror(width, height, rng.pick((st.wood, st.metal))), "mirror")


def clock(rng: Rng, st: Style) -> Piece:
    return Piece(fixtures.clock(0.18, rng.pick((DARK_FRAME, st.accent, st.wood))), "clock")


def wall_shelf(rng: Rng, st: Style) -> Piece:
    return Piece(fixtures.shelf(rng, round(rng.uniform(0.8, 1.2), 2), st.wood), "wall shelf")


def cardboard_box(rng: Rng, _: Style) -> Piece:
    return _mesh(rng.pick(("box-closed", "box-open")), "cardboard box")


def waste_bin(rng: Rng, st: Style) -> Piece:
    if rng.chance(0.4):
        return _mesh("waste-bin", "waste bin")
    return Piece(
        Group((tube(0.15, 0.34, 0, 0, 0, rng.pick((st.metal, st.accent)), 24), tube(0.135, 0.004, 0, 0.34, 0, "#2a2a2c", 24))), "waste bin"
    )


def balloon(rng: Rng, _: Style) -> Piece:
    """Tied to a weight on the floor."""
    colour = rng.pick(("#d83a3a", "#e8b830", "#3a78d0", "#4aa850", "#c858a8"))
    ball = Group(
        (
            box(0.08, 0.06, 0.08, 0, 0, 0, "#55555a"),
            box(0.006, 1.0, 0.006, 0, 0.06, 0, "#dddddd"),
            Part(Sphere(0.17), Pose((0.0, 1.04, 0.0)), (1.0, 1.15, 1.0), colour),
        )
    )
    return Piece(ball, "balloon")


def mesh(id: str, name: str, ahead: float = 0.0) -> Maker:
    """One that has its colours."""
    return lambda _rng, _st: _mesh(id, name, None, ahead)


def board(rng: Rng, *, cork: bool = True) -> Piece:
    """A notice board of cork, or a whiteboard."""
    return Piece(fixtures.board(round(rng.uniform(1.0, 1.5), 2), 0.9, cork=cork), "notice board" if cork else "whiteboard")
