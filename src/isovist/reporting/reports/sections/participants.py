"""The participants and methods of human studies, as their exports state them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isovist.evaluation.run.study_facts import STATEMENTS
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.text_format import join_names, pluralize
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import RUN, Column, Table

_COUNTS = ("begun", "finished", "excluded", "attention_checks", "max_missed")
_NOTE = (
    "Begun: participants with an answer. Finished: those who answered all questions. Excluded: those who missed more attention checks than "
    "the plan allows; no result has their answers. Statements are those of the authors of the study."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    """One column for each study; the CSV file has a row for each run."""
    rows: list[tuple[object, ...]] = []
    studies: dict[tuple[Any, ...], list[str]] = {}
    for run in (run for run in runs if run.info.is_human_run):
        facts, statements = run.info.study, run.info.study.statements if run.info.study else {}
        values = (*(getattr(facts, name, None) for name in _COUNTS), *(statements.get(name) for name in STATEMENTS))
        rows.append((run.name, run.info.n_participants, *values))
        studies.setdefault(values, []).append(run.name)
    labels = [name.replace("_", " ").capitalize() for name in (*_COUNTS, *STATEMENTS)]
    cells = [
        (label, *("not stated" if value is None else str(value) for value in row)) for label, *row in zip(labels, *studies, strict=True)
    ]
    missing = [label.lower() for label, *values in cells if "not stated" in values]
    excluded = sum(values[_COUNTS.index("excluded")] or 0 for values in studies)
    takeaway = f"{pluralize(excluded, 'participant')} excluded by attention checks. " if excluded else ""
    heads = [names[0] if len(names) == 1 else f"{names[0]} and {pluralize(len(names) - 1, 'other run')}" for names in studies.values()]
    return [
        Section(
            "Participants",
            Table([Column("", "Statement"), *(Column("", head) for head in heads)], cells if rows else ()),
            _NOTE,
            takeaway + (f"Not stated: {join_names(missing)}." if missing else ""),
            files={"participants.csv": Table([RUN, *map(Column, ("n_participants", *_COUNTS, *STATEMENTS))], rows)},
        )
    ]
