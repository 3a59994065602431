"""Types that the importers of published benchmarks and of plug-ins share: records, imported items, formats, the error for an unusable record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isovist.common.plug_ins import PlugIn
from isovist.core.answers import Answer
from isovist.core.canonical_json import PUBLISHED
from isovist.data.dataset.rows import ImageOrder

_LONGEST = 20_000  # maximum length of a question in characters; the longest published ones have about two thousand


class Unusable(ValueError):
    """A record that cannot become an item. The message is a category of reasons; the detail describes this record."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason} ({detail})" if detail else reason)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a published benchmark. Column names are in lower case."""

    file: str
    """Path of its file relative to the folder of the benchmark, with "/"."""
    number: int
    """Index in the file, from 0."""
    metadata: dict[str, Any]
    root: Path = Path()
    """Folder of the benchmark."""
    others: tuple[Record, ...] = ()
    """Records of the same item with another image order."""
    fault: Unusable | None = None
    """The reason why the record is neither an item nor part of one, if known."""

    def text(self, column: str) -> str:
        """Return the stripped text of a column. Raises Unusable if the value is not text."""
        value = self.metadata.get(column)
        if value is None:
            raise Unusable(f"no {column}")
        if not isinstance(value, str):
            raise Unusable(f"the {column} is not text", type(value).__name__)
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Unusable(f"the {column} is not text", "it contains an unpaired surrogate") from None
        value = value.replace("\r\n", "\n").strip()
        if not value:
            raise Unusable(f"no {column}")
        if len(value) > _LONGEST:
            raise Unusable(f"the {column} is too long", f"{len(value)} characters")
        return value

    def texts(self, *columns: str) -> dict[str, str]:
        """Return the text columns among `columns`, unchanged."""
        return {name: value for name in columns if isinstance(value := self.metadata.get(name), str)}


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """An item imported from a record, in the types of Isovist."""

    part: str
    """Part of the benchmark, in kebab case: the second half of the task id."""
    question: str
    """The question without options and without a format instruction; the prompt style adds these."""
    answer: Answer
    pictures: tuple[object, ...]
    """Cells with images or with their names.

    A cell may also list path suffixes, of which the first existing one is used. Empty: no image.
    """
    kept: Mapping[str, str]
    """Columns of the record that are stored with the item unchanged."""
    group: str = ""
    """Group of items without an image in common."""
    image_orders: Mapping[str, ImageOrder] = field(default_factory=dict[str, ImageOrder])
    """Other image orders by name."""
    scene: str = ""
    """Group of items across tasks that share a scene. Empty: groups are within one task and image."""
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Item attributes for reports."""
    published_prompt: str = ""
    """The prompt of the authors, as far as the record holds it: the style `published` sends it. Empty: unknown."""
    faults: tuple[Record, ...] = ()
    """Records that belong to the item but are unusable."""


@dataclass(frozen=True, slots=True)
class Format:
    """The format of a published benchmark: files, columns and the function that reads a record."""

    name: str
    title: str
    home: str
    """Web page of the benchmark, which also states its licence."""
    columns: tuple[str, ...]
    """Required columns of every file of records, in lower case."""
    wanted: tuple[str, ...]
    """Optional columns."""
    read: Callable[[Record], Sequence[ImportedItem]]
    """Convert a record to items. Raises Unusable."""
    gather: Callable[[Iterable[Record]], Iterable[Record]] = iter
    """Join the records of one item if they are in several files."""

    @property
    def suite(self) -> str:
        """The first half of the task ids. No suite of Isovist has this name."""
        return f"{self.name}{PUBLISHED}"


def kebab(text: str) -> str:
    """Convert text to a part of a task id: lower case, digits and hyphens, at most 40 characters; may be empty."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold())[:40].strip("-")


def format_of(plug_in: PlugIn) -> Format:
    """The format of a plug-in. Raises PlugInError if it cannot be used."""
    source = plug_in.load()
    if not isinstance(source, Format) or source.name != plug_in.name:
        raise plug_in.error(f"not an isovist.data.importers.benchmark_format.Format with the name {plug_in.name}")
    return source
