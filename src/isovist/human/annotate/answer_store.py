"""Answers in a SQLite file: every one is on the disk before the page goes on, and none is ever overwritten."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from isovist.errors import UserError
from isovist.human.annotate.database import Database, FileSchema

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
    "name another file with --answers",
)


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a person answered last to a card. `digest` is that of the card as it was shown, `seconds` how long it was on the
    screen, `at` the time in UTC.
    """

    annotator: str
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
        """Raises UserError if the file is none of ours, or if there is none and it is not to be made."""
        if not create and not path.exists():
            raise UserError(f"{path}: nobody has answered yet.")
        self.path = path
        self._file = Database(path, _KIND)

    def put(self, person: str, card: str, digest: str, value: str | None, note: str = "", seconds: float = 0.0) -> None:
        """Adds an entry; without a value it takes the answer back."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._file.open() as db:
            db.execute(
                "insert into entries (person, card, digest, value, note, seconds, at) values (?, ?, ?, ?, ?, ?, ?)",
                (person, card, digest, value, note, seconds, at),
            )

    def given(self, person: str | None = None) -> list[Annotation]:
        """The answers that stand, of one person or of all, in the order in which they were given."""
        last = "select max(id) from entries group by person, card"
        asked = f"select person, card, digest, value, note, seconds, at from entries where id in ({last}) and value is not null"  # noqa: S608 - no word of a user in it
        with self._file.open() as db:
            if person is None:
                rows = db.execute(f"{asked} order by id").fetchall()
            else:
                rows = db.execute(f"{asked} and person = ? order by id", (person,)).fetchall()
        return [Annotation(*row) for row in rows]
