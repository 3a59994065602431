r"""Spatial-MM's Spatial-Obj as published (arXiv 2411.06048; GitHub `FatemehShiri/Spatial-MM`).

`data/` holds two JSON files, about one object and about two; records with `image_name`, `question` ("...\nA. left\nB.
right"), `answer` ("B. right"), `object1`, `object2` (empty for one object). The pictures are a download of their own.
Options "yes" and "no" have letters here, so such a question stays a choice.
"""

from __future__ import annotations

from isovist.importers import option_parser
from isovist.importers.benchmark_format import Format, ImportedItem, Record, Unusable

_KEPT = ("question", "answer", "object1", "object2")


def _read(record: Record, everything: bool) -> ImportedItem:
    del everything
    text, answer = record.text("question"), record.text("answer")
    question, listed = option_parser.split(text)
    if not listed:
        raise Unusable("no options in the question")
    other = record.metadata.get("object2")
    part = "two-objects" if isinstance(other, str) and other.strip() else "one-object"
    kept = {name: value for name in _KEPT if isinstance(value := record.metadata.get(name), str)}
    return ImportedItem(part, question, option_parser.choice(listed, answer), record.metadata.get("image_name"), kept)


FORMAT = Format(
    "spatial-mm",
    "Spatial-MM (Spatial-Obj)",
    "https://github.com/FatemehShiri/Spatial-MM",
    columns=("image_name", "question", "answer", "object1"),
    wanted=("object2",),
    read=_read,
)
