"""The options of `isovist run` for variants of items."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from isovist.cli.item_options import decorated
from isovist.common.errors import UserError
from isovist.world.rendering_names import RENDERINGS, SUMMARIES

_OPTIONS = (
    click.option("--no-image", is_flag=True, help="Also present each item without its image."),
    click.option("--blank-image", "blank", is_flag=True, help="Also present each item with a white image."),
    click.option("--mismatched-image", "mismatched", is_flag=True, help="Also present each item with the image of another item."),
    click.option(
        "--rendering",
        "renderings",
        type=click.Choice(RENDERINGS),
        multiple=True,
        help=f"Also present each item in another rendering of its images ({'; '.join(f'{name}: {text}' for name, text in SUMMARIES.items())}; repeatable).",
    ),
    click.option(
        "--circular-eval", "circular", is_flag=True, help="Also present each choice with its options in every rotation (CircularEval)."
    ),
    click.option("--compare-prompt-styles", "styles", default="", metavar="A,B,...", help="Also present each item in these prompt styles."),
    click.option(
        "--image-order",
        "orders",
        multiple=True,
        metavar="ORDER",
        help="Also present each item with its images in another order: start, shuffled (repeatable).",
    ),
    click.option(
        "--shots",
        type=click.IntRange(1, 8),
        multiple=True,
        metavar="K",
        help="Also present each item after K worked examples from the train split, with their images (1 to 8; repeatable).",
    ),
    click.option("--structured", is_flag=True, help="Also request each response in the JSON schema of its answer type."),
    click.option("--epochs", type=click.IntRange(1, 1000), default=1, metavar="K", help="Present each item K times."),
)


def variant_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options; the command receives them as one argument `variants`. Raises UserError for an unknown style."""

    @wraps(command)
    def packed(
        *args: Any, no_image: bool, blank: bool, mismatched: bool, renderings: tuple[str, ...], circular: bool, styles: str, orders: tuple[str, ...], shots: tuple[int, ...], structured: bool, epochs: int, **others: Any,
    ) -> None:  # fmt: skip
        from isovist.data.prompts import STYLES
        from isovist.evaluation.run.variants import VariantSettings

        names = tuple(dict.fromkeys(name.strip() for name in styles.split(",") if name.strip()))
        for name in names:
            if name not in STYLES:
                raise UserError(f"Unknown style in --compare-prompt-styles: {name}. Choose from {', '.join(STYLES)}.")
        variants = VariantSettings(
            no_image,
            blank,
            mismatched,
            circular,
            names,
            epochs,
            tuple(dict.fromkeys(orders)),
            shots=tuple(dict.fromkeys(shots)),
            structured=structured,
            renderings=tuple(dict.fromkeys(renderings)),
        )
        command(*args, variants=variants, **others)

    return decorated(packed, _OPTIONS)
