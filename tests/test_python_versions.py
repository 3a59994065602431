"""Items, keys and scores are the same on every supported version of Python."""

from __future__ import annotations

import subprocess
import sys

import pytest

# `sum` of floats rounds differently from Python 3.12 on, `sum` of complex numbers from Python 3.14 on. Here `sum` names each line of the
# package that adds such numbers with it. A process of its own, since some modules compute chance levels on import.
SUMS = """
import builtins, sys
added, lines = builtins.sum, set()

def watched(numbers, /, start=0):
    total, caller = added(numbers, start), sys._getframe(1)
    if type(total) in (float, complex) and caller.f_globals.get("__name__", "").startswith("isovist."):
        lines.add(f"{caller.f_code.co_filename}:{caller.f_lineno}")
    return total

builtins.sum = watched
from isovist import generate
from isovist.suites import registry

n = 0
for task in registry.matching(sys.argv[2:]):
    for split in ("test", "train"):
        for item in generate(task.id, n=int(sys.argv[1]), seed=5, split=split):
            n += 1
            assert item.answer.score(item.answer.canonical()).credit == 1
            task.rederive(item.pictures, item.question.text_with_options)
            chain = item.reasoning
            if chain and task.reasoning:
                task.reasoning.verify(item.scene, chain)
            for shortcut in task.checks.shortcuts.values():
                shortcut.rule(item.scene, item.question)
            item.id, item.prompt, item.chance
print(n, "items", *sorted(lines), sep="\\n")
"""


def lines_that_add_floats(n: int, *tasks: str) -> list[str]:
    """The lines of the package that add floats with `sum` while `n` items of each task and split are generated and their keys derived."""
    run = subprocess.run([sys.executable, "-c", SUMS, str(n), *tasks], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    count, _, *lines = run.stdout.splitlines()
    assert int(count) > 0
    return lines


def test_no_task_adds_floats_with_the_built_in_sum() -> None:
    assert lines_that_add_floats(1, "*") == []


@pytest.mark.slow
def test_no_task_adds_floats_with_the_built_in_sum_in_many_items() -> None:
    assert lines_that_add_floats(30, "*") == []
