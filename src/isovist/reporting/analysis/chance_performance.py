"""Performance at chance level, or at the level of a shortcut rule, among parsed responses.

A finding is not the absence of a significant difference: it requires that a chance-corrected accuracy of `RULED_OUT` or more is ruled out.
It has no affected items of its own, so it is reported last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from isovist.data.reference.shortcuts import Best, Rate, best
from isovist.reporting.analysis.exact_tests import poisson_binomial_upper_tail
from isovist.reporting.analysis.findings import Finding, Tasks
from isovist.reporting.analysis.rows import Rows
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
    at_chance = _at_baseline(tasks, lambda rows: rows.chances)
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
    at_chance = _at_baseline(tasks, lambda rows: rows.chances)
    for task, rows in tasks.items():
        if task in at_chance:
            continue
        measured = _best_rules(rows)
        rates = [
            rate for best_rules in measured if best_rules for rate in (best_rules.shortcut, best_rules.partial) if rate and not rate.reason
        ]
        best_rate = max(rates, key=lambda rate: rate.accuracy, default=None)
        if best_rate and all(measured) and fmean(_rule_accuracies(rows, best_rate.rule)) > rows.chance + _MIN_RULE_GAIN:
            rules[task] = best_rate
    with_rule = {task: rows for task, rows in tasks.items() if task in rules}
    for task, result in _at_baseline(with_rule, lambda rows: _rule_accuracies(rows, rules[rows.texts("task")[0]].rule)).items():
        rule, expected = rules[task], result.n_expected / result.n
        part = "" if any(best_rules and best_rules.shortcut == rule for best_rules in _best_rules(tasks[task])) else "a part of "
        without = f"without {part}the claimed skill{f' ({rule.without})' if rule.without else ''}"
        sentence = (
            f"Performance not above a shortcut: accuracy {percent(result.n_correct / result.n)} (n = {result.n:,}), {in_tasks((task,))}. "
            f"The rule {rule.rule!r} has an accuracy of {percent(expected)} {without}."
        )
        yield Finding("shortcut-performance", (task,), sentence, result.n, result.n_correct / result.n, expected, result.p)


def _best_rules(rows: Rows) -> list[Best | None]:
    """The measured accuracy of the best rules at the level of each item; None if it was not measured on such items."""
    levels = zip(rows.texts("task"), rows.texts("level"), rows.column("is_measured"), strict=True)
    return [best(task, level) if is_measured else None for task, level, is_measured in levels]


def _rule_accuracies(rows: Rows, rule: str) -> list[float]:
    """The accuracy of the rule at the level of each item; the item's chance where another rule is the best one."""
    rates = [(best_rules.shortcut, best_rules.partial) if best_rules else () for best_rules in _best_rules(rows)]
    return [
        max([chance, *(rate.accuracy for rate in of_item if rate and rate.rule == rule)])
        for chance, of_item in zip(rows.chances, rates, strict=True)
    ]


def _at_baseline(tasks: Tasks, baseline: Callable[[Rows], Sequence[float]]) -> dict[str, _AtBaseline]:
    """The tasks in each of which a gain of `RULED_OUT` over the baseline is ruled out (Bonferroni over the tasks)."""
    results: dict[str, _AtBaseline] = {}
    for task, scored in tasks.items():
        rows = scored.parsed.first_of_clusters
        chances = baseline(rows) if rows.n >= _MIN_ITEMS else [1.0]
        if max(chances) >= 1:
            continue
        n_correct = rows.credits.count(1)
        # as few correct answers as these, from a model that exceeds the baseline by so much
        p = poisson_binomial_upper_tail(rows.n - n_correct, [(1 - RULED_OUT) * (1 - chance) for chance in chances])
        results[task] = _AtBaseline(p, n_correct, rows.n, sum(chances))
    return {task: result for task, result in results.items() if result.p * len(results) < 0.05}
