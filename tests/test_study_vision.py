"""Colour vision in a study: who is asked, what is stored, and what tables and exports make of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from study_data import joined, study_of, value_of
from workbench import done, isovist, records, refused

pytest.importorskip("starlette")

from starlette.testclient import TestClient

from isovist.core.answers import Answer
from isovist.core.task import ColourVision
from isovist.people.study import tables
from isovist.people.study.participants import PEOPLE, VISIONS, Participant, ParticipantStore, Vision
from isovist.people.study.plan import Study
from isovist.people.study.results import results
from isovist.people.study.server import app
from isovist.suites import registry

TASKS = ("by-hand/choice", "by-hand/count")
TOKEN = "a token of these tests"


@pytest.fixture
def colours(monkeypatch: pytest.MonkeyPatch) -> Callable[[ColourVision | None], None]:
    """What all tasks are taken to need."""

    def set_to(vision: ColourVision | None) -> None:
        monkeypatch.setattr(registry, "colour_vision", lambda name: vision)

    return set_to


def begun(client: TestClient) -> dict[str, str]:
    return {"X-Code": client.post("/api/begin", json={"code": "", "agreed": True}).json()["made"]}


def test_every_task_says_what_it_needs_and_photographs_as_their_task_does() -> None:
    assert registry.colour_vision("perceptv/list-colours") == "normal"
    assert registry.colour_vision("cdr/relative-spatial-icon") == "none"
    assert registry.colour_vision("dori-photos/inter-object-direction") == "partial"
    assert registry.colour_vision("perceptv-published/maze-solving") == "none"
    assert registry.colour_vision("perceptv-published/list-shapes") == "none"
    assert registry.colour_vision("perceptv-published/change-colour") is None  # its own pictures may have other colours
    assert registry.colour_vision("by-hand/choice") is None


@pytest.mark.parametrize(("need", "asked"), [("none", False), ("partial", True), ("normal", True), (None, True)])
def test_people_are_asked_before_the_first_question_where_it_matters(
    by_hand: Path, tmp_path: Path, colours: Callable[[ColourVision | None], None], need: ColourVision | None, *, asked: bool
) -> None:
    colours(need)
    client = TestClient(
        app(study_of(by_hand, tmp_path / "pictures", tasks=TASKS), ParticipantStore(tmp_path), TOKEN), base_url="http://127.0.0.1"
    )
    headers = begun(client)
    assert client.get("/api/me", headers=headers).json()["vision"] is asked
    assert client.get("/api/questions/0", headers=headers).status_code == (403 if asked else 200)
    for wrong in ({}, {"vision": "good"}, {"vision": None}, {"vision": ["normal"]}):
        reply = client.post("/api/vision", json=wrong, headers=headers)
        assert (reply.status_code, bool(reply.json()["fault"])) == (400, True)
    assert client.post("/api/vision", json={"vision": "deficient"}, headers={"X-Code": "AAAA-BBBB-CCCC"}).status_code == 403
    response = client.post("/api/vision", json={"vision": "deficient"}, headers=headers).json()
    assert response["vision"] is False
    assert client.get("/api/questions/0", headers=headers).status_code == 200
    (person,) = ParticipantStore(tmp_path).all()
    assert person.vision == "deficient"


def test_an_answer_that_waited_in_a_browser_is_taken_all_the_same(by_hand: Path, tmp_path: Path) -> None:
    """Of a study that was begun before anybody was asked."""
    study, people = study_of(by_hand, tmp_path / "pictures", tasks=TASKS), ParticipantStore(tmp_path)
    client = TestClient(app(study, people, TOKEN), base_url="http://127.0.0.1")
    headers = begun(client)
    (person,) = people.all()
    step = study.order(person.handle, people.place(person))[0]
    sent = {"value": value_of(step), "seconds": 1.0, "pauses": 0}
    assert client.post("/api/questions/0", json=sent, headers=headers).status_code == 200
    assert client.get("/api/me", headers=headers).json()["vision"] is True


def test_a_file_from_before_goes_on_and_removal_takes_it_along(tmp_path: Path) -> None:
    people = ParticipantStore(tmp_path)
    person = joined(people)
    with sqlite3.connect(tmp_path / PEOPLE) as db:
        db.execute("drop table vision")
    again = ParticipantStore(tmp_path)
    assert [participant.vision for participant in again.all()] == [None]
    for vision in VISIONS:
        again.see(person, vision)
    assert [participant.vision for participant in again.all()] == [VISIONS[-1]]
    assert again.remove([person.handle]) == []
    with sqlite3.connect(tmp_path / PEOPLE) as db:
        assert db.execute("select count(*) from vision").fetchone() == (0,)


def answered(study: Study, folder: Path, visions: tuple[Vision | None, ...]) -> list[Participant]:
    """One person for each; those of normal colour vision are right, the others wrong."""
    people = ParticipantStore(folder)
    participants = [joined(people) for _ in visions]
    for person, vision in zip(participants, visions, strict=True):
        if vision:
            people.see(person, vision)
        for item in study.items:
            key: Answer | None = item.card.answer
            assert key
            people.put(person, item.card.id, key.canonical() if vision == "normal" else key.wrong_answers()[0], 2.0, 0, practice=False)
    return participants


@pytest.mark.parametrize("need", ["normal", "partial", "none", None])
def test_tables_tell_what_those_with_normal_colour_vision_do(
    by_hand: Path, tmp_path: Path, colours: Callable[[ColourVision | None], None], need: ColourVision | None
) -> None:
    pytest.importorskip("krippendorff")
    colours(need)
    study, people = study_of(by_hand, tmp_path / "pictures", tasks=TASKS), ParticipantStore(tmp_path)
    answered(study, tmp_path, ("normal", "normal", "deficient", None))
    for task in results(study, people.all(), people.answers()).tasks:
        assert task.credit is not None
        assert (task.credit.estimate, task.others, task.colour_vision) == (0.5, 2, need)
        assert (task.seen.estimate if task.seen else None) == (1.0 if need == "normal" else None)
    text = tables.table(study, people)
    assert ("by-hand/count requires normal colour vision, and 2 people have not stated it. Accuracy without them: 100% [" in text) is (
        need == "normal"
    )
    assert [line.split()[2] for line in text.splitlines() if " done " in line] == ["normal", "normal", "deficient", "-"]
    summary = tables.summary(study, people)
    assert [person["vision"] for person in summary["people"]] == ["normal", "normal", "deficient", None]
    assert {task["colour_vision"] for task in summary["tasks"]} == {need}


def test_an_export_holds_those_who_are_asked_for(by_hand: Path, tmp_path: Path) -> None:
    study = study_of(by_hand, tmp_path / "pictures", tasks=TASKS)
    folder = tmp_path / "study"
    folder.mkdir()
    study.plan.write(folder)
    assert "No answers" in refused(isovist("study", "export", folder, "--out", tmp_path / "runs"))
    one, other, third = answered(study, folder, ("normal", "deficient", "normal"))
    normal = ("--colour-vision", "normal")
    done("study", "export", folder, "--out", tmp_path / "runs", *normal)
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {one.handle, third.handle}
    done("study", "export", folder, "--out", tmp_path / "all")
    message = refused(isovist("study", "export", folder, "--out", tmp_path / "all", *normal))
    assert f"participants excluded by --colour-vision ({other.handle})" in message
    assert "No answers from participants with --colour-vision unstated" in refused(
        isovist("study", "export", folder, "--out", tmp_path / "none", "--colour-vision", "unstated")
    )
    assert not (tmp_path / "none").exists()
    done("study", "export", folder, "--together", "--out", tmp_path / "together", *normal)
    assert {record["outcome"] for record in records(tmp_path / "together")} == {"correct"}


def test_items_of_this_package_are_known_by_their_data(tmp_path: Path) -> None:
    data = tmp_path / "data"
    done("generate", "cdr/relative-spatial-letter", "--n", 4, "--out", data)
    assert not study_of(data, tmp_path / "pictures", per_task=2, practice=1).asks_vision
    more = tmp_path / "more"
    done("generate", "cdr/relative-spatial-letter", "perceptv/list-colours", "--n", 4, "--out", more)
    assert study_of(more, tmp_path / "others", per_task=2, practice=1).asks_vision
    assert registry.task("perceptv/list-colours").images.colour_vision == "normal"


def test_the_answers_of_a_study_of_an_earlier_version_are_kept(tmp_path: Path) -> None:
    people = ParticipantStore(tmp_path)
    person = people.by_code(people.add())
    assert person is not None
    people.see(person, "deficient")
    with sqlite3.connect(tmp_path / PEOPLE) as db:
        db.execute("alter table vision rename column stated to told")  # as earlier versions named it
    for _ in range(2):
        (again,) = ParticipantStore(tmp_path).all()
        assert again.vision == "deficient"
