"""SVG without scripts, external fonts or files; the XML writer escapes all text."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

# The palette of Okabe and Ito, for readers with colour vision deficiency.
HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
INK, SOFT, RULE, PAPER = "#1f2933", "#667380", "#d9dee3", "#ffffff"
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


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


def text(
    parent: Element, x: float, y: float, content: str, size: float = 12, anchor: str = "start", fill: str = INK, **more: object
) -> Element:
    node = add(parent, "text", x=float(x), y=float(y), font_size=size, text_anchor=anchor, fill=fill, **more)
    node.text = content
    return node


def over_lines(parent: Element, x: float, y: float, content: str, size: float) -> None:
    """Text on lines, with a halo."""
    text(parent, x, y, content, size, paint_order="stroke", stroke=PAPER, stroke_width=4, stroke_linejoin="round")


def tooltip(node: Element, content: str) -> None:
    SubElement(node, "title").text = content


def written(svg: Element) -> str:
    return tostring(svg, encoding="unicode")
