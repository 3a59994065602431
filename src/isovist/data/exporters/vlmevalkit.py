"""Export for VLMEvalKit: TSV files with base64 images. One file has the choices, which it scores itself, another the other answers.

Columns from https://github.com/open-compass/VLMEvalKit (docs/en/Development.md), 2026. Its own classes put all images before the text,
so the text refers to images by number instead of a placeholder. The accompanying module uses the prompts and the scorer of Isovist.
"""

from __future__ import annotations

import base64
import csv
import json
from collections.abc import Callable
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any

from isovist.common import canary
from isovist.core.answers import LETTERS, Choice
from isovist.data.dataset.rows import ItemRow
from isovist.data.exporters.export_source import Items
from isovist.data.exporters.file_writers import copy_template, within
from isovist.data.prompts import unplaced

MODULE = "isovist_vlmevalkit.py"
CHOICE, OPEN = "Isovist_choice", "Isovist_open"
_LARGEST = 900_000_000  # bytes: above 1 GiB VLMEvalKit converts the file and re-encodes images as JPEG
# values that pandas parses as an empty cell
_EMPTY = {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"}  # fmt: skip
_COMMON = ("index", "id", "task", "split", "level", "category", "l2-category", canary.NAME)


def export_vlmevalkit(items: Items, folder: Path, progress: Callable[[], object]) -> list[str]:
    """Write the files and the module. Returns notes on these items for the user."""
    most_options = max((len(row.choices) for row in items.rows(pictures=False)), default=0)
    changed = 0
    with closing(_Tsv(folder, CHOICE, most_options)) as choices, closing(_Tsv(folder, OPEN, 0)) as others:
        for row in items.rows(progress):
            if not row.images:
                items.skipped["items without an image (the TSV format requires one)"] += 1
                continue
            changed += any(option in _EMPTY or _is_number(option) for option in row.choices)
            (choices if isinstance(row.key, Choice) else others).add(_columns(row, items.prompt(row)), row.choices)
    copy_template("vlmevalkit.py", folder / MODULE)
    if changed:
        return [
            f"{changed} items have options such as 3 or NA, which VLMEvalKit's own reader may turn into 3.0 or leave out; use {MODULE}."
        ]
    return []


def _columns(row: ItemRow, prompt: str) -> dict[str, str]:
    question = row.metadata.question if isinstance(row.key, Choice) else prompt
    images = [base64.b64encode(image).decode() for image in row.images]
    names = [f"{blake2b(image, digest_size=12).hexdigest()}.png" for image in row.images]
    return {
        "index": index(row.id),
        "id": row.id,
        "task": row.task,
        "split": row.split,
        "level": row.level,
        "category": row.task,
        "l2-category": row.suite,
        canary.NAME: canary.NOTICE if canary.is_test(row.split) else "",
        "question": unplaced(question),
        "answer": row.answer,
        "key": json.dumps(row.metadata.answer, ensure_ascii=False),
        "prompt": prompt,
        # content hashes: VLMEvalKit caches images by name across datasets
        "image_path": names[0] if len(names) == 1 else json.dumps(names),
        "image": images[0] if len(images) == 1 else json.dumps(images),
    }


def index(id: str) -> str:
    """Return the index of an item in the TSV. It is not a number, because pandas would convert digits."""
    return f"i{id.rpartition('#')[2]}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class _Tsv:
    """A TSV file that continues in a new file at the size limit."""

    def __init__(self, folder: Path, name: str, options: int) -> None:
        self._folder, self._name = folder, name
        self._columns = [*_COMMON, "question", *LETTERS[:options], "answer", "key", "prompt", "image_path", "image"]
        self._files = 0
        self._file: Any = None
        self._writer: Any = None

    def add(self, row: dict[str, str], options: tuple[str, ...]) -> None:
        if self._file is None:
            self._files += 1
            name = self._name if self._files == 1 else f"{self._name}_{self._files}"
            self._file = within(self._folder, f"{name}.tsv").open("w", encoding="utf-8", newline="")
            self._writer = csv.DictWriter(self._file, self._columns, delimiter="\t", restval="", lineterminator="\n")
            self._writer.writeheader()
        self._writer.writerow({**row, **dict(zip(LETTERS, options, strict=False))})
        if self._file.tell() > _LARGEST:
            self.close()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
