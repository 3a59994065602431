"""Rows of dots with 95% CIs on the scale of chance-corrected accuracy, under headings: the figure of skills and of subtasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from isovist.reporting.reports.figures.row_layout import RunRows
from isovist.reporting.reports.figures.svg import HUES, INK, RULE, SOFT, add, canvas, text, written
from isovist.stats.proportions import ConfidenceInterval

_TOP, _HEAD = 40, 34


@dataclass(frozen=True, slots=True)
class Dot:
    """One run in a row."""

    run: int
    """The number of the run, from 0, which selects its colour."""
    chance_corrected: ConfidenceInterval
    tooltip: str


@dataclass(frozen=True, slots=True)
class DotRow:
    label: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Rows under one heading."""

    heading: str
    rows: tuple[DotRow, ...]


def figure(blocks: Sequence[Block], runs: int, label: str) -> str:
    """Empty without a row. A dot is hollow if its interval includes 0."""
    every = [dot.chance_corrected for block in blocks for row in block.rows for dot in row.dots]
    if not every:
        return ""
    rows = RunRows(runs, 370, 60, 930)
    height = float(_TOP + sum(_HEAD + rows.tall * len(block.rows) for block in blocks) + 8)
    start = max(-1.0, floor(4 * min(-0.1, *(interval.estimate for interval in every))) / 4)  # intervals may go on beyond it

    def x(share: float) -> float:
        return rows.left + rows.span * (max(start, share) - start) / (1 - start)

    svg = canvas(rows.width, height, label)
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        line = {"stroke": RULE} if share else {"stroke": INK, "stroke_dasharray": "2 2", "stroke_width": 1.2}
        add(svg, "line", x1=x(share), x2=x(share), y1=_TOP - 6, y2=height - 6, **line)
        text(svg, x(share), _TOP - 12, f"{100 * share:.0f}", 11, "middle", SOFT if share else INK)
    text(svg, x(0), 14, "chance", 11.5, "middle", font_weight="600")
    text(svg, x(1), 14, "perfect", 11.5, "middle", font_weight="600")
    y = float(_TOP)
    for block in blocks:
        text(svg, 4, y + _HEAD - 12, block.heading, 13, font_weight="600")
        y += _HEAD
        for row in block.rows:
            rows.name(svg, y, row.label)
            for dot in row.dots:
                interval = dot.chance_corrected
                places = x(interval.estimate), x(interval.low), x(interval.high)
                rows.dot(svg, y, dot.run, places, dot.tooltip, is_filled=interval.low > 0)
                if runs == 1:
                    rows.number(svg, y, f"{round(100 * interval.estimate)}", HUES[0])
            y += rows.tall
    return written(svg)
