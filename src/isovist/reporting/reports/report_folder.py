"""The folder of a report, a comparison or a leaderboard.

`report.json` holds the results, and the list of the files that Isovist wrote. The next report replaces them; no other file is overwritten
or deleted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.data.dataset.json_documents import document

LIST = "report.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Listed:
    """The content of `report.json`."""

    files: tuple[str, ...]
    """Paths relative to the report folder, with slashes."""
    isovist: str = "unknown"
    format: int = FORMAT
    tables: dict[str, Any] = field(default_factory=dict[str, Any])
    """The rows of each CSV file as JSON objects, by the name of the file without its ending."""
    takeaways: dict[str, str] = field(default_factory=dict[str, str])
    """The takeaway of each section of a report, by its title."""


class ReportFolder:
    """The folder of a new or an earlier report.

    Raises UserError for a folder with other files and no list, for an invalid list, and for one with paths outside the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tables: Mapping[str, object] = {}
        self.takeaways: Mapping[str, str] = {}
        self._listed = set[str]()
        if (path / LIST).exists():
            self._listed.update(document(Listed, path / LIST, FORMAT, content="a report", missing="no report").files)
        elif other := next(visible_files(path), None):
            raise unexpected_file(path, other, f"is not in {LIST}")
        for name in self._listed:
            parts = PurePosixPath(name.replace("\\", "/")).parts
            if not parts or ".." in parts or ":" in parts[0] or name.startswith(("/", "\\")):
                raise UserError(f"The list has a path outside its folder: {path / LIST} ({name!r}). Choose another --out folder.")

    def check(self, names: Iterable[str], folder: str = "") -> None:
        """Raises UserError if a file that is not listed has one of these names, or is in `folder`, which a report replaces."""
        existing = [name for name in names if (self.path / name).exists()]
        if folder:
            existing += [path.relative_to(self.path).as_posix() for path in (self.path / folder).rglob("*") if not path.is_dir()]
        if unexpected := sorted(set(existing) - self._listed):
            raise unexpected_file(self.path, unexpected[0], f"is not in {LIST}")

    def claim(self, names: Iterable[str]) -> None:
        """Adds files to the list before they are written, so that an interrupted report leaves no unlisted file; the tables follow."""
        self._listed.update(names)
        self._write(has_results=False)

    def fill(self, files: Mapping[str, str], tables: Mapping[str, object]) -> None:
        """Writes these texts and tables and deletes all other listed files. Raises UserError if a text would overwrite an unlisted file."""
        self.check(files)
        self.tables = tables
        self.put(files)
        self.drop(files)

    def put(self, files: Mapping[str, str]) -> None:
        """Adds these texts to the list and writes them."""
        self.claim(files)
        for name, text in files.items():
            (self.path / name).parent.mkdir(exist_ok=True)
            write_atomically(self.path / name, text)

    def drop(self, kept: Iterable[str]) -> None:
        """Deletes all listed files except `kept`, and the folders that become empty."""
        removed = self._listed - set(kept)
        for name in removed:
            path = self.path / name
            if path.parent.resolve().is_relative_to(self.path.resolve()):  # not through a symbolic link
                path.unlink(missing_ok=True)
        above = {
            parent for name in removed for parent in (self.path / name).parents if parent.is_relative_to(self.path) and parent != self.path
        }
        for folder in sorted(above, key=lambda parent: -len(parent.parts)):
            with suppress(OSError):
                folder.rmdir()  # only an empty folder
        self._listed -= removed
        self._write(has_results=True)

    def _write(self, *, has_results: bool) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        listed: dict[str, object] = {"files": sorted(self._listed), "isovist": version("isovist"), "format": FORMAT}
        if has_results:
            listed |= {"tables": dict(self.tables), "takeaways": dict(self.takeaways)}
        write_atomically(self.path / LIST, json.dumps(listed, ensure_ascii=False) + "\n")


def unexpected_file(folder: Path, name: str, fault: str) -> UserError:
    """The error for a folder with a file of others. `fault`: why the file is of others."""
    return UserError(f"Folder has an unexpected file: {folder} ({name} {fault}). Choose another --out folder.")


def visible_files(folder: Path) -> Iterator[str]:
    """The files below a folder by relative path, apart from hidden ones of other programs, such as `.git`."""
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not _is_hidden(name)]
        yield from ((Path(place) / name).relative_to(folder).as_posix() for name in sorted(files) if not _is_hidden(name))


def _is_hidden(name: str) -> bool:
    return name.startswith(".") and not name.startswith(".isovist")
