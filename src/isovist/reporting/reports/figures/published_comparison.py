"""Figures of papers that compare tasks, such as mental rotation of drawn and of photographed objects, drawn for the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.data.reference import Comparison, published, reference, suites
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.reports.figures.svg import INK, PAPER, RULE, SOFT, add, canvas, marker, name_before, run_mark, text, tooltip, written
from isovist.reporting.reports.sections.paper_table import Cell, covered, pooled

_LEFT, _RIGHT, _TOP, _WIDTH, _LINE = 170, 70, 40, 760, 17


@dataclass(frozen=True, slots=True)
class ComparisonFigure:
    """A figure, and for each of its rows a cell for each run, None for an incomplete task."""

    paper: str
    comparison: Comparison
    cells: tuple[tuple[Cell | None, ...], ...]


def build_figures(runs: Sequence[RunResults]) -> list[ComparisonFigure]:
    """The figures with two rows or more in the runs."""
    drawings: list[ComparisonFigure] = []
    for source in map(reference, suites()):
        for comparison in source.comparisons:
            cells = tuple(tuple(pooled(covered(run, task)) for run in runs) for _, task in comparison.rows)
            if sum(any(row) for row in cells) > 1:
                drawings.append(ComparisonFigure(f"{source.paper['title']}, arXiv {source.paper['arxiv']}", comparison, cells))
    return drawings


def figure(drawing: ComparisonFigure) -> str:
    """Lines for each row: each run with its interval, chance as a dashed line, the published models as grey dots."""
    tall = [max(1, len(row)) * _LINE + 18 for row in drawing.cells]
    height, span = _TOP + sum(tall) + 8, _WIDTH - _LEFT - _RIGHT
    svg = canvas(_WIDTH, height, f"{drawing.comparison.caption}: accuracy with 95% CIs")
    for share in (0, 25, 50, 75, 100):
        x = _LEFT + span * share / 100
        add(svg, "line", x1=float(x), x2=float(x), y1=_TOP - 10, y2=height - 8, stroke=RULE)
        text(svg, x, _TOP - 16, f"{share}%", 11, "middle", SOFT)
    y = float(_TOP)
    for (label, task), row, high in zip(drawing.comparison.rows, drawing.cells, tall, strict=True):
        name_before(svg, _LEFT, y + high / 2, label)
        for model, value in published(task).items() if "*" not in task else ():
            dot = add(svg, "circle", cx=_LEFT + span * value / 100, cy=y + high - 12, r=3.2, fill="#b7c0c8", stroke=PAPER)
            tooltip(dot, f"published: {model} {value:g}%")
        for nth, cell in enumerate(row):
            middle, mark = y + 8 + nth * _LINE, run_mark(nth)
            if cell is None:
                text(svg, _WIDTH - 6, middle + 4, "incomplete", 11, "end", SOFT)
                continue
            x = _LEFT + span * cell.chance
            tooltip(
                add(svg, "line", x1=x, x2=x, y1=middle - 8, y2=middle + 8, stroke=INK, stroke_dasharray="2 2"),
                f"chance {100 * cell.chance:.1f}%",
            )
            low, mid, top = (_LEFT + span * share for share in (cell.accuracy.low, cell.accuracy.estimate, cell.accuracy.high))
            add(svg, "line", x1=low, x2=top, y1=middle, y2=middle, stroke=mark.hue, stroke_width=2.2)
            marker(svg, mark, mid, middle, 4.6)
            text(svg, _WIDTH - 6, middle + 4, f"{100 * cell.accuracy.estimate:.1f}%", 12, "end", font_weight="600")
        y += high
    return written(svg)
