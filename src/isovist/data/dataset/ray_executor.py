"""Execution of jobs on a Ray cluster: `--executor ray`.

The unit of work is a file. Workers read and write files in a folder that all nodes share; results are small, and no image passes through
Ray. The cluster is that of RAY_ADDRESS; without it, Ray is started on this machine and stopped at the end.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, TypeVar
from uuid import uuid4

from isovist.common.errors import MissingDependencyError, UserError
from isovist.data.dataset.json_documents import PARTIAL
from isovist.data.dataset.manifest import MANIFEST, DataPart
from isovist.data.dataset.node_check import Requirements, Witness, check_node
from isovist.data.dataset.parallel import Executor, Progress

T = TypeVar("T")
ADDRESS = "RAY_ADDRESS"
_STORE_BYTES = 100 * 2**20  # Ray's least is 75 MiB; by default it reserves 30% of the memory
_RETRIES = 5  # of a job whose worker or node dies
_REACHABLE_S = 5.0
_NO_CPU_S = 300.0  # a cluster that starts its nodes on demand has none at first
_CANCEL_S = 5.0


@contextmanager
def ray_executor(folder: Path, *, writes: bool, most_jobs: int | None = None) -> Generator[Executor]:
    """An executor on the Ray cluster of RAY_ADDRESS, or on one started on this machine; it is started with the first job.

    `folder`: the dataset folder; `writes`: whether the jobs write to it. `most_jobs`: the number of jobs at a time; by default, all CPUs of
    the cluster are used. Raises MissingDependencyError without the package ray.
    """
    if os.environ.get(ADDRESS, "local") not in ("", "local"):
        # Ray reads it on import. Each attempt at a server that is not Ray takes 40 s, and the default is 20 attempts
        os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "2")
    executor = _RayExecutor(import_ray("--executor ray"), folder, writes, most_jobs)
    try:
        yield executor
    finally:
        executor.close()


def import_ray(purpose: str) -> Any:
    """The package ray. Raises MissingDependencyError."""
    try:
        return import_module("ray")
    except ModuleNotFoundError:
        raise MissingDependencyError(purpose, "ray") from None


class _RayExecutor:
    def __init__(self, ray: Any, folder: Path, writes: bool, most_jobs: int | None) -> None:
        self._ray, self._folder, self._writes, self._most_jobs = ray, folder.absolute(), writes, most_jobs
        self._connected = False
        self._room, self._room_at = 0, 0.0
        self._last_cpu = 0.0

    def __call__(
        self, work: Callable[..., T], jobs: Sequence[tuple[Any, ...]], workers: int, progress: Progress | None = None
    ) -> Iterator[T]:
        del progress  # jobs on other machines report nothing while they run
        if not jobs:
            return
        self._connect(workers)
        parts = (getattr(value, "part", value) for job in jobs for value in job)
        versions = {part.task: part.version for part in parts if isinstance(part, DataPart)}
        with self._witness() as witness:
            requirements = Requirements.of(versions, witness)
            remote = self._ray.remote(num_cpus=1, max_retries=_RETRIES)(_run_job)
            waiting = iter(jobs)
            running: list[Any] = []
            self._last_cpu = time.monotonic()
            try:
                while True:
                    more = islice(waiting, max(0, self._limit() - len(running)))
                    running += [remote.remote(requirements, pickle.dumps((work, _absolute(job)))) for job in more]
                    if not running:
                        return
                    finished, running = self._finished(running)
                    for reference in finished:
                        yield self._result(reference)
            finally:
                self._cancel(running)

    def _limit(self) -> int:
        """The number of jobs that may be pending: few, so that an interrupted run discards little work."""
        now = time.monotonic()
        if now - self._room_at > 1:  # nodes come and go
            cpus = int(self._ray.cluster_resources().get("CPU", 0))
            if cpus:
                self._last_cpu = now
            elif now - self._last_cpu > _NO_CPU_S:
                raise UserError(f"Ray cluster has had no CPU for {_NO_CPU_S / 60:.0f} minutes. Add a node, then run the command again.")
            self._room, self._room_at = self._most_jobs or max(2, 2 * cpus), now
        return self._room

    def _finished(self, running: list[Any]) -> tuple[list[Any], list[Any]]:
        """All finished jobs, after at most a few seconds, and the others."""
        first, _ = self._ray.wait(running, timeout=_REACHABLE_S)
        if not first:
            return [], running
        return self._ray.wait(running, num_returns=len(running), timeout=0)

    def _result(self, reference: Any) -> Any:
        errors = self._ray.exceptions
        try:
            value = self._ray.get(reference)
        except errors.RayTaskError as error:
            if isinstance(error.cause, ImportError | errors.RaySystemError):  # before the job began
                why = str(error.cause).strip().splitlines()[-1]
                raise UserError(f"A node of the Ray cluster cannot load Isovist ({why}). Install the same version on all nodes.") from None
            raise
        except errors.RayError as error:
            raise UserError(
                f"A job of the Ray cluster failed {_RETRIES + 1} times ({_line(error)}). Look at the logs of Ray, then run the command again."
            ) from None
        if isinstance(value, _Failure):
            raise UserError(value.message)
        return value

    def _cancel(self, running: list[Any]) -> None:
        """Interrupt the pending jobs, and give them time to remove their temporary files."""
        if not running or not self._ray.is_initialized():
            return
        with suppress(self._ray.exceptions.RayError, KeyboardInterrupt):
            for reference in running:
                self._ray.cancel(reference)
            self._ray.wait(running, num_returns=len(running), timeout=_CANCEL_S)

    @contextmanager
    def _witness(self) -> Generator[Witness]:
        """A new file, or the manifest if the folder is only read."""
        if not self._writes:
            yield Witness.of(self._folder, MANIFEST)
            return
        file = f"{PARTIAL}/ray-{uuid4().hex}.token"
        token = self._folder / file
        token.write_text(token.name, encoding="utf-8")
        try:
            yield Witness.of(self._folder, file)
        finally:
            token.unlink(missing_ok=True)

    def _connect(self, workers: int) -> None:
        if self._ray.is_initialized():
            return
        address = os.environ.get(ADDRESS, "")
        options: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": "ERROR"}
        if address in ("", "local"):
            address = "local"
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            options |= {"address": "local", "num_cpus": workers, "object_store_memory": _STORE_BYTES, "include_dashboard": False}
        else:
            _check_reachable(address)
        with _own_signals():
            try:
                self._ray.init(**options)
            except (ConnectionError, RuntimeError, ValueError, OSError, ImportError) as error:
                if address == "local":
                    raise UserError(
                        f"Ray does not start on this machine ({_line(error)}). A long path in TMPDIR is a frequent cause."
                    ) from None
                raise UserError(f"Cannot connect to {ADDRESS}={address} ({_line(error)}). Correct {ADDRESS} or RAY_AUTH_MODE.") from None
            finally:
                self._connected = True

    def close(self) -> None:
        """Disconnect, and stop what was started on this machine; a connection that existed before is kept."""
        if self._connected:
            self._ray.shutdown()


@dataclass(frozen=True, slots=True)
class _Failure:
    """An error that a user can fix; as a value, because Ray adds a traceback to exceptions."""

    message: str


def _run_job(requirements: Requirements, pickled: bytes) -> Any:
    """Runs on a node. The job is decoded after the check, because another version of Isovist may not be able to decode it."""
    try:
        check_node(requirements)
        work, job = pickle.loads(pickled)  # noqa: S301 - from the driver
        return work(*job)
    except UserError as error:
        return _Failure(str(error))
    except OSError as error:
        file = f": {error.filename}" if error.filename else ""
        return _Failure(f"{error.strerror or error} on node {socket.gethostname()}{file}.")


def _absolute(job: tuple[Any, ...]) -> tuple[Any, ...]:
    """A worker has another working directory."""
    return tuple(value.absolute() if isinstance(value, Path) else value for value in job)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _check_reachable(address: str) -> None:
    """Raises UserError if nothing listens at the address. Ray itself tries for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdigit():
        return  # such as "auto"
    try:
        socket.create_connection((host.strip("[]"), int(port)), _REACHABLE_S).close()
    except OSError as error:
        raise UserError(
            f"No Ray cluster at {ADDRESS}={address} ({error.strerror or error}). Correct {ADDRESS}, or unset it to start Ray on this machine."
        ) from None


@contextmanager
def _own_signals() -> Generator[None]:
    """Keep the handler of SIGTERM, which `ray.init` replaces."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if before is not None and current_thread() is main_thread():
            signal.signal(signal.SIGTERM, before)
