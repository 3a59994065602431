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
NOTE = (
    "Accuracies are of the items that every run has a verdict for. Models that share a letter cannot be told apart on that task: no test "
    f"between them has a p-value below {ALPHA:g}, by Holm's method over all pairs of models and all tasks. Differences are of credits "
    "item by item, with 95 % intervals (Bonett and Price) over groups of items that share a picture; their tests are exact (McNemar's, "
    "or flipped signs of the groups). Items to tell apart: as many as a test between the two needs to find a difference as large as the "
    f"one that was seen, {POWER:.0%} of the time. {FEW_MARK}: {FEW_WORDS}. "
    f"{MARK}, open: {UNREAD_MANY}, so that the difference may come from these and is not told."
)


def better(it: Comparison, pair: Pair) -> str:
    """The name of the better model of two, if they can be told apart."""
    if pair.open:
        return "open"
    return it.names[pair.b if pair.found.difference.estimate > 0 else pair.a] if pair.is_significant else "tied"


def unread_first(it: Comparison) -> list[tuple[str, str]]:
    """What is told before anything else of each model of which many replies could not be read, over all or in some tasks."""
    told: list[tuple[str, str]] = []
    for model, (name, info) in enumerate(zip(it.names, it.infos, strict=True)):
        whole, tasks = it.whole.models[model], [one for one in it.tasks if one.models[model].unreadable.many]
        if whole.unreadable.many:
            own = whole.unreadable
            told.append((name, f"{own.words}, so that how it differs from others is not told: {own.remedy(info)}. {whole.words}"))
        elif tasks:
            own = tasks[0].models[model].unreadable
            where = ", ".join(f"{one.task} ({one.models[model].unreadable.short})" for one in tasks)
            told.append((name, f"Many replies could not be read in {where}, so that how it differs there is not told: {own.remedy(info)}."))
    return told


def headline(it: Comparison) -> str:
    """What came out over all tasks, in a sentence or two; empty where nothing can be said."""
    where = "over all tasks" if it.tasks[1:] else f"in {it.tasks[0].task}"
    told = [
        f"{join_names([it.names[model] for model in chosen])} cannot be told apart {where}." for chosen in it.whole.ties if len(chosen) > 1
    ]
    by_credit = sorted(range(len(it.names)), key=lambda model: -it.whole.models[model].strict.estimate)
    ranked = by_credit if len(by_credit) <= _RANKED else by_credit[:1]
    told[:0] = [f"{it.names[model]} is better than {join_names(others)} {where}." for model in ranked if (others := _beaten(it, model))]
    won: dict[str, int] = {}
    for task in it.tasks:
        for pair in task.pairs:
            if pair.is_significant:
                won[better(it, pair)] = won.get(better(it, pair), 0) + 1
    if len(it.names) == 2 and len(it.tasks) > 1:
        apart = [f"{name} is better on {count}" for name, count in won.items()]
        open_ = sum(task.pairs[0].open for task in it.tasks)
        if open_ < len(it.tasks):
            known = f"Of {len(it.tasks) - open_} tasks{' whose replies could be read' if open_ else ''}, "
            told.append(f"{known}{', '.join(apart) if apart else 'none tells them apart'}.")
    return " ".join(told)


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


def _beaten(it: Comparison, model: int) -> list[str]:
    """The names of those that a model is better than over all tasks."""
    mine = [pair for pair in it.whole.pairs if model in (pair.a, pair.b)]
    return [it.names[pair.a + pair.b - model] for pair in mine if better(it, pair) == it.names[model]]


def facts(it: Comparison) -> list[str]:
    """What a reader has to know before the numbers: what was left out, and what was set differently."""
    told = [
        f"{pluralize(it.whole.n, 'item')} of {pluralize(len(it.tasks), 'task')}, each with a verdict of every run.",
        *(fact for name, reading in zip(it.names, it.readings, strict=True) if (fact := reading.fact(name))),
        *participants.facts(zip(it.names, it.infos, strict=True)),
    ]
    if it.excluded_tasks:
        told.append(f"Left out, as no item of them has a verdict of every run: {', '.join(it.excluded_tasks)}.")
    for name, alone, faults in zip(it.names, it.alone, it.faults, strict=True):
        if alone:
            told.append(f"{name}: {pluralize(alone, 'item')} that not every other run was asked {_is(alone)} left out.")
        if faults:
            told.append(
                f"{name}: {pluralize(faults, 'item')} without a verdict (machine faults, never asked, or not answered by a person) {_is(faults)} "
                "left out, until the run is finished."
            )
    if few := [one.task for one in every(it) if one.pairs[0].found.groups < FEWEST]:
        told.append(
            f"Too few items for any test to tell models apart, however they differ (fewer than {FEWEST} pictures): {', '.join(few)}."
        )
    if it.changed_images:
        told.append(
            f"{pluralize(it.changed_images, 'item')} did not show the same pictures in every run: drawn otherwise, or changed since; what differs may be theirs."
        )
    for setting, values in it.settings.items():
        differs = ", ".join(f"{value} ({name})" for name, value in zip(it.names, values, strict=True))
        told.append(f"Set differently: {setting} is {differs}.")
    return told


def every(it: Comparison) -> tuple[TaskComparison, ...]:
    """Each task, and all together where there are several."""
    return (*it.tasks, it.whole) if len(it.tasks) > 1 else it.tasks


def accuracies(it: Comparison) -> tuple[list[str], list[tuple[str, ...]]]:
    """A head and a row a task: each model's accuracy, and the letters of its ties."""
    rows = [
        (one.task, str(one.n), *(f"{_share(own.strict)} {one.letters(model) or MARK}" for model, own in enumerate(one.models)))
        for one in every(it)
    ]
    return ["Task", "n", *it.names], rows


def _share(own: ConfidenceInterval) -> str:
    return "{} [{}]".format(*percents(own))


def unread(it: Comparison) -> tuple[list[str], list[tuple[str, ...]]]:
    """A head and a row for each model and task with replies that could not be read: the accuracy of the others beside the strict one."""
    return ["Task", "Model", "Unread", "All, unread as wrong", "Readable only", "n readable"], [
        (
            f"{one.task} {MARK}" if own.unreadable.many else one.task,
            it.names[model],
            own.unreadable.short,
            _share(own.strict),
            "-" if own.readable is None else _share(own.readable),
            str(own.n_readable),
        )
        for one in every(it)
        for model, own in enumerate(one.models)
        if own.unreadable.total
    ]


def every_table(it: Comparison) -> list[tuple[str, list[str], list[tuple[str, ...]]]]:
    """The tables with their headings."""
    found = [("Accuracy, and ties", *accuracies(it)), ("Replies that could not be read", *unread(it)), ("Pair by pair", *pairs(it))]
    return [(heading, head, rows) for heading, head, rows in found if rows]


def pairs(it: Comparison) -> tuple[list[str], list[tuple[str, ...]]]:
    """A head and a row for each pair of models on each task."""
    return ["Task", "A", "B", "Only A right", "Only B right", "B - A", "95 % interval", "p (Holm)", "Better", "Items to tell apart"], [
        (
            one.task,
            it.names[pair.a],
            it.names[pair.b],
            str(pair.found.only_a),
            str(pair.found.only_b),
            *changes(pair.found.difference),
            "-" if pair.open else p_value(pair.p),
            better(it, pair),
            "-" if pair.open or pair.found.required_n is None else f"{pair.found.required_n:,}",
        )
        for one, pair in _each_pair(it)
    ]


def _each_pair(it: Comparison) -> Iterator[tuple[TaskComparison, Pair]]:
    return ((one, pair) for one in every(it) for pair in one.pairs)


def p_value(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def in_columns(head: list[str], rows: list[tuple[str, ...]]) -> str:
    """A table for a terminal."""
    widths = [max(len(row[place]) for row in (tuple(head), *rows)) for place in range(len(head))]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n" for row in (head, *rows))


def markdown(it: Comparison) -> str:
    """The whole comparison as Markdown."""
    told = [
        f"# {join_names(it.names)}",
        *(f"{name}: {words}" for name, words in unread_first(it)),
        headline(it),
        "\n".join(f"- {fact}" for fact in facts(it)),
    ]
    for heading, head, rows in every_table(it):
        told += [f"## {heading}", as_markdown(head, rows).rstrip("\n")]
    return "\n\n".join([*filter(None, told), NOTE]) + "\n"


def models_csv(it: Comparison) -> str:
    """Shares of 1, a row for each model on each task."""
    rows = [
        (one.task, name, one.n, *shares(own.strict), own.n_readable, *shares(own.readable), one.letters(model))
        for one in every(it)
        for model, (name, own) in enumerate(zip(it.names, one.models, strict=True))
    ]
    head = ("task", "model", "n", "accuracy", "low", "high", "readable", "readable_accuracy", "readable_low", "readable_high", "ties")
    return as_csv(head, rows)


def pairs_csv(it: Comparison) -> str:
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
            it.names[pair.a],
            it.names[pair.b],
            pair.found.n,
            pair.found.groups,
            pair.found.only_a,
            pair.found.only_b,
            pair.found.difference.estimate,
            pair.found.difference.low,
            pair.found.difference.high,
            pair.found.test,
            pair.found.p,
            pair.p,
            pair.is_significant,
            pair.open,
            "" if pair.found.required_n is None else pair.found.required_n,
        )
        for one, pair in _each_pair(it)
    ]
    return as_csv(head, rows)
