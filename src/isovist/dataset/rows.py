"""A row: one item as other tools see it. The columns are fixed, because other tools rely on them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

import pyarrow as pa

from isovist import prompts, registry
from isovist.core.answers import Answer, Choice, from_json, to_json
from isovist.items import Item
from isovist.render import RASTER
from isovist.render.encode import media_type, png

_IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
_TEXT = {"dtype": "string", "_type": "Value"}
_FEATURES: dict[str, Any] = {
    **dict.fromkeys(("id", "suite", "task", "split", "level", "group", "prompt", "answer", "answer_type", "metadata"), _TEXT),
    **{name: {"dtype": "int64", "_type": "Value"} for name in ("version", "seed", "index")},
    "chance": {"dtype": "float64", "_type": "Value"},
    "images": {"feature": {"_type": "Image"}, "_type": "List"},
    "choices": {"feature": _TEXT, "_type": "List"},
    "skills": {"feature": _TEXT, "_type": "List"},
}
_PLAIN = pa.schema(
    [
        ("id", pa.string()),
        ("suite", pa.string()),
        ("task", pa.string()),
        ("version", pa.int64()),
        ("split", pa.string()),
        ("seed", pa.int64()),
        ("index", pa.int64()),
        ("level", pa.string()),
        ("group", pa.string()),
        ("images", pa.list_(_IMAGE)),
        ("prompt", pa.string()),
        ("choices", pa.list_(pa.string())),
        ("answer", pa.string()),
        ("answer_type", pa.string()),
        ("chance", pa.float64()),
        ("skills", pa.list_(pa.string())),
        ("metadata", pa.string()),
    ]
)
# So that `datasets.load_dataset` decodes the images without being told.
_HUGGING_FACE = {"huggingface": json.dumps({"info": {"features": {name: _FEATURES[name] for name in _PLAIN.names}}})}
SCHEMA: pa.Schema = _PLAIN.with_metadata(_HUGGING_FACE)  # pyright: ignore[reportUnknownMemberType]


@dataclass(frozen=True, slots=True)
class Order:
    """Another order in which the pictures of an item can be shown, with the question's words for it."""

    pictures: tuple[int, ...]
    """The place, from 0, of each picture that is shown among the item's own."""
    question: str


@dataclass(frozen=True)
class Row:
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
    metadata: str

    @cached_property
    def told(self) -> dict[str, Any]:
        """The metadata: question, key, style, settings, size, scene; reasoning, orders, facets and errors where the task has them, the
        renderer if it is another one.
        """
        return json.loads(self.metadata)

    @cached_property
    def key(self) -> Answer:
        """The answer with its parser and score. Raises ValueError if the metadata do not hold one."""
        return from_json(self.told["answer"])

    @cached_property
    def orders(self) -> dict[str, Order]:
        """Other orders in which its pictures can be shown, by name; most items have none."""
        return {name: Order(tuple(it["pictures"]), it["question"]) for name, it in self.told.get("orders", {}).items()}

    def styled(self, style: str | None) -> str:
        """The prompt in another style."""
        if style is None or style == self.told["style"]:
            return self.prompt
        return prompts.prompt(self.told["question"], self.key, len(self.images), style)


def row(item: Item, style: str = prompts.DEFAULT_STYLE, renderer: str = RASTER) -> Row:
    """The row of an item; its pictures become PNG files."""
    task, answer = registry.task(item.task), item.answer
    return Row(
        id=item.id,
        suite=task.suite,
        task=task.id,
        version=task.version,
        split=item.split,
        seed=item.seed,
        index=item.index,
        level=item.level,
        group=item.group,
        images=tuple(png(pixels) for pixels in item.pixels(renderer)),
        prompt=prompts.prompt(item.question.text, answer, len(item.pictures), style),
        choices=answer.options if isinstance(answer, Choice) else (),
        answer=answer.canonical(),
        answer_type=answer.kind,
        chance=answer.chance(),
        skills=task.skills,
        metadata=f'{_json(about(item, style, renderer))[:-1]}, "scene": {item.told_scene}}}',
    )


def about(item: Item, style: str = prompts.DEFAULT_STYLE, renderer: str = RASTER) -> dict[str, Any]:
    """What the metadata of the row of an item tell, all but its scene."""
    task, answer = registry.task(item.task), item.answer
    told: dict[str, Any] = {
        "question": item.question.text,
        "answer": to_json(answer),
        "style": style,
        "settings": dict(item.address.settings),
        "size": item.size,
    }
    if task.orders:
        told["orders"] = told_orders({name: Order(*it) for name, it in task.orders(item.scene).items()})
    if renderer != RASTER:
        told["renderer"] = renderer
    if task.facets:
        told["facets"] = dict(task.facets(item.scene))
    if task.errors:
        told["errors"] = list(task.errors(item.scene))
    if task.angles and isinstance(answer, Choice) and (dials := task.angles(answer)):
        told["angles"] = {name: asdict(dial) for name, dial in dials.items()}
    if reasoning := item.reasoning:
        told["reasoning"] = reasoning
    return told


def told_orders(orders: Mapping[str, Order]) -> dict[str, dict[str, Any]]:
    """Other orders as they stand in the metadata of a row."""
    return {name: {"pictures": list(order.pictures), "question": order.question} for name, order in orders.items()}


_json = json.JSONEncoder(ensure_ascii=False).encode
_NAMES = tuple(f.name for f in fields(Row))


def table(rows: Iterable[Row]) -> pa.Table:
    """Rows as an Arrow table; a picture's path names its item and place, for tools that write it out."""
    listed = list(rows)
    columns: dict[str, list[Any]] = {name: [getattr(r, name) for r in listed] for name in _NAMES}
    columns["images"] = [
        [{"bytes": image, "path": f"{r.id.rpartition('#')[2]}-{i}.{_suffix(image)}"} for i, image in enumerate(r.images)] for r in listed
    ]
    return pa.table(columns, schema=SCHEMA)


def _suffix(image: bytes) -> str:
    return "jpg" if media_type(image) == "image/jpeg" else "png"


def rows(batch: pa.RecordBatch) -> Iterator[Row]:
    """The rows of an Arrow batch, without images if it has no such column."""
    listed: list[dict[str, Any]] = batch.to_pylist()
    for told in listed:
        told["images"] = [image["bytes"] for image in told.get("images", ())]
        for name in ("images", "choices", "skills"):
            told[name] = tuple(told[name])
        yield Row(**{name: told[name] for name in _NAMES})
