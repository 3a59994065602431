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

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

from isovist.common.errors import UserError
from isovist.core.rotation import cosine, sine
from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.object_pose.annotated_objects import AnnotatedObject, AnnotationLine, Box, Photograph, Source, line, numbers
from isovist.data.importers.object_pose.category_map import kind

_WORDS = {"towards": 0.0, "away": 180.0, "left": -90.0, "right": 90.0}
_COLUMNS = ("annotation", "facing")
_NAMES = ("category_name", "fine-grained category name", "name", "category")

Picture = Callable[[Path, str], Path]
"""Find an image by the path of the annotation file and the image name in it."""
Read = Callable[[int, Mapping[str, Any], str | None], AnnotatedObject]
"""Read an annotation from its index, its content and its category name, or None without a category."""


def photographs(
    file: Path, name: str, lists: Collection[str], picture: Picture, read: Read, *, labelled: bool = False
) -> Iterator[Photograph] | None:
    """Yield the photographs of a file, see `Source.read`; None if a list in `lists` is missing. `labelled`: labels name annotations by id."""
    content = file_reader.mapping(file_reader.read_json(file))
    return _photographs(file, name, content, picture, read, labelled=labelled) if {*lists} <= content.keys() else None


def _photographs(
    file: Path, name: str, content: Mapping[str, Any], picture: Picture, read: Read, *, labelled: bool
) -> Iterator[Photograph]:
    categories = {file_reader.key(entry, "id"): _name(entry) for entry in file_reader.entries(content.get("categories"))}
    by_image: dict[Any, list[AnnotationLine]] = defaultdict(list)
    ids = Counter(_identity(entry.get("id")) for entry in file_reader.entries(content["annotations"]))
    for number, entry in enumerate(file_reader.entries(content["annotations"])):
        if labelled and ids[_identity(entry.get("id"))] > 1:
            fault = Unusable("another annotation has its id", str(entry.get("id"))[:40])
            by_image[file_reader.key(entry, "image_id")].append(AnnotationLine(number, fault=fault))
            continue
        category = categories.get(file_reader.key(entry, "category_id"))
        by_image[file_reader.key(entry, "image_id")].append(line(number, partial(read, number, entry, category), partial(box_of, entry)))
    for image in file_reader.entries(content["images"]):
        if lines := by_image.pop(file_reader.key(image, "id"), []):
            width, height = image.get("width"), image.get("height")
            stated = (width, height) if isinstance(width, int) and isinstance(height, int) and min(width, height) > 0 else None
            yield Photograph(name, picture(file, str(image.get("file_name", ""))), tuple(lines), stated)
    for lines in by_image.values():
        orphans = (AnnotationLine(one.number, fault=Unusable("no image has its image_id")) for one in lines)
        yield Photograph(name, file.parent / "no image", tuple(orphans))


def _identity(value: object) -> str:
    """An id as text; a spreadsheet writes 1768 as 1768.0."""
    return re.sub(r"(?<=\d)\.0+$", "", str(value).strip())


def _name(entry: Mapping[str, Any]) -> str:
    return next((str(entry[name]) for name in _NAMES if entry.get(name)), "")


def box_of(entry: Mapping[str, Any]) -> Box:
    left, top, width, height = numbers(entry.get("bbox"), 4, "bbox")
    return Box(left, top, left + width, top + height)


def _read(file: Path, name: str, facings: Mapping[str, str]) -> Iterator[Photograph] | None:
    return photographs(file, name, ("images", "annotations", "categories"), _picture, partial(_annotated_object, facings), labelled=True)


def _picture(file: Path, file_name: str) -> Path:
    folders = [file.parent, file.parent.parent, *sorted(folder for folder in file.parent.parent.iterdir() if folder.is_dir())]
    candidates = (file_reader.beside(folder, file_name) for folder in folders)
    return next((picture for picture in candidates if picture.is_file()), file_reader.beside(file.parent, file_name))


def _annotated_object(facings: Mapping[str, str], number: int, entry: Mapping[str, Any], category: str | None) -> AnnotatedObject:
    if entry.get("iscrowd"):
        raise Unusable("a crowd, not one object")
    box = box_of(entry)
    if (facing := facings.get(_identity(entry.get("id")))) is None:
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
    for number, (_, row) in enumerate(file_reader.label_rows(path, _COLUMNS), 1):
        if not all(isinstance(row.get(name), str | int | float) for name in _COLUMNS):
            raise UserError(f"{path}: label {number} has no {' and '.join(_COLUMNS)}.")
        annotation, facing = _identity(row[_COLUMNS[0]]), str(row[_COLUMNS[1]]).strip()
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
