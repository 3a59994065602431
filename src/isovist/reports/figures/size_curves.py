"""The small multiples of a report: accuracy against size, one panel a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from isovist.analysis.level_results import SizeLevels
from isovist.reports.figures.svg import INK, PAPER, RULE, SOFT, add, canvas, text, tooltip, written

_WIDTH, _LEFT, _RIGHT, _TOP, _TALL, _LINE = 312, 40, 12, 30, 150, 16
_STEPS = 80  # straight pieces of a curve


@dataclass(frozen=True, slots=True)
class _Axes:
    """Where sizes and shares lie in a panel."""

    smallest: int
    largest: int

    def x(self, size: float) -> float:
        return _LEFT + 6 + (_WIDTH - _LEFT - _RIGHT - 12) * (size - self.smallest) / max(1, self.largest - self.smallest)

    def y(self, share: float) -> float:
        return _TOP + _TALL * (1 - share)

    def points(self, places: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(size):.2f},{self.y(share):.2f}" for size, share in places)


def panel(task: str, curves: Sequence[tuple[SizeLevels, str]]) -> str:
    """One task: for each run, with its hue, the accuracies, their intervals, the curve and the half-way size."""
    named = task.partition("/")[2] or task
    axes = _Axes(min(min(levels.tallies) for levels, _ in curves), max(max(levels.tallies) for levels, _ in curves))
    height = _TOP + _TALL + 42 + _LINE * len(curves)
    svg = canvas(_WIDTH, height, f"Accuracy against size in {task}")
    text(svg, _LEFT, 16, named if len(named) <= 32 else f"{named[:31]}…", 13, font_weight="600")
    for share in (0, 50, 100):
        y = axes.y(share / 100)
        add(svg, "line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, stroke=RULE)
        text(svg, _LEFT - 6, y + 4, f"{share}", 10.5, "end", SOFT)
    for size in _ticks(axes.smallest, axes.largest):
        text(svg, axes.x(size), _TOP + _TALL + 15, str(size), 10.5, "middle", SOFT)
    _chance(svg, axes, curves)
    for sized, hue in curves:
        _band(svg, axes, sized, hue)
    for sized, hue in curves:
        _curve(svg, axes, sized, hue)
    for number, (sized, hue) in enumerate(curves):
        y = _TOP + _TALL + 38 + _LINE * number
        add(svg, "circle", cx=_LEFT + 4, cy=y - 4, r=4, fill=hue)
        tooltip(text(svg, _LEFT + 14, y, _words(sized), 11.5), sized.run)
    return written(svg)


def _words(sized: SizeLevels) -> str:
    if sized.tasks > 1:
        return f"withheld: {sized.missing} without a verdict" if sized.missing else f"{sized.tasks} tasks together"
    fall = sized.fall
    if fall is None:
        return sized.halfway
    between = f" ({sized.interval})" if sized.interval != "-" else ""
    return {"within": "half-way at ", "unknown": "half-way: "}.get(fall.range_status, "half-way ") + sized.halfway + between


def _ticks(smallest: int, largest: int) -> list[int]:
    """About five sizes to name, the ends among them."""
    step = next(step for power in range(10) for step in (10**power, 2 * 10**power, 5 * 10**power) if (largest - smallest) / step <= 5)
    inner = range((smallest // step + 1) * step, largest, step)
    room = step / 2  # a name beside an end would run into it
    return [smallest, *(size for size in inner if size - smallest >= room and largest - size >= room), largest]


def _chance(svg: Element, axes: _Axes, curves: Sequence[tuple[SizeLevels, str]]) -> None:
    sized = curves[0][0]  # the chance lies in the items, which several runs share
    places = [(float(size), tally.chance) for size, tally in sized.tallies.items()]
    line = add(svg, "polyline", points=axes.points(places), fill="none", stroke=INK, stroke_dasharray="2 2", stroke_width=1.2)
    low, high = min(chance for _, chance in places), max(chance for _, chance in places)
    tooltip(line, f"chance {100 * low:.1f} %" if f"{low:.3f}" == f"{high:.3f}" else f"chance {100 * low:.1f} to {100 * high:.1f} %")


def _band(svg: Element, axes: _Axes, sized: SizeLevels, hue: str) -> None:
    """The intervals, as a band from size to size."""
    known = [(size, accuracy) for size, tally in sized.tallies.items() if (accuracy := tally.accuracy)]
    if not known:
        return
    around = [(float(size), interval.high) for size, interval in known] + [
        (float(size), interval.low) for size, interval in reversed(known)
    ]
    add(svg, "polygon", points=axes.points(around), fill=hue, fill_opacity="0.13")
    for size, interval in known:
        dot = add(svg, "circle", cx=axes.x(size), cy=axes.y(interval.estimate), r=2.4, fill=hue, fill_opacity="0.75")
        span = f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"
        tooltip(dot, f"{sized.run}, size {size}: {100 * interval.estimate:.1f} % ({span}), n = {len(sized.tallies[size].values)}")


def _curve(svg: Element, axes: _Axes, sized: SizeLevels, hue: str) -> None:
    """The fitted curve, with the half-way size and its interval on it; an arrow says that the interval goes on."""
    fall = sized.fall
    if fall is None or fall.curve is None:
        return
    curve = fall.curve
    sizes, chances = [float(size) for size in sized.tallies], [tally.chance for tally in sized.tallies.values()]

    def at(size: float) -> float:
        return curve.at(size, float(np.interp(size, sizes, chances)))

    places = [(float(size), at(float(size))) for size in np.linspace(fall.smallest, fall.largest, _STEPS + 1)]
    add(svg, "polyline", points=axes.points(places), fill="none", stroke=hue, stroke_width=1.8, stroke_linejoin="round")
    if fall.low is None and fall.high is None:
        return
    low, high = fall.low or fall.smallest, fall.high or fall.largest
    middle = min(max(curve.halfway, low), high)
    y, left, right = axes.y(at(middle)), axes.x(low), axes.x(high)
    add(svg, "line", x1=left, x2=right, y1=y, y2=y, stroke=hue, stroke_width=2.4)
    for end, out, closed in ((left, -1, fall.low), (right, 1, fall.high)):
        if closed is not None:
            add(svg, "line", x1=end, x2=end, y1=y - 4, y2=y + 4, stroke=hue, stroke_width=2.4)
        else:
            add(svg, "path", d=f"M{end + 6 * out:.2f} {y:.2f} l{-7 * out} -4.5 v9 z", fill=hue)
    if fall.threshold is not None:
        dot = add(svg, "circle", cx=axes.x(fall.threshold), cy=y, r=4.6, fill=hue, stroke=PAPER, stroke_width=1.4)
        tooltip(dot, f"{sized.run}: half-way to chance at size {sized.halfway} ({sized.interval})")
