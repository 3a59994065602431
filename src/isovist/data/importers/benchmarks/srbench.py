"""Importer of SRBench: 1,800 images with questions (arXiv 2503.19707; Hugging Face `stogian/srbench`).

The set was published as `stogiannidis/srbench` before; `stogian/srbench_v3` is a later version with the part names `mrt` and `pf`.
Columns `image` (embedded), `question` (with options), `answer` and `split`, which names the part; published evaluation code reads
these and uses the part names `mrt_easy` and `mrt_hard`. In parts whose options are drawn in the image the question format is
unknown; a list of labels and no list are both parsed.
"""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.answers import Answer, YesNo
from isovist.core.answers.extraction.vocabulary import key
from isovist.data.importers import option_parser
from isovist.data.importers.benchmark_format import Format, ImportedItem, Record, Unusable, kebab

_DRAWN = {("fold",): 3, ("pf",): 3, ("mrt", "easy"): 3, ("rotation", "easy"): 3, ("mrt", "hard"): 4, ("rotation", "hard"): 4}
"""Number of options drawn in the images of a part, from the paper, by words in the part name."""


def _read(record: Record) -> Sequence[ImportedItem]:
    text, answer = record.text("question"), record.text("answer")
    named = record.text("split") if record.metadata.get("split") is not None else "all"
    part = kebab(named)
    if not part:
        raise Unusable("the split is not a name", named[:40])
    kept = {"question": text, "answer": answer, "split": named}
    question, options = option_parser.split(text)
    return [
        ImportedItem(part, question, _answer(part, text, options, answer), (record.metadata.get("image"),), kept, published_prompt=text)
    ]


def _answer(part: str, text: str, options: tuple[str, ...], answer: str) -> Answer:
    if options:
        return option_parser.choice(options, answer)
    if key(answer) in ("yes", "no"):
        return YesNo(option_parser.yes_no(answer))
    count = option_parser.letters_named(text) or next((n for words, n in _DRAWN.items() if all(word in part for word in words)), 0)
    if not count:
        raise Unusable("no options in the question")
    return option_parser.pictured(count, answer)


FORMAT = Format(
    "srbench",
    "SRBench",
    "https://huggingface.co/datasets/stogian/srbench",
    columns=("question", "answer", "image"),
    wanted=("split",),
    read=_read,
)
