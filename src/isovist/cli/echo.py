"""Lines that several commands print."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import click

from isovist.common.progress import QUIET

if TYPE_CHECKING:
    from isovist.people.annotate.agreement import Agreement


json_option = click.option("--json", "as_json", is_flag=True, help="Print the results as JSON; other lines go to stderr.")


_LEVELS = ("debug", "info", "warning", "error")


def output_options(command: Callable[..., None]) -> Callable[..., None]:
    """`--quiet` and `--log-level`, which the command does not receive."""

    def be_quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        del param
        ctx.meta[QUIET] = value

    def log(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        del ctx, param
        if value is not None:
            _log_to_stderr(value)

    log_level = click.option(
        "--log-level",
        type=click.Choice(_LEVELS, case_sensitive=False),
        callback=log,
        expose_value=False,
        help="Print log messages of the libraries from this level on stderr, such as each request with info.",
    )
    quiet = click.option(
        "-q", "--quiet", is_flag=True, callback=be_quiet, expose_value=False, help="Print results, warnings and errors only: no progress."
    )
    return log_level(quiet(command))


def _log_to_stderr(level: str) -> None:
    import logging

    from isovist.evaluation.models.request_errors import without_keys

    class Redacting(logging.Formatter):
        """Libraries may log the headers or the address of a request."""

        def format(self, record: logging.LogRecord) -> str:
            return without_keys(super().format(record))

    handler = logging.StreamHandler()
    handler.setFormatter(Redacting("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def note(text: str) -> None:
    """A line on stderr that `--quiet` omits."""
    if not is_quiet():
        click.echo(text, err=True)


def is_quiet() -> bool:
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(QUIET))


def as_json(results: object) -> None:
    click.echo(json.dumps(results, indent=1, ensure_ascii=False))


def counts_by_name(counts: Mapping[str, int]) -> None:
    """One line for each name, sorted, with its count first."""
    for name, count in sorted(counts.items()):
        click.echo(f"{count:>7}  {name}")


def warnings(sentences: Iterable[tuple[int, str]]) -> None:
    """On stderr, each count that is not 0 with its sentence."""
    for count, sentence in sentences:
        if count:
            click.echo(f"{count} {sentence}", err=True)


def agreements(agreed: Iterable[Agreement], noun: str) -> None:
    """Krippendorff's alpha of each part of an annotation job; `noun` is what was annotated."""
    for part in agreed:
        alpha = f"{part.alpha.estimate:.3f} [{part.alpha.low:.3f}, {part.alpha.high:.3f}]" if part.alpha else "not defined"
        click.echo(f"Krippendorff's alpha ({part.part or 'all'}): {alpha}, {part.cards} {noun} with two answers or more")
