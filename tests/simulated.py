"""Runs of fake models without pictures: items are made, answered and scored, and come out as the evidence of a diagnosis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isovist import generate, registry
from isovist.analysis.scored_item import Evidence, evidence
from isovist.core.answers import Answer, Choice
from isovist.dataset.rows import Row, about
from isovist.items import Item
from isovist.models.base import Reply, Request
from isovist.models.baselines.simulated_models import fake
from isovist.run.records import Verdict, judged

Pool = dict[str, list[Row]]
"""Rows without pictures by task."""


def rows(tasks: Sequence[str], n: int, seed: int = 0, level: str | None = None) -> Pool:
    """`n` items of each task."""
    found: Pool = {}
    for item in generate(tasks, n=n, seed=seed, level=level):
        found.setdefault(item.task, []).append(_row(item))
    return found


def _row(item: Item) -> Row:
    import json

    task, answer = registry.task(item.task), item.answer
    return Row(
        id=item.id, suite=task.suite, task=task.id, version=task.version, split=item.split, seed=item.seed, index=item.index,
        level=item.level, group=item.group, images=(), prompt=f"{item.question.text}\n{answer.listing()}",
        choices=answer.options if isinstance(answer, Choice) else (), answer=answer.canonical(), answer_type=answer.kind,
        chance=item.chance, skills=task.skills, metadata=json.dumps(about(item)),
    )  # fmt: skip


def asked(pool: Pool, model: str) -> dict[str, list[Evidence]]:
    """What a fake model makes of the items."""
    return answered(pool, lambda row, key: fake(model).reply(Request(row.id, row.prompt, ()), key))


def answered(pool: Pool, reply: Callable[[Row, Answer], Reply]) -> dict[str, list[Evidence]]:
    """What comes of replies."""
    return {task: [_evidence(row, reply(row, row.key)) for row in own] for task, own in pool.items()}


def _evidence(row: Row, reply: Reply) -> Evidence:
    outcome, value, parsed = judged(reply, row.key)
    return evidence(row, Verdict(outcome=outcome, value=value, parsed=parsed, attempt=1, place=0, published=None))
