"""The examples of a mix or data folder as a `datasets.Dataset`.

`datasets` copies the Parquet files once into its cache (the environment variable ``HF_DATASETS_CACHE``) and maps the copy into memory,
so an example is read where it is used, and in any order.
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

from isovist.dataset.load import chosen, read
from isovist.dataset.manifest import MANIFEST, Manifest
from isovist.dataset.mixture import MIX, Mix, read_file
from isovist.dataset.parquet import line
from isovist.dataset.rows import SCHEMA, ItemRow, item_row
from isovist.dataset.training_examples import EXAMPLES, TrainingExample, of_row, training_example
from isovist.errors import UserError
from isovist.prompts import STYLES
from isovist.training.chat_collator import messages
from isovist.training.settings import Data, Objective


@dataclass(frozen=True, slots=True)
class ExampleDataset:
    """The examples of a folder. `__getitem__` takes a place from 0; it raises UserError for an example that cannot be read."""

    data: Data
    manifest: Path
    """The manifest of the folder."""
    rows: Any
    """A `datasets.Dataset` with the columns of the Parquet files; pictures are bytes."""
    counts: dict[str, int]
    """How many examples there are of each source and kind."""

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
        """Of each source of the project's own the place of the example with the most words."""
        longest: dict[str, tuple[int, int]] = {}
        columns, words = (
            (["source", "kind", "turns"], _words_of_example) if self.is_mix else (["task", "prompt", "metadata"], _words_of_row)
        )
        for place, row in enumerate(self.rows.select_columns(columns)):
            source, length = words(row)
            longest[source] = max(longest.get(source, (0, place)), (length, place))
        return [place for source, (_, place) in longest.items() if source]

    def ordered(self, count: int, seed: int) -> ExampleDataset:
        """`count` examples, epoch after epoch; the seed gives each epoch an order of its own."""
        generator = np.random.default_rng(seed)
        epochs = [generator.permutation(len(self)) for _ in range(-(-count // len(self)))]
        return replace(self, rows=self.rows.select(np.concatenate(epochs)[:count]))

    def to_trainer(self, objective: Objective) -> Any:
        """The `datasets.Dataset` that TRL takes, whose rows are made when they are asked for.

        For `sft` a row holds an `example`; for `grpo` the `prompt` as messages, its `images`, and what rewards judge by: the
        `ground_truth`, and the prompt `style`.
        """
        columns: Callable[[list[TrainingExample]], dict[str, list[Any]]] = _examples if objective == "sft" else _prompts

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
    # that there are images, although nobody reads them, tells TRL to leave the rows to the collator
    return {"example": examples, "images": [[] for _ in examples]}


def _prompts(examples: list[TrainingExample]) -> dict[str, list[Any]]:
    talks = [messages(example)[:-1] for example in examples]
    images = [[part.pop("image") for message in talk for part in message["content"] if part["type"] == "image"] for talk in talks]
    columns = {"ground_truth": [example.key for example in examples], "style": [_style(example) for example in examples]}
    return {"prompt": talks, "images": images, **columns}


def _style(example: TrainingExample) -> str | None:
    """The prompt style in which an example asks, by its last words; the form of a reply is judged by it."""
    key, asked = example.answer, example.asked[-1].content
    return next(
        (name for name, style in STYLES.items() if key and asked.endswith(style.closing.format(form=key.format_instruction()))), None
    )


def _words_of_example(row: dict[str, Any]) -> tuple[str, int]:
    """Source and characters of a row of a mix; no source for general data."""
    return "" if row["kind"] == "general" else row["source"], sum(len(turn["content"]) for turn in row["turns"])


def _words_of_row(row: dict[str, Any]) -> tuple[str, int]:
    return row["task"], len(row["prompt"]) + len(json.loads(row["metadata"]).get("reasoning", ""))


def open_examples(data: Data, *, train: bool, keyed: bool, seed: int = 0) -> ExampleDataset:
    """The examples of a folder: `keyed` ones only, where a reward has to judge replies. Raises UserError for a folder that has none,
    and with `train` for a data folder of items that are meant for testing.
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
        raise UserError(f"{folder}: holds {len(dataset)} examples, and n asks for {data.n}; give a smaller n.")
    return dataset.ordered(data.n, seed)


def _of_mix(folder: Path, data: Data, *, keyed: bool) -> tuple[list[Path], dict[str, int]]:
    """The files of a mix, and how many examples there are of each source and kind."""
    if data.tasks or data.style:
        raise UserError(f"{folder}: a mix, which has its tasks and styles; leave data.tasks and data.style out.")
    mix = Mix.read(folder)
    files = [folder / name for name in mix.files]
    for file in files:  # a damaged one is told now
        next(read_file(file), None)
    return files, {name: count for name, count in mix.counts.items() if not (keyed and name.endswith("/general"))}


def _of_data(folder: Path, data: Data, *, train: bool) -> tuple[list[Path], dict[str, int]]:
    """The same of a data folder."""
    parts = chosen(folder, Manifest.read(folder), data.tasks, "train" if train else None)
    if not parts:
        raise UserError(f"{folder}: holds no items of the split train, and others are for testing; generate some with --split train.")
    files = [folder / file for part in parts for file in part.files()]
    for file in files:  # a damaged one, and a task without chains of thought, is told now
        for row in islice(read(file), 1):
            _example_of_row(row, data)
    counts: Counter[str] = Counter()
    for part in parts:
        counts[f"{part.task}/{data.kind}"] += part.n
    return files, dict(counts)


def _loaded(folder: Path, files: list[Path], schema: pa.Schema) -> Any:
    """The rows of Parquet files as a `datasets.Dataset`."""
    datasets: Any = import_module("datasets")
    datasets.disable_progress_bars()
    features = datasets.Features.from_arrow_schema(schema) | {"images": datasets.List(datasets.Image(decode=False))}
    try:
        return datasets.load_dataset("parquet", data_files=list(map(str, files)), split="train", features=datasets.Features(features))
    except datasets.exceptions.DatasetGenerationError as error:
        raise UserError(f"{folder}: cannot be read ({line(error.__cause__ or error)}); make the data again.") from error
