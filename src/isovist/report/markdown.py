"""The report as Markdown: the words of its first screen and its tables, under the headings of the page and in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isovist.report import (
    across,
    adaptive,
    angle_tables,
    by_level,
    difficulty,
    findings,
    first_screen,
    floors,
    geometry,
    level_tables,
    orders,
    parts,
    profile,
    seeds,
    stages,
    tables,
    times,
    whole_table,
)
from isovist.report.collect import Run
from isovist.report.first_screen import Told
from isovist.report.html import settings

_SECTIONS: tuple[tuple[str, Callable[[Sequence[Run]], str]], ...] = (
    ("What is wrong, beyond noise", findings.markdown),
    ("Numbers", tables.markdown),
    ("Compass reasoning, step by step", stages.markdown),
    ("Profile of skills", profile.markdown),
    ("What makes items hard", lambda runs: difficulty.markdown(difficulty.lines(runs))),
    ("Always the same answer", floors.markdown),
    ("In several orders of the pictures", orders.markdown),
    ("Questions that build on each other", parts.markdown),
    ("Level by level", by_level.markdown),
    ("Sizes chosen by the answers", adaptive.markdown),
    ("Accuracy against size", level_tables.markdown),
    ("Over seeds", seeds.markdown),
    ("How long people took", times.markdown),
    ("Which errors", geometry.markdown),
    ("Errors of angles", angle_tables.markdown),
    ("Over the tasks of a suite", across.markdown),
    ("Asked in other ways", tables.varied),
    ("The paper's result table", whole_table.markdown),
    (
        "How it was asked",
        lambda runs: tables.as_markdown(("", *(run.name for run in runs)), [(name, *own) for name, own in settings(runs)]),
    ),
)


def page(runs: Sequence[Run]) -> str:
    """The report on some runs; sections with nothing to say are left out."""
    facts = [fact for run in runs if (fact := run.reading.fact(run.name))]
    told = [f"# {first_screen.title(runs)}", *facts]
    for it in first_screen.lines(runs):
        told += [f"## {it.run}"] if len(runs) > 1 else []
        told += _first(it)
    for heading, section in _SECTIONS:
        if words := section(runs).strip("\n"):
            told += [f"## {heading}", words]
    return "\n\n".join(told) + "\n"


def _first(it: Told) -> list[str]:
    """What stands first of a run; its findings follow in a table."""
    told = [it.unread, it.lead, "" if it.first else it.nothing, it.headline]
    return [words for words in told if words]
