"""Letters in images of 3-D scenes: of objects that are options, and of images that are options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class ObjectLabel:
    """A letter on a white disc above the visible part of an object, given by its index in `Scene3D.objects`. `colour`: of the letter."""

    object_index: int
    letter: str
    colour: str = "#1a1a1a"


@dataclass(frozen=True, slots=True)
class ImageLabel:
    """A letter on a white disc in the upper left corner of the image. `colour`: of the letter."""

    letter: str
    colour: str = "#1a1a1a"
    object_index: ClassVar[int] = 0
    """Audits measure objects with a marker: for an image with a letter, the first object."""
