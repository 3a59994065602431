"""JSON Lines: one JSON value a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path


def whole(text: str) -> str:
    """The text with U+FFFD in the place of each half of a surrogate pair, which no file can hold; two halves that belong together are
    one character.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def line(value: object, *, escaped: bool = False) -> str:
    """A value as one line. `escaped`: in ASCII alone, which keeps halves of characters as they came; else they become U+FFFD."""
    return whole(json.dumps(value, ensure_ascii=escaped)) + "\n"


def lines(values: Iterable[object], *, escaped: bool = False) -> str:
    """Values as the text of a file, in their order."""
    return "".join(line(value, escaped=escaped) for value in values)


def rows(text: str) -> list[str]:
    """The lines of a text, parted at line feeds alone: a JSON string may hold other characters that part lines, such as U+2028."""
    return [row.removesuffix("\r") for row in text.removesuffix("\n").split("\n")] if text else []


def append(path: Path, value: object) -> None:
    """Adds a value to the end of a file, which is made if it is not there. A crash may cut the last line short."""
    with path.open("a", encoding="utf-8") as file:
        file.write(line(value))
