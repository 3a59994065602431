"""The command line: `isovist COMMAND`. Exit codes: 0 done, 1 a check failed, 2 bad input, 130 interrupted."""

from __future__ import annotations

import importlib
import keyword
import os
import signal
import sys

import click

from isovist.errors import BadInput

_COMMANDS = {
    "list": "the tasks there are",
    "show": "one item, with its picture, prompt and key",
    "generate": "items as a data folder that other tools load",
    "import": "a published test set, downloaded by you, as a data folder",
    "export": "data in the forms that trainers and other evaluation tools load",
    "panoramas": "items about equirectangular photographs of your own, as a data folder",
    "views": "views all around a spot, from a street-view service or from scanned buildings",
    "write-questions": "questions about such views: drafted by a model, answered by people",
    "paint": "questions about generated pictures: described and drawn by models, sorted by people",
    "mix": "training examples by a recipe: bare answers, reasoning, and general data of yours",
    "verify": "make every row of a data folder again and compare",
    "run": "ask a model, and write down what it says",
    "rescore": "score the replies of a run again",
    "annotate": "a local page on which people answer items, check questions or sort pictures",
    "study": "people take the test, and their answers become runs",
    "compare": "which of several models is better on the same items, beyond noise",
    "report": "what a model can and cannot see, as one HTML file with tables",
    "leaderboard": "many models in order on common items, beside the published rows",
    "gallery": "a page of every task with samples",
    "reference": "the published result tables",
    "train": "fine-tune a model, and measure it before and after",
    "audit": "what can be guessed from a task's words or from cheap features of its pictures",
    "meshes": "check a folder of meshes of your own",
    "new-task": "start a task of your own from a template",
}


def _marked(command: click.Command) -> click.Command:
    """Docstrings are raw, so that their mark against filling a paragraph is two characters; click knows the one."""
    command.help = (command.help or "").replace("\\b\n", "\b\n")
    if isinstance(command, click.Group) and not isinstance(command, _Lazy):
        for step in command.commands.values():
            _marked(step)
    return command


class _Lazy(click.Group):
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([*_COMMANDS.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            import difflib

            near = difflib.get_close_matches(args[0], _COMMANDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(_COMMANDS)}."
            raise click.UsageError(f"no command is called {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"isovist {version('isovist')}")
        ctx.exit()


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="The version, and nothing else.")
def cli() -> None:
    r"""Fresh spatial-perception tests for vision-language models.

    \b
    Try it without a network:
      isovist run 'cdr/*' --model fake/observer --n 40 --out runs/observer
      isovist report runs/observer --out report
    """


_marked(cli)


def _called() -> int:
    """Like `cli.main`, which turns a pipe that nobody reads into exit code 1."""
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
    except BadInput as error:
        code = _fault(str(error))
    except (click.exceptions.Abort, KeyboardInterrupt):
        print("isovist: interrupted; the same command goes on where it stopped.", file=sys.stderr)
        code = 130
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = 2
    except click.ClickException as error:
        code = _fault(error.format_message())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        code = _fault(f"{where}{error.strerror or error}.")
    sys.exit(code or 0)


def _fault(told: str) -> int:
    print(f"isovist: {' '.join(told.split())}", file=sys.stderr)
    return 2
