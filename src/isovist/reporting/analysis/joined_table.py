"""The joined results table of a run, by columns: its trials with the columns of their items, the options in the presented order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isovist.core.answers import LETTERS
from isovist.reporting.analysis.rows import Array, Rows, exploded
from isovist.reporting.analysis.runs import Run
from isovist.world.scenes.distractor_types import most_specific_type

arrow: Any = pa  # its stubs do not know the types of lists, maps and dictionaries
compute: Any = pc


def joined(run: Run, schema: pa.Schema) -> pa.Table:
    """The columns of a schema, by names of the results table."""
    rows = run.rows
    item: Any = rows.trials["item"].combine_chunks()
    shared = {"run": run.name, "model": run.info.model, "image_mode": run.info.image_mode, "prompt_style": run.info.style}
    zeros = np.zeros(len(rows), np.int32)
    columns = {name: arrow.DictionaryArray.from_arrays(zeros, [text]) for name, text in shared.items()} | _of_options(rows, item)
    for name in schema.names:
        if name not in columns and name in rows.trials.column_names:
            columns[name] = rows.trials[name]
        elif name not in columns:
            columns[name] = rows.items[name].combine_chunks().take(item)
    return arrow.table([columns[name] for name in schema.names], schema=schema)


def _of_options(rows: Rows, item: Any) -> dict[str, Any]:
    """The columns of the key and of the options in the presented order, and of the chosen option."""
    n, key, chosen, rotation = (rows.column(name) for name in ("n_options", "key_place", "chosen_place", "rotation"))
    is_choice, is_chosen = ~np.isnan(n), ~np.isnan(chosen)
    key_index, chosen_index = (_integers((place - rotation) % n) for place in (key, chosen))
    options, types = (_presented(rows.items[name].combine_chunks(), rows, is_choice) for name in ("options", "distractor_types"))
    return {
        "n_options": _integers(n),
        "key_index": key_index,
        "key": compute.coalesce(arrow.array(LETTERS).take(key_index), rows.items["key"].combine_chunks().take(item)),
        "options": options,
        "chosen_index": chosen_index,
        "chosen_text": compute.if_else(is_choice, _elements(options, chosen_index), rows.trials["parsed_answer"].combine_chunks()),
        "distractor_types": types,
        "distractor_type": _most_specific(_elements(types, compute.if_else(chosen != key, chosen_index, None))),
        "angular_errors": _angular_errors(rows, is_chosen),
    }


def _integers(values: Array) -> Any:
    """Numbers, with NaN for null."""
    is_null = np.isnan(values)
    return arrow.array(np.where(is_null, 0, values).astype(np.int32), mask=is_null)


def _presented(lists: Any, rows: Rows, is_choice: Array) -> Any:
    """A list of each item's options, in the order of presentation of each trial."""
    used, starts = np.flatnonzero(is_choice), np.asarray(lists.offsets)
    item = rows.column("item")[used]
    row, element = exploded(lists, item)
    start, n = starts[item][row], np.diff(starts)[item][row]
    values = lists.values.take(arrow.array(start + (element - start + rows.column("rotation")[used][row]) % n))
    return arrow.ListArray.from_arrays(_offsets(used[row], len(rows)), values, mask=arrow.array(~is_choice))


def _offsets(row: Array, n: int) -> Array:
    """The offsets of the lists of so many rows, from the row of each element."""
    return np.append(0, np.cumsum(np.bincount(row, minlength=n))).astype(np.int32)


def _elements(lists: Any, places: Any) -> Any:
    """The element of each list at a place; null for no place and for an empty list."""
    starts = np.asarray(lists.offsets)
    is_null = np.asarray(places.is_null()) | (np.diff(starts) == 0)
    return lists.values.take(arrow.array(starts[:-1] + np.asarray(places.fill_null(0)), mask=is_null))


def _most_specific(types: Any) -> Any:
    """The most specific of the distractor types of each chosen option."""
    encoded = types.dictionary_encode()
    names = arrow.array(list(map(most_specific_type, encoded.dictionary.to_pylist())), arrow.string())
    return names.take(encoded.indices).dictionary_encode()


def _angular_errors(rows: Rows, is_chosen: Array) -> Any:
    """The signed errors of the chosen option by quantity; null without a chosen option."""
    quantities: Any = rows.items["option_angles"].combine_chunks()
    used = np.flatnonzero(is_chosen)
    row, element = exploded(quantities, rows.column("item")[used])
    row = used[row]
    quantity, angles = quantities.values, quantities.values.field("angles_deg")
    first, degrees = np.asarray(angles.offsets)[element], np.asarray(angles.values.to_numpy(zero_copy_only=False), float)
    chosen, key = (degrees[first + rows.column(name)[row].astype(int)] for name in ("chosen_place", "key_place"))
    turned = (chosen - key) % 360
    is_circular = np.asarray(quantity.field("is_circular").to_numpy(zero_copy_only=False), bool)[element]
    errors = np.where(is_circular, np.where(turned > 180, turned - 360, turned), chosen - key)
    is_angle = ~np.isnan(errors)
    offsets = arrow.array(_offsets(row[is_angle], len(rows)), mask=np.append(~is_chosen, False))
    names = quantity.field("name").take(arrow.array(element[is_angle]))
    return arrow.MapArray.from_arrays(offsets, names, arrow.array(errors[is_angle]))
