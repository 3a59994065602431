"""3D-FUTURE's scenes (Fu and others, 2020; GitHub `3D-FRONT-FUTURE/3D-FUTURE-ToolBox`): drawn rooms with the poses of the furniture.

Layout: a JSON file in COCO's form (`train_set.json`, `test_set.json`) with `images` (`id`, `file_name`), `categories` (`id`, `name` or
`category_name` or `fine-grained category name`) and `annotations` (`id`, `image_id`, `category_id`, `bbox` as left, top, width, height in
pixels from the upper left corner, and `pose` with `rotation`, three rows of three numbers, `translation`, three numbers, and `fov`; some
copies have the three beside `bbox`). Pictures: `image/` or `images/`, or beside the file.

Camera frame, as the project's own projection uses it: right-handed, x right, y up, **z out of the picture**; a point of a model is
rotation * point + translation. Models: y up, **front +z**. There is no share that is hidden: boxes of other furniture tell it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from isovist.core.rotation import Matrix, dot, transposed
from isovist.importers.benchmark_format import Unusable
from isovist.importers.object_pose import file_reader
from isovist.importers.object_pose.annotated_objects import AnnotatedObject, AnnotationLine, Box, Photograph, Source, line, numbers
from isovist.importers.object_pose.category_map import kind

_NAMES = ("category_name", "fine-grained category name", "name", "category")
_SKEW = 0.05


def _read(path: Path, labels: Path | None) -> Iterator[Photograph]:
    del labels
    any_set = False
    for file in file_reader.listed(path, ".json"):
        held = file_reader.read_json(file)
        if not isinstance(held, dict) or not {"images", "annotations"} <= held.keys():
            continue
        data = cast("dict[str, Any]", held)
        any_set = True
        categories = {file_reader.key(entry, "id"): _name(entry) for entry in file_reader.entries(data.get("categories"))}
        by_image: dict[Any, list[AnnotationLine]] = defaultdict(list)
        for number, entry in enumerate(file_reader.entries(data["annotations"])):
            by_image[file_reader.key(entry, "image_id")].append(
                line(number, lambda n=number, e=entry, c=categories: _seen(n, e, c), lambda e=entry: _box(e))
            )
        for entry in file_reader.entries(data["images"]):
            if lines := by_image.pop(file_reader.key(entry, "id"), []):
                yield Photograph(file_reader.name(file, path), _picture(file, str(entry.get("file_name", ""))), tuple(lines))
        for lines in by_image.values():
            orphans = tuple(AnnotationLine(one.number, fault=Unusable("no image has its image_id")) for one in lines)
            yield Photograph(file_reader.name(file, path), file.parent / "no image", orphans)
    if not any_set:
        raise file_reader.none(path, SOURCE.title, "a JSON file with images and annotations")


def _name(entry: Mapping[str, Any]) -> str:
    return next((str(entry[name]) for name in _NAMES if entry.get(name)), "")


def _picture(file: Path, file_name: str) -> Path:
    """A file name may lack its end."""
    inside = file_reader.beside(file.parent, file_name)
    if inside.is_file():
        return inside
    stems = [folder / Path(file_name).name for folder in (file.parent, file.parent / "image", file.parent / "images")]
    return file_reader.picture(*stems)


def _box(entry: Mapping[str, Any]) -> Box:
    left, top, width, height = numbers(entry.get("bbox"), 4, "bbox")
    return Box(left, top, left + width, top + height)


def _seen(number: int, entry: Mapping[str, Any], categories: Mapping[Any, str]) -> AnnotatedObject:
    box = _box(entry)
    pose = file_reader.inner(entry, "pose") or entry
    if pose.get("rotation") is None or pose.get("translation") is None:
        raise Unusable("no pose")
    name = str(entry.get("category_name") or categories.get(file_reader.key(entry, "category_id"), ""))
    category = kind(name)
    turn = rotation(pose["rotation"])
    x, y, z = numbers(pose["translation"], 3, "translation")
    if z >= 0:
        raise Unusable("no pose", "behind the camera")
    _, up, front = transposed(turn)  # where the axes of the model point
    return AnnotatedObject(number, category, box, front if category.front == "clear" else None, (x, y, z), up)


def rotation(matrix: Any) -> Matrix:
    """Three rows as a rotation; a scale is taken out. Raises Unusable for anything else, a mirrored one too."""
    rows = cast("list[Any]", matrix) if isinstance(matrix, list) else []
    if len(rows) != 3:
        raise Unusable("no pose", "the rotation is not three rows")
    (a, b, c), (d, e, f), (g, h, i) = (numbers(row, 3, "row of the rotation") for row in rows)
    size = (a * a + d * d + g * g) ** 0.5
    if size < 1e-9:
        raise Unusable("no pose", "the rotation is null")
    turn: Matrix = ((a / size, b / size, c / size), (d / size, e / size, f / size), (g / size, h / size, i / size))
    columns = transposed(turn)
    square = all(abs(dot(p, q) - (j == k)) < _SKEW for j, p in enumerate(columns) for k, q in enumerate(columns))
    (p, q, r), (s, t, u), (v, w, z) = turn
    if not square or p * (t * z - u * w) - q * (s * z - u * v) + r * (s * w - t * v) < 0:
        raise Unusable("no pose", "the rotation is none")
    return turn


SOURCE = Source(
    "3d-future",
    "3D-FUTURE (scenes)",
    "https://tianchi.aliyun.com/specials/promotion/alibaba-3d-future",
    ("single-axis-rotation", "inter-object-direction"),
    _read,
    natural=False,
)
