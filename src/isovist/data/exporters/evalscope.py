"""Export for evalscope: Parquet for its two general multimodal tasks, one file (its "subset") per task of Isovist.

Columns from https://evalscope.readthedocs.io (custom datasets, multimodal), version 1.14. `general_vmcq` lists the options and parses
the label. `general_vqa` takes messages and compares text, so its answers are rescored by `isovist import predictions`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from isovist.core.answers import Choice
from isovist.data.dataset.data_card import config
from isovist.data.dataset.manifest import DataPart
from isovist.data.dataset.parquet import schema_of_split
from isovist.data.dataset.rows import ItemRow
from isovist.data.exporters.export_source import Items
from isovist.data.exporters.file_writers import PICTURE, TEXT, parquet_file, row_pictures, schema, within
from isovist.data.prompts import IMAGE

CHOICE, OPEN = "general_vmcq", "general_vqa"
VMCQ = schema(id=TEXT, question=TEXT, options=pa.list_(TEXT), images=pa.list_(PICTURE), answer=TEXT)
VQA = schema(id=TEXT, messages=TEXT, images=pa.list_(PICTURE), answer=TEXT)


def export_evalscope(items: Items, folder: Path, progress: Callable[[], object]) -> list[str]:
    for part in items.parts:
        of_part = items.of_part(part)
        kind = CHOICE if isinstance(next(of_part.rows(pictures=False)).key, Choice) else OPEN
        rows = (_row(items, row, kind) for row in of_part.rows(progress))
        columns = schema_of_split(VMCQ if kind == CHOICE else VQA, part.split)
        parquet_file(rows, columns, within(folder, f"{kind}/{subset(part)}.parquet"))
    return []


def usage(folder: Path) -> dict[str, list[str]]:
    """Return the subsets in an export by evalscope task."""
    return {kind: sorted(path.stem for path in (folder / kind).glob("*.parquet")) for kind in (CHOICE, OPEN) if (folder / kind).is_dir()}


def subset(part: DataPart) -> str:
    """Return the subset name of a dataset part."""
    return config(part.task) if part.split == "test" else f"{config(part.task)}-{part.split}"


def _row(items: Items, row: ItemRow, kind: str) -> dict[str, Any]:
    columns = {"id": row.id, "images": row_pictures(row), "answer": row.answer}
    if kind == CHOICE:
        return {**columns, "question": numbered(question(row)), "options": list(row.choices)}
    message = {"role": "user", "content": numbered(items.prompt(row))}
    return {**columns, "messages": json.dumps([message], ensure_ascii=False)}


def question(row: ItemRow) -> str:
    """Return the question with image placeholders, at the start unless the text places them."""
    words = row.metadata.question
    return words if IMAGE in words else "\n".join([*[IMAGE] * len(row.images), words])


def numbered(text: str) -> str:
    """Return a text with the image placeholders of evalscope, which count from 1."""
    parts = text.split(IMAGE)
    return parts[0] + "".join(f"<image {place}>{part}" for place, part in enumerate(parts[1:], 1))
