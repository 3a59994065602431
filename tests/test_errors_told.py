"""Which tasks name the errors behind their options: the documentation lists those that do not."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from isovist import registry

DOCS = Path(__file__).parents[1] / "docs" / "diagnosis.md"
OF_MANY_OPTIONS = {
    "cdr/object-classification-*", "cdr/step-cell-letter", "cospace/rotation-angle", "perceptv/circle-location",
    "srbench/maze-nav-right-turns", "srbench/maze-nav-turns",
}  # fmt: skip


def test_yes_no_and_joint_tasks_without_errors_are_listed_with_where_to_look_instead() -> None:
    section = DOCS.read_text(encoding="utf-8").partition("### Tasks without named errors")[2].partition("\n## ")[0]
    without = [task for task in registry.tasks().values() if not task.errors and not task.angles]
    for task in without:
        if task.answer_type in ("yes-no", "fields"):
            assert f"`{task.id}`" in section
        if task.answer_type == "choice":
            assert any(fnmatchcase(task.id, pattern) for pattern in OF_MANY_OPTIONS), task.id
    for task in ("srbench/orientation-eight-way", "cospace/planning-question", "cospace/planning-decision"):
        found = registry.task(task)
        assert found.errors or found.angles
        assert f"`{task}`" in section
    family = registry.task("srbench/orientation").family
    assert family and family == registry.task("srbench/orientation-eight-way").family
    assert registry.task("cospace/planning").family == registry.task("cospace/planning-question").family
