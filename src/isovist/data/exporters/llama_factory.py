"""Export for LLaMA-Factory: ShareGPT messages in JSON Lines, with the entry of `dataset_info.json` that names their columns.

Fields from https://github.com/hiyouga/LLaMA-Factory (data/README.md), version 0.9.5. Image paths are relative to the dataset folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from isovist.data.dataset.training_examples import TrainingExample
from isovist.data.exporters.file_writers import json_lines, messages, picture_files

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


def export_llama_factory(examples: Iterable[TrainingExample], folder: Path) -> None:
    entries = (
        {
            "messages": messages(example.turns),
            "images": picture_files(example.images, folder),
            "id": example.id,
            "source": example.source,
        }
        for example in examples
    )
    json_lines(entries, folder / FILE)
    (folder / "dataset_info.json").write_text(json.dumps(INFO, indent=2) + "\n", encoding="utf-8")
