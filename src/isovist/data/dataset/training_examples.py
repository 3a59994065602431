"""Training examples: a question, the target response, and the typed key that scores any response.

An example is made from a row or from external data. Training mixtures and all exports for training tools consist of examples. They are
stored in Parquet files with their own columns, and read and written in bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import pyarrow as pa

from isovist.common.errors import UserError
from isovist.core.answers import Answer, key_json, read_key
from isovist.data import prompts
from isovist.data.dataset import parquet
from isovist.data.dataset.parquet import IMAGES, TEXT
from isovist.data.dataset.rows import ItemRow, encoded_images
from isovist.data.item import Item

Kind = Literal["answer", "reasoning", "general"]
"""Types of examples: answer only, chain of thought with the answer, or external data without a key."""
KINDS: tuple[Kind, ...] = get_args(Kind)
STYLE_OF: dict[Kind, str] = {"answer": "direct", "reasoning": "step-by-step"}
"""The prompt style of each type: a chain of thought is the target only if the prompt requests it."""
Role = Literal["system", "user", "assistant"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class ChatMessage:
    role: Role
    content: str
    """The text, with one ``<image>`` for each image at its position."""


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """A conversation about images. An example from an Isovist item has one question and one response."""

    id: str
    """The id of the item and the type, as in ``...:17#0123456789abcdef/reasoning``; for external data a name and a number."""
    kind: Kind
    source: str
    """The task id, or the name of the external data."""
    level: str
    images: tuple[bytes, ...]
    """PNG or JPEG files, in the order of the ``<image>`` marks."""
    turns: tuple[ChatMessage, ...]
    """The messages; the last one is from the assistant."""
    key: str = ""
    """The typed key as JSON, for `isovist.core.answers.read_key`; empty for external data."""

    @property
    def answer(self) -> Answer | None:
        """The key, if there is one. Raises ValueError if it is invalid."""
        return read_key(self.key) if self.key else None

    @property
    def asked(self) -> tuple[ChatMessage, ...]:
        """The messages before the last: the input of the model."""
        return self.turns[:-1]

    @property
    def reply(self) -> str:
        """The text of the last message: the target response."""
        return self.turns[-1].content


def of_row(row: ItemRow, kind: Kind = "answer", style: str | None = None) -> TrainingExample:
    """Convert a row to an example, in a prompt style; by default that of its type.

    Raises ValueError for the type `reasoning` if the row has no chain of thought.
    """
    published = row.metadata.published_prompt
    return _example(row.id, row.task, row.level, row.images, row.metadata.question, row.key, row.metadata.reasoning, kind, style, published)


def of_item(item: Item, kind: Kind = "answer", style: str | None = None) -> TrainingExample:
    """Convert an item to an example without building its row. Raises ValueError as `of_row` does."""
    images = encoded_images(item)
    reasoning = item.reasoning if kind == "reasoning" else None
    return _example(item.id, item.task.id, item.level, images, item.question.text, item.answer, reasoning, kind, style)


def _example(
    id: str, task: str, level: str, images: tuple[bytes, ...], question: str, key: Answer, reasoning: str | None, kind: Kind, style: str | None,
    published_prompt: str = "",
) -> TrainingExample:  # fmt: skip
    reply = key.canonical() if kind == "answer" else reasoning
    if kind == "general" or reply is None:
        raise ValueError(f"{id} has no {kind} to learn from")
    if style == prompts.PUBLISHED and published_prompt:
        prompt = prompts.with_placeholders(published_prompt, len(images))
    else:
        try:
            prompt = prompts.prompt(question, key, len(images), style or STYLE_OF[kind], task)
        except prompts.NoPublishedPrompt as error:
            raise UserError(f"{error}.") from None
    if kind == "answer" and style is not None:
        reply = prompts.response(key, style, task)
    turns = (ChatMessage("user", prompt), ChatMessage("assistant", reply))
    return TrainingExample(f"{id}/{kind}", kind, task, level, images, turns, key_json(key))


_TURNS = pa.list_(pa.struct([("role", TEXT), ("content", TEXT)]))
EXAMPLES = parquet.schema({"id": TEXT, "kind": TEXT, "source": TEXT, "level": TEXT, "images": IMAGES, "turns": _TURNS, "key": TEXT})


def table(examples: Iterable[TrainingExample]) -> pa.Table:
    """Convert examples to an Arrow table; the path of an image contains its example and index."""
    listed = list(examples)
    columns: dict[str, list[Any]] = {name: [getattr(e, name) for e in listed] for name in EXAMPLES.names}
    columns["images"] = parquet.image_column((e.id, e.images) for e in listed)
    columns["turns"] = [[{"role": turn.role, "content": turn.content} for turn in e.turns] for e in listed]
    return pa.table(columns, schema=EXAMPLES)


def picture_name(example: TrainingExample, place: int) -> str:
    """The file name of the image at index `place` of an example: the hash of its item, or its own name, and the index."""
    return parquet.file_name(example.id, example.images[place], place)


def training_example(row: dict[str, Any]) -> TrainingExample:
    """Convert a record of columns to an example, without images if it has no such column.

    Raises ValueError, TypeError or KeyError for an invalid record.
    """
    images = tuple(image["bytes"] for image in row.get("images", ()))
    turns = tuple(ChatMessage(turn["role"], turn["content"]) for turn in row["turns"])
    if row["kind"] not in KINDS or not turns or any(turn.role not in ROLES for turn in turns):
        raise ValueError(f"{row['id']} is not an example")
    return TrainingExample(row["id"], row["kind"], row["source"], row["level"], images, turns, row["key"])
