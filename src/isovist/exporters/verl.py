"""verl: Parquet with the prompt as messages, ``<image>`` in their words, and the key where `compute_score` gets it.

Columns by https://verl.readthedocs.io (data preparation), version 0.9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from isovist.dataset.training_examples import TrainingExample, picture_name
from isovist.exporters.export_source import style_of
from isovist.exporters.file_writers import PICTURE, TEXT, parquet, pictures, schema

COLUMNS = schema(
    data_source=TEXT,
    prompt=pa.list_(pa.struct([("role", TEXT), ("content", TEXT)])),
    images=pa.list_(PICTURE),
    ability=TEXT,
    reward_model=pa.struct([("style", TEXT), ("ground_truth", TEXT)]),
    extra_info=pa.struct(
        [("split", TEXT), ("index", pa.int64()), ("id", TEXT), ("level", TEXT), ("style", TEXT), ("answer", TEXT), ("question", TEXT)]
    ),
)

USE = """```sh
python3 -m verl.trainer.main_ppo data.train_files={out}/{first} data.image_key=images ...
```

Several files go into a list. `reward_model.ground_truth` is the typed key as JSON, `data_source` the task."""


def write(examples: Iterable[TrainingExample], folder: Path, name: str) -> None:
    del name
    parquet(_rows(examples), COLUMNS, folder)


def _rows(examples: Iterable[TrainingExample]) -> Iterator[dict[str, Any]]:
    for index, one in enumerate(examples):
        answer = one.answer
        yield {
            "data_source": one.source,
            "prompt": [{"role": turn.role, "content": turn.content} for turn in one.asked],
            "images": pictures(one.images, lambda i, one=one: picture_name(one, i)),
            "ability": one.source.partition("/")[0],
            "reward_model": {"style": "rule", "ground_truth": one.key},
            "extra_info": {
                "split": "train",
                "index": index,
                "id": one.id,
                "level": one.level,
                "style": style_of(one),
                "answer": answer.canonical() if answer else "",
                "question": one.asked[-1].content,
            },
        }
