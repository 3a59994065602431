"""EasyR1: Parquet with `problem`, `answer` and `images`; the answer is the typed key, which its reward gets as `ground_truth`.

Columns by the README of https://github.com/hiyouga/EasyR1 (custom dataset).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from isovist.dataset.training_examples import TrainingExample, picture_name
from isovist.exporters.export_source import style_of
from isovist.exporters.file_writers import PICTURE, TEXT, parquet, pictures, schema

COLUMNS = schema(problem=TEXT, answer=TEXT, images=pa.list_(PICTURE), style=TEXT, id=TEXT, source=TEXT, level=TEXT)

USE = """```sh
python3 -m verl.trainer.main data.train_files={out} data.prompt_key=problem data.answer_key=answer data.image_key=images data.format_prompt=null ...
```

The folder's path must hold no `@`, which EasyR1 reads as the mark before a split. The prompt asks for its form of reply itself, so
no `format_prompt` is needed. `answer` is the typed key as JSON."""


def write(examples: Iterable[TrainingExample], folder: Path, name: str) -> None:
    del name
    parquet(_rows(examples), COLUMNS, folder)


def _rows(examples: Iterable[TrainingExample]) -> Iterator[dict[str, Any]]:
    for one in examples:
        yield {
            "problem": "\n\n".join(turn.content for turn in one.asked),
            "answer": one.key,
            "images": pictures(one.images, lambda i, one=one: picture_name(one, i)),
            "style": style_of(one),
            "id": one.id,
            "source": one.source,
            "level": one.level,
        }
