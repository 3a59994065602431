"""Answers for their place or their words: a letter that is preferred, or one answer whatever is asked.

A model without a preference gives each option its due: the key as often as it is right, each other option alike. The differences of
the counts from these are tested together (chi-square with their exact covariance). A letter is tested where options change their
places from item to item; where they stand in one order, a letter is an answer, and only one that is (nearly) always given is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt

import numpy as np

from isovist.analysis.constant_responses import ALWAYS, constant
from isovist.analysis.findings import Finding, Tasks
from isovist.analysis.scored_item import ScoredItem
from isovist.analysis.text_format import in_tasks, percent
from isovist.core.answers import LETTERS, Choice, ImageOptionChoice

LEAST = 0.1
"""Cramer's V below which a preference is too small to be told."""
_FEWEST = 20  # answers of which the chi-square distribution holds well enough
_FEW = 6  # answers that may be alike by chance


def detect_position_bias(tasks: Tasks) -> Iterator[Finding]:
    """One candidate: a letter that is preferred, over all tasks whose options change their places."""
    chosen = {task: [item for item in evidence if item.chosen is not None] for task, evidence in tasks.items()}
    shuffled = {task: items for task, items in chosen.items() if items and _of_places(items)}
    items = [item for task_items in shuffled.values() for item in task_items]
    if len(items) < _FEWEST:
        return
    counts = Counter(str(item.parsed) for item in items)
    due, p = _against_due(shuffled)
    top = max(due, key=lambda letter: counts[letter] - due[letter])
    share, expected, cost = counts[top] / len(items), due[top] / len(items), max(0.0, counts[top] - due[top])
    if share >= ALWAYS:
        words = f"It answers {top} whatever is asked: {counts[top]} of {len(items)} choices, where {percent(expected)} would be due, {in_tasks(tuple(shuffled))}."
        yield Finding("constant-answer", tuple(shuffled), words, len(items), share, expected, p, cost)
    else:
        strength = sqrt(sum((counts[letter] - count) ** 2 / count for letter, count in due.items() if count) / len(items) / (len(due) - 1))
        words = (
            f"It prefers option {top} for where it stands: {percent(share)} of its {len(items)} choices, where {percent(expected)} would be "
            f"due (Cramer's V {strength:.2f}), {in_tasks(tuple(shuffled))}."
        )
        yield Finding("position-preference", tuple(shuffled), words, len(items), share, expected, p if strength >= LEAST else 1.0, cost)


def detect_constant_answers(tasks: Tasks) -> Iterator[Finding]:
    """For each task whose answers are no letters that change places: one answer to (nearly) everything, or to that of each level."""
    for task, evidence in tasks.items():
        items = [item for item in evidence if item.parsed is not None]
        drawn = any(isinstance(item.key, ImageOptionChoice) for item in items)
        if len(items) < _FEWEST or drawn or (any(isinstance(item.key, Choice) for item in items) and _of_places(items)):
            continue
        one = constant(items)
        if one is None:
            continue
        of_it = sum(len(part.places) for part in one.parts)
        count = sum(part.n for part in one.parts)
        right = sum(part.answer.credit(items[place].key) for part in one.parts for place in part.places)
        due = right / of_it
        from scipy.stats import binomtest

        p = float(binomtest(count, of_it, max(due, 0.5), alternative="greater").pvalue)
        where = task.partition("/")[2]
        if one.by == "all":
            words = f'It answers "{one.parts[0].answer.text}" whatever is asked in {where}: {count} of {of_it} answers, where that is right for {percent(due)}.'
        else:
            words = f"It gives one answer to each level whatever is asked in {where}: {count} of {of_it} answers, where these are right for {percent(due)}."
        yield Finding("constant-answer", (task,), words, of_it, count / of_it, due, p, count - right)


def always_the_same(items: Sequence[ScoredItem]) -> bool:
    """Whether one reply makes up (nearly) all: what is right then tells of the keys, not of the model, and so does how it is wrong."""
    counts = Counter(item.parsed for item in items)
    return bool(counts) and max(counts.values()) >= ALWAYS * len(items)


def without_constant_tasks(tasks: Tasks) -> dict[str, Sequence[ScoredItem]]:
    """Without the tasks in which one letter is always chosen: which error it comes to hangs on the keys alone."""
    read = {task: [item for item in evidence if item.chosen is not None] for task, evidence in tasks.items()}
    return {task: tasks[task] for task, items in read.items() if len(items) < _FEW or not always_the_same(items)}


def _said(item: ScoredItem) -> str:
    if isinstance(item.key, Choice):
        return dict(zip(LETTERS, item.key.options, strict=False)).get(str(item.parsed), str(item.parsed))
    return str(item.parsed)


def _of_places(items: Sequence[ScoredItem]) -> bool:
    """Whether a letter is a place in these choices: where options change their places, and where it is always one letter although it says
    something else in every set of options.
    """
    return not in_one_order(items) or (always_the_same(items) and max(Counter(map(_said, items)).values()) < ALWAYS * len(items))


def in_one_order(items: Sequence[ScoredItem]) -> bool:
    """Whether a letter means the same wherever the same options are offered, so that it is an answer and no place.

    A task may offer several sets of options (DORI has coarse and granular questions), each in an order of its own. Sets that are offered once
    tell nothing; where they are most, as of letters drawn at random, options are taken to change their places.
    """
    if any(isinstance(item.key, ImageOptionChoice) for item in items):
        return False
    orders: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    choices = [item.key.options for item in items if isinstance(item.key, Choice)]
    for options in choices:
        orders.setdefault(tuple(sorted(options)), []).append(options)
    repeated = [offered for offered in orders.values() if len(offered) > 1]
    return 2 * sum(map(len, repeated)) > len(choices) and all(len(set(offered)) == 1 for offered in repeated)


def _against_due(tasks: Mapping[str, Sequence[ScoredItem]]) -> tuple[dict[str, float], float]:
    """How often each letter is due, and the p-value of the counts; each task and number of options has its own share of right choices."""
    most = max(_number(item) for items in tasks.values() for item in items)
    due, off, spread = np.zeros(most), np.zeros(most), np.zeros((most, most))
    for items in tasks.values():
        for number in sorted({_number(item) for item in items}):
            subset = [item for item in items if _number(item) == number]
            right = sum(item.parsed == item.key.canonical() for item in subset) / len(subset)
            for item in subset:
                shares = np.zeros(most)
                shares[:number] = (1 - right) / (number - 1)
                shares[LETTERS.index(item.key.canonical())] = right
                due += shares
                off -= shares
                off[LETTERS.index(str(item.parsed))] += 1
                spread += np.diag(shares) - np.outer(shares, shares)
    from scipy.stats import chi2

    rank = int(np.linalg.matrix_rank(spread, hermitian=True))
    inverse = np.linalg.pinv(spread, rcond=1e-9, hermitian=True)
    p = float(chi2.sf(float(off @ inverse @ off), rank)) if rank else 1.0
    return dict(zip(LETTERS, due.tolist(), strict=False)), p


def _number(item: ScoredItem) -> int:
    """Of its options."""
    return len(item.key.options) if isinstance(item.key, Choice) else 0
