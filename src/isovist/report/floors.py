"""What a model would get that always gave one answer, beside those that nearly do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from isovist.core.answers import LETTERS, Choice
from isovist.diagnosis.evidence import Evidence
from isovist.report.collect import Run, TaskResult
from isovist.report.tables import as_csv, as_markdown, changes, percents, shares
from isovist.stats.clusters import clustered
from isovist.stats.paired import Difference, paired
from isovist.stats.proportions import Interval

_OFTEN = 1.5
"""How many times more frequent than any key a reply has to be for the floor to be told."""
_MANY = 0.4
"""And the share of all replies that it has to be."""
_TWO_OPTIONS = 0.4
"""The chance from which the floor is always told: with two options one answer is right half of the time."""


@dataclass(frozen=True, slots=True)
class Line:
    """One task in one run."""

    run: str
    task: str
    n: int
    answer: str
    """The best single answer: a letter, the text of an option, a number."""
    floor: float
    """The accuracy of who always gives it."""
    reply: str
    """What the model said most often."""
    share: Interval
    """Of all replies."""
    accuracy: Interval
    above: Difference
    """The accuracy minus the floor, item by item."""


def lines(runs: Sequence[Run]) -> list[Line]:
    """Tasks with two options, and those where one reply is far more frequent than any key; none without all verdicts."""
    return [line for run in runs for task in run.tasks if (line := _line(task)) is not None]


def _line(task: TaskResult) -> Line | None:
    accuracy = task.accuracy
    if accuracy is None:
        return None
    ways = [_Told(task.evidence, named) for named in (_as_written, _as_meant)]
    said = max(ways, key=lambda way: way.often / way.best)
    if task.chance < _TWO_OPTIONS and (said.often < _MANY * task.n or said.often < _OFTEN * said.best):
        return None
    floor = max(ways, key=lambda way: way.best)
    always = [float(key == floor.answer) for key in floor.keys]
    above = paired([value - other for value, other in zip(task.values, always, strict=True)], task.grouped)
    share = clustered([float(reply == said.reply) for reply in said.replies], task.grouped)
    return Line(task.run, task.task, task.n, floor.answer, floor.best / task.n, said.reply or "-", share, accuracy, above)


class _Told:
    """Keys and replies of a task in one way to name them, each at least one."""

    def __init__(self, replies: Sequence[Evidence], named: Callable[[Evidence], tuple[str, str | None]]) -> None:
        told = [named(it) for it in replies]
        self.keys = [key for key, _ in told]
        self.replies = [said for _, said in told]
        self.answer, self.best = Counter(self.keys).most_common(1)[0]
        read = Counter(said for said in self.replies if said is not None).most_common(1)
        self.reply, self.often = read[0] if read else ("", 0)


def _as_written(it: Evidence) -> tuple[str, str | None]:
    """Key and reply as they are written: for a choice the letters."""
    return it.key.canonical(), it.parsed


def _as_meant(it: Evidence) -> tuple[str, str | None]:
    """Key and reply by the texts of the options, for a choice."""
    if not isinstance(it.key, Choice):
        return _as_written(it)
    return it.key.bin(), None if it.parsed is None else it.key.options[LETTERS.index(it.parsed)]


def markdown(runs: Sequence[Run]) -> str:
    """Empty where no floor is told."""
    rows: list[tuple[str, ...]] = []
    for it in lines(runs):
        above = changes(it.above)
        floor = (it.answer, f"{100 * it.floor:.1f}", percents(it.accuracy)[0])
        rows.append((it.task, it.run, str(it.n), *floor, *above, it.reply, *percents(it.share)))
    head = ("task", "model", "n", "best single answer", "floor %", "accuracy %", "above the floor", "95 % interval")
    return as_markdown((*head, "said most often", "of all replies %", "95 % interval"), rows) + "\n" + NOTE + "\n" if rows else ""


def csv(runs: Sequence[Run]) -> str:
    """One line a run and task, numbers as shares of 1."""
    rows: list[Sequence[object]] = []
    for it in lines(runs):
        above = (it.above.estimate, it.above.low, it.above.high)
        rows.append([it.run, it.task, it.n, it.answer, it.floor, it.accuracy.estimate, *above, it.reply, *shares(it.share)])
    head = ["run", "task", "n", "answer", "floor", "accuracy", "above", "above_low", "above_high", "reply", "share", "low", "high"]
    return as_csv(head, rows)


NOTE = (
    "The floor is the accuracy of the one answer that is right most often, a letter or what an option says, always given. It is told "
    "for tasks of two options, and where one reply makes up 40 % of all and is at least half as frequent again as any key."
)
