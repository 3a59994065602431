"""One file of a mixture: generate the examples, write them, and record their fingerprints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path

from isovist.common.atomic_write import write_atomically
from isovist.common.json_decoding import decode, encode
from isovist.data.dataset import parquet
from isovist.data.dataset.asset_attribution import Shown, shown_by
from isovist.data.dataset.mixture import file_names, read_file
from isovist.data.dataset.training_examples import EXAMPLES, TrainingExample, of_item, table
from isovist.data.item import Item
from isovist.training import external_data
from isovist.training.contamination import ItemFingerprint, mark
from isovist.training.external_data import RecordStore, Source
from isovist.training.mixture_plan import MixturePlan

ROWS_PER_FILE = 2000
_ROWS = 250  # maximum number of rows in memory and size of a row group; fewer if their images are large
_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class Job:
    """The data that a process needs to write any file of a mixture."""

    shares: MixturePlan
    folder: Path
    """Folder of finished files."""
    against: bool
    """Whether items are compared with tests, which requires decoded images."""
    source: Source | None
    drawn: Sequence[int] = ()
    """Numbers of the sampled external records."""
    rows: int = ROWS_PER_FILE

    @property
    def files(self) -> list[str]:
        return file_names(max(1, -(-len(self.shares) // self.rows)))

    def places(self, file: int) -> range:
        """Return the positions of the mixture in a file."""
        return range(file * self.rows, min(len(self.shares), (file + 1) * self.rows))

    @property
    def records(self) -> Path:
        """The store of all external records."""
        return self.folder / "records.sqlite"

    def notes_path(self, file: int) -> Path:
        return self.folder / f"{self.files[file]}.json"

    def notes(self, file: int) -> Notes:
        """Return the notes on a finished file."""
        return decode(Notes, self.notes_path(file).read_bytes())


@dataclass(frozen=True, slots=True)
class Notes:
    """Notes on a finished file."""

    items: list[tuple[int, int, ItemFingerprint]]
    """Position, number and fingerprint of each item."""
    counts: Counter[str]
    shown: Shown


def fill(job: Job, file: int) -> int:
    """Write one file completely or not at all, with its notes. Returns its number. Raises ContaminationError and UserError."""
    notes = Notes([], Counter(), set())
    tables = map(table, _batches(_made(job, file, notes)))
    parquet.write(job.folder / job.files[file], EXAMPLES, tables, before=lambda _: write_atomically(job.notes_path(file), encode(notes)))
    return file


def _made(job: Job, file: int, notes: Notes) -> Iterator[TrainingExample]:
    with closing(RecordStore(job.records)) if job.drawn else nullcontext(()) as records:
        for place in job.places(file):
            number = job.shares.number(place)
            if number < job.shares.items or job.source is None:
                which, at = job.shares.share(number)
                example, compared = made(job, job.shares.shares[which].item(at), which, at, notes.shown)
                notes.items.append((place, number, compared))
            else:
                record = job.drawn[number - job.shares.items]
                example = external_data.example(record, records[record], job.source)
            notes.counts[f"{example.source}/{example.kind}"] += 1
            yield example


def made(job: Job, item: Item, which: int, at: int, shown: Shown) -> tuple[TrainingExample, ItemFingerprint]:
    """Return the example at an index of a share with its fingerprint. Raises ContaminationError."""
    share = job.shares.shares[which]
    example = of_item(item, share.kind(at), share.style)
    shown |= shown_by(item)
    return example, mark(item, example.images, example.key, against=job.against)


def mend(job: Job, file: int, instead: dict[int, TrainingExample]) -> None:
    """Rewrite a finished file with other examples at some positions of the mixture."""
    path = job.folder / job.files[file]
    examples = (instead.get(place, example) for place, example in zip(job.places(file), read_file(path), strict=True))
    parquet.write(path, EXAMPLES, map(table, _batches(examples)))


def _batches(examples: Iterator[TrainingExample]) -> Iterator[list[TrainingExample]]:
    batch: list[TrainingExample] = []
    held = 0
    for example in examples:
        batch.append(example)
        held += sum(map(len, example.images))
        if len(batch) >= _ROWS or held >= _BYTES:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
