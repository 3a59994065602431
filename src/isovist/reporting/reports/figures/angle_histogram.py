"""Histogram of the signed errors of angles, with the counts expected by chance."""

from __future__ import annotations

from isovist.reporting.analysis.signed_errors import SignedErrors
from isovist.reporting.reports.figures.svg import INK, RULE, SOFT, add, canvas, text, tooltip, written

_COLUMN, _TALL, _TOP, _LOW, _SIDE = 34, 120, 44, 44, 14


def histogram(signed: SignedErrors, hue: str) -> str:
    """The errors that the options allow, in ascending order; 180° of a circular angle is at the right end."""
    errors = sorted(signed.expected_counts)
    width, height = max(290, _COLUMN * len(errors) + 2 * _SIDE), _TOP + _TALL + _LOW
    start = (width - _COLUMN * len(errors)) / 2
    counts, n = signed.counts, len(signed.errors)
    largest = max(*counts.values(), *signed.expected_counts.values())
    svg = canvas(width, height, f"Signed errors: {signed.title}")
    text(svg, _SIDE, 15, signed.title, 12.5, font_weight="600")
    floor = _TOP + _TALL
    add(svg, "line", x1=_SIDE, x2=width - _SIDE, y1=floor, y2=floor, stroke=RULE)
    for place, error in enumerate(errors):
        x, count, expected = start + _COLUMN * place, counts[error], signed.expected_counts[error]
        label = _degrees(error, is_circular=signed.is_circular)
        tall = _TALL * count / largest
        bar = add(svg, "rect", x=x + 5, y=floor - tall, width=_COLUMN - 10, height=tall, rx=2, fill=hue)
        bar.set("fill-opacity", "0.35" if error == 0 else "0.85")
        tooltip(bar, f"{label}: {count} of {n}; expected by chance: {expected:.1f}")
        y = floor - _TALL * expected / largest
        add(svg, "line", x1=x + 1, x2=x + _COLUMN - 1, y1=y, y2=y, stroke=INK, stroke_width=1.4, stroke_dasharray="3 2")
        if count:
            text(svg, x + _COLUMN / 2, min(y, floor - tall) - 4, str(count), 10.5, "middle", SOFT)
        text(svg, x + _COLUMN / 2, floor + 15, label, 10.5, "middle", INK if error == 0 else SOFT)
    right, left = signed.directions
    text(svg, _SIDE, height - 8, f"← {left}", 10.5, fill=SOFT)
    text(svg, width - _SIDE, height - 8, f"{right} →", 10.5, "end", SOFT)
    return written(svg)


def _degrees(error: float, *, is_circular: bool) -> str:
    """An angle with its sign; 180° of a circular angle has none."""
    return "0" if error == 0 else "±180" if error == 180 and is_circular else f"{error:+g}".replace("-", "−")
