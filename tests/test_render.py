"""Drawings to pixels: the right area in the right place, y up, the same each time; PNG files that decode to the same pixels."""

from __future__ import annotations

import io
import math
import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from isovist.core.drawing2d import Circle, Drawing, IconShape, Label, Line, Point, Polygon, Shape
from isovist.world.render import image_encoding, rasterizer2d, vector_outlines
from isovist.world.scenes import grid
from isovist.world.scenes.icons import DIRECTED, UPRIGHT

SIZE = 200
BLACK, WHITE = "#000000", "#ffffff"
FINE = 8  # samples a pixel's side has where a shape is drawn a second time

RIM = 0.25  # pixels by which AGG lets a filled shape reach over its outline

Pixels = NDArray[np.uint8]
Cover = NDArray[np.float64]


def render(*shapes: Shape, size: int = SIZE, width: float = 1.0, height: float = 1.0) -> Pixels:
    return rasterizer2d.render(Drawing(shapes, width=width, height=height), size)


def cover(pixels: Pixels) -> Cover:
    """How much of each pixel black ink covers."""
    assert (pixels[:, :, 0] == pixels[:, :, 1]).all()
    return 1 - pixels[:, :, 0] / 255.0


def supersampled(contours: list[list[Point]], size: int = SIZE) -> Cover:
    """The cover of polygons, each in unit coordinates with y up, by another rasteriser and the even-odd rule."""
    side = size * FINE
    whole = np.zeros((side, side), bool)
    for contour in contours:
        sheet = Image.new("1", (side, side))
        # a sample stands for the middle of its square
        ImageDraw.Draw(sheet).polygon([(x * side - 0.5, (1 - y) * side - 0.5) for x, y in contour], fill=1)
        whole ^= np.asarray(sheet)
    return whole.reshape(size, FINE, size, FINE).mean(axis=(1, 3))


def centroid(mass: Cover) -> Point:
    """The middle of the ink in units, y up."""
    rows, columns = np.indices(mass.shape)
    total = mass.sum()
    return float(((columns + 0.5) * mass).sum() / total / SIZE), float(1 - ((rows + 0.5) * mass).sum() / total / SIZE)


# ---- shapes have their area and their place -------------------------------------------------------------------------

places = st.tuples(st.floats(0.3, 0.7), st.floats(0.3, 0.7))


@given(places, st.floats(0.02, 0.28))
def test_a_disc_has_its_area_and_its_middle(at: Point, radius: float) -> None:
    ink = cover(render(Circle(at, radius, BLACK)))
    assert ink.sum() == pytest.approx(math.pi * (radius * SIZE + RIM) ** 2, rel=0.03, abs=3)
    assert centroid(ink) == pytest.approx(at, abs=0.5 / SIZE)


@given(places, st.floats(0.1, 0.25), st.floats(0.01, 0.04))
def test_a_ring_has_the_area_of_its_stroke(at: Point, radius: float, width: float) -> None:
    ink = cover(render(Circle(at, radius, fill=None, stroke=BLACK, width=width)))
    assert ink.sum() == pytest.approx(2 * math.pi * radius * width * SIZE**2, rel=0.03)
    assert ink[round((1 - at[1]) * SIZE), round(at[0] * SIZE)] == 0


@given(places, places, st.floats(0.005, 0.05))
def test_a_line_has_its_length_times_its_width(a: Point, b: Point, width: float) -> None:
    length = math.dist(a, b)
    assume(length > 0.05)
    ink = cover(render(Line((a, b), width, BLACK)))
    assert ink.sum() == pytest.approx(length * width * SIZE**2, rel=0.05)
    assert centroid(ink) == pytest.approx(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), abs=0.5 / SIZE)


def perimeter(points: list[Point]) -> float:
    """In pixels."""
    return SIZE * sum(math.dist(p, q) for p, q in zip(points, points[1:] + points[:1], strict=True))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.floats(0.05, 0.95), st.floats(0.05, 0.95)), min_size=3, max_size=3, unique=True))
def test_a_triangle_covers_the_pixels_that_another_rasteriser_finds(points: list[Point]) -> None:
    (ax, ay), (bx, by), (cx, cy) = points
    area = abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2
    assume(area > 0.02)  # the rim of a sliver is most of it
    ours, theirs = cover(render(Polygon(tuple(points), BLACK))), supersampled([points])
    assert ours.sum() == pytest.approx(area * SIZE**2 + RIM * perimeter(points), rel=0.02)
    assert theirs.sum() == pytest.approx(area * SIZE**2, rel=0.03)
    assert np.abs(ours - theirs).max() < 0.6


def test_a_star_with_dents_is_filled_to_its_outline() -> None:
    points = [
        (0.5 + r * math.sin(a), 0.5 + r * math.cos(a)) for a, r in ((math.pi * k / 5, 0.4 if k % 2 == 0 else 0.16) for k in range(10))
    ]
    ours, theirs = cover(render(Polygon(tuple(points), BLACK))), supersampled([points])
    assert np.abs(ours - theirs).max() < 0.6
    assert ours.sum() == pytest.approx(theirs.sum() + RIM * perimeter(points), rel=0.01)


@pytest.mark.parametrize("text", ["A", "Q", "8", "R", "47", "W"])
def test_a_label_covers_what_its_outlines_enclose(text: str) -> None:
    """Centred on its place from left to right by its ink, from top to bottom by the height of a capital."""
    em, at = 0.4, (0.5, 0.45)
    contours = [[(at[0] + em * x, at[1] + em * y) for x, y in zip(c[::2], c[1::2], strict=True)] for c in vector_outlines.text(text)]
    ours, theirs = cover(render(Label(text, at, em, BLACK))), supersampled(contours)
    assert 0.99 * theirs.sum() < ours.sum() < theirs.sum() + RIM * sum(map(perimeter, contours))
    assert np.abs(ours - theirs).max() < 0.6
    assert ours[theirs == 1].min() > 0.7
    columns = np.flatnonzero(ours.sum(axis=0))
    assert (columns[0] + columns[-1] + 1) / 2 == pytest.approx(at[0] * SIZE, abs=1)


@pytest.mark.parametrize("kind", DIRECTED, ids=lambda kind: kind.category)
@pytest.mark.parametrize(("mirrored", "turn"), [(False, 0.0), (True, 0.0), (False, 45.0), (True, -90.0), (False, 30.0)])
def test_a_glyph_is_mirrored_first_and_then_turned_clockwise(kind: object, mirrored: bool, turn: float) -> None:
    name = kind.glyphs[0]  # pyright: ignore[reportAttributeAccessIssue]
    at, diameter = (0.5, 0.5), 0.8
    ours = 1.0 - (render(IconShape(name, at, diameter, mirrored, turn, BLACK)) == 255).all(axis=2)
    theirs = np.zeros((SIZE, SIZE))
    angle = math.radians(-turn)
    for layer in vector_outlines.glyph(name):
        points = [
            [turned(-x if mirrored else x, y, angle, at, diameter) for x, y in zip(c[::2], c[1::2], strict=True)] for c in layer.contours
        ]
        theirs = np.maximum(theirs, supersampled(points))
    assert np.abs(np.array(centroid(ours)) - centroid((theirs > 0).astype(float))).max() < 0.012
    # nothing is inked away from the outlines, and what they cover wholly is inked; white parts of a coloured glyph are not
    near = np.max([np.roll(theirs, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)], axis=0)
    assert not ours[near == 0].any()
    assert ours[theirs > 0.5].mean() > 0.85


def turned(x: float, y: float, angle: float, at: Point, scale: float) -> Point:
    """A point turned counterclockwise by an angle, then scaled and moved."""
    c, s = math.cos(angle), math.sin(angle)
    return at[0] + scale * (x * c - y * s), at[1] + scale * (x * s + y * c)


def test_every_glyph_stays_inside_its_disc() -> None:
    rows, columns = np.indices((SIZE, SIZE)) + 0.5
    far = np.hypot(rows - SIZE / 2, columns - SIZE / 2) > 0.45 * SIZE + 1.5
    for name in (name for kind in (*DIRECTED, *UPRIGHT) for name in kind.glyphs):
        for turn in (0.0, 45.0, 10.0):
            pixels = render(IconShape(name, (0.5, 0.5), 0.9, rotation_deg=turn))
            assert (pixels[far] == 255).all(), name
            assert (pixels != 255).any(), name


# ---- frame ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape", [Circle((0.2, 0.8), 0.05, BLACK), Label("I", (0.2, 0.8), 0.1, BLACK), IconShape("star-plain", (0.2, 0.8), 0.1, colour=BLACK)]
)
def test_y_goes_up_and_x_to_the_right(shape: Shape) -> None:
    rows, columns = np.nonzero((render(shape) != 255).any(axis=2))
    assert rows.mean() == pytest.approx(0.2 * SIZE, abs=2)
    assert columns.mean() == pytest.approx(0.2 * SIZE, abs=2)


def test_row_0_of_the_grid_is_the_top_row() -> None:
    for row, column in ((0, 0), (0, 2), (2, 1)):
        rows, columns = np.nonzero(render(Circle(grid.center(row, column), 0.1, BLACK))[:, :, 0] == 0)
        assert (int(rows.mean() * 3 / SIZE), int(columns.mean() * 3 / SIZE)) == (row, column)


@pytest.mark.parametrize("size", [96, 100, 200, 333])
@pytest.mark.parametrize(("width", "height"), [(1.0, 1.0), (2.0, 1.0), (1.0, 1.5)])
def test_size_is_the_number_of_pixels_of_a_unit(size: int, width: float, height: float) -> None:
    pixels = render(Circle((0.5, 0.5), 0.25, BLACK), size=size, width=width, height=height)
    assert pixels.shape == (round(height * size), round(width * size), 3)
    assert cover(pixels).sum() == pytest.approx(math.pi * (0.25 * size + RIM) ** 2, rel=0.01)
    image = rasterizer2d.image(Drawing((), width=width, height=height), size)
    assert (image.size, image.mode) == ((round(width * size), round(height * size)), "RGB")


@pytest.mark.parametrize(
    "shape", [Circle((0.4, 0.6), 0.2, BLACK), Label("R", (0.5, 0.5), 0.5, BLACK), IconShape("car-formula", (0.5, 0.5), 0.9)]
)
def test_a_larger_picture_is_the_same_picture(shape: Shape) -> None:
    small, large = cover(render(shape, size=128)), cover(render(shape, size=512))
    assert np.abs(large.reshape(128, 4, 128, 4).mean(axis=(1, 3)) - small).mean() < 0.01


def test_later_shapes_lie_on_top_and_backdrops_below() -> None:
    red, blue = Circle((0.5, 0.5), 0.3, "#ff0000"), Polygon(((0.4, 0.4), (0.6, 0.4), (0.6, 0.6), (0.4, 0.6)), "#0000ff")
    middle = SIZE // 2, SIZE // 2
    assert tuple(render(red, blue)[middle]) == (0, 0, 255)
    assert tuple(render(blue, red)[middle]) == (255, 0, 0)
    assert tuple(rasterizer2d.render(Drawing((blue,), backdrop=(red,)), SIZE)[middle]) == (0, 0, 255)
    assert tuple(render(red, Label("I", (0.5, 0.5), 0.5, "#00ff00"))[middle]) == (0, 255, 0)
    assert tuple(rasterizer2d.render(Drawing((), background="#123456"), 8)[0, 0]) == (0x12, 0x34, 0x56)


@pytest.mark.parametrize("at", [(0.0, 0.0), (1.0, 1.0), (-0.04, 0.5), (0.5, 1.04), (5.0, -5.0)])
def test_what_leaves_the_picture_is_cut_off(at: Point) -> None:
    for make in (
        lambda p: Circle(p, 0.1, BLACK),
        lambda p: Label("M", p, 0.2, BLACK),
        lambda p: IconShape("star-plain", p, 0.2, colour=BLACK),
    ):
        cut = render(make(at))
        # the same shape in the middle of a larger picture, cut by hand
        moved = rasterizer2d.render(Drawing((make((at[0] + 1, at[1] + 1)),), width=3, height=3), SIZE)
        assert np.abs(cut.astype(int) - moved[SIZE : 2 * SIZE, SIZE : 2 * SIZE]).max() <= 1


# ---- the same each time ---------------------------------------------------------------------------------------------

MIXED = Drawing(
    (
        Circle((0.3, 0.3), 0.1),
        IconShape("dog-poodle", (0.6, 0.6), 0.4, rotation_deg=45.0),
        Label("73", (0.3, 0.7), 0.2),
        Line(((0, 0), (1, 1)), 0.02),
    ),
    backdrop=grid.rules(),
)


def test_a_picture_is_the_same_each_time_and_nobody_can_spoil_the_next() -> None:
    first = rasterizer2d.render(MIXED, SIZE)
    kept = first.copy()
    first[:] = 0  # neither a cached backdrop nor a cached sprite
    assert (rasterizer2d.render(MIXED, SIZE) == kept).all()
    for size in (100, 150):
        rasterizer2d.render(MIXED, size)
    assert (rasterizer2d.render(MIXED, SIZE) == kept).all()


def test_a_picture_is_the_same_in_another_process() -> None:
    code = "import sys, hashlib; sys.path.insert(0, sys.argv[1]); import test_render as t; print(hashlib.sha256(t.rasterizer2d.render(t.MIXED, t.SIZE).tobytes()).hexdigest())"
    ran = subprocess.run([sys.executable, "-c", code, str(__file__).rpartition("/")[0]], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == sha256(rasterizer2d.render(MIXED, SIZE).tobytes()).hexdigest()


# ---- files ----------------------------------------------------------------------------------------------------------


def decoded(png: bytes) -> Pixels:
    with Image.open(io.BytesIO(png)) as image:
        assert (image.format, image.mode) == ("PNG", "RGB")
        image.load()
        return np.asarray(image)


@settings(max_examples=40)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_a_png_decodes_to_the_pixels_it_was_made_of(height: int, width: int, seed: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3)).astype(np.uint8)
    assert np.array_equal(decoded(image_encoding.png(pixels)), pixels)
    view = np.repeat(pixels, 2, axis=1)[:, ::2]  # not contiguous in memory
    assert np.array_equal(decoded(image_encoding.png(view)), pixels)


def test_a_drawing_survives_its_file() -> None:
    pixels = rasterizer2d.render(MIXED, SIZE)
    png = image_encoding.png(pixels)
    assert np.array_equal(decoded(png), pixels)
    assert png == image_encoding.png(pixels)
    assert len(png) < 20_000


@pytest.mark.parametrize("channels", [1, 4])
def test_only_rgb_is_written(channels: int) -> None:
    with pytest.raises(ValueError, match=f"three channels, not {channels}"):
        image_encoding.png(np.zeros((4, 4, channels), np.uint8))
