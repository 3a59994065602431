"""The server of a study: what it tells, and what it takes."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest
import study_data
from study_data import study_of, value_of

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from starlette.testclient import TestClient

from isovist.core.answers import JointAnswer
from isovist.people.annotate import web_app
from isovist.people.study import participants
from isovist.people.study.participants import ParticipantStore
from isovist.people.study.plan import Study
from isovist.people.study.server import AHEAD, app

TOKEN = "a token of these tests"


@pytest.fixture
def study(by_hand: Path, tmp_path: Path) -> Study:
    return study_of(by_hand, tmp_path / "pictures", per_task=3, practice=1)


@pytest.fixture
def people(tmp_path: Path) -> ParticipantStore:
    return ParticipantStore(tmp_path)


@pytest.fixture
def client(study: Study, people: ParticipantStore) -> TestClient:
    return TestClient(app(study, people, TOKEN), base_url="http://127.0.0.1")


class Visitor:
    """Somebody who takes part over the wire, and keeps all that comes back."""

    def __init__(self, client: TestClient, code: str = "", vision: str = "normal") -> None:
        self.client = client
        self.bodies: list[str] = []
        self.code = code
        response = self.post("/api/begin", {"code": code, "agreed": True}).json()
        self.code = response["made"] or code
        self.handle: str = response["handle"]
        if vision:
            assert self.post("/api/vision", {"vision": vision}).status_code == 200

    def get(self, path: str) -> Any:
        return self._kept(self.client.get(path, headers={"X-Code": self.code}))

    def post(self, path: str, body: object) -> Any:
        return self._kept(self.client.post(path, json=body, headers={"X-Code": self.code}))

    def _kept(self, reply: Any) -> Any:
        self.bodies += [reply.text, str(reply.headers)]
        return reply

    def answer(self, number: int, value: object, **more: object) -> Any:
        return self.post(f"/api/questions/{number}", {"value": value, "seconds": 1.5, "pauses": 0, **more})


# The server --------------------------------------------------------------------------------------------------------


def test_a_person_answers_every_kind_of_question(client: TestClient, study: Study, people: ParticipantStore) -> None:
    ada = Visitor(client)
    order = study.order(ada.handle, 0)
    for number, step in enumerate(order):
        question = ada.get(f"/api/questions/{number}").json()
        assert set(question) == {"number", "practice", "first", "part", "parts", "text", "pictures", "options", "fields"}
        assert [set(picture) for picture in question["pictures"]] == [{"src", "caption"}]
        assert question["pictures"][0]["src"].startswith("data:image/png;base64,")
        assert bool(question["options"]) != bool(question["fields"])
        response = ada.answer(number, value_of(step), seconds=2.25, pauses=1).json()
        assert (response["done"], response["next"]) == (number + 1, number + 1)
        assert response.get("feedback", {}).get("right") is (True if step.practice else None)
    assert ada.get("/api/me").json() == {"handle": ada.handle, "agreed": True, "total": 44, "done": 44, "next": 44, "vision": False}
    answers = people.answers()
    assert len(answers) == 33
    assert {(answer.person, answer.seconds, answer.pauses) for answer in answers} == {(ada.handle, 2.25, 1)}
    assert ada.get("/api/questions/44").status_code == 404


def test_no_reply_names_an_item_or_a_task(client: TestClient, study: Study) -> None:
    ada = Visitor(client)
    for path in ("/", "/page.js", "/images.js", "/page.css", "/api/study", "/admin", "/admin.js"):
        ada.get(path)
    for number, step in enumerate(study.order(ada.handle, 0)):
        ada.get(f"/api/questions/{number}")
        ada.answer(number, value_of(step))
    cards = [step.item.card for step in study.order(ada.handle, 0)]
    secrets = [word for card in cards for word in (card.id, card.id.rpartition("#")[2], card.part)] + ["by-hand", "truth", "metadata"]
    text = "\n".join(ada.bodies)
    assert len(text) > 44 * 100
    assert [word for word in secrets if word in text] == []


def test_keys_change_nothing_in_what_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two studies with the same questions and other keys tell the same, but for the feedback to practice."""
    monkeypatch.setattr(participants, "new_code", lambda: "AAAA-BBBB-CCCC")
    bodies: list[list[str]] = []
    keys: list[list[object]] = []
    for shift in (0, 1):
        data = study_data.write(tmp_path / f"data{shift}", shift=shift)
        study, folder = study_of(data, tmp_path / f"pictures{shift}", per_task=3, practice=1), tmp_path / str(shift)
        folder.mkdir()
        visitor = Visitor(TestClient(app(study, ParticipantStore(folder), TOKEN), base_url="http://127.0.0.1"))
        same = study_of(tmp_path / "data0", tmp_path / "pictures0", per_task=3, practice=1).order(
            visitor.handle, 0
        )  # the same answers in both
        for number, step in enumerate(same):
            visitor.get(f"/api/questions/{number}")
            reply = visitor.answer(number, value_of(step))
            assert reply.status_code == 200
            if step.practice:
                del visitor.bodies[-2:]
        keys.append([value_of(step) for step in study.order(visitor.handle, 0)])
        bodies.append(visitor.bodies)
    assert all(a != b for a, b in zip(*keys, strict=True))
    assert bodies[0] == bodies[1]


def test_practice_is_answered_with_what_is_right(client: TestClient, study: Study) -> None:
    ada = Visitor(client)
    order = study.order(ada.handle, 0)
    number = next(i for i, step in enumerate(order) if step.practice and step.item.card.part == "by-hand/choice")
    for before in range(number):
        ada.answer(before, value_of(order[before]))
    answer = order[number].item.card.answer
    assert answer
    response = ada.answer(number, answer.wrong_answers()[0]).json()
    assert response["feedback"] == {"right": False, "key": f"{answer.canonical()}. {answer.balance_bin()}", "value": answer.canonical()}
    assert ada.answer(number, answer.wrong_answers()[0]).json() == response


def test_an_answer_that_is_sent_again_changes_nothing(client: TestClient, study: Study, people: ParticipantStore) -> None:
    ada = Visitor(client)
    order = study.order(ada.handle, 0)
    ada.answer(0, value_of(order[0]))
    first = ada.answer(1, value_of(order[1])).json()
    wrong = order[1].item.card.answer
    assert wrong
    again = ada.answer(
        1, json.loads(wrong.wrong_answers()[0]) if isinstance(wrong, JointAnswer) else wrong.wrong_answers()[0], seconds=9
    ).json()
    assert again == first
    (stored,) = people.answers()
    assert stored.seconds == 1.5
    assert wrong.score(stored.reply).outcome == "correct"


def test_questions_far_ahead_are_not_shown(client: TestClient, study: Study) -> None:
    ada = Visitor(client)
    assert ada.get(f"/api/questions/{AHEAD}").status_code == 200
    assert ada.get(f"/api/questions/{AHEAD + 1}").status_code == 404
    assert ada.answer(AHEAD + 1, "A").status_code == 404
    ada.answer(0, value_of(study.order(ada.handle, 0)[0]))
    assert ada.get(f"/api/questions/{AHEAD + 1}").status_code == 200


@pytest.mark.parametrize(
    ("path", "sent", "status"),
    [
        ("/api/questions/0", {"value": "no answer at all", "seconds": 1}, 422),
        ("/api/questions/0", {"value": None, "seconds": 1}, 422),
        ("/api/questions/0", {"value": "A", "seconds": -1}, 400),
        ("/api/questions/0", {"value": "A", "seconds": "1"}, 400),
        ("/api/questions/0", {"value": "A", "seconds": 1, "pauses": True}, 400),
        ("/api/questions/0", {"value": "x" * 100_000}, 413),
        ("/api/questions/0", ["A"], 400),
        ("/api/questions/99", {"value": "A"}, 404),
        ("/api/begin", {"code": ""}, 400),
        ("/api/begin", {"code": 3, "agreed": True}, 400),
        ("/api/begin", {"code": "AAAA-BBBB-CCCC", "agreed": True}, 403),
    ],
)
def test_what_is_no_answer_is_refused(client: TestClient, people: ParticipantStore, path: str, sent: object, status: int) -> None:
    ada = Visitor(client)
    reply = ada.post(path, sent)
    assert reply.status_code == status
    assert reply.json()["fault"]
    assert people.answers(practice=True) == []


def test_nobody_sees_a_question_without_a_code_and_consent(client: TestClient, people: ParticipantStore) -> None:
    code = people.add()
    for headers in ({}, {"X-Code": "AAAA-BBBB-CCCC"}, {"X-Code": code[:4]}, {"X-Code": code}):
        assert client.get("/api/questions/0", headers=headers).status_code == 403
        assert client.post("/api/questions/0", json={"value": "A"}, headers=headers).status_code == 403
    assert client.get("/api/me", headers={"X-Code": code}).json()["agreed"] is False
    ada = Visitor(client, code.lower())
    assert ada.get("/api/questions/0").status_code == 200
    (person,) = people.all()
    assert person.agreed is not None


def test_a_renewed_code_goes_on_where_the_lost_one_stopped(client: TestClient, study: Study, people: ParticipantStore) -> None:
    ada = Visitor(client)
    order = study.order(ada.handle, 0)
    ada.answer(0, value_of(order[0]))
    following = ada.get("/api/questions/1").json()
    made = people.renew([ada.handle])
    assert isinstance(made, dict)
    for path in ("/api/me", "/api/questions/1"):
        assert ada.get(path).status_code == 403
    assert ada.answer(1, value_of(order[1])).status_code == 403
    again = Visitor(client, made[ada.handle])
    assert (again.handle, again.get("/api/me").json()["next"]) == (ada.handle, 1)
    assert again.get("/api/questions/1").json() == following


def test_only_those_invited_take_part_where_it_is_said(study: Study, people: ParticipantStore) -> None:
    client = TestClient(app(study, people, TOKEN, invited=True), base_url="http://127.0.0.1")
    assert client.post("/api/begin", json={"code": "", "agreed": True}).status_code == 403
    assert people.all() == []
    assert Visitor(client, people.add()).get("/api/questions/0").status_code == 200


def test_the_page_of_those_who_run_it_needs_the_token(client: TestClient, study: Study) -> None:
    pytest.importorskip("krippendorff")
    ada = Visitor(client)
    for headers in ({}, {"X-Admin": "x"}, {"X-Code": ada.code}, {"X-Admin": TOKEN + "x"}):
        for path in ("/api/admin", "/api/admin/items/0"):
            assert client.get(path, headers=headers).status_code == 403
    response = client.get("/api/admin", headers={"X-Admin": TOKEN}).json()
    assert [person["handle"] for person in response["people"]] == [ada.handle]
    item = client.get("/api/admin/items/0", headers={"X-Admin": TOKEN}).json()
    assert item["id"] == study.items[0].card.id
    assert client.get("/api/admin/items/99", headers={"X-Admin": TOKEN}).status_code == 404


def test_another_site_cannot_take_part_in_somebodys_name(client: TestClient, people: ParticipantStore) -> None:
    ada = Visitor(client)
    as_form = client.post("/api/questions/0", content='{"value": "A"}', headers={"Content-Type": "text/plain", "X-Code": ada.code})
    assert as_form.status_code == 415
    assert client.get("/api/study", headers={"Host": "evil.example"}).status_code == 400
    assert "default-src 'none'" in client.get("/").headers["content-security-policy"]
    assert "set-cookie" not in client.get("/").headers
    for path in ("/", "/page.css", "/page.js", "/images.js", "/admin", "/admin.js"):
        assert re.findall(r"https?:|//[\w-]+\.\w", client.get(path).text) == []


def test_no_reply_waits_for_the_browser_to_acknowledge_its_headers() -> None:
    with web_app.bound(0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_it_answers_under_other_names_only_where_it_listens_elsewhere(study: Study, people: ParticipantStore) -> None:
    for anywhere, status in ((False, 400), (True, 200)):
        client = TestClient(app(study, people, TOKEN, anywhere=anywhere), base_url="http://study.example")
        assert client.get("/api/study").status_code == status


def test_it_answers_at_the_loopback_address_of_ipv6(study: Study, people: ParticipantStore) -> None:
    client = TestClient(app(study, people, TOKEN))
    assert client.get("/api/study", headers={"Host": "[::1]:8422"}).status_code == 200
    assert client.get("/api/study", headers={"Host": "elsewhere.example"}).status_code == 400
