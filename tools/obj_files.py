"""OBJ files made ready for a loader that fans polygons: faces cut by ear clipping, brand marks painted over."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import mapbox_earcut
import numpy as np
from PIL import Image, ImageDraw

Rectangle = Sequence[float]
"""Left, top, right, bottom as shares of the picture's width and height, from its top left corner."""


def prepared(obj: Path, folder: Path, blanks: Mapping[str, Sequence[Rectangle]]) -> Path:
    """A copy of the OBJ's own folder in which faces are triangles and `blanks` (by texture file) are painted over.

    Raises SystemExit where a named texture is not there.
    """
    shutil.copytree(obj.parent, folder)
    made = folder / obj.name
    made.write_text("\n".join(_triangulated(obj.read_text("latin-1").splitlines())) + "\n", encoding="latin-1")
    for name, rectangles in blanks.items():
        if not (folder / name).exists():
            raise SystemExit(f"{obj}: no texture {name} to paint over")
        _paint_over(folder / name, rectangles)
    return made


def _triangulated(lines: Sequence[str]) -> Iterator[str]:
    """The lines with every face of more than three corners cut into triangles of the same winding."""
    points: list[list[float]] = []
    for line in lines:
        if line.startswith("v "):
            points.append([float(v) for v in line.split()[1:4]])
        corners = line.split()[1:] if line.startswith("f ") else []
        if len(corners) <= 3:
            yield line
            continue
        places = [int(c.partition("/")[0]) for c in corners]
        for triangle in _cut([points[p - 1 if p > 0 else p] for p in places]):
            yield "f " + " ".join(corners[k] for k in triangle)


Point = Sequence[float]


def _cut(polygon: Sequence[Point]) -> list[tuple[int, int, int]]:
    """Triangles, as indices, of a nearly flat polygon (n, 3) that may have dents; a fan where it is degenerate."""
    fan = [(0, k, k + 1) for k in range(1, len(polygon) - 1)]
    normal = [sum(values) for values in zip(*(_cross(a, b) for a, b in pairwise([*polygon, polygon[0]])), strict=True)]  # Newell

    def ahead(triangle: tuple[int, int, int]) -> bool:
        a, b, c = (polygon[k] for k in triangle)
        u, v = ([q - p for p, q in zip(a, end, strict=True)] for end in (b, c))
        return sum(n * w for n, w in zip(normal, _cross(u, v), strict=True)) >= 0

    if len(polygon) == 4:
        return fan if all(map(ahead, fan)) else [(1, 2, 3), (1, 3, 0)]
    drop = max(range(3), key=lambda axis: abs(normal[axis]))
    flat = np.array([[v for axis, v in enumerate(point) if axis != drop] for point in polygon])
    ears: list[tuple[int, int, int]] = mapbox_earcut.triangulate_float64(flat, np.array([len(flat)], np.uint32)).reshape(-1, 3).tolist()
    if len(ears) != len(fan):
        return fan
    return [(a, b, c) if ahead((a, b, c)) else (a, c, b) for a, b, c in ears]


def _cross(a: Point, b: Point) -> tuple[float, float, float]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _paint_over(path: Path, rectangles: Sequence[Rectangle]) -> None:
    """Fills each rectangle with the mean colour of its own rim."""
    with Image.open(path) as opened:
        image = opened.convert("RGBA" if opened.mode in {"RGBA", "P", "LA"} else "RGB")
    for left, top, right, bottom in rectangles:
        box = (round(left * image.width), round(top * image.height), round(right * image.width), round(bottom * image.height))
        part = np.asarray(image.crop(box))
        rim = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
        ImageDraw.Draw(image).rectangle(box, fill=tuple(int(v) for v in rim.mean(axis=0).round()))
    if path.suffix.lower() in {".jpg", ".jpeg"}:
        image.convert("RGB").save(path, quality=95)
    else:
        image.save(path)
