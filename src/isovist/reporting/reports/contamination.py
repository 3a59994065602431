"""The sentences and the table of a comparison of public with private items."""

from __future__ import annotations

from isovist.reporting.analysis.contamination import SIDES, Contamination, SeedDifference
from isovist.reporting.analysis.text_format import pluralize
from isovist.reporting.reports.table import FEW_MARK, FEW_NOTE, Column, Table, p_sentence
from isovist.stats.pairwise_tests import ALPHA, POWER

_COLUMNS = (
    Column("scope"),
    Column("name", "Task"),
    Column("n_public", "n public", "count"),
    Column("n_private", "n private", "count"),
    Column("accuracy_public", "Public", "percent"),
    Column("accuracy_private", "Private", "percent"),
    Column("difference", "Public - private", "change"),
    Column("p"),
    Column("p_adjusted", "p (one-sided)", "p"),
    Column("detectable_difference"),
    Column("", "Detectable (pp)"),
)


def table(contamination: Contamination) -> Table:
    """A row for all tasks, for each suite if there are several, and for each task; CSV: shares of 1."""
    rows = [("all", contamination.whole), *(("suite", each) for each in contamination.suites)]
    if len(contamination.tasks) > 1:
        rows += [("task", each) for each in contamination.tasks]
    return Table(_COLUMNS, [_row(scope, each) for scope, each in rows])


def _row(scope: str, each: SeedDifference) -> tuple[object, ...]:
    result = each.comparison
    return (
        *(scope, each.name, each.n_public, each.n_private, result.mean_a, result.mean_b, result.difference),
        *(result.p_greater, each.p, result.detectable, f"{100 * result.detectable:.1f}"),
    )


def headline(contamination: Contamination) -> list[str]:
    """The result over all tasks, and its meaning."""
    whole = contamination.whole
    result = whole.comparison
    low, high = 100 * result.difference.low, 100 * result.difference.high
    values = f"{100 * result.difference.estimate:+.1f} points [{low:.1f}, {high:.1f}], one-sided {p_sentence(whole.p)}"
    accuracies = f"{100 * result.mean_a:.1f}% on public items, {100 * result.mean_b:.1f}% on private items"
    first = f"{contamination.model}: accuracy {accuracies}; difference {values}."
    undetected = f"Differences below about {100 * result.detectable:.1f} points may remain undetected ({POWER:.0%} power)."
    if whole.p < ALPHA:
        meaning = "The accuracy is significantly higher on the public items. This is evidence of memorised items, as both sets are drawn from the same distribution."
    else:
        meaning = "The accuracy is not significantly higher on the public items. This does not prove that there is no contamination."
    suites = [each.name for each in contamination.suites if each.p < ALPHA]
    tasks = [each.name for each in contamination.tasks if each.p < ALPHA] if len(contamination.tasks) > 1 else []
    lists = [
        f"Significantly higher on public items (Holm-adjusted over the {noun}): {', '.join(names)}."
        for noun, names in (("suites", suites), ("tasks", tasks))
        if names
    ]
    return [first, meaning, undetected, *lists]


def facts(contamination: Contamination) -> list[str]:
    """What restricts the comparison."""
    whole = contamination.whole
    counts = f"{pluralize(whole.n_public, 'public item')} and {pluralize(whole.n_private, 'private item')}"
    sentences = [
        f"{counts} in {pluralize(len(contamination.tasks), 'task')}.",
        "Tasks have equal weights. Levels are strata. Items that share an image are one cluster.",
        "The p-values are one-sided; those of suites and of tasks are Holm-adjusted.",
        *contamination.caveats,
    ]
    for side, n_unscored, unparsed in zip(SIDES, contamination.n_unscored, contamination.unparsed, strict=True):
        if n_unscored:
            sentences.append(f"{pluralize(n_unscored, f'{side} item')} excluded, not scored. Finish the run to include them.")
        if unparsed.many:
            sentences.append(
                f"Unparsed responses to {side} items: {unparsed.counts_text}. They count as incorrect and may cause a difference."
            )
    if contamination.n_unmatched:
        sentences.append(f"{pluralize(contamination.n_unmatched, 'item')} excluded: the other set has no item of the level.")
    if contamination.other_server:
        sentences.append("The runs used different servers or served models, which may cause a difference.")
    if any(each.comparison.difference.too_few_clusters for each in (whole, *contamination.suites, *contamination.tasks)):
        sentences.append(f"{FEW_MARK}: {FEW_NOTE}.")
    return sentences
