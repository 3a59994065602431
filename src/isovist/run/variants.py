"""Other ways to ask the same item: without its picture, with its options turned, its pictures in another order, once more.

Each variant is asked beside the item as it is, shares its group, and is compared with it pair by pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from isovist.core.answers import Answer, Choice, ImageOptionChoice
from isovist.dataset.pictures import opened
from isovist.dataset.rows import ItemRow
from isovist.errors import UserError
from isovist.prompts import IMAGE, prompt
from isovist.render.image_encoding import png

STANDARD = ""
_BLOCK = 32  # rows among which a swapped picture is looked for, and about as many are in memory


@dataclass(frozen=True, slots=True)
class VariantSettings:
    """Which variants of each item are asked, beside the item as it is."""

    no_image: bool = False
    """No picture; the words stay the same."""
    blank_image: bool = False
    """A white picture of the same size."""
    mismatched_image: bool = False
    """The picture of another item of the task, one with another answer. The item's own key still counts."""
    circular_eval: bool = False
    """All rotations of the options, for a choice whose options are words."""
    prompt_styles: tuple[str, ...] = ()
    """Other styles of prompt."""
    epochs: int = 1
    """How often each item is asked as it is."""
    image_orders: tuple[str, ...] = ()
    """Other orders of the pictures, for items that have such: names ("start-2"), or kinds of them ("start")."""

    def __or__(self, other: VariantSettings) -> VariantSettings:
        """What either asks."""
        return VariantSettings(
            self.no_image or other.no_image,
            self.blank_image or other.blank_image,
            self.mismatched_image or other.mismatched_image,
            self.circular_eval or other.circular_eval,
            tuple(dict.fromkeys(self.prompt_styles + other.prompt_styles)),
            max(self.epochs, other.epochs),
            tuple(dict.fromkeys(self.image_orders + other.image_orders)),
        )

    def image_ablations(self) -> list[str]:
        """The names of the variants that take the picture away or change it."""
        asked = {"no-image": self.no_image, "blank-image": self.blank_image, "mismatched-image": self.mismatched_image}
        return [name for name, wanted in asked.items() if wanted]

    def names(self, key: Answer, style: str, orders: Iterable[str] = ()) -> list[str]:
        """The names of all askings of an item with that key and those other orders, whose own style of prompt is `style`."""
        names = [STANDARD]
        names += self.image_ablations()
        if self.circular_eval and isinstance(key, Choice) and not isinstance(key, ImageOptionChoice):
            names += [f"circular:{turn}" for turn in range(1, len(key.options))]
        names += [f"style:{name}" for name in self.prompt_styles if name != style]
        names += [f"order:{name}" for name in orders if not {name, kind_of(name)}.isdisjoint(self.image_orders)]
        names += [f"epoch:{epoch}" for epoch in range(2, self.epochs + 1)]
        return names


@dataclass(frozen=True, slots=True)
class Trial:
    """One item in one variant: what is sent, and the key that counts."""

    row: ItemRow
    variant: str
    prompt: str
    images: tuple[bytes, ...]
    key: Answer

    @property
    def trial_id(self) -> tuple[str, str]:
        """What its records are filed under."""
        return self.row.id, self.variant

    @property
    def question(self) -> str:
        """What is asked, with the options, without words on the form of the reply."""
        kind, _, more = self.variant.partition(":")
        words = self.row.metadata.orders[more].question if kind == "order" else self.row.metadata.question
        return "\n".join(filter(None, (words, self.key.options_text())))


def family(variant: str) -> str:
    """The name under which variants are compared: all rotations together, all repetitions, all orders of one kind."""
    kind, _, name = variant.partition(":")
    return variant if kind == "style" else f"{kind}:{kind_of(name)}" if kind == "order" else kind


def kind_of(order: str) -> str:
    """What a name of an order has before the number at its end: "start" of "start-2"."""
    kind, _, number = order.rpartition("-")
    return kind if kind and number.isdecimal() else order


def trials(rows: Iterable[ItemRow], variants: VariantSettings, style: str) -> Iterator[Trial]:
    """All that is asked about `rows`, item by item, with prompts in `style`.

    Raises UserError if no picture can be swapped, or if there is none to take away.
    """
    rows = _pictured(rows, variants)
    for row, other in _beside(rows) if variants.mismatched_image else ((row, row) for row in rows):
        for name in variants.names(row.key, style, row.metadata.orders):
            yield _asking(row, name, style, other)


def _pictured(rows: Iterable[ItemRow], variants: VariantSettings) -> Iterator[ItemRow]:
    """The rows; each must have a picture if a variant does something to it."""
    named = next(iter(variants.image_ablations()), None)
    for row in rows:
        if named and not row.images:
            raise UserError(f"--{named}: {row.id} has no picture.")
        yield row


def _asking(row: ItemRow, variant: str, style: str, other: ItemRow) -> Trial:
    asked = Trial(row, variant, row.prompt_in_style(style), row.images, row.key)
    kind, _, more = variant.partition(":")
    match kind:
        case "no-image":
            return replace(asked, prompt=asked.prompt.replace(f"{IMAGE}\n", "").replace(IMAGE, ""), images=())
        case "blank-image":
            return replace(asked, images=tuple(_white(*_size(image)) for image in row.images))
        case "mismatched-image":
            return replace(asked, images=other.images)
        case "circular":
            key = rotate_key(row.key, variant)
            return replace(asked, prompt=prompt(row.metadata.question, key, len(row.images), style), key=key)
        case "order":
            order = row.metadata.orders[more]
            shown = tuple(row.images[place] for place in order.pictures)
            return replace(asked, prompt=prompt(order.question, row.key, len(shown), style), images=shown)
        case "style":
            return replace(asked, prompt=row.prompt_in_style(more))
        case _:  # as it is, and that once more
            return asked


def rotate_key(key: Answer, variant: str) -> Answer:
    """The key that counts in a variant: a choice whose options are turned has them moved up, and the first come last."""
    kind, _, turn = variant.partition(":")
    if kind != "circular" or not isinstance(key, Choice):
        return key
    moved = int(turn)
    return Choice(key.options[moved:] + key.options[:moved], (key.truth - moved) % len(key.options))


def _beside(rows: Iterable[ItemRow]) -> Iterator[tuple[ItemRow, ItemRow]]:
    """Each row with another whose picture may stand in for its own."""
    for block in _blocks(rows):
        for i, row in enumerate(block):
            others = block[i + 1 :] + block[:i]
            other = next((other for other in others if _may_stand_in(other, row)), None)
            if other is None:
                raise UserError(
                    f"--mismatched-image: no other item of {row.task} near {row.id} has another answer and as many pictures; ask more items."
                )
            yield row, other


def _may_stand_in(other: ItemRow, row: ItemRow) -> bool:
    return len(other.images) == len(row.images) and other.images != row.images and other.key.balance_bin() != row.key.balance_bin()


def _blocks(rows: Iterable[ItemRow]) -> Iterator[list[ItemRow]]:
    """The rows in blocks of one task. All have at least `_BLOCK` rows unless the task has fewer."""
    block: list[ItemRow] = []
    for row in rows:
        if block and (row.task, row.split) != (block[0].task, block[0].split):
            yield block
            block = []
        block.append(row)
        if len(block) == 2 * _BLOCK:
            yield block[:_BLOCK]
            block = block[_BLOCK:]
    if block:
        yield block


def _size(image: bytes) -> tuple[int, int]:
    with opened(image) as picture:
        return picture.size


@lru_cache(maxsize=64)
def _white(width: int, height: int) -> bytes:
    return png(np.full((height, width, 3), 255, np.uint8))
