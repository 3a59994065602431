"""Skill profile: the chance-corrected accuracy of each skill of the published taxonomies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.skill_taxonomies import TAXONOMIES, Taxonomy
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.analysis.unparsed_responses import MANY_UNPARSED
from isovist.reporting.reports.figures import dot_plot
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections import takeaways
from isovist.reporting.reports.table import CHANCE, N_UNSCORED, RUN, Column, N, Table, ci_text
from isovist.stats.chance_correction import chance_corrected_mean
from isovist.stats.proportions import ConfidenceInterval

MIN_SKILLS = 2
"""A taxonomy with fewer skills in a run has no profile."""
CAPTION = (
    "Chance-corrected accuracy (0 = chance, 100 = perfect) is the mean over the tasks that require the skill, each with the same weight. Hollow "
    "markers: the 95% CI includes 0. Items that share an image are one cluster, also across tasks. A task may require several skills, so the rows "
    "of one taxonomy are not independent: a low value can be due to another skill of the same tasks. "
    f"Tasks with {MANY_UNPARSED} are excluded."
)


@dataclass(frozen=True, slots=True)
class SkillResult:
    """One skill in one run."""

    run: str
    taxonomy: Taxonomy
    skill: str
    tasks: tuple[TaskResult, ...]

    @property
    def n(self) -> int:
        return sum(task.n for task in self.tasks)

    @property
    def n_unscored(self) -> int:
        return sum(task.n_unscored for task in self.tasks)

    @property
    def accuracy(self) -> float:
        """The mean of the tasks' accuracies."""
        return sum(sum(task.rows.credits) / task.n for task in self.tasks) / len(self.tasks)

    @property
    def chance_corrected(self) -> ConfidenceInterval:
        return chance_corrected_mean([task.counted.scores for task in self.tasks])


def sections(runs: Sequence[RunResults]) -> list[Section]:
    columns = [Column("skill", "Skill"), Column("taxonomy", "Taxonomy"), RUN, Column("tasks"), Column("", "Tasks", "count"), N]
    columns += [Column("accuracy", "Accuracy", "percent"), CHANCE, Column("chance_corrected", "Chance-corrected", "points"), N_UNSCORED]
    results = [result for taxonomy in TAXONOMIES for result in _results(taxonomy, runs)]
    rows = [
        (
            *(result.skill, result.taxonomy.name, result.run, " ".join(task.task for task in result.tasks), len(result.tasks), result.n),
            *(result.accuracy, sum(task.chance for task in result.tasks) / len(result.tasks)),
            *(result.chance_corrected, result.n_unscored),
        )
        for result in results
    ]
    table = Table(columns, rows)
    sources = [f"{taxonomy.name}: {taxonomy.source}." for taxonomy in TAXONOMIES if any(result.taxonomy == taxonomy for result in results)]
    return [
        Section(
            "Skill profile",
            table,
            " ".join([CAPTION, *sources]),
            takeaways.counts(
                runs,
                ((result.run, result.chance_corrected.low > 0) for result in results),
                "skill",
                "a 95% CI above chance",
                "not adjusted",
                verb="have",
            ),
            file="profile.csv",
            figures=(("profile",),) if results else (),
            is_folded=True,
        )
    ]


def _results(taxonomy: Taxonomy, runs: Sequence[RunResults]) -> list[SkillResult]:
    """Sorted by the mean over the runs, ascending."""
    results = [result for run in runs for result in _of_run(taxonomy, run)]
    by_skill: dict[str, list[float]] = {skill: [] for skill in taxonomy.skills}
    for result in results:
        by_skill[result.skill].append(result.chance_corrected.estimate)
    means = {skill: fmean(estimates) for skill, estimates in by_skill.items() if estimates}
    return sorted(results, key=lambda result: (means[result.skill], result.skill))  # stable: the runs keep their order


def _of_run(taxonomy: Taxonomy, run: RunResults) -> list[SkillResult]:
    covered = [
        task for task in run.tasks if taxonomy.covers(task.task) and task.n and not task.is_adaptive and not task.unparsed_responses.many
    ]
    by_skill = {skill: tuple(task for task in covered if task.skills & names) for skill, names in taxonomy.skills.items()}
    results = [SkillResult(run.name, taxonomy, skill, tasks) for skill, tasks in by_skill.items() if tasks]
    return results if len(results) >= MIN_SKILLS else []


def figure(runs: Sequence[RunResults]) -> str:
    """A block for each taxonomy, a row for each skill in ascending order; empty without one."""
    label = "Chance-corrected accuracy by skill with 95% CIs, lowest first"
    return dot_plot.figure(list(_blocks(runs)), len(runs), label)


def _blocks(runs: Sequence[RunResults]) -> Iterator[dot_plot.Block]:
    places = {run.name: place for place, run in enumerate(runs)}
    for taxonomy in TAXONOMIES:
        rows: dict[str, list[dot_plot.Dot]] = {}
        for result in _results(taxonomy, runs):
            tooltip = f"{result.run}, {result.skill}: chance-corrected accuracy {ci_text(result.chance_corrected, kind='points')}"
            tooltip += f"; accuracy {100 * result.accuracy:.1f}%, {len(result.tasks)} tasks, n = {result.n}"
            rows.setdefault(result.skill, []).append(dot_plot.Dot(places[result.run], result.chance_corrected, tooltip))
        if rows:
            yield dot_plot.Block(taxonomy.name, tuple(dot_plot.DotRow(skill, tuple(dots)) for skill, dots in rows.items()))
