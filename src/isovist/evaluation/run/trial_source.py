"""Sources of the trials of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Protocol

from isovist.core.answers import Outcome
from isovist.evaluation.console import Console
from isovist.evaluation.run.cost_estimate import CostEstimate
from isovist.evaluation.run.recorded_trials import RecordedTrials
from isovist.evaluation.run.records import AttemptRecord
from isovist.evaluation.run.run_folder import RunMetadata
from isovist.evaluation.run.variants import Trial


class TrialSource(Protocol):
    """The trials of a run that have no score yet, for several workers. A trial may depend on earlier responses."""

    recorded: RecordedTrials
    """The trials with a record at the start of the session."""
    outcomes: Counter[Outcome]
    """The outcomes of the trials that are not requested: those with a score, and those that are given up."""
    n_given_up: int
    """Trials among them that reached the limit of attempts."""
    status: str
    """The state, for the progress bar; "" if the numbers say enough."""

    def estimate(self, progress: Callable[[], object]) -> CostEstimate:
        """The size of the requests, or an upper bound. Raises UserError for an invalid item."""
        ...

    async def next(self) -> Trial | None:
        """The next trial; waits for open responses if it depends on them. None at the end."""
        ...

    def ended(self, trial: Trial, record: AttemptRecord) -> str:
        """Called when a trial has its record. Returns a line to print, or ""."""
        ...

    def close(self) -> None:
        """Stop the source: no further trials."""
        ...

    def stored(self, info: RunMetadata, console: Console) -> RunMetadata:
        """Called at the end of the session: stores the presented items if they depended on the responses. Returns the metadata."""
        ...
