"""The worked example tells what its commands print, and its paragraph has no number that they do not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from worked_example import PAGE, blocks, run

NUMBER = re.compile(r"\d+(?:\.\d+)?")


def test_every_number_of_the_paragraph_is_in_the_output() -> None:
    page = PAGE.read_text(encoding="utf-8")
    quoted = " ".join(line.removeprefix("> ") for line in page.splitlines() if line.startswith("> "))
    printed = {number for commands, shown in blocks(page) for number in NUMBER.findall(commands + shown)}
    numbers = NUMBER.findall(quoted)
    assert len(numbers) > 15
    assert [number for number in numbers if number not in printed] == []


def test_the_page_shows_what_its_commands_print_but_for_those_that_ask_nothing() -> None:
    pairs = blocks(PAGE.read_text(encoding="utf-8"))
    assert len(pairs) == 6
    assert all(output for _, output in pairs)
    assert all(line.startswith(("isovist ", "grep ", "tail ", "cut ")) for commands, _ in pairs for line in commands.splitlines())


@pytest.mark.slow
def test_the_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    for commands, shown, now in run(PAGE.read_text(encoding="utf-8"), tmp_path):
        assert now == shown, commands
