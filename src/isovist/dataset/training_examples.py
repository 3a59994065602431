"""Training examples: what a model is asked, what it should reply, and the typed key by which any reply is judged.

An example is made of a row, or of general data; a mix and every export to a trainer is made of examples. They stand in Parquet
files of their own columns, and are read and written in bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import pyarrow as pa

from isovist import prompts
from isovist.core.answers import Answer, key_json, read_key
from isovist.dataset import parquet
from isovist.dataset.parquet import IMAGES, TEXT
from isovist.dataset.rows import ItemRow
from isovist.items import Item
from isovist.render.image_encoding import png

Kind = Literal["answer", "reasoning", "general"]
"""A bare answer, a chain of thought that ends in the answer, or data from elsewhere without a key."""
KINDS: tuple[Kind, ...] = get_args(Kind)
STYLE_OF: dict[Kind, str] = {"answer": "direct", "reasoning": "step-by-step"}
"""The prompt style in which each kind is asked: a model learns to reason where it is asked to."""
Role = Literal["system", "user", "assistant"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class ChatMessage:
    role: Role
    content: str
    """With one ``<image>`` for each picture that stands in it."""


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """One conversation about some pictures. Of the project's own items it has one question and one reply."""

    id: str
    """The item's id and its kind, as in ``...:17#0123456789abcdef/reasoning``; for general data a name and number."""
    kind: Kind
    source: str
    """The task's id, or the name of the general data."""
    level: str
    images: tuple[bytes, ...]
    """PNG or JPEG files, in the order of their marks."""
    turns: tuple[ChatMessage, ...]
    """They end with the assistant's."""
    key: str = ""
    """The typed answer as JSON, from which `isovist.core.answers.read_key` makes it again; empty for general data."""

    @property
    def answer(self) -> Answer | None:
        """The key, if there is one. Raises ValueError for one that cannot be read."""
        return read_key(self.key) if self.key else None

    @property
    def asked(self) -> tuple[ChatMessage, ...]:
        """The turns before the last: what a model is given."""
        return self.turns[:-1]

    @property
    def reply(self) -> str:
        """The last turn: what a model should say."""
        return self.turns[-1].content


def of_row(row: ItemRow, kind: Kind = "answer", style: str | None = None) -> TrainingExample:
    """A row as an example, asked in a prompt style, by default that of its kind.

    Raises ValueError for a row without a chain of thought where one is asked for.
    """
    return _asked(row.id, row.task, row.level, row.images, row.metadata.question, row.key, row.metadata.reasoning, kind, style)


def of_item(item: Item, kind: Kind = "answer", style: str | None = None) -> TrainingExample:
    """The example of an item's row, without making the row. Raises ValueError as `of_row` does."""
    images = tuple(png(pixels) for pixels in item.pixels())
    reasoning = item.reasoning if kind == "reasoning" else None
    return _asked(item.id, item.task.id, item.level, images, item.question.text, item.answer, reasoning, kind, style)


def _asked(
    id: str, task: str, level: str, images: tuple[bytes, ...], question: str, key: Answer, reasoning: str | None, kind: Kind, style: str | None
) -> TrainingExample:  # fmt: skip
    reply = key.canonical() if kind == "answer" else reasoning
    if kind == "general" or reply is None:
        raise ValueError(f"{id} has no {kind} to learn from")
    words = prompts.prompt(question, key, len(images), style or STYLE_OF[kind])
    if kind == "answer" and style is not None and style != "direct":
        reply = f"Answer: {reply}"
    turns = (ChatMessage("user", words), ChatMessage("assistant", reply))
    return TrainingExample(f"{id}/{kind}", kind, task, level, images, turns, key_json(key))


_TURNS = pa.list_(pa.struct([("role", TEXT), ("content", TEXT)]))
EXAMPLES = parquet.schema({"id": TEXT, "kind": TEXT, "source": TEXT, "level": TEXT, "images": IMAGES, "turns": _TURNS, "key": TEXT})


def table(examples: Iterable[TrainingExample]) -> pa.Table:
    """Examples as an Arrow table; a picture's path names its example and place."""
    listed = list(examples)
    columns: dict[str, list[Any]] = {name: [getattr(e, name) for e in listed] for name in EXAMPLES.names}
    columns["images"] = parquet.image_column((e.id, e.images) for e in listed)
    columns["turns"] = [[{"role": turn.role, "content": turn.content} for turn in e.turns] for e in listed]
    return pa.table(columns, schema=EXAMPLES)


def picture_name(example: TrainingExample, place: int) -> str:
    """The file name of a picture of an example: its item's digest, or its own name, and the place from 0."""
    return parquet.file_name(example.id, example.images[place], place)


def training_example(row: dict[str, Any]) -> TrainingExample:
    """The example of a record of its columns, without images if it has no such column. Raises ValueError, TypeError or KeyError for
    another record.
    """
    images = tuple(image["bytes"] for image in row.get("images", ()))
    turns = tuple(ChatMessage(turn["role"], turn["content"]) for turn in row["turns"])
    if row["kind"] not in KINDS or not turns or any(turn.role not in ROLES for turn in turns):
        raise ValueError(f"{row['id']} is no example")
    return TrainingExample(row["id"], row["kind"], row["source"], row["level"], images, turns, row["key"])
