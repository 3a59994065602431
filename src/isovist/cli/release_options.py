"""Options that name a release, its form and its secret file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

_VARIABLE = "ISOVIST_SECRET"  # `private_seeds.VARIABLE`, whose module imports too much for a fast completion

F = TypeVar("F", bound=Callable[..., Any])


def form_option(help: str, *, default: str | None = "short") -> Callable[[F], F]:  # noqa: A002 - click's name
    return click.option("--form", type=click.Choice(["short", "full"]), default=default, show_default=default is not None, help=help)


def secret_option(help: str) -> Callable[[F], F]:  # noqa: A002 - click's name
    """`--secret`; its default is the file that the environment names."""
    return click.option(
        "--secret",
        type=click.Path(path_type=Path),
        default=lambda: os.environ.get(_VARIABLE) or None,
        metavar="FILE",
        help=f"{help} [default: the file in {_VARIABLE}].",
    )
