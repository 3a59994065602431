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
    rows: list[dict[str, Any]] = []
    by_card = standing(job, given)
    for number, card in enumerate(job.cards, 1):
        for person, one in sorted(by_card[card.id].items()):
            row: dict[str, Any] = {"card": card.id, "number": number, "part": card.part, "person": person, "answer": one.value}
            if card.keyed:
                row["credit"] = card.credit(one.value)
            row |= {"note": one.note, "seconds": round(one.seconds, 3), "at": one.at}
            rows.append(row)
    return json_lines.lines(rows)


def summary(job: Job, given: Sequence[Annotation]) -> dict[str, Any]:
    """What the answers come to, as JSON."""
    return {
        "cards": len(job.cards),
        "people": dict(sorted(progress(job, given).items())),
        "agreement": [
            {"part": row.part, "cards": row.cards, "alpha": _told(row.alpha), "same": _round(row.same)} for row in agreements(job, given)
        ],
        "accuracy": [{"part": row.part, "person": row.person, "cards": row.cards, **_told(row.credit)} for row in accuracies(job, given)],
        "disagreements": [{"card": row.card.id, "answers": dict(row.answers)} for row in disagreements(job, given)],
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
    text_lines = [f"{len(job.cards)} cards; answered: {', '.join(f'{name} {count}' for name, count in sorted(people.items())) or 'none'}"]
    text_lines += ["", "Agreement (Krippendorff's alpha for nominal values; share of equal pairs)"]
    for row in agreements(job, given):
        alpha = "not defined" if row.alpha is None else f"{row.alpha.estimate:.3f} (95 % {row.alpha.low:.3f} to {row.alpha.high:.3f})"
        same = "-" if row.same is None else f"{row.same:.1%}"
        text_lines.append(f"  {row.part or 'all'}: {alpha}; {same}; {row.cards} cards with two answers or more")
    if right := accuracies(job, given):
        text_lines += ["", "Right answers (mean credit)"]
        for row in right:
            credit = row.credit
            text_lines.append(
                f"  {row.part or 'all'}, {row.person or 'everybody'}: {credit.estimate:.1%} (95 % {credit.low:.1%} to {credit.high:.1%}), {row.cards} cards"
            )
    if differ := disagreements(job, given):
        text_lines += ["", f"Different answers, {len(differ)} cards"]
        text_lines += [f"  {row.card.id}: {', '.join(f'{name} {value}' for name, value in row.answers.items())}" for row in differ]
    return "\n".join(text_lines)
