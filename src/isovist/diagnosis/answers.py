"""Answers for their place or their words: a letter that is preferred, or one answer whatever is asked.

A model without a preference gives each option its due: the key as often as it is right, each other option alike. The differences of
the counts from these are tested together (chi-square with their exact covariance). A letter is tested where options change their
places from item to item; where they stand in one order, a letter is an answer, and only one that is (nearly) always given is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from isovist.core.answers import LETTERS, Choice, DrawnChoice
from isovist.diagnosis.evidence import Evidence
from isovist.diagnosis.findings import Finding, Tasks
from isovist.diagnosis.words import of, percent

ALWAYS = 0.9
"""From this share on, the same answer counts as always given."""
LEAST = 0.1
"""Cramer's V below which a preference is too small to be told."""
_FEWEST = 20  # answers of which the chi-square distribution holds well enough


def positions(tasks: Tasks) -> Iterator[Finding]:
    """One candidate for each number of options: a letter that is preferred, over all tasks that have so many."""
    by_number: dict[int, dict[str, list[Evidence]]] = {}
    for task, evidence in tasks.items():
        for it in evidence:
            if isinstance(it.key, Choice) and it.parsed is not None and it.parsed in LETTERS[: len(it.key.options)]:
                by_number.setdefault(len(it.key.options), {}).setdefault(task, []).append(it)
    for number, found in sorted(by_number.items()):
        letters = LETTERS[:number]
        shuffled = {task: items for task, items in found.items() if not _fixed(items)}
        items = [it for own in shuffled.values() for it in own]
        if len(items) < _FEWEST:
            continue
        said = Counter(str(it.parsed) for it in items)
        expected, p = _against_even(shuffled, letters)
        top = max(letters, key=lambda letter: said[letter] - expected[letter])
        share, due = said[top] / len(items), expected[top] / len(items)
        strength = _cramer([said[letter] for letter in letters])
        where = tuple(shuffled)
        cost = max(0.0, said[top] - expected[top])
        if share >= ALWAYS:
            words = (
                f"It answers {top} whatever is asked {of(where)}: {said[top]} of {len(items)} answers, where {percent(due)} would be due."
            )
            yield Finding("constant-answer", where, words, len(items), share, due, p, cost)
        else:
            words = (
                f"It prefers option {top} for where it stands: {percent(share)} of its {len(items)} choices among {number} options, "
                f"where {percent(due)} would be due (Cramer's V {strength:.2f}), {of(where)}."
            )
            yield Finding("position-preference", where, words, len(items), share, due, p if strength >= LEAST else 1.0, cost)


def constants(tasks: Tasks) -> Iterator[Finding]:
    """For each task whose answers are no letters that change places: one answer that is given to (nearly) everything."""
    for task, evidence in tasks.items():
        items = [it for it in evidence if it.parsed is not None]
        drawn = any(isinstance(it.key, DrawnChoice) for it in items)
        if len(items) < _FEWEST or drawn or (any(isinstance(it.key, Choice) for it in items) and not _fixed(items)):
            continue
        said = Counter(_said(it) for it in items)
        keys = Counter(it.key.bin() if isinstance(it.key, Choice) else it.key.canonical() for it in items)
        top, count = max(said.items(), key=lambda it: (it[1], it[0]))
        share, due = count / len(items), keys[top] / len(items)
        if share < ALWAYS:
            continue
        from scipy.stats import binomtest

        p = float(binomtest(count, len(items), max(due, 0.5), alternative="greater").pvalue)
        words = f'It answers "{top}" whatever is asked in {task.partition("/")[2]}: {count} of {len(items)} answers, where that is right for {percent(due)}.'
        yield Finding("constant-answer", (task,), words, len(items), share, due, p, count - keys[top])


def _said(it: Evidence) -> str:
    if isinstance(it.key, Choice):
        return dict(zip(LETTERS, it.key.options, strict=False)).get(str(it.parsed), str(it.parsed))
    return str(it.parsed)


def _fixed(items: Sequence[Evidence]) -> bool:
    """Whether a letter means the same in all items, so that it is an answer and no place."""
    options = {it.key.options for it in items if isinstance(it.key, Choice)}
    return len(options) == 1 and not any(isinstance(it.key, DrawnChoice) for it in items)


def _against_even(tasks: Mapping[str, Sequence[Evidence]], letters: str) -> tuple[dict[str, float], float]:
    """How often each letter is due, and the p-value of the counts, over tasks each with its own share of right choices."""
    k = len(letters)
    due, off, spread = np.zeros(k), np.zeros(k), np.zeros((k, k))
    for items in tasks.values():
        right = sum(it.parsed == it.key.canonical() for it in items) / len(items)
        for it in items:
            shares = np.full(k, (1 - right) / (k - 1))
            shares[letters.index(it.key.canonical())] = right
            due += shares
            off -= shares
            off[letters.index(str(it.parsed))] += 1
            spread += np.diag(shares) - np.outer(shares, shares)
    from scipy.stats import chi2

    rank = int(np.linalg.matrix_rank(spread, hermitian=True))
    inverse = np.linalg.pinv(spread, rcond=1e-9, hermitian=True)
    p = float(chi2.sf(float(off @ inverse @ off), rank)) if rank else 1.0
    return dict(zip(letters, due.tolist(), strict=True)), p


def _cramer(counts: Sequence[int]) -> float:
    """Cramer's V of counts against equal shares: 0 is even, 1 always the same."""
    even = sum(counts) / len(counts)
    return (sum((count - even) ** 2 for count in counts) / even / (sum(counts) * (len(counts) - 1))) ** 0.5
