"""An object in a photograph, as the readers of all data sets tell it.

Frame of a camera, for all of them: right-handed, x to the right of the picture, y up, **z out of the picture**, towards the viewer.
Pixels: x to the right, y down, from the upper left corner. Only directions matter here, so lengths may have any unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, cast

from isovist.core.rotation import Vector
from isovist.importers.benchmark_format import Unusable
from isovist.importers.object_pose.category_map import PoseCategory

UP: Vector = (0.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Box:
    """What an object takes of a picture, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        return max(self.right - self.left, 0.0) * max(self.bottom - self.top, 0.0)

    def common(self, other: Box) -> float:
        """The area that both have in common."""
        return Box(max(self.left, other.left), max(self.top, other.top), min(self.right, other.right), min(self.bottom, other.bottom)).area


@dataclass(frozen=True, slots=True)
class AnnotatedObject:
    """An object of a photograph."""

    number: int
    """Its place in its file, for reports."""
    kind: PoseCategory
    box: Box
    front: Vector | None = None
    """Where its front points; None for one that has none."""
    at: Vector = (0.0, 0.0, -1.0)
    """Where it stands, from the camera. Where a format does not tell, it is taken as straight ahead."""
    up: Vector = UP
    """The direction against gravity, and of the object's own top."""
    hidden: float | None = None
    """The share of it that something else hides; None where the format does not tell: then what boxes tell counts."""
    span: float | None = None
    """Its diagonal, in the unit of `at`, where it is told."""
    coarse: bool = False
    """Its direction is told no finer than by four classes: only coarse questions can be asked."""
    rotational_symmetry: str = ""
    """Which way its front is, is not told, but the same for all of this name: one can be compared with another of them."""


@dataclass(frozen=True, slots=True)
class AnnotationLine:
    """An annotation: what it says, or why it cannot be used. One that cannot be asked about may still hide others by its `box`."""

    number: int
    seen: AnnotatedObject | None = None
    fault: Unusable | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Photograph:
    """A photograph and what is annotated in it. `picture`: its path; `file`: the annotations' path inside the folder."""

    file: str
    picture: Path
    lines: tuple[AnnotationLine, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A data set whose annotations can be read."""

    name: str
    title: str
    home: str
    tasks: tuple[str, ...]
    """Those that the paper asks about it."""
    files: str
    """A glob of the files of annotations, by the end of their paths."""
    wanted: str
    """What is looked for, in words."""
    read: Callable[..., Iterable[Photograph] | None]
    """Reads a file, which is also given by its path inside the folder; None for a file of something else. Labels come third, if any."""
    labels: Callable[[Path], Any] | None = None
    """Reads the file of labels that the set needs."""
    natural: bool = True
    """Photographs, not drawn pictures."""


def numbers(values: Any, count: int, noun: str) -> tuple[float, ...]:
    """A list of finite numbers. Raises Unusable."""
    listed: list[Any] = [*cast("list[Any]", values)] if isinstance(values, list | tuple) else []
    if len(listed) != count or not all(isinstance(v, int | float) and not isinstance(v, bool) and isfinite(v) for v in listed):
        raise Unusable(f"the {noun} is not {count} numbers", ascii(listed)[:60])
    return tuple(float(v) for v in listed)


def line(number: int, read: Callable[[], AnnotatedObject], box: Callable[[], Box | None] = lambda: None) -> AnnotationLine:
    """What reading an annotation gives. `box` is asked for one that cannot be used."""
    try:
        return AnnotationLine(number, read())
    except Unusable as fault:
        try:
            return AnnotationLine(number, fault=fault, box=box())
        except Unusable:
            return AnnotationLine(number, fault=fault)
