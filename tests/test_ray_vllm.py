"""The example for vLLM on a Ray cluster, with a processor in place of vLLM: requests, responses, files, and the run that they become."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from workbench import done, parquet, records

FILE = Path(__file__).parents[1] / "examples" / "ray" / "vllm_batch.py"
TASK = "cdr/relative-compass-letter"


@pytest.fixture(scope="module")
def example() -> Iterator[Any]:
    spec = spec_from_file_location("vllm_batch", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["vllm_batch"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["vllm_batch"]


def rows(data: Path) -> list[dict[str, Any]]:
    """The rows as Ray Data reads them."""
    return pq.read_table(parquet(data, TASK), columns=["id", "prompt", "images", "answer"]).to_pylist()


def answer(example: Any, row: dict[str, Any], tokens: int = 7) -> dict[str, Any]:
    """What vLLM and Ray make of a row, with the key as the response."""
    request = row | example.preprocess(row, 100, 0.0)
    replied = request | {"generated_text": f"Answer: {row['answer']}", "num_generated_tokens": tokens, "num_input_tokens": 500}
    return example.postprocess(replied, 100) | {example.FAILED: ""}


def test_a_request_has_the_unchanged_images_at_their_positions(example: Any, data: Path) -> None:
    row = rows(data)[0] | {"prompt": "First <image> then <image>\nWhich?"}
    row["images"] = [{"bytes": b"one"}, {"bytes": b"two"}]
    request = example.preprocess(row, 100, 0.5)
    (message,) = request["messages"]
    assert [part["type"] for part in message["content"]] == ["text", "image_url", "text", "image_url", "text"]
    assert [part["text"] for part in message["content"][::2]] == ["First", "then", "Which?"]
    urls = [part["image_url"]["url"].partition("base64,") for part in message["content"][1::2]]
    assert [base64.b64decode(encoded) for *_, encoded in urls] == [b"one", b"two"]
    assert request["sampling_params"] == {"max_tokens": 100, "temperature": 0.5}


def test_responses_resume_and_become_a_run(example: Any, data: Path, tmp_path: Path) -> None:
    asked: list[list[str]] = []
    items = rows(data)
    path = tmp_path / "some-model" / "responses.jsonl"

    def replied(known: set[str], results: Iterable[tuple[dict[str, Any], int, str]]) -> Iterator[dict[str, Any]]:
        asked.append([])
        for row, tokens, error in results:
            if row["id"] not in known:
                asked[-1].append(row["id"])
                yield row | {example.FAILED: error} if error else answer(example, row, tokens)

    first = [(items[0], 7, ""), (items[1], 100, ""), (items[2], 7, "OutOfMemoryError: CUDA")]
    assert example.collect(path, lambda known: replied(known, first)) == 1
    with path.open("a", encoding="utf-8") as file:
        file.write('{"id": "cut o')  # killed while it wrote
    assert example.collect(path, lambda known: replied(known, [(row, 7, "") for row in items])) == 0
    assert asked[1] == [row["id"] for row in items[2:]]
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert sorted(line["id"] for line in lines) == sorted(row["id"] for row in items)

    done("import", "predictions", path.parent, "--source-tool", "jsonl", "--data", data, "--out", tmp_path / "run")
    outcomes = {record["item_id"]: record["outcome"] for record in records(tmp_path / "run")}
    assert outcomes == {row["id"]: "truncated" if row is items[1] else "correct" for row in items}


def test_the_configuration_is_one_of_ray(example: Any) -> None:
    llm = pytest.importorskip("ray.data.llm")
    built: list[Any] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(llm, "build_processor", lambda config, preprocess, postprocess: built.append((config, preprocess, postprocess)))
        example.vllm("some/model", 3, 100, 0.0, {"max_model_len": 8192})
    ((config, preprocess, postprocess),) = built
    assert (config.model_source, config.concurrency, config.engine_kwargs["max_model_len"]) == ("some/model", 3, 8192)
    assert config.should_continue_on_error
    assert preprocess({"prompt": "Hm?", "images": []})["messages"][0]["content"] == [{"type": "text", "text": "Hm?"}]
    assert postprocess({"id": "a", "generated_text": "B", "num_generated_tokens": 1, "num_input_tokens": 2})["response"] == "B"
