"""Generated items as a dataset of Ray Data, for training loops and batch inference on a cluster (extra `ray`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from isovist.core.task import Value
from isovist.data import items
from isovist.data.dataset.node_check import Requirements, check_node
from isovist.data.dataset.ray_executor import import_ray
from isovist.data.dataset.rows import item_to_row, table

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_PER_BLOCK = 100


@dataclass(frozen=True, slots=True)
class _Request:
    """What a worker needs to make the items. Hashable, so that a process prepares it once."""

    requirements: Requirements
    tasks: tuple[str, ...]
    n: int
    seed: int
    split: str
    level: str | None
    settings: tuple[tuple[str, Value], ...]


def dataset(
    tasks: str | Sequence[str],
    n: int = 100,
    seed: int = 0,
    split: str = "test",
    level: str | None = None,
    *,
    override_num_blocks: int | None = None,
    **settings: Value,
) -> Any:
    """Items as a lazy `ray.data.Dataset`, generated on the workers.

    The rows, their order and their columns are those of `isovist.generate(...)` with the same arguments and of the Parquet files of
    `isovist generate`, whatever the number of blocks and nodes. `images` is a list of ``{"bytes": PNG file, "path": name}``; `answer` is
    the key. Ray is used as it is initialised; otherwise Ray Data initialises it.

    Args:
        tasks: Task id or glob, such as ``"cdr/*"``, or several of them.
        n: Items of each task.
        seed: Random seed; a 64-bit integer.
        split: ``"test"`` or ``"train"``; the two have no common layout.
        level: Difficulty level, or several separated by commas; all levels by default.
        override_num_blocks: The number of blocks; one for each 100 rows by default.
        **settings: Options of the tasks, such as ``order="paper"``, and ``size``, the image size in pixels.

    Returns:
        A `ray.data.Dataset`.

    Raises:
        MissingDependencyError: The package `ray` is not installed.
        ValueError: For an unknown task, split, level or option, and for an invalid value.

    Examples:
        >>> rows = isovist.data.ray.dataset("cdr/*", n=10_000, split="train")  # doctest: +SKIP
        >>> for batch in rows.iter_batches(batch_size=32):  # doctest: +SKIP
        ...     train(batch["images"], batch["prompt"], batch["answer"])
    """
    import_ray("a dataset of Ray Data")
    data = import_module("ray.data")
    requested = items.generate(tasks, n, seed, split, level, **settings)
    parts = requested.parts if isinstance(requested, items.Several) else (requested,)
    versions = {part.task.id: part.task.version for part in parts if isinstance(part, items.Items)}
    request = _Request(Requirements.of(versions), tuple(versions), n, seed, split, level, tuple(sorted(settings.items())))
    places = data.range(len(requested), override_num_blocks=override_num_blocks or max(1, -(-len(requested) // _ROWS_PER_BLOCK)))
    places.context.execution_options.preserve_order = True
    return places.map_batches(partial(_rows, request), batch_format="pyarrow", batch_size=None)


def _rows(request: _Request, places: pa.Table) -> pa.Table:
    made = _items(request)
    listed: list[Any] = places["id"].to_pylist()
    return table(item_to_row(made[int(place)]) for place in listed)


@lru_cache(maxsize=8)
def _items(request: _Request) -> items.ItemSequence:
    check_node(request.requirements)
    return items.generate(request.tasks, request.n, request.seed, request.split, request.level, **dict(request.settings))
