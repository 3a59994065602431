"""Reader of NOCS REAL275 (Wang et al., CVPR 2019; GitHub `hughw19/NOCS_CVPR2019`): photographs of tables with small objects.

Layout: images `real_test/scene_N/FFFF_color.png`; poses are published as Python pickles, `results_real_test_scene_N_FFFF.pkl`. A pickle
can execute code, so it is never read. The documentation shows how to write the three required arrays to
`results_real_test_scene_N_FFFF.npz` beside it: `gt_class_ids` (1 bottle, 2 bowl, 3 camera, 4 can, 5 laptop, 6 mug),
`gt_bboxes` (top, left, bottom, right in pixels, from the upper left corner) and `gt_RTs` (4 x 4, including a scale).

Camera frame: right-handed, x right, **y down, z forward**, metres. Models: y up. **The front axis is not documented**, so an object is
compared only with another of its class, which has the same front axis, or with one without a front.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from isovist.common.errors import UserError
from isovist.core.rotation import Vector, transposed
from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.object_pose.annotated_objects import (
    AnnotatedObject,
    AnnotationLine,
    Box,
    Photograph,
    Source,
    line,
    numbers,
    rotation,
)
from isovist.data.importers.object_pose.category_map import kind

_CLASSES = ("bottle", "bowl", "camera", "can", "laptop", "mug")
_NAME = re.compile(r"results_(\w+?)_(scene_\d+)_(\d+)\.npz")
_ARRAYS = ("gt_class_ids", "gt_bboxes", "gt_RTs")
_MOST_BYTES = 1 << 20  # maximum size of an array; an image has a few objects


def _read(file: Path, name: str) -> Iterator[Photograph] | None:
    match = _NAME.fullmatch(file.name)
    if match is None:
        return None
    stem = Path(match[1]) / match[2] / f"{match[3]}_color"
    folders = file.parents[: len(Path(name).parts)]  # up to the given folder
    stems = [*(folder / stem for folder in folders), file.parent / stem.name]
    return iter([Photograph(name, file_reader.picture(*stems), tuple(_lines(file)))])


def _lines(file: Path) -> Iterator[AnnotationLine]:
    classes, boxes, poses = (_array(file, name) for name in _ARRAYS)
    if not len(classes) == len(boxes) == len(poses):
        raise UserError(f"{file}: the arrays {', '.join(_ARRAYS)} differ in length.")
    for number, (which, box, pose) in enumerate(zip(classes, boxes, poses, strict=True)):
        yield line(number, partial(_annotated_object, number, which, box, pose), partial(_box, box))


def _array(file: Path, name: str) -> list[Any]:
    try:
        with zipfile.ZipFile(file) as archive:
            if archive.getinfo(f"{name}.npy").file_size > _MOST_BYTES:
                raise UserError(f"{file}: {name} is larger than {_MOST_BYTES >> 20} MB.")
        with np.load(file, allow_pickle=False) as arrays:
            return arrays[name].tolist()
    except (KeyError, ValueError, OSError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise UserError(f"{file}: no array {name} ({str(error)[:60]}).") from None


def _box(edges: Any) -> Box:
    top, left, bottom, right = numbers(edges, 4, "gt_bboxes")
    return Box(left, top, right, bottom)


def _annotated_object(number: int, which: Any, box: Any, pose: Any) -> AnnotatedObject:
    if not isinstance(which, int) or not 1 <= which <= len(_CLASSES):
        raise Unusable("no class has its number", str(which)[:20])
    object_kind = kind(_CLASSES[which - 1])
    rows = [numbers(row, 4, "row of gt_RTs") for row in pose[:3]] if isinstance(pose, list) and len(pose) == 4 else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if not rows:
        raise Unusable("no pose", "gt_RTs is not 4 x 4")
    at = [row[3] for row in rows]
    turn = rotation([row[:3] for row in rows])
    if at[2] <= 0:
        raise Unusable("no pose", "behind the camera")
    _, up, along = transposed(turn)
    clear = object_kind.front == "clear"
    # an arbitrary fixed side stands for the front: only the rotation between two objects of one class is used
    return AnnotatedObject(
        number,
        object_kind,
        _box(box),
        _converted(along) if clear else None,
        _converted(at),
        _converted(up),
        rotational_symmetry=object_kind.category if clear else "",
    )


def _converted(v: Sequence[float]) -> Vector:
    return v[0], -v[1], -v[2]


SOURCE = Source(
    "nocs",
    "NOCS REAL275",
    "https://github.com/hughw19/NOCS_CVPR2019",
    ("inter-object-direction",),
    "*.npz",
    "results_real_test_scene_N_FFFF.npz; a pickle is not read, since it can run any program: see the documentation",
    _read,
)
