"""The profile by skill: its lists against the tasks, its interval in simulated runs, and the page against the records."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from recount import lines_of, page
from scipy.stats import norm
from workbench import done, records, stored

from isovist.reporting.analysis.skill_taxonomies import TAXONOMIES
from isovist.stats.chance_correction import Scores, chance_corrected_mean
from isovist.stats.proportions import ConfidenceInterval
from isovist.suites import registry
from isovist.suites.cdr.subtasks import SUBTASKS

N = 24
TASKS = (*(step.task for step in SUBTASKS), "srbench/mrt-hard", "srbench/paper-folding", "perceptv/counting-circles")


class Answered(NamedTuple):
    credit: float
    chance: float
    cluster: Hashable


def corrected(tasks: Sequence[Sequence[Answered]]) -> ConfidenceInterval:
    columns = ([list(column) for column in zip(*items, strict=True)] for items in tasks)
    return chance_corrected_mean([Scores(accuracies, chances, clusters) for accuracies, chances, clusters in columns])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("runs") / "lost"
    done("run", *TASKS, "--n", N, "--model", "simulated/failed-subtask:rotate-compass", "--out", run)
    return run


@pytest.fixture(scope="module")
def report(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    done("report", run, "--out", out, "--no-item-browser")
    return out


# ---- the lists ------------------------------------------------------------------------------------------------------


def test_every_skill_of_every_task_stands_in_the_list_of_its_suite() -> None:
    for task in registry.tasks().values():
        (taxonomy,) = (candidate for candidate in TAXONOMIES if candidate.covers(task.id))
        known = frozenset[str]().union(*taxonomy.skills.values())
        assert set(task.skills) <= known | taxonomy.finer, task.id
        assert set(task.skills) & known, f"{task.id} stands under no skill of {taxonomy.name}"


def test_every_word_of_a_list_is_one_of_a_task() -> None:
    for taxonomy in TAXONOMIES:
        used = {skill for task in registry.tasks().values() if taxonomy.covers(task.id) for skill in task.skills}
        words = [word for skill_words in taxonomy.skills.values() for word in skill_words]
        assert set(words) | taxonomy.finer == used, taxonomy.name
        assert max(Counter(words).values()) == 1
        assert not set(words) & taxonomy.finer


def test_published_items_stand_under_the_list_of_their_suite() -> None:
    (dori,) = (candidate for candidate in TAXONOMIES if candidate.suite == "dori")
    assert dori.covers("dori-published/view-parallelism")
    assert not dori.covers("cdr/relative-compass-letter")


# ---- the interval ---------------------------------------------------------------------------------------------------


def test_one_task_of_independent_items_has_wilsons_interval() -> None:
    items = [Answered(float(index < 30), 0.25, index) for index in range(40)]
    interval = corrected([items])
    z, share, n = float(norm.ppf(0.975)), 0.75, 40
    half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    assert interval.estimate == pytest.approx((0.75 - 0.25) / 0.75)
    assert interval.low == pytest.approx((middle - half - 0.25) / 0.75, abs=0.02)  # Student's t makes it a little wider
    assert interval.high == pytest.approx((middle + half - 0.25) / 0.75, abs=0.02)
    assert interval.low <= (middle - half - 0.25) / 0.75


def test_tasks_have_the_same_weight_whatever_their_items() -> None:
    right, wrong = [Answered(1.0, 0.25, index) for index in range(90)], [Answered(0.25, 0.25, -index) for index in range(1, 11)]
    assert corrected([right, wrong]).estimate == pytest.approx(0.5)


def test_items_of_one_picture_in_two_tasks_count_together() -> None:
    values = [float(index % 3 > 0) for index in range(60)]
    apart = [[Answered(value, 0.25, (task, index)) for index, value in enumerate(values)] for task in range(2)]
    shared = [[Answered(value, 0.25, index) for index, value in enumerate(values)] for _ in range(2)]
    wide, narrow = corrected(shared), corrected(apart)
    assert wide.high - wide.low == pytest.approx((narrow.high - narrow.low) * 2**0.5, rel=0.05)


def test_all_right_has_an_interval_and_one_group_tells_nothing() -> None:
    interval = corrected([[Answered(1.0, 0.25, index // 4) for index in range(40)]])
    assert interval.estimate == interval.high == 1
    assert 0.5 < interval.low < 0.75  # ten groups
    alone = corrected([[Answered(1.0, 0.25, 0)] * 5])
    assert (alone.low, alone.high) == (pytest.approx(-1 / 3), 1)
    with pytest.raises(ValueError, match="no task"):
        corrected([])
    with pytest.raises(ValueError, match="chance level 1"):
        corrected([[Answered(1.0, 1.0, 0)]])


@pytest.mark.parametrize(("runs", "least"), [(150, 0.89), pytest.param(2000, 0.93, marks=pytest.mark.slow)])
def test_the_interval_holds_the_truth(runs: int, least: float) -> None:
    """Two tasks about the same 40 pictures, two questions each, that share half of their luck."""
    held = 0
    truth = (0.7 + 0.4) / 2
    for seed in range(runs):
        rng = random.Random(seed)
        tasks: list[list[Answered]] = [[], []]
        for picture in range(40):
            luck = rng.random()
            for task, (above, chance) in enumerate(((0.7, 0.25), (0.4, 0.125))):
                for _ in range(2):
                    draw = luck if rng.random() < 0.5 else rng.random()
                    tasks[task].append(Answered(float(draw < chance + above * (1 - chance)), chance, picture))
        interval = corrected(tasks)
        held += interval.low <= truth <= interval.high
    assert least <= held / runs <= (0.97 if runs > 1000 else 1)


# ---- the page -------------------------------------------------------------------------------------------------------


def test_the_profile_is_that_of_the_records(run: Path, report: Path) -> None:
    values = {record["item_id"]: record["credit"] for record in records(run)}
    rows = stored(run / "data")
    lines = lines_of(report, "profile.csv")
    assert {line["taxonomy"] for line in lines} == {"CDR's components", "SRBench's components", "TVPS-4"}
    for line in lines:
        (taxonomy,) = (candidate for candidate in TAXONOMIES if candidate.name == line["taxonomy"])
        tasks = {row.task for row in rows if set(row.skills) & taxonomy.skills[line["skill"]] and taxonomy.covers(row.task)}
        assert set(line["tasks"].split()) == tasks
        above = [
            sum(values[row.id] - row.chance for row in rows if row.task == task) / sum(1 - row.chance for row in rows if row.task == task)
            for task in tasks
        ]
        assert float(line["chance_corrected"]) == pytest.approx(sum(above) / len(above), abs=1e-5)
        assert float(line["ci_low"]) <= float(line["chance_corrected"]) <= float(line["ci_high"])
    weakest = [float(line["chance_corrected"]) for line in lines if line["taxonomy"] == "CDR's components"]
    assert weakest == sorted(weakest)
    shown = page(report).table("Taxonomy")
    assert [row["Skill"] for row in shown] == [line["skill"] for line in lines]


def test_the_steps_are_told_in_order_and_where_the_one_before_is_right(run: Path, report: Path) -> None:
    by_id = {record["item_id"]: record["credit"] for record in records(run)}
    values = {(row.task, row.index): by_id[row.id] for row in stored(run / "data")}
    lines = lines_of(report, "subtasks.csv")
    assert [line["subtask"] for line in lines] == [step.name for step in SUBTASKS]
    whole, turn = lines[-1], lines[-2]
    right = [index for index in range(N) if values[turn["task"], index] == 1]
    assert int(whole["n_prerequisite_correct"]) == len(right)
    if right:
        assert float(whole["accuracy_if_correct"]) == pytest.approx(
            sum(values[whole["task"], index] for index in right) / len(right), abs=1e-5
        )
    assert [float(line["accuracy"]) for line in lines[:4]] == [1.0] * 4
    text = (report / "index.html").read_text(encoding="utf-8")
    assert "Failed subtask: rotating the compass (" in text
    markdown = (report / "report.md").read_text(encoding="utf-8")
    assert "| rotate-compass |" in markdown
    assert (report / "figures" / "subtasks.svg").exists()
    assert (report / "figures" / "profile.svg").exists()


def test_a_run_of_one_skill_alone_has_no_profile(tmp_path: Path) -> None:
    done("run", "perceptv/counting-locations", "--n", 5, "--model", "simulated/random", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--out", tmp_path / "report", "--no-item-browser")
    assert lines_of(tmp_path / "report", "profile.csv") == []
    assert lines_of(tmp_path / "report", "subtasks.csv") == []
    assert "Skill profile" not in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
