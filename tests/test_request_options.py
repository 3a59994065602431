"""Options of requests: what arrives at the server, what `run.json` holds, and which model refuses which option."""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scripted import Asked, Said, serving
from workbench import Ended, done, edit, isovist, records, refused, stored

from isovist.evaluation.models import GenerationConfig, inspect_ai
from isovist.evaluation.models.option_support import FLAGS, model_args

LETTERS = "cdr/relative-compass-letter"
EVERY: dict[str, Any] = {
    "--system-prompt": "You are careful.\nAnswer in English.",
    "--top-p": 0.25,
    "--sampling-seed": 17,
    "--stop": "\n\nQuestion",
    "--reasoning-effort": "high",
    "--model-arg": "top_k=20",
    "--image-detail": "low",
    "--image-format": "webp",
}


def ask(data: Path, url: str, out: Path, *more: object) -> Ended:
    return isovist("run", LETTERS, "--data", data, "--model", "m", "--base-url", url, "--out", out, "--n", 2, *more)


def sent(data: Path, out: Path, *more: object) -> list[dict[str, Any]]:
    """The bodies of a run's requests."""
    with serving(lambda asked: Said("Answer: A")) as server:
        ended = ask(data, server.url, out, *more)
    assert ended.code == 0, ended
    assert len(server.asked) == 2
    return [asked.body for asked in server.asked]


def images(body: dict[str, Any]) -> list[bytes]:
    parts = body["messages"][-1]["content"]
    return [base64.b64decode(part["image_url"]["url"].partition(",")[2]) for part in parts if part["type"] == "image_url"]


def flags(options: dict[str, Any]) -> list[object]:
    return [part for pair in options.items() for part in pair]


def test_each_option_arrives_in_the_body_and_in_the_run(data: Path, tmp_path: Path) -> None:
    for body in sent(data, tmp_path, *flags(EVERY), "--stop", "END", "--model-arg", 'chat_template_kwargs={"enable_thinking": false}'):
        system, user = body["messages"]
        assert system["role"] == "system"
        assert EVERY["--system-prompt"] in json.dumps(system["content"], ensure_ascii=False).replace("\\n", "\n")
        assert user["role"] == "user"
        assert {part["image_url"]["detail"] for part in user["content"] if part["type"] == "image_url"} == {"low"}
        assert {part["image_url"]["url"][:23] for part in user["content"] if part["type"] == "image_url"} == {"data:image/webp;base64,"}
        more = {name: body[name] for name in ("top_p", "seed", "stop", "reasoning_effort", "top_k", "chat_template_kwargs")}
        assert more == {
            "top_p": 0.25,
            "seed": 17,
            "stop": ["\n\nQuestion", "END"],
            "reasoning_effort": "high",
            "top_k": 20,
            "chat_template_kwargs": {"enable_thinking": False},
        }
    options = json.loads((tmp_path / "run.json").read_bytes())["options"]
    assert options["system_prompt"] == EVERY["--system-prompt"]
    assert (options["seed"], options["top_p"], options["stop_seqs"]) == (17, 0.25, ["\n\nQuestion", "END"])
    assert options["model_args"] == {"top_k": 20, "chat_template_kwargs": {"enable_thinking": False}}
    done("report", tmp_path, "--out", tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text()
    assert "You are careful." in page
    assert "enable_thinking" in page


def test_every_option_that_not_every_model_accepts_has_a_flag() -> None:
    general = {"base_url", "temperature", "max_tokens", "concurrency", "auto_concurrency", "timeout_s", "retries"}
    assert set(FLAGS) == {name for name in GenerationConfig.__dataclass_fields__ if name not in general}


@pytest.mark.parametrize("image_format", ["png", "jpeg", "webp"])
def test_images_are_converted_and_the_record_names_those_of_the_item(data: Path, tmp_path: Path, image_format: str) -> None:
    bodies = sent(data, tmp_path, "--image-format", image_format)
    originals = [np.asarray(Image.open(io.BytesIO(row.images[0])).convert("RGB"), int) for row in stored(data, LETTERS)]
    for body in bodies:
        (image,) = images(body)
        with Image.open(io.BytesIO(image)) as opened:
            assert opened.format == image_format.upper()
            pixels = np.asarray(opened.convert("RGB"), int)
        nearest = min(np.abs(pixels - original).mean() for original in originals if original.shape == pixels.shape)
        assert (0 < nearest < 2) if image_format == "jpeg" else nearest == 0
    plain = sent(data, tmp_path.parent / f"{tmp_path.name}-plain")
    assert ([image for body in plain for image in images(body)] == [image for body in bodies for image in images(body)]) == (
        image_format == "png"
    )
    hashes = [{record["item_id"]: record["image_hashes"] for record in records(run)} for run in (tmp_path, Path(f"{tmp_path}-plain"))]
    assert hashes[0] == hashes[1]


def test_repetitions_have_different_sampling_seeds(data: Path, tmp_path: Path) -> None:
    with serving(lambda asked: Said("Answer: A")) as server:
        assert ask(data, server.url, tmp_path, "--sampling-seed", 5, "--epochs", 3, "--no-image").code == 0
    seeds = sorted(asked.body["seed"] for asked in server.asked)
    assert seeds == [5, 5, 5, 5, 6, 6, 7, 7]


@pytest.mark.parametrize("flag", ["--system-prompt", "--top-p", "--sampling-seed", "--stop", "--reasoning-effort", "--model-arg", "--image-detail", "--image-format"])  # fmt: skip
def test_a_resumed_run_has_the_same_options(data: Path, tmp_path: Path, flag: str) -> None:
    noun = {"--stop": "stop seqs", "--sampling-seed": "sampling seed", "--model-arg": "model args"}.get(flag, flag[2:].replace("-", " "))
    with serving(lambda asked: Said("Answer: A")) as server:
        assert ask(data, server.url, tmp_path, *flags(EVERY)).code == 0
        n = len(server.asked)
        assert ask(data, server.url, tmp_path, *flags(EVERY)).code == 0
        before = (tmp_path / "run.json").read_bytes()
        refused(ask(data, server.url, tmp_path, *flags({name: value for name, value in EVERY.items() if name != flag})), noun, "different")
        assert len(server.asked) == n
    assert (tmp_path / "run.json").read_bytes() == before


def test_the_config_of_a_run_holds_every_request_option(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = ("--stop", "a \"quoted\" 'text' \\n", "--model-arg", 'format={"a": ["\\u00e9", null]}')
    run = tmp_path / "run"
    with serving(lambda asked: Said("Answer: A")) as server:
        assert ask(data, server.url, run, *flags(EVERY), *more).code == 0
        before, n = (run / "run.json").read_bytes(), len(server.asked)
        monkeypatch.chdir(tmp_path)
        assert ", 0 evaluated now" in done("run", run / "config.toml").out
        done("run", run / "config.toml", "--out", "again")
        assert [asked.body for asked in server.asked[n:]] == [asked.body for asked in server.asked[:n]]
    assert json.loads((run / "run.json").read_bytes())["options"] == json.loads(before)["options"]


def test_a_run_without_the_new_fields_loads_and_resumes(data: Path, tmp_path: Path) -> None:
    done("run", LETTERS, "--data", data, "--model", "simulated/random", "--n", 3, "--out", tmp_path)

    def old(run: dict[str, Any]) -> None:
        run["options"] = {name: value for name, value in run["options"].items() if name not in FLAGS}
        run.pop("prompt_template", None)
        run["variants"].pop("shots", None)

    edit(tmp_path / "run.json", old)
    done("report", tmp_path, "--out", tmp_path / "report")
    done("run", LETTERS, "--data", data, "--model", "simulated/random", "--n", 3, "--out", tmp_path)


# Refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["simulated/random", "embedded/tiny"])
@pytest.mark.parametrize("flag", [flag for flag in EVERY if flag != "--image-format"])
def test_an_option_without_effect_is_refused_before_anything_is_written(data: Path, tmp_path: Path, model: str, flag: str) -> None:
    ended = isovist("run", LETTERS, "--data", data, "--model", model, "--out", tmp_path / "run", flag, EVERY[flag])
    refused(ended, flag, model, "without effect")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("flag", ["--reasoning-effort", "--model-arg", "--image-detail"])
def test_a_local_model_refuses_what_it_cannot_do(data: Path, tmp_path: Path, flag: str) -> None:
    refused(isovist("run", LETTERS, "--data", data, "--model", "hf/none", "--out", tmp_path / "run", flag, EVERY[flag]), flag, "hf/none")
    assert not (tmp_path / "run").exists()


def test_a_provider_refuses_what_it_would_ignore(data: Path, tmp_path: Path) -> None:
    with serving(lambda asked: Said("Answer: A")) as server:
        ended = ask(data, server.url, tmp_path / "run", "--reasoning-tokens", 500)
        refused(ended, "--reasoning-tokens", "--reasoning-effort")
        assert not server.asked
    for flag, value in (("--model-arg", "a=1"), ("--reasoning-tokens", 5)):
        refused(isovist("run", LETTERS, "--data", data, "--model", "mockllm/m", "--out", tmp_path / "run", flag, value), flag, "mockllm/m")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("flag", "value"),
    [("--top-p", 0), ("--top-p", "nan"), ("--top-p", 1.5), ("--sampling-seed", -1), ("--sampling-seed", 10**30), ("--stop", ""),
     ("--reasoning-effort", "huge"), ("--reasoning-tokens", -1), ("--image-detail", "best"), ("--image-format", "gif")],
)  # fmt: skip
def test_invalid_values_are_one_line(data: Path, tmp_path: Path, flag: str, value: object) -> None:
    refused(isovist("run", LETTERS, "--data", data, "--model", "simulated/random", "--out", tmp_path / "run", flag, value), flag)
    assert not (tmp_path / "run").exists()


VALUES: dict[str, object] = {
    "a=1": 1, "a=1.5": 1.5, "a=1e-3": 0.001, "a=true": True, "a=True": True, "a=False": False, "a=null": None, "a=no": "no", "a=": "",
    "a=b=c": "b=c", "a=x,y": "x,y", 'a="1"': "1", "a=[1, 2]": [1, 2], 'a={"b": {"c": 1}}': {"b": {"c": 1}}, "a={bad": "{bad",
    "a=001": "001",
}  # fmt: skip


@pytest.mark.parametrize("text", VALUES)
def test_values_of_model_args_are_json_or_text(text: str) -> None:
    (value,) = model_args([text]).values()
    assert value == VALUES[text]
    assert type(value) is type(VALUES[text])


@pytest.mark.parametrize(
    "texts",
    [["top_k"], ["=1"], ["temperature=0.5"], ["messages=[]"], ["stop=x"], ["stream=true"], ["n=4"], ["a=1", "a=2"], ["a=NaN"], ["a=-Infinity"],
     ["a=[NaN]"]],
)  # fmt: skip
def test_invalid_model_args_are_one_line(data: Path, tmp_path: Path, texts: list[str]) -> None:
    args = [part for text in texts for part in ("--model-arg", text)]
    refused(ask(data, "http://127.0.0.1:9/v1", tmp_path / "run", *args), "--model-arg", texts[0].partition("=")[0])
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "text",
    ["api_key=abcdefgh12", "apikey=x", "token=x", "auth=x", "access-key=x", "client_secret=x", "password=x", "Authorization=Bearer x",
     'extra={"headers": {"authorization": "x"}}', 'extra=[{"api_key": "x"}]', "note=sk-Zq81LmPv4TxKw0aa", "note=SECRETVALUE99"],
)  # fmt: skip
def test_a_secret_in_a_model_arg_is_refused_and_not_printed(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("ISOVIST_API_KEY", "SECRETVALUE99")
    ended = ask(data, "http://127.0.0.1:9/v1", tmp_path / "run", "--model-arg", text)
    refused(ended, "--model-arg")
    assert "SECRETVALUE99" not in ended.err
    assert "Zq81" not in ended.err
    assert not (tmp_path / "run").exists()


def test_names_with_tokens_that_are_no_secrets_are_accepted() -> None:
    names = ["min_tokens", "stop_token_ids", "prompt_cache_key", "tokenizer", "thinking_token_budget", "include_stop_str_in_output"]
    assert list(model_args(f"{name}=1" for name in names)) == names


def test_a_key_in_the_system_prompt_is_refused(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "SECRETVALUE99")
    ended = ask(data, "http://127.0.0.1:9/v1", tmp_path / "run", "--system-prompt", "My key is SECRETVALUE99.")
    refused(ended, "--system-prompt")
    assert "SECRETVALUE99" not in ended.err
    assert not (tmp_path / "run").exists()


def test_the_classes_that_send_further_fields_exist() -> None:
    from inspect_ai.model._providers.openai import OpenAIAPI
    from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI

    assert {OpenAIAPI.__name__, OpenAICompatibleAPI.__name__} == inspect_ai._EXTRA_BODY


def test_the_token_limit_of_a_resumed_run_stays(data: Path, tmp_path: Path) -> None:
    with serving(lambda asked: Said("Answer: A")) as server:
        assert ask(data, server.url, tmp_path, "--max-tokens", 44).code == 0
        assert ask(data, server.url, tmp_path, "--epochs", 2).code == 0
        assert {asked.body["max_tokens"] for asked in server.asked} == {44}
        assert len(server.asked) == 4


@pytest.mark.parametrize(("stop", "style"), [("Answer:", "final-line"), ("er: ", "step-by-step"), ("sw", "final-line")])
def test_a_stop_text_inside_the_answer_is_refused(data: Path, tmp_path: Path, stop: str, style: str) -> None:
    with serving(lambda asked: Said("Answer: A")) as server:
        refused(ask(data, server.url, tmp_path / "run", "--prompt-style", style, "--stop", "\n\n\n", "--stop", stop), "--stop", repr(stop))
        assert not server.asked
    assert not (tmp_path / "run").exists()


def test_a_stop_text_that_ends_the_reasoning_is_named_as_a_reason(data: Path, tmp_path: Path) -> None:
    with serving(lambda asked: Said("It is left of")) as server:
        ended = ask(data, server.url, tmp_path, "--stop", " the")
    assert "--stop" in ended.err.splitlines()[-1]
    with serving(lambda asked: Said("A")) as server:  # the direct style has no line with "Answer:"
        assert ask(data, server.url, tmp_path / "direct", "--prompt-style", "direct", "--stop", "Answer:").code == 0


# Output -----------------------------------------------------------------------------------------------------------


def test_quiet_leaves_results_and_warnings(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOVIST_PROGRESS_SECONDS", "0.001")

    def slow(asked: Asked) -> Said:
        return Said("no letter at all", wait_s=0.05)

    with serving(slow) as server:
        loud = ask(data, server.url, tmp_path / "loud")
        quiet = ask(data, server.url, tmp_path / "quiet", "--quiet")
    assert "elapsed" in loud.err
    assert "Estimated input" in loud.err
    first, *table = quiet.out.splitlines()
    assert first == "m: 2 items (2 unparsed), 2 evaluated now"
    assert [line.split()[0] for line in table] == ["Suite", "all"]
    (warning,) = quiet.err.splitlines()
    assert warning.startswith("Unparsed responses: 2 of 2")
    with serving(slow) as server:
        assert ask(data, server.url, tmp_path / "json", "-q", "--json").err.splitlines()[-1] == warning


AT_LEVELS = """
import sys
from isovist.cli import main

out, *command = sys.argv[1:]
for name, level in (("plain", []), ("info", ["--log-level", "info"]), ("debug", ["--log-level", "DEBUG"])):
    sys.argv = ["isovist", *command, "--out", f"{out}/{name}", *level]
    try:
        main()
    except SystemExit as ended:
        assert ended.code == 0
    print("ended", file=sys.stderr)
"""


def test_log_messages_are_printed_on_request_and_hold_no_key(data: Path, tmp_path: Path) -> None:
    with serving(lambda asked: Said("Answer: A")) as server:
        args = ("run", LETTERS, "--data", data, "--model", "m", "--base-url", server.url, "--n", 2)
        ended = subprocess.run(
            [sys.executable, "-c", AT_LEVELS, tmp_path, *map(str, args)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "ISOVIST_API_KEY": "SECRETVALUE99", "PLAIN_TOKEN": "chat/completions"},
        )
    plain, info, debug = ended.stderr.split("ended\n")[:3]
    assert "HTTP" not in plain
    assert "HTTP Request: POST" in info
    assert "[key]" in info, "the text of a variable of the environment that holds a key"
    assert "DEBUG" not in info
    assert "DEBUG" in debug
    assert "SECRETVALUE99" not in ended.stderr
    refused(isovist(*args, "--out", tmp_path / "run", "--log-level", "loud"), "--log-level")
