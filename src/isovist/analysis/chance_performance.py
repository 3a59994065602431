"""No better than a guesser, or than a cheap rule, where answers can be read: a claim that needs enough items, since few items hide any skill.

It is not told because nothing was found, but because more than a small part of the way from there to perfect can be ruled out. It has
no cost of its own, and so is told last: what explains the guessing, if anything does, says more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from isovist.analysis.exact_tests import first_per_cluster, poisson_binomial_upper_tail
from isovist.analysis.findings import Finding, Tasks
from isovist.analysis.scored_item import ScoredItem
from isovist.analysis.text_format import in_tasks, percent
from isovist.reference.shortcuts import Rate, of_item

RULED_OUT = 0.15
"""Of the way from chance, or from what the rule gets, to perfect."""
_FEWEST = 20  # items
_ABOVE_CHANCE = 0.05  # a rule that gets less says no more than chance does


@dataclass(frozen=True, slots=True)
class _Dull:
    """A task in which a run is no better than a floor: the test's p, right answers, items, and how many the floor has right."""

    p: float
    right: int
    n: int
    floor: float


def detect_chance_performance(tasks: Tasks) -> Iterator[Finding]:
    """One candidate for the tasks, taken together, in each of which it does no better than a guesser."""
    dull = _no_better(tasks, lambda item: item.chance)
    if not dull:
        return
    right, n = sum(tally.right for tally in dull.values()), sum(tally.n for tally in dull.values())
    chance = sum(tally.floor for tally in dull.values()) / n
    words = (
        f"It scores no better than a guesser {in_tasks(tuple(dull))}: {percent(right / n)} right, where a guesser has {percent(chance)}, "
        f"of {n} items; {percent(RULED_OUT)} of the way from there to perfect is ruled out{' in each' if len(dull) > 1 else ''}."
    )
    yield Finding("guessing", tuple(dull), words, n, right / n, chance, max(tally.p for tally in dull.values()))


def no_better_than_a_rule(tasks: Tasks) -> Iterator[Finding]:
    """A candidate for each task in which it does no better than the best rule that leaves out the claimed skill, or a part of it."""
    rules: dict[str, Rate] = {}
    guessed = _no_better(tasks, lambda item: item.chance)
    for task, evidence in tasks.items():
        if task in guessed:
            continue
        known = [of_item(scored.item) for scored in evidence]
        rates = [rate for best in known if best for rate in (best.shortcut, best.partial) if rate and not rate.reason]
        chance = sum(item.chance for item in evidence) / len(evidence)
        top = max(rates, key=lambda rate: rate.accuracy, default=None)
        if top and all(known) and _mean(evidence, top.rule) > chance + _ABOVE_CHANCE:
            rules[task] = top
    ruled = {task: evidence for task, evidence in tasks.items() if task in rules}
    for task, tally in _no_better(ruled, lambda item: _gets(item, rules[item.task].rule)).items():
        rule, rest = rules[task], tally.floor / tally.n
        without = f", without {rule.without}" if rule.without else ""
        words = (
            f"It scores no better {in_tasks((task,))} than a rule that leaves out the skill, or a part of it: {percent(tally.right / tally.n)} right of "
            f"{tally.n} items, where the rule {rule.rule!r} gets {percent(rest)}{without}."
        )
        yield Finding("no-better-than-a-rule", (task,), words, tally.n, tally.right / tally.n, rest, tally.p)


def _gets(item: ScoredItem, rule: str) -> float:
    """What the rule gets at the item's level; its chance where another rule is the best one there."""
    best = of_item(item.item)
    rates = (best.shortcut, best.partial) if best else ()
    return max([item.chance, *(rate.accuracy for rate in rates if rate and rate.rule == rule)])


def _mean(evidence: Sequence[ScoredItem], rule: str) -> float:
    return sum(_gets(item, rule) for item in evidence) / len(evidence)


def _no_better(tasks: Tasks, floor: Callable[[ScoredItem], float]) -> dict[str, _Dull]:
    """The tasks in each of which so much more than the floor is ruled out (Bonferroni over the tasks)."""
    tallies: dict[str, _Dull] = {}
    for task, evidence in tasks.items():
        items = first_per_cluster(item for item in evidence if item.parsed is not None)
        floors = [floor(item) for item in items]
        if len(items) < _FEWEST or any(value >= 1 for value in floors):
            continue
        right = sum(item.value == 1 for item in items)
        # as few right answers as these, from a model that is so much better
        p = poisson_binomial_upper_tail(len(items) - right, [(1 - RULED_OUT) * (1 - value) for value in floors])
        tallies[task] = _Dull(p, right, len(items), sum(floors))
    return {task: tally for task, tally in tallies.items() if tally.p * len(tallies) < 0.05}
