"""Performance at chance level, or at the level of a shortcut rule, among parsed responses.

A finding is not the absence of a significant difference: it requires that a chance-corrected accuracy of `RULED_OUT` or more is ruled out.
It has no affected items of its own, so it is reported last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from isovist.data.reference.shortcuts import Rate
from isovist.reporting.analysis.exact_tests import first_per_cluster, poisson_binomial_upper_tail
from isovist.reporting.analysis.findings import Finding, Tasks
from isovist.reporting.analysis.scored_item import ScoredItem
from isovist.reporting.analysis.text_format import in_tasks, percent

RULED_OUT = 0.15
"""The chance-corrected accuracy, or that above the rule's accuracy, which a finding rules out."""
_MIN_ITEMS = 20
_MIN_RULE_GAIN = 0.05  # a rule with a smaller gain over chance is not reported


@dataclass(frozen=True, slots=True)
class _AtBaseline:
    """A task in which a run does not exceed a baseline: the p-value, correct answers, items, and the baseline's expected correct answers."""

    p: float
    n_correct: int
    n: int
    n_expected: float


def detect_chance_performance(tasks: Tasks) -> Iterator[Finding]:
    """One candidate for all tasks in which the run does not exceed chance level."""
    at_chance = _at_baseline(tasks, lambda item: item.chance)
    if not at_chance:
        return
    n_correct, n = sum(task.n_correct for task in at_chance.values()), sum(task.n for task in at_chance.values())
    chance = sum(task.n_expected for task in at_chance.values()) / n
    sentence = (
        f"Chance-level performance: accuracy {percent(n_correct / n)} (chance {percent(chance)}, n = {n:,}), {in_tasks(tuple(at_chance))}. "
        f"A chance-corrected accuracy of {100 * RULED_OUT:.0f} or more is ruled out{' in each task' if len(at_chance) > 1 else ''}."
    )
    yield Finding("chance-performance", tuple(at_chance), sentence, n, n_correct / n, chance, max(task.p for task in at_chance.values()))


def detect_shortcut_performance(tasks: Tasks) -> Iterator[Finding]:
    """A candidate for each task in which the run does not exceed the best rule without the claimed skill, or with a part of it."""
    rules: dict[str, Rate] = {}
    at_chance = _at_baseline(tasks, lambda item: item.chance)
    for task, items in tasks.items():
        if task in at_chance:
            continue
        measured = [item.best_rules for item in items]
        rates = [rate for best in measured if best for rate in (best.shortcut, best.partial) if rate and not rate.reason]
        chance = sum(item.chance for item in items) / len(items)
        best_rate = max(rates, key=lambda rate: rate.accuracy, default=None)
        if best_rate and all(measured) and _mean_rule_accuracy(items, best_rate.rule) > chance + _MIN_RULE_GAIN:
            rules[task] = best_rate
    with_rule = {task: items for task, items in tasks.items() if task in rules}
    for task, result in _at_baseline(with_rule, lambda item: _rule_accuracy(item, rules[item.task].rule)).items():
        rule, expected = rules[task], result.n_expected / result.n
        part = "" if any(item.best_rules and item.best_rules.shortcut == rule for item in tasks[task]) else "a part of "
        without = f"without {part}the claimed skill{f' ({rule.without})' if rule.without else ''}"
        sentence = (
            f"Performance not above a shortcut: accuracy {percent(result.n_correct / result.n)} (n = {result.n:,}), {in_tasks((task,))}. "
            f"The rule {rule.rule!r} has an accuracy of {percent(expected)} {without}."
        )
        yield Finding("shortcut-performance", (task,), sentence, result.n, result.n_correct / result.n, expected, result.p)


def _rule_accuracy(item: ScoredItem, rule: str) -> float:
    """The accuracy of the rule at the item's level; the item's chance where another rule is the best one."""
    best = item.best_rules
    rates = (best.shortcut, best.partial) if best else ()
    return max([item.chance, *(rate.accuracy for rate in rates if rate and rate.rule == rule)])


def _mean_rule_accuracy(items: Sequence[ScoredItem], rule: str) -> float:
    return sum(_rule_accuracy(item, rule) for item in items) / len(items)


def _at_baseline(tasks: Tasks, baseline: Callable[[ScoredItem], float]) -> dict[str, _AtBaseline]:
    """The tasks in each of which a gain of `RULED_OUT` over the baseline is ruled out (Bonferroni over the tasks)."""
    results: dict[str, _AtBaseline] = {}
    for task, scored_items in tasks.items():
        items = first_per_cluster(item for item in scored_items if item.parsed_answer is not None)
        chances = [baseline(item) for item in items]
        if len(items) < _MIN_ITEMS or any(chance >= 1 for chance in chances):
            continue
        n_correct = sum(item.credit == 1 for item in items)
        # as few correct answers as these, from a model that exceeds the baseline by so much
        p = poisson_binomial_upper_tail(len(items) - n_correct, [(1 - RULED_OUT) * (1 - chance) for chance in chances])
        results[task] = _AtBaseline(p, n_correct, len(items), sum(chances))
    return {task: result for task, result in results.items() if result.p * len(results) < 0.05}
