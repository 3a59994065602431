"""The first screen of a report: the statements about each run, its findings and one figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.reporting.analysis import response_failures
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.detectors import tested_deficits
from isovist.reporting.analysis.findings import Finding
from isovist.reporting.analysis.run_names import short_names
from isovist.reporting.analysis.standings import standings
from isovist.reporting.analysis.text_format import join_names, pluralize
from isovist.reporting.analysis.unparsed_responses import MANY_UNPARSED
from isovist.reporting.reports import participants
from isovist.reporting.reports.figures import overview
from isovist.reporting.reports.sections import headline
from isovist.reporting.reports.sections.unparsed_first import unparsed_sentences
from isovist.reporting.reports.table import p_sentence

MAX_FINDINGS = 5
"""The number of findings on the first screen."""


@dataclass(frozen=True, slots=True)
class RunHeadline:
    """The statements about one run."""

    run: str
    unparsed: str
    """The first sentences if many responses are unparsed, else empty."""
    overall: str
    """The overall score, or the size thresholds of an adaptive run; empty without either."""
    findings: tuple[Finding, ...]
    """Those that are always visible."""
    more_findings: tuple[Finding, ...]
    no_findings: str
    """The sentence in place of findings."""
    by_task: str
    """Task by task, and what is missing."""

    def named(self, findings: Sequence[Finding]) -> list[tuple[str, Finding]]:
        """Findings with the name of the run."""
        return [(self.run, finding) for finding in findings]


def build_rows(runs: Sequence[RunResults]) -> list[RunHeadline]:
    """The findings of each run by number of items affected, the best run first: about five visible ones in all."""
    n_visible = max(1, MAX_FINDINGS // len(runs))
    headlines: list[RunHeadline] = []
    for run in (runs[place] for place in standings([run.tasks for run in runs]).order):
        unparsed = unparsed_sentences(run)
        findings = [finding for finding in run.findings if not (unparsed and finding.kind in response_failures.KINDS)]
        overall = headline.headline_sentence(run, findings)
        no_findings = "" if findings else _no_findings(run, has_unparsed=bool(unparsed), has_thresholds=bool(run.info.adaptive and overall))
        shown, more = tuple(findings[:n_visible]), tuple(findings[n_visible:])
        headlines.append(RunHeadline(run.name, unparsed, overall, shown, more, no_findings, headline.headline(run)))
    return headlines


def first_findings(headlines: Sequence[RunHeadline]) -> list[tuple[str, Finding, int]]:
    """For many runs: of each kind of finding the one that affects the most items, with its run and the number of other runs of this kind."""
    pairs = [pair for each in headlines for pair in each.named((*each.findings, *each.more_findings))]
    by_kind: dict[str, list[tuple[str, Finding]]] = {}
    for run, finding in sorted(pairs, key=lambda pair: (pair[1].is_locational, -pair[1].items_affected)):
        by_kind.setdefault(finding.kind, []).append((run, finding))
    return [(*same[0], len({run for run, _ in same}) - 1) for same in by_kind.values()][:MAX_FINDINGS]


def _no_findings(run: RunResults, *, has_unparsed: bool, has_thresholds: bool) -> str:
    if not run.n:
        return "No item is scored, so no finding can be tested."
    parsed = [task.n_parsed for task in run.tasks if task.n_parsed]
    if not parsed:
        return "No response is parsed, so no finding can be tested."
    tested = join_names(tested_deficits(has_unparsed=has_unparsed, has_thresholds=has_thresholds))
    other = "other " if has_thresholds else ""
    return f"No {other}significant findings in {pluralize(sum(parsed), 'item')} ({pluralize(len(parsed), 'task')}). Tested: {tested}."


def significance(finding: Finding) -> str:
    return p_sentence(finding.p_adjusted)


def caption(runs: Sequence[RunResults]) -> str:
    """The caption of the figure; empty without one."""
    rows = overview.build_rows(runs)
    if not rows:
        return ""
    excluded = sorted({task.task for run in runs for task in run.tasks if task.unparsed_responses.many})
    note = f" Excluded: {pluralize(len(excluded), 'task')} with {MANY_UNPARSED}." if excluded else ""
    return (
        f"Chance-corrected accuracy {'by task, lowest first in each ability' if len(rows) > 1 else ''} (0 = chance, 100 = perfect); bars are 95% CIs. ".replace(
            "  ", " "
        )
        + f"Hollow markers: not significantly above chance (corrected for all tasks).{note}"
    )


def title(runs: Sequence[RunResults]) -> str:
    """The heading of the page."""
    names = participants.counted(run.info for run in runs) if len(runs) > 3 else join_names(short_names([run.name for run in runs]))
    return f"Spatial perception report: {names}"
