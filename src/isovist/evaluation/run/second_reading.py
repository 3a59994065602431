"""A second reader: a model that extracts the answers of unparsed responses, in addition to the strict parser.

It receives the text of a response and the answer format, never the question, the images or the key. It also reads a sample of parsed
responses, which measures its own errors. Its readings are stored in `second_reading.jsonl`; scores and records do not change.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from pathlib import Path

from isovist.common import json_lines
from isovist.common.errors import UserError
from isovist.core.answers import Answer, Outcome, Score
from isovist.core.answers.extraction.normalize import LONGEST, strip_thinking
from isovist.data.prompts import second_reading
from isovist.evaluation.models import Model, ModelRequest, ModelResponse, SimulatedModel, ask
from isovist.evaluation.run.records import UNREAD, RecordWriter, at, hashed, latest_trial_results, outcome_of, placed
from isovist.evaluation.run.run_folder import RunFolder
from isovist.evaluation.run.variants import STANDARD

SECOND_READING = "second_reading.jsonl"
READ_AGAIN: tuple[Outcome, ...] = ("unparsed", "refused")
"""Outcomes that the parser decides by the text. Empty, filtered and truncated responses have no complete text."""
_UNCLEAR = re.compile(r"\W*(?:answer\W*)?unclear\W*", re.IGNORECASE)
_MOST_FAULTS = 3  # consecutive request errors that end the reading


@dataclass(frozen=True, slots=True)
class SecondReading:
    """What a reader stated about one response in the standard condition."""

    item_id: str
    reader: str
    """The name of the model."""
    prompt_hash: str
    """Of the prompt, which contains the response."""
    reading: str
    """The text of the reader."""
    parsed_answer: str | None
    """The answer in this text; None if the reader found none."""
    strict_answer: str | None
    """The answer of the strict parser; None for an unparsed response."""
    usage: dict[str, int] = field(default_factory=dict[str, int])
    finish_reason: str = "stop"
    served_by: str = ""


_NAMES = tuple(field.name for field in fields(SecondReading))


@dataclass(slots=True)
class ReadingSummary:
    """One session of a reader."""

    requested: int = 0
    failed: int = 0
    """Requests without a response; the next session sends them again."""
    last_fault: str = ""


def readings(path: Path) -> Iterator[SecondReading]:
    """The complete readings of a file, in order; none without a file. Raises UserError for a damaged line."""
    return (reading for _, reading in placed(path, SecondReading))


def score_reading(reading: SecondReading, key: Answer) -> Score:
    """The score of the answer that the reader found, by the strict parser."""
    lines = strip_thinking(reading.reading).strip().splitlines()
    if not lines or _UNCLEAR.fullmatch(lines[-1]):
        return Score("unparsed")
    return Score(*outcome_of(ModelResponse(reading.reading, finish_reason=reading.finish_reason), key))


def requests(folder: RunFolder, keys: Mapping[str, tuple[str, Answer]], n_check: int) -> Iterator[tuple[ModelRequest, Answer, str | None]]:
    """The request, the key and the strict answer of each response to read: all unparsed ones, and a sample of `n_check` parsed ones."""
    results = {item: result for (item, variant), result in latest_trial_results(folder.records).items() if variant == STANDARD}
    unparsed = [item for item, result in results.items() if result.outcome in READ_AGAIN and result.finish_reason != "refusal"]
    parsed = [item for item, result in results.items() if result.is_scored and result.outcome not in UNREAD]
    sample = sorted(parsed, key=lambda item: sha256(item.encode()).digest())[:n_check]
    for item in (*unparsed, *sample):
        if item not in keys:
            raise UserError(f"Record of an item outside the run: {item}. Restore the data of the run.")
        response = strip_thinking(at(folder.records, results[item].place).response)[-LONGEST:].strip()
        _, key = keys[item]
        if response:
            yield ModelRequest(item, second_reading(key, response), ()), key, results[item].parsed_answer


def require_reader(model: Model) -> None:
    """Raises UserError for a simulated model, which would receive the keys."""
    if isinstance(model, SimulatedModel):
        raise UserError(f"Reader is a simulated model: {model.name}. Use a model that reads text.")


def read_again(
    folder: RunFolder,
    keys: Mapping[str, tuple[str, Answer]],
    reader: Model,
    *,
    n_check: int = 50,
    concurrency: int = 8,
    progress: Callable[[], object] = lambda: None,
) -> ReadingSummary:
    """Let a model read the unparsed responses of a run and a sample of the parsed ones; stored readings are not requested again.

    Args:
        folder: The run; it is locked.
        keys: Task and key of each item. The key decides the answer format; it is not sent.
        reader: The model.
        n_check: Number of parsed responses in the sample.
        concurrency: Concurrent requests.
        progress: Called after each response or error.

    Raises:
        UserError: The reader is a simulated model, or does not respond.
    """
    require_reader(reader)
    path = folder.path / SECOND_READING
    with folder.locked():
        known = {(reading.reader, reading.prompt_hash, reading.item_id) for reading in readings(path)}
        work = [
            (request, key, strict)
            for request, key, strict in requests(folder, keys, n_check)
            if (reader.name, hashed(request.prompt.encode()), request.item_id) not in known
        ]
        session = _Session(reader, RecordWriter(path), progress)
        try:
            asyncio.run(session.run(work, concurrency))
        finally:
            session.writer.close()
    return session.summary


class _Session:
    """The requests of one session."""

    def __init__(self, reader: Model, writer: RecordWriter, progress: Callable[[], object]) -> None:
        self.summary = ReadingSummary()
        self.writer = writer
        self._reader, self._progress = reader, progress
        self._faults = 0  # consecutive

    async def run(self, work: list[tuple[ModelRequest, Answer, str | None]], concurrency: int) -> None:
        pending = iter(work)  # shared by all workers

        async def worker() -> None:
            for request, key, strict in pending:
                await self._read(request, key, strict)

        tasks = [asyncio.ensure_future(worker()) for _ in range(min(concurrency, len(work)))]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if not isinstance(self._reader, SimulatedModel):
                await self._reader.close()

    async def _read(self, request: ModelRequest, key: Answer, strict: str | None) -> None:
        reply = await ask(self._reader, request, key)
        self._faults = self._faults + 1 if reply.error else 0
        if reply.error:
            self.summary.failed, self.summary.last_fault = self.summary.failed + 1, reply.error
            if reply.is_permanent_error or self._faults >= _MOST_FAULTS:
                raise UserError(
                    f"No response of the reader (last: {reply.error}): {self._reader.name}. Fix the cause and run the same command again to resume."
                )
        else:
            reading = SecondReading(
                *(request.item_id, self._reader.name, hashed(request.prompt.encode()), reply.text, None, strict),
                *(reply.usage, reply.finish_reason, reply.served_by),
            )
            values = {name: getattr(reading, name) for name in _NAMES} | {"parsed_answer": score_reading(reading, key).parsed_answer}
            self.writer.write(json_lines.line(values).encode())
            self.summary.requested += 1
        self._progress()
