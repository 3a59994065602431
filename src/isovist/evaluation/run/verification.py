"""Verification of a run before its analysis: responses are scored again, and items are checked.

Stored scores are a cache; the scores of the current parser are used. If the same parser stored the scores, they must agree. If another
version stored them, the differences are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from sys import intern

from isovist.common.errors import CheckFailed, UserError
from isovist.core.answers import Answer
from isovist.core.rng import Rng
from isovist.data.dataset.file_notes import file_hash
from isovist.data.dataset.load import load, read
from isovist.data.dataset.manifest import DataPart, Manifest
from isovist.data.dataset.parallel import run_parallel
from isovist.data.dataset.rows import ItemRow
from isovist.data.dataset.verify import key_difference
from isovist.evaluation.run.records import AttemptRecord, Name, TrialResult, add_later, counting, latest_trial_results, placed
from isovist.evaluation.run.rescore import again
from isovist.evaluation.run.run_folder import RunFolder, RunMetadata, parser

HEAVY = 4_000_000
"""Bytes of records from which several processes score them, in pieces of a quarter of this size."""
REMADE = 40
"""Most items of a dataset part whose text and key are regenerated; selected by the hash of the data."""
REMADE_IN_ALL = 400
"""Items that are regenerated of a dataset with many parts, at least 10 of each."""

NOT_VERIFIED = "not verified (--no-verify): stored scores and data are used unchecked."
"""The end of a caveat about runs."""
_REMEDY = "Restore the data, or add --no-verify to trust them."

DataName = tuple[Path, tuple[tuple[str, str], ...], int | None]
"""The items of a run: the dataset folder, its parts, and the limit of items of each part."""
Keys = Mapping[str, tuple[str, Answer]]
"""Task and key of each item, by id."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The results of a run, and the extent of their verification."""

    verdicts: Mapping[Name, TrialResult]
    verified: bool = True
    """Whether responses were scored again and items checked."""
    replies: int = 0
    """Number of responses scored again."""
    changed: int = 0
    """Stored scores of another parser version that differ from the new ones."""
    remade: int = 0
    """Number of items with regenerated text and key."""
    unmade: tuple[str, ...] = ()
    """Tasks whose items cannot be regenerated: imported, or of another version."""

    def fact(self, run: str) -> str:
        """A caveat about the results; "" if there is none."""
        if not self.verified:
            return f"{run} was {NOT_VERIFIED}"
        if not self.changed:
            return ""
        return (
            f"{run}: {self.changed:,} of {self.replies:,} stored scores differ from those of this parser version. The new scores are used "
            "(`isovist rescore` stores them)."
        )

    @property
    def words(self) -> str:
        """The checks, as text."""
        if not self.verified:
            return "no (--no-verify)"
        text = f"{self.replies:,} responses scored again, hashes of the data files checked, {self.remade:,} items regenerated"
        return f"{text} (not possible for {', '.join(self.unmade)})" if self.unmade else text


@dataclass(slots=True)
class _Data:
    """The checked items of a run, shared by runs with the same data."""

    keys: Keys
    remade: int = 0
    unmade: tuple[str, ...] = ()
    fault: str = ""


def data_name(folder: RunFolder, info: RunMetadata) -> DataName:
    return folder.data(info).resolve(), info.parts, info.n


def _unticked(count: int) -> None:
    del count


def _unused(data: DataName, row: ItemRow) -> None:
    del data, row


@dataclass(slots=True)
class Verifier:
    """Reads runs and collects their faults. Without `verify`, it returns the stored results."""

    verify: bool = True
    progress: Callable[[int], object] = _unticked
    """Called with the number of scored bytes."""
    workers: int = 1
    """Number of processes for the records of a long run."""
    faults: list[str] = field(default_factory=list[str])
    """One line for each run or dataset folder that fails a check."""
    _data: dict[DataName, _Data] = field(default_factory=dict[DataName, _Data])

    def read(self, runs: Sequence[tuple[RunFolder, RunMetadata]], on_row: Callable[[DataName, ItemRow], object] = _unused) -> list[Reading]:
        """The results of some runs. `on_row` is called for each checked item, in order. Raises UserError for unreadable files."""
        if not self.verify:
            return [Reading(latest_trial_results(folder.records), verified=False) for folder, _ in runs]
        checked = [self._checked(folder, info, on_row) for folder, info in runs]
        self._data.clear()  # the keys of all items are needed in this function only
        scored = {folder.path: _Scored(data.keys) for (folder, _), data in zip(runs, checked, strict=True) if not data.fault}
        n_bytes = sum(folder.records.stat().st_size for folder, _ in runs if folder.records.is_file())
        results: dict[Path, dict[Name, TrialResult]] | None = None
        if self.workers > 1 and n_bytes > HEAVY:
            for holder in (*checked, *scored.values()):
                holder.keys = {}  # each process reads its own, and the results need the memory
            results = self._in_pieces(scored)
            for path, each in scored.items() if results is None else ():
                each.keys = keys_of(path)
        if results is None:
            results = {path: counting(self._ticked(each.of(RunFolder(path)))) for path, each in scored.items()}
        return [
            self._reading(folder, info, data, scored[folder.path], results[folder.path]) if folder.path in results else Reading({})
            for (folder, info), data in zip(runs, checked, strict=True)
        ]

    def _checked(self, folder: RunFolder, info: RunMetadata, on_row: Callable[[DataName, ItemRow], object]) -> _Data:
        """The checked items of a run."""
        name = data_name(folder, info)
        if name not in self._data:
            self._data[name] = data = _checked_data(folder, info, on_row)
            self.faults += [data.fault] if data.fault else []
        return self._data[name]

    def _reading(self, folder: RunFolder, info: RunMetadata, data: _Data, scored: _Scored, results: Mapping[Name, TrialResult]) -> Reading:
        if scored.differ and info.versions.get("parser") == parser():
            self.faults.append(
                f"{scored.differ:,} of {scored.n:,} stored scores differ from the new scores (first: {scored.first}): {folder.path}. "
                f"Run `isovist rescore {folder.path}`, or add --no-verify to trust the stored scores."
            )
        return Reading(results, replies=scored.n, changed=scored.differ, remade=data.remade, unmade=data.unmade)

    def _ticked(self, records: Iterator[tuple[int, AttemptRecord]]) -> Iterator[tuple[int, AttemptRecord]]:
        before = 0
        for place, record in records:
            self.progress(place - before)
            before = place
            yield place, record

    def _in_pieces(self, runs: Mapping[Path, _Scored]) -> dict[Path, dict[Name, TrialResult]] | None:
        """The results of runs whose records several processes score; None if a record is unreadable."""
        pieces: dict[tuple[Path, int], _Piece] = {}
        jobs = [(path, *ends) for path in runs for ends in pairwise(_pieces(RunFolder(path).records))]
        results: dict[Path, dict[Name, TrialResult]] = {path: {} for path in runs}
        counts = {path: _Scored({}) for path in runs}
        added = 0
        try:
            for piece in run_parallel(_scored, jobs, self.workers):
                pieces[piece.run, piece.start] = piece
                self.progress(piece.length)
                while added < len(jobs) and (ready := pieces.pop(jobs[added][:2], None)):  # in the order of the records
                    counts[ready.run].add(ready.scored)
                    add_later(results[ready.run], ready.results)
                    added += 1
        except UserError:
            return None
        for path, count in counts.items():
            runs[path].add(count)
        return results

    def conclude(self) -> None:
        """Raises CheckFailed if a check failed."""
        if self.faults:
            raise CheckFailed(*self.faults)


@dataclass(slots=True)
class _Scored:
    """Scores records and counts those with a different stored score."""

    keys: Keys
    n: int = 0
    differ: int = 0
    first: str = ""

    def of(self, folder: RunFolder, start: int = 0, end: int | None = None) -> Iterator[tuple[int, AttemptRecord]]:
        """The records with new scores, and their byte offsets."""
        for place, record in placed(folder.records, AttemptRecord, start, end):
            if record.item_id not in self.keys:
                continue  # an item outside the run
            new = again(record, self.keys)
            self.n += 1
            if (new.outcome, new.credit, new.parsed_answer) != (record.outcome, record.credit, record.parsed_answer):
                self.differ += 1
                self.first = self.first or f"{record.item_id}: stored {_outcome_text(record)}, scored {_outcome_text(new)}"
            yield place, new

    def add(self, other: _Scored) -> None:
        """Add the counts of later records."""
        self.n, self.differ, self.first = self.n + other.n, self.differ + other.differ, self.first or other.first


@dataclass(frozen=True, slots=True)
class _Piece:
    """The results of a piece of a file of records."""

    run: Path
    start: int
    length: int
    results: dict[Name, TrialResult]
    scored: _Scored


def _scored(path: Path, start: int, end: int) -> _Piece:
    """Score a piece of a run's records; runs in a worker process."""
    folder = RunFolder(path)
    scored = _Scored(keys_of(path))
    results = counting(scored.of(folder, start, end))
    return _Piece(path, start, end - start, results, replace(scored, keys={}))


def keys_of(path: Path) -> Keys:
    """The keys of a run, from its unchecked data."""
    folder = RunFolder(path)
    info = folder.info()
    return _keys(folder.data(info).resolve(), info.data_hash, info.parts, info.n)


@lru_cache(maxsize=2)
def _keys(data: Path, data_hash: str, parts: tuple[tuple[str, str], ...], n: int | None) -> Keys:
    """Cached, as runs on the same data follow each other; changed data have another hash."""
    del data_hash
    manifest = Manifest.read(data)
    designs = [part for task, split in parts if (part := manifest.part(task, split))]
    return {row.id: (row.task, row.key) for row in load(data, designs, n, pictures=False)}


def _pieces(path: Path) -> list[int]:
    """Byte offsets of lines that divide a file into pieces, with the end of the file."""
    size = path.stat().st_size
    starts = [0]
    with path.open("rb") as file:
        while (at := starts[-1] + HEAVY // 4) < size:
            file.seek(at)
            file.readline()
            starts.append(file.tell())
    return [*starts, size] if starts[-1] < size else starts


def _outcome_text(record: AttemptRecord) -> str:
    return record.outcome if record.parsed_answer is None else f"{record.outcome} ({record.parsed_answer[:40]})"


def check_data(folder: RunFolder, info: RunMetadata) -> Keys:
    """The keys of a run's items. Raises CheckFailed if the data fail a check."""
    data_check = _checked_data(folder, info)
    if data_check.fault:
        raise CheckFailed(data_check.fault)
    return data_check.keys


def _checked_data(folder: RunFolder, info: RunMetadata, on_row: Callable[[DataName, ItemRow], object] = _unused) -> _Data:
    name = data_name(folder, info)
    data, parts = folder.data(info), folder.parts(info)
    if fault := _digests(data, parts):
        return _Data({}, fault=fault)
    keys: dict[str, tuple[str, Answer]] = {}
    remade, differ, first = 0, 0, ""
    unmade: list[str] = []
    most = min(REMADE, max(10, REMADE_IN_ALL // max(1, len(parts))))
    for part in parts:
        n = part.n if info.n is None else min(part.n, info.n)
        chosen = set(Rng("verification", info.data_hash, part.task, part.split).sample(range(n), min(n, most)))
        if not part.can_be_regenerated:
            chosen = set[int]()
            unmade.append(f"the private seed of {part.release} without its secret" if part.is_private else part.task)
        for place, row in enumerate(load(data, [part], info.n, pictures=False)):
            keys[row.id] = intern(row.task), _key(data, row)
            on_row(name, row)
            if place in chosen:
                remade += 1
                difference = key_difference(row)
                differ += difference is not None
                first = first or (f"{row.id}: {difference}" if difference else "")
    fault = f"{differ} of {remade} items differ from their regenerated version (first: {first.rstrip('.')}): {data}. {_REMEDY}"
    return _Data(keys, remade, tuple(dict.fromkeys(unmade)), fault if differ else "")


def _key(data: Path, row: ItemRow) -> Answer:
    try:
        return row.key
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"Invalid key of {row.id} ({error}): {data}. Restore the data.") from error


def _digests(data: Path, parts: Sequence[DataPart]) -> str:
    """The files that differ from the hashes of the manifest, as one line; "" if there are none."""
    hashes = Manifest.read(data).hashes
    files = [(part, name) for part in parts for name in part.files() if name in hashes]
    changed = [(part, name) for part, name in files if file_hash(data / name) != hashes[name]]
    if not changed:
        return ""
    items = (f", {item}" for part, name in changed if (item := _first(data / name, part)))
    first = f"{changed[0][1]}{next(items, '')}"
    return f"{len(changed)} of {len(files)} files have changed since they were written (first: {first}): {data}. {_REMEDY}"


def _first(path: Path, part: DataPart) -> str:
    """The first item of a file whose text or key differs from its regenerated version."""
    if not part.can_be_regenerated:
        return ""
    try:
        differ = ((row, difference) for row in read(path, pictures=False) if (difference := key_difference(row)))
        return next((f"{row.id}: {difference}" for row, difference in differ), "")
    except UserError:
        return ""  # the file is missing
