"""Trials in a fixed order: those of a run without a score. Those with a score are counted by their ids; their images are not read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import compress

import numpy as np

from isovist.core.answers import Outcome
from isovist.data.dataset.load import column, load
from isovist.evaluation.console import Console
from isovist.evaluation.run.cost_estimate import CostEstimate, estimate_cost
from isovist.evaluation.run.item_selection import Selection, all_rows, sample
from isovist.evaluation.run.pricing import Price
from isovist.evaluation.run.recorded_trials import RecordedTrials
from isovist.evaluation.run.records import AttemptRecord
from isovist.evaluation.run.run_folder import RunFolder, RunMetadata
from isovist.evaluation.run.variants import Trial, family

_MOST = 10_000  # rows that are all read before the first request
_SAMPLE = 2_000


@dataclass(slots=True)
class FixedTrials:
    """The trials of a run without a score; a `TrialSource`. They are in the order of the data or, with a private seed, in keyed order."""

    folder: RunFolder
    info: RunMetadata
    recorded: RecordedTrials
    rows: Selection = field(default_factory=Selection)
    """The rows with a trial without a score."""
    total: int = 0
    """The number of all trials."""
    families: Counter[str] = field(default_factory=Counter["str"])
    """The number of all trials by family of variants."""
    outcomes: Counter[Outcome] = field(default_factory=Counter["Outcome"])
    """The outcomes of the trials with a score."""
    n_given_up: int = 0
    status: str = ""
    _trials: Iterator[Trial] | None = None

    @property
    def _are_many(self) -> bool:
        """Whether the cost estimate reads a sample."""
        return sum(int(rows.sum()) for rows in self.rows) > _MOST

    def estimate(self, progress: Callable[[], object]) -> CostEstimate:
        """The size of the requests. All trials are validated, or those of about 2,000 rows."""
        rows = sample(self.rows, _SAMPLE) if self._are_many else self.rows
        trials = self.folder.trials(self.info, whole=True, rows=rows, recorded=self.recorded)
        estimate = estimate_cost(trials, (), progress, captions=self.info.image_mode == "caption-first")
        if self._are_many:
            estimate = estimate.extrapolated(self.total - self.outcomes.total())
        estimate.characters += estimate.requests * len(self.info.options.system_prompt)
        estimate.trials, estimate.families = self.total, self.families
        return estimate

    async def next(self) -> Trial | None:
        """The next trial. Images that no estimate has read are validated here."""
        if self._trials is None:
            self._trials = self.folder.trials(self.info, whole=self._are_many, rows=self.rows, recorded=self.recorded, keyed=True)
        return next(self._trials, None)

    def ended(self, trial: Trial, record: AttemptRecord) -> str:
        del trial, record
        return ""

    def close(self) -> None:
        self._trials = iter(())

    def stored(self, info: RunMetadata, console: Console) -> RunMetadata:
        """The metadata as they are: the items do not depend on the responses."""
        del console
        return info


def fixed_trials(folder: RunFolder, info: RunMetadata, price: Price | None = None) -> FixedTrials:
    """The trials of a run without a score: reads its records once, and the ids of its items.

    Without records, and with the same variants of all items, no item is read. Raises UserError for unreadable records and files.
    """
    recorded = RecordedTrials.read(folder.records, price)
    remaining = FixedTrials(folder, info, recorded)
    parts, data = folder.parts(info), folder.data(info)
    selected = folder.selection(info) or all_rows(parts, info.n)
    variants = info.variants
    depends_on_item = variants.depend_on_item
    fixed = [] if depends_on_item else variants.names(None, info.style)
    for part, rows in zip(parts, selected, strict=True):
        if not len(recorded) and not depends_on_item:
            remaining.total += int(rows.sum()) * len(fixed)
            remaining.families.update({family(name): int(rows.sum()) for name in fixed})
            remaining.rows.append(rows)
            continue
        places = np.flatnonzero(rows)
        if depends_on_item:
            items = load(data, [part], info.n, pictures=False, wanted=[rows])
            named = ((row.id, variants.of_row(row, info.style)) for row in items)
        else:
            ids = column(data, part, "id", info.n)
            every = (str(item) for chunk in ids.chunks for item in chunk.to_pylist())
            named = ((item, fixed) for item in compress(every, rows.tolist()))
        left = np.zeros(len(rows), bool)
        for place, (item, names) in zip(places.tolist(), named, strict=False):
            for name in names:
                state = recorded.get((item, name))
                if state is None or state.outcome == "request_error":
                    left[place] = True
                else:
                    remaining.outcomes[state.outcome] += 1
            remaining.total += len(names)
            remaining.families.update(map(family, names))
        remaining.rows.append(left)
    return remaining
