"""The results of a run in the formats of sites that publish them; `just test-result-exports` adds the validator of Every Eval Ever."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from leak_search import leaks
from PIL import Image
from scripted import Asked, Said, fault, serving
from workbench import contents, done, edit, isovist, records, refused, stored

from isovist.common import canary
from isovist.common.errors import UserError
from isovist.common.private_seeds import using
from isovist.data.dataset.data_card import config
from isovist.data.dataset.hub_benchmark import EVAL_YAML, eval_yaml
from isovist.data.dataset.manifest import Manifest
from isovist.evaluation.run.run_folder import RunFolder
from isovist.reporting.analysis.collect import load_results
from isovist.reporting.publication import RESULT_FORMATS
from isovist.reporting.publication.every_eval_ever import check
from isovist.reporting.publication.result_export import ResultRequest
from isovist.reporting.submissions.model_card import TEMPLATE
from isovist.stats.proportions import ConfidenceInterval, mean_of

LETTERS, COUNT = "cdr/relative-compass-letter", "perceptv/counting-circles"
N = 6
ONE_LINE = "a\u2028b \ud83d\ude00 Answer: 3"  # a line separator that other readers split lines at
MAPPING = """title = "Sides"
name = "sides"
question.column = "question"
images.columns = ["image"]
options.column = "options"
answer.column = "answer"
answer.forms = ["letter"]
"""
FIELDS = {"dataset", "value", "date", "source", "notes"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset folder, runs on it and a model card."""
    home = tmp_path_factory.mktemp("results")
    done("generate", LETTERS, COUNT, "--n", N, "--workers", 1, "--out", home / "data")
    done("run", "--data", home / "data", "--model", "simulated/random", "--epochs", 2, "--out", home / "random")
    (home / "card.toml").write_text(TEMPLATE.replace("Example Lab", "Zoë’s lab"), encoding="utf-8")
    return home


@pytest.fixture(scope="module")
def served(home: Path) -> Path:
    """A run on a server, with a path as its model, unparsed responses, reasoning and a request error."""
    said = iter(
        [
            Said("Answer: B", more={"reasoning_content": "so it is B"}),
            Said(ONE_LINE),
            Said("no idea"),
            fault(400, "no, http://10.0.0.7:81/v1"),
        ]
    )

    def script(asked: Asked) -> Said:
        del asked
        return next(said, Said("Answer: A"))

    with serving(script) as server:
        isovist("run", "--data", home / "data", "--model", "/srv/models/vl", "--base-url", server.url, "--max-connections", 1,
                "--system-prompt", "Be brief.", "--out", home / "served")  # fmt: skip
    return home / "served"


def exported(run: Path, out: Path, *options: object) -> tuple[dict[str, Any], list[dict[str, Any]], Path]:
    """The results, the responses, and the file of the results."""
    done("export", run, "--format", "every-eval-ever", "--out", out, "--workers", 1, *options)
    (file,) = out.rglob("*.json")
    samples = file.with_name(f"{file.stem}_samples.jsonl")
    rows = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()] if samples.exists() else []
    return json.loads(file.read_text(encoding="utf-8")), rows, file


# Every Eval Ever -----------------------------------------------------------------------------------------------------


def test_the_results_are_those_of_the_report(home: Path, tmp_path: Path) -> None:
    log, rows, file = exported(home / "random", tmp_path / "out", "--card", home / "card.toml")
    (result,) = load_results([home / "random"])
    by_name = {entry["evaluation_result_id"]: entry for entry in log["evaluation_results"]}
    assert list(by_name) == ["isovist", "isovist.cdr.relative-compass-letter", "isovist.perceptv.counting-circles"]
    scores = defaultdict[str, list[float]](list)
    for row in rows:
        scores[row["evaluation_result_id"]].append(row["evaluation"]["score"])
    for task in result.tasks:
        name = f"isovist.{task.task.replace('/', '.')}"
        details, interval = by_name[name]["score_details"], task.accuracy
        assert interval is not None
        uncertainty = details["uncertainty"]
        ends = uncertainty["confidence_interval"]
        assert (details["score"], ends["lower"], ends["upper"], ends["confidence_level"]) == (
            interval.estimate,
            interval.low,
            interval.high,
            0.95,
        )
        assert uncertainty["num_samples"] == N == len(scores[name])
        assert details["score"] == pytest.approx(sum(scores[name]) / N)
        assert float(details["details"]["chance"]) == pytest.approx(task.chance, rel=1e-5)
        assert task.chance_corrected is not None
        ends = [float(details["details"][f"chance_corrected{end}"]) for end in ("", "_low", "_high")]
        assert ends == pytest.approx([task.chance_corrected.estimate, task.chance_corrected.low, task.chance_corrected.high], rel=1e-5)
        assert by_name[name]["source_data"]["additional_details"]["seed"] == "0"
        assert by_name[name]["source_data"]["additional_details"]["samples_number"] == str(N)
    assert by_name["isovist"]["score_details"]["score"] == pytest.approx(sum(sum(each) for each in scores.values()) / (2 * N))
    assert by_name["isovist"]["metric_config"]["metric_id"] != "accuracy"  # it is a mean over tasks
    assert by_name["isovist"]["generation_config"]["additional_details"]["repetitions"] == "2"
    assert log["source_metadata"]["source_organization_name"] == "Zoë’s lab"
    assert log["source_metadata"]["evaluator_relationship"] == "third_party"
    assert log["model_info"]["additional_details"]["model_availability"] == "open_weights"
    assert file.parent.relative_to(tmp_path / "out").as_posix() == "data/isovist/simulated/random"
    assert UUID(file.stem).version == 4


def test_the_file_of_responses_belongs_to_the_results(home: Path, tmp_path: Path) -> None:
    log, rows, file = exported(home / "random", tmp_path / "out")
    samples = file.with_name(f"{file.stem}_samples.jsonl")
    detail = log["detailed_evaluation_results"]
    assert tmp_path / "out" / detail["file_path"] == samples
    assert (detail["total_rows"], detail["checksum"]) == (len(rows), sha256(samples.read_bytes()).hexdigest())
    items = {row.id: row for row in stored(home / "data")}
    assert [row["sample_id"] for row in rows] == list(items)
    for row in rows:
        item = items[row["sample_id"]]
        assert (row["evaluation_id"], row["model_id"]) == (log["evaluation_id"], log["model_info"]["id"])
        assert (row["input"]["raw"], row["input"]["reference"]) == (item.prompt, [item.answer])
        assert row["input"]["choices"] == (list(item.choices) or None)
        assert row["metadata"]["canary"] == canary.NOTICE
        assert (row["answer_attribution"][0]["extracted_value"] == item.answer) == row["evaluation"]["is_correct"]


def test_the_same_run_gives_the_same_files_wherever_it_is(home: Path, tmp_path: Path) -> None:
    exported(home / "random", tmp_path / "a")
    exported(home / "random", tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_responses_of_a_server(served: Path, tmp_path: Path) -> None:
    refused(isovist("export", served, "--format", "every-eval-ever", "--out", tmp_path / "out"), "Give --model-id DEVELOPER/MODEL")
    log, rows, _ = exported(served, tmp_path / "out", "--model-id", "Zoo/vl:2", "--dataset-id", "zoo/items@main")
    assert len(rows) == 2 * N - 1  # a request error has no score
    tasks = {row["sample_id"]: row for row in rows}
    first = tasks[records(served)[0]["item_id"]]
    assert first["output"] == {"raw": ["Answer: B"], "reasoning_trace": ["so it is B"]}
    assert first["token_usage"] == {"input_tokens": 70, "output_tokens": 5, "total_tokens": 75}
    assert tasks[records(served)[1]["item_id"]]["output"]["raw"] == [ONE_LINE.encode("utf-16", "surrogatepass").decode("utf-16")]
    unparsed = tasks[records(served)[2]["item_id"]]
    assert (unparsed["answer_attribution"], unparsed["evaluation"], unparsed["metadata"]["outcome"]) == (
        [],
        {"score": 0.0, "is_correct": False},
        "unparsed",
    )
    result = next(each for each in log["evaluation_results"] if each["score_details"]["details"].get("n_request_error"))
    assert result["score_details"]["details"]["n_unscored"] == "1"
    assert "unscored" in result["score_details"]["uncertainty"]["confidence_interval"]["method"]
    assert result["source_data"]["hf_repo"] == "zoo/items"
    assert result["generation_config"]["generation_args"]["temperature"] == 0
    assert result["generation_config"]["additional_details"]["system_prompt"] == "Be brief."
    assert log["model_info"]["additional_details"]["deployment_type"] == "unknown"
    written = b"".join(contents(tmp_path / "out").values())
    for private in (b"/srv/models", b"127.0.0.1", b"10.0.0.7", str(served.parent).encode()):
        assert private not in written
    assert (tmp_path / "out" / "data" / "isovist" / "Zoo" / "vl_2").is_dir()


def test_a_run_with_a_private_seed_has_no_file_of_responses(tmp_path: Path) -> None:
    secret = tmp_path / "secret.toml"
    secret.write_text(f'release = "compass-1"\nsecret = "{"5e" * 32}"\n', encoding="utf-8")
    done("release", "new", "compass-1", LETTERS, "--short", 4, "--full", 4, "--out", tmp_path / "compass-1.toml", "--workers", 1)
    done("release", "generate", tmp_path / "compass-1.toml", "--secret", secret, "--out", tmp_path / "data", "--workers", 1)
    assert not (tmp_path / "data" / EVAL_YAML).exists()
    done("run", "--data", tmp_path / "data", "--model", "simulated/random", "--out", tmp_path / "run")
    log, rows, _ = exported(tmp_path / "run", tmp_path / "out")
    assert not rows
    assert "detailed_evaluation_results" not in log
    details = log["evaluation_results"][0]["source_data"]["additional_details"]
    assert "private seeds" in details["release"]
    assert "seed" not in details
    with using(secret):
        part = Manifest.read(tmp_path / "data").parts[0].secret()
    assert part is not None
    questions = [row.prompt.encode() for row in stored(tmp_path / "data")] + [row.id.encode() for row in stored(tmp_path / "data")]
    assert not leaks(contents(tmp_path / "out"), part, *questions)
    hub = ("export", tmp_path / "run", "--format", "hf-eval-results", "--dataset-id", "a/b", "--out", tmp_path / "hub")
    refused(isovist(*hub), "private seed")
    assert not (tmp_path / "hub").exists()


def test_imported_items_are_not_in_the_file_of_responses(tmp_path: Path) -> None:
    records = [{"image": f"{i}.png", "question": f"Which side, {i}?", "options": ["left", "right"], "answer": "A"} for i in range(3)]
    for i in range(3):
        Image.new("RGB", (32, 32), (i * 50, 10, 10)).save(tmp_path / f"{i}.png")
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    (tmp_path / "set.toml").write_text(MAPPING, encoding="utf-8")
    done("import", "vqa", tmp_path / "set.jsonl", "--mapping", tmp_path / "set.toml", "--out", tmp_path / "data")
    done("run", "--data", tmp_path / "data", "--model", "simulated/random", "--out", tmp_path / "run")
    log, rows, _ = exported(tmp_path / "run", tmp_path / "out")
    assert not rows
    assert not list((tmp_path / "out").rglob("*.jsonl"))
    details = log["evaluation_results"][0]["source_data"]["additional_details"]
    assert details.keys() <= {"samples_number", "task", "task_version", "split", "data_hash"}
    hub = ("export", tmp_path / "run", "--format", "hf-eval-results", "--dataset-id", "a/b", "--out", tmp_path / "hub")
    refused(isovist(*hub), "imported")


@pytest.mark.parametrize(
    ("name", "id", "deployment"),
    [
        ("openai/gpt-4o-mini", "openai/gpt-4o-mini", "externally_managed"),
        ("openrouter/qwen/qwen2.5-vl-7b", "qwen/qwen2.5-vl-7b", "externally_managed"),
        ("vllm/Qwen/Qwen2.5-VL-7B-Instruct", "Qwen/Qwen2.5-VL-7B-Instruct", "self_deployed"),
        ("hf/llava-hf/llava-1.5-7b-hf?dtype=bfloat16", "llava-hf/llava-1.5-7b-hf", "self_deployed"),
        ("simulated/deficit:egocentric", "simulated/deficit:egocentric", "self_deployed"),
        ("lab/vl-1", "lab/vl-1", "unknown"),
        ("ollama/gemma3", "", ""),
        ("hf//home/me/weights", "", ""),
        ("hf/../weights", "", ""),
        ("embedded/me/mine.npz", "", ""),
        ("data/x", "", ""),
        ("NUL/x", "", ""),
    ],
)
def test_the_developer_of_the_model(home: Path, name: str, id: str, deployment: str) -> None:
    from isovist.reporting.publication.every_eval_ever import _model  # pyright: ignore[reportPrivateUsage]

    info = replace(RunFolder(home / "random").info(), model=name)
    if not id:
        with pytest.raises(UserError, match="--model-id"):
            check(home, info, ResultRequest())
        return
    model = _model(info, ResultRequest())
    assert (model["id"], model["additional_details"]["deployment_type"]) == (id, deployment)


@given(
    st.text(max_size=30)
    | st.lists(st.sampled_from(["a", "B9", "/", ".", "..", ":", "~", "-", "data", "CON", "nul", "com1", " ", "\n"]), max_size=8).map(
        "".join
    )
)
def test_any_name_of_a_model_is_a_safe_folder_or_refused(name: str) -> None:
    from isovist.reporting.publication.every_eval_ever import _MODEL  # pyright: ignore[reportPrivateUsage]

    if _MODEL.fullmatch(name):
        parts = name.split("/")
        assert len(parts) == 2
        for part in parts:
            assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.:+-]*", part)
            assert not part.endswith((".", " "))
            assert part.partition(".")[0].lower() not in ("data", "con", "nul", "com1")


def test_a_mean_of_perfect_tasks_is_not_above_1() -> None:
    for n in range(1, 100):
        assert mean_of([ConfidenceInterval(1.0, 0.9, 1.0)] * n).estimate <= 1


@pytest.mark.skipif(find_spec("every_eval_ever") is None, reason="needs every-eval-ever: just test-result-exports")
def test_the_validator_of_every_eval_ever_finds_no_fault(home: Path, served: Path, tmp_path: Path) -> None:
    import jsonschema  # pyright: ignore[reportMissingTypeStubs]
    from every_eval_ever.schema import schema_json  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

    for run, options in (
        (home / "random", ("--card", home / "card.toml")),
        (served, ("--model-id", "Zoo/vl:2", "--dataset-id", "zoo/items")),
    ):
        log, rows, file = exported(run, tmp_path / run.name, *options)
        for schema, documents in (("eval.schema.json", [log]), ("instance_level_eval.schema.json", rows)):
            for document in documents:
                jsonschema.validate(document, schema_json(schema))
        command = [sys.executable, "-m", "every_eval_ever", "validate", "--format", "json", "data/*/*/*/*.json*"]
        ended = subprocess.run(command, cwd=tmp_path / run.name, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert file.stem in ended.stdout


# The Hugging Face Hub -------------------------------------------------------------------------------------------------


def test_evaluation_results_of_the_hub(home: Path, tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub")
    options = ("--dataset-id", "zoo/spatial.items@refs/pr/1", "--card", home / "card.toml")
    done("export", home / "random", "--format", "hf-eval-results", "--out", tmp_path / "out", "--workers", 1, *options)
    (file,) = (path for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert file.relative_to(tmp_path / "out").as_posix() == ".eval_results/spatial.items.yaml"
    entries = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert all(entry.keys() <= FIELDS for entry in entries)
    parsed = hub.parse_eval_result_entries(entries)
    assert hub.eval_result_entries_to_yaml(parsed) == entries
    (result,) = load_results([home / "random"])
    accuracies = [task.accuracy.estimate for task in result.tasks if task.accuracy]
    assert [entry.task_id for entry in parsed] == ["overall", *(config(task.task) for task in result.tasks)]
    assert [entry.value for entry in parsed] == pytest.approx([100 * x for x in (sum(accuracies) / 2, *accuracies)], abs=0.006)
    assert {(entry.dataset_id, entry.dataset_revision, entry.source_name) for entry in parsed} == {
        ("zoo/spatial.items", "refs/pr/1", "Zoë’s lab")
    }
    assert all(isinstance(entry.date, str) and "95% CI" in entry.notes for entry in parsed)
    tasks = yaml.safe_load((home / "data" / EVAL_YAML).read_text(encoding="utf-8"))["tasks"]
    assert [task["id"] for task in tasks] == [entry.task_id for entry in parsed]


def test_a_run_of_one_task_of_several_has_no_overall_result(home: Path, tmp_path: Path) -> None:
    done("run", LETTERS, "--data", home / "data", "--model", "simulated/random", "--out", tmp_path / "run")
    ended = done(
        "export", tmp_path / "run", "--format", "hf-eval-results", "--dataset-id", "a/b", "--out", tmp_path / "out", "--workers", 1
    )
    (entry,) = yaml.safe_load((tmp_path / "out" / ".eval_results" / "b.yaml").read_text(encoding="utf-8"))
    assert entry["dataset"] == {"id": "a/b", "task_id": config(LETTERS)}
    assert "1 of the 2 tasks" in ended.err


def test_eval_yaml_has_the_configurations_and_the_splits_of_the_card(home: Path, tmp_path: Path) -> None:
    text = (home / "data" / EVAL_YAML).read_text(encoding="utf-8")
    benchmark = yaml.safe_load(text)
    assert benchmark.keys() == {"name", "description", "evaluation_framework", "tasks"}
    card = yaml.safe_load((home / "data" / "README.md").read_text(encoding="utf-8").split("---")[1])
    splits = {each["config_name"]: [file["split"] for file in each["data_files"]] for each in card["configs"]}
    overall, *tasks = benchmark["tasks"]
    assert overall == {"id": "overall"}
    assert {task["config"]: [task["split"]] for task in tasks} == splits
    assert all(task["id"] == task["config"] for task in tasks)
    parts = Manifest.read(home / "data").parts
    assert eval_yaml([replace(part, split="train") for part in parts]) == ""
    assert eval_yaml([replace(part, commitment="c") for part in parts]) == ""
    assert eval_yaml([replace(part, version=0) for part in parts]) == ""
    assert "overall" not in eval_yaml(parts[:1])
    done("generate", LETTERS, "--split", "train", "--n", 2, "--workers", 1, "--out", tmp_path / "train")
    assert not (tmp_path / "train" / EVAL_YAML).exists()


# Refusals and the page -------------------------------------------------------------------------------------------------


def test_what_is_not_one_finished_run_is_refused(home: Path, served: Path, tmp_path: Path) -> None:
    for name in ("unfinished", "undated", "adaptive", "key", "people"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "run.json").write_bytes((home / "random" / "run.json").read_bytes())
    edit(tmp_path / "runs" / "unfinished" / "run.json", lambda run: run.update(finished=""))
    edit(tmp_path / "runs" / "undated" / "run.json", lambda run: run.update(finished="yesterday"))
    edit(tmp_path / "runs" / "adaptive" / "run.json", lambda run: run.update(adaptive={}))
    edit(tmp_path / "runs" / "key" / "run.json", lambda run: run["options"].update(system_prompt="use sk-abc123def456"))
    edit(tmp_path / "runs" / "people" / "run.json", lambda run: run.update(source_tool="isovist study"))
    for run, words in (
        (tmp_path / "nowhere", "no run"),
        (home / "data", "no run"),
        (tmp_path / "runs", "Folder of runs"),
        (tmp_path / "runs" / "unfinished", "incomplete"),
        (tmp_path / "runs" / "undated", "incomplete"),
        (tmp_path / "runs" / "adaptive", "adaptive"),
        (tmp_path / "runs" / "key", "may hold a key"),
        (tmp_path / "runs" / "people", "participants"),
    ):
        for to in RESULT_FORMATS:
            options = ("--dataset-id", "a/b") if to == "hf-eval-results" else ()
            refused(isovist("export", run, "--format", to, "--out", tmp_path / "out", "--workers", 1, *options), words, str(run))
    hub = ("export", served, "--format", "hf-eval-results", "--out", tmp_path / "out", "--workers", 1)
    refused(isovist(*hub), "Give --dataset-id")
    refused(isovist(*hub, "--dataset-id", "../b"), "../b")
    refused(isovist(*hub, "--dataset-id", "a/b"), "items without a score (1)")
    refused(isovist(*hub, "--n", 3), "--n is for data")
    refused(
        isovist("export", home / "data", "--format", "hf", "--split", "test", "--model-id", "a/b", "--out", tmp_path / "out"), "--model-id"
    )
    refused(
        isovist("export", served, "--format", "hf-eval-results", "--out", served / "out", "--dataset-id", "a/b"), "inside the run folder"
    )
    assert not (tmp_path / "out").exists()


def test_a_run_of_some_of_the_items_has_no_results_for_the_hub(home: Path, tmp_path: Path) -> None:
    done("run", "--data", home / "data", "--model", "simulated/random", "--n", 2, "--out", tmp_path / "run")
    hub = ("export", tmp_path / "run", "--format", "hf-eval-results", "--dataset-id", "a/b", "--out", tmp_path / "out")
    refused(isovist(*hub), f"whole public test set of {LETTERS} (--n)")
    log, _, _ = exported(tmp_path / "run", tmp_path / "eee")
    assert log["evaluation_results"][0]["score_details"]["uncertainty"]["num_samples"] == 4
    assert all(math.isfinite(result["score_details"]["score"]) for result in log["evaluation_results"])
