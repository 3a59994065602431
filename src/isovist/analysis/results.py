"""The results table of runs: one row for each item and variant of each run, with typed columns.

`COLUMNS` defines the columns. Costs are sums over all attempts at a trial; every other value is of the attempt that counts: the last one
without a request error, else the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from isovist.analysis.level_results import size
from isovist.analysis.run_names import run_names
from isovist.analysis.scored_item import distractor_types_of, option_angles_of
from isovist.core.answers import LETTERS, Choice
from isovist.core.option_angles import OptionAngles
from isovist.dataset import parquet
from isovist.dataset.rows import ItemRow
from isovist.errors import UserError
from isovist.reference.shortcuts import of_item
from isovist.run.records import AttemptRecord, Name, TrialResult, read
from isovist.run.run_folder import RunFolder, RunMetadata
from isovist.run.variants import family, rotate_key
from isovist.run.verification import Verifier
from isovist.scenes.distractor_types import most_specific_type

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
    Column("run", _NAME, "Name of the run: its model, with the end of its folder where several runs have the same model."),
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
    Column("prompt_style", _NAME, "Prompt style of the run's standard condition."),
    Column("variant", _NAME, "Variant, such as `no-image` or `circular:2`; empty for the standard condition."),
    Column("variant_family", _NAME, "Variant without its number, such as `circular`."),
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
        """The table as a pandas data frame. Raises UserError if pandas is not installed."""
        try:
            return self.arrow.to_pandas(maps_as_pydicts="strict")  # pyright: ignore[reportUnknownMemberType] - incomplete stubs
        except ModuleNotFoundError:
            raise UserError("Missing package for a data frame: pandas. Run `pip install pandas`.") from None

    def to_parquet(self, path: str | Path) -> None:
        """Write the table to a Parquet file."""
        parquet.write(Path(path), SCHEMA, [self.arrow])


def results(*runs: str | Path, verify: bool = True) -> Results:
    """The results table of one or more runs.

    Args:
        runs: Run folders.
        verify: Score all responses again and check the items, as `isovist report` does; else use the stored scores.

    Returns:
        The table: one row for each item and variant of each run, also for trials without a score.

    Raises:
        UserError: A folder is not a run, or is given twice.
        CheckFailed: Stored scores or items differ from the new ones.
    """
    infos = [(folder := RunFolder(Path(path)), folder.info()) for path in runs]
    names = run_names(infos)
    verifier = Verifier(verify)
    readings = [verifier.read(folder, info) for folder, info in infos]
    verifier.conclude()
    batches = [
        pa.RecordBatch.from_pylist(rows, SCHEMA)
        for (folder, info), name, reading in zip(infos, names, readings, strict=True)
        for rows in _batches(_rows(folder, info, name, reading.verdicts))
    ]
    table = pa.Table.from_batches(batches, SCHEMA).unify_dictionaries().combine_chunks()  # Arrow cannot group by different dictionaries
    return Results(table, {name: info for name, (_, info) in zip(names, infos, strict=True)})


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch


@dataclass(slots=True)
class _Cost:
    """All attempts at one trial, and the facts of the attempt that counts."""

    attempts: int = 0
    latency_s: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    finish_reason: str | None = None
    served_by: str | None = None
    is_error: bool = True

    def add(self, record: AttemptRecord) -> None:
        self.attempts += 1
        self.latency_s += record.latency_s
        self.input_tokens += record.usage.get("input_tokens", 0)
        self.output_tokens += record.usage.get("output_tokens", 0)
        is_error = record.outcome == "request_error"
        if self.is_error or not is_error:
            self.finish_reason, self.served_by, self.is_error = record.finish_reason, record.served_by or None, is_error


def _costs(folder: RunFolder) -> dict[Name, _Cost]:
    costs: dict[Name, _Cost] = {}
    for record in read(folder.records):
        costs.setdefault((record.item_id, record.variant), _Cost()).add(record)
    return costs


def _rows(folder: RunFolder, info: RunMetadata, name: str, trial_results: Mapping[Name, TrialResult]) -> Iterator[dict[str, Any]]:
    costs = _costs(folder)
    run = {"run": name, "model": info.model, "image_mode": info.image_mode, "prompt_style": info.style}
    for row in folder.rows(info, pictures=False):
        item = run | _item(row)
        angles = option_angles_of(row)
        types = distractor_types_of(row, angles)
        for variant in info.variants.names(row.key, info.style, row.metadata.image_orders):
            cost = costs.get((row.id, variant), _Cost())
            yield (
                item
                | {"variant": variant, "variant_family": family(variant)}
                | _response(row, variant, trial_results.get((row.id, variant)), types, angles)
                | {name: getattr(cost, name) for name in _COSTS}
            )


_COSTS = ("attempts", "latency_s", "input_tokens", "output_tokens", "finish_reason", "served_by")
_ITEM = ("suite", "task", "split", "seed", "index", "level", "chance", "answer_type", "skills")


def _item(row: ItemRow) -> dict[str, Any]:
    best_rules = of_item(row.id)
    return {name: getattr(row, name) for name in _ITEM} | {
        "item_id": row.id,
        "cluster": row.group,
        "size": size(row.level),
        "shortcut_accuracy": best_rules.shortcut.accuracy if best_rules else None,
        "attributes": list(row.metadata.attributes.items()),
    }


def _response(
    row: ItemRow, variant: str, result: TrialResult | None, types: tuple[str, ...], angles: Mapping[str, OptionAngles]
) -> dict[str, Any]:
    """The columns of a key in a variant and the response to it. `types`, `angles`: of the options in the standard condition."""
    key = rotate_key(row.key, variant)
    values: dict[str, Any] = {"key": key.canonical(), "key_text": key.balance_bin(), "outcome": NOT_PRESENTED}
    parsed = None
    if result is not None:
        parsed = result.parsed_answer
        is_scored = result.outcome != "request_error"
        values |= {
            "outcome": result.outcome,
            "credit": result.credit if is_scored else None,
            "published_credit": result.published_credit if is_scored else None,
            "parsed_answer": parsed,
        }
    if not isinstance(key, Choice) or not isinstance(row.key, Choice):
        return values | {"chosen_text": parsed}
    shift = (row.key.truth - key.truth) % len(key.options)
    types = types[shift:] + types[:shift]
    chosen = None if parsed is None else LETTERS.find(parsed)
    values |= {"n_options": len(key.options), "key_index": key.truth, "options": key.options, "distractor_types": types}
    if chosen is None:
        return values
    if not 0 <= chosen < len(key.options):
        raise UserError(f"The record has the option label {parsed!r}, which does not exist: {row.id}. Rescore the run.")
    errors = {name: dial.error((chosen + shift) % len(key.options), row.key.truth) for name, dial in angles.items()}
    return values | {
        "chosen_index": chosen,
        "chosen_text": key.options[chosen],
        "distractor_type": most_specific_type(types[chosen]) if types and chosen != key.truth else None,
        "angular_errors": [(name, error) for name, error in errors.items() if error is not None],
    }
