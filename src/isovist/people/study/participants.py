"""The participants of a study, their codes and their answers, in a SQLite file.

Each answer is on disk before the page continues, and stored once. The first four characters of a code identify a participant in tables
and exports, the rest is secret.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal, get_args

from isovist.people.annotate.answer_store import Database, FileSchema

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
        # separate tables, so that older studies can continue
        "create table if not exists vision (person integer primary key references people (id), stated text not null)",
        "create table if not exists recruited (person integer primary key references people (id), service_id text not null unique)",
    ),
    "Choose another folder",
)
_PERSON = (
    "select people.id, handle, made, agreed, place, stated, service_id from people"
    " left join vision on vision.person = people.id left join recruited on recruited.person = people.id"
)

Vision = Literal["normal", "deficient", "unstated"]
"""Self-reported colour vision; `unstated`: prefers not to say."""
VISIONS: tuple[Vision, ...] = get_args(Vision)

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without 0, 1, I and O, which are easily confused."""

_GROUP = 4
_LENGTH = 3 * _GROUP


def new_code(handle: str = "") -> str:
    """A new code, such as "K7QM-4D2P-9XWF": a handle of 20 bits and a secret of 40 bits. With `handle`, a new code of that participant."""
    characters = handle + "".join(secrets.choice(ALPHABET) for _ in range(_LENGTH - len(handle)))
    return "-".join(characters[i : i + _GROUP] for i in range(0, _LENGTH, _GROUP))


def handle_of(code: str) -> str:
    """The public part of a code."""
    return plain_code(code)[:_GROUP]


def plain_code(code: str) -> str:
    """A typed code without separators; "" if invalid."""
    characters = "".join(character for character in code.upper() if character.isalnum())
    return characters if len(characters) == _LENGTH and set(characters) <= set(ALPHABET) else ""


def fingerprint(code: str) -> str:
    """A hash of a code; a study stores no codes."""
    return sha256(f"isovist study {plain_code(code)}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Participant:
    id: int
    handle: str
    """The first part of the code, which identifies the participant in tables and exports."""
    made: str
    """Creation time of the code, in UTC."""
    agreed: str | None
    """Time of consent, in UTC; None before it."""
    place: int | None
    """Order of the participant by start, from 0; None before the first question."""
    vision: Vision | None
    """Self-reported colour vision; None before it is stated."""
    service_id: str | None = None
    """The participant id of the recruiting service, from the address with which the page was opened."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A participant's answer. `seconds` is the response time from image onset, without `pauses`; `at` is in UTC."""

    person: str
    """The handle."""
    item: str
    practice: bool
    reply: str
    seconds: float
    pauses: int
    at: str


class ParticipantStore:
    """The participants of one study. Several processes and threads may use the file. Raises UserError for another kind of file."""

    def __init__(self, folder: Path) -> None:
        self._file = Database(folder / PEOPLE, _KIND)
        with self._file.open() as db:
            if "told" in {name for _, name, *_ in db.execute("pragma table_info(vision)")}:  # a study of an earlier version
                db.execute("alter table vision rename column told to stated")

    def add(self, service_id: str = "") -> str:
        """Create a participant; returns the code, which is not stored.

        `service_id`: the id of a recruiting service. An id that was used before gets a new code of its participant, or "" if that one has
        answered a question.
        """
        while True:
            code = new_code()
            try:
                with self._file.open() as db:
                    db.execute("begin immediate")
                    known = db.execute(
                        "select handle, people.id from people join recruited on person = people.id where service_id = ?", (service_id,)
                    )
                    if known := known.fetchone():
                        code = new_code(known[0])
                        db.execute("update people set fingerprint = ? where id = ?", (fingerprint(code), known[1]))
                        answered = db.execute("select 1 from answers where person = ?", known[1:]).fetchone()
                        db.execute("rollback" if answered else "commit")
                        return "" if answered else code
                    made = (handle_of(code), fingerprint(code), _now())
                    added = db.execute("insert into people (handle, fingerprint, made) values (?, ?, ?)", made).lastrowid
                    if service_id:
                        db.execute("insert into recruited (person, service_id) values (?, ?)", (added, service_id))
                    db.execute("commit")
            except sqlite3.IntegrityError:
                continue  # the handle is taken
            return code

    def renew(self, handles: Sequence[str]) -> dict[str, str] | str:
        """Replace the codes of participants; handles, item orders, answers and progress stay.

        Returns the new codes by handle, or an unknown handle; then nothing is changed.
        """
        codes = {handle: new_code(handle) for handle in handles}
        with self._file.open() as db:
            db.execute("begin immediate")
            for handle, code in codes.items():
                changed = db.execute("update people set fingerprint = ? where handle = ?", (fingerprint(code), handle))
                if not changed.rowcount:
                    db.execute("rollback")
                    return handle
            db.execute("commit")
        return codes

    def by_code(self, code: str) -> Participant | None:
        with self._file.open() as db:
            row = db.execute(f"{_PERSON} where fingerprint = ?", (fingerprint(code),)).fetchone()
        return Participant(*row) if row and plain_code(code) else None

    def all(self) -> list[Participant]:
        """All participants, by start; those who have not started are last."""
        with self._file.open() as db:
            return [Participant(*row) for row in db.execute(f"{_PERSON} order by place is null, place, people.id")]

    def agree(self, person: Participant) -> None:
        """Record the consent."""
        with self._file.open() as db:
            db.execute("update people set agreed = ? where id = ? and agreed is null", (_now(), person.id))

    def place(self, person: Participant) -> int:
        """The participant's order by start; assigned at the first call."""
        with self._file.open() as db:
            db.execute(  # one statement, so that concurrent starts get different places
                "update people set place = (select coalesce(max(place) + 1, 0) from people) where id = ? and place is null", (person.id,)
            )
            return db.execute("select place from people where id = ?", (person.id,)).fetchone()[0]

    def see(self, person: Participant, vision: Vision) -> None:
        """Record the self-reported colour vision; the last one counts."""
        with self._file.open() as db:
            db.execute("insert or replace into vision (person, stated) values (?, ?)", (person.id, vision))

    def put(self, person: Participant, item: str, reply: str, seconds: float, pauses: int, *, practice: bool) -> None:
        """Add an answer; a second one to the same item is ignored, so that requests can be repeated."""
        with self._file.open() as db:
            db.execute(
                "insert into answers (person, item, practice, reply, seconds, pauses, at) values (?, ?, ?, ?, ?, ?, ?)"
                " on conflict (person, item) do nothing",
                (person.id, item, practice, reply, seconds, pauses, _now()),
            )

    def answers(self, person: Participant | None = None, *, practice: bool = False) -> list[Answer]:
        """The answers of one participant or of all, in chronological order; with `practice`, including practice items."""
        query = (
            "select handle, item, practice, reply, seconds, pauses, at from answers join people on people.id = person"
            " where (? is null or person = ?) and (? or not practice) order by answers.id"
        )
        id = person.id if person else None
        with self._file.open() as db:
            return [Answer(row[0], row[1], bool(row[2]), *row[3:]) for row in db.execute(query, (id, id, practice))]

    def remove(self, handles: Sequence[str]) -> list[str]:
        """Delete participants with all their answers and overwrite them in the file.

        Returns the unknown handles; if there are any, nothing is deleted.
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
                db.execute("delete from recruited where person = (select id from people where handle = ?)", (handle,))
                db.execute("delete from people where handle = ?", (handle,))
            db.execute("commit")
            db.execute("pragma wal_checkpoint(truncate)")
        return []


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
