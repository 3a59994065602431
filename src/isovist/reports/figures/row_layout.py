"""Rows of a figure with a dot for each run and its interval: how tall they are, and where names, dots and numbers stand in them."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from isovist.reports.figures.svg import HUES, PAPER, add, over_lines, text, tooltip


@dataclass(frozen=True, slots=True)
class RunRows:
    """The rows of a figure of so many runs, in pixels. Places along a row are those of the figure; `y` is a row's upper edge."""

    runs: int
    left: int
    """Where the scale begins: names stand before it, or over their rows."""
    right: int
    """What is left free behind the scale."""
    width: int
    """Of the figure."""
    over: int = 0
    """How tall a name is that stands over its row; 0 where names stand before the rows."""

    @property
    def span(self) -> int:
        return self.width - self.left - self.right

    @property
    def tall(self) -> int:
        return (22 if self.runs == 1 else 10 + 9 * self.runs) + self.over

    def _middle(self, y: float, run: int) -> float:
        return y + self.over + ((self.tall - self.over) / 2 - self.over / 5 if self.runs == 1 else 9.5 + 9 * run)

    def name(self, svg: Element, y: float, words: str) -> None:
        if self.over:
            over_lines(svg, self.left, y + 12, words, 12.5)
        else:
            text(svg, self.left - 14, y + self.tall / 2 + 4, words, 12.5, "end")

    def dot(self, svg: Element, y: float, run: int, places: tuple[float, float, float], words: str, *, full: bool) -> None:
        """A run's dot: `places` are the estimate and the ends of the interval, `words` what a reader who points at it is told."""
        at, low, high = places
        middle, hue = self._middle(y, run), HUES[run % len(HUES)]
        add(svg, "line", x1=low, x2=high, y1=middle, y2=middle, stroke=hue, stroke_width=2.2)
        mark = add(svg, "circle", cx=at, cy=middle, r=4.4, fill=hue if full else PAPER, stroke=hue, stroke_width=1.8)
        tooltip(mark, words)

    def number(self, svg: Element, y: float, words: str, hue: str) -> None:
        """What stands at the end of the row of a single run."""
        text(svg, self.width - 6, y + 12 if self.over else self._middle(y, 0) + 4, words, 12, "end", hue, font_weight="600")


def of_tasks(runs: int, *, narrow: bool) -> RunRows:
    """The rows of tasks, whose names are short; `narrow`, as a phone shows them without being pushed sideways."""
    return RunRows(runs, 12, 24, 380, 16) if narrow else RunRows(runs, 262, 96, 900)
