"""Studies of people: a data folder with items of every kind of answer, made by hand, small and with known keys; and who takes part."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
from PIL import Image

from isovist.core.answers import (
    Answer,
    Cell,
    Choice,
    Count,
    CountTuple,
    ImageOptionChoice,
    JointAnswer,
    Number,
    WordSequence,
    WordSubset,
    YesNo,
)
from isovist.core.answers import CellPath as Way
from isovist.data.dataset.external_rows import digest, row
from isovist.data.importers.pipeline import NewDataFolder
from isovist.people.study.participants import Participant, ParticipantStore
from isovist.people.study.plan import Study, StudyPlan, StudyStep, opened

TEXT = "# A study of ours\n\nWe ask you some questions.\n\nThat is all."
PER_TASK = 4

COLOURS = ("red", "green", "blue")
WHERE = ("North", "East", "South", "West")


def key(kind: str, i: int) -> Answer:
    """The i-th key of a kind."""
    made: dict[str, Answer] = {
        "choice": Choice(WHERE, i % 4),
        "drawn-choice": ImageOptionChoice.of("sheet", 3, i % 3),
        "yes-no": YesNo(bool(i % 2)),
        "count": Count(i % 9, 0, 9),
        "number": Number(10.0 * (i % 9), 2.0, 0.0, 100.0),
        "counts": CountTuple((i % 5, 3), ("cats", "dogs"), 0, 9),
        "sequence": WordSequence(tuple(COLOURS[(i + k) % 3] for k in range(3)), COLOURS, permutation=True),
        "subset": WordSubset(COLOURS[: i % 4], COLOURS),
        "cell": Cell(((1 + i % 3, 2),), 4, 4),
        "path": Way(((1, 1), (1, 2), (1 + i % 3, 3)), 4, 4),
        "fields": JointAnswer((("where", Choice(WHERE, i % 4)), ("how many", Count(i % 9, 0, 9)))),
    }
    return made[kind]


KINDS = (
    "choice", "drawn-choice", "yes-no", "count", "number", "counts", "sequence", "subset", "cell", "path", "fields",
)  # fmt: skip


def picture(seed: int) -> bytes:
    """A PNG file that no other item has."""
    pixels = np.random.default_rng(seed).integers(0, 256, (24, 24, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).resize((96, 96), Image.Resampling.NEAREST).save(file, "PNG")
    return file.getvalue()


def write(folder: Path, kinds: tuple[str, ...] = KINDS, n: int = 6, *, shift: int = 0) -> Path:
    """A data folder with `n` items of each of some kinds; `shift` gives the same questions and pictures other keys."""
    folder.mkdir(parents=True)
    data = NewDataFolder(folder)
    for which, kind in enumerate(kinds):
        name = f"by-hand/{kind}"
        for i in range(n):
            image = picture(100 * which + i)
            question = f"What do you see in picture {which}.{i}?"
            shown = digest(image)
            data.add(row(name, i, question, key(kind, i + shift), (image,), {"scene": {}}, shown=shown, group=f"{name}:{shown}"))
    data.finish({})
    return folder


def study_of(data: Path, into: Path, *, tasks: tuple[str, ...] = (), per_task: int = PER_TASK, practice: int = 2) -> Study:
    """A study of some tasks of a data folder; its pictures are put into a folder of their own."""
    into.mkdir(parents=True, exist_ok=True)
    return opened(StudyPlan.of(data, tasks, "test", per_task, practice, 0, TEXT), into)


def joined(people: ParticipantStore) -> Participant:
    """A new person who has begun."""
    person = people.by_code(people.add())
    assert person is not None
    people.agree(person)
    people.place(person)
    return person


def value_of(step: StudyStep) -> object:
    """The right answer to a question, as the page sends it."""
    answer = step.item.card.answer
    assert answer
    return json.loads(answer.canonical()) if isinstance(answer, JointAnswer) else answer.canonical()
