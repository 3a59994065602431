"""The trials of a run as an Arrow table: one row for each item and variant, in the order of the items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, repeat
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from isovist.common.errors import UserError
from isovist.core.answers import LETTERS
from isovist.evaluation.run.records import Name, TrialResult
from isovist.evaluation.run.variants import VariantSettings, family
from isovist.reporting.analysis.item_table import NAME, keys

arrow: Any = pa  # its stubs do not know that it takes lists of values
NOT_PRESENTED = "not-presented"
SCHEMA = pa.schema(
    {
        "item": pa.int32(),  # its row in the table of the items
        "variant": NAME,
        "variant_family": NAME,
        "rotation": pa.int32(),  # the place in the standard order of the option that is presented first
        "outcome": NAME,
        "credit": pa.float64(),
        "published_credit": pa.float64(),
        "parsed_answer": pa.string(),
        "chosen_place": pa.int32(),  # of the chosen option, in the standard order
        "finish_reason": NAME,
        "served_by": NAME,
        "attempts": pa.int32(),
        "latency_s": pa.float64(),  # of all attempts
        "response_time_s": pa.float64(),  # of the attempt that counts
        "input_tokens": pa.int64(),
        "output_tokens": pa.int64(),
        "is_schema_refused": pa.bool_(),
        "record_place": pa.int64(),  # byte offset of the record that counts; null for a trial without a record
    }
)


_FACTS: dict[str, tuple[Callable[[TrialResult], object], object]] = {
    "outcome": (lambda result: result.outcome, NOT_PRESENTED),
    "credit": (lambda result: result.credit if result.is_scored else None, None),
    "published_credit": (lambda result: result.published_credit if result.is_scored else None, None),
    "parsed_answer": (lambda result: result.parsed_answer, None),
    "finish_reason": (lambda result: result.finish_reason, None),
    "served_by": (lambda result: result.served_by or None, None),
    "attempts": (lambda result: result.totals.attempts, 0),
    "latency_s": (lambda result: result.totals.seconds, 0.0),
    "response_time_s": (lambda result: result.latency_s, None),
    "input_tokens": (lambda result: result.totals.input_tokens, 0),
    "output_tokens": (lambda result: result.totals.output_tokens, 0),
    "is_schema_refused": (lambda result: result.schema_refused, False),
    "record_place": (lambda result: result.place, None),
}
"""The columns from the result of a trial, with their values for a trial without a record."""


def trial_table(items: pa.Table, variants: VariantSettings, style: str, results: Mapping[Name, TrialResult]) -> pa.Table:
    """The trials of a run on some items; `style` is its standard prompt style. Raises UserError for the label of an option that does not exist."""
    names = list(_variants(items, variants, style))
    item = np.repeat(np.arange(len(names), dtype=np.int32), np.array(list(map(len, names)), int))
    variant = list(chain.from_iterable(names))
    ids: list[Any] = items["item_id"].to_pylist()
    trials = [results.get((id, name)) for id, each in zip(ids, names, strict=True) for name in each]
    rotation = np.array([_rotation(name) for name in variant], np.int32)
    answers = [result and result.parsed_answer for result in trials]
    columns: dict[str, Any] = {
        "item": item,
        "variant": variant,
        "variant_family": [_family(name) for name in variant],
        "rotation": rotation,
        "chosen_place": _chosen_places(items, item, rotation, answers),
    }
    schema: Any = SCHEMA
    for name, (value, without_record) in _FACTS.items():
        columns[name] = arrow.array([without_record if result is None else value(result) for result in trials], schema.field(name).type)
    return arrow.table([columns[name] for name in schema.names], schema=schema)


def _variants(items: pa.Table, variants: VariantSettings, style: str) -> Iterator[tuple[str, ...]]:
    """The variants of each item, the standard condition first."""
    if not variants.depend_on_item:
        yield from repeat(tuple(variants.names(None, style)), len(items))
        return
    known: dict[tuple[object, ...], tuple[str, ...]] = {}
    columns = (items[name].to_pylist() for name in ("task", "answer_type", "n_options", "image_orders", "excluded_renderings"))
    for key, (task, answer_type, n_options, orders, excluded) in zip(keys(items), zip(*columns, strict=True), strict=True):
        which = (task, answer_type, n_options, *orders, "", *excluded)
        if which not in known:
            renderings = variants.renderings_of(task, excluded)
            known[which] = tuple(variants.names(key, style, orders, renderings))
        yield known[which]


_family = lru_cache(maxsize=1024)(family)


@lru_cache(maxsize=1024)
def _rotation(variant: str) -> int:
    kind, _, turn = variant.partition(":")
    return int(turn) if kind == "circular" else 0


def _chosen_places(items: pa.Table, item: NDArray[np.int32], rotation: NDArray[np.int32], answers: list[str | None]) -> Any:
    """The place of the chosen option of each trial in the standard order; null for other answer types and unparsed responses."""
    column: Any = items["n_options"]
    n_options = np.asarray(column.fill_null(0))[item]
    labels = {label: LETTERS.find(label) for label in set(answers) if label is not None}
    presented = np.array([-1 if answer is None else labels[answer] for answer in answers])
    is_choice = (n_options > 0) & np.array([answer is not None for answer in answers], bool)
    for trial in np.flatnonzero(is_choice & ((presented < 0) | (presented >= n_options)))[:1]:
        id = items["item_id"].to_pylist()[item[trial]]
        raise UserError(f"The record has the option label {answers[trial]!r}, which does not exist: {id}. Rescore the run.")
    chosen = (presented + rotation) % np.maximum(n_options, 1)
    return pa.array(chosen.astype(np.int32), mask=~is_choice)
