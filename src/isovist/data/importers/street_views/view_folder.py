"""Folders of views: one folder per place with its images in clockwise order, and `views.jsonl` with the parameters of each view."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from isovist.common import json_lines
from isovist.common.errors import UserError
from isovist.data.importers import file_reader

VIEWS = "views.jsonl"


@dataclass(frozen=True, slots=True)
class Spot:
    """A standpoint: a folder name, and latitude and longitude in degrees."""

    name: str
    lat: float
    lng: float


@dataclass(frozen=True, slots=True)
class View:
    """An image in a folder of views. `heading`: degrees clockwise (from north if the source knows it); `fov`: degrees."""

    place: str
    file: str
    heading: float
    fov: float
    source: str


def headings(n: int) -> list[float]:
    """Return `n` headings at equal distances, in degrees from 0."""
    return [360 * i / n for i in range(n)]


def append(folder: Path, view: View) -> None:
    """Append a line for a view whose image was written."""
    json_lines.append(folder / VIEWS, asdict(view))


def read(folder: Path) -> list[View]:
    """Return the views with existing images, without duplicates. Raises UserError if there is no such folder."""
    path = folder / VIEWS
    if not path.exists():
        raise UserError(f"{folder}: no folder of views ({VIEWS} is missing).")
    views: dict[str, View] = {}
    for number, line in enumerate(json_lines.rows(path.read_text(encoding="utf-8")), 1):
        try:
            view = View(**json.loads(line))
            within = (folder / view.file).resolve().is_relative_to(folder.resolve())
        except (ValueError, TypeError):
            if line.endswith("}"):
                raise UserError(f"Line {number} is not a view: {path}. Correct or remove it.") from None
            continue  # truncated when the machine failed; the view is downloaded again
        if within and (folder / view.file).is_file():
            views[view.file] = view
    return list(views.values())


def spots(path: Path) -> list[Spot]:
    """Read a list of places, CSV with a header (lat, lng, optional name) or JSON Lines. Raises UserError with the line number."""
    places = [_spot(path, number, row) for number, row in file_reader.label_rows(path, ("lat", "lng"))]
    if len({spot.name for spot in places}) < len(places):
        raise UserError(f"Two places have the same name: {path}. Rename one.")
    if not places:
        raise UserError(f"No places: {path}. Add lines with lat and lng.")
    return places


def is_folder_name(name: str) -> bool:
    return bool(name) and all(c.isalnum() or c in "-_. " for c in name) and name.strip(". ") == name and len(name) <= 80


def _spot(path: Path, number: int, row: Mapping[str, Any]) -> Spot:
    try:
        lat, lng = float(row["lat"]), float(row["lng"])
        name = str(row.get("name") or f"{lat:.6f}_{lng:.6f}")
        if not (isfinite(lat) and abs(lat) <= 90 and isfinite(lng) and abs(lng) <= 180):
            raise ValueError("degrees out of range")
        if not is_folder_name(name):
            raise ValueError("the name is not a valid folder name")
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"Line {number} is not a place with lat and lng ({error}): {path}. Correct it.") from None
    return Spot(name, lat, lng)
