"""The Python examples of the documentation run as they stand; those that cannot run here say why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import isovist
from isovist.core.answers import LETTERS

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
CANNOT: dict[str, str] = {
    "clusters.md": "a cluster of Ray",
    "data.md": "a folder of your own",
    "python-api.md": "the key of a provider",
    "rewards.md": "the trainer of TRL, a server of OpenEnv",
    "training-mixtures.md": "a mixture of your own",
    "validity.md": "a part of a task",
}
"""Pages with an example that needs this. Their other examples run."""
THRICE = ("rewards.md",)
"""Pages with three such examples: TRL twice, a server of OpenEnv."""
RUNS = ("runs/first", "runs/a", "runs/b", "runs/weak", "runs/4o-mini")
"""Runs that examples read; the page states the command that makes them."""


def pages() -> Iterator[tuple[str, list[str]]]:
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        if blocks := _BLOCK.findall(path.read_text(encoding="utf-8")):
            yield path.name, blocks


PAGES = dict(pages())


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run_one_after_the_other(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for offline in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(offline, "1")  # a name of a folder of your own is no name on the Hub
    monkeypatch.setattr(Image.Image, "show", lambda image: image.load())
    text = "\n".join(PAGES[page])
    for run in RUNS:
        if f'"{run}"' in text:
            isovist.evaluate(f"simulated/constant:{LETTERS[RUNS.index(run)]}", "cdr/relative-compass-letter", n=3, out=run, progress=False)
    names: dict[str, Any] = {}
    failed: list[str] = []
    for place, block in enumerate(PAGES[page]):
        try:
            exec(compile(block, f"{page}, example {place + 1}", "exec"), names)
        except Exception as error:  # noqa: BLE001 - whatever an example raises
            failed.append(f"example {place + 1}: {type(error).__name__}: {error}")
    assert len(failed) == (page in CANNOT) + 2 * (page in THRICE), failed


def test_no_page_is_listed_in_vain() -> None:
    assert set(CANNOT) <= set(PAGES)
