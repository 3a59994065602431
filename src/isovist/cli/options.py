"""Click options of the dataclasses of options, for a whole dataclass or for single fields with another help text; and `--verify`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from isovist.cli.completion import models
from isovist.cli.config_file import CountOrAuto, NumberOrNone, is_given
from isovist.common.options import LARGEST, Declared, declared
from isovist.common.progress import Progress
from isovist.evaluation.run_spec import SERVED, SERVER, RunSpec

if TYPE_CHECKING:
    from isovist.evaluation.run.verification import Verifier

F = TypeVar("F", bound=Callable[..., Any])

_COMPLETE = {"model": models}

verify_option = click.option(
    "--verify/--no-verify",
    default=True,
    show_default=True,
    help="Score the responses again and check the data, or trust the stored scores and data.",
)


class Count(click.IntRange):
    """A whole number. Help shows the smallest value alone; the largest is beyond any use."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        count = super().convert(value, param, ctx)
        if count > LARGEST:
            self.fail(f"{count} is too large. Give a whole number up to {LARGEST:,}.", param, ctx)
        return count


def options(*groups: type, **changes: Mapping[str, Any]) -> Callable[[F], F]:
    """The options of dataclasses, in the order of their fields. `changes`: by field, as in `option`."""
    every = [(group, name) for group in groups for name, each in declared(group).items() if not each.option.is_argument]

    def add(command: F) -> F:
        for group, name in reversed(every):
            command = option(group, name, **changes.get(name, {}))(command)
        return command

    return add


def option(group: type, name: str, **changes: Any) -> Callable[[F], F]:
    """The option of one field. `changes`: another `default`, `is_repeatable` or `words`, and other fields of its `Option`, such as `help`."""
    each = declared(group)[name]
    each = each._replace(**{field: changes.pop(field) for field in ("default", "is_repeatable", "words") if field in changes})
    each = each._replace(option=each.option._replace(**changes))
    about = each.option.help() if callable(each.option.help) else each.option.help or None
    if each.kind is bool:
        return click.option(*each.flags, name, is_flag=True, help=about)
    shown = each.default if each.option.shown is None else each.option.shown
    is_described = isinstance(shown, str) and each.kind is int  # such as "all cores"
    default: Any = each.option.default_here or (shown if isinstance(shown, str) and not is_described else each.default)
    given: dict[str, Any] = {} if default is None else {"default": default}  # click takes None for a value of a required option
    return click.option(
        *each.flags,
        name,
        type=_type(each),
        multiple=each.is_repeatable,
        required=each.option.required,
        **given,
        show_default=shown if is_described else not (shown is None or shown is False or shown in ("", ())),
        metavar=each.option.metavar,
        help=about,
        callback=partial(_checked, each) if each.kind in (int, float) else None,
        shell_complete=_COMPLETE.get(name),
    )


def model_option(about: str, *, required: bool = False) -> Callable[[F], F]:
    return option(RunSpec, "model", help=f"{about}; {SERVED}", required=required)


def server_option() -> Callable[[F], F]:
    """`--base-url` of one server."""
    return option(RunSpec, "base_url", help=f"{SERVER}.", is_repeatable=False, default="")


def secret_option(about: str) -> Callable[[F], F]:
    return option(RunSpec, "secret", help=f"{about} [default: the file in ISOVIST_SECRET].")


def values(ctx: click.Context, group: type) -> dict[str, Any]:
    """The values that the command line, the environment or a file set, by field, and the defaults that depend on the machine."""
    return {
        name: ctx.params[name]
        for name, each in declared(group).items()
        if name in ctx.params and ctx.params[name] != () and (each.option.default_here or is_given(ctx, name))
    }


def _checked(each: Declared, ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    if isinstance(value, float) and each.option.least is not None and not isfinite(value):
        raise click.BadParameter(f"{value} is not finite. Give a number from {each.option.least:g}.", ctx, param)
    if isinstance(value, int) and each.option.least is None and (advice := each.advice(value)):
        raise click.BadParameter(f"{value} is too large. {advice}", ctx, param)
    return value


def _type(each: Declared) -> Any:
    if choices := each.choices:
        return click.Choice(choices)
    least, most, above = each.option.least, each.option.most, each.option.above
    if each.kind is Path:
        return click.Path(path_type=Path)
    if each.kind is int and least is not None:
        return Count(int(least)) if most is None else (CountOrAuto if each.words else click.IntRange)(int(least), int(most))
    if each.kind is float and (least is not None or above is not None):
        numbers = NumberOrNone if each.option.can_be_none else click.FloatRange
        return numbers(least if above is None else above, most, min_open=above is not None)
    return each.kind if each.kind in (int, float) else str


def run_folders(ctx: click.Context, param: click.Parameter, value: Sequence[Path]) -> tuple[Path, ...]:
    """The run folders of an argument: a folder of runs stands for all runs in it, by name."""
    from isovist.evaluation.run.run_folder import RUN

    del ctx, param
    inside = {path: sorted(file.parent for file in path.glob(f"*/{RUN}")) for path in value if path.is_dir() and not (path / RUN).exists()}
    return tuple(chain.from_iterable(inside.get(path) or [path] for path in value))


@contextmanager
def verified(runs: Sequence[Path], *, verify: bool, workers: int) -> Generator[Verifier]:
    """A verifier for these runs, with a progress bar on a terminal."""
    from isovist.evaluation.run.records import RECORDS
    from isovist.evaluation.run.verification import Verifier

    size = sum(path.stat().st_size for run in runs if (path := run / RECORDS).is_file())
    with Progress(size, unit="byte", desc="scoring the responses again", leave=False, bar=verify) as progress:
        yield Verifier(verify, progress.update, workers)
