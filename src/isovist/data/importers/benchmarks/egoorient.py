"""Importer of EgoOrientBench, of which SRBench samples the yes/no questions (arXiv 2411.16761; GitHub `jhCOR/EgoOrientBench`).

`benchmark.json` holds records with `type`, `domain`, `base_dataset`, `image` (a path such as `./imagenet_after/NAME.jpg`),
`original_label`, `question`, `label`, `category_name`; the images are a separate download. Types: `general_complex` (eight lettered
directions), `general_two_option` ("'front' or 'left'"), `general_binary` and `verbose_binary` (yes or no), and `freeform`. The label
of `freeform` is a phrase ("facing left while facing away ..."), which must agree with `original_label`. Its authors compare the reply with
the phrase; here the answer is one of the eight directions without labels, and only this direction is correct.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from isovist.core.answers import SingleWord, YesNo
from isovist.data.importers import option_parser
from isovist.data.importers.benchmark_format import Format, ImportedItem, Record, Unusable

DIRECTIONS = ("front", "front right", "right", "back right", "back", "back left", "left", "front left")
_TOWARD = re.compile(r"\b(?:facing|towards?)\s+(?:the\s+)?(?:camera|viewer)\b")
_TWO = re.compile(rf"'({'|'.join(DIRECTIONS)})' or '({'|'.join(DIRECTIONS)})'")


def _read(record: Record) -> Sequence[ImportedItem]:
    kind, text, label = record.text("type"), record.text("question"), record.text("label")
    question = option_parser.without_form_of_reply(text)
    match kind:
        case "general_binary" | "verbose_binary":
            part, answer = ("yes-no" if kind == "general_binary" else "yes-no-verbose"), YesNo(option_parser.yes_no(label))
        case "general_two_option":
            named = _TWO.search(text)
            if named is None:
                raise Unusable("no options in the question")
            part, answer = "two-option", option_parser.choice((named[1], named[2]), label)
        case "general_complex":
            question, options = option_parser.lettered(text)
            part, answer = "eight-way", option_parser.choice(options, label)
        case "freeform":
            part, answer = "free-form", SingleWord((_free_form(label, record.text("original_label")),), DIRECTIONS)
        case _:
            raise Unusable("an unknown type of question", kind[:40])
    kept = record.texts("type", "domain", "base_dataset", "original_label", "question", "label", "category_name")
    return [ImportedItem(part, question, answer, (record.metadata.get("image"),), kept, published_prompt=text)]


def _free_form(label: str, direction: str) -> str:
    """Return the direction of a label in words, or that direction itself. Raises Unusable if it is not `direction`."""
    text = label.casefold()
    words = set(re.findall(r"[a-z]+", text))
    toward = _TOWARD.search(text) is not None
    depth = [name for name, is_named in (("back", bool(words & {"away", "back"})), ("front", toward or "front" in words)) if is_named]
    side = sorted(words & {"left", "right"})
    named = " ".join((*depth, *side))
    if named not in DIRECTIONS:
        raise Unusable("the label names no direction", label[:80])
    if named != direction.casefold():
        raise Unusable("the label contradicts the original label", f"{label[:80]} / {direction[:40]}")
    return named


FORMAT = Format(
    "egoorient",
    "EgoOrientBench",
    "https://github.com/jhCOR/EgoOrientBench",
    columns=("type", "image", "question", "label"),
    wanted=("domain", "base_dataset", "original_label", "category_name"),
    read=_read,
)
