"""Plug-ins: packages that are installed into a folder of the Python path, as `pip install --target` does."""

from __future__ import annotations

import csv
import importlib
import io
import json
import os
import re
import sys
import tomllib
from collections.abc import Generator, Mapping
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from workbench import done, isovist, records, refused, spawned, stored

from isovist.audit.testing import conformance
from isovist.cli import _COMMANDS as COMMANDS
from isovist.cli import cli
from isovist.common import plug_ins
from isovist.data.prompts import BUILT_IN, STYLES
from isovist.evaluation.models.plug_in_models import RESERVED
from isovist.suites import registry

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


def forget(folder: Path) -> None:
    """Lets this process look again at what is installed, as a new one would."""
    plug_ins.installed.cache_clear()
    for name, value in vars(registry).items():
        if hasattr(value, "cache_clear") and name not in {"built_in_tasks", "_in_package"}:
            value.cache_clear()
    importlib.invalidate_caches()
    for name, module in [*sys.modules.items()]:
        if (getattr(module, "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A folder on the Python path of this and of other processes. Commands imported here have no prompt style of a plug-in."""
    for command in COMMANDS:
        cli.get_command(click.Context(cli), command)
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    monkeypatch.syspath_prepend(folder)
    forget(folder)
    yield folder
    forget(folder)


def uninstall(folder: Path) -> None:
    """Takes the folder off the path of this process."""
    sys.path.remove(str(folder))
    forget(folder)


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
    listed = done("list", "--plugins")
    assert listed.out.splitlines() == [f"isovist-example 0.1.0  tasks: {TASK}", "isovist-example 0.1.0  models: example/..."]
    assert TASK in done("list", "example/*").out
    data, run = tmp_path / "data", tmp_path / "run"
    # more than one file, so that worker processes generate: they find the plug-in too
    assert spawned("generate", TASK, "cdr/step-cell-letter", "--n", 8, "--workers", 2, "--out", data).code == 0
    assert done("verify", data, "--workers", 1).out == "16 rows, 0 differ\n"
    done("run", TASK, "--data", data, "--model", "example/top-pixel", "--out", run)
    assert {record["outcome"] for record in records(run)} == {"correct"}
    assert {record["served_by"] for record in records(run)} == {"example/top-pixel"}
    assert json.loads((run / "run.json").read_bytes())["versions"]["isovist-example"] == "0.1.0"
    done("report", run, "--no-item-browser", "--out", tmp_path / "report")
    assert "example/top-pixel" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")


def test_data_of_a_plug_in_name_the_package_that_is_missing(example: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    done("generate", TASK, "--n", 4, "--workers", 1, "--out", data)
    uninstall(example)
    refused(isovist("verify", data), TASK, "Install the package isovist-example 0.1.0.")
    # the items themselves are in the folder, and the manifest has what the card says of them
    done("generate", "cdr/step-cell-letter", "--n", 2, "--workers", 1, "--out", data)
    assert TASK in (data / "README.md").read_text(encoding="utf-8")
    done("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report")


def test_the_manifest_of_built_in_tasks_has_no_package(data: Path) -> None:
    assert all("package" not in part for part in json.loads((data / "isovist.json").read_bytes())["parts"])


@pytest.mark.usefixtures("example")
def test_the_conformance_checks_run_over_a_plug_in() -> None:
    conformance.it_describes_itself(registry.task(TASK))


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
def test_a_plug_in_that_cannot_be_used_is_told_and_breaks_no_command(
    example: Path, caplog: pytest.LogCaptureFixture, source: str, reason: str
) -> None:
    install(example, "broken", TASKS, source, "2.0")
    listed = done("list", "cdr/step-*", TASK)
    assert len(listed.out.splitlines()) == 4
    (told,) = caplog.messages
    assert told.startswith("isovist: Plug-in cannot be used (")
    assert reason in told
    assert "tasks mine of broken 2.0" in told
    assert any(line.startswith("broken 2.0  Plug-in cannot be used (") for line in done("list", "--plugins").out.splitlines())


def test_a_plug_in_that_cannot_be_used_is_one_line(example: Path) -> None:
    install(example, "broken", TASKS, "x = (", "2.0")
    listed = spawned("list", "cdr/step-*", TASK)
    assert listed.code == 0
    assert len(listed.out.splitlines()) == 4
    assert listed.err.count("\n") == 1
    assert listed.err.startswith("isovist: Plug-in cannot be used (")
    assert spawned("--help").err == ""


def test_a_plug_in_is_not_imported_before_it_is_used(place: Path, tmp_path: Path) -> None:
    groups = {
        "isovist.models": {"mine": "noisy:f"},
        "isovist.prompt_styles": {"mine": "noisy:f"},
        "isovist.importers": {"mine": "noisy:f"},
        "isovist.scorers": {"mine": "noisy:f"},
    }
    install(place, "noisy", groups, "raise RuntimeError('imported')")
    for args in (("--help",), ("list",), ("import", "--help"), ("run", "--help"), ("import", "kitti", "--help")):
        assert done(*args).err == "", args
    assert "mine" in done("import", "--help").out
    assert "mine: of a plug-in" in re.sub(r"\s+", " ", spawned("run", "--help").out)
    run = ("run", "cdr/step-cell-letter", "--n", 2, "--workers", 1, "--out", tmp_path / "run")
    done(*run, "--model", "simulated/oracle")
    generate = ("generate", "cdr/step-cell-letter", "--n", 2, "--prompt-style", "mine", "--out", tmp_path / "data")
    for ended in (
        isovist(*run, "--model", "mine/large"),
        spawned(*generate),
        isovist("import", "mine", tmp_path, "--out", tmp_path / "data"),
    ):
        refused(ended, "RuntimeError: imported", "mine of noisy 0.1.0")
    assert not (tmp_path / "data").exists()


# The other kinds ------------------------------------------------------------------------------------------------------

STYLE = """
from isovist.data.prompts import Style
TERSE = Style("terse", "no more than a word", 'One word. End with "Answer:" and {form}.')
"""


def test_a_prompt_style(place: Path, tmp_path: Path) -> None:
    install(place, "styles", {"isovist.prompt_styles": {"terse": "styles:TERSE"}}, STYLE)
    assert "prompt style: terse (no more than a word)" in done("list", "--plugins").out
    data = tmp_path / "data"
    generate = ("generate", "cdr/step-cell-letter", "--n", 3, "--prompt-style", "terse", "--workers", 1, "--out", data)
    assert spawned(*generate).code == 0
    assert all('One word. End with "Answer:" and' in row.prompt for row in stored(data))
    done("verify", data, "--workers", 1)
    done("run", "--data", data, "--compare-prompt-styles", "direct", "--model", "simulated/oracle", "--out", tmp_path / "run")
    uninstall(place)
    refused(isovist("verify", data, "--workers", 1), "Prompt style is not installed: terse")


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("direct", "terse", "a prompt style of Isovist has this name"),
        ("other", "terse", "with the name other"),
        ("terse", "unfilled", "the closing needs {form}"),
        ("terse", "json", "the reply needs {key}"),
        ("terse", "text", "not an isovist.data.prompts.Style"),
    ],
)
def test_a_prompt_style_that_cannot_be_used(place: Path, name: str, value: str, reason: str) -> None:
    source = STYLE + "terse = TERSE\nunfilled = Style('terse', 'x', 'Boxed: \\\\boxed{answer}.')\ntext = 'One word.'\n"
    source += "json = Style('terse', 'x', '{form}', '{\"answer\": {key}}')\n"
    install(place, "styles", {"isovist.prompt_styles": {name: f"styles:{value}"}}, source)
    assert reason in done("list", "--plugins").out
    if name == "direct":
        assert STYLES[name] is BUILT_IN[name]
    else:
        with pytest.raises(plug_ins.PlugInError, match=re.escape(reason)):
            STYLES[name]


IMPORTER = """
from isovist.core.answers import Choice
from isovist.data.importers.benchmark_format import Format, ImportedItem

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
    assert "MyBench, a set of the package bench 0.1.0" in re.sub(r"\s+", " ", done("import", "mybench", "--help").out)
    data = tmp_path / "data"
    imported = done("import", "mybench", tmp_path / "downloads", "--out", data)
    assert "4  mybench-published/all" in imported.out
    done("run", "--data", data, "--model", "simulated/constant:A or red", "--out", tmp_path / "run")
    assert {record["published_credit"] for record in records(tmp_path / "run")} == {1.0}
    done("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report")
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
    ended = done(*run, "--model", "mine/a/b", "--temperature", 0.5)
    assert "2 requests, 2 images." in ended.err  # a plug-in may cost money
    assert {record["response"] for record in records(tmp_path / "run")} == {"Answer: A (a/b, 0.5, 32768)"}
    run = ("run", "cdr/step-cell-letter", "--n", 2, "--workers", 1, "--out", tmp_path / "other")
    refused(isovist(*run, "--model", "gone/x"), "FileNotFoundError: no weights x", "--model gone/x of models 0.1.0")
    refused(isovist(*run, "--model", "text/x"), "not a function f(name, options)")
    assert "the prefix openai/ is reserved" in done("list", "--plugins").out


def test_two_packages_with_one_name_are_refused(place: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        install(place, name, {"isovist.models": {"mine": f"{name}:Slow"}}, MODELS)
    run = ("run", "cdr/step-cell-letter", "--n", 2, "--workers", 1, "--out", tmp_path / "run")
    refused(isovist(*run, "--model", "mine/x"), "second 0.1.0 has the same name", "model mine of first 0.1.0")
    assert not (tmp_path / "run").exists()


def test_every_provider_of_inspect_ai_is_reserved() -> None:
    import inspect

    from inspect_ai.model._providers import providers

    names = re.findall(r"@modelapi\((?:name=)?\"([^\"]+)\"\)", inspect.getsource(providers))
    assert len(names) > 25
    assert set(names) <= RESERVED


def test_the_built_in_tasks_are_those_of_the_suites() -> None:
    assert {task.suite for task in registry.built_in_tasks().values()} == {
        "cdr",
        "cospace",
        "dori",
        "perceptv",
        "srbench",
        "viewpoint",
        "solids",
    }
    assert done("list").code == 0
