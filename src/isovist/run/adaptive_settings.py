"""How an adaptive run chooses its items, as `run.json` tells it."""

from __future__ import annotations

from dataclasses import dataclass

from isovist.dataset.manifest import DataPart

METHOD = "least-variance/2"
"""The rule of `isovist.stats.adaptive_testing`; its number goes up with whatever changes a choice."""


@dataclass(frozen=True, slots=True)
class AdaptiveSettings:
    """What is asked for, and how many are asked at once."""

    target_half_width: float
    """Half of the width that the 95 % interval of the half-way size is to have, in sizes."""
    max_items: int | None
    """Items of each task at most; None where that hangs on its chance."""
    batch_size: int
    """Items of a task that are chosen together: so many of it are under way at a time."""
    pool: tuple[DataPart, ...]
    """Where the items of each task come from: its `level` names the sizes, its `n` is how many there are at most."""
    method: str = METHOD

    def most_of(self, task: str) -> int:
        """Items of a task of the pool at most."""
        return next(part.n for part in self.pool if part.task == task)
