"""How long people took, in a report: medians of a task, of right and of wrong answers, of each level; nothing of models."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import median

import pytest
from study_data import joined, study_of
from workbench import done

from isovist.people.study.participants import ParticipantStore
from isovist.reporting.analysis.collect import load_results
from isovist.reporting.reports.sections import response_times

TASK = "perceptv/counting-circles"


SECONDS = [2.0 + 0.5 * i + (30.0 if i == 3 else 0.0) for i in range(16)]


@pytest.fixture
def person(tmp_path: Path) -> Path:
    """The run of one who answered 16 items of two sizes, every fourth one wrongly."""
    data, folder = tmp_path / "data", tmp_path / "study"
    done("generate", TASK, "--level", "2,10", "--n", 20, "--workers", 1, "--out", data)
    study = study_of(data, tmp_path / "pictures", tasks=(TASK,), per_task=16)
    folder.mkdir()
    study.plan.write(folder)
    store = ParticipantStore(folder)
    one = joined(store)
    for i, item in enumerate(study.items):
        key = item.card.answer
        assert key
        store.put(one, item.card.id, key.canonical() if i % 4 else key.wrong_answers()[0], SECONDS[i], 0, practice=False)
    done("study", "export", folder, "--out", tmp_path / "human")
    return tmp_path / "human" / one.handle


def test_medians_of_all_of_right_and_of_wrong_answers_and_by_level(person: Path) -> None:
    (section,) = response_times.sections(load_results([person]))
    every, *levels = csv.DictReader(section.files["response_times.csv"].csv().splitlines())
    assert (every["task"], every["level"], every["n"]) == (TASK, "", "16")
    medians = [float(every[name]) for name in ("median_s", "correct_median_s", "incorrect_median_s")]
    correct = [seconds for i, seconds in enumerate(SECONDS) if i % 4]
    assert medians == pytest.approx([median(SECONDS), median(correct), median(SECONDS[::4])], rel=1e-5)
    assert every["incorrect_median_s_low"] == ""  # of four answers
    assert every["ci_low"] != ""
    assert [line["level"] for line in levels] == ["2", "10"]  # as numbers, not as text
    assert sum(int(line["n"]) for line in levels) == 16


def test_a_report_of_a_person_and_a_model_tells_the_persons_times(person: Path, tmp_path: Path) -> None:
    done("run", "--data", tmp_path / "data", "--model", "simulated/random", "--out", tmp_path / "random")
    done("report", tmp_path / "random", person, "--out", tmp_path / "report")
    with (tmp_path / "report" / "response_times.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["run"] for row in rows} == {f"human/{person.name}"}
    assert [row["level"] for row in rows] == ["", "2", "10"]
    assert "Response times of participants" in (tmp_path / "report" / "index.html").read_text()
    assert "Correct (s)" in (tmp_path / "report" / "report.md").read_text()
    done("report", tmp_path / "random", "--out", tmp_path / "alone")
    assert not (tmp_path / "alone" / "response_times.csv").exists()
    assert "Response times of participants" not in (tmp_path / "alone" / "index.html").read_text()
