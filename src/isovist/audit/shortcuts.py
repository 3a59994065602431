"""The shortcut audit: simple rules without the claimed skill must not exceed chance level.

Every task is tested with the rules of `option_rules`, the best constant answer of each level, look-ups by each of its `checks.factors`
and of the `scene_attributes`, fitted rules (text; coarse image features; the content of the images as data; text, image features and all
other rules together), its own `checks.shortcuts`, and rules fitted to its own `checks.features`. Look-ups and fitted rules are fitted to the
split `train` and tested on `test`. Every rule is measured at each level, and on each kind of item within it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from isovist.audit import learned_rule, option_rules, scene_attributes
from isovist.audit.coarse_features import coarse, profiles
from isovist.audit.item_cache import pictures_of
from isovist.core.answers import LETTERS, Choice
from isovist.core.answers.best_constant import held_out_constants
from isovist.core.question import Exemption
from isovist.core.task import Task
from isovist.data.item import Item
from isovist.data.items import Items

Guess = frozenset[str]
ITEMS = 320
"""Items per level for fitting, and for testing; for testing tasks with more than `MOST_LEVELS` levels as many in total as that many levels."""
MOST_LEVELS = 4
_FEWEST = 40  # minimum number of items of a level that is reported separately
_MARGIN = 0.05
_SIGMAS = 3.0
_WITH = " + "  # separates the names of two rules
_MORE = 4  # factor of new items if a rule exceeds chance
ALL = ""
"""Stands for all levels together."""

CONSTANT, FEATURES, WORDS, PICTURES, LINES, TOGETHER = (
    "one answer per level",
    "{} (learned)",
    "words (learned)",
    "coarse image features (learned)",
    "ink by row and column (learned)",
    "all rules together (learned)",
)
NUMBERS, RECTANGLES = "the numbers of parts of the images", "the rectangles of the objects"  # features
FACTS = (FEATURES.format(NUMBERS), FEATURES.format(RECTANGLES))
"""Rules on facts of the scene, known without error. In a task that exempts one, finding the fact is a part of the work: a partial rule."""
_EXCUSED_AS = {
    WORDS: ("words",),
    PICTURES: ("pixels",),
    LINES: (PICTURES, "pixels"),
    TOGETHER: (WORDS, PICTURES, "words", "pixels"),
}
"""Exemptions from the answer-leakage audit that also apply to a fitted rule with the same features."""
ATTRIBUTES = "attributes"
"""The exemption from all look-ups by an attribute of the images; the name of an attribute, such as "colour", exempts from those by it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The accuracy of a rule at one level, or at `ALL`, where it applies to at least one item.

    `partial`: a partial rule; `reason`: why it is exempt; `bound`: the highest expected accuracy of a rule that is partial or exempt;
    `kind`: the kind of items within the level, "" for all of them.
    """

    task: str
    level: str
    rule: str
    partial: bool
    n: int
    accuracy: float
    chance: float
    reason: str = ""
    bound: float = 0.0
    kind: str = ""

    @property
    def limit(self) -> float:
        """Five percentage points above chance, or above the bound if this is more, or three standard errors if these are more."""
        return _limit(max(self.chance, self.bound), self.n)

    @property
    def beats_chance(self) -> bool:
        return self.accuracy > _limit(self.chance, self.n)

    @property
    def passed(self) -> bool:
        return self.accuracy <= self.limit

    @property
    def where(self) -> str:
        """The task, and the level and kind if the rule was measured on these alone."""
        return ", ".join(filter(None, (self.task, self.level and f"level {self.level}", self.kind and f"kind {self.kind}")))

    def __str__(self) -> str:
        return (
            f"Shortcut above {'its bound' if self.bound else 'chance level'}: {self.where}, {self.rule!r} ({self.accuracy:.1%} of {self.n} "
            f"items, chance {self.chance:.1%}, limit {self.limit:.1%}). Change the items, or list the rule in `checks.exemptions` with a bound."
        )


def _limit(expected: float, n: int) -> float:
    return expected + max(_MARGIN, _SIGMAS * (expected * (1 - expected) / n) ** 0.5)


@dataclass(frozen=True, slots=True)
class Tried:
    """Items and the responses of every rule to each of them."""

    items: Sequence[Item]
    guesses: dict[str, list[Guess]] = field(default_factory=dict[str, list[Guess]])
    credits: dict[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]])

    def credit(self, rule: str) -> Sequence[float]:
        """Return the credit of a rule on each item, with random answers where the rule does not apply."""
        if rule not in self.credits:
            pairs = zip(self.items, self.guesses[rule], strict=True)
            self.credits[rule] = [credit(item, guess) for item, guess in pairs]
        return self.credits[rule]


def credit(item: Item, guess: Collection[str]) -> float:
    """Return the expected credit of a random choice among these responses."""
    if not guess:
        return item.chance
    key = item.answer.canonical()
    if isinstance(item.answer, Choice):
        return (key in guess) / len(guess)
    return sum(1.0 if reply == key else item.answer.score(reply).credit for reply in guess) / len(guess)


def tried(task: Task[Any], test: Sequence[Item], train: Sequence[Item], *, drawn: bool = True) -> Tried:
    """Apply all rules to the items of `test`, fitted to those of `train`; without images if not `drawn`."""
    attempt = Tried(test)
    votes = {id(items): [_votes(task, item, drawn=drawn) for item in items] for items in (test, train)}
    test_votes, train_votes = votes[id(test)], votes[id(train)]
    for name in dict.fromkeys(name for guesses in test_votes for name in guesses):
        attempt.guesses[name] = [guesses.get(name, frozenset()) for guesses in test_votes]
    attempt.credits[CONSTANT] = held_out_constants([item.level for item in test], [item.answer for item in test])
    attempt.credits.update(attribute_credits(test, train, task.checks.factors))
    rows = {name: [[features(item.scene) for item in items] for items in (train, test)] for name, features in task.checks.features.items()}
    of_images: dict[str, Callable[[Item], Sequence[float]]] = {NUMBERS: scene_attributes.numbers}
    if test[0].scenes3d:  # the catalog of meshes is imported for them alone
        from isovist.audit import scene_features

        of_images = {NUMBERS: scene_features.numbers, RECTANGLES: scene_features.rectangles}
    rows |= {name: [[features(item) for item in items] for items in (train, test)] for name, features in of_images.items()}
    for name, (known, unseen) in rows.items():
        if len(set(map(tuple, known))) > 1:
            seen, new = learned_rule.matrices(known, unseen)
            likely = learned_rule.by_item(train, seen, test, new)[1]
            attempt.guesses[FEATURES.format(name)] = [learned_rule.likeliest(probabilities) for probabilities in likely]
    partial_rules = {name for name, shortcut in task.checks.shortcuts.items() if shortcut.partial}
    test_votes, train_votes = (
        [{name: guess for name, guess in each.items() if name not in partial_rules} for each in split_votes]
        for split_votes in (test_votes, train_votes)
    )
    asked, unseen = learned_rule.words(train, test)
    learned = [learned_rule.by_item(train, asked, test, unseen)]
    attempt.guesses[WORDS] = [learned_rule.likeliest(likely) for likely in learned[0][1]]
    if drawn:
        pictures = [[_of_images(item) for item in items] for items in (train, test)]
        seen, new = learned_rule.matrices(*([features for features, _ in each] for each in pictures))
        learned.append(learned_rule.by_item(train, seen, test, new))
        attempt.guesses[PICTURES] = [learned_rule.likeliest(likely) for likely in learned[1][1]]
        lines = learned_rule.matrices(*([features for _, features in each] for each in pictures))
        if not test[0].scenes3d:
            attempt.guesses[LINES] = [learned_rule.likeliest(likely) for likely in learned_rule.by_item(train, lines[0], test, lines[1])[1]]
        learned.append(learned_rule.by_item(train, np.hstack([asked, seen]), test, np.hstack([unseen, new])))
    train_likely, new_told = zip(*learned, strict=True)
    attempt.guesses[TOGETHER] = learned_rule.by_reply(train, train_votes, train_likely, test, test_votes, new_told)
    return attempt


def _votes(task: Task[Any], item: Item, *, drawn: bool) -> dict[str, Guess]:
    shortcuts = {name: frozenset(shortcut.rule(item.scene, item.question)) for name, shortcut in task.checks.shortcuts.items()}
    return (option_rules.guesses(task, item) if drawn or not item.scenes3d else {}) | shortcuts


def _of_images(item: Item) -> tuple[list[float], list[float]]:
    images = pictures_of(item)
    return coarse(images), [value for image in images for value in profiles(image)]


def attribute_credits(test: Sequence[Item], train: Sequence[Item], factors: Mapping[str, Callable[[Any], str]]) -> dict[str, list[float]]:
    """Return the credit of look-ups of the answer and of the letter of the key by each factor and attribute of the images, by rule."""
    known, new = scene_attributes.categories(
        *(
            [scene_attributes.attributes(item) | {name: of(item.scene) for name, of in factors.items()} for item in items]
            for items in (train, test)
        )
    )
    by_rule: dict[str, list[float]] = {}
    for name in dict.fromkeys(name for values in known for name in values):
        seen, unseen = ([values.get(name, "") for values in each] for each in (known, new))
        for of_letters in (False, *([True] if isinstance(test[0].answer, Choice) else [])) if len(set(seen)) > 1 else ():
            guesses = _looked_up(train, seen, test, unseen, of_letters=of_letters)
            rule = scene_attributes.RULE.format(name, "letter" if of_letters else "answer")
            by_rule[rule] = [credit(item, guess) for item, guess in zip(test, guesses, strict=True)]
    return by_rule


def _looked_up(
    train: Sequence[Item], known: Sequence[str], test: Sequence[Item], new: Sequence[str], *, of_letters: bool = False
) -> list[Guess]:
    """Return the answer with the highest frequency in this category relative to the others, for each item of `test`.

    `known` and `new`: the categories of the items of `train` and of `test`; `of_letters`: the letter of the key in place of the answer.
    """

    def label(item: Item) -> str:
        return item.answer.canonical() if of_letters else item.answer.balance_bin()

    of_kind: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    of_all: dict[str, Counter[str]] = defaultdict(Counter)
    for item, kind in zip(train, known, strict=True):
        of_kind[item.level, kind][label(item)] += 1
        of_all[item.level][label(item)] += 1
    guesses: list[Guess] = []
    for item, kind in zip(test, new, strict=True):
        counts, others = of_kind[item.level, kind], of_all[item.level]
        total, prior = counts.total(), max(1, others.total())
        letters = LETTERS[: len(item.answer.options)] if isinstance(item.answer, Choice) else ()
        options = letters if of_letters else item.answer.options if isinstance(item.answer, Choice) else tuple(others)
        likely = [(counts[option] + 2 * others[option] / prior) / (total + 2) for option in options]
        best = [place for place, p in enumerate(likely) if p == max(likely)]
        replies = [letters[place] if letters else options[place] for place in best]
        guesses.append(frozenset(replies) if len(best) < len(options) else frozenset())
    return guesses


def measured(task: Task[Any], attempt: Tried) -> list[Measured]:
    """Return the accuracy of each rule at each level and on each kind with enough items, and at all levels together."""
    groups: dict[tuple[str, str], list[int]] = {(ALL, ""): list(range(len(attempt.items)))}
    for place, item in enumerate(attempt.items):
        groups.setdefault((item.level, ""), []).append(place)
        if task.checks.kind:
            groups.setdefault((item.level, task.checks.kind(item.scene)), []).append(place)
    if sum(not kind for _, kind in groups) == 2:
        del groups[ALL, ""]
    measurements: list[Measured] = []
    for (level, kind), places in groups.items():
        if level != ALL and len(places) < _FEWEST:
            continue
        n = len(places)
        chance = sum(attempt.items[place].chance for place in places) / n
        for rule in (*attempt.credits.keys(), *(name for name in attempt.guesses if name not in attempt.credits)):
            if rule in attempt.guesses and not any(attempt.guesses[rule][place] for place in places):
                continue  # not covered: the credit of random answers would pass
            earned = attempt.credit(rule)
            parts = [task.checks.shortcuts[name] for name in rule.split(_WITH) if name in task.checks.shortcuts]
            excuse = exemption(task, rule)
            in_part = any(part.partial for part in parts) or (excuse is not None and rule in FACTS)
            bound = excuse.at(level) if excuse else 1.0 if in_part and _WITH in rule else parts[0].bound if in_part else 0.0
            accuracy, why = sum(earned[place] for place in places) / n, excuse.reason if excuse else ""
            measurements.append(Measured(task.id, level, rule, in_part, n, accuracy, chance, why, bound, kind))
    return measurements


def uncovered(task: Task[Any], scores: Sequence[Measured]) -> list[str]:
    """Return the levels, and kinds within a level, to no item of which a rule of the task itself applies, if the task has such rules."""
    rules = {*task.checks.shortcuts, *map(FEATURES.format, task.checks.features)}
    covered = {score.where for score in scores if score.rule in rules}
    return [where for where in dict.fromkeys(score.where for score in scores) if rules and where not in covered]


def exemption(task: Task[Any], rule: str) -> Exemption | None:
    """Return the exemption of a rule, if it has one."""
    attribute = scene_attributes.attribute_of(rule)
    names = (rule, *_EXCUSED_AS.get(rule, ()), *((attribute, ATTRIBUTES) if attribute else ()))
    return next((task.checks.exemptions[name] for name in names if name in task.checks.exemptions), None)


def with_pairs(attempt: Tried) -> Tried:
    """Add all pairs of rules, which choose among common responses, and for each rule its complement."""
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
    """Return the total number of items for `each` items per level."""
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
    """Return the accuracy of every rule on the items of a seed: `n` in total with alternating levels, fitted to at least `ITEMS` of each level.

    If a rule exceeds chance, that rule and level are tested again with four times as many new items, and the second result counts: among
    thousands of results some exceed the limit by chance. `items`: sampled items of both splits; `attack`: also test pairs of rules.
    """
    scores = _round(task, items or _made(task, n or count(task), seed, settings), attack=attack, drawn=drawn)
    if all(score.passed for score in scores):
        return scores
    fresh = _made(task, _MORE * (len(items[0]) if items else n or count(task)), seed + 1, settings)
    rechecked = {(score.rule, score.where): score for score in _round(task, fresh, attack=attack, drawn=drawn)}
    return [score if score.passed else rechecked.get((score.rule, score.where), score) for score in scores]


def once(task: Task[Any], n: int, seed: int) -> list[Measured]:
    """Return the accuracy of every rule on the items of a seed, without a second round."""
    return _round(task, _made(task, n, seed, None), attack=False, drawn=True)


def _made(task: Task[Any], n: int, seed: int, settings: Mapping[str, Any] | None) -> tuple[list[Item], list[Item]]:
    setting_pairs = tuple(sorted((settings or {}).items()))
    n_train = max(n, min(ITEMS, n) * len(task.levels))
    return list(Items(task, n, seed, "test", settings=setting_pairs)), list(Items(task, n_train, seed, "train", settings=setting_pairs))


def _round(task: Task[Any], items: tuple[Sequence[Item], Sequence[Item]], *, attack: bool, drawn: bool) -> list[Measured]:
    attempt = tried(task, *items, drawn=drawn)
    return measured(task, with_pairs(attempt) if attack else attempt)


def best(scores: Sequence[Measured], level: str, kind: str = "", *, partial: bool = False) -> Measured | None:
    """Return the rule with the highest accuracy at a level, or on a kind of its items, among shortcuts or among partial rules."""
    among = [score for score in scores if (score.level, score.kind) == (level, kind) and score.partial == partial]
    return max(among, key=lambda score: score.accuracy, default=None)
