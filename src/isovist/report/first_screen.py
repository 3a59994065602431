"""What a reader sees first: what each run cannot see, in words, and one figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.diagnosis.finders import BEYOND_A_SIZE, LOOKED_FOR
from isovist.diagnosis.findings import Finding
from isovist.diagnosis.words import counted, listed
from isovist.report import findings, of_people, overview, standing
from isovist.report.collect import Run


@dataclass(frozen=True, slots=True)
class Told:
    """What was found in one run."""

    run: str
    n: int
    """Items it rests on."""
    tasks: int
    lead: str
    """Where it stands between guessing and all right; empty without an accuracy."""
    first: tuple[Finding, ...]
    """The dearest."""
    rest: tuple[Finding, ...]
    headline: str
    """Task by task, and what is missing."""
    adaptive: bool = False
    """Whether the sizes were chosen by the answers: then the lead tells beyond which it fails."""

    @property
    def nothing(self) -> str:
        """The sentence where there is no finding."""
        if not self.n:
            return "No item has a verdict yet, so that nothing can be found."
        looked_for = LOOKED_FOR.replace(f"{BEYOND_A_SIZE}, ", "") if self.adaptive else LOOKED_FOR
        also = "Looked for besides" if self.adaptive else "Looked for"
        return f"{also} and not found beyond noise in {counted(self.n, 'item')} of {counted(self.tasks, 'task')}: {looked_for}."


def lines(runs: Sequence[Run]) -> list[Told]:
    """The findings of each run, the dearest first: five at once for one run, fewer each for several."""
    at_once = 5 if len(runs) == 1 else 3 if len(runs) < 4 else 2
    told: list[Told] = []
    for run in runs:
        found = run.findings
        tasks = sum(bool(task.n) for task in run.tasks)
        lead = standing.lead(standing.Standing(run), found)
        first, rest = tuple(found[:at_once]), tuple(found[at_once:])
        told.append(Told(run.name, run.n, tasks, lead, first, rest, standing.headline(run), bool(run.info.adaptive and lead)))
    return told


def words(found: Finding) -> str:
    """How sure a finding is."""
    return f"p {findings.p(found.p)}" if found.p < 0.001 else f"p = {findings.p(found.p)}"


def caption(runs: Sequence[Run]) -> str:
    """What the figure shows; empty without one."""
    every = overview.lines(runs)
    if not every:
        return ""
    there = len(overview.shown(every, len(runs)))
    which = f"The {counted(there, 'task')}, the weakest first" if there == len(every) else f"The {there} weakest of {len(every)} tasks"
    if len(every) == 1:
        which = "The task"
    return (
        f"{which}: how far above guessing (0) on the way to all right (100), each item with its own chance, with 95 % intervals. "
        "Hollow: it is not surely better than a guesser there, by intervals and tests that hold for all tasks at once."
    )


def title(runs: Sequence[Run]) -> str:
    """The heading of the page."""
    if len(runs) > 3:
        return f"What {of_people.counted(run.info for run in runs)} can see"
    names = [run.name for run in runs]
    return f"What {listed(names)} can see"
