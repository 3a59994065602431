"""`benchmarks/extraction.py` prints how the parser agrees with labelled responses, of any file and of the corpus of this repository."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
CHOICE = {"answer_type": "choice", "options": ["cup", "plate", "fork"], "key": None}
ROWS: list[dict[str, Any]] = [
    CHOICE | {"reply": "Answer: B", "gold": "B", "model": "one", "style": "label", "weight": 8},
    CHOICE | {"reply": "Answer: B", "gold": "A", "model": "one", "style": "label"},  # a label that the parser contradicts
    CHOICE | {"reply": "I cannot see it.", "gold": "C", "model": "two", "style": "prose"},
    CHOICE | {"reply": "I cannot see it.", "gold": None, "model": "two", "style": "prose"},
    CHOICE | {"reply": "Answer: C", "gold": None, "model": "two", "style": "label"},
    {"answer_type": "choice", "options": ["red", "Red"], "reply": "Answer: A", "gold": "A"},  # equal to the parser
    {"answer_type": "integer", "options": None, "key": "-4", "reply": "Answer: -3", "gold": "-3.0"},
    {"answer_type": "integer", "options": None, "key": 12, "reply": "Answer: 1,200", "gold": "1200"},
    {"answer_type": "numbered", "options": ["cup", "plate"], "key": "1", "reply": "Answer: 1", "gold": 1},
    {"answer_type": "float", "options": None, "reply": "Answer: 2.50", "gold": "2.5"},
    {"answer_type": "yesno", "options": None, "reply": "Answer: no", "gold": "no"},
    {"answer_type": "subset", "options": ["red", "blue"], "reply": "Answer: blue, red", "gold": "red, blue"},
    {"answer_type": "sequence", "options": ["red", "blue"], "reply": "Answer: blue, red", "gold": "red, blue"},  # another order
]


def printed(*arguments: object) -> str:
    command = [sys.executable, ROOT / "benchmarks" / "extraction.py", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("labelled") / "labelled.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def cells(text: str) -> dict[str, list[str]]:
    """The cells of each row of the table, by its name."""
    return {parts[0].strip(): parts[1:] for line in text.splitlines() if len(parts := re.split(r" {2,}(?=[\d-])", line)) > 1}


def test_the_table_counts_by_style_model_and_answer_type(labelled: Path) -> None:
    table = cells(printed(labelled))
    assert table["all"] == ["11", "1 (9.1%)", "2 (18.2%)", "2", "1 (50.0%)"]
    assert table["label"] == ["2", "0 (0.0%)", "1 (50.0%)", "1", "1 (100.0%)"]
    assert table["prose"] == ["1", "1 (100.0%)", "0 (0.0%)", "1", "0 (0.0%)"]
    assert table["one"] == ["2", "0 (0.0%)", "1 (50.0%)", "0", "-"]
    assert table["choice"] == ["4", "1 (25.0%)", "1 (25.0%)", "2", "1 (50.0%)"]
    assert table["sequence"] == ["1", "0 (0.0%)", "1 (100.0%)", "0", "-"]
    assert all(table[name] == ["1", "0 (0.0%)", "0 (0.0%)", "0", "-"] for name in ("numbered", "float", "yesno", "subset"))
    assert table["integer"] == ["2", "0 (0.0%)", "0 (0.0%)", "0", "-"]
    assert table["all, weighted"] == ["18", "1 (5.6%)", "2 (11.1%)", "2", "1 (50.0%)"]


def test_the_responses_with_a_verdict_are_printed(labelled: Path) -> None:
    assert "--- label, two, choice: labelled None, parsed C\nAnswer: C\n" in printed(labelled, "--show", "accepted")


def test_without_a_file_the_corpus_is_measured() -> None:
    table = cells(printed())
    assert table["all"][-1] == "0 (0.0%)"  # nothing without an answer is read
    assert {"replies", "redteam", "reasoning", "heldout", "choice", "count"} < table.keys()
    assert "by model" not in printed()
