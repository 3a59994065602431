"""Small multiples of accuracy by factor value: a panel for each numeric factor of each task, with the runs in their colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.factor_curves import FactorCurve
from isovist.reporting.reports.figures.svg import INK, RULE, SOFT, add, canvas, marker, run_mark, shortened, text, tooltip, written
from isovist.reporting.reports.table import ACCURACY, CHANCE, RUN, TASK, Column, N, OpenInterval, Table, ci_text

_MANY_RUNS = 4
_WIDTH, _LEFT, _RIGHT, _TOP, _TALL, _LINE = 312, 40, 16, 46, 140, 16


@dataclass(frozen=True, slots=True)
class Panel:
    task: str
    factor: str
    svg: str


def panels(runs: Sequence[RunResults]) -> list[Panel]:
    """One for each task and factor."""
    by_panel: dict[tuple[str, str], list[tuple[int, str, FactorCurve]]] = {}
    for number, run in enumerate(runs):
        for curve in run.factor_curves:
            by_panel.setdefault((curve.task, curve.factor), []).append((number, run.name, curve))
    return [Panel(task, factor, _draw(curves)) for (task, factor), curves in by_panel.items()]


def _draw(curves: Sequence[tuple[int, str, FactorCurve]]) -> str:
    first = curves[0][2]
    values = sorted({point.value for _, _, curve in curves for point in curve.points})
    smallest, largest = values[0], values[-1]
    # of many runs, those without a curve share a line
    named = [entry for entry in curves if entry[2].curve or len(curves) <= _MANY_RUNS]
    height = _TOP + _TALL + 40 + _LINE * (len(named) + (len(named) < len(curves)))
    pad = 8 + 1.5 * (len(curves) - 1)

    def x(value: float) -> float:
        return _LEFT + pad + (_WIDTH - _LEFT - _RIGHT - 2 * pad) * (value - smallest) / (largest - smallest)

    def y(share: float) -> float:
        return _TOP + _TALL * (1 - share)

    svg = canvas(_WIDTH, height, f"Accuracy by {first.factor} in {first.task}")
    text(svg, _LEFT, 16, shortened(first.task.partition("/")[2], _WIDTH - _LEFT, 13), 13, font_weight="600")
    text(svg, _LEFT, 32, first.factor + (f", {first.unit}" if first.unit else ""), 11.5, fill=SOFT)
    for share in (0, 50, 100):
        add(svg, "line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y(share / 100), y2=y(share / 100), stroke=RULE)
        text(svg, _LEFT - 6, y(share / 100) + 4, str(share), 10.5, "end", SOFT)
    for value in _labelled(values):
        text(svg, x(value), _TOP + _TALL + 15, f"{value:g}", 10.5, "middle", SOFT)
    chance = " ".join(f"{x(point.value):.2f},{y(point.chance):.2f}" for point in first.points)
    add(svg, "polyline", points=chance, fill="none", stroke=INK, stroke_dasharray="2 2", stroke_width=1.2)
    for place, (number, run, curve) in enumerate(curves):
        mark, offset = run_mark(number), 3.0 * (place - (len(curves) - 1) / 2)
        line_points = " ".join(f"{x(value):.2f},{y(share):.2f}" for value, share in curve.curve)
        if line_points:
            add(svg, "polyline", points=line_points, fill="none", stroke=mark.hue, stroke_width=1.8, stroke_dasharray=mark.dash)
        for point in curve.points:
            dot_x, interval = x(point.value) + offset, point.accuracy
            add(
                svg,
                "line",
                x1=dot_x,
                x2=dot_x,
                y1=y(interval.low),
                y2=y(interval.high),
                stroke=mark.hue,
                stroke_width=1.6,
                stroke_opacity="0.6",
            )
            dot = marker(svg, mark, dot_x, y(interval.estimate), 3.2)
            tooltip(dot, f"{run}, {point.value:g}: {ci_text(interval)} %, n = {point.n}")
    for place, (number, run, curve) in enumerate(named):
        line = _TOP + _TALL + 36 + _LINE * place
        marker(svg, run_mark(number), _LEFT + 4, line - 4, 4)
        tooltip(text(svg, _LEFT + 14, line, _midpoint_text(curve), 11.5), run)
    if len(named) < len(curves):
        others = f"{len(curves) - len(named)} runs: not significant"
        text(svg, _LEFT + 14, _TOP + _TALL + 36 + _LINE * len(named), others, 11.5)
    return written(svg)


def _labelled(values: Sequence[float]) -> Sequence[float]:
    """The values with a label: all if there is room."""
    step = -(-len(values) // 7)
    return values[::step]


def _midpoint_text(curve: FactorCurve) -> str:
    """The midpoint of the curve with its 95% CI."""
    if not curve.curve:
        return "not significant"
    is_rising = curve.curve[-1][1] > curve.curve[0][1]
    if curve.midpoint is None:
        return "increases" if is_rising else "decreases"
    low, high = ("..." if end is None else f"{end:.0f}" for end in (curve.low, curve.high))
    return f"midpoint {curve.midpoint:.0f} [{low}, {high}]"


def table(runs: Sequence[RunResults]) -> Table:
    """One row for each value; the midpoint is repeated in the rows of its curve."""
    columns = [RUN, TASK, *map(Column, ("factor", "value")), N, ACCURACY, CHANCE, Column("midpoint", kind="units")]
    rows = [
        (
            *(run.name, curve.task, curve.factor, point.value, point.n, point.accuracy, point.chance),
            OpenInterval(curve.midpoint, curve.low, curve.high),
        )
        for run in runs
        for curve in run.factor_curves
        for point in curve.points
    ]
    return Table(columns, rows)


CAPTION = (
    "Dots: accuracy; vertical lines: 95% CI; dashed: chance level. A curve is drawn if the factor, without the other factors, is significant "
    "(score test, p < 0.05). Midpoint: the value at which the curve is midway between chance and 100%, with Fieller's 95% CI; dots in "
    "the CI stand for an end outside the tested values. Angles are rotations to either side, up to 180°."
)
