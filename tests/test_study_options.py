"""Studies with fewer options of each question (`isovist study serve --options`): the items, answers, exports and reports."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import study_data
from study_data import PER_TASK, TEXT, joined
from study_people import serving
from workbench import contents, done, isovist, records, refused

from isovist.core.answers import Choice
from isovist.core.rng import Rng
from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import Manifest
from isovist.data.dataset.rows import ItemRow
from isovist.people.study import export
from isovist.people.study.fewer_options import ITEMS, Reduction, reduced_choice, reduced_row, write
from isovist.people.study.item_presentation import shown
from isovist.people.study.participants import ParticipantStore
from isovist.people.study.plan import StudyPlan, opened

FIVE = Choice(("0 degrees", "90 degrees", "180 degrees", "270 degrees", "It cannot be determined"), 1)


def plan_of(data: Path, seed: int = 0) -> StudyPlan:
    return StudyPlan.of(data, (), "test", PER_TASK, 2, seed, TEXT)


def rows_of(folder: Path) -> dict[tuple[str, int], ItemRow]:
    return {(row.task, row.index): row for row in load(folder, Manifest.read(folder).parts)}


@pytest.fixture
def reduction(by_hand: Path, tmp_path: Path) -> Reduction:
    return write(plan_of(by_hand), tmp_path / "people", 3)


def test_the_key_and_what_cannot_be_determined_stay_and_the_other_option_is_random() -> None:
    chosen = Counter[str]()
    for seed in range(600):
        choice, places = reduced_choice(FIVE, 3, Rng(seed))
        assert choice.options == tuple(FIVE.options[i] for i in places)
        assert list(places) == sorted(set(places))
        assert choice.options[choice.truth] == "90 degrees"
        assert choice.options[-1] == "It cannot be determined"
        (other,) = set(choice.options) - {"90 degrees", "It cannot be determined"}
        chosen[other] += 1
    assert set(chosen) == {"0 degrees", "180 degrees", "270 degrees"}
    assert min(chosen.values()) > 160


def test_two_random_options_stand_beside_a_key_that_cannot_be_determined_and_where_no_option_says_so() -> None:
    for key in (replace(FIVE, truth=4), Choice(FIVE.options[:4], 1)):
        pairs = {reduced_choice(key, 3, Rng(seed))[0].options for seed in range(200)}
        assert len(pairs) == (6 if key.truth == 4 else 3)
        assert all(key.options[key.truth] in options for options in pairs)


def test_only_choices_with_more_options_in_words_change(by_hand: Path, reduction: Reduction) -> None:
    before, after = rows_of(by_hand), rows_of(reduction.folder)
    assert len(after) == len(study_data.KINDS) * (PER_TASK + 2)
    assert (reduction.reduced, reduction.unchanged) == (PER_TASK + 2, (len(study_data.KINDS) - 1) * (PER_TASK + 2))
    for place, row in after.items():
        source = before[place]
        assert row.id != source.id
        assert row.images == source.images
        assert (row.level, row.group, row.metadata.question) == (source.level, source.group, source.metadata.question)
        if row.task != "by-hand/choice":
            assert (row.key, row.chance) == (source.key, source.chance)
            continue
        assert isinstance(row.key, Choice)
        assert isinstance(source.key, Choice)
        assert row.key.options[row.key.truth] == source.key.options[source.key.truth]
        assert [option for option in source.key.options if option in row.key.options] == list(row.key.options)
        assert (len(row.choices), row.chance, row.answer) == (3, 1 / 3, row.key.canonical())
        assert f"C. {row.key.options[2]}" in row.prompt
        assert "D. " not in row.prompt
    done("verify", reduction.folder)
    card = (reduction.folder / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\nlicense: other")
    assert "questions with fewer options" in card


def test_what_belongs_to_an_option_stays_with_it(by_hand: Path) -> None:
    row = rows_of(by_hand)["by-hand/choice", 0]
    metadata = json.loads(row.metadata_json) | {
        "distractor_types": ["", "turned", "opposite", "turned back"],
        "option_angles": {"direction": {"angles_deg": [0, 90, 180, -90], "positive_direction": "clockwise", "is_circular": True}},
        "attributes": {"options": "4", "place": "north"},
    }
    changed = reduced_row(replace(row, metadata_json=json.dumps(metadata)), 0, 3, 0)
    order = [study_data.WHERE.index(option) for option in changed.choices]
    assert list(changed.metadata.distractor_types) == [metadata["distractor_types"][i] for i in order]
    assert list(changed.metadata.option_angles["direction"].angles_deg) == [[0, 90, 180, -90][i] for i in order]
    assert changed.metadata.attributes == {"options": "3", "place": "north"}


def test_a_study_has_the_same_options_again_and_another_seed_others(by_hand: Path, reduction: Reduction, tmp_path: Path) -> None:
    before = contents(reduction.folder)
    assert write(plan_of(by_hand), tmp_path / "people", 3) == reduction
    assert contents(reduction.folder) == before
    assert contents(write(plan_of(by_hand), tmp_path / "again", 3).folder) == before
    other = write(plan_of(by_hand, seed=1), tmp_path / "other", 3)
    assert {row.choices for row in rows_of(other.folder).values()} != {row.choices for row in rows_of(reduction.folder).values()}


def test_answers_are_scored_and_reported_with_the_options_that_people_saw(reduction: Reduction, tmp_path: Path) -> None:
    plan = plan_of(reduction.folder)
    (tmp_path / "pictures").mkdir()
    study = opened(plan, tmp_path / "pictures")
    block = next(block for block in study.blocks if block.task == "by-hand/choice")
    assert [len(shown(item.card)["options"]) for item in (*block.practice, *block.items)] == [3] * (PER_TASK + 2)
    assert {item.chance for item in block.items} == {1 / 3}
    people = ParticipantStore(tmp_path / "people")
    person = joined(people)
    for block in study.blocks:
        for i, item in enumerate(block.items):
            assert item.card.answer
            reply = item.card.answer.wrong_answers()[-1] if i == 3 else item.card.answer.canonical()
            people.put(person, item.card.id, reply, 2.0, 0, practice=False)
    run = export.each(study, people, tmp_path / "runs")[0].folder
    scores = [record["credit"] for record in records(run) if "by-hand/choice" in record["item_id"]]
    assert scores == [1, 1, 1, 0]
    done("run", "--data", reduction.folder, "--n", PER_TASK, "--model", "simulated/random", "--out", tmp_path / "model")
    assert "scored in every run" in done("compare", run, tmp_path / "model").out
    done("report", run, "--out", tmp_path / "report")
    report = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert "Questions with more than 3 options were reduced to 3: accuracy and chance level are higher" in report
    assert "| Options | at most 3 of each question |" in report
    line = next(line for line in report.splitlines() if line.startswith("| by-hand/choice "))
    assert "| 75.0 |" in line
    assert "| 33.3 |" in line


def test_bad_input_is_one_line_and_nothing_is_written(by_hand: Path, tmp_path: Path) -> None:
    serve = ("study", "serve", by_hand, "--per-task", PER_TASK, "--out", tmp_path / "people")
    refused(isovist(*serve, "--options", "4"), "No question has more than 4 options")
    refused(isovist(*serve, "--options", "1"), "--options")
    refused(isovist(*serve, "--options", "3", "--practice", "9"), "Too few items of by-hand/", str(by_hand))
    assert not (tmp_path / "people").exists() or not any((tmp_path / "people").iterdir())


def test_a_study_is_resumed_with_its_options_only(by_hand: Path, tmp_path: Path) -> None:
    reduced, whole = tmp_path / "reduced", tmp_path / "whole"
    items = write(plan_of(by_hand), reduced, 3).folder
    plan_of(items).write(reduced)
    whole.mkdir()
    plan_of(by_hand).write(whole)

    def serve(folder: Path, *more: object) -> str:
        return refused(isovist("study", "serve", by_hand, "--per-task", PER_TASK, "--text", text, "--out", folder, *more))

    text = tmp_path / "text.md"
    text.write_text(TEXT, encoding="utf-8")
    assert items == reduced / ITEMS
    assert "Add the --options of its start" in serve(reduced)
    assert "Remove --options" in serve(whole, "--options", "3")
    for more in (("--options", "2"), ("--options", "3", "--seed", "1"), ("--options", "3", "--tasks", "by-hand/choice")):
        assert "items of other data, --tasks, --split, --options or --seed" in serve(reduced, *more)
    assert "different --practice" in serve(reduced, "--options", "3", "--practice", "1")


def test_the_page_is_served_with_these_items_and_again(by_hand: Path, tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    folder = tmp_path / "people"
    options = ("--per-task", PER_TASK, "--tasks", "by-hand/choice", "--options", "3")
    for _ in range(2):
        with serving(by_hand, folder, *options):
            plan = StudyPlan.read(folder)
            assert plan.checked() == folder / ITEMS
            assert plan.parts == (("by-hand/choice", "test"),)
    assert "Add the --options of its start" in refused(isovist("study", "serve", by_hand, "--out", folder))
