"""Find and read files on disk. Their content is not trusted."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from isovist.common import json_lines
from isovist.common.errors import UserError

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")
"""File name suffixes of photographs."""
_MOST_BYTES = 1 << 30
_MOST_FILES = 100_000


def walk(root: Path) -> Iterator[Path]:
    """Yield the files below a folder. Symbolic links to folders are not followed. Raises UserError if there are too many files."""
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            count += 1
            if count > _MOST_FILES:
                raise UserError(f"More than {_MOST_FILES} files: {root}. Give the folder of the dataset only.")
            yield Path(folder) / name


def listed(path: Path, glob: str, root: Path | None = None) -> list[Path]:
    """Return the files below a folder whose paths match a glob at the end, sorted, or the file itself.

    Links to files outside of `root`, by default the folder, are excluded. Raises ValueError for an invalid glob.
    """
    if path.is_file():
        return [path]
    root = root or path.resolve()
    return sorted(file for file in walk(path) if file.match(glob) and file.is_file() and file.resolve().is_relative_to(root))


def name(file: Path, path: Path) -> str:
    """Return the path of a file relative to the given folder."""
    return file.relative_to(path).as_posix() if path.is_dir() else file.name


def picture(*stems: Path) -> Path:
    """Return the first existing image for paths without suffix; else the first path with ".png"."""
    candidates = (stem.with_name(stem.name + suffix) for stem in stems for suffix in SUFFIXES)
    return next((file for file in candidates if file.is_file()), stems[0].with_name(stems[0].name + ".png"))


def numbered_pictures(folder: Path) -> dict[int, Path]:
    """Return the images of a folder by the number in their names, with or without leading zeros. Empty if the folder does not exist."""
    pictures = (file for file in sorted(folder.iterdir()) if file.suffix.lower() in SUFFIXES) if folder.is_dir() else ()
    return {int(file.stem): file for file in pictures if file.stem.isdecimal()}


def beside(root: Path, file_name: str) -> Path:
    """Return the path of an image named by an annotation: the path below `root`, or its file name in an image folder."""
    inside = Path(file_name.replace("\\", "/"))
    if inside.is_absolute() or ".." in inside.parts or "\0" in file_name or not inside.name:
        return root / "a name that leaves the folder"
    return next(
        (file for file in (root / inside, root / "images" / inside.name, root / "image" / inside.name) if file.is_file()), root / inside
    )


def data(file: Path) -> bytes:
    """Return the bytes of a file. Raises UserError."""
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise UserError(f"{file}: larger than {_MOST_BYTES >> 20} MB.")
        return file.read_bytes()
    except FileNotFoundError:
        raise UserError(f"File does not exist: {file}. Correct the path.") from None
    except OSError as error:
        raise UserError(f"Cannot read file ({str(error)[:80]}): {file}. Check the file.") from None


def text(file: Path) -> str:
    """Return the text of a file. Raises UserError."""
    try:
        return data(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"Cannot read file ({str(error)[:80]}): {file}. Check the file.") from None


def read_json(file: Path) -> Any:
    """Return the content of a JSON file. Raises UserError."""
    try:
        return json.loads(text(file))
    except (ValueError, RecursionError) as error:
        raise UserError(f"Invalid JSON ({str(error)[:80]}): {file}. Download the file again.") from None


def entries(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the elements of a JSON list; an empty mapping for an element that is not an object. Nothing if the value is not a list."""
    for entry in cast("list[Any]", value) if isinstance(value, list) else []:
        yield mapping(entry)


def key(entry: Mapping[str, Any], name: str) -> int | str | None:
    """Return the value of a field if it can be an identifier (int or str), else None."""
    value = entry.get(name)
    return value if isinstance(value, int | str) else None


def mapping(value: Any) -> Mapping[str, Any]:
    """Return the value if it is a JSON object, else an empty mapping."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def label_rows(path: Path, columns: Sequence[str]) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the rows of a table with their line numbers. Raises UserError if it cannot be parsed or a CSV file lacks a column."""
    content = text(path)
    needed = f"the columns {', '.join(columns[:-1])} and {columns[-1]}" if len(columns) > 1 else f"the column {columns[0]}"
    if path.suffix.lower() in (".jsonl", ".json"):
        return list(_json_lines(path, content, needed))
    try:
        reader = csv.DictReader(io.StringIO(content), skipinitialspace=True, strict=True)
        if missing := [name for name in columns if name not in (reader.fieldnames or ())]:
            raise UserError(f"{path}: no column {missing[0]!r}; give a table with {needed}.")
        return [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise UserError(f"{path}: cannot be read ({str(error)[:80]}); give a table with {needed}.") from None


def _json_lines(path: Path, content: str, needed: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(json_lines.rows(content), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{path}: line {number} cannot be read ({str(error)[:80]}); give a table with {needed}.") from None
        if not isinstance(row, dict):
            raise UserError(f"{path}: line {number} is no object; give a table with {needed}.")
        yield number, cast("dict[str, Any]", row)
