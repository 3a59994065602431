"""Reading a run back: its replies are scored again, and its items are looked at, before anything is said of the model.

Stored verdicts are a cache. What counts is what this version's parser makes of the replies. Where the parser is the one that stored
the verdicts, they have to agree; where it is another, those that differ are counted, and the new ones are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import file_digest
from itertools import pairwise
from pathlib import Path

from isovist import registry
from isovist.core.answers import Answer
from isovist.core.rng import Rng
from isovist.dataset.load import load, read
from isovist.dataset.manifest import DataPart, Manifest
from isovist.dataset.parallel import run_parallel
from isovist.dataset.rows import ItemRow
from isovist.dataset.verify import key_difference
from isovist.errors import CheckFailed, UserError
from isovist.run.records import AttemptRecord, Name, TrialResult, counting, latest_trial_results, placed
from isovist.run.rescore import again
from isovist.run.run_folder import RunFolder, RunMetadata, parser

HEAVY = 4_000_000
"""Bytes of records from which on several processes score them; each gets pieces of a quarter of that."""
REMADE = 40
"""Items of each part of the data whose words and key are made again. They are drawn by the hash of the data."""

_WAY_OUT = "Restore the data; --no-verify takes them as they stand."

Keys = Mapping[str, tuple[str, Answer]]
"""The task and the key of each item, by its id."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What counts for each item of a run, and how that is known."""

    verdicts: Mapping[Name, TrialResult]
    verified: bool = True
    """Whether its replies were scored again and its items looked at."""
    replies: int = 0
    """So many were scored again."""
    changed: int = 0
    """Stored verdicts of another version of the parser that differ from what this one makes of the replies."""
    remade: int = 0
    """Items whose words and key were made again."""
    unmade: tuple[str, ...] = ()
    """Tasks whose items this Isovist cannot make again: imported ones, and those of other versions."""

    def fact(self, run: str) -> str:
        """What a reader has to know before the numbers; empty if there is nothing."""
        if not self.verified:
            return f"{run} was not verified (--no-verify): its stored verdicts and its data are taken as they stand."
        if not self.changed:
            return ""
        return (
            f"{run}: {self.changed:,} of {self.replies:,} stored verdicts differ from the replies as this version reads them; "
            "the new ones are used (`isovist rescore` stores them)."
        )

    @property
    def words(self) -> str:
        """What was looked at."""
        if not self.verified:
            return "no (--no-verify)"
        text = f"{self.replies:,} replies scored again; hashes of the data files; words and keys of {self.remade:,} items made again"
        return f"{text}; none of {', '.join(self.unmade)}, which this version cannot make" if self.unmade else text


@dataclass(slots=True)
class _Data:
    """The items of a run, looked at once for all runs that asked them."""

    keys: Keys
    remade: int = 0
    unmade: tuple[str, ...] = ()
    fault: str = ""


def _unticked(count: int) -> None:
    del count


@dataclass(slots=True)
class Verifier:
    """Reads runs back, one after the other, and collects what is wrong with them. With `verify` off, it takes what is stored."""

    verify: bool = True
    progress: Callable[[int], object] = _unticked
    """Told of the bytes of records that were scored."""
    workers: int = 1
    """Processes that score the records of a long run."""
    faults: list[str] = field(default_factory=list[str])
    """A line for each run, or data folder, that is not what it says it is."""
    _data: dict[tuple[object, ...], _Data] = field(default_factory=dict[tuple[object, ...], _Data])

    def read(self, folder: RunFolder, info: RunMetadata) -> Reading:
        """A run read back. Raises UserError for what cannot be read at all."""
        if not self.verify:
            return Reading(latest_trial_results(folder.records), verified=False)
        name = (folder.data(info).resolve(), info.parts, info.n)
        if name not in self._data:
            self._data[name] = data = _looked_at(folder, info)
            self.faults += [data.fault] if data.fault else []
        data = self._data[name]
        if data.fault:
            return Reading({})
        scored = _Scored(data.keys)
        if self.workers > 1 and folder.records.is_file() and folder.records.stat().st_size > HEAVY:
            results = counting(self._in_pieces(folder, scored))
        else:
            results = counting(self._ticked(scored.of(folder)))
        if scored.differ and info.versions.get("parser") == parser():
            self.faults.append(
                f"{folder.path}: {scored.differ:,} of {scored.n:,} stored verdicts are not what the replies come to; the first: "
                f"{scored.first}. `isovist rescore {folder.path}` stores what they come to; --no-verify takes them as they stand."
            )
        return Reading(results, replies=scored.n, changed=scored.differ, remade=data.remade, unmade=data.unmade)

    def _ticked(self, records: Iterator[tuple[int, AttemptRecord]]) -> Iterator[tuple[int, AttemptRecord]]:
        before = 0
        for place, record in records:
            self.progress(place - before)
            before = place
            yield place, record

    def _in_pieces(self, folder: RunFolder, whole: _Scored) -> list[tuple[int, AttemptRecord]]:
        """The same in several processes."""
        ends = _pieces(folder.records)
        pieces: dict[int, _Piece] = {}
        try:
            for piece in run_parallel(_scored, [(folder.path, *ends_) for ends_ in pairwise(ends)], self.workers):
                pieces[piece.start] = piece
                self.progress(piece.length)
        except UserError:
            return list(whole.of(folder))  # which names the line that cannot be read
        for start in sorted(pieces):
            whole.add(pieces[start].scored)
        return [record for start in sorted(pieces) for record in pieces[start].records]

    def conclude(self) -> None:
        """Raises CheckFailed if anything was wrong."""
        if self.faults:
            raise CheckFailed(*self.faults)


@dataclass(slots=True)
class _Scored:
    """Scores records, and counts those whose stored verdicts differ."""

    keys: Keys
    n: int = 0
    differ: int = 0
    first: str = ""

    def of(self, folder: RunFolder, start: int = 0, end: int | None = None) -> Iterator[tuple[int, AttemptRecord]]:
        """The records with the verdicts that their replies come to, and with their places in the file."""
        for place, record in placed(folder.records, AttemptRecord, start, end):
            if record.item_id not in self.keys:
                continue  # of an item that this run does not ask
            new = again(record, self.keys)
            self.n += 1
            if (new.outcome, new.value, new.parsed) != (record.outcome, record.value, record.parsed):
                self.differ += 1
                self.first = self.first or f"{record.item_id}: stored {_told(record)}, scored {_told(new)}"
            yield place, new

    def add(self, other: _Scored) -> None:
        """Counts of records further down."""
        self.n, self.differ, self.first = self.n + other.n, self.differ + other.differ, self.first or other.first


@dataclass(frozen=True, slots=True)
class _Piece:
    """The records of a piece of a file, without their words."""

    start: int
    length: int
    records: list[tuple[int, AttemptRecord]]
    scored: _Scored


def _scored(path: Path, start: int, end: int) -> _Piece:
    """Scores a piece of a run's records, in a process of its own."""
    folder = RunFolder(path)
    scored = _Scored(keys_of(path))
    records = [(place, replace(record, reply="", reasoning="")) for place, record in scored.of(folder, start, end)]
    return _Piece(start, end - start, records, replace(scored, keys={}))


@lru_cache(maxsize=1)
def keys_of(path: Path) -> Keys:
    """The keys of the run in a folder, by its data as they stand."""
    folder = RunFolder(path)
    return {row.id: (row.task, row.key) for row in folder.rows(folder.info(), pictures=False)}


def _pieces(path: Path) -> list[int]:
    """Places in a file of lines, each the beginning of one, with its end."""
    size = path.stat().st_size
    starts = [0]
    with path.open("rb") as file:
        while (at := starts[-1] + HEAVY // 4) < size:
            file.seek(at)
            file.readline()
            starts.append(file.tell())
    return [*starts, size] if starts[-1] < size else starts


def _told(record: AttemptRecord) -> str:
    return record.outcome if record.parsed is None else f"{record.outcome} ({record.parsed[:40]})"


def check_data(folder: RunFolder, info: RunMetadata) -> Keys:
    """The keys of a run's items. Raises CheckFailed if its data are not what they say they are."""
    data_check = _looked_at(folder, info)
    if data_check.fault:
        raise CheckFailed(data_check.fault)
    return data_check.keys


def _looked_at(folder: RunFolder, info: RunMetadata) -> _Data:
    data, parts = folder.data(info), folder.parts(info)
    if fault := _digests(data, parts):
        return _Data({}, fault=fault)
    keys: dict[str, tuple[str, Answer]] = {}
    remade, differ, first = 0, 0, ""
    unmade: list[str] = []
    for part in parts:
        n = part.n if info.n is None else min(part.n, info.n)
        chosen = set(Rng("verification", info.data_hash, part.task, part.split).sample(range(n), min(n, REMADE)))
        if not _made_here(part):
            chosen = set[int]()
            unmade.append(part.task)
        for place, row in enumerate(load(data, [part], info.n, pictures=False)):
            keys[row.id] = (row.task, _key(data, row))
            if place in chosen:
                remade += 1
                difference = key_difference(row)
                differ += difference is not None
                first = first or (f"{row.id}: {difference}" if difference else "")
    fault = f"{data}: {differ} of {remade} items are not what their ids make; the first: {first.rstrip('.')}. {_WAY_OUT}"
    return _Data(keys, remade, tuple(dict.fromkeys(unmade)), fault if differ else "")


def _key(data: Path, row: ItemRow) -> Answer:
    try:
        return row.key
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"{data}: {row.id} has no readable key ({error}); restore the data.") from error


def _made_here(part: DataPart) -> bool:
    known = registry.tasks().get(part.task)
    return not part.imported and known is not None and known.version == part.version


def _digests(data: Path, parts: Sequence[DataPart]) -> str:
    """Which files are not those that the manifest names; empty if all are."""
    hashes = Manifest.read(data).hashes
    files = [(part, name) for part in parts for name in part.files() if name in hashes]
    changed = [(part, name) for part, name in files if _digest(data / name) != hashes[name]]
    if not changed:
        return ""
    problem = f"{data}: {len(changed)} of {len(files)} files have changed since they were written; the first: {changed[0][1]}"
    items = (f", {item}" for part, name in changed if (item := _first(data / name, part)))
    return f"{problem}{next(items, '')}. {_WAY_OUT}"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _first(path: Path, part: DataPart) -> str:
    """The first item of a file whose words or key are not what its id makes."""
    if not _made_here(part):
        return ""
    try:
        differ = ((row, difference) for row in read(path, pictures=False) if (difference := key_difference(row)))
        return next((f"{row.id}: {difference}" for row, difference in differ), "")
    except UserError:
        return ""  # no such file at all any more
