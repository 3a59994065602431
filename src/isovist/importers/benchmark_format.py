"""What the formats of published sets share: a record as it was published, what it asks, and why it cannot be used."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isovist.core.answers import Answer
from isovist.core.canonical_json import PUBLISHED
from isovist.dataset.rows import ImageOrder

_LONGEST = 20_000  # characters of a question; the longest published ones have about two thousand


class Unusable(ValueError):
    """A record that cannot become an item: the reason, of which there are few, and what it was in this record."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason} ({detail})" if detail else reason)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a published set, with the names of its columns in lower case."""

    file: str
    """The path of its file inside the folder of the set, with "/"."""
    number: int
    """Its place in the file, from 0."""
    metadata: dict[str, Any]
    root: Path = Path()
    """The folder of the set."""
    others: tuple[Record, ...] = ()
    """Records that show the same item in another order of its pictures."""
    fault: Unusable | None = None
    """Why it is no item, nor part of one, where that is known."""

    def text(self, column: str) -> str:
        """The words in a column, without the spaces around them. Raises Unusable for anything but text."""
        value = self.metadata.get(column)
        if value is None:
            raise Unusable(f"no {column}")
        if not isinstance(value, str):
            raise Unusable(f"the {column} is no text", type(value).__name__)
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Unusable(f"the {column} is no text", "it holds half a character") from None
        value = value.replace("\r\n", "\n").strip()
        if not value:
            raise Unusable(f"no {column}")
        if len(value) > _LONGEST:
            raise Unusable(f"the {column} is too long", f"{len(value)} characters")
        return value

    def texts(self, *columns: str) -> dict[str, str]:
        """Those of some columns that hold words, as they were published."""
        return {name: value for name in columns if isinstance(value := self.metadata.get(name), str)}


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """What a record asks, in our types."""

    part: str
    """The part of the set it belongs to, in kebab case: the second half of a task's id."""
    question: str
    """Without options and without words on the form of the reply: prompts have their own."""
    answer: Answer
    pictures: tuple[object, ...]
    """The cells that hold or name its pictures, or ends of paths of which the first that is there counts; empty for words alone."""
    kept: Mapping[str, str]
    """Columns of the record that stay with the item as they were published."""
    group: str = ""
    """What the items about one thing share, where they have no picture to share."""
    image_orders: Mapping[str, ImageOrder] = field(default_factory=dict[str, ImageOrder])
    """Other orders of its pictures, by name."""
    scene: str = ""
    """What the items of all tasks about one scene share; else a group is of one task and picture."""
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    """What a report may group items by."""
    faults: tuple[Record, ...] = ()
    """Records that were to be part of it and are not."""


@dataclass(frozen=True, slots=True)
class Format:
    """How a published set is stored, and how its records are read."""

    name: str
    title: str
    home: str
    """Where the set is published; its licence is told there."""
    columns: tuple[str, ...]
    """What every file of records has to have, in lower case."""
    wanted: tuple[str, ...]
    """What else is read where it is there."""
    read: Callable[[Record], Sequence[ImportedItem]]
    """Reads a record, which may ask several things. Raises Unusable."""
    gather: Callable[[Iterable[Record]], Iterable[Record]] = iter
    """Joins the records of one item, where several files have a part of it."""

    @property
    def suite(self) -> str:
        """The first half of the ids of its tasks, which no suite of ours has."""
        return f"{self.name}{PUBLISHED}"


def kebab(text: str) -> str:
    """A text as part of a task's id: lower case, digits and hyphens, at most 40 characters; empty if nothing is left."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold())[:40].strip("-")
