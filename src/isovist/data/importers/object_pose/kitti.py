"""Reader of the KITTI object detection benchmark (Geiger, Lenz and Urtasun, CVPR 2012; cvlibs.net/datasets/kitti).

Layout: `label_2/NAME.txt` beside `image_2/NAME.png`. A line has 15 columns, or 16 with a score: type; truncated, 0 to 1; occluded, 0
fully visible to 3 unknown; alpha; left, top, right and bottom of the box in pixels; height, width and length in metres; x, y and z of
the centre of the bottom face in metres; rotation_y. Angles are in radians from -pi to pi.

Camera frame: right-handed, x right, **y down, z forward**. rotation_y is about y: at 0 an object faces +x, the right of the image,
and at -pi/2 away from the camera. alpha is measured from the viewing ray: alpha = rotation_y - atan2(x, z). The facing direction is
(cos rotation_y, 0, -sin rotation_y). Lines with contradictory angles are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import atan2, cos, degrees, hypot, pi, sin
from pathlib import Path

from isovist.core.rotation import wrapped
from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.object_pose.annotated_objects import AnnotatedObject, Box, Photograph, Source, line
from isovist.data.importers.object_pose.category_map import kind

_COLUMNS = 15
_APART = 6.0
"""Maximum difference in degrees between the two angles: alpha refers to another camera of the car, a few centimetres aside, and is
rounded.
"""
_DIGITS = 6


def _read(file: Path, name: str) -> Iterator[Photograph]:
    rows = enumerate(row.split() for row in file_reader.text(file).splitlines() if row.strip())
    lines = tuple(line(number, partial(_annotated_object, number, row), partial(_box, row)) for number, row in rows)
    stem = file.parent.parent / file.parent.name.replace("label", "image") / file.stem
    yield Photograph(name, file_reader.picture(stem), lines)


def _values(row: list[str]) -> tuple[float, ...]:
    if len(row) not in (_COLUMNS, _COLUMNS + 1):
        raise Unusable("not 15 or 16 columns", str(len(row)))
    try:
        values = tuple(float(value) for value in row[1:])
    except ValueError:
        raise Unusable("a column is not a number", " ".join(row)[:60]) from None
    if not all(abs(value) < 1e6 for value in values):
        raise Unusable("a column is not a number", " ".join(row)[:60])
    return values


def _box(row: list[str]) -> Box:
    return Box(*_values(row)[3:7])


def _annotated_object(number: int, row: list[str]) -> AnnotatedObject:
    truncated, occluded, alpha, *_, height, width, length, x, y, z, turn = _values(row)[:14]
    if row[0] == "DontCare":
        raise Unusable("a region that is not annotated", "DontCare")
    object_kind = kind(row[0])
    if truncated > 0:
        raise Unusable("truncated by the edge of the image", f"{truncated:.0%}")
    if occluded != 0:
        raise Unusable("hidden too much", f"occluded {occluded:g}")
    if z <= 0 or not -pi - 0.01 <= turn <= pi + 0.01 or not -pi - 0.01 <= alpha <= pi + 0.01:
        raise Unusable("no pose", f"z {z:g}, rotation_y {turn:g}, alpha {alpha:g}")
    if abs(wrapped(degrees(turn - atan2(x, z) - alpha))) > _APART:
        raise Unusable("alpha and rotation_y contradict each other", f"{alpha:g}, {turn:g}")
    # from y down, z forward to y up, z out of the image
    front = (round(cos(turn), _DIGITS), 0.0, round(sin(turn), _DIGITS))
    return AnnotatedObject(number, object_kind, _box(row), front, (x, -y, -z), hidden=0.0, span=hypot(height, width, length))


SOURCE = Source(
    "kitti",
    "KITTI (object detection)",
    "https://www.cvlibs.net/datasets/kitti",
    ("view-parallelism",),
    "label*/*.txt",
    "label_2/*.txt beside image_2/",
    _read,
)
