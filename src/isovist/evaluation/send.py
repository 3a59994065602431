"""Sends the requests of a run and records the responses. Recorded trials are not repeated."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from typing import Any

from isovist.common.errors import UserError
from isovist.common.progress import Progress
from isovist.core.answers import Outcome
from isovist.data.dataset.pictures import converted, shown
from isovist.evaluation.console import Console
from isovist.evaluation.models import Model, ModelRequest, ModelResponse, RemoteModel, SimulatedModel, ask
from isovist.evaluation.models.connection_limit import MOST
from isovist.evaluation.models.finish_reasons import end_of, unknown_ends
from isovist.evaluation.prepare import Work
from isovist.evaluation.run.captions import Captions
from isovist.evaluation.run.captions import read as captions_of
from isovist.evaluation.run.cost_estimate import CostEstimate, image_sizes
from isovist.evaluation.run.pricing import RunLimits
from isovist.evaluation.run.records import AttemptRecord, RecordWriter, hashed, hashed_image, outcome_of, score_as_published
from isovist.evaluation.run.run_summary import RunSummary, cut_off, remedy
from isovist.evaluation.run.variants import STRUCTURED, Trial

_LOG = logging.getLogger(__name__)
_MANY_CUT = 10  # truncated responses before the warning
_FIRST = 3  # trials sent one by one until one succeeds
_MOST_LASTING = 5  # consecutive permanent errors that stop a run
_GRACE_S = 1.0  # after Ctrl-C, for responses that have arrived, and calls of a function that end soon


def send(work: Work, model: Model, limits: RunLimits, cost: CostEstimate, console: Console) -> RunSummary:
    """Evaluate the model on the trials of the run that have no score yet.

    The first requests are sent one by one until one succeeds. Request errors are recorded and retried by the next session.

    Raises:
        UserError: if no request succeeds, or an error is permanent.
        KeyboardInterrupt: after the open requests have been cancelled.
    """
    with console.bar(cost.trials) as bar, ExitStack() as files:
        log = files.enter_context(closing(RecordWriter(work.folder.records)))
        captions = None
        if work.info.image_mode == "caption-first":
            captions = files.enter_context(closing(Captions(work.folder.captions, work.trials.recorded)))
        requests = _Requests(work, model, limits, cost, log, captions, console, bar)
        try:
            _completed(requests.run())
        except UserError:
            if (stored := work.trials.stored(work.info, console)) != work.info:
                work.folder.write(stored)
            raise
    return requests.summary


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
                loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(loop) if task.get_coro() is work])
            raise


class _Requests:
    """The requests of one session, and their records."""

    def __init__(
        self, work: Work, model: Model, limits: RunLimits, cost: CostEstimate, log: RecordWriter, captions: Captions | None,
        console: Console, bar: Progress,
    ) -> None:  # fmt: skip
        self.summary = RunSummary(failed_permanently=work.trials.n_given_up)
        self._trials, self._info, self._model, self._limits = work.trials, work.info, model, limits  # the trials are shared by all workers
        self._log, self._captions, self._console, self._bar = log, captions, console, bar
        self._estimate = None if console.is_quiet or cost.requests <= 1 or cost.n_searches else cost
        known = work.trials.recorded
        self._spent, self._priced, self._under_way = known.spent_usd, 0, 0  # US dollars, the number of trials with this cost, open trials
        if limits.price:
            self._priced = known.n_records
            self._spent += sum(limits.price.of(caption.usage) for caption in captions_of(work.folder.captions)) if captions else 0
        self._pool = model.pool if isinstance(model, RemoteModel) and work.info.options.auto_concurrency else None
        self._limit = self._pool.limit_now if self._pool else work.info.options.concurrency
        self._limit_changed = asyncio.Event()
        self._ended = False  # whether no trial remains
        self._answered = False
        # the rest of an interrupted run may be items that always fail, so more of them must fail before the run stops
        self._most_unanswered = max(5, 2 * work.info.options.concurrency) if known.n_scored else _FIRST
        self._faults = 0  # consecutive request errors
        self._lasting = Counter[str]()  # consecutive permanent errors of each endpoint
        for outcome, count in work.trials.outcomes.items():
            for _ in range(count):
                self._count(outcome)

    async def run(self) -> None:
        """Raises UserError if no request succeeds. When it is cancelled, responses that have arrived are recorded before it ends."""
        workers: list[asyncio.Task[bool]] = []
        server = self._model if isinstance(self._model, RemoteModel) else None
        for notice in server.notices if server else ():
            self._say(notice)
        try:
            while not self._answered and self._faults < _FIRST:
                workers = [asyncio.create_task(self._work(once=True))]
                await _first_error(workers)
                if not workers[0].result():
                    break
            most = MOST * len(self._pool.endpoints) if self._pool else self._limit
            workers = [asyncio.create_task(self._work(number)) for number in range(most)]
            await _first_error(workers)
        except asyncio.CancelledError:
            self._trials.close()
            await asyncio.wait(workers, timeout=_GRACE_S)
            raise
        finally:
            for task in workers:
                task.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            if not isinstance(self._model, SimulatedModel):
                await self._model.close()
            if server and (endpoints := server.pool.summary()):
                self._say(endpoints)
            self.summary.connections = self._pool.limit if self._pool else 0

    async def _next(self, worker: int) -> Trial | None:
        """The next trial of a worker, as soon as the limit of concurrent requests includes it."""
        while worker >= self._limit and not self._ended:
            await self._limit_changed.wait()
        trial = await self._trials.next()
        if trial is None:
            self._ended = True
            self._limit_changed.set()
        return trial

    def _follow_limit(self) -> None:
        """Apply the limit of concurrent requests that the last responses have set."""
        if self._pool and (limit := self._pool.limit_now) != self._limit:
            self._limit = limit
            _LOG.info("Concurrent requests: %d", limit)
            self._limit_changed.set()
            self._limit_changed.clear()
            self._bar.note_connections(limit)

    async def _work(self, worker: int = 0, *, once: bool = False) -> bool:
        """Evaluate the remaining trials, or one with `once`. Returns whether trials may remain."""
        while (trial := await self._next(worker)) is not None:
            before = self._trials.recorded.get(trial.trial_id)
            if before is not None and (before.outcome != "request_error" or before.attempt >= self._limits.attempts):
                self.summary.failed_permanently += before.outcome == "request_error"
                self._count(before.outcome)
                continue
            if self._over_budget():
                self.summary.over_budget = True
                self._trials.close()
                continue
            self._under_way += 1
            try:
                reply, record, usages = await self._evaluate(trial, before.attempt + 1 if before else 1)
            finally:
                self._under_way -= 1
                self._follow_limit()
            self._log.append(record)
            self.summary.requested += 1
            if record.attempt == 1:
                self.summary.n_new += 1
                self.summary.image_sizes.update(image_sizes(trial))
            if self._limits.price:
                self._spent += sum(map(self._limits.price.of, (record.usage, *usages)))
                self._priced += 1
            self._count(record.outcome)
            self._correct_estimate(trial, record, usages)
            self._warn_of_unknown_end(record)
            self._warn_of_cuts(record)
            self._warn_of_refused_schema(record)
            self._stop_if_hopeless(reply)
            if result := self._trials.ended(trial, record):
                self._say(result)
            elif self._trials.status:
                self._bar.note(self._trials.status)
            if once:
                return True
        return False

    async def _evaluate(self, trial: Trial, attempt: int) -> tuple[ModelResponse, AttemptRecord, tuple[dict[str, int], ...]]:
        """The response, its record, and the token usage of the caption requests before it."""

        async def send(request: ModelRequest) -> ModelResponse:
            kind = self._info.options.image_format
            images = tuple(shown(image) if kind == "unchanged" else converted(image, kind) for image in request.images)
            request = replace(request, images=images)
            return await ask(self._model, request, trial.key)

        fault, usages = None, ()
        if self._captions:
            captioned = await self._captions.described(trial, send)
            trial, fault, usages = captioned.trial, captioned.fault, captioned.usages
        types = trial.distractor_types if isinstance(self._model, SimulatedModel) else ()
        reply = fault or await send(ModelRequest(trial.row.id, trial.prompt, trial.images, trial.variant, trial.schema, types))
        return reply, _record(trial, reply, attempt), usages

    def _count(self, outcome: Outcome) -> None:
        self.summary.outcomes[outcome] += 1
        self._bar.update(failed=outcome == "request_error", cost_usd=self._spent if self._limits.price else None)

    def _say(self, text: str) -> None:
        self._console.say(text, self._bar)

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

    def _warn_of_unknown_end(self, record: AttemptRecord) -> None:
        """Warn once about each finish reason that no table has; count responses that arrive as reasoning."""
        self.summary.n_only_reasoning += record.outcome == "empty" and bool(record.reasoning.strip())
        if end_of(record.finish_reason) == "unknown":
            self.summary.unknown_ends[record.finish_reason] += 1
            if self.summary.unknown_ends[record.finish_reason] == 1:
                self._say(unknown_ends({record.finish_reason: 1}))

    def _warn_of_cuts(self, record: AttemptRecord) -> None:
        """Warn once about truncated responses."""
        if record.outcome != "truncated":
            return
        self.summary.last_cut = record
        if not self.summary.warned and self.summary.outcomes["truncated"] >= _MANY_CUT:
            self.summary.warned = True
            self._say(cut_off(self.summary, self._info))

    def _warn_of_refused_schema(self, record: AttemptRecord) -> None:
        """Warn once that the server refuses JSON schemas."""
        if record.schema_refused and not self.summary.schemas_refused:
            self._say(f"The server refuses the JSON schema of structured replies ({record.schema_refused}): free text is used instead.")
        self.summary.schemas_refused += bool(record.schema_refused)

    def _over_budget(self) -> bool:
        """Whether another request of mean cost may exceed the limit."""
        if self._limits.budget_usd is None:
            return False
        mean = self._spent / self._priced if self._priced else 0.0
        return self._spent + mean * (self._under_way + 1) > self._limits.budget_usd

    def _stop_if_hopeless(self, reply: ModelResponse) -> None:
        self._answered = self._answered or not reply.error
        self.summary.first_fault = self.summary.first_fault or reply.error
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


async def _first_error(workers: Sequence[asyncio.Task[bool]]) -> None:
    """Wait until all end, or raise the first error. Unlike `gather` it does not cancel them when it is cancelled."""
    done, _ = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
    for task in done:
        task.result()


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
