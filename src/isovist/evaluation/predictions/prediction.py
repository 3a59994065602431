"""Predictions of other tools: responses with the data that identify their items."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from isovist.common.errors import UserError
from isovist.data.importers.benchmark_format import Unusable
from isovist.evaluation.models.base import ModelResponse

_LONGEST = 256 << 20  # maximum size of a line in bytes: images may be embedded as text

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Prediction:
    """One response. Its item is identified by `id`, or by the sent images and text."""

    reply: ModelResponse
    id: str = ""
    pictures: tuple[str, ...] = ()
    """Digests of the sent image files (`digest`)."""
    words: str = ""
    """The sent text, if known."""


def json_rows(file: Path) -> Iterator[tuple[int, Row | Unusable]]:
    """Yield the objects of a JSON Lines file with their line numbers, from 1, or why a line is unusable.

    Raises UserError without a file.
    """
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(_LONGEST), b""), 1):
                if line.strip():
                    yield number, _row(line)
    except FileNotFoundError:
        raise UserError(f"File does not exist: {file}. Correct the path.") from None


def _row(line: bytes) -> Row | Unusable:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return Unusable("an invalid JSON line")
    return cast("dict[str, Any]", row) if isinstance(row, dict) else Unusable("a line that is not a JSON object")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool whose results can be imported."""

    title: str
    wanted: str
    """Description of its result files, for messages."""
    files: Callable[[Path], Mapping[str, Iterable[Path]]]
    """Return the result files in a folder by model."""
    read: Callable[[Path, Row], Iterable[Prediction | Unusable]]
    """Return the responses in a row of a file, or why there is none."""
    rows: Callable[[Path], Iterable[tuple[int, Row | Unusable]]] = json_rows
    by_pictures: bool = False
    """Whether its results identify items by images only."""

    def of_one_model(self, path: Path) -> tuple[str, list[Path]]:
        """Return the name of the only model in a folder with its files. Raises UserError for none or several."""
        models = self.files(path)
        if not models:
            problem = f"no results of {self.title} ({self.wanted})" if path.exists() else "no such file or folder"
            raise UserError(f"{problem}: {path}. Give the output folder of the tool, or one of its files.")
        if len(models) > 1:
            raise UserError(f"Results of several models ({', '.join(sorted(models))}): {path}. Give the folder of one model.")
        ((model, files),) = models.items()
        return model, sorted(files)


def by_model(path: Path, pattern: str, model_of: Callable[[Path], str | None]) -> dict[str, list[Path]]:
    """Group the files below a folder that match a pattern, or the file itself, by model.

    Links are resolved; files without a model are ignored.
    """
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
    """Return the text of a response that may be a list of one or a list of typed parts; None if there is none."""
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
