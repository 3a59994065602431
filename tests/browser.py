"""Chromium without a screen: what a page says on its console, how it is laid out, and what it looks like."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

FOUND = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--enable-logging=stderr",
)  # fmt: skip
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
"""It allows the page's own script alone, and so not the probe."""
_CONSOLE = re.compile(r":CONSOLE[:(].*")

# Put at the end of a copy of the page; says what sticks out of the page or of its own box, and which pictures did not load.
_PROBE = """
<script>
const page = document.documentElement, wide = (node) => node.scrollWidth > node.clientWidth + 1;
const out = {
  width: page.clientWidth,
  sticks_out: wide(page) ? page.scrollWidth : 0,
  boxes: [...document.querySelectorAll("h1, h2, p, pre, figure, .sample, .samples, .figures, nav")].filter(wide).map(n => n.outerHTML.slice(0, 200)),
  broken: [...document.images].filter(image => image.complete && !image.naturalWidth).map(image => image.src.slice(0, 80)),
  images: document.images.length,
};
const probe = document.createElement("pre");
probe.id = "probe";
probe.textContent = JSON.stringify(out);
document.body.append(probe);
</script>
"""


def _run(page: Path, size: tuple[int, int], home: Path, *more: str) -> tuple[str, list[str]]:
    assert FOUND is not None
    args = [FOUND, *_FLAGS, f"--user-data-dir={home}", f"--window-size={size[0]},{size[1]}", *more, page.as_uri()]
    ended = subprocess.run(args, capture_output=True, text=True, timeout=180, check=True)
    return ended.stdout, _CONSOLE.findall(ended.stderr)


def layout(page: Path, size: tuple[int, int], home: Path) -> tuple[dict[str, Any], list[str]]:
    """What the probe found in the page at that size of the window, and the lines on the console."""
    copy = page.with_name(f"{page.stem}-probed.html")
    text = _POLICY.sub("", page.read_text(encoding="utf-8"))
    copy.write_text(text.replace("</body>", f"{_PROBE}</body>"), encoding="utf-8")
    try:
        dom, console = _run(copy, size, home, "--virtual-time-budget=2000", "--dump-dom")
    finally:
        copy.unlink()
    (probe,) = re.findall(r'<pre id="probe">(.*?)</pre>', dom)
    return json.loads(html.unescape(probe)), console


def screenshot(page: Path, size: tuple[int, int], home: Path) -> tuple[NDArray[np.uint8], list[str]]:
    """The pixels of the page, shape (height, width, 3), and the lines on the console."""
    path = home / "screenshot.png"
    home.mkdir(exist_ok=True)
    _, console = _run(page, size, home, f"--screenshot={path}")
    with Image.open(path) as shown:
        return np.asarray(shown.convert("RGB")), console
