# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy==2.4.6", "pillow==13.0.0"]
# ///
"""Builds the seamless textures of floors, walls and grounds in code; running it twice gives the same pixels.

    uv run tools/build_textures.py [--sheet sheet.png]

Own work of this project, given away under CC0. Each is 512 x 512 and repeats in both directions without a seam; the manifest tells how
many metres one repeat covers. Each has variation of several scales: of whole stones or boards, wear and dirt, grain. No texture has
shading from one side, since the sun of a scene may stand anywhere. `carpet`, `concrete`, `sand`, `tiles` and `tiles-dark` look the same
after a rotation by 90 degrees, which a task of DORI needs.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attribution_texts
import numpy as np
from PIL import Image
from texture_fields import (
    SIZE,
    Cells,
    Field,
    U,
    V,
    blurred,
    fractal,
    joints,
    lighter,
    mixed,
    noise,
    of_cells,
    plain,
    scaled,
    smooth,
    stones,
    strokes,
    wood,
)

ROOT = Path(__file__).resolve().parent.parent
TEXTURES = ROOT / "src/isovist/world/assets/textures"
LARGEST = 60_000
"""Bytes of a file at most: the quality of the JPEG falls until it fits."""


def _boards(seed: int, rows: int, colour: str, worn: str) -> Field:
    height = SIZE // rows
    row = (V // height).astype(int)
    shift = np.random.default_rng(seed).integers(0, SIZE, rows)[row]
    u, v = (U + shift) % SIZE, V % height
    half = (u // (SIZE // 2)).astype(int)
    board: Cells = row * 2 + half
    joint = np.minimum(np.minimum(v, height - v), np.minimum(u % (SIZE // 2), SIZE // 2 - u % (SIZE // 2)) * 1.3)
    tone = of_cells(seed + 4, board)
    picture = mixed(plain(colour), worn, 0.3 + 0.22 * tone + 0.08 * fractal(seed + 5))
    picture = lighter(picture, 7 * of_cells(seed + 6, board), 2.4 * wood(seed, U, V, board), 2.5 * fractal(seed + 7, 0.8))
    return lighter(picture, -62 * (1 - smooth(0.4, 1.8, joint)), -10 * (1 - smooth(1.0, 5.0, joint)))


def planks() -> Field:
    return _boards(11, 8, "#b98d5f", "#a37a52")


def planks_dark() -> Field:
    return _boards(21, 8, "#6b4932", "#7d5a42")


def parquet() -> Field:
    """Herringbone: blocks of 1 x 4 cells, laid across and along in turn."""
    cell, n = SIZE // 16, 4
    i, j = (U // cell).astype(int), (V // cell).astype(int)
    k = (i - j) % (2 * n)
    across = k < n
    start_i, start_j = np.where(across, i - k, i) % 16, np.where(across, j, j - (2 * n - 1 - k)) % 16
    block: Cells = start_j * 16 + start_i
    along_u, along_v = (U - start_i * cell) % SIZE, (V - start_j * cell) % SIZE
    along, over = np.where(across, along_u, along_v), np.where(across, along_v, along_u)
    edge = np.minimum(np.minimum(along, n * cell - along), np.minimum(over, cell - over))
    picture = mixed(plain("#a9794a"), "#8b5f39", 0.4 + 0.3 * of_cells(151, block))
    picture = lighter(picture, 5 * of_cells(152, block), 2.2 * wood(153, along, over, block), 3 * fractal(154, 0.8))
    return lighter(picture, -55 * (1 - smooth(0.3, 1.7, edge)), -8 * (1 - smooth(1.0, 4.0, edge)))


def _tiled(seed: int, side: int, colour: str, grout: str, half: float, dirty: float = 1.0) -> Field:
    """Ceramic tiles: a tone for each, fine speckles, dirt in and beside the joints."""
    cells: Cells = (V // side).astype(int) * (SIZE // side) + (U // side).astype(int)
    joint, away = joints(U, V, side, side, half, seed, rough=0.5 * dirty)
    face = lighter(plain(colour), 2.2 * of_cells(seed + 1, cells), 1.6 * fractal(seed + 2, 1.0), 1.2 * noise(seed + 3, 1.5))
    warm = mixed(face, "#8d7a5c", dirty * (0.05 + 0.05 * of_cells(seed + 4, cells)))
    dirt = np.maximum(0, fractal(seed + 5, 1.3)) * np.exp(-away / 9)
    edges = lighter(warm, -9 * dirty * dirt, -5 * dirty * np.exp(-away / 2.0))
    line = lighter(plain(grout), 7 * fractal(seed + 6, 0.9), 5 * noise(seed + 7, 1.5))
    return mixed(edges, line, joint)


def tiles() -> Field:
    return _tiled(31, 128, "#d3cdc1", "#8d867a", 1.6)


def tiles_dark() -> Field:
    face = _tiled(41, 256, "#5c6063", "#83837f", 1.6)
    return lighter(face, 5 * fractal(47, 1.1), 3 * noise(48, 2))


def tiles_bathroom() -> Field:
    return _tiled(161, 64, "#e3e5e2", "#a9a9a3", 1.3, 0.25)


def _veins(seed: int) -> Field:
    """Thin bent lines, 0 to 1, as in marble."""
    field = noise(seed, 70) + 0.45 * noise(seed + 1, 22) + 0.15 * noise(seed + 2, 7)
    return np.exp(-((np.abs(field) / 0.07) ** 1.2)) * smooth(-0.6, 1.2, noise(seed + 3, 60))


def stone() -> Field:
    """Polished slabs of limestone with veins that end at the joints."""
    side = SIZE // 2
    cells: Cells = (V // side).astype(int) * 2 + (U // side).astype(int)
    draw = np.random.default_rng(171)
    at = tuple((axis.astype(int) + draw.integers(0, SIZE, 4)[cells]) % SIZE for axis in (V, U))
    picture = mixed(plain("#c9c0b0"), "#a89a84", 0.35 + 0.3 * fractal(172, 1.3)[at])
    picture = mixed(picture, "#7f7465", 0.5 * _veins(173)[at])
    picture = mixed(picture, "#e2dccf", 0.45 * _veins(177)[at])
    picture = lighter(picture, 3 * of_cells(181, cells), 1.5 * noise(182, 1.5), 2.5 * fractal(183, 0.7))
    joint, away = joints(U, V, side, side, 1.0, 184)
    return mixed(lighter(picture, -6 * np.exp(-away / 4)), "#6f675b", joint)


def checkered() -> Field:
    light = ((U // 256) + (V // 256)) % 2
    veins = np.where(light > 0, _veins(51), _veins(55))
    picture = mixed(mixed(plain("#74706a"), "#b4b0a6", light), "#9d988e", 0.35 * veins)
    joint, away = joints(U, V, 256, 256, 0.8, 59)
    return lighter(mixed(picture, "#5e5a54", joint), 3 * fractal(60, 1.0), 1.5 * noise(65, 1.5), -4 * np.exp(-away / 6))


def _pile(seed: int, colour: str, other: str) -> Field:
    """Carpet: tufts of two yarns, worn where people walk."""
    near, _, tuft = stones(seed, 128, 0.9)
    picture = mixed(plain(colour), other, 0.4 + 0.3 * of_cells(seed + 1, tuft))
    return lighter(picture, 14 * (0.42 - near), 6 * of_cells(seed + 2, tuft), 4 * noise(seed + 3, 1.2), 4.5 * fractal(seed + 4, 1.2))


def carpet() -> Field:
    return _pile(61, "#7f8891", "#6a737d")


def carpet_warm() -> Field:
    return _pile(63, "#9c7362", "#85594a")


def asphalt() -> Field:
    """Grains of stone in bitumen, with patches and stains."""
    near, second, grain = stones(71, 150, 0.95)
    bare = smooth(0.02, 0.22, second - near) * smooth(-0.4, 1.4, of_cells(72, grain))
    picture = mixed(plain("#4b4c4d"), "#8a8780", 0.75 * bare)
    stain = smooth(0.9, 2.2, fractal(74, 1.4))
    return lighter(picture, 7 * fractal(75, 1.0), 6 * noise(76, 1.5), -16 * stain)


def concrete() -> Field:
    """Cast concrete: clouds, pores, stains."""
    pores = smooth(2.1, 2.6, noise(81, 3.0)) + 0.6 * smooth(2.2, 2.7, noise(82, 6.0))
    picture = mixed(plain("#a6a39b"), "#8f897c", 0.3 + 0.12 * fractal(83, 1.3))
    return lighter(picture, 2.5 * fractal(84, 0.9), 2 * noise(85, 1.5), -14 * pores, -3 * smooth(0.8, 2.0, fractal(86, 1.5)))


def paving() -> Field:
    """Slabs of concrete in half bond, with moss and dirt in the joints."""
    side = SIZE // 8
    row = (V // side).astype(int)
    u = (U + (row % 2) * side / 2) % SIZE
    cells: Cells = row * 8 + (u // side).astype(int)
    joint, away = joints(u, V, side, side, 1.5, 91)
    picture = mixed(plain("#9d968a"), "#867d70", 0.4 + 0.28 * of_cells(92, cells))
    picture = lighter(picture, 5 * of_cells(93, cells), 5 * fractal(94, 0.9), 4 * noise(95, 1.5), -8 * np.exp(-away / 4))
    moss = smooth(0.4, 1.6, fractal(96, 1.3))
    line = mixed(lighter(plain("#5f594e"), 12 * noise(97, 2)), "#5d6541", moss)
    return mixed(picture, line, joint)


def _blades(seed: int, n: int, length: tuple[float, float], dark: str, light: str, dry: float) -> Field:
    value, along = strokes(seed, n, length, 0.7, 0.75)
    picture = mixed(plain(dark), light, 0.12 + 0.55 * value + 0.3 * along)
    picture = mixed(picture, "#a99f63", 0.55 * (value > 1 - dry) + 0.16 * smooth(0.3, 1.8, fractal(seed + 1, 1.4)))
    return lighter(picture, 9 * fractal(seed + 2, 1.2), 3 * noise(seed + 3, 1.2))


def grass() -> Field:
    return _blades(101, 26_000, (9, 24), "#33461d", "#7d9a4a", 0.06)


def lawn() -> Field:
    return _blades(105, 34_000, (5, 12), "#2c431d", "#5f8340", 0.03)


def leaves() -> Field:
    """Foliage: leaves of several greens over dark gaps."""
    near, second, which = stones(191, 44, 0.95)
    inner, gap, over = stones(192, 60, 0.95)
    low = lighter(plain("#26391a"), 14 * of_cells(193, which))
    leaf = smooth(0.03, 0.2, second - near) * smooth(-0.7, 0.2, of_cells(194, which))
    picture = mixed(low, lighter(mixed(plain("#4a6d2c"), "#6d8a3a", 0.4 + 0.3 * of_cells(195, which)), 30 * (0.5 - near)), leaf)
    upper = smooth(0.03, 0.2, gap - inner) * smooth(0.2, 0.8, of_cells(196, over))
    return lighter(mixed(picture, lighter(plain("#7d9c48"), 12 * of_cells(197, over), 30 * (0.45 - inner)), upper), 8 * fractal(198, 1.0))


def bark() -> Field:
    ridges = noise(201, 9, 60) + 0.5 * noise(202, 4, 26)
    picture = mixed(plain("#4b3a2b"), "#86705a", 0.5 + 0.35 * ridges)
    return lighter(mixed(picture, "#6f7a55", 0.4 * smooth(0.6, 2, fractal(203, 1.3))), 6 * noise(204, 1.5), 5 * fractal(205, 0.9))


def sand() -> Field:
    """Fine sand with shallow hollows and some coarse grains."""
    grain = smooth(2.0, 2.6, noise(111, 1.6)) - 0.8 * smooth(2.2, 2.8, noise(112, 1.8))
    hollow = fractal(113, 1.5, 120)
    picture = mixed(plain("#cbb58a"), "#a98f66", 0.28 + 0.22 * hollow)
    return lighter(picture, 6 * (hollow - blurred(hollow, 8)), 3.5 * noise(114, 1.3), 12 * grain, 3 * fractal(115, 0.6))


def gravel() -> Field:
    """Round pebbles of several rocks, with dark gaps."""
    near, second, which = stones(211, 56, 0.85)
    body = smooth(0.02, 0.34, second - near)
    rock = mixed(plain("#8f887d"), "#6c6a68", smooth(0.0, 1.2, of_cells(212, which)))
    rock = mixed(rock, "#b3a68f", smooth(0.4, 1.3, of_cells(213, which)))
    rock = lighter(rock, 9 * of_cells(214, which), 5 * fractal(215, 0.8), 4 * noise(216, 1.4))
    return lighter(mixed(lighter(plain("#3a352e"), 12 * noise(217, 2)), rock, 0.15 + 0.85 * body), 10 * (body - 0.6))


def soil() -> Field:
    """Trodden earth with crumbs, small stones and dry stalks."""
    near, second, which = stones(221, 90, 0.95)
    crumbs = smooth(0.0, 0.3, second - near) * smooth(0.0, 1.3, of_cells(222, which))
    rough = fractal(223, 1.1)
    picture = mixed(plain("#6b5139"), "#8f7656", 0.4 + 0.18 * fractal(224, 1.4))
    picture = lighter(picture, 8 * (rough - blurred(rough, 5)), 4 * rough, 10 * crumbs - 4, 4 * noise(225, 1.5))
    pebble = smooth(0.05, 0.3, second - near) * (of_cells(226, which) > 2.0)
    stalk, along = strokes(227, 150, (10, 26), 0.5, 3.0)
    return mixed(mixed(picture, "#a39a8c", 0.8 * pebble), "#a8946a", 0.6 * ((stalk > 0) & (along > 0)))


def bricks() -> Field:
    """Fired bricks of several tones in half bond: 24 courses of 8."""
    height, long = SIZE / 24, SIZE / 8
    course = np.minimum((V / height).astype(int), 23)
    u = (U + (course % 2) * long / 2) % SIZE
    cells: Cells = course * 8 + np.minimum((u / long).astype(int), 7)
    joint, away = joints(u, V, long, height, 1.5, 121)
    tone = of_cells(122, cells)
    brick = mixed(plain("#9c5a41"), "#7a3f30", smooth(0.2, 1.6, tone))
    brick = mixed(brick, "#b9775a", smooth(0.2, 1.8, -tone))
    brick = lighter(brick, 6 * of_cells(123, cells), 7 * fractal(124, 0.9), 6 * noise(125, 1.5), -12 * np.exp(-away / 1.6))
    mortar = lighter(plain("#b3a998"), 6 * fractal(126, 0.8), 5 * noise(127, 1.5))
    whole = mixed(brick, mortar, joint)
    return lighter(mixed(whole, "#d8d0c4", 0.22 * smooth(0.8, 2.2, fractal(128, 1.5))), -8 * smooth(0.6, 2.0, fractal(129, 1.4)))


def roof_tiles() -> Field:
    """Clay pantiles in rows; the lower edge of each row is dark."""
    height, wide = SIZE / 8, SIZE / 8
    row = (V // height).astype(int)
    u = (U + (row % 2) * wide / 2) % SIZE
    cells: Cells = row * 8 + (u // wide).astype(int)
    hump, down = np.abs((u % wide) / wide - 0.5), (V % height) / height
    picture = mixed(plain("#94553f"), "#6f3f31", 0.4 + 0.3 * of_cells(231, cells))
    picture = lighter(picture, 22 * (0.3 - hump), -45 * smooth(0.88, 0.98, down) - 18 * (1 - smooth(0.0, 0.12, down)))
    picture = lighter(picture, -40 * smooth(0.46, 0.5, hump), 6 * fractal(232, 0.9), 5 * noise(233, 1.6))
    return mixed(picture, "#6a6a4a", 0.4 * smooth(0.8, 2.2, fractal(234, 1.3)))


def plaster() -> Field:
    """Rough-cast plaster with stains and repairs."""
    rough = noise(131, 4) + 0.6 * noise(132, 2)
    picture = mixed(plain("#d9d3c6"), "#c2b8a5", 0.2 + 0.04 * fractal(133, 1.4))
    return lighter(picture, 2.2 * rough, 0.8 * fractal(134, 0.8), -1.5 * smooth(1.0, 2.4, fractal(135, 1.5)))


def wallpaper() -> Field:
    """Stripes on woven paper."""
    stripe = (U // 64) % 2
    picture = mixed(plain("#bcc7cb"), "#cdd3d2", stripe)
    woven = np.sin(2 * np.pi * U / 4) + np.sin(2 * np.pi * V / 4)
    return lighter(picture, 0.8 * woven, 1.6 * fractal(141, 1.1), 1.4 * noise(142, 1.5))


def water() -> Field:
    """A calm lake: the slope of small waves decides between the light sky and the dark depth."""
    draw = np.random.default_rng(241)
    height = np.zeros((SIZE, SIZE))
    for _ in range(90):
        k = float(np.exp(draw.uniform(np.log(3), np.log(46))))
        way = draw.normal(0.2, 0.6)
        ku, kv = round(k * np.sin(way)), round(k * np.cos(way))
        size = np.hypot(ku, kv)
        if size:
            height += np.sin(2 * np.pi * (ku * U + kv * V) / SIZE + draw.uniform(0, 6.3)) / size**1.7
    slope = scaled(np.roll(height, 1, 0) - np.roll(height, -1, 0)) + 0.15 * noise(242, 7, 3)
    picture = mixed(plain("#3f5a65"), "#728f9d", smooth(-2.2, 2.4, slope))
    picture = mixed(picture, "#22373f", 0.4 * smooth(0.6, 2.6, -slope))
    return mixed(picture, "#d4dfe4", 0.5 * smooth(2.3, 3.4, slope))


# the texture, metres of one repeat, what it is for
PICTURES: tuple[tuple[Callable[[], Field], float, str], ...] = (
    (asphalt, 2.0, "road"),
    (bark, 1.0, "tree"),
    (bricks, 2.0, "wall"),
    (carpet, 1.0, "floor"),
    (carpet_warm, 1.0, "floor"),
    (checkered, 1.0, "floor"),
    (concrete, 3.0, "road"),
    (grass, 1.5, "ground"),
    (gravel, 1.6, "ground"),
    (lawn, 1.5, "ground"),
    (leaves, 1.2, "tree"),
    (parquet, 1.2, "floor"),
    (paving, 1.6, "road"),
    (planks, 1.2, "floor"),
    (planks_dark, 1.2, "floor"),
    (plaster, 2.0, "wall"),
    (roof_tiles, 2.0, "roof"),
    (sand, 2.0, "ground"),
    (soil, 1.6, "ground"),
    (stone, 1.2, "floor"),
    (tiles, 1.2, "floor"),
    (tiles_bathroom, 1.2, "wall"),
    (tiles_dark, 1.2, "floor"),
    (wallpaper, 1.6, "wall"),
    (water, 4.0, "ground"),
)


def _jpeg(image: Image.Image) -> bytes:
    for quality in range(90, 0, -2):
        held = io.BytesIO()
        image.save(held, format="JPEG", quality=quality, optimize=True)
        if held.tell() <= LARGEST:
            return held.getvalue()
    raise ValueError(f"no JPEG of at most {LARGEST} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sheet", type=Path, help="write all textures side by side to this PNG")
    sheet: Path | None = parser.parse_args().sheet
    TEXTURES.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    images: list[Image.Image] = []
    for make, metres, use in PICTURES:
        name = make.__name__.replace("_", "-")
        images.append(Image.fromarray(np.clip(make(), 0, 255).round().astype(np.uint8)))
        data = _jpeg(images[-1])
        (TEXTURES / f"{name}.jpg").write_bytes(data)
        entry = {"id": name, "use": use, "metres": metres, "licence": "CC0-1.0", "creator": "Isovist"}
        made = {"source": f"tools/build_textures.py: {make.__name__}", "changes": "made in code"}
        rows.append({**entry, **made, "sha256": hashlib.sha256(data).hexdigest()})
    lines = ",\n".join(json.dumps(row) for row in rows)
    (TEXTURES / "manifest.json").write_text(f'{{"format": 1, "textures": [\n{lines}\n]}}\n', encoding="utf-8", newline="\n")
    attribution_texts.write()
    if sheet is not None:
        whole = Image.new("RGB", (5 * SIZE, -(-len(images) // 5) * SIZE))
        for k, image in enumerate(images):
            whole.paste(image, (k % 5 * SIZE, k // 5 * SIZE))
        whole.save(sheet)
    print(f"{len(rows)} textures, {sum(path.stat().st_size for path in TEXTURES.glob('*.jpg')) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
