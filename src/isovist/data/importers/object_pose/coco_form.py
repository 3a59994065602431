"""JSON files in COCO format: lists of images, categories and annotations that refer to each other by id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.object_pose.annotated_objects import AnnotatedObject, AnnotationLine, Box, Photograph, line, numbers

_NAMES = ("category_name", "fine-grained category name", "name", "category")


Picture = Callable[[Path, str], Path]
"""Find an image by the path of the annotation file and the image name in it."""
Read = Callable[[int, Mapping[str, Any], str | None], AnnotatedObject]
"""Read an annotation from its index, its content and its category name, or None without a category."""


def photographs(file: Path, name: str, lists: Collection[str], picture: Picture, read: Read) -> Iterator[Photograph] | None:
    """Yield the photographs of a file, see `Source.read`; None if a list in `lists` is missing."""
    content = file_reader.mapping(file_reader.read_json(file))
    return _photographs(file, name, content, picture, read) if {*lists} <= content.keys() else None


def _photographs(file: Path, name: str, content: Mapping[str, Any], picture: Picture, read: Read) -> Iterator[Photograph]:
    categories = {file_reader.key(entry, "id"): _name(entry) for entry in file_reader.entries(content.get("categories"))}
    by_image: dict[Any, list[AnnotationLine]] = defaultdict(list)
    for number, entry in enumerate(file_reader.entries(content["annotations"])):
        category = categories.get(file_reader.key(entry, "category_id"))
        by_image[file_reader.key(entry, "image_id")].append(line(number, partial(read, number, entry, category), partial(box, entry)))
    for image in file_reader.entries(content["images"]):
        if lines := by_image.pop(file_reader.key(image, "id"), []):
            yield Photograph(name, picture(file, str(image.get("file_name", ""))), tuple(lines))
    for lines in by_image.values():
        orphans = (AnnotationLine(one.number, fault=Unusable("no image has its image_id")) for one in lines)
        yield Photograph(name, file.parent / "no image", tuple(orphans))


def _name(entry: Mapping[str, Any]) -> str:
    return next((str(entry[name]) for name in _NAMES if entry.get(name)), "")


def box(entry: Mapping[str, Any]) -> Box:
    left, top, width, height = numbers(entry.get("bbox"), 4, "bbox")
    return Box(left, top, left + width, top + height)
