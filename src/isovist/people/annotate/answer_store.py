"""Annotations in a SQLite file: each is on disk before the page continues, and none is overwritten.

The files have synchronous writes, for several processes and threads.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
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


ANSWERS = "answers.sqlite"

_KIND = FileSchema(
    "answers",
    0x49534F56,  # "ISOV"
    1,
    (
        """
create table if not exists entries (
    id integer primary key,
    person text not null,
    card text not null,
    digest text not null,
    value text,
    note text not null,
    seconds real not null,
    at text not null
)
""",
        "create index if not exists by_person on entries (person, card)",
    ),
    "Choose another --answers file",
)


@dataclass(frozen=True, slots=True)
class Annotation:
    """The last answer of an annotator to a card.

    `digest` is that of the card at that time, `seconds` the time the card was on the screen, `at` the time of the answer in UTC.
    """

    annotator: str
    card: str
    digest: str
    value: str
    note: str
    seconds: float
    at: str


class Store:
    """The answers to one job. Several processes and threads may use the file at the same time.

    A later entry of the same annotator for the same card replaces the previous one, which stays in the file. An entry without a value
    withdraws the answer.
    """

    def __init__(self, path: Path, *, create: bool = True) -> None:
        """Raises UserError for another kind of file, and for a missing file unless `create`."""
        if not create and not path.exists():
            raise UserError(f"No answers yet: {path}. Run `isovist annotate` first.")
        self.path = path
        self._file = Database(path, _KIND)

    def put(self, person: str, card: str, digest: str, value: str | None, note: str = "", seconds: float = 0.0) -> None:
        """Add an entry; without a value it withdraws the answer."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._file.open() as db:
            db.execute(
                "insert into entries (person, card, digest, value, note, seconds, at) values (?, ?, ?, ?, ?, ?, ?)",
                (person, card, digest, value, note, seconds, at),
            )

    def given(self, person: str | None = None) -> list[Annotation]:
        """The current answers of one annotator or of all, in chronological order."""
        last = "select max(id) from entries group by person, card"
        query = f"select person, card, digest, value, note, seconds, at from entries where id in ({last}) and value is not null"  # noqa: S608 - contains no user input
        with self._file.open() as db:
            if person is None:
                rows = db.execute(f"{query} order by id").fetchall()
            else:
                rows = db.execute(f"{query} and person = ? order by id", (person,)).fetchall()
        return [Annotation(*row) for row in rows]
