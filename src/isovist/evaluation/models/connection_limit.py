"""The number of concurrent requests that a server takes, found from its latency and its refusals.

Additive increase and multiplicative decrease with slow start, as in TCP Reno (RFC 5681): the limit doubles until the server says stop, is halved
when it refuses, and then rises by one a round. As in TCP Vegas and in the concurrency limits of Netflix, the latency says stop before a refusal
does. Here the throughput is compared, which by Little's law is the limit over the mean latency: the responses of a model differ in length by
nature, so there is no least latency to compare with.
"""

from __future__ import annotations

from math import inf

MOST = 128
"""The largest limit of one server. Some systems allow a process 256 open files."""
_SHORTEST_ROUND = 4  # responses; the mean of fewer varies too much
_PLATEAU = 10  # rounds just below the limit at which the server refused, as in CUBIC (RFC 9438)
_LONGEST_S = 60.0  # of a requested delay; within an hour, the overload may be another one
_STEP = 1.5  # growth of the limit after which the throughput is compared
_LEAST_GAIN = 0.25  # part of the growth of the limit that the throughput must gain
_BUSY = 0.75  # part of the limit that a round must use; else it says nothing about a larger limit


class ConnectionLimit:
    """The limit of one server. It reads no clock: all times are arguments, in seconds of any monotonic clock."""

    def __init__(self, start: int) -> None:
        self.size = max(1, min(start, MOST))
        self.overloads = 0
        """How often the limit was halved."""
        self._threshold = MOST  # below it, the limit doubles
        self._compared: tuple[int, float] | None = None  # the limit of an earlier round, and the mean latency at it
        self._cut_at = -inf  # all requests before belong to the overload that halved the limit
        self._refused = 0  # the last limit at which the server refused
        self._is_proven = True  # whether a round has ended since the limit was halved
        self._next_round(-inf)

    def _next_round(self, now: float) -> None:
        self._since, self._count, self._total_s, self._busiest = now, 0, 0.0, 0

    def overloaded(self, started: float, now: float, wait_s: float = 0.0) -> None:
        """Note a refusal or a timeout of a request. All requests under way, and those within `wait_s`, are one overload.

        `wait_s` is the delay that the server requests.
        """
        if started <= self._cut_at:
            return
        if self._is_proven:  # further refusals, as within a limit by the minute, do not lower the aim
            self._threshold = max(1, self.size // 2)
        self._refused, self.size = self.size, max(1, self.size // 2)
        self.overloads += 1
        self._cut_at, self._is_proven, self._compared = now + min(wait_s, _LONGEST_S), False, None
        self._next_round(now)

    def succeeded(self, started: float, now: float, under_way: int) -> None:
        """Note a response; `under_way` counts the requests at that moment, this one included."""
        if started < self._since:  # it was under way when the limit changed
            return
        self._count += 1
        self._total_s += now - started
        self._busiest = max(self._busiest, under_way)
        if self._count >= max(self.size, _SHORTEST_ROUND) * (_PLATEAU if self.size + 1 == self._refused else 1):
            latency_s, is_busy = self._total_s / self._count, self._busiest >= _BUSY * self.size
            self._next_round(now)
            self._is_proven = True
            if is_busy:
                self._adjust(latency_s)

    def _adjust(self, latency_s: float) -> None:
        """Grow after a round, or return to the earlier limit if the growth has gained too little."""
        before, before_s = self._compared or (self.size, latency_s)
        growth = self.size / before
        if growth == 1 or growth >= _STEP:
            if latency_s * (1 + _LEAST_GAIN * (growth - 1)) > before_s * growth:
                self.size = self._threshold = max(1, before * 3 // 4)
                self._compared = None  # it is measured again, as the responses may have become longer
                return
            self._compared = self.size, latency_s
        doubled = min(2 * self.size, self._threshold)
        self.size = min(MOST, max(doubled, self.size + 1))
