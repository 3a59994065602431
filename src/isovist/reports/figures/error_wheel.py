"""Confusion wheels: in which direction the wrong answers lie from the key, for tasks whose options are eight directions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, radians, sin
from xml.etree.ElementTree import Element

from isovist.analysis.collect import RunResults, TaskResult
from isovist.core.answers import Choice
from isovist.core.option_angles import OptionAngles
from isovist.reports.figures.svg import INK, PAPER, RULE, SOFT, add, canvas, text, tooltip, written
from isovist.reports.tables import as_csv

STEPS = (45, 90, 135, 180, -135, -90, -45)
"""The errors, clockwise from the key."""


@dataclass(slots=True)
class Wheel:
    """One angle of one task in one run."""

    task: str
    name: str
    positive: str
    """What a positive error says."""
    right: int = 0
    unread: int = 0
    counts: Counter[int] = field(default_factory=Counter[int])
    """Of wrong choices, by their error in degrees."""
    expected: dict[int, float] = field(default_factory=lambda: dict.fromkeys(STEPS, 0.0))
    """How often one who chooses among the wrong options alike makes each error, in as many wrong choices."""
    seen: set[float] = field(default_factory=set[float])
    """All angles that options had."""

    @property
    def wrong(self) -> int:
        return self.counts.total()

    @property
    def n(self) -> int:
        """Choices that were read."""
        return self.right + self.wrong


def of(task: TaskResult) -> list[Wheel]:
    """The wheels of a task: of angles that have all eight directions among their options, and no other."""
    wheels: dict[tuple[str, str], Wheel] = {}
    for item in task.evidence:
        for name, dial in item.option_angles.items():
            if isinstance(item.key, Choice) and dial.is_circular and dial.angles_deg[item.key.truth] is not None:
                wheel = wheels.setdefault((name, dial.positive), Wheel(task.task, name, dial.positive))
                _add(wheel, dial, item.key.truth, item.chosen)
    eighths = {45.0 * step for step in range(len(STEPS) + 1)}
    return [wheel for wheel in wheels.values() if wheel.seen == eighths]


def _add(wheel: Wheel, dial: OptionAngles, key: int, chosen: int | None) -> None:
    wheel.seen.update(angle % 360 for angle in dial.angles_deg if angle is not None)
    error = None if chosen is None else dial.error(chosen, key)
    if error is None:
        wheel.unread += 1
    elif chosen == key:
        wheel.right += 1
    else:
        wheel.counts[round(error)] += 1
        wrong = [round(other) for place in range(len(dial.angles_deg)) if place != key and (other := dial.error(place, key)) is not None]
        for other in wrong:
            wheel.expected[other] = wheel.expected.get(other, 0.0) + 1 / len(wrong)


_WIDE, _TALL, _HUB, _RIM, _HALF = 352, 300, 34.0, 100.0, 17.0  # pixels, and half the width of a spoke in degrees


def wheel(wheel: Wheel, hue: str) -> str:
    """Spokes as long as the share of wrong choices with that error; the key is at the top, and a mark across each is a guesser's share."""
    svg = canvas(_WIDE, _TALL, f"Wrong answers around the key: {wheel.task}, {wheel.name}")
    middle = _WIDE / 2, 132.0
    most = max(1, *wheel.counts.values(), *wheel.expected.values())
    add(svg, "circle", cx=middle[0], cy=middle[1], r=_RIM, fill="none", stroke=RULE)
    for error in STEPS:
        count, due = wheel.counts[error], wheel.expected[error]
        if count:
            spoke = add(svg, "path", d=_sector(middle, error, _length(count / most)), fill=hue, fill_opacity="0.85")
            tooltip(spoke, f"{_degrees(error)}: {count} of {wheel.wrong} wrong choices; a guesser {due:.1f}")
        if due:
            edge = add(svg, "path", d=_arc(middle, error, _length(due / most)), fill="none", stroke=INK, stroke_width=1.6)
            edge.set("stroke-dasharray", "4 2")
        _label(svg, middle, error, f"{100 * count / wheel.wrong:.0f} %" if wheel.wrong else "-", str(count))
    add(svg, "line", x1=middle[0], x2=middle[0], y1=middle[1] - _HUB, y2=middle[1] - _RIM, stroke=INK, stroke_width=1.2)
    text(svg, middle[0], middle[1] - _RIM - 8, "key", 11.5, "middle", INK, font_weight="600")
    add(svg, "circle", cx=middle[0], cy=middle[1], r=_HUB, fill=PAPER, stroke=RULE)
    text(svg, middle[0], middle[1] - 1, f"{100 * wheel.right / wheel.n:.0f} %" if wheel.n else "-", 14, "middle", INK, font_weight="600")
    text(svg, middle[0], middle[1] + 13, "right", 10.5, "middle", SOFT)
    return written(svg)


def _length(share: float) -> float:
    return _HUB + (_RIM - _HUB) * share


def _at(middle: tuple[float, float], angle: float, far: float) -> str:
    """A point so far from the middle, its angle clockwise from the top."""
    x, y = middle[0] + far * sin(radians(angle)), middle[1] - far * cos(radians(angle))
    return f"{x:.2f} {y:.2f}"


def _arc(middle: tuple[float, float], angle: float, far: float) -> str:
    return f"M {_at(middle, angle - _HALF, far)} A {far:.2f} {far:.2f} 0 0 1 {_at(middle, angle + _HALF, far)}"


def _sector(middle: tuple[float, float], angle: float, far: float) -> str:
    back = f"A {_HUB} {_HUB} 0 0 0 {_at(middle, angle - _HALF, _HUB)}"
    return f"{_arc(middle, angle, far)} L {_at(middle, angle + _HALF, _HUB)} {back} Z"


def _label(svg: Element, middle: tuple[float, float], error: int, share: str, count: str) -> None:
    """The share of an error outside of the rim, its angle and count below."""
    x, y = (float(number) for number in _at(middle, error, _RIM + 20).split())
    anchor = "middle" if error == 180 else "start" if error > 0 else "end"
    x += 0 if error == 180 else -8 if error > 0 else 8
    text(svg, x, y, share, 12, anchor, INK, font_weight="600")
    text(svg, x, y + 13, f"{_degrees(error)}: {count}", 10, anchor, SOFT)


def _degrees(error: int) -> str:
    return "±180°" if error == 180 else f"{error:+d}°".replace("-", "−")


def caption(wheel: Wheel) -> str:
    """What the wheel shows."""
    also = f" {wheel.unread} without an angle are left out." if wheel.unread else ""
    return (
        f"{wheel.wrong} wrong answers by their angle from the key ({wheel.name}; {wheel.positive} is to the right). Dashed: one who chooses among the "
        f"wrong options alike.{also}"
    )


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a run, task, angle and error."""
    rows: list[Sequence[object]] = []
    for run in runs:
        for wheel in (wheel for task in run.tasks for wheel in of(task)):
            rows += [
                [
                    run.name,
                    wheel.task,
                    wheel.name,
                    error,
                    wheel.counts[error],
                    wheel.expected[error],
                    wheel.wrong,
                    wheel.right,
                    wheel.unread,
                ]
                for error in STEPS
            ]
    return as_csv(["run", "task", "angle", "error", "count", "expected", "wrong", "right", "unread"], rows)
