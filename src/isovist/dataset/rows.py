"""A row: one item as other tools see it. The columns are fixed, because other tools rely on them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa

from isovist import prompts
from isovist.core.answers import Answer, Choice, from_json, to_json
from isovist.core.option_angles import OptionAngles
from isovist.dataset import parquet
from isovist.dataset.parquet import IMAGES, INTEGER, REAL, TEXT, TEXTS
from isovist.errors import UserError
from isovist.items import Item
from isovist.json_decoding import decode
from isovist.render import RASTER
from isovist.render.image_encoding import png

SCHEMA = parquet.schema(
    {
        "id": TEXT,
        "suite": TEXT,
        "task": TEXT,
        "version": INTEGER,
        "split": TEXT,
        "seed": INTEGER,
        "index": INTEGER,
        "level": TEXT,
        "group": TEXT,
        "images": IMAGES,
        "prompt": TEXT,
        "choices": TEXTS,
        "answer": TEXT,
        "answer_type": TEXT,
        "chance": REAL,
        "skills": TEXTS,
        "metadata": TEXT,
    }
)


@dataclass(frozen=True, slots=True)
class ImageOrder:
    """Another order in which the pictures of an item can be shown, with the question's words for it."""

    images: tuple[int, ...]
    """The place, from 0, of each picture that is shown among the item's own."""
    question: str


@dataclass(frozen=True, slots=True)
class RowMetadata:
    """What the metadata of a row tell that is read again; the names are those of the JSON object. Further names are ignored."""

    question: str
    """Without the options and the instruction on the form of the reply."""
    answer: dict[str, Any]
    """The typed key as JSON; `ItemRow.key` is the key itself."""
    style: str
    """The prompt style of the column `prompt`."""
    renderer: str = RASTER
    image_orders: dict[str, ImageOrder] = field(default_factory=dict[str, ImageOrder])
    """Other orders in which the pictures can be shown, by name; most items have none."""
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    """The attributes by which an item may be grouped."""
    distractor_types: tuple[str, ...] = ()
    """The distractor type of each option."""
    option_angles: dict[str, OptionAngles] = field(default_factory=dict[str, OptionAngles])
    """The angles that the options stand for, by what they are angles of."""
    reasoning: str | None = None
    """A checked chain of thought."""
    scene: Any = None
    """The scene as JSON; of an imported item where it came from."""


class Unusable(UserError):
    """A stored row that cannot be asked and judged."""

    def __init__(self, row: ItemRow, why: str) -> None:
        where = f"{row.file}: " if row.file else ""
        super().__init__(f"{where}{row.id} cannot be asked ({why}); generate the data again.")
        self.why = why


@dataclass(frozen=True)
class ItemRow:
    id: str
    suite: str
    task: str
    version: int
    split: str
    seed: int
    index: int
    level: str
    group: str
    images: tuple[bytes, ...]
    prompt: str
    choices: tuple[str, ...]
    answer: str
    answer_type: str
    chance: float
    skills: tuple[str, ...]
    metadata_json: str
    """The column `metadata` as it is stored."""
    file: Path | None = field(default=None, compare=False, repr=False)
    """Where it is stored, for what is said of it."""

    @cached_property
    def metadata(self) -> RowMetadata:
        """The column `metadata`, parsed. Raises Unusable for anything else."""
        try:
            return decode(RowMetadata, self.metadata_json.encode(), extra="ignore")
        except ValueError as error:
            raise Unusable(self, f"its metadata cannot be read: {str(error)[:80]}") from None

    @cached_property
    def key(self) -> Answer:
        """The answer with its parser and score. Raises Unusable if the metadata do not hold one."""
        try:
            return from_json(self.metadata.answer)
        except Unusable:
            raise
        except ValueError as error:
            raise Unusable(self, f"its metadata hold no key: {str(error)[:80]}") from None

    @property
    def content(self) -> str:
        """A digest of what a model sees of it: rows of one content are one item to a model."""
        seen = blake2b(self.prompt.encode(), digest_size=16)
        for image in self.images:
            seen.update(blake2b(image, digest_size=16).digest())
        return seen.hexdigest()

    def prompt_in_style(self, style: str | None) -> str:
        """The prompt in another style."""
        if style is None or style == self.metadata.style:
            return self.prompt
        return prompts.prompt(self.metadata.question, self.key, len(self.images), style)


def item_to_row(item: Item, style: str = prompts.DEFAULT_STYLE, renderer: str = RASTER, *, pictures: bool = True) -> ItemRow:
    """The row of an item; its pictures become PNG files, or are left out, which is much faster."""
    task, answer = item.task, item.answer
    return ItemRow(
        id=item.id,
        suite=task.suite,
        task=task.id,
        version=task.version,
        split=item.split,
        seed=item.seed,
        index=item.index,
        level=item.level,
        group=item.group,
        images=tuple(png(pixels) for pixels in item.pixels(renderer)) if pictures else (),
        prompt=prompts.prompt(item.question.text, answer, len(item.pictures), style),
        choices=answer.options if isinstance(answer, Choice) else (),
        answer=answer.canonical(),
        answer_type=answer.kind,
        chance=item.chance,
        skills=task.skills,
        metadata_json=f'{_json(row_metadata(item, style, renderer))[:-1]}, "scene": {item.scene_json}}}',
    )


def row_metadata(item: Item, style: str = prompts.DEFAULT_STYLE, renderer: str = RASTER) -> dict[str, Any]:
    """What the metadata of the row of an item tell, all but its scene."""
    task, answer = item.task, item.answer
    metadata: dict[str, Any] = {
        "question": item.question.text,
        "answer": to_json(answer),
        "style": style,
        "settings": dict(item.address.settings),
        "size": item.size,
    }
    if task.image_orders:
        metadata["image_orders"] = image_orders_json({name: ImageOrder(*order) for name, order in task.image_orders(item.scene).items()})
    if renderer != RASTER:
        metadata["renderer"] = renderer
    if task.attributes:
        metadata["attributes"] = dict(task.attributes(item.scene))
    if task.distractor_types:
        metadata["distractor_types"] = list(task.distractor_types(item.scene))
    if task.option_angles and isinstance(answer, Choice) and (dials := task.option_angles(answer)):
        metadata["option_angles"] = {name: asdict(dial) for name, dial in dials.items()}
    if reasoning := item.reasoning:
        metadata["reasoning"] = reasoning
    return metadata


def image_orders_json(orders: Mapping[str, ImageOrder]) -> dict[str, dict[str, Any]]:
    """Other orders as they stand in the metadata of a row."""
    return {name: {"images": list(order.images), "question": order.question} for name, order in orders.items()}


_json = json.JSONEncoder(ensure_ascii=False).encode
_FIELDS = {name: "metadata_json" if name == "metadata" else name for name in SCHEMA.names}
"""The field of a row for each column."""


def table(rows: Iterable[ItemRow]) -> pa.Table:
    """Rows as an Arrow table; a picture's path names its item and place, for tools that write it out."""
    listed = list(rows)
    columns: dict[str, list[Any]] = {name: [getattr(r, field_name) for r in listed] for name, field_name in _FIELDS.items()}
    columns["images"] = parquet.image_column((r.id, r.images) for r in listed)
    return pa.table(columns, schema=SCHEMA)


def item_row(row: dict[str, Any]) -> ItemRow:
    """The row of a record of its columns, without images if it has no such column. Raises TypeError or KeyError for another record."""
    row = row | {"images": [image["bytes"] for image in row.get("images", ())]}
    row |= {name: tuple(row[name]) for name in ("images", "choices", "skills")}
    return ItemRow(**{field_name: row[name] for name, field_name in _FIELDS.items()})
