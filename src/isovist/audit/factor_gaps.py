"""Values of a factor that never occur with one of the answers, from a contingency table.

A look-up by a factor sees what is frequent. An answer that one rare value excludes hardly changes its accuracy, but this table shows it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from isovist.core.answers import Choice
from isovist.core.task import Task
from isovist.data.item import Item

EXPECTED = 10.0
"""Minimum expected number of items with a value and an answer. By chance such a pair does not occur in one of 20,000 cases."""


def gaps(task: Task[Any], items: Sequence[Item]) -> list[str]:
    """Return a line for each value of `checks.factors` and `checks.kind` and each answer that never occur together at a level.

    Only pairs of which at least `EXPECTED` are expected count; the more items, the more pairs. A choice has the answers of its options.
    """
    factors = dict(task.checks.factors) | ({"kind": task.checks.kind} if task.checks.kind else {})
    keys, offered = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for item in items:
        keys[item.level, item.answer.balance_bin()] += 1
    answers_of: dict[str, list[str]] = {level: [answer for of_level, answer in keys if of_level == level] for level, _ in keys}
    possible = [item.answer.options if isinstance(item.answer, Choice) else answers_of[item.level] for item in items]
    offered.update((item.level, answer) for item, answers in zip(items, possible, strict=True) for answer in answers)
    lines: list[str] = []
    for name, of in factors.items():
        values = [of(item.scene) for item in items]
        pairs = Counter((item.level, value, item.answer.balance_bin()) for item, value in zip(items, values, strict=True))
        chances = Counter(
            (item.level, value, answer) for item, value, answers in zip(items, values, possible, strict=True) for answer in answers
        )
        lines += [
            f"{task.id}, {level}: the {name} {value!r} never occurs with the answer {answer!r} (expected in {expected:.0f} of {n} items)"
            for (level, value, answer), n in chances.items()
            if (expected := n * keys[level, answer] / offered[level, answer]) >= EXPECTED and not pairs[level, value, answer]
        ]
    return lines
