"""The furniture of rooms by name. Each call samples one piece in the colours of a room."""

from __future__ import annotations

from collections.abc import Callable

from isovist.core.rng import Rng
from isovist.core.scene3d import Geometry, MeshRef
from isovist.world.scenes.environments import fixtures
from isovist.world.scenes.environments.object_placement import Piece
from isovist.world.scenes.environments.primitives import mixed
from isovist.world.scenes.environments.style import Style
from isovist.world.scenes.furniture_meshes import built, tinted

Maker = Callable[[Rng, Style], Piece]
Form = Callable[[Rng, Style], Geometry]
Colours = str | tuple[str, ...]
"""A field name of the room's style, or "#rrggbb"; one of several is sampled."""
Range = tuple[float, float]

WHITE, DARK, BRASS = "#f4f2ec", "#2e2e31", "#b59a5a"
STEEL = "#a9adb0"


def light(colour: str, part: float = 0.45) -> str:
    """A light tint of a colour, to multiply with the colours of a pale mesh."""
    return mixed(colour, "#ffffff", part)


def chosen(rng: Rng, st: Style, colours: Colours) -> str:
    """The sampled colour as a hexadecimal value."""
    colour = colours if isinstance(colours, str) else rng.pick(colours)
    return colour if colour.startswith("#") else getattr(st, colour)


def maker(name: str, *forms: Form, ahead: float = 0.0) -> Maker:
    """A function that samples a piece of a name with one of several equally likely forms."""
    return lambda rng, st: Piece(rng.pick(forms)(rng, st), name, ahead=ahead)


def furniture(piece: str, width: Range | None = None, height: Range | None = None, **colours: Colours) -> Form:
    """A built piece, with width and height sampled from ranges in metres if given."""

    def form(rng: Rng, st: Style) -> Geometry:
        wide, high = (round(rng.uniform(*lengths), 2) if lengths else 0.0 for lengths in (width, height))
        return built(piece, width=wide, height=high, **{part: chosen(rng, st, names) for part, names in colours.items()})

    return form


def pack(mesh: str, tint: str = "", part: float = 0.45) -> Form:
    """A mesh of the pack. With `tint`, half of the samples have a tint of this style colour."""
    return lambda rng, st: tinted(mesh, light(getattr(st, tint), part)) if tint and rng.chance(0.5) else MeshRef(mesh)


def mesh(id: str, name: str, ahead: float = 0.0) -> Maker:
    """A mesh with its own colours."""
    return maker(name, pack(id), ahead=ahead)


def times(count: int, form: Form) -> tuple[Form, ...]:
    return count * (form,)


_SHADES = ("#f6ecd2", "accent")
_LEAVES = ("#3f7d3a", "#4f8f4a", "#2f6b3f", "#6a9a44")
_FLOWERS = ("#d84a5a", "#e8c048", "#e88ab0", "#f4f0f0", "#8a6ac0")

sofa = maker(
    "sofa",
    furniture("sofa-two", (1.7, 2.0), fabric="fabric", cushion="accent", legs="metal"),
    furniture("sofa-three", (2.0, 2.3), fabric="fabric", cushion="accent", legs="metal"),
    pack("sofa-beige", "fabric"),
    pack("sofa-cushions", "fabric"),
    pack("sofa-burlap"),
    pack("sofa-white", "fabric"),
    pack("sofa-red-grey"),
    pack("sofa-leather"),
    ahead=0.2,
)
armchair = maker(
    "armchair",
    furniture("sofa-one", fabric="accent", cushion="fabric", legs="metal"),
    pack("armchair-cream", "accent", 0.3),
    pack("armchair-rattan"),
    pack("armchair-white", "accent", 0.3),
    pack("armchair-mustard"),
    pack("armchair-navy"),
    pack("armchair-brown"),
)
chair = maker(
    "chair",
    *times(2, furniture("chair-plain", wood="wood", seat=("wood", "accent", "fabric"))),
    pack("chair-blue"),
    pack("chair-kitchen", "wood", 0.2),
    pack("chair-red"),
    pack("chair-yellow"),
    pack("chair-oak"),
    pack("chair-slats"),
    pack("chair-plaid"),
    pack("chair-cushion-blue"),
    pack("chair-white-arms", "wood", 0.2),
)
stool = maker("stool", *times(2, furniture("stool-round", seat="accent", legs="metal")), pack("stool-green"))
coffee_table = maker(
    "coffee table",
    *times(2, furniture("table-low", (0.8, 1.15), top="wood", legs=("wood", "metal"))),
    lambda rng, st: _round_table(st, 2 * round(rng.uniform(0.36, 0.48), 2)),
)
dining_table = maker(
    "dining table",
    *times(2, furniture("table-high", (1.2, 1.7), top="wood", legs=("wood", "metal", WHITE))),
    furniture("table-high-round", wood="wood"),
    pack("table-dining"),
    pack("table-wood"),
    pack("table-oak"),
)
tv_stand = maker("", furniture("tv-stand-plain", (1.2, 1.7), wood="wood", front="front"))
tv = maker("TV", *times(2, furniture("tv-flat", (0.9, 1.15))), pack("tv-large"), pack("tv-small"), pack("tv-led"))
bookcase = maker(
    "bookcase",
    *times(4, lambda rng, st: fixtures.bookcase(rng, rng.uniform(0.8, 1.2), rng.uniform(1.5, 2.1), st.wood)),
    pack("bookcase-full", "wood"),
)
toy_shelf = maker("shelf", lambda rng, st: fixtures.open_shelf(rng, rng.uniform(1.1, 1.6), rng.uniform(0.85, 1.3), st.wood))
wardrobe = maker(
    "wardrobe",
    *(furniture(f"wardrobe-{doors}", height=(1.9, 2.15), wood="wood", front="front") for doors in ("two", "three", "four")),
    pack("wardrobe-white", "wood"),
    pack("wardrobe-wood", "wood"),
    ahead=0.5,
)
chest = maker(
    "chest of drawers",
    furniture("chest-tall", wood="wood", front="front"),
    *times(2, furniture("chest-wide", (1.2, 1.4), wood="wood", front="front")),
    pack("dresser-white"),
    pack("dresser-wood"),
    ahead=0.3,
)
sideboard = maker("sideboard", furniture("sideboard", (1.4, 1.8), wood="wood", front="front"), ahead=0.3)
bed = maker(
    "bed",
    *(furniture(f"bed-double-{head}", (1.4, 1.7), wood="wood", blanket="cover") for head in ("high", "high", "high", "low", "low")),
    pack("bed"),
)
single_bed = maker("bed", *(furniture(f"bed-single-{head}", wood="wood", blanket="cover") for head in ("high", "low")))
bunk_bed = maker("bunk bed", furniture("bunk-bed", wood="wood", blanket="cover"))
bedside_table = maker("bedside table", *times(2, furniture("nightstand", wood="wood", front="front")), pack("bedside-table"))
dressing_table = maker("dressing table", pack("dressing-table", "accent"), ahead=0.4)
desk = maker("desk", furniture("desk-plain", (1.2, 1.6), wood="wood", front="front"))
office_chair = maker("office chair", pack("office-chair-blue"), pack("office-chair-arms"), pack("office-chair-red"))
floor_lamp = maker("floor lamp", furniture("floor-lamp", shade=_SHADES, metal="metal"))
table_lamp = maker("table lamp", furniture("table-lamp", shade=_SHADES, foot=("metal", "pot", "cover")))
plant = maker("plant", *(furniture(f"plant-{kind}-{k}", pot="pot", leaf=_LEAVES) for kind in ("bush", "palm", "leaves") for k in (1, 2)))
cactus = maker("cactus", furniture("cactus", pot="pot"))
vase = maker("vase", furniture("vase", vase=("pot", "fabric", WHITE), flowers=_FLOWERS))
clock = maker("clock", furniture("clock-round", frame=(DARK, "accent", "wood")))
wall_shelf = maker("wall shelf", lambda rng, st: fixtures.wall_shelf(rng, rng.uniform(0.8, 1.2), st.wood))
notice_board = maker("notice board", furniture("board-cork", (1.0, 1.5)))
whiteboard = maker("whiteboard", furniture("board-white", (1.0, 1.5)))
cardboard_box = maker("cardboard box", pack("box-closed"), pack("box-open"))
waste_bin = maker("waste bin", furniture("waste-bin-round", metal=("metal", "accent")), pack("waste-bin"))
balloon = maker("balloon", furniture("balloon", balloon=("#d83a3a", "#e8b830", "#3a78d0", "#4aa850", "#c858a8")))
aquarium = maker("aquarium", furniture("aquarium-1", wood="wood"), furniture("aquarium-2", wood="wood"))
globe = maker("globe", furniture("globe", wood="wood"))
guitar = maker("guitar", furniture("guitar", wood=("#c88a4a", "#a8482f", "#3a3a3f")))
coat_stand = maker("coat stand", furniture("coat-stand", wood="wood", coat="fabric", hat="accent"))
grandfather_clock = maker("grandfather clock", furniture("grandfather-clock", wood=("#7a5230", "#5a3d28", "#a8784a")))
ladder = maker("ladder", furniture("step-ladder"))
drum_kit = maker("drum kit", furniture("drum-kit", drum=("#b8302f", "#2f5aa8", DARK)))
easel = maker("easel", furniture("easel"))
washing_machine = mesh("washing-machine", "washing machine", 0.4)
books = maker("", *(furniture(f"book-pile-{k}") for k in (1, 2, 3)))


def picture(rng: Rng, st: Style) -> Piece:
    width, height = rng.pick(((0.6, 0.8), (0.9, 0.65), (1.1, 0.75), (0.7, 0.7), (0.8, 1.0)))
    return Piece(fixtures.picture(rng, width, height, chosen(rng, st, ("wood", DARK, WHITE, BRASS))), "picture")


def _round_table(st: Style, width: float) -> Geometry:
    return built("table-low-round", width=width, depth=width, wood=st.wood)


def any_board(rng: Rng, st: Style) -> Piece:
    return notice_board(rng, st) if rng.chance(0.3) else whiteboard(rng, st)
