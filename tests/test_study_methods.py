"""The methods of a study: attention checks and exclusions, the completion code, ids of recruiting services, statements and the checklist."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import driven
import pytest
from answer_kinds import KINDS
from hypothesis import given
from hypothesis import strategies as st
from study_data import TEXT, joined, value_of
from study_people import Person, needs_browser, serving
from workbench import contents, done, isovist, refused

pytest.importorskip("starlette")

from starlette.testclient import TestClient

from isovist.common.errors import UserError
from isovist.core.answers import JointAnswer
from isovist.evaluation.run.study_facts import STATEMENTS
from isovist.people.annotate.cards import Card
from isovist.people.study import fewer_options, tables
from isovist.people.study import methods as study_methods
from isovist.people.study.attention_checks import check_of, passed, places
from isovist.people.study.item_presentation import reply
from isovist.people.study.methods import StudyMethods
from isovist.people.study.participants import PEOPLE, Answer, Participant, ParticipantStore
from isovist.people.study.plan import Study, StudyPlan, opened
from isovist.people.study.results import results
from isovist.people.study.server import app

TASKS = ("by-hand/choice", "by-hand/count")
METHODS = StudyMethods(
    2, 0, "DONE-42", "https://app.example.com/complete?cc=DONE-42&who={id}", {"population": "adults <b>&</b>", "pilot": ""}
)
ID = "5f3e9c1a2b4d6e7f8a9b0c1d"


def study_with(data: Path, into: Path, methods: StudyMethods = METHODS, tasks: tuple[str, ...] = TASKS) -> Study:
    into.mkdir(parents=True, exist_ok=True)
    return opened(StudyPlan.of(data, tasks, "test", 3, 1, 0, TEXT, methods), into)


@pytest.fixture
def study(by_hand: Path, tmp_path: Path) -> Study:
    return study_with(by_hand, tmp_path / "pictures")


@pytest.fixture
def people(tmp_path: Path) -> ParticipantStore:
    return ParticipantStore(tmp_path)


@pytest.fixture
def client(study: Study, people: ParticipantStore) -> TestClient:
    return TestClient(app(study, people, "a token"), base_url="http://127.0.0.1")


def begin(client: TestClient, **body: object) -> dict[str, str]:
    """The header of a new participant, who has stated the colour vision."""
    headers = {"X-Code": client.post("/api/begin", json={"agreed": True, **body}).json()["made"]}
    client.post("/api/vision", json={"vision": "normal"}, headers=headers)
    return headers


def answer_all(client: TestClient, headers: dict[str, str], study: Study, people: ParticipantStore, *, missed: int = 0) -> list[str]:
    """Answers every question; the first `missed` checks as if they were items. Returns all replies."""
    (person,) = [person for person in people.all() if person.handle == headers["X-Code"][:4]]
    bodies: list[str] = []
    for number, step in enumerate(study.order(person.handle, people.place(person))):
        bodies.append(client.get(f"/api/questions/{number}", headers=headers).text)
        is_obeyed = step.check and not (missed > 0)
        missed -= step.check
        value = step.item.card.key if is_obeyed else value_of(step)
        bodies.append(client.post(f"/api/questions/{number}", json={"value": value, "seconds": 1.0}, headers=headers).text)
    return bodies


# Attention checks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_a_check_states_an_answer_that_the_page_takes_and_the_item_does_not_have(kind: str, data: st.DataObject) -> None:
    answer = data.draw(KINDS[kind])
    card = check_of(Card("item", "What is it?", answer=answer), seed=0)
    assert check_of(Card("item", "What is it?", answer=answer), seed=0) == card
    assert "What is it?" not in card.text
    text = reply(answer, json.loads(card.key) if isinstance(answer, JointAnswer) else card.key)
    if text is None or answer.score(text).credit == 1:  # no other answer is possible
        assert card.key == answer.canonical()
        return
    outcomes = passed([card], [Answer("OBEY", card.id, True, text, 1, 0, ""), Answer("SOLV", card.id, True, answer.canonical(), 1, 0, "")])
    assert outcomes == {"OBEY": [True], "SOLV": [False]}


@given(st.integers(0, 20), st.integers(1, 8), st.integers(1, 30))
def test_checks_are_spread_over_a_session_and_never_open_a_block(checks: int, blocks: int, per_task: int) -> None:
    before = places(checks, blocks, per_task)
    assert (len(before), sum(map(len, before))) == (blocks, checks)
    assert all(1 <= place <= per_task for block in before for place in block)
    assert all(block == sorted(block) for block in before)
    if checks:
        counts = [len(block) for block in before]
        assert max(counts) - min(counts) <= max(1, checks // blocks)


def test_checks_have_the_same_places_for_all_and_cannot_be_told_from_items_on_the_wire(study: Study, client: TestClient) -> None:
    orders = [study.order(handle, place) for place, handle in enumerate(("AAAA", "BBBB", "CCCC"))]
    numbers = [[number for number, step in enumerate(order) if step.check] for order in orders]
    assert numbers[0] == numbers[1] == numbers[2]
    assert len(numbers[0]) == 2
    assert len(orders[0]) == study.questions == 2 * (3 + 1) + 2
    assert {step.item.card.part for order in orders for step in order if step.check} == set(TASKS)
    headers = begin(client)
    shapes: set[tuple[str, ...]] = set()
    fields: set[tuple[str, ...]] = set()
    for number, step in enumerate(study.order(headers["X-Code"][:4], 0)):
        question = client.get(f"/api/questions/{number}", headers=headers).json()
        stored = client.post(f"/api/questions/{number}", json={"value": value_of(step), "seconds": 1}, headers=headers).json()
        assert step.item.card.id not in json.dumps(question)
        if not step.practice:
            shapes.add(tuple(question))
            fields.add(tuple(set(stored) - {"completion"} and sorted(set(stored) - {"completion"})))
    assert (len(shapes), len(fields)) == (1, 1)


def test_who_misses_more_checks_than_allowed_is_in_no_result(study: Study, client: TestClient, people: ParticipantStore) -> None:
    pytest.importorskip("krippendorff")
    good, bad = begin(client), begin(client)
    answer_all(client, good, study, people)
    answer_all(client, bad, study, people, missed=1)
    answers = people.answers(practice=True)
    found = {row.person.handle: (row.checks, row.excluded) for row in results(study, people.all(), answers).people}
    assert found == {good["X-Code"][:4]: ((True, True), False), bad["X-Code"][:4]: ((False, True), True)}
    assert [row.answers for row in results(study, people.all(), answers).tasks] == [3, 3]
    assert [row.answers for row in results(study, people.all(), answers, exclude=False).tasks] == [6, 6]
    lenient = replace(study, plan=replace(study.plan, methods=replace(METHODS, max_missed=1)))
    assert [row.answers for row in results(lenient, people.all(), answers).tasks] == [6, 6]
    assert "Participants excluded from the results below and from exports: 1 (missed more than 0 of 2 attention checks)" in tables.table(
        study, people
    )


def test_exports_and_reports_are_without_the_excluded_and_state_their_number(
    study: Study, client: TestClient, people: ParticipantStore, by_hand: Path, tmp_path: Path
) -> None:
    good, bad = begin(client, id=ID), begin(client)
    answer_all(client, good, study, people)
    study.plan.write(tmp_path)
    answer_all(client, bad, study, people, missed=2)
    done("study", "export", tmp_path, "--out", tmp_path / "each")
    done("study", "export", tmp_path, "--together", "--out", tmp_path / "human")
    assert [path.name for path in (tmp_path / "each").iterdir()] == [good["X-Code"][:4]]
    run = json.loads((tmp_path / "human" / "run.json").read_text())
    facts = run["study"]
    assert (run["n_participants"], facts["begun"], facts["finished"], facts["excluded"]) == (1, 2, 2, 1)
    assert facts["statements"]["population"] == "adults <b>&</b>"
    exported = b"".join(contents(tmp_path / "human").values()) + b"".join(contents(tmp_path / "each").values())
    assert b"DONE-42" not in exported
    assert ID.encode() not in exported
    done("report", tmp_path / "human", "--out", tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text()
    assert "1 participant excluded by attention checks. Not stated: demographics, recruitment" in page
    assert "adults &lt;b&gt;&amp;&lt;/b&gt;" in page
    with (tmp_path / "report" / "participants.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert (row["excluded"], row["attention_checks"], row["max_missed"], row["demographics"]) == ("1", "2", "0", "")
    # a run of somebody who is excluded by now is not left beside the others
    (tmp_path / "each" / good["X-Code"][:4]).rename(tmp_path / "each" / bad["X-Code"][:4])
    refused(isovist("study", "export", tmp_path, "--out", tmp_path / "each"), "excluded by attention checks", bad["X-Code"][:4])


def test_an_export_of_excluded_people_alone_is_refused(study: Study, client: TestClient, people: ParticipantStore, tmp_path: Path) -> None:
    study.plan.write(tmp_path)
    answer_all(client, begin(client), study, people, missed=2)
    refused(isovist("study", "export", tmp_path, "--out", tmp_path / "each"), "excluded by attention checks")
    assert not (tmp_path / "each").exists()


# Completion --------------------------------------------------------------------------------------------------------


def test_the_completion_code_is_sent_after_the_last_answer_only(study: Study, client: TestClient, people: ParticipantStore) -> None:
    headers = begin(client, id=ID)
    before = [client.get(path, headers=headers).text for path in ("/", "/page.js", "/admin.js", "/api/study", "/api/me")]
    *early, last = answer_all(client, headers, study, people)
    assert all("DONE-42" not in body for body in before + early)
    completion = {"code": "DONE-42", "url": f"https://app.example.com/complete?cc=DONE-42&who={ID}"}
    assert json.loads(last)["completion"] == completion
    assert client.get("/api/me", headers=headers).json()["completion"] == completion  # the page was loaded again


def test_no_forged_request_earns_the_completion_code(study: Study, client: TestClient, people: ParticipantStore) -> None:
    headers = begin(client)
    last = study.questions - 1
    bodies = [client.post(f"/api/questions/{last}", json={"value": "A", "done": study.questions, "completion": True}, headers=headers)]
    bodies += [client.post("/api/me", json={"done": study.questions}, headers=headers), client.get("/api/complete", headers=headers)]
    bodies += [client.get(f"/api/questions/{study.questions}", headers=headers), client.get("/api/me", headers={"X-Code": "A" * 12})]
    order = study.order(headers["X-Code"][:4], 0)
    for number in (2, 1, 3):  # out of order, and question 0 never
        bodies.append(client.post(f"/api/questions/{number}", json={"value": value_of(order[number]), "seconds": 1}, headers=headers))
    bodies.append(client.get("/api/me", headers=headers))
    assert [reply.status_code for reply in bodies] == [404, 405, 404, 404, 403, 200, 200, 200, 200]
    assert all("DONE-42" not in reply.text for reply in bodies)


# Ids of recruiting services ----------------------------------------------------------------------------------------


def test_a_link_that_is_opened_twice_makes_one_participant(study: Study, client: TestClient, people: ParticipantStore) -> None:
    first = begin(client, id=ID)
    second = begin(client, id=ID)  # the reply got lost, or the link was opened again before the first answer
    assert first["X-Code"][:4] == second["X-Code"][:4]
    assert client.get("/api/me", headers=first).status_code == 403
    (person,) = people.all()
    assert person.service_id == ID
    step = study.order(person.handle, 0)[0]
    assert client.post("/api/questions/0", json={"value": value_of(step), "seconds": 1}, headers=second).status_code == 200
    again = client.post("/api/begin", json={"agreed": True, "id": ID})
    assert again.status_code == 409
    assert client.get("/api/me", headers=second).json()["done"] == 1  # the code is as it was
    assert len(people.all()) == 1
    assert "made" in client.post("/api/begin", json={"agreed": True, "code": second["X-Code"], "id": ID}).json()


@pytest.mark.parametrize(
    "bad",
    [
        "<script>alert(1)</script>",
        "a" * 65,
        "a" * 10_000,
        "x' or ''='",
        'x"y',
        "{{%PROLIFIC_PID%}}",
        "ada@example.com",
        "a\n",
        "é",
        5,
        ["a"],
        None,
    ],
)
def test_an_id_that_no_service_gives_is_refused(client: TestClient, people: ParticipantStore, bad: object) -> None:
    reply = client.post("/api/begin", json={"agreed": True, "id": bad})
    assert (reply.status_code, people.all()) == (400, [])
    assert str(bad) not in reply.text or bad is None


def test_an_id_is_deleted_with_its_participant(people: ParticipantStore, tmp_path: Path) -> None:
    code = people.add(ID)
    people.remove([code[:4]])
    assert all(ID.encode() not in held for held in contents(tmp_path).values())
    assert people.add(ID)[:4] != ""
    assert len(people.all()) == 1


def test_status_shows_ids_and_checks(study: Study, client: TestClient, people: ParticipantStore) -> None:
    pytest.importorskip("krippendorff")
    answer_all(client, begin(client, id=ID), study, people, missed=1)
    (person,) = client.get("/api/admin", headers={"X-Admin": "a token"}).json()["people"]
    assert (person["service_id"], person["checks_passed"], person["checks_missed"], person["excluded"]) == (ID, 1, 1, True)
    words = tables.table(study, people)
    assert "1 of 2, excluded" in words
    assert ID in words


# Studies of earlier versions ---------------------------------------------------------------------------------------


def test_a_study_of_an_earlier_version_goes_on(by_hand: Path, tmp_path: Path) -> None:
    study = study_with(by_hand, tmp_path / "pictures", StudyMethods())
    study.plan.write(tmp_path)
    saved = json.loads((tmp_path / "study.json").read_text())
    del saved["methods"]
    (tmp_path / "study.json").write_text(json.dumps(saved))
    people = ParticipantStore(tmp_path)
    joined(people)
    with sqlite3.connect(tmp_path / PEOPLE) as db:
        db.execute("drop table recruited")
    assert StudyPlan.read(tmp_path) == study.plan
    (person,) = ParticipantStore(tmp_path).all()
    assert (person.place, person.service_id) == (0, None)
    assert "completion" not in TestClient(app(study, people, "t"), base_url="http://127.0.0.1").get("/api/me").json()
    for item in study.items:
        assert item.card.answer
        people.put(person, item.card.id, item.card.answer.canonical(), 1, 0, practice=False)
    done("study", "export", tmp_path, "--together", "--out", tmp_path / "human")
    run = json.loads((tmp_path / "human" / "run.json").read_text())
    del run["study"]
    (tmp_path / "human" / "run.json").write_text(json.dumps(run))
    done("report", tmp_path / "human", "--out", tmp_path / "report")
    assert "not stated" in (tmp_path / "report" / "report.md").read_text()


# The file of methods -----------------------------------------------------------------------------------------------


def test_the_template_is_valid_and_names_every_statement(tmp_path: Path) -> None:
    (tmp_path / "methods.toml").write_text(done("study", "methods").out)
    read = study_methods.read(tmp_path / "methods.toml")
    assert (read.attention_checks, read.max_missed, set(read.statements)) == (2, 1, set(STATEMENTS))
    assert not any(read.statements.values())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("attention_checks = -1", "attention_checks"),
        ("attention_checks = 2.5", "attention_checks"),
        ("max_missed = 99", "max_missed"),
        ('completion_code = "a b"', "completion_code"),
        ('completion_url = "javascript:alert(1)"', "completion_url"),
        ('completion_url = "https://x.example/\'"', "completion_url"),
        ('[statements]\npopulaton = "x"', "populaton"),
        ('[statements]\npopulation = "\\u0007"', "population"),
        (f'[statements]\npopulation = "{"x" * 2001}"', "population"),
        ("statements = 3", "statements"),
        ("checks = 2", "checks"),
        ("= =", "line 1"),
    ],
)
def test_a_faulty_file_of_methods_is_refused_in_one_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "methods.toml").write_text(text)
    with pytest.raises(UserError) as error:
        study_methods.read(tmp_path / "methods.toml")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_study_folder_with_a_faulty_address_is_refused(study: Study, tmp_path: Path) -> None:
    study.plan.write(tmp_path)
    text = (tmp_path / "study.json").read_text().replace("https://app.example.com", "javascript:alert(1)//")
    (tmp_path / "study.json").write_text(text)
    refused(isovist("study", "status", tmp_path), "methods.completion_url")


def test_only_checks_and_their_rule_are_fixed_after_the_start(by_hand: Path, tmp_path: Path) -> None:
    plan = study_with(by_hand, tmp_path / "pictures").plan
    assert plan.differs(replace(plan, methods=replace(METHODS, completion_code="OTHER", statements={}))) == []
    assert plan.differs(replace(plan, methods=replace(METHODS, max_missed=1))) == ["attention_checks or max_missed of --methods"]
    plan.write(tmp_path / "pictures" / "..")
    (tmp_path / "methods.toml").write_text("attention_checks = 3")
    before = (tmp_path / "study.json").read_bytes()
    command = ("study", "serve", by_hand, "--tasks", TASKS[0], "--tasks", TASKS[1], "--per-task", 3, "--practice", 1, "--out", tmp_path)
    (tmp_path / "text.txt").write_text(TEXT)
    refused(isovist(*command, "--text", tmp_path / "text.txt", "--methods", tmp_path / "methods.toml"), "attention_checks")
    refused(isovist(*command, "--methods", tmp_path / "none.toml"), "none.toml")
    assert (tmp_path / "study.json").read_bytes() == before


def test_checks_have_as_few_options_as_items(by_hand: Path, tmp_path: Path) -> None:
    plan = StudyPlan.of(by_hand, TASKS, "test", 3, 1, 0, TEXT, METHODS)
    reduction = fewer_options.write(plan, tmp_path / "study", 3)
    (tmp_path / "pictures").mkdir()
    study = opened(StudyPlan.of(reduction.folder, (), "test", 3, 1, 0, TEXT, METHODS), tmp_path / "pictures")
    (check,) = [card for card in study.checks if card.part == "by-hand/choice"]
    assert len(check.options) == 3
    assert any(check.text.endswith(option.text) for option in check.options)


def test_too_few_items_for_checks_are_named(by_hand: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="3 attention checks"):
        study_with(by_hand, tmp_path / "pictures", StudyMethods(6))


# The checklist -----------------------------------------------------------------------------------------------------


def answer_as(people: ParticipantStore, study: Study, outcomes: Sequence[Sequence[int]]) -> list[Participant]:
    participants = [joined(people) for _ in outcomes]
    for person, row in zip(participants, outcomes, strict=True):
        for item, is_right in zip(study.items, row, strict=True):
            assert item.card.answer
            value = item.card.answer.canonical() if is_right else item.card.answer.wrong_answers()[0]
            people.put(person, item.card.id, value, 2, 0, practice=False)
    return participants


def test_a_checklist_is_filled_in_from_the_plan_and_the_answers(study: Study, people: ParticipantStore, tmp_path: Path) -> None:
    pytest.importorskip("krippendorff")
    study.plan.write(tmp_path)
    file = tmp_path / "checklist.md"
    done("study", "checklist", tmp_path, "--out", file)
    empty = file.read_text()
    assert "- [ ] **Accuracy**" in empty
    assert "- [ ] **Number of participants**" in empty
    refused(isovist("study", "checklist", tmp_path, "--out", file), "checklist.md")
    assert file.read_text() == empty
    answer_as(people, study, [[1] * 6, [1, 0, 1, 1, 1, 1]])
    text = tables.checklist(study, people)
    assert "- [x] **Number of participants**: 2 with answers, 2 finished" in text
    assert "- [x] **Accuracy**: by-hand/choice 83%" in text
    assert "- [x] **Population**: adults &lt;b&gt;&amp;&lt;/b&gt;" in text
    assert "- [ ] **Pilot**: open; state what was tried before" in text
    assert all(f"**{name.replace('_', ' ').capitalize()}**" in text for name in STATEMENTS)
    assert text.startswith(f"# Human baseline: {text.count('- [ ]')} of {text.count('- [')} statements are open")


def test_power_takes_the_variances_of_a_pilot(study: Study, people: ParticipantStore, tmp_path: Path) -> None:
    pytest.importorskip("krippendorff")
    study.plan.write(tmp_path)
    refused(isovist("study", "power", tmp_path), "Too few answers to by-hand/choice")
    answer_as(people, study, [[1, 1, 0, 1, 0, 1], [1, 0, 0, 0, 1, 1], [1, 1, 1, 0, 0, 1]])
    output = done("study", "power", tmp_path, "--half-width", 0.2, "--per-task", 40).out
    assert "by-hand/choice: accuracy 67%; variances between participants" in output
    assert "of 3 participants and 3 items" in output
    assert len(done("study", "power").out.splitlines()) == 7


# The page ----------------------------------------------------------------------------------------------------------


class TestPage:
    pytestmark = needs_browser

    def test_a_link_with_an_id_leads_to_the_code_and_goes_on_when_opened_again(self, by_hand: Path, tmp_path: Path) -> None:
        (tmp_path / "methods.toml").write_text(
            'attention_checks = 1\ncompletion_code = "DONE-42"\ncompletion_url = "https://app.example.com/?c=DONE-42"'
        )
        command = ("--tasks", "by-hand/choice", "--per-task", 3, "--practice", 1, "--methods", tmp_path / "methods.toml")
        with serving(by_hand, tmp_path / "study", *command) as served, driven.opened(tmp_path / "home") as page:
            link = f"{served.url}?PROLIFIC_PID={ID}&STUDY_ID=s&SESSION_ID=t"
            person = Person(page)
            person.begin(link)
            person.press()
            person.go_on()
            page.open(f"{link}&again")  # the code is in this browser
            for _ in range(4):
                person.press()
            assert page.until("document.getElementById('completion')?.innerText") == "DONE-42"
            assert "Continue to app.example.com" in page.js("document.getElementById('main').innerText")
            (participant,) = ParticipantStore(tmp_path / "study").all()
            assert (participant.handle, participant.service_id) == (person.code[:4], ID)
            page.open(f"{link}&again2")
            assert page.until("document.getElementById('completion')?.innerText") == "DONE-42"
            page.open(f"{served.url}?PROLIFIC_PID=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
            page.until("document.activeElement.id === 'code'")
            page.press("Enter")
            assert page.until("!document.getElementById('fault').hidden && document.getElementById('fault').innerText").startswith(
                "Invalid"
            )
            page.open(served.admin)
            assert ID in page.until("document.querySelector('table')?.innerText")
