"""The record of a run: `records.jsonl`, one line an attempt, only ever appended to."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Protocol, TypeVar

from isovist import json_lines, registry
from isovist.core.answers import Answer, Outcome
from isovist.errors import UserError
from isovist.json_decoding import decode
from isovist.models.base import ModelResponse

RECORDS = "records.jsonl"

UNREAD: tuple[Outcome, ...] = ("unparsed", "empty", "refused", "filtered", "truncated")
"""Outcomes in which no answer was read: they count as no credit, and say nothing about what a model sees."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One attempt at one item."""

    item_id: str
    prompt_hash: str
    image_hashes: list[str]
    attempt: int
    reply: str
    reasoning: str
    outcome: Outcome
    value: float
    parsed: str | None
    usage: dict[str, int] = field(default_factory=dict[str, int])
    latency_s: float = 0.0
    finish_reason: str = "stop"
    error: str = ""
    served_by: str = ""
    variant: str = ""
    """How the item was asked otherwise than as it is, such as "no-image"."""
    published: float | None = None
    """The credit by the scorer of the task's paper, where there is one."""


_NAMES = tuple(field.name for field in fields(AttemptRecord))


def hashed(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def outcome_of(reply: ModelResponse, answer: Answer) -> tuple[Outcome, float, str | None]:
    """Outcome, credit and what was read. What stopped the reply from outside comes before what is in it."""
    if reply.error:
        return "error", 0.0, None
    if reply.finish_reason == "content_filter":
        return "filtered", 0.0, None
    if reply.finish_reason in ("max_tokens", "model_length"):
        return "truncated", 0.0, None
    if reply.finish_reason == "refusal":
        return "refused", 0.0, None
    score = answer.score(reply.text)
    return score.outcome, score.value, score.parsed


def score_as_published(task: str, reply: ModelResponse, answer: Answer) -> float | None:
    """The credit by the scorer of the task's paper; None without one, and for a machine fault."""
    scorer = registry.published_scorer(task)
    return None if reply.error or scorer is None else scorer(reply.text, answer)


def read(path: Path) -> Iterator[AttemptRecord]:
    """All whole records. A line that was cut off is passed over, as `interrupted` tells; any other damage raises UserError."""
    return (record for _, record in placed(path, AttemptRecord))


def placed(path: Path, kind: type[T], start: int = 0, end: int | None = None) -> Iterator[tuple[int, T]]:
    """All whole lines of a file as dataclasses, with the places in the file where they begin. Raises UserError as `read` does.

    With `start` and `end`, those that begin between the two; `start` has to be the beginning of one.
    """
    for number, place, line, cut in _lines(path, start):
        if end is not None and place >= end:
            return
        if cut and not line:
            continue
        try:
            yield place, _decoded(kind, line)
        except ValueError as error:
            if not cut:
                raise UserError(f"{path}, line {number}: not a record ({error}); mend that line, or move the file away.") from None


def interrupted(path: Path) -> list[int]:
    """The numbers of the lines that were cut off while they were written: a crash leaves a line without its end, and the loss of
    power leaves zero bytes where a line was to be.
    """
    return [number for number, _, _, cut in _lines(path) if cut]


def _lines(path: Path, start: int = 0) -> Iterator[tuple[int, int, bytes, bool]]:
    """The lines of a file, none if there is no file: number, place, what may be a record in it, and whether it was cut off. No
    record holds a zero byte, so one may stand behind the last of them.
    """
    place = start
    try:
        with path.open("rb") as lines:
            lines.seek(start)
            for number, line in enumerate(lines, 1):
                left, zeros, right = line.rpartition(b"\0")
                if not line.endswith(b"\n"):
                    yield number, place, b"", True
                elif zeros:
                    yield number, place + len(left) + 1, right.strip(), True
                else:
                    yield number, place, line, False
                place += len(line)
    except FileNotFoundError:
        return


def _decoded(kind: type[T], line: bytes) -> T:
    try:
        return decode(kind, line, extra="ignore")
    except ValueError:
        if b"\\ud" not in line.lower():
            raise
    # half a surrogate pair, as other tools write it, is no text to the decoder
    try:
        data = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return decode(kind, json_lines.line(data).encode(), extra="ignore")


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What counts of an item's records, without their words: a run of many long replies must fit into memory."""

    outcome: Outcome
    value: float
    parsed: str | None
    attempt: int
    """The last one."""
    place: int
    """Where in the file the record begins that counts."""
    published: float | None = None


Name = tuple[str, str]
"""What a verdict belongs to: an item's id, and the variant in which it was asked."""


def latest_trial_results(path: Path) -> dict[Name, TrialResult]:
    """What counts for each item on record: its last record that is no machine fault, else its last."""
    return counting(placed(path, AttemptRecord))


def counting(records: Iterable[tuple[int, AttemptRecord]]) -> dict[Name, TrialResult]:
    """The same of records with their places in the file."""
    results: dict[Name, TrialResult] = {}
    for place, record in records:
        name = record.item_id, record.variant
        known = results.get(name)
        if known is not None and known.outcome != "error" and record.outcome == "error":
            results[name] = replace(known, attempt=record.attempt)
        else:
            results[name] = TrialResult(record.outcome, record.value, record.parsed, record.attempt, place, record.published)
    return results


@dataclass(frozen=True, slots=True)
class Totals:
    """What some requests come to."""

    served_by: tuple[str, ...]
    attempts: int
    seconds: float
    input_tokens: int
    output_tokens: int


class RequestUsage(Protocol):
    """A request that is on record."""

    @property
    def served_by(self) -> str: ...
    @property
    def latency_s(self) -> float: ...
    @property
    def usage(self) -> dict[str, int]: ...


def totals(records: Iterable[RequestUsage]) -> Totals:
    served: set[str] = set()
    attempts, seconds, sent, received = 0, 0.0, 0, 0
    for record in records:
        served |= {record.served_by} - {""}
        attempts += 1
        seconds += record.latency_s
        sent += record.usage.get("input_tokens", 0)
        received += record.usage.get("output_tokens", 0)
    return Totals(tuple(sorted(served)), attempts, seconds, sent, received)


def at(path: Path, place: int) -> AttemptRecord:
    """The record that begins at a place in the file."""
    with path.open("rb") as file:
        file.seek(place)
        return _decoded(AttemptRecord, file.readline())


def scored(path: Path, verdict: TrialResult) -> AttemptRecord:
    """The record that counts, with the verdict that was made of its reply."""
    return replace(
        at(path, verdict.place),
        outcome=verdict.outcome,
        value=verdict.value,
        parsed=verdict.parsed,
        published=verdict.published,
    )


class RecordWriter:
    """A file of records, open for appending. A line is on its way to the disk before `append` returns."""

    def __init__(self, path: Path) -> None:
        self._path = path
        _drop_torn_line(path)
        self._file = path.open("ab", buffering=0)

    def append(self, record: AttemptRecord) -> None:
        """Raises OSError if the disk is full; then no half line stays behind."""
        self.write(line_of(record))

    def write(self, line: bytes) -> None:
        """A line with its end. Raises OSError as `append` does."""
        size = self._file.seek(0, os.SEEK_END)
        try:
            written = self._file.write(line)
            if written < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))
        except OSError as error:
            os.truncate(self._path, size)
            raise OSError(error.errno, error.strerror, str(self._path)) from error

    def close(self) -> None:
        self._file.close()


def line_of(record: AttemptRecord) -> bytes:
    values = {name: getattr(record, name) for name in _NAMES}  # `asdict` copies every list and dictionary
    return json_lines.line(values).encode()


def _drop_torn_line(path: Path) -> None:
    """Cuts off a last line that a crash left without its end, so that the next record starts on its own line."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        end = file.seek(0, os.SEEK_END)
        back = end
        while back > 0:
            step = min(4096, back)
            file.seek(back - step)
            newline = file.read(step).rfind(b"\n")
            if newline >= 0:
                file.truncate(back - step + newline + 1)
                return
            back -= step
        file.truncate(0)
