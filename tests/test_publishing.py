"""What a release publishes agrees with itself: one version, one address, the same Pythons everywhere, workflows that name what exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

if not WORKFLOWS:
    pytest.skip("not in a checkout", allow_module_level=True)

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def workflow(name: str) -> dict[str, Any]:
    return yaml.safe_load(text(f".github/workflows/{name}.yml"))["jobs"]


def steps(path: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    return [step for job in jobs for step in job.get("steps", [])]


def test_the_version_is_the_same_everywhere() -> None:
    version = PROJECT["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    citing = text("docs/citing.md")
    assert yaml.safe_load(text("CITATION.cff"))["version"] == version
    assert re.findall(r"version = \{(.*)\}|Isovist (\d\S+)", citing) == [(version, ""), ("", version)]
    headings = re.findall(r"^## (\S+)", text("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == version


def test_the_citation_file_and_the_page_cite_the_same_thing() -> None:
    citation, citing = yaml.safe_load(text("CITATION.cff")), re.sub(r"\s+", " ", text("docs/citing.md"))
    assert f"title = {{{citation['title']}}}" in citing
    assert f"author = {{{{{citation['authors'][0]['name']}}}}}" in citing
    assert f"url = {{{citation['repository-code']}}}" in citing
    assert [{"name": author["name"]} for author in citation["authors"]] == PROJECT["authors"]
    assert citation["license"] == PROJECT["license"]
    assert citation["keywords"] == PROJECT["keywords"]


def test_every_file_names_the_repository_of_the_project() -> None:
    repository, manual = PROJECT["urls"]["Repository"], PROJECT["urls"]["Documentation"]
    paths = [path for folder in ("docs", ".github", "containers", "src") for path in (ROOT / folder).rglob("*") if path.suffix != ".pyc"]
    paths += [path for path in ROOT.iterdir() if path.suffix in (".md", ".toml", ".yml", ".cff")]
    named = 0
    for path in paths:
        if not path.is_file() or path.suffix in (".png", ".npz", ".parquet"):
            continue
        for host, rest in re.findall(
            r"https://(github\.com|raw\.githubusercontent\.com|[\w-]+\.github\.io)(/[\w./-]+)", path.read_text("utf-8", "replace")
        ):
            if "isovist" in host + rest:
                named += 1
                address = f"https://{host}{rest}".replace("raw.githubusercontent.com", "github.com")
                assert address.startswith((repository, manual)), (path.name, address)
    assert named > 10


def test_the_classifiers_name_the_pythons_that_are_tested() -> None:
    assert re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"])) == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    assert [row["python"] for row in workflow("test")["linux"]["strategy"]["matrix"]["include"]] == PYTHONS
    package = workflow("package")
    assert package["items"]["strategy"]["matrix"]["python"] == PYTHONS
    assert f"for python in {' '.join(PYTHONS[1:])}; do" in package["same-items"]["steps"][-1]["run"]
    assert {"macos-latest", "windows-latest"} <= set(package["smoke"]["strategy"]["matrix"]["os"])


def test_the_licence_is_stated_once() -> None:
    """PEP 639: an expression excludes classifiers of licences."""
    assert not any(classifier.startswith("License ::") for classifier in PROJECT["classifiers"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_pin_actions_and_run_scripts_that_exist(path: Path) -> None:
    for step in steps(path):
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@v\d+(\.\d+)*", step.get("uses", "a/b@v1")), step["uses"]
    named = re.findall(r"(?<![\w/])\./([\w./-]+)|(?<!\S)(tools/\w+\.py)", path.read_text(encoding="utf-8"))
    assert all((ROOT / (script or tool)).exists() for script, tool in named), named
    recipes = re.findall(r"\bjust (\w+)", path.read_text(encoding="utf-8"))
    assert all(re.search(rf"^{recipe}\b.*:", text("justfile"), re.MULTILINE) for recipe in recipes)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_only_a_release_and_the_docs_may_write(path: Path) -> None:
    whole = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert whole["permissions"] == {"contents": "read"}
    rights = {name: job["permissions"] for name, job in whole["jobs"].items() if "permissions" in job}
    expected = {"release": {"publish": {"id-token": "write"}}, "docs": {"deploy": {"pages": "write", "id-token": "write"}}}
    assert rights == expected.get(path.stem, {})


def test_a_release_needs_tests_and_the_package() -> None:
    jobs = workflow("release")
    assert jobs["publish"]["needs"] == ["test", "package"]
    assert jobs["publish"]["environment"]["name"] == "pypi"


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[0-9]*.yml")), ids=lambda path: path.stem)
def test_issue_forms_ask_for_something(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert form["name"]
    assert form["description"]
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids)
    assert any(field.get("validations", {}).get("required") for field in form["body"])


def test_the_first_issue_form_asks_for_the_id_of_an_item() -> None:
    first = min((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[0-9]*.yml"))
    field = yaml.safe_load(first.read_text(encoding="utf-8"))["body"][0]
    assert (field["id"], field["validations"]) == ("item", {"required": True})


def test_the_container_runs_commands_that_exist() -> None:
    from test_repository import parsed

    lines = text("containers/study/Containerfile")
    (entry,) = re.findall(r'^ENTRYPOINT \["(.*)"\]$', lines, re.MULTILINE)
    (arguments,) = re.findall(r'^CMD \["(study.*)"\]$', lines, re.MULTILINE)
    parsed(" ".join([entry, *arguments.split('", "')]))
    documented = re.findall(r"isovist-study \\\n +(study .*)$", text("docs/human-studies.md"), re.MULTILINE)
    assert len(documented) == 1
    parsed(f"isovist {documented[0]}")
