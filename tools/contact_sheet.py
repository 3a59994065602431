# /// script
# requires-python = ">=3.11"
# dependencies = ["aggdraw==1.4.1", "pillow>=11"]
# ///
"""Draws contact sheets of the glyph pack, one a category: every glyph, at 120 and 54 pixels, in every allowed pose.

    uv run tools/contact_sheet.py FOLDER

Columns are the eight headings from up, clockwise; a heading with two poses has two columns. Look at them after any
change to the pack: a wrong or doubtful heading makes every item drawn from the glyph wrong.
"""

# aggdraw carries no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import aggdraw
from assets_table import ROOT, vocabulary
from PIL import Image, ImageDraw

KIT = vocabulary()

SIZES = (120, 54)
GAP, LABEL = 8, 14
WHITE, GREY = "#ffffff", "#777777"
STANDING = KIT.IconPose(False, 0)


def paint(canvas: Any, glyph: dict[str, Any], x: float, y: float, size: float, pose: Any, ink: str) -> None:
    """Paints the glyph with its disc of `size` pixels centred at (x, y), y down."""
    cos, sin = math.cos(math.radians(pose.rotation_deg)), math.sin(math.radians(pose.rotation_deg))
    scale, side = size / 1000, -1 if pose.mirrored else 1
    for layer in glyph["layers"]:
        path = aggdraw.Path()
        for contour in layer["contours"]:
            for i in range(0, len(contour), 2):
                u, v = side * contour[i], contour[i + 1]
                point = (x + scale * (u * cos + v * sin), y - scale * (v * cos - u * sin))
                (path.lineto if i else path.moveto)(*point)
            path.close()
        canvas.path(path, aggdraw.Brush(layer["fill"] or ink))


def sheet(glyphs: dict[str, Any], names: tuple[str, ...], columns: list[tuple[str, Any]]) -> Image.Image:
    big = SIZES[0]
    left, row = 150, sum(SIZES) + 3 * GAP
    image = Image.new("RGB", (left + len(columns) * (big + GAP), LABEL + len(names) * row), WHITE)
    canvas = aggdraw.Draw(image)
    for r, name in enumerate(names):
        for c, (_, pose) in enumerate(columns):
            x, y = left + c * (big + GAP) + big / 2, LABEL + r * row + GAP
            ink = KIT.INK[(r + c) % len(KIT.INK)]
            for size in SIZES:
                paint(canvas, glyphs[name], x, y + size / 2, size, pose, ink)
                y += size + GAP
    canvas.flush()
    text = ImageDraw.Draw(image)
    for r, name in enumerate(names):
        text.text((4, LABEL + r * row + row / 2), name, fill=GREY)
    for c, (label, _) in enumerate(columns):
        text.text((left + c * (big + GAP), 2), label, fill=GREY)
    return image


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the PNG files go")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    glyphs = json.loads((ROOT / "src/isovist/world/assets/glyphs.json").read_text(encoding="utf-8"))["glyphs"]
    for entry in KIT.DIRECTED:
        columns = [
            (f"heading {heading}{', mirrored' if pose.mirrored else ''}", pose)
            for heading in range(0, 360, 45)
            for pose in KIT.poses(entry.view, heading)
        ]
        sheet(glyphs, entry.glyphs, columns).save(folder / f"directed-{entry.category.replace(' ', '-')}.png")
    for entry in KIT.UPRIGHT:
        columns = [("", STANDING)] * len(KIT.INK)
        sheet(glyphs, entry.glyphs, columns).save(folder / f"upright-{entry.category.replace(' ', '-')}.png")


if __name__ == "__main__":
    main()
