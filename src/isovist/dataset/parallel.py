"""Work on many files, in several processes: each file as it is done, few begun at a time."""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from threading import current_thread, main_thread
from typing import Any, TypeVar

from isovist import registry
from isovist.dataset.manifest import DataPart

T = TypeVar("T")


def run_parallel(work: Callable[..., T], jobs: Sequence[tuple[Any, ...]], workers: int) -> Iterator[T]:
    """What `work(*job)` gives for each job, as soon as it is there; in this process for one worker or one job."""
    if workers <= 1 or len(jobs) <= 1:
        yield from (work(*job) for job in jobs)
        return
    with _pool(min(workers, len(jobs))) as pool:
        waiting = iter(jobs)
        # a few ahead, so that an interrupted run has little to throw away
        with _unheard():
            running = {pool.submit(_one, work, *job) for job in islice(waiting, 2 * workers)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in finished)
            with _unheard():
                running |= {pool.submit(_one, work, *job) for job in islice(waiting, len(finished))}


# A terminal sends Ctrl-C to all processes. A worker that waits for its next job says nothing of it, and begins no other.
_at_work = _stopped = False


def _started(task_files: Sequence[str]) -> None:
    for path in task_files:
        registry.load_file(path)
    signal.signal(signal.SIGINT, _interrupted)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@contextmanager
def _unheard() -> Generator[None]:
    """Start processes that hear of Ctrl-C only when `_started` has run: before, they would print a traceback from their imports.

    They inherit that it is blocked. Here it waits as well, since a process that is half started prints one too; another thread
    may get the signal, so a handler holds it back.
    """
    before = signal.getsignal(signal.SIGINT)
    if not hasattr(signal, "pthread_sigmask") or before is None or current_thread() is not main_thread():
        yield
        return
    held: list[int] = []

    def hold(number: int, frame: object) -> None:
        del frame
        held.append(number)

    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if held:
            signal.raise_signal(signal.SIGINT)


def _interrupted(*_: object) -> None:
    global _stopped  # noqa: PLW0603 - of this process
    _stopped = True
    if _at_work:
        raise KeyboardInterrupt


def _one(work: Callable[..., T], *job: Any) -> T:
    global _at_work  # noqa: PLW0603 - of this process
    if _stopped:
        raise KeyboardInterrupt
    _at_work = True
    try:
        return work(*job)
    finally:
        _at_work = False


def prepare(parts: Iterable[DataPart]) -> None:
    """Draws one scene here, if there are any: what has to be compiled for it is so once, not in each worker, and what is
    missing for it is told in one line.
    """
    for part in {part.task: part for part in parts if part.n}.values():
        item = part.items()[0]
        if item.scenes3d:
            item.pixels()
            return


@contextmanager
def _pool(workers: int) -> Generator[ProcessPoolExecutor]:
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_started, initargs=(registry.loaded_files(),))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
