"""How the work of generating items is divided, and which dataset parts are generated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from isovist.common.shards import Shard
from isovist.data.item_options import ItemOptions

if TYPE_CHECKING:
    from isovist.data.dataset.manifest import DataPart
    from isovist.data.dataset.parallel import Executor

F = TypeVar("F", bound=Callable[..., Any])


def parts(tasks: Iterable[str], items: ItemOptions, *, default: int, style: str | None = None, renderer: str = "raster") -> list[DataPart]:
    """The requested dataset parts, one for each task; `default` is the number of items of a task. Raises UserError."""
    from isovist.data.dataset.generation_request import requested
    from isovist.data.prompts import DEFAULT_STYLE

    data_parts, without_split = requested(tasks, items, default=default, style=style or DEFAULT_STYLE, renderer=renderer)
    for name in without_split:
        click.echo(f"Skipped {name}: the paper has no {items.split or 'test'} split of this task.", err=True)
    return data_parts


def shard_option(help: str) -> Callable[[F], F]:  # noqa: A002 - click's name
    """`--shard`, as a `Shard`."""

    def parse(ctx: click.Context, param: click.Parameter, text: str | None) -> Shard | None:
        del ctx, param
        return None if text is None else Shard.parse(text)

    return click.option("--shard", callback=parse, default=None, metavar="I/N", help=help)


def executor_option() -> Callable[[F], F]:
    return click.option(
        "--executor",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Processes on this machine, or a Ray cluster (docs/clusters.md).",
    )


def executor_of(name: str, folder: Path, *, writes: bool) -> AbstractContextManager[Executor]:
    """The executor for `--executor`. `folder`: the dataset folder, which all nodes must see; `writes`: whether the command writes to it."""
    if name == "local":
        from isovist.data.dataset.parallel import run_parallel

        local: Executor = run_parallel
        return nullcontext(local)
    from isovist.data.dataset.ray_executor import ray_executor

    context = click.get_current_context()
    given = context.get_parameter_source("workers") is not click.core.ParameterSource.DEFAULT
    return ray_executor(folder, writes=writes, most_jobs=context.params["workers"] if given else None)
