"""What the best cheap rules get: measured for every task, within the limits, and beside a model's accuracy in reports."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import simulated
from workbench import done

from isovist.audit.shortcuts import Measured
from isovist.core.task import Task
from isovist.data.reference.shortcuts import Best, Rate, best, fitting, measured
from isovist.evaluation.models.base import ModelResponse
from isovist.reporting.analysis import chance_performance
from isovist.reporting.analysis.rows import Rows
from isovist.suites import registry

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

TASKS = registry.tasks().values()


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_figures_are_of_the_version_of_their_task_and_within_the_limits(task: Task[Any]) -> None:
    rows = [entry for (name, *_), entry in measured().items() if name == task.id]
    if not rows:  # the documentation names it
        return
    assert {entry.version for entry in rows} == {task.version}, f"{task.id}: run tools/measure_shortcuts.py"
    assert {entry.level for entry in rows} <= {"", *task.levels}
    for entry in rows:
        measurement = Measured(task.id, entry.level, entry.shortcut.rule, False, entry.n, entry.shortcut.accuracy, entry.chance)
        assert entry.shortcut.reason or entry.shortcut.accuracy <= measurement.limit + 0.03, str(measurement)


def test_the_documentation_has_the_figures() -> None:
    import measure_shortcuts as tool

    text = tool.PAGE.read_text(encoding="utf-8")
    assert tool.page(text, json.loads(tool.FILE.read_text(encoding="utf-8"))) == text


LETTERS_TASK = "cdr/object-classification-letter"


def test_figures_are_of_the_same_version_and_settings() -> None:
    task = registry.task(LETTERS_TASK)
    best_entry = best(task.id)
    assert best_entry is not None
    assert fitting(task.id, task.version, "standard", ["size"]) == best_entry
    assert fitting(task.id, task.version, "standard", ["order"]) is None
    assert fitting(task.id, task.version + 1, "standard", []) is None
    assert fitting("photo", 0, "standard", []) is None
    assert best("demo/unknown") is None


def asked(n: int, right: int) -> Rows:
    """Items of which the first ones are answered right."""
    pool = simulated.rows([LETTERS_TASK], n)[LETTERS_TASK]
    first = {row.id for row in pool[:right]}
    return simulated.results(
        pool, lambda row, key: ModelResponse(f"Answer: {key.canonical() if row.id in first else key.wrong_answers()[0]}")
    )


RULE = Best(LETTERS_TASK, 1, "", 1000, 0.25, Rate("medoid", 0.6, "reading"))


@pytest.mark.parametrize(("right", "is_reported"), [(120, True), (110, True), (190, False), (50, False)])
def test_a_model_that_scores_as_a_rule_does_is_told_so(right: int, is_reported: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 200 items a rule gets 120: a model with as many is told so; one with far more is not, nor one that guesses."""
    monkeypatch.setattr(chance_performance, "best", lambda task, level: RULE)
    rows = asked(200, right).with_column("shortcut_accuracy", [RULE.most.accuracy] * 200)
    findings = list(chance_performance.detect_shortcut_performance({LETTERS_TASK: rows}))
    assert bool(findings) == is_reported
    for finding in findings:
        assert finding.expected_rate == pytest.approx(0.6)
        assert "The rule 'medoid' has an accuracy of 60%" in finding.sentence
        assert "without the claimed skill (reading)" in finding.sentence


def test_a_rule_at_chance_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    low = replace(RULE, shortcut=Rate("medoid", 0.27))
    monkeypatch.setattr(chance_performance, "best", lambda task, level: low)
    rows = asked(200, 60).with_column("shortcut_accuracy", [low.most.accuracy] * 200)
    assert list(chance_performance.detect_shortcut_performance({LETTERS_TASK: rows})) == []


def test_the_finding_and_the_column_have_the_same_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that lacks a part of the skill is set beside an accuracy, unless it is exempt."""
    both = replace(RULE, shortcut=Rate("first", 0.26), partial=Rate("medoid", 0.6, "reading"))
    assert both.most == both.partial
    assert replace(both, partial=Rate("medoid", 0.6, "reading", "it is the skill")).most == both.shortcut
    for entry in measured().values():
        assert entry.most.accuracy >= entry.shortcut.accuracy
        assert not entry.most.reason or entry.most == entry.shortcut
    monkeypatch.setattr(chance_performance, "best", lambda task, level: both)
    rows = asked(200, 110).with_column("shortcut_accuracy", [both.most.accuracy] * 200)
    (finding,) = chance_performance.detect_shortcut_performance({LETTERS_TASK: rows})
    assert "The rule 'medoid' has an accuracy of 60% without a part of the claimed skill (reading)." in finding.sentence


def test_reports_cards_and_galleries_show_the_best_shortcut(tmp_path: Path) -> None:
    best_entry = best(LETTERS_TASK)
    assert best_entry is not None
    assert best_entry.most == best_entry.shortcut
    share = best_entry.shortcut.accuracy
    done("run", LETTERS_TASK, "--n", 8, "--workers", 1, "--model", "simulated/oracle", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    report = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    cells = next(line for line in report.splitlines() if line.startswith(f"| {LETTERS_TASK} |")).split(" | ")
    assert cells[5] == "25.0"
    assert float(cells[6]) == pytest.approx(100 * share, abs=0.06)
    head, row = (tmp_path / "report" / "results.csv").read_text(encoding="utf-8").splitlines()[:2]
    assert dict(zip(head.split(","), row.split(","), strict=True))["best_shortcut"] == f"{share:g}"
    assert "Best shortcut" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    done("gallery", LETTERS_TASK, "--samples", 1, "--out", tmp_path / "gallery")
    assert f"{100 * share:.1f} % by the rule" in (tmp_path / "gallery" / "index.html").read_text(encoding="utf-8")
    assert f"| 25.0% | {share:.1%} |" in (tmp_path / "run" / "data" / "README.md").read_text(encoding="utf-8")
