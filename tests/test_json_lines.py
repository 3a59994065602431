"""JSON Lines hold any string, one value a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isovist.common import json_lines
from isovist.evaluation.models.json_drafting import REPLIES, kept

PARTING = "\u2028\u2029\u0085\x0b\x0c\x1c\x1d\x1e"  # str.splitlines parts lines at these too


@pytest.mark.parametrize("character", PARTING, ids=lambda c: f"U+{ord(c):04X}")
def test_characters_that_part_lines_elsewhere_stay_in_their_line(character: str, tmp_path: Path) -> None:
    values = [{"id": "a", "response": f"up{character}down"}, {"id": "b", "response": "left"}]
    text = json_lines.lines(values)
    assert [json.loads(row) for row in json_lines.rows(text)] == values
    (tmp_path / REPLIES).write_text(text, encoding="utf-8")
    assert kept(tmp_path, "id", str).texts == {value["id"]: value["response"] for value in values}


@pytest.mark.parametrize(("text", "rows"), [("", []), ("1\n2\n", ["1", "2"]), ("1\r\n2", ["1", "2"]), ("1\n\n2\n", ["1", "", "2"])])
def test_lines_end_at_line_feeds(text: str, rows: list[str]) -> None:
    assert json_lines.rows(text) == rows
