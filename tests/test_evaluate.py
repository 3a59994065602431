"""`isovist.evaluate`: Python functions, objects and names as models; folders resume, faults are request errors."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from workbench import done, records

import isovist
from isovist.errors import UserError

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


def test_an_exception_is_a_request_error_and_the_run_continues(tmp_path: Path) -> None:
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
    assert "not reported" in run.summary()
    again = isovist.evaluate(unstable, TASKS[0], n=5, out=tmp_path / "run", max_connections=1, progress=False)
    assert again.results().to_pandas()["credit"].notna().all()


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
