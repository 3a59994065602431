"""The results table of runs: one row for each item and variant of each run, with typed columns.

`COLUMNS` defines the columns. Costs are sums over all attempts at a trial; every other value is of the attempt that counts: the last one
without a request error, else the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from isovist.common.errors import optional_package
from isovist.core.answers import Choice
from isovist.core.level_size import size
from isovist.data.dataset import parquet
from isovist.evaluation.run.records import Totals, TrialResult
from isovist.evaluation.run.run_folder import RunMetadata
from isovist.evaluation.run.variants import family, rotate_key
from isovist.evaluation.run.verification import Verifier
from isovist.reporting.analysis.runs import Run, load_runs
from isovist.reporting.analysis.scored_item import PresentedItem, option_index
from isovist.world.scenes.distractor_types import most_specific_type

_BATCH = 10_000
_TEXT, _INTEGER, _REAL = pa.string(), pa.int32(), pa.float64()
_NAME = pa.dictionary(pa.int32(), pa.string())
"""For columns with few different values."""
_TEXTS = pa.list_(_TEXT)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the results table."""

    name: str
    type: pa.DataType
    description: str


COLUMNS: tuple[Column, ...] = (
    Column(
        "run",
        _NAME,
        "Name of the run: its model, with the end of its folder where several runs have the same model. Folders of one evaluation are one run.",
    ),
    Column("model", _NAME, "Model, as in `run.json`."),
    Column("suite", _NAME, "Suite of the task."),
    Column("task", _NAME, "Task id, such as `cdr/relative-compass-letter`."),
    Column("split", _NAME, "Split of the item."),
    Column("seed", pa.int64(), "Seed of the item."),
    Column("index", _INTEGER, "Index of the item within its task, split and seed."),
    Column("level", _NAME, "Difficulty level."),
    Column("size", _INTEGER, "The level as a number, for tasks whose levels are problem sizes; else null."),
    Column("cluster", _TEXT, "Items of one cluster share an image or a scene, so their scores are correlated."),
    Column("item_id", _TEXT, "Id of the item."),
    Column("image_mode", _NAME, "`joint` or `caption-first`."),
    Column("prompt_style", _NAME, "Prompt style of the run's standard condition; `template:` and a hash for a prompt template."),
    Column("variant", _NAME, "Variant, such as `no-image`, `circular:2` or `shots:4`; empty for the standard condition."),
    Column("variant_family", _NAME, "Variant without its number, such as `circular`; `shots:4` keeps it."),
    Column("outcome", _NAME, "Outcome of the response; `not-presented` for a trial without a record."),
    Column("credit", _REAL, "Credit in [0, 1]; null for trials that are not scored (request errors, not presented)."),
    Column("published_credit", _REAL, "Credit by the scorer of the paper; null without one."),
    Column("chance", _REAL, "Expected credit of random guessing at this item."),
    Column("shortcut_accuracy", _REAL, "Measured accuracy of the best rule without the claimed skill at this level; null if not measured."),
    Column("answer_type", _NAME, "Answer type, such as `choice`."),
    Column("key", _TEXT, "Answer key in canonical form; for a choice, the option label in this variant."),
    Column("parsed_answer", _TEXT, "Parsed answer in canonical form; null for an unparsed response."),
    Column("n_options", _INTEGER, "Number of options; null for other answer types."),
    Column("key_index", _INTEGER, "Position of the key among the options as presented, from 0."),
    Column("chosen_index", _INTEGER, "Position of the chosen option as presented, from 0."),
    Column("key_text", _TEXT, "Text of the key; for other answer types, its category."),
    Column("chosen_text", _TEXT, "Text of the chosen option; for other answer types, the parsed answer."),
    Column("options", _TEXTS, "Texts of the options as presented."),
    Column("distractor_type", _NAME, "Most specific distractor type of the chosen option; null for a correct or unparsed response."),
    Column("distractor_types", _TEXTS, "Distractor types of each option as presented, joined by `; `; empty for the key."),
    Column("angular_errors", pa.map_(_TEXT, _REAL), "Signed errors of the chosen option in degrees, by quantity (see `OptionAngles`)."),
    Column("skills", _TEXTS, "Skills of the task."),
    Column("attributes", pa.map_(_TEXT, _TEXT), "Item attributes by name."),
    Column("finish_reason", _NAME, "Why the response ended, such as `stop` or `max_tokens`."),
    Column("served_by", _NAME, "Model name that the server reported."),
    Column("attempts", _INTEGER, "Number of recorded attempts."),
    Column("latency_s", _REAL, "Seconds of all attempts."),
    Column("input_tokens", pa.int64(), "Input tokens of all attempts."),
    Column("output_tokens", pa.int64(), "Output tokens of all attempts."),
)
SCHEMA = pa.schema([pa.field(column.name, column.type, metadata={"description": column.description}) for column in COLUMNS])
NOT_PRESENTED = "not-presented"
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
    batches = [pa.RecordBatch.from_pylist(rows, SCHEMA) for run in loaded for rows in _batches(_rows(run))]
    table = pa.Table.from_batches(batches, SCHEMA).unify_dictionaries().combine_chunks()  # Arrow cannot group by different dictionaries
    return Results(table, {run.name: run.info for run in loaded})


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch


def _rows(run: Run) -> Iterator[dict[str, Any]]:
    shared = {"run": run.name, "model": run.info.model, "image_mode": run.info.image_mode, "prompt_style": run.info.style}
    for trials in run.trials:
        item = shared | _item(trials.item)
        for variant, result in zip(trials.variants, trials.results, strict=True):
            yield item | {"variant": variant, "variant_family": family(variant)} | _answer(trials.item, variant, result) | _response(result)


_ITEM = ("suite", "task", "split", "seed", "index", "level", "chance", "answer_type", "skills")


def _item(item: PresentedItem) -> dict[str, Any]:
    return {name: getattr(item, name) for name in _ITEM} | {
        "item_id": item.id,
        "cluster": item.group,
        "size": size(item.level),
        "shortcut_accuracy": item.best_rules.shortcut.accuracy if item.best_rules else None,
        "attributes": list(item.attributes.items()),
    }


def _response(result: TrialResult | None) -> dict[str, Any]:
    """The columns of the attempt that counts, and of the cost of all attempts."""
    cost = result.totals if result else Totals()
    values = {
        "attempts": cost.attempts,
        "latency_s": cost.seconds,
        "input_tokens": cost.input_tokens,
        "output_tokens": cost.output_tokens,
    }
    if result is None:
        return values | {"outcome": NOT_PRESENTED}
    return values | {
        "outcome": result.outcome,
        "credit": result.credit if result.is_scored else None,
        "published_credit": result.published_credit if result.is_scored else None,
        "parsed_answer": result.parsed_answer,
        "finish_reason": result.finish_reason,
        "served_by": result.served_by or None,
    }


def _answer(item: PresentedItem, variant: str, result: TrialResult | None) -> dict[str, Any]:
    """The columns of the key in a variant and the chosen option."""
    key, parsed = rotate_key(item.key, variant), result.parsed_answer if result else None
    values: dict[str, Any] = {"key": key.canonical(), "key_text": key.balance_bin()}
    if not isinstance(key, Choice) or not isinstance(item.key, Choice):
        return values | {"chosen_text": parsed}
    shift = (item.key.truth - key.truth) % len(key.options)
    types = item.distractor_types[shift:] + item.distractor_types[:shift]
    values |= {"n_options": len(key.options), "key_index": key.truth, "options": key.options, "distractor_types": types}
    if (chosen := option_index(key, parsed)) is None:
        return values
    standard = (chosen + shift) % len(key.options)
    errors = {name: angles.error(standard, item.key.truth) for name, angles in item.option_angles.items()}
    return values | {
        "chosen_index": chosen,
        "chosen_text": key.options[chosen],
        "distractor_type": most_specific_type(types[chosen]) if types and chosen != key.truth else None,
        "angular_errors": [(name, error) for name, error in errors.items() if error is not None],
    }
