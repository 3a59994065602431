"""Repeated epochs: what several responses to one item achieve, and what a correct one costs."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.repeated_epochs import KS, mean_majority, mean_pass_at
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import FEW_MARK, FEW_NOTE, RUN, TASK, Column, N, Table

CAPTION = (
    "pass@k: the probability that at least one of k responses to an item is correct; pass@all: of all epochs. "
    "Majority: the credit of the most frequent answer of each item; the mean credit of several that are equally frequent, 0 without a parsed "
    "response. Tokens per correct answer: output tokens of all responses, divided by the number of correct ones. Items are those with a "
    f"score in every epoch; partial credit counts as incorrect in pass@k. {FEW_MARK}: {FEW_NOTE}."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    every = [(task, each) for run in runs for task in run.tasks if (each := task.repeated_epochs)]
    ks = [k for k in KS if not every or any(k < each.n_epochs for _, each in every)]
    columns = [TASK, RUN, Column("epochs", "Epochs", "count"), N]
    columns += [Column(f"pass_at_{k}", f"pass@{k}", "interval") for k in ks]
    columns += [Column("pass_at_all", "pass@all", "interval")]
    columns += [Column("majority", "Majority", "interval"), Column("tokens_per_correct", "Tokens per correct answer", "units")]
    rows = [
        (
            *(task.task, task.run, each.n_epochs, len(each.correct)),
            *(mean_pass_at([each], k) if k < each.n_epochs else None for k in ks),
            *(mean_pass_at([each], each.n_epochs), mean_majority([each]), each.tokens_per_correct),
        )
        for task, each in every
    ]
    takeaway = ""
    if every:
        most = max(each.n_epochs for _, each in every)
        gains = [mean_pass_at([each], each.n_epochs).estimate - mean_pass_at([each], 1).estimate for _, each in every]
        takeaway = f"At least one of {most} responses is correct in {100 * sum(gains) / len(gains):.1f} percentage points more of the items than one response."
    return [Section("Repeated epochs", Table(columns, rows), CAPTION, takeaway, file="epochs.csv")]
