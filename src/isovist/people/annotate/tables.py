"""Annotations as JSON Lines, and their agreement and accuracy as JSON and as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isovist.common import json_lines
from isovist.people.annotate.agreement import accuracies, agreements, disagreements, progress, standing
from isovist.people.annotate.answer_store import Annotation
from isovist.people.annotate.cards import Job
from isovist.stats.proportions import ConfidenceInterval


def lines(job: Job, given: Sequence[Annotation]) -> str:
    """One JSON line for each current answer, by card and then by annotator; `credit` where the card has a key."""
    rows: list[dict[str, Any]] = []
    by_card = standing(job, given)
    for number, card in enumerate(job.cards, 1):
        for person, annotation in sorted(by_card[card.id].items()):
            row: dict[str, Any] = {"card": card.id, "number": number, "part": card.part, "person": person, "answer": annotation.value}
            if card.keyed:
                row["credit"] = card.credit(annotation.value)
            row |= {"note": annotation.note, "seconds": round(annotation.seconds, 3), "at": annotation.at}
            rows.append(row)
    return json_lines.lines(rows)


def summary(job: Job, given: Sequence[Annotation]) -> dict[str, Any]:
    """Agreement and accuracy as JSON."""
    return {
        "cards": len(job.cards),
        "people": dict(sorted(progress(job, given).items())),
        "agreement": [
            {"part": row.part, "cards": row.cards, "alpha": _interval(row.alpha), "same": _round(row.same)}
            for row in agreements(job, given)
        ],
        "accuracy": [
            {"part": row.part, "person": row.person, "cards": row.cards, **_interval(row.credit)} for row in accuracies(job, given)
        ],
        "disagreements": [{"card": row.card.id, "answers": dict(row.answers)} for row in disagreements(job, given)],
    }


def _interval(interval: ConfidenceInterval | None) -> Any:
    if interval is None:
        return None
    return {"estimate": _round(interval.estimate), "low": _round(interval.low), "high": _round(interval.high)}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def table(job: Job, given: Sequence[Annotation]) -> str:
    """Agreement and accuracy as text."""
    people = progress(job, given)
    text_lines = [
        f"{len(job.cards)} annotation items, answered: {', '.join(f'{name} {count}' for name, count in sorted(people.items())) or 'none'}"
    ]
    text_lines += ["", "Inter-rater agreement (Krippendorff's alpha for nominal values, share of equal pairs)"]
    for row in agreements(job, given):
        alpha = "not defined" if row.alpha is None else f"{row.alpha.estimate:.3f} [{row.alpha.low:.3f}, {row.alpha.high:.3f}]"
        same = "-" if row.same is None else f"{row.same:.1%}"
        text_lines.append(f"  {row.part or 'all'}: {alpha}, {same}, {row.cards} items with two answers or more")
    if accuracy_rows := accuracies(job, given):
        text_lines += ["", "Accuracy (mean credit) [95% CI]"]
        for row in accuracy_rows:
            credit = row.credit
            text_lines.append(
                f"  {row.part or 'all'}, {row.person or 'all'}: {credit.estimate:.1%} [{credit.low:.1%}, {credit.high:.1%}], {row.cards} items"
            )
    if different := disagreements(job, given):
        text_lines += ["", f"Items with different answers: {len(different)}"]
        text_lines += [f"  {row.card.id}: {', '.join(f'{name} {value}' for name, value in row.answers.items())}" for row in different]
    return "\n".join(text_lines)
