"""Worked examples (`--shots`): what a request shows, from which items, and that each shown answer is correct."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest
from answer_kinds import KINDS
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scripted import Asked, Said, serving
from workbench import Ended, done, edit, isovist, records, refused, stored, verdicts

from isovist import evaluate
from isovist.common.errors import UserError
from isovist.data import items
from isovist.data.dataset.manifest import Manifest
from isovist.data.dataset.rows import ItemRow
from isovist.data.prompts import IMAGE, STYLES, after_examples, last_question
from isovist.evaluation.run.run_folder import RunFolder
from isovist.evaluation.run.variants import Trial, VariantSettings, family
from isovist.evaluation.run.worked_examples import EXAMPLES, MOST
from isovist.suites import registry

LETTERS = "cdr/relative-compass-letter"
SPATIAL = "cdr/relative-spatial-letter"


def run(out: Path, *more: object, model: str = "simulated/oracle", task: str = SPATIAL) -> Ended:
    return isovist("run", task, "--model", model, "--workers", 1, "--out", out, *more)


def shots(out: Path) -> list[Trial]:
    folder = RunFolder(out)
    return [trial for trial in folder.trials(folder.info()) if trial.variant.startswith("shots")]


def examples_of(trial: Trial, pool: list[ItemRow]) -> list[ItemRow]:
    """The rows whose images stand before those of the item, in order."""
    by_images = {row.images: row for row in pool}
    n = len(trial.row.images)
    before = trial.images[:-n]
    return [by_images[before[place : place + n]] for place in range(0, len(before), n)]


def test_a_request_shows_the_examples_with_their_images_and_then_the_question(tmp_path: Path) -> None:
    with serving(lambda asked: Said("Answer: A")) as server:
        assert run(tmp_path, "--n", 4, "--shots", 2, "--base-url", server.url, model="m").code == 0
        bodies = {tuple(part for part in asked.content if isinstance(part, bytes)): asked for asked in server.asked}
    pool = stored(tmp_path / EXAMPLES)
    trials = shots(tmp_path)
    assert len(trials) == 4
    assert len(bodies) == 8
    for trial in trials:
        assert trial.images[-1:] == trial.row.images
        first, second = examples_of(trial, pool)
        assert first.images != second.images
        asked = bodies[trial.images]
        kinds = ["image" if isinstance(part, bytes) else "text" for part in asked.content]
        assert kinds == ["text", "image", "text", "image", "text", "image", "text"]
        opening, _, one, _, two, _, question = asked.content
        assert str(opening).startswith("Here are 2 worked examples with the correct answers.")
        assert first.metadata.question in str(one)
        assert f"Answer: {first.answer}\n\nExample 2:" in str(one)
        assert f"Answer: {second.answer}\n\nNow answer this question:" in str(two)
        assert f"{IMAGE}\n{question}" == trial.row.prompt


def test_examples_are_train_items_of_the_same_level_with_another_seed(tmp_path: Path) -> None:
    task = next(name for name in registry.tasks() if name.startswith("perceptv/"))
    done("run", task, "--model", "simulated/random", "--workers", 1, "--out", tmp_path, "--n", 6, "--seed", 3, "--shots", 3)
    pool = stored(tmp_path / EXAMPLES)
    assert {(row.split, row.seed, row.task) for row in pool} == {("train", 4, task)}
    levels = {row.level for row in stored(tmp_path / "data")}
    assert {row.level for row in pool} == levels
    assert len(pool) == MOST * len(levels)
    for trial in shots(tmp_path):
        assert {row.level for row in examples_of(trial, pool)} == {trial.row.level}


def test_fewer_examples_are_the_first_of_more_and_differ_between_items(tmp_path: Path) -> None:
    assert run(tmp_path, "--n", 5, "--shots", 3, "--shots", 1).code == 0
    pool = stored(tmp_path / EXAMPLES)
    chosen: dict[tuple[str, str], list[str]] = {
        (trial.row.id, trial.variant): [row.id for row in examples_of(trial, pool)] for trial in shots(tmp_path)
    }
    ids = [row.id for row in stored(tmp_path / "data")]
    for id in ids:
        assert chosen[id, "shots:1"] == chosen[id, "shots:3"][:1]
        assert len(set(chosen[id, "shots:3"])) == 3
    assert len({tuple(chosen[id, "shots:3"]) for id in ids}) > 1
    assert [trial.prompt for trial in shots(tmp_path)] == [trial.prompt for trial in shots(tmp_path)]


def test_examples_can_be_added_to_a_finished_run_and_stay(tmp_path: Path) -> None:
    assert run(tmp_path, "--n", 3).code == 0
    assert not (tmp_path / EXAMPLES).exists()
    assert run(tmp_path, "--n", 3, "--shots", 2).code == 0
    manifest = (tmp_path / EXAMPLES / "isovist.json").read_bytes()
    assert len(records(tmp_path)) == 6
    before = {trial.trial_id: trial.prompt for trial in shots(tmp_path)}
    assert run(tmp_path, "--n", 3, "--shots", 4).code == 0
    assert len(records(tmp_path)) == 9
    assert {trial.trial_id: trial.prompt for trial in shots(tmp_path) if trial.variant == "shots:2"} == before
    assert (tmp_path / EXAMPLES / "isovist.json").read_bytes() == manifest
    assert set(verdicts(tmp_path).values()) == {("correct", 1.0)}


def test_the_report_shows_the_effect_as_a_variant(tmp_path: Path) -> None:
    def learns(asked: Asked) -> Said:
        return Said("Answer: A" if "worked example" in asked.words else "Answer: B")

    with serving(learns) as server:
        assert run(tmp_path / "run", "--n", 6, "--shots", 1, "--base-url", server.url, model="m").code == 0
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    (line,) = csv.DictReader(io.StringIO((tmp_path / "report" / "variants.csv").read_text()))
    assert line["variant"] == "shots:1"
    assert "1 worked example" in (tmp_path / "report" / "index.html").read_text()
    assert (family("shots:3"), family("shots:1")) == ("shots:3", "shots:1")


def test_the_pixel_solver_answers_the_question_and_not_the_examples(tmp_path: Path) -> None:
    assert run(tmp_path, "--n", 6, "--shots", 2, model="simulated/pixel-solver", task=LETTERS).code == 0
    assert set(verdicts(tmp_path).values()) == {("correct", 1.0)}


# Every answer type ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES)
def test_the_shown_answer_of_every_task_is_correct(style: str) -> None:
    kinds: set[str] = set()
    for task in registry.tasks().values():
        item = items.Items(task, 1, split="train")[0]
        kinds.add(item.answer.kind)
        text = after_examples("QUESTION", [(item.question.text, item.answer, len(item.pictures))], style)
        assert text.count(IMAGE) == len(item.pictures)
        block, _, question = text.partition("\n\nNow answer this question:\n")
        assert question == last_question(text) == "QUESTION"
        assert item.answer.options_text() in block
        shown = (
            block[block.index(item.question.text) + len(item.question.text) :].removeprefix("\n").removeprefix(item.answer.options_text())
        )
        assert item.answer.score(shown.strip()).outcome == "correct", (task.id, shown)
    assert len(kinds) > 4


@given(st.data())
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("style", STYLES)
def test_the_shown_answer_of_every_answer_type_is_correct(kind: str, style: str, data: st.DataObject) -> None:
    key = data.draw(KINDS[kind])
    reply = STYLES[style].reply.format(key=key.canonical())
    assert reply in after_examples("x", [("Which?", key, 1)], style)
    assert key.score(reply).credit == 1


# Data of others ---------------------------------------------------------------------------------------------------


def with_train(data: Path, out: Path, n: int) -> Path:
    """A copy of a dataset folder with train items of the spatial task."""
    shutil.copytree(data, out)
    if n:
        done("generate", SPATIAL, "--split", "train", "--n", n, "--seed", 77, "--image-size", 96, "--out", out, "--workers", 1)
    return out


def as_imported(data: Path) -> Path:
    """The dataset folder, with items that no task generates."""
    edit(data / "isovist.json", lambda manifest: [part.update(version=0) for part in manifest["parts"]])
    return data


@pytest.fixture(scope="module")
def spatial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spatial") / "data"
    done("generate", SPATIAL, "--n", 4, "--image-size", 96, "--out", path, "--workers", 1)
    return path


def test_the_train_items_of_a_dataset_folder_are_its_examples(spatial: Path, tmp_path: Path) -> None:
    data = with_train(spatial, tmp_path / "data", 5)
    assert run(tmp_path / "run", "--data", data, "--shots", 2).code == 0
    assert not (tmp_path / "run" / EXAMPLES).exists()
    pool = [row for row in stored(data) if row.split == "train"]
    assert {row.seed for trial in shots(tmp_path / "run") for row in examples_of(trial, pool)} == {77}
    ended = run(tmp_path / "other", "--data", data, "--shots", 8)
    assert ended.code == 2
    assert ended.err.splitlines()[-1].startswith(f"isovist: 5 train items of {SPATIAL} for 8 worked examples: {data}.")
    assert not (tmp_path / "other").exists()


def test_a_dataset_folder_without_train_items_gets_generated_examples(spatial: Path, tmp_path: Path) -> None:
    assert run(tmp_path / "run", "--data", spatial, "--shots", 2).code == 0
    pool = stored(tmp_path / "run" / EXAMPLES)
    assert all(len(examples_of(trial, pool)) == 2 for trial in shots(tmp_path / "run"))
    sizes = {Image.open(io.BytesIO(image)).size for row in (*pool, *stored(spatial)) for image in row.images}
    assert len(sizes) == 1, "the examples have the settings of the items"
    assert [part.task for part in Manifest.read(spatial).parts] == [SPATIAL]


def test_imported_items_have_the_examples_of_their_train_split(spatial: Path, tmp_path: Path) -> None:
    data = as_imported(with_train(spatial, tmp_path / "data", 5))
    assert run(tmp_path / "run", "--data", data, "--shots", 3).code == 0
    assert not (tmp_path / "run" / EXAMPLES).exists()
    pool = [row for row in stored(data) if row.split == "train"]
    assert all(len(examples_of(trial, pool)) == 3 for trial in shots(tmp_path / "run"))


@pytest.mark.parametrize("split", ["test", "train"])
def test_imported_items_without_other_train_items_are_refused(spatial: Path, tmp_path: Path, split: str) -> None:
    data = as_imported(with_train(spatial, tmp_path / "data", 5 if split == "train" else 0))
    refused(run(tmp_path / "run", "--data", data, "--split", split, "--shots", 2), "--shots", SPATIAL, "cannot be generated")
    assert not (tmp_path / "run").exists()


def test_items_of_the_train_split_have_examples_with_another_seed(tmp_path: Path) -> None:
    assert run(tmp_path, "--n", 3, "--split", "train", "--shots", 2).code == 0
    data, pool = stored(tmp_path / "data"), stored(tmp_path / EXAMPLES)
    assert {row.seed for row in pool} == {row.seed + 1 for row in data}
    assert not {row.images for row in pool} & {row.images for row in data}


# Refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0, -1, MOST + 1, 1000, "many"])
def test_an_impossible_number_is_one_line(tmp_path: Path, k: object) -> None:
    refused(run(tmp_path / "run", "--shots", k), "--shots")
    assert not (tmp_path / "run").exists()


def test_the_largest_number_is_possible(tmp_path: Path) -> None:
    assert run(tmp_path, "--n", 2, "--shots", MOST).code == 0
    assert {len(trial.images) for trial in shots(tmp_path)} == {MOST + 1}


def test_captions_and_adaptive_testing_exclude_examples(tmp_path: Path) -> None:
    refused(run(tmp_path / "run", "--shots", 1, "--image-mode", "caption-first"), "--shots", "caption-first")
    refused(
        isovist("run", "perceptv/*", "--adaptive", "--model", "simulated/oracle", "--shots", 1, "--out", tmp_path / "run"), "--adaptive"
    )
    assert not (tmp_path / "run").exists()


def test_two_sets_of_variants_are_united() -> None:
    assert (VariantSettings(shots=(1, 2)) | VariantSettings(shots=(2, 4))).shots == (1, 2, 4)


@pytest.mark.parametrize("k", [0, -1, MOST + 1])
def test_python_refuses_an_impossible_number_too(k: int) -> None:
    with pytest.raises(UserError, match=f"worked examples: {k}"):
        VariantSettings(shots=(2, k))


def test_python_evaluates_with_examples(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    def answer(images: list[Image.Image], prompt: str) -> str:
        seen.append((len(images), prompt.count(IMAGE)))
        return "Answer: A"

    result = evaluate(answer, SPATIAL, n=3, shots=2, out=tmp_path / "run", progress=False, max_connections=1)
    assert sorted(seen) == [(1, 1)] * 3 + [(3, 3)] * 3
    assert {row["variant"] for row in result.results().arrow.to_pylist()} == {"", "shots:2"}
    with pytest.raises(UserError, match="caption-first"):
        evaluate("simulated/oracle", SPATIAL, n=2, shots=2, image_mode="caption-first", out=tmp_path / "other")
