"""Results of VLMEvalKit: MODEL_Isovist_choice.xlsx and similar, TSV or JSON, with the columns of the exported TSV and `prediction`."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from isovist.common.errors import UserError
from isovist.common.installation import install_command
from isovist.data.importers.benchmark_format import Unusable
from isovist.evaluation.models.base import ModelResponse
from isovist.evaluation.predictions.prediction import Prediction, Row, Tool, by_model

_NAME = re.compile(r"(.+)_Isovist_(?:choice|open)(?:_\d+)?\.(?:xlsx|tsv|json)")
_CELL = 32_767  # maximum number of characters in an xlsx cell; a longer response is truncated and may lack its answer
_FAILED = "Failed to obtain answer"  # text that VLMEvalKit writes for a failed request


def _files(path: Path) -> dict[str, list[Path]]:
    return by_model(path, "*_Isovist_*", lambda file: match[1] if (match := _NAME.fullmatch(file.name)) else None)


def _read(file: Path, row: Row) -> Iterator[Prediction | Unusable]:
    id, prediction, thinking = row.get("id"), row.get("prediction"), row.get("thinking")
    if not isinstance(id, str) or not id:
        yield Unusable("a row without an id")
    elif "prediction" not in row:
        yield Unusable("a row without a prediction")
    elif file.suffix == ".xlsx" and len(str(prediction)) >= _CELL:
        yield Unusable("a response truncated by its xlsx cell (PRED_FORMAT=json keeps it)")
    else:
        text = "" if prediction is None else str(prediction)
        failed = _FAILED in text
        reasoning = thinking if isinstance(thinking, str) else ""
        yield Prediction(ModelResponse("" if failed else text, reasoning, error=text[:200] if failed else ""), id)


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    """Read the rows of a table. Raises UserError if it cannot be read."""
    try:
        if file.suffix == ".json":
            data: object = json.loads(file.read_bytes())
            if not isinstance(data, list):
                raise UserError(f"Not a JSON list of records: {file}. Give a file that VLMEvalKit wrote with PRED_FORMAT=json.")
            yield from (cast("dict[str, Any]", one) if isinstance(one, dict) else {} for one in cast("list[object]", data))
        elif file.suffix == ".tsv":
            csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
            with file.open(encoding="utf-8", newline="") as read:
                yield from csv.DictReader(read, delimiter="\t")
        else:
            yield from _sheet(file)
    except UserError:
        raise
    except (ValueError, OSError, csv.Error, KeyError) as error:
        raise UserError(f"{file}: cannot be read as a table ({' '.join(str(error).split())[:120]}).") from None


def _sheet(file: Path) -> Iterator[dict[str, Any]]:
    from zipfile import BadZipFile

    try:
        from openpyxl import load_workbook
    except ModuleNotFoundError:
        raise UserError(
            f"Missing extra 'predictions' for xlsx: {file}. Run `{install_command('predictions')}`, or let VLMEvalKit write PRED_FORMAT=json."
        ) from None
    try:
        book = load_workbook(file, read_only=True, data_only=True)
    except BadZipFile:
        raise UserError(f"Damaged xlsx file: {file}. Copy it again.") from None
    rows = book.worksheets[0].iter_rows(values_only=True)
    names = [str(name) for name in next(rows, ())]
    for row in rows:
        yield dict(zip(names, row, strict=False))
    book.close()


TOOL = Tool("VLMEvalKit", "MODEL_Isovist_choice.xlsx, .tsv or .json", _files, _read, rows=lambda file: enumerate(_rows(file), 1))
