"""The URL of a page holds the order and the filter of its tables; browser back undoes them."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import browser
import driven
import pytest
from workbench import done

pytestmark = [pytest.mark.browser, pytest.mark.skipif(browser.FOUND is None, reason="needs Chromium")]

SELECT = "[...document.querySelector(`table[data-name={}]`).tBodies[0].rows]"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("links")
    done("run", "cdr/*", "--n", 8, "--model", "simulated/random", "--out", home / "run")
    done("report", home / "run", "--no-item-browser", "--out", home / "report")
    return home / "report" / "index.html"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Generator[driven.Page]:
    with driven.opened(tmp_path_factory.mktemp("browser"), (1000, 900)) as tab:
        yield tab


def rows(page: driven.Page, table: str) -> list[str]:
    """The first cells of the visible rows."""
    return page.js(f"{SELECT.format(table)}.filter((row) => !row.hidden).map((row) => row.cells[0].textContent)")


def loaded(page: driven.Page, url: str) -> None:
    page.open("about:blank")
    page.open(url)
    page.until("document.readyState === 'complete'")


def press(page: driven.Page, table: str, head: str) -> None:
    buttons = f"[...document.querySelectorAll('table[data-name={table}] th button')]"
    page.js(f"{buttons}.find((it) => it.textContent === '{head}').click()")


def typed(page: driven.Page, letters: str) -> None:
    field = "document.querySelector('table[data-name=accuracy]').closest('.scroll').previousElementSibling.querySelector('input')"
    for n in range(1, len(letters) + 1):
        page.js(f"{field}.value = '{letters[:n]}'; {field}.dispatchEvent(new Event('input'))")


def test_the_address_restores_order_and_filter_and_back_undoes_them(page: driven.Page, report: Path) -> None:
    loaded(page, report.as_uri())
    plain = rows(page, "accuracy")
    press(page, "accuracy", "Task")
    ascending = rows(page, "accuracy")
    press(page, "accuracy", "Task")
    descending = rows(page, "accuracy")
    typed(page, "step")
    found = rows(page, "accuracy")
    assert ascending == sorted(plain) != descending == ascending[::-1]
    assert found == [name for name in descending if "step" in name] != descending
    assert len(found) > 1
    address: str = page.js("location.href")
    assert address.endswith("#table=accuracy&sort=Task&order=descending&q=step")
    loaded(page, address)
    assert rows(page, "accuracy") == found
    press(page, "accuracy", "n")
    page.js("history.back()")
    page.until("location.hash.endsWith('q=step')")
    page.until(f"JSON.stringify({SELECT.format('accuracy')}.filter((row) => !row.hidden).length) === '{len(found)}'")
    assert rows(page, "accuracy") == found


def test_the_letters_of_a_filter_are_one_step_back(page: driven.Page, report: Path) -> None:
    loaded(page, report.as_uri())
    plain = rows(page, "accuracy")
    typed(page, "step")
    page.js("history.back()")
    page.until("location.hash === ''")
    page.until(f"{SELECT.format('accuracy')}.every((row) => !row.hidden)")
    assert rows(page, "accuracy") == plain


def test_a_link_opens_the_part_that_contains_its_table_or_heading(page: driven.Page, report: Path) -> None:
    folded = "document.querySelector('table[data-name=error-types-2]')"
    loaded(page, report.as_uri())
    assert page.js(f"{folded}.closest('details').open") is False
    address = f"{report.as_uri()}#table=error-types-2&sort=Offered&order=ascending&table=nothing&sort=x"
    loaded(page, address.replace("&table=nothing&sort=x", ""))
    assert page.js(f"[{folded}.closest('details').open, {folded}.closest('details.part').open]") == [True, True]
    numbers = [int(n) for n in page.js(f"{SELECT.format('error-types-2')}.map((row) => row.cells[2].textContent)")]
    assert numbers == sorted(numbers)
    loaded(page, f"{report.as_uri()}#on-evaluation-settings")
    assert page.js("document.getElementById('on-evaluation-settings').closest('details').open") is True
    loaded(page, address)  # a table of another report
    assert rows(page, "accuracy")
    assert not page.console
