"""Counting Circles, Count Coloured Circles, Counting Shapes, Counting Locations."""

from __future__ import annotations

from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Picture, blobs, mask
from isovist.suites.perceptv.counting import COLOURS, PLANK, PLANK_HUES, SHAPE_HUES
from isovist.world.scenes.shapes2d import KINDS


def _circles(images: list[Picture], prompt: str) -> str:
    del prompt
    return str(len(blobs(images[0], ["black"])))


def _coloured(images: list[Picture], prompt: str) -> str:
    del prompt
    return ", ".join(str(len(blobs(images[0], [hue]))) for hue in COLOURS)


def _shapes(images: list[Picture], prompt: str) -> str:
    del prompt
    kinds = [blob.kind for blob in blobs(images[0], SHAPE_HUES)]
    return ", ".join(str(kinds.count(kind)) for kind in KINDS)


def _plank(images: list[Picture], prompt: str) -> str:
    del prompt
    height = mask(images[0], PLANK).sum(axis=1).argmax()
    above = [blob.y < height for blob in blobs(images[0], PLANK_HUES)]
    return f"{sum(above)}, {len(above) - sum(above)}"


SOLVERS = {
    "Count all circles": _circles,
    "Count the circles of each colour": _coloured,
    "Count the circles, the triangles and the squares": _shapes,
    "Count the circles above the plank": _plank,
}
