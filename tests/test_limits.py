"""How long replies may be, what is said when they are cut off, and what a first reply tells of the estimate."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from inspect_ai.model import RetryDecision, get_model
from scripted import Asked, Said, fault, serving
from workbench import Ended, done, edit, isovist, records, refused

from isovist.evaluation.models.base import LONGEST, GenerationConfig
from isovist.evaluation.models.limits import Limits, limits, served
from isovist.evaluation.models.request_errors import fault as told_by

LETTERS = "cdr/relative-compass-letter"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits of hundredths instead of seconds."""
    monkeypatch.setattr("isovist.evaluation.models.request_errors._FIRST_WAIT", 0.02)


def ask(data: Path, url: str, out: Path, *more: object) -> Ended:
    return isovist("run", LETTERS, "--data", data, "--model", "m", "--base-url", url, "--out", out, "--max-connections", 2, *more)


def sent(run: Path) -> int:
    """The limit that stands in the folder of a run."""
    return json.loads((run / "run.json").read_bytes())["options"]["max_tokens"]


# What the model allows --------------------------------------------------------------------------------------------


def listed(**more: Any) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": "other", "max_model_len": 1}, {"id": "m", "object": "model", **more}]}


SERVED: dict[str, tuple[object, Limits, int]] = {
    "vLLM": (listed(max_model_len=8192), Limits(None, 8192), 4096),
    "a long context": (listed(max_model_len=1_000_000), Limits(None, 1_000_000), LONGEST),
    "a gateway": (listed(context_length=262_144, top_provider={"max_completion_tokens": 16_384}), Limits(16_384, 262_144), 16_384),
    "an output as long as the context": (listed(context_window=8192, max_completion_tokens=8192), Limits(8192, 8192), 4096),
    "a list that tells nothing": (listed(), Limits(), LONGEST),
    "another model's list": ({"data": [{"id": "x", "max_model_len": 9}]}, Limits(), LONGEST),
    "odd numbers": (listed(max_model_len="8192", context_length=-3, context_window=2.5, n_ctx=True), Limits(), LONGEST),
    "odd lists": ({"data": [7, None, {"id": ["m"]}]}, Limits(), LONGEST),
    "no list": ({"data": "none"}, Limits(), LONGEST),
    "a page": ("<html>no</html>", Limits(), LONGEST),
    "a deep nest": ("[" * 100_000, Limits(), LONGEST),
    "nothing at that address": (None, Limits(), LONGEST),
}


@pytest.mark.parametrize("name", SERVED)
def test_a_server_tells_what_a_reply_may_be(name: str) -> None:
    models, expected, longest = SERVED[name]
    with serving(lambda asked: Said("")) as server:
        server.models = models
        server_limits = served(server.url, "none", "m")
    assert server_limits == expected
    assert server_limits.longest == longest


def test_models_that_are_known_have_their_own_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert limits(get_model("openai/gpt-4o-mini", memoize=False)).longest == 16_384
    assert limits(get_model("openai/gpt-4", memoize=False)).longest == 4096  # half of its context
    assert limits(get_model("mockllm/model", memoize=False)).longest == LONGEST


def test_the_limit_is_sent_and_recorded_and_a_run_keeps_its_own(data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with serving(lambda asked: Said("Answer: B")) as server:
        server.models = listed(max_model_len=6000)
        assert ask(data, server.url, run, "--n", 2).code == 0
        assert {asked.body["max_tokens"] for asked in server.asked} == {3000} == {sent(run)}
        server.models = listed(max_model_len=9000)
        server.asked.clear()
        assert ask(data, server.url, run, "--n", 2, "--epochs", 2).code == 0  # without --max-tokens it goes on as it began
        assert {asked.body["max_tokens"] for asked in server.asked} == {3000} == {sent(run)}
        refused(ask(data, server.url, run, "--n", 2, "--max-tokens", 9), "different max tokens")


def test_a_run_of_before_goes_on_with_the_limit_that_it_had(data: Path, tmp_path: Path) -> None:
    done("run", LETTERS, "--data", data, "--model", "simulated/random", "--out", tmp_path)
    edit(tmp_path / "run.json", lambda run_info: run_info["options"].update(max_tokens=4096))
    done("run", LETTERS, "--data", data, "--model", "simulated/random", "--out", tmp_path)
    assert sent(tmp_path) == 4096


# Replies that are cut off -----------------------------------------------------------------------------------------


def counted(content: str, finish: str, written: int, read: int = 70) -> Said:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
    usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    return Said(raw=json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}))


def warnings(ended: Ended) -> list[str]:
    return [line for line in ended.err.splitlines() if "truncated" in line]


def test_ten_truncated_replies_are_said_at_once_and_once(data: Path, tmp_path: Path) -> None:
    seen = 0

    def answer(asked: Asked) -> Said:
        nonlocal seen
        seen += 1
        return counted("hm", "length", 100) if seen > 2 else counted("Answer: B", "stop", 5)

    with serving(answer) as server:
        ended = ask(data, server.url, tmp_path / "run", "--max-tokens", 100, "--max-connections", 1)
    assert ended.code == 0
    words = "The limit is 100 tokens. Stop with Ctrl-C and use a new folder with a larger --max-tokens."
    at_once, at_the_end = warnings(ended)
    assert at_once == f"10 of 12 responses are truncated before an answer. {words}"
    assert at_the_end.startswith("Unparsed responses: 14 of 16 (88%; 14 truncated). Run again with a higher --max-tokens (now 100)")
    with serving(answer) as server:
        edit(tmp_path / "run" / "run.json", lambda run_info: run_info["options"].update(base_url=server.url))
        assert warnings(ask(data, server.url, tmp_path / "run", "--max-tokens", 100)) == [at_the_end]  # nothing is asked


def test_a_limit_of_the_servers_own_is_told_as_such(data: Path, tmp_path: Path) -> None:
    with serving(lambda asked: counted("hm", "length", 100)) as server:
        at_once, at_the_end = warnings(ask(data, server.url, tmp_path / "run"))
    assert "10 of 10 responses" in at_once
    for line in (at_once, at_the_end):
        assert "ended after 100 tokens, before --max-tokens 32768" in line
        assert "longer context" in line


def test_a_few_truncated_replies_are_told_at_the_end(data: Path, tmp_path: Path) -> None:
    with serving(lambda asked: counted("hm", "length", 100)) as server:
        ended = ask(data, server.url, tmp_path / "run", "--max-tokens", 100, "--n", 4)
    (line,) = warnings(ended)
    assert line.startswith("Unparsed responses: 4 of 4 (100%; 4 truncated). Run again with a higher --max-tokens (now 100)")


# The estimate -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("views") / "data"
    done("generate", "cospace/direction-recognition", "--n", 4, "--workers", 1, "--out", folder)
    return folder


def run_views(views: Path, url: str, out: Path, *more: object) -> Ended:
    return isovist("run", "--data", views, "--model", "m", "--base-url", url, "--out", out, *more)


def test_the_first_reply_corrects_the_estimate(views: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[models."m"]\ninput = 10\noutput = 20\n')
    with serving(lambda asked: counted("Answer: B", "stop", 5, read=4500)) as server:
        ended = run_views(views, server.url, tmp_path / "run", "--pricing", prices, "--max-tokens", 50)
    estimate, corrected, *_ = ended.err.splitlines()
    assert estimate.startswith("4 requests, 16 images. ")
    assert corrected.startswith("4,500 input tokens for the first item: the estimate changes by a factor of ")
    words = corrected.split("Estimated input: ")[1]
    text, pictures = (int("".join(filter(str.isdigit, part))) for part in words.split(" image tokens")[0].split(" text + "))
    assert text + pictures == pytest.approx(4 * 4500, rel=0.02)
    assert "0.18 USD for the input" in corrected


def test_an_estimate_that_was_near_is_not_said_again(data: Path, tmp_path: Path) -> None:
    with serving(lambda asked: counted("Answer: B", "stop", 5, read=140)) as server:
        assert "changes by" not in ask(data, server.url, tmp_path / "run").err


def test_the_first_reply_corrects_the_estimate_of_captions(views: Path, tmp_path: Path) -> None:
    with serving(lambda asked: counted("Answer: B", "stop", 5, read=2000)) as server:
        ended = run_views(views, server.url, tmp_path / "run", "--image-mode", "caption-first")
    assert "10,000 input tokens for the first item" in ended.err


TOO_LONG = {
    "vLLM": "This model's maximum context length is 4096 tokens. However, you requested 4500 tokens in the messages",
    "llama.cpp": "request (4500 tokens) exceeds the available context size (4096 tokens), try increasing it",
    "SGLang": "The input (4500 tokens) is longer than the model's context length (4096 tokens)",
    "TGI": "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4500 `inputs` tokens and 32768 `max_new_tokens`",
}


@pytest.mark.parametrize("name", TOO_LONG)
def test_a_refusal_for_its_length_names_what_helps(views: Path, tmp_path: Path, name: str) -> None:
    with serving(lambda asked: fault(400, TOO_LONG[name])) as server:
        server.models = listed(max_model_len=4096)
        ended = run_views(views, server.url, tmp_path / "run")
    assert ended.code == 2
    line = ended.err.splitlines()[-1]
    for words in (
        TOO_LONG[name],
        "--image-size",
        "--image-mode caption-first",
        "--max-tokens",
        "context of 4,096 tokens",
        "longer context",
    ):
        assert words in line


def test_a_refusal_of_one_item_for_its_length_names_what_helps_at_the_end(data: Path, tmp_path: Path) -> None:
    seen: list[Asked] = []

    def answer(asked: Asked) -> Said:
        seen.append(asked)
        return fault(400, TOO_LONG["vLLM"]) if len(seen) == 3 else Said("Answer: B")

    with serving(answer) as server:
        ended = ask(data, server.url, tmp_path / "run")
    assert ended.code == 1
    assert "--image-mode caption-first" in ended.err.splitlines()[-1]


def test_another_refusal_names_nothing_of_lengths(data: Path, tmp_path: Path) -> None:
    with serving(lambda asked: fault(400, "no picture was understood")) as server:
        assert "--image-size" not in ask(data, server.url, tmp_path / "run").err


# Lines that were cut off ------------------------------------------------------------------------------------------

Copy = Callable[[Path], Path]
CUT = {
    "zero bytes": lambda line: b"\0" * len(line) + b"\n",
    "a piece and zero bytes": lambda line: line[:20] + b"\0" * 30 + b"\n",
    "zero bytes and a piece": lambda line: b"\0" * 30 + line[20:] + b"\n",
    "a last line without its end": lambda line: line[:20],
}


@pytest.mark.parametrize("name", CUT)
def test_a_line_that_was_cut_off_is_said_and_its_item_is_asked_again(oracle: Path, tmp_path: Path, copied: Copy, name: str) -> None:
    run = copied(oracle)
    path = run / "records.jsonl"
    lines = path.read_bytes().splitlines()
    place = len(lines) - 1 if "last" in name else 2
    lost = json.loads(lines[place])["item_id"]
    spoilt = [line + b"\n" for line in lines]
    spoilt[place] = CUT[name](lines[place])
    path.write_bytes(b"".join(spoilt))
    done("report", run, "--out", tmp_path / "report")
    ended = done("run", "cdr/relative-*-letter", "--n", 8, "--model", "simulated/oracle", "--workers", 1, "--out", run)
    assert f"records.jsonl, line {place + 1}." in ended.err
    assert "1 evaluated now" in ended.out
    done("rescore", run)
    run_records = records(run)
    assert len(run_records) == len(lines)
    assert [record["item_id"] for record in run_records if record["item_id"] == lost] == [lost]


def test_a_record_behind_zero_bytes_is_not_lost(oracle: Path, tmp_path: Path, copied: Copy) -> None:
    run = copied(oracle)
    path = run / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = b'{"item_id": "cd' + b"\0" * 30 + lines[2]
    path.write_bytes(b"".join(lines))
    ended = done("run", "cdr/relative-*-letter", "--n", 8, "--model", "simulated/oracle", "--workers", 1, "--out", run)
    assert "records.jsonl, line 3." in ended.err
    assert "0 evaluated now" in ended.out
    done("report", run, "--out", tmp_path / "report")


# Weights in this process ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("context", "max_tokens", "longest"), [(2048, 0, 2048), (131_072, 0, LONGEST), (None, 0, LONGEST), (2048, 99, 99)])
def test_weights_in_this_process_allow_what_their_configuration_tells(context: int | None, max_tokens: int, longest: int) -> None:
    """Without torch: what is loaded is stood in for."""
    from isovist.evaluation.models.local.generation import Generation

    text = SimpleNamespace() if context is None else SimpleNamespace(max_position_embeddings=context)
    tokenizer = SimpleNamespace(pad_token_id=0, eos_token_id=1, all_special_ids=[], all_special_tokens=[], added_tokens_decoder={})
    loaded: Any = SimpleNamespace(
        served_by="w",
        model=SimpleNamespace(config=SimpleNamespace(get_text_config=lambda: text), generation_config=SimpleNamespace(eos_token_id=2)),
        processor=SimpleNamespace(tokenizer=tokenizer),
    )
    generation = Generation(loaded, GenerationConfig(max_tokens=max_tokens))
    assert generation.longest == loaded.model.generation_config.max_new_tokens == longest
    assert generation._room(100) == (longest if context is None else min(longest, context - 100))


def test_a_throttled_provider_without_a_status_is_an_overload() -> None:
    error = told_by(RuntimeError("ThrottlingException"), lambda _: RetryDecision.rate_limit(2.0))
    assert (error.is_overload, error.busy, error.wait_s) == (True, True, 2.0)
    assert not told_by(RuntimeError("reset"), lambda _: RetryDecision.transient()).is_overload
