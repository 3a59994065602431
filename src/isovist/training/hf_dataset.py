"""A shelf of examples as the data set that TRL takes: it holds their places, and reads an example when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from isovist.dataset.training_examples import TrainingExample
from isovist.prompts import STYLES
from isovist.training.chat_collator import messages
from isovist.training.example_dataset import ExampleDataset
from isovist.training.settings import Objective


def to_hf_dataset(dataset: ExampleDataset, places: Sequence[int], way: Objective) -> Any:
    """A `datasets.Dataset` of the examples at these places, in this order.

    For `sft` a row holds an `example`; for `grpo` the `prompt` as messages, its `images`, and what rewards judge by: the
    `ground_truth`, and the prompt `style`.
    """
    datasets: Any = import_module("datasets")
    take = _examples if way == "sft" else _prompts

    def rows(batch: dict[str, list[int]]) -> dict[str, list[Any]]:
        return take(dataset, batch["place"])

    return datasets.Dataset.from_dict({"place": list(places)}).with_transform(rows)


def _examples(dataset: ExampleDataset, places: Sequence[int]) -> dict[str, list[Any]]:
    listed = [dataset[place] for place in places]
    # that there are images, although nobody reads them, tells TRL to leave the rows to the collator
    return {"example": listed, "images": [[] for _ in listed]}


def _prompts(dataset: ExampleDataset, places: Sequence[int]) -> dict[str, list[Any]]:
    listed = [dataset[place] for place in places]
    talks = [messages(example)[:-1] for example in listed]
    images = [[part.pop("image") for message in talk for part in message["content"] if part["type"] == "image"] for talk in talks]
    columns = {"ground_truth": [example.key for example in listed], "style": [_style(example) for example in listed]}
    return {"prompt": talks, "images": images, **columns}


def _style(example: TrainingExample) -> str | None:
    """The prompt style in which an example asks, by its last words; the form of a reply is judged by it."""
    key, asked = example.answer, example.asked[-1].content
    return next(
        (name for name, style in STYLES.items() if key and asked.endswith(style.closing.format(form=key.format_instruction()))), None
    )
