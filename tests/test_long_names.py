"""A model whose name does not end: pages stay as wide as their window."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import browser
import driven
import pytest
from workbench import done

pytestmark = [pytest.mark.browser, pytest.mark.skipif(browser.FOUND is None, reason="needs Chromium")]
NAME = "openai-compatible/Qwen2.5-VL-72B-Instruct-AWQ-int4-with-a-name-that-never-ends-2025-11-22-checkpoint-0004000"


@pytest.fixture(scope="module")
def pages(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("long")
    for name in ("random", "oracle"):
        done("run", "--data", data, "--model", f"simulated/{name}", "--out", home / name)
    info = json.loads((home / "random" / "run.json").read_text())
    (home / "random" / "run.json").write_text(json.dumps(info | {"model": NAME}))
    shutil.copytree(home / "random", home / "unbroken")
    (home / "unbroken" / "run.json").write_text(json.dumps(info | {"model": "m" * 120}))
    done("report", home / "random", "--no-item-browser", "--out", home / "one")
    done("report", home / "random", home / "oracle", home / "unbroken", "--no-item-browser", "--out", home / "three")
    done("compare", home / "random", home / "oracle", "--out", home / "compare")
    done("leaderboard", home / "random", home / "oracle", home / "unbroken", "--out", home / "board")
    return home


@pytest.mark.parametrize("width", [390, 768])
def test_pages_are_as_wide_as_their_window(pages: Path, tmp_path: Path, width: int) -> None:
    with driven.opened(tmp_path, (width, 900)) as page:
        page.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        for folder in ("one", "three", "compare", "board"):
            page.open((pages / folder / "index.html").as_uri())
            page.until(f"document.readyState === 'complete' && location.pathname.includes('/{folder}/')")
            assert page.js("document.documentElement.scrollWidth") == width, folder
            assert (
                page.js("[...document.querySelectorAll('h1, h2, h3, p, li')].filter(it => it.scrollWidth > it.clientWidth + 1).length") == 0
            )
        assert page.console == []
