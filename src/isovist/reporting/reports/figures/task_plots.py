"""Figures of tasks: accuracy, confusion matrix, option labels."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from isovist.reporting.analysis.confusion import Confusion
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.analysis.text_format import task_name
from isovist.reporting.reports.figures.svg import (
    INK,
    PAPER,
    RULE,
    SOFT,
    RunMark,
    add,
    canvas,
    marker,
    name_before,
    run_mark,
    shortened,
    text,
    tooltip,
    written,
)
from isovist.reporting.reports.table import ci_text
from isovist.stats.position_bias import PositionBias


def forest(tasks: Sequence[tuple[str, Sequence[TaskResult | None]]]) -> str:
    """Accuracy with its 95% CI for each task and run, with chance and published results."""
    left, right, top, line = 250, 96, 34, 15
    width, span = 900, 900 - left - right
    heights = [max(1, len(results)) * line + (20 if any(r and r.published for r in results) else 13) for _, results in tasks]
    height = top + sum(heights) + 10
    svg = canvas(width, height, "Accuracy by task with 95% CIs")
    for share in (0, 25, 50, 75, 100):
        x = left + span * share / 100
        add(svg, "line", x1=float(x), x2=float(x), y1=top - 8, y2=height - 8, stroke=RULE)
        text(svg, x, top - 14, f"{share}%", 11, "middle", SOFT)
    y = float(top)
    for (task, results), tall in zip(tasks, heights, strict=True):
        present = [result for result in results if result is not None]
        name_before(svg, left, y + tall / 2 + 1, task_name(task))
        if present:
            x = left + span * present[0].chance
            chance = add(svg, "line", x1=x, x2=x, y1=y + 1, y2=y + tall - 5, stroke=INK, stroke_dasharray="2 2", stroke_width=1.2)
            tooltip(chance, f"chance {100 * present[0].chance:.1f}%")
            if present[0].shortcut is not None:
                x = left + span * present[0].shortcut
                rule = add(svg, "line", x1=x, x2=x, y1=y + 1, y2=y + tall - 5, stroke=SOFT, stroke_width=1.2)
                tooltip(rule, f"best shortcut {100 * present[0].shortcut:.1f}%")
            for model, value in present[0].published.items():
                dot = add(svg, "circle", cx=left + span * value / 100, cy=y + tall - 11, r=3.2, fill="#b7c0c8", stroke=PAPER)
                tooltip(dot, f"published: {model} {value:g}%")
        for number, result in enumerate(results):
            if result is not None:
                _dot(svg, result, run_mark(number), left, span, y + 9 + number * line, width)
        y += tall
    return written(svg)


def _dot(svg: Element, result: TaskResult, mark: RunMark, left: float, span: float, y: float, width: float) -> None:
    accuracy = result.accuracy
    if accuracy is None:
        text(svg, width - 6, y + 4, "adaptive" if result.is_adaptive else f"{result.n_unscored} unscored", 11, "end", SOFT)
        return
    low, high = result.accuracy_range
    if high > low:
        band = add(
            svg, "line", x1=left + span * low, x2=left + span * high, y1=y, y2=y, stroke=mark.hue, stroke_width=7, stroke_opacity="0.18"
        )
        tooltip(band, f"range if unparsed responses were all incorrect or all correct: {100 * low:.1f} to {100 * high:.1f}%")
    add(svg, "line", x1=left + span * accuracy.low, x2=left + span * accuracy.high, y1=y, y2=y, stroke=mark.hue, stroke_width=2.2)
    tooltip(marker(svg, mark, left + span * accuracy.estimate, y, 4.6), f"{result.run}: {ci_text(accuracy)} %, n = {result.n}")
    text(svg, width - 6, y + 4, f"{100 * accuracy.estimate:.1f}%", 12, "end", font_weight="600")


def confusion(matrix: Confusion, hue: str) -> str:
    """The confusion matrix: a row for each key, a column for each answer, colours relative to the row."""
    cell, left, top = 34, 104, 92
    names = (*matrix.labels, "(unparsed)")
    width, height = left + cell * len(names) + 44, top + cell * len(matrix.labels) + 8
    svg = canvas(width, height, "Confusion matrix: keys in rows, answers in columns")
    text(svg, 4, top - 8, "key \\ answer", 11, fill=SOFT)
    for column, name in enumerate(names):
        x = left + cell * (column + 0.5)
        text(
            svg,
            x + 3,
            top - 8,
            shortened(name, 1.3 * top, 11),
            11,
            transform=f"rotate(-45 {x + 3:.1f} {top - 8})",
            fill=SOFT if name == "(unparsed)" else INK,
        )
    for row, (key, counts, unparsed) in enumerate(zip(matrix.labels, matrix.counts, matrix.unparsed, strict=True)):
        y = top + cell * row
        total = sum(counts) + unparsed
        text(svg, left - 8, y + cell / 2 + 4, shortened(key, left - 10, 11.5), 11.5, "end")
        for column, count in enumerate((*counts, unparsed)):
            share = count / total if total else 0.0
            x = left + cell * column
            box = add(svg, "rect", x=x + 1, y=y + 1, width=cell - 2, height=cell - 2, rx=3, fill=hue if column < len(counts) else SOFT)
            box.set("fill-opacity", f"{0.05 + 0.95 * share:.3f}")
            if column == row:
                box.set("stroke", INK)
            tooltip(box, f"{key} answered {names[column]}: {count} of {total}")
            if count:
                text(svg, x + cell / 2, y + cell / 2 + 4, str(count), 11, "middle", PAPER if share > 0.5 else INK)
    return written(svg)


def position(bias: PositionBias, hue: str) -> str:
    """How often each option label was chosen (bars) and was the key (lines)."""
    column, high, top, low = 38, 120, 16, 26
    width, height = column * len(bias.chosen) + 20, high + top + low
    svg = canvas(width, height, "Counts of each option label: chosen, and key")
    largest = max(1, *bias.chosen.values(), *bias.key_counts.values())
    for place, (label, n_chosen) in enumerate(bias.chosen.items()):
        x = 10 + column * place
        tall = high * n_chosen / largest
        bar = add(svg, "rect", x=x + 6, y=top + high - tall, width=column - 12, height=tall, rx=2, fill=hue, fill_opacity="0.75")
        tooltip(bar, f"{label}: chosen {n_chosen} times, key {bias.key_counts[label]} times")
        y = top + high - high * bias.key_counts[label] / largest
        add(svg, "line", x1=x + 2, x2=x + column - 2, y1=y, y2=y, stroke=INK, stroke_width=1.6)
        text(svg, x + column / 2, height - 8, label, 12, "middle")
        text(svg, x + column / 2, top + high - tall - 4, str(n_chosen), 10.5, "middle", SOFT)
    return written(svg)
