"""Shell completion of commands, options, tasks, models, suites and recipes."""

from __future__ import annotations

import json
import logging
import os
import shlex
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class

from isovist.common.errors import UserError

VARIABLE = "_ISOVIST_COMPLETE"


@add_completion_class
class _Bash(BashComplete):
    """Completion for Bash, which splits words at colons; click alone would complete the part after the last colon."""

    source_template = """\
%(complete_func)s() {
    local response type value
    COMPREPLY=()
    response=$(env ISOVIST_LINE="${COMP_LINE:0:COMP_POINT}" ISOVIST_WORD="$2" %(complete_var)s=bash_complete "$1")
    while IFS=',' read -r type value; do
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain) COMPREPLY+=("$value"); [[ $value == *[:/=] ]] && compopt -o nospace ;;
        esac
    done <<< "$response"
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        if "ISOVIST_LINE" not in os.environ:  # the script of another version of click
            return super().get_completion_args()
        words, _ = _split(os.environ["ISOVIST_LINE"])
        return words[1:-1], words[-1]

    def format_completion(self, item: CompletionItem[Any]) -> str:
        if item.type != "plain" or "ISOVIST_LINE" not in os.environ:
            return super().format_completion(item)
        value = str(item.value)
        words, quoted = _split(os.environ["ISOVIST_LINE"])
        typed, part = words[-1], os.environ.get("ISOVIST_WORD", "")
        typed = typed.partition("=")[2] if typed.startswith("--") and "=" in typed else typed
        if value.startswith(typed) and typed.endswith(part):
            value = value[len(typed) - len(part) :]  # bash inserts the part after the last colon
        return f"plain,{value if quoted else value.replace('*', chr(92) + '*')}"


def _split(line: str) -> tuple[list[str], bool]:
    """The words of a line, of which the last may be incomplete or empty, and whether a quotation is open."""
    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    words: list[str] = []
    try:
        words.extend(lexer)
    except ValueError:  # an open quotation
        return [*words, lexer.token or ""], not line.endswith("\\")
    if not words or line[-1:].isspace():
        words.append("")
    return words, False


def complete(cli: click.Command, instruction: str) -> int:
    """Print the completion script of a shell, or the completions of a line. Raises UserError for an unknown shell."""
    shell, _, wanted = instruction.partition("_")
    shell_class = get_completion_class(shell)
    if shell_class is None or wanted not in ("source", "complete"):
        raise UserError(f"Unknown shell: {VARIABLE}={instruction}. Use bash_source, zsh_source or fish_source.")
    completion = shell_class(cli, {}, "isovist", VARIABLE)
    if wanted == "source":
        click.echo(completion.source(), nl=False)
        return 0
    logging.disable()  # a warning would be printed into the line
    try:
        args, incomplete = completion.get_completion_args()
        items = completion.get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if shell != "bash" and equals and option.startswith("--"):  # zsh and fish replace the whole word
            items = [CompletionItem(f"{option}={item.value}", item.type, item.help) for item in items]
        click.echo("\n".join(map(completion.format_completion, items)))
    except (UserError, click.ClickException):
        return 1  # the line is invalid; the command itself prints the error
    return 0


def _fitting(values: Iterable[tuple[str, str]], incomplete: str) -> list[CompletionItem[str]]:
    return [CompletionItem(value, help=help_text or None) for value, help_text in values if value.startswith(incomplete)]


def _remembered(name: str, names: Callable[[], dict[str, str]]) -> dict[str, str]:
    """Names with their summaries, from a file in the user's cache folder: the import of all tasks takes most of a second."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "isovist"
    state = _state()
    with suppress(OSError, ValueError, LookupError, TypeError):
        stored = json.loads((folder / f"{name}.json").read_bytes())
        if stored["state"] == state:
            return stored["names"]
    summaries = names()
    with suppress(OSError):  # a read-only home
        from isovist.common.atomic_write import write_atomically

        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / f"{name}.json", json.dumps({"state": state, "names": summaries}))
    return summaries


def _state() -> str:
    """A hash of the modules of Isovist and of plug-ins, by path and time of change, and of the entry points."""
    from importlib.metadata import version
    from importlib.util import find_spec

    from isovist.common import plug_ins

    installed = [plug_in for group in (plug_ins.TASKS, plug_ins.MODELS) for plug_in in plug_ins.installed(group)]
    entries = [version("isovist"), *(f"{p.group} {p.name} {p.point.value} {p.release}" for p in installed)]
    for module in ("isovist", *{p.point.module.partition(".")[0] for p in installed}):
        if spec := find_spec(module):
            for place in spec.submodule_search_locations or [spec.origin or ""]:
                entries += sorted(_times(place))
    return sha256("\n".join(entries).encode(errors="replace")).hexdigest()


def _times(place: str) -> Iterable[str]:
    """Each module at or below a path with its time of change."""
    if not os.path.isdir(place):  # noqa: PTH112 - Path is slower
        with suppress(OSError):
            yield f"{place} {os.stat(place).st_mtime_ns}"  # noqa: PTH116
        return
    for entry in os.scandir(place):
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                yield from _times(entry.path)
        elif entry.name.endswith(".py"):
            yield f"{entry.path} {entry.stat().st_mtime_ns}"


def _summaries() -> dict[str, str]:
    from isovist.suites import registry

    return {id: task.summary for id, task in registry.tasks().items()}


def tasks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Task ids with their summaries, and a glob for each suite; after a dataset folder, the tasks of its manifest."""
    folder = ctx.params.get("data") or ctx.params.get("folder")
    if folder is None and isinstance(param, click.Option) and ctx.args:
        folder = Path(ctx.args[0])  # click parses no arguments before the last option has its value
    if isinstance(folder, Path):
        from isovist.data.dataset.manifest import Manifest

        summaries = {part.task: "" for part in Manifest.read(folder, names_only=True).parts}
    else:
        summaries = _remembered("tasks", _summaries)
    globs = {f"{id.partition('/')[0]}/*": "" for id in summaries}
    return _fitting([*globs.items(), *summaries.items()], incomplete)


def one_task(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Task ids without globs."""
    return [item for item in tasks(ctx, param, incomplete) if not item.value.endswith("*")]


def models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The simulated models, the built-in test model, and prefixes of other names, also of plug-ins."""
    del ctx, param
    return _fitting(_remembered("models", _models).items(), incomplete)


def _models() -> dict[str, str]:
    from isovist.cli.models import ROUTES
    from isovist.common import plug_ins
    from isovist.evaluation.models.baselines.simulated_models import names
    from isovist.evaluation.models.plug_in_models import RESERVED

    added = {f"{p.name}/": f"of {p.release}" for p in plug_ins.installed(plug_ins.MODELS) if p.name not in RESERVED}
    reached = {route.form.removesuffix("MODEL"): route.reaches for route in ROUTES if " " not in route.form}
    return {**names(), **reached, **added}


def suites(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The suites with published result tables."""
    del ctx, param
    from isovist.data import reference

    return _fitting([(name, "") for name in reference.suites()], incomplete)


def recipes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The built-in recipes, or a file."""
    del ctx, param
    from isovist.training.recipe import shipped

    return _fitting([(name, "") for name in shipped()], incomplete) or [CompletionItem(incomplete, type="file")]
