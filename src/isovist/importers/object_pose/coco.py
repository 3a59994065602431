"""COCO's instances (Lin and others, ECCV 2014; cocodataset.org), with directions that you tell.

`instances_*.json` holds `images` (`id`, `file_name`, `width`, `height`), `categories` (`id`, `name`) and `annotations` (`id`, `image_id`,
`category_id`, `bbox` as left, top, width and height in pixels from the upper left corner, `iscrowd`). Pictures are looked for beside
the JSON file, below the folder it lies in, and below the folder over that one.

COCO tells no directions. A file of labels does, CSV with a head or JSON Lines: `annotation` (its id) and `facing`, which is

- degrees, 0 towards the camera, 90 to the right of the picture, 180 away and -90 to the left: counterclockwise seen from above,
  measured from the line to the camera; or
- a word, `towards`, `away`, `left` or `right`, for the nearest of the four if it is beyond doubt (within 35 degrees): such an
  object is asked about at the coarse level only; or
- `none` for an object without one front.

Annotations without a label are not asked about, but their boxes tell what hides others.
"""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

from isovist import json_lines
from isovist.core.rotation import Vector, cosine, sine
from isovist.errors import UserError
from isovist.importers.benchmark_format import Unusable
from isovist.importers.object_pose import file_reader
from isovist.importers.object_pose.annotated_objects import AnnotatedObject, AnnotationLine, Box, Photograph, Source, line, numbers
from isovist.importers.object_pose.category_map import kind

_WORDS = {"towards": 0.0, "away": 180.0, "left": -90.0, "right": 90.0}
_COLUMNS = ("annotation", "facing")


def _read(path: Path, labels: Path | None) -> Iterator[Photograph]:
    facings = _labels(labels) if labels else {}
    files = file_reader.listed(path, ".json")
    any_set = False
    for file in files:
        held = file_reader.read_json(file)
        if not isinstance(held, dict) or not {"images", "annotations", "categories"} <= held.keys():
            continue
        any_set = True
        yield from _photographs(file, file_reader.name(file, path), held, facings)  # pyright: ignore[reportUnknownArgumentType]
    if not any_set:
        raise file_reader.none(path, SOURCE.title, "a JSON file with images, annotations and categories")


def _photographs(file: Path, name: str, held: Mapping[str, Any], facings: Mapping[str, str]) -> Iterator[Photograph]:
    categories = {file_reader.key(entry, "id"): str(entry.get("name", "")) for entry in file_reader.entries(held["categories"])}
    by_image: dict[Any, list[AnnotationLine]] = defaultdict(list)
    for number, entry in enumerate(file_reader.entries(held["annotations"])):
        by_image[file_reader.key(entry, "image_id")].append(
            line(number, lambda n=number, e=entry: _seen(n, e, categories, facings), lambda e=entry: _box(e))
        )
    for entry in file_reader.entries(held["images"]):
        lines = by_image.pop(file_reader.key(entry, "id"), [])
        if lines:
            yield Photograph(name, _picture(file, str(entry.get("file_name", ""))), tuple(lines))
    for lines in by_image.values():
        orphans = tuple(replace(one, seen=None, fault=Unusable("no image has its image_id")) for one in lines)
        yield Photograph(name, file.parent / "no image", orphans)


def _picture(file: Path, file_name: str) -> Path:
    folders = [file.parent, file.parent.parent, *sorted(folder for folder in file.parent.parent.iterdir() if folder.is_dir())]
    candidates = (file_reader.beside(folder, file_name) for folder in folders)
    return next((picture for picture in candidates if picture.is_file()), file_reader.beside(file.parent, file_name))


def _box(entry: Mapping[str, Any]) -> Box:
    left, top, width, height = numbers(entry.get("bbox"), 4, "bbox")
    return Box(left, top, left + width, top + height)


def _seen(number: int, entry: Mapping[str, Any], categories: Mapping[Any, str], facings: Mapping[str, str]) -> AnnotatedObject:
    if entry.get("iscrowd"):
        raise Unusable("a crowd, not one object")
    box = _box(entry)
    if (facing := facings.get(str(entry.get("id")))) is None:
        raise Unusable("no label tells where it faces")
    name = categories.get(file_reader.key(entry, "category_id"))
    if name is None:
        raise Unusable("no category has its category_id")
    category = kind(name)
    if facing == "none":
        return AnnotatedObject(number, replace(category, front="none"), box)
    if category.front == "none":
        raise Unusable("labelled with a direction, but it has no front", name)
    angle = _WORDS[facing] if facing in _WORDS else float(facing)
    front: Vector = (sine(angle), 0.0, cosine(angle))
    return AnnotatedObject(number, category, box, front, coarse=facing in _WORDS)


def _labels(path: Path) -> dict[str, str]:
    """What each annotation is labelled with, by its id: a word or a number as it is written. Raises UserError."""
    text = file_reader.text(path)
    try:
        lines: list[Any]
        if path.suffix.lower() in (".jsonl", ".json"):
            lines = [json.loads(row) for row in json_lines.rows(text) if row.strip()]
        else:
            reader = csv.DictReader(io.StringIO(text), skipinitialspace=True, strict=True)
            if missing := [name for name in _COLUMNS if name not in (reader.fieldnames or ())]:
                raise UserError(f"{path}: no column {missing[0]!r}; give {' and '.join(_COLUMNS)}.")
            lines = list(reader)
    except UserError:
        raise
    except (ValueError, csv.Error) as error:
        raise UserError(f"{path}: cannot be read ({str(error)[:80]}).") from None
    facings: dict[str, str] = {}
    for number, row in enumerate(lines, 1):
        if not isinstance(row, dict) or not all(isinstance(row.get(name), str | int | float) for name in _COLUMNS):  # pyright: ignore[reportUnknownMemberType]
            raise UserError(f"{path}: label {number} has no {' and '.join(_COLUMNS)}.")
        annotation, facing = (str(row[name]).strip() for name in _COLUMNS)  # pyright: ignore[reportUnknownArgumentType]
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


SOURCE = Source("coco", "COCO", "https://cocodataset.org", ("directional-facing",), _read, labels=True)
