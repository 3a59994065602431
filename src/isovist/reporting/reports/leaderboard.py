"""The ranking of models: chance-corrected accuracy by suite and over all, on the items that every ranked model has a score for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from isovist.common.errors import UserError
from isovist.evaluation.run.verification import Verifier
from isovist.reporting.analysis.collect import order, run_results
from isovist.reporting.analysis.overall_performance import Overall, overall
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.runs import Run, caveats, load_runs, require_fixed_design
from isovist.reporting.analysis.text_format import pluralize
from isovist.reporting.analysis.unparsed_responses import NO_ORDER, AccuracyRange, UnparsedResponses, accuracy_range, may_reverse
from isovist.reporting.reports import participants
from isovist.stats.chance_correction import Scores
from isovist.stats.multiple_comparisons import compact_letter_groups, every_pair, holm
from isovist.stats.pairwise_tests import ALPHA

ALL = "all"
"""The name of the column over all suites."""


@dataclass(frozen=True, slots=True)
class Score(Overall):
    """One model on some items."""

    unparsed: UnparsedResponses

    @property
    def is_testable(self) -> bool:
        """Whether it can be compared with chance: few responses are unparsed."""
        return not self.unparsed.many


@dataclass(frozen=True, slots=True)
class Column:
    """A suite, or all: the score of each model, None for one without a score at all of its common items."""

    name: str
    n: int
    scores: tuple[Score | None, ...]
    groups: tuple[tuple[int, ...], ...]
    """The largest sets of ranked models without a significant difference, by their places; without models with many unparsed responses."""
    n_better: Mapping[int, int]
    """The number of ranked models that are significantly better than a model."""
    n_worse: Mapping[int, int]

    def letters(self, model: int) -> str:
        """The compact letter display: models that share a letter do not differ significantly."""
        places = [place for place, group in enumerate(self.groups) if model in group]
        return " ".join(chr(ord("a") + place) if place < 26 else f"a{place - 25}" for place in places)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Models in order: ranked models first, the best first."""

    names: tuple[str, ...]
    ranked: int
    unranked: Mapping[int, tuple[str, ...]]
    """The missing tasks of each model without a rank."""
    whole: Column
    suites: tuple[Column, ...]
    tasks: Mapping[str, tuple[Score | None, ...]]
    """Each task on its common items."""
    counts: Mapping[str, int]
    """The number of common items of each task."""
    facts: tuple[str, ...]
    """Excluded items, and runs of participants."""
    readings: tuple[str, ...]
    """Runs that were not verified, or with the scores of another parser."""
    unparsed: Mapping[int, str]
    """The first sentences on models with many unparsed responses."""
    title: str
    release: str = ""
    """The release of the runs with the type of its seed; "" unless all runs have the same one."""

    def ranks(self, model: int) -> tuple[int, int]:
        """The best and the worst rank of a ranked model, as models that are significantly better and worse leave them."""
        return self.whole.n_better[model] + 1, self.ranked - self.whole.n_worse[model]

    def rank_text(self, model: int) -> str:
        """For example "2" or "2 to 4"; "inconclusive" if many unparsed responses leave every rank."""
        score, (first, last) = self.whole.scores[model], self.ranks(model)
        if score and score.unparsed.many and (first, last) == (1, self.ranked):
            return "inconclusive"
        return str(first) if first == last else f"{first} to {last}"


@dataclass(frozen=True, eq=False)
class _Run:
    """One run, and its items with a score."""

    run: Run

    @property
    def name(self) -> str:
        return self.run.name

    @property
    def tasks(self) -> set[str]:
        """The tasks with a score."""
        return set(self.scored.by("task"))

    @cached_property
    def scored(self) -> Rows:
        """The scored items, task by task, with constant answers as chance level."""
        return Rows.together([task.scored for task in run_results(self.run).tasks] or [self.run.rows])

    def score(self, items: Rows) -> Score | None:
        """None if one of these items is not scored."""
        rows = self.scored.of_items(items.texts("item_id"))
        if rows is None:
            return None
        means = overall([Scores(part.credits, part.chances, part.clusters) for part in rows.by("task").values()])
        return Score(means.accuracy, means.chance, means.chance_corrected, UnparsedResponses.of(rows.outcomes))


def leaderboard(folders: Sequence[Path], verifier: Verifier | None = None) -> Leaderboard:
    """Rank the runs in these folders. Raises UserError if they have no item in common, and CheckFailed if a verification fails."""
    runs = _load(folders, verifier or Verifier())
    usual = _usual_tasks([run.tasks for run in runs])
    ranked = [run for run in runs if usual <= run.tasks]
    if not ranked:
        raise UserError(f"No run has all tasks of most runs: {folders[0]} and the others. Evaluate all models on one dataset folder.")
    first = ranked[0].run.rows.standard.scored
    in_all = set(first.texts("item_id")).intersection(*(run.scored.texts("item_id") for run in ranked))
    common = first.where(np.array([id in in_all for id in first.texts("item_id")], bool))
    if not in_all:
        names = " and ".join(str(run.run.parts[0].folder.path) for run in ranked[:2]) + (
            f" and {len(ranked) - 2} more" if len(ranked) > 2 else ""
        )
        raise UserError(f"No item is scored in all of {names}. Evaluate all models on one dataset folder (`isovist run --data DIR`).")
    totals = {run.name: score.chance_corrected.estimate for run in ranked if (score := run.score(common))}
    unranked = sorted((run for run in runs if run not in ranked), key=lambda run: run.name)
    given = list(ranked)
    ranked.sort(key=lambda run: (-totals[run.name], run.name))
    ordered = [*ranked, *unranked]
    suites, tasks = common.by("suite"), common.by("task")
    # a single suite is the whole: one test for both
    parts = {ALL: common, **(suites if len(suites) > 1 else {})}
    better = _significant_pairs(parts, ranked)
    columns = [_column(suite, suites[suite], ordered, len(ranked), better.get(suite, better[ALL])) for suite in sorted(suites)]
    unparsed = {model: text for model, run in enumerate(ordered) if (text := _unparsed_sentences(run, common, columns, model))}
    readings = tuple(caveats([run.run for run in runs]))
    releases = {run.run.info.release_text for run in runs}
    return Leaderboard(
        tuple(run.name for run in ordered),
        len(ranked),
        {ordered.index(run): tuple(sorted(usual - run.tasks, key=order)) for run in unranked},
        _column(ALL, common, ordered, len(ranked), better[ALL]),
        tuple(columns),
        {task: tuple(run.score(tasks[task]) for run in ordered) for task in sorted(tasks, key=order)},
        {task: items.n for task, items in tasks.items()},
        (*_facts(given, common), *readings, *participants.facts((run.name, run.run.info) for run in ordered)),
        readings,
        unparsed,
        f"Leaderboard: {participants.counted(run.run.info for run in runs)}",
        releases.pop() if len(releases) == 1 else "",
    )


def _load(folders: Sequence[Path], verifier: Verifier) -> list[_Run]:
    require_fixed_design(folders)
    return [_Run(run) for run in load_runs(folders, verifier)]


def _usual_tasks(tasks: Sequence[set[str]]) -> set[str]:
    """The tasks that more than half of the runs have; all, if there are none."""
    counts = Counter(task for run_tasks in tasks for task in run_tasks)
    return {task for task, count in counts.items() if 2 * count > len(tasks)} or set(counts)


def _unparsed_sentences(run: _Run, common: Rows, suites: Sequence[Column], model: int) -> str:
    """The first sentences on a model with many unparsed responses to the common items, over all or in a suite."""
    rows = run.scored.of_items(common.texts("item_id"))
    if rows is None:
        return ""
    scored = accuracy_range(rows.with_column("chance", common.chances))
    if scored.unparsed.many:
        return f"Unparsed responses: {scored.unparsed.counts_text}. {scored.unparsed.remedy(run.run.info)} {scored.sentence} {NO_ORDER}"
    many = [(column.name, score.unparsed) for column in suites if (score := column.scores[model]) and score.unparsed.many]
    if not many:
        return ""
    counts = ", ".join(f"{name} {unparsed.short}" for name, unparsed in many)
    return f"Unparsed responses: {counts}. {many[0][1].remedy(run.run.info)} {NO_ORDER}"


def _significant_pairs(parts: Mapping[str, Rows], runs: Sequence[_Run]) -> dict[str, set[tuple[int, int]]]:
    """The significantly different pairs (better, worse) in each part, with Holm's adjustment over all pairs and parts.

    Without pairs whose order unparsed responses could reverse.
    """
    tests: list[tuple[str, int, int, float]] = []
    means: dict[str, list[float]] = {}
    ranges: dict[str, list[AccuracyRange]] = {}
    for name, items in parts.items():
        of_runs = [rows for run in runs if (rows := run.scored.of_items(items.texts("item_id")))]
        item_credits = np.array([rows.credits for rows in of_runs])
        means[name] = [float(row.mean()) for row in item_credits]
        ranges[name] = list(map(accuracy_range, of_runs))
        tests += [(name, a, b, p) for (a, b), p in every_pair(item_credits, items.clusters).items()]
    pairs: dict[str, set[tuple[int, int]]] = {name: set() for name in parts}
    for (name, a, b, _), p in zip(tests, holm([p for *_, p in tests]), strict=True):
        if p < ALPHA and not may_reverse(ranges[name][a], ranges[name][b]):
            pairs[name].add((a, b) if means[name][a] > means[name][b] else (b, a))
    return pairs


def _column(name: str, items: Rows, runs: Sequence[_Run], ranked: int, pairs: set[tuple[int, int]]) -> Column:
    """`pairs`: the significantly different models (better, worse)."""
    scores = tuple(run.score(items) for run in runs)
    tested = [model for model in range(ranked) if not ((score := scores[model]) and score.unparsed.many)]
    different = {(tested.index(a), tested.index(b)) for a, b in pairs if a in tested and b in tested}
    sets = compact_letter_groups(len(tested), different) if tested else []
    groups = [tuple(tested[place] for place in group) for group in sets]
    groups.sort(key=lambda group: -max(score.accuracy.estimate if (score := scores[model]) else 0.0 for model in group))
    n_better, n_worse = Counter(worse for _, worse in pairs), Counter(better for better, _ in pairs)
    return Column(name, items.n, scores, tuple(groups), n_better, n_worse)


def _facts(runs: Iterable[_Run], common: Rows) -> list[str]:
    """What a reader needs before the numbers: the common items, and those that are excluded."""
    runs, tasks = list(runs), set(common.by("task"))
    sentences = [f"{pluralize(common.n, 'item')} in {pluralize(len(tasks), 'task')}, scored for every ranked model."]
    excluded = sorted({task for run in runs for task in run.run.rows.by("task")} - tasks, key=order)
    if excluded:
        sentences.append(f"Excluded tasks without a common item: {', '.join(excluded)}.")
    for run in runs:
        if n_unscored := run.run.rows.standard.n_unscored:
            reason = "request errors, not presented, or not answered by a participant"
            sentences.append(f"{run.name}: {pluralize(n_unscored, 'item')} excluded for all models, not scored ({reason}). Finish the run.")
    return sentences
