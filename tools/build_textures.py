# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy==2.4.6", "pillow==13.0.0"]
# ///
"""Builds the seamless textures of floors, walls and roads in code; running it twice gives the same pixels.

    uv run tools/build_textures.py

Own work of this project, given away under CC0. Each is 256 x 256 and repeats in both directions without a seam; the
manifest tells how many metres one repeat covers. They are calm on purpose: no texture may draw the eye from what is
asked about.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attribution_texts
import numpy as np
from numpy.typing import NDArray
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
TEXTURES = ROOT / "src/isovist/assets/textures"
SIZE = 256

Field = NDArray[np.float64]
V, U = np.mgrid[0:SIZE, 0:SIZE]


def noise(seed: int, across: float, along: float | None = None) -> Field:
    """Smooth periodic noise of mean 0 and spread 1, its grain about `across` x `along` pixels (u x v)."""
    white = np.random.default_rng(seed).normal(size=(SIZE, SIZE))
    fu, fv = np.fft.fftfreq(SIZE)[None, :], np.fft.fftfreq(SIZE)[:, None]
    low = np.exp(-2 * (np.pi**2) * ((fu * across / 2) ** 2 + (fv * (along or across) / 2) ** 2))
    smooth = np.fft.ifft2(np.fft.fft2(white) * low).real
    return (smooth - smooth.mean()) / smooth.std()


def of_cells(seed: int, cells: NDArray[np.int64]) -> Field:
    """One number of mean 0 and spread 1 for each cell number."""
    values = np.random.default_rng(seed).normal(size=int(cells.max()) + 1)
    return values[cells]


def painted(colour: str, *parts: Field) -> Field:
    """An sRGB picture (SIZE, SIZE, 3), 0-255: the colour made lighter or darker by the sum of the parts, in levels."""
    base = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], float)
    return np.clip(base + sum(parts)[:, :, None], 0, 255)  # type: ignore[index] - a sum of arrays is an array


def _planks(seed: int, rows: int, colour: str, contrast: float) -> Field:
    height = SIZE // rows
    board = V // height
    shift = np.random.default_rng(seed).integers(0, SIZE, rows)[board]
    half = ((U + shift) % SIZE) // (SIZE // 2)
    grain = noise(seed + 1, 60, 2.5)
    joint = (V % height < 1) | ((U + shift) % (SIZE // 2) < 1)
    return painted(colour, contrast * (5 * of_cells(seed + 2, board * 2 + half) + 4 * grain) - 34 * joint)


def planks() -> Field:
    return _planks(11, 8, "#b48a5c", 1.0)


def planks_dark() -> Field:
    return _planks(21, 8, "#6f4c33", 0.8)


def _tiled(seed: int, side: int, colour: str, joint: float) -> Field:
    cells = (V // side) * (SIZE // side) + U // side
    line = (V % side < 2) | (U % side < 2)
    return painted(colour, 2.5 * of_cells(seed, cells), 1.5 * noise(seed + 1, 20), joint * line)


def tiles() -> Field:
    return _tiled(31, 64, "#d6d2c8", -38)


def tiles_dark() -> Field:
    return _tiled(41, 128, "#5d6266", 26)


def checkered() -> Field:
    light = ((U // 128) + (V // 128)) % 2 * 1.0
    return painted("#8f8a80", 34 * light, 1.5 * noise(51, 12))


def carpet() -> Field:
    return painted("#7c8691", 5 * noise(61, 2), 3 * noise(62, 40))


def carpet_warm() -> Field:
    return painted("#9b6f5c", 5 * noise(63, 2), 3 * noise(64, 40))


def asphalt() -> Field:
    return painted("#5a5c5e", 7 * noise(71, 2), 3 * noise(72, 50))


def concrete() -> Field:
    return painted("#a5a39d", 3 * noise(81, 3), 5 * noise(82, 60))


def paving() -> Field:
    return _tiled(91, 32, "#9c968c", -26)


def grass() -> Field:
    blades = 9 * noise(101, 1.5, 5) + 6 * noise(102, 3) + 4 * noise(103, 60)
    return painted("#5d7f3d", blades)


def sand() -> Field:
    return painted("#cdb98d", 4 * noise(111, 2), 5 * noise(112, 70))


def bricks() -> Field:
    course = V // 16
    along = (U + 16 * (course % 2)) % SIZE
    cells = course * 8 + along // 32
    joint = (V % 16 < 2) | (along % 32 < 2)
    brick = painted("#a2583f", 7 * of_cells(121, cells), 4 * noise(122, 3))
    mortar = painted("#b9b0a3", 3 * noise(123, 3))
    return np.where(joint[:, :, None], mortar, brick)


def plaster() -> Field:
    return painted("#dcd7cb", 2.5 * noise(131, 4), 2 * noise(132, 60))


def wallpaper() -> Field:
    stripe = (U // 32) % 2 * 1.0
    return painted("#c3cdd2", 8 * stripe, 1.5 * noise(141, 3))


# the texture, metres of one repeat, what it is for
PICTURES: tuple[tuple[Callable[[], Field], float, str], ...] = (
    (asphalt, 2.0, "road"),
    (bricks, 2.0, "wall"),
    (carpet, 1.0, "floor"),
    (carpet_warm, 1.0, "floor"),
    (checkered, 1.0, "floor"),
    (concrete, 3.0, "road"),
    (grass, 1.5, "ground"),
    (paving, 1.6, "road"),
    (planks, 1.2, "floor"),
    (planks_dark, 1.2, "floor"),
    (plaster, 2.0, "wall"),
    (sand, 2.0, "ground"),
    (tiles, 1.2, "floor"),
    (tiles_dark, 1.2, "floor"),
    (wallpaper, 1.6, "wall"),
)


def main() -> None:
    TEXTURES.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for make, metres, use in PICTURES:
        name = make.__name__.replace("_", "-")
        held = io.BytesIO()
        Image.fromarray(make().round().astype(np.uint8)).save(held, format="JPEG", quality=88)
        (TEXTURES / f"{name}.jpg").write_bytes(held.getvalue())
        entry = {"id": name, "use": use, "metres": metres, "licence": "CC0-1.0", "creator": "Isovist"}
        made = {"source": f"tools/build_textures.py: {make.__name__}", "changes": "made in code"}
        rows.append({**entry, **made, "sha256": hashlib.sha256(held.getvalue()).hexdigest()})
    lines = ",\n".join(json.dumps(row) for row in rows)
    (TEXTURES / "manifest.json").write_text(f'{{"format": 1, "textures": [\n{lines}\n]}}\n', encoding="utf-8", newline="\n")
    attribution_texts.write()
    print(f"{len(rows)} textures, {sum(path.stat().st_size for path in TEXTURES.glob('*.jpg')) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
