"""Training mixture folders: shuffled training examples in Parquet files, with a manifest.

`isovist-mix.json` is written last; a folder without it is not a training mixture. The files are `train-00000-of-0000N.parquet`, with the
columns of `isovist.data.dataset.training_examples.EXAMPLES`. The order of the files, and of the examples in them, is the training order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any

from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.data.dataset.json_documents import document, missing_folder_message
from isovist.data.dataset.manifest_check import MOST_ROWS, broken_texts
from isovist.data.dataset.parquet import RowFormat
from isovist.data.dataset.training_examples import EXAMPLES, TrainingExample, training_example

MIX = "isovist-mix.json"
FORMAT = 1
_AGAIN = "make the mix again"
_EXAMPLES = RowFormat(EXAMPLES, training_example, "an example", "training examples", _AGAIN)


@dataclass(frozen=True, slots=True)
class Mix:
    """The manifest of a training mixture folder."""

    recipe: dict[str, Any]
    """The mixture recipe as given."""
    counts: dict[str, int]
    """The number of examples by source and type, with names such as ``cdr/relative-compass-icon/answer``."""
    files: dict[str, str]
    """The SHA-256 hash of each file by its name, in order."""
    inputs: dict[str, str] = field(default_factory=dict[str, str])
    """Other inputs that determine the content: the version of each task, and the hashes of the given files."""
    isovist: str = field(default_factory=lambda: package_version("isovist"))
    format: int = FORMAT

    def __len__(self) -> int:
        """The number of examples."""
        return sum(self.counts.values())

    def write(self, folder: Path) -> None:
        write_atomically(folder / MIX, json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")

    @staticmethod
    def read(folder: Path) -> Mix:
        """Read the manifest of a training mixture folder. Raises UserError if there is none, or if this version cannot read it."""
        why = missing_folder_message(folder, MIX, noun="mix", kind="mix", command="mix")
        path = folder / MIX
        mix = document(Mix, path, FORMAT, content="a mix", missing=why, remedy=_AGAIN, check=_fault)
        if unexpected := next((name for name in mix.files if Path(name).name != name or name.startswith(".")), None):
            raise UserError(f"Unexpected file name {unexpected!r}: {path}. Make the mix again.")
        return mix


def _fault(mix: Mix) -> str:
    """The first field with an invalid value; "" if there is none."""
    texts = {"counts": mix.counts, "files": mix.files, "inputs": mix.inputs, "isovist": mix.isovist}
    if broken := next(broken_texts(texts), None):
        return f"{broken}: give a text on one line"
    wrong = next((name for name, count in mix.counts.items() if count not in range(MOST_ROWS + 1)), None)
    return "" if wrong is None else f"counts.{wrong}: give a number from 0 to {MOST_ROWS:,}"


def file_names(count: int) -> list[str]:
    """The file names of a training mixture with `count` files."""
    return [f"train-{i:05d}-of-{count:05d}.parquet" for i in range(count)]


def read_examples(folder: Path, *, pictures: bool = True) -> Iterator[TrainingExample]:
    """The examples of a training mixture folder, in order and in bounded memory; without `pictures`, their images are left empty.

    Raises UserError if the folder is not a training mixture, or if a file is missing, damaged, or has other columns.
    """
    for name in Mix.read(folder).files:
        yield from read_file(folder / name, pictures=pictures)


def read_file(path: Path, *, pictures: bool = True) -> Iterator[TrainingExample]:
    """The examples of one file, in order. Raises UserError if it is missing, damaged, or has other columns."""
    return _EXAMPLES.read(path, pictures=pictures)
