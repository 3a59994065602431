"""Sources of the trials of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from isovist.run.records import AttemptRecord
from isovist.run.variants import Trial


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

    async def next(self) -> Trial | None:
        return next(self._trials, None)

    def ended(self, trial: Trial, record: AttemptRecord) -> None:
        pass

    def close(self) -> None:
        pass
