"""Takeaways: the one-sentence results of sections, for a single run or for several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.text_format import pluralize
from isovist.reporting.reports.table import Interval, ci_text

_MAX_RUNS = 4
"""The number of runs that a takeaway names; of more runs it names the lowest and the highest."""


def counts(
    runs: Sequence[RunResults], things: Iterable[tuple[str, bool]], noun: str, predicate: str, test: str, *, verb: str = "be"
) -> str:
    """How many of some things have a property, such as "3 of 12 tasks are significantly above chance (95% CIs)."; empty without any thing.

    Args:
        runs: The runs of the report.
        things: For each thing the name of its run, and whether it has the property.
        noun: One thing; the plural ends in "s".
        predicate: The property, after the verb.
        test: The criterion of the property.
        verb: "be" or "have".
    """
    by_run: dict[str, list[bool]] = {}
    for run, has_property in things:
        by_run.setdefault(run, []).append(has_property)
    numbers = [(run, sum(each), len(each)) for run, each in by_run.items()]
    if not numbers:
        return ""
    if len(runs) == 1:
        _, n, total = numbers[0]
        singular, plural = ("is", "are") if verb == "be" else ("has", "have")
        return f"{n} of {pluralize(total, noun)} {singular if 1 in (n, total) else plural} {predicate} ({test})."
    label = f"{noun[:1].upper()}{noun[1:]}s {'' if verb == 'be' else 'with '}{predicate} ({test})"
    if len(numbers) <= _MAX_RUNS:
        return f"{label}: {', '.join(f'{n} of {total} ({name})' for name, n, total in numbers)}."
    if len({(n, total) for _, n, total in numbers}) == 1:
        return f"{label}: {numbers[0][1]} of {numbers[0][2]} for each of {len(numbers)} models."
    ends = [pick(numbers, key=lambda run: run[1] / run[2]) for pick in (min, max)]
    low, high = (f"{n} of {total} ({name})" for name, n, total in ends)
    return f"{label}: {low} to {high}, {len(numbers)} models."


def largest(label: str, places: Sequence[tuple[Interval, str]]) -> str:
    """The largest estimate with its place, such as "Largest gap: 4.0 percentage points [1.0, 7.0] (task a)."."""
    interval, place = max(places, key=lambda pair: pair[0].estimate or 0.0)
    estimate, _, ends = ci_text(interval).partition(" ")
    return f"{label}: {estimate} percentage points {ends} ({place})."


def rate(interval: Interval) -> str:
    """An accuracy in a sentence, such as "80.0% [71.1, 86.7]"."""
    estimate, _, ends = ci_text(interval).partition(" ")
    return f"{estimate}% {ends}"
