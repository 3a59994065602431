"""Adaptive testing: each new item has the problem size that is most informative about the size threshold.

Each task has a search; the searches take turns. A search selects `batch_size` items with `isovist.stats.adaptive_testing`, waits for
all their responses and selects again, so that the selection does not depend on response times. The items of a size are used in order,
from index 0. An item with a request error is retried in the next session. A search ends at the target precision of the size threshold
or at the item limit.

The state is reconstructed from the records alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from isovist.common.errors import UserError
from isovist.core.task import ItemAddress
from isovist.data.dataset.manifest import DataPart
from isovist.data.dataset.rows import ItemRow, item_to_row
from isovist.data.item import make_item
from isovist.evaluation.run.adaptive_settings import AdaptiveSettings
from isovist.evaluation.run.records import AttemptRecord, TrialResult
from isovist.evaluation.run.variants import Trial, VariantSettings, trials
from isovist.stats import adaptive_testing
from isovist.stats.adaptive_testing import BayesianAdaptiveSearch, ThresholdPosterior
from isovist.stats.psychometric_function import LevelCounts, ThresholdEstimate, fit_threshold
from isovist.suites import registry

Place = tuple[int, int]
"""A size, and the index of an item at it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of an item; credit None after `attempts` request errors."""

    credit: float | None
    attempts: int = 1


class ThresholdSearch:
    """The adaptive search for the size threshold of one task."""

    def __init__(self, part: DataPart, design: AdaptiveSettings, known: Mapping[Place, Answer], attempts: int) -> None:
        """`known`: the recorded results, in the order of the first attempts. `attempts`: limit of attempts at an item."""
        self.part = part
        self._design = design
        self._task = registry.task(part.task)
        self._sizes = tuple(sorted(map(int, part.items().levels)))
        self._chances: dict[Place, float] = {}
        self._answers: dict[Place, Answer] = dict(known)
        self._search = _search(self._sizes, tuple(self._chance((size, 0)) for size in self._sizes))
        self.given_up = sum(answer.credit is None and answer.attempts >= attempts for answer in known.values())
        self._under_way: set[Place] = set()
        whole = len(known) - len(known) % design.batch_size  # the rest belongs to an incomplete batch
        chosen = self._chosen(dict(list(known.items())[:whole]))
        retries = [place for place, answer in known.items() if answer.credit is None and answer.attempts < attempts]
        gaps = [(size, index) for size, n in self.counts.items() for index in range(n) if (size, index) not in known]
        self._queue = list(dict.fromkeys([*retries, *gaps, *(place for place in chosen if place not in known)]))

    @property
    def counts(self) -> dict[int, int]:
        """Number of items by size, including unrecorded items of an interrupted batch."""
        counts: dict[int, int] = {}
        for size, index in sorted(self._answers):
            counts[size] = max(counts.get(size, 0), index + 1)
        return counts

    @property
    def asked(self) -> int:
        return len(self._answers)

    @property
    def levels(self) -> list[LevelCounts]:
        """Counts and credit by size."""
        return self._levels(self._answers)

    @property
    def belief(self) -> ThresholdPosterior:
        return self._search.belief(self.levels)

    @property
    def fall(self) -> ThresholdEstimate | None:
        return fit_threshold(self.levels)

    @property
    def done(self) -> bool:
        return not self._queue and not self._under_way

    def next(self) -> Trial | None:
        """The next trial; None while it depends on open trials, or after the end."""
        if not self._queue:
            return None
        place = self._queue.pop(0)
        self._under_way.add(place)
        (trial,) = trials([self._row(place)], VariantSettings(), self.part.style)
        return trial

    def ended(self, address: ItemAddress, credit: float | None) -> None:
        """Record the result of an item; credit None for a request error."""
        place = int(address.level), address.index
        self._under_way.discard(place)
        self._answers[place] = Answer(credit)
        if not self._queue and not self._under_way:
            self._queue = self._chosen(self._answers)

    def _chosen(self, answers: Mapping[Place, Answer]) -> list[Place]:
        """The next batch of items; empty at the end of the search."""
        levels = self._levels(answers)
        if len(answers) >= self.part.n or self._search.precise(levels, self._design.target_half_width):
            return []
        used = Counter(size for size, _ in answers)
        places: list[Place] = []
        for _ in range(min(self._design.batch_size, self.part.n - len(answers))):
            size = self._search.next(levels, [size for size, _ in places])
            places.append((size, used[size]))
            used[size] += 1
        return places

    def _levels(self, answers: Mapping[Place, Answer]) -> list[LevelCounts]:
        levels: dict[int, list[tuple[float, float]]] = {}
        for place, answer in answers.items():
            if answer.credit is not None:
                levels.setdefault(place[0], []).append((answer.credit, self._chance(place)))
        return [
            LevelCounts(
                size,
                len(levels[size]),
                sum(credit for credit, _ in levels[size]),
                sum(chance for _, chance in levels[size]) / len(levels[size]),
            )
            for size in sorted(levels)
        ]

    def _chance(self, place: Place) -> float:
        if place not in self._chances:
            self._chances[place] = make_item(self._task, self._address(place)).chance
        return self._chances[place]

    def _row(self, place: Place) -> ItemRow:
        row = item_to_row(make_item(self._task, self._address(place)), self.part.style, self.part.renderer)
        self._chances[place] = row.chance
        return row

    def _address(self, place: Place) -> ItemAddress:
        return self._task.address(self.part.split, str(place[0]), self.part.seed, place[1], self.part.settings)


def enough(part: DataPart) -> int:
    """The default item limit of a task, given the chance levels of its sizes."""
    task = registry.task(part.task)
    first = (task.address(part.split, level, part.seed, 0, part.settings) for level in part.items().levels)
    return adaptive_testing.enough([make_item(task, address).chance for address in first])


@lru_cache(maxsize=64)  # stateless; many tasks have the same chance levels
def _search(sizes: tuple[int, ...], chances: tuple[float, ...]) -> BayesianAdaptiveSearch:
    return BayesianAdaptiveSearch(sizes, chances)


def threshold_searches(
    design: AdaptiveSettings, records: Iterable[AttemptRecord], known: Mapping[tuple[str, str], TrialResult], attempts: int
) -> list[ThresholdSearch]:
    """The searches of a run, reconstructed from its records. Raises UserError for a record of another item."""
    by_task: dict[str, dict[Place, Answer]] = {part.task: {} for part in design.pool}
    for record in records:
        try:
            address = ItemAddress.parse(record.item_id)
            answers, place = by_task[address.task], (int(address.level), address.index)
        except (ValueError, KeyError):
            raise UserError(f"Record of an item outside the run: {record.item_id}. Choose another --out folder.") from None
        result = known[record.item_id, record.variant]
        answers.setdefault(place, Answer(None if result.outcome == "request_error" else result.credit, result.attempt))
    return [ThresholdSearch(part, design, by_task[part.task], attempts) for part in design.pool]


def presented_items(search: ThresholdSearch) -> DataPart:
    """The presented items of a search, as a dataset part."""
    counts = {str(size): n for size, n in search.counts.items()}
    return replace(search.part, n=sum(counts.values()), level=None, counts=counts)
