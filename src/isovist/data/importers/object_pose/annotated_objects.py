"""Annotated objects and photographs, the common output of all dataset readers.

Camera frame: right-handed, x to the right of the image, y up, **z out of the image**, toward the viewer.
Pixels: x to the right, y down, from the upper left corner. Only directions are used, so lengths may have any unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from isovist.core.rotation import Matrix, Vector
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.object_pose.category_map import PoseCategory

UP: Vector = (0.0, 1.0, 0.0)

_SKEW = 0.05


@dataclass(frozen=True, slots=True)
class Box:
    """Bounding box of an object in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        return max(self.right - self.left, 0.0) * max(self.bottom - self.top, 0.0)

    def common(self, other: Box) -> float:
        """Return the area of the intersection with another box, in square pixels."""
        return Box(max(self.left, other.left), max(self.top, other.top), min(self.right, other.right), min(self.bottom, other.bottom)).area


@dataclass(frozen=True, slots=True)
class AnnotatedObject:
    """An object in a photograph."""

    number: int
    """Index in its file, for reports."""
    kind: PoseCategory
    box: Box
    front: Vector | None = None
    """Facing direction in the camera frame; None for an object without a front."""
    at: Vector = (0.0, 0.0, -1.0)
    """Position relative to the camera. If the format has none: straight ahead."""
    up: Vector = UP
    """Up direction in the camera frame: against gravity, and of the object itself."""
    hidden: float | None = None
    """Occluded proportion; None if the format has none. Then it is estimated from the boxes."""
    span: float | None = None
    """Length of the diagonal, in the unit of `at`, if known."""
    coarse: bool = False
    """The direction is known to four classes only, so only coarse questions are possible."""
    rotational_symmetry: str = ""
    """Objects of the same name have the same unknown front direction, so two of them can be compared. Empty: not applicable."""


@dataclass(frozen=True, slots=True)
class AnnotationLine:
    """An annotation: an object, or the reason why it is unusable. An unusable one may still occlude others by its `box`."""

    number: int
    seen: AnnotatedObject | None = None
    fault: Unusable | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Photograph:
    """A photograph with its annotations. `picture`: its path; `file`: path of the annotation file relative to the folder."""

    file: str
    picture: Path
    lines: tuple[AnnotationLine, ...]
    size: tuple[int, int] | None = None
    """Width and height in pixels to which the annotations refer; None if they are not stated."""


@dataclass(frozen=True, slots=True)
class Source:
    """A dataset with annotations that can be read."""

    name: str
    title: str
    home: str
    tasks: tuple[str, ...]
    """The tasks for which the paper uses this dataset."""
    files: str
    """A glob that matches the end of the paths of annotation files."""
    wanted: str
    """A description of the expected files, for messages."""
    read: Callable[..., Iterable[Photograph] | None]
    """Read a file, given by path and by path relative to the folder; None for another kind of file.

    Labels are the third argument, if any.
    """
    labels: Callable[[Path], Any] | None = None
    """Read the label file, if the dataset needs one."""
    natural: bool = True
    """Whether the images are photographs, not rendered images."""


def numbers(values: Any, count: int, noun: str) -> tuple[float, ...]:
    """Check a list of finite numbers. Raises Unusable."""
    listed: list[Any] = [*cast("list[Any]", values)] if isinstance(values, list | tuple) else []
    if len(listed) != count or not all(isinstance(v, int | float) and not isinstance(v, bool) and isfinite(v) for v in listed):
        raise Unusable(f"the {noun} is not {count} numbers", ascii(listed)[:60])
    return tuple(float(v) for v in listed)


def line(number: int, read: Callable[[], AnnotatedObject], box: Callable[[], Box | None] = lambda: None) -> AnnotationLine:
    """Read one annotation. `box` is called only if it is unusable."""
    try:
        return AnnotationLine(number, read())
    except Unusable as fault:
        try:
            return AnnotationLine(number, fault=fault, box=box())
        except Unusable:
            return AnnotationLine(number, fault=fault)


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
