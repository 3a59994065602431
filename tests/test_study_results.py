"""What the answers of a study come to, and their export as runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from study_data import PER_TASK, joined, study_of
from workbench import contents, done, isovist, records, refused, stored

from isovist.core.answers import Answer
from isovist.people.study.participants import Participant, ParticipantStore
from isovist.people.study.plan import Study
from isovist.people.study.results import STOPPED, results


@pytest.fixture
def study(by_hand: Path, tmp_path: Path) -> Study:
    return study_of(by_hand, tmp_path / "pictures", tasks=("by-hand/choice", "by-hand/count", "by-hand/subset"))


# What answers come to ----------------------------------------------------------------------------------------------


def wrong_of(answer: Answer) -> str:
    return answer.wrong_answers()[0]


def answered(study: Study, folder: Path, right: Callable[[str, int], bool], people: int = 4, *, seconds: float = 2.0) -> list[Participant]:
    """People who answer everything; `right` says by task and place of the item whether all of them are."""
    store = ParticipantStore(folder)
    participants = [joined(store) for _ in range(people)]
    for person in participants:
        for block in study.blocks:
            for i, item in enumerate(block.items):
                assert item.card.answer
                value = item.card.answer.canonical() if right(block.task, i) else wrong_of(item.card.answer)
                store.put(person, item.card.id, value, seconds, 0, practice=False)
    return participants


def test_people_against_the_key_are_found_and_others_are_not(study: Study, tmp_path: Path) -> None:
    pytest.importorskip("krippendorff")
    people = answered(study, tmp_path, lambda task, i: (task, i) != ("by-hand/choice", 2))
    store = ParticipantStore(tmp_path)
    summary = results(study, store.all(), store.answers())
    bad = study.blocks[0].items[2]
    assert [(flagged.item.card.id, flagged.reasons) for flagged in summary.odd] == [(bad.card.id, ("most answers contradict the key",))]
    assert study.items[summary.odd[0].place] is bad
    assert {task_result.task: task_result.credit.estimate for task_result in summary.tasks if task_result.credit} == {
        "by-hand/choice": 0.75,
        "by-hand/count": 1,
        "by-hand/subset": 1,
    }
    assert [(progress.done, progress.parts, progress.credit) for progress in summary.people] == [(12, 3, 11 / 12)] * len(people)
    assert {task_result.agreement.same for task_result in summary.tasks} == {1.0}


def test_divided_people_and_slow_items_are_found(study: Study, tmp_path: Path) -> None:
    pytest.importorskip("krippendorff")
    store = ParticipantStore(tmp_path)
    people = [joined(store) for _ in range(5)]
    divided, slow = study.blocks[0].items[1], study.blocks[1].items[3]
    for place, person in enumerate(people):
        for item in study.items:
            assert item.card.answer
            value = "ABCDA"[place] if item is divided else item.card.answer.canonical()
            store.put(person, item.card.id, value, 6.1 if item is slow else 2.0, 0, practice=False)
    summary = results(study, store.all(), store.answers())
    assert [(flagged.item.card.id, flagged.reasons) for flagged in summary.odd] == [
        (divided.card.id, ("answers are divided",)), (slow.card.id, ("long response time",)),
    ]  # fmt: skip
    few = results(study, store.all()[:2], [answer for answer in store.answers() if answer.person in {p.handle for p in people[:2]}])
    assert few.odd == ()


def test_agreement_goes_by_what_options_say_where_all_items_have_the_same(study: Study, tmp_path: Path) -> None:
    pytest.importorskip("krippendorff")
    store = ParticipantStore(tmp_path)
    ada, ben = joined(store), joined(store)
    for i, item in enumerate(study.blocks[0].items):
        store.put(ada, item.card.id, "AB"[i % 2], 1.0, 0, practice=False)
        store.put(ben, item.card.id, "AB"[(i + (i == 3)) % 2], 1.0, 0, practice=False)
    (task_result,) = [task for task in results(study, store.all(), store.answers()).tasks if task.task == "by-hand/choice"]
    assert task_result.agreement.alpha is not None
    # values A A, B B, A A, B A: one disagreement of four pairs, and 5 A and 3 B among 8: 1 - (8 - 1) * 2 / (2 * 5 * 3)
    assert task_result.agreement.alpha.estimate == pytest.approx(1 - 7 * 2 / 30)
    assert (task_result.agreement.cards, task_result.agreement.same) == (4, 0.75)


def test_all_right_answers_are_one_answer(by_hand: Path, tmp_path: Path) -> None:
    pytest.importorskip("krippendorff")
    study, store = study_of(by_hand, tmp_path / "pictures", tasks=("by-hand/number",), practice=0), ParticipantStore(tmp_path)
    people = [joined(store) for _ in range(4)]
    for item in study.items:
        assert item.card.answer
        for off, person in enumerate(people):
            store.put(person, item.card.id, f"{float(item.card.answer.canonical()) + off / 2}", 1.0, 0, practice=False)
    summary = results(study, store.all(), store.answers())
    assert (summary.tasks[0].agreement.same, summary.odd) == (1.0, ())


def test_status_tells_it_in_words_and_as_json(study: Study, tmp_path: Path) -> None:
    pytest.importorskip("krippendorff")
    study.plan.write(tmp_path)
    (person, *_) = answered(study, tmp_path, lambda task, i: task != "by-hand/count")
    joined(ParticipantStore(tmp_path))
    words = done("study", "status", tmp_path).out
    assert "12 items of 3 tasks, 5 participants (4 with answers, 4 finished)" in words
    assert f"{person.handle}" in words
    assert "most answers contradict the key" in words
    status = json.loads(done("study", "status", tmp_path, "--json").out)
    assert {entry["task"]: entry["credit"]["estimate"] for entry in status["tasks"]} == {
        "by-hand/choice": 1,
        "by-hand/count": 0,
        "by-hand/subset": 1,
    }
    assert len(status["odd"]) == PER_TASK


def test_who_has_stopped_where_and_since_when(study: Study, tmp_path: Path) -> None:
    pytest.importorskip("krippendorff")
    store = ParticipantStore(tmp_path)
    (ended,) = answered(study, tmp_path, lambda task, i: True, people=1, seconds=3.0)
    half, practised, invited = joined(store), joined(store), store.by_code(store.add())
    assert invited
    order = study.order(half.handle, half.place or 1)
    for step in order[:5]:
        store.put(half, step.item.card.id, "A", 2.0, 0, practice=step.practice)
    first = study.order(practised.handle, practised.place or 2)[0]
    store.put(practised, first.item.card.id, "A", 2.0, 0, practice=True)
    by_handle = {progress.person.handle: progress for progress in results(study, store.all(), store.answers(practice=True)).people}
    at = datetime.fromisoformat(by_handle[half.handle].last)

    def states(after: float) -> list[str]:
        return [by_handle[person.handle].state(at + timedelta(seconds=after)) for person in (ended, half, practised, invited)]

    assert states(STOPPED - 60) == ["done", "at work", "at work", "not begun"]
    assert states(STOPPED + 60) == ["done", "stopped", "stopped", "not begun"]
    assert by_handle[half.handle].idle(at + timedelta(hours=2)) == pytest.approx(7200)
    assert [(progress.done, progress.left, progress.at) for progress in (by_handle[half.handle], by_handle[practised.handle])] == [
        (3, 9, order[5].item.card.part),
        (0, 12, first.item.card.part),
    ]
    assert (by_handle[ended.handle].at, by_handle[ended.handle].taken, by_handle[practised.handle].seconds) == ("", 36.0, None)


def test_status_names_who_stopped_and_how_long_it_takes(study: Study, tmp_path: Path) -> None:
    pytest.importorskip("krippendorff")
    study.plan.write(tmp_path)
    answered(study, tmp_path, lambda task, i: True, people=2, seconds=30.0)
    half = joined(ParticipantStore(tmp_path))
    assert "Stopped" not in done("study", "status", tmp_path).out
    with ParticipantStore(tmp_path)._file.open() as db:
        db.execute("update people set agreed = ? where handle = ?", ((datetime.now(UTC) - timedelta(hours=5)).isoformat(), half.handle))
    words = done("study", "status", tmp_path).out
    assert f"Stopped before the end: {half.handle} for 5 h" in words
    assert "Median duration: 6 min (2 participants" in words
    status = json.loads(done("study", "status", tmp_path, "--json").out)
    assert [(person["state"], person["left"]) for person in status["people"]] == [("done", 0), ("done", 0), ("stopped", 12)]
    assert status["whole_seconds"] == 360.0


# Runs --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def taken(data: Path, tmp_path: Path) -> tuple[Path, list[Participant]]:
    """A study of generated items with two who answered all and one who answered half of them."""
    tasks = ("cdr/relative-compass-letter", "cdr/spatial-direction-icon")
    study = study_of(data, tmp_path / "pictures", tasks=tasks, per_task=8)
    folder = tmp_path / "study"
    folder.mkdir()
    study.plan.write(folder)
    people = answered(study, folder, lambda task, i: i % 4 != 0, people=2)
    store = ParticipantStore(folder)
    half = joined(store)
    for item in study.blocks[0].items:
        assert item.card.answer
        store.put(half, item.card.id, item.card.answer.canonical(), 3.25, 1, practice=False)
    for item in study.blocks[0].practice:
        store.put(half, item.card.id, "A", 1.0, 0, practice=True)
    joined(store)  # and one who has only begun
    return folder, [*people, half]


def test_each_person_becomes_a_run_that_tables_take(taken: tuple[Path, list[Participant]], data: Path, tmp_path: Path) -> None:
    folder, (ada, ben, half) = taken
    output = done("study", "export", folder, "--out", tmp_path / "human").out
    assert f"human/{half.handle}: 8 answers in {tmp_path / 'human' / half.handle}, 8 items without an answer" in output
    assert sorted(path.name for path in (tmp_path / "human").iterdir()) == sorted(participant.handle for participant in (ada, ben, half))
    rows = {row.id: row for row in stored(data)}
    for record in records(tmp_path / "human" / half.handle):
        assert (record["outcome"], record["latency_s"]) == ("correct", 3.25)
        assert record["response"] == rows[record["item_id"]].answer
    ada_run = tmp_path / "human" / ada.handle
    assert Counter(record["outcome"] for record in records(ada_run)) == {"correct": 12, "incorrect": 4}
    done("run", "--data", data, "--model", "simulated/random", "--out", tmp_path / "random")
    done("report", tmp_path / "random", *sorted((tmp_path / "human").iterdir()), "--out", tmp_path / "report")
    table = (tmp_path / "report" / "results.csv").read_text()
    assert all(f"human/{participant.handle}" in table for participant in (ada, ben, half))
    before = (ada_run / "records.jsonl").read_bytes()
    done("rescore", ada_run)
    assert (ada_run / "records.jsonl").read_bytes() == before
    done("study", "export", folder, "--out", tmp_path / "human")  # again, over itself
    assert (ada_run / "records.jsonl").read_bytes() == before


def test_people_and_models_are_compared_item_by_item(taken: tuple[Path, list[Participant]], data: Path, tmp_path: Path) -> None:
    folder, (ada, *_) = taken
    done("study", "export", folder, "--out", tmp_path / "human")
    done("run", "--data", data, "--model", "simulated/constant:A", "--out", tmp_path / "a")
    output = done("compare", tmp_path / "a", tmp_path / "human" / ada.handle).out
    assert f"human/{ada.handle}" in output
    assert "16 items in 2 tasks" in output


def test_a_reader_is_told_what_the_rows_of_people_hold(taken: tuple[Path, list[Participant]], data: Path, tmp_path: Path) -> None:
    folder, (ada, ben, _) = taken
    done("study", "export", folder, "--out", tmp_path / "human")
    done("study", "export", folder, "--together", "--out", tmp_path / "people")
    done("run", "--data", data, "--model", "simulated/constant:A", "--out", tmp_path / "a")
    runs = (tmp_path / "a", tmp_path / "people", tmp_path / "human" / ada.handle, tmp_path / "human" / ben.handle)
    many = "human contains the answers of 3 participants; each item has the answer of one randomly chosen participant"
    each, turned = (f"human/{one.handle} and human/{other.handle}: one participant each" for one, other in ((ada, ben), (ben, ada)))
    output = done("compare", *runs, "--out", tmp_path / "compared").out
    page = (tmp_path / "compared" / "index.html").read_text()
    assert all(words in output and words in page for words in (many, each))
    assert "<title>Model comparison: 1 model and participants</title>" in page
    done("leaderboard", *runs, "--out", tmp_path / "board")
    board = (tmp_path / "board" / "index.html").read_text()
    assert all(words in board for words in (many, "<title>Leaderboard: 1 model and participants</title>"))
    assert each in board or turned in board  # they are equally good
    done("report", *runs, "--out", tmp_path / "report")
    report = (tmp_path / "report" / "index.html").read_text()
    assert "The run contains the answers of 3 participants; each item has the answer of one randomly chosen participant" in report
    assert report.count("The run contains the answers of one participant.") == 2


def test_status_tells_the_seconds_of_a_task_and_how_sure_they_are(
    taken: tuple[Path, list[Participant]], study: Study, tmp_path: Path
) -> None:
    pytest.importorskip("krippendorff")
    folder, _ = taken
    status = json.loads(done("study", "status", folder, "--json").out)
    assert [entry["seconds"] for entry in status["tasks"]] == [{"estimate": 2.0, "low": 2.0, "high": 2.0}] * 2  # two of three took 2 s
    assert "2.0 [2.0, 2.0]" in done("study", "status", folder).out
    few = tmp_path / "few"
    few.mkdir()
    study.plan.write(few)
    answered(study, few, lambda task, i: True)
    status = json.loads(done("study", "status", few, "--json").out)
    assert {entry["seconds"]["low"] for entry in status["tasks"]} == {None}  # of four items a task


def test_a_part_that_is_not_finished_has_no_accuracy(taken: tuple[Path, list[Participant]], tmp_path: Path) -> None:
    from isovist.reporting.analysis.collect import load_results

    folder, (_, _, half) = taken
    done("study", "export", folder, "--out", tmp_path / "human")
    (run,) = load_results([tmp_path / "human" / half.handle])
    assert {task.task: (task.n, task.n_not_presented, task.accuracy is None) for task in run.tasks} == {
        "cdr/relative-compass-letter": (8, 0, False), "cdr/spatial-direction-icon": (0, 8, True),
    }  # fmt: skip


def test_all_together_each_item_has_the_answer_of_one_of_them(taken: tuple[Path, list[Participant]], tmp_path: Path) -> None:
    folder, people = taken
    done("study", "export", folder, "--together", "--out", tmp_path / "people")
    by_item = {(answer.item, answer.reply): answer.person for answer in ParticipantStore(folder).answers()}
    run_records = records(tmp_path / "people")
    assert len(run_records) == 16
    assert all((record["item_id"], record["response"]) in by_item for record in run_records)
    assert {record["latency_s"] for record in run_records} == {2.0, 3.25}  # not one person's alone
    assert json.loads((tmp_path / "people" / "run.json").read_text())["model"] == "human"
    before = (tmp_path / "people" / "records.jsonl").read_bytes()
    done("study", "export", folder, "--together", "--out", tmp_path / "people")
    assert (tmp_path / "people" / "records.jsonl").read_bytes() == before
    refused(isovist("study", "export", folder, "--out", tmp_path / "people" / "records.jsonl"), "records.jsonl")
    refused(isovist("study", "export", folder, "--together", "--out", folder), "not empty")
    assert len(people) == 3


def test_an_export_does_not_write_over_another_run(taken: tuple[Path, list[Participant]], data: Path, tmp_path: Path) -> None:
    folder, (ada, *_) = taken
    done("run", "--data", data, "--model", "simulated/random", "--n", 2, "--out", tmp_path / "human" / ada.handle)
    before = contents(tmp_path / "human")
    refused(isovist("study", "export", folder, "--out", tmp_path / "human"), ada.handle, "simulated/random")
    assert contents(tmp_path / "human") == before
    for other, words in ((data, "is a dataset"), (tmp_path / "human" / ada.handle, "is a run"), (folder, "is a study")):
        before = sorted(other.rglob("*"))
        refused(isovist("study", "export", folder, "--out", other), words)
        assert sorted(other.rglob("*")) == before
