"""Rows of items that cannot be regenerated from their id, because they use external images, text or keys.

Such items have version 0, which no task has. `isovist verify` only checks that their files are unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from isovist.core.answers import Answer, Choice, to_json
from isovist.core.canonical_json import canonical_json
from isovist.data import prompts
from isovist.data.dataset.rows import ItemRow

VERSION = 0
SPLIT = "test"


def digest(data: bytes) -> str:
    """The hash of an image or other bytes for ids and groups: 16 hexadecimal digits."""
    return blake2b(data, digest_size=8).hexdigest()


def row(
    name: str,
    index: int,
    question: str,
    answer: Answer,
    images: tuple[bytes, ...],
    extra: Mapping[str, Any],
    *,
    shown: str | list[str],
    group: str,
    level: str = "standard",
    seed: int = 0,
    skills: Sequence[str] = (),
) -> ItemRow:
    """The row with index `index` of the task `name` (with its suite), in the default prompt style.

    `extra`: further metadata besides question, key and style. `shown`: the identification of the images in the item id, usually the
    `digest` of each. Raises ValueError, of which UnicodeEncodeError is a subclass, if the question cannot be put into a prompt.
    """
    metadata = {"question": question, "answer": to_json(answer), "style": prompts.DEFAULT_STYLE, "settings": {}, **extra}
    address = f"{name}@{VERSION}:{SPLIT}:{level}:{seed}:{index}"
    content = canonical_json([address, question, metadata["answer"], shown])
    return ItemRow(
        id=f"{address}#{digest(content.encode())}",
        suite=name.partition("/")[0],
        task=name,
        version=VERSION,
        split=SPLIT,
        seed=seed,
        index=index,
        level=level,
        group=group,
        images=images,
        prompt=prompts.prompt(question, answer, len(images)),
        choices=answer.options if isinstance(answer, Choice) else (),
        answer=answer.canonical(),
        answer_type=answer.kind,
        chance=answer.chance(),
        skills=tuple(skills),
        metadata_json=json.dumps(metadata, ensure_ascii=False),
    )
