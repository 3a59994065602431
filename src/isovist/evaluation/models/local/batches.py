"""Batching of concurrent requests, which one thread processes."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event

from isovist.evaluation.models.base import ModelRequest, ModelResponse

Stop = Event
Work = Callable[[list[ModelRequest], Stop], list[ModelResponse]]

_WAIT_S = 0.01
"""Seconds that an incomplete batch waits for more requests."""
_OUT_OF_MEMORY = ("out of memory", "allocate memory", "not enough memory")  # CUDA and Metal; the CPU on Linux; on Windows

_BROKEN = "CUDA error"  # unlike a lack of memory, this error makes the device unusable for the process


class Batches:
    """Collects concurrent requests into batches of at most `most`, processed one after the other in one thread."""

    def __init__(self, work: Work, most: int) -> None:
        self._work = work
        self._most = most
        self._thread = ThreadPoolExecutor(1, "isovist-local")
        self._waiting: list[tuple[ModelRequest, asyncio.Future[ModelResponse]]] = []
        self._drain: asyncio.Task[None] | None = None
        self._full = asyncio.Event()
        self._stop = Stop()

    async def reply(self, request: ModelRequest) -> ModelResponse:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if len(self._waiting) >= self._most:
            self._full.set()
        if self._drain is None or self._drain.done():
            self._drain = asyncio.create_task(self._drained())
        return await future

    def close(self) -> None:
        """Stop the current batch at its next token, and release the model."""
        self._stop.set()
        self._work = _closed
        if self._drain is not None:
            self._drain.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _drained(self) -> None:
        """Process all waiting requests. After a cancellation, the current batch stops: the thread must not outlive the event loop."""
        try:
            while self._waiting:
                await self._collected()
                batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
                batch = [(request, future) for request, future in batch if not future.done()]  # cancelled requests
                if batch:
                    await self._answered(batch)
        finally:
            for _, future in self._waiting:
                future.cancel()
            self._waiting = []

    async def _collected(self) -> None:
        self._full = asyncio.Event()
        if len(self._waiting) < self._most:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._full.wait(), _WAIT_S)

    async def _answered(self, batch: list[tuple[ModelRequest, asyncio.Future[ModelResponse]]]) -> None:
        stop = self._stop = Stop()

        def abandoned(future: asyncio.Future[ModelResponse]) -> None:
            del future
            if all(future.cancelled() for _, future in batch):
                stop.set()

        for _, future in batch:
            future.add_done_callback(abandoned)
        try:
            replies = await asyncio.get_running_loop().run_in_executor(self._thread, self._work, [request for request, _ in batch], stop)
            for (_, future), reply in zip(batch, replies, strict=True):
                if not future.done():
                    future.set_result(reply)
        except Exception as error:  # noqa: BLE001 - passed on to the waiting requests
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
        finally:
            stop.set()
            for _, future in batch:
                future.cancel()


def _closed(*_: object) -> list[ModelResponse]:
    raise RuntimeError("the model is closed")


class BatchResult:
    """The responses of a batch, with errors isolated to their requests.

    After an out-of-memory error, `free` is called, the batch is halved, and later batches are not larger. After another error, the requests
    are processed one by one, and a failing one gets an `error`.
    """

    def __init__(self, replies: Work, free: Callable[[], None]) -> None:
        self._replies, self._free = replies, free
        self._most = sys.maxsize

    def __call__(self, requests: list[ModelRequest], stop: Stop) -> list[ModelResponse]:
        size = self._most
        if len(requests) <= size:
            try:
                return self._replies(requests, stop)
            except Exception as error:  # noqa: BLE001 - any exception of a model is recorded as a request error
                message, full = one_line(error), out_of_memory(error)
            size = 1
            if full:
                self._free()  # outside of the except block, where the exception no longer references tensors
                size = self._most = (len(requests) + 1) // 2
            if len(requests) == 1:
                return [ModelResponse(error=message, finish_reason="error", is_permanent_error=_BROKEN in message)]
        parts = (requests[i : i + size] for i in range(0, len(requests), size))
        return [reply for part in parts for reply in self(part, stop)]


def out_of_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or any(words in str(error).lower() for words in _OUT_OF_MEMORY)


def one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:500].rstrip(".: ")
