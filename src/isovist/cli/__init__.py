"""The command line: `isovist COMMAND`. Exit codes: 0 done, 1 a check failed, 2 bad input, 130 interrupted."""

from __future__ import annotations

import importlib
import keyword
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from isovist.cli.command_groups import SuggestingGroup
from isovist.errors import CheckFailed, UserError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_COMMANDS = {
    "list": "List tasks.",
    "show": "Show one item: image, prompt, and key.",
    "generate": "Generate items as a data folder in the Hugging Face layout.",
    "import": "Import a published test set, annotated photographs, or another tool's replies.",
    "export": "Export data for trainers and other evaluation tools.",
    "panoramas": "Generate items from your own equirectangular photographs.",
    "street-views": "Download views from a street-view service or of scanned buildings.",
    "draft-questions": "Draft questions about such views with a model, for people to check.",
    "text-to-image": "Generate questions about pictures of a text-to-image model.",
    "mix": "Build training examples from a recipe.",
    "verify": "Regenerate every row of a data folder and compare.",
    "run": "Evaluate a model and record its replies.",
    "rescore": "Score recorded replies again.",
    "annotate": "Serve a local page on which people answer, check, or sort.",
    "study": "Run a study with human participants.",
    "compare": "Compare models on the same items with paired tests.",
    "report": "Write a report with tables and figures as one HTML file.",
    "leaderboard": "Rank models on common items, beside the published results.",
    "gallery": "Write a page with samples of every task.",
    "published-results": "Print the published result tables.",
    "train": "Fine-tune a model and evaluate it before and after.",
    "audit": "Test tasks for answer leakage and wrong keys.",
    "meshes": "Check a folder of your own meshes.",
    "new-task": "Create a task from a template.",
}


def _marked(command: click.Command) -> click.Command:
    """Docstrings are raw, so that their mark against filling a paragraph is two characters; click knows the one."""
    command.help = (command.help or "").replace("\\b\n", "\b\n")
    if isinstance(command, click.Group) and not isinstance(command, _Lazy):
        for step in command.commands.values():
            _marked(step)
    return command


class _Lazy(SuggestingGroup):
    """Imports the module of a command when the command is used: help stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return [*_COMMANDS]  # `list` is a module of this package once the command is loaded

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module = cmd_name.replace("-", "_")
        module += "_" * keyword.iskeyword(module)
        command: click.Command = importlib.import_module(f"isovist.cli.{module}").command
        return _marked(command)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The commands, without importing them."""
        from click.shell_completion import CompletionItem

        named = [CompletionItem(name, help=summary) for name, summary in _COMMANDS.items() if name.startswith(incomplete)]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([*_COMMANDS.items()])


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"isovist {version('isovist')}")
        ctx.exit()


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version and exit.")
def cli() -> None:
    r"""Generate fresh spatial-perception tests for vision-language models, evaluate any model on them, and report the results.

    \b
    Try it without a network:
      isovist run 'cdr/*' --model simulated/pixel-solver --n 40 --out runs/pixel-solver
      isovist report runs/pixel-solver --out report
    """


_marked(cli)


def _called() -> int:
    """Like `cli.main`, which turns a pipe that nobody reads into exit code 1."""
    if instruction := os.environ.get("_ISOVIST_COMPLETE"):
        from isovist.cli.completion import complete

        return complete(cli, instruction)
    try:
        with cli.make_context("isovist", sys.argv[1:]) as context:
            cli.invoke(context)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    return 0


def _terminated(*_: object) -> None:
    """A service manager or a scheduler wants a command to end: it stops as after Ctrl-C and cleans up, also where that is ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def main() -> None:
    """Runs the command line; every fault that a user can mend ends in one line and exit code 2."""
    signal.signal(signal.SIGTERM, _terminated)
    try:
        code = _called()
    except UserError as error:
        code = _end(str(error))
    except CheckFailed as error:
        code = max(_end(line, 1) for line in error.lines)
    except (click.exceptions.Abort, KeyboardInterrupt):
        code = _end("interrupted; the same command goes on where it stopped.", 130)
    except click.exceptions.NoArgsIsHelpError as error:
        with suppress(BrokenPipeError):
            error.show()
        code = 2
    except click.ClickException as error:
        code = _end(error.format_message())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        code = _end(f"{where}{error.strerror or error}.")
    sys.exit(code or 0)


def _end(message: str, code: int = 2) -> int:
    with suppress(BrokenPipeError):  # nobody reads it any more
        click.echo(f"isovist: {' '.join(message.split())}", err=True)
    return code
