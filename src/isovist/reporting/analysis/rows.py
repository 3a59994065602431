"""Rows of the results table: trials with the columns of their items, as numbers of numpy over the Arrow tables of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from typing import Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from isovist.core.answers import Answer, Outcome
from isovist.core.option_angles import OptionAngles
from isovist.evaluation.run.records import UNREAD
from isovist.evaluation.run.variants import STANDARD
from isovist.reporting.analysis.item_table import keys
from isovist.reporting.analysis.text_format import reported
from isovist.stats.chance_correction import Scores
from isovist.stats.clustered_means import mean_of_tasks
from isovist.stats.proportions import ConfidenceInterval
from isovist.world.scenes.distractor_types import most_specific_type

Array = NDArray[Any]
MAX_UNSCORED = 0.05
arrow: Any = pa  # its stubs do not know the types of lists, maps and dictionaries


@dataclass(frozen=True, slots=True)
class Column:
    """A column as an array: numbers with NaN for null, or texts as codes, -1 for null, with their names."""

    values: Array
    names: Sequence[str] | None = None
    is_integer: bool = False
    """Whether its numbers are integers, although null makes the array one of floating-point numbers."""

    @staticmethod
    def of(column: Any) -> Column:
        """From a column of an Arrow table."""
        whole: Any = column.combine_chunks()
        if pa.types.is_string(whole.type):
            whole = whole.dictionary_encode()
        if pa.types.is_dictionary(whole.type):
            return Column(np.asarray(whole.indices.fill_null(-1)), whole.dictionary.to_pylist())
        return Column(whole.to_numpy(zero_copy_only=False), is_integer=pa.types.is_integer(whole.type))

    def at(self, places: Array) -> Column:
        return Column(self.values[places], self.names, self.is_integer)

    @property
    def is_known(self) -> Array:
        """Where it is not null."""
        return self.values >= 0 if self.names is not None else ~np.isnan(self.values)

    def value(self, place: int) -> Any:
        value = self.values[place].item()
        return self.names[value] if self.names is not None else int(value) if self.is_integer else value


class Rows:
    """Some trials of a run. All rows of a table share its columns, each of which is converted once.

    An item column is that of the item of each trial, with the options in the standard order. Numbers of scored items (`n`, `credits`,
    `accuracy` ...) are those of the rows that have a credit: request errors and trials that were not presented have none.
    """

    def __init__(
        self, trials: pa.Table, items: pa.Table, places: Array | None = None, columns: dict[str, Column] | None = None, **changed: Array
    ) -> None:
        """`changed`: columns of these rows with other numbers than in the tables."""
        self.trials, self.items = trials, items
        self.places: Array = np.arange(len(trials)) if places is None else places
        """The rows of the table of trials."""
        self.columns: dict[str, Column] = {} if columns is None else columns
        self.changed = changed

    def __len__(self) -> int:
        return len(self.places)

    # Columns ----------------------------------------------------------------------------------------------------------

    def _whole(self, name: str) -> Column:
        """The column of all trials of the table."""
        if name not in self.columns:
            is_of_trial = name in self.trials.column_names
            column = Column.of((self.trials if is_of_trial else self.items)[name])
            self.columns[name] = column if is_of_trial else column.at(self._whole("item").values)
        return self.columns[name]

    def _of(self, name: str) -> Column:
        whole = self._whole(name)
        return replace(whole, values=self.changed[name]) if name in self.changed else whole.at(self.places)

    def column(self, name: str) -> Array:
        """The numbers, or the codes of texts."""
        return self._of(name).values

    def with_column(self, name: str, numbers: Sequence[float] | Array) -> Rows:
        """The rows with other numbers in a column."""
        return Rows(self.trials, self.items, self.places, self.columns, **self.changed | {name: np.asarray(numbers)})

    def texts(self, name: str) -> list[str]:
        """The texts of a column; "" for null."""
        names: Sequence[str] = self._whole(name).names or []
        codes: list[int] = self.column(name).tolist()
        return [names[code] if code >= 0 else "" for code in codes]

    def values(self, name: str) -> list[Any]:
        """The values of a column of any type, such as lists, as Python objects."""
        if name in self.trials.column_names:
            return self.trials[name].take(arrow.array(self.places)).to_pylist()
        return self.items[name].take(arrow.array(self.column("item"))).to_pylist()

    @property
    def keys(self) -> list[Answer]:
        """The answer key of each row in the standard condition."""
        return list(keys(self.items.take(arrow.array(self.column("item")))))

    # Selections and groups -----------------------------------------------------------------------------------------------

    def at(self, rows: Array) -> Rows:
        """Some of these rows, by their places among them."""
        changed = {name: numbers[rows] for name, numbers in self.changed.items()}
        return Rows(self.trials, self.items, self.places[rows], self.columns, **changed)

    def where(self, mask: Array) -> Rows:
        return self.at(np.flatnonzero(mask))

    def having(self, name: str, *texts: str) -> Rows:
        """The rows that have one of these texts in a column."""
        return self.where(self.has(name, *texts))

    def has(self, name: str, *texts: str) -> Array:
        """For each row whether it has one of these texts in a column."""
        names = self._whole(name).names or ()
        return np.isin(self.column(name), [code for code, text in enumerate(names) if text in texts])

    @cached_property
    def _places_of_items(self) -> dict[str, int]:
        return {id: place for place, id in enumerate(self.texts("item_id"))}

    def of_items(self, ids: Sequence[str]) -> Rows | None:
        """The rows of the items with these ids, in their order; None if one is missing."""
        places = self._places_of_items
        return self.at(np.array([places[id] for id in ids], int)) if places.keys() >= set(ids) else None

    @staticmethod
    def together(parts: Sequence[Rows]) -> Rows:
        """The rows of several selections of one table."""
        first, places = parts[0], np.concatenate([part.places for part in parts])
        changed = {name: np.concatenate([part.column(name) for part in parts]) for name in first.changed}
        return Rows(first.trials, first.items, places, first.columns, **changed)

    def by(self, *names: str) -> dict[Any, Rows]:
        """The rows by the value of a column, or by the values of several, in the order of their first rows; without those that lack one."""
        columns = [self._of(name) for name in names]
        known = np.flatnonzero(np.logical_and.reduce([column.is_known for column in columns]))
        groups = _groups([column.values[known] for column in columns])
        return {
            values[0] if len(names) == 1 else values: self.at(known[group])
            for group in groups
            for values in (tuple(column.value(int(known[group[0]])) for column in columns),)
        }

    def by_entry(self, name: str) -> dict[tuple[str, str], Rows]:
        """The rows by each name and value of a column of maps."""
        maps: Any = self.items[name].combine_chunks()
        texts = (maps.keys.dictionary_encode(), maps.items.dictionary_encode())
        row, entry = exploded(maps, self.column("item"))
        codes = [np.asarray(each.indices)[entry] for each in texts]
        return {
            cast(
                "tuple[str, str]", tuple(each.dictionary[code[group[0]]].as_py() for each, code in zip(texts, codes, strict=True))
            ): self.at(row[group])
            for group in _groups(codes)
        }

    @cached_property
    def standard(self) -> Rows:
        """The rows in the standard condition: one for each item."""
        return self.having("variant", STANDARD)

    @cached_property
    def scored(self) -> Rows:
        """The rows with a credit."""
        is_scored = ~np.isnan(self.column("credit"))
        return self if is_scored.all() else self.where(is_scored)

    @property
    def choices(self) -> Rows:
        """The rows with a chosen option."""
        return self.where(~np.isnan(self.column("chosen_place")))

    @property
    def quantities(self) -> Iterator[tuple[int, str, OptionAngles]]:
        """For each quantity of each row: the place of the row, the name of the quantity, and the angles of the options."""
        for place, quantities in enumerate(self.values("option_angles")):
            for each in quantities or ():
                yield place, each["name"], OptionAngles(tuple(each["angles_deg"]), each["positive_direction"], each["is_circular"])

    @property
    def chosen_distractor_types(self) -> list[str | None]:
        """The most specific type of the chosen distractor of each row; None for the key, no chosen option, and items without types."""
        places = zip(self.column("chosen_place").tolist(), self.column("key_place").tolist(), self.values("distractor_types"), strict=True)
        return [
            most_specific_type(types[int(chosen)]) if types and not isnan(chosen) and chosen != key else None
            for chosen, key, types in places
        ]

    @property
    def scenes(self) -> list[tuple[int, int]]:
        """Cluster and index of each row: items of related tasks that share both are about the same scene."""
        return list(zip(self.column("cluster").tolist(), self.column("index").tolist(), strict=True))

    @property
    def first_of_clusters(self) -> Rows:
        """The first row of each cluster: an exact test needs independent items."""
        return self.at(np.sort(np.unique(self.column("cluster"), return_index=True)[1]))

    @property
    def is_key_chosen(self) -> Array:
        """For choices: whether the key is chosen."""
        return self.column("chosen_place") == self.column("key_place")

    @cached_property
    def parsed(self) -> Rows:
        """The scored rows with a parsed answer."""
        return self.scored.where(~self.scored.has("outcome", *UNREAD))

    # Numbers of the scored rows -------------------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        return len(self.scored)

    @property
    def n_unscored(self) -> int:
        return len(self) - self.n

    @property
    def misses_many(self) -> bool:
        """Whether more than 5% are not scored: then no claim is made but the widened interval."""
        return self.n_unscored > MAX_UNSCORED * len(self)

    @cached_property
    def credits(self) -> list[float]:
        return self.scored.column("credit").tolist()

    @cached_property
    def clusters(self) -> list[int]:
        """Numbers of the clusters, which are the same for all rows of a run."""
        return self.scored.column("cluster").tolist()

    @cached_property
    def chances(self) -> list[float]:
        return self.scored.column("chance").tolist()

    @cached_property
    def accuracy(self) -> ConfidenceInterval | None:
        """Mean credit with its interval, which is widened by items that are not scored; None if none is scored."""
        return mean_accuracy([self]) if self.n else None

    @property
    def scores(self) -> Scores:
        """The scored rows, with the number of the others."""
        return Scores(self.credits, self.chances, self.clusters, self.n_unscored)

    @property
    def published_accuracy(self) -> ConfidenceInterval | None:
        """The mean credit by the scorer of the paper, as `accuracy`; None without one."""
        published = self.scored.column("published_credit")
        is_scored = self.n and not np.isnan(published).any()
        return mean_of_tasks([(published.tolist(), self.clusters)], missing=[self.n_unscored]) if is_scored else None

    @cached_property
    def chance(self) -> float:
        """The mean over the scored items; without any, over all items."""
        chances = self.chances or self.column("chance").tolist()
        return sum(chances) / len(chances)

    @property
    def outcomes(self) -> list[Outcome]:
        return cast("list[Outcome]", self.texts("outcome"))

    @property
    def cells(self) -> tuple[int, object, float, int]:
        """The number of scored items, the accuracy or the reason for its absence, the chance level, and the number of unscored items."""
        return self.n, reported(self.accuracy, self.n_unscored), self.chance, self.n_unscored


def mean_accuracy(tasks: Sequence[Rows], weights: Sequence[float] | None = None) -> ConfidenceInterval:
    """The mean accuracy over some tasks, each with a scored item, as `mean_of_tasks`; the interval is widened by items that are not scored."""
    return mean_of_tasks([(rows.credits, rows.clusters) for rows in tasks], weights, [rows.n_unscored for rows in tasks])


def exploded(lists: Any, places: Array) -> tuple[Array, Array]:
    """For each element of some lists of an Arrow array: the number of its list among them, and its place among all elements."""
    starts = np.asarray(lists.offsets)
    counts = starts[places + 1] - starts[places]
    row = np.repeat(np.arange(len(places)), counts)
    return row, np.arange(len(row)) + np.repeat(starts[places] - np.cumsum(counts) + counts, counts)


def _groups(codes: Sequence[Array]) -> list[Array]:
    """The places with equal values, in the order of their first places."""
    if not len(codes[0]):
        return []
    keys = np.zeros(len(codes[0]), np.int64)
    for code in codes:
        values, inverse = np.unique(code, return_inverse=True)
        keys = keys * len(values) + inverse
    _, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    parts = np.split(np.argsort(inverse, kind="stable"), np.cumsum(counts)[:-1])
    return [parts[group] for group in np.argsort(first, kind="stable")]


def pooled(parts: Sequence[Rows]) -> Rows:
    """The rows of several tables, such as those of a run of several folders, as those of one table."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part.items) for part in parts[:-1])])
    trials = [
        part.trials.set_column(0, "item", pa.array(np.asarray(part.trials["item"]) + start, pa.int32()))
        for part, start in zip(parts, starts, strict=True)
    ]
    items = [part.items for part in parts]
    return Rows(*(arrow.concat_tables(tables).unify_dictionaries().combine_chunks() for tables in (trials, items)))
