"""The settings of adaptive testing in `run.json`."""

from __future__ import annotations

from dataclasses import dataclass

from isovist.data.dataset.manifest import DataPart

METHOD = "least-variance/2"
"""The selection rule of `isovist.stats.adaptive_testing`; its number increases with every change of the rule."""


@dataclass(frozen=True, slots=True)
class AdaptiveSettings:
    """Target precision, item limit and batch size of an adaptive run."""

    target_half_width: float
    """Target half-width of the 95% CI of the size threshold, in sizes."""
    max_items: int | None
    """Item limit of each task; None if it depends on the chance level."""
    batch_size: int
    """Items of a task that are selected together."""
    pool: tuple[DataPart, ...]
    """The items of each task: `level` names the sizes, `n` is the item limit."""
    method: str = METHOD

    def most_of(self, task: str) -> int:
        """The item limit of a task."""
        return next(part.n for part in self.pool if part.task == task)
