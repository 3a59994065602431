"""Rows: one item in the columns that other tools read, and the item of a row. The columns are a fixed interface."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa

from isovist.common import canary, private_seeds
from isovist.common.errors import UserError
from isovist.common.json_decoding import decode
from isovist.common.private_seeds import Secret
from isovist.core.answers import Answer, Choice, from_json, to_json
from isovist.core.item_ids import stated_release
from isovist.core.option_angles import OptionAngles
from isovist.data import prompts
from isovist.data.dataset import parquet
from isovist.data.dataset.parquet import IMAGES, INTEGER, REAL, TEXT, TEXTS
from isovist.data.item import Item, make_item
from isovist.data.item import item as regenerate
from isovist.data.prompt_template import PromptTemplate, styled_prompt
from isovist.suites import registry
from isovist.world.render import RASTER
from isovist.world.render.image_encoding import png

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
    """Another order of the images of an item, with the question text for it."""

    images: tuple[int, ...]
    """The index, from 0, of each presented image among the images of the item."""
    question: str
    published_prompt: str = ""
    """As `RowMetadata.published_prompt`, for this order."""


@dataclass(frozen=True, slots=True)
class RowMetadata:
    """The parsed metadata of a row. The names are those of the JSON object; other names are ignored."""

    question: str
    """The question text, without the options and the response format."""
    answer: dict[str, Any]
    """The typed key as JSON; `ItemRow.key` is the key itself."""
    style: str
    """The prompt style of the column `prompt`."""
    renderer: str = RASTER
    image_orders: dict[str, ImageOrder] = field(default_factory=dict[str, ImageOrder])
    """Other orders of the images, by name; empty for most items."""
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    """The item attributes by which accuracy is reported."""
    distractor_types: tuple[str, ...] = ()
    """The distractor type of each option."""
    option_angles: dict[str, OptionAngles] = field(default_factory=dict[str, OptionAngles])
    """The angles of the options, by quantity."""
    published_prompt: str = ""
    """The prompt of an imported record in the format of its authors, without image placeholders; "" if it is unknown."""
    reasoning: str | None = None
    """A verified chain of thought."""
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    """The settings of the task other than its defaults."""
    scene: Any = None
    """The scene as JSON; for an imported item its source."""


class Unusable(UserError):
    """A stored row that cannot be presented and scored."""

    def __init__(self, row: ItemRow, why: str) -> None:
        where = f"{row.file}: " if row.file else ""
        super().__init__(f"{where}{row.id} cannot be presented ({why}). Generate the data again.")
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
    """The file of the row, for error messages."""

    @cached_property
    def metadata(self) -> RowMetadata:
        """The parsed column `metadata`. Raises Unusable if it is invalid."""
        try:
            return decode(RowMetadata, self.metadata_json.encode(), extra="ignore")
        except ValueError as error:
            raise Unusable(self, f"its metadata cannot be read: {str(error)[:80]}") from None

    @cached_property
    def key(self) -> Answer:
        """The typed answer key. Raises Unusable if the metadata have none."""
        try:
            return from_json(self.metadata.answer)
        except Unusable:
            raise
        except ValueError as error:
            raise Unusable(self, f"its metadata hold no key: {str(error)[:80]}") from None

    @property
    def content(self) -> str:
        """A hash of prompt and images without their canary: rows with the same content are the same item for a model."""
        content_hash = blake2b(self.prompt.encode(), digest_size=16)
        for image in self.images:
            content_hash.update(blake2b(canary.unmarked(image), digest_size=16).digest())
        return content_hash.hexdigest()

    def prompt_in_style(self, style: str | PromptTemplate | None) -> str:
        """The prompt in another style or of a template; in the stored style if None. Raises UserError for an unsuitable template."""
        if style is None or style == self.metadata.style:
            return self.prompt
        return self.styled(style, self.metadata.question, self.metadata.published_prompt)

    def styled(self, style: str | PromptTemplate, question: str, published_prompt: str = "", key: Answer | None = None) -> str:
        """The prompt of the item with another question text or other options. Raises UserError for an unsuitable style or template.

        `published_prompt`: the prompt in the style `published`, if the row has it. `key`: the key after a rotation of the options.
        """
        if style == prompts.PUBLISHED and published_prompt:
            return prompts.with_placeholders(published_prompt, len(self.images))
        if style == prompts.PUBLISHED and self.metadata.published_prompt:
            raise UserError(
                f"Prompt of a record, whose options cannot be rotated: {self.id}. Remove --circular-eval or the style published."
            )
        try:
            return styled_prompt(question, key or self.key, len(self.images), style, self.task)
        except prompts.NoPublishedPrompt as error:
            raise UserError(f"{error}.") from None


def item_to_row(
    item: Item, style: str = prompts.DEFAULT_STYLE, renderer: str = RASTER, *, pictures: bool = True, secret: Secret | None = None
) -> ItemRow:
    """Convert an item to a row with PNG images; without `pictures`, images are left empty, which is much faster.

    With the `secret` of its seed, id and group are opaque and the seed is 0.
    """
    task, answer = item.task, item.answer
    return ItemRow(
        id=item.id if secret is None else secret.item_id(item.id),
        suite=task.suite,
        task=task.id,
        version=task.version,
        split=item.split,
        seed=item.seed if secret is None else 0,
        index=item.index,
        level=item.level,
        group=item.group if secret is None else secret.group_id(item.group),
        images=encoded_images(item, renderer) if pictures else (),
        prompt=prompts.prompt(item.question.text, answer, len(item.pictures), style, task.id),
        choices=answer.options if isinstance(answer, Choice) else (),
        answer=answer.canonical(),
        answer_type=answer.kind,
        chance=item.chance,
        skills=task.skills,
        metadata_json=f'{_json(row_metadata(item, style, renderer))[:-1]}, "scene": {item.scene_json}}}',
    )


def encoded_images(item: Item, renderer: str = RASTER) -> tuple[bytes, ...]:
    """The images of an item as PNG files, those of the test split with the canary."""
    images = map(png, item.pixels(renderer))
    return tuple(map(canary.marked, images) if canary.is_test(item.split) else images)


def row_metadata(item: Item, style: str = prompts.DEFAULT_STYLE, renderer: str = RASTER) -> dict[str, Any]:
    """The metadata of the row of an item, except for its scene."""
    task, answer = item.task, item.answer
    metadata: dict[str, Any] = {
        "question": item.question.text,
        "answer": to_json(answer),
        "style": style,
        "settings": dict(item.address.settings),
        "size": item.size,
    }
    if task.images.orders:
        metadata["image_orders"] = image_orders_json({name: ImageOrder(*order) for name, order in task.images.orders(item.scene).items()})
    if renderer != RASTER:
        metadata["renderer"] = renderer
    if task.reported.attributes:
        metadata["attributes"] = dict(task.reported.attributes(item.scene))
    if task.reported.distractor_types:
        metadata["distractor_types"] = list(task.reported.distractor_types(item.scene))
    if task.reported.option_angles and isinstance(answer, Choice) and (option_angles := task.reported.option_angles(answer)):
        metadata["option_angles"] = {  # `asdict` copies each angle, which takes as long as drawing
            name: {"angles_deg": angles.angles_deg, "positive_direction": angles.positive_direction, "is_circular": angles.is_circular}
            for name, angles in option_angles.items()
        }
    if reasoning := item.reasoning:
        metadata["reasoning"] = reasoning
    return metadata


def image_orders_json(orders: Mapping[str, ImageOrder]) -> dict[str, dict[str, Any]]:
    """Image orders in the form of the metadata of a row."""
    return {
        name: {"images": list(order.images), "question": order.question}
        | ({"published_prompt": order.published_prompt} if order.published_prompt else {})
        for name, order in orders.items()
    }


_json = json.JSONEncoder(ensure_ascii=False).encode
_FIELDS = {name: "metadata_json" if name == "metadata" else name for name in SCHEMA.names}
"""The field of `ItemRow` for each column."""


def table(rows: Iterable[ItemRow]) -> pa.Table:
    """Convert rows to an Arrow table; the path of an image contains its item and index, for tools that export it."""
    listed = list(rows)
    columns: dict[str, list[Any]] = {name: [getattr(r, field_name) for r in listed] for name, field_name in _FIELDS.items()}
    columns["images"] = parquet.image_column((r.id, r.images) for r in listed)
    return pa.table(columns, schema=SCHEMA)


def item_row(row: dict[str, Any]) -> ItemRow:
    """Convert a record of columns to a row, without images if it has no such column. Raises TypeError or KeyError for an invalid record."""
    row = row | {"images": [image["bytes"] for image in row.get("images", ())]}
    row |= {name: tuple(row[name]) for name in ("images", "choices", "skills")}
    return ItemRow(**{field_name: row[name] for name, field_name in _FIELDS.items()})


def regenerated_item(row: ItemRow) -> Item:
    """The item at the address of a row; for a private seed, this process needs the secret.

    Its content may differ from that of the row. Raises ValueError if the installed packages cannot generate it, UserError without the secret.
    """
    release = stated_release(row.id)
    if not release:
        return regenerate(row.id.partition("#")[0])
    secret = private_seeds.required(release)
    task = registry.task(row.task)
    if row.version != task.version:
        raise ValueError(f"version {row.version} of {task.id}, but the installed version is {task.version}")
    address = task.address(row.split, row.level, secret.seed, row.index, row.metadata.settings)
    try:
        return make_item(task, address)
    except RuntimeError:  # its message states the address
        raise ValueError("no scene fits") from None
