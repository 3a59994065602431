"""Identifying Shapes."""

from __future__ import annotations

from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Picture
from isovist.evaluation.models.baselines.pixel_solvers.perceptv.lists import figures
from isovist.suites.perceptv.identifying_shapes import ROW_HUES
from isovist.world.scenes.palette import HUES


def _rows(images: list[Picture], prompt: str) -> str:
    del prompt
    shapes = figures(images[0], {hue: HUES[hue] for hue in ROW_HUES})
    return ", ".join(kind for kind, _, _ in sorted(shapes, key=lambda shape: shape[2]))


SOLVERS = {"Name the shape in each row": _rows}
