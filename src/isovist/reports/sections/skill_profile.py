"""A run's profile: how far above chance it is in each skill, by the lists of skills that the field uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isovist.analysis.collect import RunResults, TaskResult
from isovist.analysis.skill_taxonomies import TAXONOMIES, Taxonomy
from isovist.analysis.unparsed_responses import UNREAD_MANY
from isovist.reports.figures import dot_plot
from isovist.reports.tables import as_csv, as_markdown
from isovist.stats.chance_correction import Answered, above_chance
from isovist.stats.proportions import ConfidenceInterval

FEWEST = 2
"""Skills of a taxonomy without which a run has no profile of it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One skill in one run."""

    run: str
    taxonomy: Taxonomy
    skill: str
    tasks: tuple[str, ...]
    n: int
    accuracy: float
    """The mean of the tasks' accuracies."""
    chance: float
    above_chance: ConfidenceInterval | None
    """From chance (0) to all right (1); None as long as there are items without a verdict."""
    missing: int
    """Items without a verdict."""


def lines(runs: Sequence[RunResults]) -> list[Line]:
    """By taxonomy, and in each the weakest skill first, by the mean over the runs; what is withheld comes last."""
    return [line for taxonomy in TAXONOMIES for line in _of(taxonomy, runs)]


def _of(taxonomy: Taxonomy, runs: Sequence[RunResults]) -> list[Line]:
    found = [line for run in runs for line in _skills(taxonomy, run)]
    height = {
        skill: sum(it) / len(it)
        if (it := [line.above_chance.estimate for line in found if line.skill == skill and line.above_chance])
        else 2
        for skill in taxonomy.skills
    }
    return sorted(found, key=lambda it: (height[it.skill], it.skill))  # stable: the runs keep their order


def _skills(taxonomy: Taxonomy, run: RunResults) -> list[Line]:
    covered = [task for task in run.tasks if taxonomy.covers(task.task) and task.n and not task.is_adaptive and not task.unreadable.many]
    of = {skill: [task for task in covered if task.skills & words] for skill, words in taxonomy.skills.items()}
    found = [_line(run, taxonomy, skill, tasks) for skill, tasks in of.items() if tasks]
    return found if len(found) >= FEWEST else []


def _line(run: RunResults, taxonomy: Taxonomy, skill: str, tasks: Sequence[TaskResult]) -> Line:
    missing = sum(task.faults for task in tasks)
    answered = [[Answered(it.value, it.chance, it.group) for it in task.evidence] for task in tasks]
    interval = None if missing else above_chance(answered)
    accuracy = sum(sum(task.values) / task.n for task in tasks) / len(tasks)
    chance = sum(task.chance for task in tasks) / len(tasks)
    return Line(
        run.name, taxonomy, skill, tuple(task.task for task in tasks), sum(task.n for task in tasks), accuracy, chance, interval, missing
    )


def figure(runs: Sequence[RunResults]) -> str:
    """A block a taxonomy, a row a skill, the weakest first; empty without one."""
    return dot_plot.figure(list(_blocks(runs)), len(runs), "How far above guessing each skill is, the weakest first, with 95 % intervals")


def _blocks(runs: Sequence[RunResults]) -> Iterator[dot_plot.Block]:
    places = {run.name: place for place, run in enumerate(runs)}
    for taxonomy in TAXONOMIES:
        rows: dict[str, list[dot_plot.Dot]] = {}
        for line in _of(taxonomy, runs):
            if line.above_chance:
                rows.setdefault(line.skill, []).append(dot_plot.Dot(places[line.run], line.above_chance, _hint(line, line.above_chance)))
        if rows:
            yield dot_plot.Block(taxonomy.name, tuple(dot_plot.DotRow(skill, tuple(dots)) for skill, dots in rows.items()))


def _hint(line: Line, found: ConfidenceInterval) -> str:
    told = f"{100 * found.estimate:.1f} above chance ({100 * found.low:.1f} to {100 * found.high:.1f})"
    return f"{line.run}, {line.skill}: {told}; {100 * line.accuracy:.1f} % right, {len(line.tasks)} tasks, n = {line.n}"


def cells(line: Line) -> tuple[str, str]:
    """How far above chance, in per cent, and its interval."""
    found = line.above_chance
    if found is None:
        return f"withheld ({line.missing} without a verdict)", "-"
    return f"{100 * found.estimate:.1f}", f"{100 * found.low:.1f} to {100 * found.high:.1f}"


def markdown(runs: Sequence[RunResults]) -> str:
    """Empty without a profile."""
    head = ("skill", "by", "model", "tasks", "n", "accuracy %", "chance %", "above chance %", "95 % interval")
    rows = [
        (
            it.skill,
            it.taxonomy.name,
            it.run,
            str(len(it.tasks)),
            str(it.n),
            f"{100 * it.accuracy:.1f}",
            f"{100 * it.chance:.1f}",
            *cells(it),
        )
        for it in lines(runs)
    ]
    return as_markdown(head, rows) + "\n" + NOTE + "\n" if rows else ""


def csv(runs: Sequence[RunResults]) -> str:
    """One line a taxonomy, skill and run, numbers as shares of 1."""
    rows: list[Sequence[object]] = []
    for it in lines(runs):
        found = it.above_chance
        own = (found.estimate, found.low, found.high) if found else ("", "", "")
        rows.append([it.run, it.taxonomy.name, it.skill, " ".join(it.tasks), it.n, it.accuracy, it.chance, *own, it.missing])
    return as_csv(["run", "taxonomy", "skill", "tasks", "n", "accuracy", "chance", "above_chance", "low", "high", "missing"], rows)


NOTE = (
    "Above chance: the mean over the tasks that need the skill, each with the same weight, of how far a task is from chance (0) to all "
    "right (100). Items about one picture count together, also across tasks. A task may need several skills, so the rows of one list "
    "are not independent: a weak skill may only be the companion of another. "
    f"Tasks of which {UNREAD_MANY} are left out."
)
