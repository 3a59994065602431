"""What the result files of a tool hold: replies, each with what tells whose they are."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from isovist.errors import UserError
from isovist.importers.benchmark_format import Unusable
from isovist.models.base import ModelResponse

_LONGEST = 256 << 20  # bytes of a line: pictures as text can stand in it

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Prediction:
    """One reply. What tells whose it is: the item's `id`, or the pictures and words that were sent."""

    reply: ModelResponse
    id: str = ""
    pictures: tuple[str, ...] = ()
    """Digests of the files of the pictures that were sent (`digest`)."""
    words: str = ""
    """What was sent, where it is told."""


def json_rows(file: Path) -> Iterator[tuple[int, Row | Unusable]]:
    """The objects of a file of JSON Lines with their numbers, from 1, and why a line is none. Raises UserError if there is no such file."""
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(_LONGEST), b""), 1):
                if line.strip():
                    yield number, _row(line)
    except FileNotFoundError:
        raise UserError(f"{file}: no such file.") from None


def _row(line: bytes) -> Row | Unusable:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return Unusable("an invalid JSON line")
    return cast("dict[str, Any]", row) if isinstance(row, dict) else Unusable("a line that is not a JSON object")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool whose results can be read."""

    title: str
    wanted: str
    """What its result files are called."""
    files: Callable[[Path], Mapping[str, Iterable[Path]]]
    """The result files in a folder by the model that they are of."""
    read: Callable[[Path, Row], Iterable[Prediction | Unusable]]
    """The replies in a row of a file, or why there is none."""
    rows: Callable[[Path], Iterable[tuple[int, Row | Unusable]]] = json_rows
    by_pictures: bool = False
    """Whether its results name items by the pictures alone."""

    def of_one_model(self, path: Path) -> tuple[str, list[Path]]:
        """The one model whose files are in a folder, with its files. Raises UserError if there is none, or several."""
        models = self.files(path)
        if not models:
            problem = f"no results of {self.title} ({self.wanted})" if path.exists() else "no such file or folder"
            raise UserError(f"{path}: {problem}; give the folder that it wrote, or one of its files.")
        if len(models) > 1:
            raise UserError(f"{path}: holds results of several models ({', '.join(sorted(models))}); give the folder of one of them.")
        ((model, files),) = models.items()
        return model, sorted(files)


def by_model(path: Path, pattern: str, model_of: Callable[[Path], str | None]) -> dict[str, list[Path]]:
    """The files below a folder that fit a pattern, or the one file, by model; each once however it is linked, those of none passed over."""
    files = (
        [path]
        if path.is_file()
        else {file.resolve(): file for file in sorted(path.rglob(pattern), reverse=True) if file.is_file()}.values()
    )
    models: dict[str, list[Path]] = defaultdict(list)
    for file in sorted(files):
        if (model := model_of(file)) is not None:
            models[model].append(file)
    return models


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
