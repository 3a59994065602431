"""Rows of DORI items about photographs, and their images: photographs with frames around the objects in question, as in rendered images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from isovist.core.answers import Choice
from isovist.core.canonical_json import PHOTOGRAPHS
from isovist.core.drawing2d import Polygon
from isovist.core.task import Question
from isovist.data.dataset import external_rows
from isovist.data.dataset.rows import ItemRow
from isovist.data.importers.image_loader import Photo
from isovist.data.importers.object_pose.annotated_objects import Box
from isovist.suites import registry
from isovist.suites.dori.shared_parts import SKILLS
from isovist.world.render import rasterizer2d
from isovist.world.render.image_encoding import png

SUITE = f"dori{PHOTOGRAPHS}"
_GAP, _LINE = 0.012, 0.006  # relative to the shorter side of the image, as around rendered objects


def row(
    task: str,
    level: str,
    number: int,
    question: Question,
    image: bytes,
    digest: str,
    attributes: Mapping[str, str],
    scene: Mapping[str, Any],
) -> ItemRow:
    """Return the row of an item. `task`: without its suite; `number`: index in the task; `digest`: of the photograph."""
    name, answer = f"{SUITE}/{task}", question.answer
    if not isinstance(answer, Choice):
        raise TypeError(f"DORI questions are choices, not {answer.kind}")
    metadata: dict[str, Any] = {"attributes": {"dimension": SKILLS[task][0], "options": str(len(answer.options)), **attributes}}
    angles = registry.task(f"dori/{task}").reported.option_angles
    if angles and (angles_by_name := angles(answer)):
        metadata["option_angles"] = {angle_name: asdict(dial) for angle_name, dial in angles_by_name.items()}
    metadata["scene"] = {**scene, "digest": digest}
    shown, group = external_rows.digest(image), f"{SUITE}:{digest}"
    return external_rows.row(
        name, number, question.text, answer, (image,), metadata, shown=shown, group=group, level=level, skills=SKILLS[task]
    )


def framed(photo: Photo, frames: tuple[tuple[Box, str], ...]) -> bytes:
    """Return a PNG of the photograph with frames. Boxes are in pixels of the file."""
    pixels = photo.pixels.copy()
    height, width = pixels.shape[:2]
    short = min(height, width)
    unit, top = photo.scale / short, height / short
    shapes: list[Polygon] = []
    for box, colour in frames:
        x0, x1 = box.left * unit - _GAP, box.right * unit + _GAP
        y0, y1 = top - box.bottom * unit - _GAP, top - box.top * unit + _GAP
        shapes.append(Polygon(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), None, colour, _LINE))
    rasterizer2d.paint(pixels, tuple(shapes), short)
    return png(pixels)
