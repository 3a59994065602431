"""Where the loop of a run takes its next question from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from isovist.run.records import AttemptRecord
from isovist.run.variants import Trial


class TrialSource(Protocol):
    """Gives questions to several workers. What it gives may depend on the answers so far."""

    async def next(self) -> Trial | None:
        """The next question, waited for while it hangs on answers that are under way; None when there will be none."""
        ...

    def ended(self, asking: Trial, record: AttemptRecord) -> None:
        """A question that was given out has its record."""
        ...

    def close(self) -> None:
        """Nothing more is to be given out."""
        ...


class FixedTrialSource:
    """Questions in an order that no answer changes."""

    def __init__(self, askings: Iterator[Trial]) -> None:
        self._askings = askings

    async def next(self) -> Trial | None:
        return next(self._askings, None)

    def ended(self, asking: Trial, record: AttemptRecord) -> None:
        pass

    def close(self) -> None:
        pass
