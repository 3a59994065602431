"""Export for TRL: `prompt` and `completion` as messages with a list of parts, so every image is at its position in the text.

TRL moves all images to the start of messages with plain text content, so contents are lists of parts. `SFTTrainer` computes the loss on
the completion only; `GRPOTrainer` passes `ground_truth` to the reward function as a keyword.

Columns from https://huggingface.co/docs/trl (dataset formats), version 1.16.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from isovist.data.dataset.training_examples import ChatMessage, TrainingExample
from isovist.data.exporters.export_source import style_of
from isovist.data.exporters.file_writers import PICTURE, TEXT, example_pictures, parquet, pieces, schema

_MESSAGES = pa.list_(pa.struct([("role", TEXT), ("content", pa.list_(pa.struct([("type", TEXT), ("text", TEXT)])))]))
_ABOUT = {"id": TEXT, "kind": TEXT, "source": TEXT, "level": TEXT}
SFT = schema(prompt=_MESSAGES, completion=_MESSAGES, images=pa.list_(PICTURE), **_ABOUT)
GRPO = schema(prompt=_MESSAGES, images=pa.list_(PICTURE), ground_truth=TEXT, style=TEXT, **_ABOUT)

USE = """```python
from datasets import load_dataset

dataset = load_dataset("{out}", split="train")
```

Keep `max_length=None`: a prompt that is cut loses the marks of its pictures. In `trl-grpo`, `ground_truth` is the typed key as JSON and
`style` the prompt style; the reward function gets both as keywords."""


def export_trl_sft(examples: Iterable[TrainingExample], folder: Path) -> None:
    parquet(({"completion": _messages(example.turns[-1:]), **_prompt_row(example)} for example in examples), SFT, folder)


def export_trl_grpo(examples: Iterable[TrainingExample], folder: Path) -> None:
    parquet(({"ground_truth": example.key, "style": style_of(example), **_prompt_row(example)} for example in examples), GRPO, folder)


def _prompt_row(example: TrainingExample) -> dict[str, Any]:
    return {
        "prompt": _messages(example.asked),
        "images": example_pictures(example),
        "id": example.id,
        "kind": example.kind,
        "source": example.source,
        "level": example.level,
    }


def _messages(turns: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    return [
        {
            "role": turn.role,
            "content": [{"type": "text" if piece is not None else "image", "text": piece} for piece in pieces(turn.content)],
        }
        for turn in turns
    ]
