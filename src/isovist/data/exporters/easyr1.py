"""Export for EasyR1: Parquet with `problem`, `answer` and `images`. `answer` is the typed key; the reward gets it as `ground_truth`.

Columns from the README of https://github.com/hiyouga/EasyR1 (custom dataset).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from isovist.data.dataset.training_examples import TrainingExample
from isovist.data.exporters.export_source import style_of
from isovist.data.exporters.file_writers import PICTURE, TEXT, example_pictures, parquet, schema

COLUMNS = schema(problem=TEXT, answer=TEXT, images=pa.list_(PICTURE), style=TEXT, id=TEXT, source=TEXT, level=TEXT)

USE = """```sh
python3 -m verl.trainer.main data.train_files={out} data.prompt_key=problem data.answer_key=answer data.image_key=images data.format_prompt=null ...
```

The folder's path must hold no `@`, which EasyR1 reads as the mark before a split. The prompt asks for its form of reply itself, so
no `format_prompt` is needed. `answer` is the typed key as JSON."""


def export_easyr1(examples: Iterable[TrainingExample], folder: Path) -> None:
    parquet(map(_row, examples), COLUMNS, folder)


def _row(example: TrainingExample) -> dict[str, Any]:
    return {
        "problem": "\n\n".join(turn.content for turn in example.asked),
        "answer": example.key,
        "images": example_pictures(example),
        "style": style_of(example),
        "id": example.id,
        "source": example.source,
        "level": example.level,
    }
