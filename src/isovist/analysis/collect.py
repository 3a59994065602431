"""The results of runs, from their items and records. This module sends no requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

from isovist import registry
from isovist.analysis import constant_responses, level_results, signed_errors, variants
from isovist.analysis.confusion import Confusion
from isovist.analysis.detectors import DETECTORS
from isovist.analysis.difficulty_regression import FactorEffect, factor_effects
from isovist.analysis.factor_curves import FactorCurve, factor_curves
from isovist.analysis.findings import Finding, significant_findings
from isovist.analysis.run_names import run_names
from isovist.analysis.scored_item import ScoredItem, scored_item
from isovist.analysis.text_format import not_scored
from isovist.analysis.unparsed_responses import UnparsedResponses
from isovist.core.answers import LETTERS, Choice, Outcome
from isovist.dataset.rows import ItemRow
from isovist.errors import UserError
from isovist.reference import published
from isovist.reference.shortcuts import of_item
from isovist.run.captions import read as captions
from isovist.run.records import UNREAD, AttemptRecord, TrialResult, read, scored, totals
from isovist.run.run_folder import RunFolder, RunMetadata
from isovist.run.variants import STANDARD
from isovist.run.verification import Reading, Verifier
from isovist.scenes.compass import COMPASS_DIRECTIONS, IMAGE_DIRECTIONS
from isovist.scenes.distractor_types import most_specific_type
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.level_tests import exceeds_level
from isovist.stats.proportions import ConfidenceInterval, rescale_to_chance

OPTIONS = "options"
"""The attribute that all choices have: the number of their options."""

_MAX_SAMPLES = {"correct": 1, "incorrect": 2, "unparsed": 1}


@dataclass(frozen=True, slots=True)
class Sample:
    """One item with its response."""

    row: ItemRow
    record: AttemptRecord
    notes: list[str] = field(default_factory=list[str])
    """The descriptions of its images by the model, in caption-first mode."""


@dataclass(frozen=True, slots=True)
class ResponseTime:
    """The response time of a participant at one item."""

    seconds: float
    level: str
    is_correct: bool
    cluster: str


@dataclass(slots=True)
class TaskResult:
    """One task of one run."""

    run: str
    task: str
    summary: str
    is_human_run: bool = False
    """Whether participants answered: their response times depend on the items, those of models on the server."""
    is_adaptive: bool = False
    """Whether earlier answers decided the sizes of the items: then a mean credit over several sizes is not an estimate."""
    outcome_counts: Counter[Outcome] = field(default_factory=Counter["Outcome"])
    n_not_presented: int = 0
    values: list[float] = field(default_factory=list[float])
    """The credits of the scored items."""
    clusters: list[str] = field(default_factory=list[str])
    """The clusters of the scored items."""
    items: list[ScoredItem] = field(default_factory=list[ScoredItem])
    published_credits: list[float] = field(default_factory=list[float])
    """Credits by the scorer of the task's paper; empty without one."""
    chances: list[float] = field(default_factory=list[float])
    chances_of_all: list[float] = field(default_factory=list[float])
    seeds: set[int] = field(default_factory=set[int])
    answers_by_key: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    unparsed_by_key: Counter[str] = field(default_factory=Counter[str])
    samples: dict[str, list[Sample]] = field(default_factory=dict[str, list[Sample]])
    variant_results: dict[str, variants.Pairs] = field(default_factory=dict[str, variants.Pairs])
    skills: set[str] = field(default_factory=set[str])
    attributes: dict[tuple[str, str], level_results.AccuracyTally] = field(
        default_factory=dict[tuple[str, str], level_results.AccuracyTally]
    )
    """By the name of an attribute and its value."""
    distractor_choices: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The types of the chosen distractors with the clusters of their items."""
    distractor_offers: Counter[str] = field(default_factory=Counter[str])
    """The types of the distractors of the scored items."""
    angles: signed_errors.SignedErrorsByAngle = field(default_factory=dict[tuple[str, str], signed_errors.SignedErrors])
    """For options with angles."""
    by_level: dict[str, level_results.AccuracyTally] = field(default_factory=dict[str, level_results.AccuracyTally])
    """By named level."""
    by_size: dict[int, level_results.AccuracyTally] = field(default_factory=dict[int, level_results.AccuracyTally])
    """By size, for levels that are sizes."""
    response_times: list[ResponseTime] = field(default_factory=list["ResponseTime"])
    """Of participants; empty for models."""

    @property
    def n(self) -> int:
        """The number of scored items; request errors have no score."""
        return len(self.values)

    @property
    def n_unscored(self) -> int:
        """Items without a score: request errors, and items that were not presented."""
        return self.outcome_counts["request_error"] + self.n_not_presented

    @property
    def accuracy(self) -> ConfidenceInterval | None:
        """Mean credit with its interval; None while items are not scored, and for adaptive runs."""
        return self.within(0.95) if self.values and not self.n_unscored and not self.is_adaptive else None

    @property
    def reason_not_reported(self) -> str:
        """Why there is no accuracy."""
        return "adaptive run" if self.is_adaptive else not_scored(self.n_unscored)

    def within(self, confidence: float) -> ConfidenceInterval:
        """Mean credit of the scored items, at least one, with its interval."""
        return clustered_mean(self.values, self.clusters, confidence)

    def exceeds_chance(self, n_claims: int) -> bool:
        """Whether accuracy is significantly above chance, as one of so many simultaneous claims at 95% (Bonferroni)."""
        return exceeds_level(self.values, self.clusters, self.chance, n_claims)

    @property
    def published_accuracy(self) -> ConfidenceInterval | None:
        """The mean credit by the scorer of the paper; None without one, or while items are not scored."""
        is_complete = self.accuracy and len(self.published_credits) == self.n
        return clustered_mean(self.published_credits, self.clusters) if is_complete else None

    @property
    def chance(self) -> float:
        chances = self.chances or self.chances_of_all  # without a scored item, those of all items
        return sum(chances) / len(chances)

    @property
    def shortcut(self) -> float | None:
        """The accuracy of the best rules without the claimed skill, each at its level; None if it was not measured on such items."""
        best_rules = [of_item(item.item) for item in self.items]
        rates = [best.shortcut.accuracy for best in best_rules if best]
        return sum(rates) / len(rates) if rates and len(rates) == len(best_rules) else None

    @property
    def chance_corrected(self) -> ConfidenceInterval | None:
        """Chance-corrected accuracy; None while items are not scored."""
        return rescale_to_chance(self.accuracy, self.chances) if self.accuracy else None

    @property
    def accuracy_range(self) -> tuple[float, float]:
        """The accuracy if all unparsed responses were incorrect, and if all were correct."""
        total = sum(self.values)
        return (total / self.n, (total + self.unparsed_responses.total) / self.n) if self.n else (0.0, 1.0)

    @property
    def unparsed_responses(self) -> UnparsedResponses:
        return UnparsedResponses.of(self.outcome_counts)

    @property
    def n_parsed(self) -> int:
        return self.n - self.unparsed_responses.total

    @property
    def parsed_accuracy(self) -> ConfidenceInterval | None:
        """The accuracy of the parsed responses; None if all or none are parsed, and if no accuracy is reported."""
        if not self.accuracy or not self.unparsed_responses.total:
            return None
        parsed = [(item.credit, item.group) for item in self.items if item.outcome not in UNREAD]
        return clustered_mean([value for value, _ in parsed], [group for _, group in parsed]) if parsed else None

    @property
    def is_interpretable(self) -> bool:
        """Whether it has an accuracy and few unparsed responses."""
        return self.accuracy is not None and not self.unparsed_responses.many

    @property
    def published(self) -> dict[str, float]:
        return published(self.task)

    @property
    def confusion(self) -> Confusion | None:
        """None without choices, or with more than 16 different answers."""
        names = {name for pair in self.answers_by_key for name in pair} | set(self.unparsed_by_key)
        order = (
            COMPASS_DIRECTIONS
            if names <= set(COMPASS_DIRECTIONS)
            else IMAGE_DIRECTIONS
            if names <= set(IMAGE_DIRECTIONS)
            else tuple(sorted(names))
        )
        if not self.answers_by_key or len(order) > 16:
            return None
        counts = tuple(tuple(self.answers_by_key[key, answer] for answer in order) for key in order)
        return Confusion(order, counts, tuple(self.unparsed_by_key[key] for key in order))

    @property
    def comparisons(self) -> list[variants.Comparison]:
        """The variants compared with the standard condition."""
        return [pairs.comparison for pairs in self.variant_results.values()]

    @property
    def sizes(self) -> level_results.SizeLevels | None:
        """The results by size; None for a task with few sizes."""
        if len(self.by_size) < level_results.MIN_SIZES:
            return None
        return level_results.SizeLevels(self.run, self.task, dict(sorted(self.by_size.items())), unparsed_responses=self.unparsed_responses)

    def add(self, row: ItemRow, results: Mapping[str, TrialResult | None], record: Callable[[TrialResult], AttemptRecord]) -> None:
        """An item with the result of each of its variants. `record` looks up the record of a result."""
        for name, family_results in variants.by_family(results).items():
            self.variant_results.setdefault(name, variants.Pairs(name)).add(row.group, row.key, family_results)
        result = results[STANDARD]
        self.chances_of_all.append(row.chance)
        self.skills.update(row.skills)
        self.seeds.add(row.seed)
        self._add_to_tallies(row, result)
        if isinstance(row.key, Choice):
            if result is not None and result.parsed_answer is not None:
                _option(row, row.key, result.parsed_answer)  # raises an error for a label that does not exist
            signed_errors.add(self.angles, row, row.key, result)
        if result is None:
            self.n_not_presented += 1
            return
        self.outcome_counts[result.outcome] += 1
        if result.outcome == "request_error":
            return
        item = scored_item(row, result)
        self.items.append(item)
        self.values.append(result.credit)
        self.clusters.append(row.group)
        self.chances.append(row.chance)
        if result.published_credit is not None:
            self.published_credits.append(result.published_credit)
        if self.is_human_run:
            self.response_times.append(ResponseTime(record(result).latency_s, row.level, result.outcome == "correct", row.group))
        if isinstance(row.key, Choice):
            self._add_choice(row, row.key, item)
        kind = "unparsed" if result.outcome in UNREAD else "correct" if result.outcome == "correct" else "incorrect"
        samples = self.samples.setdefault(kind, [])
        if len(samples) < _MAX_SAMPLES[kind]:
            samples.append(Sample(row, record(result)))

    def _add_to_tallies(self, row: ItemRow, result: TrialResult | None) -> None:
        """By level or size, and by attribute."""
        credit, published_credit = (
            (None, None) if result is None or result.outcome == "request_error" else (result.credit, result.published_credit)
        )
        size = level_results.size(row.level)
        tallies = [
            self.by_level.setdefault(row.level, level_results.AccuracyTally())
            if size is None
            else self.by_size.setdefault(size, level_results.AccuracyTally())
        ]
        if not self.is_adaptive:
            attributes = dict(row.metadata.attributes)
            if row.choices:
                attributes[OPTIONS] = str(len(row.choices))
            tallies += [self.attributes.setdefault(attribute, level_results.AccuracyTally()) for attribute in attributes.items()]
        for tally in tallies:
            tally.add(credit, row.chance, published_credit, row.group)

    def _add_choice(self, row: ItemRow, key: Choice, item: ScoredItem) -> None:
        self.distractor_offers.update(
            most_specific_type(types) for place, types in enumerate(item.distractor_types) if LETTERS[place] != key.canonical()
        )
        if item.chosen_distractor_type is not None:
            self.distractor_choices.append((item.chosen_distractor_type, item.group))
        if item.parsed_answer is None:
            self.unparsed_by_key[key.balance_bin()] += 1
        else:
            self.answers_by_key[key.balance_bin(), _option(row, key, item.parsed_answer)] += 1

    def finish(self) -> None:
        """After the last item: a constant answer counts as chance level, whatever its accuracy (see `analysis.constant_responses`)."""
        self.chances = constant_responses.chances(self.items)
        self.items = [replace(item, chance=chance) for item, chance in zip(self.items, self.chances, strict=True)]


def _option(row: ItemRow, key: Choice, label: str) -> str:
    """The text of the option with this label."""
    options = dict(zip(LETTERS, key.options, strict=False))
    if label not in options:
        raise UserError(f"The record has the option label {label!r}, which does not exist: {row.id}. Rescore the run.")
    return options[label]


@dataclass(frozen=True)
class RunResults:
    """One run with the results of its tasks."""

    name: str
    info: RunMetadata
    tasks: tuple[TaskResult, ...]
    served_by: tuple[str, ...]
    requests: int
    """All recorded requests, with request errors, variants and captions; `seconds` and `tokens` are their sums."""
    seconds: float
    tokens: tuple[int, int]
    reading: Reading

    @property
    def n(self) -> int:
        return sum(task.n for task in self.tasks)

    @property
    def n_unscored(self) -> int:
        return sum(task.n_unscored for task in self.tasks)

    @cached_property
    def findings(self) -> list[Finding]:
        """The significant findings, by number of items affected."""
        return significant_findings({task.task: task.items for task in self.tasks}, DETECTORS)

    @cached_property
    def factor_effects(self) -> list[FactorEffect]:
        """The effects of the difficulty factors of each interpretable task."""
        return factor_effects({task.task: task.items for task in self.tasks if task.is_interpretable})

    @cached_property
    def factor_curves(self) -> list[FactorCurve]:
        """The accuracy by value of each numeric difficulty factor of each interpretable task."""
        return [curve for task in self.tasks if task.is_interpretable for curve in factor_curves(task.task, task.items)]


def load_results(folders: Sequence[Path], verifier: Verifier | None = None) -> list[RunResults]:
    """The results of some runs. Raises CheckFailed if one is not what it says it is."""
    verifier = verifier or Verifier()
    infos = [(RunFolder(path), RunFolder(path).info()) for path in folders]
    names = run_names(infos)
    readings = [verifier.read(folder, info) for folder, info in infos]
    verifier.conclude()
    return [_run(folder, info, name, reading) for (folder, info), name, reading in zip(infos, names, readings, strict=True)]


def require_fixed_design(folder: RunFolder, info: RunMetadata) -> None:
    """Raises UserError for an adaptive run: its accuracy cannot be compared."""
    if info.adaptive is not None:
        raise UserError(
            f"The accuracy of an adaptive run cannot be compared: {folder.path}. Compare size thresholds with `isovist report`, or evaluate "
            "both models on one dataset folder (`isovist run --data DIR`)."
        )


def _run(folder: RunFolder, info: RunMetadata, name: str, reading: Reading) -> RunResults:
    tasks: dict[str, TaskResult] = {}
    for row in folder.rows(info):
        if row.task not in tasks:
            registered = registry.tasks().get(row.task)
            summary = registered.summary if registered else ""
            tasks[row.task] = TaskResult(name, row.task, summary, info.is_human_run, info.adaptive is not None)
        names = info.variants.names(row.key, info.style, row.metadata.image_orders)
        trial_results = {variant: reading.verdicts.get((row.id, variant)) for variant in names}
        tasks[row.task].add(row, trial_results, lambda result: scored(folder.records, result))
    for task in tasks.values():
        task.finish()
    _add_descriptions(folder, [sample for task in tasks.values() for samples in task.samples.values() for sample in samples])
    usage = totals(chain(read(folder.records), captions(folder.captions)))
    ordered = tuple(sorted(tasks.values(), key=lambda task: order(task.task)))
    return RunResults(
        name, info, ordered, usage.served_by, usage.attempts, usage.seconds, (usage.input_tokens, usage.output_tokens), reading
    )


def _add_descriptions(folder: RunFolder, samples: Sequence[Sample]) -> None:
    """Adds the descriptions of their images to the samples of a caption-first run."""
    by_trial = {(sample.row.id, STANDARD): sample for sample in samples}
    for caption in captions(folder.captions):
        if sample := by_trial.get((caption.item_id, caption.variant)):
            del sample.notes[caption.picture - 1 :]  # the last description of an image counts
            sample.notes.append(caption.response)


def order(task: str) -> tuple[str, int, str]:
    """The sort key of tasks: suite, place in the published table, name."""
    from isovist.reference import reference, suites

    suite = task.partition("/")[0]
    listed = [row for table in reference(suite).tables for row in table.rows] if suite in suites() else []
    return suite, next((place for place, row in enumerate(listed) if row.covers(task)), len(listed)), task


def every_task(runs: Sequence[RunResults]) -> Iterator[tuple[str, list[TaskResult | None]]]:
    """Each task with its result in each run."""
    names = sorted({result.task for run in runs for result in run.tasks}, key=order)
    for name in names:
        yield name, [next((result for result in run.tasks if result.task == name), None) for run in runs]
