"""The loop that asks a model and writes down what it says. What is on record is never asked again."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from isovist.core.answers import Outcome
from isovist.dataset.rows import Row
from isovist.errors import BadInput
from isovist.models import Inspected, Model, Request, ask
from isovist.run.folder import RunFolder, RunInfo, now
from isovist.run.records import Log, Record, final, hashed, judged, read

Progress = Callable[[Record], None]


@dataclass(slots=True)
class Tally:
    """How the items of a run ended."""

    outcomes: Counter[Outcome] = field(default_factory=Counter["Outcome"])
    asked: int = 0
    """Requests sent now; the others were on record."""

    @property
    def total(self) -> int:
        return sum(self.outcomes.values())


def run(folder: RunFolder, info: RunInfo, model: Model, progress: Progress = lambda record: None) -> Tally:
    """Asks the model every item of the run that has no verdict yet.

    Machine faults are recorded as such and asked again by the next call. Raises BadInput if the model answers nothing
    at all, KeyboardInterrupt after what was under way has been put down.
    """
    with folder.locked():
        known = final(read(folder.records))
        log = Log(folder.records)
        try:
            tally = asyncio.run(_loop(folder.rows(info, whole=True), info, model, known, log, progress))
        finally:
            log.close()
    folder.write(replace(info, finished=now()))
    return tally


async def _loop(rows: Iterator[Row], info: RunInfo, model: Model, known: dict[str, Record], log: Log, progress: Progress) -> Tally:
    tally = Tally()
    silent = 0  # machine faults in a row, as long as nothing else has come back
    patience = max(5, 2 * info.options.concurrency)

    async def worker() -> None:
        nonlocal silent
        for row in rows:  # one iterator for all workers: each takes the next item when it is free
            before = known.get(row.id)
            if before is not None and before.outcome != "error":
                tally.outcomes[before.outcome] += 1
                progress(before)
                continue
            record = await _asked(row, info.style, model, before.attempt + 1 if before else 1)
            log.append(record)
            tally.outcomes[record.outcome] += 1
            tally.asked += 1
            progress(record)
            silent = silent + 1 if record.outcome == "error" and silent >= 0 else -1 if record.outcome != "error" else silent
            if silent >= patience:
                raise BadInput(f"{info.model}: none of {silent} requests was answered, so the run stops. The last fault: {record.error}")

    workers = [asyncio.create_task(worker()) for _ in range(info.options.concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        if isinstance(model, Inspected):
            await model.close()
    return tally


async def _asked(row: Row, style: str, model: Model, attempt: int) -> Record:
    prompt = row.styled(style)
    reply = await ask(model, Request(row.id, prompt, row.images), row.key)
    outcome, value, parsed = judged(reply, row.key)
    return Record(
        item_id=row.id,
        prompt_hash=hashed(prompt.encode()),
        image_hashes=[hashed(image) for image in row.images],
        attempt=attempt,
        reply=reply.text,
        reasoning=reply.reasoning,
        outcome=outcome,
        value=value,
        parsed=parsed,
        usage=reply.usage,
        latency_s=round(reply.latency_s, 4),
        finish_reason=reply.finish,
        error=reply.error,
        served_by=reply.served_by,
    )
