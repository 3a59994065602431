"""A plain folder: pictures as files, and one line of JSON an example."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from isovist.dataset.training_examples import TrainingExample
from isovist.exporters.file_writers import PictureFiles, json_lines

FILE = "examples.jsonl"

USE = """Each line of `examples.jsonl` has `id`, `kind`, `source`, `level`, `images` (paths in this folder), `turns` (`role` and `content`, with one
`<image>` for each picture, in order) and `key` (the typed answer; null for general data)."""


def write(examples: Iterable[TrainingExample], folder: Path, name: str) -> None:
    del name
    files = PictureFiles(folder)
    entries = (
        {
            "id": one.id,
            "kind": one.kind,
            "source": one.source,
            "level": one.level,
            "images": [files.put(image) for image in one.images],
            "turns": [{"role": turn.role, "content": turn.content} for turn in one.turns],
            "key": json.loads(one.key) if one.key else None,
        }
        for one in examples
    )
    json_lines(entries, folder / FILE)
