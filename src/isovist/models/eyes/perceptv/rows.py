"""Identifying Shapes."""

from __future__ import annotations

from isovist.kits.palette import HUES
from isovist.models.eyes.perceptv.blobs import Picture
from isovist.models.eyes.perceptv.lists import figures
from isovist.suites.perceptv.rows import ROW_HUES


def _rows(images: list[Picture], prompt: str) -> str:
    del prompt
    found = figures(images[0], {hue: HUES[hue] for hue in ROW_HUES})
    return ", ".join(kind for kind, _, _ in sorted(found, key=lambda it: it[2]))


EYES = {"Name the shape in each row": _rows}
