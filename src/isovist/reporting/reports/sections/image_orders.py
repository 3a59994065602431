"""Image order: items presented with their images in several orders (ACC_q and ACC_p of CoSpace).

CoSpace has one other order, a rotated first view, so its prompts come in pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.text_format import not_scored
from isovist.reporting.analysis.variants import Pairs, family_label
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.sections.takeaways import largest
from isovist.reporting.reports.table import N_UNSCORED, RUN, TASK, Column, N, Table
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.paired_differences import Difference, paired_difference

CAPTION = (
    "By prompt (ACC_q): the mean credit over the prompts of an item, one for each order. All prompts (ACC_p): the proportion of items with "
    "full credit in all of them; more orders make this harder. Consistency gap: the difference. Items that share a scene are treated as one cluster."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    columns = [
        TASK,
        RUN,
        Column("order"),
        Column("", "Image order"),
        N,
        N_UNSCORED,
        Column("prompts_per_item", "Prompts per item", "number"),
    ]
    columns += [Column("acc_q", "By prompt (ACC_q)", "interval"), Column("acc_p", "All prompts (ACC_p)", "interval")]
    columns.append(Column("consistency_gap", "Consistency gap", "interval"))
    rows = [
        (task.task, run.name, name.partition(":")[2], family_label(name), len(pairs.standard), pairs.n_unscored, *_values(pairs))
        for run in runs
        for task in run.tasks
        for name, pairs in task.variant_results.items()
        if name.startswith("order:")
    ]
    gaps = [(row[-1], f"{row[0]}, {row[1]}" if len(runs) > 1 else str(row[0])) for row in rows if isinstance(row[-1], Difference)]
    takeaway = largest("Largest consistency gap", gaps) if gaps else ""
    return [Section("Image order", Table(columns, rows), CAPTION, takeaway, file="image_orders.csv")]


def _values(pairs: Pairs) -> tuple[object, ...]:
    """The number of prompts ("2", or "3 to 4" where items differ), ACC_q, ACC_p and the gap."""
    counts = sorted(set(pairs.n_trials))
    n_prompts = " to ".join(map(str, dict.fromkeys((counts[0], counts[-1])))) if counts else "-"
    if pairs.n_unscored or not counts:
        return n_prompts, not_scored(pairs.n_unscored), None, None
    gap = paired_difference([mean - every for mean, every in zip(pairs.means, pairs.all_correct, strict=True)], pairs.clusters)
    # an item that is correct in all prompts is correct in each: no gap is negative
    gap = replace(gap, low=max(0.0, gap.low))
    return n_prompts, clustered_mean(pairs.means, pairs.clusters), clustered_mean(pairs.all_correct, pairs.clusters), gap
