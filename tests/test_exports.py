"""Exports: what each format holds, with pictures byte for byte and in their places; what cannot be exported says so in one line."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest
import yaml
from exporting import BETWEEN, COUNT, LETTERS, NUMBERS, N, generated, made, mixed
from PIL import Image
from workbench import contents, done, isovist, parquet, refused, spoil, stored, with_room

from isovist.core.answers import from_json
from isovist.data.dataset.mixture import read_examples
from isovist.data.dataset.training_examples import TrainingExample, of_row
from isovist.data.exporters import file_writers
from isovist.data.exporters.file_writers import pieces
from isovist.data.exporters.formats import FORMATS, table
from isovist.data.exporters.templates import lmms_eval

ROOT = Path(__file__).parent.parent
TRAINING = [name for name, spec in FORMATS.items() if spec.takes != "rows"]
EVALUATION = [name for name, spec in FORMATS.items() if spec.takes == "rows"]
JUDGED = [name for name, spec in FORMATS.items() if spec.takes == "judged"]


@pytest.fixture(scope="module")
def train(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generated(tmp_path_factory.mktemp("train") / "data", "train")


@pytest.fixture(scope="module")
def test(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generated(tmp_path_factory.mktemp("test") / "data", "test")


@pytest.fixture(scope="module")
def mix(tmp_path_factory: pytest.TempPathFactory, train: Path) -> Path:
    return mixed(tmp_path_factory.mktemp("mix") / "mix", train)


def rows(folder: Path) -> list[dict[str, Any]]:
    return [row for path in sorted(folder.glob("train-*.parquet")) for row in pq.read_table(path).to_pylist()]


def loaded(path: str, folder: Path, **more: str) -> Any:
    return datasets.load_dataset(path, split="train", cache_dir=str(folder / "cache"), **more)  # pyright: ignore[reportArgumentType, reportCallIssue]


def shown(cells: list[dict[str, Any]]) -> tuple[bytes, ...]:
    return tuple(cell["bytes"] for cell in cells)


def files(folder: Path, names: list[str]) -> tuple[bytes, ...]:
    return tuple((folder / name).read_bytes() for name in names)


def marked(message: dict[str, Any]) -> str:
    """A message in parts as one text, with a mark for each picture."""
    return "|".join("<image>" if part["type"] == "image" else part["text"] for part in message["content"])


def plain(text: str) -> str:
    """A text with its pieces parted as those of `marked`."""
    return "|".join("<image>" if piece is None else piece for piece in pieces(text))


# Each training format, from a mix: what it holds of each example ------------------------------------------------------


def of_hf(one: dict[str, Any], folder: Path) -> dict[str, Any]:
    return {"id": one["id"], "said": [(t["role"], t["content"]) for t in one["turns"]], "images": shown(one["images"]), "key": one["key"]}


def of_trl_sft(one: dict[str, Any], folder: Path) -> dict[str, Any]:
    return {"id": one["id"], "said": [(m["role"], marked(m)) for m in one["prompt"] + one["completion"]], "images": shown(one["images"])}


def of_trl_grpo(one: dict[str, Any], folder: Path) -> dict[str, Any]:
    asked = [(m["role"], marked(m)) for m in one["prompt"]]
    return {"id": one["id"], "asked": asked, "images": shown(one["images"]), "key": one["ground_truth"], "style": one["style"]}


def of_verl(one: dict[str, Any], folder: Path) -> dict[str, Any]:
    more = one["extra_info"]
    asked = [(m["role"], m["content"]) for m in one["prompt"]]
    key = one["reward_model"]["ground_truth"]
    assert one["reward_model"]["style"] == "rule"
    assert one["data_source"].startswith(one["ability"] + "/")
    return {"id": more["id"], "asked": asked, "images": shown(one["images"]), "key": key, "style": more["style"], "answer": more["answer"]}


def of_easyr1(one: dict[str, Any], folder: Path) -> dict[str, Any]:
    asked = [("user", one["problem"])]
    return {"id": one["id"], "asked": asked, "images": shown(one["images"]), "key": one["answer"], "style": one["style"]}


def of_openrlhf(one: dict[str, Any], folder: Path) -> dict[str, Any]:
    asked = [(m["role"], m["content"]) for m in one["input"]]
    return {"id": one["id"], "asked": asked, "images": decoded(one["images"]), "key": one["label"]}


def of_nemo_gym(one: dict[str, Any], folder: Path) -> dict[str, Any]:
    talk = one["responses_create_params"]["input"]
    parts = [part for message in talk for part in message["content"]]
    asked = [(m["role"], "|".join(p["text"] if p["type"] == "input_text" else "<image>" for p in m["content"])) for m in talk]
    images = decoded([part["image_url"] for part in parts if part["type"] == "input_image"])
    return {"id": one["id"], "asked": asked, "images": images, "key": one["ground_truth"], "style": one["style"]}


def decoded(urls: list[str]) -> tuple[bytes, ...]:
    return tuple(base64.b64decode(url.removeprefix("data:image/png;base64,"), validate=True) for url in urls)


def of_llava(one: dict[str, Any], folder: Path) -> dict[str, Any]:
    names = one.get("image", [])
    roles = {"human": "user", "gpt": "assistant"}
    turns = [(roles[turn["from"]], turn["value"]) for turn in one["conversations"]]
    return {"id": one["id"], "said": turns, "images": files(folder, [names] if isinstance(names, str) else names)}


def of_llama_factory(one: dict[str, Any], folder: Path) -> dict[str, Any]:
    return {"id": one["id"], "said": [(m["role"], m["content"]) for m in one["messages"]], "images": files(folder, one["images"])}


def of_folder(one: dict[str, Any], folder: Path) -> dict[str, Any]:
    turns = [(turn["role"], turn["content"]) for turn in one["turns"]]
    key = json.dumps(one["key"], ensure_ascii=False) if one["key"] else ""
    return {"id": one["id"], "said": turns, "images": files(folder, one["images"]), "key": key}


def parsed(folder: Path, to: str) -> list[dict[str, Any]]:
    if to == "llava":
        return json.loads((folder / "llava.json").read_text(encoding="utf-8"))
    name = {"llama-factory": "isovist.jsonl", "folder": "examples.jsonl", "openrlhf": "openrlhf.jsonl", "nemo-gym": "nemo_gym.jsonl"}.get(
        to
    )
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()] if name else rows(folder)


OF: dict[str, Callable[[dict[str, Any], Path], dict[str, Any]]] = {
    "hf": of_hf,
    "trl-sft": of_trl_sft,
    "trl-grpo": of_trl_grpo,
    "verl": of_verl,
    "easyr1": of_easyr1,
    "openrlhf": of_openrlhf,
    "nemo-gym": of_nemo_gym,
    "llava": of_llava,
    "llama-factory": of_llama_factory,
    "folder": of_folder,
}


def told(one: TrainingExample, to: str) -> dict[str, Any]:
    """What an export has to tell of an example."""
    turns = [(turn.role, plain(turn.content) if to.startswith(("trl", "nemo")) else turn.content) for turn in one.turns]
    if to == "llava" and turns[0][0] == "system":
        turns = [("user", f"{turns[0][1]}\n{turns[1][1]}"), *turns[2:]]
    style = "step-by-step" if one.kind == "reasoning" else "direct"
    answer = one.answer.canonical() if one.answer else ""
    return {"id": one.id, "said": turns, "asked": turns[:-1], "images": one.images, "key": one.key, "style": style, "answer": answer}


@pytest.mark.parametrize("to", TRAINING)
def test_an_export_of_a_mix_holds_every_example_with_its_pictures_byte_for_byte(mix: Path, tmp_path: Path, to: str) -> None:
    folder = made(tmp_path / "out", mix, to)
    exported = [OF[to](one, folder) for one in parsed(folder, to)]
    wanted = [told(one, to) for one in read_examples(mix) if one.key or to not in JUDGED]
    assert [{name: one[name] for name in exported[0]} for one in wanted] == exported
    assert len(exported) == (16 if to in JUDGED else 18)
    assert {"said", "asked"} & set(exported[0])
    assert {len(one["images"]) for one in exported} >= {1, 2}


@pytest.mark.parametrize("to", JUDGED)
def test_the_key_travels_as_text_from_which_a_reward_judges(train: Path, tmp_path: Path, to: str) -> None:
    folder = made(tmp_path / "out", train, to, "--prompt-style", "final-line")
    for one, row in zip(parsed(folder, to), stored(train), strict=True):
        exported = OF[to](one, folder)
        key = from_json(json.loads(exported["key"]))
        assert key == row.key
        assert key.score(f"Answer: {row.answer}").credit == 1
        assert exported.get("style", "final-line") == "final-line"


def test_external_data_without_a_key_are_skipped_and_reported(mix: Path, tmp_path: Path) -> None:
    ended = done("export", mix, "--format", "verl", "--out", tmp_path / "out")
    assert "Skipped 2 examples without a key" in ended.err
    assert "Skipped: 2 examples without a key" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")


# From data folders ----------------------------------------------------------------------------------------------------


def test_kinds_of_replies_of_a_data_folder(train: Path, tmp_path: Path) -> None:
    def kinds(*args: object) -> list[str]:
        folder = made(tmp_path / "-".join(map(str, args)), train, "folder", *args)
        return [one["kind"] for one in parsed(folder, "folder")]

    assert kinds("--target", "answer") == ["answer"] * 3 * N
    assert kinds("--target", "reasoning") == ["reasoning"] * N
    assert kinds("--target", "both").count("reasoning") == N
    assert len(kinds("--n", 1)) == 3
    assert len(kinds("--tasks", "cdr/*")) == 2 * N
    ended = done("export", train, "--format", "folder", "--target", "reasoning", "--out", tmp_path / "told")
    assert f"Skipped {2 * N} examples without a chain of thought" in ended.err


def test_styles_of_a_data_folder(train: Path, tmp_path: Path) -> None:
    folder = made(tmp_path / "out", train, "folder", "--prompt-style", "final-line", "--tasks", LETTERS)
    assert parsed(folder, "folder")[0]["turns"][1]["content"] == of_row(stored(train, LETTERS)[0], style="final-line").reply


def test_training_rejects_test_items_unless_requested(test: Path, tmp_path: Path) -> None:
    refused(isovist("export", test, "--format", "trl-sft", "--out", tmp_path / "out"), "no train items", "--split test")
    assert not (tmp_path / "out").exists()
    assert "cannot be evaluated on them" in done("export", test, "--format", "trl-sft", "--split", "test", "--out", tmp_path / "out").err


# Evaluation formats ---------------------------------------------------------------------------------------------------


def tsv(path: Path) -> list[dict[str, str]]:
    csv.field_size_limit(1 << 30)
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline=""), delimiter="\t"))


def several(cell: str) -> list[str]:
    return json.loads(cell) if cell.startswith("[") else [cell]


def test_vlmevalkit_gets_letters_or_values_pictures_and_our_own_prompt(test: Path, tmp_path: Path) -> None:
    ended = done("export", test, "--format", "vlmevalkit", "--out", tmp_path / "out")
    assert "JPEG" in ended.err
    assert f"{N} items have options such as 3" in ended.err
    choices, others = (tsv(tmp_path / "out" / f"Isovist_{name}.tsv") for name in ("choice", "open"))
    assert "A" not in others[0]
    wanted = {row.id: row for row in stored(test)}
    for line in choices + others:
        row = wanted.pop(line["id"])
        assert tuple(base64.b64decode(one) for one in several(line["image"])) == row.images
        assert len(several(line["image_path"])) == len(row.images)
        assert (line["answer"], line["prompt"], line["category"]) == (row.answer, row.prompt, row.task)
        assert from_json(json.loads(line["key"])) == row.key
        assert tuple(option for letter in "ABCDEFGH" if (option := line.get(letter))) == row.choices
        assert "<image>" not in line["question"]
        assert re.fullmatch("i[0-9a-f]{16}", line["index"])
    assert wanted == {}
    assert "Look at (image 1) and then at (image 2), the second one." in next(
        line["question"] for line in choices if line["task"] == NUMBERS
    )


def test_vlmevalkit_never_gets_a_file_so_large_that_it_changes_the_pictures(
    test: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from isovist.data.exporters import vlmevalkit

    monkeypatch.setattr(vlmevalkit, "_LARGEST", 5000)
    folder = made(tmp_path / "out", test, "vlmevalkit", "--tasks", LETTERS)
    names = sorted(path.name for path in folder.glob("*.tsv"))
    assert names[:2] == ["Isovist_choice.tsv", "Isovist_choice_2.tsv"]
    assert [line["id"] for name in names for line in tsv(folder / name)] == [row.id for row in stored(test, LETTERS)]


def test_lmms_eval_gets_a_task_each_whose_module_shows_and_scores_as_we_do(test: Path, tmp_path: Path) -> None:
    folder = made(tmp_path / "out", test, "lmms-eval")

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!function", lambda loader, node: node.value)  # pyright: ignore[reportAttributeAccessIssue]
    group = yaml.load((folder / "isovist.yaml").read_text(encoding="utf-8"), Loader)
    assert group["group"] == "isovist"
    for name in group["task"]:
        task = yaml.load((folder / f"{name}.yaml").read_text(encoding="utf-8"), Loader)
        assert task["task"] == name
        (file,) = task["dataset_kwargs"]["data_files"]["test"]
        docs: Any = loaded("parquet", tmp_path, data_files=str(folder / file))
        for row in stored(test):
            for doc in docs:
                if doc["id"] == row.id:
                    (message,) = lmms_eval.doc_to_messages(doc)
                    parts = [part.get("text", "<image>") for part in message["content"]]
                    assert "|".join(parts) == plain(row.prompt)
                    assert [part["url"].size for part in message["content"] if part["type"] == "image"] == sizes(row.images)
                    assert "<image>" not in lmms_eval.doc_to_text(doc)
                    right = lmms_eval.process_results(doc, [f"Answer: {row.answer}"])
                    assert right["isovist_credit"] == {"id": row.id, "credit": 1, "outcome": "correct", "parsed_answer": row.answer}
                    assert lmms_eval.process_results(doc, ["Hm."])["isovist_unparsed"] == 1
                    assert doc["answer"] == row.answer
        functions = {
            value.partition(".")[2] for value in task.values() if isinstance(value, str) and value.startswith("isovist_lmms_eval.")
        }
        assert functions == {"doc_to_visual", "doc_to_text", "doc_to_messages", "process_results"}
        assert all(hasattr(lmms_eval, one) for one in functions)
        assert (folder / "isovist_lmms_eval.py").read_text(encoding="utf-8") == Path(lmms_eval.__file__).read_text(encoding="utf-8")
    assert len(group["task"]) == 3


def sizes(images: tuple[bytes, ...]) -> list[tuple[int, int]]:
    return [Image.open(io.BytesIO(image)).size for image in images]


def test_evalscope_gets_marks_that_count_from_one(test: Path, tmp_path: Path) -> None:
    folder = made(tmp_path / "out", test, "evalscope", "--n", 2)
    tables = {path.stem: pq.read_table(path).to_pylist() for path in folder.glob("*/*.parquet")}
    assert {path.parent.name for path in folder.glob("*/*.parquet")} == {"general_vmcq", "general_vqa"}
    for row in stored(test):
        name = row.task.replace("/", "-")
        for line in tables[name]:
            if line["id"] != row.id:
                continue
            assert shown(line["images"]) == row.images
            assert line["answer"] == row.answer
            if row.task == COUNT:
                assert json.loads(line["messages"]) == [{"role": "user", "content": row.prompt.replace("<image>", "<image 1>")}]
            else:
                assert tuple(line["options"]) == row.choices
                before = "Look at <image 1> and then at <image 2>, the second one. " if row.task == NUMBERS else "<image 1>\n"
                assert line["question"] == before + row.metadata.question.removeprefix(BETWEEN)
    assert {name: len(lines) for name, lines in tables.items()} == {name.replace("/", "-"): 2 for name in (LETTERS, NUMBERS, COUNT)}


# What all have ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", [*FORMATS])
def test_an_export_says_how_it_is_used_and_takes_the_card_of_the_data_along(train: Path, test: Path, tmp_path: Path, to: str) -> None:
    data = test if to in EVALUATION else train
    folder = made(tmp_path / "out", data, to, "--n", 1)
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert "## Use" in page
    assert not re.search(r"\{\w+\}", page)
    assert FORMATS[to].warning in page
    assert (folder / "DATA-CARD.md").read_bytes() == (data / "README.md").read_bytes()
    noted = json.loads((folder / "isovist-export.json").read_text(encoding="utf-8"))
    assert (noted["to"], noted["count"], noted["source"]) == (to, 3, "isovist.json")


@pytest.mark.parametrize("to", ["hf", "trl-sft", "trl-grpo", "verl", "easyr1"])
def test_datasets_loads_and_decodes_what_is_parquet(mix: Path, tmp_path: Path, to: str) -> None:
    folder = made(tmp_path / "out", mix, to)
    # as these tools do: the whole folder, or all Parquet files of it
    dataset = loaded("parquet", tmp_path, data_dir=str(folder)) if to in ("verl", "easyr1") else loaded(str(folder), tmp_path)
    assert len(dataset) == len(rows(folder))
    assert isinstance(dataset[0]["images"][0], Image.Image)


def test_long_exports_are_several_files_in_bounded_batches(mix: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_writers, "ROWS_PER_FILE", 6)
    monkeypatch.setattr(file_writers, "_ROWS", 3)
    folder = made(tmp_path / "out", mix, "hf")
    assert sorted(path.name for path in folder.glob("*.parquet")) == [f"train-{i:05d}-of-00003.parquet" for i in range(3)]
    assert [one["id"] for one in rows(folder)] == [one.id for one in read_examples(mix)]
    assert [pq.ParquetFile(path).num_row_groups for path in folder.glob("*.parquet")] == [2, 2, 2]


def test_the_manual_lists_the_formats_as_they_are() -> None:
    page = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
    assert table() in page
    for spec in FORMATS.values():
        assert f"| `{spec.name}` | {spec.checked}" in page


# What cannot be --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "args", "words"),
    [
        ("mix", ("--format", "vlmevalkit"), ("not a training mixture", "dataset folder")),
        ("mix", ("--format", "evalscope"), ("not a training mixture",)),
        ("mix", ("--format", "hf", "--tasks", "cdr/*"), ("--tasks", "not for a training mixture")),
        ("mix", ("--format", "hf", "--target", "both"), ("--target", "not for a training mixture")),
        ("mix", ("--format", "hf", "--n", "2"), ("--n", "not for a training mixture")),
        ("train", ("--format", "verl", "--target", "reasoning"), ("--target reasoning", "--prompt-style")),
        ("test", ("--format", "lmms-eval", "--target", "answer"), ("--target answer",)),
        ("train", ("--format", "hf", "--tasks", "cdr/nope"), ("'cdr/nope'", LETTERS)),
        (
            "train",
            (
                "--format",
                "lmms-eval",
            ),
            ("no test items", "--split train"),
        ),
        ("train", ("--format", "hf", "--tasks", COUNT, "--target", "reasoning"), ("Nothing to export", "chain of thought")),
        ("train", ("--format", "csv"), ("csv", "llava")),
        ("nowhere", ("--format", "hf"), ("no such folder",)),
        ("empty", ("--format", "hf"), ("neither a data folder", "nor a mix")),
    ],
)
def test_an_impossible_export_gives_an_error_and_writes_nothing(
    request: pytest.FixtureRequest, tmp_path: Path, source: str, args: tuple[str, ...], words: tuple[str, ...]
) -> None:
    (tmp_path / "empty").mkdir()
    folder = request.getfixturevalue(source) if source in ("mix", "train", "test") else tmp_path / source
    refused(isovist("export", folder, *args, "--out", tmp_path / "new" / "out"), *words)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty"]


def test_a_folder_that_is_not_empty_is_left_alone(train: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    refused(isovist("export", train, "--format", "hf", "--out", tmp_path), "not empty")
    assert contents(tmp_path) == {"mine.txt": b"mine"}
    before = contents(train)
    refused(isovist("export", train, "--format", "hf", "--out", train / "out"), "inside")
    assert contents(train) == before


@pytest.mark.parametrize("to", ["hf", "llava", "folder"])
def test_a_full_disk_leaves_nothing(train: Path, tmp_path: Path, to: str) -> None:
    ended = with_room(900, "export", train, "--format", to, "--out", tmp_path / "out")
    assert ended.code == 2
    assert ended.err.splitlines()[-1].startswith("isovist: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("to", ["folder", "lmms-eval"])
@pytest.mark.parametrize("metadata", ["{", "{}", '{"question": "?", "style": "direct", "answer": {"kind": "riddle"}}'])
def test_a_row_that_cannot_be_asked_leaves_nothing(
    train: Path, tmp_path: Path, copied: Callable[[Path], Path], to: str, metadata: str
) -> None:
    data = copied(train)
    spoil(parquet(data, LETTERS, "train"), lambda rows: rows[2].update(metadata=metadata))
    refused(
        isovist("export", data, "--format", to, "--split", "train", "--out", tmp_path / "out"),
        stored(train, LETTERS)[2].id,
        "Generate the data again",
    )
    assert not (tmp_path / "out").exists()


# Pieces ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<image>\nWhat?", [None, "What?"]),
        ("<image>\n<image>\nWhat?", [None, None, "What?"]),
        ("Is <image> like <image>?", ["Is ", None, " like ", None, "?"]),
        ("First:\n<image>\nThen?", ["First:", None, "Then?"]),
        ("What?", ["What?"]),
        ("<image>", [None]),
    ],
)
def test_a_text_is_cut_at_its_pictures(text: str, expected: list[str | None]) -> None:
    assert pieces(text) == expected
