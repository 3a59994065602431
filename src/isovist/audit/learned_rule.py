"""Rules that are fitted to items of the split `train` and tested on items of `test`.

`by_item` predicts the answer from features of an item: its text, or coarse features of its images. `by_reply` combines this with the
responses of other rules: each possible response is a row, and the rule gives the response of the most probable row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isovist.common.errors import MissingDependencyError
from isovist.core.answers import LETTERS, Choice
from isovist.data.item import Item

Guess = frozenset[str]
Matrix = NDArray[np.float32]
Likely = list[dict[str, float]]
"""For each item the probability of each response."""
_MOST_LABELS = 60  # with more distinct answers nothing is fitted
_EACH = 4  # minimum mean number of items per answer
_TOKENS = 200  # words and pairs of words as features of the text
_COMMON = 5  # minimum number of items with a token
_TREES = 60
_NONE = -1.0  # value of a missing feature
_TOKEN = re.compile(r"[^\s.,:;?!()]+")


def words(train: Sequence[Item], test: Sequence[Item]) -> tuple[Matrix, Matrix]:
    """Return features of the text: whether the frequent words and word pairs of `train` occur in question and options, and the level."""
    train_tokens = [_tokens(item) for item in train]
    counts = Counter(token for item_tokens in train_tokens for token in item_tokens)
    common = sorted((-n, token) for token, n in counts.items() if _COMMON <= n < len(train))[:_TOKENS]
    levels = sorted({item.level for item in train})

    def rows(items: Sequence[Item], tokens: Iterable[set[str]]) -> Matrix:
        pairs = zip(items, tokens, strict=True)
        return np.array(
            [[*(item.level == level for level in levels), *(token in item_tokens for _, token in common)] for item, item_tokens in pairs],
            np.float32,
        )

    return rows(train, train_tokens), rows(test, [_tokens(item) for item in test])


def matrices(train: Sequence[Sequence[float]], test: Sequence[Sequence[float]]) -> tuple[Matrix, Matrix]:
    """Return features of items as rows of one width; levels may have different numbers of images."""
    width = max(map(len, (*train, *test)))
    known, unseen = (np.array([[*row, *[_NONE] * (width - len(row))] for row in rows], np.float32) for rows in (train, test))
    return known, unseen


def by_item(train: Sequence[Item], features: Matrix, test: Sequence[Item], unseen: Matrix) -> tuple[Likely, Likely]:
    """Return response probabilities for the items of `train` (fitted to the other half of them) and of `test`.

    Empty if there are too many distinct answers to fit. Raises MissingDependencyError.
    """
    labels = [item.answer.balance_bin() for item in train]
    if not 1 < len(set(labels)) <= min(_MOST_LABELS, len(train) // _EACH):
        return [{} for _ in train], [{} for _ in test]
    even, odd = slice(None, None, 2), slice(1, None, 2)
    likely: Likely = [{} for _ in train]
    likely[odd] = _probabilities(_fitted(features[even], labels[even]), features[odd], train[odd])
    likely[even] = _probabilities(_fitted(features[odd], labels[odd]), features[even], train[even])
    return likely, _probabilities(_fitted(features, labels), unseen, test)


def by_reply(
    train: Sequence[Item], votes: Sequence[Mapping[str, Guess]], learned: Sequence[Likely],
    test: Sequence[Item], unseen: Sequence[Mapping[str, Guess]], predicted: Sequence[Likely],
) -> list[Guess]:  # fmt: skip
    """Return the most probable responses from the responses of other rules and the `learned` probabilities.

    Raises MissingDependencyError.
    """
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from threadpoolctl import threadpool_limits
    except ImportError:
        raise MissingDependencyError("an audit", "audit") from None
    replies = {item.level: sorted({other.answer.canonical() for other in train if other.level == item.level}) for item in train}
    rules = sorted({name for guesses in votes for name in guesses})

    def rows(item: Item, guesses: Mapping[str, Guess], likely: Sequence[Mapping[str, float]]) -> list[list[float]]:
        possible = _replies(item, replies)
        columns = [[_vote(guesses.get(name, frozenset()), reply) for reply in possible] for name in rules]
        for each in likely:
            p = [each.get(reply, 0.0) for reply in possible]
            columns += [p, [value - max(p) for value in p]]
        return [[float(place), *row] for place, row in enumerate(zip(*columns, strict=True))]

    if len(max(replies.values(), key=len)) > _MOST_LABELS or not (rules or any(any(probabilities) for probabilities in learned)):
        return [frozenset()] * len(test)
    known = [
        row for item, guesses, likely in zip(train, votes, zip(*learned, strict=True), strict=True) for row in rows(item, guesses, likely)
    ]
    keys = [_is_key(item, reply) for item in train for reply in _replies(item, replies)]
    if len(set(keys)) < 2:
        return [frozenset()] * len(test)
    model: Any = HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=12, min_samples_leaf=12, random_state=0)
    asked = [rows(item, guesses, likely) for item, guesses, likely in zip(test, unseen, zip(*predicted, strict=True), strict=True)]
    with threadpool_limits(1):  # waiting threads cost more time than they save
        model.fit(np.array(known, np.float32), keys)
        likely = iter(map(float, model.predict_proba(np.array([row for block in asked for row in block], np.float32))[:, 1]))
    return [likeliest({reply: next(likely) for reply in _replies(item, replies)}) for item in test]


def likeliest(probabilities: Mapping[str, float]) -> Guess:
    """Return the most probable responses; none if all are equally probable."""
    most = max(probabilities.values(), default=0.0)
    best = frozenset(reply for reply, p in probabilities.items() if p == most)
    return best if len(best) < len(probabilities) else frozenset()


def _fitted(features: Matrix, labels: Sequence[str]) -> Any:
    try:
        from sklearn.ensemble import ExtraTreesClassifier
    except ImportError:
        raise MissingDependencyError("an audit", "audit") from None
    share: Any = 0.3
    model: Any = ExtraTreesClassifier(_TREES, min_samples_leaf=3, max_features=share, random_state=0)
    return model.fit(features, labels)


def _probabilities(model: Any, features: Matrix, items: Sequence[Item]) -> Likely:
    """Return the response probabilities; for a choice those of its own options, by label."""
    probabilities: Likely = []
    for item, p in zip(items, model.predict_proba(features), strict=True):
        likely = dict(zip(map(str, model.classes_), map(float, p), strict=True))
        if isinstance(item.answer, Choice):
            likely = {letter: likely.get(option, 0.0) for letter, option in zip(LETTERS, item.answer.options, strict=False)}
        probabilities.append(likely)
    return probabilities


def _replies(item: Item, of_level: Mapping[str, Sequence[str]]) -> Sequence[str]:
    return LETTERS[: len(item.answer.options)] if isinstance(item.answer, Choice) else of_level.get(item.level, [])


def _is_key(item: Item, reply: str) -> bool:
    return reply == item.answer.canonical() or (not isinstance(item.answer, Choice) and item.answer.score(reply).credit == 1)


def _tokens(item: Item) -> set[str]:
    tokens = _TOKEN.findall(item.question.text.lower())
    options = item.answer.options if isinstance(item.answer, Choice) else ()
    listed = (f"{letter}={option}" for letter, option in zip(LETTERS, options, strict=False))
    return {*tokens, *(f"{a} {b}" for a, b in pairwise(tokens)), *listed, *options}


def _vote(guess: Guess, reply: str) -> float:
    return (reply in guess) / len(guess) if guess else _NONE
