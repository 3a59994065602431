"""External data: image conversations in the JSON format of LLaVA, sampled by seed.

The file is read once, record by record, into a store on disk, so it may exceed the memory. A record is
``{id, image, conversations: [{from: human | gpt | system, value}]}`` with one ``<image>`` placeholder in a human message for each image;
`image` is a file name, a list of file names, or absent. The content is not trusted.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, cast

from isovist.common.errors import UserError, require_extra
from isovist.core.rng import Rng
from isovist.data.dataset.training_examples import ChatMessage, Role, TrainingExample
from isovist.data.importers.benchmark_format import Unusable
from isovist.data.importers.image_loader import checked, inner_path
from isovist.data.prompts import IMAGE

_ROLES: Mapping[object, Role] = {"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "system": "system"}
_MOST_BYTES = 32 << 20  # maximum size of an image
_AT_ONCE = 64  # records whose images are checked at a time

Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Source:
    """The JSON file and the folder with the images of its records."""

    name: str
    path: Path
    images: Path

    def check(self) -> None:
        """Raises UserError if a path does not exist, and MissingDependencyError without the extra."""
        require_extra("mix", "general data", "ijson")
        if not self.path.is_file():
            raise UserError(
                f"{self.path}: {'a folder' if self.path.is_dir() else 'no such file'}; give a JSON file in the form of LLaVA's."
            )
        if not self.images.is_dir():
            raise UserError(f"{self.images}: no such folder; give the one from which the records of {self.path} name their pictures.")


@dataclass(frozen=True, slots=True)
class Record:
    """A record whose text is usable for training."""

    turns: tuple[ChatMessage, ...]
    images: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A sampled record that is unusable, with the reason."""

    number: int
    id: str
    reason: str
    detail: str = ""


@dataclass(slots=True)
class SampledRecords:
    """The numbers of the sampled records in sampling order."""

    records: int = 0
    """Number of records in the file."""
    numbers: list[int] = field(default_factory=list[int])
    rejected: list[Rejected] = field(default_factory=list[Rejected])

    @property
    def reasons(self) -> Counter[str]:
        return Counter(one.reason for one in self.rejected)


def read(path: Path, progress: Progress = lambda records: None) -> Iterator[object]:
    """Yield the records of a JSON list, or of consecutive JSON values, one at a time. Raises UserError."""
    import ijson

    with path.open("rb") as file:
        while (first := file.read(1)).isspace():
            pass
        file.seek(0)
        many = first == b"["
        try:
            # `use_float`: the same numbers as the json module
            for record in ijson.items(file, "item" if many else "", multiple_values=not many, use_float=True):
                yield record
                progress(1)
        except (ijson.JSONError, ValueError) as error:
            message = " ".join(str(error).split())[:120]
            raise UserError(f"{path}: cannot be read as JSON ({message}); give a list of records in the form of LLaVA's.") from None


class RecordStore(Sequence[Any]):
    """Records as JSON in a SQLite file, with random access by index from 0."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)

    def __len__(self) -> int:
        return self._connection.execute("SELECT count(*) FROM records").fetchone()[0]

    def __getitem__(self, number: Any) -> Any:
        (text,) = self._connection.execute("SELECT json FROM records WHERE rowid = ?", (number + 1,)).fetchone()
        return json.loads(text)

    def close(self) -> None:
        self._connection.close()

    @staticmethod
    def write(path: Path, records: Iterable[object]) -> None:
        """Write the file completely or not at all."""
        temporary = path.with_suffix(".tmp")
        temporary.unlink(missing_ok=True)
        with closing(sqlite3.connect(temporary)) as connection, connection:
            connection.execute("CREATE TABLE records (json TEXT)")
            connection.executemany("INSERT INTO records VALUES (?)", ((_json(record),) for record in records))
        temporary.replace(path)


def _json(record: object) -> str:
    try:
        return json.dumps(record)  # ASCII: also encodes lone surrogates
    except RecursionError:  # nested too deeply for a record
        return "null"


def draw(
    records: Sequence[object], source: Source, n: int, seed: int, workers: int, shown_in: Callable[[bytes], str | None], progress: Progress
) -> SampledRecords:  # fmt: skip
    """Sample `n` usable records by seed; unusable ones are replaced. `shown_in`: where else an image occurs, or None.

    Raises UserError if there are too few usable records.
    """
    sample = SampledRecords(len(records))
    order = iter(Rng("mix", "general", seed).shuffled(range(len(records))))
    seen: set[bytes] = set()
    with ThreadPoolExecutor(workers) as pool:  # image decoding releases the interpreter lock
        while len(sample.numbers) < n:
            numbers = list(islice(order, min(_AT_ONCE, n - len(sample.numbers))))
            if not numbers:
                why = "".join(f"; {count} times {reason}" for reason, count in sample.reasons.most_common(3))
                raise UserError(
                    f"{source.path}: {len(sample.numbers)} of its {sample.records} records can be used, and {n} are asked for{why}."
                )
            looked = pool.map(partial(_checked, source=source, shown_in=shown_in), [records[number] for number in numbers])
            for number, one in zip(numbers, looked, strict=True):
                mark = blake2b(repr((one.turns, one.images)).encode(), digest_size=8).digest() if isinstance(one, Record) else b""
                if isinstance(one, Record) and mark not in seen:
                    seen.add(mark)
                    sample.numbers.append(number)
                    progress(1)
                else:
                    fault = Unusable("a duplicate of an earlier record") if isinstance(one, Record) else one
                    sample.rejected.append(Rejected(number, _record_id(records[number]), fault.reason, fault.detail))
    return sample


def _checked(raw: object, source: Source, shown_in: Callable[[bytes], str | None]) -> Record | Unusable:
    """Return a record with usable text and images, or the reason why it is unusable."""
    try:
        one = record(raw)
        for image in one.images:
            if (where := shown_in(picture(source, image))) is not None:
                raise Unusable("an image of a test set", where)
    except Unusable as fault:
        return fault
    return one


def record(raw: object) -> Record:
    """Parse the text of a record. Raises Unusable."""
    if not isinstance(raw, dict):
        raise Unusable("not a record", type(raw).__name__)
    value = cast("dict[str, Any]", raw)
    turns = tuple(_turns(value.get("conversations")))
    asked = turns[1:] if turns[0].role == "system" else turns
    if len(asked) < 2 or len(asked) % 2 or any(turn.role != ("user", "assistant")[k % 2] for k, turn in enumerate(asked)):
        raise Unusable("the turns of human and gpt do not alternate")
    images = tuple(_images(value.get("image")))
    if any(IMAGE in turn.content for turn in turns if turn.role != "user"):
        raise Unusable("an image placeholder outside of a human turn")
    marks = sum(turn.content.count(IMAGE) for turn in turns)
    if marks != len(images):
        raise Unusable("the numbers of <image> placeholders and images differ", f"{marks} for {len(images)}")
    return Record(turns, images)


def _turns(raw: object) -> Iterator[ChatMessage]:
    if not isinstance(raw, list) or not raw:
        raise Unusable("no conversation")
    for one in cast("list[object]", raw):
        turn = cast("dict[str, object]", one) if isinstance(one, dict) else {}
        role, text = turn.get("from"), turn.get("value")
        if not isinstance(role, str) or role not in _ROLES or not isinstance(text, str):
            raise Unusable("the role of a turn is not human, gpt or system")
        if not text.strip():
            raise Unusable("a turn is empty")
        yield ChatMessage(_ROLES[role], _text(text))


def _text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Unusable("a turn is not text") from None
    return text


def _images(raw: object) -> Iterator[str]:
    """Yield the image names of a record. Paths outside the folder are rejected."""
    if raw is None or raw == "":
        return
    for name in cast("list[object]", raw) if isinstance(raw, list) else [raw]:
        if not isinstance(name, str) or not name:
            raise Unusable("an image name is not text")
        if inner_path(name) is None:
            raise Unusable("an image path leaves the folder", ascii(name[:80]))
        yield name


def picture(source: Source, name: str) -> bytes:
    """Return an image of a record as a complete PNG or JPEG. Raises Unusable."""
    path = source.images / PurePosixPath(name.replace("\\", "/"))
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise Unusable("the image is too large", ascii(name[:80]))
        return checked(path.read_bytes())
    except Unusable as fault:
        raise Unusable(fault.reason, fault.detail or ascii(name[:80])) from None
    except (FileNotFoundError, NotADirectoryError):
        raise Unusable("the image is missing", ascii(name[:80])) from None
    except (OSError, ValueError) as error:  # a folder, or a name that the file system does not allow
        raise Unusable("the image cannot be read", f"{name[:80]!a}: {type(error).__name__}") from None


def example(number: int, raw: object, source: Source) -> TrainingExample:
    """Return the example of a sampled record. Raises UserError if it is no longer usable."""
    try:
        one = record(raw)
        images = tuple(picture(source, image) for image in one.images)
    except Unusable as fault:
        raise UserError(f"{source.path}: record {number} was drawn and cannot be used now ({fault}); make the mix again.") from None
    return TrainingExample(f"{source.name}#{number}/general", "general", source.name, "", images, one.turns)


def _record_id(raw: object) -> str:
    return str(cast("dict[str, object]", raw).get("id", ""))[:80] if isinstance(raw, dict) else ""
