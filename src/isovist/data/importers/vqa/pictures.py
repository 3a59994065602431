"""Images of the records of a set: files, base64 text, bytes, structs of bytes and path, and references to other records."""

from __future__ import annotations

import ast
import json
import re
import warnings
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, cast
from unicodedata import normalize

from isovist.data.importers.benchmark_format import Record, Unusable
from isovist.data.importers.image_loader import photo_bytes
from isovist.data.importers.record_reader import containing_folder
from isovist.data.importers.vqa.mapping import ImageColumns
from isovist.data.importers.vqa.record_stream import cell_text, is_missing

_MOST_BYTES = 32 << 20
_LONGEST_REFERENCE = 64
_DRIVE = re.compile(r"[A-Za-z]:")
_MOST_IMAGES = 64


class Pictures:
    """Loads the images of records. `folder`: the folder of image paths; None for the folder of each file of records."""

    def __init__(self, columns: ImageColumns, folder: Path | None, referred: ReferredImages | None) -> None:
        self._columns = columns
        self._folder = folder
        self._referred = referred

    def load(self, record: Record) -> tuple[bytes, ...]:
        """Return the images of a record, encoded as in the set. Raises Unusable."""
        cells: list[object] = []
        empty = ""
        for column in self._columns.columns:
            values = [value for value in _listed(record.metadata.get(column)) if not is_missing(value)]
            if values and empty:
                raise Unusable("a picture before the last is missing", ascii(empty))
            cells += values
            empty = empty or ("" if values else column)
        if not cells:
            raise Unusable("no picture")
        if len(cells) > _MOST_IMAGES:
            raise Unusable(f"more than {_MOST_IMAGES} pictures", str(len(cells)))
        return tuple(self._load(cell, record) for cell in cells)

    def _load(self, cell: object, record: Record) -> bytes:
        if isinstance(cell, dict):
            entry = cast("dict[str, Any]", cell)
            cell, path = entry.get("bytes"), entry.get("path")
            if is_missing(cell) or not cell:
                if is_missing(path) or not isinstance(path, str):
                    raise Unusable("no picture")
                return self._read(path, record)
        if isinstance(cell, bytes):
            return cell
        if not isinstance(cell, str | int) or isinstance(cell, bool):
            raise Unusable("the image is neither bytes nor text", type(cell).__name__)
        text = cell_text(cell, "image")
        if self._columns.encoding == "path":
            return self._read(text, record)
        if self._referred and len(text) <= _LONGEST_REFERENCE:
            text = self._referred.get(record.file, text)
        return decode_base64(text)

    def _read(self, value: str, record: Record) -> bytes:
        """Return the file that a cell names. Only its very path counts: another file of that name may be another image.

        A backslash may separate folders, and the letters may have the other Unicode form, as after unpacking on another system.
        """
        named = self._columns.path.replace("{}", value)
        relatives = [PurePosixPath(form) for form in dict.fromkeys((named, *_forms(named.replace("\\", "/"))))]
        if any(one.is_absolute() or ".." in one.parts or _DRIVE.match(str(one)) or not one.name for one in relatives) or "\0" in value:
            raise Unusable("the image path leaves the folder", ascii(value[:80]))
        folder = self._folder or record.root
        try:
            path = next((path for one in relatives if (path := folder / one).is_file()), None)
            if path is None:
                raise Unusable("the image is missing", ascii(value[:80]))
            if not path.resolve().is_relative_to(containing_folder(folder.resolve())):
                raise Unusable("the image path leaves the folder", ascii(value[:80]))
            return photo_bytes(path, _MOST_BYTES)
        except Unusable:
            raise
        except (OSError, ValueError) as error:  # a name that is too long, no permission to read
            raise Unusable("the image cannot be read", str(error)[:80]) from None


def _forms(text: str) -> Iterator[str]:
    """A path as it is, and with its letters composed and decomposed."""
    yield text
    yield normalize("NFC", text)
    yield normalize("NFD", text)


def _listed(cell: object) -> list[object]:
    """Return the values of a cell: a list, a list as text, or one value."""
    if isinstance(cell, str) and cell[:1] == "[" and cell[-1:] == "]":
        parsed = parse_list(cell)
        return [cell] if parsed is None else parsed
    return cast("list[object]", cell) if isinstance(cell, list) else [cell]


def parse_list(text: str) -> list[object] | None:
    """Return the list that a text has as JSON or as a Python literal; None if it has none."""
    for parse in (json.loads, ast.literal_eval):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of an escape sequence in a Python literal
                value: object = parse(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            continue
        if isinstance(value, list):
            return cast("list[object]", value)
    return None


def decode_base64(text: str) -> bytes:
    """Return the bytes of base64 text, with or without a data URI before it. Raises Unusable."""
    if text.startswith("data:"):
        head, _, text = text.partition(",")
        if not head.endswith(";base64"):
            raise Unusable("the image is not base64", ascii(head[:40]))
    if len(text) > 2 * _MOST_BYTES:
        raise Unusable("the image is too large", f"{len(text)} characters")
    try:
        return b64decode("".join(text.split()), validate=True)
    except ValueError:
        raise Unusable("the image is not base64", ascii(text[:40])) from None


class ReferredImages:
    """Image cells to which other records refer by id. They are found at the first reference and kept in files of `folder`.

    `records`: yields the records of a file from its start; records may refer to later ones.
    """

    def __init__(self, id_column: str, column: str, records: Callable[[str], Iterable[Record]], folder: Path) -> None:
        self._id, self._column = id_column, column
        self._records = records
        self._folder = folder
        self._read = set[str]()
        self._ambiguous = set[Path]()

    def get(self, file: str, reference: str) -> str:
        """Return the cell with an image to which a record of `file` refers. Raises Unusable."""
        if file not in self._read:
            self._read.add(file)
            self._store(file)
        path = self._path(file, reference)
        if path in self._ambiguous:
            raise Unusable("several records have the id of the image", ascii(reference))
        if not path.is_file():
            raise Unusable("no record with an image has the id of the image", ascii(reference))
        return path.read_text(encoding="utf-8")

    def _path(self, file: str, reference: str) -> Path:
        return self._folder / sha256(f"{file}\n{reference}".encode(errors="surrogatepass")).hexdigest()

    def _cells(self, file: str) -> Iterator[tuple[str, str]]:
        for record in self._records(file):
            try:
                yield cell_text(record.metadata.get(self._id), self._id), cell_text(record.metadata.get(self._column), self._column)
            except Unusable:
                continue

    def _store(self, file: str) -> None:
        wanted = {cell for _, cell in self._cells(file) if len(cell) <= _LONGEST_REFERENCE}
        for identifier, cell in self._cells(file):
            if identifier in wanted:
                path = self._path(file, identifier)
                if path.exists():
                    self._ambiguous.add(path)
                elif len(cell) > _LONGEST_REFERENCE:
                    path.write_text(cell, encoding="utf-8")
