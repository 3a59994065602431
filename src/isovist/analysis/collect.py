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
from isovist.analysis.detectors import FINDERS
from isovist.analysis.difficulty_regression import Effect, effects
from isovist.analysis.factor_curves import Slope, slopes
from isovist.analysis.findings import Finding, findings
from isovist.analysis.run_names import run_names
from isovist.analysis.scored_item import Evidence, evidence
from isovist.analysis.unparsed_responses import Unreadable
from isovist.core.answers import LETTERS, Choice, Outcome
from isovist.dataset.rows import Row
from isovist.errors import BadInput
from isovist.reference import published
from isovist.reference.shortcuts import of_item
from isovist.run.captions import read as captions
from isovist.run.records import UNREAD, Record, Verdict, read, scored, totals
from isovist.run.run_folder import RunFolder, RunInfo
from isovist.run.variants import AS_IT_IS
from isovist.run.verification import Reading, Verifier
from isovist.scenes.compass import SPATIAL, WINDS
from isovist.scenes.distractor_types import first
from isovist.stats.clustered_means import clustered
from isovist.stats.level_tests import beats
from isovist.stats.proportions import Interval, above_chance, chance_adjusted

OPTIONS = "options"
"""The facet that all choices have: the number of their options."""

_SAMPLES = {"correct": 1, "wrong": 2, "unread": 1}


@dataclass(frozen=True, slots=True)
class Sample:
    """One item with what the model made of it."""

    row: Row
    record: Record
    notes: list[str] = field(default_factory=list[str])
    """What the model wrote about each picture before it was asked, where it saw them one at a time."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often each answer was given for each key, both by what the options say. The last column counts the unread."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    unread: tuple[int, ...]


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
    steered: bool = False
    """Whether the answers before decided which sizes were asked: then mean credits over several sizes are estimates of nothing."""
    outcomes: Counter[Outcome] = field(default_factory=Counter["Outcome"])
    missing: int = 0
    values: list[float] = field(default_factory=list[float])
    grouped: list[str] = field(default_factory=list[str])
    """The groups of the items with a verdict, beside their credits."""
    evidence: list[Evidence] = field(default_factory=list[Evidence])
    """What was asked for and what was read, beside the credits."""
    as_published: list[float] = field(default_factory=list[float])
    """Credits by the scorer of the task's paper; empty without one."""
    chances: list[float] = field(default_factory=list[float])
    chances_of_all: list[float] = field(default_factory=list[float])
    seeds: set[int] = field(default_factory=set[int])
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    unread: Counter[str] = field(default_factory=Counter[str])
    samples: dict[str, list[Sample]] = field(default_factory=dict[str, list[Sample]])
    varied: dict[str, variants.Pairs] = field(default_factory=dict[str, variants.Pairs])
    skills: set[str] = field(default_factory=set[str])
    facets: dict[tuple[str, str], levels.Tally] = field(default_factory=dict[tuple[str, str], levels.Tally])
    """By the name of a facet and its value."""
    mistakes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """What the wrong options that were chosen stand for, with the groups of their items."""
    offered: Counter[str] = field(default_factory=Counter[str])
    """What the wrong options of the items with a verdict stand for."""
    angles: signed_errors.Found = field(default_factory=dict[tuple[str, str], signed_errors.Signed])
    """Where options stand for angles: how far the chosen ones are off."""
    named: dict[str, levels.Tally] = field(default_factory=dict[str, levels.Tally])
    """By level, where it is no size."""
    levels: dict[int, levels.Tally] = field(default_factory=dict[int, levels.Tally])
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
        return self.outcomes["error"] + self.missing

    @property
    def accuracy(self) -> Interval | None:
        """Mean credit with its interval; None as long as there are items without a verdict, and where sizes were chosen."""
        return self.within(0.95) if self.values and not self.faults and not self.steered else None

    @property
    def withheld(self) -> str:
        """Why there is no accuracy."""
        return "sizes were chosen" if self.steered else f"{self.faults} without a verdict"

    def within(self, confidence: float) -> Interval:
        """Mean credit of the items with a verdict, of which there has to be one, with its interval."""
        return clustered(self.values, self.grouped, confidence)

    def beats_guessing(self, claims: int) -> bool:
        """Whether it is better than a guesser, as one of so many claims that are to hold together at 95 % (Bonferroni)."""
        return beats(self.values, self.grouped, self.chance, claims)

    @property
    def groups(self) -> set[str]:
        return set(self.grouped)

    @property
    def accuracy_as_published(self) -> Interval | None:
        """The mean credit by the scorer of the paper; None without one, or without a verdict for every item."""
        return clustered(self.as_published, self.grouped) if self.accuracy and len(self.as_published) == self.n else None

    @property
    def chance(self) -> float:
        chances = self.chances or self.chances_of_all  # without a verdict, that of what was to be asked
        return sum(chances) / len(chances)

    @property
    def shortcut(self) -> float | None:
        """What the best rules get that leave out the claimed skill, each at its level; None where that was not measured on such items."""
        rates = [best.shortcut.accuracy if best else None for best in map(of_item, (it.item for it in self.evidence))]
        known = [rate for rate in rates if rate is not None]
        return sum(known) / len(known) if known and len(known) == len(rates) else None

    @property
    def above_chance(self) -> float:
        return above_chance(self.values, self.chances)

    @property
    def above(self) -> Interval | None:
        """The same with its interval; None as long as there are items without a verdict."""
        return chance_adjusted(self.accuracy, self.chances) if self.accuracy else None

    @property
    def bounds(self) -> tuple[float, float]:
        """The accuracy if all unread replies were wrong, and if all were right."""
        total = sum(self.values)
        return (total / self.n, (total + self.unreadable.total) / self.n) if self.n else (0.0, 1.0)

    @property
    def unreadable(self) -> Unreadable:
        return Unreadable.of(self.outcomes)

    @property
    def readable(self) -> Interval | None:
        """The accuracy of the replies that could be read; None where all could, or none, and where no accuracy is told."""
        if not self.accuracy or not self.unreadable.total:
            return None
        found = [(it.value, it.group) for it in self.evidence if it.outcome not in UNREAD]
        return clustered([value for value, _ in found], [group for _, group in found]) if found else None

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
        names = {name for pair in self.pairs for name in pair} | set(self.unread)
        order = WINDS if names <= set(WINDS) else SPATIAL if names <= set(SPATIAL) else tuple(sorted(names))
        if not self.pairs or len(order) > 16:
            return None
        counts = tuple(tuple(self.pairs[key, said] for said in order) for key in order)
        return Confusion(order, counts, tuple(self.unread[key] for key in order))

    @property
    def comparisons(self) -> list[variants.Comparison]:
        """How the model does when the items are asked in other ways."""
        return [pairs.comparison for pairs in self.varied.values()]

    @property
    def sizes(self) -> levels.Sizes | None:
        """How the model does at each size; None for a task that is not asked in several."""
        return levels.sizes(self.run, self.task, self.levels, self.unreadable)

    def add(self, row: Row, askings: Mapping[str, Verdict | None], record: Callable[[Verdict], Record]) -> None:
        """An item, with a verdict for each variant in which it was to be asked. `record` looks up what was said."""
        for name, pairs in variants.of(askings).items():
            self.varied.setdefault(name, variants.Pairs(name)).add(row.group, row.key, pairs)
        verdict = askings[AS_IT_IS]
        self.chances_of_all.append(row.chance)
        self.skills.update(row.skills)
        self.seeds.add(row.seed)
        credit, by_paper = (None, None) if verdict is None or verdict.outcome == "error" else (verdict.value, verdict.published)
        size = levels.size(row.level)
        tally = self.named.setdefault(row.level, levels.Tally()) if size is None else self.levels.setdefault(size, levels.Tally())
        tally.add(credit, row.chance, by_paper, row.group)
        for facet in () if self.steered else _facets(row):
            self.facets.setdefault(facet, levels.Tally()).add(credit, row.chance, by_paper, row.group)
        if isinstance(row.key, Choice):
            if verdict is not None and verdict.parsed is not None:
                _option(row, row.key, verdict.parsed)  # tells of a letter that is none before it is taken for an angle
            signed_errors.add(self.angles, row, row.key, verdict)
        if verdict is None:
            self.missing += 1
            return
        self.outcomes[verdict.outcome] += 1
        if verdict.outcome == "error":
            return
        self.values.append(verdict.value)
        self.grouped.append(row.group)
        if self.by_people:
            self.times.append(Timed(record(verdict).latency_s, row.level, verdict.outcome == "correct", row.group))
        known = evidence(row, verdict)
        self.evidence.append(known)
        if verdict.published is not None:
            self.as_published.append(verdict.published)
        self.chances.append(row.chance)
        key = row.key
        if isinstance(key, Choice):
            self._add_errors(known)
            if verdict.parsed is None:
                self.unread[key.bin()] += 1
            else:
                self.pairs[key.bin(), _option(row, key, verdict.parsed)] += 1
        self._keep(row, verdict, record)

    def settle(self) -> None:
        """After the last item: one answer to everything is no better than guessing, whatever it earns (see `diagnosis.constants`)."""
        self.chances = constant_responses.chances(self.evidence)
        self.evidence = [replace(it, chance=chance) for it, chance in zip(self.evidence, self.chances, strict=True)]

    def _add_errors(self, known: Evidence) -> None:
        self.offered.update(first(error) for place, error in enumerate(known.errors) if LETTERS[place] != known.key.canonical())
        if (error := known.error) is not None:
            self.mistakes.append((error, known.group))

    def _keep(self, row: Row, verdict: Verdict, record: Callable[[Verdict], Record]) -> None:
        """The item as a sample of its outcome, as long as there is room."""
        kind = "unread" if verdict.outcome in UNREAD else "correct" if verdict.outcome == "correct" else "wrong"
        kept = self.samples.setdefault(kind, [])
        if len(kept) < _SAMPLES[kind]:
            kept.append(Sample(row, record(verdict)))


def _facets(row: Row) -> list[tuple[str, str]]:
    """By what an item may be grouped, with its values."""
    told: dict[str, str] = row.told.get("facets", {})
    return list((told | {OPTIONS: str(len(row.choices))} if row.choices else told).items())


def _option(row: Row, key: Choice, letter: str) -> str:
    """The text of the option that a record names."""
    options = dict(zip(LETTERS, key.options, strict=False))
    if letter not in options:
        raise BadInput(f"{row.id}: the record has read {letter!r}, which is no option of the item; rescore the run.")
    return options[letter]


@dataclass(frozen=True)
class Run:
    """One run with the results of its tasks. What takes long is worked out once, for pages, tables and figures alike."""

    name: str
    info: RunInfo
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
    def faults(self) -> int:
        return sum(task.faults for task in self.tasks)

    @cached_property
    def findings(self) -> list[Finding]:
        """What is wrong beyond noise, the dearest first; items without a verdict are no evidence."""
        return findings({task.task: task.evidence for task in self.tasks}, FINDERS)

    @cached_property
    def effects(self) -> list[Effect]:
        """What the knobs of each task do to the accuracy; tasks that cannot be judged are left out."""
        return effects({task.task: task.evidence for task in self.tasks if task.judged})

    @cached_property
    def slopes(self) -> list[Slope]:
        """The accuracy against each knob that is a number; tasks that cannot be judged are left out."""
        return [slope for task in self.tasks if task.judged for slope in slopes(task.task, task.evidence)]


def collect(folders: Sequence[Path], verifier: Verifier | None = None) -> list[Run]:
    """The results of some runs. Raises CheckFailed if one is not what it says it is."""
    verifier = verifier or Verifier()
    infos = [(RunFolder(path), RunFolder(path).info()) for path in folders]
    names = run_names(infos)
    readings = [verifier.read(folder, info) for folder, info in infos]
    verifier.conclude()
    return [_run(folder, info, name, reading) for (folder, info), name, reading in zip(infos, names, readings, strict=True)]


def of_a_full_design(folder: RunFolder, info: RunInfo) -> None:
    """Raises BadInput for a run whose items were chosen by the answers: its share of right answers stands beside no other."""
    if info.adaptive is not None:
        raise BadInput(
            f"{folder.path}: an adaptive run chose its items by the answers, so shares of right answers cannot be compared; "
            "compare half-way sizes with `isovist report`, or ask both about one data folder (`isovist run --data DIR`)."
        )


def _run(folder: RunFolder, info: RunInfo, name: str, reading: Reading) -> Run:
    found = reading.verdicts
    results: dict[str, TaskResult] = {}
    for row in folder.rows(info):
        known = registry.tasks().get(row.task)
        summary = known.summary if known else ""
        result = results.setdefault(row.task, TaskResult(name, row.task, summary, info.of_people, info.adaptive is not None))
        askings = {variant: found.get((row.id, variant)) for variant in info.variants.names(row.key, info.style, row.orders)}
        result.add(row, askings, lambda verdict: scored(folder.records, verdict))
    for result in results.values():
        result.settle()
    _noted(folder, [sample for result in results.values() for kept in result.samples.values() for sample in kept])
    spent = totals(chain(read(folder.records), captions(folder.captions)))
    tasks = tuple(sorted(results.values(), key=lambda result: order(result.task)))
    return Run(name, info, tasks, spent.served_by, spent.attempts, spent.seconds, (spent.input_tokens, spent.output_tokens), reading)


def _noted(folder: RunFolder, samples: Sequence[Sample]) -> None:
    """Puts the descriptions of their pictures to samples that have such."""
    by_name = {(sample.row.id, AS_IT_IS): sample for sample in samples}
    for told in captions(folder.captions):
        if sample := by_name.get((told.item_id, told.variant)):
            del sample.notes[told.picture - 1 :]  # of a picture that was described again, the last counts
            sample.notes.append(told.reply)


def order(task: str) -> tuple[str, int, str]:
    """Tasks by suite, in the order of the published table, then by name."""
    from isovist.reference import reference, suites

    suite = task.partition("/")[0]
    listed = [row for table in reference(suite).tables for row in table.rows] if suite in suites() else []
    return suite, next((place for place, row in enumerate(listed) if row.covers(task)), len(listed)), task


def every_task(runs: Sequence[Run]) -> Iterator[tuple[str, list[TaskResult | None]]]:
    """Each task with its result in each run."""
    names = sorted({result.task for run in runs for result in run.tasks}, key=order)
    for name in names:
        yield name, [next((result for result in run.tasks if result.task == name), None) for run in runs]
