"""SQLite files with synchronous writes, for several processes and threads."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from isovist.common.errors import UserError


@dataclass(frozen=True, slots=True)
class FileSchema:
    """The kind of a file. `mark` is the SQLite application id; `statements` create missing tables."""

    of: str
    mark: int
    version: int
    statements: Sequence[str]
    other: str
    """The remedy in error messages."""


class Database:
    """A file of one kind, in WAL mode with autocommit."""

    def __init__(self, path: Path, kind: FileSchema) -> None:
        """Raises UserError for a file of another kind."""
        self.path = path
        try:
            with self.open() as db:
                (mark,), (version,) = db.execute("pragma application_id").fetchone(), db.execute("pragma user_version").fetchone()
                fresh = not db.execute("select count(*) from sqlite_master").fetchone()[0]
                if not fresh and mark != kind.mark:
                    raise UserError(f"Database of another kind: {path}. {kind.other}.")
                if not fresh and version != kind.version:
                    raise UserError(
                        f"Unsupported format {version} of {kind.of}: {path}. This version of Isovist reads format {kind.version}."
                    )
                db.execute("pragma journal_mode = wal")
                db.execute(f"pragma application_id = {kind.mark}")
                db.execute(f"pragma user_version = {kind.version}")
                for statement in kind.statements:
                    db.execute(statement)
        except sqlite3.Error as error:
            raise UserError(f"Cannot open database of {kind.of} ({error}): {path}. {kind.other}.") from None

    @contextmanager
    def open(self) -> Generator[sqlite3.Connection]:
        db = sqlite3.connect(self.path, timeout=20, isolation_level=None)
        try:
            db.execute("pragma synchronous = full")  # survives a power failure
            yield db
        finally:
            db.close()
