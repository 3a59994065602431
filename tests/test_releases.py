"""Releases: definitions, digests, precision, and runs of a release."""

from __future__ import annotations

import json
import re
from math import sqrt
from pathlib import Path

import pytest
from conftest import TASKS_OF_RELEASE as TASKS
from workbench import contents, done, install, isovist, records, refused, stored

import isovist as package
from isovist.common.errors import UserError
from isovist.data import items
from isovist.data.dataset.manifest import Manifest
from isovist.data.releases import digests
from isovist.data.releases.definition import DIGEST_DIGITS, FORMS, names, release, release_file
from isovist.data.releases.making import balanced, precision
from isovist.evaluation.run.run_folder import RunFolder
from isovist.suites import registry

NAME = "isovist-2026.12"


# The releases of Isovist ------------------------------------------------------------------------------------------


PAPERS = ("cdr", "cospace", "dori", "perceptv", "srbench")


def test_the_release_has_all_tasks_of_the_papers_in_balanced_numbers() -> None:
    assert NAME in names()
    read = release(NAME)
    assert [task.id for task in read.tasks] == [id for id, task in registry.built_in_tasks().items() if task.suite in PAPERS]
    assert 1300 <= read.count("short") <= 1700
    assert 11_000 <= read.count("full") <= 13_000
    for task in read.tasks:
        assert 0 < task.short <= task.full
        for form in FORMS:
            assert task.count(form) % len(task.levels) == 0, task.id
        assert task.levels == registry.task(task.id).levels
    parts = read.parts("full", private=False)
    assert {(part.split, part.seed, part.release, part.is_private) for part in parts} == {("test", read.seed, f"{NAME}/full", False)}
    assert sum(part.n for part in parts) == read.count("full")


def test_the_digests_of_a_sample_of_items_are_those_of_the_release() -> None:
    """All of them: `isovist release verify`, and the slow test below."""
    file = release_file(NAME)
    for part in file.release.parts("full", private=False):
        if part.task.partition("/")[0] in ("cospace", "dori"):
            continue  # slow: two of them below
        for place in (0, part.n - 1):
            digest = part.items()[place].id.rpartition("#")[2]
            assert digest[:DIGEST_DIGITS] == file.digests[part.task][place], (part.task, place)
    for task in ("cospace/rotation-angle", "dori/view-parallelism"):
        (part,) = (part for part in file.release.parts("short", private=False) if part.task == task)
        assert part.items()[1].id.rpartition("#")[2][:DIGEST_DIGITS] == file.digests[task][1]


@pytest.mark.slow
def test_all_items_are_those_of_the_release() -> None:
    for name in names():
        assert not list(digests.verify(release_file(name), None, 2))


def test_the_files_of_a_release_are_small() -> None:
    folder = Path(package.__file__).parent / "data" / "releases"
    assert (folder / f"{NAME}.digests").stat().st_size < 150_000


def test_the_documentation_has_the_half_widths() -> None:
    page = (Path(__file__).parents[1] / "docs" / "releases.md").read_text(encoding="utf-8")
    rows = {row.name: row for row in precision(release(NAME), "short")}, {row.name: row for row in precision(release(NAME), "full")}
    for name, short in rows[0].items():
        full = rows[1][name]
        assert (
            f"| {name} | {short.tasks} | {short.items:,} | {100 * short.independent:.1f} to {100 * short.largest:.1f} "
            f"| {full.items:,} | {100 * full.independent:.1f} to {100 * full.largest:.1f} |"
        ) in page


# Definitions ------------------------------------------------------------------------------------------------------


def test_a_new_release_is_what_it_says(definition: Path) -> None:
    file = release_file(str(definition))
    read = file.release
    assert (read.name, read.seed, read.style) == ("tiny-1", 7, "final-line")
    assert {task.id: (task.short, task.full) for task in read.tasks} == {TASKS[0]: (4, 8), TASKS[1]: (4, 8), TASKS[2]: (20, 20)}
    assert [len(digest) for digest in file.digests[TASKS[0]]] == [DIGEST_DIGITS] * 8
    expected = [item.id.rpartition("#")[2][:DIGEST_DIGITS] for item in items.generate(TASKS[1], n=8, seed=7)]
    assert list(file.digests[TASKS[1]]) == expected
    ended = done("release", "verify", definition, "--workers", 1)
    assert ended.out == "36 items, 0 differ\n"
    assert done("release", "verify", definition, "--form", "short", "--workers", 1).out == "28 items, 0 differ\n"


def test_a_new_release_never_replaces_one(definition: Path) -> None:
    before = contents(definition.parent)
    refused(isovist("release", "new", "tiny-1", *TASKS, "--out", definition), "exists", "never changes")
    refused(isovist("release", "new", "tiny-1", *TASKS, "--out", definition.with_suffix(".json")), ".toml")
    refused(isovist("release", "new", "Tiny 1", *TASKS, "--out", definition.with_name("x.toml")), "Invalid name")
    refused(isovist("release", "new", "t", *TASKS, "--short", 9, "--full", 8, "--out", definition.with_name("x.toml")), "--short")
    refused(isovist("release", "new", "t", "none/*", "--out", definition.with_name("x.toml")), "none/*")
    assert contents(definition.parent) == before


def test_a_changed_digest_is_named(definition: Path, tmp_path: Path) -> None:
    for suffix in (".toml", ".digests"):
        (tmp_path / f"copy{suffix}").write_bytes(definition.with_suffix(suffix).read_bytes())
    path = tmp_path / "copy.digests"
    lines = path.read_text().splitlines()
    changed = lines[0][:-8] + "00000000"
    path.write_text("\n".join([changed, *lines[1:]]) + "\n")
    ended = isovist("release", "verify", tmp_path / "copy.toml", "--workers", 1)
    assert ended.code == 1
    assert f"{TASKS[0]}@" in ended.out
    assert ":7:7#" in ended.out
    assert ended.out.endswith("36 items, 1 differ\n")
    path.write_text("\n".join(lines[1:]) + "\n")
    refused(isovist("release", "verify", tmp_path / "copy.toml"), "Digests", "Restore")
    path.unlink()
    refused(isovist("release", "verify", tmp_path / "copy.toml"), "Digests", "Restore")


def test_another_version_of_a_task_is_refused(definition: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from dataclasses import replace

    task = registry.task(TASKS[1])
    install(monkeypatch, replace(task, version=task.version + 1))
    words = (f"version {task.version} of {TASKS[1]}", f"installed is {task.version + 1}", "isovist 0.1.0")
    for command in (("verify", definition), ("generate", definition, "--out", tmp_path / "data")):
        refused(isovist("release", *command), *words)
    refused(isovist("run", "--release", definition, "--model", "simulated/random", "--out", tmp_path / "run"), *words)
    assert not list(tmp_path.iterdir())


CHANGES = {
    "no TOML": (lambda text: "= 1", "Invalid release"),
    "another key": (lambda text: text + "more = 1\n", "Invalid release"),
    "a wrong type": (lambda text: text.replace("seed = 7", 'seed = "7"'), "seed"),
    "a negative seed": (lambda text: text.replace("seed = 7", "seed = -7"), "seed = -7"),
    "a date that is none": (lambda text: re.sub('date = ".*"', 'date = "soon"', text), "date = 'soon'"),
    "a wrong style": (lambda text: text.replace("final-line", "last-line"), "last-line"),
    "a name that could be a seed": (lambda text: text.replace('"tiny-1"', '"17"'), "Invalid name"),
    "a name with a colon": (lambda text: text.replace('"tiny-1"', '"a:b"'), "Invalid name"),
    "no tasks": (lambda text: text[: text.index("tasks")] + "tasks = []\n", "tasks"),
    "a task twice": (lambda text: text.replace(TASKS[1], TASKS[0]), "once"),
    "a negative number": (lambda text: text.replace("short = 4", "short = -4"), "numbers of items"),
    "an unknown level": (lambda text: text.replace('"standard"', '"hard"'), "no level 'hard'"),
    "an unknown task": (lambda text: text.replace(TASKS[1], "cdr/none"), "not installed: cdr/none"),
    "an unknown setting": (lambda text: text.replace('["standard"] }', '["standard"], settings = { colour = 1 } }'), "no setting 'colour'"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_an_invalid_definition_is_refused(definition: Path, tmp_path: Path, name: str) -> None:
    change, word = CHANGES[name]
    path = tmp_path / "changed.toml"
    path.write_text(change(definition.read_text(encoding="utf-8")), encoding="utf-8")
    refused(isovist("release", "generate", path, "--out", tmp_path / "data"), word)
    assert not (tmp_path / "data").exists()


def test_unknown_names_are_refused_with_the_known_ones(tmp_path: Path) -> None:
    refused(isovist("release", "show", "isovist-1"), "Unknown release: isovist-1", NAME)
    refused(isovist("release", "show", tmp_path / "none.toml"), "cannot be read", "none.toml")
    refused(isovist("release", "show", tmp_path / ".toml"), "cannot be read")
    with pytest.raises(UserError, match="Unknown release"):
        release("../releases/isovist-2026.12")


def test_numbers_of_items_are_balanced() -> None:
    for task in registry.built_in_tasks().values():
        n = balanced(task, 22)
        assert n % len(task.levels) == 0
        assert 11 <= n <= 33
    assert balanced(registry.task("cdr/relative-compass-letter"), 22) % 8 == 0
    assert balanced(registry.task("srbench/paper-folding"), 5) == 9


# Precision --------------------------------------------------------------------------------------------------------


def test_the_precision_counts_items_of_an_image_once(definition: Path) -> None:
    rows = {row.name: row for row in precision(release(str(definition)), "short")}
    cdr, perceptv, overall = rows["cdr"], rows["perceptv"], rows["overall"]
    assert (cdr.tasks, cdr.items, cdr.images) == (2, 8, 4)  # both tasks show the same four images
    assert cdr.independent == pytest.approx(1.96 * 0.5 / sqrt(8), abs=1e-3)
    assert cdr.largest == pytest.approx(1.96 * 0.5 / sqrt(4), abs=1e-3)
    assert [perceptv.independent, perceptv.largest] == pytest.approx([1.96 * 0.5 / sqrt(20)] * 2, abs=1e-3)
    assert overall.items == 28
    assert overall.largest == pytest.approx(sqrt((2 * cdr.largest / 3) ** 2 + (perceptv.largest / 3) ** 2))


def test_a_release_is_listed_and_shown(definition: Path) -> None:
    assert NAME in done("release", "list").out
    listed = json.loads(done("release", "list", "--json").out)
    assert listed[-1]["tasks"] == len(release(NAME).tasks)
    text = done("release", "show", definition).out
    assert "seed 7" in text
    assert all(task in text for task in TASKS)
    shown = json.loads(done("release", "show", definition, "--json").out)
    assert shown["precision"]["short"][-1]["name"] == "overall"


# Runs -------------------------------------------------------------------------------------------------------------


def test_a_public_run_has_exactly_the_items_of_the_release(definition: Path, tmp_path: Path) -> None:
    done("run", "--release", definition, "--model", "simulated/oracle", "--workers", 1, "--out", tmp_path / "run")
    expected = [item.id for task in TASKS for item in items.generate(task, n=20 if task == TASKS[2] else 4, seed=7)]
    assert sorted(record["item_id"] for record in records(tmp_path / "run")) == sorted(expected)
    info = RunFolder(tmp_path / "run").info()
    assert (info.release, info.commitment) == ("tiny-1/short", "")
    again = done("run", tmp_path / "run" / "config.toml")
    assert "0 evaluated now" in again.out
    options = definition.parent / "options.toml"
    options.write_text(f'release = "{definition.name}"\nmodel = "simulated/oracle"\n', encoding="utf-8")
    assert "0 evaluated now" in done("run", options, "--out", tmp_path / "run").out
    options.unlink()
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    for file in ("report.md", "index.html"):
        assert "Release: tiny-1/short, public development seed" in (tmp_path / "report" / file).read_text(encoding="utf-8")
    done("release", "verify", definition, "--data", tmp_path / "run" / "data", "--workers", 1)


def test_a_run_on_generated_data_is_a_run_of_the_release(definition: Path, tmp_path: Path) -> None:
    done("release", "generate", definition, "--form", "full", "--workers", 1, "--out", tmp_path / "data")
    run = ("run", "--data", tmp_path / "data", "--model", "simulated/random")
    cases = {
        "whole": ((), "tiny-1/full"),
        "n": (("--n", 2), ""),
        "tasks": (("cdr/*",), ""),
        "style": (("--prompt-style", "direct"), ""),
    }
    for name, (options, stated) in cases.items():
        done(*run, *options, "--out", tmp_path / name)
        assert RunFolder(tmp_path / name).info().release == stated, name
    done("generate", "cdr/step-cell-letter", "--split", "train", "--n", 2, "--workers", 1, "--out", tmp_path / "data")
    done(*run, "--out", tmp_path / "mixed")
    assert RunFolder(tmp_path / "mixed").info().release == ""
    ended = refused(isovist("release", "verify", definition, "--data", tmp_path / "data"), "not that of tiny-1")
    assert "release generate" in ended


CONFLICTS = {
    "TASKS": ("cdr/*",),
    "--limit": ("--n", "3"),
    "--seed": ("--seed", "0"),
    "--split": ("--split", "test"),
    "--level": ("--level", "standard"),
    "--image-size": ("--image-size", "300"),
    "--task-option": ("--task-option", "order=paper"),
    "--preset": ("--preset", "paper"),
    "--adaptive": ("--adaptive",),
    "--prompt-style": ("--prompt-style", "final-line"),
    "--shots": ("--shots", "1"),
    "--data": ("--data", "data"),
    "--image-mode": ("--image-mode", "caption-first"),
}


@pytest.mark.parametrize("name", CONFLICTS)
def test_options_that_a_release_defines_are_refused(definition: Path, tmp_path: Path, name: str) -> None:
    command = ("run", *CONFLICTS[name], "--release", definition, "--model", "simulated/random", "--out", tmp_path / "run")
    refused(isovist(*command), name, "--release")
    assert not (tmp_path / "run").exists()


def test_options_of_a_release_without_one_are_refused(tmp_path: Path) -> None:
    command = ("run", *TASKS, "--model", "simulated/random", "--out", tmp_path / "run")
    refused(isovist(*command, "--form", "full"), "--form", "--release")
    refused(isovist(*command, "--secret", tmp_path / "secret.toml"), "--secret", "--release")
    refused(isovist("release", "verify", NAME, "--secret", tmp_path / "secret.toml"), "--secret", "--data")
    with pytest.raises(UserError, match="TASKS"):
        package.evaluate("simulated/random", TASKS, release=NAME, out=tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()


def test_a_run_folder_of_other_items_is_refused(definition: Path, tmp_path: Path) -> None:
    done("run", *TASKS, "--n", 4, "--model", "simulated/random", "--workers", 1, "--out", tmp_path / "run")
    before = contents(tmp_path)
    command = ("run", "--release", definition, "--model", "simulated/random", "--out", tmp_path / "run")
    refused(isovist(*command), "Choose another")
    done("generate", TASKS[0], "--n", 4, "--seed", 7, "--workers", 1, "--out", tmp_path / "data")
    refused(isovist("release", "generate", definition, "--out", tmp_path / "data"), "already has", "release")
    assert {name: content for name, content in contents(tmp_path).items() if name in before} == before


def test_data_of_no_release_are_as_before(tmp_path: Path) -> None:
    done("generate", TASKS[0], "--n", 2, "--workers", 1, "--out", tmp_path / "data")
    (part,) = json.loads((tmp_path / "data" / "isovist.json").read_bytes())["parts"]
    assert list(part) == ["task", "version", "split", "n", "seed", "level", "settings", "style", "renderer", "counts", "rows_per_file"]
    done("release", "list")
    assert Manifest.read(tmp_path / "data").parts[0].release == ""
    assert stored(tmp_path / "data")[0].id.count("#") == 1
