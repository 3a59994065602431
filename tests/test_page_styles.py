"""The colours of the pages: one list for all of them, with enough contrast for text in light and dark."""

from __future__ import annotations

import re
from pathlib import Path

import browser
import driven
import pytest
from workbench import done

import isovist
from isovist.reporting.reports.html import resource

PACKAGE = Path(isovist.__file__).parent
COLOURS = re.compile(r"--([a-z-]+): (#[0-9a-f]{6});")
LIGHT, DARK = (dict(COLOURS.findall(part)) for part in resource("tokens.css").split("@media"))
TEXT = ("ink", "soft", "link", "right", "wrong", "open")
GROUNDS = ("paper", "wash", "pick")
PAIRS = [
    *((text, ground) for text in TEXT for ground in GROUNDS),
    *((text, ground) for text in ("ink", "soft") for ground in ("right-wash", "wrong-wash")),
    ("ink", "mark"), ("on-act", "act"), ("on-act", "act-over"), ("paper", "wrong"),
]  # fmt: skip


def luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(a: str, b: str) -> float:
    """The ratio of WCAG 2."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read_on_every_ground(colours: dict[str, str]) -> None:
    assert set(LIGHT) == set(DARK)
    weak = {pair: round(ratio, 2) for pair in PAIRS if (ratio := contrast(colours[pair[0]], colours[pair[1]])) < 4.5}
    assert not weak


def test_borders_of_fields_and_buttons_are_seen() -> None:
    for colours in (LIGHT, DARK):
        assert contrast(colours["edge"], colours["paper"]) >= 3


def test_the_colours_are_listed_once_and_every_variable_is_one_of_them() -> None:
    sheets = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.css")}
    assert len(sheets) >= 5
    assert [path.name for path, text in sheets.items() if ":root" in text] == ["tokens.css"]
    named = {name for text in sheets.values() for name in re.findall(r"var\(--([a-z-]+)", text)}
    assert named - {"strength"} <= {*LIGHT, "sans", "mono"}


def test_every_page_has_the_colours(tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    from isovist.people.annotate.web_app import STYLE

    assert STYLE[0] == "isovist.reporting.reports:tokens.css"
    done("gallery", "cdr/compass-direction-icon", "--samples", 1, "--out", tmp_path / "gallery")
    assert resource("tokens.css").strip() in (tmp_path / "gallery" / "index.html").read_text(encoding="utf-8")


@pytest.mark.browser
@pytest.mark.skipif(browser.FOUND is None, reason="needs Chromium")
def test_what_goes_on_to_the_right_is_shown_and_reached_by_keyboard(tmp_path: Path) -> None:
    done("run", "cdr/relative-*-letter", "--n", 12, "--model", "simulated/random", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report")
    boxes = "[...document.querySelectorAll('.scroll')].filter((it) => it.scrollWidth > it.clientWidth + 2)"
    with driven.opened(tmp_path / "home", (700, 900)) as page:
        page.send("Emulation.setDeviceMetricsOverride", width=390, height=900, deviceScaleFactor=1, mobile=False)
        page.open((tmp_path / "report" / "index.html").as_uri())
        page.until("document.readyState === 'complete'")
        page.js("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
        page.until(f"{boxes}.length > 2 && {boxes}.every((it) => it.classList.contains('cut'))")
        assert page.js(f"{boxes}.filter((it) => it.tabIndex < 0 && !it.querySelector('a, button')).length") == 0
        page.js(f"{boxes}[0].scrollLeft = 1e6")
        page.until(f"!{boxes}[0].classList.contains('cut')")
        assert page.js("document.documentElement.scrollWidth") == 390
        assert page.console == []
