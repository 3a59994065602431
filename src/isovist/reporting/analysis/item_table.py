"""The items of a dataset as an Arrow table, one row for each: what analyses need of an item, without images and text.

Options, distractor types and angles are in the standard order of the options. Runs on the same data share the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any

import pyarrow as pa

from isovist.common.errors import UserError
from isovist.core.answers import Answer, Choice, key_json, read_key
from isovist.core.level_size import size
from isovist.data.dataset.rows import ItemRow
from isovist.data.reference.shortcuts import fitting
from isovist.evaluation.run.renderings import excluded
from isovist.world.scenes import distractor_types

NAME = pa.dictionary(pa.int32(), pa.string())
"""For columns with few different values."""
TEXTS = pa.list_(pa.string())
_ANGLES = pa.struct(
    [("name", pa.string()), ("positive_direction", pa.string()), ("is_circular", pa.bool_()), ("angles_deg", pa.list_(pa.float64()))]
)
SCHEMA = pa.schema(
    {
        "item_id": pa.string(),
        "suite": NAME,
        "task": NAME,
        "split": NAME,
        "seed": pa.int64(),
        "index": pa.int32(),  # items with the same index in related tasks are about the same scene
        "level": NAME,
        "size": pa.int32(),
        "cluster": pa.string(),
        "chance": pa.float64(),
        "is_measured": pa.bool_(),  # whether the shortcuts were measured on such items
        "shortcut_accuracy": pa.float64(),
        "answer_type": NAME,
        "key": pa.string(),  # canonical
        "key_json": pa.string(),  # null for a choice with text options, which `options` and `key_place` define
        "key_text": pa.string(),
        "key_place": pa.int32(),
        "n_options": pa.int32(),
        "options": TEXTS,
        "distractor_types": TEXTS,
        "option_angles": pa.list_(_ANGLES),
        "has_stored_angles": pa.bool_(),  # not from the texts of the options
        "skills": TEXTS,
        "attributes": pa.map_(pa.string(), pa.string()),
        "image_orders": TEXTS,
        "excluded_renderings": TEXTS,
    }
)
_BLOCK = 500


class ItemTable:
    """Builds the table row by row, in blocks."""

    def __init__(self) -> None:
        self._batches: list[pa.RecordBatch] = []
        self._rows: list[dict[str, Any]] = []

    def add(self, row: ItemRow) -> None:
        """Raises UserError if the angles do not fit the options."""
        self._rows.append(_values(row))
        if len(self._rows) == _BLOCK:
            self._flush()

    def _flush(self) -> None:
        self._batches.append(pa.RecordBatch.from_pylist(self._rows, SCHEMA))
        self._rows.clear()

    @cached_property
    def table(self) -> pa.Table:
        """The table of all rows, which are complete then."""
        self._flush()
        return pa.Table.from_batches(self._batches, SCHEMA).unify_dictionaries().combine_chunks()


def _values(row: ItemRow) -> dict[str, Any]:
    key, metadata = row.key, row.metadata
    best = fitting(row.task, row.version, row.level, metadata.settings)
    values: dict[str, Any] = {
        "item_id": row.id,
        "suite": row.suite,
        "task": row.task,
        "split": row.split,
        "seed": row.seed,
        "index": row.index,
        "level": row.level,
        "size": size(row.level),
        "cluster": row.group,
        "chance": row.chance,
        "is_measured": best is not None,
        "shortcut_accuracy": best.most.accuracy if best else None,
        "answer_type": row.answer_type,
        "key": key.canonical(),
        "key_json": None if type(key) is Choice else key_json(key),
        "key_text": key.balance_bin(),
        "has_stored_angles": False,
        "skills": row.skills,
        "attributes": list(metadata.attributes.items()),
        "image_orders": list(metadata.image_orders),
        "excluded_renderings": excluded(row),
    }
    return values | (_of_options(row, key) if isinstance(key, Choice) else {"distractor_types": metadata.distractor_types})


def _of_options(row: ItemRow, key: Choice) -> dict[str, Any]:
    angles = row.metadata.option_angles
    if any(len(each.angles_deg) != len(key.options) for each in angles.values()):
        raise UserError(f"The angles do not fit the options: {row.id}. Generate the data again.")
    has_stored_angles = bool(angles)
    if not angles and (by_name := distractor_types.angles_by_option_text(key.options)):
        angles = {"direction": by_name}
    types = row.metadata.distractor_types
    if not types:  # imported items
        by_text = distractor_types.types_by_option_text(key.options, key.truth)
        types = by_text or distractor_types.types_by_option_angles(angles, key.truth)
    return {
        "key_place": key.truth,
        "n_options": len(key.options),
        "options": key.options,
        "distractor_types": types,
        "option_angles": [
            {"name": name, "positive_direction": each.positive_direction, "is_circular": each.is_circular, "angles_deg": each.angles_deg}
            for name, each in angles.items()
        ],
        "has_stored_angles": has_stored_angles,
    }


def keys(items: pa.Table) -> Iterator[Answer]:
    """The answer key of each item."""
    columns = (items[name].to_pylist() for name in ("key_json", "options", "key_place"))
    for text, options, place in zip(*columns, strict=True):
        yield Choice(tuple(options), place) if text is None else _key(text)


_key = lru_cache(maxsize=4096)(read_key)
