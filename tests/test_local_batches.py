"""`hf/PATH` without a model: how a name is read, and how concurrent requests become batches."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event

import pytest
from workbench import isovist, refused

from isovist.common.errors import UserError
from isovist.common.installation import install_command
from isovist.evaluation.models import GenerationConfig, ModelRequest, ModelResponse, model
from isovist.evaluation.models.local import Settings, settings
from isovist.evaluation.models.local.batches import Batches, BatchResult

# Names ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that looks like a model's."""
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    return tmp_path / "model"


def test_a_name_tells_a_folder_from_an_id_of_the_hub(folder: Path) -> None:
    assert settings(f"hf/{folder}") == Settings(f"hf/{folder}", str(folder), hub=False)
    assert settings("hf/org/some-model_1.5") == Settings("hf/org/some-model_1.5", "org/some-model_1.5", hub=True)


def test_a_name_carries_settings(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "chat.jinja").write_text("{{ messages }}")
    model_settings = settings(f"hf/{folder}?dtype=bfloat16&device=cuda:1&trust_remote_code=1&template={tmp_path / 'chat.jinja'}")
    assert (model_settings.dtype, model_settings.device, model_settings.trust_remote_code, model_settings.template) == (
        "bfloat16",
        "cuda:1",
        True,
        "{{ messages }}",
    )
    assert settings("hf/org/m?revision=v1.2/x").revision == "v1.2/x"


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("dtype=int3", "bfloat16"),
        ("dtype=float16&dtype=float32", "once"),
        ("device=tpu", "mps"),
        ("device=cuda:x", "mps"),
        ("colour=red", "'colour'"),
        ("dtype", "dtype=bfloat16"),
        ("trust_remote_code=maybe", "1 or 0"),
        ("template=no/such/file", "No such file"),
        ("revision=main", "Remove it"),
    ],
)
def test_a_setting_that_is_none_is_refused(folder: Path, query: str, word: str) -> None:
    with pytest.raises(UserError, match=word) as refusal:
        settings(f"hf/{folder}?{query}")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("path", ["", "/no/such/folder", "../x", "a/b/c", "./m", "a b"])
def test_what_is_neither_a_folder_nor_an_id_is_refused(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    with pytest.raises(UserError, match="No folder"):
        settings(f"hf/{path}")


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    assert "config.json" in refused(isovist("run", "cdr/relative-compass-letter", "--model", f"hf/{tmp_path}", "--out", tmp_path / "run"))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_the_missing_extra_is_named(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    message = refused(isovist("run", "cdr/relative-compass-letter", "--model", f"hf/{folder}", "--out", tmp_path / "run"))
    assert install_command("hf") in message
    assert not (tmp_path / "run").exists()


def test_a_server_may_call_its_model_as_it_likes() -> None:
    with pytest.raises(UserError, match="No server at --base-url"):
        model("hf/org/some", GenerationConfig(base_url="http://127.0.0.1:9"))


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    code = """
import sys, isovist.cli.run, isovist.evaluation.models.local.generation, isovist.evaluation.models.local.weights
print([name for name in ("torch", "transformers", "accelerate", "huggingface_hub", "inspect_ai") if name in sys.modules])
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# Batches ----------------------------------------------------------------------------------------------------------


def asked(*words: str) -> list[ModelRequest]:
    return [ModelRequest(str(i), prompt, ()) for i, prompt in enumerate(words)]


class Echo:
    """Says every prompt again, and keeps what came together."""

    def __init__(self, most: int = 99, bad: str = "", fault: Exception | None = None) -> None:
        self.most, self.bad, self.fault = most, bad, fault or ValueError("it is bad")
        self.batches: list[list[str]] = []
        self.freed = 0

    def replies(self, requests: list[ModelRequest], stop: Event) -> list[ModelResponse]:
        self.batches.append([request.prompt for request in requests])
        if len(requests) > self.most:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        if self.bad in self.batches[-1]:
            raise self.fault
        return [ModelResponse(request.prompt) for request in requests]

    def free(self) -> None:
        self.freed += 1


def through(work: Callable[..., list[ModelResponse]], requests: Sequence[ModelRequest], most: int) -> list[ModelResponse]:
    async def all_at_once() -> list[ModelResponse]:
        batches = Batches(work, most)
        try:
            return await asyncio.gather(*(batches.reply(request) for request in requests))
        finally:
            batches.close()

    return asyncio.run(all_at_once())


def test_what_is_asked_at_once_is_answered_in_full_batches_in_order() -> None:
    echo = Echo()
    words = [str(i) for i in range(10)]
    assert [reply.text for reply in through(echo.replies, asked(*words), 4)] == words
    assert echo.batches == [words[:4], words[4:8], words[8:]]


def test_workers_that_go_on_fill_the_next_batch_as_well() -> None:
    echo = Echo()

    async def all_of_them() -> None:
        batches = Batches(echo.replies, 4)
        left = iter(asked(*map(str, range(12))))

        async def worker() -> None:
            for request in left:
                assert (await batches.reply(request)).text == request.prompt

        await asyncio.gather(*(worker() for _ in range(4)))
        batches.close()

    asyncio.run(all_of_them())
    assert [len(batch) for batch in echo.batches] == [4, 4, 4]


def test_a_batch_waits_a_moment_for_those_who_come_a_little_later() -> None:
    echo = Echo()

    async def one_after_the_other() -> None:
        batches = Batches(echo.replies, 4)

        async def late(turns: int, request: ModelRequest) -> None:
            for _ in range(turns):
                await asyncio.sleep(0)
            await batches.reply(request)

        await asyncio.gather(*(late(5 * i, request) for i, request in enumerate(asked("a", "b", "c"))))
        batches.close()

    asyncio.run(one_after_the_other())
    assert echo.batches == [["a", "b", "c"]]


def test_a_batch_too_large_for_memory_is_halved_and_no_later_one_is_larger() -> None:
    echo = Echo(most=2)
    work = BatchResult(echo.replies, echo.free)
    words = ["a", "b", "c", "d", "e", "f", "g", "h"]
    for _ in range(2):
        assert [reply.text for reply in work(asked(*words), Event())] == words
    assert [len(batch) for batch in echo.batches] == [8, 4, 2, 2, 2, 2, 2, 2, 2, 2]
    assert echo.freed == 2


def test_a_request_that_fails_is_an_error_and_its_neighbours_are_answered() -> None:
    echo = Echo(bad="b")
    replies = BatchResult(echo.replies, echo.free)(asked("a", "b", "c"), Event())
    assert [(reply.text, reply.error, reply.finish_reason) for reply in replies] == [
        ("a", "", "stop"),
        ("", "ValueError: it is bad", "error"),
        ("c", "", "stop"),
    ]
    assert not replies[1].is_permanent_error


def test_a_device_that_broke_will_break_the_next_request_too() -> None:
    echo = Echo(bad="a", fault=RuntimeError("CUDA error: device-side assert triggered\nmore"))
    (reply,) = BatchResult(echo.replies, echo.free)(asked("a"), Event())
    assert reply.is_permanent_error
    assert reply.error == "RuntimeError: CUDA error: device-side assert triggered more"


def test_a_batch_that_nobody_waits_for_is_stopped() -> None:
    begun, stopped = Event(), Event()

    def slow(requests: list[ModelRequest], stop: Event) -> list[ModelResponse]:
        begun.set()
        assert stop.wait(20)
        stopped.set()
        return [ModelResponse() for _ in requests]

    async def interrupted() -> None:
        batches = Batches(slow, 2)
        tasks = [asyncio.create_task(batches.reply(request)) for request in asked("a", "b")]
        await asyncio.to_thread(begun.wait, 20)
        tasks[0].cancel()
        await asyncio.sleep(0.05)
        assert not stopped.is_set(), "the other one still waits"
        tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert await asyncio.to_thread(stopped.wait, 20)
        batches.close()

    asyncio.run(interrupted())


def test_a_closed_model_answers_nothing() -> None:
    async def after() -> None:
        batches = Batches(Echo().replies, 2)
        batches.close()
        with pytest.raises(RuntimeError):
            await asyncio.wait_for(batches.reply(asked("a")[0]), 20)

    asyncio.run(after())
