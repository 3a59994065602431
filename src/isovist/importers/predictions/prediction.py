"""What the result files of a tool hold: replies, each with what tells whose they are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from isovist.errors import UserError
from isovist.models.base import ModelResponse

_LONGEST = 256 << 20  # bytes of a line: pictures as text can stand in it


@dataclass(frozen=True, slots=True)
class Prediction:
    """One reply. What tells whose it is: the item's `id`, or the pictures and words that were sent."""

    file: str
    number: int
    """Its place in the file, from 1."""
    reply: ModelResponse
    id: str = ""
    pictures: tuple[str, ...] = ()
    """Digests of the files of the pictures that were sent (`digest`)."""
    words: str = ""
    """What was sent, where it is told."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A row of a result file that is no reply, and why."""

    file: str
    number: int
    why: str


@dataclass(frozen=True, slots=True)
class Results:
    """The result files of one model."""

    model: str
    files: tuple[Path, ...]
    predictions: Callable[[], Iterator[Prediction | Unread]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool whose results can be read."""

    name: str
    title: str
    by_pictures: bool
    """Whether its results name items by the pictures alone."""
    results: Callable[[Path], Results]


def one_model(path: Path, models: Mapping[str, Sequence[Path]], title: str, wanted: str) -> tuple[str, tuple[Path, ...]]:
    """The one model whose files are in a folder, with its files. Raises UserError if there is none, or several."""
    if not models:
        problem = "no such file or folder" if not path.exists() else f"no results of {title} ({wanted})"
        raise UserError(f"{path}: {problem}; give the folder that it wrote, or one of its files.")
    if len(models) > 1:
        raise UserError(f"{path}: holds results of several models ({', '.join(sorted(models))}); give the folder of one of them.")
    ((model, files),) = models.items()
    return model, tuple(sorted(files))


def below(path: Path, pattern: str) -> list[Path]:
    """The files below a folder that fit a pattern, each once however it is linked; the path itself if it is a file."""
    if path.is_file():
        return [path]
    files = {file.resolve(): file for file in sorted(path.rglob(pattern), reverse=True) if file.is_file()}
    return sorted(files.values())


def lines(file: Path) -> Iterator[tuple[int, dict[str, Any] | Unread]]:
    """The objects of a file of JSON lines with their numbers. Raises UserError if it is no such file."""
    try:
        with file.open("rb") as read:
            number = 0
            while line := read.readline(_LONGEST):
                number += 1
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    yield number, Unread(file.name, number, "a line that is no JSON")
                    continue
                yield (
                    number,
                    cast("dict[str, Any]", row) if isinstance(row, dict) else Unread(file.name, number, "a line that is no object"),
                )
    except FileNotFoundError:
        raise UserError(f"{file}: no such file.") from None


def text_of(value: object) -> str | None:
    """A reply that may stand in lists of one, or in parts with a type; None if there is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        listed = cast("list[object]", value)
        if len(listed) == 1 and not isinstance(listed[0], dict):
            return text_of(listed[0])
        parts = [cast("dict[str, object]", part) for part in listed if isinstance(part, dict)]
        words = [str(part["text"]) for part in parts if part.get("type") == "text" and "text" in part]
        return "\n".join(words) if words and len(parts) == len(listed) else None
    return None


def files_of(paths: Iterable[Path], model_of: Callable[[Path], str | None]) -> dict[str, list[Path]]:
    """Files by the model that they are of; those of none are passed over."""
    by_model: dict[str, list[Path]] = {}
    for path in paths:
        model = model_of(path)
        if model is not None:
            by_model.setdefault(model, []).append(path)
    return by_model
