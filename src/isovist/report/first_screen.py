"""What a reader sees first: what each run cannot see, in words, and one figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.diagnosis.findings import Finding, findings
from isovist.report import overview
from isovist.report.collect import Run


@dataclass(frozen=True, slots=True)
class Told:
    """What was found in one run."""

    run: str
    n: int
    """Items it rests on."""
    tasks: int
    first: tuple[Finding, ...]
    """The dearest."""
    rest: tuple[Finding, ...]

    @property
    def nothing(self) -> str:
        """The sentence where there is no finding."""
        if not self.n:
            return "No item has a verdict yet, so that nothing can be found."
        return f"Nothing was found beyond noise in {self.n:,} items of {_tasks(self.tasks)}."


def lines(runs: Sequence[Run]) -> list[Told]:
    """The findings of each run, the dearest first: five at once for one run, fewer each for several."""
    at_once = 5 if len(runs) == 1 else 3 if len(runs) < 4 else 2
    told: list[Told] = []
    for run in runs:
        found = of(run)
        told.append(Told(run.name, run.n, sum(bool(task.n) for task in run.tasks), tuple(found[:at_once]), tuple(found[at_once:])))
    return told


def of(run: Run) -> list[Finding]:
    """What was found in a run."""
    return findings({task.task: task.evidence for task in run.tasks}, finders=())


def words(found: Finding) -> str:
    """On what a finding rests, in a line."""
    p = "< 0.001" if found.p < 0.001 else f"= {found.p:.3f}"
    where = ", ".join(task.partition("/")[2] for task in found.tasks[:3])
    more = f" and {len(found.tasks) - 3} more" if len(found.tasks) > 3 else ""
    return f"{where}{more}; {found.n:,} items, p {p} after correction for all that was looked for"


def caption(runs: Sequence[Run]) -> str:
    """What the figure shows; empty without one."""
    every = overview.lines(runs)
    if not every:
        return ""
    there = len(overview.shown(every, len(runs)))
    which = f"The {_tasks(there)}, the weakest first" if there == len(every) else f"The {there} weakest of {len(every)} tasks"
    if len(every) == 1:
        which = "The task"
    return (
        f"{which}: how far above guessing (0) on the way to all right (100), each item with its own chance, with 95 % intervals. "
        "A hollow dot cannot be told from a guesser, all tasks taken together."
    )


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"
