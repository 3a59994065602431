"""What Isovist's tasks inside Inspect AI ask, how parameters choose it, and that Inspect AI's command finds them."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import inspect_ai
import pytest
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import read_eval_log
from inspect_ai.model import ContentImage
from inspecting import MARK, alone, asked, asking, logged
from scripted import Said, fault, serving
from workbench import done, stored

import isovist as package
from isovist.common.errors import UserError
from isovist.core.answers import from_json
from isovist.data.dataset.generate import generate
from isovist.data.dataset.generation_request import requested
from isovist.data.item_options import ItemOptions
from isovist.evaluation.inspect_tasks import TASKS, _sample
from isovist.evaluation.run.variants import Trial, VariantSettings, trials
from isovist.suites import registry

__all__ = ["alone"]
LETTERS = "cdr/relative-compass-letter"
COMMAND = Path(sys.executable).with_name("inspect")

pytestmark = MARK

# What is asked ----------------------------------------------------------------------------------------------------


def ids(name: str, **args: Any) -> list[str]:
    return [str(sample.id) for sample in TASKS[name](**args).dataset]


def test_a_sample_is_the_item_with_the_very_bytes_of_the_data_folder(data: Path) -> None:
    rows = {row.id: row for row in stored(data)}
    samples = list(TASKS["cdr"](data=str(data)).dataset)
    assert sorted(str(sample.id) for sample in samples) == sorted(rows)
    for sample in samples:
        row = rows[str(sample.id)]
        (message,) = sample.input
        assert not isinstance(message, str)
        assert message.role == "user"
        pictures = [part.image for part in message.content if isinstance(part, ContentImage)]
        assert [base64.b64decode(picture.removeprefix("data:image/png;base64,"), validate=True) for picture in pictures] == [*row.images]
        assert sample.target == row.answer
        assert sample.metadata is not None
        assert from_json(sample.metadata["answer"]) == row.key
        metadata = {name: sample.metadata[name] for name in ("item", "task", "level", "chance", "group", "attributes")}
        assert metadata == {
            "item": row.id, "task": row.task, "level": row.level, "chance": row.chance, "group": row.group, "attributes": row.metadata.attributes,
        }  # fmt: skip
    assert any(sample.metadata and sample.metadata["attributes"] for sample in samples)


def test_pictures_stand_where_the_prompt_places_them(data: Path) -> None:
    one, other = (row.images[0] for row in stored(data)[:2])
    row = replace(stored(data)[0], images=(one, other))
    (message,) = _sample(Trial(row, "", "From <image>\nto <image>\nis where?", row.images, row.key)).input
    assert not isinstance(message, str)
    shown = [base64.b64decode(part.image.partition(",")[2]) if isinstance(part, ContentImage) else part.text for part in message.content]  # type: ignore[union-attr]
    assert shown == ["From ", one, "to ", other, "is where?"]


def test_there_is_a_task_for_each_suite_and_each_task_of_the_registry() -> None:
    known = registry.tasks()
    assert set(TASKS) == {task.suite for task in known.values()} | {id.replace("/", "_").replace("-", "_") for id in known}
    assert {package.item(id).task.id for id in ids("cdr", n=1)} == {id for id in known if id.startswith("cdr/")}
    assert ids("cdr_spatial_direction_icon", n=2) == [item.id for item in package.generate("cdr/spatial-direction-icon", n=2)]


def test_parameters_choose_the_items_as_they_do_elsewhere() -> None:
    name = "cdr_relative_compass_letter"
    assert len(ids(name)) == 100
    chosen: list[dict[str, Any]] = [{"seed": 3}, {"split": "train"}, {"level": "standard"}, {"order": "paper", "size": 120}]
    for args in chosen:
        assert ids(name, n=3, **args) == [item.id for item in package.generate(LETTERS, n=3, **args)]
    for args in ({"prompt_style": "direct"}, {}):
        prompts = [sample.input[0].content[-1].text for sample in TASKS[name](n=3, **args).dataset]  # type: ignore[union-attr]
        assert all(("and nothing else" in prompt) == ("prompt_style" in args) for prompt in prompts)


def test_stored_items_may_be_asked_in_part_and_in_another_style(data: Path) -> None:
    assert sorted(ids("cdr", data=str(data), n=2)) == sorted(row.id for row in stored(data) if row.index < 2)
    assert ids("cdr_relative_compass_letter", data=str(data)) == [row.id for row in stored(data, LETTERS)]
    (first, *_) = TASKS["cdr"](data=str(data), prompt_style="direct").dataset
    assert "and nothing else" in first.input[0].content[-1].text  # type: ignore[union-attr]


def test_some_tasks_of_a_suite_may_be_asked_and_come_in_turn(data: Path) -> None:
    icons = ["cdr/relative-compass-icon", "cdr/relative-spatial-icon"]
    item_ids = ids("cdr", n=2, tasks=["relative-*-icon", "cdr/object-classification-letter"])
    made = [[item.id for item in package.generate(name, n=2)] for name in (*icons, "cdr/object-classification-letter")]
    assert item_ids == [part[turn] for turn in (0, 1) for part in made]  # so Inspect AI's own --limit asks all alike
    assert ids("cdr", data=str(data), n=3, tasks="*-icon") == [row.id for row in stored(data, "cdr/spatial-direction-icon")][:3]
    with pytest.raises(UserError, match=f"{LETTERS} is one task: tasks=x"):
        TASKS["cdr_relative_compass_letter"](tasks="x")


def test_stored_items_may_be_asked_by_their_split(data: Path, tmp_path: Path) -> None:
    for split in ("test", "train"):
        done("generate", LETTERS, "--n", 2, "--split", split, "--workers", 1, "--out", tmp_path / "two")
    test, train = (ids("cdr", tasks=LETTERS, split=split, n=2) for split in ("test", "train"))
    assert ids("cdr", data=str(tmp_path / "two")) == test  # as `isovist run --data`
    assert ids("cdr", data=str(tmp_path / "two"), split="train") == train


def test_variants_are_samples_of_their_own_with_the_texts_images_and_keys_of_a_run(data: Path) -> None:
    names = ["no-image", "blank-image", "mismatched-image", "circular", "style:direct"]
    settings = VariantSettings(
        no_image=True, blank_image=True, mismatched_image=True, circular_eval=True, prompt_styles=("direct",)
    )  # fmt: skip
    expected = {
        f"{trial.row.id} {trial.variant}".strip(): (asking(trial), trial.key.canonical())
        for trial in trials(stored(data, LETTERS), settings, "final-line")
    }
    samples = list(TASKS["cdr_relative_compass_letter"](data=str(data), variants=names).dataset)
    assert {str(sample.id): (asked(sample), sample.target) for sample in samples} == expected
    assert len(samples) == len(stored(data, LETTERS)) * (4 + 8)  # eight options have seven more rotations
    assert [(sample.metadata or {})["variant"] for sample in samples[:3]] == ["standard", "no-image", "blank-image"]


def test_the_papers_sizes_bring_their_settings_and_leave_out_what_the_paper_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    left_out: list[str] = []
    monkeypatch.setattr("isovist.evaluation.inspect_tasks._log.warning", lambda words, *args: left_out.append(words % args))
    presets = {task.id: task.paper.sizes for task in registry.matching(["cdr/*"])}
    fewest = "cdr/object-classification-number"
    assert len(ids("cdr_object_classification_number", preset="paper", size=96)) == presets[fewest]["test"].n
    item_ids = ids("cdr", preset="paper", split="train", n=1)
    with_train = [id for id, paper in presets.items() if "train" in paper]
    assert [package.item(id).task.id for id in item_ids] == with_train
    assert all(
        presets[LETTERS]["train"].settings.items() <= dict(package.item(id).address.settings).items() for id in item_ids if LETTERS in id
    )
    assert left_out == [f"{id}: the paper has no train split of this task; skipped." for id in presets if id not in with_train]
    assert left_out


BAD: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "an n in words": ({"n": "ten"}, ("n=ten", "whole number")),
    "a fraction of an n": ({"n": 1.5}, ("n=1.5",)),
    "no items": ({"n": 0}, ("n=0", "from 1")),
    "yes for an n": ({"n": True}, ("n=True",)),
    "a seed in words": ({"seed": "x"}, ("seed=x",)),
    "a seed of more than 64 bits": ({"seed": 2**63}, (f"seed={2**63}", "64")),
    "Inspect AI's own limit": ({"limit": 5}, ("Unknown parameter: limit", "n, seed")),
    "a misspelt task": ({"tasks": "relatve-icon"}, ("cdr/relatve-icon", "Did you mean")),
    "a task of another suite": ({"tasks": ["relative-*", "dori/x"]}, ("dori/x", "tasks of cdr")),
    "an unknown split": ({"split": "dev"}, ("split=dev", "test, train")),
    "several splits": ({"split": ["test", "train"]}, ("split", "test, train")),
    "an unknown level": ({"level": "hard"}, ("'hard'", "standard")),
    "an unknown preset": ({"preset": "huge"}, ("preset=huge", "paper")),
    "an unknown style": ({"prompt_style": "poem"}, ("prompt_style=poem", "direct")),
    "several styles": ({"prompt_style": ["direct"]}, ("prompt_style", "direct")),
    "an unknown variant": ({"variants": "no-picture", "n": 1}, ("variants=no-picture", "no-image", "style:direct")),
    "a variant in an unknown style": ({"variants": ["no-image", "style:poem"], "n": 1}, ("variants=style:poem", "style:direct")),
    "an order that no item has": ({"variants": "order:start", "n": 1}, ("variants=order:start", "no item")),
    "a style that all items have": ({"variants": "style:direct", "prompt_style": "direct", "n": 1}, ("variants=style:direct",)),
    "an unknown parameter": ({"colour": "red"}, ("Unknown parameter: colour", "tasks", "order")),
    "a value that does not fit": ({"order": "odd"}, ("order=odd", "paper")),
    "a fraction for a size": ({"size": 120.5}, ("size=120.5",)),
    "no such data": ({"data": "none"}, ("none", "no such folder")),
    "stored items made anew": ({"data": "none", "seed": 0}, ("seed", "data")),
    "stored items of a setting": ({"data": "none", "order": "paper"}, ("order", "data")),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_parameters_are_one_line(name: str) -> None:
    args, words = BAD[name]
    with pytest.raises(UserError) as caught:
        TASKS["cdr"](**args)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message, message


def test_a_data_folder_without_the_task_says_what_it_holds(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no task 'cdr/relative-spatial-icon': .* Its tasks: cdr/object-"):
        TASKS["cdr_relative_spatial_icon"](data=str(data))
    generate(requested((LETTERS,), ItemOptions(), default=0)[0], tmp_path / "empty")
    with pytest.raises(UserError, match="Dataset folder has no items"):
        TASKS["cdr"](data=str(tmp_path / "empty"))


# The command line of Inspect AI -----------------------------------------------------------------------------------


def command(*args: object, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *map(str, args)], capture_output=True, text=True, check=False, timeout=120, env={**os.environ, "COLUMNS": "200", **env}
    )


def test_inspect_finds_a_suite_by_its_name_and_the_mock_model_needs_no_network_and_no_tokens_table(tmp_path: Path, alone: Path) -> None:
    args = {"n": 1, "order": "paper", "tasks": "relative-*-letter", "variants": ["no-image", "circular"]}
    with (
        serving(lambda asked: Said("Answer: A")) as server,
        serving(lambda asked: fault(500, "no table")) as proxy,  # without the world behind it
    ):
        ended = command(
            "eval", "isovist/cdr", "--model", "openai-api/isovist/m,mockllm/model", "--model-base-url", server.url, "-T", "n=1", "-T", "order=paper",
            "-T", "tasks=relative-*-letter", "-T", "variants=no-image,circular", "--temperature", "0.7", "--log-dir", tmp_path / "logs",
            "--display", "none", ISOVIST_API_KEY="none", HTTPS_PROXY=proxy.url, HTTP_PROXY=proxy.url, NO_PROXY="127.0.0.1",
            TIKTOKEN_CACHE_DIR=str(tmp_path / "no-table"),
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        assert {asked.body["temperature"] for asked in server.asked} == {0.7}  # what is told outright counts
    samples = TASKS["cdr"](**args).dataset
    logs = {log.eval.model: log for log in (read_eval_log(str(path)) for path in (tmp_path / "logs").iterdir())}
    assert sorted(logs) == ["mockllm/model", "openai-api/isovist/m"]
    for log in logs.values():
        assert (log.status, log.eval.task, log.eval.task_args_passed) == ("success", "isovist/cdr", args)
        assert sorted(logged(log)) == sorted(str(sample.id) for sample in samples)
    assert [verdict.outcome for verdict in logged(logs["mockllm/model"]).values()] == ["unparsed"] * 2 * (2 + 7)
    assert list(alone.iterdir()) == []


def test_inspect_tells_a_bad_parameter_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError) as caught:  # what its command line prints without a traceback
        inspect_ai.eval("isovist/cdr", model="none", task_args={"split": ["dev"]}, log_dir=str(tmp_path / "logs"), display="none")
    assert caught.value.message == r"Invalid split: split=\['dev']. Choose one of test, train."
    assert not (tmp_path / "logs").exists()


@pytest.mark.slow
def test_its_command_line_prints_that_line_and_no_more(tmp_path: Path) -> None:
    ended = command("eval", "isovist/cdr", "--model", "none", "-T", "split=[dev]", "--log-dir", tmp_path / "logs", "--display", "plain")
    assert ended.returncode == 1
    assert (ended.stdout + ended.stderr).strip() == "Invalid split: split=['dev']. Choose one of test, train."
    assert not (tmp_path / "logs").exists()


def test_whoever_does_not_use_inspect_does_not_wait_for_it() -> None:
    code = "import sys, isovist, isovist.cli.run, isovist.evaluation.models, isovist.evaluation.session; isovist.tasks(); print('inspect_ai' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "False"
