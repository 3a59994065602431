"""A mix folder: training examples in shuffled order, in Parquet files, with the manifest that says what they are.

`isovist-mix.json` is written last, so a folder without it is not a mix. Its files are `train-00000-of-0000N.parquet`, in the columns
of `isovist.dataset.examples.EXAMPLES`; the order of the files, and of the examples in them, is the order of training.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from isovist.dataset.examples import EXAMPLES, Example, examples
from isovist.dataset.manifest import PARTIAL, Head, write_atomically
from isovist.decoding import decode
from isovist.errors import BadInput

MIX = "isovist-mix.json"
FORMAT = 1
_BATCH = 128


@dataclass(frozen=True, slots=True)
class Mix:
    """The manifest of a mix folder."""

    recipe: dict[str, Any]
    """The recipe as it was given."""
    counts: dict[str, int]
    """How many examples there are of each source and kind, by names such as ``cdr/relative-compass-icon/answer``."""
    files: dict[str, str]
    """The SHA-256 of each file by its name, in order."""
    inputs: dict[str, str] = field(default_factory=dict[str, str])
    """What else decides what came out: the version of each task, and the hashes of files that were given."""
    isovist: str = field(default_factory=lambda: package_version("isovist"))
    format: int = FORMAT

    def __len__(self) -> int:
        """The number of examples."""
        return sum(self.counts.values())

    def write(self, folder: Path) -> None:
        write_atomically(folder / MIX, json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")

    @staticmethod
    def read(folder: Path) -> Mix:
        """The manifest of a mix folder. Raises BadInput if there is none, or one that this version cannot read."""
        path = folder / MIX
        try:
            text = path.read_bytes()
            head = decode(Head, text, extra="ignore")
            if head.format != FORMAT:
                raise BadInput(
                    f"{folder}: a mix of format {head.format!r}; this Isovist reads format {FORMAT}. Make it again, or install the "
                    f"Isovist that made it ({head.isovist})."
                )
            mix = decode(Mix, text)
        except FileNotFoundError:
            unfinished = (folder / PARTIAL).is_dir()
            hint = "an unfinished `isovist mix`; run it again to finish it" if unfinished else f"no mix ({MIX} is missing)"
            raise BadInput(f"{folder}: {hint if folder.is_dir() else 'no such folder'}.") from None
        except NotADirectoryError:
            raise BadInput(f"{folder}: a file; give the mix folder that holds {MIX}.") from None
        except BadInput:
            raise
        except ValueError as error:
            raise BadInput(f"{path}: cannot be read as the manifest of a mix ({error}); make the mix again.") from None
        if stranger := next((name for name in mix.files if Path(name).name != name or name.startswith(".")), None):
            raise BadInput(f"{path}: names {stranger!r}, which is no file of a mix; make the mix again.")
        return mix


def file_names(count: int) -> list[str]:
    """The names of the files of a mix that has so many."""
    return [f"train-{i:05d}-of-{count:05d}.parquet" for i in range(count)]


def read_examples(folder: Path, *, pictures: bool = True) -> Iterator[Example]:
    """The examples of a mix folder, in order and in bounded memory; without `pictures`, their images are left empty.

    Raises BadInput for a folder that is no mix, and for a file that is missing, damaged or of other columns.
    """
    for name in Mix.read(folder).files:
        yield from read_file(folder / name, pictures=pictures)


def read_file(path: Path, *, pictures: bool = True) -> Iterator[Example]:
    """The examples of one file, in order. Raises BadInput if it is missing, damaged or of other columns."""
    try:
        # the default reads ahead, and keeps all it has read until the file is closed
        with pq.ParquetFile(path, page_checksum_verification=True, pre_buffer=False, buffer_size=1 << 20) as file:
            missing = [name for name in EXAMPLES.names if name not in file.schema_arrow.names]
            if missing:
                raise BadInput(f"{path}: not a file of training examples (no column {missing[0]!r}).")
            wanted = [name for name in EXAMPLES.names if pictures or name != "images"]
            batches: Iterator[pa.RecordBatch] = file.iter_batches(_BATCH, columns=wanted)  # pyright: ignore[reportUnknownMemberType]
            for batch in batches:
                yield from _examples(path, batch)
    except FileNotFoundError:
        raise BadInput(f"{path}: missing, though the manifest names it; make the mix again.") from None
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"{path}: damaged, cannot be read as Parquet ({_line(error)}); make the mix again.") from error


def _examples(path: Path, batch: pa.RecordBatch) -> Iterator[Example]:
    try:
        yield from examples(batch)
    except (TypeError, KeyError, ValueError) as error:
        raise BadInput(f"{path}: holds an example that cannot be read ({_line(error)}); make the mix again.") from error


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0][:120]
