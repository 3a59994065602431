"""How fast a piece of work goes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

ROUNDS = 5


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """The median time of some rounds, after one that fills the caches. `time.process_time` as the clock leaves out other programs."""
    work()
    times: list[float] = []
    for _ in range(ROUNDS):
        start = clock()
        work()
        times.append(clock() - start)
    return statistics.median(times)
