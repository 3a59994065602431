"""Loading of runs for analyses: items, results, and the pooling of run folders that are parts of one evaluation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path

from isovist.common.errors import UserError
from isovist.data.dataset.manifest import SHOWN_OPTIONS, DataPart
from isovist.evaluation.run.records import Totals
from isovist.evaluation.run.run_folder import SERVER, RunFolder, RunMetadata
from isovist.evaluation.run.verification import NOT_VERIFIED, DataName, Reading, Verifier, data_name
from isovist.reporting.analysis.item_table import ItemTable
from isovist.reporting.analysis.rows import Rows, pooled
from isovist.reporting.analysis.run_names import run_names
from isovist.reporting.analysis.text_format import join_names
from isovist.reporting.analysis.trial_table import trial_table

OF_DATA = {"data hash", "parts", "n"}
"""The settings of `RunMetadata.differing_settings` that say which items a run has."""
OF_DECODING = {"sampling seed"} | SERVER
"""The settings in which runs of several decoding seeds differ; each may have had a server of its own."""


@dataclass(frozen=True, slots=True)
class RunPart:
    """One run folder."""

    folder: RunFolder
    info: RunMetadata
    reading: Reading
    """Without its results, which `rows` have."""
    rows: Rows
    usage: Totals
    """Of all attempts."""
    designs: dict[str, DataPart] = field(repr=False)
    """The dataset part of each task and split."""

    def has_settings_of(self, other: RunPart, ignored: Collection[str] = OF_DATA) -> bool:
        """Whether both have the same model and settings, except for the `ignored` ones, by default the data. Never for participants and
        adaptive runs, and for runs of a release with others: the result of a release is that of exactly its items.
        """
        infos = self.info, other.info
        if any(info.is_human_run or info.adaptive for info in infos) or self.info.variants != other.info.variants:
            return False
        if (self.info.release, self.info.commitment) != (other.info.release, other.info.commitment):
            return False
        return set(self.info.differing_settings(other.info)) <= set(ignored)

    def complements(self, other: RunPart) -> bool:
        """Whether both have no common item, and the same design of their common tasks."""
        if any(design(part) != design(other.designs[name]) for name, part in self.designs.items() if name in other.designs):
            return False
        return self.ids.isdisjoint(other.ids)

    @property
    def ids(self) -> set[str]:
        """The ids of its items."""
        return set(self.rows.standard.texts("item_id"))


@dataclass(frozen=True)
class Run:
    """One evaluation of a model: a run folder, or several with the same model and settings and different items."""

    name: str
    parts: tuple[RunPart, ...]

    @property
    def info(self) -> RunMetadata:
        """The settings, which the parts share except for their data."""
        return self.parts[0].info

    @cached_property
    def rows(self) -> Rows:
        return pooled([part.rows for part in self.parts])

    def differs_in_decoding_seed(self, other: Run) -> bool:
        """Whether both have the same model, items and settings, and at most another sampling seed and other servers."""
        same = [any(part.has_settings_of(each, OF_DECODING) for each in other.parts) for part in self.parts]
        return len(self.parts) == len(other.parts) and all(same)

    @property
    def shown_options(self) -> int:
        """The most options of a question if the items have fewer than those of their tasks (`isovist study serve --options`); else 0."""
        return max(int(part.settings.get(SHOWN_OPTIONS, 0)) for each in self.parts for part in each.designs.values())

    @property
    def caveats(self) -> list[str]:
        """Sentences on what was not verified, and on items that are no random sample."""
        facts = [fact for part in self.parts if (fact := part.reading.fact(self.name))]
        if any(of_task.ids for part in self.parts for of_task in part.designs.values()):
            facts.append(f"{self.name} has items that were chosen by their ids: their accuracy is not that of the task.")
        return list(dict.fromkeys(facts))


def caveats(runs: Sequence[Run]) -> list[str]:
    """What was not verified: one sentence for all runs that were not, then those of single runs."""
    unverified = [run.name for run in runs if not all(part.reading.verified for part in run.parts)]
    others = [caveat for run in runs if run.name not in unverified for caveat in run.caveats]
    if not unverified:
        return others
    which = (
        f"The {len(runs)} runs were"
        if len(unverified) == len(runs) > 1
        else f"{join_names(unverified)} {'was' if len(unverified) == 1 else 'were'}"
    )
    return [f"{which} {NOT_VERIFIED}", *others]


def load_runs(folders: Sequence[Path], verifier: Verifier | None = None, *, least: int = 1) -> list[Run]:
    """Read the items and the results of runs. Folders that are parts of one evaluation, such as several seeds, shards or tasks, are pooled.

    Args:
        folders: Run folders.
        verifier: Scores all responses again and checks the items.
        least: Pool only if at least so many runs remain.

    Raises:
        UserError: A folder is not a run, or is given twice.
        CheckFailed: Stored scores or items differ from the new ones.
    """
    verifier = verifier or Verifier()
    opened = [((folder := RunFolder(path)), folder.info()) for path in folders]
    run_names([[each] for each in opened])  # names a repeated run before the long work
    items: defaultdict[DataName, ItemTable] = defaultdict(ItemTable)
    readings = verifier.read(opened, lambda data, row: items[data].add(row))
    verifier.conclude()
    parts: list[RunPart] = []
    readings.reverse()
    for folder, info in opened:
        reading = readings.pop()
        data = data_name(folder, info)
        for row in folder.rows(info, pictures=False) if data not in items else ():  # not verified
            items[data].add(row)
        designs = {f"{part.task} {part.split}": part for part in folder.parts(info)}
        table = items[data].table
        rows = Rows(trial_table(table, info.variants, info.style, reading.verdicts), table)
        usage = sum((result.totals for result in reading.verdicts.values()), Totals())
        parts.append(RunPart(folder, info, replace(reading, verdicts={}), rows, usage, designs))
    groups = _pooled(parts)
    if len(groups) < least:
        groups = [[part] for part in parts]
    names = run_names([[(part.folder, part.info) for part in group] for group in groups])
    return [Run(name, tuple(group)) for name, group in zip(names, groups, strict=True)]


def _pooled(parts: Sequence[RunPart]) -> list[list[RunPart]]:
    """Parts with the same settings as one run if they complement each other; if two of them do not, such as a repetition, all separate."""
    alike: list[list[RunPart]] = []
    for part in parts:
        group = next((group for group in alike if part.has_settings_of(group[0])), None)
        if group is None:
            alike.append(group := [])
        group.append(part)
    groups: list[list[RunPart]] = []
    for group in alike:
        is_one_run = all(a.complements(b) for a, b in combinations(group, 2))
        groups += [group] if is_one_run else [[part] for part in group]
    places = {part.folder.path: place for place, part in enumerate(parts)}
    return sorted(groups, key=lambda group: places[group[0].folder.path])


def design(part: DataPart) -> tuple[object, ...]:
    """What determines the distribution of the items of a part: version, levels, settings, prompt style, renderer and chosen ids."""
    return part.version, part.level, part.settings, part.style, part.renderer, part.ids


def require_fixed_design(folders: Sequence[Path]) -> None:
    """Raises UserError for an adaptive run: its accuracy cannot be compared."""
    for path in folders:
        if RunFolder(path).info().adaptive is not None:
            raise UserError(
                f"The accuracy of an adaptive run cannot be compared: {path}. Compare size thresholds with `isovist report`, or evaluate "
                "both models on one dataset folder (`isovist run --data DIR`)."
            )
