"""The gallery: a section for every task there is, with what it asks, samples whose pictures decode, and their keys."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import browser
import pytest
from PIL import Image
from workbench import contents, done

from isovist.core.answers import LETTERS, Choice
from isovist.core.task import Exemption
from isovist.data.item import item as regenerate
from isovist.reporting.reports.gallery import gallery
from isovist.suites import registry

TASKS = registry.tasks()
SAMPLES = 1
SHOWN = (
    *("cdr/spatial-direction-icon", "cospace/counting", "cospace/planning", "dori/compound-rotation", "srbench/paper-folding"),
    *("perceptv/circle-location", "perceptv/colours-present", "perceptv/grid-path", "perceptv/list-colours", "perceptv/vanishing-objects"),
)
"""Tasks of each suite, and of kinds of answers that are shown in different ways."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("gallery") / "all"
    assert done("gallery", "--samples", SAMPLES, "--out", out).out == f"{out / 'index.html'}\n"
    return out


@cache
def sections(folder: Path) -> dict[str, str]:
    """The part of the page on each task, by the anchor of its heading."""
    text = (folder / "index.html").read_text(encoding="utf-8")
    matches = re.findall(r'<h2 id="([^"]+)">(.*?)(?=<h2 |</main>)', text, re.DOTALL)
    assert len(dict(matches)) == len(matches)
    return dict(matches)


def samples(section: str) -> list[tuple[str, str]]:
    """Each sample of a section, with its id."""
    return re.findall(r'<div class="sample">(.*?)<p class="id">(.*?)</p>', section, re.DOTALL)


def plain(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", markup))


def test_every_task_has_a_section_and_a_way_to_it(folder: Path) -> None:
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert set(sections(folder)) == {id.replace("/", "-") for id in TASKS}
    assert re.findall(r'href="#([^"]+)"', text) == list(sections(folder))
    assert f"{len(TASKS)} tasks, each with {SAMPLES} items and their keys" in plain(text)


@pytest.mark.parametrize("id", TASKS)
def test_a_section_tells_what_the_task_is(folder: Path, id: str) -> None:
    task, section = TASKS[id], sections(folder)[id.replace("/", "-")]
    cells = dict(re.findall(r"<th>(.*?)</th><td[^>]*>(.*?)</td>", section, re.DOTALL))
    assert section.startswith(f"{id}</h2>")
    assert task.summary in plain(section)
    assert cells["Version"] == str(task.version)
    assert cells["Answer"] == task.answers.type
    assert cells["Chance"] == f"{100 * task.answers.mean_chance:.1f}%"
    assert cells["Colour vision"] == task.images.colour_vision
    assert cells["Skills"] == ", ".join(task.skills) != ""
    assert cells["Levels"] == ", ".join(task.levels)
    assert plain(cells["Source"]) == (task.paper.source or "-")
    for name, setting in task.all_settings.items():
        assert f"{name}={setting.default} {setting.help}" in plain(cells["Settings"])
    for split, preset in task.paper.sizes.items():
        assert f"{split}: {preset.n:,} questions" in plain(cells["Paper sizes"])
    excuses = re.findall(r"<th>Audit exemption</th><td[^>]*>(.*?)</td>", section, re.DOTALL)
    assert [plain(excuse) for excuse in excuses] == [f"{name}: {exemption.reason}" for name, exemption in task.checks.exemptions.items()]


@pytest.mark.parametrize("id", SHOWN)
def test_samples_are_items_with_their_pictures_and_their_keys(folder: Path, id: str) -> None:
    shown = samples(sections(folder)[id.replace("/", "-")])
    assert len({name for _, name in shown}) == SAMPLES
    for inside, name in shown:
        item = regenerate(name)
        assert item.task.id == id
        sources = re.findall(r'<img [^>]*src="([^"]+)"', inside)
        assert len(sources) == len(item.images)
        for source, image in zip(sources, item.images, strict=True):
            with Image.open(folder / source) as opened:
                assert opened.format == "PNG"
                assert (opened.size, opened.convert("RGB").tobytes()) == (image.size, image.tobytes())
        assert item.question.text in plain(inside)
        assert item.reasoning is None or item.reasoning in plain(inside)
        if isinstance(item.answer, Choice):
            options = re.findall(r"<li( class=\"key-option\")?>(.*?)</li>", inside)
            assert [plain(words) for _, words in options] == [
                f"{letter}. {option}" for letter, option in zip(LETTERS, item.answer.options, strict=False)
            ]
            assert [mark != "" for mark, _ in options].index(True) == item.answer.truth
            assert sum(mark != "" for mark, _ in options) == 1
        else:
            assert f"Key: {item.answer.canonical()}" in plain(inside)


def test_the_page_and_its_pictures_are_all_there_is(folder: Path) -> None:
    text = (folder / "index.html").read_text(encoding="utf-8")
    sources = re.findall(r'(?:src|href)="([^"#]+)"', text)
    assert set(contents(folder)) == {"index.html", *(source for source in sources if not source.startswith("data:"))}
    assert "<script" not in text
    assert "url(" not in text


def test_only_the_named_tasks_are_shown(tmp_path: Path) -> None:
    done("gallery", "cdr/*-number", "--samples", 1, "--out", tmp_path)
    named = {id.replace("/", "-") for id in TASKS if id.endswith("-number")}
    assert set(sections(tmp_path)) == named
    assert {Path(name).name.partition("-standard-")[0] for name in contents(tmp_path) if name != "index.html"} == named
    assert all(len(samples(section)) == 1 for section in sections(tmp_path).values())


def test_the_same_gallery_is_the_same(folder: Path, tmp_path: Path) -> None:
    id = next(iter(TASKS))
    done("gallery", id, "--samples", SAMPLES, "--out", tmp_path)
    again, before = contents(tmp_path), contents(folder)
    pictures = [name for name in again if name != "index.html"]
    assert pictures
    assert {name: again[name] for name in pictures} == {name: before[name] for name in pictures}


def test_words_of_a_task_are_never_taken_for_markup(tmp_path: Path) -> None:
    """Tasks come from other packages, too."""
    words = "<script>alert(1)</script> & 'more'"
    first = next(iter(TASKS.values()))
    task = replace(first, summary=words, checks=replace(first.checks, exemptions={"words": Exemption(words, 1.0)}), skills=(words,))
    text = gallery([task], tmp_path, 1).read_text(encoding="utf-8")
    assert "<script" not in text
    assert plain(text).count(words) == 3


@pytest.mark.browser
@pytest.mark.skipif(browser.FOUND is None, reason="needs Chromium")
@pytest.mark.parametrize("size", [(1280, 900), (500, 900)], ids=["desk", "hand"])
def test_the_page_fits_its_window_and_says_nothing_on_the_console(folder: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    layout, console = browser.layout(folder / "index.html", size, tmp_path)
    assert layout["images"] >= SAMPLES * len(TASKS)
    assert (layout["sticks_out"], layout["boxes"], layout["broken"], console) == (0, [], [], [])


def test_of_many_levels_the_first_the_middle_and_the_last_are_shown(tmp_path: Path) -> None:
    done("gallery", "perceptv/mirror-image", "--samples", 6, "--out", tmp_path / "g")
    (section,) = sections(tmp_path / "g").values()
    assert [name.split(":")[2] for _, name in samples(section)] == ["1", "1", "10", "10", "20", "20"]
