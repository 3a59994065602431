"""Read the records of a published benchmark from Parquet, JSON or JSON Lines. The files are not trusted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

from isovist.common import json_lines
from isovist.common.errors import UserError
from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Format, Record, Unusable

_SUFFIXES = (".parquet", ".json", ".jsonl")
_BATCH = 16  # rows in memory at a time: each may hold an image of many megabytes


@dataclass(frozen=True, slots=True)
class Found:
    """The files of a benchmark in a folder."""

    root: Path
    """The folder, with symbolic links resolved."""
    within: Path
    """The folder that must contain all its files: the root, or the store of a Hugging Face cache to which the root links."""
    files: tuple[Path, ...]
    passed_over: tuple[tuple[str, str], ...]
    """Files of records that do not belong to the benchmark, with the reason."""

    def name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    @property
    def revision(self) -> str:
        """The revision of a snapshot in a Hugging Face cache; "" for any other folder."""
        return next((folder.name for folder in (self.root, *self.root.parents) if folder.parent.name == "snapshots"), "")


def find(source: Format, path: Path) -> Found:
    """Return the files in a folder, or the one file, with records of a format. Raises UserError if there are none."""
    if not path.exists():
        raise UserError(f"File or folder does not exist: {path}. Correct the path.")
    root = (path if path.is_dir() else path.parent).resolve()
    listed = sorted(file_reader.walk(root)) if path.is_dir() else [root / path.name]
    within = containing_folder(root)
    files: list[Path] = []
    passed_over: list[tuple[str, str]] = []
    for file in listed:
        if file.suffix.lower() not in _SUFFIXES or not file.is_file():
            continue
        if path.is_dir() and not file.resolve().is_relative_to(within):
            why = "a link that leads out of the folder"
        else:
            have = _columns(file)
            missing = [name for name in source.columns if name not in have]
            why = f"no column {missing[0]!r}" if have and missing else "no records" if not have else ""
        if why:
            passed_over.append((file.relative_to(root).as_posix(), why))
        else:
            files.append(file)
    if not files:
        near = f" ({passed_over[0][0]}: {passed_over[0][1]})" if passed_over else ""
        columns = f" with the columns {', '.join(source.columns)}" if source.columns else ""
        raise UserError(f"{path}: not {source.title} as it is published; looked for {', '.join(_SUFFIXES)} files{columns}{near}.")
    return Found(root, within, tuple(files), tuple(passed_over))


def containing_folder(root: Path) -> Path:
    """Return the store of a Hugging Face cache if the folder is a snapshot in it, else the folder itself."""
    for folder in root.parents:
        if folder.name == "snapshots" and (folder.parent / "blobs").is_dir():
            return folder.parent
    return root


def _columns(path: Path) -> set[str]:
    """Return the columns of a file of records in lower case; empty if it holds none."""
    if path.suffix.lower() == ".parquet":
        try:
            with pq.ParquetFile(path) as file:
                return {name.casefold() for name in file.schema_arrow.names}
        except (pa.ArrowException, OSError) as error:
            raise UserError(f"{path}: cannot be read as Parquet ({_line(error)}).") from None
    return next(({name.casefold() for name in entry} for entry in map(file_reader.mapping, _listed(path)) if entry), set[str]())


def records(source: Format, dataset: Found) -> Iterator[Record]:
    """Yield the records of a benchmark, file by file. Raises UserError for a damaged file."""
    wanted = {*source.columns, *source.wanted}
    for path in dataset.files:
        name = dataset.name(path)
        entries = parquet_records(path, wanted) if path.suffix.lower() == ".parquet" else _listed(path)
        for number, entry in enumerate(entries):
            cells = {column.casefold(): value for column, value in file_reader.mapping(entry).items() if column.casefold() in wanted}
            fault = None if isinstance(entry, dict) else Unusable("no record with named columns")
            yield Record(name, number, cells, dataset.root, fault=fault)


def parquet_records(path: Path, columns_to_read: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file, a few at a time. `columns_to_read`: names in lower case. Raises UserError."""
    try:
        # the default reads ahead and keeps all data until the file is closed
        with pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as file:
            columns = [name for name in file.schema_arrow.names if name.casefold() in columns_to_read]
            batches: Iterator[pa.RecordBatch] = file.iter_batches(_BATCH, columns=columns)  # pyright: ignore[reportUnknownMemberType]
            for batch in batches:
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError, ValueError, TypeError, OverflowError) as error:  # some values have no Python type
        raise UserError(f"{path}: damaged, cannot be read as Parquet ({_line(error)}).") from None


def _listed(path: Path) -> Sequence[object]:
    """Return the elements of a JSON list, or the lines of JSON Lines."""
    text = file_reader.text(path)
    try:
        if path.suffix.lower() == ".jsonl":
            return [json.loads(line) for line in json_lines.rows(text) if line.strip()]
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: cannot be read as JSON ({_line(error)}).") from None
    return cast("list[object]", data) if isinstance(data, list) else []


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0][:120]
