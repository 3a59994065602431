"""The icons and the font: each has its licence, points where it is said to, and is mistaken for no other."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from string import ascii_uppercase, digits
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from isovist.core.drawing2d import Drawing, IconShape, Label, Shape
from isovist.world import attribution
from isovist.world.render import rasterizer2d, vector_outlines
from isovist.world.scenes.icons import DIRECTED, INK, UPRIGHT, Directed, IconPose, heading, poses

ROOT = Path(__file__).parent.parent
PACK: dict[str, Any] = json.loads(files("isovist.world.assets").joinpath("glyphs.json").read_bytes())
FONT: dict[str, Any] = json.loads(files("isovist.world.assets").joinpath("font.json").read_bytes())
KINDS = (*DIRECTED, *UPRIGHT)
NAMES = [name for kind in KINDS for name in kind.glyphs]
HEADINGS = range(0, 360, 45)
SMALL = 54  # pixels of a glyph in a cell of a 200-pixel picture
PLAINLY = 96  # of 255: a pixel that differs by more is seen to differ

every_directed = pytest.mark.parametrize("kind", DIRECTED, ids=lambda kind: kind.category)


def drawn(shape: Shape, size: int = SMALL) -> NDArray[np.int64]:
    return rasterizer2d.render(Drawing((shape,)), size).astype(int)


def apart(a: NDArray[np.int64], b: NDArray[np.int64]) -> int:
    """How many pixels plainly differ."""
    return int((np.abs(a - b).max(axis=2) > PLAINLY).sum())


# ---- whose they are -------------------------------------------------------------------------------------------------


def test_the_vocabulary_and_the_pack_name_the_same_glyphs() -> None:
    assert Counter(NAMES) == Counter(PACK["glyphs"].keys())


def test_every_glyph_has_one_source_with_a_licence() -> None:
    sources = attribution.sources()
    assert Counter(name for source in sources if not attribution.is_font(source) for name in source["assets"]) == Counter(NAMES)
    assert [source["source"] for source in sources if attribution.is_font(source)] == ["Inter"]
    for source in sources:
        assert all(source[field].strip() for field in ("source", "creator", "licence", "licence_url", "url")), source


def test_every_glyph_has_its_row_of_attribution_with_its_creator() -> None:
    rows = re.findall(
        r"^\| ([\w-]+) \| .+? \| (.+?) \| `.+?` \| (.+?) \|$", (ROOT / "ATTRIBUTION.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    creators = {name: source["creator"] for source in attribution.sources() for name in source["assets"] if not attribution.is_font(source)}
    assert {name: creator for name, creator, _ in rows if name != "glyph"} == creators
    assert all("curves flattened" in changes for name, _, changes in rows if name != "glyph")  # a licence asks for what was changed


def test_every_licence_has_its_text() -> None:
    text = (ROOT / "ATTRIBUTION.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`LICENSES/(.+?)`", text))
    assert named == {path.name for path in (ROOT / "LICENSES").iterdir()}
    first_words = {"MIT": "Permission is hereby granted", "CC-BY-3.0": "Creative Commons", "OFL-1.1": "SIL OPEN FONT LICENSE"}
    for source in attribution.sources():
        held = [path.read_text(encoding="utf-8") for path in (ROOT / "LICENSES").glob(f"{source['licence']}*.txt")]
        assert held, source["licence"]
        assert all(first_words[source["licence"]].casefold() in whole.casefold() for whole in held)


def test_pages_and_data_cards_name_every_creator() -> None:
    sentence = attribution.sentence()
    for source in attribution.sources():
        assert source["source"] in sentence
        assert source["licence"] in sentence
        assert attribution.is_font(source) or source["creator"] in sentence


# ---- how they are stored --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_glyph_fills_its_disc_and_stays_in_it(name: str) -> None:
    """So that a turned glyph neither leaves its cell nor is smaller than another."""
    points = [(x, y) for layer in vector_outlines.glyph(name) for c in layer.contours for x, y in zip(c[::2], c[1::2], strict=True)]
    assert 0.49 <= max(math.hypot(x, y) for x, y in points) <= 0.502
    for layer in vector_outlines.glyph(name):
        assert all(len(contour) >= 6 for contour in layer.contours)
        assert layer.fill is None or re.fullmatch("#[0-9a-f]{6}", layer.fill)


def test_categories_and_fronts_are_plain_different_words() -> None:
    words = [kind.category for kind in KINDS]
    assert len(set(words)) == len(words)
    assert all(re.fullmatch(r"[a-z]+( [a-z]+)?", word) for word in (*words, *(kind.front for kind in DIRECTED)))
    # no category is a word of another, nor the front of one: a sentence names one thing
    for a, b in combinations(words, 2):
        assert not set(a.split()) & set(b.split())
    assert not {word for kind in DIRECTED for word in kind.front.split()} & set(words)


def luminance(code: str) -> float:
    """Relative luminance as the web's contrast rule defines it."""
    parts = [int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_inks_stand_out_from_white_and_from_each_other() -> None:
    assert len(set(INK)) == len(INK) == 8
    for ink in INK:
        assert 1.05 / (luminance(ink) + 0.05) >= 5, ink
    for a, b in combinations(INK, 2):
        assert math.dist(*([int(code[i : i + 2], 16) for i in (1, 3, 5)] for code in (a, b))) > 60, (a, b)


# ---- where they point -----------------------------------------------------------------------------------------------


def front(pose: IconPose) -> tuple[float, float]:
    """The stored front (1, 0), mirrored and then turned clockwise, as a product of matrices."""
    angle = math.radians(-pose.rotation_deg)
    x = -1.0 if pose.mirrored else 1.0
    return x * math.cos(angle), x * math.sin(angle)


@pytest.mark.parametrize("view", ["side", "top"])
@pytest.mark.parametrize("way", HEADINGS)
def test_every_pose_points_its_way(view: str, way: int) -> None:
    matching_poses = poses(view, way)  # pyright: ignore[reportArgumentType] - one of the two
    assert matching_poses
    for pose in matching_poses:
        x, y = front(pose)
        assert (x, y) == pytest.approx((math.sin(math.radians(way)), math.cos(math.radians(way))), abs=1e-9)
        assert heading(pose.mirrored, pose.rotation_deg) == pytest.approx(way)
        assert -180 < pose.rotation_deg <= 180


def test_a_side_view_faces_left_and_right_on_its_feet_and_is_never_upside_down() -> None:
    assert poses("side", 90) == (IconPose(mirrored=False, rotation_deg=0),)
    assert poses("side", 270) == (IconPose(mirrored=True, rotation_deg=0),)
    for way in HEADINGS:
        assert all(abs(pose.rotation_deg) <= 90 for pose in poses("side", way))
        # straight up and down it may face either side, so that the side tells nothing
        assert len(poses("side", way)) == (2 if way in (0, 180) else 1)


def test_a_top_view_is_seen_plain_and_mirrored_at_every_heading() -> None:
    for way in HEADINGS:
        assert {pose.mirrored for pose in poses("top", way)} == {False, True}


@every_directed
def test_no_two_headings_of_an_icon_look_alike(kind: Directed) -> None:
    """Even at the smallest size, and in whatever pose."""
    for name in kind.glyphs:
        shown = {
            way: [drawn(IconShape(name, (0.5, 0.5), 1.0, p.mirrored, p.rotation_deg)) for p in poses(kind.view, way)] for way in HEADINGS
        }
        for a, b in combinations(HEADINGS, 2):
            assert min(apart(one, other) for one in shown[a] for other in shown[b]) >= 80, (name, a, b)


@pytest.mark.parametrize(
    "kind", [kind for kind in DIRECTED if kind.category in ("arrow", "airplane", "rocket")], ids=lambda kind: kind.category
)
def test_what_has_an_axis_is_stored_along_it(kind: Directed) -> None:
    """An icon that is alike on both sides of its axis would point beside its heading if it were stored askew."""
    for name in kind.glyphs:
        ink = (drawn(IconShape(name, (0.5, 0.5), 1.0), 200) != 255).any(axis=2)
        assert (ink & ink[::-1]).sum() / (ink | ink[::-1]).sum() > 0.85, name


def test_icons_of_different_categories_are_different_pictures() -> None:
    shown = {name: drawn(IconShape(name, (0.5, 0.5), 1.0)) for name in NAMES}
    categories = {name: kind.category for kind in KINDS for name in kind.glyphs}
    for a, b in combinations(NAMES, 2):
        if categories[a] != categories[b]:
            assert apart(shown[a], shown[b]) >= 80, (a, b)


# ---- letters and numbers --------------------------------------------------------------------------------------------


def test_the_font_has_what_questions_write() -> None:
    assert set(map(chr, range(0x20, 0x7F))) <= set(FONT["glyphs"])
    with pytest.raises(KeyError):
        vector_outlines.text("北")


@pytest.mark.parametrize(("texts", "em"), [(tuple(ascii_uppercase), 0.6), (tuple(digits), 0.6), (tuple(map(str, range(1, 100))), 0.51)])
def test_no_two_symbols_look_alike(texts: tuple[str, ...], em: float) -> None:
    """In a cell of a 200-pixel picture, at the size that the tasks use."""
    shown = {text: drawn(Label(text, (0.5, 0.5), em), 67) for text in texts}
    for a, b in combinations(texts, 2):
        assert apart(shown[a], shown[b]) >= 35, (a, b)


def shape(ink: Image.Image) -> NDArray[np.float64]:
    """What is inked, brought to one size."""
    return np.asarray(ink.crop(ink.getbbox()).resize((48, 64))) / 255


def from_another_font(text: str) -> NDArray[np.float64]:
    sheet = Image.new("L", (160, 100), 0)
    ImageDraw.Draw(sheet).text((80, 50), text, font=ImageFont.load_default(60), fill=255, anchor="mm")
    return shape(sheet)


def from_ours(text: str) -> NDArray[np.float64]:
    pixels = rasterizer2d.render(Drawing((Label(text, (0.8, 0.5), 0.7, "#000000"),), width=1.6), 100)
    return shape(Image.fromarray(255 - pixels[:, :, 0]))


# letters that a mirror changes, and those that a fall on the head changes
@pytest.mark.parametrize("text", [*"BCDEFGJKLNPRSZ12345679", "12", "67", "IJ", "NOT"])
def test_text_is_not_mirrored(text: str) -> None:
    ours, theirs = from_ours(text), from_another_font(text)
    assert np.abs(ours - theirs).mean() + 0.04 < np.abs(ours[:, ::-1] - theirs).mean()


@pytest.mark.parametrize("text", [*"AFGJLMPQRTUVWY1245679", "14", "JULY"])
def test_text_is_not_upside_down(text: str) -> None:
    ours, theirs = from_ours(text), from_another_font(text)
    assert np.abs(ours - theirs).mean() + 0.04 < np.abs(ours[::-1] - theirs).mean()


def test_text_is_read_from_left_to_right() -> None:
    """The digits of 12 and 21 stand in the order in which they are written."""
    pixels = {text: drawn(Label(text, (0.5, 0.5), 0.6), 100) for text in ("12", "21", "1", "2")}
    columns = {text: np.flatnonzero((pixels[text] != 255).any(axis=(0, 2))) for text in pixels}
    widths = {text: int(indices[-1] - indices[0] + 1) for text, indices in columns.items()}
    left = {text: pixels[text][:, indices[0] : indices[0] + widths["1"]] for text, indices in columns.items()}
    ones = left["1"] != 255
    assert (left["12"] != 255)[ones].mean() > 0.9
    assert (left["21"] != 255)[ones].mean() < 0.9
