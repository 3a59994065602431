"""Reader of COCO instances (Lin et al., ECCV 2014; cocodataset.org) with facing directions from a label file.

`instances_*.json` holds `images` (`id`, `file_name`, `width`, `height`), `categories` (`id`, `name`) and `annotations` (`id`,
`image_id`, `category_id`, `bbox` as left, top, width and height in pixels from the upper left corner, `iscrowd`). Images are
searched beside the JSON file, below its folder, and below the parent folder.

COCO has no directions. They come from a label file, CSV with a header or JSON Lines, with `annotation` (its id) and `facing`:

- degrees, 0 toward the camera, 90 to the right of the image, 180 away and -90 to the left: counterclockwise seen from above,
  measured from the line to the camera; or
- a word, `towards`, `away`, `left` or `right`, for the nearest of the four directions if it is unambiguous (within 35 degrees):
  such an object gets questions at the coarse level only; or
- `none` for an object without a unique front.

Annotations without a label get no questions, but their boxes count as occluders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

from isovist.common.errors import UserError
from isovist.core.rotation import cosine, sine
from isovist.data.importers import file_reader, label_file
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.object_pose import coco_form
from isovist.data.importers.object_pose.annotated_objects import AnnotatedObject, Photograph, Source
from isovist.data.importers.object_pose.category_map import kind

_WORDS = {"towards": 0.0, "away": 180.0, "left": -90.0, "right": 90.0}
_COLUMNS = ("annotation", "facing")


def _read(file: Path, name: str, facings: Mapping[str, str]) -> Iterator[Photograph] | None:
    return coco_form.photographs(file, name, ("images", "annotations", "categories"), _picture, partial(_annotated_object, facings))


def _picture(file: Path, file_name: str) -> Path:
    folders = [file.parent, file.parent.parent, *sorted(folder for folder in file.parent.parent.iterdir() if folder.is_dir())]
    candidates = (file_reader.beside(folder, file_name) for folder in folders)
    return next((picture for picture in candidates if picture.is_file()), file_reader.beside(file.parent, file_name))


def _annotated_object(facings: Mapping[str, str], number: int, entry: Mapping[str, Any], category: str | None) -> AnnotatedObject:
    if entry.get("iscrowd"):
        raise Unusable("a crowd, not one object")
    box = coco_form.box(entry)
    if (facing := facings.get(str(entry.get("id")))) is None:
        raise Unusable("no label with its facing direction")
    if category is None:
        raise Unusable("no category has its category_id")
    object_kind = kind(category)
    if facing == "none":
        return AnnotatedObject(number, replace(object_kind, front="none"), box)
    if object_kind.front == "none":
        raise Unusable("labelled with a direction, but the category has no front", category)
    angle = _WORDS[facing] if facing in _WORDS else float(facing)
    return AnnotatedObject(number, object_kind, box, (sine(angle), 0.0, cosine(angle)), coarse=facing in _WORDS)


def _labels(path: Path) -> dict[str, str]:
    """Return the label of each annotation id: a word or a number as text. Raises UserError."""
    facings: dict[str, str] = {}
    for number, (_, row) in enumerate(label_file.rows(path, _COLUMNS), 1):
        if not all(isinstance(row.get(name), str | int | float) for name in _COLUMNS):
            raise UserError(f"{path}: label {number} has no {' and '.join(_COLUMNS)}.")
        annotation, facing = (str(row[name]).strip() for name in _COLUMNS)
        if not _means_something(facing.lower()):
            raise UserError(f"{path}: label {number}: {facing[:40]!r} is no direction; give degrees or {', '.join(_WORDS)} or none.")
        if facings.setdefault(annotation, facing.lower()) != facing.lower():
            raise UserError(f"{path}: annotation {annotation} has two labels, {facings[annotation]} and {facing.lower()}.")
    return facings


def _means_something(facing: str) -> bool:
    if facing in _WORDS or facing == "none":
        return True
    try:
        value = float(facing)
    except ValueError:
        return False
    return isfinite(value) and -360 <= value <= 360


SOURCE = Source(
    "coco",
    "COCO",
    "https://cocodataset.org",
    ("directional-facing",),
    "*.json",
    "a JSON file with images, annotations and categories",
    _read,
    labels=_labels,
)
