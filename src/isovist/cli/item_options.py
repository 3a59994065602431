"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from isovist.cli.completion import models
from isovist.common.errors import UserError
from isovist.common.shards import Shard

if TYPE_CHECKING:
    from isovist.data.dataset.manifest import DataPart
    from isovist.data.dataset.parallel import Executor
    from isovist.data.prompt_template import PromptTemplate

F = TypeVar("F", bound=Callable[..., Any])

_LARGEST_COUNT = 1_000_000_000


class Count(click.IntRange):
    """A whole number. Help shows the smallest value alone; the largest is beyond any use."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        count = super().convert(value, param, ctx)
        if count > _LARGEST_COUNT:
            self.fail(f"{count} is too large. Give a whole number up to {_LARGEST_COUNT:,}.", param, ctx)
        return count


def decorated(command: Callable[..., None], options: Sequence[Callable[[Any], Any]]) -> Callable[..., None]:
    """The command with these options, in the order in which help shows them."""
    for option in reversed(options):
        command = option(command)
    return command


def _seed(ctx: click.Context, param: click.Parameter, value: int | None) -> int | None:
    """Refuses a seed that a 64-bit column cannot hold. A range would print its 19 digits in every help text."""
    if value is not None and not -(2**63) <= value < 2**63:
        raise click.BadParameter(f"{value} is too large. Give a whole number from 0 to 2^63-1.", ctx, param)
    return value


def seed_option(help: str = "Random seed; another seed gives other items.") -> Callable[[F], F]:  # noqa: A002 - click's name
    return click.option("--seed", type=int, callback=_seed, default=0, show_default=True, help=help)


def limit_option(
    help: str,  # noqa: A002 - click's name
    *,
    least: int = 1,
    most: int | None = None,
    default: int | None = None,
) -> Callable[[F], F]:
    """`--limit`, and `--n`, which is the same."""
    return click.option("--limit", "--n", "n", type=Count(least, most), default=default, show_default=default is not None, help=help)


def model_option(help: str, *, required: bool = False) -> Callable[[F], F]:  # noqa: A002 - click's name
    return click.option(
        "--model", "name", required=required, shell_complete=models, help=f"{help}; with --base-url the name that the server uses."
    )


def base_url_option(*, several: bool = False) -> Callable[[F], F]:
    repeated = "; given several times, servers of one model that share the requests" if several else ""
    return click.option(
        "--base-url",
        multiple=several,
        default=() if several else "",
        help=f"An OpenAI-compatible server, such as http://localhost:8000/v1 (key: ISOVIST_API_KEY){repeated}.",
    )


def connections_option(default: int) -> Callable[[F], F]:
    return click.option(
        "--max-connections", "concurrency", type=click.IntRange(1, 10_000), default=default, show_default=True, help="Concurrent requests."
    )


def which_items(*, n: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The options that select items."""
    options = (
        limit_option(f"Items of each task [default: {n}].", least=0),
        seed_option(),
        click.option("--split", type=click.Choice(["test", "train"]), default="test", show_default=True),
        click.option("--level", default=None, help="Only this difficulty level; separate several with commas."),
        click.option(
            "--image-size",
            "size",
            type=int,
            default=None,
            metavar="PX",
            help="Pixels of a drawing's unit (docs/items.md), or of the shorter side of a 3-D scene.",
        ),
        click.option("--task-option", "task_options", multiple=True, metavar="NAME=VALUE", help="A task option, such as order=paper."),
        click.option("--preset", "sizes", type=click.Choice(["paper"]), default=None, help="Use the sample size of the paper."),
    )
    return lambda command: decorated(command, options)


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
    """The requested dataset parts, one for each task. Raises UserError."""
    from isovist.data.dataset.generation_request import requested

    named = dict(map(task_option, settings)) | ({"size": size} if size is not None else {})
    data_parts, without_split = requested(
        tasks, default=default, n=n, seed=seed, split=split, level=level, settings=named, sizes=sizes, style=style, renderer=renderer
    )
    for name in without_split:
        click.echo(f"Skipped {name}: the paper has no {split} split of this task.", err=True)
    return data_parts


def task_option(text: str) -> tuple[str, str]:
    """Name and value of a `--task-option`. Raises UserError."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UserError(f"Invalid --task-option: {text}. Write NAME=VALUE, such as order=paper.")
    return name, value


def style_option(default: str | None = None) -> Callable[[F], F]:
    """`--prompt-style`; `default` describes its default where that depends on other options."""
    from isovist.data.prompts import BUILT_IN, DEFAULT_STYLE, STYLES

    summaries = "; ".join(f"{name}: {BUILT_IN[name].summary if name in BUILT_IN else 'of a plug-in'}" for name in STYLES)
    return click.option(
        "--prompt-style",
        "style",
        type=click.Choice(list(STYLES)),
        default=None,
        help=f"Format of the requested response ({summaries}) [default: {default or DEFAULT_STYLE}].",
    )


def template_option() -> Callable[[F], F]:
    """`--prompt-template`, as a `PromptTemplate`."""

    def read(ctx: click.Context, param: click.Parameter, path: Path | None) -> PromptTemplate | None:
        del ctx, param
        if path is None:
            return None
        from isovist.data.prompt_template import read

        return read(path)

    return click.option(
        "--prompt-template",
        "template",
        type=click.Path(path_type=Path),
        callback=read,
        default=None,
        metavar="FILE",
        help="A Jinja template of the prompt with {{ question }} and {{ options }} (docs/running.md).",
    )


def shard_option(help: str) -> Callable[[F], F]:  # noqa: A002 - click's name
    """`--shard`, as a `Shard`."""

    def parse(ctx: click.Context, param: click.Parameter, text: str | None) -> Shard | None:
        del ctx, param
        return None if text is None else Shard.parse(text)

    return click.option("--shard", callback=parse, default=None, metavar="I/N", help=help)


def workers_option() -> Callable[[F], F]:
    return click.option("--workers", type=Count(min=1), default=_cores(), show_default="all cores", help="Number of processes.")


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


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1
