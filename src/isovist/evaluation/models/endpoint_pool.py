"""The endpoints of a run: several servers of one model. Each request goes to the one with the fewest requests under way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from isovist.evaluation.models.connection_limit import ConnectionLimit

_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0  # seconds without requests after an outage; doubled by each further one
_POLL = 0.2  # seconds between two looks for an endpoint


@dataclass(slots=True, eq=False)
class Endpoint:
    """One server, with the counts of this session."""

    url: str
    limit: ConnectionLimit | None = None
    """Of concurrent requests, with `--max-connections auto`."""
    under_way: int = 0
    sent: int = 0
    moved: int = 0
    """Requests that another endpoint took over."""
    outages: int = 0
    _failures: int = 0
    """Outages since the last response."""
    _failed_at: float = -inf
    _out_until: float = -inf
    _is_tried: bool = False
    """Whether the one request after an outage is under way."""

    def is_ready(self, now: float) -> bool:
        return not self._failures or (now >= self._out_until and not self._is_tried)

    @property
    def load(self) -> float:
        """The requests under way, as a part of the limit if there is one."""
        return self.under_way / self.limit.size if self.limit else self.under_way

    def start(self) -> float:
        """Count a request; returns its start, which `end` takes."""
        self.under_way += 1
        self.sent += 1
        self._is_tried = bool(self._failures)
        return time.monotonic()

    def end(self, started: float, *, failed: bool, wait_s: float = 0.0) -> None:
        """Count the end of a request. All requests that were under way at a failure are one outage, however many fail.

        `wait_s` is the delay that the server requests.
        """
        self.under_way -= 1
        if started <= self._failed_at:
            return
        self._is_tried = False
        if not failed:
            self._failures = 0
            return
        self._failed_at = time.monotonic()
        pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**self._failures)
        self._out_until = self._failed_at + max(pause, wait_s)
        self._failures += 1
        self.outages += 1

    def leave_out(self) -> None:
        """Note an endpoint that does not answer at the start; the first request after the pause tries it."""
        self.under_way += 1
        self.end(time.monotonic(), failed=True)


class EndpointPool:
    """The endpoints. A single one is never left out: its requests wait by themselves."""

    def __init__(self, urls: Sequence[str], start: int | None = None) -> None:
        """`start`: concurrent requests at the start, if their number is to follow what the endpoints take."""
        limits = [ConnectionLimit(start // len(urls)) if start else None for _ in urls]
        self.endpoints = tuple(map(Endpoint, urls, limits))
        self.has_several = len(self.endpoints) > 1

    @property
    def limit(self) -> int:
        """The sum of the limits of concurrent requests; 0 without limits."""
        return sum(endpoint.limit.size for endpoint in self.endpoints if endpoint.limit)

    @property
    def limit_now(self) -> int:
        """The limit without the endpoints that are left out, at least 1; 0 without limits."""
        now = time.monotonic()
        ready = [endpoint.limit.size for endpoint in self.endpoints if endpoint.limit and (not self.has_several or endpoint.is_ready(now))]
        return max(min(1, self.limit), sum(ready))

    async def choose(self, timeout_s: float) -> Endpoint | None:
        """The endpoint for the next request; waits while all are left out. None after `timeout_s`."""
        if not self.has_several:
            return self.endpoints[0]
        end = time.monotonic() + timeout_s
        while (now := time.monotonic()) < end:
            if ready := [endpoint for endpoint in self.endpoints if endpoint.is_ready(now)]:
                return min(ready, key=lambda endpoint: (endpoint.load, endpoint.sent))
            await asyncio.sleep(min(_POLL, end - now))
        return None

    def summary(self) -> str:
        """The requests of each endpoint in this session, in one line; of a single endpoint its limit, and "" if it has none."""
        if not self.has_several:
            limit = self.endpoints[0].limit
            return f"--max-connections auto settled at {limit.size}, after {limit.overloads:,} overloads." if limit else ""
        return "Endpoints: " + "; ".join(map(_summary, self.endpoints)) + "."


def _summary(endpoint: Endpoint) -> str:
    counts = {"requests": endpoint.sent, "moved": endpoint.moved, "outages": endpoint.outages}
    if endpoint.limit:
        counts |= {"connections": endpoint.limit.size, "overloads": endpoint.limit.overloads}
    return f"{endpoint.url} " + ", ".join(f"{count:,} {name}" for name, count in counts.items() if count or name == "requests")
