"""Rows of DORI items about photographs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from isovist.core.answers import Choice
from isovist.core.canonical_json import PHOTOGRAPHS
from isovist.core.task import Question
from isovist.data.dataset import external_rows
from isovist.data.dataset.rows import ItemRow
from isovist.suites import registry
from isovist.suites.dori.shared_parts import SKILLS

SUITE = f"dori{PHOTOGRAPHS}"


def row(
    task: str,
    level: str,
    number: int,
    question: Question,
    image: bytes,
    digest: str,
    attributes: Mapping[str, str],
    scene: Mapping[str, Any],
) -> ItemRow:
    """Return the row of an item. `task`: without its suite; `number`: index in the task; `digest`: of the photograph."""
    name, answer = f"{SUITE}/{task}", question.answer
    if not isinstance(answer, Choice):
        raise TypeError(f"DORI questions are choices, not {answer.kind}")
    metadata: dict[str, Any] = {"attributes": {"dimension": SKILLS[task][0], "options": str(len(answer.options)), **attributes}}
    angles = registry.task(f"dori/{task}").reported.option_angles
    if angles and (angles_by_name := angles(answer)):
        metadata["option_angles"] = {angle_name: asdict(dial) for angle_name, dial in angles_by_name.items()}
    metadata["scene"] = {**scene, "digest": digest}
    shown, group = external_rows.digest(image), f"{SUITE}:{digest}"
    return external_rows.row(
        name, number, question.text, answer, (image,), metadata, shown=shown, group=group, level=level, skills=SKILLS[task]
    )
