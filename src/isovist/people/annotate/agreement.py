"""Inter-rater agreement, accuracy of annotators, and disagreements."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isovist.common.errors import MissingDependencyError
from isovist.people.annotate.answer_store import Annotation
from isovist.people.annotate.cards import Card, Job
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.proportions import ConfidenceInterval

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Agreement:
    """Inter-rater agreement on some cards.

    `alpha` is Krippendorff's alpha for nominal values with its 95% CI; None where it is undefined (no card with two answers, or the same
    answer everywhere). `same` is the share of equal pairs among the pairs of answers to one card.
    """

    part: str
    cards: int
    """Cards with two answers or more."""
    alpha: ConfidenceInterval | None
    same: float | None


@dataclass(frozen=True, slots=True)
class AnnotatorAccuracy:
    """Accuracy of an annotator on the cards with a key. `credit` is the mean credit with its 95% CI."""

    person: str
    part: str
    cards: int
    credit: ConfidenceInterval


@dataclass(frozen=True, slots=True)
class Disagreement:
    card: Card
    answers: Mapping[str, str]
    """Answers by annotator."""


def standing(job: Job, given: Sequence[Annotation]) -> dict[str, dict[str, Annotation]]:
    """The current answers by card and annotator; cards are in the order of the job. Answers to older versions of a card are excluded."""
    by_card: dict[str, dict[str, Annotation]] = {card.id: {} for card in job.cards}
    digests = {card.id: card.digest for card in job.cards}
    for annotation in given:
        if digests.get(annotation.card) == annotation.digest:
            by_card[annotation.card][annotation.annotator] = annotation
    return by_card


def agreements(job: Job, given: Sequence[Annotation]) -> list[Agreement]:
    """The agreement of each part of the job, and of the whole job (part "") if it has several. Raises MissingDependencyError."""
    by_card = standing(job, given)
    parts = list(dict.fromkeys(card.part for card in job.cards))
    groups = [(part, [card for card in job.cards if card.part == part]) for part in parts]
    if len(parts) > 1:
        groups.append(("", list(job.cards)))
    return [agreed(part, [_compared(card, by_card[card.id]) for card in cards]) for part, cards in groups]


def _compared(card: Card, given: Mapping[str, Annotation]) -> list[str]:
    """The values by which answers to a card are compared; free text ignores case."""
    return [annotation.value.casefold() if card.field == "text" else annotation.value for annotation in given.values()]


def agreed(part: str, answers: Sequence[Sequence[str]], resamples: int = RESAMPLES) -> Agreement:
    """The agreement on some cards, each given by the compared values of its answers. Raises MissingDependencyError."""
    pairable = [values for values in answers if len(values) > 1]
    pairs = [(a == b) for values in pairable for i, a in enumerate(values) for b in values[:i]]
    same = sum(pairs) / len(pairs) if pairs else None
    return Agreement(part, len(pairable), alpha(pairable, resamples), same)


def alpha(answers: Sequence[Sequence[str]], resamples: int = RESAMPLES) -> ConfidenceInterval | None:
    """Krippendorff's alpha for nominal values, `answers` by card, with a 95% percentile bootstrap CI over cards.

    None where alpha is undefined. With one card, the CI is [-1, 1]. A bootstrap sample in which all answers are equal counts as 1, because
    it has no disagreement. Raises MissingDependencyError without the extra.
    """
    values = sorted({value for card_values in answers for value in card_values})
    places = {value: place for place, value in enumerate(values)}
    counts = np.zeros((len(answers), len(values)), np.int64)
    for row, card_values in enumerate(answers):
        for value in card_values:
            counts[row, places[value]] += 1
    counts = counts[counts.sum(axis=1) > 1]
    estimate = _alpha(counts)
    if estimate is None:
        return None
    if len(counts) == 1:
        return ConfidenceInterval(estimate, -1.0, 1.0)
    rng = np.random.default_rng(0)
    drawn = [_alpha(counts[rng.integers(0, len(counts), len(counts))]) for _ in range(resamples)]
    low, high = np.percentile([1.0 if resampled is None else resampled for resampled in drawn], [2.5, 97.5])
    return ConfidenceInterval(estimate, min(float(low), estimate), max(float(high), estimate))


def _alpha(counts: NDArray[np.int64]) -> float | None:
    """Alpha of counts by card (rows, at least two answers each) and value (columns); None if only one value occurs."""
    try:
        import krippendorff
    except ImportError:
        raise MissingDependencyError("inter-rater agreement", "annotate") from None
    occurring = counts[:, counts.any(axis=0)]
    if occurring.shape[1] < 2:
        return None
    return float(krippendorff.alpha(value_counts=occurring, level_of_measurement="nominal"))


def accuracies(job: Job, given: Sequence[Annotation]) -> list[AnnotatorAccuracy]:
    """Accuracy by part, for each annotator and for all (name ""), on the cards with a key.

    For all annotators, a card counts once, with the mean credit of its answers. The CIs are clustered by group.
    """
    by_card = standing(job, given)
    credited: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
    for card in job.cards:
        if not card.keyed:
            continue
        by_person = {person: card.credit(annotation.value) or 0.0 for person, annotation in by_card[card.id].items()}
        for person, credit in by_person.items():
            credited[card.part, person].append((credit, card.group or card.id))
        if by_person:
            credited[card.part, ""].append((sum(by_person.values()) / len(by_person), card.group or card.id))
    return [
        AnnotatorAccuracy(person, part, len(each), clustered_mean([credit for credit, _ in each], [group for _, group in each]))
        for (part, person), each in sorted(credited.items())
    ]


def disagreements(job: Job, given: Sequence[Annotation]) -> list[Disagreement]:
    """The cards with different answers, in the order of the job."""
    by_card = standing(job, given)
    return [
        Disagreement(card, {person: annotation.value for person, annotation in sorted(by_card[card.id].items())})
        for card in job.cards
        if len(set(_compared(card, by_card[card.id]))) > 1
    ]


def progress(job: Job, given: Sequence[Annotation]) -> Counter[str]:
    """Number of answered cards by annotator."""
    return Counter(person for answers in standing(job, given).values() for person in answers)
