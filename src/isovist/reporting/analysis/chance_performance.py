"""Performance at chance level, or at the level of a shortcut rule, among parsed responses.

A finding is not the absence of a significant difference: it requires that a chance-corrected accuracy of `RULED_OUT` or more is ruled out.
It has no affected items of its own, so it is reported last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from isovist.data.reference.shortcuts import best
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
    """A candidate for each task in which the run does not exceed the best rules without the claimed skill, or with a part of it.

    They are those of the column "Best shortcut": the best one at the level of each item.
    """
    at_chance = _at_baseline(tasks, lambda rows: rows.chances)
    measured = {
        task: rows
        for task, rows in tasks.items()
        if task not in at_chance
        and rows.n
        and all(rows.column("is_measured"))
        and fmean(_rule_accuracies(rows)) > rows.chance + _MIN_RULE_GAIN
    }
    for task, result in _at_baseline(measured, _rule_accuracies).items():
        rows = measured[task]
        entries = [entry for level in dict.fromkeys(rows.texts("level")) if (entry := best(task, level))]
        rules = {entry.most.rule: entry.most.without for entry in sorted(entries, key=lambda entry: -entry.most.accuracy)}
        expected, (rule, without) = fmean(rows.column("shortcut_accuracy").tolist()), next(iter(rules.items()))
        name = f"The rule {rule!r}" if len(rules) == 1 else f"The best rule of each level, such as {rule!r},"
        part = "a part of " if any(entry.most == entry.partial for entry in entries) else ""
        sentence = (
            f"Performance not above a shortcut: accuracy {percent(result.n_correct / result.n)} (n = {result.n:,}), {in_tasks((task,))}. "
            f"{name} has an accuracy of {percent(expected)} without {part}the claimed skill{f' ({without})' if without else ''}."
        )
        yield Finding("shortcut-performance", (task,), sentence, result.n, result.n_correct / result.n, expected, result.p)


def _rule_accuracies(rows: Rows) -> list[float]:
    """The accuracy of the best rule at the level of each item, at least its chance."""
    return [max(pair) for pair in zip(rows.column("shortcut_accuracy").tolist(), rows.chances, strict=True)]


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
