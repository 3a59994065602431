"""Position bias and constant answers.

An unbiased model chooses the key as often as it is correct, and each distractor equally often. The differences of the label counts from
these expected counts are tested together (chi-square test with their exact covariance). Labels are tested where options change their
order; where the order is fixed, a label is an answer, and only a (nearly) constant one is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt

import numpy as np

from isovist.core.answers import LETTERS, Choice, ImageOptionChoice
from isovist.reporting.analysis.constant_responses import ALWAYS, constant_answer
from isovist.reporting.analysis.findings import Finding, Tasks
from isovist.reporting.analysis.scored_item import ScoredItem
from isovist.reporting.analysis.text_format import in_tasks, observed_rate, percent

MIN_CRAMERS_V = 0.1
"""A smaller effect is not reported."""
_MIN_ANSWERS = 20  # for the chi-square distribution
_MIN_CONSTANT = 6  # fewer answers may be the same by chance


def detect_position_bias(tasks: Tasks) -> Iterator[Finding]:
    """One candidate over all tasks whose options change their order: a preferred option label."""
    choices = {task: [item for item in items if item.chosen is not None] for task, items in tasks.items()}
    shuffled = {task: items for task, items in choices.items() if items and _labels_are_positions(items)}
    items = [item for task_items in shuffled.values() for item in task_items]
    n, where = len(items), tuple(shuffled)
    if n < _MIN_ANSWERS:
        return
    counts = Counter(str(item.parsed_answer) for item in items)
    expected_counts, p = _test_label_counts(shuffled)
    label = max(expected_counts, key=lambda option: counts[option] - expected_counts[option])
    rate, expected, n_affected = counts[label] / n, expected_counts[label] / n, max(0.0, counts[label] - expected_counts[label])
    if rate >= ALWAYS:
        sentence = f"Constant answer: option {label} in {observed_rate(counts[label], n, 'responses', expected)}, {in_tasks(where)}."
        yield Finding("constant-answer", where, sentence, n, rate, expected, p, n_affected)
        return
    chi_square = sum((counts[option] - count) ** 2 / count for option, count in expected_counts.items() if count)
    cramers_v = sqrt(chi_square / n / (len(expected_counts) - 1))
    sentence = (
        f"Position bias: option {label} in {observed_rate(counts[label], n, 'responses', expected)}, {in_tasks(where)} "
        f"(Cramér's V = {cramers_v:.2f})."
    )
    yield Finding("position-bias", where, sentence, n, rate, expected, p if cramers_v >= MIN_CRAMERS_V else 1.0, n_affected)


def detect_constant_answers(tasks: Tasks) -> Iterator[Finding]:
    """For each task whose answers are not positions: (nearly) the same answer to all items, or to all items of each level."""
    from scipy.stats import binomtest

    for task, scored_items in tasks.items():
        items = [item for item in scored_items if item.parsed_answer is not None]
        has_image_options = any(isinstance(item.key, ImageOptionChoice) for item in items)
        is_choice = any(isinstance(item.key, Choice) for item in items)
        if len(items) < _MIN_ANSWERS or has_image_options or (is_choice and _labels_are_positions(items)):
            continue
        constant = constant_answer(items)
        if constant is None:
            continue
        n = sum(len(part.places) for part in constant.parts)
        count = sum(part.n for part in constant.parts)
        n_correct = sum(part.answer.credit(items[place].key) for part in constant.parts for place in part.places)
        expected = n_correct / n
        p = float(binomtest(count, n, max(expected, 0.5), alternative="greater").pvalue)
        answer, one_per_level = f'"{constant.parts[0].answer.text}"', constant.by == "level"
        sentence = (
            f"Constant answer{' per level' if one_per_level else ''}: {'one answer per level' if one_per_level else answer} in {count:,} of {n:,} "
            f"responses ({percent(count / n)}; correct for {percent(expected)}), {in_tasks((task,))}."
        )
        yield Finding("constant-answer", (task,), sentence, n, count / n, expected, p, count - n_correct)


def is_always_the_same(items: Sequence[ScoredItem]) -> bool:
    """Whether (nearly) all answers are the same: its correctness and errors then depend on the keys, not on the model."""
    counts = Counter(item.parsed_answer for item in items)
    return bool(counts) and max(counts.values()) >= ALWAYS * len(items)


def without_constant_tasks(tasks: Tasks) -> dict[str, Sequence[ScoredItem]]:
    """The tasks in which the chosen label varies: with a constant label, the type of an error depends on the key alone."""
    choices = {task: [item for item in items if item.chosen is not None] for task, items in tasks.items()}
    return {task: tasks[task] for task, items in choices.items() if len(items) < _MIN_CONSTANT or not is_always_the_same(items)}


def _answer_text(item: ScoredItem) -> str:
    if isinstance(item.key, Choice):
        return dict(zip(LETTERS, item.key.options, strict=False)).get(str(item.parsed_answer), str(item.parsed_answer))
    return str(item.parsed_answer)


def _labels_are_positions(items: Sequence[ScoredItem]) -> bool:
    """Whether an option label is a position: the options change their order, or one label is always chosen although its text varies."""
    return not in_one_order(items) or (is_always_the_same(items) and max(Counter(map(_answer_text, items)).values()) < ALWAYS * len(items))


def in_one_order(items: Sequence[ScoredItem]) -> bool:
    """Whether a label has the same text wherever the same options are offered, so that it is an answer and not a position.

    A task may have several sets of options (DORI has coarse and granular questions), each with its own order. If most sets occur once,
    as for randomly drawn letters, the options count as shuffled.
    """
    if any(isinstance(item.key, ImageOptionChoice) for item in items):
        return False
    orders: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    choices = [item.key.options for item in items if isinstance(item.key, Choice)]
    for options in choices:
        orders.setdefault(tuple(sorted(options)), []).append(options)
    repeated = [offered for offered in orders.values() if len(offered) > 1]
    return 2 * sum(map(len, repeated)) > len(choices) and all(len(set(offered)) == 1 for offered in repeated)


def _test_label_counts(tasks: Mapping[str, Sequence[ScoredItem]]) -> tuple[dict[str, float], float]:
    """The expected count of each label, and the p-value of the counts; each task and number of options has its own accuracy."""
    n_labels = max(_n_options(item) for items in tasks.values() for item in items)
    expected, difference, covariance = np.zeros(n_labels), np.zeros(n_labels), np.zeros((n_labels, n_labels))
    for items in tasks.values():
        for n_options in sorted({_n_options(item) for item in items}):
            subset = [item for item in items if _n_options(item) == n_options]
            accuracy = sum(item.is_key_chosen for item in subset) / len(subset)
            for item in subset:
                shares = np.zeros(n_labels)
                shares[:n_options] = (1 - accuracy) / (n_options - 1)
                shares[LETTERS.index(item.key.canonical())] = accuracy
                expected += shares
                difference -= shares
                difference[LETTERS.index(str(item.parsed_answer))] += 1
                covariance += np.diag(shares) - np.outer(shares, shares)
    from scipy.stats import chi2

    rank = int(np.linalg.matrix_rank(covariance, hermitian=True))
    inverse = np.linalg.pinv(covariance, rcond=1e-9, hermitian=True)
    p = float(chi2.sf(float(difference @ inverse @ difference), rank)) if rank else 1.0
    return dict(zip(LETTERS, expected.tolist(), strict=False)), p


def _n_options(item: ScoredItem) -> int:
    return len(item.key.options) if isinstance(item.key, Choice) else 0
