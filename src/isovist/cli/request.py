"""Options that several commands share, and what they ask for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from isovist.errors import BadInput

if TYPE_CHECKING:
    from isovist.dataset.manifest import Part

F = TypeVar("F", bound=Callable[..., Any])


def which_items(*, n: int) -> Callable[[F], F]:
    """The options that say which items are meant."""
    options = (
        click.option("--n", type=click.IntRange(min=0), default=None, help=f"Items of each task [default: {n}]."),
        click.option("--seed", type=click.IntRange(-(2**63), 2**63 - 1), default=0, show_default=True, help="Another seed, other items."),
        click.option("--split", type=click.Choice(["test", "train"]), default="test", show_default=True),
        click.option("--level", default=None, help="Items of this level only; of several levels, with commas between them."),
        click.option("--size", "size", type=int, default=None, metavar="PX", help="Pixels across the picture's unit."),
        click.option("--set", "told", multiple=True, metavar="NAME=VALUE", help="A setting of the tasks, such as order=paper."),
        click.option("--sizes", type=click.Choice(["paper"]), default=None, help="As many items as the paper has."),
    )

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def parts(
    tasks: Iterable[str],
    *,
    default: int,
    n: int | None,
    seed: int,
    split: str,
    level: str | None,
    size: int | None,
    told: Iterable[str],
    sizes: str | None,
    style: str,
    renderer: str = "raster",
) -> list[Part]:
    """What is asked for, one part a task. Raises BadInput."""
    from isovist.dataset.request import requested

    given = dict(_setting(text) for text in told) | ({"size": size} if size is not None else {})
    found, left_out = requested(
        tasks, default=default, n=n, seed=seed, split=split, level=level, settings=given, sizes=sizes, style=style, renderer=renderer
    )
    for name in left_out:
        click.echo(f"{name}: the paper has no {split} split of it; left out.", err=True)
    return found


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise BadInput(f"--set {text}: write NAME=VALUE, such as order=paper.")
    return name, value


def style_option(default: str | None = None) -> Callable[[F], F]:
    """`--style`, with the words that tell of its default."""
    from isovist.prompts import DEFAULT_STYLE, STYLES

    told = "; ".join(f"{style.name}: {style.summary}" for style in STYLES.values())
    return click.option(
        "--style",
        type=click.Choice(list(STYLES)),
        default=None,
        help=f"How the model is asked to reply ({told}) [default: {default or DEFAULT_STYLE}].",
    )


def workers_option() -> Callable[[F], F]:
    return click.option("--workers", type=click.IntRange(min=1), default=_cores(), show_default="all cores", help="Processes at work.")


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1
