"""Training runs with tiny models of random weights: what is learnt, what is kept, what goes on after a kill.

They need TRL, PEFT and torch and are skipped without them; `just test-train` runs them all.
"""

from __future__ import annotations

import asyncio
import csv
import importlib
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import training_data
from PIL import Image
from workbench import done, isovist, refused, started, until

from isovist.common.errors import UserError
from isovist.core.answers import read_key
from isovist.data.dataset.training_examples import ChatMessage, TrainingExample
from isovist.evaluation.models import GenerationConfig, ModelRequest, model
from isovist.training import example_stream
from isovist.training.curriculum import Curriculum
from isovist.training.example_dataset import open_examples
from isovist.training.rewards import curriculum_reward, reward
from isovist.training.settings import Data, Model

for _library in ("torch", "trl", "peft", "accelerate"):
    pytest.importorskip(_library, reason=f"{_library} is not installed; `just test-train` runs this")

KINDS = ("llava", "idefics3")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model, by its family."""
    import tiny_vlm

    tiny_vlm.torch.set_num_threads(1)
    base = tmp_path_factory.mktemp("tiny")
    return lambda kind: base / kind if (base / kind).exists() else tiny_vlm.BUILDERS[kind](base / kind)


@pytest.fixture(scope="session")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return training_data.data(tmp_path_factory.mktemp("trained") / "data")


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory, rows: Path) -> Path:
    return training_data.mix(tmp_path_factory.mktemp("trained") / "mix", rows)


def told(path: Path, model: Path, data: Path, more: str = "", train: str = "steps = 6", **data_settings: str) -> Path:
    of_data = "".join(f"{name} = {value!r}\n" for name, value in data_settings.items())
    path.write_text(f"""
[model]
path = {str(model)!r}
[data]
path = {str(data)!r}
{of_data}
[train]
batch = 2
accumulate = 2
learning_rate = 1e-2
warmup = 0.0
workers = 0
log_every = 1
save_every = 2
{train}
{more}
""")
    return path


LORA = '[method]\ntargets = ["q_proj", "v_proj"]\nrank = 4\ndropout = 0.1'
FULL = '[method]\nkind = "full"\nfrozen = ["vision_tower"]'


def log(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((folder / "log.csv").read_text())))


def losses(folder: Path) -> list[tuple[int, float]]:
    return [(int(line["step"]), float(line["loss"])) for line in log(folder) if line["loss"]]


# What is learnt ---------------------------------------------------------------------------------------------------


def picture(seed: int) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.random.default_rng(seed).integers(0, 255, (60, 60, 3), dtype=np.uint8)).save(file, "PNG")
    return file.getvalue()


TALK = TrainingExample(
    "general/7", "general", "general", "", (picture(1),),
    (
        ChatMessage("user", "<image>\nWhat is this?"), ChatMessage("assistant", "A map."),
        ChatMessage("user", "Of what?"), ChatMessage("assistant", "Of letters."),
    ),
)  # fmt: skip
WORDS = TrainingExample(
    "general/8", "general", "general", "", (), (ChatMessage("user", "Where is North?"), ChatMessage("assistant", "Up."))
)
TWO = TrainingExample(
    "own/1", "answer", "cdr/x", "", (picture(2), picture(3)),
    (ChatMessage("user", "First <image> then <image>\nwhich?"), ChatMessage("assistant", "B")),
)  # fmt: skip


def loaded(folder: Path) -> Any:
    from isovist.training.trainers import weights

    return weights(Model(str(folder)))


@pytest.mark.parametrize("kind", KINDS)
def test_only_what_the_model_is_to_say_is_learnt_and_where_it_ends(tiny: Callable[[str], Path], kind: str) -> None:
    from isovist.training.chat_collator import IGNORE_INDEX, ChatCollator

    model = loaded(tiny(kind))
    tokenizer = model.processor.tokenizer
    batch = ChatCollator(model).batch([TALK, TWO])

    def learnt(row: int) -> str:
        labels = batch["labels"][row]
        kept = labels[labels != IGNORE_INDEX]
        assert (batch["input_ids"][row][labels != IGNORE_INDEX] == kept).all()
        return str(tokenizer.decode(kept, skip_special_tokens=False)).replace("<end_of_utterance>", "")

    assert [words.strip() for words in learnt(0).split("</s>")] == ["A map.", "Of letters.", ""]
    assert [words.strip() for words in learnt(1).split("</s>")] == ["B", ""]
    assert batch["input_ids"].shape == batch["labels"].shape == batch["attention_mask"].shape
    assert (batch["labels"][batch["attention_mask"] == 0] == IGNORE_INDEX).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_prompt_is_the_one_that_a_model_is_asked_with(tiny: Callable[[str], Path], kind: str) -> None:
    from isovist.evaluation.models.local.generation import Generation
    from isovist.training.chat_collator import ChatCollator

    model = loaded(tiny(kind))
    rows, prompts = ChatCollator(model).encoded([TWO])
    asked = Generation(model, GenerationConfig())._inputs([ModelRequest("x", TWO.turns[0].content, TWO.images)])
    assert rows[0].ids[: rows[0].prompt] == asked["input_ids"][0].tolist()
    assert (prompts["pixel_values"] == asked["pixel_values"]).all()
    assert rows[0].prompt == len(asked["input_ids"][0])


@pytest.mark.parametrize("kind", KINDS)
def test_words_alone_and_pictures_make_one_batch(tiny: Callable[[str], Path], kind: str) -> None:
    """Each row comes to the loss that it has alone."""
    from isovist.training.chat_collator import ChatCollator

    model = loaded(tiny(kind))
    torch, rows = model.torch, ChatCollator(model)

    def loss(*examples: TrainingExample) -> tuple[float, int]:
        batch = rows.batch(examples)
        with torch.no_grad():
            mean_loss = model.model(**batch).loss
        return float(mean_loss), int((batch["labels"][:, 1:] != -100).sum())

    whole, count = loss(TALK, WORDS, TWO)
    alone = [loss(example) for example in (TALK, WORDS, TWO)]
    assert sum(n for _, n in alone) == count
    assert whole == pytest.approx(sum(value * n for value, n in alone) / count, rel=1e-4)


def test_a_longer_row_is_refused_or_cut_but_never_inside_its_pictures(tiny: Callable[[str], Path]) -> None:
    from isovist.training.chat_collator import ChatCollator

    model = loaded(tiny("llava"))
    full = ChatCollator(model).encoded([TALK])[0][0]
    image = model.processor.tokenizer.convert_tokens_to_ids("<image>")
    last = max(i for i, id in enumerate(full.ids) if id == image) + 1
    cut = ChatCollator(model, full.prompt + 2).encoded([TALK])[0][0]
    assert cut.ids == full.ids[: full.prompt + 2]
    assert any(cut.label_mask)
    assert len(ChatCollator(model, last).encoded([TALK])[0][0].ids) == last
    with pytest.raises(UserError, match=rf"max_length = {last - 1}: general/7 \({len(full.ids)} tokens"):
        ChatCollator(model, last - 1).encoded([TALK])
    example = replace(TALK, kind="reasoning")
    assert ChatCollator(model, len(full.ids)).encoded([example])[0][0] == full
    with pytest.raises(UserError, match="max_length"):
        ChatCollator(model, len(full.ids) - 1).encoded([example])


@pytest.mark.parametrize(
    ("example", "words"),
    [
        (replace(TALK, images=()), "Images without a placeholder"),
        (
            replace(
                TALK, turns=(*TALK.turns[:2], ChatMessage("user", "<image> and this?"), TALK.turns[3]), images=(picture(1), picture(2))
            ),
            "mark",
        ),
        (replace(TALK, turns=TALK.turns[:3]), "do not alternate"),
        (replace(TALK, turns=(TALK.turns[0], *TALK.turns[2:])), "do not alternate"),
    ],
)
def test_a_conversation_that_cannot_be_told_is_named(example: TrainingExample, words: str) -> None:
    from isovist.training.chat_collator import messages

    with pytest.raises(UserError, match=f"general/7: .*{words}"):
        messages(example)


# Runs -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "share"), [(LORA, 0.1), (FULL, 0.9)])
def test_a_run_leaves_what_it_says_and_its_model_answers(
    tiny: Callable[[str], Path], mixed: Path, tmp_path: Path, method: str, share: float
) -> None:
    run = told(tmp_path / "run.toml", tiny("llava"), mixed, f"{method}\n[check]\nevery = 3\ndata = {{path = {str(mixed)!r}, n = 4}}")
    ended = done("train", "sft", run, "--out", tmp_path / "out")
    assert "6 steps over 28 examples on cpu" in ended.out
    assert {path.name for path in (tmp_path / "out").iterdir() if not path.name.startswith(".")} == {
        "settings.json", "data-manifest.json", "log.csv", "curves.csv", "curves.png", "model", "checkpoints"
    }  # fmt: skip
    settings = json.loads((tmp_path / "out" / "settings.json").read_text())
    assert settings["outcome"]["steps"] == 6
    assert 0 < settings["outcome"]["trained"] / settings["outcome"]["parameters"] < share
    assert settings["versions"]["trl"]
    assert (tmp_path / "out" / "data-manifest.json").read_bytes() == (mixed / "isovist-mix.json").read_bytes()
    assert [int(line["step"]) for line in log(tmp_path / "out")] == [1, 2, 3, 4, 5, 6]
    assert [line["step"] for line in log(tmp_path / "out") if line["eval_loss"]] == ["3", "6"]
    again = done("train", "sft", run, "--out", tmp_path / "out")
    assert again.out == ended.out, "a run that is done is not done again"
    assert json.loads((tmp_path / "out" / "settings.json").read_text()) == settings

    asked = done(
        "run", training_data.TASK, "--n", 2, "--workers", 1, "--model", f"hf/{tmp_path / 'out' / 'model'}?device=cpu", "--max-tokens", 4,
        "--out", tmp_path / "asked", "--no-confirm",
    )  # fmt: skip
    assert "2 items" in asked.out
    records = [json.loads(line) for line in (tmp_path / "asked" / "records.jsonl").read_text().splitlines()]
    assert [record["error"] for record in records] == ["", ""]


def test_training_teaches(tiny: Callable[[str], Path], rows: Path, tmp_path: Path) -> None:
    """Shown few examples often, the model says them by heart, ends there, and is loaded as it was when it was saved."""
    run = told(tmp_path / "run.toml", tiny("llava"), rows, '[method]\nkind = "full"', "steps = 25\nschedule = 'constant'")
    text = run.read_text().replace("accumulate = 2", "accumulate = 1").replace("save_every = 2", "save_every = 100")
    run.write_text(text.replace("[data]", "[data]\nn = 2"))
    done("train", "sft", run, "--out", tmp_path / "out")
    dataset = open_examples(Data(str(rows), n=2), train=True, keyed=False)
    examples = [dataset[0], dataset[1]]
    assert examples[0].reply != examples[1].reply
    asked = model(f"hf/{tmp_path / 'out' / 'model'}?device=cpu", GenerationConfig(max_tokens=8))
    replies = [asyncio.run(asked.reply(ModelRequest(example.id, example.turns[0].content, example.images))) for example in examples]  # type: ignore[union-attr]
    assert [(reply.text.strip(), reply.finish_reason) for reply in replies] == [(example.reply, "stop") for example in examples]


def test_a_killed_run_goes_on_as_if_nothing_had_been(tiny: Callable[[str], Path], mixed: Path, tmp_path: Path) -> None:
    run = told(tmp_path / "run.toml", tiny("llava"), mixed, LORA, "epochs = 1.5")
    done("train", "sft", run, "--out", tmp_path / "whole")
    whole = losses(tmp_path / "whole")
    assert [step for step, _ in whole] == list(range(1, 12))

    with started("train", "sft", run, "--out", tmp_path / "killed", OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="") as process:
        until((tmp_path / "killed" / "checkpoints" / "checkpoint-4" / "trainer_state.json").exists, seconds=300)
        process.send_signal(signal.SIGKILL)
    assert not (tmp_path / "killed" / "model").exists()
    (tmp_path / "killed" / "checkpoints" / "checkpoint-90").mkdir()  # one that was being written
    done("train", "sft", run, "--out", tmp_path / "killed")
    assert losses(tmp_path / "killed") == whole, "drop-out and the order of examples go on too"
    assert not (tmp_path / "killed" / "checkpoints" / "checkpoint-90").exists()
    for path in (tmp_path / "whole" / "model").iterdir():
        assert (tmp_path / "killed" / "model" / path.name).read_bytes() == path.read_bytes(), path.name


def test_the_example_of_the_paper_runs_with_a_tiny_model(tiny: Callable[[str], Path], rows: Path, tmp_path: Path) -> None:
    """All of it but the model, the data and how long it takes."""
    text = (Path(__file__).parent.parent / "examples" / "training" / "llava-1.5-7b-lora.toml").read_text()
    for old, new in (
        ("llava-hf/llava-1.5-7b-hf", str(tiny("llava"))),
        ("mixes/cdr-cot-all-40k", str(rows)),
        ("batch = 16\naccumulate = 8", "batch = 4\naccumulate = 2"),
        ("rank = 128\nalpha = 256", "rank = 4\nalpha = 8"),
        ("workers = 4", "workers = 1"),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "run.toml").write_text(text)
    ended = done("train", "sft", tmp_path / "run.toml", "--out", tmp_path / "out")
    assert "3 steps over 24 examples" in ended.out
    weights = importlib.import_module("safetensors").safe_open(tmp_path / "out" / "model" / "adapter_model.safetensors", framework="pt")
    with weights as file:
        names = list(file.keys())
    assert all("language_model" in name or "multi_modal_projector.linear" in name for name in names)
    assert any("multi_modal_projector" in name for name in names)


def test_ctrl_c_leaves_a_checkpoint(tiny: Callable[[str], Path], mixed: Path, tmp_path: Path) -> None:
    run = told(tmp_path / "run.toml", tiny("llava"), mixed, LORA, "steps = 400")
    run.write_text(run.read_text().replace("save_every = 2", "save_every = 1000").replace("workers = 0", "workers = 1"))
    with started("train", "sft", run, "--out", tmp_path / "out", OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="") as process:
        until((tmp_path / "out" / "log.csv").exists, seconds=300)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the processes that read are meant too
        assert process.wait(300) == 130
        assert process.stderr is not None
        assert "Run the same command again to resume" in process.stderr.read()
    (checkpoint,) = (tmp_path / "out" / "checkpoints").glob("checkpoint-*")
    assert (checkpoint / "trainer_state.json").exists()
    assert int(checkpoint.name.partition("-")[2]) == losses(tmp_path / "out")[-1][0]


def test_another_run_in_the_same_folder_is_refused(tiny: Callable[[str], Path], mixed: Path, tmp_path: Path) -> None:
    run = told(tmp_path / "run.toml", tiny("llava"), mixed, LORA, "steps = 1")
    done("train", "sft", run, "--out", tmp_path / "out")
    before = (tmp_path / "out" / "settings.json").read_bytes()
    for old, new, words in (
        ("learning_rate = 1e-2", "learning_rate = 2e-2", "train.learning_rate"),
        ("rank = 4", "rank = 8", "method.rank"),
        (str(mixed), str(shutil.copytree(mixed, tmp_path / "other", dirs_exist_ok=True)), "data.path"),
    ):
        other = tmp_path / "changed.toml"
        other.write_text(run.read_text().replace(old, new))
        assert other.read_text() != run.read_text()
        refused(isovist("train", "sft", other, "--out", tmp_path / "out"), f"Training run with another {words};")
    assert (tmp_path / "out" / "settings.json").read_bytes() == before
    run.write_text(run.read_text().replace("workers = 0", "workers = 1") + '\n[evaluate]\ntasks = ["cdr/*"]')
    done("train", "sft", run, "--out", tmp_path / "out")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('"q_proj"', '"no_proj"'), "no module whose name ends in 'no_proj'"),
        (("steps = 1", "steps = 1\nmax_length = 20"), "max_length is 20"),
        (("[method]", '[method]\nwhole = ["nowhere"]'), "'nowhere'"),
    ],
)
def test_what_does_not_fit_the_model_leaves_nothing_behind(
    tiny: Callable[[str], Path], mixed: Path, tmp_path: Path, change: tuple[str, str], words: str
) -> None:
    run = told(tmp_path / "run.toml", tiny("llava"), mixed, LORA, "steps = 1")
    run.write_text(run.read_text().replace(*change))
    refused(isovist("train", "sft", run, "--out", tmp_path / "out"), words)
    assert not (tmp_path / "out" / "settings.json").exists()


def test_an_unusable_example_is_also_reported_from_a_data_worker(tiny: Callable[[str], Path], rows: Path, tmp_path: Path) -> None:
    shown = replace(training_data.general(1)[0], turns=(ChatMessage("user", "<image> What is this?"), ChatMessage("assistant", "A map.")))
    mix = training_data.mix(tmp_path / "mix", rows, other=[shown])
    run = told(tmp_path / "run.toml", tiny("llava"), mix, LORA, "epochs = 1")
    run.write_text(run.read_text().replace("workers = 0", "workers = 1"))
    line = refused(isovist("train", "sft", run, "--out", tmp_path / "out"), "general/0: Images without a placeholder <image>")
    assert "Traceback" not in line


# Adapters ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def adapted(tiny: Callable[[str], Path], mixed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A LoRA run with a module that is trained whole."""
    base = tmp_path_factory.mktemp("adapted")
    method = LORA.replace("[method]", '[method]\nwhole = ["linear_2"]')
    done("train", "sft", told(base / "run.toml", tiny("llava"), mixed, method), "--out", base / "out")
    return base / "out" / "model"


def test_an_adapter_answers_as_its_merged_model_does(adapted: Path, tiny: Callable[[str], Path], tmp_path: Path) -> None:
    from isovist.evaluation.models.local import settings
    from isovist.evaluation.models.local.weights import load

    peft = pytest.importorskip("peft")
    ours = load(settings(f"hf/{adapted}"))
    base = load(settings(f"hf/{tiny('llava')}"))
    batch = ours.processor(images=[Image.new("RGB", (40, 40), "red")], text=["<image>where is it?"], return_tensors="pt")
    with ours.torch.no_grad():
        before = base.model(**batch).logits
        here = ours.model(**batch).logits
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # between PEFT and transformers
            merged = peft.PeftModel.from_pretrained(base.model, str(adapted)).merge_and_unload()(**batch).logits
    assert ours.torch.allclose(here, merged, atol=1e-3)
    assert not ours.torch.allclose(here, before, atol=1e-1)
    assert ours.served_by == f"{tiny('llava')}, adapter {adapted}"


def test_an_unusable_adapter_is_reported(adapted: Path, tmp_path: Path) -> None:
    def spoilt(change: Callable[[Path], object]) -> str:
        folder = Path(shutil.copytree(adapted, tmp_path / "spoilt", dirs_exist_ok=True))
        change(folder)
        return refused(isovist("run", "cdr/*", "--model", f"hf/{folder}", "--out", tmp_path / "run"))

    def told(folder: Path, **values: object) -> None:
        path = folder / "adapter_config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | values))

    assert "Base model of the adapter does not exist" in spoilt(lambda folder: told(folder, base_model_name_or_path="/nowhere/base"))
    assert "No base model" in spoilt(lambda folder: (folder / "adapter_config.json").write_text("{"))
    assert "Megatron" in spoilt(lambda folder: told(folder, megatron_config={"x": 1}, megatron_core="os"))
    assert "Adapter has no weights for" in spoilt(lambda folder: told(folder, target_modules=["q_proj", "v_proj", "k_proj"]))
    assert "Missing adapter_model.safetensors" in spoilt(lambda folder: (folder / "adapter_model.safetensors").unlink())
    assert not (tmp_path / "run").exists()


def test_a_model_is_measured_before_and_after(adapted: Path, tiny: Callable[[str], Path], tmp_path: Path) -> None:
    training = Path(shutil.copytree(adapted.parent, tmp_path / "training"))
    run = tmp_path / "evaluate.toml"
    run.write_text(
        (adapted.parent.parent / "run.toml").read_text()
        + f"""
[evaluate]
tasks = ["{training_data.TASK}", "cdr/object-classification-number"]
n = 3
style = "direct"
max_tokens = 4
"""
    )
    refused(isovist("train", "evaluate", training), "Missing table [evaluate]")
    ended = done("train", "evaluate", training, "--toml", run, "--device", "cpu")
    evaluation = training / "evaluation"
    assert ended.out.endswith((evaluation / "training.md").read_text() + "\n")
    rows = {row["task"]: row for row in csv.DictReader(io.StringIO((evaluation / "training.csv").read_text()))}
    assert {task: row["trained"] for task, row in rows.items()} == {training_data.TASK: "1", "cdr/object-classification-number": "0"}
    assert all(row["n"] == "3" and row["missing"] == "0" for row in rows.values())
    served = {
        name: json.loads((evaluation / name / "records.jsonl").read_text().splitlines()[0])["served_by"] for name in ("before", "after")
    }
    assert served == {"before": str(tiny("llava")), "after": f"{tiny('llava')}, adapter {training / 'model'}"}
    again = done("train", "evaluate", training, "--toml", run, "--device", "cpu")
    assert "6 items (" in again.out
    assert again.out.count(", 0 evaluated now") == 2
    shutil.rmtree(training / "model")
    refused(isovist("train", "evaluate", training, "--toml", run), "incomplete")


def test_a_run_does_not_begin_from_an_adapter(adapted: Path, mixed: Path, tmp_path: Path) -> None:
    run = told(tmp_path / "run.toml", adapted, mixed, LORA)
    refused(isovist("train", "sft", run, "--out", tmp_path / "out"), "an adapter", "merge")


# Rewards ----------------------------------------------------------------------------------------------------------

GRPO = LORA + "\n[grpo]\nsize = 2\nmax_tokens = 6\n"


def test_a_model_is_trained_on_rewards(tiny: Callable[[str], Path], mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import isovist.training.rewards

    seen: list[tuple[str, str]] = []
    reward = isovist.training.rewards.reward

    def judged(completions: list[Any], ground_truth: list[str], **more: Any) -> list[float | None]:
        seen.extend(zip(ground_truth, more["style"], strict=True))
        reward(completions, ground_truth, **more)  # random words earn nothing, so the length stands in for a score
        return [float(len(str(completion)) % 3) for completion in completions]

    judged.__name__ = "reward"
    monkeypatch.setattr(isovist.training.rewards, "reward", judged)
    run = told(
        tmp_path / "run.toml", tiny("llava"), mixed, f"{GRPO}\n[check]\nevery = 3\ndata = {{path = {str(mixed)!r}, n = 2}}", "steps = 3"
    )
    ended = done("train", "grpo", run, "--out", tmp_path / "out")
    assert "3 steps over 24 examples on cpu" in ended.out, "general data have no key, and are left out"
    keys = {truth for truth, _ in seen}
    assert all(json.loads(key) for key in keys)
    assert {style for _, style in seen} == {"direct", "step-by-step"}
    train = [truth for truth, _ in seen[: 3 * 4]]
    assert train[0::2] == train[1::2], "the replies to one question stand together"
    lines = log(tmp_path / "out")
    assert [line["step"] for line in lines] == ["1", "2", "3"]
    assert all(line["rewards/reward/mean"] and line["rewards/format_reward/mean"] for line in lines)
    assert lines[-1]["eval_rewards/reward/mean"]
    curves = (tmp_path / "out" / "curves.csv").read_text()
    assert "reward: right answers,training,1," in curves
    assert "reward: right answers,held out,3," in curves
    assert (tmp_path / "out" / "model" / "adapter_model.safetensors").is_file()


def test_a_run_on_rewards_goes_on(tiny: Callable[[str], Path], rows: Path, tmp_path: Path) -> None:
    """Stopped after some steps and taken up again, it comes to the same as an unbroken one."""
    from isovist.training import runner as module
    from isovist.training.settings import read

    settings = read(told(tmp_path / "run.toml", tiny("llava"), rows, GRPO, "steps = 4"))
    module.train("grpo", settings, tmp_path / "whole")

    def stopped(step: int, steps: int, logged: dict[str, float]) -> None:
        if step == 3 and not logged:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        module.train("grpo", settings, tmp_path / "broken", stopped)
    assert not (tmp_path / "broken" / "model").exists()
    module.train("grpo", settings, tmp_path / "broken")

    def told_of(folder: Path) -> list[tuple[str, str, str]]:
        return [(line["step"], line["completions/mean_length"], line["entropy"]) for line in log(folder)]

    assert told_of(tmp_path / "broken") == told_of(tmp_path / "whole")


def test_rewards_need_their_table(tiny: Callable[[str], Path], rows: Path, tmp_path: Path) -> None:
    refused(isovist("train", "grpo", told(tmp_path / "run.toml", tiny("llava"), rows, LORA), "--out", tmp_path / "out"), "[grpo]")


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of transformers, about an argument of TRL
def test_grpo_of_trl_trains_on_a_stream_with_images_and_a_curriculum(tiny: Callable[[str], Path], tmp_path: Path) -> None:
    trl, transformers = importlib.import_module("trl"), importlib.import_module("transformers")
    curriculum = Curriculum()
    stream = example_stream.stream(["perceptv/counting-circles", "cdr/step-cell-letter"], levels=curriculum)
    update, seen = curriculum_reward(curriculum), list[str]()

    def answered(completions: list[Any], id: list[str], **columns: Any) -> list[float | None]:
        assert reward(completions, **columns) == [0.0] * len(id)  # random words earn nothing
        seen.extend(id)
        return update([f"Answer: {read_key(key).canonical()}" for key in columns["ground_truth"]], id=id, **columns)

    settings = {"max_steps": 10, "per_device_train_batch_size": 4, "num_generations": 2, "max_completion_length": 6, "save_strategy": "no"}
    trainer = trl.GRPOTrainer(
        model=transformers.AutoModelForImageTextToText.from_pretrained(tiny("llava")),
        reward_funcs=[answered],
        args=trl.GRPOConfig(output_dir=str(tmp_path), report_to="none", use_cpu=True, disable_tqdm=True, **settings),
        train_dataset=stream.to_hf(),
        processing_class=transformers.AutoProcessor.from_pretrained(tiny("llava")),
    )
    trainer.train()
    assert len(seen) == 10 * 4
    assert len(set(seen)) == 10 * 2
    assert curriculum.position("perceptv/counting-circles") > 0.5


PROCESS = """
import sys
from accelerate import PartialState
from isovist.core.answers import Count, key_json
from isovist.training.curriculum import Curriculum
from isovist.training.rewards import curriculum_reward

rank, curriculum = PartialState(cpu=True).process_index, Curriculum()
ids = [f"perceptv/counting-circles@4:train:1:0:{2 * rank + n // 2}" for n in range(4)]
rewards = curriculum_reward(curriculum)([f"Answer: {3 + int(rank == 1 == n)}" for n in range(4)], id=ids, ground_truth=[key_json(Count(3))] * 4)
curriculum_reward(curriculum)(["Answer: 3"], ground_truth=[key_json(Count(3))])  # evaluation data without ids
print(rank, rewards, curriculum.state_dict()["position"])
"""


def test_each_process_of_accelerate_updates_its_curriculum_with_the_rewards_of_all() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    common = {**os.environ, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "ACCELERATE_USE_CPU": "true"}
    environments = [{**common, "RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(2)]
    started = [subprocess.Popen([sys.executable, "-c", PROCESS], env=env, stdout=subprocess.PIPE, text=True) for env in environments]
    said = [process.communicate(timeout=300)[0].strip().split(" ", 1) for process in started]
    assert [rank for rank, _ in said] == ["0", "1"]
    rewards, positions = zip(*(rest.split("] ") for _, rest in said), strict=True)
    assert rewards == ("[1.0, 1.0, 1.0, 1.0", "[1.0, 0.0, 1.0, 1.0")
    curriculum = Curriculum()
    ids = [f"perceptv/counting-circles@4:train:1:0:{n // 2}" for n in range(8)]
    curriculum.update_batch(ids, [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0])
    assert set(positions) == {str(curriculum.state_dict()["position"])}
