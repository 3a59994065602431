"""Merging of the shards of a run: the result is the run that one machine would have recorded."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.common.shards import Shard
from isovist.data.dataset.load import column, load
from isovist.evaluation.config import CONFIG, TEMPLATE
from isovist.evaluation.run.captions import CAPTIONS, Caption
from isovist.evaluation.run.captions import read as read_captions
from isovist.evaluation.run.item_selection import shards_of
from isovist.evaluation.run.records import RECORDS, AttemptRecord, placed, read
from isovist.evaluation.run.renderings import FOLDER as RENDERINGS
from isovist.evaluation.run.run_folder import DATA, PACKAGES, SERVER, RunFolder, RunMetadata, stored
from isovist.evaluation.run.usage_summary import usage_summary
from isovist.evaluation.run.worked_examples import EXAMPLES

_LINES = np.dtype([("trial", np.int64), ("shard", np.int32), ("start", np.int64)])
Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class _ShardFolder:
    folder: RunFolder
    info: RunMetadata
    shard: Shard

    def __str__(self) -> str:
        return f"shard {self.shard} ({self.folder.path})"


def merge(out: Path, folders: Sequence[Path], progress: Progress = lambda n: None) -> RunMetadata:
    """Merge all shards of a run into the run folder `out`, which must not exist; returns its metadata.

    The records are in the order of the items, the attempts at an item in their order. Memory grows by about 100 bytes for each record.
    `progress` is called with the numbers of copied lines.

    Raises:
        UserError: A shard is missing or comes twice, shards have different settings or versions, or the records are not exactly those of
            the items. Nothing is written.
    """
    if out.exists() or out.is_symlink():
        raise UserError(f"Folder exists: {out}. Choose another folder for the merged run.")
    shards = _shards(folders)
    new = out.with_name(f"{out.name}.new")
    if new.exists() and not ((new / ".lock").is_file() or (new.is_dir() and not any(new.iterdir()))):
        raise UserError(f"Folder exists: {new}. Move it; the merged run is written there first.")
    with ExitStack() as opened:
        for shard in shards:
            opened.enter_context(shard.folder.locked())
        trials = _Trials(shards[0])
        records = _lines(shards, RECORDS, AttemptRecord, trials)
        _require_cover(shards, records, trials)
        captions = _lines(shards, CAPTIONS, Caption, trials)
        new.mkdir(parents=True, exist_ok=True)
        opened.enter_context(RunFolder(new).locked())
        try:
            for path in new.iterdir():  # of a merge that was killed
                if path.name != ".lock":
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            _copy(shards, records, RECORDS, new, progress)
            if any(shard.folder.captions.exists() for shard in shards):
                _copy(shards, captions, CAPTIONS, new, progress)
            del trials, records, captions  # the summary needs their memory
            info = _metadata(shards, new, out)
            _copy_other_files(shards, new, info)
            RunFolder(new).write(info)
            new.rename(out)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
    return info


def _shards(folders: Sequence[Path]) -> list[_ShardFolder]:
    """The shards in order. Raises UserError if they are not all shards of one run."""
    shards: list[_ShardFolder] = []
    for path in folders:
        info = RunFolder(path).info(shard_allowed=True)
        if not info.shard:
            raise UserError(f"Not a shard but a whole run: {path}. Name the folders of `isovist run --shard`.")
        shards.append(_ShardFolder(RunFolder(path), info, Shard.parse(info.shard)))
    first = shards[0]
    for other in shards[1:]:
        if other.shard.count != first.shard.count:
            raise UserError(f"Shards of different divisions: {first}, {other}. Merge shards of one division.")
        if differing := _differing(first.info, other.info):
            raise UserError(f"Different {' and '.join(differing)}: {first}, {other}. Merge shards of one run.")
    count = first.shard.count
    given = Counter(shard.shard.index for shard in shards)
    if missing := list(islice((f"{index}/{count}" for index in range(count) if index not in given), 10)):
        raise UserError(f"{count - len(given)} of {count} shards are missing: {', '.join(missing)}. Name all of them.")
    if repeated := [index for index, times in given.items() if times > 1]:
        paths = ", ".join(str(shard.folder.path) for shard in shards if shard.shard.index == repeated[0])
        raise UserError(f"Shard {repeated[0]}/{count} is given twice: {paths}. Give it once.")
    return sorted(shards, key=lambda shard: shard.shard.index)


def _differing(info: RunMetadata, other: RunMetadata) -> list[str]:
    """The settings and versions that differ, and may affect responses or scores."""
    settings = set(info.differing_settings(other)) - SERVER - {"shard"}  # each shard may have a server of its own
    settings |= {"variants"} if info.variants != other.variants else set()
    settings |= {"prompt template"} if info.prompt_template != other.prompt_template else set()
    names = {"isovist", "parser", *({*info.versions, *other.versions} - {"python", *PACKAGES})}  # the others are plug-ins
    settings |= {f"version of {name}" for name in names if info.versions.get(name) != other.versions.get(name)}
    return sorted(settings)


class _Trials:
    """The trials of the whole run in their order, by the hashes of their names, with their shards."""

    def __init__(self, shard: _ShardFolder) -> None:
        folder, info = shard.folder, shard.info
        parts, data, variants = folder.parts(info), folder.data(info), info.variants
        depends_on_item = variants.depend_on_item
        fixed = variants.names(None, info.style)
        hashes: list[NDArray[np.int64]] = []
        shards: list[NDArray[np.int32]] = []
        for part, of_part in zip(parts, shards_of(data, parts, info.n, shard.shard.count), strict=True):
            if depends_on_item:
                rows = load(data, [part], info.n, pictures=False)
                named = ((row.id, variants.of_row(row, info.style)) for row in rows)
            else:
                chunks = column(data, part, "id", info.n).chunks
                named = ((str(item), fixed) for chunk in chunks for item in chunk.to_pylist())
            counts = np.zeros(len(of_part), np.int32)
            names = _hashes(named, counts)
            hashes.append(np.fromiter(names, np.int64))
            shards.append(np.repeat(of_part, counts))
        every = np.concatenate(hashes) if hashes else np.zeros(0, np.int64)
        self.shards = np.concatenate(shards) if shards else np.zeros(0, np.int32)
        self._order = np.argsort(every, kind="stable")
        self._sorted = every[self._order]

    def __len__(self) -> int:
        return len(self._sorted)

    def numbers(self, hashes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of the trial of each hash; -1 for an unknown one."""
        if not len(self):
            return np.full(len(hashes), -1)
        places = np.minimum(np.searchsorted(self._sorted, hashes), len(self) - 1)
        return np.where(self._sorted[places] == hashes, self._order[places], -1)


def _hashes(named: Iterator[tuple[str, list[str]]], counts: NDArray[np.int32]) -> Iterator[int]:
    for place, (item, names) in enumerate(named):
        counts[place] = len(names)
        for name in names:
            yield hash((item, name))


def _lines(shards: Sequence[_ShardFolder], name: str, kind: type[AttemptRecord | Caption], trials: _Trials) -> NDArray[np.void]:
    """The lines of a file of all shards, in the order of the trials. Raises UserError for a line of no item, or of an item of another shard."""
    tables: list[NDArray[np.void]] = []
    for shard in shards:
        path = shard.folder.path / name
        places = ((hash((record.item_id, record.variant)), start) for start, record in placed(path, kind))
        hashed = np.fromiter(places, np.dtype([("hash", np.int64), ("start", np.int64)]))
        table = np.zeros(len(hashed), _LINES)
        table["trial"], table["shard"], table["start"] = trials.numbers(hashed["hash"]), shard.shard.index, hashed["start"]
        wrong = table["trial"] < 0
        if not wrong.any():
            wrong = trials.shards[table["trial"]] != shard.shard.index
        if wrong.any():
            with path.open("rb") as file:
                file.seek(int(table["start"][np.flatnonzero(wrong)[0]]))
                line = json.loads(file.readline())
            outside = int(table["trial"][np.flatnonzero(wrong)[0]]) < 0
            of = "outside the run" if outside else "of another shard"
            raise UserError(
                f"Record of an item {of}: {line['item_id']} {line.get('variant', '')}".rstrip() + f", {path}. Remove the record."
            )
        tables.append(table)
    lines = np.concatenate(tables)
    return lines[np.lexsort((lines["start"], lines["trial"]))]


def _require_cover(shards: Sequence[_ShardFolder], records: NDArray[np.void], trials: _Trials) -> None:
    """Raises UserError if a trial has no record, or a shard is not finished."""
    has_record = np.zeros(len(trials), bool)
    has_record[records["trial"]] = True
    counts: Counter[int] = Counter(trials.shards[~has_record].tolist())
    attempts: Counter[int] = Counter(records["shard"].tolist())
    for shard in shards:
        usage, index = shard.info.usage, shard.shard.index
        if counts[index]:
            what = "item has" if counts[index] == 1 else "items and variants have"
            raise UserError(f"{counts[index]} {what} no record: {shard}. Run the same command again to finish the shard.")
        if usage is None or usage.attempts != attempts[index]:
            raise UserError(f"Shard is not finished: {shard}. Run the same command again.")


def _copy(shards: Sequence[_ShardFolder], lines: NDArray[np.void], name: str, new: Path, progress: Progress) -> None:
    """Write lines of the shards in this order."""
    with ExitStack() as opened, (new / name).open("wb") as out:
        paths = {shard.shard.index: shard.folder.path / name for shard in shards}
        index, file = -1, None
        for line in lines:
            of_shard, start = int(line["shard"]), int(line["start"])
            if of_shard != index or file is None:
                opened.pop_all().close()
                file = opened.enter_context(paths[of_shard].open("rb"))
                index = of_shard
            if file.tell() != start:
                file.seek(start)
            out.write(file.readline())
            progress(1)


def _metadata(shards: Sequence[_ShardFolder], new: Path, out: Path) -> RunMetadata:
    infos = [shard.info for shard in shards]
    first = infos[0]
    usages = [info.usage for info in infos if info.usage]
    sizes = sum((Counter(usage.image_sizes) for usage in usages), Counter[str]())
    usage = usage_summary(read(new / RECORDS), read_captions(new / CAPTIONS), sizes, None)
    costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    if len(costs) == len(infos):
        usage = replace(usage, cost_usd=round(sum(costs), 6))
    names = dict.fromkeys(name for info in infos for name in info.versions)
    versions = {name: ", ".join(sorted({info.versions[name] for info in infos if name in info.versions})) for name in names}
    data = shards[0].folder.path / first.data
    within = data.resolve().is_relative_to(shards[0].folder.path.resolve())
    return replace(
        first,
        shard="",
        data=DATA if within else stored(data, out),
        started=min(info.started for info in infos),
        finished=max(info.finished for info in infos),
        usage=usage,
        versions=versions,
    )


def _copy_other_files(shards: Sequence[_ShardFolder], new: Path, info: RunMetadata) -> None:
    """Copy the data, if they are in the first shard, its worked examples and options of the run, and the renderings of all shards."""
    folder = shards[0].folder.path
    if info.data == DATA:
        shutil.copytree(folder / shards[0].info.data, new / DATA)
    if (folder / EXAMPLES).is_dir():
        shutil.copytree(folder / EXAMPLES, new / EXAMPLES)
    for shard in shards:
        if (rendered := shard.folder.path / RENDERINGS).is_dir():
            shutil.copytree(rendered, new / RENDERINGS, dirs_exist_ok=True)
    if (folder / TEMPLATE).is_file():
        shutil.copy2(folder / TEMPLATE, new / TEMPLATE)
    if (folder / CONFIG).is_file():
        lines = (folder / CONFIG).read_text(encoding="utf-8").splitlines(keepends=True)
        write_atomically(new / CONFIG, "".join(line for line in lines if not line.startswith("shard = ")))
