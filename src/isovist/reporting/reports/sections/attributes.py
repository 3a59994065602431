"""Accuracy by item attribute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.reports.section import Section
from isovist.reporting.reports.table import ACCURACY, CHANCE, N_UNSCORED, RUN, TASK, Column, N, Table
from isovist.stats.clustered_means import clustered_mean
from isovist.world.scenes.distractor_types import most_specific_type

MIN_ITEMS = 5
"""Values with fewer items are in the CSV file alone."""
CAPTION = (
    f"Values with fewer than {MIN_ITEMS} items are in attributes.csv alone. The intervals are not corrected for the number of values: "
    "about one of 20 misses the true accuracy. The documentation of each suite explains its attributes, such as the numbers of wordings."
)


def sections(runs: Sequence[RunResults]) -> list[Section]:
    columns = [TASK, RUN, Column("attribute", "Attribute"), Column("value", "Value"), N, ACCURACY, CHANCE, N_UNSCORED]
    rows = list(_rows(runs))
    shown = [row for row, n in rows if n >= MIN_ITEMS]
    files = {"attributes.csv": Table(columns, [row for row, _ in rows]), "distractor_choices.csv": _distractor_choices(runs)}
    return [Section("Accuracy by item attribute", Table(columns, shown), CAPTION, files=files)]


def _rows(runs: Sequence[RunResults]) -> Iterator[tuple[tuple[object, ...], int]]:
    """The rows and their numbers of items: attributes with several values, sorted by name; values by number, then by name."""
    for task in (task for run in runs for task in run.tasks):
        for name in sorted({name for name, _ in task.attributes}):
            values = sorted((value for attribute, value in task.attributes if attribute == name), key=number_first)
            for value in values if len(values) > 1 else ():
                group = task.attributes[name, value]
                yield (task.task, task.run, name, value, *group.cells), group.n


def number_first(value: str) -> tuple[float, str]:
    """A sort key: the number with which a value begins, then the value."""
    number = value.split("-", maxsplit=1)[0].split(" ", maxsplit=1)[0]
    return (float(number) if number.replace(".", "", 1).isdecimal() else float("inf"), value)


def _distractor_choices(runs: Sequence[RunResults]) -> Table:
    """How often options of each distractor type were offered and chosen, the most frequent first, for tasks with an error."""
    rows: list[tuple[object, ...]] = []
    for task in (task for run in runs for task in run.tasks):
        types = task.scored.chosen_distractor_types
        errors = task.scored.where(np.array([each is not None for each in types], bool))
        counts = Counter(each for each in types if each is not None)
        offered = zip(task.scored.column("key_place").tolist(), task.scored.values("distractor_types"), strict=True)
        offers = Counter(most_specific_type(each) for key, of_item in offered for place, each in enumerate(of_item or ()) if place != key)
        for distractor_type, n_offered in sorted(offers.items(), key=lambda offer: (-counts[offer[0]], offer[0])) if counts else ():
            is_type = [float(each == distractor_type) for each in types if each is not None]
            rows.append(
                (task.run, task.task, distractor_type, n_offered, counts[distractor_type], clustered_mean(is_type, errors.clusters))
            )
    columns = [RUN, TASK, *map(Column, ("distractor_type", "n_offered", "n_chosen")), Column("proportion_of_errors", kind="interval")]
    return Table(columns, rows)
