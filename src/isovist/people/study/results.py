"""Results of a study: progress, accuracy, inter-rater agreement and flagged items."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from statistics import median
from typing import Literal

from isovist.core.answers import LETTERS, Choice, Score
from isovist.core.answers import Answer as TypedAnswer
from isovist.core.task import ColourVision
from isovist.people.annotate import agreement
from isovist.people.annotate.agreement import RESAMPLES, Agreement
from isovist.people.annotate.cards import Card
from isovist.people.study import attention_checks
from isovist.people.study.item_presentation import answer_of
from isovist.people.study.participants import Answer, Participant
from isovist.people.study.plan import Block, Item, Study
from isovist.stats import medians
from isovist.stats.clustered_means import clustered_mean, participant_mean
from isovist.stats.medians import Median
from isovist.stats.proportions import ConfidenceInterval

MIN_ANSWERS = 3
"""Minimum answers for an item to be flagged."""
AGAINST = 2 / 3
"""Share of answers with the same incorrect value from which an item is flagged."""
DIVIDED = 0.5
"""Share of the most frequent answer, of four or more, below which an item is flagged."""
STOPPED = 900.0
"""Seconds without an answer after which a participant counts as stopped."""
SLOW = 3.0
"""Multiple of the task's median response time from which an item is flagged."""


State = Literal["done", "at work", "stopped", "not begun"]


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a participant. `credit` is the mean over test items; None before the first answer."""

    person: Participant
    done: int
    """Answered test items."""
    left: int
    """Unanswered test items."""
    at: str
    """The task of the first unanswered question; "" before the first question and after the last."""
    parts: int
    """Tasks of which all items are answered."""
    credit: float | None
    seconds: float | None
    """Median response time."""
    taken: float
    """Total response time of the test items."""
    last: str
    """Time of the last answer, with practice, in UTC; "" before the first."""
    checks: tuple[bool, ...]
    """Whether each answered attention check was passed."""
    excluded: bool
    """Whether more attention checks were missed than the plan allows; then no other result has these answers."""

    def state(self, now: datetime) -> State:
        """The state at a time."""
        if self.left == 0:
            return "done"
        if self.person.agreed is None:
            return "not begun"
        return "stopped" if self.idle(now) >= STOPPED else "at work"

    def idle(self, now: datetime) -> float:
        """Seconds since the last answer, the consent or the creation of the code."""
        return max(0.0, (now - datetime.fromisoformat(self.last or self.person.agreed or self.person.made)).total_seconds())


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Results of all participants on one task."""

    task: str
    items: int
    answers: int
    credit: ConfidenceInterval | None
    """Mean credit, with the CI over items (for these participants)."""
    over_people: ConfidenceInterval | None
    """Mean credit, with the CI over participants who answered all items of the task; None for fewer than two."""
    complete: tuple[tuple[float, ...], ...]
    """The credits of each participant who answered all items of the task, in the order of the items."""
    chance: float
    colour_vision: ColourVision | None
    """The colour vision that the task requires; None if unknown."""
    others: int
    """Participants with answers who have not stated normal colour vision."""
    seen: ConfidenceInterval | None
    """As `credit`, for participants with normal colour vision only; None where this is all, none, or not required."""
    agreement: Agreement
    seconds: Median | None
    """Median over items of the median response time, with the CI over items."""


@dataclass(frozen=True, slots=True)
class FlaggedItem:
    """An item that may be ambiguous or incorrect, with all reasons."""

    place: int
    """Index among the test items, from 0."""
    item: Item
    answers: tuple[tuple[str, int], ...]
    """Answers with their counts, most frequent first."""
    seconds: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Results:
    people: tuple[Progress, ...]
    tasks: tuple[TaskResult, ...]
    odd: tuple[FlaggedItem, ...]


def results(
    study: Study, people: Sequence[Participant], answers: Sequence[Answer], resamples: int = RESAMPLES, *, exclude: bool = True
) -> Results:
    """The current results. `resamples` is the number of bootstrap samples of the agreement CIs.

    `answers` include those to practice items and attention checks. Practice answers count for the time of the last activity only. With
    `exclude`, tasks and flagged items are without the participants who missed too many checks. Raises MissingDependencyError without the
    library for agreement.
    """
    checks = attention_checks.passed(study.checks, answers)
    excluded = attention_checks.excluded(checks, study.plan.methods.max_missed)
    given: dict[str, dict[str, Answer]] = {item.card.id: {} for item in study.items}
    for answer in answers:
        if answer.item in given and not (exclude and answer.person in excluded):
            given[answer.item][answer.person] = answer
    by_person: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_person[answer.person].append(answer)
    progress = tuple(
        _progress(study, person, by_person[person.handle], checks.get(person.handle, []), person.handle in excluded) for person in people
    )
    normal = frozenset(person.handle for person in people if person.vision == "normal")
    tasks = tuple(_task(block, given, normal, resamples) for block in study.blocks)
    place = {item.card.id: i for i, item in enumerate(study.items)}
    odd = [flagged for block in study.blocks for flagged in _odd(block, given, lambda item: place[item.card.id])]
    return Results(progress, tasks, tuple(odd))


def credit(card: Card, answer: Answer) -> float:
    return _score(answer_of(card), answer.reply).credit


@lru_cache(maxsize=1 << 16)
def _score(key: TypedAnswer, reply: str) -> Score:
    """Cached: answers never change."""
    return key.score(reply)


def _progress(study: Study, person: Participant, given: Sequence[Answer], checks: Sequence[bool], excluded: bool) -> Progress:
    answered = {answer.item: answer for answer in given}
    study_answers = [answered[item.card.id] for item in study.items if item.card.id in answered]
    values = [credit(item.card, answered[item.card.id]) for item in study.items if item.card.id in answered]
    left = len(study.items) - len(study_answers)
    order = study.order(person.handle, person.place) if left and person.place is not None else ()
    parts = sum(all(item.card.id in answered for item in block.items) for block in study.blocks)
    return Progress(
        person,
        len(study_answers),
        left,
        next((step.item.card.part for step in order if step.item.card.id not in answered), ""),
        parts,
        sum(values) / len(values) if values else None,
        median(answer.seconds for answer in study_answers) if study_answers else None,
        sum(answer.seconds for answer in study_answers),
        max((answer.at for answer in given), default=""),
        tuple(checks),
        excluded,
    )


def _task(block: Block, given: dict[str, dict[str, Answer]], normal: frozenset[str], resamples: int) -> TaskResult:
    means: list[float] = []
    groups: list[str] = []
    times: list[float] = []
    seen: list[float] = []
    seen_groups: list[str] = []
    by_person: dict[str, list[float]] = defaultdict(list)
    for item in block.items:
        item_answers = given[item.card.id]
        if not item_answers:
            continue
        values = {person: credit(item.card, answer) for person, answer in item_answers.items()}
        for person, value in values.items():
            by_person[person].append(value)
        means.append(sum(values.values()) / len(values))
        groups.append(item.card.group)
        if among := [value for person, value in values.items() if person in normal]:
            seen.append(sum(among) / len(among))
            seen_groups.append(item.card.group)
        times.append(median(answer.seconds for answer in item_answers.values()))
    complete = tuple(tuple(values) for values in by_person.values() if len(values) == len(block.items))
    others = by_person.keys() - normal
    value = _compared(block)
    answer_values = tuple(tuple(value(item, answer) for answer in given[item.card.id].values()) for item in block.items)
    return TaskResult(
        task=block.task,
        items=len(block.items),
        answers=sum(map(len, by_person.values())),
        credit=clustered_mean(means, groups) if means else None,
        over_people=participant_mean([sum(values) / len(values) for values in complete], len(block.items)) if len(complete) > 1 else None,
        complete=complete,
        chance=sum(item.chance for item in block.items) / len(block.items),
        colour_vision=block.colour_vision,
        others=len(others),
        seen=clustered_mean(seen, seen_groups) if seen and others and block.colour_vision == "normal" else None,
        agreement=_agreed(block.task, answer_values, resamples),
        seconds=medians.median(times, groups) if times else None,
    )


@lru_cache(maxsize=256)
def _agreed(task: str, answers: tuple[tuple[str, ...], ...], resamples: int) -> Agreement:
    """Cached: the bootstrap is slow, and the administrator page polls."""
    return agreement.agreed(task, answers, resamples)


def _canonical(key: TypedAnswer, answer: Answer) -> str:
    """An answer in canonical form. All correct answers become the key: a number has a tolerance, and several cells may be correct."""
    score = _score(key, answer.reply)
    return key.canonical() if score.outcome == "correct" else score.parsed_answer or answer.reply


def _compared(block: Block) -> Callable[[Item, Answer], str]:
    """The function by which answers are compared: option texts where all items of a task have the same options, else option labels."""
    keys = [answer_of(item.card) for item in block.items]
    same = len({frozenset(key.options) if isinstance(key, Choice) else None for key in keys}) == 1

    def value(item: Item, answer: Answer) -> str:
        key = answer_of(item.card)
        label = _canonical(key, answer)
        return key.options[LETTERS.index(label)] if same and isinstance(key, Choice) else label

    return value


def _odd(block: Block, given: dict[str, dict[str, Answer]], place: Callable[[Item], int]) -> list[FlaggedItem]:
    times = {
        item.card.id: median(record.seconds for record in item_answers.values())
        for item in block.items
        if (item_answers := given[item.card.id])
    }
    usual = median(times.values()) if times else 0.0
    flagged: list[FlaggedItem] = []
    for item in block.items:
        item_answers, answer = given[item.card.id], answer_of(item.card)
        if len(item_answers) < MIN_ANSWERS:
            continue
        counts = Counter(_canonical(answer, record) for record in item_answers.values())
        top_answer, most = counts.most_common(1)[0]
        reasons: list[str] = []
        if most / len(item_answers) >= AGAINST and not _score(answer, top_answer).credit:
            reasons.append("most answers contradict the key")
        if len(item_answers) > MIN_ANSWERS and most / len(item_answers) < DIVIDED:
            reasons.append("answers are divided")
        if times[item.card.id] > SLOW * usual > 0:
            reasons.append("long response time")
        if reasons:
            flagged.append(FlaggedItem(place(item), item, tuple(counts.most_common()), times[item.card.id], tuple(reasons)))
    return flagged
