"""Plug-ins: packages that are installed into a folder of the Python path, as `pip install --target` does, and used by other processes."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from workbench import done, records, refused, spawned

from isovist import registry
from isovist.models.plug_in_models import RESERVED

EXAMPLE = Path(__file__).parent.parent / "examples" / "plugin"
TASK = "example/higher-dot"


def install(folder: Path, name: str, entry_points: Mapping[str, Mapping[str, str]], source: str, version: str = "0.1.0") -> None:
    """Installs a package of one module with its metadata."""
    module = name.replace("-", "_")
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    info = folder / f"{module}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    lines = (line for group, points in entry_points.items() for line in (f"[{group}]", *(f"{n} = {v}" for n, v in points.items())))
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the Python path of other processes."""
    folder = tmp_path / "site"
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    return folder


@pytest.fixture
def example(place: Path) -> Path:
    """The example of the documentation, installed."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    source = (EXAMPLE / "isovist_example.py").read_text(encoding="utf-8")
    install(place, project["name"], project["entry-points"], source, project["version"])
    return place


def test_forty_lines_add_a_task_and_a_model(example: Path, tmp_path: Path) -> None:
    lines = [line for path in EXAMPLE.iterdir() if path.is_file() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(lines) <= 40
    page = (EXAMPLE.parent.parent / "docs" / "plug-ins.md").read_text(encoding="utf-8")
    assert all(path.read_text(encoding="utf-8").strip() in page for path in EXAMPLE.iterdir() if path.is_file())
    listed = spawned("list", "--plugins")
    assert listed.out.splitlines() == [f"isovist-example 0.1.0  tasks: {TASK}", "isovist-example 0.1.0  models: example/..."]
    assert TASK in spawned("list", "example/*").out
    data, run = tmp_path / "data", tmp_path / "run"
    # more than one file, so that worker processes generate: they find the plug-in too
    assert spawned("generate", TASK, "cdr/step-cell-letter", "--n", 8, "--workers", 2, "--out", data).code == 0
    assert spawned("verify", data).out == "16 rows, 0 differ\n"
    ran = spawned("run", TASK, "--data", data, "--model", "example/top-pixel", "--out", run)
    assert ran.code == 0, ran
    assert {record["outcome"] for record in records(run)} == {"correct"}
    assert {record["served_by"] for record in records(run)} == {"example/top-pixel"}
    assert json.loads((run / "run.json").read_bytes())["versions"]["isovist-example"] == "0.1.0"
    reported = spawned("report", run, "--no-item-browser", "--out", tmp_path / "report")
    assert reported.code == 0, reported
    assert "example/top-pixel" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_data_of_a_plug_in_name_the_package_that_is_missing(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    data = tmp_path / "data"
    assert spawned("generate", TASK, "--n", 4, "--out", data).code == 0
    monkeypatch.delenv("PYTHONPATH")
    refused(spawned("verify", data), TASK, "Install the package isovist-example 0.1.0.")
    # the items themselves are in the folder, and the manifest has what the card says of them
    assert spawned("generate", "cdr/step-cell-letter", "--n", 2, "--out", data).code == 0
    assert TASK in (data / "README.md").read_text(encoding="utf-8")
    assert spawned("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "run").code == 0
    assert spawned("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report").code == 0


def test_the_manifest_of_built_in_tasks_has_no_package(data: Path) -> None:
    assert all("package" not in part for part in json.loads((data / "isovist.json").read_bytes())["parts"])


def test_the_conformance_checks_run_over_a_plug_in(example: Path) -> None:
    code = f"from isovist import registry; from isovist.testing import conformance as c; c.it_describes_itself(registry.task('{TASK}'))"
    assert python(code) == ""


def python(code: str) -> str:
    """The output of a Python process."""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


# Faults ---------------------------------------------------------------------------------------------------------------

TASKS = {"isovist.tasks": {"mine": "broken"}}
OF_THE_EXAMPLE = "from dataclasses import replace\nfrom isovist_example import TASK as _T\n"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import not_installed_anywhere", "ModuleNotFoundError: No module named 'not_installed_anywhere'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("x = (", "SyntaxError: '(' was never closed"),
        ("", "no task. Assign a task to TASK, or several to TASKS"),
        ("TASKS = ('arrows',)", "no task."),
        ("TASKS = 5", "no task."),
        (OF_THE_EXAMPLE + "TASK = replace(_T, id='cdr/higher-dot')", "task cdr/higher-dot is in a suite of Isovist"),
        (OF_THE_EXAMPLE + "TASK = replace(_T, summary='Mine.')", f"task {TASK} is also a task of isovist-example 0.1.0"),
    ],
)
def test_a_plug_in_that_cannot_be_used_is_one_line_and_breaks_no_command(example: Path, source: str, reason: str) -> None:
    install(example, "broken", TASKS, source, "2.0")
    listed = spawned("list", "cdr/step-*", TASK)
    assert listed.code == 0
    assert len(listed.out.splitlines()) == 4
    assert listed.err.count("\n") == 1
    assert listed.err.startswith("isovist: Plug-in cannot be used (")
    assert reason in listed.err
    assert "tasks mine of broken 2.0" in listed.err
    assert spawned("--help").err == ""
    row = spawned("list", "--plugins").out.splitlines()
    assert any(line.startswith("broken 2.0  Plug-in cannot be used (") for line in row)


def test_a_plug_in_is_not_imported_before_it_is_used(place: Path, tmp_path: Path) -> None:
    groups = {
        "isovist.models": {"mine": "noisy:f"},
        "isovist.prompt_styles": {"mine": "noisy:f"},
        "isovist.importers": {"mine": "noisy:f"},
        "isovist.scorers": {"mine": "noisy:f"},
    }
    install(place, "noisy", groups, "raise RuntimeError('imported')")
    for args in (("--help",), ("list",), ("import", "--help"), ("run", "--help"), ("import", "kitti", "--help")):
        ended = spawned(*args)
        assert (ended.code, ended.err) == (0, ""), args
    assert "mine" in spawned("import", "--help").out
    assert "mine: of a plug-in" in re.sub(r"\s+", " ", spawned("run", "--help").out)
    run = ("run", "cdr/step-cell-letter", "--n", 2, "--workers", 1, "--out", tmp_path / "run")
    assert spawned(*run, "--model", "simulated/oracle").code == 0
    for args in (
        (*run, "--model", "mine/large"),
        ("generate", "cdr/step-cell-letter", "--n", 2, "--prompt-style", "mine", "--out", tmp_path / "data"),
        ("import", "mine", tmp_path, "--out", tmp_path / "data"),
    ):
        refused(spawned(*args), "RuntimeError: imported", "mine of noisy 0.1.0")
    assert not (tmp_path / "data").exists()


# The other kinds ------------------------------------------------------------------------------------------------------

STYLE = """
from isovist.prompts import Style
TERSE = Style("terse", "no more than a word", 'One word. End with "Answer:" and {form}.')
"""


def test_a_prompt_style(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(place, "styles", {"isovist.prompt_styles": {"terse": "styles:TERSE"}}, STYLE)
    assert "prompt style: terse (no more than a word)" in spawned("list", "--plugins").out
    shown = spawned("show", "cdr/step-cell-letter", "--prompt-style", "terse")
    assert 'One word. End with "Answer:" and' in shown.out
    data = tmp_path / "data"
    assert spawned("generate", "cdr/step-cell-letter", "--n", 3, "--prompt-style", "terse", "--out", data).code == 0
    assert spawned("verify", data).code == 0
    compared = spawned("run", "--data", data, "--compare-prompt-styles", "direct", "--model", "simulated/oracle", "--out", tmp_path / "run")
    assert compared.code == 0, compared
    monkeypatch.delenv("PYTHONPATH")
    refused(spawned("verify", data), "Prompt style is not installed: terse")


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("direct", "terse", "a prompt style of Isovist has this name"),
        ("other", "terse", "with the name other"),
        ("terse", "unfilled", "the closing needs {form}"),
        ("terse", "json", "the reply needs {key}"),
        ("terse", "text", "not an isovist.prompts.Style"),
    ],
)
def test_a_prompt_style_that_cannot_be_used(place: Path, name: str, value: str, reason: str) -> None:
    source = STYLE + "terse = TERSE\nunfilled = Style('terse', 'x', 'Boxed: \\\\boxed{answer}.')\ntext = 'One word.'\n"
    source += "json = Style('terse', 'x', '{form}', '{\"answer\": {key}}')\n"
    install(place, "styles", {"isovist.prompt_styles": {name: f"styles:{value}"}}, source)
    listed = spawned("list", "--plugins").out
    assert reason in listed
    shown = spawned("show", "cdr/step-cell-letter", "--prompt-style", name)
    if name == "direct":  # the built-in style is used
        assert shown.code == 0
    else:
        refused(shown, reason)


IMPORTER = """
from isovist.core.answers import Choice
from isovist.importers.benchmark_format import Format, ImportedItem

def read(record):
    options = tuple(record.text("options").split("|"))
    answer = Choice(options, options.index(record.text("answer")))
    return [ImportedItem("all", record.text("question"), answer, (record.metadata.get("image"),), {})]

FORMAT = Format("mybench", "MyBench", "https://example.org", ("image", "question", "options", "answer"), (), read)

def lenient(response, answer):
    return float(answer.options[answer.truth] in response)
"""


def test_an_importer_and_the_scorer_of_its_set(place: Path, tmp_path: Path) -> None:
    groups = {"isovist.importers": {"mybench": "bench:FORMAT"}, "isovist.scorers": {"mybench": "bench:lenient"}}
    install(place, "bench", groups, IMPORTER)
    picture = io.BytesIO()
    Image.new("RGB", (60, 40), "#c01622").save(picture, "png")
    rows = [
        {"image": {"bytes": picture.getvalue(), "path": None}, "question": f"Which colour? ({i})", "options": "red|blue", "answer": "red"}
        for i in range(4)
    ]
    (tmp_path / "downloads").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "downloads" / "test.parquet")
    assert "MyBench, a set of the package bench 0.1.0" in re.sub(r"\s+", " ", spawned("import", "mybench", "--help").out)
    data = tmp_path / "data"
    imported = spawned("import", "mybench", tmp_path / "downloads", "--out", data)
    assert imported.code == 0, imported
    assert "4  mybench-published/all" in imported.out
    assert spawned("run", "--data", data, "--model", "simulated/constant:A or red", "--out", tmp_path / "run").code == 0
    assert {record["published_credit"] for record in records(tmp_path / "run")} == {1.0}
    assert spawned("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report").code == 0
    (row,) = csv.DictReader((tmp_path / "report" / "results.csv").read_text(encoding="utf-8").splitlines())
    assert row["accuracy_published_scorer"] == "1"


MODELS = """
def missing(name, options):
    raise FileNotFoundError(f"no weights {name}")

class Slow:
    def __init__(self, name, options):
        self.text = f"Answer: A ({name}, {options.temperature}, {options.max_tokens})"
    async def generate(self, images, prompt):
        return self.text
"""


def test_a_model_receives_its_name_and_the_options(place: Path, tmp_path: Path) -> None:
    groups = {"isovist.models": {"mine": "models:Slow", "gone": "models:missing", "openai": "models:Slow", "text": "models:__doc__"}}
    install(place, "models", groups, MODELS)
    run = ("run", "cdr/step-cell-letter", "--n", 2, "--workers", 1, "--out", tmp_path / "run")
    ended = spawned(*run, "--model", "mine/a/b", "--temperature", 0.5)
    assert ended.code == 0
    assert "2 requests, 2 images." in ended.err  # a plug-in may cost money
    assert {record["response"] for record in records(tmp_path / "run")} == {"Answer: A (a/b, 0.5, 32768)"}
    run = ("run", "cdr/step-cell-letter", "--n", 2, "--workers", 1, "--out", tmp_path / "other")
    refused(spawned(*run, "--model", "gone/x"), "FileNotFoundError: no weights x", "--model gone/x of models 0.1.0")
    refused(spawned(*run, "--model", "text/x"), "not a function f(name, options)")
    assert "the prefix openai/ is reserved" in spawned("list", "--plugins").out


def test_two_packages_with_one_name_are_refused(place: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        install(place, name, {"isovist.models": {"mine": f"{name}:Slow"}}, MODELS)
    run = ("run", "cdr/step-cell-letter", "--n", 2, "--workers", 1, "--out", tmp_path / "run")
    refused(spawned(*run, "--model", "mine/x"), "second 0.1.0 has the same name", "model mine of first 0.1.0")
    assert not (tmp_path / "run").exists()


def test_every_provider_of_inspect_ai_is_reserved() -> None:
    import inspect

    from inspect_ai.model._providers import providers

    names = re.findall(r"@modelapi\((?:name=)?\"([^\"]+)\"\)", inspect.getsource(providers))
    assert len(names) > 25
    assert set(names) <= RESERVED


def test_the_built_in_tasks_are_those_of_the_suites() -> None:
    assert {task.suite for task in registry.built_in_tasks().values()} == {"cdr", "cospace", "dori", "perceptv", "srbench"}
    assert done("list").code == 0
