"""Graph Counting."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from isovist.evaluation.models.baselines.pixel_solvers.perceptv.connected_components import Blob, Picture, blobs, mask
from isovist.suites.perceptv.graphs import INK, NODE_HUES

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


SOLVERS = {"Count the nodes and the edges of the graph": _graph}
