"""The taxonomy over all suites."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from isovist.suites import registry
from isovist.suites.abilities import ABILITIES, NAMES, ability_of


def test_each_built_in_task_has_one_ability() -> None:
    for task in registry.built_in_tasks():
        having = [ability.name for ability in ABILITIES if any(fnmatchcase(task, pattern) for pattern in ability.tasks)]
        assert having == [ability_of(task)], task


def test_there_are_at_most_ten_and_each_pattern_has_a_task() -> None:
    assert len(set(NAMES)) == len(NAMES) <= 10
    for ability in ABILITIES:
        assert ability.summary
        assert ability.source
        assert all(any(fnmatchcase(task, pattern) for task in registry.built_in_tasks()) for pattern in ability.tasks)


def test_imported_items_have_the_ability_of_the_task_of_their_name() -> None:
    assert ability_of("dori-published/compound-rotation") == ability_of("dori/compound-rotation") == "mental transformation"
    assert ability_of("elsewhere/task") == ""


def test_the_documentation_has_each_ability_with_its_tasks() -> None:
    text = (Path(__file__).parents[1] / "docs" / "failure-analysis.md").read_text(encoding="utf-8")
    table = text.partition("\n## Abilities\n")[2].partition("\n\nA cell")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("| ")]
    documented = {row[0]: row[1:3] for row in rows[1:]}
    assert documented == {each.name: [each.summary, ", ".join(f"`{task}`" for task in each.tasks)] for each in ABILITIES}
