"""Parquet files: written whole or not at all, and read back row by row in bounded memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from isovist.errors import UserError
from isovist.render.image_encoding import media_type

T = TypeVar("T")
_BATCH = 128  # rows held in memory at a time


TEXT, INTEGER, REAL = pa.string(), pa.int64(), pa.float64()
TEXTS = pa.list_(TEXT)
IMAGES = pa.list_(pa.struct([("bytes", pa.binary()), ("path", TEXT)]))


def schema(columns: Mapping[str, pa.DataType]) -> pa.Schema:
    """A schema that tells `datasets.load_dataset` the features of its columns, so that images are decoded without being told."""
    features = {name: _feature(kind) for name, kind in columns.items()}
    plain = pa.schema(list(columns.items()))
    return plain.with_metadata({"huggingface": json.dumps({"info": {"features": features}})})  # pyright: ignore[reportUnknownMemberType]


def _feature(kind: Any) -> dict[str, Any]:
    """A type as `datasets` writes it."""
    if kind == IMAGES:
        return {"feature": {"_type": "Image"}, "_type": "List"}
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    if pa.types.is_struct(kind):
        parts: list[Any] = list(kind)
        return {part.name: _feature(part.type) for part in parts}
    return {"dtype": "float64" if kind == REAL else str(kind), "_type": "Value"}


def image_column(rows: Iterable[tuple[str, Sequence[bytes]]]) -> list[list[dict[str, Any]]]:
    """The values of a column of images for rows by id."""
    return [[{"bytes": image, "path": file_name(id, image, place)} for place, image in enumerate(images)] for id, images in rows]


def file_name(id: str, image: bytes, place: int) -> str:
    """What a picture of a row is called when a tool writes it out: the digest in the row's id, or the whole id, and the place from 0."""
    stem = id.rpartition("#")[2].partition("/")[0]
    return f"{stem}-{place}.{'jpg' if media_type(image) == 'image/jpeg' else 'png'}"


@dataclass(frozen=True, slots=True)
class RowFormat(Generic[T]):
    """What stands in the rows of a file: `name` and `many` in words ("an example", "training examples"), and how to make a new file."""

    schema: pa.Schema
    parse: Callable[[dict[str, Any]], T]
    """Makes of the values of a row by column what the row stands for."""
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
            wanted = [name for name in self.schema.names if pictures or name != "images"]
            batches: Iterator[pa.RecordBatch] = file.iter_batches(_BATCH, columns=wanted)  # pyright: ignore[reportUnknownMemberType]
            for batch in batches:
                for row in batch.to_pylist():
                    yield self._parsed(path, row)

    def _parsed(self, path: Path, row: dict[str, Any]) -> T:
        try:
            return self.parse(row)
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


def write(path: Path, schema: pa.Schema, tables: Iterable[pa.Table], before: Callable[[], object] = lambda: None) -> None:
    """Writes tables to a file, whole or not at all, each as row groups of its own. `before` is called when all are written, before the
    file has its name.
    """
    temporary = path.with_suffix(".tmp")
    try:
        _write_tables(temporary, schema, tables)
        before()
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _write_tables(path: Path, schema: pa.Schema, tables: Iterable[pa.Table]) -> None:
    with pq.ParquetWriter(path, schema, compression="snappy", write_page_checksum=True) as writer:
        for table in tables:
            writer.write_table(table)


def line(error: Exception) -> str:
    """An error in one line, not too long."""
    return str(error).partition("\n")[0][:120]
