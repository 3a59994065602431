"""The row of an item about a photograph. Nothing can make it again without the photograph, so its version is 0."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import blake2b
from typing import Any

from isovist import prompts, registry
from isovist.core.answers import Choice, to_json
from isovist.core.ids import PHOTOGRAPHS, canonical
from isovist.core.task import Question
from isovist.dataset.rows import Row
from isovist.suites.dori.frame import SKILLS

SUITE = f"dori{PHOTOGRAPHS}"
SPLIT = "test"


def row(
    task: str, level: str, number: int, question: Question, image: bytes, digest: str, facets: Mapping[str, str], scene: Mapping[str, Any]
) -> Row:
    """The item of a task of DORI, told without its suite, about one picture. `number`: its place in the task; `digest`: the photograph's."""
    name, answer = f"{SUITE}/{task}", question.answer
    if not isinstance(answer, Choice):
        raise TypeError(f"DORI asks choices, not {answer.kind}")
    told: dict[str, Any] = {
        "question": question.text,
        "answer": to_json(answer),
        "style": prompts.DEFAULT_STYLE,
        "settings": {},
        "facets": {"dimension": SKILLS[task][0], "options": str(len(answer.options)), **facets},
    }
    angles = registry.task(f"dori/{task}").angles
    if angles and (dials := angles(answer)):
        told["angles"] = {what: asdict(dial) for what, dial in dials.items()}
    told["scene"] = {**scene, "digest": digest}
    address = f"{name}@0:{SPLIT}:{level}:0:{number}"
    content = canonical([address, question.text, told["answer"], blake2b(image, digest_size=8).hexdigest()])
    return Row(
        id=f"{address}#{blake2b(content.encode(), digest_size=8).hexdigest()}",
        suite=SUITE,
        task=name,
        version=0,
        split=SPLIT,
        seed=0,
        index=number,
        level=level,
        group=f"{SUITE}:{digest}",
        images=(image,),
        prompt=prompts.prompt(question.text, answer, 1),
        choices=answer.options,
        answer=answer.canonical(),
        answer_type=answer.kind,
        chance=answer.chance(),
        skills=SKILLS[task],
        metadata=json.dumps(told, ensure_ascii=False),
    )
