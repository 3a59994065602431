"""Answer-leakage audit: a random forest on the text alone, or on low-level image features alone, must not exceed chance level."""

from __future__ import annotations

import warnings
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isovist.audit.features import pixels, words
from isovist.audit.item_cache import ItemCache
from isovist.common.errors import MissingDependencyError
from isovist.core.answers import Answer, Choice
from isovist.core.answers.best_constant import Way, best_constant, held_out_constants
from isovist.core.task import Task
from isovist.data.items import Items

ITEMS = 320
TREES = 80
_SIGMAS = 3.0
_MORE = 4  # factor of items of the second round


@dataclass(frozen=True, slots=True)
class AuditResult:
    """The result of a forest on one kind of features. `baseline`: the accuracy of the best constant answer, of all items or of each level,
    or of random guessing; `limit`: three standard errors above it; `reason`: why the task is exempt, if it is, and `bound`, up to what.
    """

    task: str
    features: str
    target: str
    n: int
    accuracy: float
    baseline: float
    limit: float
    reason: str = ""
    bound: float = 0.0

    @property
    def leaks(self) -> bool:
        return self.accuracy > self.limit

    @property
    def passed(self) -> bool:
        return self.accuracy <= max(self.limit, _limit(self.bound, self.n))


def audit(task: Task[Any], n: int = ITEMS, seed: int = 0, once: ItemCache | None = None, trees: int = TREES) -> list[AuditResult]:
    """Test a task for answer leakage: text and image features, against the answer and the label of the key.

    With hundreds of tests some exceed three standard errors by chance. A test that fails is repeated with four times as many other items,
    and the second result counts. `once`: cached items that replace those of the seed; `trees`: number of trees in the first round.
    Raises MissingDependencyError if scikit-learn is not installed.
    """
    findings = _audit(task, n, seed, trees, once)
    suspect = {(finding.features, finding.target) for finding in findings if not finding.passed}
    rechecked = (
        {(finding.features, finding.target): finding for finding in _audit(task, _MORE * n, seed + 1, TREES, only=suspect)}
        if suspect
        else {}
    )
    return [rechecked.get((finding.features, finding.target), finding) for finding in findings]


def _audit(
    task: Task[Any], n: int, seed: int, trees: int, once: ItemCache | None = None, only: Container[tuple[str, str]] | None = None
) -> list[AuditResult]:
    """Return the results of one round; `only`: the features and targets to test."""
    items = once.around(n) if once else list(Items(task, n, seed))
    seen = [once.look(item).features if once else pixels(item) for item in items]
    most = max(map(len, seen))  # levels may have different numbers of images
    padded = [[*features, *[0.0] * (most - len(features))] for features in seen]
    features = {"words": _bags([words(item) for item in items]), "pixels": np.array(padded)}
    targets = {"answer": [item.answer.balance_bin() for item in items], "letter": [item.answer.canonical() for item in items]}
    keys = [item.answer for item in items]
    chance, levels = sum(item.chance for item in items) / n, [item.level for item in items]
    ways: dict[str, tuple[Way, ...]] = {"answer": ("option", "written"), "letter": ("letter", "written")}
    floors = {
        target: max(chance, best_constant(keys, target_ways).accuracy, sum(held_out_constants(levels, keys, target_ways)) / n)
        for target, target_ways in ways.items()
    }
    if targets["answer"] == targets["letter"]:
        del targets["letter"]
    return [
        _finding(task, name, target, matrix, labels, keys, floors[target], trees)
        for name, matrix in features.items()
        for target, labels in targets.items()
        if len(set(labels)) > 1 and (only is None or (name, target) in only)
    ]


def _bags(texts: list[str]) -> Any:
    try:
        from sklearn.feature_extraction.text import CountVectorizer
    except ImportError:
        raise MissingDependencyError("an audit", "audit") from None
    bags: Any = CountVectorizer(
        token_pattern=r"\S+",  # noqa: S106 - not a password
        ngram_range=(1, 2),
        min_df=3,
        binary=True,
        dtype=np.float32,  # pyright: ignore[reportArgumentType] - incomplete stub
    )
    return bags.fit_transform(texts).toarray()  # a forest takes twice as long on sparse features


def _finding(
    task: Task[Any], name: str, target: str, matrix: Any, labels: list[str], keys: Sequence[Answer], floor: float, trees: int
) -> AuditResult:
    predicted = _cross_validated(matrix, labels, trees)
    n = len(labels)
    accuracy = sum(_credit(*triple) for triple in zip(predicted, labels, keys, strict=True)) / n
    excuse = task.checks.exemptions.get(name)
    reason, bound = (excuse.reason, excuse.at("")) if excuse else ("", 0.0)
    return AuditResult(task.id, name, target, n, accuracy, floor, _limit(floor, n), reason, bound)


def _limit(expected: float, n: int) -> float:
    return expected + _SIGMAS * (expected * (1 - expected) / n) ** 0.5


def _credit(guess: str, label: str, key: Answer) -> float:
    """Return the credit of a label. For a choice it must be the label or option of the key; else the answer scores it."""
    return float(guess == label) if isinstance(key, Choice) or guess == label else key.score(guess).credit


def _cross_validated(matrix: Any, labels: list[str], trees: int) -> list[str]:
    """Return the out-of-sample majority vote of a forest for each item.

    The items are split into halves `trees` times; of each two trees one is fitted to the first half and votes on the second, the other
    vice versa. Every item gets as many votes as from a forest with this number of trees in 4-fold cross-validation, from trees with as
    many distinct items as a bootstrap sample of three folds. This needs half as many trees, each with fewer rows.
    """
    from sklearn.tree import DecisionTreeClassifier

    features = np.ascontiguousarray(matrix, np.float32)
    names, truth = np.unique(labels, return_inverse=True)
    votes = np.zeros((len(labels), len(names)))
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The number of unique classes")
        for _ in range(trees):
            # stratified halves: a tree underestimates labels that are rare in its half, which are frequent in the other half
            order = np.lexsort((rng.random(len(labels)), truth))
            for fitted_rows, voted_rows in ((order[::2], order[1::2]), (order[1::2], order[::2])):
                tree: Any = DecisionTreeClassifier(max_features="sqrt", min_samples_leaf=2, random_state=int(rng.integers(1 << 31)))
                tree.fit(features[fitted_rows], truth[fitted_rows], check_input=False)  # the input check would double the time
                votes[np.ix_(voted_rows, tree.classes_)] += tree.predict_proba(features[voted_rows], check_input=False)
    return [str(name) for name in names[votes.argmax(axis=1)]]
