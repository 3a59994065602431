"""Rotation matrices in annotation files."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isovist.core.rotation import Matrix
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.object_pose.annotated_objects import numbers

_SKEW = 0.05


def rotation(rows: Any) -> Matrix:
    """Convert three rows to a rotation matrix and remove the scale. Raises Unusable for other matrices, including reflections."""
    if not isinstance(rows, list | tuple) or len(rows) != 3:  # pyright: ignore[reportUnknownArgumentType]
        raise Unusable("no pose", "the rotation is not three rows")
    matrix = np.array([numbers(row, 3, "row of the rotation") for row in rows])  # pyright: ignore[reportUnknownVariableType]
    size = float((matrix[:, 0] ** 2).sum() ** 0.5)
    if size < 1e-9:
        raise Unusable("no pose", "the rotation is zero")
    turn = matrix / size
    if np.abs(turn.T @ turn - np.eye(3)).max() >= _SKEW or np.linalg.det(turn) < 0:
        raise Unusable("no pose", "not a rotation matrix")
    return as_matrix(turn)


def as_matrix(array: NDArray[np.floating]) -> Matrix:
    """Convert an array of shape (3, 3) to tuples."""
    (a, b, c), (d, e, f), (g, h, i) = array.tolist()
    return (a, b, c), (d, e, f), (g, h, i)
