"""The same pictures by other means, to be timed beside ours."""

from __future__ import annotations

import io

from matplotlib import patches
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from isovist.core.drawing2d import Circle, Drawing, IconShape, Label, Line, Polygon, Shape

_POINTS = 72.0  # a unit is an inch


class Matplotlib:
    """Draws drawings with `size` pixels to the unit: one artist a shape, no pyplot, no axes drawn. It keeps its figure, which is
    how one would use it for speed.
    """

    def __init__(self, size: int) -> None:
        self._figure = Figure(dpi=size)
        FigureCanvasAgg(self._figure)

    def png(self, drawing: Drawing) -> bytes:
        """The PNG file of a drawing. Raises ValueError for icons, of which matplotlib has none."""
        figure = self._figure
        figure.clear()
        figure.set_size_inches(drawing.width, drawing.height)
        figure.set_facecolor(drawing.background)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, drawing.width)
        axes.set_ylim(0, drawing.height)
        for order, shape in enumerate((*drawing.backdrop, *drawing.shapes)):
            _add(axes, shape, order)
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=figure.dpi)
        return out.getvalue()


def _add(axes: Axes, shape: Shape, order: int) -> None:
    match shape:
        case Circle(center=center, radius=radius):
            style = {"facecolor": shape.fill or "none", "edgecolor": shape.stroke or "none", "linewidth": shape.width * _POINTS}
            axes.add_patch(patches.Circle(center, radius, zorder=order, **style))
        case Polygon(points=corners):
            style = {"facecolor": shape.fill or "none", "edgecolor": shape.stroke or "none", "linewidth": shape.width * _POINTS}
            axes.add_patch(patches.Polygon(corners, closed=True, zorder=order, **style))
        case Line(points=corners, width=width, fill=fill):
            xs, ys = zip(*corners, strict=True)
            axes.add_line(Line2D(xs, ys, color=fill, linewidth=width * _POINTS, solid_capstyle="butt", zorder=order))
        case Label(text=text, position=at):
            axes.text(*at, text, fontsize=shape.size * _POINTS, color=shape.fill, ha="center", va="center_baseline", zorder=order)
        case IconShape():
            raise ValueError("matplotlib has no icons of ours")
