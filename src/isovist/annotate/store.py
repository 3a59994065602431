"""Answers in a SQLite file: every one is on the disk before the page goes on, and none is ever overwritten."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from isovist.errors import BadInput

ANSWERS = "answers.sqlite"

_APPLICATION = 0x49534F56  # "ISOV": the mark of our files among other SQLite files
_VERSION = 1
_TABLE = """
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
"""


@dataclass(frozen=True, slots=True)
class Given:
    """What a person answered last to a card. `digest` is that of the card as it was shown, `seconds` how long it was on the
    screen, `at` the time in UTC.
    """

    person: str
    card: str
    digest: str
    value: str
    note: str
    seconds: float
    at: str


class Store:
    """The answers to one job. Several processes and threads may use a file at once.

    A later entry of the same person for the same card replaces the one before, which stays in the file; an entry without a
    value takes the answer back.
    """

    def __init__(self, path: Path, *, create: bool = True) -> None:
        """Raises BadInput if the file is none of ours, or if there is none and it is not to be made."""
        if not create and not path.exists():
            raise BadInput(f"{path}: nobody has answered yet.")
        self.path = path
        try:
            with self._open() as db:
                (application,), (version,) = db.execute("pragma application_id").fetchone(), db.execute("pragma user_version").fetchone()
                fresh = not db.execute("select count(*) from sqlite_master").fetchone()[0]
                if not fresh and application != _APPLICATION:
                    raise BadInput(f"{path}: a database of something else; name another file with --answers.")
                if not fresh and version != _VERSION:
                    raise BadInput(f"{path}: answers of format {version}; this Isovist reads format {_VERSION}.")
                db.execute("pragma journal_mode = wal")
                db.execute(f"pragma application_id = {_APPLICATION}")
                db.execute(f"pragma user_version = {_VERSION}")
                db.execute(_TABLE)
                db.execute("create index if not exists by_person on entries (person, card)")
        except sqlite3.Error as error:
            raise BadInput(f"{path}: cannot be used for answers ({error}).") from None

    @contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        db = sqlite3.connect(self.path, timeout=20, isolation_level=None)  # every statement is a transaction of its own
        try:
            db.execute("pragma synchronous = full")  # an answer outlives the machine's power, not the process alone
            yield db
        finally:
            db.close()

    def put(self, person: str, card: str, digest: str, value: str | None, note: str = "", seconds: float = 0.0) -> None:
        """Adds an entry; without a value it takes the answer back."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._open() as db:
            db.execute(
                "insert into entries (person, card, digest, value, note, seconds, at) values (?, ?, ?, ?, ?, ?, ?)",
                (person, card, digest, value, note, seconds, at),
            )

    def given(self, person: str | None = None) -> list[Given]:
        """The answers that stand, of one person or of all, in the order in which they were given."""
        last = "select max(id) from entries group by person, card"
        asked = f"select person, card, digest, value, note, seconds, at from entries where id in ({last}) and value is not null"  # noqa: S608 - no word of a user in it
        with self._open() as db:
            if person is None:
                rows = db.execute(f"{asked} order by id").fetchall()
            else:
                rows = db.execute(f"{asked} and person = ? order by id", (person,)).fetchall()
        return [Given(*row) for row in rows]
