"""Runs of simulated models without pictures: items are made, answered and scored, and come out as the evidence of a diagnosis."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from isovist import generate
from isovist.core.answers import Answer, Choice, to_json
from isovist.data.dataset.rows import ItemRow, row_metadata
from isovist.data.item import Item
from isovist.evaluation.models.base import ModelRequest, ModelResponse
from isovist.evaluation.models.baselines.simulated_models import simulated_model
from isovist.evaluation.run.records import Name, TrialResult, outcome_of
from isovist.evaluation.run.variants import STANDARD, Trial, VariantSettings
from isovist.reporting.analysis.item_table import ItemTable
from isovist.reporting.analysis.rows import Rows
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
    task, answer = item.task, item.answer
    return ItemRow(
        id=item.id, suite=task.suite, task=task.id, version=task.version, split=item.split, seed=item.seed, index=item.index,
        level=item.level, group=item.group, images=(), prompt=item.question.text_with_options,
        choices=answer.options if isinstance(answer, Choice) else (), answer=answer.canonical(), answer_type=answer.kind,
        chance=item.chance, skills=task.skills, metadata_json=json.dumps(row_metadata(item)),
    )  # fmt: skip


def asked(pool: Pool, model: str) -> dict[str, Rows]:
    """What a simulated model makes of the items."""
    simulated = simulated_model(model)

    def reply(row: ItemRow, key: Answer) -> ModelResponse:
        types = Trial(row, STANDARD, row.prompt, (), key).distractor_types
        return simulated.reply(ModelRequest(row.id, row.prompt, (), distractor_types=types), key)

    return answered(pool, reply)


def answered(pool: Pool, reply: Callable[[ItemRow, Answer], ModelResponse]) -> dict[str, Rows]:
    """What comes of replies."""
    return results([row for task_rows in pool.values() for row in task_rows], reply).by("task")


def results(rows: Sequence[ItemRow], reply: Callable[[ItemRow, Answer], ModelResponse]) -> Rows:
    """The results table of replies to items in the standard condition."""
    return _table((row, TrialResult(*outcome_of(reply(row, row.key), row.key), attempt=1, place=0)) for row in rows)


def _table(trials: Iterable[tuple[ItemRow, TrialResult]]) -> Rows:
    table, verdicts = ItemTable(), dict[Name, TrialResult]()
    for row, result in trials:
        table.add(row)
        verdicts[row.id, STANDARD] = result
    return Rows(trial_table(table.table, VariantSettings(), "final-line", verdicts), table.table)


@dataclass(frozen=True)
class Answered:
    """An item without text, with the answer to it and its credit."""

    key: Answer
    parsed_answer: str
    credit: float
    chance: float
    task: str = "cdr/some"
    level: str = "1"
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    index: int = 0


def table_of(items: Sequence[Answered]) -> Rows:
    """The results table of some items, each with a picture of its own."""

    def trial(place: int, item: Answered) -> tuple[ItemRow, TrialResult]:
        metadata = {"question": "", "answer": to_json(item.key), "style": "final-line", "attributes": dict(item.attributes)}
        id = f"{item.task}@{place}"
        row = ItemRow(
            id=id, suite="cdr", task=item.task, version=1, split="test", seed=0, index=item.index, level=item.level, group=id, images=(), prompt="",
            choices=(), answer=item.key.canonical(), answer_type=item.key.kind, chance=item.chance, skills=(), metadata_json=json.dumps(metadata),
        )  # fmt: skip
        return row, TrialResult("correct" if item.credit == 1 else "incorrect", item.credit, item.parsed_answer, attempt=1, place=0)

    return _table(trial(*each) for each in enumerate(items))
