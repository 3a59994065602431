"""Runs of simulated models without pictures: items are made, answered and scored, and come out as the evidence of a diagnosis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isovist import generate
from isovist.core.answers import Answer, Choice
from isovist.data.dataset.rows import ItemRow, row_metadata
from isovist.data.item import Item
from isovist.evaluation.models.base import ModelRequest, ModelResponse
from isovist.evaluation.models.baselines.simulated_models import simulated_model
from isovist.evaluation.run.records import TrialResult, outcome_of
from isovist.reporting.analysis.scored_item import ScoredItem, presented_item, scored_item

Pool = dict[str, list[ItemRow]]
"""Rows without pictures by task."""


def rows(tasks: Sequence[str], n: int, seed: int = 0, level: str | None = None) -> Pool:
    """`n` items of each task."""
    pool: Pool = {}
    for item in generate(tasks, n=n, seed=seed, level=level):
        pool.setdefault(item.task.id, []).append(_row(item))
    return pool


def _row(item: Item) -> ItemRow:
    import json

    task, answer = item.task, item.answer
    return ItemRow(
        id=item.id, suite=task.suite, task=task.id, version=task.version, split=item.split, seed=item.seed, index=item.index,
        level=item.level, group=item.group, images=(), prompt=item.question.text_with_options,
        choices=answer.options if isinstance(answer, Choice) else (), answer=answer.canonical(), answer_type=answer.kind,
        chance=item.chance, skills=task.skills, metadata_json=json.dumps(row_metadata(item)),
    )  # fmt: skip


def asked(pool: Pool, model: str) -> dict[str, list[ScoredItem]]:
    """What a simulated model makes of the items."""
    return answered(pool, lambda row, key: simulated_model(model).reply(ModelRequest(row.id, row.prompt, ()), key))


def answered(pool: Pool, reply: Callable[[ItemRow, Answer], ModelResponse]) -> dict[str, list[ScoredItem]]:
    """What comes of replies."""
    return {task: [_evidence(row, reply(row, row.key)) for row in task_rows] for task, task_rows in pool.items()}


def _evidence(row: ItemRow, reply: ModelResponse) -> ScoredItem:
    outcome, value, parsed = outcome_of(reply, row.key)
    return scored_item(
        presented_item(row), TrialResult(outcome=outcome, credit=value, parsed_answer=parsed, attempt=1, place=0, published_credit=None)
    )
