"""Import a published benchmark as a dataset folder. Each record is either imported or skipped with a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from isovist.common.errors import UserError
from isovist.data import prompts
from isovist.data.dataset import external_rows
from isovist.data.dataset.rows import ItemRow, image_orders_json
from isovist.data.importers.benchmark_format import Format, ImportedItem, Record, Unusable
from isovist.data.importers.image_loader import RecordPictures
from isovist.data.importers.pipeline import Progress, ReasonLog, new_data_folder
from isovist.data.importers.record_reader import find, records

DUPLICATES = "duplicates.jsonl"
SAME_KEY, OTHER_KEY = "the same key", "another key"

_MOST_PARTS = 64
_LONGEST = 200_000  # maximum size of the stored columns of a record in bytes, without images


@dataclass(slots=True)
class BenchmarkImportSummary:
    """The result of an import."""

    items: Counter[str]
    """Items by task."""
    rejected: Counter[str]
    """Skipped records by reason."""
    duplicates: Counter[str]
    """Items with the image and text of an earlier item, with the same key or a conflicting key. They are imported."""
    passed_over: tuple[tuple[str, str], ...]
    """Files that do not belong to the benchmark, with the reason."""
    read: int = 0
    used: int = 0
    """Records that became at least one item."""
    orders: Counter[str] = field(default_factory=Counter[str])
    """Records that became another image order of an item, by name."""
    changed: Counter[str] = field(default_factory=Counter[str])
    """Images of which the pixels were changed to those that a viewer shows, by what was done."""


@dataclass(frozen=True, slots=True)
class OpenedSet:
    """The content of a benchmark."""

    records: Iterable[Record]
    picture: Callable[[object, str], bytes]
    """From a cell with an image and the file of its record to the image as PNG or JPEG. Raises Unusable."""
    passed_over: tuple[tuple[str, str], ...] = ()
    changed: Counter[str] = field(default_factory=Counter[str])
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Facts about the origin of the items besides the source."""


def import_benchmark(source: Format, path: Path, out: Path, *, progress: Progress = lambda: None) -> BenchmarkImportSummary:
    """Read the published benchmark in `path` and write the dataset folder `out`, which must be new or empty.

    `progress` is called for each record. Raises UserError if no benchmark is found, if a file is damaged, or if no record is
    usable; then nothing is written.
    """

    def opened() -> OpenedSet:
        dataset = find(source, path)
        revision = {"revision": dataset.revision} if dataset.revision else {}
        pictures = RecordPictures(dataset)
        return OpenedSet(source.gather(records(source, dataset)), pictures.get, dataset.passed_over, pictures.changed, revision)

    return import_opened(source, opened, path, out, progress=progress)


def import_opened(
    source: Format, open_set: Callable[[], OpenedSet], path: Path, out: Path, *, progress: Progress = lambda: None
) -> BenchmarkImportSummary:
    """Write the dataset folder `out` from the content of a benchmark, which is opened once `out` is known to be new. Raises UserError."""
    with new_data_folder(out) as data:
        opened = open_set()
        duplicates = ReasonLog(data.folder / DUPLICATES)
        first: dict[tuple[str, str], tuple[str, str]] = {}
        summary = BenchmarkImportSummary(data.items, data.rejections.counts, duplicates.counts, opened.passed_over, changed=opened.changed)
        for record in opened.records:
            progress()
            summary.read += 1 + len(record.others)
            try:
                if record.fault:
                    raise record.fault
                items = source.read(record)
                rows = _rows(source, record, items, opened.picture, data.items)
            except Unusable as fault:
                data.reject(fault, file=record.file, record=record.number)
                for other in record.others:
                    data.reject(Unusable("another order of a skipped item"), file=other.file, record=other.number)
                continue
            summary.used += 1
            summary.orders.update(items[0].image_orders.keys())
            for row in rows:
                earlier, key = first.setdefault((row.task, row.content), (row.id, row.answer))
                if earlier != row.id:
                    entry = {"id": row.id, "as": earlier, "same_key": key == row.answer}
                    duplicates.add(SAME_KEY if key == row.answer else OTHER_KEY, entry)
                data.add(row)
            for other in (other for item in items for other in item.faults):
                if other.fault:
                    data.reject(other.fault, file=other.file, record=other.number)
        if not data.items:
            raise UserError(
                f"No usable record of {source.title} ({data.rejections.most_common() or 'there is none'}): {path}. Check the path."
            )
        origin = ", ".join(filter(None, (source.title, source.home)))
        data.finish({"source": origin, **opened.settings})
    return summary


def _rows(
    source: Format, record: Record, items: Sequence[ImportedItem], picture: Callable[[object, str], bytes], counts: Counter[str]
) -> list[ItemRow]:  # fmt: skip
    """Return the rows of all items of a record. Raises Unusable if any item is unusable."""
    rows: list[ItemRow] = []
    for item in items:
        images = tuple(picture(cell, record.file) for cell in item.pictures)
        task = f"{source.suite}/{item.part}"
        if task not in counts and len({*counts, *(row.task for row in rows), task}) > _MOST_PARTS:
            raise Unusable(f"more than {_MOST_PARTS} parts", item.part)
        rows.append(_row(task, counts[task], item, images, record))
    return rows


def _row(task: str, index: int, item: ImportedItem, images: tuple[bytes, ...], record: Record) -> ItemRow:
    """Return the row of an item. Raises Unusable if the text cannot be put into a prompt."""
    if not item.question.strip():
        raise Unusable("the question is empty")
    metadata: dict[str, object] = {}
    if item.image_orders:
        metadata["image_orders"] = image_orders_json(item.image_orders)
    if item.attributes:
        metadata["attributes"] = dict(item.attributes)
    if item.published_prompt:
        metadata["published_prompt"] = item.published_prompt
    place = f"{record.file}:{record.number}".encode(errors="replace").decode()
    metadata["scene"] = {"published": item.kept, "record": place}
    try:
        images_digest = external_rows.digest(b"".join(images) if images else item.group.encode())
        suite = task.partition("/")[0]
        group = f"{suite}:{external_rows.digest(item.scene.encode())}" if item.scene else f"{task}:{images_digest}"
        row = external_rows.row(task, index, item.question, item.answer, images, metadata, shown=images_digest, group=group)
        for order in item.image_orders.values():
            prompts.prompt(order.question, item.answer, len(images))
        for text in (item.published_prompt, *(order.published_prompt for order in item.image_orders.values())):
            prompts.with_placeholders(text, len(images))
        too_long = len(row.metadata_json.encode()) > _LONGEST
    except UnicodeEncodeError:
        raise Unusable("a column is not text", "it contains an unpaired surrogate") from None
    except ValueError as error:
        raise Unusable("the question cannot be put into a prompt", str(error)) from None
    if too_long:
        raise Unusable("the columns are too long", f"{len(row.metadata_json)} characters")
    return row
