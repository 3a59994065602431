"""Audit of keys: every answer is rederived from the pictures and the text. Nothing is rendered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isovist.common.shards import Shard
from isovist.core.answers import Choice
from isovist.core.task import Task
from isovist.data.item import Item
from isovist.data.items import Items


def faults(task: Task[Any], n: int, seed: int = 0, shard: Shard | None = None) -> Iterator[str]:
    """Yield for each of `n` items, with alternating levels, the fault of its key; "" if there is none. With `shard`, only for its items."""
    items = Items(task, n, seed)
    return (_fault(task, items[place]) for place in (range(n) if shard is None else shard.of(range(n))))


def _fault(task: Task[Any], item: Item) -> str:
    answer = item.answer
    derived = task.rederive(item.pictures, item.question.text_with_options)
    if derived != answer.balance_bin():
        return f"{item.id}: the key is {answer.balance_bin()!r}, the re-derived answer is {derived!r}"
    if isinstance(answer, Choice) and len(set(answer.options)) < len(answer.options):
        return f"{item.id}: two options are equal"
    return "" if answer.score(answer.canonical()).credit == 1 else f"{item.id}: the key does not score full credit"
