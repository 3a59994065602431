"""Small multiples of accuracy by problem size, one panel for each task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from isovist.reporting.analysis.level_results import SizeLevels
from isovist.reporting.analysis.text_format import not_scored
from isovist.reporting.reports.figures.svg import INK, RULE, SOFT, RunMark, add, canvas, marker, shortened, text, tooltip, written
from isovist.reporting.reports.table import ci_text

_WIDTH, _LEFT, _RIGHT, _TOP, _TALL, _LINE = 312, 40, 12, 30, 150, 16
MANY_CURVES = 4
"""Above so many runs, a panel has their curves and thresholds alone: bands would hide each other."""
_STEPS = 80  # straight pieces of a curve


@dataclass(frozen=True, slots=True)
class _Axes:
    """The pixel places of sizes and accuracies in a panel."""

    smallest: int
    largest: int

    def x(self, size: float) -> float:
        return _LEFT + 6 + (_WIDTH - _LEFT - _RIGHT - 12) * (size - self.smallest) / max(1, self.largest - self.smallest)

    def y(self, share: float) -> float:
        return _TOP + _TALL * (1 - share)

    def points(self, places: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(size):.2f},{self.y(share):.2f}" for size, share in places)


def panel(task: str, curves: Sequence[tuple[SizeLevels, RunMark]]) -> str:
    """One task: for each run, with its mark, the accuracies, their 95% CIs, the curve and the size threshold."""
    named = task.partition("/")[2] or task
    axes = _Axes(min(min(levels.rows) for levels, _ in curves), max(max(levels.rows) for levels, _ in curves))
    height = _TOP + _TALL + 42 + _LINE * len(curves)
    svg = canvas(_WIDTH, height, f"Accuracy by size in {task}")
    text(svg, _LEFT, 16, shortened(named, _WIDTH - _LEFT, 13), 13, font_weight="600")
    for share in (0, 50, 100):
        y = axes.y(share / 100)
        add(svg, "line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, stroke=RULE)
        text(svg, _LEFT - 6, y + 4, f"{share}", 10.5, "end", SOFT)
    for size in _ticks(axes.smallest, axes.largest):
        text(svg, axes.x(size), _TOP + _TALL + 15, str(size), 10.5, "middle", SOFT)
    _chance(svg, axes, curves)
    for sized, mark in curves if len(curves) <= MANY_CURVES else ():
        _band(svg, axes, sized, mark)
    for sized, mark in curves:
        _curve(svg, axes, sized, mark)
    for number, (sized, mark) in enumerate(curves):
        y = _TOP + _TALL + 38 + _LINE * number
        marker(svg, mark, _LEFT + 4, y - 4, 4)
        tooltip(text(svg, _LEFT + 14, y, _threshold_label(sized), 11.5), sized.run)
    return written(svg)


def _threshold_label(sized: SizeLevels) -> str:
    if sized.n_tasks > 1:
        return f"not reported ({not_scored(sized.n_unscored)})" if sized.n_unscored else f"{sized.n_tasks} tasks"
    if sized.estimate is None:
        return sized.threshold_text
    interval = f" ({sized.interval_text})" if sized.interval_text != "-" else ""
    return f"threshold {sized.threshold_text}{interval}".replace(" ([", " [").replace("])", "]")


def _ticks(smallest: int, largest: int) -> list[int]:
    """About five labelled sizes, including the ends."""
    step = next(step for power in range(10) for step in (10**power, 2 * 10**power, 5 * 10**power) if (largest - smallest) / step <= 5)
    inner = range((smallest // step + 1) * step, largest, step)
    room = step / 2  # a label too near to an end would overlap
    return [smallest, *(size for size in inner if size - smallest >= room and largest - size >= room), largest]


def _chance(svg: Element, axes: _Axes, curves: Sequence[tuple[SizeLevels, RunMark]]) -> None:
    sized = curves[0][0]  # the chance level depends on the items, which the runs share
    places = [(float(size), rows.chance) for size, rows in sized.rows.items()]
    line = add(svg, "polyline", points=axes.points(places), fill="none", stroke=INK, stroke_dasharray="2 2", stroke_width=1.2)
    low, high = min(chance for _, chance in places), max(chance for _, chance in places)
    tooltip(line, f"chance {100 * low:.1f}%" if f"{low:.3f}" == f"{high:.3f}" else f"chance {100 * low:.1f} to {100 * high:.1f}%")


def _band(svg: Element, axes: _Axes, sized: SizeLevels, mark: RunMark) -> None:
    """The 95% CIs as a band."""
    reported = [(size, accuracy) for size, rows in sized.rows.items() if (accuracy := rows.accuracy)]
    if not reported:
        return
    around = [(float(size), interval.high) for size, interval in reported] + [
        (float(size), interval.low) for size, interval in reversed(reported)
    ]
    add(svg, "polygon", points=axes.points(around), fill=mark.hue, fill_opacity="0.13")
    for size, interval in reported:
        dot = marker(svg, mark, axes.x(size), axes.y(interval.estimate), 2.6, edge=0.4)
        tooltip(dot, f"{sized.run}, size {size}: {ci_text(interval)} %, n = {sized.rows[size].n}")


def _curve(svg: Element, axes: _Axes, sized: SizeLevels, mark: RunMark) -> None:
    """The fitted curve with the size threshold and its 95% CI; an arrow marks an open end."""
    estimate = sized.estimate
    if estimate is None or estimate.curve is None:
        return
    curve = estimate.curve
    sizes, chances = [float(size) for size in sized.rows], [rows.chance for rows in sized.rows.values()]

    def accuracy(size: float) -> float:
        return curve.at(size, float(np.interp(size, sizes, chances)))

    places = [(float(size), accuracy(float(size))) for size in np.linspace(estimate.smallest, estimate.largest, _STEPS + 1)]
    add(
        svg,
        "polyline",
        points=axes.points(places),
        fill="none",
        stroke=mark.hue,
        stroke_width=1.8,
        stroke_linejoin="round",
        stroke_dasharray=mark.dash,
    )
    if estimate.low is None and estimate.high is None:
        return
    low, high = estimate.low or estimate.smallest, estimate.high or estimate.largest
    middle = min(max(curve.halfway, low), high)
    y, left, right = axes.y(accuracy(middle)), axes.x(low), axes.x(high)
    add(svg, "line", x1=left, x2=right, y1=y, y2=y, stroke=mark.hue, stroke_width=2.4)
    for end, out, closed in ((left, -1, estimate.low), (right, 1, estimate.high)):
        if closed is not None:
            add(svg, "line", x1=end, x2=end, y1=y - 4, y2=y + 4, stroke=mark.hue, stroke_width=2.4)
        else:
            add(svg, "path", d=f"M{end + 6 * out:.2f} {y:.2f} l{-7 * out} -4.5 v9 z", fill=mark.hue)
    if estimate.threshold is not None:
        dot = marker(svg, mark, axes.x(estimate.threshold), y, 4.6, edge=1.4)
        tooltip(dot, f"{sized.run}: size threshold {sized.threshold_text} {sized.interval_text}")
