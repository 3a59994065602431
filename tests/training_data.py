"""Data to train on in tests: small folders of rows, and a mix of all kinds of examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pyarrow.parquet as pq
from workbench import done

from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import Manifest
from isovist.data.dataset.mixture import Mix, file_names
from isovist.data.dataset.training_examples import EXAMPLES, ChatMessage, TrainingExample, of_row, table

TASK, OTHER = "cdr/relative-compass-letter", "cdr/relative-spatial-letter"


def data(folder: Path, n: int = 12, split: str = "train") -> Path:
    """A data folder with two tasks."""
    done("generate", TASK, OTHER, "--split", split, "--n", n, "--workers", 1, "--out", folder)
    return folder


def general(count: int) -> list[TrainingExample]:
    """Conversations without a key: one of several turns about a picture whose bytes are given later, one of words alone."""
    talk = (
        ChatMessage("user", "What is this?"),
        ChatMessage("assistant", "A map."),
        ChatMessage("user", "Of what?"),
        ChatMessage("assistant", "Of letters."),
    )
    return [TrainingExample(f"general/{i}", "general", "general", "", (), talk) for i in range(count)]


def mix(folder: Path, rows: Path, extra: int = 4, files: int = 2, other: Sequence[TrainingExample] = ()) -> Path:
    """A mix folder: the rows of a data folder as answers and as chains of thought in turn, and general data."""
    manifest = Manifest.read(rows)
    examples = [
        of_row(row, "reasoning" if i % 2 and row.metadata.reasoning else "answer") for i, row in enumerate(load(rows, manifest.parts))
    ]
    every = examples + (list(other) or general(extra))
    folder.mkdir(parents=True)
    names = file_names(files)
    for i, name in enumerate(names):
        pq.write_table(table(every[i::files]), folder / name, row_group_size=5, write_page_checksum=True)
    assert EXAMPLES.names == pq.read_schema(folder / names[0]).names
    counts = dict(Counter(f"{example.source}/{example.kind}" for example in every))
    hashes = {name: sha256((folder / name).read_bytes()).hexdigest() for name in names}
    Mix({"seed": 0}, counts, hashes).write(folder)
    return folder
