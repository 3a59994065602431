"""What a reader sees first: what each run cannot see, in words, and one figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.analysis import response_failures
from isovist.analysis.collect import RunResults
from isovist.analysis.detectors import BEYOND_A_SIZE, DETECTABLE_DEFICITS, NO_ANSWER
from isovist.analysis.findings import Finding
from isovist.analysis.text_format import join_names, pluralize
from isovist.analysis.unparsed_responses import UNREAD_MANY
from isovist.reports import participants
from isovist.reports.figures import overview
from isovist.reports.sections import findings
from isovist.reports.sections import headline as standing


@dataclass(frozen=True, slots=True)
class RunHeadline:
    """What was found in one run."""

    run: str
    n: int
    """Items with a verdict."""
    readable: int
    """Those of them whose replies could be read: what is not found rests on these."""
    tasks: int
    unread: str
    """What is told first where many could not; empty where nearly all could."""
    overall_sentence: str
    """Where it stands between guessing and all right; empty without an accuracy."""
    first: tuple[Finding, ...]
    """The dearest."""
    rest: tuple[Finding, ...]
    headline: str
    """Task by task, and what is missing."""
    adaptive: bool = False
    """Whether the sizes were chosen by the answers: then the lead tells beyond which it fails."""

    @property
    def no_findings_sentence(self) -> str:
        """The sentence where there is no finding."""
        if not self.n:
            return "No item has a verdict yet, so that nothing can be found."
        if not self.readable:
            return "No reply could be read, so that nothing can be found."
        looked_for = DETECTABLE_DEFICITS.replace(f"{BEYOND_A_SIZE}, ", "") if self.adaptive else DETECTABLE_DEFICITS
        looked_for = looked_for.replace(f"{NO_ANSWER}, ", "") if self.unread else looked_for
        also = "Looked for besides" if self.adaptive else "Looked for"
        return f"{also} and not found beyond noise in {pluralize(self.readable, 'item')} of {pluralize(self.tasks, 'task')}: {looked_for}."


def build_rows(runs: Sequence[RunResults]) -> list[RunHeadline]:
    """The findings of each run, the dearest first: five at once for one run, fewer each for several."""
    at_once = 5 if len(runs) == 1 else 3 if len(runs) < 4 else 2
    headlines: list[RunHeadline] = []
    for run in runs:
        performance = standing.OverallPerformance(run)
        findings = [one for one in run.findings if not (performance.unread and one.kind in response_failures.KINDS)]  # it is told already
        lead = standing.headline_sentence(performance, findings)
        unread = [task.unreadable for task in run.tasks]
        tasks, readable = (
            sum(unreadable.n > unreadable.total for unreadable in unread),
            sum(unreadable.n - unreadable.total for unreadable in unread),
        )
        first, rest = tuple(findings[:at_once]), tuple(findings[at_once:])
        adaptive = bool(run.info.adaptive and lead)
        headlines.append(
            RunHeadline(run.name, run.n, readable, tasks, performance.unread, lead, first, rest, standing.headline(performance), adaptive)
        )
    return headlines


def words(finding: Finding) -> str:
    """How sure a finding is."""
    return f"p {findings.p(finding.p_adjusted)}" if finding.p_adjusted < 0.001 else f"p = {findings.p(finding.p_adjusted)}"


def caption(runs: Sequence[RunResults]) -> str:
    """What the figure shows; empty without one."""
    every = overview.build_rows(runs)
    if not every:
        return ""
    n_shown = len(overview.shown(every, len(runs)))
    which = (
        f"The {pluralize(n_shown, 'task')}, the weakest first" if n_shown == len(every) else f"The {n_shown} weakest of {len(every)} tasks"
    )
    if len(every) == 1:
        which = "The task"
    unread = sorted({task.task for run in runs for task in run.tasks if task.unreadable.many})
    left_out = f" Left out: {pluralize(len(unread), 'task')} of which {UNREAD_MANY}." if unread else ""
    return (
        f"{which}: how far above guessing (0) on the way to all right (100), each item with its own chance, with 95 % intervals. "
        "Hollow: it is not surely better than a guesser there, by intervals and tests that hold for all tasks at once."
        f"{left_out}"
    )


def title(runs: Sequence[RunResults]) -> str:
    """The heading of the page."""
    if len(runs) > 3:
        return f"What {participants.counted(run.info for run in runs)} can see"
    names = [run.name for run in runs]
    return f"What {join_names(names)} can see"
