"""Export for LLaVA: one JSON list of conversations between `human` and `gpt`; `image` is a path or a list of paths.

Fields from https://github.com/haotian-liu/LLaVA (docs/Finetune_Custom_Data.md); lists of images as in LLaVA-NeXT and VLM-R1.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from isovist.data.dataset.training_examples import TrainingExample
from isovist.data.exporters.file_writers import json_list, picture_files

FILE = "llava.json"

USE = """```sh
--data_path {out}/llava.json --image_folder {out}
```"""


def export_llava(examples: Iterable[TrainingExample], folder: Path) -> None:
    json_list((_entry(example, picture_files(example.images, folder)) for example in examples), folder / FILE)


def _entry(example: TrainingExample, paths: list[str]) -> dict[str, Any]:
    conversations: list[dict[str, str]] = []
    before = ""
    for turn in example.turns:
        if turn.role == "system":  # LLaVA has its own system prompt and only two roles
            before += f"{turn.content}\n"
            continue
        conversations.append({"from": "human" if turn.role == "user" else "gpt", "value": before + turn.content})
        before = ""
    image = {"image": paths[0] if len(paths) == 1 else paths} if paths else {}
    return {"id": example.id, **image, "conversations": conversations}
