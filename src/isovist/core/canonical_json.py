"""Canonical JSON: a unique text for each value, from which hashes and item ids are computed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, cast

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

PUBLISHED = "-published"
"""Suffix of a suite name in the ids of items that were imported from a published benchmark."""
PHOTOGRAPHS = "-photos"
"""Suffix of a suite name in the ids of items with the questions of the suite about imported photographs."""
_DIGITS = 9  # significant digits of a float; the last digits depend on the libm of the platform and must not change an id


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
        return float(f"{value:.{_DIGITS}g}") + 0.0  # -0.0 becomes 0.0
    names = _field_names(kind)
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    raise TypeError(f"{kind.__name__} cannot be written as JSON: {value!r}")


_UNCHANGED = frozenset({str, int, bool, type(None)})


@lru_cache(maxsize=256)
def _field_names(kind: type) -> tuple[str, ...] | None:
    """The field names of a dataclass; None for any other type."""
    return tuple(f.name for f in fields(kind)) if is_dataclass(kind) else None


_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def canonical_json(value: Any) -> str:
    """The canonical JSON text of `value`: sorted keys, no spaces, floats with nine significant digits.

    Raises TypeError for a type that has no JSON form and ValueError for NaN or infinity.
    """
    return _canonical(plain(value))
