"""Options that several commands share, and what they ask for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from isovist.errors import UserError

if TYPE_CHECKING:
    from isovist.dataset.manifest import DataPart

F = TypeVar("F", bound=Callable[..., Any])


_MOST = 1_000_000_000


class Count(click.IntRange):
    """A whole number of something. Help shows the least one; the most is more than anybody needs."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        count = super().convert(value, param, ctx)
        if count > _MOST:
            self.fail(f"{count} is too large. Give a whole number up to {_MOST:,}.", param, ctx)
        return count


def _seed(ctx: click.Context, param: click.Parameter, value: int | None) -> int | None:
    """Refuses what no column of a data folder holds; a range would stand in every help with its 19 digits."""
    if value is not None and not -(2**63) <= value < 2**63:
        raise click.BadParameter(f"{value} is too large. Give a whole number from 0 to 2^63-1.", ctx, param)
    return value


def seed_option(help: str = "Another seed, other items.", *, default: int | None = 0) -> Callable[[F], F]:  # noqa: A002 - as click calls it
    return click.option("--seed", type=int, callback=_seed, default=default, show_default=default is not None, help=help)


def limit_option(
    help: str,  # noqa: A002 - as click calls it
    *,
    least: int = 1,
    most: int | None = None,
    default: int | None = None,
) -> Callable[[F], F]:
    """`--limit`, and `--n`, which is the same."""
    return click.option("--limit", "--n", "n", type=Count(least, most), default=default, show_default=default is not None, help=help)


def which_items(*, n: int) -> Callable[[F], F]:
    """The options that say which items are meant."""
    options = (
        limit_option(f"Items of each task [default: {n}].", least=0),
        seed_option(),
        click.option("--split", type=click.Choice(["test", "train"]), default="test", show_default=True),
        click.option("--level", default=None, help="Items of this level only; of several levels, with commas between them."),
        click.option(
            "--image-size",
            "size",
            type=int,
            default=None,
            metavar="PX",
            help="Pixels of a unit of the picture, which may be several units wide (docs/items.md); of a scene, of its shorter side.",
        ),
        click.option(
            "--task-option", "task_options", multiple=True, metavar="NAME=VALUE", help="A setting of the tasks, such as order=paper."
        ),
        click.option("--preset", "sizes", type=click.Choice(["paper"]), default=None, help="As many items as the paper has."),
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
    settings: Iterable[str],
    sizes: str | None,
    style: str,
    renderer: str = "raster",
) -> list[DataPart]:
    """What is asked for, one part a task. Raises UserError."""
    from isovist.dataset.generation_request import requested

    given = dict(_setting(text) for text in settings) | ({"size": size} if size is not None else {})
    data_parts, left_out = requested(
        tasks, default=default, n=n, seed=seed, split=split, level=level, settings=given, sizes=sizes, style=style, renderer=renderer
    )
    for name in left_out:
        click.echo(f"{name}: the paper has no {split} split of it; left out.", err=True)
    return data_parts


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UserError(f"--task-option {text}: write NAME=VALUE, such as order=paper.")
    return name, value


def style_option(default: str | None = None) -> Callable[[F], F]:
    """`--prompt-style`, with the words that tell of its default."""
    from isovist.prompts import DEFAULT_STYLE, STYLES

    summaries = "; ".join(f"{style.name}: {style.summary}" for style in STYLES.values())
    return click.option(
        "--prompt-style",
        "style",
        type=click.Choice(list(STYLES)),
        default=None,
        help=f"How the model is asked to reply ({summaries}) [default: {default or DEFAULT_STYLE}].",
    )


def workers_option() -> Callable[[F], F]:
    return click.option("--workers", type=Count(min=1), default=_cores(), show_default="all cores", help="Processes at work.")


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1
