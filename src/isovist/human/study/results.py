"""What the answers of a study come to: how far people are, how often they are right, how far they agree, which items look odd."""

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
from isovist.human.annotate import agreement
from isovist.human.annotate.agreement import RESAMPLES, Agreement
from isovist.human.annotate.cards import Card
from isovist.human.study.item_presentation import answer_of
from isovist.human.study.participants import Answer, Participant
from isovist.human.study.plan import Block, Item, Study
from isovist.stats import medians
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.medians import Median
from isovist.stats.participant_means import participant_mean
from isovist.stats.proportions import ConfidenceInterval

MIN_ANSWERS = 3
"""Answers that an item needs before it is called odd."""
AGAINST = 2 / 3
"""The share of its answers that are one and the same wrong one."""
DIVIDED = 0.5
"""The share of its answers, of four or more, that its most frequent one does not reach."""
STOPPED = 900.0
"""Seconds without an answer after which somebody who is not done has stopped."""
SLOW = 3.0
"""How many times as long as the median item of its task people take for it."""


State = Literal["done", "at work", "stopped", "not begun"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a person is. `credit` is the mean over what counts; None before the first answer."""

    person: Participant
    done: int
    """Of the items that count."""
    left: int
    """Of the items that count."""
    at: str
    """The task of the first question that is left; "" before the first question and after the last."""
    parts: int
    """Tasks of which all items are answered."""
    credit: float | None
    seconds: float | None
    """The median for an item."""
    taken: float
    """Seconds over all answers that count."""
    last: str
    """When the last answer came, practice included, in UTC; "" before the first."""

    def state(self, now: datetime) -> State:
        """What the person seems to be doing."""
        if self.left == 0:
            return "done"
        if self.person.agreed is None:
            return "not begun"
        return "stopped" if self.idle(now) >= STOPPED else "at work"

    def idle(self, now: datetime) -> float:
        """Seconds since the last sign of the person: an answer, or the consent, or the making of the code."""
        return max(0.0, (now - datetime.fromisoformat(self.last or self.person.agreed or self.person.made)).total_seconds())


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What people make of one task."""

    task: str
    items: int
    answers: int
    credit: ConfidenceInterval | None
    """Of the items' mean credits, for other items like them and these people."""
    over_people: ConfidenceInterval | None
    """Of the mean credits of those who answered all of the task, for other people like them; None for fewer than two."""
    finished: int
    chance: float
    colour_vision: ColourVision | None
    """What its questions need; None where that is unknown."""
    others: int
    """People with answers who have not said that their colour vision is normal."""
    seen: ConfidenceInterval | None
    """As `credit`, of those alone who said that their colour vision is normal; None where all did, none did, or it does not matter."""
    agreement: Agreement
    seconds: Median | None
    """The median over items of the median over people, for other items like them."""


@dataclass(frozen=True, slots=True)
class FlaggedItem:
    """An item that may be ambiguous or wrong, with every reason why it looks so."""

    place: int
    """Among all items of the study that count, from 0."""
    item: Item
    answers: tuple[tuple[str, int], ...]
    """What was answered how often, the most frequent first."""
    seconds: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Results:
    people: tuple[Progress, ...]
    tasks: tuple[TaskResult, ...]
    odd: tuple[FlaggedItem, ...]


def results(study: Study, people: Sequence[Participant], answers: Sequence[Answer], resamples: int = RESAMPLES) -> Results:
    """All that is known by now; the intervals of agreement from so many samples. Answers to practice tell when people were there and
    nothing else. Raises MissingDependencyError without the library for agreement.
    """
    given: dict[str, dict[str, Answer]] = {item.card.id: {} for item in study.items}
    for answer in answers:
        if answer.item in given:
            given[answer.item][answer.person] = answer
    by_person: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_person[answer.person].append(answer)
    progress = tuple(_progress(study, person, by_person[person.handle]) for person in people)
    normal = frozenset(person.handle for person in people if person.vision == "normal")
    tasks = tuple(_task(block, given, normal, resamples) for block in study.blocks)
    place = {item.card.id: i for i, item in enumerate(study.items)}
    odd = [flagged for block in study.blocks for flagged in _odd(block, given, lambda item: place[item.card.id])]
    return Results(progress, tasks, tuple(odd))


def credit(card: Card, answer: Answer) -> float:
    return _score(answer_of(card), answer.reply).value


@lru_cache(maxsize=1 << 16)
def _score(key: TypedAnswer, reply: str) -> Score:
    """Remembered, as answers never change."""
    return key.score(reply)


def _progress(study: Study, person: Participant, given: Sequence[Answer]) -> Progress:
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
    whole = [sum(values) / len(values) for values in by_person.values() if len(values) == len(block.items)]
    others = by_person.keys() - normal
    value = _compared(block)
    answer_values = tuple(tuple(value(item, answer) for answer in given[item.card.id].values()) for item in block.items)
    return TaskResult(
        task=block.task,
        items=len(block.items),
        answers=sum(map(len, by_person.values())),
        credit=clustered_mean(means, groups) if means else None,
        over_people=participant_mean(whole, len(block.items)) if len(whole) > 1 else None,
        finished=len(whole),
        chance=sum(item.chance for item in block.items) / len(block.items),
        colour_vision=block.colour_vision,
        others=len(others),
        seen=clustered_mean(seen, seen_groups) if seen and others and block.colour_vision == "normal" else None,
        agreement=_agreed(block.task, answer_values, resamples),
        seconds=medians.median(times, groups) if times else None,
    )


@lru_cache(maxsize=256)
def _agreed(task: str, answers: tuple[tuple[str, ...], ...], resamples: int) -> Agreement:
    """Remembered: the interval takes long, and the page of those who run the study asks again and again."""
    return agreement.agreed(task, answers, resamples)


def _said(key: TypedAnswer, answer: Answer) -> str:
    """What a person answered, in canonical form. All right answers are one: a number may be off by a little, a cell be one of several."""
    score = _score(key, answer.reply)
    return key.canonical() if score.outcome == "correct" else score.parsed or answer.reply


def _compared(block: Block) -> Callable[[Item, Answer], str]:
    """By what two answers are the same. Options are compared by what they say where all items of a task have the same ones, else by
    their letters.
    """
    keys = [answer_of(item.card) for item in block.items]
    same = len({frozenset(key.options) if isinstance(key, Choice) else None for key in keys}) == 1

    def value(item: Item, answer: Answer) -> str:
        key = answer_of(item.card)
        label = _said(key, answer)
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
        counts = Counter(_said(answer, record) for record in item_answers.values())
        top_answer, most = counts.most_common(1)[0]
        reasons: list[str] = []
        if most / len(item_answers) >= AGAINST and not _score(answer, top_answer).value:
            reasons.append("people agree against the key")
        if len(item_answers) > MIN_ANSWERS and most / len(item_answers) < DIVIDED:
            reasons.append("people are divided")
        if times[item.card.id] > SLOW * usual > 0:
            reasons.append("it takes long")
        if reasons:
            flagged.append(FlaggedItem(place(item), item, tuple(counts.most_common()), times[item.card.id], tuple(reasons)))
    return flagged
