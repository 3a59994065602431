"""The trials of a run without a score. Those with a score are counted by their ids; their images are not read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import compress

import numpy as np

from isovist.core.answers import Outcome
from isovist.data.dataset.load import column, load
from isovist.evaluation.run.item_selection import Selection, all_rows, sample
from isovist.evaluation.run.pricing import Price
from isovist.evaluation.run.recorded_trials import RecordedTrials
from isovist.evaluation.run.run_folder import RunFolder, RunMetadata
from isovist.evaluation.run.variants import Trial, family

_MOST = 10_000  # rows that are all read before the first request
_SAMPLE = 2_000


@dataclass(slots=True)
class RemainingTrials:
    """The trials of a run, and the rows that have trials without a score."""

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

    @property
    def count(self) -> int:
        """The number of trials without a score."""
        return self.total - self.outcomes.total()

    @property
    def are_many(self) -> bool:
        """Whether the cost estimate reads a sample."""
        return sum(int(rows.sum()) for rows in self.rows) > _MOST

    def trials(self) -> Iterator[Trial]:
        """The trials without a score. Images that no estimate has read are validated here."""
        return self.folder.trials(self.info, whole=self.are_many, rows=self.rows, recorded=self.recorded)

    def sampled(self) -> Iterator[Trial]:
        """The validated trials for the cost estimate: all, or those of about 2,000 rows."""
        rows = sample(self.rows, _SAMPLE) if self.are_many else self.rows
        return self.folder.trials(self.info, whole=True, rows=rows, recorded=self.recorded)


def remaining_trials(folder: RunFolder, info: RunMetadata, price: Price | None = None) -> RemainingTrials:
    """Read the records of a run once, and the ids of its items.

    Without records, and with the same variants of all items, no item is read. Raises UserError for unreadable records and files.
    """
    recorded = RecordedTrials.read(folder.records, price)
    remaining = RemainingTrials(folder, info, recorded)
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
