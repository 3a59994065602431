"""Random placement of circles that do not touch and stay inside their fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.core.drawing2d import Point
from isovist.core.rng import Rng
from isovist.core.task import RejectSample

_TRIES = 400  # attempts per circle; at the densities in use a few are enough


@dataclass(frozen=True, slots=True)
class Field:
    """A rectangle in drawing units."""

    left: float
    bottom: float
    right: float
    top: float


def scatter(rng: Rng, fields: Sequence[Field], radii: Sequence[float], gap: float) -> list[Point]:
    """Sample a position for each circle in its own field, at least `gap` from every other circle and from the field's edge.

    Large circles are placed first. Positions are uniform over the free ones, and rounded to 0.0001.
    Raises RejectSample if there is no position for a circle.
    """
    places: dict[int, Point] = {}
    for i in sorted(range(len(radii)), key=lambda i: -radii[i]):
        field, r = fields[i], radii[i]
        edge = r + gap
        for _ in range(_TRIES):
            x = round(rng.uniform(field.left + edge, field.right - edge), 4)
            y = round(rng.uniform(field.bottom + edge, field.top - edge), 4)
            if all((x - a) ** 2 + (y - b) ** 2 >= (r + radii[j] + gap) ** 2 for j, (a, b) in places.items()):
                places[i] = (x, y)
                break
        else:
            raise RejectSample
    return [places[i] for i in range(len(radii))]
