"""Rows of a figure with a dot and its interval for each run: their height, and the places of names, dots and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from isovist.reporting.reports.figures.svg import add, marker, name_before, over_lines, run_mark, shortened, text, tooltip


@dataclass(frozen=True, slots=True)
class RunRows:
    """The rows of a figure, in pixels. `y` is the upper edge of a row."""

    runs: int
    left: int
    """The start of the scale; names are before it, or above their rows."""
    right: int
    """The space after the scale."""
    width: int
    """The width of the figure."""
    over: int = 0
    """The height of a name above its row; 0 for names before the rows."""

    @property
    def span(self) -> int:
        return self.width - self.left - self.right

    @property
    def tall(self) -> int:
        return (22 if self.runs == 1 else 10 + 9 * self.runs) + self.over

    def _middle(self, y: float, run: int) -> float:
        return y + self.over + ((self.tall - self.over) / 2 - self.over / 5 if self.runs == 1 else 9.5 + 9 * run)

    def name(self, svg: Element, y: float, name: str) -> None:
        if self.over:
            over_lines(svg, self.left, y + 12, shortened(name, self.width - self.left - 60), 12.5)
        else:
            name_before(svg, self.left, y + self.tall / 2 + 4, name)

    def dot(self, svg: Element, y: float, run: int, places: tuple[float, float, float], hint: str, *, is_filled: bool) -> None:
        """A run's dot: `places` are the estimate and the ends of the interval, `hint` is the tooltip."""
        estimate, low, high = places
        middle, mark = self._middle(y, run), run_mark(run)
        add(svg, "line", x1=low, x2=high, y1=middle, y2=middle, stroke=mark.hue, stroke_width=2.2)
        tooltip(marker(svg, mark, estimate, middle, 4.8, is_filled=is_filled), hint)

    def number(self, svg: Element, y: float, number: str, hue: str) -> None:
        """The number at the end of the row of a single run."""
        text(svg, self.width - 6, y + 12 if self.over else self._middle(y, 0) + 4, number, 12, "end", hue, font_weight="600")


def of_tasks(runs: int, *, narrow: bool) -> RunRows:
    """The rows of tasks, whose names are short. `narrow`: for phones, without horizontal scrolling."""
    return RunRows(runs, 12, 24, 380, 16) if narrow else RunRows(runs, 262, 96, 900)
