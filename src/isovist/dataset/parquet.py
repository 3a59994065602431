"""Parquet files that were written here, read back row by row in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from isovist.errors import UserError

T = TypeVar("T")
_BATCH = 128  # rows held in memory at a time
_IMAGES = "images"


@dataclass(frozen=True, slots=True)
class RowFormat(Generic[T]):
    """What stands in the rows of a file: `name` and `many` in words ("an example", "training examples"), and how to make a new file."""

    schema: pa.Schema
    rows: Callable[[pa.RecordBatch], Iterator[T]]
    name: str
    many: str
    again: str

    def read(self, path: Path, *, pictures: bool = True) -> Iterator[T]:
        """What a file holds, in order, with its pictures if they are wanted. Raises UserError if it is missing, damaged, or of other
        columns.
        """
        with opened(path, self.again) as file:
            missing = [name for name in self.schema.names if name not in file.schema_arrow.names]
            if missing:
                raise UserError(f"{path}: not a file of {self.many} (no column {missing[0]!r}).")
            wanted = [name for name in self.schema.names if pictures or name != _IMAGES]
            batches: Iterator[pa.RecordBatch] = file.iter_batches(_BATCH, columns=wanted)  # pyright: ignore[reportUnknownMemberType]
            for batch in batches:
                yield from self._rows(path, batch)

    def _rows(self, path: Path, batch: pa.RecordBatch) -> Iterator[T]:
        try:
            yield from self.rows(batch)
        except (TypeError, KeyError, ValueError) as error:
            raise UserError(f"{path}: holds {self.name} that cannot be read ({line(error)}); {self.again}.") from error


@contextmanager
def opened(path: Path, remedy: str, *, buffer: int = 1 << 20) -> Generator[pq.ParquetFile]:
    """A file, read through a `buffer` of so many bytes (0: row groups whole). Raises UserError if it is missing, or damaged where it is
    read; `again` says how to make a new one.
    """
    try:
        # the default reads ahead, and keeps all it has read until the file is closed
        with pq.ParquetFile(path, page_checksum_verification=True, pre_buffer=False, buffer_size=buffer) as file:
            yield file
    except FileNotFoundError:
        raise UserError(f"{path}: missing, though the manifest names it; {remedy}.") from None
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: damaged, cannot be read as Parquet ({line(error)}); {remedy}.") from error


def line(error: Exception) -> str:
    """An error in one line, not too long."""
    return str(error).partition("\n")[0][:120]
