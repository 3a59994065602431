"""How a study's page lays out questions, and what can be tapped, in Chromium."""

from __future__ import annotations

from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import driven
import pytest
import study_data
from study_people import Person, needs_browser, serving

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from isovist.core.answers import Choice, JointAnswer
from isovist.data.dataset.external_rows import digest, row
from isovist.data.importers.pipeline import NewDataFolder
from isovist.people.study.participants import ParticipantStore

WAYS = ("Turn left, then go ahead", "Turn right, then go ahead")
LONG = "You stand where the pictures were taken. Picture 1 looks north, picture 2 looks east. " * 6


@pytest.fixture
def joint(tmp_path: Path) -> Path:
    """Data with two items of two pictures, a long question and a joint answer of two choices."""
    folder = tmp_path / "data"
    folder.mkdir()
    data = NewDataFolder(folder)
    for i in range(2):
        images = (study_data.picture(2 * i), study_data.picture(2 * i + 1))
        shown = digest(images[0])
        answer = JointAnswer((("where", Choice(study_data.WHERE, i)), ("way", Choice(WAYS, 1))))
        data.add(row("by-hand/joint", i, LONG, answer, images, {"scene": {}}, shown=shown, group=f"by-hand/joint:{shown}"))
    data.finish({})
    return folder


def against_the_key(by_hand: Path, folder: Path, pictures: Path) -> str:
    """Three people who give the same wrong answer to the first item of a study, and one who stopped hours ago; the item's key."""
    people = ParticipantStore(folder)
    study = study_data.study_of(by_hand, pictures, tasks=("by-hand/choice",), per_task=2, practice=1)
    answer = study.items[0].card.answer
    assert isinstance(answer, Choice)
    for _ in range(3):
        people.put(study_data.joined(people), study.items[0].card.id, answer.wrong_answers()[0], 2.0, 0, practice=False)
    early = study_data.joined(people)
    with people._file.open() as db:
        db.execute("update people set agreed = ? where id = ?", ((datetime.now(UTC) - timedelta(hours=5)).isoformat(), early.id))
    return f"{answer.canonical()}. {answer.balance_bin()}"


def box(page: driven.Page, selector: str) -> dict[str, float]:
    return page.js(
        f"(() => {{ const {{x, y, width, right}} = document.querySelector({selector!r}).getBoundingClientRect(); return {{x, y, width, right}}; }})()"
    )


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Generator[driven.Page]:
    """One browser for all tests; each has a server and so an address of its own."""
    with driven.opened(tmp_path_factory.mktemp("browser") / "home") as page:
        yield page


@pytest.fixture
def page(tab: driven.Page) -> driven.Page:
    """The tab as a new one is."""
    tab.send("Page.navigate", url="about:blank")  # what was there would say that its server is gone
    tab.js("0")
    tab.console.clear()
    tab.received.clear()
    tab.send("Emulation.clearDeviceMetricsOverride")
    tab.send("Emulation.setTouchEmulationEnabled", enabled=False)
    return tab


class TestLayout:
    pytestmark = needs_browser

    def test_a_joint_answer_is_tapped_beside_numbered_pictures(self, page: driven.Page, joint: Path, tmp_path: Path) -> None:
        folder = tmp_path / "study"
        with serving(joint, folder, "--per-task", 1, "--practice", 1) as served:
            ada = Person(page)
            ada.begin(served.url)
            for taps in (("D. West", WAYS[0]), ("A. North", "B. " + WAYS[1])):  # practice, and the one that counts
                ada.go_on()
                assert page.js("[...document.querySelectorAll('figcaption')].map((it) => it.textContent)") == ["1", "2"]
                assert page.js("document.querySelector('.text').textContent").strip() == LONG.strip()  # options stand at their fields
                assert box(page, "#question > .pictures")["right"] <= box(page, "#question > .text")["x"]
                for which, words in enumerate(taps):
                    page.js(
                        f"[...document.querySelectorAll('.words')[{which}].querySelectorAll('button')]"
                        f".find((it) => it.textContent.endsWith({words!r})).click()"
                    )
                number = ada.number
                page.js("document.querySelector('form.answer').requestSubmit()")
                page.until(f"state.question?.number !== {number} || document.getElementById('feedback')?.id")
                if number == 0:
                    feedback = page.js("document.getElementById('feedback').innerText")
                    assert feedback.startswith(f"Incorrect. The answer is: where: B. East; way: B. {WAYS[1]}")
            page.until("document.getElementById('main').innerText.includes('Thank you')")
            (answer,) = ParticipantStore(folder).answers()
            assert answer.reply == '{"where": "A", "way": "B"}'

    def test_practice_marks_what_is_right_and_what_was_taken(self, page: driven.Page, by_hand: Path, tmp_path: Path) -> None:
        folder, choices = tmp_path / "study", ("--tasks", "by-hand/choice", "--per-task", 1, "--practice", 1)
        with serving(by_hand, folder, *choices) as served:
            page.send("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
            page.send("Emulation.setTouchEmulationEnabled", enabled=True)
            ada = Person(page)
            page.open(served.url)
            page.until("!!document.getElementById('code')")
            assert page.js("document.activeElement.id") != "code"  # no keyboard comes up over the words
            page.js("document.querySelector('form').requestSubmit()")
            page.until("document.getElementById('made')?.innerText")
            page.press("Enter")
            ada.go_on()
            before = box(page, ".pictures img")["width"]
            page.js("document.querySelector('.pictures').click()")
            assert box(page, ".pictures img")["width"] > 1.9 * before
            assert page.js("document.documentElement.scrollWidth") == 390
            page.js("document.querySelector('.choices button:nth-child(4)').click()")  # West; the key of the practice item is East
            page.until("document.getElementById('feedback')?.id")
            marked = "[...document.querySelectorAll('.choices button')].map((it) => [it.lastChild.textContent, ['mistaken', 'right'].filter((name) => it.classList.contains(name)).join()])"
            assert page.js(marked) == [["North", ""], ["East", "right"], ["South", ""], ["West", "mistaken"]]

    def test_all_options_are_seen_at_once_in_a_low_window(self, page: driven.Page, by_hand: Path, tmp_path: Path) -> None:
        folder, choices = tmp_path / "study", ("--tasks", "by-hand/choice", "--per-task", 1, "--practice", 1)
        with serving(by_hand, folder, *choices) as served:
            page.send("Emulation.setDeviceMetricsOverride", width=1024, height=360, deviceScaleFactor=1, mobile=False)
            ada = Person(page)
            ada.begin(served.url)
            ada.go_on()
            # beside its picture; below it the options would begin under the window's edge
            assert box(page, "#question > .pictures")["right"] <= box(page, ".choices")["x"]
            lowest = "Math.max(...[...document.querySelectorAll('.choices button')].map((it) => it.getBoundingClientRect().bottom))"
            assert page.js(lowest) <= 360
            page.send("Emulation.setDeviceMetricsOverride", width=1024, height=900, deviceScaleFactor=1, mobile=False)
            page.send("Page.reload")
            ada.go_on()
            assert box(page, ".choices")["y"] > box(page, "#question > .pictures")["y"]
            assert not page.js("document.getElementById('question').classList.contains('beside')")
            assert not page.js("document.getElementById('pause').hidden")
            ada.press()
            page.until("document.getElementById('feedback')?.id")
            assert page.js("document.getElementById('pause').hidden")  # nothing runs meanwhile

    def test_a_pause_tells_the_code_again_to_those_who_ask(self, page: driven.Page, by_hand: Path, tmp_path: Path) -> None:
        folder, choices = tmp_path / "study", ("--tasks", "by-hand/choice", "--per-task", 1, "--practice", 1)
        with serving(by_hand, folder, *choices) as served:
            ada = Person(page)
            ada.begin(served.url)
            ada.go_on()
            page.press("Escape")
            page.until("document.getElementById('main').innerText.includes('Pause')")
            assert ada.code not in page.js("document.body.innerText")  # others may come by
            page.js("[...document.querySelectorAll('button')].find((it) => it.innerText === 'Show my code').click()")
            assert page.js("document.querySelector('.code').innerText") == ada.code

    @pytest.mark.parametrize("size", [(1280, 900), (390, 844)], ids=["desk", "hand"])
    def test_those_who_run_a_study_see_who_has_stopped_and_the_picture_of_an_odd_item(
        self, page: driven.Page, by_hand: Path, tmp_path: Path, size: tuple[int, int]
    ) -> None:
        pytest.importorskip("krippendorff")
        folder, choices = tmp_path / "study", ("--tasks", "by-hand/choice", "--per-task", 2, "--practice", 1)
        with serving(by_hand, folder, *choices) as served:
            page.send("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=size[0] < 500)
            key = against_the_key(by_hand, folder, tmp_path / "pictures")
            page.open(served.admin)
            page.until("document.querySelectorAll('table').length === 3")
            assert page.js("[...document.querySelectorAll('.glance > div')].map((it) => it.innerText.split('\\n'))") == [
                ["0", "done"], ["3", "at work"], ["1", "stopped"], ["0", "not begun"], ["1", "flagged items"],
                ["\N{EN DASH}", "median time for all items"],
            ]  # fmt: skip
            assert page.js("[...document.querySelectorAll('.stopped')].map((it) => it.innerText)") == ["stopped for 5 h"]
            page.js("document.querySelector('img.small').scrollIntoView()")
            page.until("document.querySelector('img.small').naturalWidth > 0")
            assert "most answers contradict the key" in page.js("document.getElementById('main').innerText")
            page.js("[...document.querySelectorAll('td button')].find((it) => it.innerText === 'look').click()")
            page.until("document.querySelector('.looked img')?.naturalWidth")
            words = page.js("document.querySelector('.looked').innerText")
            assert f"Key: {key}" in words
            assert ": 3 x" in words
            assert page.js("document.documentElement.scrollWidth") <= size[0]
            assert page.console == []
