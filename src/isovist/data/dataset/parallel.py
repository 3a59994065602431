"""Parallel processing of files in several processes, with a limited number of pending jobs; `ray_executor` has the same for a cluster."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from multiprocessing import forkserver, get_context, resource_tracker
from multiprocessing.context import BaseContext
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from isovist.data.dataset.manifest import DataPart
from isovist.data.dataset.parquet import skip_pandas
from isovist.suites import registry

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

T = TypeVar("T")
Progress = Callable[[int], object]
_POLL_S = 0.5
PRELOADED = ("isovist.data.item", "isovist.data.prompt_template", "PIL.Image")
"""What the server imports for all workers: half of their imports. None starts a thread, as NumPy and PyArrow do: to fork is safe."""


class Executor(Protocol):
    """Runs jobs; `run_parallel` is one.

    A job may run more than once, if a worker dies. The work is a function of a module, its arguments can be pickled.
    """

    def __call__(
        self, work: Callable[..., T], jobs: Sequence[tuple[Any, ...]], workers: int, progress: Progress | None = None
    ) -> Iterator[T]:
        """The results of `work(*job)` for all jobs, in any order. `workers`: processes on this machine.

        `progress` may be called with what the jobs `report`; an executor for a cluster does not call it.
        """
        ...


_watch: Progress | None = None  # where `report` of this process sends


def report(n: int) -> bool:
    """Report `n` finished units of a job while it runs. Returns whether anything receives them."""
    if _watch is not None:
        _watch(n)
    return _watch is not None


def run_parallel(
    work: Callable[..., T], jobs: Sequence[tuple[Any, ...]], workers: int, progress: Progress | None = None
) -> Iterator[T]:  # fmt: skip
    """The results of `work(*job)` for all jobs, in order of completion; in this process for one worker or one job."""
    global _watch  # noqa: PLW0603 - state of the process
    if workers <= 1 or len(jobs) <= 1:
        before, _watch = _watch, progress
        try:
            yield from (work(*job) for job in jobs)
        finally:
            _watch = before
        return
    context = _context()
    count = context.Value("q") if progress else None
    seen = 0
    with _process_pool(context, min(workers, len(jobs)), count) as pool:
        waiting = iter(jobs)
        # few pending jobs, so that an interrupted run discards little work
        with _interrupts_blocked():
            running = {pool.submit(_run_job, work, *job) for job in islice(waiting, 2 * workers)}
        while running:
            finished, running = wait(running, _POLL_S if progress else None, FIRST_COMPLETED)
            if progress and count and (now := count.value) > seen:
                progress(now - seen)
                seen = now
            yield from (future.result() for future in finished)
            with _interrupts_blocked():
                running |= {pool.submit(_run_job, work, *job) for job in islice(waiting, len(finished))}


def _context() -> BaseContext:
    """How worker processes start: in a command on Linux, forked from a server that has imported `PRELOADED`; otherwise spawned.

    The process of a user may have a server with other modules, or change after its start.
    """
    if "isovist.cli" in sys.modules and sys.platform == "linux":
        resource_tracker.ensure_running()  # the server starts it otherwise, which would end the block of Ctrl-C
        context = get_context("forkserver")
        context.set_forkserver_preload(list(PRELOADED))
        try:
            with _interrupts_blocked():
                forkserver.ensure_running()
        except OSError:  # its socket is in the temporary folder, whose path may be too long for one
            return get_context("spawn")
        return context
    return get_context("spawn")


# A terminal sends Ctrl-C to all processes. An idle worker exits without a message and starts no other job.
_at_work = _stopped = False


def _started(task_files: Sequence[str], count: Synchronized[int] | None, environment: dict[str, str]) -> None:
    global _watch  # noqa: PLW0603 - state of the worker process
    os.environ.clear()  # the server may have started before a change, such as the name of a secret file
    os.environ.update(environment)
    skip_pandas()
    if count is not None:

        def add(n: int) -> None:
            with count.get_lock():
                count.value += n

        _watch = add
    for path in task_files:
        registry.load_file(path)
    signal.signal(signal.SIGINT, _interrupted)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@contextmanager
def _interrupts_blocked() -> Generator[None]:
    """Start worker processes that ignore Ctrl-C until `_started` has run; otherwise they would print a traceback from their imports.

    They inherit the blocked signal. This process also delays the signal, because a partly started process prints a traceback, too. Another
    thread may receive the signal, so a handler stores it.
    """
    before = signal.getsignal(signal.SIGINT)
    if not hasattr(signal, "pthread_sigmask") or before is None or current_thread() is not main_thread():
        yield
        return
    signals: list[int] = []

    def hold(number: int, frame: object) -> None:
        del frame
        signals.append(number)

    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if signals:
            signal.raise_signal(signal.SIGINT)


def _interrupted(*_: object) -> None:
    global _stopped  # noqa: PLW0603 - state of the worker process
    _stopped = True
    if _at_work:
        raise KeyboardInterrupt


def _run_job(work: Callable[..., T], *job: Any) -> T:
    global _at_work  # noqa: PLW0603 - state of the worker process
    if _stopped:
        raise KeyboardInterrupt
    _at_work = True
    try:
        return work(*job)
    finally:
        _at_work = False


def prepare(parts: Iterable[DataPart]) -> None:
    """Render one 3-D scene in this process, if any part has one: just-in-time compilation then runs once instead of in each worker,
    and a missing dependency raises one error.
    """
    for part in {part.task: part for part in parts if part.n}.values():
        item = part.items()[0]
        if item.scenes3d:
            item.pixels()
            return


@contextmanager
def _process_pool(context: BaseContext, workers: int, count: Synchronized[int] | None) -> Generator[ProcessPoolExecutor]:
    initial = registry.loaded_files(), count, dict(os.environ)
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_started, initargs=initial)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
