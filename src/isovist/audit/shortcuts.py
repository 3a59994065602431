"""The shortcut audit: simple rules without the claimed skill must not exceed chance level.

Every task is tried on the rules of `option_rules`, on the best constant answer of each level, on a look-up by the kind of thing asked
about, on three learned rules (the words; coarse features of the pictures; both with all other rules together), and on its own
`Task.shortcuts`. What is learned is learned from the split `train` and tried on `test`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from isovist.audit import learned_rule, option_rules
from isovist.audit.coarse_features import coarse
from isovist.audit.item_cache import pictures_of
from isovist.core.answers import LETTERS, Choice
from isovist.core.answers.best_constant import held_out_constants
from isovist.core.task import Task
from isovist.items import Item, Items

Guess = frozenset[str]
ITEMS = 320
"""Of each level, and as many to learn from; of tasks with more than `MOST_LEVELS` levels as many in all as those have."""
MOST_LEVELS = 4
_FEWEST = 40  # items of a level that are told apart
_MARGIN = 0.05
_SIGMAS = 3.0
_WITH = " + "  # between the names of two rules
_MORE = 4  # so many times as many fresh items are tried where a rule beats chance
ALL = ""
"""Stands for all levels together."""

CONSTANT, KIND, WORDS, PICTURES, TOGETHER = (
    "one answer per level",
    "the kind of thing",
    "words (learned)",
    "coarse picture (learned)",
    "all rules together (learned)",
)
_EXCUSED_AS = {WORDS: ("words",), PICTURES: ("pixels",), TOGETHER: ("words", "pixels", WORDS, PICTURES)}
"""The findings of the audit of leaks that excuse a learned rule too: it goes by the same features."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a rule gets at one level, or at `ALL`. `partial`: it does a part of the work; `reason`: why the task lists it."""

    task: str
    level: str
    rule: str
    partial: bool
    n: int
    accuracy: float
    chance: float
    reason: str = ""

    @property
    def limit(self) -> float:
        """Five points above chance, or three standard errors where these are more."""
        return self.chance + max(_MARGIN, _SIGMAS * (self.chance * (1 - self.chance) / self.n) ** 0.5)

    @property
    def beats_chance(self) -> bool:
        return self.accuracy > self.limit

    @property
    def passed(self) -> bool:
        return self.partial or bool(self.reason) or not self.beats_chance

    def __str__(self) -> str:
        where = f", level {self.level}" if self.level else ""
        return (
            f"Shortcut above chance level: {self.task}{where}, {self.rule!r} ({self.accuracy:.1%} of {self.n} items, chance {self.chance:.1%}, "
            f"limit {self.limit:.1%}). Change the items, or list the rule in Task.audit_exemptions with the reason."
        )


@dataclass(frozen=True, slots=True)
class Tried:
    """Items and what every rule would guess at each of them."""

    items: Sequence[Item]
    guesses: dict[str, list[Guess]] = field(default_factory=dict[str, list[Guess]])
    credits: dict[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]])

    def credit(self, rule: str) -> Sequence[float]:
        """What the rule earns at each item: a guess among its replies, at random where it has none."""
        if rule not in self.credits:
            pairs = zip(self.items, self.guesses[rule], strict=True)
            self.credits[rule] = [credit(item, guess) for item, guess in pairs]
        return self.credits[rule]


def credit(item: Item, guess: Collection[str]) -> float:
    """What a guess among these replies is expected to earn."""
    if not guess:
        return item.chance
    key = item.answer.canonical()
    if isinstance(item.answer, Choice):
        return (key in guess) / len(guess)
    return sum(1.0 if reply == key else item.answer.score(reply).credit for reply in guess) / len(guess)


def tried(task: Task[Any], test: Sequence[Item], train: Sequence[Item], *, drawn: bool = True) -> Tried:
    """The guesses of all rules at the items of `test`, learned from those of `train`; without pictures where they are not `drawn`."""
    attempt = Tried(test)
    votes = {id(items): [_votes(task, item, drawn=drawn) for item in items] for items in (test, train)}
    test_votes, train_votes = votes[id(test)], votes[id(train)]
    for name in dict.fromkeys(name for guesses in test_votes for name in guesses):
        attempt.guesses[name] = [guesses.get(name, frozenset()) for guesses in test_votes]
    attempt.credits[CONSTANT] = held_out_constants([item.level for item in test], [item.answer for item in test])
    if task.category:
        attempt.guesses[KIND] = _by_kind(task.category, test, train)
    partial_rules = {name for name, shortcut in task.shortcuts.items() if shortcut.partial}
    test_votes, train_votes = (
        [{name: guess for name, guess in each.items() if name not in partial_rules} for each in split_votes]
        for split_votes in (test_votes, train_votes)
    )
    asked, unseen = learned_rule.words(train, test)
    learned = [learned_rule.by_item(train, asked, test, unseen)]
    attempt.guesses[WORDS] = [learned_rule.likeliest(likely) for likely in learned[0][1]]
    if drawn:
        pictures = [[coarse(pictures_of(item)) for item in items] for items in (train, test)]
        width = max(len(features) for each in pictures for features in each)
        seen, new = (learned_rule.padded(features, width) for features in pictures)
        learned.append(learned_rule.by_item(train, seen, test, new))
        attempt.guesses[PICTURES] = [learned_rule.likeliest(likely) for likely in learned[1][1]]
        learned.append(learned_rule.by_item(train, np.hstack([asked, seen]), test, np.hstack([unseen, new])))
    train_likely, new_told = zip(*learned, strict=True)
    attempt.guesses[TOGETHER] = learned_rule.by_reply(train, train_votes, train_likely, test, test_votes, new_told)
    return attempt


def _votes(task: Task[Any], item: Item, *, drawn: bool) -> dict[str, Guess]:
    shortcuts = {name: frozenset(shortcut.rule(item.scene, item.question)) for name, shortcut in task.shortcuts.items()}
    return (option_rules.guesses(task, item) if drawn or not item.scenes3d else {}) | shortcuts


def _by_kind(kind: Callable[[Any], str], test: Sequence[Item], train: Sequence[Item]) -> list[Guess]:
    """The answer that things of this kind have most often, beside how often others have it."""
    of_kind: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    of_all: dict[str, Counter[str]] = defaultdict(Counter)
    for item in train:
        of_kind[item.level, kind(item.scene)][item.answer.balance_bin()] += 1
        of_all[item.level][item.answer.balance_bin()] += 1
    guesses: list[Guess] = []
    for item in test:
        counts, others = of_kind[item.level, kind(item.scene)], of_all[item.level]
        total, prior = counts.total(), max(1, others.total())
        options = item.answer.options if isinstance(item.answer, Choice) else tuple(others)
        likely = [(counts[option] + 2 * others[option] / prior) / (total + 2) for option in options]
        best = [place for place, p in enumerate(likely) if p == max(likely)]
        replies = [LETTERS[place] if isinstance(item.answer, Choice) else options[place] for place in best]
        guesses.append(frozenset(replies) if len(best) < len(options) else frozenset())
    return guesses


def measured(task: Task[Any], attempt: Tried) -> list[Measured]:
    """What each rule gets, at each level that has enough items and at all together."""
    levels: dict[str, list[int]] = {ALL: list(range(len(attempt.items)))}
    for place, item in enumerate(attempt.items):
        levels.setdefault(item.level, []).append(place)
    if len(levels) == 2:
        del levels[ALL]
    measurements: list[Measured] = []
    for level, places in levels.items():
        if level != ALL and len(places) < _FEWEST:
            continue
        n = len(places)
        chance = sum(attempt.items[place].chance for place in places) / n
        for rule in (*attempt.credits.keys(), *(name for name in attempt.guesses if name not in attempt.credits)):
            earned = attempt.credit(rule)
            measurements.append(
                Measured(task.id, level, rule, _partial(task, rule), n, sum(earned[p] for p in places) / n, chance, reason(task, rule))
            )
    return measurements


def _partial(task: Task[Any], rule: str) -> bool:
    return any(name in task.shortcuts and task.shortcuts[name].partial for name in rule.split(_WITH))


def reason(task: Task[Any], rule: str) -> str:
    """Why the task lists a rule that beats chance; empty if it does not."""
    names = (rule, *_EXCUSED_AS.get(rule, ()))
    return next((task.audit_exemptions[name] for name in names if name in task.audit_exemptions), "")


def with_pairs(attempt: Tried) -> Tried:
    """Beside the rules all pairs of them, which guess among what both would, and for each rule one that avoids what it would guess."""
    more = dict(attempt.guesses)
    for a, b in combinations(attempt.guesses, 2):
        both = [(x & y) or x or y for x, y in zip(attempt.guesses[a], attempt.guesses[b], strict=True)]
        more[f"{a}{_WITH}{b}"] = both
    for name, guesses in attempt.guesses.items():
        more[f"anything but {name}"] = [
            frozenset(LETTERS[: len(item.answer.options)]) - guess if isinstance(item.answer, Choice) and guess else frozenset()
            for item, guess in zip(attempt.items, guesses, strict=True)
        ]
    return Tried(attempt.items, more, dict(attempt.credits))


def count(task: Task[Any], each: int = ITEMS) -> int:
    """How many items in all are `each` of every level."""
    return each * min(len(task.levels), MOST_LEVELS)


def audit(
    task: Task[Any],
    n: int | None = None,
    seed: int = 0,
    *,
    attack: bool = False,
    drawn: bool = True,
    items: tuple[Sequence[Item], Sequence[Item]] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> list[Measured]:
    """What every rule gets at the items of a seed, `n` in all going round the levels and as many to learn from.

    Where a rule beats chance, that rule and level are tried again in fresh items and four times as many, and that counts: with
    thousands of figures some lie above the limit by luck. `items`: the items of both splits, if they are sampled already; `attack`: pairs of rules too.
    """
    scores = _round(task, items or _made(task, n or count(task), seed, settings), attack=attack, drawn=drawn)
    suspect = {(score.rule, score.level) for score in scores if not score.passed}
    if not suspect:
        return scores
    fresh = _made(task, _MORE * (len(items[0]) if items else n or count(task)), seed + 1, settings)
    rechecked = {(score.rule, score.level): score for score in _round(task, fresh, attack=attack, drawn=drawn)}
    return [rechecked.get((score.rule, score.level), score) if (score.rule, score.level) in suspect else score for score in scores]


def once(task: Task[Any], n: int, seed: int) -> list[Measured]:
    """What every rule gets at the items of a seed, without a second look."""
    return _round(task, _made(task, n, seed, None), attack=False, drawn=True)


def _made(task: Task[Any], n: int, seed: int, settings: Mapping[str, Any] | None) -> tuple[list[Item], list[Item]]:
    setting_pairs = tuple(sorted((settings or {}).items()))
    return list(Items(task, n, seed, "test", settings=setting_pairs)), list(Items(task, n, seed, "train", settings=setting_pairs))


def _round(task: Task[Any], items: tuple[Sequence[Item], Sequence[Item]], *, attack: bool, drawn: bool) -> list[Measured]:
    attempt = tried(task, *items, drawn=drawn)
    return measured(task, with_pairs(attempt) if attack else attempt)


def best(scores: Sequence[Measured], level: str, *, partial: bool = False) -> Measured | None:
    """The rule that gets most at a level among shortcuts, or among partial rules."""
    return max(
        (score for score in scores if score.level == level and score.partial == partial), key=lambda score: score.accuracy, default=None
    )
