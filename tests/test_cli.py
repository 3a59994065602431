"""The command line: help that starts fast, bad input that ends in one line with nothing written, and the README's way."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import N
from PIL import Image
from workbench import contents, done, edit, isovist, parquet, records, refused, spawned, spoil, stored, with_room

import isovist as api
from isovist.cli import _COMMANDS as COMMANDS
from isovist.common.errors import UserError
from isovist.data.dataset.manifest import MANIFEST
from isovist.reporting.reports.sections import findings
from isovist.reporting.reports.sections.order import build_sections
from isovist.suites import registry

LETTERS = "cdr/relative-compass-letter"
FRESH = ("--n", 2, "--workers", 1)
Copy = Callable[[Path], Path]


# Help ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_of_itself(name: str) -> None:
    ended = done(name, "--help")
    assert ended.err == ""
    assert ended.out.startswith("Usage: ")
    assert done(name, "-h") == ended
    # on a line of its own, to be copied; click's mark against filling a paragraph must not show
    assert any(line.strip().startswith(f"Example: isovist {name} ") for line in ended.out.splitlines()), ended.out
    assert "\\b" not in ended.out


def test_help_lists_every_command_and_what_it_is_for() -> None:
    text = done("--help").out
    assert "\\b" not in text
    for name, summary in COMMANDS.items():
        assert any(line.split()[:1] == [name] and summary.split()[0] in line for line in text.splitlines()), name


def test_isovist_alone_shows_its_help() -> None:
    """Whoever tries the bare command wants to read on, not to see the help squeezed into one line."""
    ended = isovist()
    assert done("--help").out.strip() in ended.out + ended.err


HEAVY = """
import sys
from isovist.cli import main
sys.argv = ["isovist", *sys.argv[1:]]
try:
    main()
finally:
    print(*{name.partition(".")[0] for name in sys.modules} & {
        "numpy", "scipy", "PIL", "aggdraw", "pyarrow", "jinja2", "inspect_ai", "openai", "sklearn", "datasets"
    }, file=sys.stderr)
"""


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["run", "--help"], ["list"]], ids=" ".join)
def test_help_and_lists_import_no_heavy_library(args: list[str]) -> None:
    ended = subprocess.run([sys.executable, "-c", HEAVY, *args], capture_output=True, text=True, check=True)
    assert ended.stdout
    assert ended.stderr.split() == []


def test_generation_imports_neither_pandas_nor_other_suites(tmp_path: Path) -> None:
    """PyArrow would import pandas, which takes a second; conversions to pandas still do."""
    pytest.importorskip("pandas")
    code = (
        HEAVY.partition("finally:")[0]
        + """
finally:
    import pyarrow
    print("pandas" in sys.modules, *sorted(name for name in sys.modules if name.startswith("isovist.suites.") and name.count(".") == 2))
    print(*pyarrow.table({"a": [1]}).to_pandas()["a"])
"""
    )
    command = ["generate", "perceptv/circle-boxes", "--n", "3", "--out", str(tmp_path / "data")]
    ended = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-2:] == ["False isovist.suites.perceptv isovist.suites.registry", "1"]


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert done("--version").out == f"isovist {version('isovist')}\n"


def test_a_reader_that_goes_away_is_no_fault() -> None:
    """As in `isovist list --json | head -1`."""
    with subprocess.Popen([sys.executable, "-m", "isovist", "list", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 0)


# Bad input: what is given, and the words that must be in the one line ---------------------------------------------

BAD: dict[str, tuple[tuple[object, ...], tuple[str, ...]]] = {
    "an unknown command": (("lst",), ("lst", "list")),
    "a command like no other": (("bogus",), ("bogus", *COMMANDS)),
    "an unknown option": (("list", "--bogus"), ("--bogus",)),
    "a misspelt task": (("generate", "cdr/relative-compas-leter", *FRESH, "--out", "out"), ("cdr/relative-compas-leter", LETTERS)),
    "a task without its suite": (("list", "relative-compass-letter"), ("relative-compass-letter", LETTERS)),
    "a glob that fits nothing": (("generate", "zzz*", *FRESH, "--out", "out"), ("zzz*", "isovist list")),
    "an unknown task for run": (("run", "cdr/relative-compass-leter", "--model", "simulated/oracle", "--out", "out"), (LETTERS,)),
    "an unknown task for the gallery": (("gallery", "cdr/nope", "--out", "out"), ("cdr/nope",)),
    "an unknown task for the audit": (("audit", "nope"), ("nope",)),
    "no tasks": (("generate", "--out", "out"), ("TASKS",)),
    "no folder": (("generate", LETTERS, *FRESH), ("--out",)),
    "a sheet too small to be read": (
        ("generate", "srbench/maze-nav-*", "srbench/paper-folding", *FRESH, "--image-size", 97, "--out", "out"),
        ("srbench/paper-folding", "size=97", "from 200"),
    ),
    "a negative n": (("generate", LETTERS, "--n", -1, "--out", "out"), ("--n", "-1")),
    "an n in words": (("generate", LETTERS, "--n", "ten", "--out", "out"), ("--n", "ten")),
    "a seed in words": (("generate", LETTERS, *FRESH, "--seed", "one", "--out", "out"), ("--seed", "one")),
    "half a seed": (("generate", LETTERS, *FRESH, "--seed", 1.5, "--out", "out"), ("--seed", "1.5")),
    "a seed that no column holds": (("generate", LETTERS, *FRESH, "--seed", 10**26, "--out", "out"), ("seed",)),
    "an unknown split": (("generate", LETTERS, *FRESH, "--split", "dev", "--out", "out"), ("--split", "dev", "train")),
    "no workers": (("generate", LETTERS, "--n", 2, "--workers", 0, "--out", "out"), ("--workers", "0")),
    "an unknown level": (("generate", LETTERS, *FRESH, "--level", "hard", "--out", "out"), ("'hard'", "standard")),
    "a picture too small": (("generate", LETTERS, *FRESH, "--image-size", 5, "--out", "out"), ("size=5", "96")),
    "a picture too large": (("generate", LETTERS, *FRESH, "--image-size", 99999, "--out", "out"), ("size=99999", "4096")),
    "a setting without a value": (
        ("generate", LETTERS, *FRESH, "--task-option", "order", "--out", "out"),
        ("--task-option: order", "NAME=VALUE"),
    ),
    "an unknown setting": (("generate", LETTERS, *FRESH, "--task-option", "colour=red", "--out", "out"), ("colour", "order")),
    "an unknown value": (("generate", LETTERS, *FRESH, "--task-option", "order=odd", "--out", "out"), ("order=odd", "paper")),
    "an unknown style": (("generate", LETTERS, *FRESH, "--prompt-style", "poem", "--out", "out"), ("--prompt-style", "poem", "direct")),
    "a split that the paper lacks": (
        ("generate", "cdr/relative-compass-number", "--split", "train", "--preset", "paper", "--out", "out"),
        ("train",),
    ),
    "no model": (("run", LETTERS, *FRESH, "--out", "out"), ("--model",)),
    "no concurrency": (
        ("run", LETTERS, *FRESH, "--model", "simulated/oracle", "--max-connections", 0, "--out", "out"),
        ("--max-connections", "0"),
    ),
    "no tokens": (("run", LETTERS, *FRESH, "--model", "simulated/oracle", "--max-tokens", 0, "--out", "out"), ("--max-tokens",)),
    "no time": (("run", LETTERS, *FRESH, "--model", "simulated/oracle", "--timeout", 0, "--out", "out"), ("--timeout",)),
    "a temperature below zero": (("run", LETTERS, *FRESH, "--model", "simulated/oracle", "--temperature", -1, "--out", "out"), ("-1",)),
    # it is not equal to itself, so no later command could go on with the run
    "a temperature that is none": (
        ("run", LETTERS, *FRESH, "--model", "simulated/oracle", "--temperature", "nan", "--out", "out"),
        ("temperature",),
    ),
    "a folder that is no run, for report": (("report", ".", "--out", "out"), ("run.json", "isovist run")),
    "no such run, for report": (("report", "none", "--out", "out"), ("none", "run.json")),
    "no such run, for rescore": (("rescore", "none"), ("none", "run.json")),
    "no runs": (("report", "--out", "out"), ("RUN",)),
    "no samples": (("gallery", LETTERS, "--samples", 0, "--out", "out"), ("--samples", "0")),
    "too few items for an audit": (("audit", LETTERS, "--n", 39), ("--n", "39")),
    "an index below zero": (("show", LETTERS, "--index", -1), ("--index", "-1")),
    "several tasks to show": (("show", "cdr/*"), ("cdr/*", "one")),
    "an id that is none": (("show", "a@b"), ("'a@b'", "suite/task@1")),
    "an id of another task": (("show", "cdr/relative-compass-leter@1:test:standard:0:3"), ("cdr/relative-compass-leter", LETTERS)),
    "an id of another version": (("show", f"{LETTERS}@99:test:standard:0:3"), ("version 99", "version is 2")),
    "an id with another digest": (("show", f"{LETTERS}@1:test:standard:0:3#0000000000000000"), ("#0000000000000000",)),
    "a task not in kebab case": (("new-task", "My Task"), ("My Task", "mysuite/nearest-dot")),
    "a task outside its folder": (("new-task", "../../x", "--dir", "out"), ("../../x",)),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_and_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    args, words = BAD[name]
    message = refused(isovist(*args), *words)
    assert not message.rstrip().endswith(".."), message
    assert list(tmp_path.iterdir()) == []


WRITERS: dict[str, tuple[object, ...]] = {
    "gallery": ("gallery", LETTERS, "--samples", 1, "--out"),
    "show": ("show", LETTERS, "--image-dir"),
    "new-task": ("new-task", "mysuite/nearest-dot", "--dir"),
    "report": ("report", "RUN", "--out"),
}


def writer(name: str, oracle: Path) -> tuple[object, ...]:
    return tuple(oracle if word == "RUN" else word for word in WRITERS[name])


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_that_cannot_be_written_is_one_line(oracle: Path, tmp_path: Path, name: str) -> None:
    refused(isovist(*writer(name, oracle), "/proc/isovist/out"), "/proc/isovist")
    (tmp_path / "file").write_text("mine")
    refused(isovist(*writer(name, oracle), tmp_path / "file"), str(tmp_path / "file"))
    assert contents(tmp_path) == {"file": b"mine"}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_is_one_line_that_names_the_folder_and_leaves_no_half_file(oracle: Path, tmp_path: Path, name: str) -> None:
    refused(with_room(100, *writer(name, oracle), tmp_path / "out"), str(tmp_path / "out"))
    assert contents(tmp_path) == {}


def test_a_full_disk_leaves_the_records_of_a_rescored_run_as_they_were(oracle: Path, copied: Copy) -> None:
    run = copied(oracle)
    before = contents(run)
    refused(with_room(100, "rescore", run), str(run))
    assert contents(run) == before


def test_what_stands_where_a_new_task_goes_is_kept(tmp_path: Path) -> None:
    (tmp_path / "test_nearest_dot.py").write_text("mine")
    refused(isovist("new-task", "mysuite/nearest-dot", "--dir", tmp_path), "test_nearest_dot.py", "Nothing was written")
    assert contents(tmp_path) == {"test_nearest_dot.py": b"mine"}


# Data that cannot be asked ----------------------------------------------------------------------------------------


def half_a_picture(row: dict[str, Any]) -> None:
    row["images"][0]["bytes"] = row["images"][0]["bytes"][:200]


def no_key(row: dict[str, Any]) -> None:
    row["metadata"] = json.dumps({**json.loads(row["metadata"]), "answer": {"kind": "nope"}})


def no_metadata(row: dict[str, Any]) -> None:
    row["metadata"] = "[]"


@pytest.mark.parametrize("model", ["simulated/oracle", "simulated/pixel-solver"])
@pytest.mark.parametrize("change", [half_a_picture, no_key, no_metadata], ids=lambda change: change.__name__)
def test_a_row_that_cannot_be_asked_stops_a_run_in_one_line(
    data: Path, tmp_path: Path, copied: Copy, change: Callable[[dict[str, Any]], None], model: str
) -> None:
    """No verdict may stand on a question that was never shown."""
    folder = copied(data)
    path = parquet(folder, LETTERS)
    spoil(path, lambda rows: change(rows[1]))
    refused(isovist("run", LETTERS, "--data", folder, "--model", model, "--out", tmp_path / "run"), str(folder))


def test_data_of_another_format_are_not_asked(data: Path, tmp_path: Path, copied: Copy) -> None:
    folder = copied(data)
    edit(folder / MANIFEST, lambda manifest: manifest.update(format=2))
    refused(isovist("run", "--data", folder, "--model", "simulated/oracle", "--out", tmp_path / "run"), str(folder), "format 2")
    assert not (tmp_path / "run").exists()


# Commands that other files do not test ----------------------------------------------------------------------------


def test_list_as_json_describes_every_task() -> None:
    entries = {entry["id"]: entry for entry in json.loads(done("list", "--json").out)}
    assert set(entries) == set(registry.tasks())
    for id, task in registry.tasks().items():
        entry = entries[id]
        assert (entry["suite"], entry["version"], entry["answer_type"]) == (task.suite, task.version, task.answers.type)
        assert (entry["levels"], entry["skills"]) == (list(task.levels), list(task.skills))
        assert entry["chance"] == task.answers.mean_chance
        assert entry["colour_vision"] == task.images.colour_vision
        assert entry["summary"] == task.summary
        assert (entry["least_px"], entry["settings"]["size"]) == (task.images.least_px, task.images.size_px)
        assert entry["practice"] == dict(task.checks.distinct)
    lines = done("list").out.splitlines()
    assert {line.split()[0] for line in lines if "for practice: level" in line} == {
        id for id, entry in entries.items() if entry["practice"]
    }
    assert [line.split()[0] for line in lines] == list(registry.tasks())
    globbed = json.loads(done("list", "cdr/*-icon", "--json").out)
    assert {entry["id"] for entry in globbed} == {id for id in entries if id.endswith("-icon")}


def test_show_prints_an_item_by_index_and_by_id(tmp_path: Path) -> None:
    item = api.generate(LETTERS, n=8, seed=7, order="paper")[5]
    place = (LETTERS, "--index", 5, "--seed", 7, "--task-option", "order=paper")
    by_place, by_id = (json.loads(done("show", *which, "--json").out) for which in (place, (item.id,)))
    assert by_place == by_id
    assert (by_id["id"], by_id["prompt"], by_id["answer"]) == (item.id, item.prompt, item.answer.canonical())
    text = done("show", item.id, "--image-dir", tmp_path).out
    (picture,) = tmp_path.iterdir()
    assert str(picture) in text
    assert item.prompt in text
    with Image.open(io.BytesIO(picture.read_bytes())) as shown:
        assert shown.tobytes() == item.images[0].tobytes()


def test_the_name_of_a_suite_means_its_tasks_everywhere(tmp_path: Path) -> None:
    assert done("list", "cdr").out == done("list", "cdr/*").out
    data = tmp_path / "data"
    done("generate", LETTERS, "perceptv/grid-path", "--n", 3, "--workers", 1, "--out", data)
    of_suite = [row.id for row in stored(data, LETTERS)]
    done("run", "cdr", "--data", data, "--model", "simulated/random", "--max-connections", 1, "--out", tmp_path / "run")
    assert [record["item_id"] for record in records(tmp_path / "run")] == of_suite
    assert done("verify", data, "cdr", "--workers", 1).out == "3 rows, 0 differ\n"
    assert len(api.generate("cdr", n=1)) == 14
    refused(isovist("show", "cdr"), "Pattern matches 14 tasks: cdr", "Name one task")
    for name in ("cd", "cdr/", "CDR"):
        refused(isovist("run", name, "--model", "simulated/random", "--out", tmp_path / "none"), f"Unknown task: {name}")
    with pytest.raises(UserError, match="Unknown task: cdr"):
        registry.task("cdr")


def test_an_index_beyond_the_number_of_items_is_refused() -> None:
    refused(isovist("show", LETTERS, "--index", 30, "--n", 20), "--index 30", "from 0 to 19")
    assert done("show", LETTERS, "--index", 19, "--n", 20).out == done("show", LETTERS, "--index", 19).out


@pytest.mark.parametrize("command", ["run", "generate", "show", "audit", "panoramas", "export"])
def test_no_item_is_no_number_of_items(command: str, data: Path, tmp_path: Path) -> None:
    what = data if command in ("export", "panoramas") else LETTERS
    more = {"run": ("--model", "simulated/random"), "export": ("--format", "hf")}.get(command, ())
    out = () if command in ("show", "audit") else ("--out", tmp_path / "out")
    text = refused(isovist(command, what, "--limit", 0, *more, *out), "--limit", "0 is not in the range")
    assert text.count("\n") <= 1
    assert not (tmp_path / "out").exists()


def test_the_way_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command, each on what the one before it made."""
    monkeypatch.chdir(tmp_path)
    tasks = len(registry.matching(["cdr/*"]))
    done("generate", "cdr/*", "--out", "data/cdr", *FRESH)
    assert len(stored(Path("data/cdr"))) == 2 * tasks
    assert done("verify", "data/cdr", "--workers", 1).out == f"{2 * tasks} rows, 0 differ\n"
    for name in ("pixel-solver", "random"):
        done("run", "--data", "data/cdr", "--model", f"simulated/{name}", "--out", f"runs/{name}")
    assert len(records(Path("runs/pixel-solver"))) == 2 * tasks
    assert f"{2 * tasks} responses scored again, 0 changed" in done("rescore", "runs/pixel-solver").out
    done("report", "runs/pixel-solver", "runs/random", "--out", "report")
    names = {path.name for path in Path("report").iterdir()}
    assert names >= {"index.html", "report.md", "report.tex", "results.csv", "figures", "items", "items.html", "report.json"}
    assert {name for name in names if name.endswith(".csv")} <= {
        name for section in (*findings.sections([]), *build_sections([])) for name in section.csv_tables
    }
    assert {"confusion.csv", "attributes.csv", "profile.csv"} <= names


def test_what_was_printed_can_be_called(data: Path, tmp_path: Path) -> None:
    """A run ends with the command that shows its report."""
    text = done("run", LETTERS, "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "run").out
    (line,) = [line for line in text.splitlines() if "isovist report" in line]
    _, _, command = line.partition("isovist ")
    done(*command.split())
    assert (tmp_path / "run" / "report" / "index.html").exists()
    assert f"{N} items ({N} correct)" in text


def test_the_module_is_the_command() -> None:
    assert spawned("--help").out == done("--help").out
