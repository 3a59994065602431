"""Writers shared by the formats: Parquet in several files, JSON in a stream, and images as deduplicated files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import blake2b
from importlib.resources import files
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from isovist.common.errors import UserError
from isovist.core.item_ids import unique_part
from isovist.data.dataset.manifest_check import is_line
from isovist.data.dataset.rows import ItemRow
from isovist.data.dataset.training_examples import ChatMessage, TrainingExample, picture_name
from isovist.data.prompts import IMAGE
from isovist.world.render.image_encoding import media_type

ROWS_PER_FILE = 10_000
_ROWS = 250  # maximum number of rows in memory, and per row group
_BYTES = 64 << 20  # approximate maximum size of images in memory, in bytes

PICTURE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
TEXT = pa.string()

_FEATURE_OF_TEXT = {"dtype": "string", "_type": "Value"}


def schema(**columns: pa.DataType) -> pa.Schema:
    """Return a schema with metadata from which `datasets` recognizes image columns."""
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


def within(folder: Path, name: str) -> Path:
    """The path of a new file of an export, with slashes in its name; its folder is created.

    Names have parts of the data: raises UserError for one that leaves the folder, that has control characters, or that another file has.
    """
    path = folder / name
    if any(part in ("", ".", "..") or "\\" in part for part in name.split("/")) or not is_line(name) or path.exists():
        raise UserError(f"Export has an unsafe or repeated file name: {name!a}. Rename the task, or export fewer --tasks.")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def parquet(rows: Iterable[dict[str, Any]], columns: pa.Schema, folder: Path, stem: str = "train") -> list[str]:
    """Write rows to files of the usual size, ``train-00000-of-0000N.parquet``, and return the file names."""
    folder.mkdir(parents=True, exist_ok=True)
    left = iter(rows)
    waiting: list[Path] = []
    first = next(left, None)
    while first is not None or not waiting:
        path = folder / f".{len(waiting)}.parquet"
        parquet_file(chain([first] if first is not None else (), islice(left, ROWS_PER_FILE - 1)), columns, path)
        waiting.append(path)
        first = next(left, None)
    names = [f"{stem}-{i:05d}-of-{len(waiting):05d}.parquet" for i in range(len(waiting))]
    for path, name in zip(waiting, names, strict=True):
        path.replace(folder / name)
    return names


def parquet_file(rows: Iterable[dict[str, Any]], columns: pa.Schema, path: Path) -> None:
    """Write any number of rows to one file. `images` columns are lists of dictionaries with `bytes`; their size limits the memory used."""
    batch: list[dict[str, Any]] = []
    size = written = 0
    with pq.ParquetWriter(path, columns, compression="snappy", write_page_checksum=True) as writer:
        for row in rows:
            batch.append(row)
            size += sum(len(image["bytes"]) for image in row.get("images", ()))
            if len(batch) >= _ROWS or size > _BYTES:
                writer.write_table(pa.Table.from_pylist(batch, schema=columns))
                written += len(batch)
                batch, size = [], 0
        if batch or not written:
            writer.write_table(pa.Table.from_pylist(batch, schema=columns))


def example_pictures(example: TrainingExample) -> list[dict[str, Any]]:
    """Return the images of an example in Parquet form, without re-encoding."""
    return [{"bytes": image, "path": picture_name(example, i)} for i, image in enumerate(example.images)]


def row_pictures(row: ItemRow) -> list[dict[str, Any]]:
    """Return the images of a row in Parquet form, without re-encoding."""
    stem = unique_part(row.id)
    return [{"bytes": image, "path": f"{stem}-{i}.{suffix(image)}"} for i, image in enumerate(row.images)]


def messages(turns: Iterable[ChatMessage]) -> list[dict[str, str]]:
    """Convert messages to dictionaries with text content."""
    return [{"role": turn.role, "content": turn.content} for turn in turns]


def picture_files(images: Iterable[bytes], folder: Path) -> list[str]:
    """Write images as files without re-encoding, and return their paths relative to the folder.

    File names are content hashes: an image in several examples is written once.
    """
    paths: list[str] = []
    for image in images:
        digest = blake2b(image, digest_size=12).hexdigest()
        # thousands of files in one folder are slow on many file systems
        paths.append(f"images/{digest[:2]}/{digest}.{suffix(image)}")
        if not (folder / paths[-1]).exists():
            within(folder, paths[-1]).write_bytes(image)
    return paths


def suffix(image: bytes) -> str:
    return "jpg" if media_type(image) == "image/jpeg" else "png"


def copy_template(name: str, path: Path) -> None:
    """Copy a module that accompanies an export to its folder."""
    path.write_text(files("isovist.data.exporters.templates").joinpath(name).read_text(encoding="utf-8"), encoding="utf-8")


def json_lines(entries: Iterable[object], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for one in entries:
            file.write(json.dumps(one, ensure_ascii=False) + "\n")


def json_list(entries: Iterable[object], path: Path) -> None:
    """Write a JSON list entry by entry."""
    with path.open("w", encoding="utf-8") as file:
        before, end = "[\n", "[]\n"
        for entry in entries:
            file.write(before + json.dumps(entry, ensure_ascii=False))
            before, end = ",\n", "\n]\n"
        file.write(end)


def pieces(text: str) -> list[str | None]:
    """Split a text at its image placeholders. None stands for an image; empty texts are removed.

    One line break beside an image is removed: it separated the placeholder from the text.
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
