"""The questions of an adaptive run: the sizes that tell most of where accuracy falls, each time with a fresh item.

Every task is a hunt of its own; the hunts take turns. A hunt chooses `batch_size` items together, waits until all of them are answered,
and chooses again, by `isovist.stats.adaptive_testing`. So what is chosen hangs on the answers and not on who was quicker. The items of a size
are taken in their order, from index 0. Machine faults are no answers: such an item is asked again by the next session, and nothing
is inferred from it. A hunt ends when the interval of the half-way size, as a report gives it, is as narrow as was asked for, or
after so many items.

Nothing but the records is kept: which items were chosen together is worked out from them again.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from isovist import registry
from isovist.core.task import ItemAddress
from isovist.dataset.manifest import DataPart
from isovist.dataset.rows import ItemRow, item_to_row
from isovist.errors import UserError
from isovist.items import make_item
from isovist.run.adaptive_settings import AdaptiveSettings
from isovist.run.records import AttemptRecord, TrialResult
from isovist.run.variants import Trial, VariantSettings, trials
from isovist.stats import adaptive_testing
from isovist.stats.adaptive_testing import BayesianAdaptiveSearch, ThresholdPosterior
from isovist.stats.psychometric_function import LevelCounts, ThresholdEstimate, fit_threshold

Place = tuple[int, int]
"""A size, and the index of an item at it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of an item. Without credit it has met machine faults alone, so many as `attempts` say."""

    credit: float | None
    attempts: int = 1


class ThresholdSearch:
    """One task, on its way to its half-way size."""

    def __init__(self, part: DataPart, design: AdaptiveSettings, known: Mapping[Place, Answer], attempts: int) -> None:
        """`known`: what is on record, in the order in which it was first asked. `attempts`: as often may an item fail."""
        self.part = part
        self._design = design
        self._task = registry.task(part.task)
        self._sizes = tuple(sorted(map(int, part.items().levels)))
        self._chances: dict[Place, float] = {}
        self._answers: dict[Place, Answer] = dict(known)
        self._search = _search(self._sizes, tuple(self._chance((size, 0)) for size in self._sizes))
        self.given_up = sum(answer.credit is None and answer.attempts >= attempts for answer in known.values())
        self._under_way: set[Place] = set()
        whole = len(known) - len(known) % design.batch_size  # the rest was chosen together with items that are not on record
        chosen = self._chosen(dict(list(known.items())[:whole]))
        retries = [place for place, answer in known.items() if answer.credit is None and answer.attempts < attempts]
        gaps = [(size, index) for size, n in self.counts.items() for index in range(n) if (size, index) not in known]
        self._queue = list(dict.fromkeys([*retries, *gaps, *(place for place in chosen if place not in known)]))

    @property
    def counts(self) -> dict[int, int]:
        """How many items of each size were asked, or would have been but for what broke off the run before."""
        counts: dict[int, int] = {}
        for size, index in sorted(self._answers):
            counts[size] = max(counts.get(size, 0), index + 1)
        return counts

    @property
    def asked(self) -> int:
        return len(self._answers)

    @property
    def levels(self) -> list[LevelCounts]:
        """What the answers come to, size by size."""
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
        """The next item to ask; None while it hangs on those under way, or if the hunt is done."""
        if not self._queue:
            return None
        place = self._queue.pop(0)
        self._under_way.add(place)
        (asking,) = trials([self._row(place)], VariantSettings(), self.part.style)
        return asking

    def ended(self, address: ItemAddress, credit: float | None) -> None:
        """An item has come back; without credit it met a machine fault."""
        place = int(address.level), address.index
        self._under_way.discard(place)
        self._answers[place] = Answer(credit)
        if not self._queue and not self._under_way:
            self._queue = self._chosen(self._answers)

    def _chosen(self, answers: Mapping[Place, Answer]) -> list[Place]:
        """The items to ask together after these answers; none if they are enough."""
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
        made = item_to_row(make_item(self._task, self._address(place)), self.part.style, self.part.renderer)
        self._chances[place] = made.chance
        return made

    def _address(self, place: Place) -> ItemAddress:
        return self._task.address(self.part.split, str(place[0]), self.part.seed, place[1], self.part.settings)


def enough(part: DataPart) -> int:
    """Items of a task that are enough, given what a guesser gets at its sizes."""
    task = registry.task(part.task)
    first = (task.address(part.split, level, part.seed, 0, part.settings) for level in part.items().levels)
    return adaptive_testing.enough([make_item(task, address).chance for address in first])


@lru_cache(maxsize=64)  # they keep nothing of the answers, and many tasks have the same chances
def _search(sizes: tuple[int, ...], chances: tuple[float, ...]) -> BayesianAdaptiveSearch:
    return BayesianAdaptiveSearch(sizes, chances)


class ThresholdSearches:
    """The hunts of a run as the feed of its loop; `listener` hears of a hunt whenever it has an answer."""

    def __init__(self, hunts: Sequence[ThresholdSearch], listener: Callable[[ThresholdSearch], object] = lambda hunt: None) -> None:
        self._hunts = {hunt.part.task: hunt for hunt in hunts}
        self._told = listener
        self._closed = False
        self._changed = asyncio.Event()

    async def next(self) -> Trial | None:
        while not self._closed:
            for hunt in sorted(self._hunts.values(), key=lambda hunt: hunt.asked):  # they take turns
                if asking := hunt.next():
                    return asking
            if all(hunt.done for hunt in self._hunts.values()):
                return None
            self._changed.clear()
            await self._changed.wait()
        return None

    def ended(self, asking: Trial, record: AttemptRecord) -> None:
        hunt = self._hunts[asking.row.task]
        hunt.ended(ItemAddress.parse(asking.row.id), None if record.outcome == "error" else record.value)
        self._told(hunt)
        self._changed.set()

    def close(self) -> None:
        self._closed = True
        self._changed.set()


def hunts(
    design: AdaptiveSettings, records: Iterable[AttemptRecord], known: Mapping[tuple[str, str], TrialResult], attempts: int
) -> list[ThresholdSearch]:
    """The hunts of a run, as far as its records tell. Raises UserError for the record of an item that the run cannot have asked."""
    by_task: dict[str, dict[Place, Answer]] = {part.task: {} for part in design.pool}
    for record in records:
        try:
            address = ItemAddress.parse(record.item_id)
            answers, place = by_task[address.task], (int(address.level), address.index)
        except (ValueError, KeyError):
            raise UserError(f"the record of {record.item_id} belongs to no item of this run.") from None
        verdict = known[record.item_id, record.variant]
        answers.setdefault(place, Answer(None if verdict.outcome == "error" else verdict.value, verdict.attempt))
    return [ThresholdSearch(part, design, by_task[part.task], attempts) for part in design.pool]


def asked(hunt: ThresholdSearch) -> DataPart:
    """The items that a hunt has asked, as a part of data."""
    counts = {str(size): n for size, n in hunt.counts.items()}
    return replace(hunt.part, n=sum(counts.values()), level=None, counts=counts)
