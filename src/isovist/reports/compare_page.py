"""A comparison of models as one HTML file that opens offline, with its figure."""

from __future__ import annotations

from math import ceil

from markupsafe import Markup

from isovist.analysis.unparsed_responses import MARK
from isovist.reports import compare_tables as tables
from isovist.reports import participants
from isovist.reports.compare import ALL, Comparison, TaskComparison
from isovist.reports.figures.svg import HUES, INK, PAPER, RULE, SOFT, add, canvas, text, tooltip, written
from isovist.reports.html import environment

_LEFT, _RIGHT, _TOP, _WIDTH, _LINE = 250, 120, 34, 900, 16


def page(comparison: Comparison) -> str:
    return (
        environment()
        .get_template("compare.html.j2")
        .render(
            title=f"{' and '.join(comparison.names) if len(comparison.names) == 2 else participants.counted(comparison.infos)} on the same items",
            names=comparison.names,
            hues=HUES,
            unread=tables.unread_first(comparison),
            headline=tables.headline(comparison),
            facts=tables.facts(comparison),
            figures=[Markup(figure(comparison))]
            if len(comparison.names) > 2
            else [Markup(differences(comparison)), Markup(figure(comparison))],
            tables=tables.every_table(comparison),
            note=tables.CAPTION,
        )
    )


def figure(comparison: Comparison) -> str:
    """Each model's accuracy on each task with its interval and the letters of its ties."""
    shown = tables.every(comparison)
    tall = len(comparison.names) * _LINE + 14
    height, span = _TOP + tall * len(shown) + 10, _WIDTH - _LEFT - _RIGHT
    svg = canvas(
        _WIDTH, height, "Accuracy of each model on each task with its 95 % interval; models that share a letter cannot be told apart"
    )
    for share in (0, 25, 50, 75, 100):
        x = _LEFT + span * share / 100
        add(svg, "line", x1=float(x), x2=float(x), y1=_TOP - 8, y2=height - 8, stroke=RULE)
        text(svg, x, _TOP - 14, f"{share} %", 11, "middle", SOFT)
    for place, one in enumerate(shown):
        y = float(_TOP + place * tall)
        text(svg, _LEFT - 14, y + tall / 2, _short(one), 12.5, "end", font_weight="700" if one.task == ALL else "400")
        for model, (name, score) in enumerate(zip(comparison.names, one.models, strict=True)):
            middle, hue = y + 8 + model * _LINE, HUES[model % len(HUES)]
            strict, unread = score.strict, score.unreadable
            low, mid, high = (_LEFT + span * share for share in (strict.low, strict.estimate, strict.high))
            add(svg, "line", x1=low, x2=high, y1=middle, y2=middle, stroke=hue, stroke_width=2.2)
            hollow = {"fill": PAPER, "stroke": hue, "stroke_width": 1.8} if unread.many else {"fill": hue, "stroke": PAPER}
            dot = add(svg, "circle", cx=mid, cy=middle, r=4.6, **hollow)
            hint = f"{name}: {100 * strict.estimate:.1f} % ({100 * strict.low:.1f} to {100 * strict.high:.1f}), n = {one.n}"
            tooltip(dot, f"{hint}; unread: {unread.short}" if unread.total else hint)
            text(svg, _WIDTH - 50, middle + 4, f"{100 * strict.estimate:.1f} %", 12, "end", hue, font_weight="600")
            text(svg, _WIDTH - 40, middle + 4, one.letters(model) or MARK, 12, fill=INK)
    return written(svg)


def differences(comparison: Comparison) -> str:
    """How much better the second of two models is on each task, with its interval: filled where the two are told apart."""
    shown = tables.every(comparison)
    tall, height, span = 26, _TOP + 26 * len(shown) + 26, _WIDTH - _LEFT - _RIGHT
    ends = [abs(end) for one in shown for end in (one.pairs[0].comparison.difference.low, one.pairs[0].comparison.difference.high)]
    reach = ceil(10 * max(0.1, *ends) - 1e-9) / 10
    svg = canvas(_WIDTH, height, f"Accuracy of {comparison.names[1]} less that of {comparison.names[0]}, with 95 % intervals")
    for part in (-1, -0.5, 0, 0.5, 1):
        x = _LEFT + span * (part + 1) / 2
        dashes = {} if part else {"stroke_width": 1.4}
        add(svg, "line", x1=float(x), x2=float(x), y1=_TOP - 8, y2=height - 26, stroke=RULE if part else INK, **dashes)
        text(svg, x, _TOP - 14, f"{100 * reach * part:+.0f}" if part else "0", 11, "middle", SOFT)
    text(svg, float(_LEFT), height - 8, f"{comparison.names[0]} is better", 11.5, fill=SOFT)
    text(svg, float(_WIDTH - _RIGHT), height - 8, f"{comparison.names[1]} is better", 11.5, "end", SOFT)
    for place, one in enumerate(shown):
        y, pair = _TOP + place * tall + 10, one.pairs[0]
        text(svg, _LEFT - 14, y + 4, _short(one), 12.5, "end", font_weight="700" if one.task == ALL else "400")
        difference = pair.comparison.difference
        low, mid, high = (_LEFT + span * (value / reach + 1) / 2 for value in (difference.low, difference.estimate, difference.high))
        hue = HUES[(1 if difference.estimate > 0 else 0) if pair.is_significant else 6]
        add(svg, "line", x1=low, x2=high, y1=y, y2=y, stroke=hue, stroke_width=2.2)
        dot = add(svg, "circle", cx=mid, cy=y, r=4.8, fill=hue if pair.is_significant else PAPER, stroke=hue, stroke_width=1.6)
        tooltip(
            dot,
            f"{100 * difference.estimate:+.1f} ({100 * difference.low:+.1f} to {100 * difference.high:+.1f}), p {tables.p_value(pair.p)}",
        )
        text(
            svg,
            _WIDTH - 6,
            y + 4,
            f"{100 * difference.estimate:+.1f}{'' if pair.is_significant else '  open' if pair.open else '  tied'}",
            12,
            "end",
            INK if pair.is_significant else SOFT,
        )
    return written(svg)


def _short(one: TaskComparison) -> str:
    return one.task if one.task == ALL else one.task.partition("/")[2]
