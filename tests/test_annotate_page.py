"""The page of cards: its server, and a person at a keyboard in Chromium."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import browser
import driven
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_annotate import FREE, MANY, WHERE, listed, picture
from workbench import done, isovist, refused, started, until

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from starlette.testclient import TestClient

from isovist.common.json_lines import whole
from isovist.people.annotate import annotation_jobs
from isovist.people.annotate.answer_store import Store
from isovist.people.annotate.cards import Card
from isovist.people.annotate.server import app

SECRET = WHERE | {"key": "South"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for i, colour in enumerate(((200, 60, 60), (60, 200, 60), (60, 60, 200), (200, 200, 60))):
        picture(tmp_path / "job" / f"{i}.png", colour)
    views = {"pictures": [f"{i}.png" for i in range(4)], "captions": ["north", "east", "south", "west"]}
    return listed(tmp_path / "job", SECRET | views, MANY | {"pictures": ["0.png"]}, FREE, WHERE | {"id": "last"})


@pytest.fixture
def client(folder: Path, tmp_path: Path) -> TestClient:
    return TestClient(app(annotation_jobs.job(folder, tmp_path), Store(folder / "answers.sqlite")), base_url="http://127.0.0.1")


# The server -------------------------------------------------------------------------------------------------------


def test_an_answer_is_stored_before_it_is_confirmed(client: TestClient, folder: Path) -> None:
    sent = client.post("/api/people/Ada%20L/cards/0", json={"value": "South", "note": " odd ", "seconds": 2})
    assert sent.json() == {"value": "South", "name": "Ada L", "total": 4, "done": 1, "next": 1}
    (given,) = Store(folder / "answers.sqlite").given()
    assert (given.annotator, given.card, given.value, given.note, given.seconds) == ("Ada L", "where", "South", "odd", 2.0)


def test_no_reply_holds_a_key(client: TestClient) -> None:
    card = client.get("/api/people/Ada/cards/0").json()
    assert [option["text"] for option in card["options"]] == ["North", "East", "South", "West"]
    assert "key" not in card
    assert card["answer"] == ""
    first = client.get("/api/people/Ada/cards/0").text
    client.post("/api/people/Ben/cards/0", json={"value": "South"})
    assert client.get("/api/people/Ada/cards/0").text == first


def test_no_reply_holds_the_id_of_an_item(data: Path, tmp_path: Path) -> None:
    """Its key can be made again from it."""
    job = annotation_jobs.job(data, tmp_path, n=2)
    client = TestClient(app(job, Store(tmp_path / "answers.sqlite"), shuffled=True), base_url="http://127.0.0.1")
    replies = [client.get("/").text, client.get("/api/job").text]
    numbers: list[int] = []
    for place, card in enumerate(job.order("Ada", shuffled=True)):
        reply = client.get(f"/api/people/Ada/cards/{place}")
        numbers.append(reply.json()["number"])
        assert job.cards[numbers[-1] - 1] == card
        answer = {"value": card.options[0].value if card.options else "3"}
        replies += [reply.text, client.post(f"/api/people/Ada/cards/{place}", json=answer).text]
    replies.append(client.post("/api/people/Ada/back", json={}).text)
    assert sorted(numbers) == list(range(1, len(job.cards) + 1))
    for card in job.cards:
        address, _, digest = card.id.partition("#")
        assert not [text for text in replies if address in text or digest in text]


@given(st.text(st.characters(exclude_categories=()), max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_note_and_any_words_are_stored(client: TestClient, folder: Path, text: str) -> None:
    sent = {"value": "a bench", "note": f"<{text}>", "seconds": 1}
    head = {"Content-Type": "application/json"}
    assert client.post("/api/people/Ada/cards/2", content=json.dumps(sent), headers=head).status_code == 200
    given = Store(folder / "answers.sqlite").given("Ada")[-1]
    assert given.note == whole(f"<{text}>")
    assert client.get("/api/people/Ada/cards/2").json()["note"] == given.note
    done("annotate", folder, "--export", folder / "out.jsonl")
    words = client.post("/api/people/Ada/cards/2", content=json.dumps(sent | {"value": text}), headers=head)
    assert words.status_code in (200, 422)


@pytest.mark.parametrize("seconds", ["1e999", "-1e999", "NaN", "1" + "0" * 400, "-1", "true"])
def test_any_time_is_stored_within_a_day(client: TestClient, folder: Path, seconds: str) -> None:
    sent = f'{{"value": "a bench", "seconds": {seconds}}}'
    assert client.post("/api/people/Ada/cards/2", content=sent, headers={"Content-Type": "application/json"}).status_code == 200
    (given,) = Store(folder / "answers.sqlite").given()
    assert 0 <= given.seconds <= 86_400


def test_a_card_may_hold_any_character_that_breaks_a_line(tmp_path: Path) -> None:
    folder = listed(tmp_path / "job", FREE)
    annotation_jobs.write(folder, [Card("a", "one\u2028two\x85three\x0b", field="text"), Card("b", "?", field="text")])
    assert [card.text for card in annotation_jobs.job(folder, tmp_path).cards] == ["one\u2028two\x85three\x0b", "?"]


@pytest.mark.parametrize(
    ("path", "sent", "status"),
    [
        ("/api/people/Ada/cards/0", {"value": "Up"}, 422),
        ("/api/people/Ada/cards/1", {"value": "many"}, 422),
        ("/api/people/Ada/cards/9", {"value": "East"}, 404),
        ("/api/people/%20/cards/0", {"value": "East"}, 400),
        ("/api/people/A%00/cards/0", {"value": "East"}, 400),
        (f"/api/people/{'a' * 61}/cards/0", {"value": "East"}, 400),
        ("/api/people/Ada/cards/0", {"value": 3}, 400),
        ("/api/people/Ada/cards/0", {"value": "East", "note": "x" * 5000}, 400),
        ("/api/people/Ada/cards/0", {"value": "x" * 100_000}, 413),
        ("/api/people/Ada/cards/0", ["East"], 400),
        ("/api/people/Ada/back", {}, 409),
    ],
)
def test_what_is_no_answer_is_refused_and_nothing_is_stored(client: TestClient, folder: Path, path: str, sent: object, status: int) -> None:
    reply = client.post(path, json=sent)
    assert reply.status_code == status
    assert reply.json()["fault"]
    assert Store(folder / "answers.sqlite").given() == []


def test_the_page_of_another_site_cannot_answer(client: TestClient, folder: Path) -> None:
    as_form = client.post("/api/people/Ada/cards/0", content='{"value": "East"}', headers={"Content-Type": "text/plain"})
    assert as_form.status_code == 415
    rebound = client.post("/api/people/Ada/cards/0", json={"value": "East"}, headers={"Host": "evil.example"})
    assert rebound.status_code == 400
    assert Store(folder / "answers.sqlite").given() == []
    assert "default-src 'none'" in client.get("/").headers["content-security-policy"]


def test_pictures_are_served_by_number_and_nothing_else_is(client: TestClient, folder: Path) -> None:
    assert client.get("/pictures/0/2").content == (folder / "2.png").read_bytes()
    for path in ("/pictures/0/4", "/pictures/9/0", "/cards.jsonl", "/pictures/../cards.jsonl", "/answers.sqlite"):
        assert client.get(path).status_code == 404


def test_the_page_names_no_other_address(client: TestClient) -> None:
    for path in ("/", "/page.css", "/page.js"):
        reply = client.get(path)
        assert reply.status_code == 200
        assert re.findall(r"https?:|//[\w-]+\.\w", reply.text) == []


def test_a_port_that_is_taken_is_told_in_one_line(folder: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused(isovist("annotate", folder, "--answers", tmp_path / "b.sqlite", "--port", taken.getsockname()[1]), "--port")


def test_a_service_manager_ends_it_and_nothing_is_left_lying(folder: Path, tmp_path: Path) -> None:
    """Pictures lie in a temporary folder while people answer."""
    lying = tmp_path / "temporary"
    lying.mkdir()
    with started("annotate", folder, "--port", "0", PYTHONUNBUFFERED="1", TMPDIR=str(lying)) as process:
        until(lambda: process.poll() is not None or "http" in Path(f"/proc/{process.pid}/fd/1").read_text())
        assert list(lying.iterdir())
        process.terminate()
        assert process.wait(30) == 130
    assert not list(lying.iterdir())


# A person ---------------------------------------------------------------------------------------------------------


@contextmanager
def serving(folder: Path, *more: object, port: str = "0") -> Generator[str]:
    """The command at work; its address. It is killed at the end, as by kill -9."""
    with started("annotate", folder, "--port", port, *more, PYTHONUNBUFFERED="1") as process:
        out = Path(f"/proc/{process.pid}/fd/1")
        until(lambda: process.poll() is not None or "http" in out.read_text())
        assert process.poll() is None, process.stderr and process.stderr.read()
        yield re.findall(r"http://127\.0\.0\.1:\d+/", out.read_text())[0]
        process.kill()


needs_browser = [pytest.mark.browser, pytest.mark.skipif(browser.FOUND is None, reason="needs Chromium")]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Generator[driven.Page]:
    """One browser for several tests; each has a server and so an address of its own."""
    with driven.opened(tmp_path_factory.mktemp("browser") / "home") as page:
        yield page


def heading(words: str) -> str:
    return f"document.getElementById('main').innerText.includes({words!r})"


def at(place: int) -> str:
    return heading(f"{place} / 4")


class TestAPerson:
    pytestmark = needs_browser

    def test_answers_by_keyboard_alone_through_a_kill_and_goes_back(self, folder: Path, tmp_path: Path) -> None:
        answers = folder / "answers.sqlite"

        def given() -> list[tuple[str, str, str]]:
            return [(one.card, one.value, one.note) for one in Store(answers).given("Ada")]

        with driven.opened(tmp_path / "home") as page:
            with serving(folder) as address:
                page.open(address)
                page.until("document.activeElement && document.activeElement.id === 'name'")
                page.type("Ada")
                page.press("Enter")
                page.until(at(1))
                assert page.until("[...document.images].filter(i => i.complete && i.naturalWidth).length === 4")
                page.press("/")
                page.type("dim")  # in the note, where no letter is an answer
                page.press("Enter")
                page.press("s")
                page.until(at(2))
                assert given() == [("where", "South", "dim")]
                page.type("three")
                page.press("Enter")
                page.until("!document.getElementById('fault').hidden")
                assert "Expected a number" in page.js("document.getElementById('fault').innerText")
                assert len(given()) == 1
            # killed; the page tells that nothing was saved, and goes on once the server is there again
            page.js("document.getElementById('value').value = ''")
            page.type("3")
            page.press("Enter")
            page.until("document.getElementById('fault').innerText.includes('Not saved')")
            assert len(given()) == 1
            with serving(folder, port=address.rsplit(":", 1)[1].strip("/")):
                page.press("Enter")
                page.until(at(3))
                page.open(address)  # a new page asks for the name again, and goes on at the first card that is left
                page.until("document.activeElement && document.activeElement.id === 'name'")
                page.type("Ada")
                page.press("Enter")
                page.until(at(3))
                page.type("a red bench")
                page.press("Enter")
                page.until(at(4))
                page.press("ArrowLeft")
                page.until(at(3))
                assert page.until("document.getElementById('value').value") == "a red bench"
                page.press("PageUp")
                page.until(at(2))
                page.press("PageUp")
                page.until(at(1))
                assert page.js("document.querySelector('.chosen').innerText").split() == ["S", "South"]
                assert page.js("document.getElementById('note').value") == "dim"
                page.press("n")  # changes the first answer
                page.until(at(2))
                page.press("Escape")  # out of the field
                page.press("Backspace")  # takes the last answer back, which is the first card's
                page.until(f"{at(1)} && !document.querySelector('.chosen')")
                assert given() == [("many", "3", ""), ("free", "a red bench", "")]
                page.press("e")
                page.until(at(2))
                for place in (3, 4):
                    page.press("PageDown")
                    page.until(at(place))
                page.press("w")
                page.until(heading("All answered"))
                assert {card: value for card, value, _ in given()} == {"where": "East", "many": "3", "free": "a red bench", "last": "West"}
                expected = ("Failed to load resource",)  # the refused answer, and the server that was killed
                assert [line for line in page.console if not any(words in line for words in expected)] == []

    def test_does_not_see_what_another_person_answered(self, page: driven.Page, folder: Path) -> None:
        with serving(folder) as address:
            page.open(f"{address}#Ada")
            page.until(at(1))
            page.press("n")
            page.until(at(2))
            page.open(address)
            page.until(heading("Resume as"))
            assert "Ada" in page.js("document.querySelector('.people').innerText")
            page.type("Ben")
            page.press("Enter")
            page.until(at(1))
            assert page.js("document.querySelector('.chosen')") is None
            page.press("w")
            page.until(at(2))
            answers = {(one.annotator, one.value) for one in Store(folder / "answers.sqlite").given()}
            assert answers == {("Ada", "North"), ("Ben", "West")}

    def test_words_from_a_card_are_never_markup(self, page: driven.Page, tmp_path: Path) -> None:
        evil = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"
        folder = listed(tmp_path / "job", {"id": evil, "text": evil, "choices": [evil, "b"], "details": [[evil, evil]]})
        with serving(folder) as address:
            page.open(f"{address}#Ada")
            page.until(heading("1 / 1"))
            assert page.js("document.images.length") == 0
            assert page.js("document.title") == "job"

    def test_the_page_fits_its_window(self, page: driven.Page, folder: Path) -> None:
        with serving(folder) as address:
            for width in (1280, 500):
                page.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
                page.open(f"{address}#Ada")
                for place in range(1, 5):
                    page.until(at(place))
                    assert page.js("document.documentElement.clientWidth") == width
                    assert page.js("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), place
                    page.press("PageDown")
