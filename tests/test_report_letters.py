"""`position_bias.csv`: which letters were chosen, and whether for where they stand, with the test as SciPy has it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from recount import lines_of, page
from scipy import stats
from workbench import done, records

MIXED, ORDERED, PLAIN = "dori/view-parallelism", "perceptv/circle-location", "cdr/object-classification-letter"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("letters")
    done("run", ORDERED, PLAIN, "--n", 40, "--model", "simulated/constant:B", "--out", home / "run")
    done("report", home / "run", "--no-item-browser", "--out", home / "report")
    return home


def test_the_test_is_the_chi_square_of_scipy(report: Path) -> None:
    by_task: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in lines_of(report / "report", "position_bias.csv"):
        by_task[line["task"]].append(line)
    assert set(by_task) == {ORDERED, PLAIN}
    counts = [int(line["n_chosen"]) for line in by_task[PLAIN]]
    assert counts == [0, 40, 0, 0]
    expected = stats.chisquare(counts)
    for line in by_task[PLAIN]:
        assert float(line["chi_square"]) == pytest.approx(expected.statistic)
        assert float(line["p"]) == pytest.approx(expected.pvalue, rel=1e-4)
        assert (float(line["cramers_v"]), line["n"], line["n_options"]) == (1, "40", "4")
    read = [record["parsed_answer"] for record in records(report / "run") if record["item_id"].startswith(PLAIN)]
    assert read == ["B"] * 40


def test_a_letter_is_no_place_where_options_stand_in_one_order(report: Path) -> None:
    lines = [line for line in lines_of(report / "report", "position_bias.csv") if line["task"] == ORDERED]
    assert [line["option_label"] for line in lines] == ["A", "B", "C", "D"]
    assert {(line["chi_square"], line["cramers_v"], line["p"]) for line in lines} == {("", "", "")}
    words = page(report / "report").words
    assert words.count("Position bias: Cramér's V = 1.00 (chi-square test, p < 0.001).") == 1
    assert words.count("so position bias is not tested") == 1


def test_each_number_of_options_stands_by_itself_and_dori_has_an_order_in_each(tmp_path: Path) -> None:
    pytest.importorskip("numba", reason="needs the extra scene")
    done("run", MIXED, "--n", 12, "--model", "simulated/constant:A", "--out", tmp_path / "run")
    done("report", tmp_path / "run", "--no-item-browser", "--out", tmp_path / "report")
    lines = lines_of(tmp_path / "report", "position_bias.csv")
    assert {int(line["n_options"]) for line in lines} == {3, 5}
    assert sum(int(line["n_chosen"]) for line in lines) == 12
    assert {line["cramers_v"] for line in lines} == {""}
