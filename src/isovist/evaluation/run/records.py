"""The records of a run: `records.jsonl`, an append-only file with one line per attempt."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from sys import intern
from typing import Protocol, TypeVar

from isovist.common import json_lines
from isovist.common.canary import unmarked
from isovist.common.errors import UserError
from isovist.common.json_decoding import decode
from isovist.common.regular_files import require_regular
from isovist.core.answers import Answer, Outcome
from isovist.core.answers.structured import score_structured
from isovist.evaluation.models.base import ModelResponse
from isovist.evaluation.models.finish_reasons import end_of
from isovist.suites import registry

RECORDS = "records.jsonl"
_LONGEST_S = 1e9  # of a request: 30 years
_MOST_TOKENS = 10**12  # of an attempt

UNREAD: tuple[Outcome, ...] = ("unparsed", "empty", "refused", "filtered", "truncated")
"""Outcomes without a parsed answer: scored with no credit, no information about perception."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One attempt at one item."""

    item_id: str
    prompt_hash: str
    image_hashes: list[str]
    attempt: int
    response: str
    reasoning: str
    outcome: Outcome
    credit: float
    parsed_answer: str | None
    usage: dict[str, int] = field(default_factory=dict[str, int])
    latency_s: float = 0.0
    finish_reason: str = "stop"
    error: str = ""
    served_by: str = ""
    variant: str = ""
    """The variant, such as "no-image"; "" for the standard condition."""
    published_credit: float | None = None
    """The credit by the scorer of the paper, if there is one."""
    schema_refused: str = ""
    """The error with which the server refused the JSON schema of a structured reply; then the response is free text."""
    endpoint: str = ""
    """The base URL of the server, in a run with several."""
    moved_from: list[str] = field(default_factory=list[str])
    """The endpoints on which the request failed before."""

    def __post_init__(self) -> None:
        """Raises ValueError for a score, time or count that is impossible, and would ruin every mean and sum."""
        if not (0 <= self.credit <= 1 and 0 <= (self.published_credit or 0) <= 1 and 0 <= self.latency_s < _LONGEST_S):
            raise ValueError("give credits from 0 to 1, and a possible latency_s")
        if not all(0 <= count < _MOST_TOKENS for count in self.usage.values()):
            raise ValueError("give possible counts in usage")


_NAMES = tuple(field.name for field in fields(AttemptRecord))
_OF_SEVERAL_ENDPOINTS = ("endpoint", "moved_from")
"""Fields that other runs do not have."""


def hashed(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def hashed_image(image: bytes) -> str:
    """The hash of an image file without its canary, so that runs on data from before the canary can be compared."""
    return hashed(unmarked(image))


def outcome_of(reply: ModelResponse, answer: Answer, *, structured: bool = False) -> tuple[Outcome, float, str | None]:
    """Outcome, credit and parsed answer. An external reason (filter, token limit, refusal) takes precedence over the text.

    A response that ended for an unknown reason may lack its end: it is truncated.

    `structured`: the response was requested in a JSON schema. If the server refused the schema, free text counts as well.
    """
    end = end_of(reply.finish_reason)
    if reply.error:
        return "request_error", 0.0, None
    if end == "filtered":
        return "filtered", 0.0, None
    score = score_structured(answer, reply.text) if structured else None
    if end in ("truncated", "unknown") and (score is None or score.parsed_answer is None):
        return "truncated", 0.0, None  # a closed JSON object is final, even if white space after it reached the limit
    if end == "refused":
        return "refused", 0.0, None
    if score is None or (reply.schema_refused and score.parsed_answer is None):
        score = answer.score(reply.text)
    return score.outcome, score.credit, score.parsed_answer


def score_as_published(task: str, reply: ModelResponse, answer: Answer) -> float | None:
    """The credit by the scorer of the paper; None without a scorer and for a request error."""
    scorer = registry.published_scorer(task)
    return None if reply.error or scorer is None else scorer(reply.text, answer)


def read(path: Path) -> Iterator[AttemptRecord]:
    """All complete records. Incomplete lines are skipped (see `interrupted`); other damage raises UserError."""
    return (record for _, record in placed(path, AttemptRecord))


def placed(path: Path, kind: type[T], start: int = 0, end: int | None = None) -> Iterator[tuple[int, T]]:
    """All complete lines of a file as dataclasses, with their byte offsets. Raises UserError as `read` does.

    `start` and `end` limit the offsets; `start` must be the start of a line.
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
                raise UserError(f"Invalid record ({error}): {path}, line {number}. Fix the line or move the file.") from None


def interrupted(path: Path) -> list[int]:
    """The numbers of incomplete lines: a crash leaves a line without its end, a power failure leaves zero bytes."""
    return [number for number, _, _, cut in _lines(path) if cut]


def _lines(path: Path, start: int = 0) -> Iterator[tuple[int, int, bytes, bool]]:
    """Number, byte offset, content and incompleteness of each line; none without a file.

    A record contains no zero byte, so the content after the last zero byte may be a record.
    """
    place = start
    try:
        require_regular(path)
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
    if not line.strip():
        raise ValueError("a blank line")
    try:
        return decode(kind, line, extra="ignore")
    except ValueError:
        if b"\\ud" not in line.lower():
            raise
    # the decoder rejects lone surrogates, which other tools write
    try:
        data = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return decode(kind, json_lines.line(data).encode(), extra="ignore")


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals over requests."""

    served_by: tuple[str, ...] = ()
    """The model names that servers reported, sorted."""
    attempts: int = 0
    seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Totals) -> Totals:
        served = self.served_by if self.served_by == other.served_by else tuple(sorted({*self.served_by, *other.served_by}))
        return Totals(
            served,
            self.attempts + other.attempts,
            self.seconds + other.seconds,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )


class RequestUsage(Protocol):
    """A recorded request."""

    @property
    def served_by(self) -> str: ...
    @property
    def latency_s(self) -> float: ...
    @property
    def usage(self) -> dict[str, int]: ...


def totals(records: Iterable[RequestUsage]) -> Totals:
    return sum(map(_usage, records), Totals())


def _usage(record: RequestUsage) -> Totals:
    served_by, tokens = (record.served_by,) if record.served_by else (), record.usage.get
    return Totals(served_by, 1, record.latency_s, tokens("input_tokens", 0), tokens("output_tokens", 0))


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The result of a trial without its response text, to save memory: the facts of the record that counts."""

    outcome: Outcome
    credit: float
    parsed_answer: str | None
    attempt: int
    """Number of the last attempt."""
    place: int
    """Byte offset of the record that counts."""
    published_credit: float | None = None
    finish_reason: str = "stop"
    served_by: str = ""
    latency_s: float = 0.0
    totals: Totals = Totals()
    schema_refused: bool = False
    """Of all attempts."""

    @property
    def is_scored(self) -> bool:
        """Whether there is a response: request errors have no score."""
        return self.outcome != "request_error"


Name = tuple[str, str]
"""A trial: the item id and the variant."""


def latest_trial_results(path: Path) -> dict[Name, TrialResult]:
    """The result of each trial: its last record without a request error, else its last record."""
    return counting(placed(path, AttemptRecord))


def counting(records: Iterable[tuple[int, AttemptRecord]]) -> dict[Name, TrialResult]:
    """As `latest_trial_results`, for records with their byte offsets."""
    results: dict[Name, TrialResult] = {}
    for place, record in records:
        parsed = None if record.parsed_answer is None else intern(record.parsed_answer)  # equal texts as one object, to save memory
        result = TrialResult(
            *(record.outcome, record.credit, parsed, record.attempt, place, record.published_credit),
            *(intern(record.finish_reason), intern(record.served_by), record.latency_s, _usage(record), bool(record.schema_refused)),
        )
        _count(results, (intern(record.item_id), intern(record.variant)), result)
    return results


def add_later(results: dict[Name, TrialResult], later: Mapping[Name, TrialResult]) -> None:
    """Add the results of later records of a run to those of the earlier ones."""
    for name, result in later.items():
        _count(results, name, result)


def _count(results: dict[Name, TrialResult], name: Name, new: TrialResult) -> None:
    known = results.get(name)
    if known is None:
        results[name] = new
    elif known.is_scored and not new.is_scored:
        results[name] = replace(known, attempt=new.attempt, totals=known.totals + new.totals)
    else:
        results[name] = replace(new, totals=known.totals + new.totals)


def at(path: Path, place: int) -> AttemptRecord:
    """The record at a byte offset."""
    with path.open("rb") as file:
        file.seek(place)
        return _decoded(AttemptRecord, file.readline())


class RecordWriter:
    """A file of records, open for appending without buffering."""

    def __init__(self, path: Path) -> None:
        self._path = path
        _drop_torn_line(path)
        self._file = path.open("ab", buffering=0)

    def append(self, record: AttemptRecord) -> None:
        """Raises OSError if the disk is full; no incomplete line remains."""
        self.write(line_of(record))

    def write(self, line: bytes) -> None:
        """Write a line with its newline. Raises OSError as `append` does."""
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
    for name in _OF_SEVERAL_ENDPOINTS:
        if not values[name]:
            del values[name]
    return json_lines.line(values).encode()


def _drop_torn_line(path: Path) -> None:
    """Remove an incomplete last line, so that the next record starts on a new line."""
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
