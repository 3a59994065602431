r"""Importer of Spatial-MM (arXiv 2411.06048; GitHub `FatemehShiri/Spatial-MM`): Spatial-Obj and Spatial-CoT.

`data/` holds two JSON files of Spatial-Obj, with one and with two objects. Records: `image_name`, `question` ("...\nA. left\nB. right"),
`answer` ("B. right"), `object1`, `object2` (empty for one object). Options "yes" and "no" have labels here, so these questions stay
choices. The file of Spatial-CoT has `reasoning` and `hop` in place of the objects, and questions without options: yes or no, a place, a
colour, or any other text. The last has no closed set of answers and is skipped. The images are a separate download.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from isovist.core.answers import Answer, SingleWord, YesNo
from isovist.core.answers.extraction.vocabulary import key
from isovist.data.importers import option_parser
from isovist.data.importers.benchmark_format import Format, ImportedItem, Record, Unusable

_PLACES = ("left", "right", "top", "bottom", "front", "behind", "middle")
_COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "beige", "gray", "black", "white")
_SAME = {"grey": "gray"}
_COLOUR = re.compile(r"\bcolou?rs?\b", re.IGNORECASE)


def _read(record: Record) -> Sequence[ImportedItem]:
    text, answer = record.text("question"), record.text("answer")
    if record.metadata.get("reasoning") is not None:
        return [_open(record, text, answer)]
    question, options = option_parser.lettered(text)
    other = record.metadata.get("object2")
    part = "two-objects" if isinstance(other, str) and other.strip() else "one-object"
    kept = record.texts("question", "answer", "object1", "object2")
    choice = option_parser.choice(options, answer)
    return [ImportedItem(part, question, choice, (record.metadata.get("image_name"),), kept, published_prompt=text)]


def _open(record: Record, text: str, answer: str) -> ImportedItem:
    """Return the item of a question without options. Raises Unusable if its answers are no closed set."""
    word = _SAME.get(key(answer), key(answer))
    scored: Answer
    if word in ("yes", "no"):
        part, scored = "cot-yes-no", YesNo(word == "yes")
    elif word in _PLACES:
        part, scored = "cot-place", SingleWord((word,), _PLACES)
    elif word in _COLOURS and _COLOUR.search(text):
        part, scored = "cot-colour", SingleWord((word,), _COLOURS)
    else:
        raise Unusable("an open answer, which no answer type can score", answer[:80])
    hops = record.metadata.get("hop")
    attributes = {"hops": str(hops)} if isinstance(hops, int) else {}
    kept = record.texts("question", "answer", "reasoning")
    pictures = (record.metadata.get("image_name"),)
    return ImportedItem(part, text, scored, pictures, kept, attributes=attributes, published_prompt=text)


FORMAT = Format(
    "spatial-mm",
    "Spatial-MM",
    "https://github.com/FatemehShiri/Spatial-MM",
    columns=("image_name", "question", "answer"),
    wanted=("object1", "object2", "reasoning", "hop"),
    read=_read,
)
