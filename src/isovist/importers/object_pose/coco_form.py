"""JSON files in COCO's form: lists of images, categories and annotations that name one another by ids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from isovist.importers import file_reader
from isovist.importers.benchmark_format import Unusable
from isovist.importers.object_pose.annotated_objects import AnnotatedObject, AnnotationLine, Box, Photograph, line, numbers

_NAMES = ("category_name", "fine-grained category name", "name", "category")


def photographs(
    path: Path,
    title: str,
    lists: tuple[str, ...],
    picture: Callable[[Path, str], Path],
    read: Callable[[int, Mapping[str, Any], str | None], AnnotatedObject],
) -> Iterator[Photograph]:
    """The photographs of all files that hold `lists`. Raises UserError if there is no such file.

    `picture` finds a picture by the file of annotations and its name there. `read` reads an annotation from its place, what it holds
    and the name of its category, None where there is none.
    """
    files = 0
    for file in file_reader.listed(path, ".json"):
        content = file_reader.mapping(file_reader.read_json(file))
        if not {*lists} <= content.keys():
            continue
        files += 1
        name = file_reader.name(file, path)
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
    if not files:
        raise file_reader.none(path, title, f"a JSON file with {', '.join(lists[:-1])} and {lists[-1]}")


def _name(entry: Mapping[str, Any]) -> str:
    return next((str(entry[name]) for name in _NAMES if entry.get(name)), "")


def box(entry: Mapping[str, Any]) -> Box:
    left, top, width, height = numbers(entry.get("bbox"), 4, "bbox")
    return Box(left, top, left + width, top + height)
