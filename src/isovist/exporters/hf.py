"""Hugging Face: the columns of a mix, in Parquet files with a card that `datasets.load_dataset` reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from isovist.dataset.training_examples import EXAMPLES, TrainingExample, picture_name
from isovist.exporters.file_writers import parquet, pictures

USE = """```python
from datasets import load_dataset

examples = load_dataset("{out}", split="train")
```

`images` are decoded; the n-th `<image>` in the `content` of the turns is the n-th of them. `key` is the typed key as JSON, from which
`isovist.core.answers.from_json` makes an answer that scores replies."""


def write(examples: Iterable[TrainingExample], folder: Path, name: str) -> None:
    del name
    parquet(
        (
            {
                "id": one.id,
                "kind": one.kind,
                "source": one.source,
                "level": one.level,
                "images": pictures(one.images, lambda i, one=one: picture_name(one, i)),
                "turns": [{"role": turn.role, "content": turn.content} for turn in one.turns],
                "key": one.key,
            }
            for one in examples
        ),
        EXAMPLES,
        folder,
    )
