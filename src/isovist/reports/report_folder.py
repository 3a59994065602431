"""The folder of a report, a comparison or a leaderboard: `report.json` lists the files in it that one of them wrote, so that the next
one can take them away.

Nothing else is ever written over or deleted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath

from isovist.atomic_write import write_atomically
from isovist.dataset.json_documents import document
from isovist.errors import UserError

LIST = "report.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Listed:
    """What stands in `report.json`."""

    files: tuple[str, ...]
    """Paths from the report's folder, with slashes."""
    isovist: str = "unknown"
    format: int = FORMAT


class ReportFolder:
    """A folder for a report, new or of an earlier one. Raises UserError for a list that cannot be read, or that leads out of the folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own = set[str]()
        if (path / LIST).exists():
            self._own.update(document(Listed, path / LIST, FORMAT, content="a report", missing="no report").files)
        for name in self._own:
            parts = PurePosixPath(name.replace("\\", "/")).parts
            if not parts or ".." in parts or ":" in parts[0] or name.startswith(("/", "\\")):
                raise UserError(f"{path / LIST}: lists {name!r}, which is no file of this folder; give another folder for --out.")

    def check(self, names: Iterable[str], folder: str = "") -> None:
        """Raises UserError if a file that no report wrote has one of these names, or stands in `folder`, which a report replaces."""
        existing = [name for name in names if (self.path / name).exists()]
        if folder:
            existing += [path.relative_to(self.path).as_posix() for path in (self.path / folder).rglob("*") if not path.is_dir()]
        if strangers := sorted(set(existing) - self._own):
            raise UserError(f"{self.path}: holds {strangers[0]}, which no report wrote by its {LIST}; give another folder for --out.")

    def claim(self, names: Iterable[str]) -> None:
        """Lists files before they are written, beside the earlier ones, so that none stays behind whatever happens."""
        self._own.update(names)
        self._write()

    def fill(self, files: Mapping[str, str]) -> None:
        """Writes these texts, and leaves nothing else of what reports wrote. Raises UserError if one would go over a stranger's file."""
        self.check(files)
        self.put(files)
        self.drop(files)

    def put(self, files: Mapping[str, str]) -> None:
        """Lists these texts and writes them."""
        self.claim(files)
        for name, text in files.items():
            (self.path / name).parent.mkdir(exist_ok=True)
            write_atomically(self.path / name, text)

    def drop(self, kept: Iterable[str]) -> None:
        """Deletes all that reports wrote but for some files, with folders that are empty then."""
        gone = self._own - set(kept)
        for name in gone:
            path = self.path / name
            if path.parent.resolve().is_relative_to(self.path.resolve()):  # not through a link that was put there
                path.unlink(missing_ok=True)
        above = {
            parent for name in gone for parent in (self.path / name).parents if parent.is_relative_to(self.path) and parent != self.path
        }
        for folder in sorted(above, key=lambda parent: -len(parent.parts)):
            with suppress(OSError):
                folder.rmdir()  # only an empty one goes
        self._own -= gone
        self._write()

    def _write(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        listed = Listed(tuple(sorted(self._own)), version("isovist"))
        write_atomically(self.path / LIST, json.dumps(asdict(listed), indent=0, ensure_ascii=False) + "\n")
