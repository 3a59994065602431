"""Reader of Cityscapes 3D (Gaehlert et al., 2020; GitHub `mcordts/cityscapesScripts`).

Layout: `gtBbox3d/SPLIT/CITY/NAME_gtBbox3d.json` and `leftImg8bit/SPLIT/CITY/NAME_leftImg8bit.png`. A file has `sensor`
(`sensor_T_ISO_8855`, three rows of four numbers) and `objects`, each with `label`, `2d.amodal` and `2d.modal` (left, top, width and
height in pixels from the upper left corner), `3d.center` (metres), `3d.dimensions` (length, width, height), `3d.rotation` (a
quaternion, w first), `3d.format`, `occlusion` and `truncation` (proportions).

Frame of the annotations, ISO 8855: vehicle frame, right-handed, **x forward, y left, z up**, origin on the ground below the rear
axle. An object without rotation faces +x and has its top at +z. `sensor_T_ISO_8855` maps points of the vehicle frame to the camera
frame, whose axes have the same names: x forward, y left, z up. Annotations in frames other than CRS_ISO8855 are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from math import hypot
from pathlib import Path
from typing import Any, cast

from scipy.spatial.transform import Rotation

from isovist.core.rotation import Matrix, Vector, apply
from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.object_pose.annotated_objects import AnnotatedObject, Box, Photograph, Source, as_matrix, line, numbers
from isovist.data.importers.object_pose.category_map import kind

_END = "_gtBbox3d.json"
_FORMAT = "CRS_ISO8855"


def _read(file: Path, name: str) -> Iterator[Photograph]:
    content = file_reader.mapping(file_reader.read_json(file))
    entries = enumerate(file_reader.entries(content.get("objects")))
    lines = tuple(line(number, partial(_annotated_object, number, entry, content), partial(_box, entry)) for number, entry in entries)
    stem = file.name.removesuffix(_END) + "_leftImg8bit"
    elsewhere = Path(*("leftImg8bit" if part == "gtBbox3d" else part for part in file.parent.parts))
    yield Photograph(name, file_reader.picture(elsewhere / stem, file.parent / stem), lines)


def _box(entry: Mapping[str, Any]) -> Box:
    boxes = file_reader.mapping(entry.get("2d"))
    left, top, width, height = numbers(boxes.get("amodal", boxes.get("modal")), 4, "box")
    return Box(left, top, left + width, top + height)


def _annotated_object(number: int, entry: Mapping[str, Any], data: Mapping[str, Any]) -> AnnotatedObject:
    category = kind(str(entry.get("label", "")))
    box, solid = _box(entry), file_reader.mapping(entry.get("3d"))
    if solid.get("format", _FORMAT) != _FORMAT:
        raise Unusable("the frame is not CRS_ISO8855", str(solid.get("format"))[:40])
    hidden, cut = numbers([entry.get("occlusion"), entry.get("truncation")], 2, "occlusion and truncation")
    if cut > 0:
        raise Unusable("truncated by the edge of the image", f"{cut:.0%}")
    turn = _turn(numbers(solid.get("rotation"), 4, "rotation"))
    length, width, height = numbers(solid.get("dimensions"), 3, "dimensions")
    x, y, z = numbers(solid.get("center"), 3, "center")
    sensor, off = _sensor(file_reader.mapping(data.get("sensor")).get("sensor_T_ISO_8855"))
    front, up, at = (apply(sensor, v) for v in (apply(turn, (1.0, 0.0, 0.0)), apply(turn, (0.0, 0.0, 1.0)), (x, y, z)))
    at = (at[0] + off[0], at[1] + off[1], at[2] + off[2])
    if at[0] <= 0:
        raise Unusable("no pose", "behind the camera")
    span = hypot(length, width, height)
    return AnnotatedObject(number, category, box, _converted(front), _converted(at), _converted(up), hidden=hidden, span=span)


def _converted(v: Vector) -> Vector:
    """Convert axes (forward, left, up) to (right, up, out of the image)."""
    return -v[1], v[2], -v[0]


def _turn(quaternion: tuple[float, ...]) -> Matrix:
    if abs(hypot(*quaternion) - 1) > 0.01:
        raise Unusable("no pose", "the rotation is not a unit quaternion")
    w, x, y, z = quaternion
    return as_matrix(Rotation.from_quat([x, y, z, w]).as_matrix())


def _sensor(matrix: Any) -> tuple[Matrix, Vector]:
    """Return rotation and translation from the vehicle frame to the camera frame."""
    rows = cast("list[Any]", matrix) if isinstance(matrix, list) else []
    if len(rows) not in (3, 4):
        raise Unusable("no sensor_T_ISO_8855")
    (a, b, c, u), (d, e, f, v), (g, h, i, w) = (numbers(row, 4, "row of sensor_T_ISO_8855") for row in rows[:3])
    return ((a, b, c), (d, e, f), (g, h, i)), (u, v, w)


SOURCE = Source(
    "cityscapes3d",
    "Cityscapes 3D",
    "https://www.cityscapes-dataset.com",
    ("directional-facing",),
    f"*{_END}",
    f"*{_END} below gtBbox3d/",
    _read,
)
