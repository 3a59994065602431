"""The small multiples of accuracy against angles and counts: a panel for each numeric knob of each task, the runs in their hues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.analysis.collect import RunResults
from isovist.analysis.factor_curves import FactorCurve
from isovist.reports.figures.svg import HUES, INK, PAPER, RULE, SOFT, add, canvas, text, tooltip, written
from isovist.reports.tables import as_csv

_WIDTH, _LEFT, _RIGHT, _TOP, _TALL, _LINE = 312, 40, 16, 46, 140, 16


@dataclass(frozen=True, slots=True)
class Panel:
    task: str
    knob: str
    svg: str


def all_curves(runs: Sequence[RunResults]) -> list[tuple[str, FactorCurve]]:
    """The runs' names and slopes; tasks without a verdict for every item are left out."""
    return [(run.name, slope) for run in runs for slope in run.slopes]


def panels(curves: Sequence[tuple[str, FactorCurve]], names: Sequence[str]) -> list[Panel]:
    """One a task and knob. `names`: of all runs, in the order of their hues."""
    together: dict[tuple[str, str], list[tuple[int, str, FactorCurve]]] = {}
    for name, slope in curves:
        together.setdefault((slope.task, slope.knob), []).append((names.index(name), name, slope))
    return [Panel(task, knob, _drawn(group)) for (task, knob), group in together.items()]


def _drawn(curves: Sequence[tuple[int, str, FactorCurve]]) -> str:
    first = curves[0][2]
    values = sorted({point.value for _, _, slope in curves for point in slope.points})
    least, most = values[0], values[-1]
    height = _TOP + _TALL + 40 + _LINE * len(curves)

    def x(value: float) -> float:
        return _LEFT + 8 + (_WIDTH - _LEFT - _RIGHT - 16) * (value - least) / (most - least)

    def y(share: float) -> float:
        return _TOP + _TALL * (1 - share)

    svg = canvas(_WIDTH, height, f"Accuracy against {first.knob} in {first.task}")
    text(svg, _LEFT, 16, first.task.partition("/")[2], 13, font_weight="600")
    text(svg, _LEFT, 32, first.knob + (f", {first.unit}" if first.unit else ""), 11.5, fill=SOFT)
    for share in (0, 50, 100):
        add(svg, "line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y(share / 100), y2=y(share / 100), stroke=RULE)
        text(svg, _LEFT - 6, y(share / 100) + 4, str(share), 10.5, "end", SOFT)
    for value in _named(values):
        text(svg, x(value), _TOP + _TALL + 15, f"{value:g}", 10.5, "middle", SOFT)
    chance = " ".join(f"{x(point.value):.2f},{y(point.chance):.2f}" for point in first.points)
    add(svg, "polyline", points=chance, fill="none", stroke=INK, stroke_dasharray="2 2", stroke_width=1.2)
    for place, (number, run, slope) in enumerate(curves):
        hue, aside = HUES[number % len(HUES)], 3.0 * (place - (len(curves) - 1) / 2)
        curve = " ".join(f"{x(value):.2f},{y(share):.2f}" for value, share in slope.curve)
        if curve:
            add(svg, "polyline", points=curve, fill="none", stroke=hue, stroke_width=1.8)
        for point in slope.points:
            at, interval = x(point.value) + aside, point.accuracy
            add(svg, "line", x1=at, x2=at, y1=y(interval.low), y2=y(interval.high), stroke=hue, stroke_width=1.6, stroke_opacity="0.6")
            dot = add(svg, "circle", cx=at, cy=y(interval.estimate), r=3.2, fill=hue, stroke=PAPER)
            tooltip(
                dot,
                f"{run}, {point.value:g}: {100 * interval.estimate:.1f} % ({100 * interval.low:.1f} to {100 * interval.high:.1f}), n = {point.n}",
            )
        line = _TOP + _TALL + 36 + _LINE * place
        add(svg, "circle", cx=_LEFT + 4, cy=line - 4, r=4, fill=hue)
        tooltip(text(svg, _LEFT + 14, line, words(slope), 11.5), run)
    return written(svg)


def _named(values: Sequence[float]) -> Sequence[float]:
    """The values to name: all if there is room."""
    step = -(-len(values) // 7)
    return values[::step]


def words(slope: FactorCurve) -> str:
    """What is known of where the curve is half-way."""
    if not slope.curve:
        return "flat, as far as can be told"
    rising = slope.curve[-1][1] > slope.curve[0][1]
    if slope.halfway is None:
        return "rises" if rising else "falls"
    low, high = ("..." if end is None else f"{end:.0f}" for end in (slope.low, slope.high))
    return f"half-way at {slope.halfway:.0f} ({low} to {high})"


def to_csv(curves: Sequence[tuple[str, FactorCurve]]) -> str:
    """One line a run, task, knob and value, numbers as shares of 1; the half-way value stands in each of its lines."""
    rows: list[Sequence[object]] = []
    for run, slope in curves:
        ends = ["" if end is None else end for end in (slope.halfway, slope.low, slope.high)]
        for point in slope.points:
            interval = point.accuracy
            rows.append(
                [run, slope.task, slope.knob, point.value, point.n, interval.estimate, interval.low, interval.high, point.chance, *ends]
            )
    head = ["run", "task", "knob", "value", "n", "accuracy", "low", "high", "chance", "halfway", "halfway_low", "halfway_high"]
    return as_csv(head, rows)


CAPTION = (
    "Dots are accuracies, lines through them their 95 % intervals, dashes chance. A curve is drawn where the value does something beyond "
    "noise, taken alone; half-way is where it has gone half of the way between chance and all right, with Fieller's 95 % interval; dots "
    "in its place say that it goes on beyond the values asked. Angles are told as turns to either side, up to 180 degrees."
)
