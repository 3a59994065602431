"""Lazy sequences of items, generated on access."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from isovist.common.errors import optional_package
from isovist.core.task import ItemAddress, Task, Value
from isovist.data.item import Item, full_address, make_item
from isovist.suites import registry

if TYPE_CHECKING:
    import pyarrow as pa


class ItemSequence(Sequence[Item]):
    """Items that are generated on access, with conversion to tables."""

    def _table(self, *, pictures: bool) -> pa.Table:
        """The columns of `isovist generate`."""
        from isovist.data.dataset.rows import item_to_row, table

        return table(item_to_row(item, pictures=pictures) for item in self)

    def to_hf(self) -> Any:
        """The items as a `datasets.Dataset` in memory, with the columns and images of `isovist generate`.

        Raises:
            MissingDependencyError: The package `datasets` is not installed.
        """
        return optional_package("datasets", "a Hugging Face dataset").Dataset(self._table(pictures=True))

    def to_pandas(self) -> Any:
        """The items as a pandas data frame, with the columns of `isovist generate` but without images; `isovist.item(id)` has them.

        Raises:
            MissingDependencyError: The package `pandas` is not installed.
        """
        optional_package("pandas", "a data frame")
        return self._table(pictures=False).drop_columns(["images"]).to_pandas()  # pyright: ignore[reportUnknownMemberType] - incomplete stubs

    def _repr_html_(self) -> str:
        """For notebooks: the number of items, and the first one."""
        from isovist.data.notebook import sequence_html

        return sequence_html(repr(self)[1:-1], self[0]._repr_html_() if self else "")  # pyright: ignore[reportPrivateUsage] - notebooks call it


@dataclass(frozen=True, repr=False)
class Items(ItemSequence):
    """A lazy sequence of items of one task, in round-robin order of the levels.

    `level` names one level, or several separated by commas; None means all levels of the task. A level that is named several times has as
    many items in each round. With `counts` (level and number of items),
    the items are ordered level by level, and `n` is the sum of the counts. With `ids`, the items are those with these ids.
    """

    task: Task[Any]
    n: int
    seed: int = 0
    split: str = "test"
    level: str | None = None
    settings: tuple[tuple[str, Value], ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.n < 0:
            raise ValueError(f"Invalid n: {self.n}. Give a number of items from 0")
        if self.counts and self.n != sum(count for _, count in self.counts):
            raise ValueError(f"Invalid n: {self.n}. The levels have {sum(count for _, count in self.counts)} items")
        for place in range(len(self.ids) or len(self.levels)):
            self.address(place)  # raises errors here instead of at the first item

    def __repr__(self) -> str:
        return f"<{self.n} items of {self.task.id}, {self.split} split, seed {self.seed}>"

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of the items, in order."""
        if self.counts:
            return tuple(level for level, _ in self.counts)
        if self.ids:
            return tuple(dict.fromkeys(ItemAddress.parse(id).level for id in self.ids))
        return self.task.levels if self.level is None else tuple(self.level.split(","))

    def address(self, place: int) -> ItemAddress:
        """The address of the item at an index of the sequence."""
        if self.ids:
            return full_address(self.task, self.ids[place])
        level, index = self._level_by_level(place) if self.counts else self._round_robin(place)
        return self.task.address(self.split, level, self.seed, index, dict(self.settings))

    def _round_robin(self, place: int) -> tuple[str, int]:
        index, turn = divmod(place, len(self.levels))
        level = self.levels[turn]
        return level, index * self.levels.count(level) + self.levels[:turn].count(level)

    def _level_by_level(self, place: int) -> tuple[str, int]:
        last, before = len(self.counts) - 1, 0
        for turn, (level, count) in enumerate(self.counts):
            if place < before + count or turn == last:
                return level, place - before
            before += count
        raise IndexError(place)

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(self.n))]
        if not -self.n <= place < self.n:
            raise IndexError(f"item {place} of {self.n}")
        return self._made(place % self.n)

    def _made(self, place: int) -> Item:
        return make_item(self.task, self.address(place))

    def __iter__(self) -> Iterator[Item]:
        return (self[i] for i in range(self.n))


@dataclass(frozen=True, repr=False)
class PrivateItems(Items):
    """Items with a private seed, which no text of this object and no error of the sampling states."""

    def __repr__(self) -> str:
        return f"<{self.n} items of {self.task.id}, {self.split} split, private seed>"

    def _made(self, place: int) -> Item:
        try:
            return super()._made(place)
        except RuntimeError:  # its message states the address
            raise RuntimeError(f"{self.task.id}, item {place} of a private seed: no scene fits") from None


class Several(ItemSequence):
    """A lazy sequence of the items of several tasks, one task after the other."""

    def __init__(self, parts: Sequence[Items]) -> None:
        self.parts = tuple(parts)

    def __repr__(self) -> str:
        return f"<{len(self)} items of {len(self.parts)} tasks>"

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        offset = place + len(self) if place < 0 else place
        for part in self.parts:
            if 0 <= offset < len(part):
                return part[offset]
            offset -= len(part)
        raise IndexError(f"item {place} of {len(self)}")


def generate(
    tasks: str | Sequence[str], n: int = 100, seed: int = 0, split: str = "test", level: str | None = None, **settings: Value
) -> ItemSequence:
    """Generate items; the same arguments give the same items.

    Args:
        tasks: Task id or glob, such as ``"cdr/*"``, or several of them.
        n: Items of each task.
        seed: Random seed; a 64-bit integer.
        split: ``"test"`` or ``"train"``; the two have no common layout.
        level: Difficulty level, or several separated by commas; all levels by default.
        **settings: Options of the tasks, such as ``order="paper"``, and ``size``, the image size in pixels.

    Returns:
        A lazy sequence of items, which are generated on access. `to_hf()` and `to_pandas()` convert it.

    Raises:
        ValueError: For an unknown task, split, level or option, and for an invalid value.

    Examples:
        >>> items = generate("cdr/relative-compass-letter", n=8, seed=0)
        >>> items[3].answer.score(items[3].answer.canonical()).credit
        1.0
    """
    names = [tasks] if isinstance(tasks, str) else list(tasks)
    chosen = registry.matching(names)
    task_settings = registry.require_setting_support(chosen, settings)
    parts = [Items(task, n, seed, split, level, tuple(sorted(values.items()))) for task, values in zip(chosen, task_settings, strict=True)]
    return parts[0] if len(parts) == 1 else Several(parts)
