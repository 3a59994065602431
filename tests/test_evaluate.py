"""`isovist.evaluate`: Python functions, objects and names as models; folders resume, faults are request errors."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from workbench import contents, done, records

import isovist
from isovist.common.errors import UserError
from isovist.common.options import arguments, declared
from isovist.evaluation.models.option_support import generation_config
from isovist.evaluation.run_spec import RunSpec

TASKS = ["cdr/object-classification-letter", "perceptv/colours-present"]
N = 4


def always_a(images: list[Image.Image], prompt: str) -> str:
    assert all(isinstance(image, Image.Image) and image.mode == "RGB" for image in images)
    assert prompt.count("<image>") == len(images)
    return "Answer: A"


def test_a_function_is_evaluated_and_resumes(tmp_path: Path) -> None:
    run = isovist.evaluate(always_a, TASKS, n=N, out=tmp_path / "run", progress=False)
    assert len(run.results()) == 2 * N
    assert {record["response"] for record in records(run.path)} == {"Answer: A"}
    assert run.metadata.model == "python/always_a"
    assert "python/always_a" in run.summary()
    assert "<Run of python/always_a" in repr(run)

    def fails(images: list[Image.Image], prompt: str) -> str:
        raise AssertionError("asked again")

    again = isovist.evaluate(fails, TASKS, n=N, out=tmp_path / "run", name="python/always_a", progress=False)
    assert len(records(again.path)) == 2 * N
    assert isovist.load_run(tmp_path / "run").metadata == again.metadata


def test_it_is_the_run_of_the_command_line(tmp_path: Path) -> None:
    run = isovist.evaluate("simulated/random", TASKS, n=N, out=tmp_path / "api", progress=False)
    done("run", *TASKS, "--n", N, "--model", "simulated/random", "--out", tmp_path / "cli")

    def stored(path: Path) -> list[dict[str, Any]]:
        return sorted(({**record, "latency_s": 0} for record in records(path)), key=lambda record: record["item_id"])

    assert stored(run.path) == stored(tmp_path / "cli")
    settings = [json.loads((path / "run.json").read_text()) for path in (run.path, tmp_path / "cli")]
    for each in settings:
        each["started"] = each["finished"] = ""
    assert settings[0] == settings[1]


def test_without_a_folder_the_run_is_temporary() -> None:
    run = isovist.evaluate(always_a, TASKS[0], n=2, progress=False)
    path = run.path
    assert run.results().to_pandas()["outcome"].isin(["correct", "incorrect"]).all()
    del run
    assert not path.exists()


def test_coroutines_and_objects_inside_an_event_loop(tmp_path: Path) -> None:
    class Model:
        async def generate(self, images: list[Image.Image], prompt: str) -> str:
            await asyncio.sleep(0)
            return f"Answer: {'A' if images else 'B'}"

    async def in_a_notebook() -> isovist.Run:
        return isovist.evaluate(Model(), TASKS[0], n=2, out=tmp_path / "run", progress=False)

    run = asyncio.run(in_a_notebook())
    assert run.metadata.model == "python/Model"
    assert [record["parsed_answer"] for record in records(run.path)] == ["A", "A"]


def test_the_accuracy_of_each_suite_stands_at_the_end_of_a_run(tmp_path: Path) -> None:
    command = ("run", TASKS[0], "perceptv/counting-circles", "--n", 8, "--model", "simulated/oracle", "--out", tmp_path / "run")
    shown = done(*command).out.splitlines()
    assert [line.split()[:4] for line in shown if line.startswith(("all", "cdr", "perceptv"))] == [
        ["all", "2", "16", "100.0"],
        ["cdr", "1", "8", "100.0"],
        ["perceptv", "1", "8", "100.0"],
    ]
    accuracy = json.loads(done(*command, "--json").out)["accuracy"]
    assert [(row["suite"], row["tasks"], row["n"], row["accuracy"]["estimate"]) for row in accuracy] == [
        ("all", 2, 16, 1),
        ("cdr", 1, 8, 1),
        ("perceptv", 1, 8, 1),
    ]


@pytest.mark.parametrize(("asked", "most"), [(None, 1), (1, 1), (4, 4), (8, 8)])
def test_a_function_is_called_by_one_thread_unless_it_asks_for_more(asked: int | None, most: int) -> None:
    under_way, counts, lock = [0], list[int](), threading.Lock()

    def counted(images: list[Image.Image], prompt: str) -> str:
        with lock:
            under_way[0] += 1
            counts.append(under_way[0])
        time.sleep(0.05)
        with lock:
            under_way[0] -= 1
        return "Answer: A"

    evaluate = partial(isovist.evaluate, counted, TASKS[0], n=24, progress=False)
    run = evaluate() if asked is None else evaluate(max_connections=asked)
    assert max(counts) == most
    assert run.errors() == {}


def test_an_interrupted_call_is_short_and_keeps_what_has_arrived(tmp_path: Path) -> None:
    calls: list[str] = []

    def interrupted(images: list[Image.Image], prompt: str) -> str:
        calls.append(prompt)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
        return "Answer: A"

    with pytest.raises(KeyboardInterrupt, match="the same call resumes") as stopped:
        isovist.evaluate(interrupted, TASKS[0], n=9, out=tmp_path / "run", progress=False)
    assert stopped.value.__suppress_context__
    assert len(stopped.traceback) == 2  # this test, and the call
    assert len(records(tmp_path / "run")) == 3
    run = isovist.evaluate(interrupted, TASKS[0], n=9, out=tmp_path / "run", progress=False)
    assert (len(records(run.path)), len(calls)) == (9, 9)


def test_a_batch_with_too_few_responses_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def short(requests: list[isovist.Request]) -> list[str]:
        return ["Answer: A"] if len(requests) == 3 else ["Answer: A"] * len(requests)

    run = isovist.evaluate(short, TASKS[0], n=7, batch_size=3, progress=False)
    (error,) = run.errors()
    assert error == "ValueError: the function returned 1 responses to 3 requests"
    n = len(run.errors()[error])
    assert n >= 3
    assert f"{n} items not scored: request error (first: {error}). Run the same call again to retry them." in capsys.readouterr().err


def test_an_exception_is_a_request_error_and_the_run_continues(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calls: list[str] = []

    def unstable(images: list[Image.Image], prompt: str) -> str:
        calls.append(prompt)
        if len(calls) == 2:
            raise ValueError("no memory")
        return 3 if len(calls) == 3 else "Answer: A"  # type: ignore[return-value]

    run = isovist.evaluate(unstable, TASKS[0], n=5, out=tmp_path / "run", max_connections=1, progress=False)
    errors = [record["error"] for record in records(run.path)]
    assert errors == ["", "ValueError: no memory", "TypeError: the function returned int, expected str", "", ""]
    assert run.results().to_pandas()["credit"].isna().sum() == 2
    assert "| 3 of 5 |" in run.summary()
    assert {error: len(items) for error, items in run.errors().items()} == {errors[1]: 1, errors[2]: 1}
    assert "2 items not scored: request error (first: ValueError: no memory)." in capsys.readouterr().err
    again = isovist.evaluate(unstable, TASKS[0], n=5, out=tmp_path / "run", max_connections=1, progress=False)
    assert again.results().to_pandas()["credit"].notna().all()


def test_a_batched_function_gets_lists_of_requests(tmp_path: Path) -> None:
    sizes: list[int] = []

    def batched(requests: list[isovist.Request]) -> list[str]:
        sizes.append(len(requests))
        assert all(request.prompt.count("<image>") == len(request.images) for request in requests)
        assert requests[0].images[0].mode == "RGB"
        return ["Answer: A" for _ in requests]

    run = isovist.evaluate(batched, TASKS[0], n=9, out=tmp_path / "run", batch_size=4, progress=False)
    assert sorted(sizes) == [1, 4, 4]
    assert len(records(run.path)) == 9

    async def coroutine(requests: list[isovist.Request]) -> list[str]:
        await asyncio.sleep(0)
        return batched(requests)

    assert len(records(isovist.evaluate(coroutine, TASKS[0], n=5, out=tmp_path / "other", batch_size=4, progress=False).path)) == 5


def test_faults_of_a_batched_function(tmp_path: Path) -> None:
    calls: list[int] = []

    def faulty(requests: list[isovist.Request]) -> list[Any]:
        calls.append(len(requests))
        if len(calls) == 1:
            return ["Answer: A"]
        if any(request.prompt == bad for request in requests):
            raise ValueError("no memory left\nfor this")
        return [None if len(calls) == 3 else "Answer: A"] * len(requests)

    items = isovist.generate(TASKS[0], n=5)
    bad = items[3].prompt
    expected = ["", *("ValueError: no memory left for this" if item.prompt == bad else "" for item in items[1:])]
    expected[1] = expected[1] or "TypeError: the function returned NoneType, expected str"
    run = isovist.evaluate(faulty, TASKS[0], n=5, out=tmp_path / "run", batch_size=4, progress=False)
    assert [record["error"] for record in sorted(records(run.path), key=lambda record: record["item_id"])] == expected
    assert calls == [1, 4, 1, 1, 1, 1]

    def short(requests: list[isovist.Request]) -> Any:
        return ["Answer: A"] if len(requests) < 4 else "Answer: A" if requests[0].prompt == bad else ["Answer: A"] * 3

    run = isovist.evaluate(short, TASKS[0], n=5, out=tmp_path / "short", batch_size=4, progress=False)
    errors = {record["error"] for record in records(run.path)}
    assert errors <= {
        "",
        "ValueError: the function returned 3 responses to 4 requests",
        "TypeError: the function returned str, expected a list of str",
    }
    assert len(errors) == 2


def test_adaptive_testing_from_python(tmp_path: Path) -> None:
    model, task = "simulated/psychometric:threshold=9,slope=8", "perceptv/counting-circles"
    run = isovist.evaluate(model, task, adaptive=True, max_items=12, max_connections=1, out=tmp_path / "api", progress=False)
    done("run", task, "--adaptive", "--max-items", 12, "--max-connections", 1, "--model", model, "--out", tmp_path / "cli")
    assert [record["item_id"] for record in records(run.path)] == [record["item_id"] for record in records(tmp_path / "cli")]


def test_prices_and_a_cost_limit(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[models."*"]\ninput = 1\noutput = 2\n')
    run = isovist.evaluate(always_a, TASKS, n=N, pricing=prices, max_cost=1, out=tmp_path / "run", progress=False)
    assert run.metadata.usage is not None
    assert run.metadata.usage.cost_usd == 0


@pytest.mark.parametrize("within", ["no loop", "asyncio.run", "a loop of a notebook"])
def test_an_interrupted_evaluation_resumes(tmp_path: Path, within: str) -> None:
    calls: list[str] = []

    def interrupted(images: list[Image.Image], prompt: str) -> str:
        calls.append(prompt)
        if len(calls) == 4:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        return "Answer: A"

    def evaluation() -> isovist.Run:
        return isovist.evaluate(interrupted, TASKS[0], n=40, out=tmp_path, max_connections=1, progress=False)

    async def in_a_loop() -> isovist.Run:
        return evaluation()

    def in_a_loop_of_a_notebook() -> None:
        with closing(asyncio.new_event_loop()) as loop:
            loop.run_until_complete(in_a_loop())

    ways: dict[str, Callable[[], object]] = {
        "no loop": evaluation,
        "asyncio.run": lambda: asyncio.run(in_a_loop()),
        "a loop of a notebook": in_a_loop_of_a_notebook,
    }
    with pytest.raises(KeyboardInterrupt):
        ways[within]()
    assert 3 <= len(records(tmp_path)) < 10
    assert evaluation().results().to_pandas()["credit"].notna().sum() == 40
    assert len(records(tmp_path)) == 40


def test_notices_name_arguments_and_recorded_items(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        isovist.evaluate(always_a, TASKS[0], n=2, out=tmp_path)
    assert "2 items already evaluated. If the function has changed, use another folder." in capsys.readouterr().err
    with pytest.raises(UserError, match="Choose another `out` folder"):
        isovist.evaluate(always_a, TASKS[1], n=2, out=tmp_path, progress=False)


def test_a_failed_evaluation_leaves_no_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(UserError, match="no-level"):
        isovist.evaluate(always_a, TASKS, level="no-level", progress=False)
    assert list(tmp_path.iterdir()) == []


def test_models_are_compared_as_on_the_command_line(tmp_path: Path) -> None:
    runs = [isovist.evaluate(f"simulated/{name}", TASKS, n=N, out=tmp_path / name, progress=False) for name in ("random", "oracle")]
    compared = isovist.compare(runs)
    printed = done("compare", *(run.path for run in runs), "--out", tmp_path / "cli").out
    assert all(sentence in printed for sentence in (*compared.sentences, *compared.facts))
    assert compared.report(tmp_path / "api") == tmp_path / "api" / "index.html"
    assert contents(tmp_path / "api") == contents(tmp_path / "cli")
    assert list(compared.models.to_pandas()["model"].unique()) == ["simulated/random", "simulated/oracle"]
    assert "simulated/oracle" in compared._repr_html_()
    with pytest.raises(UserError, match="Too few runs"):
        isovist.compare(runs[:1])


@pytest.mark.filterwarnings("ignore:Cannot locate reference to")  # of dill on Python 3.14, with which `datasets` computes a fingerprint
def test_items_convert_to_tables() -> None:
    items = isovist.generate(TASKS, n=2)
    frame = items.to_pandas()
    assert list(frame["id"]) == [item.id for item in items]
    assert "images" not in frame
    dataset = items.to_hf()
    assert [len(row["images"]) for row in dataset] == [len(item.images) for item in items]
    assert dataset[1]["images"][0].tobytes() == items[1].images[0].tobytes()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    items = isovist.generate(TASKS[0], n=1)
    for package, convert in (("pandas", items.to_pandas), ("datasets", items.to_hf)):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(UserError, match=f"Run `.*pip install.* {package}`"):
            convert()


def test_notebooks_show_tasks_sequences_and_results(tmp_path: Path) -> None:
    assert TASKS[0] in isovist.task(TASKS[0])._repr_html_()
    assert "<img " in isovist.generate(TASKS, n=1)._repr_html_()
    run = isovist.evaluate(always_a, TASKS[0], n=2, out=tmp_path, progress=False)
    assert run.results()._repr_html_().count("<tr>") == 3


def test_notebooks_show_items_and_runs(tmp_path: Path) -> None:
    item = isovist.generate("cdr/object-classification-icon", n=1)[0]
    html = item._repr_html_()
    assert html.count("<img ") == len(item.images)
    before, _, after = html.partition("<details>")
    assert "which" in before.casefold() or "what" in before.casefold()
    assert item.answer.balance_bin() in after
    assert repr(item) == f"<Item {item.id}>"
    run = isovist.evaluate(always_a, TASKS[0], n=2, out=tmp_path / "run", progress=False)
    assert "python/always_a" in run._repr_html_()


def test_a_report_is_written(tmp_path: Path) -> None:
    run = isovist.evaluate(always_a, TASKS[0], n=2, out=tmp_path / "run", progress=False)
    page = run.report(tmp_path / "report")
    assert page == tmp_path / "report" / "index.html"
    assert "python/always_a" in page.read_text()
    assert (tmp_path / "report" / "items.html").exists()


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (3, {"tasks": TASKS}, "Not a model: 3"),
        (always_a, {}, "Missing tasks"),
        (always_a, {"tasks": "cdr/none"}, "cdr/none"),
        ("simulated/none", {"tasks": TASKS}, "simulated/none"),
        (always_a, {"tasks": TASKS, "level": "no-level"}, "no-level"),
        (always_a, {"data": "no/folder"}, "no/folder"),
        (always_a, {"tasks": TASKS, "temperature": 1}, "without effect on a function: temperature"),
        (always_a, {"tasks": TASKS, "batch_size": 0}, "Invalid `batch_size`: 0"),
        (always_a, {"tasks": TASKS, "batch_size": 2, "max_connections": 3}, "without effect on a function: max_connections"),
        ("simulated/random", {"tasks": TASKS, "top_p": 2}, "Invalid `top_p`: 2"),
        ("simulated/random", {"tasks": TASKS, "image_format": "gif"}, "Invalid `image_format`: gif"),
        ("simulated/random", {"tasks": TASKS, "reasoning_effort": "huge"}, "Invalid `reasoning_effort`: huge"),
        ("simulated/random", {"tasks": TASKS, "stop": ""}, "Empty text: `stop`"),
        ("simulated/random", {"tasks": TASKS, "batch_size": 2}, "without effect on a model by name: batch_size"),
        ("simulated/random", {"tasks": TASKS, "n": -1}, "Invalid `n`: -1"),
        ("simulated/random", {"tasks": TASKS, "temperature": -1}, "Invalid `temperature`: -1"),
        ("simulated/random", {"tasks": TASKS, "image_mode": "captions"}, "Invalid `image_mode`: captions"),
        ("simulated/random", {"tasks": TASKS, "seed": 2**70}, "Invalid `seed`"),
        ("simulated/random", {"tasks": TASKS, "max_items": 20}, "without `adaptive`: `max_items`"),
        ("simulated/random", {"tasks": TASKS, "max_cost": 1}, "Add `pricing`"),
    ],
)
def test_invalid_input_is_named_and_nothing_is_written(tmp_path: Path, model: object, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        isovist.evaluate(model, out=tmp_path / "run", progress=False, **options)
    assert not (tmp_path / "run").exists()


def test_another_run_in_the_folder_is_refused(tmp_path: Path) -> None:
    isovist.evaluate(always_a, TASKS[0], n=2, out=tmp_path, progress=False)
    with pytest.raises(UserError, match="other tasks or splits"):
        isovist.evaluate(always_a, TASKS[1], n=2, out=tmp_path, progress=False)
    with pytest.raises(UserError, match="different model"):
        isovist.evaluate("simulated/random", TASKS[0], n=2, out=tmp_path, progress=False)


def test_a_text_is_one_stop_text_and_none_is_no_option(tmp_path: Path) -> None:
    assert generation_config(RunSpec("m", TASKS, stop="END")).stop_seqs == ("END",)
    assert isovist.evaluate(always_a, TASKS[0], n=1, out=tmp_path, progress=False, temperature=None).metadata.options.temperature == 0


def test_errors_hold_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOVIST_API_KEY", "sk-very-secret-1")

    def fails_with_key(images: list[Image.Image], prompt: str) -> str:
        if records(tmp_path):
            raise RuntimeError("refused: sk-very-secret-1")
        return "Answer: A"

    isovist.evaluate(fails_with_key, TASKS[0], n=2, max_connections=1, out=tmp_path, progress=False)
    assert [record["error"] for record in records(tmp_path)] == ["", "RuntimeError: refused: [key]"]


def test_an_unknown_argument_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"^evaluate\(\): got an unexpected keyword argument 'temprature'$"):
        isovist.evaluate(always_a, TASKS, temprature=1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError, match=r"^evaluate\(\): missing a required argument: 'model'$"):
        isovist.evaluate(tasks=TASKS)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def test_a_field_without_an_option_is_no_argument() -> None:
    """What the command line alone sets."""
    assert "given" not in declared(RunSpec)
    assert "given" not in {name for name, *_ in arguments(RunSpec)}
    with pytest.raises(TypeError, match=r"^evaluate\(\): got an unexpected keyword argument 'given'$"):
        isovist.evaluate(always_a, TASKS, given=frozenset())  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
