"""Export for Hugging Face: the columns of a mixture in Parquet files, with a card that `datasets.load_dataset` reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from isovist.data.dataset.training_examples import EXAMPLES, TrainingExample
from isovist.data.exporters.file_writers import example_pictures, messages, parquet

USE = """```python
from datasets import load_dataset

examples = load_dataset("{out}", split="train")
```

`images` are decoded; the n-th `<image>` in the `content` of the turns is the n-th of them. `key` is the typed key as JSON, from which
`isovist.core.answers.from_json` makes an answer that scores replies."""


def export_hf(examples: Iterable[TrainingExample], folder: Path) -> None:
    rows = (
        {
            "id": example.id,
            "kind": example.kind,
            "source": example.source,
            "level": example.level,
            "images": example_pictures(example),
            "turns": messages(example.turns),
            "key": example.key,
        }
        for example in examples
    )
    parquet(rows, EXAMPLES, folder)
