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
class SkillProfileRow:
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


def build_rows(runs: Sequence[RunResults]) -> list[SkillProfileRow]:
    """By taxonomy, and in each the weakest skill first, by the mean over the runs; what is withheld comes last."""
    return [line for taxonomy in TAXONOMIES for line in _of(taxonomy, runs)]


def _of(taxonomy: Taxonomy, runs: Sequence[RunResults]) -> list[SkillProfileRow]:
    lines = [line for run in runs for line in _skills(taxonomy, run)]
    height = {
        skill: sum(estimates) / len(estimates)
        if (estimates := [line.above_chance.estimate for line in lines if line.skill == skill and line.above_chance])
        else 2
        for skill in taxonomy.skills
    }
    return sorted(lines, key=lambda line: (height[line.skill], line.skill))  # stable: the runs keep their order


def _skills(taxonomy: Taxonomy, run: RunResults) -> list[SkillProfileRow]:
    covered = [task for task in run.tasks if taxonomy.covers(task.task) and task.n and not task.is_adaptive and not task.unreadable.many]
    by_skill = {skill: [task for task in covered if task.skills & words] for skill, words in taxonomy.skills.items()}
    lines = [_line(run, taxonomy, skill, tasks) for skill, tasks in by_skill.items() if tasks]
    return lines if len(lines) >= FEWEST else []


def _line(run: RunResults, taxonomy: Taxonomy, skill: str, tasks: Sequence[TaskResult]) -> SkillProfileRow:
    missing = sum(task.faults for task in tasks)
    answered = [[Answered(item.value, item.chance, item.group) for item in task.evidence] for task in tasks]
    interval = None if missing else above_chance(answered)
    accuracy = sum(sum(task.values) / task.n for task in tasks) / len(tasks)
    chance = sum(task.chance for task in tasks) / len(tasks)
    return SkillProfileRow(
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


def _hint(line: SkillProfileRow, interval: ConfidenceInterval) -> str:
    hint = f"{100 * interval.estimate:.1f} above chance ({100 * interval.low:.1f} to {100 * interval.high:.1f})"
    return f"{line.run}, {line.skill}: {hint}; {100 * line.accuracy:.1f} % right, {len(line.tasks)} tasks, n = {line.n}"


def format_cells(line: SkillProfileRow) -> tuple[str, str]:
    """How far above chance, in per cent, and its interval."""
    interval = line.above_chance
    if interval is None:
        return f"withheld ({line.missing} without a verdict)", "-"
    return f"{100 * interval.estimate:.1f}", f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Empty without a profile."""
    head = ("skill", "by", "model", "tasks", "n", "accuracy %", "chance %", "above chance %", "95 % interval")
    rows = [
        (
            line.skill,
            line.taxonomy.name,
            line.run,
            str(len(line.tasks)),
            str(line.n),
            f"{100 * line.accuracy:.1f}",
            f"{100 * line.chance:.1f}",
            *format_cells(line),
        )
        for line in build_rows(runs)
    ]
    return as_markdown(head, rows) + "\n" + CAPTION + "\n" if rows else ""


def to_csv(runs: Sequence[RunResults]) -> str:
    """One line a taxonomy, skill and run, numbers as shares of 1."""
    rows: list[Sequence[object]] = []
    for line in build_rows(runs):
        interval = line.above_chance
        cells = (interval.estimate, interval.low, interval.high) if interval else ("", "", "")
        rows.append(
            [line.run, line.taxonomy.name, line.skill, " ".join(line.tasks), line.n, line.accuracy, line.chance, *cells, line.missing]
        )
    return as_csv(["run", "taxonomy", "skill", "tasks", "n", "accuracy", "chance", "above_chance", "low", "high", "missing"], rows)


CAPTION = (
    "Above chance: the mean over the tasks that need the skill, each with the same weight, of how far a task is from chance (0) to all "
    "right (100). Items about one picture count together, also across tasks. A task may need several skills, so the rows of one list "
    "are not independent: a weak skill may only be the companion of another. "
    f"Tasks of which {UNREAD_MANY} are left out."
)
