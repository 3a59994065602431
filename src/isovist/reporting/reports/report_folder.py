"""The folder of a report, a comparison or a leaderboard.

`report.json` holds the results, and the list of the files that Isovist wrote. The next report replaces them; no other file is overwritten
or deleted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
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
    """The folder of a new or an earlier report. Raises UserError for an invalid list, or one with paths outside the folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tables: Mapping[str, object] = {}
        self.takeaways: Mapping[str, str] = {}
        self._listed = set[str]()
        if (path / LIST).exists():
            self._listed.update(document(Listed, path / LIST, FORMAT, content="a report", missing="no report").files)
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
            raise UserError(f"Folder has an unexpected file: {self.path} ({unexpected[0]} is not in {LIST}). Choose another --out folder.")

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
