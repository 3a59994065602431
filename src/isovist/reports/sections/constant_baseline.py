"""What a model would get that always gave one answer, beside those that nearly do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist.analysis.collect import RunResults, TaskResult
from isovist.analysis.constant_responses import candidates, constant, said_most
from isovist.core.answers.best_constant import best_constant, constants_by_level
from isovist.reports.tables import as_csv, as_markdown, changes, percents, shares
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.paired_differences import Difference, paired_difference
from isovist.stats.proportions import ConfidenceInterval

_OFTEN = 1.5
"""How many times more frequent a reply has to be than it could be right for the floor to be told."""
_MANY = 0.4
"""And the share of all replies that it has to be."""
_TWO_OPTIONS = 0.4
"""The chance from which the floor is always told: with two options one answer is right half of the time."""
ONE_A_LEVEL = "one answer a level"


@dataclass(frozen=True, slots=True)
class ConstantBaselineRow:
    """One task in one run."""

    run: str
    task: str
    n: int
    answer: str
    """The best constant answer: a letter, the text of an option, a number."""
    baseline: float
    """The accuracy of who always gives it, by each item's own scorer."""
    by_level: float | None
    """The accuracy of who gives the best constant answer of each level; None for a task of one level."""
    reply: str
    """What the model said most often."""
    share: ConfidenceInterval
    """Of all replies."""
    accuracy: ConfidenceInterval
    gain_over_baseline: Difference
    """The accuracy minus the floor, item by item; for a model that gives one answer a level, minus the floor by level."""


def build_rows(runs: Sequence[RunResults]) -> list[ConstantBaselineRow]:
    """Tasks with two options, and those where (nearly) one reply, or one a level, is given; none without all verdicts, and none of which
    many replies could not be read.
    """
    return [line for run in runs for task in run.tasks if not task.unreadable.many and (line := _line(task)) is not None]


def _line(task: TaskResult) -> ConstantBaselineRow | None:
    accuracy = task.accuracy
    if accuracy is None:
        return None
    one, most = constant(task.evidence), said_most(task.evidence)
    by_levels = one is not None and one.by == "level"
    often = most.n if most else 0
    if task.chance < _TWO_OPTIONS and often < _MANY * task.n and not by_levels:
        return None
    keys, levels = [item.key for item in task.evidence], [item.level for item in task.evidence]
    best = best_constant(keys)
    if task.chance < _TWO_OPTIONS and often < _OFTEN * sum(best.credits) and not by_levels:
        return None
    floors = constants_by_level(levels, keys) if len(set(levels)) > 1 else None
    above = paired_difference(
        [value - other for value, other in zip(task.values, floors if floors and by_levels else best.credits, strict=True)], task.grouped
    )
    if one is not None and by_levels:
        reply, answers = ONE_A_LEVEL, {place: part.answer for part in one.parts for place in part.places}
    else:
        reply, answers = (most.answer.text, dict.fromkeys(range(task.n), most.answer)) if most else ("-", {})
    is_it = [(answer := answers.get(place)) is not None and answer in candidates(item) for place, item in enumerate(task.evidence)]
    share = clustered_mean([float(is_match) for is_match in is_it], task.grouped)
    by_level = sum(floors) / task.n if floors else None
    return ConstantBaselineRow(task.run, task.task, task.n, best.reply, best.accuracy, by_level, reply, share, accuracy, above)


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Empty where no floor is told."""
    rows: list[tuple[str, ...]] = []
    for line in build_rows(runs):
        above = changes(line.gain_over_baseline)
        floor = (line.answer, f"{100 * line.baseline:.1f}", percent(line.by_level), percents(line.accuracy)[0])
        rows.append((line.task, line.run, str(line.n), *floor, *above, line.reply, *percents(line.share)))
    head = ("task", "model", "n", "best constant answer", "floor %", "one a level %", "accuracy %", "above the floor", "95 % interval")
    return as_markdown((*head, "said most often", "of all replies %", "95 % interval"), rows) + "\n" + CAPTION + "\n" if rows else ""


def percent(share: float | None) -> str:
    """A share that a task may lack."""
    return "-" if share is None else f"{100 * share:.1f}"


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a run and task, numbers as shares of 1."""
    rows: list[Sequence[object]] = []
    for line in build_rows(runs):
        above = (line.gain_over_baseline.estimate, line.gain_over_baseline.low, line.gain_over_baseline.high)
        by_level = "" if line.by_level is None else line.by_level
        rows.append(
            [
                line.run,
                line.task,
                line.n,
                line.answer,
                line.baseline,
                by_level,
                line.accuracy.estimate,
                *above,
                line.reply,
                *shares(line.share),
            ]
        )
    head = ["run", "task", "n", "answer", "floor", "floor_by_level", "accuracy", "above", "above_low", "above_high"]
    return as_csv([*head, "reply", "share", "low", "high"], rows)


CAPTION = (
    "The floor is the accuracy of the best constant answer: the reply, a letter or what an option says, that earns most when it is given to "
    "every item, scored by each item. One a level: the same with the best reply of each level. Both are chosen on these very items, so they "
    "flatter the constant answer where items are few. The floor is told for tasks of two options, where one reply makes up 40 % of all and "
    "is given half as often again as any constant answer is right, and where a model gives one answer to each level; then the accuracy "
    "stands beside the floor by level."
)
