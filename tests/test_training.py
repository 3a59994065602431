"""What a training run is told, and the examples it reads: without the libraries that train."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import training_data
from workbench import isovist, refused

from isovist.common.errors import UserError
from isovist.training import training_log
from isovist.training.example_dataset import open_examples
from isovist.training.settings import Data, read
from isovist.training.training_folder import DataFingerprint, Training

RUN = """
[model]
path = "model"
[data]
path = "data"
[train]
epochs = 2
"""


def told(folder: Path, text: str = RUN) -> Path:
    (folder / "run.toml").write_text(text)
    return folder / "run.toml"


# Settings ---------------------------------------------------------------------------------------------------------


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    settings = read(told(tmp_path))
    assert settings.model.path == str(tmp_path / "model")
    assert settings.data.path == str(tmp_path / "data")
    (tmp_path / "model").rmdir()
    assert read(told(tmp_path)).model.path == "model", "an id of the hub"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (RUN.replace("epochs = 2", ""), "one of epochs and steps"),
        (RUN + "steps = 4", "one of epochs and steps"),
        (RUN + "batch = 0", "train.batch: Input should be greater than 0"),
        (RUN + "learning_rate = nan", "train.learning_rate: Input should be a finite number"),
        (RUN + "rate = 1", "train.rate"),
        (RUN + 'batch = "8"', "train.batch"),
        (RUN + "warmup = 1.0", "train.warmup"),
        (RUN + "max_length = -1", "train.max_length"),
        (RUN + '[method]\nkind = "lora"\nfrozen = ["vision"]', "method.frozen"),
        (RUN + '[method]\nkind = "full"\nwhole = ["vision"]', "method.whole"),
        (RUN + "[method]\nrank = 0", "rank"),
        (RUN + '[check]\ndata = {path = "x", style = "loud"}', "check.data.style: Value error, 'loud' is none of"),
        (RUN + "[grpo]\nsize = 3", "no multiple of grpo.size = 3"),
        (RUN + "[grpo]\nsize = 1", "grpo.size: Input should be greater than or equal to 2"),
        (RUN + "[evaluate]\ntasks = []", "evaluate.tasks: Tuple should have at least 1 item"),
        (RUN + '[evaluate]\ntasks = ["cdr/*"]\nstyle = "x"', "evaluate.style: Value error, 'x' is none of"),
        ("[model", "cannot be read as a training run"),
    ],
)
def test_a_run_that_makes_no_sense_is_refused(tmp_path: Path, text: str, words: str) -> None:
    refused(isovist("train", "sft", told(tmp_path, text), "--out", tmp_path / "out"), words, str(tmp_path / "run.toml"))
    assert not (tmp_path / "out").exists()


def test_a_run_that_is_not_there_is_refused(tmp_path: Path) -> None:
    refused(isovist("train", "sft", tmp_path / "no.toml", "--out", tmp_path / "out"), "no such file")


def test_what_makes_it_another_run_is_named(tmp_path: Path) -> None:
    def training(text: str, digest: str = "a") -> Training:
        data = DataFingerprint("data", digest, 1, {})
        return Training("sft", read(told(tmp_path, text)), "model", data, None, "now", {})

    run = training(RUN)
    assert run.differs(training(RUN + "workers = 5")) == []
    assert run.differs(training(RUN + "batch = 1", "b")) == ["train.batch", "the content of data"]
    assert run.differs(training(RUN + '[check]\ndata = {path = "x"}')) == ["check.data", "check.every"]


# The dataset ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return training_data.data(tmp_path_factory.mktemp("training") / "data")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory, rows: Path) -> Path:
    return training_data.mix(tmp_path_factory.mktemp("training") / "mix", rows)


def test_every_example_has_a_place(mixed: Path) -> None:
    from isovist.data.dataset.mixture import read_examples

    dataset = open_examples(Data(str(mixed)), train=True, keyed=False)
    assert [dataset[place] for place in range(len(dataset))] == list(read_examples(mixed))
    assert sum(dataset.counts.values()) == len(dataset) == 28
    backwards = [dataset[place].id for place in reversed(range(len(dataset)))]
    assert backwards[::-1] == [example.id for example in read_examples(mixed)]


def test_each_epoch_has_every_example_once_in_an_order_of_its_own(mixed: Path) -> None:
    dataset = open_examples(Data(str(mixed)), train=True, keyed=False)
    n = len(dataset)

    def ids(count: int, seed: int) -> list[str]:
        return [example.id for example in dataset.ordered(count, seed)]

    every = [example.id for example in dataset]
    first, second = (ids(2 * n, 0)[start : start + n] for start in (0, n))
    assert sorted(first) == sorted(second) == sorted(every)
    assert first not in (second, every, ids(n, 1))
    assert ids(n + 3, 0) == first + second[:3], "a longer run begins like a shorter one"


def test_only_examples_with_a_key_can_be_rewarded(mixed: Path) -> None:
    dataset = open_examples(Data(str(mixed)), train=True, keyed=True)
    assert len(dataset) == sum(dataset.counts.values()) == 24
    assert all(dataset[place].answer is not None for place in range(len(dataset)))


def test_rows_of_a_data_folder_become_examples(rows: Path) -> None:
    dataset = open_examples(Data(str(rows), kind="reasoning", tasks=("cdr/relative-compass-*",)), train=True, keyed=False)
    assert dataset.counts == {"cdr/relative-compass-letter/reasoning": 12}
    assert all("step by step" in dataset[place].turns[0].content for place in range(len(dataset)))
    plain = open_examples(Data(str(rows)), train=True, keyed=True)
    assert {plain[place].turns[1].content for place in range(len(plain))} <= set("ABCDEFGH")


def test_a_sample_is_chosen_by_the_seed(rows: Path) -> None:
    def ids(seed: int) -> list[str]:
        dataset = open_examples(Data(str(rows), n=7), train=True, keyed=False, seed=seed)
        return [dataset[place].id for place in range(len(dataset))]

    assert ids(0) == ids(0)
    assert len(set(ids(0))) == 7
    assert ids(0) != ids(1)
    with pytest.raises(UserError, match=r"n = 25: .*24 examples"):
        open_examples(Data(str(rows), n=25), train=True, keyed=False)


def test_the_longest_of_each_source_is_found(mixed: Path) -> None:
    dataset = open_examples(Data(str(mixed)), train=True, keyed=False)
    every = [dataset[place] for place in range(len(dataset))]
    longest: Counter[str] = Counter()
    for example in every:
        if example.kind != "general":
            longest[example.source] = max(longest[example.source], sum(len(turn.content) for turn in example.turns))
    selected = [every[place] for place in dataset.longest()]
    assert {entry.source: sum(len(turn.content) for turn in entry.turns) for entry in selected} == dict(longest)


def test_items_to_test_on_are_not_trained_on(tmp_path: Path, rows: Path) -> None:
    tests = training_data.data(tmp_path / "tests", n=2, split="test")
    with pytest.raises(UserError, match="No items of the split train"):
        open_examples(Data(str(tests)), train=True, keyed=False)
    assert len(open_examples(Data(str(tests)), train=False, keyed=False)) == 4, "as a check they are welcome"


def test_a_task_without_chains_of_thought_is_reported_before_the_training(data: Path) -> None:
    with pytest.raises(UserError, match="has no reasoning to learn from"):
        open_examples(Data(str(data), kind="reasoning", tasks=("cdr/object-classification-number",)), train=False, keyed=False)


@pytest.mark.parametrize("name", ["train-00000-of-00002.parquet", "isovist-mix.json"])
def test_a_damaged_mixture_is_reported(tmp_path: Path, rows: Path, name: str) -> None:
    folder = training_data.mix(tmp_path / "mix", rows)
    (folder / name).write_bytes((folder / name).read_bytes()[:-40])
    with pytest.raises(UserError, match=name):
        open_examples(Data(str(folder)), train=True, keyed=False)


# The journal ------------------------------------------------------------------------------------------------------

HISTORY = [
    {"step": 1, "loss": 2.0, "learning_rate": 0.1, "epoch": 0.5},
    {"step": 2, "loss": 1.0, "learning_rate": 0.05, "epoch": 1.0},
    {"step": 2, "eval_loss": 1.5, "epoch": 1.0},
    {"step": 2, "train_loss": 1.5, "train_runtime": 3.0, "total_flos": 1.0, "epoch": 1.0},
]


def test_the_log_has_a_line_a_step() -> None:
    assert training_log.log_table(HISTORY).to_csv() == "step,loss,learning_rate,eval_loss\n1,2.0,0.1,\n2,1.0,0.05,1.5\n"


def test_the_curves_are_what_is_drawn() -> None:
    assert training_log.curves_csv(training_log.log_table(HISTORY)) == (
        "curve,of,step,value\nloss,training,1,2.0\nloss,training,2,1.0\nloss,held out,2,1.5\nlearning rate,training,1,0.1\n"
        "learning rate,training,2,0.05\n"
    )


def test_the_curves_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from PIL import Image

    training_log.draw(training_log.log_table([]), tmp_path / "none.png")
    assert not (tmp_path / "none.png").exists()
    training_log.draw(training_log.log_table(HISTORY), tmp_path / "curves.png")
    with Image.open(tmp_path / "curves.png") as drawn:
        colours = {colour for _, colour in drawn.convert("RGB").getcolors(1 << 24) or ()}
    assert {(0, 114, 178), (213, 94, 0)} <= colours, "a line for training and a mark for what was held out"


# The examples -----------------------------------------------------------------------------------------------------

EXAMPLES = sorted((Path(__file__).parent.parent / "examples" / "training").glob("*.toml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_can_be_read(path: Path) -> None:
    settings = read(path)
    assert settings.model.path == "llava-hf/llava-1.5-7b-hf"
    assert settings.evaluate is not None


def test_there_is_an_example_of_each_way() -> None:
    assert [bool(read(path).grpo) for path in EXAMPLES] == [True, False]
    assert [read(path).train.max_length for path in EXAMPLES if not read(path).grpo] == [1024], "the paper's context"
