"""Questions without keys: what an organiser gives to a submitter who runs a private release, as images and one JSON line per item."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from isovist.common.errors import UserError
from isovist.core.item_ids import keyed_order
from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import Manifest
from isovist.data.exporters.file_writers import json_lines, picture_files
from isovist.data.importers.pipeline import atomic_folder

FILE = "questions.jsonl"
_EPOCH = 315532800  # 1980-01-01, the first day of zip files


def export_questions(data: Path, out: Path, progress: Callable[[], object] = lambda: None) -> int:
    """Write the items of a dataset folder without keys to a new or empty folder; returns their number.

    Each line has `id`, `prompt` and `images`, paths in the folder; each ``<image>`` in the prompt is the next of them. The order of the
    lines does not depend on the answers. Raises UserError for a folder without items.
    """
    parts = Manifest.read(data).parts
    order = sorted((row.id for row in load(data, parts, pictures=False)), key=keyed_order)
    if not order:
        raise UserError(f"Dataset folder has no items: {data}. Generate it with `isovist release generate`.")
    with atomic_folder(out) as folder:
        lines: dict[str, dict[str, object]] = {}
        for row in load(data, parts):
            lines[row.id] = {"id": row.id, "prompt": row.prompt, "images": picture_files(row.images, folder)}
            progress()

        def ordered() -> Iterator[dict[str, object]]:
            return (lines[id] for id in order)

        json_lines(ordered(), folder / FILE)
        for path in folder.rglob("*"):  # the times of the files would state the order in which they were written
            os.utime(path, (_EPOCH, _EPOCH))
    return len(order)
