"""Help: verbs first, no long numbers, a page for each set of `import`, `--limit` wherever `--n` is; and `dir(isovist)`."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, assert_type

import click
import pytest
from workbench import contents, done, isovist, refused

import isovist as api
from isovist.cli import cli
from isovist.cli.import_sets import PAGES
from isovist.core.task import Task
from isovist.data.importers.object_pose import annotated_objects
from isovist.data.items import ItemSequence

LETTER = "cdr/step-cell-letter"
VERBS = {
    *(
        "Build",
        "Check",
        "Compare",
        "Create",
        "Delete",
        "Download",
        "Draft",
        "Draw",
        "Evaluate",
        "Export",
        "Fine-tune",
        "Generate",
        "Import",
    ),
    *("List", "Make", "Merge", "Pack", "Print", "Rank", "Regenerate", "Report", "Run", "Score", "Serve", "Show", "Test", "Train", "Write"),
}


def commands(group: click.Group, *names: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with its names."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*names, name), command
        if isinstance(command, click.Group):
            yield from commands(command, *names, name)


EVERY = dict(commands(cli))


@pytest.mark.parametrize("names", EVERY, ids=" ".join)
def test_help_starts_with_a_verb_and_has_no_long_number(names: tuple[str, ...]) -> None:
    help_text = done(*names, "--help").out
    first = help_text.split("\n\n")[1].split()[0]
    assert first in VERBS
    assert not re.search(r"\d{7}", help_text), help_text
    assert EVERY[names].get_short_help_str().split()[0] in VERBS


def test_the_list_of_commands_has_sentences() -> None:
    lines = re.findall(r"^  [a-z-]+  +(\S+)", done("--help").out.partition("Commands:")[2], re.MULTILINE)
    assert len(lines) == len(cli.list_commands(click.Context(cli)))
    assert set(lines) <= VERBS


# --limit, --n and --seed --------------------------------------------------------------------------------------------


def options(name: str) -> Iterator[tuple[tuple[str, ...], click.Option]]:
    for names, command in EVERY.items():
        for param in command.params:
            if isinstance(param, click.Option) and name in param.opts:
                yield names, param


def test_limit_stands_first_wherever_n_is() -> None:
    options_by_command = dict(options("--n"))
    assert {("generate",), ("run",), ("show",), ("audit",), ("export",), ("study", "codes"), ("import", "kitti")} <= set(options_by_command)
    assert options_by_command.keys() == dict(options("--limit")).keys()
    for names, option in options_by_command.items():
        assert option.opts == ["--limit", "--n"], names
        assert "--limit, --n INTEGER" in done(*names, "--help").out


def test_both_names_of_the_limit_do_the_same(tmp_path: Path) -> None:
    for name in ("--n", "--limit"):
        done("generate", LETTER, name, 3, "--workers", 1, "--out", tmp_path / name)
    assert contents(tmp_path / "--n") == contents(tmp_path / "--limit")


@pytest.mark.parametrize("names", dict(options("--seed")), ids=" ".join)
def test_a_bad_seed_is_one_line(names: tuple[str, ...]) -> None:
    words = [*names, *("x" for param in EVERY[names].params if isinstance(param, click.Argument))]
    refused(isovist(*words, "--seed", 2**63), "'--seed'", "9223372036854775808 is too large", "from 0 to 2^63-1")
    refused(isovist(*words, "--seed", "one"), "'--seed'", "'one'", "integer")


# import ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_every_set_has_a_page_of_its_own(name: str) -> None:
    page, help_text = PAGES[name], done("import", name, "--help").out
    flat = " ".join(help_text.split())
    assert flat.startswith(f"Usage: isovist import {name} ")
    assert page.summary in flat
    assert page.files in flat
    assert f"Example: isovist import {name} " in help_text
    for other in PAGES:
        assert other == name or f"isovist import {other} " not in help_text
    if page.kind in ("published", "photographs"):
        assert "Download them first." in flat
        assert f"Source: {page.home or 'not known here'}" in flat
        assert f"Licence: {page.licence}." in flat


def test_the_page_of_a_set_says_what_its_reader_says() -> None:
    for name, page in PAGES.items():
        if page.kind == "published" and page.home:
            assert importlib.import_module(f"isovist.data.importers.benchmarks.{name.replace('-', '_')}").FORMAT.home == page.home
        if page.kind == "photographs":
            source: annotated_objects.Source = importlib.import_module(
                f"isovist.data.importers.object_pose.{name.replace('3d-future', 'future3d')}"
            ).SOURCE
            assert source.home == page.home
            assert bool(source.labels) == ("labels" in page.options)


def test_the_list_of_sets_names_all_of_them() -> None:
    help_text = done("import", "--help").out
    for name, page in PAGES.items():
        assert re.search(rf"^  {name}  +{re.escape(page.title)}$", help_text, re.MULTILINE), name


def test_a_set_has_its_own_options_alone(tmp_path: Path) -> None:
    assert "--column-mapping" in done("import", "dori", "--help").out
    assert "--column-mapping" not in done("import", "kitti", "--help").out
    refused(
        isovist("import", "kitti", "x", "--column-mapping", "m", "--out", tmp_path),
        "--column-mapping is an option of dori and cdr, not of kitti",
    )
    refused(isovist("import", "kitti", "x", "--bogus", "--out", tmp_path), "--bogus")
    refused(isovist("import", "kiti", "x", "--out", tmp_path), "Unknown set: kiti. Did you mean kitti?")
    refused(isovist("import", "bogus", "x", "--out", tmp_path), "bogus", *PAGES)
    refused(isovist("import", "--out", tmp_path, "kitti", "x"), "--out", "isovist import SET PATH --out DIR")


@pytest.mark.parametrize("group", ["study", "text-to-image", "train", "meshes"])
def test_a_misspelt_step_gives_an_error_with_the_valid_steps(group: str) -> None:
    known = [names[1] for names in EVERY if len(names) == 2 and names[0] == group]
    refused(isovist(group, "zzzz"), f"Unknown command: zzzz. Choose one of {', '.join(known)}")
    refused(isovist(group, f"{known[0]}x"), f"Did you mean {known[0]}?")


# dir(isovist) -------------------------------------------------------------------------------------------------------


def test_the_package_shows_its_public_names_and_no_others() -> None:
    assert (
        dir(api)
        == sorted(api.__all__)
        == [
            *("Curriculum", "Item", "ModelComparison", "Request", "Results", "Run", "Score", "Task"),
            *("compare", "evaluate", "generate", "item", "load_run", "results", "stream", "task", "tasks"),
        ]
    )
    for name in api.__all__:
        assert getattr(api, name).__doc__, name
    with pytest.raises(AttributeError, match="'isovist' has no attribute 'genrate'"):
        getattr(api, "genrate")  # noqa: B009 - a type checker reports the attribute


def test_importing_the_package_imports_nothing_else_of_it() -> None:
    code = "import sys, isovist; dir(isovist); print([name for name in sys.modules if name.startswith('isovist.')], 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[] False\n"


def test_the_public_names_have_their_types() -> None:
    """Pyright, which looks at tests as well, reports it if one of these is another type, or Any."""
    items = assert_type(api.generate(LETTER, n=1), ItemSequence)
    assert_type(items[0].answer.score("C"), api.Score)
    assert_type(api.task(LETTER), Task[Any])
