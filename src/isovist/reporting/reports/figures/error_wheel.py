"""Error wheels: the direction of errors relative to the key, for tasks whose options are eight directions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, isnan, radians, sin
from xml.etree.ElementTree import Element

from isovist.core.option_angles import OptionAngles
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.reports.figures.svg import INK, PAPER, RULE, SOFT, add, canvas, text, tooltip, written
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import RUN, TASK, Column, Table

STEPS = (45, 90, 135, 180, -135, -90, -45)
"""The errors, clockwise from the key."""


@dataclass(slots=True)
class Wheel:
    """One angle of one task in one run."""

    task: str
    name: str
    positive: str
    """The meaning of a positive error."""
    n_correct: int = 0
    unparsed: int = 0
    """Responses without an angle."""
    counts: Counter[int] = field(default_factory=Counter[int])
    """Errors by angle in degrees."""
    expected: dict[int, float] = field(default_factory=lambda: dict.fromkeys(STEPS, 0.0))
    """The counts expected for a uniform choice among the distractors."""
    option_angles: set[float] = field(default_factory=set[float])

    @property
    def n_errors(self) -> int:
        return self.counts.total()

    @property
    def caption(self) -> str:
        excluded = f" Excluded: {self.unparsed} responses without an angle." if self.unparsed else ""
        return (
            f"{self.n_errors} errors by angle from the key ({self.name}; {self.positive} is on the right). Dashed: uniform choice among "
            f"distractors.{excluded}"
        )

    def add(self, angles: OptionAngles, key: int, chosen: int | None) -> None:
        self.option_angles.update(angle % 360 for angle in angles.angles_deg if angle is not None)
        error = None if chosen is None else angles.error(chosen, key)
        if error is None:
            self.unparsed += 1
        elif chosen == key:
            self.n_correct += 1
        else:
            self.counts[round(error)] += 1
            errors = [angles.error(place, key) for place in range(len(angles.angles_deg)) if place != key]
            possible = [round(other) for other in errors if other is not None]
            for other in possible:
                self.expected[other] = self.expected.get(other, 0.0) + 1 / len(possible)


def wheels(task: TaskResult) -> list[Wheel]:
    """The wheels of a task: of angles whose options are exactly the eight directions."""
    by_angle: dict[tuple[str, str], Wheel] = {}
    keys, chosen = task.scored.column("key_place").tolist(), task.scored.column("chosen_place").tolist()
    for place, name, angles in task.scored.quantities:
        if angles.is_circular and angles.angles_deg[int(keys[place])] is not None:
            wheel = by_angle.setdefault((name, angles.positive_direction), Wheel(task.task, name, angles.positive_direction))
            wheel.add(angles, int(keys[place]), None if isnan(chosen[place]) else int(chosen[place]))
    directions = {45.0 * step for step in range(len(STEPS) + 1)}
    return [wheel for wheel in by_angle.values() if wheel.option_angles == directions]


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """The CSV file; the figures are in the sections of the tasks."""
    rows = [
        (
            run.name,
            wheel.task,
            wheel.name,
            error,
            wheel.counts[error],
            wheel.expected[error],
            wheel.n_errors,
            wheel.n_correct,
            wheel.unparsed,
        )
        for run in runs
        for task in run.tasks
        for wheel in wheels(task)
        for error in STEPS
    ]
    columns = [RUN, TASK, *map(Column, ("angle", "error_deg", "count", "expected", "n_errors", "n_correct", "unparsed"))]
    return [Section("Error wheels", files={"error_wheel.csv": Table(columns, rows)})]


_WIDTH, _HEIGHT, _HUB, _RIM, _HALF = 352, 300, 34.0, 100.0, 17.0  # pixels, and half the width of a spoke in degrees


def draw(wheel: Wheel, hue: str) -> str:
    """The key is at the top. The length of a spoke is the share of errors with that angle; a dashed mark is the expected share."""
    svg = canvas(_WIDTH, _HEIGHT, f"Errors by angle from the key: {wheel.task}, {wheel.name}")
    centre = _WIDTH / 2, 132.0
    n = wheel.n_correct + wheel.n_errors
    largest = max(1, *wheel.counts.values(), *wheel.expected.values())
    add(svg, "circle", cx=centre[0], cy=centre[1], r=_RIM, fill="none", stroke=RULE)
    for error in STEPS:
        count, expected = wheel.counts[error], wheel.expected[error]
        if count:
            spoke = add(svg, "path", d=_sector(centre, error, _length(count / largest)), fill=hue, fill_opacity="0.85")
            tooltip(spoke, f"{_degrees(error)}: {count} of {wheel.n_errors} errors; expected: {expected:.1f}")
        if expected:
            edge = add(svg, "path", d=_arc(centre, error, _length(expected / largest)), fill="none", stroke=INK, stroke_width=1.6)
            edge.set("stroke-dasharray", "4 2")
        _label(svg, centre, error, f"{100 * count / wheel.n_errors:.0f}%" if wheel.n_errors else "-", str(count))
    add(svg, "line", x1=centre[0], x2=centre[0], y1=centre[1] - _HUB, y2=centre[1] - _RIM, stroke=INK, stroke_width=1.2)
    text(svg, centre[0], centre[1] - _RIM - 8, "key", 11.5, "middle", INK, font_weight="600")
    add(svg, "circle", cx=centre[0], cy=centre[1], r=_HUB, fill=PAPER, stroke=RULE)
    text(svg, centre[0], centre[1] - 1, f"{100 * wheel.n_correct / n:.0f}%" if n else "-", 14, "middle", INK, font_weight="600")
    text(svg, centre[0], centre[1] + 13, "correct", 10.5, "middle", SOFT)
    return written(svg)


def _length(share: float) -> float:
    return _HUB + (_RIM - _HUB) * share


def _at(centre: tuple[float, float], angle: float, far: float) -> str:
    """A point at a distance from the centre; the angle is clockwise from the top."""
    x, y = centre[0] + far * sin(radians(angle)), centre[1] - far * cos(radians(angle))
    return f"{x:.2f} {y:.2f}"


def _arc(centre: tuple[float, float], angle: float, far: float) -> str:
    return f"M {_at(centre, angle - _HALF, far)} A {far:.2f} {far:.2f} 0 0 1 {_at(centre, angle + _HALF, far)}"


def _sector(centre: tuple[float, float], angle: float, far: float) -> str:
    back = f"A {_HUB} {_HUB} 0 0 0 {_at(centre, angle - _HALF, _HUB)}"
    return f"{_arc(centre, angle, far)} L {_at(centre, angle + _HALF, _HUB)} {back} Z"


def _label(svg: Element, centre: tuple[float, float], error: int, share: str, count: str) -> None:
    """The share of an error outside the rim, with its angle and count below."""
    x, y = (float(number) for number in _at(centre, error, _RIM + 20).split())
    anchor = "middle" if error == 180 else "start" if error > 0 else "end"
    x += 0 if error == 180 else -8 if error > 0 else 8
    text(svg, x, y, share, 12, anchor, INK, font_weight="600")
    text(svg, x, y + 13, f"{_degrees(error)}: {count}", 10, anchor, SOFT)


def _degrees(error: int) -> str:
    return "±180°" if error == 180 else f"{error:+d}°".replace("-", "−")
