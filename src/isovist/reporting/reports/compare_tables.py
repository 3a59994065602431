"""The sentences and tables of a comparison of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isovist.reporting.analysis.text_format import in_tasks, join_names, pluralize
from isovist.reporting.analysis.unparsed_responses import MANY_UNPARSED, MARK, NO_ORDER
from isovist.reporting.reports import participants
from isovist.reporting.reports.compare import Comparison, Pair, TaskComparison
from isovist.reporting.reports.table import FEW_MARK, FEW_NOTE, TASK, Column, N, Table, ci_text, p_sentence
from isovist.stats.pairwise_tests import ALPHA, FEWEST, POWER

_MAX_RANKED = 4
"""The headline ranks at most so many models; of more, it names the best."""
CAPTION = (
    "Accuracies are of the items that every run has, in per cent with 95% CIs; that over all tasks is their mean, each task with the same weight, as in a "
    "report and a leaderboard. Refused, filtered and unparsed responses are incorrect; items that are not scored widen the interval. Chance-corrected: 0 = chance, 100 = perfect. Models that share a letter do not differ significantly "
    f"on that task (p < {ALPHA:g}, Holm-adjusted over all pairs of models and all tasks). Differences are paired by item, on the items "
    "that are scored in every run, with 95% CIs (Bonett and Price); items that share an image are one cluster. The tests are exact: McNemar's test, or a sign-flip test of the clusters. "
    f"Required n: the number of items at which the test finds a difference of the observed size with {POWER:.0%} power. "
    f"{FEW_MARK}: {FEW_NOTE}. {MARK}: {MANY_UNPARSED}. Inconclusive: if these were correct, or if more than 5% of the items are "
    "not scored, the CIs of the two models would overlap."
)


def better_model(comparison: Comparison, pair: Pair) -> str:
    """The name of the more accurate model of two, if they differ significantly."""
    if pair.is_inconclusive:
        return "inconclusive"
    return (
        comparison.names[pair.b if pair.comparison.difference.estimate > 0 else pair.a]
        if pair.is_significant
        else "no significant difference"
    )


def unparsed_first(comparison: Comparison) -> list[tuple[str, str]]:
    """The first sentences on each model with many unparsed responses, over all tasks or in some of them."""
    notes: list[tuple[str, str]] = []
    for model, (name, info) in enumerate(zip(comparison.names, comparison.infos, strict=True)):
        whole = comparison.whole.models[model]
        tasks = [task for task in comparison.tasks if task.models[model].unparsed.many]
        if whole.unparsed.many:
            text = f"Unparsed responses: {whole.unparsed.counts_text}. {whole.unparsed.remedy(info)} {whole.sentence}"
            notes.append((name, f"{text} {NO_ORDER}"))
        elif tasks:
            where = in_tasks([task.task for task in tasks])
            counts = "; ".join(task.models[model].unparsed.short for task in tasks)
            remedy = tasks[0].models[model].unparsed.remedy(info)
            notes.append((name, f"Unparsed responses {where}: {counts}. {remedy} {NO_ORDER}"))
    return notes


def headline(comparison: Comparison) -> str:
    """The result over all tasks; empty if every pair is inconclusive."""
    return " ".join(_headline_sentences(comparison))


def _headline_sentences(comparison: Comparison) -> list[str]:
    where = "over all tasks" if comparison.tasks[1:] else in_tasks([comparison.tasks[0].task])
    by_accuracy = sorted(range(len(comparison.names)), key=lambda model: -comparison.whole.models[model].strict.estimate)
    ranked = by_accuracy if len(by_accuracy) <= _MAX_RANKED else by_accuracy[:1]
    sentences: list[str] = []
    for model in ranked:
        if pairs := _won(comparison, comparison.whole, model):
            others = join_names([f"{comparison.names[pair.a + pair.b - model]} ({_difference(pair)})" for pair in pairs])
            sentences.append(f"{comparison.names[model]} is significantly more accurate than {others} {where}.")
    groups = [join_names([comparison.names[model] for model in group]) for group in comparison.whole.groups if len(group) > 1]
    sentences += [f"No significant difference between {names} {where}." for names in groups]
    if len(comparison.names) == 2 and len(comparison.tasks) > 1:
        tested = [task for task in comparison.tasks if not task.pairs[0].is_inconclusive]
        counts = [(name, sum(bool(_won(comparison, task, model)) for task in tested)) for model, name in enumerate(comparison.names)]
        won = [f"{name} in {count}" for name, count in counts if count]
        excluded = " whose order unparsed responses cannot reverse" if len(tested) < len(comparison.tasks) else ""
        if tested:
            n_tasks = pluralize(len(tested), "task")
            result = f"Significantly more accurate: {' and '.join(won)}" if won else "No significant difference in any"
            sentences.append(f"{result} of {n_tasks}{excluded}.")
    return sentences


def _won(comparison: Comparison, task: TaskComparison, model: int) -> list[Pair]:
    """The pairs in which a model is significantly more accurate."""
    pairs = [pair for pair in task.pairs if model in (pair.a, pair.b)]
    return [pair for pair in pairs if better_model(comparison, pair) == comparison.names[model]]


def _difference(pair: Pair) -> str:
    """In favour of the better model, in percentage points."""
    return f"difference {abs(100 * pair.comparison.difference.estimate):.1f} points, {p_sentence(pair.p)}"


def facts(comparison: Comparison) -> list[str]:
    """What a reader needs before the numbers: excluded items and different settings."""
    named = list(zip(comparison.names, comparison.infos, strict=True))
    sentences = [
        f"{pluralize(comparison.whole.n, 'item')} in {pluralize(len(comparison.tasks), 'task')}, scored in every run.",
        *comparison.caveats,
        *participants.facts(named),
    ]
    if comparison.excluded_tasks:
        sentences.append(f"Excluded tasks without an item that is scored in every run: {', '.join(comparison.excluded_tasks)}.")
    for name, n_unshared, n_unscored in zip(comparison.names, comparison.n_unshared, comparison.n_unscored, strict=True):
        if n_unshared:
            sentences.append(f"{name}: {pluralize(n_unshared, 'item')} excluded, not in every run.")
        if n_unscored:
            reason = "request errors, not presented, or not answered by a participant"
            effect = "They widen its intervals, and are excluded from tests."
            sentences.append(f"{name}: {pluralize(n_unscored, 'item')} not scored ({reason}). {effect} Finish the run to include them.")
    if few := [task.task for task in every(comparison) if task.pairs[0].comparison.groups < FEWEST]:
        sentences.append(f"Too few items for a significant difference (fewer than {FEWEST} clusters): {', '.join(few)}.")
    if comparison.changed_images:
        items = pluralize(comparison.changed_images, "item")
        sentences.append(f"{items} had different images in the runs (another renderer, or changed data), which may cause differences.")
    for setting, values in comparison.settings.items():
        by_run = ", ".join(f"{value} ({name})" for name, value in zip(comparison.names, values, strict=True))
        sentences.append(f"Different settings: {setting} is {by_run}.")
    return sentences


def every(comparison: Comparison) -> tuple[TaskComparison, ...]:
    """Each task, and all together if there are several."""
    return (*comparison.tasks, comparison.whole) if len(comparison.tasks) > 1 else comparison.tasks


def tables(comparison: Comparison, pairs: Table) -> list[tuple[str, Table]]:
    """The tables of the page, Markdown and the terminal with their headings; `pairs` is `pairs_table`."""
    accuracies = [
        (task.task, task.n, *(f"{ci_text(model.strict)} {task.letters(place) or MARK}" for place, model in enumerate(task.models)))
        for task in every(comparison)
    ]
    corrected = (ci_text(each.chance_corrected, kind="points") for each in comparison.whole.overall)
    accuracies.append(("all tasks, chance-corrected", comparison.whole.n, *corrected))
    unparsed = [
        (
            f"{task.task} {MARK}" if model.unparsed.many else task.task,
            *(name, model.unparsed.short, ci_text(model.strict), ci_text(model.parsed_only) if model.parsed_only else None, model.n_parsed),
        )
        for task in every(comparison)
        for name, model in zip(comparison.names, task.models, strict=True)
        if model.unparsed.total
    ]
    heads = ("Task", "Model", "Unparsed", "Unparsed scored as incorrect", "Parsed only", "n parsed")
    by_heading = {
        "Accuracy and compact letter display": Table([Column("", "Task"), N, *(Column("", name) for name in comparison.names)], accuracies),
        "Unparsed responses": Table([Column("", head) for head in heads], unparsed),
        "Pairwise comparisons": pairs,
    }
    return [(heading, table) for heading, table in by_heading.items() if table.rows]


def pairs_table(comparison: Comparison) -> Table:
    """A row for each pair of models on each task; CSV: shares of 1."""
    columns = [Column("task", "Task"), Column("model_a", "A"), Column("model_b", "B"), Column("n"), Column("n_clusters")]
    columns += [Column("n_only_a_correct", "Only A correct", "count"), Column("n_only_b_correct", "Only B correct", "count")]
    columns += [Column("difference", "B - A", "change"), Column("test"), Column("p"), Column("p_adjusted"), Column("", "p (Holm)")]
    columns += [
        Column("significant"),
        Column("", "More accurate"),
        Column("inconclusive"),
        Column("required_n"),
        Column("", "Required n", "count"),
    ]
    rows: list[Sequence[object]] = []
    for task in every(comparison):
        for pair in task.pairs:
            paired = pair.comparison
            rows.append(
                (
                    *(task.task, comparison.names[pair.a], comparison.names[pair.b], paired.n, paired.groups, paired.only_a, paired.only_b),
                    *(paired.difference, paired.test, paired.p, pair.p, None if pair.is_inconclusive else p_value(pair.p)),
                    *(pair.is_significant, better_model(comparison, pair), pair.is_inconclusive, paired.required_n),
                    None if pair.is_inconclusive else paired.required_n,
                )
            )
    return Table(columns, rows)


def p_value(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def in_columns(table: Table) -> str:
    """A table for a terminal."""
    lines = [list(table.heads), *table.texts]
    widths = [max(len(line[place]) for line in lines) for place in range(len(table.heads))]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n" for line in lines)


def to_markdown(comparison: Comparison, shown: Mapping[str, Table]) -> str:
    """The whole comparison as Markdown, with these tables by heading."""
    lines = [
        f"# {join_names(comparison.names)}",
        *(f"{name}: {text}" for name, text in unparsed_first(comparison)),
        headline(comparison),
        "\n".join(f"- {fact}" for fact in facts(comparison)),
    ]
    for heading, table in shown.items():
        lines += [f"## {heading}", table.markdown().rstrip("\n")]
    return "\n\n".join([*filter(None, lines), CAPTION]) + "\n"


def models_table(comparison: Comparison) -> Table:
    """A row for each model on each task, shares of 1."""
    columns = [TASK, *map(Column, ("model", "n")), Column("accuracy", kind="interval"), Column("n_parsed")]
    columns += [Column("accuracy_parsed", kind="interval"), Column("chance_corrected", kind="points"), Column("significance_group")]
    rows = [
        (
            *(task.task, name, model.unparsed.n, model.strict, model.n_parsed, model.parsed_only),
            *(task.overall[place].chance_corrected, task.letters(place)),
        )
        for task in every(comparison)
        for place, (name, model) in enumerate(zip(comparison.names, task.models, strict=True))
    ]
    return Table(columns, rows)
