"""The page on statistics explains every column of the files that reports and comparisons write, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from workbench import done

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "statistics.md").read_text(encoding="utf-8")
EVERYWHERE = {"run", "model", "task", "level", "n", "missing", "accuracy", "low", "high", "chance"}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The CSV files of a report and of a comparison; their heads do not depend on what was asked."""
    pytest.importorskip("statsmodels")
    folder = tmp_path_factory.mktemp("columns")
    done("generate", "cdr/relative-spatial-letter", "--n", 4, "--out", folder / "data")
    for model in ("random", "oracle"):
        done("run", "--data", folder / "data", "--model", f"fake/{model}", "--out", folder / model)
    done("report", folder / "random", "--out", folder / "report")
    done("compare", folder / "random", folder / "oracle", "--out", folder / "comparison")
    return sorted(folder.glob("*/*.csv"))


def explained(file: str) -> set[str]:
    """The columns that the page names for a file."""
    rows = [line.split(" | ") for line in PAGE.splitlines() if line.startswith(f"| `{file}` |")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row[1])}


def test_every_column_is_explained(written: list[Path]) -> None:
    assert len(written) > 15
    for file in written:
        columns = set(file.read_text(encoding="utf-8").splitlines()[0].split(","))
        assert columns - EVERYWHERE - explained(file.name) == set(), file.name
        assert explained(file.name) <= columns, file.name


def test_columns_that_are_said_to_stand_everywhere_do(written: list[Path]) -> None:
    heads = [set(file.read_text(encoding="utf-8").splitlines()[0].split(",")) for file in written]
    assert all(any(name in head for head in heads) for name in EVERYWHERE)
    told = PAGE.partition("In many files:")[2].partition("\n\n")[0]
    assert {name for name in EVERYWHERE if f"`{name}`" not in told} == set()


def slug(head: str) -> str:
    return re.sub(r"[^\w -]", "", head.lower()).strip().replace(" ", "-")


def test_links_to_sections_lead_to_one() -> None:
    own = {slug(line.lstrip("# ")) for line in PAGE.splitlines() if line.startswith("#")}
    for page in ("statistics.md", "worked-example.md", "reports.md"):
        text = (DOCS / page).read_text(encoding="utf-8")
        wanted = (
            re.findall(r"\]\((statistics\.md)?#([\w-]+)\)", text)
            if page == "statistics.md"
            else re.findall(r"\]\((statistics\.md)#([\w-]+)\)", text)
        )
        assert [name for _, name in wanted if name not in own] == [], page
