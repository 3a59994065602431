"""Selections of the rows of a run: those of a shard, those near others, and samples. A selection has one array of booleans for each part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from isovist.common.shards import Shard
from isovist.core.item_ids import keyed_order
from isovist.data.dataset.load import column
from isovist.data.dataset.manifest import DataPart

Selection = list[NDArray[np.bool_]]
_CHUNK = 64  # consecutive rows of a sample


def all_rows(parts: Sequence[DataPart], n: int | None) -> Selection:
    """All rows of a run with at most `n` rows of each part."""
    return [np.ones(part.n if n is None else min(n, part.n), bool) for part in parts]


def shards_of(data: Path, parts: Sequence[DataPart], n: int | None, count: int) -> list[NDArray[np.int32]]:
    """The shard of each row of each part.

    Each part is cut into `count` ranges of rows, so that a shard reads its own files only; small parts start with different shards. The
    rows of a private part are cut in their keyed order, because neighbours may have different answers. A group, which may have rows of
    several parts, is in the shard of its first row. Only the groups and private ids are read.
    """
    ranges: list[NDArray[np.int64]] = []
    groups: list[pa.Array[Any]] = []
    for number, part in enumerate(parts):
        of_part = column(data, part, "group", n)
        groups += of_part.chunks
        places = np.arange(len(of_part), dtype=np.int64)
        if part.is_private:
            order = _order(data, part, n)
            places[sorted(range(len(order)), key=order.__getitem__)] = np.arange(len(order))
        ranges.append((places * count // max(1, len(of_part)) + number) % count)
    if not groups:
        return [np.zeros(0, np.int32) for _ in parts]
    named: Any = pa.chunked_array(groups, pa.string()).combine_chunks()
    codes: NDArray[np.int32] = named.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    in_order = np.concatenate(ranges)
    first = np.empty(codes.max(initial=-1) + 1, np.int32)
    first[codes[::-1]] = in_order[::-1]  # the assignment of the first row is the last one
    return np.split(first[codes], np.cumsum([len(each) for each in ranges])[:-1])


def rows_of_shard(data: Path, parts: Sequence[DataPart], n: int | None, shard: Shard) -> Selection:
    """The rows of one shard."""
    return [shards == shard.index for shards in shards_of(data, parts, n, shard.count)]


def _order(data: Path, part: DataPart, n: int | None) -> list[tuple[str, str]]:
    """The sort key of each row for the keyed order."""
    return [keyed_order(str(id)) for id in column(data, part, "id", n).to_pylist()]


def one_by_one(data: Path, parts: Sequence[DataPart], n: int | None, selection: Selection) -> Iterator[tuple[DataPart, Selection]]:
    """Each selected row alone, in keyed order over all parts. The ids are held in memory."""
    orders = [_order(data, part, n) for part in parts]
    places = ((number, place) for number, rows in enumerate(selection) for place in np.flatnonzero(rows).tolist())
    for number, place in sorted(places, key=lambda at: orders[at[0]][at[1]]):
        row = np.zeros(len(selection[number]), bool)
        row[place] = True
        yield parts[number], [row]


def with_blocks(selection: Selection, block: int) -> Selection:
    """The rows of all blocks of `block` rows with a selected row; the last block of a part has the remaining rows as well."""
    extended: Selection = []
    for rows in selection:
        last = max(len(rows) // block, 1) - 1
        blocks = np.minimum(np.arange(len(rows)) // block, last)
        extended.append(np.isin(blocks, np.unique(blocks[rows])))
    return extended


def sample(selection: Selection, size: int) -> Selection:
    """About `size` of the selected rows, in chunks of consecutive rows that are evenly spaced in each part."""
    total = sum(int(rows.sum()) for rows in selection)
    sampled: Selection = []
    for rows in selection:
        places = np.flatnonzero(rows)
        chosen = np.zeros(len(rows), bool)
        n_chunks = -(-size * len(places) // max(1, total) // _CHUNK)
        for start in np.linspace(0, max(0, len(places) - _CHUNK), n_chunks, dtype=np.int64):
            chosen[places[start : start + _CHUNK]] = True
        sampled.append(chosen)
    return sampled
