"""The page of every item: it tells what the records tell, opens from a disk, and takes nothing that a model said for markup."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode

import browser
import driven
import numpy as np
import pyarrow.parquet as pq
import pytest
from conftest import TASKS, N
from PIL import Image
from workbench import contents, done, isovist, records, write_records

from isovist.common.canary import unmarked

LETTERS = "cdr/relative-compass-letter"
HOSTILE = (
    '<script>document.title="taken"</script>',
    '"\'><img src=x onerror="document.title=`taken`">',
    "null \0 byte and \x1b[31m escape",
    "\u202eright to left\u2066 and \u05d0\u05d1",
    "*/ ]); isovist.index = 0; // \u2028 </script>",
    "${document.title='taken'} {{ 7 * 7 }}",
)
THOUGHTFUL = "\U0001f642 The letters {0} and C are both near.\n\n**Answer: {0}**\n"
"""A reply that names its answer twice, after a character that JavaScript counts as two."""
in_chromium = pytest.mark.skipif(browser.FOUND is None, reason="needs Chromium")


@pytest.fixture(scope="module")
def hostile(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose first replies are attacks on a page."""
    run = tmp_path_factory.mktemp("hostile") / "run"
    done("run", "--data", data, "--model", "simulated/random", "--out", run)
    run_records = records(run)
    for record, reply in zip(run_records, HOSTILE, strict=False):
        record |= {"response": reply, "outcome": "unparsed", "parsed_answer": None, "credit": 0.0}
    thoughtful = run_records[8]
    thoughtful |= {"response": THOUGHTFUL.format(thoughtful["parsed_answer"])}
    write_records(run, [*run_records[:6], *run_records[7:]])
    return run


@pytest.fixture(scope="module")
def report(hostile: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on two runs, the second without its last three verdicts."""
    home = tmp_path_factory.mktemp("items")
    done("run", "--data", data, "--model", "simulated/pixel-solver", "--out", home / "pixel-solver")
    write_records(home / "pixel-solver", records(home / "pixel-solver")[:-3])
    done("report", hostile, home / "pixel-solver", "--out", home / "report")
    return home / "report"


def handed(path: Path) -> list[Any]:
    """What a data file hands over: its argument as JSON."""
    (arguments,) = re.findall(r"^isovist\.\w+\((.*)\);$", path.read_text(encoding="ascii"), re.MULTILINE)
    return json.loads(f"[{arguments}]")


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Generator[driven.Page]:
    """One browser for all tests; each opens its page anew."""
    with driven.opened(tmp_path_factory.mktemp("browser") / "home") as page:
        yield page


@contextmanager
def opened(report: Path, page: driven.Page, link: str = "", size: tuple[int, int] = (1280, 900)) -> Generator[driven.Page]:
    page.console.clear()
    page.send("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
    page.open(f"{(report / 'items.html').as_uri()}{link}")
    page.until("document.body.dataset.ready === 'yes'")
    yield page
    assert page.console == []
    assert (
        page.js(
            "performance.getEntriesByType('resource').filter(it => !it.name.startsWith('file:') && !it.name.startsWith('data:')).length"
        )
        == 0
    )


def shown(page: driven.Page, words: str) -> str:
    """The item beside the list, once it holds some words."""
    return page.until(
        f"document.getElementById('item').textContent.includes({json.dumps(words)}) && document.getElementById('item').innerText"
    )


def pick(page: driven.Page, label: str, value: str) -> None:
    """Chooses the option that begins so."""
    page.js(
        f"""(() => {{
          const found = [...document.querySelectorAll('#filters label')].find((it) => it.textContent.startsWith({json.dumps(label)}));
          const select = found.querySelector('select');
          select.value = [...select.options].find((it) => it.text.startsWith({json.dumps(value)})).value;
          select.dispatchEvent(new Event('change'));
        }})()"""
    )


COUNT = "document.getElementById('count').textContent"


# Files -------------------------------------------------------------------------------------------------------------


def test_the_files_tell_what_the_records_tell(report: Path, hostile: Path, data: Path) -> None:
    (index,) = handed(report / "items" / "index.js")
    (listed,) = handed(report / "items" / "list-00000.js")
    (chunk, texts) = handed(report / "items" / "text-00000.js")
    assert chunk == 0
    assert index["texts"] == [0]
    assert index["values"]["run"] == ["simulated/random", "simulated/pixel-solver"]
    assert len(listed["ids"]) == len(texts) == 2 * N * len(TASKS)
    rows = {row["id"]: row for task in TASKS for file in (data / task).glob("*.parquet") for row in pq.read_table(file).to_pylist()}
    last = {record["item_id"]: record for record in records(hostile)}
    outcomes: Counter[str] = Counter()
    for place, text in enumerate(texts):
        cells = {name: index["values"][name][listed[name][place]] if listed[name][place] >= 0 else None for name in index["values"]}
        id = cells["task"] + listed["ids"][place]
        row = rows[id]
        assert text["key"] == row["answer"]
        assert text["prompt"] == row["prompt"]
        assert [(report / "items" / "images" / name).read_bytes() for name in text["images"]] == [image["bytes"] for image in row["images"]]
        if row["choices"]:
            assert cells["key"] == row["choices"]["ABCDEFGH".index(row["answer"])]
        if cells["run"] == "simulated/random":
            record = last.get(id)
            assert cells["outcome"] == (record["outcome"] if record else "not presented")
            assert text["response"] == (record["response"] if record else "")
            assert text["parsed_answer"] == (record["parsed_answer"] if record else None)
        outcomes[f"{cells['run']} {cells['outcome']}"] += 1
    assert outcomes["simulated/random not presented"] == 1
    assert outcomes["simulated/pixel-solver not presented"] == 3
    assert outcomes["simulated/pixel-solver correct"] == N * len(TASKS) - 3


def test_a_picture_that_two_runs_show_is_there_once(report: Path, data: Path) -> None:
    images = [
        image["bytes"]
        for task in TASKS
        for file in (data / task).glob("*.parquet")
        for row in pq.read_table(file).to_pylist()
        for image in row["images"]
    ]
    stored = [path.read_bytes() for path in (report / "items" / "images").rglob("*.png")]
    assert len(images) >= len(stored) == len(set(images))
    assert set(stored) == set(images)


def test_the_page_is_left_out_on_demand_and_where_its_data_are_heavy(
    hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from isovist.reporting.reports import item_browser

    done("report", hostile, "--no-item-browser", "--out", tmp_path / "without")
    monkeypatch.setattr(item_browser, "LIGHT", 10)
    ended = done("report", hostile, "--out", tmp_path / "heavy")
    assert "--item-browser to write it" in ended.err
    for folder in ("without", "heavy"):
        assert not [name for name in contents(tmp_path / folder) if name.startswith("items")]
        assert "items.html" not in (tmp_path / folder / "index.html").read_text()
    done("report", hostile, "--item-browser", "--out", tmp_path / "heavy")
    assert (tmp_path / "heavy" / "items" / "index.js").exists()


def test_above_the_largest_number_of_items_the_page_has_a_sample_of_each_task(
    hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from isovist.reporting.reports import samples

    def ids(folder: Path) -> list[str]:
        return json.loads((folder / "items" / "list-00000.js").read_text().removeprefix("isovist.list(").removesuffix(");\n"))["ids"]

    done("report", hostile, "--out", tmp_path / "whole")
    n = len(ids(tmp_path / "whole"))
    assert "sampled_from" not in (tmp_path / "whole" / "items" / "index.js").read_text()
    monkeypatch.setattr(samples, "MOST_BROWSED", n - 2)
    for name in ("sample", "again"):
        done("report", hostile, "--out", tmp_path / name)
    sampled = ids(tmp_path / "sample")
    assert 0 < len(sampled) <= n - 2
    assert set(sampled) < set(ids(tmp_path / "whole"))
    assert sampled == ids(tmp_path / "again")
    assert f'"sampled_from":{n}' in (tmp_path / "sample" / "items" / "index.js").read_text()
    page = (tmp_path / "sample" / "index.html").read_text()
    assert f"a random sample of the {n} items" in page
    assert "every item" not in page
    linked = {unquote(link).partition("#")[2] for link in re.findall(r"items\.html#id=([^&\"]+)", page)}
    assert linked
    assert linked <= {id.partition("#")[2] for id in sampled}


def test_what_was_there_stays_when_the_records_cannot_be_read(hostile: Path, tmp_path: Path, copied: Callable[[Path], Path]) -> None:
    run = copied(hostile)
    done("report", run, "--out", tmp_path / "report")
    before = contents(tmp_path / "report")
    with (run / "records.jsonl").open("a") as file:
        file.write("no record\n")
    assert isovist("report", run, "--out", tmp_path / "report").code == 2
    assert contents(tmp_path / "report") == before


@pytest.fixture(scope="module")
def varied(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with items asked in other ways, and its report."""
    home = tmp_path_factory.mktemp("varied")
    ways = ("--circular-eval", "--no-image", "--mismatched-image", "--compare-prompt-styles", "direct", "--epochs", 2)
    done("run", LETTERS, "--data", data, "--model", "simulated/deficit:left-right,noise=0.3", *ways, "--out", home / "run")
    done("report", home / "run", "--out", home / "report")
    return home


def test_every_way_of_asking_is_there_with_its_own_prompt_pictures_and_reply(varied: Path, data: Path) -> None:
    (index,) = handed(varied / "report" / "items" / "index.js")
    (listed,) = handed(varied / "report" / "items" / "list-00000.js")
    texts = [text for file in sorted((varied / "report" / "items").glob("text-*.js")) for text in handed(file)[1]]
    rows = {row["id"]: row for file in (data / LETTERS).glob("*.parquet") for row in pq.read_table(file).to_pylist()}
    records_by_variant = {(record["item_id"], record["variant"]): record for record in records(varied / "run")}
    assert len(texts) == len(listed["ids"]) == len(records_by_variant) == N * (1 + 7 + 4)
    ways: Counter[str] = Counter()
    for place, text in enumerate(texts):
        cells = {name: index["values"][name][listed[name][place]] if listed[name][place] >= 0 else None for name in index["values"]}
        id = cells["task"] + listed["ids"][place]
        record, row = records_by_variant.pop((id, cells["variant"])), rows[id]
        ways[str(cells["condition"])] += 1
        assert hashed(text["prompt"]) == record["prompt_hash"]
        shown = [(varied / "report" / "items" / "images" / name).read_bytes() for name in text["images"]]
        assert [hashed(unmarked(image)) for image in shown] == record["image_hashes"]
        assert (text["response"], text["parsed_answer"], cells["outcome"]) == (
            record["response"],
            record["parsed_answer"],
            record["outcome"],
        )
        # the letter of the key moves with the options, what it says stays
        assert text["options"]["ABCDEFGH".index(text["key"])] == row["choices"]["ABCDEFGH".index(row["answer"])] == cells["key"]
        if record["parsed_answer"]:
            assert cells["answer"] == text["options"]["ABCDEFGH".index(record["parsed_answer"])]
            meaning = json.loads(row["metadata"])["distractor_types"][row["choices"].index(cells["answer"])].partition("; ")[0]
            assert (cells["distractor_type"] or "") == meaning
    assert not records_by_variant
    assert ways == {
        **dict.fromkeys(("standard", "no image", "image of another item", "prompt style direct", "repeated epochs"), N),
        "rotated options (CircularEval)": 7 * N,
    }


def hashed(content: str | bytes) -> str:
    return sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:16]


# In a browser -------------------------------------------------------------------------------------------------------


@pytest.mark.browser
@in_chromium
def test_hostile_replies_are_shown_as_text(report: Path, hostile: Path, tab: driven.Page) -> None:
    ids = [record["item_id"] for record in records(hostile)]
    with opened(report, tab) as page:
        for id, reply in zip(ids, HOSTILE, strict=False):
            page.js(f"location.hash = {json.dumps('#' + urlencode({'id': id, 'item_run': 'simulated/random'}))}")
            shown(page, id)
            shown_reply = page.until(
                f"document.querySelector('.id').textContent === {json.dumps(id)} && document.querySelector('.results pre').textContent"
            )
            assert shown_reply == reply.replace("\0", "\u2400").replace("\x1b", "\u241b")
        assert page.js("document.title") == "All items of simulated/random, simulated/pixel-solver"
        assert (
            page.js(
                "[...document.querySelectorAll('#item script, #item img[onerror], #list script, #list img:not(.with-image > img)')].length"
            )
            == 0
        )
        assert page.js("[...document.scripts].every((it) => it.src.startsWith('file:'))")


@pytest.mark.browser
@in_chromium
def test_filters_search_and_links(report: Path, hostile: Path, tab: driven.Page) -> None:
    every = 2 * N * len(TASKS)
    wrong = [record["item_id"] for record in records(hostile) if record["outcome"] == "incorrect" and record["item_id"].startswith(LETTERS)]
    with opened(report, tab) as page:
        assert page.js(COUNT) == f"{every} items"
        pick(page, "Model", "simulated/random")
        pick(page, "Task", LETTERS)
        pick(page, "Outcome", f"incorrect ({len(wrong)})")
        assert page.js(COUNT) == f"{len(wrong)} of {every} items"
        assert shown(page, wrong[0])
        link = page.js("location.hash")
        page.js("document.getElementById('clear').click()")
        page.until(f"{COUNT} === '{every} items'")
        page.press("/")
        page.type("onerror")
        page.until(f"{COUNT} === '1 of {every} items'")
        shown(page, "onerror")
        page.press("Escape")
        page.js("document.getElementById('clear').click()")
        page.until(f"{COUNT} === '{every} items'")
        place = "Number(document.querySelector('#rows [aria-selected=true]').getAttribute('aria-rowindex'))"
        first, before = page.js("document.querySelector('.id').textContent"), page.js(place)
        page.press("j")
        page.press("j")
        page.until(f"{place} === {before + 2} && document.querySelector('.id').textContent !== {json.dumps(first)}")
        page.press("k")
        page.press("k")
        page.until(f"{place} === {before} && document.querySelector('.id').textContent === {json.dumps(first)}")
    with opened(report, tab, link) as page:
        assert page.js(COUNT) == f"{len(wrong)} of {every} items"
        assert shown(page, wrong[0])


@pytest.mark.browser
@in_chromium
def test_the_items_behind_a_finding_are_those_that_it_counts(tab: driven.Page, tmp_path: Path) -> None:
    tasks = ("cdr/relative-spatial-letter", "cdr/relative-spatial-number")
    done("run", *tasks, "--n", 40, "--model", "simulated/deficit:left-right,noise=0.3", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--item-browser", "--out", tmp_path / "report")
    html = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    links = [unescape(link) for link in re.findall(r'href="items.html(#run=[^"]*finding=[^"]*)"', html)]
    by_sentence = {parse_qs(link[1:])["finding"][0]: link for link in links}
    (sentence,) = [each for each in by_sentence if each.startswith("Left-right confusion: ")]
    count = int(re.findall(r"confusion: (\d+) of", sentence)[0])
    with opened(tmp_path / "report", tab, by_sentence[sentence]) as page:
        assert page.js(COUNT) == f"{count} of 80 items"
        assert sentence in page.js("document.getElementById('finding').textContent")
        outcomes = "[...new Set(state.found.map((item) => state.index.values.outcome[state.columns.outcome[item]]))]"
        assert page.js(outcomes) == ["incorrect"]
        assert "finding=" in page.js("location.hash")
        page.js("document.getElementById('clear').click()")
        page.until(f"{COUNT} === '80 items'")
        assert page.js("document.getElementById('finding').hidden")


@in_chromium
def test_ways_of_asking_are_filtered_and_linked(varied: Path, tab: driven.Page) -> None:
    replies = {(record["item_id"], record["variant"]): record["response"] for record in records(varied / "run")}
    with opened(varied / "report", tab) as page:
        assert page.js(COUNT) == f"{12 * N} trials"
        assert not page.js("[...document.querySelectorAll('#filters label')].find((it) => it.textContent.startsWith('Model')).offsetHeight")
        pick(page, "Condition", f"no image ({N})")
        assert page.js(COUNT) == f"{N} of {12 * N} trials"
        shown(page, "variant: no image")
        assert page.js("document.querySelectorAll('#item img').length") == 0
        pick(page, "Condition", f"rotated options (CircularEval) ({7 * N})")
        shown(page, "variant: options rotated by 1")
        assert page.js("document.querySelectorAll('#item img').length") == 1
        page.press("j")
        shown(page, "variant: options rotated by 2")
        link, id = page.js("location.hash"), page.js("document.querySelector('.id').textContent")
    with opened(varied / "report", tab, link) as page:
        shown(page, "variant: options rotated by 2")
        assert page.js("document.querySelector('.id').textContent") == id
        assert page.js("document.querySelector('.results pre').textContent") == replies[id, "circular:2"]


@pytest.mark.browser
@in_chromium
@pytest.mark.parametrize("size", [(1280, 900), (390, 844)], ids=["desk", "hand"])
def test_the_page_fits_its_window_and_shows_its_pictures(report: Path, tab: driven.Page, tmp_path: Path, size: tuple[int, int]) -> None:
    with opened(report, tab, size=size) as page:
        page.until(
            "document.querySelectorAll('#item img').length && [...document.querySelectorAll('#item img')].every((it) => it.complete && it.naturalWidth)"
        )
        assert page.js("document.documentElement.scrollWidth <= innerWidth")
        # a list of all items is not drawn whole
        assert page.js("document.querySelectorAll('.row').length") < 2 * N * len(TASKS)
        page.picture(tmp_path / "page.png")
    with Image.open(tmp_path / "page.png") as picture:
        assert len(np.unique(np.asarray(picture.convert("RGB")).reshape(-1, 3), axis=0)) > 50


@pytest.mark.browser
@in_chromium
def test_the_parsed_answer_is_marked_where_it_stands(report: Path, hostile: Path, tab: driven.Page) -> None:
    record = next(record for record in records(hostile) if record["response"].startswith("\U0001f642"))
    link = "#" + urlencode({"id": record["item_id"], "item_run": "simulated/random"})
    with opened(report, tab, link) as page:
        shown(page, record["item_id"])
        marks = "[...document.querySelectorAll('#item mark')].map((it) => [it.textContent, it.previousSibling.textContent])"
        before = THOUGHTFUL.format(record["parsed_answer"]).rpartition(record["parsed_answer"])[0]
        assert page.js(marks) == [[record["parsed_answer"], before]]
        assert page.js("document.querySelector('.results pre').textContent") == record["response"]
        page.js(f"location.hash = {json.dumps('#' + urlencode({'id': records(hostile)[0]['item_id'], 'item_run': 'simulated/random'}))}")
        shown(page, records(hostile)[0]["item_id"])
        assert page.js("document.querySelectorAll('#item mark').length") == 0


@pytest.mark.browser
@in_chromium
def test_two_runs_stand_side_by_side(report: Path, hostile: Path, tab: driven.Page) -> None:
    last = {record["item_id"]: record for record in records(hostile)}
    wrong = [id for id, record in last.items() if record["outcome"] == "incorrect"]
    with opened(report, tab) as page:
        assert page.js("[...document.querySelectorAll('#head [role=columnheader]')].map((it) => it.textContent)") == [
            "Item",
            "Model",
            "Key",
            "Outcome, answer",
        ]
        pick(page, "Compare with", "simulated/pixel-solver")
        assert page.js(COUNT) == f"{N * len(TASKS)} of {2 * N * len(TASKS)} items"
        pick(page, "Outcome", "incorrect")
        pick(page, "Other outcome", "correct")
        page.until("document.querySelectorAll('.results section').length === 2")
        id = page.js("document.querySelector('.id').textContent")
        assert id in wrong
        heads = page.js("[...document.querySelectorAll('#head [role=columnheader]')].map((it) => it.textContent)")
        assert heads == ["Item", "Key", "random", "pixel-solver"]
        outcomes = "[...document.querySelectorAll('.results .tag')].map((it) => it.textContent)"
        assert page.js(outcomes) == ["incorrect", "correct"]
        assert page.js("document.querySelector('.results pre').textContent") == last[id]["response"]
        count, link = page.js(COUNT), page.js("location.hash")
        page.js("document.getElementById('next').click()")
        page.until(f"document.querySelector('.id').textContent === {json.dumps(wrong[wrong.index(id) + 1])}")
    with opened(report, tab, link) as page:
        page.until("document.querySelectorAll('.results section').length === 2")
        assert page.js("document.querySelector('.id').textContent") == id
        assert page.js(COUNT) == count
        pick(page, "Compare with", "no other")
        page.until("document.querySelectorAll('.results section').length === 1")


@pytest.mark.browser
@in_chromium
def test_keys_leave_fields_and_the_item_alone(report: Path, tab: driven.Page) -> None:
    place = "document.querySelector('#rows [aria-selected=true]').getAttribute('aria-rowindex')"
    with opened(report, tab) as page:
        page.js("document.getElementById('search').focus()")
        page.type("jk")
        assert page.js("document.getElementById('search').value") == "jk"
        page.js("document.getElementById('clear').click()")
        page.until(f"{COUNT} === '{2 * N * len(TASKS)} items' && {place} === '2'")
        page.js("document.getElementById('item').focus()")
        page.press("PageDown")  # scrolls the item
        assert page.js(place) == "2"
        page.press("j")
        page.until(f"{place} === '3'")


def test_links_of_the_report_name_an_item_and_a_run(report: Path) -> None:
    (index,) = handed(report / "items" / "index.js")
    (listed,) = handed(report / "items" / "list-00000.js")
    there = {
        (index["values"]["task"][task] + rest, index["values"]["run"][run])
        for task, rest, run in zip(listed["task"], listed["ids"], listed["run"], strict=True)
    }
    links = [parse_qs(link) for link in re.findall(r'href="items\.html#([^"]*)"', unescape((report / "index.html").read_text()))]
    named = {(link["id"][0], link["item_run"][0]) for link in links if "id" in link}
    assert named
    assert named <= there
    assert all(link["run"][0] in index["values"]["run"] for link in links if "run" in link)
    assert {"run": ["simulated/random"], "with": ["simulated/pixel-solver"]} in links
