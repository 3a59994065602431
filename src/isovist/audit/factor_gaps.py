"""Values of a factor that never occur with one of the answers, from a contingency table.

A look-up by a factor sees what is frequent. An answer that one rare value excludes hardly changes its accuracy, but this table shows it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from isovist.core.task import Task
from isovist.data.item import Item

EXPECTED = 10.0
"""Minimum expected number of items with a value and an answer. By chance such a pair does not occur in one of 20,000 cases."""


def gaps(task: Task[Any], items: Sequence[Item]) -> list[str]:
    """Return a line for each value of `checks.factors` and `checks.kind` and each answer that never occur together at a level.

    Only pairs of which at least `EXPECTED` are expected count; the more items, the more pairs.
    """
    factors = dict(task.checks.factors) | ({"kind": task.checks.kind} if task.checks.kind else {})
    lines: list[str] = []
    for name, of in factors.items():
        pairs = Counter((item.level, of(item.scene), item.answer.balance_bin()) for item in items)
        values, answers, totals = Counter[tuple[str, str]](), Counter[tuple[str, str]](), Counter[str]()
        for (level, value, answer), n in pairs.items():
            values[level, value] += n
            answers[level, answer] += n
            totals[level] += n
        lines += [
            f"{task.id}, {level}: the {name} {value!r} never occurs with the answer {answer!r} (expected in {expected:.0f} of {n} items)"
            for (level, value), n in values.items()
            for (of_level, answer), frequency in answers.items()
            if of_level == level and (expected := n * frequency / totals[level]) >= EXPECTED and not pairs[level, value, answer]
        ]
    return lines
