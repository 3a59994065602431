"""What people get over the wire holds no key, for every task there is: other keys change nothing but what is told after practice."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import study_data
from study_data import value_of

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from starlette.testclient import TestClient

import isovist
from isovist.core.answers import Answer, Cell, Choice, Count, CountTuple, JointAnswer, Number, Part, WordSequence, WordSubset, YesNo
from isovist.core.answers import CellPath as Way
from isovist.data.dataset.external_rows import digest, row
from isovist.data.importers.pipeline import NewDataFolder
from isovist.data.item import Item
from isovist.people.study import participants
from isovist.people.study.participants import ParticipantStore
from isovist.people.study.server import app
from isovist.suites import registry

TOKEN = "a token of these tests"
_DEAR = ("cospace", "dori")  # their scenes take long to make


def other(answer: Answer) -> Answer:
    """The same question with another key."""
    if isinstance(answer, JointAnswer):
        return replace(answer, parts=tuple((name, other_part(part)) for name, part in answer.parts))
    return other_part(answer)


def other_part(part: Part) -> Part:
    match part:
        case Choice():
            return replace(part, truth=(part.truth + 1) % len(part.options))
        case YesNo():
            return YesNo(not part.truth)
        case Count():
            return replace(part, truth=part.truth - 1 if part.truth > part.low else part.truth + 1)
        case Number():
            return replace(part, truth=part.low if part.truth > (part.low + part.high) / 2 else part.high)
        case CountTuple():
            first = part.truth[0]
            return replace(part, truth=(first - 1 if first > part.low else first + 1, *part.truth[1:]))
        case WordSequence() if part.permutation:
            return replace(part, truth=(*part.truth[1:], part.truth[0]))
        case WordSequence():
            return replace(part, truth=tuple(part.vocabulary[part.vocabulary.index(word) - 1] for word in part.truth))
        case WordSubset():
            rest = tuple(word for word in part.vocabulary if word not in part.truth)
            return replace(part, truth=rest if part.size is None else tuple([*rest, *part.truth][: part.size]))
        case Cell():
            ((row, column), *_) = part.truth
            return replace(part, truth=((row % part.rows + 1, column),))
        case Way() if len(part.truth) > 1:
            return replace(part, truth=part.truth[::-1])
        case Way():
            return replace(part, truth=((part.rows, part.columns), (part.rows, part.columns - 1)))


def written(items: dict[str, list[Item]], folder: Path, *, changed: bool) -> Path:
    """Items as a data folder, each with a picture of its own, which has nothing to do with it: drawing takes long."""
    folder.mkdir()
    data = NewDataFolder(folder)
    for which, (name, task_items) in enumerate(items.items()):
        for i, item in enumerate(task_items):
            image = study_data.picture(10 * which + i)
            key = other(item.question.answer) if changed else item.question.answer
            shown = digest(image)
            data.add(row(name, i, item.question.text, key, (image,), {"scene": {}}, shown=shown, group=f"{name}:{shown}"))
    data.finish({})
    return folder


def told(data: Path, same: Path, folder: Path) -> tuple[list[str], list[str], list[object]]:
    """All that one person is told, what came after practice, and the keys of the order. The answers are those of the data `same`."""
    folder.mkdir()
    study = study_data.study_of(data, folder / "pictures", per_task=1, practice=1)
    answers = study_data.study_of(same, folder / "same", per_task=1, practice=1)
    client = TestClient(app(study, ParticipantStore(folder), TOKEN), base_url="http://127.0.0.1")
    begun = client.post("/api/begin", json={"code": "", "agreed": True}).json()
    code, handle = begun["made"], begun["handle"]
    assert client.post("/api/vision", json={"vision": "normal"}, headers={"X-Code": code}).status_code == 200
    bodies, after = [client.get(path).text for path in ("/", "/page.js", "/images.js", "/page.css", "/api/study")], list[str]()
    order = study.order(handle, 0)
    for number, (step, right) in enumerate(zip(order, answers.order(handle, 0), strict=True)):
        headers = {"X-Code": code}
        shown = client.get(f"/api/questions/{number}", headers=headers)
        assert shown.status_code == 200
        reply = client.post(f"/api/questions/{number}", json={"value": value_of(right), "seconds": 1.0, "pauses": 0}, headers=headers)
        assert reply.status_code == 200, reply.text
        bodies += [shown.text, str(shown.headers)]
        (after if step.practice else bodies).append(reply.text)
        card = step.item.card
        words = [card.id, card.id.rpartition("#")[2], card.part]
        assert [word for word in words if word in shown.text + reply.text] == []
    return bodies, after, [value_of(step) for step in order]


def no_key_is_told(names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(participants, "new_code", lambda: "AAAA-BBBB-CCCC")
    items = {name: list(isovist.generate(name, n=2, seed=5)) for name in names}
    data = [written(items, tmp_path / f"data{i}", changed=bool(i)) for i in (0, 1)]
    (bodies, after, keys), (others, after_others, other_keys) = [told(each, data[0], tmp_path / each.name[-1]) for each in data]
    assert len(keys) == 2 * len(names)
    assert all(a != b for a, b in zip(keys, other_keys, strict=True))
    assert bodies == others
    assert all(a != b for a, b in zip(after, after_others, strict=True))
    assert {json.loads(reply)["feedback"]["right"] for reply in after} == {True}
    assert {json.loads(reply)["feedback"]["right"] for reply in after_others} == {False}


def test_no_key_of_a_task_that_is_made_fast_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [task.id for task in registry.tasks().values() if task.suite not in _DEAR]
    no_key_is_told(names, tmp_path, monkeypatch)


@pytest.mark.slow
def test_no_key_of_any_other_task_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [task.id for task in registry.tasks().values() if task.suite in _DEAR]
    no_key_is_told(names, tmp_path, monkeypatch)
