"""Studies of people: the command at work, and participants in browsers of their own, in Chromium."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import browser
import driven
import pytest
from workbench import started, until

needs_browser = [pytest.mark.browser, pytest.mark.skipif(browser.FOUND is None, reason="needs Chromium")]


@dataclass(frozen=True)
class Served:
    url: str
    admin: str

    @property
    def port(self) -> str:
        return self.url.rsplit(":", 1)[1].strip("/")


@contextmanager
def serving(data: Path, folder: Path, *more: object, port: str = "0") -> Generator[Served]:
    """The command at work. It is killed at the end, as by kill -9."""
    with started("study", "serve", data, "--out", folder, "--port", port, *more, PYTHONUNBUFFERED="1") as process:
        out = Path(f"/proc/{process.pid}/fd/1")
        until(lambda: process.poll() is not None or "admin#" in out.read_text())
        assert process.poll() is None, process.stderr and process.stderr.read()
        admin = re.findall(r"http://\S+/admin#\S+", out.read_text())[0]
        yield Served(admin.partition("admin#")[0], admin)
        process.kill()


class Person:
    """One participant in a browser of their own."""

    def __init__(self, page: driven.Page) -> None:
        self.page = page
        self.code = ""
        self.pressed: dict[int, object] = {}
        self.bodies: list[str] = []
        page.send("Network.enable")

    def begin(self, url: str) -> None:
        self.page.open(url)
        self.page.until("document.activeElement.id === 'code'")
        self.page.press("Enter")
        self.code = self.page.until("document.getElementById('made')?.innerText")
        self.page.press("Enter")

    def go_on(self) -> None:
        """Through screens of words, and the one that asks for colour vision, up to the next question."""
        screens = "document.getElementById('main').dataset.ready || (state.choose && 'vision') || (state.go && 'go')"
        while (at := self.page.until(screens)) in ("vision", "go"):
            before = self.page.js("document.getElementById('main').innerText")
            self.page.press("1" if at == "vision" else "Enter")
            self.page.until(f"document.getElementById('main').innerText !== {json.dumps(before)}")
        self.read()

    @property
    def number(self) -> int:
        return self.page.js("state.question.number")

    def press(self) -> None:
        """Answers the question on the screen by its key, another one each time."""
        self.go_on()
        number = self.number
        key = self.page.js(f"state.question.options[{number} % state.question.options.length].key")
        self.pressed[number] = key
        self.page.press(key)
        self.page.until(f"state.question?.number !== {number} || document.getElementById('feedback')?.id")
        self.read()

    def offline(self, is_offline: bool) -> None:
        conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.page.send("Network.emulateNetworkConditions", offline=is_offline, **conditions)

    def read(self) -> None:
        """Keeps the bodies that came over the network by now."""
        for request in self.page.received:
            try:
                response = self.page.send("Network.getResponseBody", requestId=request)
            except AssertionError:
                continue  # of a page that is not there any more
            self.bodies.append(response["body"])
        self.page.received.clear()


def ended(page: driven.Page) -> Any:
    return page.until("document.getElementById('main').innerText.includes('Thank you')")
