"""The people of a study and their answers, in a SQLite file: each answer is on the disk before the page goes on, and none is doubled."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from isovist.human.annotate.database import Database, FileSchema
from isovist.human.study import participant_codes

PEOPLE = "people.sqlite"

_KIND = FileSchema(
    "the people of a study",
    0x49534F53,  # "ISOS"
    1,
    (
        """
create table if not exists people (
    id integer primary key,
    handle text not null unique,
    fingerprint text not null unique,
    made text not null,
    agreed text,
    place integer unique
)
""",
        """
create table if not exists answers (
    id integer primary key,
    person integer not null references people (id),
    item text not null,
    practice integer not null,
    reply text not null,
    seconds real not null,
    pauses integer not null,
    at text not null,
    unique (person, item)
)
""",
        # a table of its own, so that studies begun without it go on
        "create table if not exists vision (person integer primary key references people (id), told text not null)",
    ),
    "Choose another folder",
)
_PERSON = "select people.id, handle, made, agreed, place, told from people left join vision on person = people.id"

Vision = Literal["normal", "deficient", "unstated"]
"""What a person says of their own colour vision; `unstated` is who prefers not to say."""
VISIONS: tuple[Vision, ...] = get_args(Vision)


@dataclass(frozen=True, slots=True)
class Participant:
    id: int
    handle: str
    """The first part of the code, which is told in tables and exports."""
    made: str
    """When the code was made, in UTC."""
    agreed: str | None
    """When the person agreed to take part; None before that."""
    place: int | None
    """The person's place among those who have begun, from 0; None before the first question."""
    vision: Vision | None
    """What the person says of their colour vision; None where that was not asked yet."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person answered to an item. `seconds` from when its pictures were shown, without the `pauses`; `at` in UTC."""

    person: str
    """The handle."""
    item: str
    practice: bool
    reply: str
    seconds: float
    pauses: int
    at: str


class ParticipantStore:
    """The people of one study. Several processes and threads may use the file at once. Raises UserError for another file."""

    def __init__(self, folder: Path) -> None:
        self._file = Database(folder / PEOPLE, _KIND)

    def add(self) -> str:
        """A new person; the code, which is kept nowhere."""
        while True:
            code = participant_codes.fresh()
            try:
                with self._file.open() as db:
                    db.execute(
                        "insert into people (handle, fingerprint, made) values (?, ?, ?)",
                        (participant_codes.handle(code), participant_codes.fingerprint(code), _now()),
                    )
            except sqlite3.IntegrityError:
                continue  # the handle is taken
            return code

    def renew(self, handles: Sequence[str]) -> dict[str, str] | str:
        """New codes for people, by their handles, which stay, and with them order, answers and progress; the codes before are nobody's
        from then on. If somebody is unknown, that handle, and nothing is changed.
        """
        made = {handle: participant_codes.fresh(handle) for handle in handles}
        with self._file.open() as db:
            db.execute("begin immediate")
            for handle, code in made.items():
                changed = db.execute("update people set fingerprint = ? where handle = ?", (participant_codes.fingerprint(code), handle))
                if not changed.rowcount:
                    db.execute("rollback")
                    return handle
            db.execute("commit")
        return made

    def by_code(self, code: str) -> Participant | None:
        with self._file.open() as db:
            row = (
                db.execute(f"{_PERSON} where fingerprint = ?", (participant_codes.fingerprint(code),)).fetchone()
                if participant_codes.plain(code)
                else None
            )
        return None if row is None else Participant(*row)

    def all(self) -> list[Participant]:
        """Everybody, in the order in which they began; then those who have not."""
        with self._file.open() as db:
            return [Participant(*row) for row in db.execute(f"{_PERSON} order by place is null, place, people.id")]

    def agree(self, person: Participant) -> None:
        """Puts down that a person agreed to take part, once."""
        with self._file.open() as db:
            db.execute("update people set agreed = ? where id = ? and agreed is null", (_now(), person.id))

    def place(self, person: Participant) -> int:
        """The person's place among those who have begun; the next that is free for one who begins now."""
        with self._file.open() as db:
            db.execute(  # one statement, so that two who begin at once get two places
                "update people set place = (select coalesce(max(place) + 1, 0) from people) where id = ? and place is null", (person.id,)
            )
            return db.execute("select place from people where id = ?", (person.id,)).fetchone()[0]

    def see(self, person: Participant, vision: Vision) -> None:
        """Puts down what a person says of their colour vision; the last one counts."""
        with self._file.open() as db:
            db.execute("insert or replace into vision (person, told) values (?, ?)", (person.id, vision))

    def put(self, person: Participant, item: str, reply: str, seconds: float, pauses: int, *, practice: bool) -> None:
        """Adds an answer; a second one to the same item changes nothing, so that it may be sent again."""
        with self._file.open() as db:
            db.execute(
                "insert into answers (person, item, practice, reply, seconds, pauses, at) values (?, ?, ?, ?, ?, ?, ?)"
                " on conflict (person, item) do nothing",
                (person.id, item, practice, reply, seconds, pauses, _now()),
            )

    def answers(self, person: Participant | None = None, *, practice: bool = False) -> list[Answer]:
        """The answers of one person or of all, in the order in which they came; with `practice` those to practice items as well."""
        asked = (
            "select handle, item, practice, reply, seconds, pauses, at from answers join people on people.id = person"
            " where (? is null or person = ?) and (? or not practice) order by answers.id"
        )
        id = person.id if person else None
        with self._file.open() as db:
            return [Answer(row[0], row[1], bool(row[2]), *row[3:]) for row in db.execute(asked, (id, id, practice))]

    def remove(self, handles: Sequence[str]) -> list[str]:
        """Deletes people with all their answers, and overwrites what stood in the file; the handles that nobody has, before anything is
        deleted.
        """
        with self._file.open() as db:
            known = {handle for (handle,) in db.execute("select handle from people")}
            if unknown := [handle for handle in handles if handle not in known]:
                return unknown
            db.execute("pragma secure_delete = on")
            db.execute("begin immediate")
            for handle in handles:
                db.execute("delete from answers where person = (select id from people where handle = ?)", (handle,))
                db.execute("delete from vision where person = (select id from people where handle = ?)", (handle,))
                db.execute("delete from people where handle = ?", (handle,))
            db.execute("commit")
            db.execute("pragma wal_checkpoint(truncate)")
        return []


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
