"""SVG without scripts, external fonts or files; the XML writer escapes all text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, tostring

# The palette of Okabe and Ito, for readers with colour vision deficiency.
HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_SHAPES: tuple[Literal["circle", "square", "triangle", "diamond"], ...] = ("circle", "square", "triangle", "diamond")
INK, SOFT, RULE, PAPER = "#1f2933", "#667380", "#d9dee3", "#ffffff"
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True, slots=True)
class RunMark:
    """How figures draw a run: neighbours differ in hue and shape, and 28 runs in one of them, also without colour vision."""

    hue: str
    shape: Literal["circle", "square", "triangle", "diamond"]
    dash: str
    """Of its lines: those of the runs from the eighth are dashed, as their hues occur before."""


def run_mark(number: int) -> RunMark:
    """The mark of a run by its number, from 0."""
    return RunMark(HUES[number % len(HUES)], _SHAPES[number % len(_SHAPES)], "none" if number < len(HUES) else "7 3")


def canvas(width: float, height: float, label: str) -> Element:
    svg = Element("svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width:g} {height:g}", role="img")
    svg.set("aria-label", label)
    svg.set("width", f"{width:g}")
    svg.set("height", f"{height:g}")
    svg.set("font-family", _FONT)
    return svg


def add(parent: Element, tag: str, **attributes: object) -> Element:
    named = {
        name.rstrip("_").replace("_", "-"): f"{value:.2f}" if isinstance(value, float) else str(value) for name, value in attributes.items()
    }
    return SubElement(parent, tag, named)


def marker(parent: Element, mark: RunMark, x: float, y: float, r: float, *, is_filled: bool = True, edge: float = 1.0) -> Element:
    """The marker of a run with the area of a circle of radius `r`; a filled one has an edge of paper."""
    colours = (
        {"fill": mark.hue, "stroke": PAPER, "stroke_width": edge} if is_filled else {"fill": PAPER, "stroke": mark.hue, "stroke_width": 1.8}
    )
    if mark.shape == "circle":
        return add(parent, "circle", cx=float(x), cy=float(y), r=float(r), **colours)
    if mark.shape == "square":
        half = 0.89 * r
        return add(parent, "rect", x=x - half, y=y - half, width=2 * half, height=2 * half, **colours)
    far = 1.25 * r
    corners = (
        ((0, -far), (far, 0), (0, far), (-far, 0))
        if mark.shape == "diamond"
        else ((0, -1.1 * far), (1.08 * far, 0.8 * far), (-1.08 * far, 0.8 * far))
    )
    return add(parent, "path", d=f"M{' L'.join(f'{x + right:.2f} {y + down:.2f}' for right, down in corners)} Z", **colours)


def text(
    parent: Element, x: float, y: float, content: str, size: float = 12, anchor: str = "start", fill: str = INK, **more: object
) -> Element:
    node = add(parent, "text", x=float(x), y=float(y), font_size=size, text_anchor=anchor, fill=fill, **more)
    node.text = content
    return node


def shortened(content: str, room: float, size: float = 12.5) -> str:
    """A text that fits into so many pixels; the mean width of a letter is 0.53 of the font size."""
    most = int(room / (0.53 * size))
    return content if len(content) <= most else f"{content[: most - 1]}…"


def name_before(parent: Element, x: float, y: float, name: str, font_weight: str = "400") -> None:
    """The name of a row, which ends 14 pixels before `x` and starts in the figure; shortened, it has the whole name as a tooltip."""
    short = shortened(name, x - 18)
    node = text(parent, x - 14, y, short, 12.5, "end", font_weight=font_weight)
    if short != name:
        tooltip(node, name)


def over_lines(parent: Element, x: float, y: float, content: str, size: float) -> None:
    """Text on lines, with a halo."""
    text(parent, x, y, content, size, paint_order="stroke", stroke=PAPER, stroke_width=4, stroke_linejoin="round")


def tooltip(node: Element, content: str) -> None:
    SubElement(node, "title").text = content


def written(svg: Element) -> str:
    return tostring(svg, encoding="unicode")
