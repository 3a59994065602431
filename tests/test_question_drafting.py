"""Questions from drafts to items: a scripted model writes, two scripted people answer on the page's server, and the agreed ones stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scripted import Asked, Said, fault, serving
from test_annotate import picture
from workbench import contents, done, isovist, refused, stored

from isovist.core.answers import Choice, Count
from isovist.data.importers.street_views import view_folder
from isovist.data.importers.street_views.view_folder import View
from isovist.people.question_drafting.drafts import drafts
from isovist.people.question_drafting.job import NOT_GOOD

pytest.importorskip("aiohttp")
pytest.importorskip("starlette")
pytest.importorskip("krippendorff")

from starlette.testclient import TestClient

from isovist.people.annotate import annotation_jobs
from isovist.people.annotate.answer_store import ANSWERS, Store
from isovist.people.annotate.server import app
from isovist.suites.cospace.road_directions import AXES

PLACES = ("gate", "park", "quay")
BENCH = {"question": "Where is the bench?", "choices": ["north", "East", "South", "Southwest"], "answer": "east"}
POSITION = {"question": "Where is the sofa?", "choices": ["frontleft", "back-right", "Left", "back"], "answer": "back right"}
ACTIONS = {
    "question": "What should you do to sit on it?",
    "choices": [
        "turn right and go ahead",
        "go ahead",
        "turn back, then go ahead, then turn left, then go ahead",
        "Go ahead and turn left.",
    ],
    "answer": "turn back, go ahead, turn left and go ahead",
}


@pytest.fixture
def views(tmp_path: Path) -> Path:
    """Three places with four views each, and one with three."""
    folder = tmp_path / "views"
    for p, name in enumerate((*PLACES, "short")):
        for i in range(3 if name == "short" else 4):
            picture(folder / name / f"{i}.png", (60 * i, 80 * p, 90))
            view_folder.append(folder, View(name, f"{name}/{i}.png", 90.0 * i, 90, "test"))
    return folder


@pytest.fixture
def example(tmp_path: Path) -> Path:
    for i in range(4):
        picture(tmp_path / "example" / f"{i}.png", (10 * i, 200, 10))
    path = tmp_path / "example" / "example.json"
    path.write_text(json.dumps({"views": [f"{i}.png" for i in range(4)], "draft": BENCH}))
    return path


def write(views: Path, example: Path, url: str, kind: str, out: Path) -> object:
    return isovist("draft-questions", views, "--kind", kind, "--example", example, "--model", "m", "--base-url", url, "--out", out)


def answer(job: Path, person: str, values: dict[str, str]) -> None:
    """What a person answers on the page, by the card's id."""
    annotation_job = annotation_jobs.job(job, job)
    client = TestClient(app(annotation_job, Store(job / ANSWERS)), base_url="http://127.0.0.1")
    for place, card in enumerate(annotation_job.cards):
        if card.id in values:
            reply = client.post(f"/api/people/{person}/cards/{place}", json={"value": values[card.id]})
            assert reply.status_code == 200, reply.text


# Drafts -----------------------------------------------------------------------------------------------------------


def test_drafts_are_read_in_our_words() -> None:
    (draft,), faults = drafts(f"Here you are:\n```json\n{json.dumps([BENCH])}\n```", "direction")
    assert (draft.choices, draft.answer, faults) == (("North", "East", "South", "Southwest"), "East", [])
    road = {
        "question": "How does the road run?",
        "choices": ["south to north", "Northeast-Southwest", "from west to east", "from northwest to southeast"],
    }
    (draft,), faults = drafts(json.dumps([road | {"answer": "south to north"}]), "direction")
    assert (draft.choices, draft.answer, faults) == (AXES, AXES[0], [])
    pair, faults = drafts(json.dumps([{"object": "sofa", "position": POSITION, "actions": ACTIONS}]), "planning")
    assert faults == []
    assert [(one.part, one.answer) for one in pair] == [
        ("position", "Back right"), ("actions", "Turn back, then go ahead, then turn left, then go ahead"),
    ]  # fmt: skip
    assert pair[1].choices[0] == "Turn right, then go ahead"
    (count,), _ = drafts('[{"question": "How many cars are there?", "answer": 3}]', "counting")
    assert (count.choices, count.answer) == ((), "3")


@pytest.mark.parametrize(
    ("reply", "kind", "why"),
    [
        ("no list", "direction", "no JSON list"),
        ("[", "direction", "no JSON list"),
        ("[]", "direction", "no JSON list"),
        ("[3]", "direction", "not an object"),
        (json.dumps([BENCH | {"choices": ["North", "East"]}]), "direction", "2 choices"),
        (json.dumps([BENCH | {"answer": "West"}]), "direction", "not one of the choices"),
        (json.dumps([BENCH | {"choices": ["East", "east", "North", "South"]}]), "direction", "not one of the choices"),
        (json.dumps([BENCH | {"choices": ["North", "north", "East", "South"]}]), "direction", "different texts"),
        (json.dumps([BENCH | {"choices": ["north to south", "south to north", "east to west", "East"]}]), "direction", "different texts"),
        (json.dumps([BENCH | {"question": " "}]), "direction", "no question"),
        (json.dumps([BENCH | {"question": "What does <image> show?"}]), "direction", "no text"),
        ('[{"question": "How many?", "answer": "three"}]', "counting", "no whole number"),
        ('[{"question": "How many?", "answer": true}]', "counting", "no whole number"),
        (json.dumps([{"position": POSITION, "actions": ACTIONS}]), "planning", "no object is named"),
        (json.dumps([{"object": "sofa", "position": POSITION}]), "planning", "no actions"),
        (json.dumps([{"object": "lamp", "position": POSITION, "actions": ACTIONS}]), "planning", "does not name the object"),
        (json.dumps([{"object": "sofa", "position": POSITION | {"choices": ["up", "left", "right", "back"]}, "actions": ACTIONS}]), "planning", "eight sides"),
        (json.dumps([{"object": "sofa", "position": POSITION, "actions": ACTIONS | {"choices": ["run", "go ahead", "turn left", "turn right"]}}]), "planning", "an action"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_draft_is_told(reply: str, kind: str, why: str) -> None:
    accepted, faults = drafts(reply, kind)  # type: ignore[arg-type]
    assert accepted == []
    assert len(faults) == 1
    assert why in faults[0]


# From views to items ----------------------------------------------------------------------------------------------


def test_from_views_to_agreed_items(views: Path, example: Path, tmp_path: Path) -> None:
    colours = {(views / name / "0.png").read_bytes(): name for name in PLACES}

    def script(asked: Asked) -> Said:
        pictures = [part for part in asked.content if isinstance(part, bytes)]
        assert pictures[:4] == [(example.parent / f"{i}.png").read_bytes() for i in range(4)]
        place = colours[pictures[4]]
        assert pictures[4:] == [(views / place / f"{i}.png").read_bytes() for i in range(4)]
        assert "Where is the bench?" in asked.words  # the example
        assert "JSON" in asked.words
        good = BENCH | {"question": f"Where is the bench of the {place}?"}
        return Said(json.dumps([good, good | {"question": "Where is the tower?"}, BENCH | {"choices": ["North"]}]))

    job, data, back = tmp_path / "job", tmp_path / "data", tmp_path / "back"
    with serving(script) as server:
        ended = write(views, example, server.url, "direction", job)
        assert ended.code == 0, ended  # type: ignore[attr-defined]
        asked = len(server.asked)
        assert write(views, example, server.url, "direction", job).code == 0  # type: ignore[attr-defined]
        assert len(server.asked) == asked == 3  # what has a reply is not asked again
    assert [json.loads(line)["place"] for line in (job / "malformed.jsonl").read_text().splitlines()] == list(PLACES)
    cards = annotation_jobs.job(job, job).cards
    assert len(cards) == 6
    for card in cards:
        assert [option.value for option in card.options] == ["North", "East", "South", "Southwest", NOT_GOOD]
        assert "The camera points north in image 1" in card.text
        assert card.key == ""
    assert b"draft" not in (job / "cards.jsonl").read_bytes()  # nor is the model's own answer

    ids = [card.id for card in cards]
    refused(isovist("draft-questions", job, "--collect", "--out", data), "No answers")
    answer(job, "Ada", dict(zip(ids, ["East", "South", "North", NOT_GOOD, "East", "North"], strict=True)))
    refused(isovist("draft-questions", job, "--collect", "--out", data), "No question with an agreed answer")
    assert not data.exists()
    answer(job, "Ben", dict(zip(ids, ["East", "South", "South", "East", "East"], strict=False)))
    ended = done("draft-questions", job, "--collect", "--out", data, "--disagreements-out", back)
    assert "3 items" in ended.out
    assert "Krippendorff's alpha" in ended.out
    assert "model's answer: 2 of 3" in ended.out
    for words in ("1 questions with different answers", "1 questions rejected", "1 questions with fewer than 2 answers"):
        assert words in ended.err

    rows = stored(data)
    assert [row.metadata.scene["draft"] for row in rows] == [ids[0], ids[1], ids[4]]
    for row, key in zip(rows, ("East", "South", "East"), strict=True):
        assert isinstance(row.key, Choice)
        assert row.key.options[row.key.truth] == key
        assert NOT_GOOD not in row.key.options
        place = row.metadata.scene["place"]
        assert row.images == tuple((views / place / f"{i}.png").read_bytes() for i in range(4))
    assert rows[0].group == rows[1].group != rows[2].group
    done("verify", data)
    done("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "run")

    # the one on which they differ went back, and can be agreed on there
    assert [card.id for card in annotation_jobs.job(back, back).cards] == [ids[2]]
    for person in ("Ada", "Ben"):
        answer(back, person, {ids[2]: "South"})
    done("draft-questions", back, "--collect", "--out", tmp_path / "more")
    assert [row.key.balance_bin() for row in stored(tmp_path / "more")] == ["South"]


def test_a_pair_about_one_object_stays_whole(views: Path, example: Path, tmp_path: Path) -> None:
    draft = {"object": "sofa", "position": POSITION, "actions": ACTIONS}
    job, data = tmp_path / "job", tmp_path / "data"
    with serving(lambda asked: Said(json.dumps([draft]))) as server:
        assert write(views, example, server.url, "planning", job).code == 0  # type: ignore[attr-defined]
    ids = [card.id for card in annotation_jobs.job(job, job).cards]
    actions = "Turn right, then go ahead"
    values = {id: "Back right" if id.endswith("position") else actions for id in ids}
    answer(job, "Ada", values)
    answer(job, "Ben", values | {ids[1]: "Go ahead"})  # of the first pair only the position is agreed on
    ended = done("draft-questions", job, "--collect", "--out", data)
    assert "1 questions whose pair" in ended.err
    assert {row.task for row in stored(data)} == {"cospace-written/planning-question", "cospace-written/planning-decision"}
    assert {row.metadata.scene["place"] for row in stored(data)} == set(PLACES[1:])


def test_counts_become_open_questions(views: Path, example: Path, tmp_path: Path) -> None:
    job, data = tmp_path / "job", tmp_path / "data"
    with serving(lambda asked: Said('[{"question": "How many lamps are there?", "answer": 2}]')) as server:
        assert write(views, example, server.url, "counting", job).code == 0  # type: ignore[attr-defined]
    ids = [card.id for card in annotation_jobs.job(job, job).cards]
    for person in ("Ada", "Ben"):
        answer(job, person, dict(zip(ids, ("3", "2", "-1"), strict=True)))
    ended = done("draft-questions", job, "--collect", "--out", data)
    assert "model's answer: 1 of 2" in ended.out
    assert "1 questions rejected" in ended.err
    keys = [row.key for row in stored(data)]
    assert [key.truth for key in keys if isinstance(key, Count)] == [3, 2]


def test_only_places_that_people_accept_are_written_about(views: Path, example: Path, tmp_path: Path) -> None:
    annotation_job = annotation_jobs.job(views, views)
    store = Store(views / ANSWERS)
    for card in annotation_job.cards:
        store.put("Ada", card.id, card.digest, "reject" if card.id == "park" else "accept")
    with serving(lambda asked: Said(json.dumps([BENCH]))) as server:
        ended = write(views, example, server.url, "direction", tmp_path / "job")
    assert ended.code == 0  # type: ignore[attr-defined]
    assert {card.group for card in annotation_jobs.job(tmp_path / "job", tmp_path).cards} == {"gate", "quay"}
    assert "2 places skipped" in ended.err  # type: ignore[attr-defined]


def test_a_model_that_does_not_answer_is_told_and_asked_again_later(views: Path, example: Path, tmp_path: Path) -> None:
    job = tmp_path / "job"
    with serving(lambda asked: fault(401, "Incorrect API key provided")) as server:
        refused(write(views, example, server.url, "direction", job), "No response to any request")  # type: ignore[arg-type]
        assert not job.exists()
        server.script = lambda asked: Said("I would rather not.")
        assert "3 drafts skipped" in write(views, example, server.url, "direction", job).err  # type: ignore[attr-defined]
        refused(write(views, example, server.url, "counting", job), "different model or kind")  # type: ignore[arg-type]
        (job / "writing.json").write_text('{"kind"')  # damaged, so that nobody can tell how it was begun
        refused(write(views, example, server.url, "direction", job), "different model or kind")  # type: ignore[arg-type]
        refused(write(views, example, server.url, "direction", views), "not empty")  # type: ignore[arg-type]


def test_bad_input_gives_a_one_line_error(views: Path, example: Path, tmp_path: Path) -> None:
    out = tmp_path / "job"
    more = ("--kind", "direction", "--model", "simulated/silent", "--out", out)
    refused(isovist("draft-questions", views, "--out", out), "--collect")
    refused(isovist("draft-questions", views, "--example", tmp_path / "none.json", *more), "File does not exist")
    refused(isovist("draft-questions", tmp_path, "--example", example, *more), "no folder of views")
    refused(isovist("draft-questions", views, "--collect", "--out", out), "job of drafted questions")
    refused(isovist("draft-questions", views, "--collect", "--model", "m", "--out", out), "Options for drafting with --collect")
    (example.parent / "bad.json").write_text('{"views": ["0.png"], "draft": {}}')
    refused(isovist("draft-questions", views, "--example", example.parent / "bad.json", *more), "Give 4 images")
    assert contents(tmp_path).keys() & {"job"} == set()
