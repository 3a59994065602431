"""The page of a study: people at keyboards in Chromium, with and without a connection."""

from __future__ import annotations

import re
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import driven
import pytest
import study_data
from study_data import study_of, value_of
from study_people import Person, ended, needs_browser, serving
from workbench import done, isovist, refused, started

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from isovist.people.study.participants import ParticipantStore
from isovist.people.study.plan import Study

# People at keyboards -----------------------------------------------------------------------------------------------


def given(folder: Path, handle: str) -> dict[str, str]:
    """What is stored of a person, practice included."""
    return {answer.item: answer.reply for answer in ParticipantStore(folder).answers(practice=True) if answer.person == handle}


def expected(study: Study, folder: Path, person: Person) -> dict[str, str]:
    """What a person's keys stand for, by the order that the person had."""
    (participant,) = [candidate for candidate in ParticipantStore(folder).all() if candidate.handle == person.code[:4]]
    assert participant.place is not None
    order = study.order(participant.handle, participant.place)
    values = {number: {option.key: option.value for option in order[number].item.card.options} for number in person.pressed}
    return {order[number].item.card.id: values[number][str(key)] for number, key in person.pressed.items()}


CHOICES = ("--tasks", "by-hand/choice", "--tasks", "by-hand/yes-no", "--per-task", 3, "--practice", 1)


FETCHED = "!unsent.entries.length && ahead.has(state.question.number + 2)"


@contextmanager
def at_the_first_question(data: Path, folder: Path, home: Path) -> Generator[Person]:
    """Somebody who has practised, in a study that is being served."""
    with serving(data, folder, *CHOICES) as served, driven.opened(home) as page:
        person = Person(page)
        person.begin(served.url)
        person.press()
        person.go_on()
        yield person


class TestPeople:
    pytestmark = needs_browser

    def test_two_at_once_one_of_them_without_a_connection_for_a_while(self, by_hand: Path, tmp_path: Path) -> None:
        pytest.importorskip("krippendorff")
        folder = tmp_path / "study"
        with (
            serving(by_hand, folder, *CHOICES) as served,
            driven.opened(tmp_path / "a") as one,
            driven.opened(tmp_path / "b") as other,
        ):
            ada, ben = Person(one), Person(other)
            for person in (ada, ben):
                person.begin(served.url)
            for _ in range(2):
                ada.press()
                ben.press()
            ben.go_on()
            ben.page.until(FETCHED)
            ben.offline(True)
            stored = len(given(folder, ben.code[:4]))
            for _ in range(2):
                ben.press()  # of questions that the page has fetched beforehand
            ben.page.until("document.getElementById('fault').innerText.includes('No connection')")
            assert len(given(folder, ben.code[:4])) == stored == 2
            while len(ada.pressed) < 8:
                ada.press()
            ended(one)
            ben.offline(False)
            ben.page.until("document.getElementById('fault').hidden && !unsent.entries.length")
            assert len(given(folder, ben.code[:4])) == 4
            while len(ben.pressed) < 8:
                ben.press()
            ended(other)
            study = study_of(by_hand, tmp_path / "pictures", tasks=("by-hand/choice", "by-hand/yes-no"), per_task=3, practice=1)
            for person in (ada, ben):
                assert given(folder, person.code[:4]) == expected(study, folder, person)
                assert len(person.pressed) == 8
            with ParticipantStore(folder)._file.open() as db:
                assert db.execute("select count(*) from answers").fetchone() == (16,)  # nothing twice
            first = {
                participant.place: study.order(participant.handle, participant.place or 0)[0].item.card.part
                for participant in ParticipantStore(folder).all()
            }
            assert first[0] != first[1]
            # nothing that came over the network tells what is right, or which item it was
            ada.read()
            text = "\n".join(ada.bodies)
            assert text.count('"options"') == 8
            cards = [step.item.card for step in study.order(ada.code[:4], 0)]
            assert [word for card in cards for word in (card.id, card.id.rpartition("#")[2], card.part) if word in text] == []
            assert [line for line in ada.page.console if "favicon" not in line] == []

    def test_a_double_click_a_reload_and_a_killed_server_change_nothing(self, by_hand: Path, tmp_path: Path) -> None:
        folder = tmp_path / "study"
        with driven.opened(tmp_path / "a") as page:
            ada = Person(page)
            with serving(by_hand, folder, *CHOICES) as served:
                ada.begin(served.url)
                ada.press()
                ada.go_on()
                assert ada.number == 1
                ada.pressed[1] = page.js("state.question.options[0].key")
                page.js("(() => { const button = document.querySelector('.choices button'); button.click(); button.click(); })()")
                page.press(str(ada.pressed[1]))  # and its key, when the next question may be there
                page.until("document.getElementById('main').dataset.ready === '2'")
                assert len(given(folder, ada.code[:4])) == 2
                page.js("state.spent = 40")
                page.until("browser.get(clock())?.spent >= 40")  # so that a crash loses little of it
                page.send("Page.reload")
                page.until("document.getElementById('main').dataset.ready === '2' && state.pauses === 1 && state.spent >= 40")
                assert page.js("document.getElementById('count').innerText") == "2 of 8 answered"
                page.until(FETCHED)
            ada.press()  # the server is gone
            ada.go_on()
            ada.press()
            page.until("document.getElementById('fault').innerText.includes('No connection')")
            with serving(by_hand, folder, *CHOICES, port=served.port):
                page.until("document.getElementById('fault').hidden && !unsent.entries.length")
                page.open(served.url)  # the code is still known in this tab
                while len(ada.pressed) < 8:
                    ada.press()
                ended(page)
            study = study_of(by_hand, tmp_path / "pictures", tasks=("by-hand/choice", "by-hand/yes-no"), per_task=3, practice=1)
            assert given(folder, ada.code[:4]) == expected(study, folder, ada)
            (third,) = [answer for answer in ParticipantStore(folder).answers() if answer.seconds >= 40]
            assert third.pauses == 1

    def test_answers_that_were_not_sent_outlive_the_page(self, by_hand: Path, tmp_path: Path) -> None:
        folder = tmp_path / "study"
        with driven.opened(tmp_path / "a") as page:
            ada = Person(page)
            with serving(by_hand, folder, *CHOICES) as served:
                ada.begin(served.url)
                ada.press()
                ada.go_on()
                page.until(FETCHED)
            ada.press()  # the server is gone
            page.until("document.getElementById('fault').innerText.includes('No connection')")
            page.open("about:blank")
            with serving(by_hand, folder, *CHOICES, port=served.port):
                page.open(f"{served.url}?a-new-page")
                page.until("document.getElementById('main').dataset.ready === '2'")
                assert len(given(folder, ada.code[:4])) == 2

    def test_a_renewed_code_takes_along_what_the_lost_one_had_not_sent(self, by_hand: Path, tmp_path: Path) -> None:
        folder = tmp_path / "study"
        with at_the_first_question(by_hand, folder, tmp_path / "a") as ada:
            page = ada.page
            handle = ada.code[:4]
            made = done("study", "codes", folder, "--renew", handle).out.strip()
            page.press(page.js("state.question.options[0].key"))  # with the code that is nobody's by now
            page.until("document.getElementById('fault').innerText.includes('ask the study administrator')")
            page.until("!!document.getElementById('code')")
            assert len(given(folder, handle)) == 1
            page.js("document.getElementById('code').focus()")
            page.type(made)
            page.press("Enter")
            page.until("document.getElementById('main').dataset.ready === '2'")
            assert len(given(folder, handle)) == 2
            assert page.js("document.getElementById('count').innerText") == "2 of 8 answered"

    def test_the_clock_stands_still_in_a_pause(self, by_hand: Path, tmp_path: Path) -> None:
        folder = tmp_path / "study"
        with serving(by_hand, folder, *CHOICES) as served, driven.opened(tmp_path / "a") as page:
            ada = Person(page)
            ada.begin(served.url)
            ada.press()
            feedback = page.js("document.getElementById('feedback').innerText")
            assert feedback.startswith("Correct.") or re.match(
                r"Incorrect. The answer is: ([ABCD]\. (North|East|South|West)|yes|no)\n", feedback
            ), feedback
            ada.go_on()
            page.js("(() => { window.now = 0; performance.now = () => window.now; state.since = 0; })()")
            page.js("window.now = 2000")
            page.press("Escape")
            page.until("document.getElementById('main').innerText.includes('Pause')")
            assert page.js("document.images.length") == 0
            page.press("a")
            page.press("y")
            page.js("window.now = 900000")
            page.press("Enter")
            page.until("document.getElementById('main').dataset.ready === '1'")
            page.js("window.now = 903500")
            ada.press()
            page.until("!unsent.entries.length")
            (answer,) = ParticipantStore(folder).answers()
            assert (answer.seconds, answer.pauses) == (5.5, 1)

    def test_the_clock_stands_still_in_a_hidden_tab_and_while_the_machine_sleeps(self, by_hand: Path, tmp_path: Path) -> None:
        folder = tmp_path / "study"
        with at_the_first_question(by_hand, folder, tmp_path / "a") as ada:
            page = ada.page
            assert ada.number == 1
            page.js("(() => { window.now = 1000; performance.now = () => window.now; state.since = beat = 1000; })()")
            page.js("window.now = 3000")
            with page.hidden():
                page.until("document.getElementById('main').innerText.includes('Pause')")
                page.js("window.now = 600000")
            page.press("Enter")
            page.until("document.getElementById('main').dataset.ready === '1'")
            page.js("window.now = 601500")
            ada.press()
            # the next one comes while the tab is hidden: nobody sees it before the tab is there again
            page.until("document.getElementById('main').dataset.ready === '2'")
            with page.hidden():
                page.until("document.getElementById('main').innerText.includes('Pause')")
                page.js("state.go()")
                page.until("!!document.getElementById('question') && !document.querySelector('.waiting')")
                page.js("window.now = 900000")
            page.until("document.getElementById('main').dataset.ready === '2'")
            page.js("window.now = 900250")
            ada.press()
            page.until("document.getElementById('main').dataset.ready === '3'")
            page.js("window.now = beat = state.since = 1000000")
            page.js("window.now = 1012000")
            page.until("beat === 1012000 && !state.paused")  # slow is not asleep
            page.js("window.now = 8212000")
            page.until("document.getElementById('main').innerText.includes('Pause')")
            page.press("Enter")
            page.until("document.getElementById('main').dataset.ready === '3'")
            page.js("window.now = 8212500")
            ada.press()
            page.until("!unsent.entries.length")
            answers = [(answer.seconds, answer.pauses) for answer in ParticipantStore(folder).answers()]
            assert answers == [(3.5, 1), (0.25, 1), (12.5, 1)]

    def test_every_kind_of_question_by_keyboard_alone_on_a_small_screen_and_a_report_of_the_answers(
        self, by_hand: Path, tmp_path: Path
    ) -> None:
        handle = self.every_kind(by_hand, tmp_path, (390, 844))
        done("study", "export", tmp_path / "study", "--out", tmp_path / "human")
        done("report", tmp_path / "human" / handle, "--out", tmp_path / "report")
        table = (tmp_path / "report" / "results.csv").read_text().splitlines()
        assert len([line for line in table if f"human/{handle}" in line]) == len(study_data.KINDS)

    def every_kind(self, by_hand: Path, tmp_path: Path, size: tuple[int, int]) -> str:
        """One person answers one question of each kind; no page sticks out of its window. Returns the person's handle."""
        pytest.importorskip("krippendorff")
        folder = tmp_path / "study"
        study = study_of(by_hand, tmp_path / "pictures", per_task=1, practice=0)
        with serving(by_hand, folder, "--per-task", 1, "--practice", 0) as served, driven.opened(tmp_path / "a", size) as page:
            page.send("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=size[0] < 500)

            def fits() -> bool:
                return page.js(f"document.documentElement.scrollWidth <= {size[0]}")

            ada = Person(page)
            ada.begin(served.url)
            assert fits()
            for number, step in enumerate(study.order(ada.code[:4], 0)):
                ada.go_on()
                assert ada.number == number
                assert fits(), step.item.card.part
                value = value_of(step)
                if step.item.card.options:
                    page.press(next(option.key for option in step.item.card.options if option.value == value))
                elif isinstance(value, dict):
                    for text in value.values():
                        page.type(str(text))
                        page.press("Enter")  # to the field that is empty, and after the last one the answer
                else:
                    page.type("#")
                    page.press("Enter")
                    page.until("document.getElementById('fault').innerText.includes('Invalid answer format')")
                    page.press("Backspace")
                    page.type(str(value))
                    page.press("Enter")
                page.until(f"state.question?.number !== {number}")
            ended(page)
            assert fits()
            assert {answer.item for answer in ParticipantStore(folder).answers()} == {item.card.id for item in study.items}
            page.open(served.admin)
            page.until("document.querySelectorAll('table').length >= 2")
            assert fits()
            words = page.js("document.getElementById('main').innerText")
            assert ada.code[:4] in words
            assert "11 of 11" in words
            assert "100%" in words
        return ada.code[:4]

    @pytest.mark.slow
    def test_a_code_that_is_mistyped_is_told_and_another_device_goes_on(self, by_hand: Path, tmp_path: Path) -> None:
        folder = tmp_path / "study"
        with serving(by_hand, folder, *CHOICES, "--invited") as served, driven.opened(tmp_path / "a") as page:
            code = done("study", "codes", folder).out.strip()
            page.open(served.url)
            page.until("document.activeElement.id === 'code'")
            page.press("Enter")
            page.until("document.getElementById('fault').innerText.includes('participant code is required')")
            page.type("AAAA-BBBB-CCCC")
            page.press("Enter")
            page.until("document.getElementById('fault').innerText.includes('Unknown participant code')")
            page.js("document.getElementById('code').value = ''")
            page.type(code.lower().replace("-", " \N{EN DASH} "))
            page.press("Enter")
            ada = Person(page)
            ada.press()
            with driven.opened(tmp_path / "b") as other:
                other.open(served.url)
                other.until("document.activeElement.id === 'code'")
                other.type(code)
                other.press("Enter")
                again = Person(other)
                again.go_on()
                assert again.number == 1

    @pytest.mark.slow
    def test_the_pages_fit_a_desk(self, by_hand: Path, tmp_path: Path) -> None:
        self.every_kind(by_hand, tmp_path, (1280, 900))


def test_a_port_that_is_taken_is_told_in_one_line(by_hand: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused(isovist("study", "serve", by_hand, *CHOICES, "--out", tmp_path / "other", "--port", port), "--port")
    assert not (tmp_path / "other").exists()


def test_listening_elsewhere_is_told_with_what_it_means(by_hand: Path, tmp_path: Path) -> None:
    with started("study", "serve", by_hand, *CHOICES, "--out", tmp_path / "study", "--port", 0, "--host", "0.0.0.0") as process:
        assert process.stderr
        line = process.stderr.readline()
        assert (
            "with --host 0.0.0.0, anyone on the network can open the page and take part, and the connection is not encrypted (no TLS)"
            in line
        )
        process.kill()
