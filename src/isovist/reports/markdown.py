"""The report as Markdown: the words of its first screen and its tables, under the headings of the page and in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isovist.analysis.collect import RunResults
from isovist.reports import tables
from isovist.reports.html import settings
from isovist.reports.sections import (
    across_tasks,
    adaptive,
    angular_errors,
    by_level,
    conditional_accuracy,
    constant_baseline,
    difficulty,
    error_types,
    findings,
    image_orders,
    paper_table,
    response_times,
    seeds,
    size_thresholds,
    skill_profile,
    subtasks,
    summary,
)
from isovist.reports.sections.summary import RunHeadline

_SECTIONS: tuple[tuple[str, Callable[[Sequence[RunResults]], str]], ...] = (
    ("What is wrong, beyond noise", findings.to_markdown),
    ("Numbers", tables.to_markdown),
    ("Compass reasoning, step by step", subtasks.to_markdown),
    ("Profile of skills", skill_profile.to_markdown),
    ("What makes items hard", lambda runs: difficulty.to_markdown(difficulty.build_rows(runs))),
    ("Always the same answer", constant_baseline.to_markdown),
    ("In several orders of the pictures", image_orders.to_markdown),
    ("Questions that build on each other", conditional_accuracy.to_markdown),
    ("Level by level", by_level.to_markdown),
    ("Sizes chosen by the answers", adaptive.to_markdown),
    ("Accuracy against size", size_thresholds.to_markdown),
    ("Over seeds", seeds.to_markdown),
    ("How long people took", response_times.to_markdown),
    ("Which errors", error_types.to_markdown),
    ("Errors of angles", angular_errors.to_markdown),
    ("Over the tasks of a suite", across_tasks.to_markdown),
    ("Asked in other ways", tables.varied),
    ("The paper's result table", paper_table.to_markdown),
    (
        "How it was asked",
        lambda runs: tables.as_markdown(("", *(run.name for run in runs)), [(name, *cells) for name, cells in settings(runs)]),
    ),
)


def page(runs: Sequence[RunResults]) -> str:
    """The report on some runs; sections with nothing to say are left out."""
    facts = [fact for run in runs if (fact := run.reading.fact(run.name))]
    parts = [f"# {summary.title(runs)}", *facts]
    for headline in summary.build_rows(runs):
        parts += [f"## {headline.run}"] if len(runs) > 1 else []
        parts += _first(headline)
    for heading, section in _SECTIONS:
        if words := section(runs).strip("\n"):
            parts += [f"## {heading}", words]
    return "\n\n".join(parts) + "\n"


def _first(headline: RunHeadline) -> list[str]:
    """What stands first of a run; its findings follow in a table."""
    parts = [headline.unread, headline.overall_sentence, "" if headline.first else headline.no_findings_sentence, headline.headline]
    return [words for words in parts if words]
