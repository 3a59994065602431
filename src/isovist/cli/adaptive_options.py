"""The options of `isovist run` for adaptive testing."""

from __future__ import annotations

from collections.abc import Callable

import click

from isovist.cli.item_options import Count, decorated

_OPTIONS = (
    click.option("--adaptive", is_flag=True, help="Adaptive testing: choose each problem size from the responses so far."),
    click.option(
        "--ci-half-width",
        type=float,
        default=None,
        metavar="SIZES",
        help="Adaptive: target half-width of the 95% CI of the size threshold  [default: 1.0].",
    ),
    click.option(
        "--max-items",
        type=Count(min=10),
        default=None,
        help="Adaptive: item limit of each task  [default: 80, or 100 if chance is above 25%].",
    ),
)


def adaptive_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options."""
    return decorated(command, _OPTIONS)
