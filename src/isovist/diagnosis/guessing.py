"""No better than a guesser, where answers can be read: a claim that needs enough items, since few items hide any skill.

It is not told because nothing was found, but because more than a small part of the way from chance to perfect can be ruled out. It has
no cost of its own, and so is told last: what explains the guessing, if anything does, says more.
"""

from __future__ import annotations

from collections.abc import Iterator

from isovist.diagnosis.exact import at_least, one_a_group
from isovist.diagnosis.findings import Finding, Tasks
from isovist.diagnosis.words import of, percent

RULED_OUT = 0.15
"""Of the way from chance to perfect."""


def guessing(tasks: Tasks) -> Iterator[Finding]:
    """One candidate for the tasks, taken together, in each of which it does no better than that."""
    dull: dict[str, tuple[float, int, int, float]] = {}
    for task, evidence in tasks.items():
        items = one_a_group(it for it in evidence if it.parsed is not None)
        skilled = [it.chance + RULED_OUT * (1 - it.chance) for it in items]
        right = sum(it.value == 1 for it in items)
        if len(items) < 20 or any(it.chance >= 1 for it in items):
            continue
        # as few right answers as these, from a model that is so much better than a guesser
        p = at_least(len(items) - right, [1 - it for it in skilled])
        dull[task] = (p, right, len(items), sum(it.chance for it in items))
    family = len(dull)
    where = tuple(task for task, (p, *_) in dull.items() if p * family < 0.05)  # Bonferroni over the tasks
    if not where:
        return
    right, n = sum(dull[task][1] for task in where), sum(dull[task][2] for task in where)
    chance = sum(dull[task][3] for task in where) / n
    words = (
        f"It scores no better than a guesser {of(where)}: {percent(right / n)} right, where a guesser has {percent(chance)}, "
        f"of {n} items; {percent(RULED_OUT)} of the way from there to perfect is ruled out{' in each' if len(where) > 1 else ''}."
    )
    yield Finding("guessing", where, words, n, right / n, chance, max(dull[task][0] for task in where))
