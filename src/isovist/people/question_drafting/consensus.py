"""Drafted questions with agreed answers as a dataset; questions with different answers become a new annotation job."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from isovist.common import json_lines
from isovist.common.errors import UserError
from isovist.core.answers import Choice, Count
from isovist.core.rng import Rng, balanced_stratum
from isovist.data.dataset import external_rows
from isovist.data.dataset.rows import ItemRow
from isovist.data.importers.pipeline import check_new, new_data_folder
from isovist.people.annotate import annotation_jobs
from isovist.people.annotate.agreement import Agreement, agreements, standing
from isovist.people.annotate.answer_store import ANSWERS, Store
from isovist.people.annotate.cards import Job
from isovist.people.question_drafting.job import NOT_GOOD, Written, card, question, read

SUITE = "cospace-written"
_TASKS = {"direction": "direction", "counting": "counting", "position": "planning-question", "actions": "planning-decision"}
_HIGHEST = 50
_PARTNERS = {"position", "actions"}


@dataclass(slots=True)
class ConsensusSummary:
    agreed: Counter[str] = field(default_factory=Counter[str])
    """Items by task."""
    waiting: int = 0
    """Questions with too few answers."""
    differ: int = 0
    not_good: int = 0
    """Questions rejected by an annotator."""
    alone: int = 0
    """Questions whose pair about the same object has no agreed answer."""
    model_right: tuple[int, int] = (0, 0)
    """Questions with an agreed answer equal to the model's, and all questions with agreed answers."""
    agreement: list[Agreement] = field(default_factory=list[Agreement])


def collect_consensus(folder: Path, out: Path, *, people: int = 2, back: Path | None = None) -> ConsensusSummary:
    """Write the questions with at least `people` equal answers as the dataset `out`, and those with different answers as the job `back`.

    Raises UserError if no question has an agreed answer; then nothing is written.
    """
    check_new(out)
    if back is not None:
        check_new(back)
    written = read(folder)
    job = Job(folder.name, tuple(card(entry, folder) for entry in written))
    given = Store(folder / ANSWERS, create=False).given()
    by_card = standing(job, given)
    outcome = ConsensusSummary(agreement=agreements(job, given))
    keys: dict[str, str] = {}
    differ: list[Written] = []
    for entry in written:
        values = [answer.value for answer in by_card[entry.id].values()]
        if NOT_GOOD in values or (not entry.draft.choices and any(float(value) < 0 for value in values)):
            outcome.not_good += 1
        elif len(set(values)) > 1:
            outcome.differ += 1
            differ.append(entry)
        elif len(values) < people:
            outcome.waiting += 1
        else:
            keys[entry.id] = values[0]
    agreed = [entry for entry in written if entry.id in keys and _whole(entry, keys)]
    outcome.alone = len(keys) - len(agreed)
    correct = sum(entry.draft.answer.casefold() == keys[entry.id].casefold() for entry in agreed)
    outcome.model_right = (correct, len(agreed))
    if not agreed:
        raise UserError(f"No question with an agreed answer of {people} annotators: {folder}. Run `isovist annotate {folder}`.")
    with new_data_folder(out) as data:
        for entry in agreed:
            name = f"{SUITE}/{_TASKS[entry.draft.part]}"
            data.add(_row(folder, entry, keys[entry.id], name, data.items[name]))
        outcome.agreed = data.items
        data.finish({"source": "questions drafted by a model, about pictures of the user's own, and answered by people"})
    if back is not None and differ:
        _return(folder, back, differ)
    return outcome


def _whole(entry: Written, keys: dict[str, str]) -> bool:
    """Whether the paired question about the same object has an agreed answer too."""
    if entry.draft.part not in _PARTNERS:
        return True
    stem = entry.id.rpartition(":")[0]
    return all(f"{stem}:{part}" in keys for part in _PARTNERS)


def _row(folder: Path, entry: Written, key: str, task: str, index: int) -> ItemRow:
    """The item of a question with its agreed answer; the positions of keys are balanced."""
    if not entry.draft.choices:
        answer = Count(round(float(key)), 0, max(_HIGHEST, round(float(key))))
    else:
        options = Rng(SUITE, entry.id).shuffled([choice for choice in entry.draft.choices if choice != key])
        letter = balanced_stratum(Rng(SUITE, entry.draft.part), len(entry.draft.choices), index)
        options.insert(letter, key)
        answer = Choice(tuple(options), letter)
    images = tuple((folder / name).read_bytes() for name in entry.pictures)
    scene = {"place": entry.place, "draft": entry.id, "the model's answer": entry.draft.answer}
    shown = [external_rows.digest(image) for image in images]
    return external_rows.row(task, index, question(entry), answer, images, {"scene": scene}, shown=shown, group=f"{SUITE}:{entry.place}")


def _return(folder: Path, back: Path, differ: list[Written]) -> None:
    """Write the questions with different answers as a new job."""
    for entry in differ:
        for name in entry.pictures:
            (back / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / name, back / name)
    annotation_jobs.write(back, [card(entry, back) for entry in differ])
    ids = {entry.id for entry in differ}
    lines = [line for line in json_lines.rows((folder / "drafts.jsonl").read_text(encoding="utf-8")) if json.loads(line)["id"] in ids]
    (back / "drafts.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
