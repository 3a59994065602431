"""Shell completion: what a shell asks for while a command is typed, and the names that fit."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class

from isovist.errors import UserError

VARIABLE = "_ISOVIST_COMPLETE"
_SERVED = ("openai/", "anthropic/", "google/", "vllm/", "ollama/", "hf/", "embedded/tiny")


@add_completion_class
class _Bash(BashComplete):
    """Bash splits words at colons, which names of models have: click completes only what stands after the last one."""

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
        if "ISOVIST_LINE" not in os.environ:  # a script that click wrote
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
            value = value[len(typed) - len(part) :]  # bash puts in what stands after the last colon
        return f"plain,{value if quoted else value.replace('*', chr(92) + '*')}"


def _split(line: str) -> tuple[list[str], bool]:
    """The words of a line, the last one being typed and perhaps empty, and whether a quotation is open there."""
    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    words: list[str] = []
    try:
        words.extend(lexer)
    except ValueError:  # a quotation that does not end yet
        return [*words, lexer.token or ""], not line.endswith("\\")
    if not words or line[-1:].isspace():
        words.append("")
    return words, False


def complete(cli: click.Command, instruction: str) -> int:
    """Answer a shell: print its script, or what fits. Raises UserError for a shell that is not known."""
    shell, _, wanted = instruction.partition("_")
    shell_class = get_completion_class(shell)
    if shell_class is None or wanted not in ("source", "complete"):
        raise UserError(f"{VARIABLE}={instruction}: unknown shell. Use bash_source, zsh_source or fish_source.")
    completion = shell_class(cli, {}, "isovist", VARIABLE)
    if wanted == "source":
        click.echo(completion.source(), nl=False)
        return 0
    try:
        args, incomplete = completion.get_completion_args()
        items = completion.get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if shell != "bash" and equals and option.startswith("--"):  # these shells replace the whole word
            items = [CompletionItem(f"{option}={item.value}", item.type, item.help) for item in items]
        click.echo("\n".join(map(completion.format_completion, items)))
    except (UserError, click.ClickException):
        return 1  # what was typed so far does not fit; the command itself says why
    return 0


def _fitting(values: Iterable[tuple[str, str]], incomplete: str) -> list[CompletionItem[str]]:
    return [CompletionItem(value, help=help_text or None) for value, help_text in values if value.startswith(incomplete)]


def tasks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Task ids with what they ask, and a glob for each suite; where a data folder is named, the tasks that it holds."""
    folder = ctx.params.get("data") or ctx.params.get("folder")
    if folder is None and isinstance(param, click.Option) and ctx.args:
        folder = Path(ctx.args[0])  # click reads no arguments where the last option still lacks its value
    if isinstance(folder, Path):
        from isovist.dataset.manifest import Manifest

        known = {part.task: "" for part in Manifest.read(folder).parts}
    else:
        from isovist import registry

        known = {id: task.summary for id, task in registry.tasks().items()}
    globs = {f"{id.partition('/')[0]}/*": "" for id in known}
    return _fitting([*globs.items(), *known.items()], incomplete)


def one_task(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """As `tasks`, without globs."""
    return [item for item in tasks(ctx, param, incomplete) if not item.value.endswith("*")]


def models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The simulated models, the one that is included, and beginnings of the names of others."""
    del ctx, param
    from isovist.models.baselines.simulated_models import names

    return _fitting([*names().items(), *((name, "") for name in _SERVED)], incomplete)


def suites(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The suites whose papers' tables are there."""
    del ctx, param
    from isovist import reference

    return _fitting([(name, "") for name in reference.suites()], incomplete)


def recipes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The recipes of mixes, or a file."""
    del ctx, param
    from isovist.training.recipe import shipped

    return _fitting([(name, "") for name in shipped()], incomplete) or [CompletionItem(incomplete, type="file")]
