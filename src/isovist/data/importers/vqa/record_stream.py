"""Stream the records of a set from JSON, JSON Lines, CSV, TSV or Parquet, a few at a time. The files are not trusted."""

from __future__ import annotations

import csv
import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import Any, TextIO, cast

import pyarrow as pa
import pyarrow.parquet as pq

from isovist.common.errors import UserError
from isovist.data.importers import file_reader
from isovist.data.importers.benchmark_format import Record, Unusable
from isovist.data.importers.record_reader import containing_folder, parquet_records
from isovist.data.importers.vqa.mapping import FileFormat, Mapping

_SUFFIXES: dict[str, FileFormat] = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
_CHUNK = 1 << 20
_LONGEST = 256 << 20  # maximum length of a record in characters: several images in base64


def find_files(mapping: Mapping, path: Path) -> list[Path]:
    """Return the file, or the files of a folder that the mapping names. Raises UserError if there are none."""
    if not path.exists():
        raise UserError(f"File or folder does not exist: {path}. Correct the path.")
    if path.is_file():
        return [path]
    if not mapping.files:
        raise UserError(f"{path} is a folder, and the mapping has no key files. Give a file, or add a glob such as files = '*.parquet'.")
    try:
        files = file_reader.listed(path, mapping.files, containing_folder(path.resolve()))
    except UserError:  # too many files
        raise
    except ValueError:
        raise UserError(f"Invalid mapping (files: {mapping.files!r} is no glob). Give one such as '*.parquet'.") from None
    if not files:
        raise UserError(f"No file matches files = {mapping.files!r} of the mapping: {path}. Correct the path or the mapping.")
    return files


def stream_records(mapping: Mapping, file: Path, name: str) -> Iterator[Record]:
    """Yield the records of a file; `name` stands in the records. Raises UserError if the file is damaged or lacks a column."""
    file_format = mapping.format or _SUFFIXES.get(file.suffix.lower())
    match file_format:
        case "csv" | "tsv":
            entries = _table(mapping, file, "," if file_format == "csv" else "\t")
        case "parquet":
            entries = _parquet(mapping, file)
        case "jsonl":
            entries = _json_lines(file)
        case "json":
            entries = _nested_records(mapping, file) if mapping.records else _json_list(file)
        case None:
            raise UserError(f"{file}: the suffix is none of {', '.join(_SUFFIXES)}. Add the key format to the mapping.")
    for number, entry in enumerate(entries):
        if isinstance(entry, Unusable):
            yield Record(name, number, {}, fault=entry)
        elif not isinstance(entry, dict):
            yield Record(name, number, {}, fault=Unusable("no record with named columns"))
        else:
            yield Record(name, number, _with_nested(mapping, cast("dict[str, Any]", entry)))


def _with_nested(mapping: Mapping, entry: dict[str, Any]) -> dict[str, Any]:
    """A record with the values inside its columns that the mapping names by a path: "metadata.source"."""
    for _, name in mapping.columns():
        value: object = entry
        for part in name.split(".") if name not in entry and "." in name else ():
            value = cast("dict[str, object]", value).get(part) if isinstance(value, dict) else None
        if value is not entry:
            entry[name] = value
    return entry


def _check_columns(mapping: Mapping, present: list[str], file: Path) -> None:
    for key, name in mapping.columns():
        if name not in present and ("." not in name or name.partition(".")[0] not in present):
            listed = ", ".join(ascii(column)[1:-1] for column in present[:30])
            raise UserError(f"{file}: no column {name!r}, which the mapping names as {key}. Its columns are {listed[:400]}.")


@contextmanager
def _opened(file: Path) -> Generator[TextIO]:
    """The text of a file as UTF-8. Raises UserError, also while it is read."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            yield text
    except UnicodeDecodeError as error:
        raise UserError(f"Cannot read file ({str(error)[:80]}): {file}. Convert it to UTF-8.") from None
    except OSError as error:
        raise UserError(f"Cannot read file ({str(error)[:80]}): {file}. Check the file.") from None


def _table(mapping: Mapping, file: Path, delimiter: str) -> Iterator[dict[str, str] | Unusable]:
    with _opened(file) as text, _long_cells():
        rows = csv.reader(text, delimiter=delimiter, strict=True)
        try:
            header = next(rows, list[str]())
            if len(set(header)) < len(header):
                raise UserError(f"{file}: two columns have the same name. Rename one.")
            _check_columns(mapping, header, file)
            for row in rows:
                if not row:
                    continue
                if len(row) == len(header):
                    yield dict(zip(header, row, strict=True))
                else:
                    yield Unusable("another number of cells than columns", f"{len(row)} cells, {len(header)} columns")
        except csv.Error as error:
            raise UserError(f"{file}: cannot be read as a table at line {rows.line_num} ({str(error)[:80]}). Correct the line.") from None


@contextmanager
def _long_cells() -> Generator[None]:
    """Allow cells that hold images."""
    before = csv.field_size_limit(_LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _parquet(mapping: Mapping, file: Path) -> Iterator[dict[str, Any]]:
    try:
        with pq.ParquetFile(file) as opened:
            present = list(opened.schema_arrow.names)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{file}: cannot be read as Parquet ({str(error)[:80]}). Download it again.") from None
    _check_columns(mapping, present, file)
    return parquet_records(file, {part.casefold() for _, name in mapping.columns() for part in (name, name.partition(".")[0])})


def _json_lines(file: Path) -> Iterator[object]:
    with _opened(file) as text:
        number = 0
        while line := text.readline(_LONGEST):
            number += 1
            if len(line) >= _LONGEST:
                raise UserError(f"{file}: line {number} is longer than {_LONGEST >> 20} MB. Check the file.")
            if line.strip():
                try:
                    entry: object = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise UserError(f"{file}: line {number} cannot be read as JSON ({str(error)[:80]}). Correct the line.") from None
                yield entry


def _nested_records(mapping: Mapping, file: Path) -> Iterator[object]:
    content = file_reader.mapping(file_reader.read_json(file))
    entries = content.get(mapping.records)
    if not isinstance(entries, list):
        raise UserError(f"{file}: no list {mapping.records!r}, which the mapping names as records. Correct the mapping.")
    yield from cast("list[object]", entries)


def _json_list(file: Path) -> Iterator[object]:
    """Yield the elements of a JSON list as they are read."""
    with _opened(file) as text:
        reader = _ListReader(file, text)
        if reader.next_character() != "[":
            hint = "If it has one object on each line, add format = 'jsonl' to the mapping; if an object holds the list, the key records."
            raise UserError(f"{file}: no JSON list. {hint}")
        reader.position += 1
        if reader.next_character() != "]":
            while True:
                yield reader.value()
                separator = reader.next_character()
                if separator == "]":
                    break
                if separator != ",":
                    raise reader.error("no comma between records")
                reader.position += 1
        reader.position += 1
        if reader.next_character():
            raise reader.error("text after the list")


class _ListReader:
    """Text of a JSON file, read as required."""

    def __init__(self, file: Path, text: TextIO) -> None:
        self.position = 0
        self._file, self._text = file, text
        self._buffer = ""
        self._decoder = json.JSONDecoder()
        self._read_before = 0

    def error(self, what: str) -> UserError:
        return UserError(
            f"{self._file}: cannot be read as JSON ({what} at character {self._read_before + self.position}). Correct the file."
        )

    def next_character(self) -> str:
        """The next character that is no space; "" at the end."""
        while True:
            while self.position < len(self._buffer) and self._buffer[self.position] in " \t\r\n":
                self.position += 1
            if self.position < len(self._buffer):
                return self._buffer[self.position]
            if not self._read_more():
                return ""

    def value(self) -> object:
        """The next value. Raises UserError."""
        self.next_character()
        while True:
            fault = ""
            try:
                value, end = self._decoder.raw_decode(self._buffer, self.position)
            except json.JSONDecodeError as error:
                fault = error.msg
            except (ValueError, RecursionError) as error:
                raise self.error(str(error)[:80]) from None
            else:
                if end < len(self._buffer):  # a number at the end of the text may have further digits
                    self.position = end
                    return value
            if len(self._buffer) - self.position > _LONGEST:
                raise self.error(f"a record is longer than {_LONGEST >> 20} MB")
            if not self._read_more():
                raise self.error(fault or "the list does not end")

    def _read_more(self) -> bool:
        """Append text, as much again as there is, so that a long value is not parsed many times."""
        rest = self._buffer[self.position :]
        more = self._text.read(max(_CHUNK, len(rest)))
        self._read_before += self.position
        self._buffer, self.position = rest + more, 0
        return bool(more)


def is_missing(value: object) -> bool:
    """Whether a cell is empty: null, NaN, or a text of spaces."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, float) and isnan(value))


def cell_text(value: object, column: str) -> str:
    """Return a cell as stripped text. Raises Unusable if it is empty, or neither text, number nor boolean."""
    if is_missing(value):
        raise Unusable(f"no {column}")
    if not isinstance(value, str | int | float):
        raise Unusable(f"the {column} is not text", type(value).__name__)
    try:
        text = str(value).replace("\r\n", "\n").strip()
        text.encode()
    except UnicodeEncodeError:
        raise Unusable(f"the {column} is not text", "it contains an unpaired surrogate") from None
    except ValueError:
        raise Unusable(f"the {column} is too long", "a number of thousands of digits") from None
    return text
