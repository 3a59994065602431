"""The verifier of chains about folded paper: it opens the paper again from the drawn shapes, by mirroring points in drawn lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isovist.core.answers import Answer
from isovist.core.drawing2d import Point
from isovist.reasoning.verifier import step_errors
from isovist.suites.srbench.cot_folding import EDGE, nearest, steps

Shape = tuple[Point, ...]
"""The corners of a drawn piece of paper, in squares of the grid."""


@dataclass(frozen=True, slots=True)
class DrawnFold:
    """A sheet of the top row with its fold: the ends of the crease, the paper that stays, and the grey paper; in squares of the grid."""

    crease: tuple[Point, Point]
    stays: tuple[Shape, ...]
    grey: tuple[Shape, ...]

    def mirrored(self, spot: Point) -> Point:
        """The mirror image of a point in the crease."""
        (ax, ay), (bx, by) = self.crease
        ex, ey = bx - ax, by - ay
        along = ((spot[0] - ax) * ex + (spot[1] - ay) * ey) / (ex * ex + ey * ey)
        return 2 * (ax + along * ex) - spot[0], 2 * (ay + along * ey) - spot[1]

    @property
    def way(self) -> str:
        """The way that the crease runs."""
        (ax, ay), (bx, by) = self.crease
        if abs(ax - bx) < EDGE:
            return "vertical"
        if abs(ay - by) < EDGE:
            return "horizontal"
        return "rising" if (bx - ax) * (by - ay) > 0 else "falling"

    @property
    def squares(self) -> int:
        """Where the crease runs: its x, its y, or what x + y or x - y comes to on it."""
        x, y = self.crease[0]
        return round({"vertical": x, "horizontal": y, "falling": x + y, "rising": x - y}[self.way])

    @property
    def flap(self) -> str:
        """On which side of the crease the grey paper lies, by the middle of its corners."""
        corners = [corner for shape in self.grey for corner in shape]
        x, y = (sum(corner[axis] for corner in corners) / len(corners) for axis in (0, 1))
        u, v = self.mirrored((x, y))
        right, up = x - u, y - v
        words = ["upper" if up > EDGE else "lower" if up < -EDGE else "", "right" if right > EDGE else "left" if right < -EDGE else ""]
        return " ".join(word for word in words if word)

    def opened(self, hole: Point) -> tuple[Point | None, Point | None]:
        """The hole if it is in paper that stays, and its mirror image if it is in grey paper."""
        over = self.mirrored(hole)
        return hole if _on(hole, self.stays) else None, over if _on(over, self.grey) else None


def replay(folds: Sequence[DrawnFold], holes: Sequence[Point], options: Mapping[str, Sequence[Point]], key: Answer, text: str) -> list[str]:
    """What is wrong with a chain about these drawn folds, holes in the folded paper, and sheets to choose from by letter."""
    opened = list(holes)
    for fold in reversed(folds):
        places = [place for hole in opened for place in fold.opened(hole) if place]
        opened = list({nearest(place): place for place in places}.values())  # on a crease both are one
    fits = [letter for letter, option in options.items() if _same(opened, option)]
    if [f"sheet {letter}" for letter in fits] != [key.balance_bin()]:
        return [f"sheets {fits} are what comes out, not the key alone"]
    return step_errors(text, steps(folds, holes, options, fits[0]), key)


def _same(opened: Sequence[Point], option: Sequence[Point]) -> bool:
    """Whether an option shows just the holes that come out."""
    return len(option) == len(opened) and all(any(abs(x - u) + abs(y - v) < 2 * EDGE for u, v in option) for x, y in opened)


def _on(spot: Point, shapes: Sequence[Shape]) -> bool:
    return any(_inside(spot, shape) for shape in shapes)


def _inside(spot: Point, shape: Shape) -> bool:
    """Whether a point lies in a polygon: to its right, an odd number of sides cross its height."""
    x, y = spot
    crossings = 0
    for (ax, ay), (bx, by) in zip(shape, (*shape[1:], shape[0]), strict=True):
        if (ay > y) != (by > y) and ax + (y - ay) * (bx - ax) / (by - ay) > x:
            crossings += 1
    return crossings % 2 == 1
