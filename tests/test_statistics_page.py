"""The page on statistics explains every column of the files that reports and comparisons write, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from workbench import done

from isovist.reporting.analysis.collect import load_results
from isovist.reporting.reports.sections import findings
from isovist.reporting.reports.sections.order import build_sections

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "statistics.md").read_text(encoding="utf-8")
EVERYWHERE = {"run", "model", "task", "level", "n", "n_unscored", "accuracy", "ci_low", "ci_high", "chance", "too_few_clusters"}


@pytest.fixture(scope="module")
def heads(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The columns of every CSV file of a report, also of those that have nothing to say here, and of a comparison."""
    folder = tmp_path_factory.mktemp("columns")
    done("generate", "cdr/relative-spatial-letter", "--n", 4, "--out", folder / "data")
    for model in ("random", "oracle"):
        done("run", "--data", folder / "data", "--model", f"simulated/{model}", "--out", folder / model)
    done("compare", folder / "random", folder / "oracle", "--out", folder / "comparison")
    runs = load_results([folder / "random"])
    sections = [*findings.sections(runs), *build_sections(runs)]
    texts = {name: table.csv() for section in sections for name, table in section.csv_tables.items()}
    texts |= {path.name: path.read_text(encoding="utf-8") for path in (folder / "comparison").glob("*.csv")}
    return {name: set(text.splitlines()[0].split(",")) for name, text in texts.items()}


def explained(file: str) -> set[str]:
    """The columns that the page names for a file."""
    rows = [line.split(" | ") for line in PAGE.splitlines() if line.startswith(f"| `{file}` |")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row[1])}


def test_every_column_is_explained(heads: dict[str, set[str]]) -> None:
    assert len(heads) > 25
    for name, columns in heads.items():
        estimates = {re.sub("_(low|high)$", "", column) for column in columns - EVERYWHERE}  # an interval is explained with its estimate
        assert estimates - explained(name) == set(), name
        assert explained(name) <= columns, name


def test_columns_that_are_said_to_stand_everywhere_do(heads: dict[str, set[str]]) -> None:
    assert all(any(name in head for head in heads.values()) for name in EVERYWHERE)
    section = PAGE.partition("In many files:")[2].partition("\n\n")[0]
    assert {name for name in EVERYWHERE if f"`{name}`" not in section} == set()


def slug(head: str) -> str:
    return re.sub(r"[^\w -]", "", head.lower()).strip().replace(" ", "-")


def test_links_to_sections_lead_to_one() -> None:
    anchors = {slug(line.lstrip("# ")) for line in PAGE.splitlines() if line.startswith("#")}
    for page in ("statistics.md", "worked-example.md", "reports.md"):
        text = (DOCS / page).read_text(encoding="utf-8")
        wanted = (
            re.findall(r"\]\((statistics\.md)?#([\w-]+)\)", text)
            if page == "statistics.md"
            else re.findall(r"\]\((statistics\.md)#([\w-]+)\)", text)
        )
        assert [name for _, name in wanted if name not in anchors] == [], page
