"""What ids are made of. Canonical JSON: the one text that stands for a value when it is hashed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, cast

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

PUBLISHED = "-published"
"""What follows the name of a suite in the ids of items that were published, not made here."""
PHOTOGRAPHS = "-photos"
"""What follows it in the ids of items like its own about photographs of somebody else."""
_DIGITS = 9  # the last digits of a platform's libm must not change an item's id


def plain(value: Any) -> Json:
    """`value` as JSON: dataclasses become objects, tuples lists; floats keep nine significant digits."""
    kind = cast("type[Any]", type(value))
    if kind in _SAME:
        return value
    if kind is tuple or kind is list:
        return [v if type(v) in _SAME else plain(v) for v in value]
    if kind is float:
        return float(f"{value:.{_DIGITS}g}") + 0.0  # -0.0 becomes 0.0
    names = _names(kind)
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    raise TypeError(f"{kind.__name__} cannot be written as JSON: {value!r}")


_SAME = frozenset({str, int, bool, type(None)})


@lru_cache(maxsize=256)
def _names(kind: type) -> tuple[str, ...] | None:
    """The fields of a dataclass; None for any other type."""
    return tuple(f.name for f in fields(kind)) if is_dataclass(kind) else None


_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def canonical_json(value: Any) -> str:
    """The one JSON text of `value`: sorted keys, no spaces, nine-digit floats."""
    return _canonical(plain(value))
