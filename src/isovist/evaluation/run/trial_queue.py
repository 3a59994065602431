"""Sources of the trials of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from isovist.evaluation.run.cost_estimate import image_sizes
from isovist.evaluation.run.records import AttemptRecord
from isovist.evaluation.run.variants import Trial


class TrialSource(Protocol):
    """A source of trials for several workers. A trial may depend on earlier responses."""

    async def next(self) -> Trial | None:
        """The next trial; waits for open responses if it depends on them. None at the end."""
        ...

    def ended(self, trial: Trial, record: AttemptRecord) -> None:
        """Called when a trial has its record."""
        ...

    def close(self) -> None:
        """Stop the source: no further trials."""
        ...


class FixedTrialSource:
    """Trials in a fixed order."""

    def __init__(self, trials: Iterator[Trial]) -> None:
        self._trials = trials
        self.n_new = 0
        """Trials with their first record."""
        self.image_sizes: Counter[str] = Counter()
        """The number of images of these trials by size, such as "200x200"."""

    async def next(self) -> Trial | None:
        return next(self._trials, None)

    def ended(self, trial: Trial, record: AttemptRecord) -> None:
        if record.attempt == 1:
            self.n_new += 1
            self.image_sizes.update(image_sizes(trial))

    def close(self) -> None:
        pass
