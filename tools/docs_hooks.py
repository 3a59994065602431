"""Hooks of MkDocs: the help of every command, as click prints it, ends the page of commands; the page of the Python API has a table of the
arguments of `evaluate`; the first page links to the gallery, if built."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from isovist.cli import cli
from isovist.common.options import arguments
from isovist.evaluation.run_spec import RunSpec

GALLERY = "gallery/index.html"
COLUMNS = 80


def reference(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[str]:
    """The help of a command under its name, then that of its subcommands."""
    width: dict[str, Any] = command.context_settings | {"terminal_width": COLUMNS, "max_content_width": COLUMNS}
    context = click.Context(command, info_name=name, parent=parent, **width)
    yield f"{f'### {context.command_path}' if parent else ''}\n\n```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for subcommand in command.list_commands(context):
            yield from reference(command.get_command(context, subcommand) or command, subcommand, context)


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """The Markdown of a page with its generated part."""
    match page.file.src_uri:
        case "commands.md":
            return "\n\n".join([markdown, *reference(cli, "isovist")])
        case "python-api.md":
            code = '<code style="white-space: nowrap">'
            lines = (
                f"| {code}{name}</code> | <code>{kind.replace('|', '&#124;')}</code> | {about} |"
                for name, kind, about in arguments(RunSpec)
            )
            rows = "\n".join(lines)
            return markdown.replace("(arguments of evaluate)", f"| argument | type | |\n|---|---|---|\n{rows}")
        case "index.md" if (Path(config["docs_dir"]) / GALLERY).is_file():
            return f"{markdown}\n\n[Gallery]({GALLERY}): samples of every task.\n"
        case _:
            return markdown
