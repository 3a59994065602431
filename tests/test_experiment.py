"""The experiment of teaching a small model, at the size of a fixture: it goes through, goes on after a stop, and says what it did.

It needs torch and is skipped without it; `just test-experiment` runs it.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed; `just test-experiment` runs this")
pytest.importorskip("matplotlib", reason="matplotlib is not installed; `just test-experiment` runs this")

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
torch.set_num_threads(1)

from cdr_finetuning import arms, batches, final, lessons, results, schooling, steps, tiny, training  # noqa: E402
from cdr_finetuning.settings import SETTINGS, TARGET  # noqa: E402

import isovist  # noqa: E402
from isovist.data import prompts  # noqa: E402
from isovist.evaluation.models.embedded import image_patches, network  # noqa: E402

SMOKE = replace(SETTINGS["smoke"], seeds=(0,))
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return schooling.ground(SMOKE, tmp_path_factory.mktemp("shelves"), 1)


@pytest.fixture(scope="module")
def whole(floor: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run through all stages and two arms."""
    folder = tmp_path_factory.mktemp("experiment")
    assert schooling.stages(SMOKE, floor, folder / "stages", CPU)
    shown = arms.food(SMOKE, floor, folder / "shelves", 1)
    for which in (arms.ARMS[0], arms.ARMS[-1]):
        place = final.place(folder, which, 0)
        arms.arm(SMOKE, folder / "stages" / "checkpoint.pt", shown, floor.held_out, which, 0, place, CPU)
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


# Lessons ----------------------------------------------------------------------------------------------------------


def test_a_lesson_tells_what_the_picture_shows() -> None:
    shown = ("K", "", "L", "M", "N", "", "", "O", "P")
    rng = Random(0)
    assert {reply for _ in range(50) for _, reply in lessons.locate(shown, rng, 3)} >= {
        "row 1, column 1",
        "row 3, column 2",
        "not in the picture",
    }
    for question, reply in (turn for _ in range(200) for turn in lessons.relation(shown, rng, 1)):
        if "from the letter K" in question and "letter N" in question:
            assert reply == "lower right"
            break
    else:
        pytest.fail("it was never asked")


@pytest.mark.parametrize("name", lessons.LESSONS)
def test_no_lesson_asks_about_a_compass_or_reasons(name: str) -> None:
    shown = ("K", "", "L", "M", "N", "", "", "O", "P")
    turns = [turn for k in range(50) for turn in lessons.LESSONS[name](shown, Random(k), 3)]
    assert not any("compass" in question or "map" in question or "Answer" in reply for question, reply in turns)


def test_an_option_that_is_looked_up_is_the_one_that_says_it() -> None:
    for k in range(50):
        question, reply = lessons.look_up((), Random(k), 1)[0]
        option = question.split("?")[0].removeprefix("Which option says ")
        assert f"{reply}. {option}" in question.split("\n")


def test_an_option_is_looked_up_behind_the_list_too() -> None:
    forms = (r"Which option says (?P<said>.+)\?", r"The letter [A-Z] lies (?P<said>.+) of the letter [A-Z]\.\nWhich option says so\?")
    kinds: set[str] = set()
    for k in range(50):
        for lesson, form in zip((lessons.look_back, lessons.look_far), forms, strict=True):
            (first, reply), *others = lesson((), Random(k), 4)
            lines = first.split("\n")
            for asked, answer in [("\n".join(lines[8:]), reply), *others]:
                if match := re.fullmatch(form, asked):
                    assert f"{answer}. {match['said']}" in lines[:8]
                else:
                    back = re.fullmatch(r"What does option ([A-H]) say\?", asked)
                    assert back, asked
                    assert f"{back[1]}. {answer}" in lines[:8]
                kinds.add(form if match else lesson.__name__)
    assert kinds == {*forms, "look_back"}


# The model --------------------------------------------------------------------------------------------------------


def test_numpy_says_what_torch_says(floor: Any, tmp_path: Path) -> None:
    model = schooling.tiny(replace(SMOKE, width=48, layers=2, heads=3), floor.words, CPU)
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.3)
        weight.data = weight.data.half().float()
    training.write(tmp_path / "weights.npz", floor.words, model)
    held = network.read(tmp_path / "weights.npz")
    asked = [(text.prompt, picture) for text, picture in zip(floor.held_out.texts, floor.held_out.pictures, strict=True)]
    replies = batches.replies(model, floor.words, asked, 12)
    assert replies == [held.reply(prompt, [np.asarray(picture)], 12).text for prompt, picture in asked]
    assert len(set(replies)) > 1


def test_an_arm_knows_more_words_than_the_stages_and_starts_with_their_weights(whole: Path, floor: Any) -> None:
    shown = arms.food(SMOKE, floor, whole / "shelves", 1)
    assert len(shown.words) > len(floor.words)
    model = schooling.tiny(SMOKE, shown.words, CPU)
    training.read(whole / "stages" / "checkpoint.pt", model)
    start = torch.load(whole / "stages" / "checkpoint.pt", weights_only=True)["model"]
    assert torch.equal(model.words.weight[: len(floor.words)], start["words.weight"])
    assert torch.equal(model.blocks[0].near, start["blocks.0.near"])


def test_only_replies_are_learnt(floor: Any) -> None:
    text = floor.held_out.texts[0]
    one = batches.sample(floor.words, floor.held_out.pictures[0], [(text.prompt_reasoning, text.reasoning)])
    assert floor.words.text(token for token, learnt in zip(one.tokens, one.learnt, strict=True) if learnt) == text.reasoning


# The run ----------------------------------------------------------------------------------------------------------


def test_it_goes_through_the_stages_in_their_order(whole: Path) -> None:
    assert [row["stage"] for row in rows(whole / "stages" / "subtasks.csv")] == [*map(" and ".join, lessons.STAGES), "cooling"]


def test_each_arm_gets_its_samples_and_its_compute(whole: Path, floor: Any) -> None:
    least = arms.budget(SMOKE, arms.food(SMOKE, floor, whole / "shelves", 1))
    for which in (arms.ARMS[0], arms.ARMS[-1]):
        curve = rows(final.place(whole, which, 0) / "curve.csv")
        assert int(curve[-1]["target"]) >= SMOKE.samples
        assert int(curve[-1]["tokens"]) >= least
        assert (int(curve[-1]["general"]) > 0) == which.mixes


class Stopped(Exception):
    pass


def test_a_run_that_was_stopped_ends_as_one_that_was_not(floor: Any, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step = training.Run.step
    calls: Iterator[int] = iter(range(10_000))

    def stopping(self: Any, *given: Any) -> float:
        if next(calls) % 4 == 3:
            raise Stopped
        return step(self, *given)

    monkeypatch.setattr(training.Run, "step", stopping)
    stops = 0
    while True:
        try:
            assert schooling.stages(SMOKE, floor, tmp_path / "stages", CPU)
            break
        except Stopped:
            stops += 1
    assert stops > 1
    once, again = (torch.load(folder / "stages" / "checkpoint.pt", weights_only=True) for folder in (whole, tmp_path))
    assert all(torch.equal(once["model"][name], again["model"][name]) for name in once["model"])
    logged = [[{**row, "seconds": ""} for row in rows(folder / "stages" / "subtasks.csv")] for folder in (whole, tmp_path)]
    assert logged[0] == logged[1]


def test_arms_do_not_start_before_the_gate(floor: Any, tmp_path: Path) -> None:
    assert not schooling.stages(replace(SMOKE, gate=0.95), floor, tmp_path, CPU)


def test_figures_and_table_are_made_of_what_there_is(whole: Path) -> None:
    results.results(SMOKE, whole)
    text = (whole / "results.md").read_text()
    assert "53.43" in text
    assert TARGET in text
    assert {path.name for path in whole.glob("*.png")} == {"stages.png", "samples.png", "compute.png"}


# Steps of a chain -------------------------------------------------------------------------------------------------


def test_a_step_that_is_wrong_does_not_hold_and_those_beside_it_do() -> None:
    item = isovist.generate(TARGET, n=1, seed=1, split="train")[0]
    chain = item.reasoning or ""
    lines = chain.split("\n")
    other = next(letter for letter in "ABCDEFGH" if f"Answer: {letter}" not in chain)
    assert steps.holds(item.id, chain) == (True,) * 5
    assert steps.holds(item.id, chain.replace(lines[-1], f"Answer: {other}")) == (True, True, True, True, False)
    assert steps.holds(item.id, "\n".join([*lines[:2], lines[2].replace("up is", "down is", 1), *lines[3:]]))[1:3] == (True, False)
    assert steps.holds(item.id, lines[-1]) == (False,) * 5
    assert steps.holds(item.id, "") == (False,) * 5


def test_the_steps_of_an_arm_are_told_beside_its_marks(whole: Path, floor: Any) -> None:
    which = arms.ARMS[-1]
    steps.steps(SMOKE, arms.food(SMOKE, floor, whole / "shelves", 1), floor.held_out, which, final.place(whole, which, 0), CPU)
    (row,) = rows(final.place(whole, which, 0) / "steps.csv")
    assert int(row["n"]) == SMOKE.held_out
    assert list(row) == ["n", *steps.STEPS]
    results.results(SMOKE, whole)
    text = (whole / "results.md").read_text()
    assert "| steps of the chain that hold | places | relation | compass | wind | option |" in text
    assert f"| {which.name} |" in text.split("steps of the chain")[1]


def test_the_model_to_be_carried_is_an_arms_taught_further_in_every_style(whole: Path) -> None:
    start = final.place(whole, arms.ARMS[-1], 0) / "checkpoint.pt"
    tiny.taught(SMOKE, start, whole, CPU)
    known = rows(whole / "tiny" / "known.csv")
    assert {(row["task"], row["style"]) for row in known} == {(task, style) for task in tiny.TASKS for style in tiny.STYLES}
    model = network.read(whole / "tiny" / "weights.npz")
    item = isovist.generate(tiny.TASKS[1], n=1)[0]
    reply = model.reply(prompts.prompt(item.question.text, item.answer, 1), [image_patches.seen(item.images[0])], 4)
    assert reply.read < 120  # its words are known: one by one they would be many more
    tiny.taught(SMOKE, start, whole, CPU)  # once more: it stands still
    assert rows(whole / "tiny" / "known.csv") == known
