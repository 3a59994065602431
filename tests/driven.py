"""Chromium without a screen that is driven as a person drives it: real key presses, over its debugging pipe.

The pipe is that of the Chrome DevTools Protocol (`--remote-debugging-pipe`): JSON messages that end in a zero byte, read by
the browser from its file 3 and written to its file 4. No port is opened.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import signal
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import browser

_NAMED = {
    "Enter": 13, "Escape": 27, "Backspace": 8, "Tab": 9, "ArrowLeft": 37, "ArrowRight": 39, "PageUp": 33, "PageDown": 34, " ": 32,
}  # fmt: skip


class Page:
    """One tab."""

    def __init__(self, into: int, out: int) -> None:
        self._into, self._out = into, out
        self._rest = b""
        self._count = 0
        self._session = ""
        self.console: list[str] = []
        """What the page wrote on its console, and errors that nothing caught."""
        self.received: list[str] = []
        """The requests that came to an end, once `Network` is enabled."""

    def attach(self) -> None:
        target = next(info for info in self.send("Target.getTargets")["targetInfos"] if info["type"] == "page")
        self._session = self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    @contextmanager
    def hidden(self) -> Generator[None]:
        """Another tab lies before this one meanwhile, so that it is hidden, as browsers understand it."""
        session, self._session = self._session, ""  # the browser itself is asked
        first = next(info["targetId"] for info in self.send("Target.getTargets")["targetInfos"] if info["type"] == "page")
        other = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.send("Target.activateTarget", targetId=other)
        self._session = session
        self.until("document.hidden")
        yield
        self._session = ""
        self.send("Target.activateTarget", targetId=first)
        self.send("Target.closeTarget", targetId=other)
        self._session = session
        self.until("!document.hidden")

    def send(self, method: str, **params: Any) -> Any:
        self._count += 1
        message = {"id": self._count, "method": method, "params": params} | ({"sessionId": self._session} if self._session else {})
        os.write(self._into, json.dumps(message).encode() + b"\0")
        while True:
            response = self._next()
            if response.get("id") == self._count:
                assert "error" not in response, response
                return response["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            read = os.read(self._out, 1 << 20)
            assert read, "the browser has ended"
            self._rest += read
        text, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(text)
        if message.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.console.append(json.dumps(message["params"])[:400])
        if message.get("method") == "Network.loadingFinished":
            self.received.append(message["params"]["requestId"])
        return message

    def open(self, url: str) -> None:
        self.send("Page.navigate", url="about:blank")  # a change of the part after # alone would load nothing
        self.send("Page.navigate", url=url)

    def js(self, code: str) -> Any:
        response = self.send("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in response, response
        return response["result"].get("value")

    def until(self, code: str, seconds: float = 60) -> Any:
        """Waits until an expression is true, and returns its value; what fails because the page is not there yet is not true."""
        end = time.monotonic() + seconds
        while not (value := self.js(f"(() => {{ try {{ return {code} }} catch {{ return false }} }})()")):
            assert time.monotonic() < end, (code, self.js("document.body.innerText"), self.console)
            time.sleep(0.02)
        return value

    def press(self, key: str) -> None:
        code = _NAMED.get(key, ord(key.upper()[0]) if key.isalnum() else 0)  # that of "(" is the arrow down
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        event = {"key": key, "windowsVirtualKeyCode": code} | ({"text": text} if text else {})
        self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **event)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text: str) -> None:
        for character in text:
            self.press(character)

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))


@contextmanager
def opened(home: Path, size: tuple[int, int] = (1280, 900)) -> Generator[Page]:
    """A browser with one empty tab; `home` is a folder for its profile."""
    assert browser.FOUND is not None
    read_in, write_in = _pipe()
    read_out, write_out = _pipe()
    args = [browser.FOUND, *browser._FLAGS, f"--user-data-dir={home}", f"--window-size={size[0]},{size[1]}", "--remote-debugging-pipe"]
    silent = [(os.POSIX_SPAWN_OPEN, out, os.devnull, os.O_WRONLY, 0) for out in (1, 2)]
    pipes = [(os.POSIX_SPAWN_DUP2, read_in, 3), (os.POSIX_SPAWN_DUP2, write_out, 4)]
    process = os.posix_spawn(browser.FOUND, [*args, "about:blank"], os.environ, file_actions=[*silent, *pipes])
    os.close(read_in)
    os.close(write_out)
    try:
        page = Page(write_in, read_out)
        page.attach()
        yield page
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(write_in)
        os.close(read_out)


def _pipe() -> tuple[int, int]:
    """A pipe whose ends have numbers that the browser's own 3 and 4 do not meet, and that it does not inherit."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in ends)
    for end in ends:
        os.close(end)
    return high[0], high[1]
