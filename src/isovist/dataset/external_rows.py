"""The row of an item that nothing can make again from its id alone: it stands on somebody's pictures, words or answers.

Such items have the version 0, which no task has; `isovist verify` can only tell whether their file has changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from isovist import prompts
from isovist.core.answers import Answer, Choice, to_json
from isovist.core.canonical_json import canonical_json
from isovist.dataset.rows import ItemRow

VERSION = 0
SPLIT = "test"


def digest(data: bytes) -> str:
    """What stands for a picture, or for any bytes, in ids and groups: 16 hexadecimal digits."""
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
    """The row of the task `name` (with its suite) at the place `index` among its rows, in the default style.

    `extra` is what its metadata say beside question, key and style; `shown` stands for its pictures in its id, mostly the `digest` of each. Raises ValueError if
    the question cannot be put into a prompt, and UnicodeEncodeError, which is one too, if it is no text.
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
