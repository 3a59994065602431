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
    chosen = {task: [it for it in evidence if it.chosen is not None] for task, evidence in tasks.items()}
    shuffled = {task: items for task, items in chosen.items() if items and _of_places(items)}
    items = [it for own in shuffled.values() for it in own]
    if len(items) < _FEWEST:
        return
    said = Counter(str(it.parsed) for it in items)
    due, p = _against_due(shuffled)
    top = max(due, key=lambda letter: said[letter] - due[letter])
    share, expected, cost = said[top] / len(items), due[top] / len(items), max(0.0, said[top] - due[top])
    if share >= ALWAYS:
        words = f"It answers {top} whatever is asked: {said[top]} of {len(items)} choices, where {percent(expected)} would be due, {in_tasks(tuple(shuffled))}."
        yield Finding("constant-answer", tuple(shuffled), words, len(items), share, expected, p, cost)
    else:
        strength = sqrt(sum((said[letter] - count) ** 2 / count for letter, count in due.items() if count) / len(items) / (len(due) - 1))
        words = (
            f"It prefers option {top} for where it stands: {percent(share)} of its {len(items)} choices, where {percent(expected)} would be "
            f"due (Cramer's V {strength:.2f}), {in_tasks(tuple(shuffled))}."
        )
        yield Finding("position-preference", tuple(shuffled), words, len(items), share, expected, p if strength >= LEAST else 1.0, cost)


def detect_constant_answers(tasks: Tasks) -> Iterator[Finding]:
    """For each task whose answers are no letters that change places: one answer to (nearly) everything, or to that of each level."""
    for task, evidence in tasks.items():
        items = [it for it in evidence if it.parsed is not None]
        drawn = any(isinstance(it.key, ImageOptionChoice) for it in items)
        if len(items) < _FEWEST or drawn or (any(isinstance(it.key, Choice) for it in items) and _of_places(items)):
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
    said = Counter(it.parsed for it in items)
    return bool(said) and max(said.values()) >= ALWAYS * len(items)


def without_constant_tasks(tasks: Tasks) -> dict[str, Sequence[ScoredItem]]:
    """Without the tasks in which one letter is always chosen: which error it comes to hangs on the keys alone."""
    read = {task: [it for it in evidence if it.chosen is not None] for task, evidence in tasks.items()}
    return {task: tasks[task] for task, items in read.items() if len(items) < _FEW or not always_the_same(items)}


def _said(it: ScoredItem) -> str:
    if isinstance(it.key, Choice):
        return dict(zip(LETTERS, it.key.options, strict=False)).get(str(it.parsed), str(it.parsed))
    return str(it.parsed)


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
    if any(isinstance(it.key, ImageOptionChoice) for it in items):
        return False
    orders: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    choices = [it.key.options for it in items if isinstance(it.key, Choice)]
    for options in choices:
        orders.setdefault(tuple(sorted(options)), []).append(options)
    again = [own for own in orders.values() if len(own) > 1]
    return 2 * sum(map(len, again)) > len(choices) and all(len(set(own)) == 1 for own in again)


def _against_due(tasks: Mapping[str, Sequence[ScoredItem]]) -> tuple[dict[str, float], float]:
    """How often each letter is due, and the p-value of the counts; each task and number of options has its own share of right choices."""
    most = max(_number(it) for items in tasks.values() for it in items)
    due, off, spread = np.zeros(most), np.zeros(most), np.zeros((most, most))
    for items in tasks.values():
        for number in sorted({_number(it) for it in items}):
            own = [it for it in items if _number(it) == number]
            right = sum(it.parsed == it.key.canonical() for it in own) / len(own)
            for it in own:
                shares = np.zeros(most)
                shares[:number] = (1 - right) / (number - 1)
                shares[LETTERS.index(it.key.canonical())] = right
                due += shares
                off -= shares
                off[LETTERS.index(str(it.parsed))] += 1
                spread += np.diag(shares) - np.outer(shares, shares)
    from scipy.stats import chi2

    rank = int(np.linalg.matrix_rank(spread, hermitian=True))
    inverse = np.linalg.pinv(spread, rcond=1e-9, hermitian=True)
    p = float(chi2.sf(float(off @ inverse @ off), rank)) if rank else 1.0
    return dict(zip(LETTERS, due.tolist(), strict=False)), p


def _number(it: ScoredItem) -> int:
    """Of its options."""
    return len(it.key.options) if isinstance(it.key, Choice) else 0
