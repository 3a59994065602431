"""Variants of an item: without image, in another rendering, with rotated options, in another image order, after worked examples,
repeated.

Each variant is presented in addition to the standard condition, shares its group, and is compared with it in pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from isovist.common.errors import UserError
from isovist.common.options import several
from isovist.core.answers import Answer, Choice, ImageOptionChoice
from isovist.core.answers.structured import response_schema
from isovist.data.dataset.pictures import opened
from isovist.data.dataset.rows import ItemRow
from isovist.data.prompt_template import PromptTemplate
from isovist.data.prompts import DEFAULT_STYLE, IMAGE, STYLES, after_examples, structured_prompt
from isovist.evaluation.run.renderings import RenderedImages, excluded, of_task, rendered
from isovist.evaluation.run.worked_examples import MOST, Examples
from isovist.evaluation.run_spec import VariantOptions
from isovist.world.render.image_encoding import png
from isovist.world.rendering_names import RENDERINGS
from isovist.world.scenes.distractor_types import types_by_option_angles

STANDARD = ""
STRUCTURED = "structured"
BLOCK = 32
"""Rows in memory, among which a mismatched image is searched."""


@dataclass(frozen=True, slots=True)
class VariantSettings:
    """The variants of each item, in addition to the standard condition."""

    no_image: bool = False
    """No image; the text stays the same."""
    blank_image: bool = False
    """A white image of the same size."""
    mismatched_image: bool = False
    """The image of another item of the task with another answer. The key of the item itself counts."""
    circular_eval: bool = False
    """All rotations of the options, for a choice with text options."""
    prompt_styles: tuple[str, ...] = ()
    """Other prompt styles."""
    epochs: int = 1
    """Repetitions of the standard condition."""
    image_orders: tuple[str, ...] = ()
    """Other image orders: names ("start-2") or kinds ("start")."""
    shots: tuple[int, ...] = ()
    """Numbers of worked examples before the question."""
    structured: bool = False
    """A structured reply, in the JSON schema of the answer type, instead of free text."""
    renderings: tuple[str, ...] = ()
    """Other renderings of the images: `isovist.world.rendering_names.RENDERINGS`."""

    def __post_init__(self) -> None:
        for k in self.shots:
            if not 1 <= k <= MOST:
                raise UserError(f"Invalid number of worked examples: {k}. Give 1 to {MOST}.")
        for name in self.renderings:
            if name not in RENDERINGS:
                raise UserError(f"Unknown rendering: {name}. Choose from {', '.join(RENDERINGS)}.")

    @staticmethod
    def of(options: VariantOptions) -> VariantSettings:
        """The variants that options name. Raises UserError for an unknown prompt style."""
        styles = tuple(dict.fromkeys(name.strip() for name in options.compare_prompt_styles.split(",") if name.strip()))
        for name in styles:
            if name not in STYLES:
                raise UserError(f"Unknown style in --compare-prompt-styles: {name}. Choose from {', '.join(STYLES)}.")
        return VariantSettings(
            options.no_image,
            options.blank_image,
            options.mismatched_image,
            options.circular_eval,
            styles,
            options.epochs,
            tuple(dict.fromkeys(several(str, options.image_order))),
            tuple(dict.fromkeys(several(int, options.shots))),
            structured=options.structured,
            renderings=tuple(dict.fromkeys(several(str, options.rendering))),
        )

    def __or__(self, other: VariantSettings) -> VariantSettings:
        """The union of both."""
        return VariantSettings(
            self.no_image or other.no_image,
            self.blank_image or other.blank_image,
            self.mismatched_image or other.mismatched_image,
            self.circular_eval or other.circular_eval,
            tuple(dict.fromkeys(self.prompt_styles + other.prompt_styles)),
            max(self.epochs, other.epochs),
            tuple(dict.fromkeys(self.image_orders + other.image_orders)),
            tuple(dict.fromkeys(self.shots + other.shots)),
            structured=self.structured or other.structured,
            renderings=tuple(dict.fromkeys(self.renderings + other.renderings)),
        )

    @property
    def depend_on_item(self) -> bool:
        """Whether items differ in their variants."""
        return bool(self.circular_eval or self.image_orders or self.renderings)

    def of_row(self, row: ItemRow, style: str) -> list[str]:
        """The variant names of a row."""
        return self.names(row.key, style, row.metadata.image_orders, self.renderings_of(row.task, excluded(row)))

    def renderings_of(self, task: str, not_of_item: Container[str]) -> list[str]:
        """Those of its renderings that an item of a task can have; `not_of_item`: those that the item itself excludes."""
        return [name for name in self.renderings if name not in not_of_item and name in of_task(task)]

    def image_ablations(self) -> list[str]:
        """The names of the variants that remove or change the image."""
        ablations = {"no-image": self.no_image, "blank-image": self.blank_image, "mismatched-image": self.mismatched_image}
        return [name for name, enabled in ablations.items() if enabled]

    def names(self, key: Answer | None, style: str, orders: Iterable[str] = (), renderings: Iterable[str] = ()) -> list[str]:
        """The variant names of an item with this key and these image orders and renderings; `style` is its standard prompt style."""
        names = [STANDARD]
        names += self.image_ablations()
        names += [f"rendering:{name}" for name in renderings]
        if self.circular_eval and isinstance(key, Choice) and not isinstance(key, ImageOptionChoice):
            names += [f"circular:{turn}" for turn in range(1, len(key.options))]
        names += [f"style:{name}" for name in self.prompt_styles if name != style]
        names += [STRUCTURED] if self.structured else []
        names += [f"order:{name}" for name in orders if not {name, kind_of(name)}.isdisjoint(self.image_orders)]
        names += [f"shots:{k}" for k in self.shots]
        names += [f"epoch:{epoch}" for epoch in range(2, self.epochs + 1)]
        return names


@dataclass(frozen=True, slots=True)
class Trial:
    """One item in one variant: the request, and the key."""

    row: ItemRow
    variant: str
    prompt: str
    images: tuple[bytes, ...]
    key: Answer

    @property
    def trial_id(self) -> tuple[str, str]:
        """Item id and variant, the name of its records."""
        return self.row.id, self.variant

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema of the response; None for free text."""
        return response_schema(self.key) if self.variant == STRUCTURED else None

    @property
    def distractor_types(self) -> tuple[str, ...]:
        """The distractor types of the options as presented; empty if the row has none."""
        metadata = self.row.metadata
        if metadata.option_angles and not metadata.distractor_types and isinstance(self.row.key, Choice):
            types = tuple(types_by_option_angles(metadata.option_angles, self.row.key.truth))
        else:
            types = metadata.distractor_types
        kind, _, turn = self.variant.partition(":")
        shift = int(turn) if kind == "circular" and types else 0
        return types[shift:] + types[:shift]

    @property
    def question(self) -> str:
        """The question with its options, without the format instruction."""
        kind, _, more = self.variant.partition(":")
        text = self.row.metadata.image_orders[more].question if kind == "order" else self.row.metadata.question
        return "\n".join(filter(None, (text, self.key.options_text())))


def family(variant: str) -> str:
    """The name of a group of variants: all rotations, all repetitions, all orders of one kind."""
    kind, _, name = variant.partition(":")
    return variant if kind in ("style", "shots", "rendering") else f"{kind}:{kind_of(name)}" if kind == "order" else kind


def kind_of(order: str) -> str:
    """The name of an order without its number: "start" of "start-2"."""
    kind, _, number = order.rpartition("-")
    return kind if kind and number.isdecimal() else order


def trials(
    rows: Iterable[ItemRow], variants: VariantSettings, style: str | PromptTemplate, examples: Examples | None = None,
    wanted: Callable[[ItemRow, str], bool] = lambda row, variant: True, images: RenderedImages = rendered,
) -> Iterator[Trial]:  # fmt: skip
    """All trials of `rows` that are `wanted`, item by item, with prompts in `style`; `examples` is required for worked examples,
    `images` makes other renderings.

    Raises UserError if an item has no image to remove, no other item has an image to replace it, it cannot be rendered, or the prompt
    template is unsuitable.
    """
    style_name = style if isinstance(style, str) else style.name
    rows = _require_images(rows, variants)
    for row, other in _with_replacement(rows) if variants.mismatched_image else ((row, row) for row in rows):
        for name in variants.of_row(row, style_name):
            if wanted(row, name):
                yield _trial(row, name, style, other, examples, images)


def _require_images(rows: Iterable[ItemRow], variants: VariantSettings) -> Iterator[ItemRow]:
    """The rows. Raises UserError for one without images if a variant changes images."""
    named = next(iter(variants.image_ablations()), None)
    for row in rows:
        if named and not row.images:
            raise UserError(f"Item has no image: {row.id}. Remove --{named}.")
        yield row


def _trial(
    row: ItemRow, variant: str, style: str | PromptTemplate, other: ItemRow, examples: Examples | None, images: RenderedImages
) -> Trial:
    standard = Trial(row, variant, row.prompt_in_style(style), row.images, row.key)
    kind, _, more = variant.partition(":")
    match kind:
        case "no-image":
            return replace(standard, prompt=standard.prompt.replace(f"{IMAGE}\n", "").replace(IMAGE, ""), images=())
        case "blank-image":
            return replace(standard, images=tuple(_white(*_size(image)) for image in row.images))
        case "mismatched-image":
            return replace(standard, images=other.images)
        case "rendering":
            return replace(standard, images=images(row, more))
        case "circular":
            key = rotate_key(row.key, variant)
            return replace(standard, prompt=row.styled(style, row.metadata.question, key=key), key=key)
        case "order":
            order = row.metadata.image_orders[more]
            images_in_order = tuple(row.images[place] for place in order.images)
            return replace(standard, prompt=row.styled(style, order.question, order.published_prompt), images=images_in_order)
        case "style":
            return replace(standard, prompt=row.prompt_in_style(more))
        case "structured":
            return replace(standard, prompt=structured_prompt(row.metadata.question, row.key, len(row.images)))
        case "shots" if examples is not None:
            shown = examples(row, int(more))
            solved = [(example.metadata.question, example.key, len(example.images)) for example in shown]
            every = tuple(image for example in (*shown, row) for image in example.images)
            style_name = style if isinstance(style, str) else DEFAULT_STYLE
            return replace(standard, prompt=after_examples(standard.prompt, solved, style_name, row.task), images=every)
        case "shots":
            raise ValueError("worked examples without a source")
        case _:  # the standard condition and its repetitions
            return standard


def rotate_key(key: Answer, variant: str) -> Answer:
    """The key in a variant: rotated options start with a later option, and the first ones come last."""
    kind, _, turn = variant.partition(":")
    if kind != "circular" or not isinstance(key, Choice):
        return key
    shift = int(turn)
    return Choice(key.options[shift:] + key.options[:shift], (key.truth - shift) % len(key.options))


def _with_replacement(rows: Iterable[ItemRow]) -> Iterator[tuple[ItemRow, ItemRow]]:
    """Each row with another row whose image can replace its own."""
    for block in _blocks(rows):
        for i, row in enumerate(block):
            others = block[i + 1 :] + block[:i]
            other = next((other for other in others if _can_replace(other, row)), None)
            if other is None:
                raise UserError(
                    f"No other item with another answer and the same number of images: {row.id}. Use more items with --mismatched-image."
                )
            yield row, other


def _can_replace(other: ItemRow, row: ItemRow) -> bool:
    return len(other.images) == len(row.images) and other.images != row.images and other.key.balance_bin() != row.key.balance_bin()


def _blocks(rows: Iterable[ItemRow]) -> Iterator[list[ItemRow]]:
    """The rows in blocks of one task, with at least `BLOCK` rows unless the task has fewer."""
    block: list[ItemRow] = []
    for row in rows:
        if block and (row.task, row.split) != (block[0].task, block[0].split):
            yield block
            block = []
        block.append(row)
        if len(block) == 2 * BLOCK:
            yield block[:BLOCK]
            block = block[BLOCK:]
    if block:
        yield block


def _size(image: bytes) -> tuple[int, int]:
    with opened(image) as picture:
        return picture.size


@lru_cache(maxsize=64)
def _white(width: int, height: int) -> bytes:
    return png(np.full((height, width, 3), 255, np.uint8))
