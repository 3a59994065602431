r"""Importer of Spatial-Obj of Spatial-MM (arXiv 2411.06048; GitHub `FatemehShiri/Spatial-MM`).

`data/` holds two JSON files, with one and with two objects. Records: `image_name`, `question` ("...\nA. left\nB. right"), `answer`
("B. right"), `object1`, `object2` (empty for one object). The images are a separate download. Options "yes" and "no" have labels
here, so these questions stay choices.
"""

from __future__ import annotations

from collections.abc import Sequence

from isovist.importers import option_parser
from isovist.importers.benchmark_format import Format, ImportedItem, Record


def _read(record: Record) -> Sequence[ImportedItem]:
    text, answer = record.text("question"), record.text("answer")
    question, options = option_parser.lettered(text)
    other = record.metadata.get("object2")
    part = "two-objects" if isinstance(other, str) and other.strip() else "one-object"
    kept = record.texts("question", "answer", "object1", "object2")
    return [ImportedItem(part, question, option_parser.choice(options, answer), (record.metadata.get("image_name"),), kept)]


FORMAT = Format(
    "spatial-mm",
    "Spatial-MM (Spatial-Obj)",
    "https://github.com/FatemehShiri/Spatial-MM",
    columns=("image_name", "question", "answer", "object1"),
    wanted=("object2",),
    read=_read,
)
