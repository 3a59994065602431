"""Export as a plain folder: images as files, and one JSON line per example."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from isovist.data.dataset.training_examples import TrainingExample
from isovist.data.exporters.file_writers import json_lines, messages, picture_files

FILE = "examples.jsonl"

USE = """Each line of `examples.jsonl` has `id`, `kind`, `source`, `level`, `images` (paths in this folder), `turns` (`role` and `content`, with one
`<image>` for each picture, in order) and `key` (the typed answer; null for general data)."""


def export_folder(examples: Iterable[TrainingExample], folder: Path) -> None:
    entries = (
        {
            "id": example.id,
            "kind": example.kind,
            "source": example.source,
            "level": example.level,
            "images": picture_files(example.images, folder),
            "turns": messages(example.turns),
            "key": json.loads(example.key) if example.key else None,
        }
        for example in examples
    )
    json_lines(entries, folder / FILE)
