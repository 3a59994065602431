"""The ranking of models: chance-corrected accuracy by suite and over all, on the tasks and items of `analysis.standings`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isovist.common.errors import UserError
from isovist.evaluation.run.verification import Verifier
from isovist.reporting.analysis.ability_map import AbilityMap, ability_map
from isovist.reporting.analysis.collect import order, run_results
from isovist.reporting.analysis.overall_performance import Overall, overall
from isovist.reporting.analysis.runs import Run, caveats, load_runs, require_fixed_design
from isovist.reporting.analysis.standings import Tasks, equal_weights, scored_in_all, standings
from isovist.reporting.analysis.text_format import pluralize
from isovist.reporting.analysis.unparsed_responses import NO_ORDER, AccuracyRange, UnparsedResponses, accuracy_range, may_reverse
from isovist.reporting.reports import participants
from isovist.stats.multiple_comparisons import compact_letter_groups, every_pair, holm
from isovist.stats.pairwise_tests import ALPHA

ALL = "all"
"""The name of the column over all suites."""


@dataclass(frozen=True, slots=True)
class Score(Overall):
    """One model on some items."""

    unparsed: UnparsedResponses
    n: int
    """The number of scored items."""

    @property
    def is_testable(self) -> bool:
        """Whether it can be compared with chance: few responses are unparsed."""
        return not self.unparsed.many


@dataclass(frozen=True, slots=True)
class Column:
    """A suite, or all: the score of each model, None for one that lacks one of its tasks."""

    name: str
    tasks: tuple[str, ...]
    n: int
    """The number of common items."""
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
    unranked: Mapping[int, str]
    """Why a model has no rank."""
    whole: Column
    suites: tuple[Column, ...]
    tasks: Mapping[str, tuple[Score | None, ...]]
    """Each task on its common items."""
    counts: Mapping[str, int]
    """The number of common items of each task."""
    facts: tuple[str, ...]
    """Items without a score, and runs of participants."""
    readings: tuple[str, ...]
    """Runs that were not verified, or with the scores of another parser."""
    unparsed: Mapping[int, str]
    """The first sentences on models with many unparsed responses."""
    title: str
    abilities: AbilityMap
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


@dataclass(frozen=True)
class _Run:
    """One run on the common items."""

    run: Run
    tasks: Tasks

    @property
    def name(self) -> str:
        return self.run.name

    def score(self, tasks: Sequence[str]) -> Score | None:
        """None if it lacks one of these tasks."""
        if not all(task in self.tasks for task in tasks):
            return None
        rows = [self.tasks[task] for task in tasks]
        means = overall([each.scores for each in rows])
        n = sum(each.n for each in rows)
        return Score(means.accuracy, means.chance, means.chance_corrected, accuracy_range(rows).unparsed, n)


def leaderboard(folders: Sequence[Path], verifier: Verifier | None = None) -> Leaderboard:
    """Rank the runs in these folders. Raises UserError if they have no item in common, and CheckFailed if a verification fails."""
    require_fixed_design(folders)
    loaded = sorted(load_runs(folders, verifier or Verifier()), key=lambda run: run.name)
    standing = standings([run_results(run).tasks for run in loaded])
    ordered = [_Run(loaded[place], standing.runs[place]) for place in standing.order]
    ranked = ordered[: len(standing.ranked)]
    if not standing.tasks:
        raise UserError(
            f"No task or item in common: {' and '.join(map(str, folders))}. Evaluate all models on one dataset folder (`isovist run --data DIR`)."
        )
    tasks = sorted(standing.tasks, key=order)
    by_suite: dict[str, list[str]] = {}
    for task in tasks:
        by_suite.setdefault(task.partition("/")[0], []).append(task)
    # a single suite is the whole: one test for both
    parts = {ALL: tasks, **(dict(sorted(by_suite.items())) if len(by_suite) > 1 else {})}
    better = _significant_pairs(parts, ranked) if ranked else {part: set[tuple[int, int]]() for part in parts}
    columns = [_column(suite, by_suite[suite], ordered, len(ranked), better.get(suite, better[ALL])) for suite in sorted(by_suite)]
    whole = _column(ALL, tasks, ordered, len(ranked), better[ALL])
    readings = tuple(caveats(loaded))
    releases = {run.info.release_text for run in loaded}
    return Leaderboard(
        tuple(run.name for run in ordered),
        len(ranked),
        {model: standing.no_rank[place] for model, place in enumerate(standing.order) if place in standing.no_rank},
        whole,
        tuple(columns),
        {task: tuple(run.score([task]) for run in ordered) for task in tasks},
        {task: len(next(run.tasks[task] for run in ordered if task in run.tasks)) for task in tasks},
        (*_facts(ordered, tasks, whole.n), *readings, *participants.facts((run.name, run.run.info) for run in ordered)),
        readings,
        {model: text for model, run in enumerate(ordered) if (text := _unparsed_sentences(run, whole, columns, model))},
        f"Leaderboard: {participants.counted(run.info for run in loaded)}",
        ability_map([run.name for run in loaded], standing),
        releases.pop() if len(releases) == 1 else "",
    )


def _unparsed_sentences(run: _Run, whole: Column, suites: Sequence[Column], model: int) -> str:
    """The first sentences on a model with many unparsed responses to the common items, over all or in a suite."""
    score = whole.scores[model]
    if score and score.unparsed.many:
        scored = accuracy_range([run.tasks[task] for task in whole.tasks])
        return f"Unparsed responses: {scored.unparsed.counts_text}. {scored.unparsed.remedy(run.run.info)} {scored.sentence} {NO_ORDER}"
    many = [(column.name, score.unparsed) for column in suites if (score := column.scores[model]) and score.unparsed.many]
    if not many:
        return ""
    counts = ", ".join(f"{name} {unparsed.short}" for name, unparsed in many)
    return f"Unparsed responses: {counts}. {many[0][1].remedy(run.run.info)} {NO_ORDER}"


def _significant_pairs(parts: Mapping[str, Sequence[str]], runs: Sequence[_Run]) -> dict[str, set[tuple[int, int]]]:
    """The significantly different pairs (better, worse) in each part, with Holm's adjustment over all pairs and parts.

    Without pairs whose order unparsed responses could reverse. The tests are of the mean over tasks, on the items that are scored in all runs.
    """
    tests: list[tuple[str, int, int, float]] = []
    means: dict[str, list[float]] = {}
    ranges: dict[str, list[AccuracyRange]] = {}
    for name, tasks in parts.items():
        of_runs = [{task: run.tasks[task] for task in tasks} for run in runs]
        scored = scored_in_all(of_runs)
        item_credits = np.array([rows.credits for rows in scored]) * equal_weights(scored[0])
        means[name] = [float(row.mean()) for row in item_credits]
        ranges[name] = [accuracy_range(list(each.values())) for each in of_runs]
        tests += [(name, a, b, p) for (a, b), p in every_pair(item_credits, scored[0].clusters).items()]
    pairs: dict[str, set[tuple[int, int]]] = {name: set() for name in parts}
    for (name, a, b, _), p in zip(tests, holm([p for *_, p in tests]), strict=True):
        if p < ALPHA and not may_reverse(ranges[name][a], ranges[name][b]):
            pairs[name].add((a, b) if means[name][a] > means[name][b] else (b, a))
    return pairs


def _column(name: str, tasks: Sequence[str], runs: Sequence[_Run], ranked: int, pairs: set[tuple[int, int]]) -> Column:
    """`pairs`: the significantly different models (better, worse)."""
    scores = tuple(run.score(tasks) for run in runs)
    tested = [model for model in range(ranked) if not ((score := scores[model]) and score.unparsed.many)]
    different = {(tested.index(a), tested.index(b)) for a, b in pairs if a in tested and b in tested}
    sets = compact_letter_groups(len(tested), different) if tested else []
    groups = [tuple(tested[place] for place in group) for group in sets]
    groups.sort(key=lambda group: -max(score.accuracy.estimate if (score := scores[model]) else 0.0 for model in group))
    n_better, n_worse = Counter(worse for _, worse in pairs), Counter(better for better, _ in pairs)
    n = max((sum(len(run.tasks[task]) for task in tasks) for run, score in zip(runs, scores, strict=True) if score), default=0)
    return Column(name, tuple(tasks), n, scores, tuple(groups), n_better, n_worse)


def _facts(runs: Sequence[_Run], tasks: Sequence[str], n: int) -> list[str]:
    """What a reader needs before the numbers: the common items, and those without a score."""
    sentences = [f"{pluralize(n, 'item')} in {pluralize(len(tasks), 'task')}, the same for every ranked model."]
    excluded = sorted({task for run in runs for task in run.run.rows.by("task")} - set(tasks), key=order)
    if excluded:
        sentences.append(f"Excluded tasks without a common item: {', '.join(excluded)}.")
    for run in runs:
        if n_unscored := run.run.rows.standard.n_unscored:
            reason = "request errors, not presented, or not answered by a participant"
            effect = "They widen its intervals, and are excluded from tests."
            sentences.append(f"{run.name}: {pluralize(n_unscored, 'item')} not scored ({reason}). {effect} Finish the run.")
    return sentences
