"""Generation of a dataset folder by several processes or machines that share it: each writes the files of its shard.

The first shard stores the request in the hidden folder; the others must have the same. `finish` completes the folder, which is then equal
byte for byte to that of `isovist.data.dataset.generate.generate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from isovist.common.errors import UserError
from isovist.common.json_decoding import decode, encode
from isovist.common.shards import Shard
from isovist.data.dataset.generate import (
    Progress,
    check_renderers,
    complete,
    is_finished,
    manifest_before,
    missing_parts,
    remove_finished_partial,
    units,
    write_files,
)
from isovist.data.dataset.json_documents import PARTIAL
from isovist.data.dataset.manifest import DataPart, Manifest
from isovist.data.dataset.partial_output import REQUEST, create_or_read, locked

_PACKAGES = ("isovist", "numpy", "pillow", "aggdraw")  # those that determine the pixels


@dataclass(frozen=True, slots=True)
class ShardRequest:
    """What all shards must have in common; stored in the hidden folder by the first."""

    parts: tuple[DataPart, ...]
    shards: int
    versions: dict[str, str]


@dataclass(frozen=True, slots=True)
class ShardResult:
    """The number of files of the dataset, of files of a shard and of items in these."""

    all_files: int
    files: int
    items: int


def generate_shard(
    parts: Sequence[DataPart],
    out: Path,
    shard: Shard,
    workers: int = 1,
    progress: Progress = lambda rows: None,
    begin: Callable[[int], object] = lambda rows: None,
) -> ShardResult | None:
    """Write those files of `parts` that belong to a shard, unless they are finished. None if the folder already has all parts.

    `begin` is called with the number of rows of the shard. Raises UserError if `out` cannot be used, or if its shards have another request.
    """
    if not missing_parts(manifest_before(out), parts, out):
        return None
    check_renderers(parts)
    with locked(out, shared=True):
        missing = _sorted(missing_parts(manifest_before(out), parts, out))  # read again: `finish` may have ended in the meantime
        if not missing:
            return None
        request = _request(missing, shard.count)
        text = encode(request)
        (out / PARTIAL).mkdir(exist_ok=True)
        if create_or_read(out / PARTIAL / REQUEST, text) != text:
            _require_same(out, _stored_request(out), request)
        every = units(missing)
        files = shard.of(every)
        rows = sum(len(part.places(number)) for part, number in files)
        begin(rows)
        write_files(files, out, workers, progress)
    return ShardResult(len(every), len(files), rows)


def finish(parts: Sequence[DataPart], out: Path, workers: int = 1) -> Manifest:
    """Complete a folder whose shards have all ended. Raises UserError if a file is missing; the message names its shard."""
    before = manifest_before(out)
    if not (out / PARTIAL).exists() and not missing_parts(before, parts, out):
        return before
    if not (out / PARTIAL / REQUEST).exists():
        raise UserError(f"No shard has written to the folder: {out}. Run the same command with --shard I/N instead of --finish first.")
    with locked(out):
        before = manifest_before(out)
        remove_finished_partial(before, out / PARTIAL)
        missing = _sorted(missing_parts(before, parts, out))
        if not missing:
            return before
        request = _stored_request(out)
        _require_same(out, request, _request(missing, request.shards))
        every = units(missing)
        absent = [place for place, (part, number) in enumerate(every) if not is_finished(out, part.file(number))]
        if absent:
            shards = _ranges(sorted({place % request.shards for place in absent}))
            raise UserError(
                f"{len(absent)} of {len(every)} files are missing: {out}. Run these shards of {request.shards} (again): {shards}. "
                "Then repeat --finish."
            )
        return complete(before, missing, out, workers)


def _sorted(parts: Iterable[DataPart]) -> list[DataPart]:
    """The parts in the order of the manifest: shards may name the tasks in any order."""
    return sorted(parts, key=lambda part: (part.task, part.split))


def _request(parts: Iterable[DataPart], shards: int) -> ShardRequest:
    return ShardRequest(tuple(parts), shards, {name: version(name) for name in _PACKAGES})


def _stored_request(out: Path) -> ShardRequest:
    try:
        return decode(ShardRequest, (out / PARTIAL / REQUEST).read_bytes())
    except ValueError:
        raise UserError(
            f"Output folder has an incomplete output of a command without --shard: {out}. Complete it, or delete {out / PARTIAL}."
        ) from None


def _require_same(out: Path, stored: ShardRequest, request: ShardRequest) -> None:
    """Raises UserError if two requests differ; the message states the first difference."""
    remedy = f"Give the same arguments to all shards, or delete {out / PARTIAL}."
    if stored.shards != request.shards:
        raise UserError(f"Output folder has shards of {stored.shards}, not of {request.shards}: {out}. {remedy}")
    for name in _PACKAGES:
        if stored.versions.get(name) != request.versions[name]:
            theirs = stored.versions.get(name, "another version")
            raise UserError(
                f"Shards need the same versions of all packages: {name} {theirs} in {out}, {request.versions[name]} here. "
                f"Install {name} {theirs}, or delete {out / PARTIAL}."
            )
    if [_all_fields(part) for part in stored.parts] != [_all_fields(part) for part in request.parts]:
        raise UserError(f"Output folder has shards of another request: {out}. {remedy}")


def _all_fields(part: DataPart) -> tuple[DataPart, str, int]:
    """A part with the fields that its comparison ignores."""
    return part, part.package, part.rows_per_file


def _ranges(numbers: Sequence[int]) -> str:
    """Numbers in ascending order as text, such as "0-3,7": the form that Slurm reads in `--array`."""
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
