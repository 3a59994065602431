"""The scorer of a paper beside ours: on record, scored again, and in the report, each as what it is."""

from __future__ import annotations

import csv
from pathlib import Path

from workbench import done, records, write_records

OURS, THEIRS = "perceptv/counting-circles", "cdr/relative-compass-letter"


def test_a_clear_reply_in_another_format_is_right_here_and_wrong_by_the_paper(tmp_path: Path) -> None:
    run, report = tmp_path / "run", tmp_path / "report"
    done("run", OURS, THEIRS, "--n", 20, "--model", "simulated/oracle", "--out", run)
    run_records = records(run)
    assert {record["published_credit"] for record in run_records if record["item_id"].startswith(OURS)} == {1.0}
    assert {record["published_credit"] for record in run_records if record["item_id"].startswith(THEIRS)} == {
        None
    }  # its paper tells no scorer

    for record in run_records[:5]:  # an old run, whose records hold no such credit
        record["response"] = f"The answer is {record['parsed_answer']}."
        del record["published_credit"]
    write_records(run, run_records)
    done("rescore", run)
    again = records(run)
    assert [record["published_credit"] for record in again[:20]] == [0.0] * 5 + [1.0] * 15
    assert {record["credit"] for record in again} == {1.0}

    done("report", run, "--out", report)
    with (report / "results.csv").open() as lines:
        rows = {row["task"]: row for row in csv.DictReader(lines)}
    assert rows[OURS]["accuracy"] == "1"
    assert rows[OURS]["accuracy_published_scorer"] == "0.75"
    assert rows[THEIRS]["accuracy_published_scorer"] == ""
    page = (report / "index.html").read_text()
    assert '<th scope="col" class="num">Published scorer (%)</th>' in page
    assert '<td class="num">75.0</td>' in page
