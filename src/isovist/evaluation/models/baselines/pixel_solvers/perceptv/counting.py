"""Counting Circles, Count Coloured Circles, Counting Shapes, Counting Locations, Graph Counting, Circle Location, Circle Boxes."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from isovist.core.answers import LETTERS
from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Blob, Picture, blobs, mask
from isovist.suites.perceptv.counting import COLOURS, PLANK, PLANK_HUES, SHAPE_HUES
from isovist.suites.perceptv.graphs import INK, NODE_HUES
from isovist.suites.perceptv.locations import HUES, QUADRANTS, RULE
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


_SMALLEST = 150  # pixels of a node
_RIM = 4  # pixels around a node where its colour mixes with that of an edge
_LINED = 0.97  # least fraction of ink along an edge


def _graph(images: list[Picture], prompt: str) -> str:
    del prompt
    nodes = [blob for blob in blobs(images[0], NODE_HUES) if blob.area > _SMALLEST]
    ink = mask(images[0], INK)

    def joined(a: Blob, b: Blob) -> bool:
        length = float(np.hypot(b.x - a.x, b.y - a.y))
        rim = (a.width + b.width) / 4 + _RIM
        along = np.linspace(rim / length, 1 - rim / length, int(length))
        rows, columns = a.y + along * (b.y - a.y), a.x + along * (b.x - a.x)
        return bool(ink[np.rint(rows).astype(int), np.rint(columns).astype(int)].mean() > _LINED)

    return f"{len(nodes)}, {sum(joined(a, b) for a, b in combinations(nodes, 2))}"


def _quadrant(images: list[Picture], prompt: str) -> str:
    del prompt
    (picture,) = images
    ink = mask(picture, RULE)
    y, x = ink.sum(axis=1).argmax(), ink.sum(axis=0).argmax()
    places = [2 * (blob.y > y) + (blob.x > x) for blob in blobs(picture, HUES)]
    return LETTERS[max(range(len(QUADRANTS)), key=places.count)]


def _boxes(images: list[Picture], prompt: str) -> str:
    del prompt
    (picture,) = images
    x = mask(picture, RULE).sum(axis=0).argmax()
    left = [blob.x < x for blob in blobs(picture, HUES)]
    return str(abs(2 * sum(left) - len(left)) // 2)


SOLVERS = {
    "Count all circles": _circles,
    "Count the circles of each colour": _coloured,
    "Count the circles, the triangles and the squares": _shapes,
    "Count the circles above the plank": _plank,
    "Count the nodes and the edges of the graph": _graph,
    "Which quadrant contains the most circles": _quadrant,
    "must move to the other box": _boxes,
}
