"""Texts of cells."""

from __future__ import annotations

from math import isnan

from isovist.data.importers.benchmark_format import Unusable


def is_missing(value: object) -> bool:
    """Whether a cell is empty: null, NaN, or a text of spaces."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, float) and isnan(value))


def cell_text(value: object, column: str) -> str:
    """Return a cell as stripped text. Raises Unusable if it is empty, or neither text, number nor boolean."""
    if is_missing(value):
        raise Unusable(f"no {column}")
    if not isinstance(value, str | int | float):
        raise Unusable(f"the {column} is not text", type(value).__name__)
    try:
        text = str(value).replace("\r\n", "\n").strip()
        text.encode()
    except UnicodeEncodeError:
        raise Unusable(f"the {column} is not text", "it contains an unpaired surrogate") from None
    except ValueError:
        raise Unusable(f"the {column} is too long", "a number of thousands of digits") from None
    return text
