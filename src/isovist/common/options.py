"""Options that are declared once, as the fields of a dataclass: from them come the options of the command line, the keys of a TOML file,
the environment variables, the keyword arguments of Python, and the checks of their values.

A field says its type and its default, and an `Option` in its `Annotated` says the rest; a field without one is no option. The module of such a dataclass must not defer its
annotations (`from __future__ import annotations`). `Option` and `Declared` are tuples because their classes are made faster than dataclasses:
every help text waits for them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache
from inspect import formatannotation
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

from isovist.common.errors import UserError

T = TypeVar("T", str, int)

LARGEST = 1_000_000_000
"""The largest count, beyond any use."""
_LARGEST_SEED = 2**63  # of a 64-bit column


class Option(NamedTuple):
    """What a type does not say about a field."""

    help: str | Callable[[], str] = ""
    flags: tuple[str, ...] = ()
    """By default the name of the field with dashes. The long name is the key in files and the environment."""
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    above: float | None = None
    """A limit that is itself excluded."""
    shown: object = None
    """The default that help shows, where it is not that of the field; False: none."""
    choices: Callable[[], Sequence[str]] | None = None
    """Choices that are known on use only; other choices are a `Literal`."""
    default_here: Callable[[], object] | None = None
    """The default of the command line where it depends on the machine."""
    required: bool = False
    is_argument: bool = False
    """Whether it is a keyword argument of Python alone."""
    can_be_none: bool = False
    """Whether None is a value other than the default; on the command line and in files it is `none`."""


class Declared(NamedTuple):
    """A field with its option."""

    name: str
    kind: Any
    """The type of one value on the command line; of a union the first type but None."""
    is_repeatable: bool
    default: Any
    option: Option
    words: tuple[str, ...] = ()
    """The texts that are values too, such as `auto` of `int | Literal["auto"]`."""

    @property
    def flags(self) -> tuple[str, ...]:
        return self.option.flags or (f"--{self.name.replace('_', '-')}",)

    @property
    def key(self) -> str:
        """The key in files and the environment."""
        names = [flag.removeprefix("--").replace("-", "_") for flag in self.flags if flag.startswith("--")]
        return self.name if self.name in names else names[0]

    @property
    def choices(self) -> tuple[str, ...]:
        if self.option.choices:
            return tuple(self.option.choices())
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    def normal(self, value: Any) -> Any:
        """A value of Python as the command line would give it: None is the default, and a single value of several a tuple."""
        if value is None:
            return None if self.option.can_be_none else self.default
        if self.is_repeatable:
            is_one = isinstance(value, self.kind) or not isinstance(value, Iterable)
            return (value,) if is_one else tuple(value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        if self.kind in (str, Path) and isinstance(value, str | os.PathLike):
            return self.kind(os.fspath(value))  # pyright: ignore[reportUnknownArgumentType]
        return value

    def advice(self, value: object) -> str:
        """What to give instead of one invalid value; empty for a valid one."""
        if self.choices:
            return "" if value in self.choices else f"Choose from {', '.join(self.choices)}."
        if value in self.words:
            return ""
        if self.kind is bool:
            return "" if isinstance(value, bool) else "Give True or False."
        if self.kind in (str, Path):
            return "" if isinstance(value, self.kind) else f"Give a {'text' if self.kind is str else 'path'}."
        if self.kind not in (int, float):
            return ""
        least, most, above = self.option.least, self.option.most, self.option.above
        types = int if self.kind is int else int | float
        words = "".join(f" or {word}" for word in self.words)
        if isinstance(value, bool) or not isinstance(value, types):
            return f"Give a {'whole number' if self.kind is int else 'number'}{'' if least is None else f' from {least:g}'}{words}."
        if least is None and above is None:
            return "" if self.kind is float or abs(value) < _LARGEST_SEED else "Give a whole number from 0 to 2^63-1."
        if above is not None:
            return "" if above < value <= (most or LARGEST) else f"Give a number above {above:g}, at most {most or LARGEST:g}."
        if least is not None and not least <= value <= (most or LARGEST):
            return f"Give a number from {least:g}{'' if most is None else f' to {most:g}'}{words}."
        return ""


@cache
def declared(options: type) -> dict[str, Declared]:
    """The fields of a dataclass of options that have an `Option`, by name."""
    every = (
        (field, option) for field in fields(options) for option in getattr(field.type, "__metadata__", ()) if isinstance(option, Option)
    )
    return {field.name: _declared(field.name, field.type, field.default, option) for field, option in every}


def _declared(name: str, hint: Any, default: Any, option: Option) -> Declared:
    kind = hint.__origin__
    kinds = [part for part in get_args(kind) if part is not NoneType] if get_origin(kind) in (Union, UnionType) else [kind]
    is_repeatable = any(get_origin(part) is Sequence for part in kinds)
    words = tuple(word for part in kinds[1:] if get_origin(part) is Literal for word in get_args(part))
    return Declared(name, kinds[0], is_repeatable, None if default is MISSING else default, option, words)


def several(kind: type[T], values: T | Sequence[T]) -> tuple[T, ...]:
    """The values of an option that may be given several times; one text or number is one value."""
    return (values,) if isinstance(values, kind) else tuple(values)  # pyright: ignore[reportArgumentType] - a text is a sequence of texts


def check(options: object) -> None:
    """Raises UserError for a value outside its limits."""
    for each in declared(type(options)).values():
        value = getattr(options, each.name)
        for one in value if each.is_repeatable else (value,):
            if one is not None and one != each.default and (advice := each.advice(one)):
                raise UserError(f"Invalid {each.flags[0]}: {one}. {advice}")


def in_python(options: type, message: str) -> str:
    """A message with the names of arguments in place of flags: `max_items` for --max-items. Commands in backticks are left as they are."""
    names = {flag: each.name for each in declared(options).values() for flag in each.flags}
    return re.sub(r"`[^`]*`|--[a-z][a-z-]*", lambda match: f"`{names[match[0]]}`" if match[0] in names else match[0], message)


def arguments(options: type) -> Iterator[tuple[str, str, str]]:
    """The keyword arguments of Python: name, type, and what it is, with the default."""
    types: dict[str, Any] = {field.name: field.type for field in fields(options)}
    for name, each in declared(options).items():
        about = each.option.help() if callable(each.option.help) else each.option.help
        kind = formatannotation(types[name].__origin__)
        kind = re.sub(r"Optional\[(.*)\]", r"\1 | None", re.sub(r"(collections\.abc|pathlib|typing)\.", "", kind))
        if each.option.default_here:  # of the command line alone
            about = f"{about.partition(' [default')[0].rstrip('.')}."
        has_default = each.default not in (None, "", ()) and each.default is not False
        default = f" [default: {each.default}]" if has_default and "[default" not in about else ""
        yield name, kind, " ".join((in_python(options, about) + default).split())


def pairs(values: Mapping[str, object], text: Callable[[object], str] = str) -> tuple[str, ...]:
    """A mapping of Python as the texts NAME=VALUE of an option."""
    return tuple(f"{name}={text(value)}" for name, value in values.items())
