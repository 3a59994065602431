"""What the asset pack is made of: pinned packages, the icons picked from them, the characters of the font.

`build_assets.py` reads this table; `vocabulary()` loads its counterpart, which says what each icon shows. A pose here
(`mirrored`, then `turn` degrees clockwise) brings the ORIGINAL drawing to the stored pose: directed glyphs face right
(+x), side views stand on their wheels or feet.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Package:
    """An npm package, by exact version; `integrity` is of its tarball, as npm writes it."""

    name: str
    version: str
    integrity: str


@dataclass(frozen=True)
class Source:
    """A set of icons, or a font, inside a package."""

    title: str
    package: Package
    path: str  # inside the tarball; {} is the original name
    creator: str  # empty: every icon names its own
    licence: str
    licence_url: str
    licence_file: str
    url: str


@dataclass(frozen=True)
class Icon:
    name: str
    source: Source
    original: str
    turn: float = 0
    mirrored: bool = False
    creator: str = ""


PHOSPHOR = Source(
    "Phosphor Icons (fill)",
    Package(
        "@phosphor-icons/core",
        "2.1.1",
        "sha512-v4ARvrip4qBCImOE5rmPUylOEK4iiED9ZyKjcvzuezqMaiRASCHKcRIuvvxL/twvLpkfnEODCOJp5dM4eZilxQ==",
    ),
    "package/assets/fill/{}-fill.svg",
    "Phosphor Icons",
    "MIT",
    "https://github.com/phosphor-icons/core/blob/main/LICENSE",
    "MIT-Phosphor-Icons.txt",
    "https://phosphoricons.com",
)
FLUENT = Source(
    "Fluent Emoji (flat)",
    Package(
        "@iconify-json/fluent-emoji-flat",
        "1.2.6",
        "sha512-RY47RgPb47fYUiyrA64sIOL0+UU02s29sXpNBbIQRBUlPlfNFTKUmZDERGuxDs/7yNGWqQYvuaSYM1M4fRXlUw==",
    ),
    "package/icons.json#{}",
    "Microsoft Corporation",
    "MIT",
    "https://github.com/microsoft/fluentui-emoji/blob/main/LICENSE",
    "MIT-Fluent-Emoji.txt",
    "https://github.com/microsoft/fluentui-emoji",
)
GAME = Source(
    "Game-icons.net",
    Package(
        "@iconify-json/game-icons",
        "1.2.4",
        "sha512-/HDDZxowXgDJcOEwPspUCq5RuDdl25OyZKdtxqqiPJQNTrWIym7r4StLzIVs77DyNzOWWhH5wDqwYR3WHeDfkg==",
    ),
    "package/icons.json#{}",
    "",
    "CC-BY-3.0",
    "https://creativecommons.org/licenses/by/3.0/",
    "CC-BY-3.0.txt",
    "https://game-icons.net",
)
INTER = Source(
    "Inter",
    Package(
        "@fontsource/inter",
        "5.3.0",
        "sha512-RofMylZmjlJEfELXeNHFWBRcSs75rGU/6bV2S2jfnvv/3rPXPGe0LgUJTklcHZ9lM4OZmAVFhcJPnACfb91A3g==",
    ),
    "package/files/inter-latin-500-normal.woff",
    "The Inter Project Authors",
    "OFL-1.1",
    "https://openfontlicense.org",
    "OFL-1.1.txt",
    "https://github.com/rsms/inter",
)
# Only its copies of the CC-BY-3.0 and MIT texts: the icon packages of Iconify carry no licence text of their own.
LICENCE_TEXTS = Package(
    "spdx-license-list",
    "6.12.0",
    "sha512-+nUYqm3aZMSHbjsthK+i/HHI2okTElCvqwUd4k8QcSk+FTGgjq+fsdFj2wZOaX6XmR2JdWhf/NeflNnvKOjcnQ==",
)

# Printable ASCII, degree, plus-minus, multiplication and division signs, dashes, minus, and the arrows this file has.
CHARACTERS = "".join(map(chr, range(0x20, 0x7F))) + "\u00b0\u00b1\u00d7\u00f7\u2013\u2014\u2212\u2191\u2193"

L, D = "Lorc", "Delapouite"


def phosphor(name: str, original: str, turn: float = 0, mirrored: bool = False) -> Icon:
    return Icon(name, PHOSPHOR, original, turn, mirrored, PHOSPHOR.creator)


def fluent(name: str, original: str, turn: float = 0, mirrored: bool = False) -> Icon:
    return Icon(name, FLUENT, original, turn, mirrored, FLUENT.creator)


def game(name: str, original: str, creator: str, turn: float = 0, mirrored: bool = False) -> Icon:
    return Icon(name, GAME, original, turn, mirrored, creator)


DIRECTED = (
    phosphor("arrow-thin", "arrow-right"),
    phosphor("arrow-thick", "arrow-fat-right"),
    phosphor("arrow-striped", "arrow-fat-lines-right"),
    fluent("arrow-tile", "right-arrow"),
    phosphor("hand-plain", "hand-pointing", 90),
    game("hand-cuffed", "pointing", L, -45),
    fluent("hand-back", "backhand-index-pointing-left", mirrored=True),
    phosphor("airplane-plain", "airplane", 90),
    game("airplane-jetliner", "commercial-airplane", D, 45),
    game("airplane-fighter", "jet-fighter", D, 45),
    fluent("airplane-blue", "airplane", 45),
    fluent("airplane-propeller", "small-airplane", 45),
    phosphor("rocket-plain", "rocket", 90),
    phosphor("rocket-launched", "rocket-launch", 45),
    game("rocket-finned", "rocket", L, -45),
    fluent("rocket-red", "rocket", 45),
    game("car-formula", "f1-car", "Skoll"),
    fluent("car-racing", "racing-car", mirrored=True),
    fluent("car-red", "automobile", mirrored=True),
    fluent("car-blue", "sport-utility-vehicle", mirrored=True),
    phosphor("truck-trailer", "truck-trailer"),
    game("truck-canvas", "truck", D),
    game("truck-dump", "mine-truck", D),
    fluent("truck-yellow", "delivery-truck", mirrored=True),
    fluent("truck-green", "articulated-lorry", mirrored=True),
    game("tractor-farm", "farm-tractor", D),
    fluent("tractor-green", "tractor", mirrored=True),
    phosphor("fish-plain", "fish", 45),
    game("fish-flat", "flatfish", D),
    game("fish-angel", "tropical-fish", D),
    fluent("dog-brown", "dog", mirrored=True),
    fluent("dog-guide", "guide-dog", mirrored=True),
    fluent("dog-poodle", "poodle", mirrored=True),
    phosphor("flashlight-plain", "flashlight", 90),
    game("flashlight-round", "flashlight", D, 45),
    fluent("flashlight-lit", "flashlight", 135),
    game("pencil-thin", "pencil", D, -135),
    fluent("pencil-orange", "pencil", -135),
    phosphor("shoe-sneaker", "sneaker"),
    game("shoe-high-top", "converse-shoe", D),
)

UPRIGHT = (
    phosphor("person-plain", "person"),
    phosphor("person-arms-spread", "person-arms-spread"),
    game("person-silhouette", "person", D),
    fluent("person-orange-shirt", "person-standing"),
    fluent("person-purple-shirt", "woman-standing"),
    phosphor("flower-plain", "flower"),
    phosphor("flower-outlined-tulip", "flower-tulip"),
    game("flower-daisy", "daisy", L),
    fluent("flower-tulip", "tulip"),
    fluent("flower-sunflower", "sunflower"),
    fluent("flower-hibiscus", "hibiscus"),
    phosphor("tree-round", "tree"),
    phosphor("tree-conifer", "tree-evergreen"),
    game("tree-pine", "pine-tree", L),
    fluent("tree-green", "deciduous-tree"),
    fluent("tree-green-conifer", "evergreen-tree"),
    phosphor("house-plain", "house"),
    phosphor("house-eaves", "house-line"),
    game("house-chimney", "house", D),
    fluent("house-red-roof", "house"),
    phosphor("star-plain", "star"),
    fluent("star-yellow", "star"),
    phosphor("heart-plain", "heart"),
    fluent("heart-red", "red-heart"),
    fluent("heart-blue", "blue-heart"),
    phosphor("umbrella-plain", "umbrella-simple"),
    phosphor("umbrella-panelled", "umbrella"),
    game("umbrella-long", "umbrella", L),
    fluent("umbrella-purple", "umbrella"),
    phosphor("cup-plain", "coffee"),
    game("cup-saucer", "coffee-cup", D),
    fluent("cup-grey", "teacup-without-handle"),
    phosphor("key-plain", "key"),
    fluent("key-yellow", "key"),
    fluent("key-old", "old-key"),
    phosphor("bell-plain", "bell"),
    game("bell-ringing", "ringing-bell", L),
    fluent("bell-yellow", "bell"),
    phosphor("clock-plain", "clock"),
    phosphor("clock-alarm", "alarm"),
    game("clock-twin-bell", "alarm-clock", D),
    fluent("clock-red-alarm", "alarm-clock"),
    fluent("clock-wall", "ten-oclock"),
    game("apple-plain", "shiny-apple", L),
    fluent("apple-red", "red-apple"),
    fluent("apple-green", "green-apple"),
    phosphor("book-plain", "book"),
    phosphor("book-open", "book-open"),
    game("book-pages", "open-book", L),
    fluent("book-red", "closed-book"),
    fluent("book-blue-open", "open-book"),
    phosphor("chair-plain", "chair"),
    phosphor("chair-office", "office-chair"),
    game("chair-wooden", "wooden-chair", D),
    fluent("chair-brown", "chair"),
    phosphor("crown-plain", "crown"),
    game("crown-queen", "queen-crown", L),
    fluent("crown-yellow", "crown"),
    phosphor("padlock-plain", "lock"),
    game("padlock-round", "padlock", L),
    fluent("padlock-yellow", "locked"),
)

ICONS = DIRECTED + UPRIGHT


def vocabulary() -> ModuleType:
    """scenes/icons.py, of this repository: the package need not be installed, nor its dependencies, to build its assets."""
    sys.path.insert(0, str(ROOT / "src"))
    return importlib.import_module("isovist.world.scenes.icons")
