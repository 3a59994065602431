"""The verifier of chains about folded paper: it opens the paper again from the drawn shapes, by mirroring points in drawn lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from isovist.core.answers import Answer
from isovist.core.drawing2d import Point
from isovist.reasoning.templates import Step, parse_chain
from isovist.scenes.folded_paper import Spot
from isovist.suites.srbench.cot_folding import ALL, near

Shape = tuple[Point, ...]
"""The corners of a drawn piece of paper, in squares of the grid."""
_EDGE = 1e-3
"""Squares by which drawn points may be off."""


@dataclass(frozen=True, slots=True)
class DrawnFold:
    """A sheet of the top row with its fold: the ends of the crease, the paper that stays, and the grey paper; in squares of the grid."""

    crease: tuple[Point, Point]
    stays: tuple[Shape, ...]
    grey: tuple[Shape, ...]

    @property
    def paper(self) -> tuple[Shape, ...]:
        return self.stays + self.grey

    def mirrored(self, spot: Point) -> Point:
        """The mirror image of a point in the crease."""
        (ax, ay), (bx, by) = self.crease
        ex, ey = bx - ax, by - ay
        along = ((spot[0] - ax) * ex + (spot[1] - ay) * ey) / (ex * ex + ey * ey)
        return 2 * (ax + along * ex) - spot[0], 2 * (ay + along * ey) - spot[1]

    def flap(self) -> str:
        """On which side of the crease the grey paper lies, by the middle of its corners."""
        corners = [corner for shape in self.grey for corner in shape]
        x, y = (sum(corner[axis] for corner in corners) / len(corners) for axis in (0, 1))
        u, v = self.mirrored((x, y))
        right, up = x - u, y - v
        words = ["upper" if up > _EDGE else "lower" if up < -_EDGE else "", "right" if right > _EDGE else "left" if right < -_EDGE else ""]
        return " ".join(word for word in words if word)

    def line(self) -> str:
        """The kind of line that the crease is."""
        (ax, ay), (bx, by) = self.crease
        if abs(ax - bx) < _EDGE:
            return "upright line"
        if abs(ay - by) < _EDGE:
            return "level line"
        return "rising diagonal" if (bx - ax) * (by - ay) > 0 else "falling diagonal"


def replay(folds: Sequence[DrawnFold], holes: Sequence[Point], options: dict[str, list[Point]], key: Answer, text: str) -> list[str]:
    """What is wrong with a chain about these drawn folds, holes in the folded paper, and sheets to choose from by letter."""
    steps, faults = parse_chain(text, ALL, key)
    if faults:
        return faults
    due = ["grid", "punched", *["crease", "opened"] * len(folds), "open", *["wrong"] * (len(options) - 1), "fits"]
    if [{"lacks": "wrong", "extra": "wrong"}.get(step.statement, step.statement) for step in steps] != due:
        return ["its steps are not those that open the paper fold by fold and then look at each sheet"]
    opened = {_nearest(hole): hole for hole in holes}
    faults += _lists(steps[1], opened)
    for number, fold in reversed(list(enumerate(folds, 1))):
        crease, changed = steps[2 + 2 * (len(folds) - number)], steps[3 + 2 * (len(folds) - number)]
        faults += _creased(crease, number, fold)
        more, opened = _changed(changed, fold, opened)
        faults += more
    steps = steps[2 + 2 * len(folds) :]
    faults += _lists(steps[0], opened)
    return faults + _compared(steps[1:], opened, options, key)


def _nearest(hole: Point) -> Spot:
    x, y = (floor(v + 0.5 + _EDGE) for v in hole)
    return x, y


def _spots(text: str) -> list[Spot]:
    return [(int(x), int(y)) for x, y in re.findall(r"\((\d+), (\d+)\)", text)]


def _lists(step: Step, spots: dict[Spot, Point]) -> list[str]:
    right = step.number("count") == len(spots) and _spots(step["spots"]) == sorted(spots)
    return [] if right else [f"{step.line!r}: the holes are {sorted(spots)}"]


def _creased(step: Step, number: int, fold: DrawnFold) -> list[str]:
    faults: list[str] = []
    if step.number("number") != number or step["flap"] != fold.flap():
        faults.append(f"{step.line!r}: it is fold {number}, of the {fold.flap()} part")
    if fold.line() not in step["line"] or not all(_lies_on(step["line"], *end) for end in fold.crease):
        faults.append(f"{step.line!r}: the crease is another line")
    for spot in ((3.0, 5.0), (11.0, 4.0), (6.0, 27.0)):
        x, y = fold.mirrored(spot)
        if abs(_worth(step["x"], *spot) - x) + abs(_worth(step["y"], *spot) - y) > _EDGE:
            return [*faults, f"{step.line!r}: that is not how the crease mirrors"]
    return faults


def _lies_on(line: str, x: float, y: float) -> bool:
    """Whether the equation at the end of a told line holds."""
    left, right = re.sub(r"^[a-z ]*?(?=[xy] )", "", line).split(" = ")
    return abs(_worth(left, x, y) - _worth(right, x, y)) < _EDGE


def _worth(term: str, x: float, y: float) -> float:
    """The value of a sum or difference of x, y and numbers."""
    parts = re.findall(r"([+-]?) ?(\d+|[xy])", term)
    return sum((-1 if sign == "-" else 1) * {"x": x, "y": y}.get(part, float(part) if part.isdecimal() else 0.0) for sign, part in parts)


def _changed(step: Step, fold: DrawnFold, before: dict[Spot, Point]) -> tuple[list[str], dict[Spot, Point]]:
    """Faults of a step that opens a fold, and the holes afterwards."""
    after: dict[Spot, Point] = {}
    due: list[str] = []
    for spot in sorted(before):
        hole, over = before[spot], fold.mirrored(before[spot])
        x, y = fold.mirrored(spot)
        image = round(x), round(y)
        stays, goes = _on(hole, fold.stays), _on(over, fold.grey)
        after |= {spot: hole} if stays else {}
        after |= {image: over} if goes else {}
        due.append(f"{spot} opens at {image} too" if stays and goes else f"{spot} goes to {image}" if goes else f"{spot} stays alone")
    right = ", ".join(due)
    return [] if step["changes"] == right else [f"{step.line!r}: in truth {right}"], after


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


def _compared(steps: Sequence[Step], opened: dict[Spot, Point], options: dict[str, list[Point]], key: Answer) -> list[str]:
    """Faults of the steps that look at each sheet, and of the one that is left."""
    letters = [step["letter"] for step in steps[:-1]]
    faults = [] if letters == sorted(letters) else ["it does not take the sheets in the order of their letters"]
    left = dict(options)
    for step in steps[:-1]:
        shown = left.pop(step["letter"], None)
        if shown is None:
            faults.append(f"{step.line!r}: no such sheet is left")
            continue
        (spot,) = _spots(step["spot"])
        is_shown, belongs = near(spot, shown), near(spot, list(opened.values()))
        known = spot in opened if step.statement == "lacks" else spot in {_nearest(hole) for hole in shown}
        if not known or (is_shown, belongs) != ((False, True) if step.statement == "lacks" else (True, False)):
            faults.append(f"{step.line!r}: it is not so")
    fits = left.get(steps[-1]["letter"], [])
    same = len(fits) == len(opened) and all(any(abs(x - u) + abs(y - v) < 2 * _EDGE for u, v in fits) for x, y in opened.values())
    if not same or key.balance_bin() != f"sheet {steps[-1]['letter']}":
        faults.append(f"{steps[-1].line!r}: it is not the sheet that comes out")
    return faults
