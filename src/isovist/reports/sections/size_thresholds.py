"""The tables on accuracy against size, in Markdown and CSV, and how skills do that such tasks need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isovist.analysis.collect import RunResults, TaskResult
from isovist.analysis.level_results import SizeLevels, together
from isovist.reports.tables import as_csv, as_markdown, percents, shares
from isovist.stats.clustered_means import mean_of_tasks
from isovist.stats.proportions import ConfidenceInterval


@dataclass(frozen=True, slots=True)
class Skill:
    """The tasks with sizes that need one skill, in one run."""

    name: str
    run: str
    tasks: tuple[TaskResult, ...]

    @property
    def withheld(self) -> int:
        """Items without a verdict."""
        return sum(task.faults for task in self.tasks)

    @property
    def steered(self) -> bool:
        """Whether the sizes of one of them were chosen by the answers."""
        return any(task.is_adaptive for task in self.tasks)

    @property
    def why(self) -> str:
        """Why there is no accuracy."""
        return "sizes were chosen" if self.steered else f"{self.withheld} without a verdict"

    @property
    def accuracy(self) -> ConfidenceInterval | None:
        """The mean of the tasks' accuracies, each task with the same weight; None while one of them is withheld."""
        if not all(task.accuracy for task in self.tasks):
            return None
        return mean_of_tasks([(task.values, task.grouped) for task in self.tasks])

    @property
    def sizes(self) -> SizeLevels | None:
        """All its tasks together, size by size; None where each was asked other sizes more often."""
        return None if self.steered else together(self.run, self.name, [sized for task in self.tasks if (sized := task.sizes)])

    @property
    def chance(self) -> float:
        return sum(task.chance for task in self.tasks) / len(self.tasks)

    @property
    def reached(self) -> int:
        """Tasks in which accuracy falls half-way to chance within the sizes asked."""
        falls = [sized.fall for task in self.tasks if (sized := task.sizes)]
        return sum(fall is not None and fall.range_status == "within" for fall in falls)


def every_size(runs: Sequence[RunResults]) -> Iterator[SizeLevels]:
    """Each task with sizes of each run."""
    return (sized for run in runs for task in run.tasks if (sized := task.sizes))


def skills(runs: Sequence[RunResults]) -> list[Skill]:
    """The skills of the tasks with sizes, by name, each in each run."""
    sized = [(run, [task for task in run.tasks if task.sizes]) for run in runs]
    names = sorted({skill for _, tasks in sized for task in tasks for skill in task.skills})
    all_skills = [Skill(name, run.name, tuple(task for task in tasks if name in task.skills)) for name in names for run, tasks in sized]
    return [skill for skill in all_skills if skill.tasks]


def to_markdown(runs: Sequence[RunResults]) -> str:
    """The half-way sizes and the skills; empty without a task with sizes."""
    rows = [(sized.task, sized.run, str(sized.n), _ends(sized), sized.halfway, sized.interval) for sized in every_size(runs)]
    if not rows:
        return ""
    table = as_markdown(("task", "model", "n", "sizes", "half-way size", "95 % interval"), rows) + "\n" + LEVELS_NOTE + "\n"
    by_skill = [_skill_row(skill) for skill in skills(runs)]
    if not by_skill:
        return table
    head = ("skill", "model", "tasks", "accuracy %", "95 % interval", "chance %", "half-way within the sizes")
    return f"{table}\n{as_markdown(head, by_skill)}\n{SKILLS_NOTE}\n"


def _ends(sized: SizeLevels) -> str:
    smallest, *_, largest = sized.tallies
    return f"{smallest} to {largest}"


def _skill_row(skill: Skill) -> tuple[str, ...]:
    cells = (*percents(skill.accuracy), f"{100 * skill.chance:.1f}", f"{skill.reached} of {len(skill.tasks)}")
    return (skill.name, skill.run, str(len(skill.tasks)), *cells)


def levels_csv(runs: Sequence[RunResults]) -> str:
    """One line a run, task and size, numbers as shares of 1."""
    rows: list[Sequence[object]] = []
    for sized in every_size(runs):
        for size, tally in sized.tallies.items():
            rows.append([sized.run, sized.task, size, len(tally.values), *shares(tally.accuracy), tally.chance, tally.missing])
    return as_csv(["run", "task", "level", "n", "accuracy", "low", "high", "chance", "missing"], rows)


def thresholds_csv(runs: Sequence[RunResults]) -> str:
    """One line a run and task: where the half-way size lies and, as far as it is within the sizes asked, what it is."""
    rows: list[Sequence[object]] = []
    for sized in every_size(runs):
        smallest, *_, largest = sized.tallies
        fall = sized.fall
        fall_cells = ["withheld", *[None] * 3] if fall is None else [fall.range_status, fall.threshold, fall.low, fall.high]
        curve = fall.curve if fall else None
        drawn = (curve.halfway, curve.slope, curve.lapse_rate, "ratio" if curve.log_scale else "step") if curve else [None] * 4
        cells = [sized.run, sized.task, sized.n, sized.missing, smallest, largest, *fall_cells, *drawn]
        rows.append(["" if cell is None else cell for cell in cells])
    head = ["run", "task", "n", "missing", "smallest", "largest", "where", "halfway", "low", "high"]
    return as_csv([*head, "curve_halfway", "curve_steepness", "curve_lapse", "curve_by"], rows)


def skills_csv(runs: Sequence[RunResults]) -> str:
    """One line a skill and run, numbers as shares of 1."""
    rows: list[Sequence[object]] = []
    for skill in skills(runs):
        cells = [*shares(skill.accuracy), skill.chance, skill.reached, skill.withheld]
        rows.append([skill.run, skill.name, len(skill.tasks), *cells])
    return as_csv(["run", "skill", "tasks", "accuracy", "low", "high", "chance", "halfway_within", "missing"], rows)


LEVELS_NOTE = (
    "The half-way size is where accuracy has fallen half of the way from its top to chance: the mean of what the answers leave possible, "
    "and 95 % of that. What lies beyond the sizes that were asked is not guessed at: the interval is then open."
)

SKILLS_NOTE = (
    "A skill's accuracy is the mean over the tasks with sizes that need it, each with the same weight; a task may need several, so "
    "that the lines of this table are not independent. Half-way within the sizes: in how many of the tasks accuracy falls half-way "
    "to chance within the sizes asked."
)
