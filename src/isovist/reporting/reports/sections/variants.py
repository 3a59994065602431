"""Variants: items in other conditions, compared with the same items in the standard condition."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.evaluation.run.variants import STRUCTURED
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.text_format import not_scored
from isovist.reporting.analysis.variants import Comparison, family_label
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections import takeaways
from isovist.reporting.reports.table import FEW_MARK, FEW_NOTE, N_UNSCORED, RUN, TASK, Column, N, Table

CAPTION = (
    "Each item is compared with itself in the standard condition; a negative difference is a lower accuracy in the variant. Items that share an "
    "image are treated as one cluster. For rotated options and repeated epochs, an item counts with the mean of its trials. Agreement: items with "
    "the same answer (the same option, whatever its label) in all trials. Unparsed: proportion of unparsed responses; for structured replies, "
    f"its decrease is what reading free text costs. {FEW_MARK}: {FEW_NOTE}."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    columns = [TASK, RUN, Column("variant"), Column("", "Variant"), N, N_UNSCORED, Column("standard", "Standard", "percent")]
    columns += [Column("variant_accuracy", "Variant", "percent"), Column("difference", "Difference", "change")]
    columns += [Column("agreement_rate", "Agreement", "percent"), Column("correct_in_all_rate", "All correct", "percent")]
    columns += [Column("unparsed_standard", "Unparsed, standard", "percent"), Column("unparsed_variant", "Unparsed, variant", "percent")]
    columns.append(Column("too_few_clusters"))
    comparisons = [(task, comparison) for run in runs for task in run.tasks for comparison in task.comparisons]
    starts = [(task.task, task.run, entry.name, family_label(entry.name), entry.n, entry.n_unscored) for task, entry in comparisons]
    values = [_values(comparison) for _, comparison in comparisons]
    hidden = [(None, None, not_scored(comparison.n_unscored), None, None, None, None, None) for _, comparison in comparisons]
    shown = [
        (*start, *(withheld if comparison.n_unscored else value))
        for start, withheld, value, (_, comparison) in zip(starts, hidden, values, comparisons, strict=True)
    ]
    every = Table(columns, [(*start, *value) for start, value in zip(starts, values, strict=True)])
    differences = [(task.run, each.difference) for task, each in comparisons if each.n and not each.n_unscored]
    takeaway = takeaways.counts(
        runs,
        ((run, not difference.low <= 0 <= difference.high) for run, difference in differences),
        "comparison",
        "a significant difference from the standard condition",
        "95% CIs, not adjusted",
        verb="have",
    )
    note = " ".join(filter(None, (CAPTION, *map(_refused_schemas, runs))))
    return [Section("Variants", Table(columns, shown), note, takeaway, files={"variants.csv": every})]


def _values(comparison: Comparison) -> tuple[object, ...]:
    start = (comparison.standard, comparison.variant.estimate, comparison.difference)
    ends = (comparison.unparsed_standard, comparison.unparsed_variant, comparison.difference.too_few_clusters)
    return (*start, comparison.agreement_rate, comparison.correct_in_all, *ends)


def _refused_schemas(run: RunResults) -> str:
    """A sentence on structured replies that were requested as free text; "" without any."""
    structured = [entry for task in run.tasks for entry in task.comparisons if entry.name == STRUCTURED]
    refused = sum(entry.n_schemas_refused for entry in structured)
    replies = f"{refused:,} of {sum(entry.n for entry in structured):,} structured replies"
    return f"{run.name}: the server refused the JSON schema of {replies}, which were requested as free text." if refused else ""
