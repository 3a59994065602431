"""Position bias and constant answers.

An unbiased model chooses the key as often as it is correct, and each distractor equally often. The differences of the label counts from
these expected counts are tested together (chi-square test with their exact covariance). Labels are tested where options change their
order; where the order is fixed, a label is an answer, and only a (nearly) constant one is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import sqrt

import numpy as np

from isovist.core.answers import LETTERS, Choice, ImageOptionChoice
from isovist.reporting.analysis.constant_responses import ALWAYS, candidates, constant_answer
from isovist.reporting.analysis.findings import Finding, Tasks
from isovist.reporting.analysis.rows import Rows
from isovist.reporting.analysis.text_format import in_tasks, observed_rate, percent

MIN_CRAMERS_V = 0.1
"""A smaller effect is not reported."""
_MIN_ANSWERS = 20  # for the chi-square distribution
_MIN_CONSTANT = 6  # fewer answers may be the same by chance


def detect_position_bias(tasks: Tasks) -> Iterator[Finding]:
    """One candidate over all tasks whose options change their order: a preferred option label."""
    choices = {task: rows.choices for task, rows in tasks.items()}
    shuffled = {task: rows for task, rows in choices.items() if rows.n and _labels_are_positions(rows)}
    n, where = sum(rows.n for rows in shuffled.values()), tuple(shuffled)
    if n < _MIN_ANSWERS:
        return
    counts = Counter(label for rows in shuffled.values() for label in rows.texts("parsed_answer"))
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

    for task, scored in tasks.items():
        rows = scored.parsed
        if rows.n < _MIN_ANSWERS or _has_image_options(rows) or (len(rows.choices) and _labels_are_positions(rows)):
            continue
        constant = constant_answer(rows)
        if constant is None:
            continue
        n = sum(len(part.places) for part in constant.parts)
        count = sum(part.n for part in constant.parts)
        keys = rows.keys
        n_correct = sum(part.answer.credit(keys[place]) for part in constant.parts for place in part.places)
        expected = n_correct / n
        p = float(binomtest(count, n, max(expected, 0.5), alternative="greater").pvalue)
        answer, one_per_level = f'"{constant.parts[0].answer.text}"', constant.by == "level"
        sentence = (
            f"Constant answer{' per level' if one_per_level else ''}: {'one answer per level' if one_per_level else answer} in {count:,} of {n:,} "
            f"responses ({percent(count / n)}; correct for {percent(expected)}), {in_tasks((task,))}."
        )
        yield Finding("constant-answer", (task,), sentence, n, count / n, expected, p, count - n_correct)


def is_always_the_same(rows: Rows) -> bool:
    """Whether (nearly) all answers are the same: its correctness and errors then depend on the keys, not on the model."""
    counts = Counter(rows.texts("parsed_answer"))
    return bool(counts) and max(counts.values()) >= ALWAYS * len(rows)


def without_constant_tasks(tasks: Tasks) -> dict[str, Rows]:
    """The tasks in which the chosen label varies: with a constant label, the type of an error depends on the key alone."""
    choices = {task: rows.choices for task, rows in tasks.items()}
    return {task: tasks[task] for task, rows in choices.items() if len(rows) < _MIN_CONSTANT or not is_always_the_same(rows)}


def _labels_are_positions(rows: Rows) -> bool:
    """Whether an option label is a position: the options change their order, or one label is always chosen although its text varies."""
    if not in_one_order(rows):
        return True
    texts = Counter(answers[-1].text for answers in candidates(rows))
    return is_always_the_same(rows) and max(texts.values()) < ALWAYS * len(rows)


def _has_image_options(rows: Rows) -> bool:
    return any(isinstance(key, ImageOptionChoice) for key in rows.keys)


def in_one_order(rows: Rows) -> bool:
    """Whether a label has the same text wherever the same options are offered, so that it is an answer and not a position.

    A task may have several sets of options (DORI has coarse and granular questions), each with its own order. If most sets occur once,
    as for randomly drawn letters, the options count as shuffled.
    """
    if _has_image_options(rows):
        return False
    orders: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    choices = [key.options for key in rows.keys if isinstance(key, Choice)]
    for options in choices:
        orders.setdefault(tuple(sorted(options)), []).append(options)
    repeated = [offered for offered in orders.values() if len(offered) > 1]
    return 2 * sum(map(len, repeated)) > len(choices) and all(len(set(offered)) == 1 for offered in repeated)


def _test_label_counts(tasks: Mapping[str, Rows]) -> tuple[dict[str, float], float]:
    """The expected count of each label, and the p-value of the counts; each task and number of options has its own accuracy."""
    n_labels = max(n_options for rows in tasks.values() for n_options in rows.by("n_options"))
    expected, difference, covariance = np.zeros(n_labels), np.zeros(n_labels), np.zeros((n_labels, n_labels))
    for rows in tasks.values():
        for n_options, subset in sorted(rows.by("n_options").items()):
            accuracy = subset.is_key_chosen.sum() / len(subset)
            for key, chosen in zip(*(subset.column(name).astype(int) for name in ("key_place", "chosen_place")), strict=True):
                shares = np.zeros(n_labels)
                shares[:n_options] = (1 - accuracy) / (n_options - 1)
                shares[key] = accuracy
                expected += shares
                difference -= shares
                difference[chosen] += 1
                covariance += np.diag(shares) - np.outer(shares, shares)
    from scipy.stats import chi2

    rank = int(np.linalg.matrix_rank(covariance, hermitian=True))
    inverse = np.linalg.pinv(covariance, rcond=1e-9, hermitian=True)
    p = float(chi2.sf(float(difference @ inverse @ difference), rank)) if rank else 1.0
    return dict(zip(LETTERS, expected.tolist(), strict=False)), p
