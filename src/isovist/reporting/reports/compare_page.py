"""The comparison page: one HTML file that opens offline, with its figures."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from xml.etree.ElementTree import Element

from markupsafe import Markup

from isovist.reporting.analysis.text_format import task_name
from isovist.reporting.analysis.unparsed_responses import MARK
from isovist.reporting.reports import compare_tables as tables
from isovist.reporting.reports import participants
from isovist.reporting.reports.compare import ALL, Comparison, TaskComparison
from isovist.reporting.reports.figures.svg import (
    HUES,
    INK,
    PAPER,
    RULE,
    SOFT,
    add,
    canvas,
    marker,
    name_before,
    over_lines,
    run_mark,
    shortened,
    text,
    tooltip,
    written,
)
from isovist.reporting.reports.html import environment
from isovist.reporting.reports.table import Table, ci_text

_TOP, _LINE = 34, 16
_WIDE, _NARROW = (250, 120, 900, 0), (12, 96, 380, 18)
"""The start of the scale, the space after it, the width of the figure, and the height of a name above its row (0: before it)."""


def page(comparison: Comparison, shown: Mapping[str, Table]) -> str:
    """The page, with these tables by heading."""
    two = len(comparison.names) == 2
    names = " and ".join(comparison.names) if two else participants.counted(comparison.infos)
    drawings = [differences, figure] if two else [figure]
    return (
        environment()
        .get_template("compare.html.j2")
        .render(
            title=f"Model comparison: {names}",
            legend={name: run_mark(place) for place, name in enumerate(comparison.names)},
            unparsed=tables.unparsed_first(comparison),
            headline=tables.headline(comparison),
            facts=tables.facts(comparison),
            abilities=comparison.abilities,
            figures=[(Markup(draw(comparison)), Markup(draw(comparison, narrow=True))) for draw in drawings],
            tables=shown.items(),
            note=tables.CAPTION,
        )
    )


def figure(comparison: Comparison, *, narrow: bool = False) -> str:
    """The accuracy of each model on each task with its 95% CI and the compact letter display. `narrow`: for phones, with names above the rows."""
    tasks = tables.every(comparison)
    left, right, width, over = _NARROW if narrow else _WIDE
    tall = len(comparison.names) * _LINE + 14 + over
    height, span = _TOP + tall * len(tasks) + 10, width - left - right
    svg = canvas(width, height, "Accuracy by task and model with 95% CIs; models that share a letter do not differ significantly")
    for share in (0, 25, 50, 75, 100):
        x = left + span * share / 100
        add(svg, "line", x1=float(x), x2=float(x), y1=_TOP - 8, y2=height - 8, stroke=RULE)
        text(svg, x, _TOP - 14, f"{share}%", 11, "middle", SOFT)
    for place, task in enumerate(tasks):
        y = float(_TOP + place * tall)
        _name(svg, left, (y + 14 if over else y + tall / 2), task, narrow=narrow)
        for model, (name, score) in enumerate(zip(comparison.names, task.models, strict=True)):
            middle, mark = y + over + 8 + model * _LINE, run_mark(model)
            strict, unparsed = score.strict, score.unparsed
            low, mid, high = (left + span * share for share in (strict.low, strict.estimate, strict.high))
            add(svg, "line", x1=low, x2=high, y1=middle, y2=middle, stroke=mark.hue, stroke_width=2.2)
            dot = marker(svg, mark, mid, middle, 4.6, is_filled=not unparsed.many)
            hint = f"{name}: {ci_text(strict)} %, n = {task.n}"
            tooltip(dot, f"{hint}; unparsed: {unparsed.short}" if unparsed.total else hint)
            text(svg, width - 50, middle + 4, f"{100 * strict.estimate:.1f}%", 12, "end", font_weight="600")
            text(svg, width - 40, middle + 4, task.letters(model) or MARK, 12, fill=INK)
    return written(svg)


def differences(comparison: Comparison, *, narrow: bool = False) -> str:
    """The accuracy of the second model minus that of the first on each task, with 95% CIs; filled if significant. `narrow`: as in `figure`."""
    tasks = tables.every(comparison)
    left, right, width, over = _NARROW if narrow else _WIDE
    tall = 26 + over
    height, span = _TOP + tall * len(tasks) + 26, width - left - right
    intervals = [task.pairs[0].comparison.difference for task in tasks]
    ends = [abs(end) for interval in intervals for end in (interval.low, interval.high)]
    reach = ceil(10 * max(0.1, *ends) - 1e-9) / 10
    svg = canvas(width, height, f"Accuracy of {comparison.names[1]} minus that of {comparison.names[0]}, with 95% CIs")
    for part in (-1, -0.5, 0, 0.5, 1):
        x = left + span * (part + 1) / 2
        dashes = {} if part else {"stroke_width": 1.4}
        add(svg, "line", x1=float(x), x2=float(x), y1=_TOP - 8, y2=height - 26, stroke=RULE if part else INK, **dashes)
        text(svg, x, _TOP - 14, f"{100 * reach * part:+.0f}" if part else "0", 11, "middle", SOFT)
    for x, name, anchor in zip((left, width - right), comparison.names, ("start", "end"), strict=True):
        text(svg, x, height - 8, f"{shortened(name, span / 2 - 130, 11.5)} is more accurate", 11.5, anchor, SOFT)
    for place, task in enumerate(tasks):
        y, pair = _TOP + place * tall + over + 10, task.pairs[0]
        _name(svg, left, (y - 12 if over else y + 4), task, narrow=narrow)
        difference = pair.comparison.difference
        low, mid, high = (left + span * (value / reach + 1) / 2 for value in (difference.low, difference.estimate, difference.high))
        hue = HUES[(1 if difference.estimate > 0 else 0) if pair.is_significant else 6]
        add(svg, "line", x1=low, x2=high, y1=y, y2=y, stroke=hue, stroke_width=2.2)
        dot = add(svg, "circle", cx=mid, cy=y, r=4.8, fill=hue if pair.is_significant else PAPER, stroke=hue, stroke_width=1.6)
        tooltip(dot, f"{ci_text(difference, kind='change')}, p {tables.p_value(pair.p)}")
        note = "" if pair.is_significant or narrow else "  inconclusive" if pair.is_inconclusive else "  n.s."
        text(svg, width - 6, y + 4, f"{100 * difference.estimate:+.1f}{note}", 12, "end", INK if pair.is_significant else SOFT)
    return written(svg)


def _name(svg: Element, left: float, y: float, task: TaskComparison, *, narrow: bool) -> None:
    if narrow:
        over_lines(svg, left, y, _short(task), 12.5)
    else:
        name_before(svg, left, y, _short(task), font_weight="700" if task.task == ALL else "400")


def _short(task: TaskComparison) -> str:
    return task.task if task.task == ALL else task_name(task.task)
