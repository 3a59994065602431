"""Import any visual question answering set with a mapping of its columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b, sha256
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from isovist.common.errors import UserError
from isovist.data.importers.benchmark_format import Format, ImportedItem, Record, Unusable
from isovist.data.importers.benchmarks.importer import BenchmarkImportSummary, OpenedSet, import_opened
from isovist.data.importers.image_loader import checked
from isovist.data.importers.pipeline import Progress
from isovist.data.importers.vqa.item import read_item
from isovist.data.importers.vqa.mapping import Mapping, read_mapping
from isovist.data.importers.vqa.pictures import Pictures, ReferredImages
from isovist.data.importers.vqa.record_stream import cell_text, find_files, stream_records
from isovist.suites import registry


def import_vqa(
    mapping_file: Path, path: Path, out: Path, *, images: Path | None = None, progress: Progress = lambda: None
) -> BenchmarkImportSummary:
    """Read the set in `path` with a mapping and write the dataset folder `out`, which must be new or empty.

    `images`: folder of the image paths [the folder of each file]. Raises UserError if a file is damaged, if a column is absent, or
    if no record is usable; then nothing is written.
    """
    mapping = read_mapping(mapping_file)
    known = {task.partition("/")[0] for task in registry.tasks()}
    if mapping.name in known:
        raise UserError(f"Invalid mapping (name: {mapping.name} is a suite of Isovist): {mapping_file}. Choose another name.")
    if images is not None and not images.is_dir():
        raise UserError(f"No folder for --images: {images}. Correct the path.")
    files = {file.relative_to(path).as_posix() if path.is_dir() else file.name: file for file in find_files(mapping, path)}
    with _opened(mapping, mapping_file, files, images) as (source, opened):
        return import_opened(source, lambda: opened, path, out, progress=progress)


@contextmanager
def _opened(
    mapping: Mapping, mapping_file: Path, files: dict[str, Path], images: Path | None
) -> Generator[tuple[Format, OpenedSet]]:  # fmt: skip
    """The format and the records of a set. Images to which records refer are in a temporary folder meanwhile."""
    with TemporaryDirectory(prefix="isovist-vqa-") as folder:
        records = partial(_records, mapping, files)
        column = mapping.images.columns[0]
        referred = ReferredImages(mapping.id, column, records, Path(folder)) if mapping.images.references else None
        pictures = Pictures(mapping.images, images, referred)
        seen, changed = set[bytes](), Counter[str]()
        categories: dict[str, str] = {}

        def read(record: Record) -> list[ImportedItem]:
            if mapping.id:
                _check_id(mapping, record, seen)
            loaded = tuple(checked(image, changed) for image in pictures.load(record))
            same_images = sha256(b"".join(sha256(image).digest() for image in loaded)).hexdigest()
            item = read_item(mapping, record, loaded, same_images)
            if mapping.category:
                _check_category(cell_text(record.metadata[mapping.category], mapping.category), item.part, categories)
            return [item]

        digest = blake2b(mapping_file.read_bytes(), digest_size=8).hexdigest()
        source = Format(mapping.name, mapping.title, mapping.home, (), (), read)
        yield source, OpenedSet(chain.from_iterable(map(records, files)), _bytes, changed=changed, settings={"mapping": digest})


def _records(mapping: Mapping, files: dict[str, Path], name: str) -> Iterator[Record]:
    for record in stream_records(mapping, files[name], name):
        yield Record(record.file, record.number, record.metadata, files[name].parent, fault=record.fault)


def _check_id(mapping: Mapping, record: Record, seen: set[bytes]) -> None:
    """Raises Unusable if an earlier record of the file has the id. `seen`: digests of the ids so far."""
    identity = blake2b(f"{record.file}\n{cell_text(record.metadata.get(mapping.id), mapping.id)}".encode(), digest_size=16).digest()
    if identity in seen:
        raise Unusable("an earlier record has the id", cell_text(record.metadata[mapping.id], mapping.id)[:80])
    seen.add(identity)


def _check_category(category: str, part: str, categories: dict[str, str]) -> None:
    """Raises Unusable if another category has the task name `part`. `categories`: those so far, by task name."""
    first = categories.setdefault(part, category)
    if first.casefold() != category.casefold():
        raise Unusable("two categories have the same task name", f"{first[:40]}, {category[:40]}: {part}")


def _bytes(cell: object, file: str) -> bytes:
    """An image that `read` has loaded and checked."""
    del file
    if not isinstance(cell, bytes):
        raise TypeError(type(cell))
    return cell
