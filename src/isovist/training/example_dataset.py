"""The examples of a mixture or dataset folder as a `datasets.Dataset`.

`datasets` copies the Parquet files once to its cache (environment variable ``HF_DATASETS_CACHE``) and memory-maps the copy, so examples
are read on access and in any order.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from isovist.common.errors import UserError
from isovist.data.dataset.load import chosen, read
from isovist.data.dataset.manifest import MANIFEST, Manifest
from isovist.data.dataset.mixture import MIX, Mix, read_file
from isovist.data.dataset.parquet import line
from isovist.data.dataset.rows import SCHEMA, ItemRow, item_row
from isovist.data.dataset.training_examples import EXAMPLES, TrainingExample, of_row, training_example
from isovist.data.prompts import style_of_text
from isovist.training.chat_collator import messages
from isovist.training.settings import Data, Objective


@dataclass(frozen=True, slots=True)
class ExampleDataset:
    """The examples of a folder. `__getitem__` takes an index from 0; it raises UserError for an unreadable example."""

    data: Data
    manifest: Path
    """The manifest of the folder."""
    rows: Any
    """A `datasets.Dataset` with the columns of the Parquet files; images are bytes."""
    counts: dict[str, int]
    """Number of examples by source and kind."""

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> TrainingExample:
        return self._example(self.rows[place])

    def __iter__(self) -> Iterator[TrainingExample]:
        return map(self._example, self.rows)

    @property
    def digest(self) -> str:
        """A hash of the manifest, which holds the hash of every file."""
        return sha256(self.manifest.read_bytes()).hexdigest()[:16]

    @property
    def is_mix(self) -> bool:
        return self.manifest.name == MIX

    def _example(self, row: dict[str, Any]) -> TrainingExample:
        try:
            return training_example(row) if self.is_mix else _example_of_row(item_row(row), self.data)
        except UserError:
            raise
        except (TypeError, KeyError, ValueError) as error:
            raise UserError(f"{self.data.path}: an example cannot be read ({line(error)}); make the data again.") from error

    def longest(self) -> list[int]:
        """Return the index of the example with the longest text for each source of Isovist."""
        longest: dict[str, tuple[int, int]] = {}
        columns, words = (
            (["source", "kind", "turns"], _words_of_example) if self.is_mix else (["task", "prompt", "metadata"], _words_of_row)
        )
        for place, row in enumerate(self.rows.select_columns(columns)):
            source, length = words(row)
            longest[source] = max(longest.get(source, (0, place)), (length, place))
        return [place for source, (_, place) in longest.items() if source]

    def ordered(self, count: int, seed: int) -> ExampleDataset:
        """Return `count` examples, epoch after epoch, with a new order in each epoch."""
        generator = np.random.default_rng(seed)
        epochs = [generator.permutation(len(self)) for _ in range(-(-count // len(self)))]
        return replace(self, rows=self.rows.select(np.concatenate(epochs)[:count]))

    def to_trainer(self, objective: Objective) -> Any:
        """Return a `datasets.Dataset` for TRL, with rows built on access.

        For `sft` a row has an `example`. For `grpo` it has the `prompt` as messages, `images`, and the inputs of the rewards:
        `ground_truth` and prompt `style`.
        """
        columns: Callable[[list[TrainingExample]], dict[str, list[Any]]] = _examples if objective == "sft" else prompt_columns

        def transform(batch: dict[str, list[Any]]) -> dict[str, list[Any]]:
            rows = [dict(zip(batch, values, strict=True)) for values in zip(*batch.values(), strict=True)]
            return columns([self._example(row) for row in rows])

        return self.rows.with_transform(transform)


def _example_of_row(row: ItemRow, data: Data) -> TrainingExample:
    try:
        return of_row(row, data.kind, data.style or None)
    except ValueError as error:
        raise UserError(f"{data.path}: no example can be made of a row ({line(error)}); choose another kind or other tasks.") from error


def _examples(examples: list[TrainingExample]) -> dict[str, list[Any]]:
    # the column `images` tells TRL to leave the rows to the collator; its values are not read
    return {"example": examples, "images": [[] for _ in examples]}


def prompt_columns(examples: list[TrainingExample]) -> dict[str, list[Any]]:
    """The columns of examples for a trainer with rewards: `prompt` as messages, `images`, and the inputs of the rewards."""
    talks = [messages(example)[:-1] for example in examples]
    images = [[part.pop("image") for message in talk for part in message["content"] if part["type"] == "image"] for talk in talks]
    columns = {"ground_truth": [example.key for example in examples], "style": [_style(example) for example in examples]}
    return {"prompt": talks, "images": images, **columns}


def _style(example: TrainingExample) -> str | None:
    """Return the prompt style by the last words of an example; the format reward depends on it."""
    key, asked = example.answer, example.asked[-1].content
    return (style_of_text(asked, key) or None) if key else None


def _words_of_example(row: dict[str, Any]) -> tuple[str, int]:
    """Return source and number of characters of a row of a mixture; "" as source for external data."""
    return "" if row["kind"] == "general" else row["source"], sum(len(turn["content"]) for turn in row["turns"])


def _words_of_row(row: dict[str, Any]) -> tuple[str, int]:
    return row["task"], len(row["prompt"]) + len(json.loads(row["metadata"]).get("reasoning", ""))


def open_examples(data: Data, *, train: bool, keyed: bool, seed: int = 0) -> ExampleDataset:
    """Open the examples of a folder; `keyed`: only those with a key, for rewards.

    Raises UserError if there are none, and with `train` for a dataset folder of test items.
    """
    folder = Path(data.path)
    is_mix = (folder / MIX).is_file()
    if is_mix:
        files, counts = _of_mix(folder, data, keyed=keyed)
    else:
        files, counts = _of_data(folder, data, train=train)
    if not any(counts.values()):
        raise UserError(f"{folder}: holds no examples{' with a key' if keyed else ''} to train on.")
    rows = _loaded(folder, files, EXAMPLES if is_mix else SCHEMA)
    if is_mix and keyed:
        rows = rows.filter(bool, input_columns="key")
    dataset = ExampleDataset(data, folder / (MIX if is_mix else MANIFEST), rows, counts)
    if data.n is None:
        return dataset
    if data.n > len(dataset):
        raise UserError(f"Fewer examples than n = {data.n}: {folder} ({len(dataset)} examples). Decrease n.")
    return dataset.ordered(data.n, seed)


def _of_mix(folder: Path, data: Data, *, keyed: bool) -> tuple[list[Path], dict[str, int]]:
    """Return the files of a mixture, and the number of examples by source and kind."""
    if data.tasks or data.style:
        raise UserError(f"data.tasks and data.style do not apply to a mixture: {folder}. Remove them.")
    mix = Mix.read(folder)
    files = [folder / name for name in mix.files]
    for file in files:  # report a damaged file now
        next(read_file(file), None)
    return files, {name: count for name, count in mix.counts.items() if not (keyed and name.endswith("/general"))}


def _of_data(folder: Path, data: Data, *, train: bool) -> tuple[list[Path], dict[str, int]]:
    """Return the same for a dataset folder."""
    parts = chosen(folder, Manifest.read(folder), data.tasks, "train" if train else None)
    if not parts:
        raise UserError(f"No items of the split train: {folder}. Generate items with --split train.")
    files = [folder / file for part in parts for file in part.files()]
    for file in files:  # report a damaged file, or a task without chains of thought, now
        for row in islice(read(file), 1):
            _example_of_row(row, data)
    counts: Counter[str] = Counter()
    for part in parts:
        counts[f"{part.task}/{data.kind}"] += part.n
    return files, dict(counts)


def _loaded(folder: Path, files: list[Path], schema: pa.Schema) -> Any:
    """Load Parquet files as a `datasets.Dataset`."""
    datasets: Any = import_module("datasets")
    datasets.disable_progress_bars()
    features = datasets.Features.from_arrow_schema(schema) | {"images": datasets.List(datasets.Image(decode=False))}
    try:
        return datasets.load_dataset("parquet", data_files=list(map(str, files)), split="train", features=datasets.Features(features))
    except datasets.exceptions.DatasetGenerationError as error:
        raise UserError(f"{folder}: cannot be read ({line(error.__cause__ or error)}); make the data again.") from error
