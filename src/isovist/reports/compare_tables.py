"""A comparison of models in words, Markdown and CSV."""

from __future__ import annotations

from collections.abc import Iterator

from isovist.analysis.text_format import join_names, pluralize
from isovist.analysis.unparsed_responses import MARK, UNREAD_MANY
from isovist.reports import participants
from isovist.reports.compare import Comparison, Pair, TaskComparison
from isovist.reports.tables import FEW_MARK, FEW_WORDS, as_csv, as_markdown, changes, percents, shares
from isovist.stats.pairwise_tests import ALPHA, FEWEST, POWER
from isovist.stats.proportions import ConfidenceInterval

_RANKED = 4
"""So many models are all told in order; of more, only the best."""
CAPTION = (
    "Accuracies are of the items that every run has a verdict for. Models that share a letter cannot be told apart on that task: no test "
    f"between them has a p-value below {ALPHA:g}, by Holm's method over all pairs of models and all tasks. Differences are of credits "
    "item by item, with 95 % intervals (Bonett and Price) over groups of items that share a picture; their tests are exact (McNemar's, "
    "or flipped signs of the groups). Items to tell apart: as many as a test between the two needs to find a difference as large as the "
    f"one that was seen, {POWER:.0%} of the time. {FEW_MARK}: {FEW_WORDS}. "
    f"{MARK}, open: {UNREAD_MANY}, so that the difference may come from these and is not told."
)


def better(comparison: Comparison, pair: Pair) -> str:
    """The name of the better model of two, if they can be told apart."""
    if pair.open:
        return "open"
    return comparison.names[pair.b if pair.comparison.difference.estimate > 0 else pair.a] if pair.is_significant else "tied"


def unread_first(comparison: Comparison) -> list[tuple[str, str]]:
    """What is told before anything else of each model of which many replies could not be read, over all or in some tasks."""
    notes: list[tuple[str, str]] = []
    for model, (name, info) in enumerate(zip(comparison.names, comparison.infos, strict=True)):
        whole, tasks = comparison.whole.models[model], [one for one in comparison.tasks if one.models[model].unreadable.many]
        if whole.unreadable.many:
            unreadable = whole.unreadable
            notes.append(
                (name, f"{unreadable.words}, so that how it differs from others is not told: {unreadable.remedy(info)}. {whole.words}")
            )
        elif tasks:
            unreadable = tasks[0].models[model].unreadable
            where = ", ".join(f"{one.task} ({one.models[model].unreadable.short})" for one in tasks)
            notes.append(
                (name, f"Many replies could not be read in {where}, so that how it differs there is not told: {unreadable.remedy(info)}.")
            )
    return notes


def headline(comparison: Comparison) -> str:
    """What came out over all tasks, in a sentence or two; empty where nothing can be said."""
    where = "over all tasks" if comparison.tasks[1:] else f"in {comparison.tasks[0].task}"
    sentences = [
        f"{join_names([comparison.names[model] for model in chosen])} cannot be told apart {where}."
        for chosen in comparison.whole.ties
        if len(chosen) > 1
    ]
    by_credit = sorted(range(len(comparison.names)), key=lambda model: -comparison.whole.models[model].strict.estimate)
    ranked = by_credit if len(by_credit) <= _RANKED else by_credit[:1]
    sentences[:0] = [
        f"{comparison.names[model]} is better than {join_names(others)} {where}."
        for model in ranked
        if (others := _beaten(comparison, model))
    ]
    won: dict[str, int] = {}
    for task in comparison.tasks:
        for pair in task.pairs:
            if pair.is_significant:
                won[better(comparison, pair)] = won.get(better(comparison, pair), 0) + 1
    if len(comparison.names) == 2 and len(comparison.tasks) > 1:
        apart = [f"{name} is better on {count}" for name, count in won.items()]
        open_ = sum(task.pairs[0].open for task in comparison.tasks)
        if open_ < len(comparison.tasks):
            known = f"Of {len(comparison.tasks) - open_} tasks{' whose replies could be read' if open_ else ''}, "
            sentences.append(f"{known}{', '.join(apart) if apart else 'none tells them apart'}.")
    return " ".join(sentences)


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


def _beaten(comparison: Comparison, model: int) -> list[str]:
    """The names of those that a model is better than over all tasks."""
    mine = [pair for pair in comparison.whole.pairs if model in (pair.a, pair.b)]
    return [comparison.names[pair.a + pair.b - model] for pair in mine if better(comparison, pair) == comparison.names[model]]


def facts(comparison: Comparison) -> list[str]:
    """What a reader has to know before the numbers: what was left out, and what was set differently."""
    sentences = [
        f"{pluralize(comparison.whole.n, 'item')} of {pluralize(len(comparison.tasks), 'task')}, each with a verdict of every run.",
        *(fact for name, reading in zip(comparison.names, comparison.readings, strict=True) if (fact := reading.fact(name))),
        *participants.facts(zip(comparison.names, comparison.infos, strict=True)),
    ]
    if comparison.excluded_tasks:
        sentences.append(f"Left out, as no item of them has a verdict of every run: {', '.join(comparison.excluded_tasks)}.")
    for name, alone, faults in zip(comparison.names, comparison.alone, comparison.faults, strict=True):
        if alone:
            sentences.append(f"{name}: {pluralize(alone, 'item')} that not every other run was asked {_is(alone)} left out.")
        if faults:
            sentences.append(
                f"{name}: {pluralize(faults, 'item')} without a verdict (machine faults, never asked, or not answered by a person) {_is(faults)} "
                "left out, until the run is finished."
            )
    if few := [one.task for one in every(comparison) if one.pairs[0].comparison.groups < FEWEST]:
        sentences.append(
            f"Too few items for any test to tell models apart, however they differ (fewer than {FEWEST} pictures): {', '.join(few)}."
        )
    if comparison.changed_images:
        sentences.append(
            f"{pluralize(comparison.changed_images, 'item')} did not show the same pictures in every run: drawn otherwise, or changed since; what differs may be theirs."
        )
    for setting, values in comparison.settings.items():
        differs = ", ".join(f"{value} ({name})" for name, value in zip(comparison.names, values, strict=True))
        sentences.append(f"Set differently: {setting} is {differs}.")
    return sentences


def every(comparison: Comparison) -> tuple[TaskComparison, ...]:
    """Each task, and all together where there are several."""
    return (*comparison.tasks, comparison.whole) if len(comparison.tasks) > 1 else comparison.tasks


def accuracies(comparison: Comparison) -> tuple[list[str], list[tuple[str, ...]]]:
    """A head and a row a task: each model's accuracy, and the letters of its ties."""
    rows = [
        (one.task, str(one.n), *(f"{_share(score.strict)} {one.letters(model) or MARK}" for model, score in enumerate(one.models)))
        for one in every(comparison)
    ]
    return ["Task", "n", *comparison.names], rows


def _share(interval: ConfidenceInterval) -> str:
    return "{} [{}]".format(*percents(interval))


def unread(comparison: Comparison) -> tuple[list[str], list[tuple[str, ...]]]:
    """A head and a row for each model and task with replies that could not be read: the accuracy of the others beside the strict one."""
    return ["Task", "Model", "Unread", "All, unread as wrong", "Readable only", "n readable"], [
        (
            f"{one.task} {MARK}" if score.unreadable.many else one.task,
            comparison.names[model],
            score.unreadable.short,
            _share(score.strict),
            "-" if score.readable is None else _share(score.readable),
            str(score.n_readable),
        )
        for one in every(comparison)
        for model, score in enumerate(one.models)
        if score.unreadable.total
    ]


def every_table(comparison: Comparison) -> list[tuple[str, list[str], list[tuple[str, ...]]]]:
    """The tables with their headings."""
    sections = [
        ("Accuracy, and ties", *accuracies(comparison)),
        ("Replies that could not be read", *unread(comparison)),
        ("Pair by pair", *pairs(comparison)),
    ]
    return [(heading, head, rows) for heading, head, rows in sections if rows]


def pairs(comparison: Comparison) -> tuple[list[str], list[tuple[str, ...]]]:
    """A head and a row for each pair of models on each task."""
    return ["Task", "A", "B", "Only A right", "Only B right", "B - A", "95 % interval", "p (Holm)", "Better", "Items to tell apart"], [
        (
            one.task,
            comparison.names[pair.a],
            comparison.names[pair.b],
            str(pair.comparison.only_a),
            str(pair.comparison.only_b),
            *changes(pair.comparison.difference),
            "-" if pair.open else p_value(pair.p),
            better(comparison, pair),
            "-" if pair.open or pair.comparison.required_n is None else f"{pair.comparison.required_n:,}",
        )
        for one, pair in _each_pair(comparison)
    ]


def _each_pair(comparison: Comparison) -> Iterator[tuple[TaskComparison, Pair]]:
    return ((one, pair) for one in every(comparison) for pair in one.pairs)


def p_value(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def in_columns(head: list[str], rows: list[tuple[str, ...]]) -> str:
    """A table for a terminal."""
    widths = [max(len(row[place]) for row in (tuple(head), *rows)) for place in range(len(head))]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n" for row in (head, *rows))


def to_markdown(comparison: Comparison) -> str:
    """The whole comparison as Markdown."""
    lines = [
        f"# {join_names(comparison.names)}",
        *(f"{name}: {words}" for name, words in unread_first(comparison)),
        headline(comparison),
        "\n".join(f"- {fact}" for fact in facts(comparison)),
    ]
    for heading, head, rows in every_table(comparison):
        lines += [f"## {heading}", as_markdown(head, rows).rstrip("\n")]
    return "\n\n".join([*filter(None, lines), CAPTION]) + "\n"


def models_csv(comparison: Comparison) -> str:
    """Shares of 1, a row for each model on each task."""
    rows = [
        (one.task, name, one.n, *shares(score.strict), score.n_readable, *shares(score.readable), one.letters(model))
        for one in every(comparison)
        for model, (name, score) in enumerate(zip(comparison.names, one.models, strict=True))
    ]
    head = ("task", "model", "n", "accuracy", "low", "high", "readable", "readable_accuracy", "readable_low", "readable_high", "ties")
    return as_csv(head, rows)


def pairs_csv(comparison: Comparison) -> str:
    """Shares of 1, a row for each pair of models on each task."""
    head = (
        "task",
        "a",
        "b",
        "n",
        "groups",
        "only_a",
        "only_b",
        "difference",
        "low",
        "high",
        "test",
        "p",
        "p_holm",
        "apart",
        "open",
        "needed",
    )
    rows = [
        (
            one.task,
            comparison.names[pair.a],
            comparison.names[pair.b],
            pair.comparison.n,
            pair.comparison.groups,
            pair.comparison.only_a,
            pair.comparison.only_b,
            pair.comparison.difference.estimate,
            pair.comparison.difference.low,
            pair.comparison.difference.high,
            pair.comparison.test,
            pair.comparison.p,
            pair.p,
            pair.is_significant,
            pair.open,
            "" if pair.comparison.required_n is None else pair.comparison.required_n,
        )
        for one, pair in _each_pair(comparison)
    ]
    return as_csv(head, rows)
