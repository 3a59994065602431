"""Parquet files: atomic writing, and reading row by row in bounded memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from isovist.common import canary
from isovist.common.atomic_write import temporary_path
from isovist.common.errors import UserError
from isovist.common.regular_files import require_regular
from isovist.core.item_ids import unique_part
from isovist.world.render.image_encoding import media_type

T = TypeVar("T")
_BATCH = 128  # rows held in memory at a time


class _NoPandas(MetaPathFinder):
    """Finds no pandas."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        del path, target
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname, name=fullname)


def skip_pandas() -> None:
    """Make PyArrow look for pandas now, without success, in a process of Isovist itself.

    PyArrow imports pandas, where it is installed, for the first array of a process, which takes about a second: it recognises the objects
    of pandas. Conversions to pandas still import it. In the process of a user, arrays may be made of these objects, so this is not called
    there.
    """
    if "pandas" in sys.modules:
        return
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(finder)


if "isovist.cli" in sys.modules:
    skip_pandas()

TEXT, INTEGER, REAL = pa.string(), pa.int64(), pa.float64()
TEXTS = pa.list_(TEXT)
IMAGES = pa.list_(pa.struct([("bytes", pa.binary()), ("path", TEXT)]))


def schema(columns: Mapping[str, pa.DataType]) -> pa.Schema:
    """An Arrow schema with the feature types of its columns for `datasets.load_dataset`, so that images are decoded automatically."""
    features = {name: _feature(kind) for name, kind in columns.items()}
    plain = pa.schema(list(columns.items()))
    return plain.with_metadata({"huggingface": json.dumps({"info": {"features": features}})})  # pyright: ignore[reportUnknownMemberType]


def schema_of_split(schema: pa.Schema, split: str) -> pa.Schema:
    """The schema of a file of items of one split; that of test items has the canary in its metadata."""
    if not canary.is_test(split):
        return schema
    return schema.with_metadata({**(schema.metadata or {}), canary.NAME: canary.NOTICE})  # pyright: ignore[reportUnknownMemberType]


def _feature(kind: Any) -> dict[str, Any]:
    """An Arrow type as a feature type of `datasets`."""
    if kind == IMAGES:
        return {"feature": {"_type": "Image"}, "_type": "List"}
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    if pa.types.is_struct(kind):
        parts: list[Any] = list(kind)
        return {part.name: _feature(part.type) for part in parts}
    return {"dtype": "float64" if kind == REAL else str(kind), "_type": "Value"}


def image_column(rows: Iterable[tuple[str, Sequence[bytes]]]) -> list[list[dict[str, Any]]]:
    """The values of an image column. `rows`: the id and the encoded images of each row."""
    return [[{"bytes": image, "path": file_name(id, image, place)} for place, image in enumerate(images)] for id, images in rows]


def file_name(id: str, image: bytes, place: int) -> str:
    """The file name of the image at index `place` of a row, for tools that export it: the hash in the row's id, or the whole id."""
    stem = unique_part(id).partition("/")[0]
    return f"{stem}-{place}.{'jpg' if media_type(image) == 'image/jpeg' else 'png'}"


@dataclass(frozen=True, slots=True)
class RowFormat(Generic[T]):
    """The format of the rows of a file. `name` and `many` are noun phrases ("an example", "training examples"); `again` states how to make
    a new file.
    """

    schema: pa.Schema
    parse: Callable[[dict[str, Any]], T]
    """Convert the values of a row, by column, to an object."""
    name: str
    many: str
    again: str

    def read(
        self, path: Path, *, pictures: bool = True, wanted: NDArray[np.bool_] | None = None, n_rows: int | None = None
    ) -> Iterator[T]:  # fmt: skip
        """The rows of a file, in order, with their images if `pictures`.

        `wanted` states for each row whether it is read; row groups without such a row are skipped.
        Raises UserError if the file is missing, damaged, or has other columns or, if `n_rows` is given, another number of rows.
        """
        with opened(path, self.again, n_rows=n_rows) as file:
            missing = [name for name in self.schema.names if name not in file.schema_arrow.names]
            if missing:
                raise UserError(f"File has no {self.many} (missing column: {missing[0]}): {path}. {_sentence(self.again)}")
            columns = [name for name in self.schema.names if pictures or name != "images"]
            for batch in _batches(file, columns, wanted):
                for row in batch.to_pylist():
                    yield self._parsed(path, row)

    def _parsed(self, path: Path, row: dict[str, Any]) -> T:
        try:
            return self.parse(row)
        except (TypeError, KeyError, ValueError) as error:
            raise UserError(f"Cannot read {self.name} ({line(error)}): {path}. {_sentence(self.again)}") from error


def _batches(file: pq.ParquetFile, columns: list[str], wanted: NDArray[np.bool_] | None) -> Iterator[pa.RecordBatch]:
    if wanted is None:
        yield from file.iter_batches(_BATCH, columns=columns)  # pyright: ignore[reportUnknownMemberType]
        return
    wanted = np.pad(wanted, (0, max(0, file.metadata.num_rows - len(wanted))))
    start = 0
    for group in range(file.num_row_groups):
        end = start + file.metadata.row_group(group).num_rows
        if wanted[start:end].any():
            batches: Iterator[pa.RecordBatch] = file.iter_batches(_BATCH, row_groups=[group], columns=columns)  # pyright: ignore[reportUnknownMemberType]
            for batch in batches:
                mask = wanted[start : start + batch.num_rows]
                start += batch.num_rows
                yield batch if mask.all() else batch.filter(_boolean(mask))
        start = end


def _boolean(mask: NDArray[np.bool_]) -> pa.BooleanArray:
    """The mask for Arrow; `pa.array` would import pandas where it is installed, for half a second."""
    bits = pa.py_buffer(np.packbits(mask, bitorder="little").tobytes())
    return pa.BooleanArray.from_buffers(pa.bool_(), len(mask), [None, bits])  # pyright: ignore[reportReturnType] - incomplete stubs


def column(path: Path, name: str, remedy: str) -> pa.ChunkedArray[Any]:
    """One column of a file. Raises UserError as `opened` does."""
    with opened(path, remedy) as file:
        return file.read(columns=[name]).column(0)  # pyright: ignore[reportUnknownMemberType]


@contextmanager
def opened(path: Path, remedy: str, *, buffer: int = 1 << 20, n_rows: int | None = None) -> Generator[pq.ParquetFile]:
    """Open a Parquet file with a read `buffer` of this many bytes (0: whole row groups).

    Raises UserError if the file is missing, if it has not `n_rows` rows, or if it proves damaged during reading; `remedy` states how to
    make a new one.
    """
    try:
        require_regular(path)
        # the default reads ahead and keeps all data until the file is closed
        with pq.ParquetFile(path, page_checksum_verification=True, pre_buffer=False, buffer_size=buffer) as file:
            if n_rows not in (None, file.metadata.num_rows):
                raise UserError(f"File has {file.metadata.num_rows:,} rows instead of {n_rows:,}: {path}. {_sentence(remedy)}")
            yield file
    except FileNotFoundError:
        raise UserError(f"Missing file of the manifest: {path}. {_sentence(remedy)}") from None
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"File is damaged or not Parquet ({line(error)}): {path}. {_sentence(remedy)}") from error


def write(path: Path, schema: pa.Schema, tables: Iterable[pa.Table], before: Callable[[Path], object] = lambda temporary: None) -> None:
    """Write tables to a file atomically, each as separate row groups. `before` is called after all are written, with the path of the
    temporary file, and before that file is renamed to `path`.
    """
    temporary = temporary_path(path)
    try:
        _write_tables(temporary, schema, tables)
        before(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _write_tables(path: Path, schema: pa.Schema, tables: Iterable[pa.Table]) -> None:
    with pq.ParquetWriter(path, schema, compression="snappy", write_page_checksum=True) as writer:
        for table in tables:
            writer.write_table(table)


def _sentence(remedy: str) -> str:
    return f"{remedy[:1].upper()}{remedy[1:]}."


def line(error: Exception) -> str:
    """The first line of an error message, at most 120 characters."""
    return str(error).partition("\n")[0][:120]
