"""Random placement of circles that do not touch and stay inside their fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.core.drawing2d import Point
from isovist.core.rng import Rng
from isovist.core.task import RejectSample

_TRIES = 400  # attempts per circle; at the densities in use a few are enough

Placed = tuple[float, float, float]
"""The position of a point, and the least distance of another one from it."""


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
        placed = [(x, y, r + radii[j] + gap) for j, (x, y) in places.items()]
        nearly = before_rounding(placed)
        for _ in range(_TRIES):
            at = rng.uniform(field.left + edge, field.right - edge), rng.uniform(field.bottom + edge, field.top - edge)
            if not is_free(at, nearly):
                continue
            at = round(at[0], 4), round(at[1], 4)
            if is_free(at, placed):
                places[i] = at
                break
        else:
            raise RejectSample
    return [places[i] for i in range(len(radii))]


def is_free(at: Point, placed: Sequence[Placed]) -> bool:
    """Whether a point is at least the stated distance from each of the placed points."""
    x, y = at
    for a, b, apart in placed:  # noqa: SIM110 - `all` with a generator takes twice the time
        if -apart < x - a < apart and (x - a) ** 2 + (y - b) ** 2 < apart**2:
            return False
    return True


def before_rounding(placed: Sequence[Placed]) -> list[Placed]:
    """The placed points, with the distances within which a point is not free after rounding to 0.0001 either.

    Most positions are not free, and rounding a position takes longer than this check.
    """
    return [(x, y, max(0.0, apart - 1e-4)) for x, y, apart in placed]
