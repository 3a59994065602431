"""The same pictures by other means, to be timed beside ours."""

from __future__ import annotations

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Polygon

from isovist.core.drawing import Disc, Drawing, Glyph, Label, Line, Poly, Shape


def matplotlib_png(drawing: Drawing, size: int) -> bytes:
    """The PNG file of a drawing as matplotlib makes it: one artist a shape, no pyplot, no axes drawn, `size` pixels a unit."""
    figure = Figure(figsize=(drawing.width, drawing.height), dpi=size, facecolor=drawing.background)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(0, drawing.height)
    for order, shape in enumerate((*drawing.backdrop, *drawing.shapes)):
        _add(axes, shape, order)
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=size)
    return out.getvalue()


def _add(axes, shape: Shape, order: int) -> None:
    points = 72.0  # a unit is an inch
    match shape:
        case Disc(center=center, radius=radius):
            style = {"facecolor": shape.fill or "none", "edgecolor": shape.stroke or "none", "linewidth": shape.width * points}
            axes.add_patch(Circle(center, radius, zorder=order, **style))
        case Poly(points=corners):
            style = {"facecolor": shape.fill or "none", "edgecolor": shape.stroke or "none", "linewidth": shape.width * points}
            axes.add_patch(Polygon(corners, closed=True, zorder=order, **style))
        case Line(points=corners, width=width, fill=fill):
            xs, ys = zip(*corners, strict=True)
            axes.add_line(Line2D(xs, ys, color=fill, linewidth=width * points, solid_capstyle="butt", zorder=order))
        case Label(text=text, at=at):
            axes.text(*at, text, fontsize=shape.size * points, color=shape.fill, ha="center", va="center_baseline", zorder=order)
        case Glyph():
            raise ValueError("matplotlib has no icons of ours")
