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
from isovist.evaluation.run.variants import STANDARD, VariantSettings
from isovist.reporting.analysis.item_table import ItemTable
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.scored_item import ScoredItem, scored_items
from isovist.reporting.analysis.trial_table import trial_table

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
    return {task: scored_items(results(task_rows, reply)) for task, task_rows in pool.items()}


def results(rows: Sequence[ItemRow], reply: Callable[[ItemRow, Answer], ModelResponse]) -> Rows:
    """The results table of replies to items in the standard condition."""
    table = ItemTable()
    for row in rows:
        table.add(row)
    verdicts = {(row.id, STANDARD): TrialResult(*outcome_of(reply(row, row.key), row.key), attempt=1, place=0) for row in rows}
    return Rows(trial_table(table.table(), VariantSettings(), "final-line", verdicts), table.table())
