"""Tables written by hand: CSV with a header, or JSON Lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from isovist.common import json_lines
from isovist.common.errors import UserError
from isovist.data.importers import file_reader


def rows(path: Path, columns: Sequence[str]) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the rows of a table with their line numbers. Raises UserError if it cannot be parsed or a CSV file lacks a column."""
    text = file_reader.text(path)
    needed = f"the columns {', '.join(columns[:-1])} and {columns[-1]}" if len(columns) > 1 else f"the column {columns[0]}"
    if path.suffix.lower() in (".jsonl", ".json"):
        return list(_json_lines(path, text, needed))
    try:
        reader = csv.DictReader(io.StringIO(text), skipinitialspace=True, strict=True)
        if missing := [name for name in columns if name not in (reader.fieldnames or ())]:
            raise UserError(f"{path}: no column {missing[0]!r}; give a table with {needed}.")
        return [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise UserError(f"{path}: cannot be read ({str(error)[:80]}); give a table with {needed}.") from None


def _json_lines(path: Path, text: str, needed: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(json_lines.rows(text), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{path}: line {number} cannot be read ({str(error)[:80]}); give a table with {needed}.") from None
        if not isinstance(row, dict):
            raise UserError(f"{path}: line {number} is no object; give a table with {needed}.")
        yield number, cast("dict[str, Any]", row)
