"""The state of the recorded trials of a run, in about 100 bytes each: a run of a million trials fits into the memory of a laptop."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Self, get_args

from isovist.core.answers import Outcome
from isovist.evaluation.run.pricing import Price
from isovist.evaluation.run.records import AttemptRecord, Name, read

_OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
_CODES = {outcome: code for code, outcome in enumerate(_OUTCOMES)}


class TrialState(NamedTuple):
    """The outcome that counts, and the number of the last attempt."""

    outcome: Outcome
    attempt: int


class RecordedTrials:
    """The states of the recorded trials by name, and the totals of their records.

    The keys are 64-bit hashes of the names: with a million trials, the probability that two are equal is 3e-8.
    """

    def __init__(self) -> None:
        self._states: dict[int, int] = {}
        self.n_records = 0
        self.n_scored = 0
        """Trials with a response."""
        self.spent_usd = 0.0

    @classmethod
    def read(cls, path: Path, price: Price | None = None) -> Self:
        """The trials of a file of records; none without a file. Raises UserError for a damaged record."""
        recorded = cls()
        recorded._add(read(path), price)
        return recorded

    def _add(self, records: Iterable[AttemptRecord], price: Price | None) -> None:
        states, width = self._states, len(_OUTCOMES)
        failed = _CODES["request_error"]
        for record in records:
            key, code = hash((record.item_id, record.variant)), _CODES[record.outcome]
            before = states.get(key, failed) % width
            if code == failed:
                code = before
            self.n_scored += code != failed and before == failed
            states[key] = code + width * record.attempt
            self.n_records += 1
            if price:
                self.spent_usd += price.of(record.usage)

    def __len__(self) -> int:
        return len(self._states)

    def get(self, name: Name) -> TrialState | None:
        """The state of a trial; None without a record."""
        code = self._states.get(hash(name))
        return None if code is None else TrialState(_OUTCOMES[code % len(_OUTCOMES)], code // len(_OUTCOMES))

    def is_scored(self, name: Name) -> bool:
        """Whether the trial has a response."""
        state = self.get(name)
        return state is not None and state.outcome != "request_error"

    __contains__ = is_scored
