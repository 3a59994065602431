"""The command line: `isovist COMMAND`. Exit codes: 0 done, 1 a check failed, 2 bad input, 130 interrupted."""

from __future__ import annotations

import difflib
import importlib
import keyword
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from isovist.common.errors import CheckFailed, UserError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_COMMANDS = {
    "list": "List tasks.",
    "show": "Show one item: image, prompt, and key.",
    "generate": "Generate items as a dataset in Hugging Face layout.",
    "import": "Import a published benchmark, annotated photos, or predictions.",
    "export": "Export data for trainers and evaluation tools.",
    "panoramas": "Generate items from your own equirectangular photos.",
    "street-views": "Download views from a street-view service or a Habitat-Sim scene.",
    "draft-questions": "Draft questions about views with a model for human review.",
    "text-to-image": "Generate items from text-to-image models.",
    "mix": "Build a training mixture from a recipe.",
    "verify": "Regenerate every row of a dataset and compare.",
    "release": "Show or generate a release, with private seeds.",
    "models": "List the ways to reach a model, and the simulated models.",
    "run": "Evaluate a model and record its responses.",
    "merge": "Merge the shards of a run.",
    "rescore": "Score recorded responses again.",
    "annotate": "Serve a local annotation page.",
    "study": "Run a study with human participants.",
    "compare": "Compare models on the same items with paired tests.",
    "report": "Write an HTML report with tables and figures.",
    "leaderboard": "Rank models on common items.",
    "contamination": "Compare a model on items of a public and a private seed.",
    "submit": "Pack a run for a leaderboard, and check such files.",
    "gallery": "Write a page with samples of every task.",
    "published-results": "Print the result tables of a paper.",
    "train": "Fine-tune a model and evaluate it before and after.",
    "audit": "Test tasks for answer leakage and incorrect keys.",
    "meshes": "Check a folder of custom meshes.",
    "new-task": "Create a task from a template.",
    "doctor": "Check the installation, or a model with three requests.",
}


class SuggestingGroup(click.Group):
    """A group that reports an unknown command in one line, with the nearest command or all of them."""

    noun = "command"

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in names:
            nearest = difflib.get_close_matches(args[0], names, n=1)
            hint = f"Did you mean {nearest[0]}?" if nearest else f"Choose one of {', '.join(names)}."
            raise click.UsageError(f"Unknown {self.noun}: {args[0]}. {hint}")
        return super().resolve_command(ctx, args)


def _unescaped(command: click.Command) -> click.Command:
    """The command with click's mark against paragraph filling: docstrings are raw and hold it as two characters."""
    command.help = (command.help or "").replace("\\b\n", "\b\n")
    if isinstance(command, click.Group) and not isinstance(command, _Lazy):
        for subcommand in command.commands.values():
            _unescaped(subcommand)
    return command


class _Lazy(SuggestingGroup):
    """A group that imports the module of a command on use, so that help stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return [*_COMMANDS]  # not list(): importing the command `list` binds that name in this package

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module = cmd_name.replace("-", "_")
        module += "_" * keyword.iskeyword(module)
        command: click.Command = importlib.import_module(f"isovist.cli.{module}").command
        return _unescaped(command)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The names of the commands; no command is imported."""
        from click.shell_completion import CompletionItem

        items = [CompletionItem(name, help=summary) for name, summary in _COMMANDS.items() if name.startswith(incomplete)]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

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
    r"""Generate spatial-perception benchmarks for vision-language models, evaluate any model on them, and report the results.

    \b
    Example without a network:
      isovist run 'cdr/*' --model simulated/pixel-solver --n 40 --out runs/pixel-solver
      isovist report runs/pixel-solver --out report
    """


_unescaped(cli)


def _invoke() -> int:
    """Run the command and return its exit code. Unlike `cli.main`, it lets BrokenPipeError through."""
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
    """Handle SIGTERM of a service manager or scheduler as Ctrl-C, also where SIGINT is ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def main() -> None:
    """Run the command line. Each error that a user can fix ends in one line and exit code 2."""
    signal.signal(signal.SIGTERM, _terminated)
    try:
        code = _invoke()
    except UserError as error:
        code = _end(str(error))
    except CheckFailed as error:
        code = max(_end(line, 1) for line in error.lines)
    except (click.exceptions.Abort, KeyboardInterrupt):
        code = _end("interrupted. Run the same command again to resume.", 130)
    except click.exceptions.NoArgsIsHelpError as error:
        with suppress(BrokenPipeError):
            error.show()
        code = 2
    except click.ClickException as error:
        code = _end(_usage(error))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        file = f": {error.filename}" if error.filename else ""
        code = _end(f"{error.strerror or error}{file}.")
    sys.exit(code or 0)


def _usage(error: click.ClickException) -> str:
    """The message of an error, with the environment variable that holds the invalid value."""
    message = error.format_message()
    if not (isinstance(error, click.BadParameter) and error.ctx and error.param and error.param.name):
        return message
    if error.ctx.get_parameter_source(error.param.name) is click.core.ParameterSource.ENVIRONMENT:
        return f"{message.rstrip('.')}. The value is from the environment variable {error.param.envvar}."
    return message


def _end(message: str, code: int = 2) -> int:
    with suppress(BrokenPipeError):  # the reader of the pipe has ended
        shown = "".join(
            letter if letter.isprintable() else "\ufffd" for letter in " ".join(message.split())
        )  # names of files may have escapes
        click.echo(f"isovist: {shown}", err=True)
    return code
