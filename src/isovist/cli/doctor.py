"""`isovist doctor`."""

from __future__ import annotations

import asyncio
import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING

import click

from isovist.cli.options import model_option, option
from isovist.common.errors import UserError
from isovist.evaluation.run_spec import RequestOptions

if TYPE_CHECKING:
    from isovist.evaluation.models import GenerationConfig

_SPACE_GB = 1  # less disk space is too little for most datasets and runs


@click.command()
@model_option("Check this model with three requests")
@option(RequestOptions, "base_url")
@option(RequestOptions, "max_tokens", help="Token limit of a response [default: as in `isovist run`].")
@option(RequestOptions, "temperature")
@option(RequestOptions, "timeout", default=30, help="Seconds for all requests to a server.")
def command(model: str | None, base_url: tuple[str, ...], max_tokens: int | None, temperature: float | None, timeout: int) -> None:
    r"""Check the installation, or a model with three requests: a text, one image, and several images whose order matters.

    Each line states what was found and what to do. The exit code is 1 if a check failed. A missing extra is no failure.

    \b
    Example: isovist doctor --model qwen --base-url http://localhost:8000/v1
             isovist doctor
    """
    if model is None:
        if base_url:
            raise UserError("Option without --model: --base-url. Add --model with the name that the server uses.")
        lines = _installation()
    else:
        from isovist.evaluation.models.base import AS_ALLOWED, GenerationConfig

        options = GenerationConfig(base_url, temperature, max_tokens or AS_ALLOWED, concurrency=1, timeout_s=timeout)
        lines = _endpoints(model, options) if len(base_url) > 1 else _model(model, options)
    failed = False
    for state, subject, description in lines:
        click.echo(f"{state:<7}  {subject}: {description}")
        failed |= state == "failed"
    sys.exit(1 if failed else 0)


def _endpoints(name: str, options: GenerationConfig) -> Iterator[tuple[str, str, str]]:
    """The checks of each endpoint by itself, all at once. Raises UserError if they serve different models."""
    from isovist.evaluation.models import model

    start = time.monotonic()
    model(name, options)
    options = replace(options, timeout_s=max(1, options.timeout_s - round(time.monotonic() - start)))

    def lines(url: str) -> list[tuple[str, str, str]]:
        try:
            checks = _model(name, replace(options, base_url=url))
            return [(state, f"{url}, {subject}", description) for state, subject, description in checks]
        except UserError as error:
            return [("failed", url, str(error))]

    with ThreadPoolExecutor(len(options.base_urls)) as threads:
        for of_one in threads.map(lines, options.base_urls):
            yield from of_one


def _model(name: str, options: GenerationConfig) -> Iterator[tuple[str, str, str]]:
    from isovist.evaluation.models import GenerationConfig, SimulatedModel, model
    from isovist.evaluation.models.embedded import Embedded
    from isovist.evaluation.models.local import PREFIX
    from isovist.evaluation.models.model_check import check

    start = time.monotonic()
    if name.startswith(PREFIX) and not options.base_url:  # weights on disk may need minutes
        options = replace(options, timeout_s=max(options.timeout_s, GenerationConfig().timeout_s))
    checked = model(name, options)
    if isinstance(checked, SimulatedModel):
        raise UserError(f"Simulated model: {name}. It answers from the items of Isovist and reads no prompt. Name another model.")
    if isinstance(checked, Embedded):
        raise UserError(f"Built-in test model: {name}. It answers only items of Isovist. Name another model.")
    for result in asyncio.run(check(checked, options, start)):
        yield "ok" if result.passed else "failed", result.name, result.description


def _installation() -> Iterator[tuple[str, str, str]]:
    from isovist.cli.plug_in_contents import contents
    from isovist.common.installation import install_command

    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    yield "ok", "isovist", f"{version('isovist')}, Python {platform.python_version()}, {system}"
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    enough = free >= _SPACE_GB
    yield "ok" if enough else "failed", "disk", f"{free:.1f} GB free in {Path.cwd()}{'' if enough else '. Free some space.'}"
    yield _renderer()
    extras: dict[str, list[str]] = {}
    for line in requires("isovist") or ():
        if match := re.match(r"([\w.-]+).*;.*extra\s*==\s*['\"]([\w-]+)['\"]", line):
            extras.setdefault(match[2], []).append(match[1])
    for extra, packages in sorted(extras.items()):
        lacking = [package for package in packages if not _installed(package)]
        if lacking:
            yield "missing", f"extra {extra}", f"{', '.join(lacking)}. Run `{install_command(extra)}`."
        else:
            yield "ok", f"extra {extra}", ", ".join(f"{package} {version(package)}" for package in packages)
    for plug_in, adds, error in contents():
        yield "failed" if error else "ok", f"plug-in {plug_in.release}", error or adds


def _renderer() -> tuple[str, str, str]:
    """Whether text and shapes are drawn."""
    try:
        from isovist.core.drawing2d import Drawing, Label
        from isovist.world.render.rasterizer2d import render

        drawn = render(Drawing((Label("A", (0.5, 0.5), 0.5),)), 64)
    except Exception as error:  # noqa: BLE001 - a broken installation may raise any exception
        return "failed", "2-D renderer", f"{type(error).__name__}: {error}. Install Isovist again."
    fine = bool(drawn.min() < 64 and drawn.max() == 255)
    return "ok" if fine else "failed", "2-D renderer", f"aggdraw {version('aggdraw')}{'' if fine else ' draws nothing. Install it again.'}"


def _installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
