"""Somebody sorts generated pictures on the page in Chromium: one key a picture, and the server is killed in between."""

from __future__ import annotations

from pathlib import Path

import browser
import driven
import pytest
from generated_images import Brush, writes
from scripted import serving as writer_serving
from test_annotate_page import heading, serving
from workbench import done, isovist, stored

from isovist.people.annotate.answer_store import ANSWERS, Store
from isovist.people.text_to_image import image_generation, model_presets

pytest.importorskip("aiohttp")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

pytestmark = [pytest.mark.browser, pytest.mark.skipif(browser.FOUND is None, reason="needs Chromium")]

CELLS = """[...document.querySelectorAll(".choices button")].map((button) => {
  const box = button.getBoundingClientRect();
  return [button.querySelector("kbd").textContent, Math.round(box.left), Math.round(box.top)];
})"""


@pytest.fixture
def painted(tmp_path: Path) -> Path:
    """A folder with six pictures."""
    folder = tmp_path / "painted"
    with writer_serving(writes()) as server:
        assert isovist("text-to-image", "describe", "--model", "m", "--base-url", server.url, "--n", 6, "--out", folder).code == 0
    settings = model_presets.settings("flux", size=64)
    image_generation.draw(folder, settings, lambda: Brush(settings))
    return folder


def test_pictures_are_sorted_with_one_key_each_through_a_kill(painted: Path, tmp_path: Path) -> None:
    def given() -> list[str]:
        return [one.value for one in Store(painted / ANSWERS).given("Ada")]

    with driven.opened(tmp_path / "home") as page:
        with serving(painted) as address:
            page.open(f"{address}#Ada")
            page.until(heading("1 / 6"))
            page.until("[...document.images].every(i => i.complete && i.naturalWidth === 64)")
            shown = {key: (x, y) for key, x, y in page.js(CELLS)}
            columns, rows = sorted({x for x, _ in shown.values()}), sorted({y for _, y in shown.values()})
            assert {key: (columns.index(x), rows.index(y)) for key, (x, y) in shown.items()} == {
                "7": (0, 0), "8": (1, 0), "9": (2, 0), "4": (0, 1), "x": (1, 1), "6": (2, 1), "1": (0, 2), "2": (1, 2), "3": (2, 2),
            }  # fmt: skip
            page.press("4")
            page.until(heading("2 / 6"))
            page.press("5")  # nothing points there
            page.press("x")
            page.until(heading("3 / 6"))
            assert given() == ["left", "reject"]
        with serving(painted, port=address.rsplit(":", 1)[1].strip("/")):
            page.press("9")
            page.until(heading("4 / 6"))
            page.press("2")
            page.until(heading("5 / 6"))
            page.press("ArrowLeft")
            page.until(heading("4 / 6"))
            assert page.js("document.querySelector('.chosen').innerText").split() == ["2", "Toward", "you"]
            page.press("3")  # changed
            page.until(heading("5 / 6"))
            page.press("8")
            page.until(heading("6 / 6"))
            page.press("x")
            page.until(heading("All answered"))
            assert page.js("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert sorted(given()) == sorted(["left", "reject", "away-right", "towards-right", "away", "reject"])

    ended = done("text-to-image", "questions", painted, "--out", tmp_path / "data")
    assert "4 of 6 annotated images accepted" in ended.out
    facings = {one.card: one.value for one in Store(painted / ANSWERS).given()}
    for row in stored(tmp_path / "data"):
        (one,) = (picture for picture in image_generation.read(painted) if (painted / picture.file).read_bytes() == row.images[0])
        assert row.metadata.attributes["facing"] == facings[one.card]


@pytest.mark.parametrize("size", [(1280, 900), (360, 800)], ids=["desk", "hand"])
def test_the_keypad_fits_its_window(painted: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    with driven.opened(tmp_path / "home", size) as page, serving(painted) as address:
        page.open(f"{address}#Ada")
        page.until(heading("1 / 6"))
        assert page.js("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert page.js('[...document.querySelectorAll(".choices button")].every((button) => button.scrollWidth <= button.clientWidth)')
