"""JSON Lines: one JSON value per line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path


def whole(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which UTF-8 cannot encode; a surrogate pair becomes one character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def line(value: object, *, escaped: bool = False) -> str:
    """A value as one line. With `escaped`, the line is ASCII and keeps lone surrogates; otherwise they become U+FFFD."""
    return whole(json.dumps(value, ensure_ascii=escaped)) + "\n"


def lines(values: Iterable[object], *, escaped: bool = False) -> str:
    """Values as the text of a file."""
    return "".join(line(value, escaped=escaped) for value in values)


def rows(text: str) -> list[str]:
    """The lines of a text, split at line feeds only: a JSON string may contain other line separators, such as U+2028."""
    return [row.removesuffix("\r") for row in text.removesuffix("\n").split("\n")] if text else []


def append(path: Path, value: object) -> None:
    """Append a value to a file, which is created if missing. A crash may leave an incomplete last line."""
    with path.open("a", encoding="utf-8") as file:
        file.write(line(value))
