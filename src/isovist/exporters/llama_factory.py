"""LLaMA-Factory: ShareGPT messages in JSON lines, with the entry of `dataset_info.json` that names their columns.

Fields by https://github.com/hiyouga/LLaMA-Factory (data/README.md), version 0.9.5. Paths of pictures count from the dataset folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from isovist.dataset.training_examples import TrainingExample
from isovist.exporters.file_writers import PictureFiles, json_lines

NAME = "isovist"
FILE = "isovist.jsonl"
INFO = {
    NAME: {
        "file_name": FILE,
        "formatting": "sharegpt",
        "columns": {"messages": "messages", "images": "images"},
        "tags": {
            "role_tag": "role",
            "content_tag": "content",
            "user_tag": "user",
            "assistant_tag": "assistant",
            "system_tag": "system",
        },
    }
}

USE = """```yaml
dataset_dir: {out}
dataset: isovist
```"""


def write(examples: Iterable[TrainingExample], folder: Path, name: str) -> None:
    del name
    files = PictureFiles(folder)
    entries = (
        {
            "messages": [{"role": turn.role, "content": turn.content} for turn in one.turns],
            "images": [files.put(image) for image in one.images],
            "id": one.id,
            "source": one.source,
        }
        for one in examples
    )
    json_lines(entries, folder / FILE)
    (folder / "dataset_info.json").write_text(json.dumps(INFO, indent=2) + "\n", encoding="utf-8")
