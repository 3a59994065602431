"""Many models in order: above chance by suite and over all, on the items that all of them have a verdict for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isovist.analysis import constant_responses
from isovist.analysis.collect import of_a_full_design, order
from isovist.analysis.run_names import run_names
from isovist.analysis.unparsed_responses import AccuracyRange, Unreadable, both
from isovist.core.answers import Answer, Outcome
from isovist.errors import UserError
from isovist.reports import participants
from isovist.run.run_folder import RunFolder, RunMetadata
from isovist.run.variants import STANDARD
from isovist.run.verification import Reading, Verifier
from isovist.stats.all_pairs_tests import every_pair
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.multiple_comparisons import holm
from isovist.stats.pairwise_tests import ALPHA, compact_letter_groups
from isovist.stats.proportions import ConfidenceInterval

ALL = "all"
"""Stands for the items of all suites together."""


@dataclass(frozen=True, slots=True)
class RequestedItem:
    """An item that some run was to ask."""

    task: str
    level: str
    group: str
    chance: float
    key: Answer

    @property
    def suite(self) -> str:
        return self.task.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Earned:
    """What one model made of an item that it was asked."""

    asked: RequestedItem
    parsed: str | None
    credit: float
    outcome: Outcome

    @property
    def key(self) -> Answer:
        return self.asked.key

    @property
    def level(self) -> str:
        return self.asked.level

    @property
    def chance(self) -> float:
        return self.asked.chance


@dataclass(frozen=True, slots=True)
class Score:
    """One model on some items."""

    accuracy: ConfidenceInterval
    chance: float
    unreadable: Unreadable

    @property
    def above(self) -> tuple[float, float, float]:
        """How far above chance, with its interval: 0 is chance, 1 all right."""
        rest = 1 - self.chance
        estimate, low, high = ((share - self.chance) / rest if rest else 0.0 for share in self._shares)
        return estimate, low, high

    @property
    def _shares(self) -> tuple[float, float, float]:
        return self.accuracy.estimate, self.accuracy.low, self.accuracy.high


@dataclass(frozen=True, slots=True)
class Column:
    """A suite, or all: each model's score, None for one that was not asked all of its common items."""

    name: str
    n: int
    scores: tuple[Score | None, ...]
    ties: tuple[tuple[int, ...], ...]
    """The largest sets of ranked models that cannot be told apart, by their places; without those of which many replies could not be
    read: how they differ from others is not told."""
    better: Mapping[int, int]
    """How many ranked models are surely better than one."""
    worse: Mapping[int, int]

    def letters(self, model: int) -> str:
        """A letter for each set of ties: models that share one cannot be told apart."""
        places = [place for place, chosen in enumerate(self.ties) if model in chosen]
        return " ".join(chr(ord("a") + place) if place < 26 else f"a{place - 25}" for place in places)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Models by their places: those that are ranked first, the best first."""

    names: tuple[str, ...]
    ranked: int
    unranked: Mapping[int, tuple[str, ...]]
    """The tasks that a model which is not ranked lacks."""
    whole: Column
    suites: tuple[Column, ...]
    tasks: Mapping[str, tuple[Score | None, ...]]
    """Each task on its common items."""
    counts: Mapping[str, int]
    """Common items of each task."""
    facts: tuple[str, ...]
    """What was left out, and who the people are."""
    readings: tuple[str, ...]
    """Runs that were not verified, or whose stored verdicts were another parser's."""
    unread: Mapping[int, str]
    """Models of which many replies could not be read, with what is told of them before anything else."""
    who: str
    """How many models, and whether there are people."""

    def place(self, model: int) -> str:
        """The places that a ranked model may have: those that models surely better and surely worse leave. "open" where many of its replies
        could not be read.
        """
        score = self.whole.scores[model]
        if score and score.unreadable.many:
            return "open"
        first, last = self.whole.better[model] + 1, self.ranked - self.whole.worse[model]
        return str(first) if first == last else f"{first} to {last}"


def leaderboard(folders: Sequence[Path], verifier: Verifier | None = None) -> Leaderboard:
    """The runs in these folders. Raises UserError if they have no item in common, and CheckFailed if one is not what it says it is."""
    verifier = verifier or Verifier()
    opened = [(RunFolder(path), RunFolder(path).info()) for path in folders]
    for folder, info in opened:
        of_a_full_design(folder, info)
    names = run_names(opened)
    requested: dict[tuple[object, ...], dict[str, RequestedItem]] = {}
    asked: list[dict[str, RequestedItem]] = []
    earned: list[dict[str, Earned]] = []
    readings: list[str] = []
    for (folder, info), name in zip(opened, names, strict=True):
        reading = verifier.read(folder, info)
        asked.append(_asked(folder, info, requested))
        earned.append(_earned(reading, asked[-1]))
        readings.append(reading.fact(name))
    verifier.conclude()
    answered = [{items[id].task for id in verdicts} for items, verdicts in zip(asked, earned, strict=True)]
    usual = _usual(answered)
    lacking = {place: tuple(sorted(usual - run_tasks, key=order)) for place, run_tasks in enumerate(answered) if usual - run_tasks}
    good = [place for place in range(len(opened)) if place not in lacking]
    if not good:
        raise UserError(f"{folders[0]} and the others: no run was asked all tasks that most were asked; ask all about one data folder.")
    common = _common([asked[place] for place in good], [earned[place] for place in good])
    if not common:
        listing = " and ".join(str(folders[place]) for place in good[:2]) + (f" and {len(good) - 2} more" if len(good) > 2 else "")
        raise UserError(
            f"{listing}: no item for which all of them have a verdict; ask all about one data folder (`isovist run --data DIR`)."
        )
    score = {place: float(np.mean([earned[place][id].credit for id in common])) for place in good}
    places = [*sorted(good, key=lambda place: (-score[place], names[place])), *sorted(lacking, key=lambda place: names[place])]
    earned_by_place = [earned[place] for place in places]
    chances = [_chances(earned[place]) for place in places]
    suites: dict[str, list[str]] = {}
    tasks: dict[str, list[str]] = {}
    for id, item in common.items():
        suites.setdefault(item.suite, []).append(id)
        tasks.setdefault(item.task, []).append(id)
    # one suite alone is all there is: it is tested once
    tested = _tested({ALL: list(common), **(suites if len(suites) > 1 else {})}, common, earned_by_place[: len(good)])
    in_order = sorted(tasks, key=order)
    whole = _column(ALL, list(common), common, earned_by_place, chances, len(good), tested[ALL])
    columns = [
        _column(suite, suites[suite], common, earned_by_place, chances, len(good), tested.get(suite, tested[ALL]))
        for suite in sorted(suites)
    ]
    unread = {
        model: listing
        for model, place in enumerate(places)
        if (listing := _unread(earned_by_place[model], common, columns, model, opened[place][1]))
    }
    return Leaderboard(
        tuple(names[place] for place in places),
        len(good),
        {places.index(place): tasks for place, tasks in lacking.items()},
        whole,
        tuple(columns),
        {task: tuple(_score(tasks[task], common, *one) for one in zip(earned_by_place, chances, strict=True)) for task in in_order},
        {task: len(tasks[task]) for task in in_order},
        (
            *_facts([names[place] for place in good], [asked[place] for place in good], [earned[place] for place in good], common),
            *filter(None, readings),
            *participants.facts((names[place], opened[place][1]) for place in places),
        ),
        tuple(filter(None, readings)),
        unread,
        participants.counted(info for _, info in opened),
    )


def _asked(folder: RunFolder, info: RunMetadata, requested: dict[tuple[object, ...], dict[str, RequestedItem]]) -> dict[str, RequestedItem]:
    """Each item of a run by its id; runs on the same data share one reading."""
    name = (info.data_hash, info.parts, info.n)
    if name not in requested:
        requested[name] = {
            row.id: RequestedItem(row.task, row.level, row.group, row.chance, row.key) for row in folder.rows(info, pictures=False)
        }
    return requested[name]


def _earned(reading: Reading, items: Mapping[str, RequestedItem]) -> dict[str, Earned]:
    """Each item with a verdict."""
    verdicts = {id: reading.verdicts.get((id, STANDARD)) for id in items}
    return {
        id: Earned(items[id], verdict.parsed, verdict.value, verdict.outcome)
        for id, verdict in verdicts.items()
        if verdict is not None and verdict.outcome != "error"
    }


def _both(earned: Mapping[str, Earned], items: Mapping[str, RequestedItem]) -> AccuracyRange:
    return both((earned[id].outcome, earned[id].credit, item.chance, item.group) for id, item in items.items())


def _unread(
    earned: Mapping[str, Earned], common: Mapping[str, RequestedItem], suites: Sequence[Column], model: int, info: RunMetadata
) -> str:
    """What is told first of a model of which many replies to the common items could not be read, over all or in a suite."""
    if not all(id in earned for id in common):
        return ""
    overall = _both(earned, common)
    if overall.unreadable.many:
        return f"{overall.unreadable.words}, so that its place is not told: {overall.unreadable.remedy(info)}. {overall.words}"
    many = [(column.name, score.unreadable) for column in suites if (score := column.scores[model]) and score.unreadable.many]
    where = ", ".join(f"{name} ({unreadable.short})" for name, unreadable in many)
    return f"Many replies could not be read in {where}, so that its place there is not told: {many[0][1].remedy(info)}." if many else ""


def _chances(earned: Mapping[str, Earned]) -> dict[str, float]:
    """The chance of each item for one model: one answer to all items of a task is no better than guessing, whatever it earns."""
    tasks: dict[str, list[str]] = {}
    for id, verdict in earned.items():
        tasks.setdefault(verdict.asked.task, []).append(id)
    return {
        id: chance for ids in tasks.values() for id, chance in zip(ids, constant_responses.chances([earned[id] for id in ids]), strict=True)
    }


def _usual(tasks: Sequence[set[str]]) -> set[str]:
    """The tasks for which more than half of the runs have verdicts; all, if there are none."""
    counts = Counter(task for run_tasks in tasks for task in run_tasks)
    return {task for task, count in counts.items() if 2 * count > len(tasks)} or set(counts)


def _common(asked: Sequence[Mapping[str, RequestedItem]], earned: Sequence[Mapping[str, Earned]]) -> dict[str, RequestedItem]:
    """The items for which every run has a verdict, in the order of the first."""
    return {id: item for id, item in asked[0].items() if all(id in verdicts for verdicts in earned)}


def _tested(
    parts: Mapping[str, Sequence[str]], items: Mapping[str, RequestedItem], earned: Sequence[Mapping[str, Earned]]
) -> dict[str, set[tuple[int, int]]]:
    """The pairs (better, worse) that are told apart in each part; Holm's correction is over all pairs and parts."""
    tests: list[tuple[str, int, int, float]] = []
    means: dict[str, list[float]] = {}
    many: dict[str, set[int]] = {}
    """Models of which many replies could not be read: how they differ from others is not told."""
    for name, ids in parts.items():
        scores = np.array([[verdicts[id].credit for id in ids] for verdicts in earned])
        means[name] = [float(row.mean()) for row in scores]
        many[name] = {place for place, verdicts in enumerate(earned) if Unreadable.of(verdicts[id].outcome for id in ids).many}
        tests += [(name, a, b, p) for (a, b), p in every_pair(scores, [items[id].group for id in ids]).items()]
    apart: dict[str, set[tuple[int, int]]] = {name: set() for name in parts}
    for (name, a, b, _), p in zip(tests, holm([p for *_, p in tests]), strict=True):
        if p < ALPHA and many[name].isdisjoint((a, b)):
            apart[name].add((a, b) if means[name][a] > means[name][b] else (b, a))
    return apart


def _column(
    name: str,
    ids: Sequence[str],
    items: Mapping[str, RequestedItem],
    earned: Sequence[Mapping[str, Earned]],
    chances: Sequence[Mapping[str, float]],
    ranked: int,
    apart: set[tuple[int, int]],
) -> Column:
    scores = tuple(_score(ids, items, *pair) for pair in zip(earned, chances, strict=True))
    known = [model for model in range(ranked) if not ((model_score := scores[model]) and model_score.unreadable.many)]
    sets = compact_letter_groups(len(known), {(known.index(a), known.index(b)) for a, b in apart}) if known else []
    groups = [tuple(known[place] for place in chosen) for chosen in sets]
    best = sorted(groups, key=lambda chosen: -max(score.accuracy.estimate if (score := scores[model]) else 0.0 for model in chosen))
    better, worse = Counter(b for _, b in apart), Counter(a for a, _ in apart)
    return Column(name, len(ids), scores, tuple(best), better, worse)


def _score(
    ids: Sequence[str], items: Mapping[str, RequestedItem], earned: Mapping[str, Earned], chances: Mapping[str, float]
) -> Score | None:
    """None for a model without a verdict for each of the items."""
    if not all(id in earned for id in ids):
        return None
    accuracy = clustered_mean([earned[id].credit for id in ids], [items[id].group for id in ids])
    return Score(accuracy, sum(chances[id] for id in ids) / len(ids), Unreadable.of(earned[id].outcome for id in ids))


def _facts(
    names: Sequence[str],
    asked: Sequence[Mapping[str, RequestedItem]],
    earned: Sequence[Mapping[str, Earned]],
    common: Mapping[str, RequestedItem],
) -> list[str]:
    """What a reader has to know before the numbers."""
    sentences = [
        f"{len(common):,} items of {len({item.task for item in common.values()})} tasks, each with a verdict of every ranked model."
    ]
    without = sorted({item.task for run_items in asked for item in run_items.values()} - {item.task for item in common.values()}, key=order)
    if without:
        sentences.append(f"Left out, as no item is common to all: {', '.join(without)}.")
    for name, items, verdicts in zip(names, asked, earned, strict=True):
        if faults := len(items) - len(verdicts):
            sentences.append(
                f"{name}: {faults:,} items have no verdict (machine faults, never asked, or not answered by a person) and are left out for all; finish the run."
            )
    return sentences
