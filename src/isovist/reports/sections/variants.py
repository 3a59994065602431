"""Variants: items in other conditions, compared with the same items in the standard condition."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.analysis.collect import RunResults
from isovist.analysis.text_format import not_scored
from isovist.analysis.variants import Comparison, family_label
from isovist.reports.section import Section
from isovist.reports.table import FEW_MARK, FEW_NOTE, N_UNSCORED, RUN, TASK, Column, N, Table

CAPTION = (
    "Each item is compared with itself in the standard condition; a negative difference is a lower accuracy in the variant. Items that share an "
    "image are treated as one cluster. For rotated options and repeated epochs, an item counts with the mean of its trials. Agreement: items with "
    f"the same answer (the same option, whatever its label) in all trials. {FEW_MARK}: {FEW_NOTE}."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    columns = [TASK, RUN, Column("variant"), Column("", "Variant"), N, N_UNSCORED, Column("standard", "Standard", "percent")]
    columns += [Column("variant_accuracy", "Variant", "percent"), Column("difference", "Difference", "change")]
    columns += [Column("agreement_rate", "Agreement", "percent"), Column("correct_in_all_rate", "All correct", "percent")]
    columns.append(Column("too_few_clusters"))
    comparisons = [(task, comparison) for run in runs for task in run.tasks for comparison in task.comparisons]
    starts = [(task.task, task.run, entry.name, family_label(entry.name), entry.n, entry.n_unscored) for task, entry in comparisons]
    values = [_values(comparison) for _, comparison in comparisons]
    hidden = [(None, None, not_scored(comparison.n_unscored), None, None, None) for _, comparison in comparisons]
    shown = [
        (*start, *(withheld if comparison.n_unscored else value))
        for start, withheld, value, (_, comparison) in zip(starts, hidden, values, comparisons, strict=True)
    ]
    every = Table(columns, [(*start, *value) for start, value in zip(starts, values, strict=True)])
    return [Section("Variants", Table(columns, shown), CAPTION, files={"variants.csv": every})]


def _values(comparison: Comparison) -> tuple[object, ...]:
    start = (comparison.standard, comparison.variant.estimate, comparison.difference)
    return (*start, comparison.agreement_rate, comparison.correct_in_all, comparison.difference.too_few_clusters)
