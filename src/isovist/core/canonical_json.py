"""Canonical JSON: a unique text for each value, from which hashes and item ids are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from json.encoder import encode_basestring
from math import isfinite
from operator import itemgetter
from typing import Any, NoReturn, cast

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

PUBLISHED = "-published"
"""Suffix of a suite name in the ids of items that were imported from a published benchmark."""
PHOTOGRAPHS = "-photos"
"""Suffix of a suite name in the ids of items with the questions of the suite about imported photographs."""
_NINE_DIGITS = ".9g"  # a float keeps nine significant digits; the last digits depend on the libm of the platform and must not change an id


def plain(value: Any) -> Json:
    """Convert `value` to JSON: dataclasses become objects, tuples become lists, floats keep nine significant digits.

    Raises TypeError for a type that has no JSON form.
    """
    kind = cast("type[Any]", type(value))
    if kind in _UNCHANGED:
        return value
    if kind is tuple or kind is list:
        return [v if type(v) in _UNCHANGED else plain(v) for v in value]
    if kind is float:
        return float(format(value, _NINE_DIGITS)) + 0.0  # -0.0 becomes 0.0
    names = _field_names(kind)
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    return _no_text(value)


_UNCHANGED = frozenset({str, int, bool, type(None)})


@lru_cache(maxsize=256)
def _field_names(kind: type) -> tuple[str, ...] | None:
    """The field names of a dataclass; None for any other type."""
    return tuple(f.name for f in fields(kind)) if is_dataclass(kind) else None


def canonical_json(value: object) -> str:
    """The canonical JSON text of `value`: sorted keys, no spaces, floats with nine significant digits.

    It is the text of `plain(value)`, written in one pass. Raises TypeError for a type that has no JSON form and ValueError for NaN or
    infinity.
    """
    text = _writer(type(value))(value)
    if _is_frozen(type(value)):
        _latest[0] = (value, text)
    return text


@lru_cache(maxsize=256)
def _is_frozen(kind: type) -> bool:
    return is_dataclass(kind) and getattr(kind, "__dataclass_params__").frozen  # noqa: B009 - no public name


_latest: list[tuple[object, str]] = [(None, "")]
"""The last frozen dataclass and its text. The text of a layout is part of that of its scene, which an item needs several times."""


@lru_cache(maxsize=256)
def _writer(kind: type) -> Callable[[Any], str]:
    """The function that writes values of a type as canonical JSON."""
    names = _field_names(kind)
    if names is not None:
        return partial(_object_text, tuple((name, f"{encode_basestring(name)}:") for name in sorted(names)))
    return _WRITERS.get(kind) or (_mapping_text if issubclass(kind, Mapping) else _no_text)


_attribute: Callable[[object, str], object] = getattr


def _object_text(keys: tuple[tuple[str, str], ...], value: object) -> str:
    latest, text = _latest[0]
    if value is latest:
        return text
    return f"{{{','.join([key + _writer(type(member := _attribute(value, name)))(member) for name, key in keys])}}}"


def _mapping_text(value: Mapping[object, object]) -> str:
    members = sorted({str(key): member for key, member in value.items()}.items(), key=itemgetter(0))
    return f"{{{','.join([f'{encode_basestring(key)}:{_writer(type(member))(member)}' for key, member in members])}}}"


def _list_text(value: Sequence[object]) -> str:
    return f"[{','.join([_writer(type(member))(member) for member in value])}]"


def _float_text(value: float) -> str:
    if isfinite(value):
        return repr(float(format(value, _NINE_DIGITS)) + 0.0)
    raise ValueError(f"Out of range float value is not JSON compliant: {value}")


def _no_text(value: object) -> NoReturn:
    raise TypeError(f"{type(value).__name__} cannot be written as JSON: {value!r}")


_WRITERS: dict[type, Callable[[Any], str]] = {
    str: encode_basestring,
    int: repr,
    float: _float_text,
    bool: {False: "false", True: "true"}.__getitem__,
    type(None): {None: "null"}.__getitem__,
    tuple: _list_text,
    list: _list_text,
}
