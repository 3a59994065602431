"""What the formats share: Parquet in several files, JSON written piece by piece, pictures as files that are written once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from isovist.prompts import IMAGE
from isovist.render.image_encoding import media_type

ROWS_PER_FILE = 10_000
_ROWS = 250  # in memory at most, and in a row group
_BYTES = 64 << 20  # of pictures in memory at most, about

PICTURE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
TEXT = pa.string()

_FEATURE_OF_TEXT = {"dtype": "string", "_type": "Value"}


def schema(**columns: pa.DataType) -> pa.Schema:
    """A schema with the note by which `datasets` knows which columns hold pictures."""
    features = {name: _feature(kind) for name, kind in columns.items()}
    note = {"huggingface": json.dumps({"info": {"features": features}})}
    return pa.schema(list(columns.items())).with_metadata(note)  # pyright: ignore[reportUnknownMemberType]


def _feature(kind: pa.DataType) -> Any:
    if kind.equals(PICTURE):
        return {"_type": "Image"}
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType]
    if pa.types.is_struct(kind):
        fields: list[pa.Field[Any]] = [kind.field(i) for i in range(kind.num_fields)]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        return {field.name: _feature(field.type) for field in fields}  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return _FEATURE_OF_TEXT if kind.equals(TEXT) else {"dtype": str(kind), "_type": "Value"}


def parquet(rows: Iterable[dict[str, Any]], columns: pa.Schema, folder: Path, stem: str = "train") -> list[str]:
    """Writes rows to files of the usual length, ``train-00000-of-0000N.parquet``, and returns their names.

    A row's pictures are lists of dictionaries with `bytes`, by which memory is bounded.
    """
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    left: Iterable[dict[str, Any]] = rows
    while True:
        iterator = iter(left)
        first = next(iterator, None)
        if first is None and count:
            break
        with pq.ParquetWriter(_waiting(folder, count), columns, compression="snappy", write_page_checksum=True) as writer:
            _fill(writer, iterator if first is None else chain([first], iterator), columns, ROWS_PER_FILE)
        count += 1
        left = iterator
    names = [f"{stem}-{i:05d}-of-{count:05d}.parquet" for i in range(count)]
    for i, name in enumerate(names):
        _waiting(folder, i).replace(folder / name)
    return names


def write_one(rows: Iterable[dict[str, Any]], columns: pa.Schema, path: Path) -> None:
    """Writes rows to one file, however many they are."""
    with pq.ParquetWriter(path, columns, compression="snappy", write_page_checksum=True) as writer:
        _fill(writer, rows, columns, None)


def _waiting(folder: Path, number: int) -> Path:
    return folder / f".{number}.parquet"


def _fill(writer: pq.ParquetWriter, rows: Iterable[dict[str, Any]], columns: pa.Schema, most: int | None) -> None:
    """Writes rows until there are so many. Takes no row that it does not write."""
    batch: list[dict[str, Any]] = []
    size = written = 0
    for row in rows:
        batch.append(row)
        size += sum(len(image["bytes"]) for image in row.get("images", ()))
        if len(batch) >= _ROWS or size > _BYTES:
            writer.write_table(pa.Table.from_pylist(batch, schema=columns))
            written += len(batch)
            batch, size = [], 0
            if most and written >= most:
                return
    if batch or not written:
        writer.write_table(pa.Table.from_pylist(batch, schema=columns))


def pictures(images: Sequence[bytes], names: Callable[[int], str]) -> list[dict[str, Any]]:
    """Pictures as they stand in Parquet, byte for byte."""
    return [{"bytes": image, "path": names(i)} for i, image in enumerate(images)]


class PictureFiles:
    """Pictures as files, byte for byte, under names made of their content: one that many examples show is written once."""

    def __init__(self, folder: Path, within: str = "images") -> None:
        self._folder, self._within = folder, within

    def put(self, image: bytes) -> str:
        """Writes a picture if it is not there, and returns its path in the folder."""
        digest = blake2b(image, digest_size=12).hexdigest()
        # thousands of files in one folder are slow on many disks
        name = f"{self._within}/{digest[:2]}/{digest}.{suffix(image)}"
        path = self._folder / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(image)
        return name


def suffix(image: bytes) -> str:
    return "jpg" if media_type(image) == "image/jpeg" else "png"


def json_lines(entries: Iterable[object], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for one in entries:
            file.write(json.dumps(one, ensure_ascii=False) + "\n")


class JsonList(AbstractContextManager["JsonList"]):
    """A JSON list that is written entry by entry."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8")
        self._begun = False

    def add(self, entry: object) -> None:
        self._file.write((",\n" if self._begun else "[\n") + json.dumps(entry, ensure_ascii=False))
        self._begun = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.write("\n]\n" if self._begun else "[]\n")
        self._file.close()


def pieces(text: str) -> list[str | None]:
    """A text cut at its pictures: None stands for a picture, texts without words are left out.

    One line break beside a picture goes: it parted the mark from the words, and the picture is a part of its own now.
    """
    segments: list[str | None] = []
    parts = text.split(IMAGE)
    for i, part in enumerate(parts):
        if i:
            segments.append(None)
            part = part.removeprefix("\n")  # noqa: PLW2901
        part = part.removesuffix("\n") if i < len(parts) - 1 else part  # noqa: PLW2901
        if part:
            segments.append(part)
    return segments
