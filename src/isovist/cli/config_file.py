"""Options of a command from a TOML file or from environment variables.

Keys are the long names of the options with underscores, as in `isovist.evaluate`. An option of the command line overrides its environment
variable, which overrides the file. Paths in a file are relative to its folder.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from isovist.common.errors import UserError

_SUFFIX = ".toml"


class NumberOrNone(click.FloatRange):
    """A number, or `none`, which is None."""

    word = "none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return None if str(value).strip().casefold() == self.word else super().convert(value, param, ctx)


class CountOrAuto(click.IntRange):
    """A whole number, or `auto`."""

    word = "auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self.word if str(value).strip().casefold() == self.word else super().convert(value, param, ctx)


def configurable(prefix: str) -> Callable[[click.Command], click.Command]:
    """Each option can be set by an environment variable: `prefix`, an underscore and its key in capitals."""

    def changed(command: click.Command) -> click.Command:
        for key, option in _options(command).items():
            option.envvar = f"{prefix}_{key.upper()}"
        return command

    return changed


def _options(command: click.Command) -> dict[str, click.Option]:
    """The options by key; of several long names, that of the argument of `isovist.evaluate`."""
    return {_keys(option)[0]: option for option in command.params if isinstance(option, click.Option)}


def _keys(option: click.Option) -> list[str]:
    """The keys of an option: its long names."""
    keys = [name.removeprefix("--").replace("-", "_") for name in option.opts if name.startswith("--")]
    return sorted(keys, key=lambda key: key != option.name)


def is_given(ctx: click.Context, name: str) -> bool:
    """Whether the parameter was set by the command line, by an environment variable or by a file."""
    return ctx.get_parameter_source(name) not in (None, ParameterSource.DEFAULT)


def tasks_or_config(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """The tasks; a name that ends with .toml is a file with options. For a click argument, which must be eager."""
    del param
    _check_environment(ctx)
    files = [name for name in value if name.endswith(_SUFFIX)]
    if not files or ctx.resilient_parsing:
        return value
    if len(files) > 1:
        raise UserError(f"Several files with options: {', '.join(files)}. Name one.")
    config = _read(Path(files[0]))
    listed = config.pop("tasks", [])
    if not _is_texts(listed := [listed] if isinstance(listed, str) else listed):
        raise UserError(f"Invalid tasks in {files[0]}: {listed!r}. Give a list of texts.")
    ctx.default_map = _defaults(ctx, config, Path(files[0]))
    folder = Path(files[0]).parent
    return tuple(name for name in value if name not in files) or tuple(
        str(folder / name) if name.endswith(".py") else name for name in listed
    )


def _check_environment(ctx: click.Context) -> None:
    """Raises UserError for a variable with the prefix of the command that is none of its options, such as a misspelt one."""
    variables = {str(option.envvar): key for key, option in _options(ctx.command).items() if option.envvar}
    prefixes = {variable.removesuffix(key.upper()) for variable, key in variables.items()}
    for name in sorted(os.environ):
        if name not in variables and any(name.startswith(prefix) for prefix in prefixes):
            near = difflib.get_close_matches(name, variables, 1)
            raise UserError(f"Unknown environment variable: {name}. {f'Did you mean {near[0]}?' if near else 'Unset it.'}")


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"File does not exist: {path}. Name a TOML file with options.") from None
    except (ValueError, OSError) as error:
        raise UserError(f"Invalid TOML ({' '.join(str(error).split())}): {path}. Correct the file.") from None


def _defaults(ctx: click.Context, config: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The values of a file by parameter name. Raises UserError for an unknown key, a wrong type or an invalid value."""
    by_key = {key: option for option in ctx.command.params if isinstance(option, click.Option) for key in _keys(option)}
    defaults: dict[str, Any] = {}
    for key, given_value in config.items():
        option = by_key.get(key)
        is_one = isinstance(given_value, str) and option is not None and option.multiple
        value: Any = [given_value] if is_one else given_value
        if option is None:
            near = difflib.get_close_matches(key, [*by_key, "tasks"], 1)
            raise UserError(f"Unknown key in {path}: {key}. {f'Did you mean {near[0]}?' if near else 'Keys are options of the command.'}")
        if option.name in defaults:
            raise UserError(f"Duplicate option in {path}: {' and '.join(_keys(option))}. Keep one.")
        if expected := _wrong_type(option, value):
            raise UserError(f"Invalid {key} in {path}: {value!r}. Give {expected}.")
        is_path = isinstance(option.type, click.Path) or (key == "release" and value.endswith(_SUFFIX))
        defaults[option.name] = str(path.parent / value) if is_path else value
        try:
            option.process_value(ctx, defaults[option.name])
        except click.BadParameter as error:
            raise UserError(f"Invalid {key} in {path}: {error.message}") from None
    return defaults


def _wrong_type(option: click.Option, value: object) -> str:
    """The expected type, if the value has another one; else empty."""
    types, one, several = (str,), "a text", "texts"
    if isinstance(value, str) and value.casefold() == getattr(option.type, "word", None):
        return ""
    if option.is_flag:
        types, one, several = (bool,), "true or false", ""
    elif isinstance(option.type, click.types.IntParamType):
        types, one, several = (int,), "a whole number", "whole numbers"
    elif isinstance(option.type, click.types.FloatParamType):
        types, one, several = (int, float), "a number", "numbers"
    if not option.multiple:
        return "" if type(value) in types else one
    return "" if isinstance(value, list) and all(type(part) in types for part in value) else f"a list of {several}"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
