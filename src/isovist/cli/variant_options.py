"""The options of `isovist run` that ask items in other ways as well."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from isovist.errors import UserError

_OPTIONS = (
    click.option("--no-image", "blind", is_flag=True, help="Ask each item without its picture as well."),
    click.option("--blank-image", "blank", is_flag=True, help="Ask each item with a white picture as well."),
    click.option("--mismatched-image", "swapped", is_flag=True, help="Ask each item with another item's picture as well."),
    click.option("--circular-eval", "circular", is_flag=True, help="Ask each choice in all rotations of its options."),
    click.option("--compare-prompt-styles", "styles", default="", metavar="A,B,...", help="Ask each item in these styles as well."),
    click.option(
        "--image-order",
        "orders",
        multiple=True,
        metavar="ORDER",
        help="Ask each item with its pictures in another order as well: start, shuffled (repeatable).",
    ),
    click.option("--epochs", "repeat", type=click.IntRange(1, 1000), default=1, metavar="K", help="Ask each item so often."),
)


def variant_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options; the command is given them as one `variants`. Raises UserError for an unknown style."""

    @wraps(command)
    def packed(
        *args: Any, blind: bool, blank: bool, swapped: bool, circular: bool, styles: str, orders: tuple[str, ...], repeat: int, **others: Any,
    ) -> None:  # fmt: skip
        from isovist.prompts import STYLES
        from isovist.run.variants import VariantSettings

        named = tuple(dict.fromkeys(name.strip() for name in styles.split(",") if name.strip()))
        for name in named:
            if name not in STYLES:
                raise UserError(f"--compare-prompt-styles {styles}: no style is called {name!r}; there are {', '.join(STYLES)}.")
        asked = VariantSettings(blind, blank, swapped, circular, named, repeat, tuple(dict.fromkeys(orders)))
        command(*args, variants=asked, **others)

    decorated: Callable[..., None] = packed
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
