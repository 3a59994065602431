"""Which tasks name the errors behind their options: the documentation lists those that do not."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from isovist import generate
from isovist.core.answers import Choice
from isovist.suites import registry
from isovist.world.scenes import distractor_types

DOCS = Path(__file__).parents[1] / "docs" / "findings.md"
OF_MANY_OPTIONS = {
    "cdr/object-classification-*", "cdr/step-cell-letter", "cospace/rotation-angle", "srbench/maze-nav-right-turns",
    "srbench/maze-nav-turns",
}  # fmt: skip


DIRECTIONS = "perceptv/circle-location"
"""Its options are directions in plain words, from which the errors follow."""


def test_options_that_are_directions_in_words_have_errors_all_the_same() -> None:
    answer = generate(DIRECTIONS, n=1)[0].answer
    assert isinstance(answer, Choice)
    assert any(distractor_types.LEFT_RIGHT in error for error in distractor_types.types_by_option_text(answer.options, answer.truth))


def test_yes_no_and_joint_tasks_without_errors_are_listed_with_where_to_look_instead() -> None:
    section = DOCS.read_text(encoding="utf-8").partition("### Tasks without named errors")[2].partition("\n## ")[0]
    without = [task for task in registry.tasks().values() if not task.reported.distractor_types and not task.reported.option_angles]
    for task in without:
        if task.answers.type in ("yes-no", "fields"):
            assert f"`{task.id}`" in section
        if task.answers.type == "choice" and task.id != DIRECTIONS:
            assert any(fnmatchcase(task.id, pattern) for pattern in OF_MANY_OPTIONS), task.id
    for task in ("srbench/orientation-eight-way", "cospace/planning-question", "cospace/planning-decision"):
        entry = registry.task(task)
        assert entry.reported.distractor_types or entry.reported.option_angles
        assert f"`{task}`" in section
    family = registry.task("srbench/orientation").images.family
    assert family
    assert family == registry.task("srbench/orientation-eight-way").images.family
    assert registry.task("cospace/planning").images.family == registry.task("cospace/planning-question").images.family
