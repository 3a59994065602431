"""LLaVA: one JSON list of conversations between `human` and `gpt`; `image` is a path, or a list of paths.

Fields by https://github.com/haotian-liu/LLaVA (docs/Finetune_Custom_Data.md); lists of pictures as LLaVA-NeXT and VLM-R1 take them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from isovist.dataset.training_examples import TrainingExample
from isovist.exporters.file_writers import JsonList, PictureFiles

FILE = "llava.json"

USE = """```sh
--data_path {out}/llava.json --image_folder {out}
```"""


def write(examples: Iterable[TrainingExample], folder: Path, name: str) -> None:
    del name
    files = PictureFiles(folder)
    with JsonList(folder / FILE) as listed:
        for one in examples:
            listed.add(_entry(one, [files.put(image) for image in one.images]))


def _entry(one: TrainingExample, paths: list[str]) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": one.id}
    if paths:
        entry["image"] = paths[0] if len(paths) == 1 else paths
    messages: list[dict[str, str]] = []
    before = ""
    for turn in one.turns:
        if turn.role == "system":  # LLaVA has a system prompt of its own and knows two speakers
            before += f"{turn.content}\n"
            continue
        messages.append({"from": "human" if turn.role == "user" else "gpt", "value": before + turn.content})
        before = ""
    return {**entry, "conversations": messages}
