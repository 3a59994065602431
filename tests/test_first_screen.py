"""The first screen of a report and its figures as files: what they say is what the records say."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import fromstring

import browser
import numpy as np
import pytest
from conftest import TASKS, N
from recount import lines_of, page, told
from workbench import done, write_records

from isovist.reporting.reports.figures import overview, task_plots
from isovist.reporting.reports.figures.svg import add, canvas, run_mark, text, written
from isovist.reporting.reports.figures.text_to_paths import convert_text_to_paths
from isovist.suites.abilities import NAMES, ability_of

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def runs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("first")
    for name in ("random", "constant:B", "oracle"):
        done("run", "--data", data, "--model", f"simulated/{name}", "--out", home / name.partition(":")[0])
    return home


@pytest.fixture(scope="module")
def report(runs: Path) -> Path:
    done("report", runs / "random", runs / "constant", "--no-item-browser", "--out", runs / "report")
    return runs / "report"


# Words -------------------------------------------------------------------------------------------------------------


def test_the_first_words_are_findings_or_that_there_is_none(report: Path, runs: Path) -> None:
    first = page(report).words.partition("by task, lowest first")[0]
    sentences = [line["sentence"] for line in lines_of(report, "findings.csv") if line["run"] == "simulated/constant:B"]
    assert any("B" in sentence for sentence in sentences)
    for sentence in sentences:
        assert sentence in first
    done("report", runs / "oracle", "--no-item-browser", "--out", runs / "all-right")
    assert not lines_of(runs / "all-right", "findings.csv")
    assert f"No significant findings in {N * len(TASKS)} items (3 tasks). Tested: " in page(runs / "all-right").words


def test_without_a_verdict_nothing_is_claimed(runs: Path, tmp_path: Path, copied: Callable[[Path], Path]) -> None:
    run = copied(runs / "random")
    write_records(run, [])
    done("report", run, "--no-item-browser", "--out", tmp_path / "report")
    assert "No item is scored, so no finding can be tested." in page(tmp_path / "report").words
    assert not (tmp_path / "report" / "figures" / "overview.svg").exists()


# The figure --------------------------------------------------------------------------------------------------------


def test_the_figure_has_the_weakest_first_and_its_table_the_numbers(report: Path, runs: Path, data: Path) -> None:
    rows = list(csv.DictReader((report / "figures" / "overview.csv").read_text().splitlines()))
    assert len(rows) == 2 * len(TASKS)
    for name, run in (("simulated/random", runs / "random"), ("simulated/constant:B", runs / "constant")):
        expected = told(run, data)
        for row in (row for row in rows if row["run"] == name):
            tally = expected[row["task"]]
            low, high = ((share - tally.chance) / (1 - tally.chance) for share in tally.wilson)
            assert [float(row[column]) for column in ("chance_corrected", "ci_low", "ci_high")] == pytest.approx(
                [tally.above, low, high], abs=1e-5
            )
            assert bool(int(row["significantly_above_chance"])) == (tally.within(1 - 0.05 / len(TASKS))[0] > tally.chance)
    heights = [
        (NAMES.index(ability_of(task)), sum(float(row["chance_corrected"]) for row in rows if row["task"] == task))
        for task in dict.fromkeys(row["task"] for row in rows)
    ]
    assert heights == sorted(heights)


def test_a_dot_is_hollow_where_a_run_cannot_be_told_from_a_guesser(report: Path, runs: Path) -> None:
    done("report", runs / "oracle", runs / "random", "--no-item-browser", "--out", runs / "two")
    drawn = fromstring((runs / "two" / "figures" / "overview.svg").read_text().partition("\n")[2])
    marks = (mark for shape in ("circle", "rect") for mark in drawn.iter(f"{SVG}{shape}") if len(mark))
    fills = {mark[0].text or "": mark.get("fill") for mark in marks}
    assert len(fills) == 2 * len(TASKS)
    for words, fill in fills.items():
        assert (fill == "#ffffff") == ("not significantly above chance" in words), words
        assert words.startswith("simulated/oracle") == (fill != "#ffffff")


# Files -------------------------------------------------------------------------------------------------------------


def test_every_figure_is_a_file_that_needs_nothing_and_names_its_table(report: Path) -> None:
    section = (report / "index.html").read_text().partition("Figure files</h3>")[2].partition("</ul>")[0]
    links = re.findall(r'href="([^"]+)"', section)
    svgs = [link for link in links if link.endswith(".svg")]
    assert sorted(svgs) == sorted(f"figures/{path.name}" for path in (report / "figures").glob("*.svg"))
    assert len(svgs) > 3 * len(TASKS)
    for link in links:
        assert (report / link).stat().st_size > 0, link
    for link in svgs:
        root = fromstring((report / link).read_text().partition("\n")[2])
        assert [rect.get("fill") for rect in root.findall(f"{SVG}rect")][:1] == ["#ffffff"], link
        known = {element.get("id") for element in root.iter() if element.get("id")}
        for node in root.iter():
            assert node.tag not in (f"{SVG}image", f"{SVG}script", f"{SVG}text"), (link, node.text)
            if target := node.get("href"):
                assert target[:1] == "#"
                assert target[1:] in known


def test_words_become_outlines_and_stay_words_where_the_font_lacks_a_letter() -> None:
    svg = canvas(100, 60, "Test")
    text(svg, 10, 20, "50 % → é", 12)
    text(svg, 10, 40, "left <b>", 12, "end", font_weight="600")
    add(svg, "rect", x=1, y=1, width=3, height=3)
    root = fromstring(convert_text_to_paths(written(svg), [("a & b", run_mark(0))]).partition("\n")[2])
    assert [element.text for element in root.iter(f"{SVG}text")] == ["50 % → é"]
    assert [element.get("aria-label") for element in root.iter(f"{SVG}g")] == ["left <b>", "a & b"]
    assert len(list(root.iter(f"{SVG}use"))) == len("left<b>") + len("a&b")
    assert float(root.get("height", "0")) > 60


@pytest.mark.browser
@pytest.mark.skipif(browser.FOUND is None, reason="needs Chromium")
def test_outlines_stand_where_the_words_stood(tmp_path: Path) -> None:
    svg = canvas(300, 80, "Test")
    for x, anchor in ((10, "start"), (150, "middle"), (290, "end")):
        text(svg, x, 50, "Hxg10", 24, anchor)
    boxes: list[list[float]] = []
    for name, words in (("words", written(svg)), ("drawn", convert_text_to_paths(written(svg)))):
        (tmp_path / f"{name}.svg").write_text(words)
        pixels, _ = browser.screenshot(tmp_path / f"{name}.svg", (500, 600), tmp_path / name)
        for left in (0, 100, 200):
            ys, xs = np.nonzero(pixels[:, left : left + 100].min(axis=2) < 128)
            boxes.append([xs.mean(), ys.mean(), xs.max() - xs.min(), ys.max() - ys.min()])
    # another font, so that letters differ by a few pixels
    assert np.abs(np.array(boxes[:3]) - boxes[3:]).max() < 9


def test_every_figure_is_drawn_once_for_the_page_and_its_file(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    for module, name in ((task_plots, "confusion"), (task_plots, "position"), (task_plots, "forest"), (overview, "figure")):
        before = getattr(module, name)

        def counted(*args: object, before: Callable[..., str] = before, name: str = name, **more: object) -> str:
            drawn.append(name)
            return before(*args, **more)

        monkeypatch.setattr(module, name, counted)
    done("report", runs / "random", "--no-item-browser", "--out", tmp_path)
    html = (tmp_path / "index.html").read_text()
    matrices = len(list((tmp_path / "figures").glob("confusion-*.svg")))
    assert matrices == html.count("Rows: keys. Columns: answers.") >= 2
    of_overview = 2  # for a screen, and for a phone
    assert Counter(drawn) == {"confusion": matrices, "position": len(TASKS), "forest": 1, "figure": of_overview}
    # each stands in the page as well; that for a phone stands there alone
    assert html.count("<svg") - html.count('<svg class="mark"') == 1 + len(list((tmp_path / "figures").glob("*.svg")))


# Contents ----------------------------------------------------------------------------------------------------------


def test_the_contents_list_headings_without_a_name_and_lead_to_them(report: Path) -> None:
    html = (report / "index.html").read_text()
    listed = re.findall(r'<a href="#(on-[^"]+)">([^<]+)</a>', html.partition('id="contents"')[2].partition("</nav>")[0])
    assert {"Accuracy", "Evaluation settings", "Results by task"} <= {words for _, words in listed}
    for name, words in listed:
        assert f'<h3 id="{name}">{words}</h3>' in html
