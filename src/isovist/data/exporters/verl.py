"""Export for verl: Parquet with the prompt as messages, ``<image>`` in their text, and the key as input of `compute_score`.

Columns from https://verl.readthedocs.io (data preparation), version 0.9.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from isovist.data.dataset.training_examples import TrainingExample
from isovist.data.exporters.export_source import style_of
from isovist.data.exporters.file_writers import PICTURE, TEXT, example_pictures, messages, parquet, schema

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


def export_verl(examples: Iterable[TrainingExample], folder: Path) -> None:
    parquet((_row(index, example) for index, example in enumerate(examples)), COLUMNS, folder)


def _row(index: int, example: TrainingExample) -> dict[str, Any]:
    return {
        "data_source": example.source,
        "prompt": messages(example.asked),
        "images": example_pictures(example),
        "ability": example.source.partition("/")[0],
        "reward_model": {"style": "rule", "ground_truth": example.key},
        "extra_info": {
            "split": "train",
            "index": index,
            "id": example.id,
            "level": example.level,
            "style": style_of(example),
            "answer": example.answer.canonical() if example.answer else "",
            "question": example.asked[-1].content,
        },
    }
