"""Answers and what they come to, as JSON Lines and as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isovist import json_lines
from isovist.human.annotate.agreement import accuracies, agreements, disagreements, progress, standing
from isovist.human.annotate.answer_store import Annotation
from isovist.human.annotate.cards import Job
from isovist.stats.proportions import ConfidenceInterval


def lines(job: Job, given: Sequence[Annotation]) -> str:
    """One line of JSON for each answer that stands, by card and then by person; `credit` where the card has a key."""
    found: list[dict[str, Any]] = []
    by_card = standing(job, given)
    for number, card in enumerate(job.cards, 1):
        for person, one in sorted(by_card[card.id].items()):
            told: dict[str, Any] = {"card": card.id, "number": number, "part": card.part, "person": person, "answer": one.value}
            if card.keyed:
                told["credit"] = card.credit(one.value)
            told |= {"note": one.note, "seconds": round(one.seconds, 3), "at": one.at}
            found.append(told)
    return json_lines.lines(found)


def summary(job: Job, given: Sequence[Annotation]) -> dict[str, Any]:
    """What the answers come to, as JSON."""
    return {
        "cards": len(job.cards),
        "people": dict(sorted(progress(job, given).items())),
        "agreement": [
            {"part": it.part, "cards": it.cards, "alpha": _told(it.alpha), "same": _round(it.same)} for it in agreements(job, given)
        ],
        "accuracy": [{"part": it.part, "person": it.person, "cards": it.cards, **_told(it.credit)} for it in accuracies(job, given)],
        "disagreements": [{"card": it.card.id, "answers": dict(it.answers)} for it in disagreements(job, given)],
    }


def _told(interval: ConfidenceInterval | None) -> Any:
    if interval is None:
        return None
    return {"estimate": _round(interval.estimate), "low": _round(interval.low), "high": _round(interval.high)}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def table(job: Job, given: Sequence[Annotation]) -> str:
    """What the answers come to, for a terminal."""
    people = progress(job, given)
    told = [f"{len(job.cards)} cards; answered: {', '.join(f'{name} {count}' for name, count in sorted(people.items())) or 'none'}"]
    told += ["", "Agreement (Krippendorff's alpha for nominal values; share of equal pairs)"]
    for it in agreements(job, given):
        alpha = "not defined" if it.alpha is None else f"{it.alpha.estimate:.3f} (95 % {it.alpha.low:.3f} to {it.alpha.high:.3f})"
        same = "-" if it.same is None else f"{it.same:.1%}"
        told.append(f"  {it.part or 'all'}: {alpha}; {same}; {it.cards} cards with two answers or more")
    if right := accuracies(job, given):
        told += ["", "Right answers (mean credit)"]
        for it in right:
            credit = it.credit
            told.append(
                f"  {it.part or 'all'}, {it.person or 'everybody'}: {credit.estimate:.1%} (95 % {credit.low:.1%} to {credit.high:.1%}), {it.cards} cards"
            )
    if differ := disagreements(job, given):
        told += ["", f"Different answers, {len(differ)} cards"]
        told += [f"  {it.card.id}: {', '.join(f'{name} {value}' for name, value in it.answers.items())}" for it in differ]
    return "\n".join(told)
