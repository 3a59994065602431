"""The second reading of unparsed responses by a model. It changes no other number of the report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.runs import Run
from isovist.reporting.analysis.second_reading import second_readings
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import RUN, Column, N, Table

_NOTE = (
    "A model (the reader) received the text of the unparsed responses and the answer format, without question, images and key "
    "(`isovist rescore --reader`). Received: responses with the outcome unparsed or refused; empty, filtered and truncated ones have no complete "
    "text. All other numbers of this report count unparsed responses as incorrect. Agreement: proportion of a sample of parsed responses in which "
    "the reader found the same answer as the strict parser; a low agreement means that the extracted answers are unreliable."
)


def second_reading_table(runs: Iterable[Run]) -> Table:
    """One row for each reader of each run."""
    columns = [RUN, Column("reader", "Reader"), N, Column("n_unparsed", "Unparsed", "count"), Column("n_read", "Received", "count")]
    columns += [Column("n_extracted", "Answers found", "count"), Column("accuracy", "Accuracy", "interval")]
    columns += [Column("accuracy_with_extracted", "Accuracy with these answers", "interval")]
    columns += [Column("n_checked", "Checked", "count"), Column("agreement", "Agreement", "interval"), Column("n_check_unclear")]
    rows = [
        (
            *(run.name, result.reader, result.n, result.n_unparsed, result.n_read, result.n_extracted),
            *(result.strict, result.if_counted, result.n_checked, result.agreement, result.n_check_unclear),
        )
        for run in runs
        for result in second_readings(run)
    ]
    return Table(columns, rows)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    table = second_reading_table(run.run for run in runs)
    return [Section("Second reading of unparsed responses", table, _NOTE, file="second_reading.csv")]
