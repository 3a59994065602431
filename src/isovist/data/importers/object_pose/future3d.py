"""Reader of 3D-FUTURE scenes (Fu et al., 2020; GitHub `3D-FRONT-FUTURE/3D-FUTURE-ToolBox`): rendered rooms with furniture poses.

Layout: a JSON file in COCO format (`train_set.json`, `test_set.json`) with `images` (`id`, `file_name`), `categories` (`id`, `name` or
`category_name` or `fine-grained category name`) and `annotations` (`id`, `image_id`, `category_id`, `bbox` as left, top, width, height
in pixels from the upper left corner, and `pose` with `rotation`, three rows of three numbers, `translation`, three numbers, and
`fov`; some copies have the three beside `bbox`). Images: `image/` or `images/`, or beside the file.

Camera frame, as in the projection code of the dataset: right-handed, x right, y up, **z out of the image**; a model point maps to
rotation * point + translation. Models: y up, **front +z**. Occlusion is not annotated; it is estimated from the boxes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from isovist.core.rotation import transposed
from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.object_pose import coco
from isovist.data.importers.object_pose.annotated_objects import AnnotatedObject, Photograph, Source, numbers, rotation
from isovist.data.importers.object_pose.category_map import kind


def _read(file: Path, name: str) -> Iterator[Photograph] | None:
    return coco.photographs(file, name, ("images", "annotations"), _picture, _annotated_object)


def _picture(file: Path, file_name: str) -> Path:
    """Return the path of an image. The file name may lack its suffix."""
    inside = file_reader.beside(file.parent, file_name)
    if inside.is_file():
        return inside
    stems = [folder / Path(file_name).name for folder in (file.parent, file.parent / "image", file.parent / "images")]
    return file_reader.picture(*stems)


def _annotated_object(number: int, entry: Mapping[str, Any], category: str | None) -> AnnotatedObject:
    box = coco.box_of(entry)
    pose = file_reader.mapping(entry.get("pose")) or entry
    if pose.get("rotation") is None or pose.get("translation") is None:
        raise Unusable("no pose")
    object_kind = kind(str(entry.get("category_name") or category or ""))
    turn = rotation(pose["rotation"])
    x, y, z = numbers(pose["translation"], 3, "translation")
    if z >= 0:
        raise Unusable("no pose", "behind the camera")
    _, up, front = transposed(turn)  # directions of the model axes in the camera frame
    return AnnotatedObject(number, object_kind, box, front if object_kind.front == "clear" else None, (x, y, z), up)


SOURCE = Source(
    "3d-future",
    "3D-FUTURE (scenes)",
    "https://tianchi.aliyun.com/specials/promotion/alibaba-3d-future",
    ("single-axis-rotation", "inter-object-direction"),
    "*.json",
    "a JSON file with images and annotations",
    _read,
    natural=False,
)
