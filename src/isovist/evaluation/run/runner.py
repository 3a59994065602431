"""Evaluation of a model: sends the requests of a run and records the responses. Recorded trials are not repeated."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from isovist.common.errors import UserError
from isovist.core.answers import Outcome
from isovist.data.dataset.pictures import converted
from isovist.evaluation.models import InspectModel, Model, ModelRequest, ModelResponse, SimulatedModel, ask
from isovist.evaluation.models.request_errors import too_long
from isovist.evaluation.run.captions import Captions
from isovist.evaluation.run.captions import read as captions_of
from isovist.evaluation.run.cost_estimate import CostEstimate
from isovist.evaluation.run.pricing import Price
from isovist.evaluation.run.recorded_trials import RecordedTrials, size_of
from isovist.evaluation.run.records import AttemptRecord, RecordWriter, hashed, hashed_image, outcome_of, score_as_published
from isovist.evaluation.run.remaining_trials import RemainingTrials, remaining_trials
from isovist.evaluation.run.run_folder import RunFolder, RunMetadata
from isovist.evaluation.run.trial_queue import FixedTrialSource, TrialSource
from isovist.evaluation.run.variants import STRUCTURED, Trial

Progress = Callable[[Outcome, float | None], object]
Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class RunLimits:
    """When a run stops. `attempts` limits the records of an item, over all sessions."""

    attempts: int = 5
    price: Price | None = None
    budget_usd: float | None = None


@dataclass(slots=True)
class RunSummary:
    """Outcomes of the trials of a run."""

    outcomes: Counter[Outcome] = field(default_factory=Counter["Outcome"])
    requested: int = 0
    """Trials evaluated in this session; the others were already recorded."""
    failed_permanently: int = 0
    """Trials that reached the limit of attempts."""
    over_budget: bool = False
    last_fault: str = ""
    last_cut: AttemptRecord | None = None
    """The last truncated response of this session."""
    schemas_refused: int = 0
    """Structured replies of this session that were requested as free text, as the server refused the schema."""
    warned: bool = False
    """Whether the warning about truncated responses was printed."""
    n_new: int = 0
    """Trials with their first record in this session, of a run with a fixed order of trials."""
    image_sizes: Counter[str] = field(default_factory=Counter["str"])
    """The number of their images by size."""

    @property
    def total(self) -> int:
        return sum(self.outcomes.values())

    @property
    def answered(self) -> int:
        return self.total - self.outcomes["request_error"]


def run(
    folder: RunFolder,
    info: RunMetadata,
    model: Model,
    limits: RunLimits | None = None,
    progress: Progress = lambda outcome, cost: None,
    feed: TrialSource | None = None,
    estimate: CostEstimate | None = None,
    say: Say = lambda message: None,
    remaining: RemainingTrials | None = None,
) -> RunSummary:
    """Evaluate the model on all trials of the run that have no score yet.

    The first requests are sent one by one until one succeeds. Request errors are recorded and retried by the next call.

    Args:
        folder: the run folder; it is locked during the evaluation.
        info: the metadata of the run.
        model: the model.
        limits: when to stop.
        progress: called with the outcome of each trial, and the cost so far in US dollars, None without prices.
        feed: the source of trials; the data of the run by default.
        estimate: the cost estimate, which is corrected by the first response.
        say: called with warnings, such as for truncated responses.
        remaining: the trials without a score, if they have been determined.

    Raises:
        UserError: if no request succeeds, or an error is permanent.
        KeyboardInterrupt: after the open requests have been cancelled.
    """
    limits = limits or RunLimits()
    with folder.locked():
        if feed is None and (remaining is None or remaining.recorded.n_bytes != size_of(folder.records)):  # another process has ended
            remaining = remaining_trials(folder, info, limits.price)
        known = RecordedTrials.read(folder.records, limits.price) if feed or not remaining else remaining.recorded
        spent, priced = known.spent_usd, known.n_records if limits.price else 0
        source = FixedTrialSource(remaining.trials()) if remaining else None
        log = RecordWriter(folder.records)
        captions: Captions | None = None
        try:
            if info.image_mode == "caption-first":
                if limits.price:
                    spent += sum(limits.price.of(caption.usage) for caption in captions_of(folder.captions))
                captions = Captions(folder.captions, known)
            loop = _Loop(
                feed or source or FixedTrialSource(iter(())),
                info,
                model,
                known,
                log,
                captions,
                progress,
                limits,
                (spent, priced),
                estimate,
                say,
            )
            loop.count_known(remaining.outcomes if source and remaining else {})
            _completed(loop.run())
            if source:
                loop.tally.n_new, loop.tally.image_sizes = source.n_new, source.image_sizes
        finally:
            log.close()
            if captions:
                captions.close()
    return loop.tally


def _completed(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end; in a thread of its own where an event loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    loop = asyncio.new_event_loop()

    def run_there() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(work)

    with ThreadPoolExecutor(1) as thread:
        done, task = thread.submit(run_there), asyncio.current_task()
        try:
            while not wait([done], 0.2).done:
                if task and task.cancelling():  # asyncio.run turns Ctrl-C into a cancellation
                    raise KeyboardInterrupt
            done.result()
        except KeyboardInterrupt:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(loop)])
            raise


class _Loop:
    """One session of a run."""

    def __init__(
        self, feed: TrialSource, info: RunMetadata, model: Model, known: RecordedTrials, log: RecordWriter, captions: Captions | None,
        progress: Progress, limits: RunLimits, spent: tuple[float, int], estimate: CostEstimate | None, say: Say,
    ) -> None:  # fmt: skip
        self.tally = RunSummary()
        self._feed = feed  # shared by all workers
        self._known = known
        self._info, self._model, self._log, self._progress, self._limits = info, model, log, progress, limits
        self._captions = captions
        self._estimate, self._say = estimate, say
        (self._spent, self._priced), self._under_way = spent, 0  # US dollars, and the number of trials with this cost
        self._answered = False
        answered_before = known.n_scored > 0
        # the rest of an interrupted run may be items that always fail, so more of them must fail before the run stops
        self._most_unanswered = max(5, 2 * info.options.concurrency) if answered_before else _FIRST
        self._faults = 0  # consecutive request errors
        self._lasting = Counter[str]()  # consecutive permanent errors of each endpoint

    async def run(self) -> None:
        """Raises UserError if no request succeeds."""
        workers: list[asyncio.Task[bool]] = []
        server = self._model if isinstance(self._model, InspectModel) else None
        for notice in server.notices if server else ():
            self._say(notice)
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
            if server and (endpoints := server.pool.summary()):
                self._say(endpoints)

    async def _work(self, *, once: bool = False) -> bool:
        """Evaluate the remaining trials, or one with `once`. Returns whether trials may remain."""
        while (trial := await self._feed.next()) is not None:
            before = self._known.get(trial.trial_id)
            if before is not None and (before.outcome != "request_error" or before.attempt >= self._limits.attempts):
                self.tally.failed_permanently += before.outcome == "request_error"
                self._count(before.outcome)
                continue
            if self._over_budget():
                self.tally.over_budget = True
                self._feed.close()
                return False
            self._under_way += 1
            try:
                reply, record, usages = await self._evaluate(trial, before.attempt + 1 if before else 1)
            finally:
                self._under_way -= 1
            self._log.append(record)
            self.tally.requested += 1
            if self._limits.price:
                self._spent += sum(map(self._limits.price.of, (record.usage, *usages)))
                self._priced += 1
            self._count(record.outcome)
            self._correct_estimate(trial, record, usages)
            self._warn_of_cuts(record)
            self._warn_of_refused_schema(record)
            self._stop_if_hopeless(reply)
            self._feed.ended(trial, record)
            if once:
                return True
        return False

    async def _evaluate(self, trial: Trial, attempt: int) -> tuple[ModelResponse, AttemptRecord, tuple[dict[str, int], ...]]:
        """The response, its record, and the token usage of the caption requests before it."""

        async def send(request: ModelRequest) -> ModelResponse:
            if (image_format := self._info.options.image_format) != "unchanged":
                request = replace(request, images=tuple(converted(image, image_format) for image in request.images))
            return await ask(self._model, request, trial.key)

        fault, usages = None, ()
        if self._captions:
            captioned = await self._captions.described(trial, send)
            trial, fault, usages = captioned.trial, captioned.fault, captioned.usages
        reply = fault or await send(ModelRequest(trial.row.id, trial.prompt, trial.images, trial.variant, trial.schema))
        return reply, _record(trial, reply, attempt), usages

    def count_known(self, outcomes: Mapping[Outcome, int]) -> None:
        """Count the trials that were scored before this session."""
        for outcome, count in outcomes.items():
            for _ in range(count):
                self._count(outcome)

    def _count(self, outcome: Outcome) -> None:
        self.tally.outcomes[outcome] += 1
        self._progress(outcome, self._spent if self._limits.price else None)

    def _correct_estimate(self, trial: Trial, record: AttemptRecord, usages: Sequence[Mapping[str, int]]) -> None:
        """Print a corrected estimate after the first response with a token count, if the estimate was far off."""
        if self._estimate is None or record.outcome == "request_error" or not record.usage.get("input_tokens"):
            return
        before, self._estimate = self._estimate, None
        counted = sum(usage.get("input_tokens", 0) for usage in (record.usage, *usages))
        after = before.corrected(trial, counted, record.latency_s, captions=self._captions is not None)
        if before.differs(after):
            options = self._info.options
            self._say(
                f"{counted:,} input tokens for the first item: the estimate changes by a factor of "
                f"{after.tokens / max(before.tokens, 1):.2g}. {after.summary_line(self._limits.price, options.concurrency, options.max_tokens)}"
            )

    def _warn_of_cuts(self, record: AttemptRecord) -> None:
        """Warn once about truncated responses."""
        if record.outcome != "truncated":
            return
        self.tally.last_cut = record
        if not self.tally.warned and self.tally.outcomes["truncated"] >= _MANY_CUT:
            self.tally.warned = True
            self._say(cut_off(self.tally, self._info))

    def _warn_of_refused_schema(self, record: AttemptRecord) -> None:
        """Warn once that the server refuses JSON schemas."""
        if record.schema_refused and not self.tally.schemas_refused:
            self._say(f"The server refuses the JSON schema of structured replies ({record.schema_refused}): free text is used instead.")
        self.tally.schemas_refused += bool(record.schema_refused)

    def _over_budget(self) -> bool:
        """Whether another request of mean cost may exceed the limit."""
        if self._limits.budget_usd is None:
            return False
        mean = self._spent / self._priced if self._priced else 0.0
        return self._spent + mean * (self._under_way + 1) > self._limits.budget_usd

    def _stop_if_hopeless(self, reply: ModelResponse) -> None:
        self._answered = self._answered or not reply.error
        self.tally.last_fault = reply.error or self.tally.last_fault
        self._faults = self._faults + 1 if reply.error else 0
        lasting = self._lasting[reply.endpoint] = self._lasting[reply.endpoint] + 1 if reply.error and reply.is_permanent_error else 0
        name, fault = self._info.model, f"{reply.error}{f', of {reply.endpoint}' if reply.endpoint else ''}"
        if not self._answered and (self._faults >= self._most_unanswered or lasting):
            raise UserError(
                f"No response to {self._faults} requests (last: {fault}): {name}. {remedy(fault, self._info, self._model) or 'Check the model and run the command again.'}"
            )
        if lasting >= _MOST_LASTING:
            raise UserError(
                f"{lasting} permanent errors in a row (last: {fault}): {name}. Fix the cause and run the same command again to resume."
            )


def cut_off(tally: RunSummary, info: RunMetadata) -> str:
    """The number of truncated responses, and what to do."""
    count = f"{tally.outcomes['truncated']} of {tally.answered} responses are truncated before an answer. "
    limit = f"The limit is {info.options.max_tokens:,} tokens. Stop with Ctrl-C and use a new folder with a larger --max-tokens."
    return count + (limit_elsewhere(tally, info) or limit)


def limit_elsewhere(tally: RunSummary, info: RunMetadata) -> str:
    """What to do if the last truncated response ended before the requested limit; "" if it did not."""
    last, most = tally.last_cut, info.options.max_tokens
    written = last.usage.get("output_tokens", 0) if last else 0
    if not 0 < written < most:
        return ""
    return (
        f"The last one ended after {written:,} tokens, before --max-tokens {most}: the server or the context length of the model sets the "
        "limit. Serve the model with a longer context, or use smaller images."
    )


def remedy(fault: str, info: RunMetadata, model: Model) -> str:
    """What to do about an error of length, as a sentence; "" for another error."""
    if not too_long(fault):
        return ""
    context = model.context if isinstance(model, InspectModel) else None
    known = f" of {context:,} tokens" if context else ""
    captions = ", one image at a time (--image-mode caption-first)" if info.image_mode == "joint" else ""
    return (
        f"Prompt and response exceed the model's context{known}. Use smaller images (--image-size, for new items){captions} or a lower "
        f"--max-tokens (now {info.options.max_tokens}), or serve the model with a longer context."
    )


_MANY_CUT = 10  # truncated responses before the warning
_FIRST = 3  # trials sent one by one until one succeeds
_MOST_LASTING = 5  # consecutive permanent errors that stop a run


def _record(trial: Trial, reply: ModelResponse, attempt: int) -> AttemptRecord:
    item, variant = trial.trial_id
    outcome, value, parsed = outcome_of(reply, trial.key, structured=variant == STRUCTURED)
    return AttemptRecord(
        item_id=item,
        variant=variant,
        prompt_hash=hashed(trial.prompt.encode()),
        image_hashes=[hashed_image(image) for image in trial.images],
        attempt=attempt,
        response=reply.text,
        reasoning=reply.reasoning,
        outcome=outcome,
        credit=value,
        parsed_answer=parsed,
        usage=reply.usage,
        latency_s=round(reply.latency_s, 4),
        finish_reason=reply.finish_reason,
        error=reply.error,
        served_by=reply.served_by,
        published_credit=None if variant == STRUCTURED else score_as_published(trial.row.task, reply, trial.key),
        schema_refused=reply.schema_refused,
        endpoint=reply.endpoint,
        moved_from=list(reply.moved_from),
    )
