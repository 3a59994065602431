"""The loop that asks a model and writes down what it says. What is on record is never asked again."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from isovist.core.answers import Outcome
from isovist.errors import UserError
from isovist.models import InspectModel, Model, ModelRequest, ModelResponse, SimulatedModel, ask
from isovist.models.request_errors import too_long
from isovist.run.captions import Captions
from isovist.run.captions import read as captions_of
from isovist.run.cost_estimate import CostEstimate
from isovist.run.pricing import Price
from isovist.run.records import (
    AttemptRecord,
    Name,
    RecordWriter,
    TrialResult,
    hashed,
    latest_trial_results,
    outcome_of,
    read,
    score_as_published,
)
from isovist.run.run_folder import RunFolder, RunMetadata
from isovist.run.trial_queue import FixedTrialSource, TrialSource
from isovist.run.variants import Trial

Progress = Callable[[Outcome], object]
Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class RunLimits:
    """When to leave off. `attempts` counts the records of an item, over all sessions."""

    attempts: int = 5
    price: Price | None = None
    budget_usd: float | None = None


@dataclass(slots=True)
class RunSummary:
    """How the items of a run ended."""

    outcomes: Counter[Outcome] = field(default_factory=Counter["Outcome"])
    requested: int = 0
    """Items asked now, each in each of its variants; the others were on record."""
    failed_permanently: int = 0
    """Items that failed as often as the limit allows, and were not asked again."""
    over_budget: bool = False
    last_fault: str = ""
    last_cut: AttemptRecord | None = None
    """The last reply that was truncated now."""
    warned: bool = False
    """Whether it was said that many replies are truncated."""

    @property
    def total(self) -> int:
        return sum(self.outcomes.values())

    @property
    def answered(self) -> int:
        return self.total - self.outcomes["error"]


def run(
    folder: RunFolder,
    info: RunMetadata,
    model: Model,
    limits: RunLimits | None = None,
    progress: Progress = lambda outcome: None,
    feed: TrialSource | None = None,
    estimate: CostEstimate | None = None,
    say: Say = lambda words: None,
) -> RunSummary:
    """Asks the model whatever of the run has no verdict yet. `progress` is told the outcome of each item in each variant. The items
    are those of the run's data, unless they come from a `feed`. What a user should know at once is said in lines: that an `estimate`
    was far off, that replies are cut off.

    The first item is asked alone, and the next as well if it is not answered. Machine faults are recorded as such and asked again by the next call. Raises UserError
    if the model answers nothing at all or a fault will not go away, KeyboardInterrupt after what was under way has been
    put down.
    """
    limits = limits or RunLimits()
    with folder.locked():
        costs = [limits.price.of(record.usage) for record in read(folder.records)] if limits.price else []
        spent, priced = sum(costs), len(costs)
        known = latest_trial_results(folder.records)
        log = RecordWriter(folder.records)
        captions: Captions | None = None
        try:
            if info.image_mode == "caption-first":
                if limits.price:
                    spent += sum(limits.price.of(caption.usage) for caption in captions_of(folder.captions))
                captions = Captions(folder.captions, {name for name, verdict in known.items() if verdict.outcome != "error"})
            asked = feed or FixedTrialSource(folder.askings(info))
            loop = _Loop(asked, info, model, known, log, captions, progress, limits, (spent, priced), estimate, say)
            asyncio.run(loop.run())
        finally:
            log.close()
            if captions:
                captions.close()
    return loop.tally


class _Loop:
    """One session of a run."""

    def __init__(
        self, feed: TrialSource, info: RunMetadata, model: Model, known: dict[Name, TrialResult], log: RecordWriter, captions: Captions | None,
        progress: Progress, limits: RunLimits, spent: tuple[float, int], estimate: CostEstimate | None, say: Say,
    ) -> None:  # fmt: skip
        self.tally = RunSummary()
        self._feed = feed  # one for all workers: each takes the next when it is free
        self._known = known
        self._info, self._model, self._log, self._progress, self._limits = info, model, log, progress, limits
        self._captions = captions
        self._estimate, self._say = estimate, say
        (self._spent, self._priced), self._under_way = spent, 0  # US dollars, and the askings that they are for
        self._answered = False
        answered_before = any(verdict.outcome != "error" for verdict in known.values())
        # what is left of a run may be its few impossible items, so more of them must fail before it is given up
        self._most_unanswered = max(5, 2 * info.options.concurrency) if answered_before else _FIRST
        self._faults = 0  # machine faults in a row, as long as nothing else has come back
        self._lasting = 0  # lasting faults in a row

    async def run(self) -> None:
        """Raises UserError for a model that answers nothing."""
        workers: list[asyncio.Task[bool]] = []
        try:
            while not self._answered and self._faults < _FIRST:
                if not await self._work(once=True):
                    break
            workers += [asyncio.create_task(self._work()) for _ in range(self._info.options.concurrency)]
            await asyncio.gather(*workers)
        finally:
            for task in workers:
                task.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            if not isinstance(self._model, SimulatedModel):
                await self._model.close()

    async def _work(self, *, once: bool = False) -> bool:
        """Asks what is left, or only `once`. Returns whether anything may be left."""
        while (asking := await self._feed.next()) is not None:
            before = self._known.get(asking.trial_id)
            if before is not None and (before.outcome != "error" or before.attempt >= self._limits.attempts):
                self.tally.failed_permanently += before.outcome == "error"
                self._count(before.outcome)
                continue
            if self._over_budget():
                self.tally.over_budget = True
                self._feed.close()
                return False
            self._under_way += 1
            try:
                reply, record, usages = await self._asked(asking, before.attempt + 1 if before else 1)
            finally:
                self._under_way -= 1
            self._log.append(record)
            self.tally.requested += 1
            self._count(record.outcome)
            if self._limits.price:
                self._spent += sum(map(self._limits.price.of, (record.usage, *usages)))
                self._priced += 1
            self._correct(asking, record, usages)
            self._warn_of_cuts(record)
            self._stop_if_hopeless(reply)
            self._feed.ended(asking, record)
            if once:
                return True
        return False

    async def _asked(self, asking: Trial, attempt: int) -> tuple[ModelResponse, AttemptRecord, tuple[dict[str, int], ...]]:
        """The reply, its record, and the tokens of the requests that went before it."""

        async def send(request: ModelRequest) -> ModelResponse:
            return await ask(self._model, request, asking.key)

        fault, usages = None, ()
        if self._captions:
            described = await self._captions.described(asking, send)
            asking, fault, usages = described.asking, described.fault, described.usages
        reply = fault or await send(ModelRequest(asking.row.id, asking.prompt, asking.images, asking.variant))
        return reply, _record(asking, reply, attempt), usages

    def _count(self, outcome: Outcome) -> None:
        self.tally.outcomes[outcome] += 1
        self._progress(outcome)

    def _correct(self, asking: Trial, record: AttemptRecord, usages: Sequence[Mapping[str, int]]) -> None:
        """Says the estimate again by the first reply whose tokens were counted, if it was far off."""
        if self._estimate is None or record.outcome == "error" or not record.usage.get("input_tokens"):
            return
        before, self._estimate = self._estimate, None
        counted = sum(usage.get("input_tokens", 0) for usage in (record.usage, *usages))
        after = before.corrected(asking, counted, record.latency_s, captions=self._captions is not None)
        if before.differs(after):
            options = self._info.options
            self._say(
                f"the model counts {counted:,} tokens for the first item, so the estimate was off by a factor of "
                f"{after.tokens / max(before.tokens, 1):.2g}: {after.summary_line(self._limits.price, options.concurrency, options.max_tokens)}"
            )

    def _warn_of_cuts(self, record: AttemptRecord) -> None:
        """Says once that replies are cut off, when it is no longer a matter of a few."""
        if record.outcome != "truncated":
            return
        self.tally.last_cut = record
        if not self.tally.warned and self.tally.outcomes["truncated"] >= _MANY_CUT:
            self.tally.warned = True
            self._say(cut_off(self.tally, self._info))

    def _over_budget(self) -> bool:
        """Whether one more request, as dear as the others were, may cost more than is left."""
        if self._limits.budget_usd is None:
            return False
        mean = self._spent / self._priced if self._priced else 0.0
        return self._spent + mean * (self._under_way + 1) > self._limits.budget_usd

    def _stop_if_hopeless(self, reply: ModelResponse) -> None:
        self._answered = self._answered or not reply.error
        self.tally.last_fault = reply.error or self.tally.last_fault
        self._faults = self._faults + 1 if reply.error else 0
        self._lasting = self._lasting + 1 if reply.error and reply.is_permanent_error else 0
        name, fault = self._info.model, reply.error
        if not self._answered and (self._faults >= self._most_unanswered or self._lasting):
            raise UserError(
                f"{name}: none of {self._faults} requests was answered, so the run stops. The last fault: {fault}{remedy(fault, self._info, self._model)}"
            )
        if self._lasting >= _MOST_LASTING:
            raise UserError(f"{name}: refuses every request by now, so the run stops; the same command goes on. The last fault: {fault}")


def cut_off(tally: RunSummary, info: RunMetadata) -> str:
    """How many replies are truncated, and what to do."""
    words = f"{tally.outcomes['truncated']} of {tally.answered} replies are truncated, and a truncated reply has no answer: "
    limit = f"they ran into the limit of {info.options.max_tokens:,} tokens; stop with Ctrl-C, and run in a new folder with a larger --max-tokens"
    return words + (limit_elsewhere(tally, info) or limit)


def limit_elsewhere(tally: RunSummary, info: RunMetadata) -> str:
    """What to do where the last truncated reply ended before the limit that it was asked with; "" where it did not."""
    last, most = tally.last_cut, info.options.max_tokens
    written = last.usage.get("output_tokens", 0) if last else 0
    if not 0 < written < most:
        return ""
    return (
        f"the last one ended after {written:,} tokens, before --max-tokens {most}, so the server or the model's context sets "
        "the limit; serve it with a longer context, or ask with smaller pictures"
    )


def remedy(fault: str, info: RunMetadata, model: Model) -> str:
    """What can be done about a fault that is about lengths, as a sentence that follows it; nothing for another fault."""
    if not too_long(fault):
        return ""
    context = model.context if isinstance(model, InspectModel) else None
    known = f" of {context:,} tokens" if context else ""
    captions = ", one picture at a time (--image-mode caption-first)" if info.image_mode == "joint" else ""
    return (
        f". Prompt and reply must fit into the model's context{known}: ask with smaller pictures (--image-size, for fresh items){captions} or a "
        f"lower --max-tokens (now {info.options.max_tokens}), or serve the model with a longer context length"
    )


_MANY_CUT = 10  # truncated replies after which it is said
_FIRST = 3  # items asked one by one until one of them is answered
_MOST_LASTING = 5


def _record(asking: Trial, reply: ModelResponse, attempt: int) -> AttemptRecord:
    item, variant = asking.trial_id
    outcome, value, parsed = outcome_of(reply, asking.key)
    return AttemptRecord(
        item_id=item,
        variant=variant,
        prompt_hash=hashed(asking.prompt.encode()),
        image_hashes=[hashed(image) for image in asking.images],
        attempt=attempt,
        reply=reply.text,
        reasoning=reply.reasoning,
        outcome=outcome,
        value=value,
        parsed=parsed,
        usage=reply.usage,
        latency_s=round(reply.latency_s, 4),
        finish_reason=reply.finish_reason,
        error=reply.error,
        served_by=reply.served_by,
        published=score_as_published(asking.row.task, reply, asking.key),
    )
