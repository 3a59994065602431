"""EgoOrientBench as published, of which SRBench samples the yes/no questions (arXiv 2411.16761; GitHub
`jhCOR/EgoOrientBench`).

`benchmark.json` holds records with `type`, `domain`, `base_dataset`, `image` (a path such as
`./imagenet_after/NAME.jpg`), `original_label`, `question`, `label`, `category_name`; the pictures are a download of their
own. Types: `general_complex` (eight lettered directions), `general_two_option` ("'front' or 'left'"), `general_binary`
and `verbose_binary` (yes or no), and `freeform`, whose answer no type of ours can judge.
"""

from __future__ import annotations

import re

from isovist.core.answers import Choice, YesNo
from isovist.importers import option_parser
from isovist.importers.benchmark_format import Format, ImportedItem, Record, Unusable

DIRECTIONS = ("front", "front right", "right", "back right", "back", "back left", "left", "front left")
_TWO = re.compile(rf"'({'|'.join(DIRECTIONS)})' or '({'|'.join(DIRECTIONS)})'")
_KEPT = ("type", "domain", "base_dataset", "original_label", "question", "label", "category_name")


def _read(record: Record, everything: bool) -> ImportedItem:
    del everything
    kind, text, label = record.text("type"), record.text("question"), record.text("label")
    kept = {name: value for name in _KEPT if isinstance(value := record.metadata.get(name), str)}
    picture = record.metadata.get("image")
    match kind:
        case "general_binary" | "verbose_binary":
            part = "yes-no" if kind == "general_binary" else "yes-no-verbose"
            return ImportedItem(part, option_parser.without_form_of_reply(text), YesNo(option_parser.yes_no(label)), picture, kept)
        case "general_two_option":
            option_match = _TWO.search(text)
            if option_match is None:
                raise Unusable("no options in the question")
            return ImportedItem(
                "two-option",
                option_parser.without_form_of_reply(text),
                option_parser.choice((option_match[1], option_match[2]), label),
                picture,
                kept,
            )
        case "general_complex":
            question, listed = option_parser.split(text)
            if not listed:
                raise Unusable("no options in the question")
            answer: Choice = option_parser.choice(listed, label)
            return ImportedItem("eight-way", question, answer, picture, kept)
        case "freeform":
            raise Unusable("free text: no type of answer can judge it")
        case _:
            raise Unusable("an unknown type of question", kind[:40])


FORMAT = Format(
    "egoorient",
    "EgoOrientBench",
    "https://github.com/jhCOR/EgoOrientBench",
    columns=("type", "image", "question", "label"),
    wanted=("domain", "base_dataset", "original_label", "category_name"),
    read=_read,
)
