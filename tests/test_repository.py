"""The repository keeps its own rules: small files, licences, links and commands that exist, no traces of one machine."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import suppress
from functools import cache
from pathlib import Path
from statistics import median

import click
import pytest

from isovist.cli import _COMMANDS as COMMANDS
from isovist.cli import cli
from isovist.suites import registry

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

import house

ROOT = Path(__file__).parent.parent
ASSETS = ROOT / "src" / "isovist" / "world" / "assets"
BINARY = {".png", ".jpg", ".glb", ".gguf", ".npz", ".parquet", ".ico", ".woff", ".woff2", ".zip"}

if not (ROOT / "CHANGELOG.md").exists() or not (ROOT / "src").exists():
    pytest.skip("not in a checkout", allow_module_level=True)


@cache
def files() -> list[Path]:
    """Every file of the repository: tracked, or new and not ignored."""
    if (ROOT / ".git").exists():
        args = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(args, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
        return sorted({ROOT / name for name in names if name and (ROOT / name).is_file()})
    return sorted(
        path for folder in ("src", "tests", "docs") for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix != ".pyc"
    )


def named(*suffixes: str) -> list[Path]:
    paths = [path for path in files() if path.suffix in suffixes]
    assert paths
    return paths


def told(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def short(path: Path) -> str:
    return str(path.relative_to(ROOT))


# Files ------------------------------------------------------------------------------------------------------------


def test_no_file_of_the_package_is_over_400_lines() -> None:
    of_package = [path for path in named(".py", ".j2", ".css") if path.is_relative_to(ROOT / "src")]
    sizes = {short(path): told(path).count("\n") for path in of_package}
    assert len(sizes) > 50
    assert {name: lines for name, lines in sizes.items() if lines > 400} == {}


def test_every_module_of_the_package_says_what_it_is_for() -> None:
    silent = [
        short(path)
        for path in named(".py")
        if path.is_relative_to(ROOT / "src") and told(path) and not told(path).startswith(('"""', 'r"""'))
    ]
    assert silent == []


def test_no_text_holds_a_path_of_somebodys_machine() -> None:
    # the folders of homes and of workplaces; /tmp and /proc are the same everywhere
    path = re.compile(r"(?<![\w.:/-])/(?:work|root|home|Users|mnt|workspace)/[\w.-]+|\b[A-Z]:\\Users\\")
    held = {short(file): path.findall(told(file)) for file in files() if file.suffix not in BINARY}
    assert {name: hits for name, hits in held.items() if hits} == {}


def test_no_text_holds_a_conflict_or_what_looks_like_a_key() -> None:
    pattern = re.compile(r"^<{7} |^>{7} |\bsk-(?:proj-|ant-)?[A-Za-z0-9]{32,}|\bghp_[A-Za-z0-9]{30,}|\bhf_[A-Za-z0-9]{30,}", re.MULTILINE)
    held = {short(file): pattern.findall(told(file)) for file in files() if file.suffix not in BINARY}
    assert {name: hits for name, hits in held.items() if hits} == {}


def test_every_task_states_its_arguments_and_few_of_them() -> None:
    """In a call of `Task` in a module of its suite, so no function sets a property unseen. A simple task has no reasoning, no layout of its
    own and nothing that reports group by.
    """
    stated = house.stated_arguments()
    assert stated.keys() == registry.built_in_tasks().keys()
    assert not [task for task, arguments in stated.items() if "**" in arguments]
    simple = [len(arguments) for arguments in stated.values() if {"reasoning", "sampling", "reported"}.isdisjoint(arguments)]
    assert simple
    assert max(simple) <= 13
    assert median(map(len, stated.values())) <= 15


# Licences ---------------------------------------------------------------------------------------------------------


def attribution() -> str:
    return told(ROOT / "ATTRIBUTION.md")


def test_every_asset_has_a_source_and_every_source_its_assets() -> None:
    sources = json.loads(told(ASSETS / "attribution.json"))
    credited = [asset for source in sources for asset in source["assets"]]
    glyphs = json.loads(told(ASSETS / "glyphs.json"))["glyphs"]
    assert sorted(credited) == sorted([*glyphs, "font.json"])
    assert {path.name for path in ASSETS.glob("*.json")} == {"attribution.json", "glyphs.json", "font.json", "icons.json"}
    for source in sources:
        assert all(source[name] for name in ("source", "creator", "licence", "licence_url", "url"))


def test_every_asset_has_its_row_in_the_attribution() -> None:
    rows = {line.split(" | ")[0].strip("| "): line for line in attribution().splitlines() if line.startswith("| ")}
    for source in json.loads(told(ASSETS / "attribution.json")):
        for asset in source["assets"]:
            if asset == "font.json":
                assert f"`{asset}`" in attribution()
                assert source["source"] in attribution()
                continue
            assert source["creator"] in rows[asset], asset
            assert source["licence"] in section(source["source"]), asset


def section(source: str) -> str:
    (body,) = re.findall(rf"^## {re.escape(source)}$(.*?)(?=^## |\Z)", attribution(), re.MULTILINE | re.DOTALL)
    return body


def test_every_licence_named_is_there_and_every_one_there_is_named() -> None:
    licences = {short(path) for path in (ROOT / "LICENSES").iterdir()}
    assert set(re.findall(r"`(LICENSES/[^`]+)`", attribution())) - {"LICENSES/"} == licences
    assert all((ROOT / name).stat().st_size > 500 for name in licences)
    for entry in re.split(r"^## ", attribution(), flags=re.MULTILINE)[1:]:
        assert "`LICENSES/" in entry, entry.splitlines()[0]
    assert "Apache License" in told(ROOT / "LICENSE")
    assert tomllib.loads(told(ROOT / "pyproject.toml"))["project"]["license"] == "Apache-2.0"


# Links ------------------------------------------------------------------------------------------------------------


def slug(heading: str) -> str:
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", heading.replace("`", "")).strip().casefold())


@pytest.mark.parametrize("path", [path for path in files() if path.suffix == ".md"], ids=short)
def test_relative_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", told(path), flags=re.DOTALL)
    dead: list[str] = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name) if name else path
        is_present = file.exists() and (file.is_dir() or file in files())  # what is not in the repository is missing elsewhere
        slugs = {slug(heading) for heading in re.findall(r"^#+ (.*)$", told(file), re.MULTILINE)} if is_present and anchor else {anchor}
        if not is_present or anchor not in slugs:
            dead.append(target)
    assert dead == []


def test_the_manuals_contents_are_its_pages() -> None:
    def pages(nav: object) -> list[str]:
        if isinstance(nav, str):
            return [nav]
        return [page for entry in (nav.values() if isinstance(nav, dict) else nav) for page in pages(entry)]  # type: ignore[attr-defined]

    listed = pages(tomllib.loads(told(ROOT / "zensical.toml"))["project"]["nav"])
    kept = [path for path in named(".md", ".ipynb") if path.is_relative_to(ROOT / "docs")]
    assert sorted(listed) == sorted(path.with_suffix(".md").relative_to(ROOT / "docs").as_posix() for path in kept)


def test_the_changelog_begins_with_what_comes_next() -> None:
    headings = re.findall(r"^## (.*)$", told(ROOT / "CHANGELOG.md"), re.MULTILINE)
    version = tomllib.loads(told(ROOT / "pyproject.toml"))["project"]["version"]
    assert "unreleased" in headings[0].casefold() or headings[0].startswith(version)
    released = re.findall(r"^\d+\.\d+\.\d+", "\n".join(headings), re.MULTILINE)
    assert released == sorted(released, key=lambda number: [int(part) for part in number.split(".")], reverse=True)


# Commands ---------------------------------------------------------------------------------------------------------

MANUAL = [path for path in files() if path.suffix == ".md" and path.name not in ("ATTRIBUTION.md", "CHANGELOG.md")]


def blocks(path: Path) -> list[str]:
    """The lines of the shell blocks of a page."""
    return [line.strip() for block in re.findall(r"```sh\n(.*?)```", told(path), re.DOTALL) for line in block.splitlines() if line.strip()]


def root() -> click.Context:
    """As the command line makes it: a command keeps the help option of the first context that it meets."""
    return click.Context(cli, info_name="isovist", **cli.context_settings)


def parsed(line: str) -> None:
    """Reads a command line as the command would, and does nothing more. Raises click.ClickException."""
    line = re.sub(r"\$[A-Z_]+", "0", line)  # a number, which a scheduler sets
    _, name, *args = shlex.split(line, comments=True)
    context = root()
    command = cli.get_command(context, name)
    assert command is not None, f"no command is called {name}"
    made = command.make_context(name, args, parent=context)
    if isinstance(command, click.Group):
        _, step, rest = command.resolve_command(made, args)
        assert step is not None
        step.make_context(step.name, rest, parent=made)


def documented() -> list[str]:
    return sorted({line for path in MANUAL for line in blocks(path) if line.startswith("isovist ")})


def examples() -> list[str]:
    """The examples in the help of the commands."""
    command_lines: list[str] = []
    for name in COMMANDS:
        command = cli.get_command(root(), name)
        assert command is not None
        _, _, text = (command.help or "").partition("Example:")
        command_lines += [line.strip() for line in text.splitlines() if line.strip()]
    return command_lines


def test_every_command_has_an_example_in_its_help_and_the_manual_has_some() -> None:
    assert {line.split()[1] for line in examples()} == set(COMMANDS)
    assert len(documented()) >= 5


@pytest.mark.parametrize("line", [*documented(), *examples()])
def test_a_documented_command_is_one_that_isovist_takes(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for page in MANUAL:
        for name, text in re.findall(r"```toml\n# (evaluation\.toml)\n(.*?)```", told(page), re.DOTALL):
            Path(name).write_text(text, encoding="utf-8")  # `isovist run` reads its options from it
    assert line.startswith("isovist ")
    with suppress(click.exceptions.Exit):  # of an option that prints and ends, such as --list
        parsed(line)


def test_commands_in_running_text_exist() -> None:
    for path in MANUAL:
        for name, rest in re.findall(r"`isovist ([\w-]+)([^`]*)`", told(path)):
            assert name in COMMANDS, (short(path), name)
            command = cli.get_command(root(), name)
            assert command is not None
            group = command if isinstance(command, click.Group) else None
            steps = [group.get_command(root(), step) for step in group.list_commands(root())] if group else []
            options = {option for subcommand in (command, *steps) if subcommand for param in subcommand.params for option in param.opts}
            assert set(re.findall(r"(?<!\S)--[\w-]+", rest)) <= options, (short(path), name)


def test_the_page_of_commands_has_a_row_for_every_command() -> None:
    rows = re.findall(r"^\| `isovist ([\w-]+)", told(ROOT / "docs" / "commands.md"), re.MULTILINE)
    assert sorted(rows) == sorted(COMMANDS)


def test_scripts_and_recipes_that_are_named_exist() -> None:
    recipes = set(re.findall(r"^([a-z][\w-]*)(?: \*?\w+)*:(?!=)", told(ROOT / "justfile"), re.MULTILINE))
    assert {"check", "test"} <= recipes
    for path in MANUAL:
        for script in re.findall(r"\./(scripts/[\w-]+)", told(path)):
            assert (ROOT / script).stat().st_mode & 0o111, (short(path), script)
        for recipe in re.findall(r"uv run just ([a-z][\w-]*)", told(path)):
            assert recipe in recipes, (short(path), recipe)
        for script in re.findall(r"\b((?:benchmarks|tools|tests)/[\w/-]+\.py)\b", told(path)):
            assert (ROOT / script).exists(), (short(path), script)
    for script in re.findall(r"\b((?:benchmarks|tools|tests)/[\w/-]+\.py)\b", told(ROOT / "justfile")):
        assert (ROOT / script).exists(), ("justfile", script)
