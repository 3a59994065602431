"""Endless streams of training examples: the same bytes for the same state, shards, processes, mixtures, and curricula on planted learners."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import islice
from typing import Any

import pytest

import isovist
from isovist.core.rng import Rng
from isovist.training.curriculum import Curriculum
from isovist.training.example_stream import ExampleStream

TASKS = ("cdr/step-cell-letter", "perceptv/counting-circles", "solids/cube-comparison")


def first(stream: ExampleStream, n: int) -> list[Any]:
    return list(islice(stream, n))


def test_the_same_arguments_give_the_same_examples_and_each_is_an_item() -> None:
    examples = first(isovist.stream(TASKS, seed=3), 12)
    assert examples == first(isovist.stream(TASKS, seed=3), 12)
    assert examples != first(isovist.stream(TASKS, seed=4), 12)
    assert len({example.id for example in examples}) == 12
    for example in examples:
        item = isovist.item(example.id.partition("/answer")[0])
        assert item.split == "train"
        assert example.turns[0].content == item.prompt
        assert item.answer.score(example.reply).credit == 1


def test_shards_divide_the_examples() -> None:
    whole = first(isovist.stream(TASKS, seed=1), 12)
    parts = [first(isovist.stream(TASKS, seed=1, shard=f"{k}/3"), 4) for k in range(3)]
    assert [parts[n % 3][n // 3] for n in range(12)] == whole


def test_processes_make_the_same_examples_and_a_state_goes_on() -> None:
    whole = first(isovist.stream(TASKS, seed=2), 20)
    ahead = isovist.stream(TASKS, seed=2, workers=2)
    assert first(ahead, 7) == whole[:7]
    state = json.loads(json.dumps(ahead.state_dict()))
    ahead.close()
    for workers in (0, 1):
        again = isovist.stream(TASKS, seed=2, workers=workers)
        again.load_state_dict(state)
        assert first(again, 13) == whole[7:]
        again.close()
    assert first(ahead, 3) == whole[7:10]  # a closed stream goes on
    ahead.close()


def lessons(workers: int, n: int, state: dict[str, Any] | None = None) -> tuple[list[str], dict[str, Any]]:
    """The ids of n examples and the state after them; four responses to each are rewarded after every fourth example."""
    curriculum = Curriculum(target=0.6)
    stream = isovist.stream(["perceptv/counting-circles", "cdr/step-cell-letter"], levels=curriculum, workers=workers)
    if state:
        stream.load_state_dict(state)
    ids: list[str] = []
    for _ in range(n // 4):
        batch = [example.id for example in islice(stream, 4) for _ in range(4)]
        rewards = [float(place % 4 != 0 or "circles" in item_id) for place, item_id in enumerate(batch)]
        curriculum.update_batch(batch, rewards)
        ids += batch[::4]
    stream.close()
    return ids, json.loads(json.dumps(stream.state_dict()))


def test_a_curriculum_and_its_state_do_not_depend_on_the_number_of_processes() -> None:
    whole, end = lessons(0, 56)
    assert end["levels"]["position"]["perceptv/counting-circles"] > 1
    for before, after in ((0, 2), (1, 0), (2, 1)):
        ids, state = lessons(before, 28)
        more, last = lessons(after, 28, state)
        assert ids + more == whole
        assert last == end


def test_a_mixture_has_its_shares() -> None:
    stream = isovist.stream(mixture={"cdr/step-*": 3, "perceptv/counting-circles": 1}, levels=None)
    counts = Counter(stream._plan()[1] for _ in range(4000))
    assert counts["perceptv/counting-circles"] == pytest.approx(1000, abs=100)
    steps = [count for task, count in counts.items() if task.startswith("cdr/step-")]
    assert len(steps) == 3
    assert min(steps) > 900


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "Give either tasks or a mixture"),
        ({"tasks": "cdr/*", "mixture": {"cdr/*": 1}}, "Give either tasks or a mixture"),
        ({"tasks": "cdr/none"}, "cdr/none"),
        ({"tasks": []}, "No tasks"),
        ({"mixture": {}}, "No tasks"),
        ({"tasks": TASKS[0], "levels": "hard"}, "no level 'hard'"),
        ({"tasks": TASKS[0], "split": "dev"}, "split 'dev'"),
        ({"tasks": TASKS[0], "shard": "3/3"}, "Invalid shard"),
        ({"tasks": TASKS[0], "workers": -1}, "Invalid number of workers"),
        ({"mixture": {TASKS[0]: 0}}, "Invalid share"),
        ({"mixture": {"cdr/*": 1, TASKS[0]: 2}}, "two shares"),
        ({"tasks": TASKS[0], "size": "large"}, "size=large"),
    ],
)
def test_invalid_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        isovist.stream(**arguments)


def test_a_state_of_another_stream_is_refused() -> None:
    state = isovist.stream(TASKS[0], seed=1).state_dict()
    with pytest.raises(ValueError, match="seed differ"):
        isovist.stream(TASKS[0], seed=2).load_state_dict(state)
    with pytest.raises(ValueError, match="levels differ"):  # saved without a curriculum
        isovist.stream(TASKS[0], seed=1, levels=Curriculum()).load_state_dict(state)
    with pytest.raises(ValueError, match="another curriculum"):
        Curriculum(target=0.7).load_state_dict(Curriculum().state_dict())


# Curricula --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("able", [1.5, 6.0, 12.0, 17.0])
def test_a_curriculum_finds_the_level_of_50_percent_within_200_items(able: float) -> None:
    """A learner who knows an item of level k with the probability 1 / (1 + exp(k - able))."""
    positions: list[float] = []
    for run in range(5):
        curriculum, rng = Curriculum(), Rng("learner", run)
        task = isovist.task("perceptv/counting-circles")
        for n in range(200):
            level = curriculum.level(task.id, rng.at("level", n))
            right = rng.at("answer", n).chance(1 / (1 + 2.718281828 ** (task.levels.index(level) - able)))
            curriculum.update(str(task.address("train", level, 0, n, {})), float(right))
            if n >= 120:
                positions.append(curriculum.position(task.id))
    assert sum(positions) / len(positions) == pytest.approx(able, abs=0.7)


@pytest.mark.parametrize(("batch", "late", "size"), [(4, 24, 8), (64, 0, 1), (64, 64, 8), (256, 256, 8)])
@pytest.mark.parametrize("able", [3.0, 15.0])
def test_a_curriculum_is_steady_under_rewards_that_arrive_late_and_in_batches(able: float, batch: int, late: int, size: int) -> None:
    """Positions of a learner, with `size` responses to each item and `late` items between plan and reward."""
    curriculum, rng, task = Curriculum(), Rng("late", batch, late), isovist.task("perceptv/counting-circles")
    planned: list[str] = []
    positions: list[float] = []
    for step in range(steps := max(60, 1200 // batch)):
        while len(planned) < late + batch:
            planned.append(curriculum.level(task.id, rng.at("level", step, len(planned))))
        ids = [str(task.address("train", level, 0, n, {})) for n, level in enumerate(planned[:batch])]
        chances = [1 / (1 + 2.718281828 ** (task.levels.index(level) - able)) for level in planned[:batch]]
        rewards = [float(rng.at("answer", step, n).chance(p)) for n, p in enumerate(chances) for _ in range(size)]
        curriculum.update_batch([item_id for item_id in ids for _ in range(size)], rewards)
        del planned[:batch]
        if step >= steps // 2:
            positions.append(curriculum.position(task.id))
    assert sum(positions) / len(positions) == pytest.approx(able, abs=0.5)
    assert max(abs(position - able) for position in positions) < 2.5


def test_a_curriculum_follows_a_learner_that_improves() -> None:
    curriculum, rng, task = Curriculum(), Rng("improves"), isovist.task("perceptv/counting-circles")
    away: list[float] = []
    for n in range(600):
        able = 2 + n / 50
        level = curriculum.level(task.id, rng.at("level", n))
        right = rng.at("answer", n).chance(1 / (1 + 2.718281828 ** (task.levels.index(level) - able)))
        curriculum.update(str(task.address("train", level, 0, n, {})), float(right))
        away.append(curriculum.position(task.id) - able)
    assert abs(sum(away[100:]) / 500) < 0.6
    assert max(map(abs, away[100:])) < 3


@pytest.mark.parametrize(("name", "able"), [("perceptv/counting-circles", 8.0), ("solids/three-views", 1.0)])
@pytest.mark.parametrize(("batch", "steep"), [(8, 1.0), (32, 0.4), (128, 1.0), (512, 0.4), (512, 8.0)])
def test_a_curriculum_does_not_oscillate_on_batches(name: str, able: float, batch: int, steep: float) -> None:
    """The rewards of a batch arrive after all of its items were planned."""
    curriculum, rng, task = Curriculum(), Rng("batches"), isovist.task(name)
    positions: list[float] = []
    for step in range(80):
        planned = [(n, curriculum.level(name, rng.at("level", n))) for n in range(step * batch, (step + 1) * batch)]
        for n, level in planned:
            right = rng.at("answer", n).chance(1 / (1 + math.exp(steep * (task.levels.index(level) - able))))
            curriculum.update(str(task.address("train", level, 0, n, {})), float(right))
        positions.append(curriculum.position(name))
    assert positions[0] <= 1
    assert sum(positions[40:]) / 40 == pytest.approx(able, abs=0.7)
    assert max(positions[40:]) - min(positions[40:]) < 3


def test_an_easy_item_that_is_right_moves_no_level_down() -> None:
    curriculum, task = Curriculum(), isovist.task("perceptv/counting-circles")
    for n in range(1000):
        before = curriculum.position(task.id)
        curriculum.update(str(task.address("train", "2", 0, n, {})), 1.0)
        assert curriculum.position(task.id) >= before
    assert curriculum.position(task.id) == pytest.approx(2, abs=0.01)
    with pytest.raises(ValueError, match="This curriculum uses 1, 3"):
        Curriculum(levels="1,3").update(str(task.address("train", "2", 0, 1, {})), 1.0)


def test_a_curriculum_stays_within_the_levels_of_a_task() -> None:
    curriculum = Curriculum(levels="2,3,5")
    easy, item = (str(isovist.task("perceptv/counting-circles").address("train", level, 0, 1, {})) for level in "25")
    for _ in range(60):
        curriculum.update(item, 1.0)
    assert curriculum.position("perceptv/counting-circles") == 2
    assert curriculum.level("perceptv/counting-circles", Rng("any")) == "5"
    for _ in range(90):
        curriculum.update(easy, 0.0)
    assert curriculum.level("perceptv/counting-circles", Rng("any")) == "2"
    with pytest.raises(ValueError, match="Invalid reward"):
        curriculum.update(item, 1.5)
    with pytest.raises(ValueError, match=r"Invalid level: .* uses 2, 3, 5"):
        curriculum.update(item.replace(":5:", ":4:"), 1.0)
    with pytest.raises(ValueError, match="shorter"):
        curriculum.update_batch([item, item], [1.0])
    with pytest.raises(ValueError, match="Invalid target"):
        Curriculum(target=1.0)


# Conversions ------------------------------------------------------------------------------------------------------------


def test_rows_have_what_the_rewards_need() -> None:
    from isovist.training.rewards import format_reward, reward

    stream = isovist.stream("cdr/step-cell-letter", seed=5)
    examples, rows = first(isovist.stream("cdr/step-cell-letter", seed=5), 3), list(islice(stream.rows(), 3))
    for example, row in zip(examples, rows, strict=True):
        assert row["id"] == example.id
        assert len(row["images"]) == 1
        assert reward([example.reply], [row["ground_truth"]]) == [1.0]
        assert format_reward([example.reply], [row["ground_truth"]], row["style"]) == [1.0]


def test_the_hugging_face_dataset_has_the_rows() -> None:
    pytest.importorskip("datasets")
    stream = isovist.stream("cdr/step-cell-letter", seed=5)
    assert [row["id"] for row in islice(stream.to_hf(), 3)] == [
        example.id for example in first(isovist.stream("cdr/step-cell-letter", seed=5), 3)
    ]


def test_the_torch_dataset_has_the_examples() -> None:
    torch = pytest.importorskip("torch")
    stream = isovist.stream("cdr/step-cell-letter", seed=5)
    loader = torch.utils.data.DataLoader(stream.to_torch(), batch_size=None)
    assert list(islice(loader, 3)) == first(isovist.stream("cdr/step-cell-letter", seed=5), 3)
