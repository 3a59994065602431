"""Figure files that look the same everywhere: white background, text as outlines of the package's font."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from xml.etree.ElementTree import Element, SubElement, fromstring, register_namespace, tostring

from isovist.reporting.reports.figures.svg import INK, RunMark, marker, shortened
from isovist.world.render import vector_outlines

_SVG = "http://www.w3.org/2000/svg"
_LINE = 18
_HEAVY = 35
"""Stroke around bold letters, in thousandths of an em: the font has one weight."""
_PLAIN = {"…": "...", "\u00a0": " ", "←": "<", "→": ">", "’": "'"}


def convert_text_to_paths(svg: str, legend: Sequence[tuple[str, RunMark]] = ()) -> str:
    """The figure with a white background and its text as paths; text with a letter that the font lacks stays text, in sans-serif.

    `legend`: runs with their marks, for a legend below the figure.
    """
    register_namespace("", _SVG)
    root = fromstring(svg)  # noqa: S314 - our own figure
    _add_legend(root, legend)
    root.set("font-family", "Helvetica, Arial, sans-serif")
    letters = _Letters()
    for parent in list(root.iter()):
        for place, child in enumerate(list(parent)):
            if child.tag == f"{{{_SVG}}}text" and (drawn := letters.drawn(child)) is not None:
                parent[place] = drawn
    root.insert(0, letters.defs)
    ground = Element(f"{{{_SVG}}}rect", {"width": "100%", "height": "100%", "fill": "#ffffff"})
    root.insert(1, ground)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _add_legend(root: Element, legend: Sequence[tuple[str, RunMark]]) -> None:
    """A line for each name below the figure, which becomes taller."""
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    for nth, (name, mark) in enumerate(legend):
        y = height + 8 + _LINE * nth
        shape = marker(root, mark, 14, y, 4.5)
        shape.tag = f"{{{_SVG}}}{shape.tag}"
        text = SubElement(root, f"{{{_SVG}}}text", {"x": "26", "y": f"{y + 4:g}", "font-size": "12", "fill": INK})
        text.text = shortened(name, width - 40, 12)
    if legend:
        height += _LINE * len(legend) + 4
        root.set("height", f"{height:g}")
        root.set("viewBox", f"0 0 {width:g} {height:g}")


class _Letters:
    """The outlines of the letters of a file, each once; lines of text refer to them."""

    def __init__(self) -> None:
        self.defs = Element(f"{{{_SVG}}}defs")
        self._known: dict[str, float] = {}

    def _advance(self, letter: str) -> float:
        """How far the pen moves on, in thousandths of an em."""
        if letter not in self._known:
            path, advance = _outline(letter)
            SubElement(self.defs, f"{{{_SVG}}}path", {"id": _name(letter), "d": path})
            self._known[letter] = advance
        return self._known[letter]

    def drawn(self, text: Element) -> Element | None:
        """A line of text as outlines; None if the font lacks one of its letters."""
        content = "".join(_PLAIN.get(letter, letter) for letter in text.text or "")
        try:
            advances = [self._advance(letter) for letter in content]
        except KeyError:
            return None
        size, x, y = (float(text.get(name, "0")) for name in ("font-size", "x", "y"))
        pen = {"middle": -0.5, "end": -1.0}.get(text.get("text-anchor", "start"), 0.0) * sum(advances)
        placed = f"{text.get('transform', '')} translate({x:g} {y:g}) scale({size / 1000:g})".strip()
        group = Element(f"{{{_SVG}}}g", {"fill": text.get("fill", INK), "transform": placed, "role": "img", "aria-label": text.text or ""})
        if text.get("font-weight", "400") != "400":
            group.set("stroke", text.get("fill", INK))
            group.set("stroke-width", f"{_HEAVY}")
        for child in text:
            SubElement(group, child.tag).text = child.text
        for letter, advance in zip(content, advances, strict=True):
            if letter != " ":
                SubElement(group, f"{{{_SVG}}}use", {"href": f"#{_name(letter)}", "x": f"{pen:.0f}"})
            pen += advance
        return group


def _name(letter: str) -> str:
    return f"u{ord(letter):04x}"


@cache  # a report draws the same letters in hundreds of files
def _outline(letter: str) -> tuple[str, float]:
    """The path of a letter and its advance, in thousandths of an em."""
    contours, advance = vector_outlines.letter(letter)
    points = [zip(contour[::2], contour[1::2], strict=True) for contour in contours]
    return "".join("M" + "L".join(f"{1000 * x:.0f} {-1000 * y:.0f}" for x, y in contour) + "Z" for contour in points), 1000 * advance
