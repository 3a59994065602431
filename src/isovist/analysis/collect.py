"""From the items and records of runs to the numbers of a report. Nothing here asks a model or reads a clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

from isovist import registry
from isovist.analysis import constant_responses, signed_errors, variants
from isovist.analysis import level_results as levels
from isovist.analysis.confusion import Confusion
from isovist.analysis.detectors import DETECTORS
from isovist.analysis.difficulty_regression import FactorEffect, factor_effects
from isovist.analysis.factor_curves import FactorCurve, slopes
from isovist.analysis.findings import Finding, significant_findings
from isovist.analysis.run_names import run_names
from isovist.analysis.scored_item import ScoredItem, scored_item
from isovist.analysis.unparsed_responses import Unreadable
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
from isovist.scenes.distractor_types import first
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.level_tests import exceeds_level
from isovist.stats.proportions import ConfidenceInterval, chance_corrected_accuracy, rescale_to_chance

OPTIONS = "options"
"""The facet that all choices have: the number of their options."""

_SAMPLES = {"correct": 1, "wrong": 2, "unread": 1}


@dataclass(frozen=True, slots=True)
class Sample:
    """One item with what the model made of it."""

    row: ItemRow
    record: AttemptRecord
    notes: list[str] = field(default_factory=list[str])
    """What the model wrote about each picture before it was asked, where it saw them one at a time."""


@dataclass(frozen=True, slots=True)
class Timed:
    """How long a person took for one item."""

    seconds: float
    level: str
    right: bool
    group: str


@dataclass(slots=True)
class TaskResult:
    """One task of one run."""

    run: str
    task: str
    summary: str
    by_people: bool = False
    """Whether people answered: how long they took tells of the items, which a server's delays do not."""
    is_adaptive: bool = False
    """Whether the answers before decided which sizes were asked: then mean credits over several sizes are estimates of nothing."""
    outcome_counts: Counter[Outcome] = field(default_factory=Counter["Outcome"])
    missing: int = 0
    values: list[float] = field(default_factory=list[float])
    grouped: list[str] = field(default_factory=list[str])
    """The groups of the items with a verdict, beside their credits."""
    evidence: list[ScoredItem] = field(default_factory=list[ScoredItem])
    """What was asked for and what was read, beside the credits."""
    as_published: list[float] = field(default_factory=list[float])
    """Credits by the scorer of the task's paper; empty without one."""
    chances: list[float] = field(default_factory=list[float])
    chances_of_all: list[float] = field(default_factory=list[float])
    seeds: set[int] = field(default_factory=set[int])
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    unparsed: Counter[str] = field(default_factory=Counter[str])
    samples: dict[str, list[Sample]] = field(default_factory=dict[str, list[Sample]])
    variant_results: dict[str, variants.Pairs] = field(default_factory=dict[str, variants.Pairs])
    skills: set[str] = field(default_factory=set[str])
    facets: dict[tuple[str, str], levels.AccuracyTally] = field(default_factory=dict[tuple[str, str], levels.AccuracyTally])
    """By the name of a facet and its value."""
    distractor_choices: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """What the wrong options that were chosen stand for, with the groups of their items."""
    distractor_offers: Counter[str] = field(default_factory=Counter[str])
    """What the wrong options of the items with a verdict stand for."""
    angles: signed_errors.Found = field(default_factory=dict[tuple[str, str], signed_errors.SignedErrors])
    """Where options stand for angles: how far the chosen ones are off."""
    named: dict[str, levels.AccuracyTally] = field(default_factory=dict[str, levels.AccuracyTally])
    """By level, where it is no size."""
    levels: dict[int, levels.AccuracyTally] = field(default_factory=dict[int, levels.AccuracyTally])
    """By size; without the items whose level is no size."""
    times: list[Timed] = field(default_factory=list["Timed"])
    """How long people took; empty for models."""

    @property
    def n(self) -> int:
        """Items with a verdict; machine faults have none."""
        return len(self.values)

    @property
    def faults(self) -> int:
        """Items without a verdict: machine faults, and items that were never asked."""
        return self.outcome_counts["error"] + self.missing

    @property
    def accuracy(self) -> ConfidenceInterval | None:
        """Mean credit with its interval; None as long as there are items without a verdict, and where sizes were chosen."""
        return self.within(0.95) if self.values and not self.faults and not self.is_adaptive else None

    @property
    def withheld(self) -> str:
        """Why there is no accuracy."""
        return "sizes were chosen" if self.is_adaptive else f"{self.faults} without a verdict"

    def within(self, confidence: float) -> ConfidenceInterval:
        """Mean credit of the items with a verdict, of which there has to be one, with its interval."""
        return clustered_mean(self.values, self.grouped, confidence)

    def beats_guessing(self, claims: int) -> bool:
        """Whether it is better than a guesser, as one of so many claims that are to hold together at 95 % (Bonferroni)."""
        return exceeds_level(self.values, self.grouped, self.chance, claims)

    @property
    def groups(self) -> set[str]:
        return set(self.grouped)

    @property
    def accuracy_as_published(self) -> ConfidenceInterval | None:
        """The mean credit by the scorer of the paper; None without one, or without a verdict for every item."""
        return clustered_mean(self.as_published, self.grouped) if self.accuracy and len(self.as_published) == self.n else None

    @property
    def chance(self) -> float:
        chances = self.chances or self.chances_of_all  # without a verdict, that of what was to be asked
        return sum(chances) / len(chances)

    @property
    def shortcut(self) -> float | None:
        """What the best rules get that leave out the claimed skill, each at its level; None where that was not measured on such items."""
        rates = [best.shortcut.accuracy if best else None for best in map(of_item, (item.item for item in self.evidence))]
        known = [rate for rate in rates if rate is not None]
        return sum(known) / len(known) if known and len(known) == len(rates) else None

    @property
    def above_chance(self) -> float:
        return chance_corrected_accuracy(self.values, self.chances)

    @property
    def above(self) -> ConfidenceInterval | None:
        """The same with its interval; None as long as there are items without a verdict."""
        return rescale_to_chance(self.accuracy, self.chances) if self.accuracy else None

    @property
    def bounds(self) -> tuple[float, float]:
        """The accuracy if all unread replies were wrong, and if all were right."""
        total = sum(self.values)
        return (total / self.n, (total + self.unreadable.total) / self.n) if self.n else (0.0, 1.0)

    @property
    def unreadable(self) -> Unreadable:
        return Unreadable.of(self.outcome_counts)

    @property
    def readable(self) -> ConfidenceInterval | None:
        """The accuracy of the replies that could be read; None where all could, or none, and where no accuracy is told."""
        if not self.accuracy or not self.unreadable.total:
            return None
        readings = [(item.value, item.group) for item in self.evidence if item.outcome not in UNREAD]
        return clustered_mean([value for value, _ in readings], [group for _, group in readings]) if readings else None

    @property
    def judged(self) -> bool:
        """Whether something can be said of it: it has an accuracy, and nearly all of its replies could be read."""
        return self.accuracy is not None and not self.unreadable.many

    @property
    def published(self) -> dict[str, float]:
        return published(self.task)

    @property
    def confusion(self) -> Confusion | None:
        """None where the answers are too many to show."""
        names = {name for pair in self.pairs for name in pair} | set(self.unparsed)
        order = (
            COMPASS_DIRECTIONS
            if names <= set(COMPASS_DIRECTIONS)
            else IMAGE_DIRECTIONS
            if names <= set(IMAGE_DIRECTIONS)
            else tuple(sorted(names))
        )
        if not self.pairs or len(order) > 16:
            return None
        counts = tuple(tuple(self.pairs[key, answer] for answer in order) for key in order)
        return Confusion(order, counts, tuple(self.unparsed[key] for key in order))

    @property
    def comparisons(self) -> list[variants.Comparison]:
        """How the model does when the items are asked in other ways."""
        return [pairs.comparison for pairs in self.variant_results.values()]

    @property
    def sizes(self) -> levels.SizeLevels | None:
        """How the model does at each size; None for a task that is not asked in several."""
        return levels.sizes(self.run, self.task, self.levels, self.unreadable)

    def add(self, row: ItemRow, askings: Mapping[str, TrialResult | None], record: Callable[[TrialResult], AttemptRecord]) -> None:
        """An item, with a verdict for each variant in which it was to be asked. `record` looks up what was said."""
        for name, pairs in variants.of(askings).items():
            self.variant_results.setdefault(name, variants.Pairs(name)).add(row.group, row.key, pairs)
        verdict = askings[STANDARD]
        self.chances_of_all.append(row.chance)
        self.skills.update(row.skills)
        self.seeds.add(row.seed)
        credit, by_paper = (None, None) if verdict is None or verdict.outcome == "error" else (verdict.value, verdict.published)
        size = levels.size(row.level)
        tally = (
            self.named.setdefault(row.level, levels.AccuracyTally())
            if size is None
            else self.levels.setdefault(size, levels.AccuracyTally())
        )
        tally.add(credit, row.chance, by_paper, row.group)
        for facet in () if self.is_adaptive else _facets(row):
            self.facets.setdefault(facet, levels.AccuracyTally()).add(credit, row.chance, by_paper, row.group)
        if isinstance(row.key, Choice):
            if verdict is not None and verdict.parsed is not None:
                _option(row, row.key, verdict.parsed)  # tells of a letter that is none before it is taken for an angle
            signed_errors.add(self.angles, row, row.key, verdict)
        if verdict is None:
            self.missing += 1
            return
        self.outcome_counts[verdict.outcome] += 1
        if verdict.outcome == "error":
            return
        self.values.append(verdict.value)
        self.grouped.append(row.group)
        if self.by_people:
            self.times.append(Timed(record(verdict).latency_s, row.level, verdict.outcome == "correct", row.group))
        known = scored_item(row, verdict)
        self.evidence.append(known)
        if verdict.published is not None:
            self.as_published.append(verdict.published)
        self.chances.append(row.chance)
        key = row.key
        if isinstance(key, Choice):
            self._add_errors(known)
            if verdict.parsed is None:
                self.unparsed[key.balance_bin()] += 1
            else:
                self.pairs[key.balance_bin(), _option(row, key, verdict.parsed)] += 1
        self._keep(row, verdict, record)

    def finish(self) -> None:
        """After the last item: one answer to everything is no better than guessing, whatever it earns (see `analysis.constant_responses`)."""
        self.chances = constant_responses.chances(self.evidence)
        self.evidence = [replace(item, chance=chance) for item, chance in zip(self.evidence, self.chances, strict=True)]

    def _add_errors(self, known: ScoredItem) -> None:
        self.distractor_offers.update(
            first(error) for place, error in enumerate(known.distractor_types) if LETTERS[place] != known.key.canonical()
        )
        if (error := known.chosen_distractor_type) is not None:
            self.distractor_choices.append((error, known.group))

    def _keep(self, row: ItemRow, verdict: TrialResult, record: Callable[[TrialResult], AttemptRecord]) -> None:
        """The item as a sample of its outcome, as long as there is room."""
        kind = "unread" if verdict.outcome in UNREAD else "correct" if verdict.outcome == "correct" else "wrong"
        kept = self.samples.setdefault(kind, [])
        if len(kept) < _SAMPLES[kind]:
            kept.append(Sample(row, record(verdict)))


def _facets(row: ItemRow) -> list[tuple[str, str]]:
    """By what an item may be grouped, with its values."""
    facets = row.metadata.facets
    return list((facets | {OPTIONS: str(len(row.choices))} if row.choices else facets).items())


def _option(row: ItemRow, key: Choice, letter: str) -> str:
    """The text of the option that a record names."""
    options = dict(zip(LETTERS, key.options, strict=False))
    if letter not in options:
        raise UserError(f"{row.id}: the record has read {letter!r}, which is no option of the item; rescore the run.")
    return options[letter]


@dataclass(frozen=True)
class RunResults:
    """One run with the results of its tasks. What takes long is worked out once, for pages, tables and figures alike."""

    name: str
    info: RunMetadata
    tasks: tuple[TaskResult, ...]
    served_by: tuple[str, ...]
    requests: int
    """All that are on record, machine faults, variants and captions included; the seconds and tokens are theirs."""
    seconds: float
    tokens: tuple[int, int]
    reading: Reading

    @property
    def n(self) -> int:
        return sum(task.n for task in self.tasks)

    @property
    def unscored_items(self) -> int:
        return sum(task.faults for task in self.tasks)

    @cached_property
    def findings(self) -> list[Finding]:
        """What is wrong beyond noise, the dearest first; items without a verdict are no evidence."""
        return significant_findings({task.task: task.evidence for task in self.tasks}, DETECTORS)

    @cached_property
    def effects(self) -> list[FactorEffect]:
        """What the knobs of each task do to the accuracy; tasks that cannot be judged are left out."""
        return factor_effects({task.task: task.evidence for task in self.tasks if task.judged})

    @cached_property
    def slopes(self) -> list[FactorCurve]:
        """The accuracy against each knob that is a number; tasks that cannot be judged are left out."""
        return [slope for task in self.tasks if task.judged for slope in slopes(task.task, task.evidence)]


def load_results(folders: Sequence[Path], verifier: Verifier | None = None) -> list[RunResults]:
    """The results of some runs. Raises CheckFailed if one is not what it says it is."""
    verifier = verifier or Verifier()
    infos = [(RunFolder(path), RunFolder(path).info()) for path in folders]
    names = run_names(infos)
    readings = [verifier.read(folder, info) for folder, info in infos]
    verifier.conclude()
    return [_run(folder, info, name, reading) for (folder, info), name, reading in zip(infos, names, readings, strict=True)]


def of_a_full_design(folder: RunFolder, info: RunMetadata) -> None:
    """Raises UserError for a run whose items were chosen by the answers: its share of right answers stands beside no other."""
    if info.adaptive is not None:
        raise UserError(
            f"{folder.path}: an adaptive run chose its items by the answers, so shares of right answers cannot be compared; "
            "compare half-way sizes with `isovist report`, or ask both about one data folder (`isovist run --data DIR`)."
        )


def _run(folder: RunFolder, info: RunMetadata, name: str, reading: Reading) -> RunResults:
    verdicts = reading.verdicts
    results: dict[str, TaskResult] = {}
    for row in folder.rows(info):
        known = registry.tasks().get(row.task)
        summary = known.summary if known else ""
        result = results.setdefault(row.task, TaskResult(name, row.task, summary, info.is_human_run, info.adaptive is not None))
        askings = {variant: verdicts.get((row.id, variant)) for variant in info.variants.names(row.key, info.style, row.metadata.orders)}
        result.add(row, askings, lambda verdict: scored(folder.records, verdict))
    for result in results.values():
        result.finish()
    _noted(folder, [sample for result in results.values() for kept in result.samples.values() for sample in kept])
    spent = totals(chain(read(folder.records), captions(folder.captions)))
    tasks = tuple(sorted(results.values(), key=lambda result: order(result.task)))
    return RunResults(name, info, tasks, spent.served_by, spent.attempts, spent.seconds, (spent.input_tokens, spent.output_tokens), reading)


def _noted(folder: RunFolder, samples: Sequence[Sample]) -> None:
    """Puts the descriptions of their pictures to samples that have such."""
    by_name = {(sample.row.id, STANDARD): sample for sample in samples}
    for caption in captions(folder.captions):
        if sample := by_name.get((caption.item_id, caption.variant)):
            del sample.notes[caption.picture - 1 :]  # of a picture that was described again, the last counts
            sample.notes.append(caption.reply)


def order(task: str) -> tuple[str, int, str]:
    """Tasks by suite, in the order of the published table, then by name."""
    from isovist.reference import reference, suites

    suite = task.partition("/")[0]
    listed = [row for table in reference(suite).tables for row in table.rows] if suite in suites() else []
    return suite, next((place for place, row in enumerate(listed) if row.covers(task)), len(listed)), task


def every_task(runs: Sequence[RunResults]) -> Iterator[tuple[str, list[TaskResult | None]]]:
    """Each task with its result in each run."""
    names = sorted({result.task for run in runs for result in run.tasks}, key=order)
    for name in names:
        yield name, [next((result for result in run.tasks if result.task == name), None) for run in runs]
