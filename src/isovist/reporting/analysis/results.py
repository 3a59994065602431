"""The results table of runs: one row for each item and variant of each run, with typed columns.

`COLUMNS` defines the columns. Costs are sums over all attempts at a trial; every other value is of the attempt that counts: the last one
without a request error, else the last one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from isovist.common.errors import optional_package
from isovist.data.dataset import parquet
from isovist.evaluation.run.run_folder import RunMetadata
from isovist.evaluation.run.verification import Verifier
from isovist.reporting.analysis.item_table import NAME, TEXTS
from isovist.reporting.analysis.joined_table import joined
from isovist.reporting.analysis.runs import load_runs

_TEXT, _INTEGER, _REAL = pa.string(), pa.int32(), pa.float64()


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the results table."""

    name: str
    type: pa.DataType
    description: str


COLUMNS: tuple[Column, ...] = (
    Column(
        "run",
        NAME,
        "Name of the run: its model, with the end of its folder where several runs have the same model. Folders of one evaluation are one run.",
    ),
    Column("model", NAME, "Model, as in `run.json`."),
    Column("suite", NAME, "Suite of the task."),
    Column("task", NAME, "Task id, such as `cdr/relative-compass-letter`."),
    Column("split", NAME, "Split of the item."),
    Column("seed", pa.int64(), "Seed of the item."),
    Column("index", _INTEGER, "Index of the item within its task, split and seed."),
    Column("level", NAME, "Difficulty level."),
    Column("size", _INTEGER, "The level as a number, for tasks whose levels are problem sizes; else null."),
    Column("cluster", _TEXT, "Items of one cluster share an image or a scene, so their scores are correlated."),
    Column("item_id", _TEXT, "Id of the item."),
    Column("image_mode", NAME, "`joint` or `caption-first`."),
    Column("prompt_style", NAME, "Prompt style of the run's standard condition; `template:` and a hash for a prompt template."),
    Column("variant", NAME, "Variant, such as `no-image`, `circular:2` or `shots:4`; empty for the standard condition."),
    Column("variant_family", NAME, "Variant without its number, such as `circular`; `shots:4` keeps it."),
    Column("outcome", NAME, "Outcome of the response; `not-presented` for a trial without a record."),
    Column("credit", _REAL, "Credit in [0, 1]; null for trials that are not scored (request errors, not presented)."),
    Column("published_credit", _REAL, "Credit by the scorer of the paper; null without one."),
    Column("chance", _REAL, "Expected credit of random guessing at this item."),
    Column(
        "shortcut_accuracy",
        _REAL,
        "Measured accuracy of the best rule without the claimed skill, or without a part of it, at this level; null if not measured.",
    ),
    Column("answer_type", NAME, "Answer type, such as `choice`."),
    Column("key", _TEXT, "Answer key in canonical form; for a choice, the option label in this variant."),
    Column("parsed_answer", _TEXT, "Parsed answer in canonical form; null for an unparsed response."),
    Column("n_options", _INTEGER, "Number of options; null for other answer types."),
    Column("key_index", _INTEGER, "Position of the key among the options as presented, from 0."),
    Column("chosen_index", _INTEGER, "Position of the chosen option as presented, from 0."),
    Column("key_text", _TEXT, "Text of the key; for other answer types, its category."),
    Column("chosen_text", _TEXT, "Text of the chosen option; for other answer types, the parsed answer."),
    Column("options", TEXTS, "Texts of the options as presented."),
    Column("distractor_type", NAME, "Most specific distractor type of the chosen option; null for a correct or unparsed response."),
    Column("distractor_types", TEXTS, "Distractor types of each option as presented, joined by `; `; empty for the key."),
    Column("angular_errors", pa.map_(_TEXT, _REAL), "Signed errors of the chosen option in degrees, by quantity (see `OptionAngles`)."),
    Column("skills", TEXTS, "Skills of the task."),
    Column("attributes", pa.map_(_TEXT, _TEXT), "Item attributes by name."),
    Column("finish_reason", NAME, "Why the response ended, such as `stop` or `max_tokens`."),
    Column("served_by", NAME, "Model name that the server reported."),
    Column("attempts", _INTEGER, "Number of recorded attempts."),
    Column("latency_s", _REAL, "Seconds of all attempts."),
    Column("input_tokens", pa.int64(), "Input tokens of all attempts."),
    Column("output_tokens", pa.int64(), "Output tokens of all attempts."),
)
SCHEMA = pa.schema([pa.field(column.name, column.type, metadata={"description": column.description}) for column in COLUMNS])
_SHOWN = ("run", "task", "level", "variant", "outcome", "credit", "chance", "key", "parsed_answer")
_SHOWN_ROWS = 10  # in notebooks


@dataclass(frozen=True)
class Results:
    """The results table of some runs."""

    arrow: pa.Table
    """One row per run, item and variant, with the columns of `COLUMNS`; ordered by run, item and variant."""
    runs: Mapping[str, RunMetadata]
    """The settings of each run, by its name in the column `run`."""

    def __len__(self) -> int:
        return self.arrow.num_rows

    def to_pandas(self) -> Any:
        """The table as a pandas data frame. Raises MissingDependencyError if pandas is not installed."""
        optional_package("pandas", "a data frame")
        return self.arrow.to_pandas(maps_as_pydicts="strict")  # pyright: ignore[reportUnknownMemberType] - incomplete stubs

    def _repr_html_(self) -> str:
        """For notebooks: the main columns of the first rows."""
        from isovist.data.notebook import table_html

        names = [name for name in _SHOWN if name in self.arrow.column_names]
        rows = self.arrow.slice(0, _SHOWN_ROWS).select(names).to_pylist()
        note = f"{len(self):,} rows, {self.arrow.num_columns} columns; the first {len(rows)} rows"
        return table_html(names, [["" if value is None else str(value) for value in row.values()] for row in rows], note)

    def to_parquet(self, path: str | Path) -> None:
        """Write the table to a Parquet file."""
        parquet.write(Path(path), SCHEMA, [self.arrow])


def results(*runs: str | PathLike[str], verify: bool = True) -> Results:
    """The results table of one or more runs.

    Args:
        runs: Run folders, or `Run` objects.
        verify: Score all responses again and check the items, as `isovist report` does; else use the stored scores.

    Returns:
        The table: one row for each item and variant of each run, also for trials without a score.

    Raises:
        UserError: A folder is not a run, or is given twice.
        CheckFailed: Stored scores or items differ from the new ones.
    """
    loaded = load_runs(list(map(Path, runs)), Verifier(verify))
    table = pa.concat_tables([joined(run, SCHEMA) for run in loaded])
    if len(loaded) > 1:
        table = table.unify_dictionaries().combine_chunks()  # Arrow cannot group by different dictionaries
    return Results(table, {run.name: run.info for run in loaded})
