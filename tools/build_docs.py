"""Build the documentation with Zensical, in site/. It reads the pages from build/docs, where this puts those of docs/ and what is generated: the
help of every command, as click prints it, ends the page of commands; the page of the Python API has a table of the arguments of `evaluate`; the
first page links to the gallery, if built; notebooks are run, and are pages with their outputs, except those that need PyTorch, which this build
does not install. An error in a cell or a broken link between pages ends the build with exit code 1."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from isovist.cli import cli
from isovist.common.options import arguments
from isovist.evaluation.run_spec import RunSpec

ROOT = Path(__file__).parents[1]
DOCS, PAGES = ROOT / "docs", ROOT / "build" / "docs"
COLUMNS = 80


def reference(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[str]:
    """The help of a command under its name, then that of its subcommands."""
    width: dict[str, Any] = {**command.context_settings, "terminal_width": COLUMNS, "max_content_width": COLUMNS}
    context = click.Context(command, info_name=name, parent=parent, **width)
    yield f"{f'### {context.command_path}' if parent else ''}\n\n```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for subcommand in command.list_commands(context):
            yield from reference(command.get_command(context, subcommand) or command, subcommand, context)


def with_generated(name: str, markdown: str) -> str:
    """The Markdown of a page with its generated part."""
    match name:
        case "commands.md":
            return "\n\n".join([markdown, *reference(cli, "isovist")])
        case "python-api.md":
            code = '<code style="white-space: nowrap">'
            lines = (
                f"| {code}{argument}</code> | <code>{kind.replace('|', '&#124;')}</code> | {about} |"
                for argument, kind, about in arguments(RunSpec)
            )
            rows = "\n".join(lines)
            return markdown.replace("(arguments of evaluate)", f"| argument | type | |\n|---|---|---|\n{rows}")
        case "index.md" if (DOCS / "gallery" / "index.html").is_file():
            return f"{markdown}\n\n[Gallery](gallery/index.html): samples of every task.\n"
        case _:
            return markdown


def run(module: str, *args: str) -> None:
    """Run a module of Python; its failure is ours."""
    if code := subprocess.run([sys.executable, "-m", module, *args], cwd=ROOT, check=False).returncode:
        sys.exit(code)


def main() -> None:
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(DOCS, PAGES, ignore=shutil.ignore_patterns("*.ipynb"))
    notebooks = sorted(DOCS.glob("notebooks/*.ipynb"))
    training = [path for path in notebooks if "import torch" in path.read_text(encoding="utf-8")]
    for options, paths in ((["--execute"], [path for path in notebooks if path not in training]), ([], training)):
        convert = ["--log-level=ERROR", "--to=markdown", f"--output-dir={PAGES / 'notebooks'}", *options]
        run("nbconvert", *convert, *map(str, paths))
    for page in PAGES.rglob("*.md"):
        markdown = with_generated(page.name, page.read_text(encoding="utf-8")).replace(".ipynb)", ".md)")
        # outputs of notebooks: the theme styles tables without a class, and prompts would be as wide as their lines
        markdown = re.sub(r"<table [^>]*dataframe[^>]*>", "<table>", markdown).replace("<pre>", '<pre style="white-space: pre-wrap">')
        page.write_text(markdown, encoding="utf-8")
    run("zensical", "build", "--clean", "--strict")


if __name__ == "__main__":
    main()
