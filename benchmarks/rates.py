"""How fast a piece of work goes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

ROUNDS = 5


def seconds(work: Callable[[], object]) -> float:
    """The median time of some rounds, after one that fills the caches."""
    work()
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)
