"""Retired words are found in names and in texts, and there are none."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

import check_words

ROOT = Path(__file__).parent.parent
WORDS = tomllib.loads((ROOT / "tools" / "retired_words.toml").read_text(encoding="utf-8"))


def test_no_retired_word_is_in_use() -> None:
    assert list(check_words.retired(ROOT, WORDS)) == []


@pytest.mark.parametrize(
    ("path", "text", "word"),
    [
        ("src/a.py", "told = 1", "told"),
        ("src/a.py", "x = [found for found in y]", "found"),
        ("src/a.py", "def f(it): ...", "it"),
        ("src/a.py", "class Verdict: ...", "Verdict"),
        ("src/a.py", "match x:\n    case int() as own: ...", "own"),
        ("src/taking_in.py", "", "taking_in"),
        ("docs/a.md", "isovist run --blind", "--blind"),
        ("README.md", "isovist paint write", "isovist paint"),
    ],
)
def test_a_retired_word_is_named_with_its_place(tmp_path: Path, path: str, text: str, word: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(text, encoding="utf-8")
    (line,) = check_words.retired(tmp_path, WORDS)
    assert line.startswith(path)
    assert word in line
    assert "write: " in line


def test_words_that_hold_a_retired_one_are_kept(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("item, found_items = 1, 2  # --blindly\n", encoding="utf-8")
    assert list(check_words.retired(tmp_path, WORDS)) == []
