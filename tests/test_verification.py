"""Reports, comparisons and leaderboards read runs back: stored verdicts are a cache, and data that were altered are found."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from conftest import TASKS, N
from recount import lines_of, page
from workbench import Ended, contents, done, edit, isovist, parquet, records, spoil, stored, write_records

from isovist.common.errors import UserError
from isovist.core.answers import LETTERS, Choice, to_json
from isovist.data.dataset.manifest import MANIFEST
from isovist.evaluation.run import verification
from isovist.evaluation.run.run_folder import RunFolder, data_hash, parser
from isovist.evaluation.run.verification import REMADE, Verifier

COMMANDS = ("report", "compare", "leaderboard")
ALL = N * len(TASKS)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that holds its own data, and one of another model on the same data."""
    home = tmp_path_factory.mktemp("honest")
    done("run", *TASKS, "--n", N, "--model", "simulated/random", "--workers", 1, "--out", home / "random")
    done("run", "--data", home / "random" / "data", "--model", "simulated/oracle", "--out", home / "oracle")
    return home


@pytest.fixture
def run(honest: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(honest / "random", tmp_path / "random"))


def asked(command: str, run: Path, honest: Path, out: Path, *more: str) -> Ended:
    others = [honest / "oracle"] if command != "report" else []
    return isovist(command, run, *others, *more, "--out", out)


def failed(ended: Ended, *words: str) -> None:
    """A check failed: exit code 1, one line, nothing on stdout."""
    assert (ended.code, ended.out) == (1, ""), ended
    assert ended.err.startswith("isovist: ")
    assert ended.err.count("\n") == 1, ended.err
    for word in words:
        assert word in ended.err, f"{word!r} is not in {ended.err!r}"


# Records -----------------------------------------------------------------------------------------------------------


def praised(run: Path) -> int:
    """Sets every outcome to correct; how many were not."""
    before = records(run)
    write_records(run, [record | {"outcome": "correct", "credit": 1.0} for record in before])
    return sum(record["outcome"] != "correct" for record in before)


@pytest.mark.parametrize("command", COMMANDS)
def test_outcomes_that_the_replies_do_not_come_to_fail(command: str, run: Path, honest: Path, tmp_path: Path) -> None:
    changed = praised(run)
    first = next(record["item_id"] for record in records(honest / "random") if record["outcome"] != "correct")
    words = f"{changed} of {ALL} stored scores differ from the new scores (first: {first}: stored correct"
    failed(asked(command, run, honest, tmp_path / "out"), words, "scored incorrect", "--no-verify")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_without_verification_stored_verdicts_count_and_that_is_told(command: str, run: Path, honest: Path, tmp_path: Path) -> None:
    praised(run)
    ended = asked(command, run, honest, tmp_path / "out", "--no-verify")
    assert ended.code == 0, ended
    which = "simulated/random was" if command == "report" else "The 2 runs were"
    sentence = f"{which} not verified (--no-verify): stored scores and data are used unchecked."
    assert sentence in ended.out
    assert sentence in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    if command == "report":
        assert {float(line["accuracy"]) for line in lines_of(tmp_path / "out")} == {1.0}
        assert sentence in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_verdicts_of_another_parser_are_replaced_and_counted(command: str, run: Path, honest: Path, tmp_path: Path) -> None:
    """As if another version had read the replies otherwise: that is no fault of the run, and has no effect."""
    changed = praised(run)
    edit(run / "run.json", lambda info: info["versions"].update(parser="0123456789ab"))
    ended = asked(command, run, honest, tmp_path / "out")
    assert ended.code == 0, ended
    sentence = f"simulated/random: {changed} of {ALL} stored scores differ from those of this parser version. The new scores are used"
    assert sentence in ended.out
    assert sentence in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    plain = asked(command, honest / "random", honest, tmp_path / "plain")
    assert plain.code == 0
    for name, text in contents(tmp_path / "plain").items():
        if name.endswith((".csv", ".svg")) or name.startswith("items/text"):
            assert contents(tmp_path / "out")[name] == text, name
    done("rescore", run)
    assert RunFolder(run).info().versions["parser"] == parser()
    assert "stored scores" not in asked(command, run, honest, tmp_path / "again").out


def test_a_run_tells_its_parser_and_what_was_looked_at(run: Path, tmp_path: Path) -> None:
    assert RunFolder(run).info().versions["parser"] == parser()
    done("report", run, "--no-item-browser", "--out", tmp_path / "out")
    looked = f"{ALL} responses scored again, hashes of the data files checked, {ALL} items regenerated"
    assert looked in page(tmp_path / "out").words


def test_two_runs_that_fail_are_both_told(run: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(run, tmp_path / "other"))
    praised(run)
    praised(other)
    ended = isovist("report", run, other, "--out", tmp_path / "out")
    assert (ended.code, len(ended.err.splitlines())) == (1, 2)
    assert str(run) in ended.err
    assert str(other) in ended.err


def test_a_parsed_letter_or_a_credit_alone_fails_too(run: Path, tmp_path: Path) -> None:
    kept = records(run)
    for change in ({"parsed_answer": "Z"}, {"credit": 0.5}):
        write_records(run, [kept[0] | change, *kept[1:]])
        failed(isovist("report", run, "--out", tmp_path / "out"), f"1 of {ALL} stored scores differ", kept[0]["item_id"])


# Data --------------------------------------------------------------------------------------------------------------


def keys_as_said(run: Path) -> str:
    """Sets the keys of a task to what the model said; the first item whose key that changes."""
    parsed = {record["item_id"]: record["parsed_answer"] for record in records(run)}
    rows = {row.id: row for row in stored(run / "data", TASKS[1])}
    wrong = [id for id, row in rows.items() if parsed[id] != row.answer]

    def change(every: list[dict[str, str]]) -> None:
        for row in every:
            if row["id"] in wrong:
                key = Choice(rows[row["id"]].choices, LETTERS.index(parsed[row["id"]]))
                metadata = json.loads(row["metadata"])
                row |= {"answer": parsed[row["id"]], "metadata": json.dumps(metadata | {"answer": to_json(key)})}

    spoil(parquet(run / "data", TASKS[1]), change)
    return wrong[0]


def rehash(run: Path, *, update_run: bool) -> None:
    """Puts the hashes of the data files into the manifest; with `update_run`, that of the manifest into the run."""
    data = run / "data"
    hashes = {path.relative_to(data).as_posix(): sha256(path.read_bytes()).hexdigest() for path in data.rglob("*.parquet")}
    edit(data / MANIFEST, lambda manifest: manifest.update(hashes=hashes))
    if update_run:
        edit(run / "run.json", lambda info: info.update(data_hash=data_hash(data)))


@pytest.mark.parametrize("command", COMMANDS)
def test_keys_that_were_altered_in_a_file_are_found(command: str, run: Path, honest: Path, tmp_path: Path) -> None:
    first = keys_as_said(run)
    words = f"1 of 3 files have changed since they were written (first: {TASKS[1]}/test-00000-of-00001.parquet, {first}"
    failed(asked(command, run, honest, tmp_path / "out"), words, str(run / "data"), "--no-verify")
    assert not (tmp_path / "out").exists()
    failed(isovist("rescore", run), words, str(run / "data"))


def test_a_manifest_that_was_altered_too_is_refused(run: Path, tmp_path: Path) -> None:
    keys_as_said(run)
    rehash(run, update_run=False)
    ended = isovist("report", run, "--out", tmp_path / "out")
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "have changed since the run" in ended.err


@pytest.mark.parametrize("command", COMMANDS)
def test_keys_that_were_altered_everywhere_are_not_what_their_ids_make(command: str, run: Path, honest: Path, tmp_path: Path) -> None:
    first = keys_as_said(run)
    rehash(run, update_run=True)
    write_records(
        run, [record | ({"outcome": "correct", "credit": 1.0} if TASKS[1] in record["item_id"] else {}) for record in records(run)]
    )
    ended = asked(command, run, honest, tmp_path / "out")
    failed(ended, f"items differ from their regenerated version (first: {first}: answer is ", str(run / "data"))
    assert re.search(rf"\d+ of {ALL} items", ended.err)
    assert not (tmp_path / "out").exists()


def test_a_changed_question_is_found_and_facets_may_change(run: Path, tmp_path: Path) -> None:
    def facets(every: list[dict[str, str]]) -> None:
        for row in every:
            row["metadata"] = json.dumps(json.loads(row["metadata"]) | {"attributes": {"new": "one"}})

    spoil(parquet(run / "data", TASKS[0]), facets)
    rehash(run, update_run=True)
    done("report", run, "--no-item-browser", "--out", tmp_path / "facets")

    def question(every: list[dict[str, str]]) -> None:
        every[3]["metadata"] = json.dumps(json.loads(every[3]["metadata"]) | {"question": "Which?"})

    spoil(parquet(run / "data", TASKS[0]), question)
    rehash(run, update_run=True)
    failed(
        isovist("report", run, "--out", tmp_path / "out"), f"1 of {ALL} items differ from their regenerated version", "question is 'Which?'"
    )


def test_a_part_of_many_items_is_sampled_the_same_each_time(tmp_path: Path) -> None:
    done("run", TASKS[1], "--n", 3 * REMADE, "--model", "simulated/random", "--workers", 1, "--out", tmp_path / "run")
    folder = RunFolder(tmp_path / "run")
    (first,), (again,) = (Verifier().read([(folder, folder.info())]) for _ in range(2))
    assert first == again
    assert (first.remade, first.replies) == (REMADE, 3 * REMADE)


def test_items_of_other_versions_are_not_made_again_and_that_is_told(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(run / "data" / MANIFEST, lambda manifest: [part.update(version=99) for part in manifest["parts"] if part["task"] == TASKS[2]])
    rehash(run, update_run=True)
    done("report", run, "--no-item-browser", "--out", tmp_path / "out")
    assert f"{ALL - N} items regenerated (not possible for {TASKS[2]})" in page(tmp_path / "out").words


def test_progress_is_told_in_bytes(run: Path) -> None:
    seen: list[int] = []
    folder = RunFolder(run)
    Verifier(progress=seen.append).read([(folder, folder.info())])
    assert 0 < sum(seen) <= folder.records.stat().st_size


def test_several_processes_score_a_long_run_alike(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RunFolder(run)
    run_records = records(run)
    write_records(
        run, [*run_records, *(record | {"attempt": 2, "outcome": "incorrect"} for record in run_records)]
    )  # the last record of an item counts
    seen: list[int] = []
    one, several = Verifier(), Verifier(workers=2, progress=seen.append)
    alone = one.read([(folder, folder.info())])
    monkeypatch.setattr(verification, "HEAVY", folder.records.stat().st_size // 3)
    assert several.read([(folder, folder.info())]) == alone
    assert several.faults == one.faults
    assert sum(seen) == folder.records.stat().st_size
    assert len(seen) > 5
    with folder.records.open("ab") as file:
        file.write(b"{}\n")
    with pytest.raises(UserError, match=rf"Invalid record .*records\.jsonl, line {2 * ALL + 1}\."):
        Verifier(workers=2).read([(folder, folder.info())])


# Files with nothing to say -----------------------------------------------------------------------------------------


def test_tables_with_nothing_to_say_are_not_written_and_stale_ones_go(honest: Path, tmp_path: Path, copied: Callable[[Path], Path]) -> None:
    run = copied(honest / "random")
    done("report", run, "--no-item-browser", "--out", tmp_path / "out")
    before = {name for name in contents(tmp_path / "out") if name.endswith(".csv")}
    for name in before:
        assert len((tmp_path / "out" / name).read_text(encoding="utf-8").splitlines()) > 1, name
    assert "distractor_choices.csv" in before
    done("report", honest / "oracle", "--no-item-browser", "--out", tmp_path / "out")
    assert "findings.csv" not in contents(tmp_path / "out")
    assert not lines_of(tmp_path / "out", "adaptive.csv")


def test_markdown_has_the_headings_of_the_page_in_their_order(honest: Path, tmp_path: Path) -> None:
    done("report", honest / "random", honest / "oracle", "--no-item-browser", "--out", tmp_path)
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    on_page = re.findall(r"<h[23] id[^>]*>([^<]+)</h[23]>", html)
    lines = (tmp_path / "report.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Spatial perception report: random and oracle"
    headings = [line.lstrip("# ") for line in lines if line.startswith(("## ", "### "))]
    assert headings[:4] == ["Overall results", "Abilities", "simulated/oracle", "simulated/random"]  # the best first
    assert {"Accuracy", "Skill profile", "Evaluation settings"} <= set(headings)
    common = [heading for heading in headings if heading in on_page]
    assert common == [heading for heading in on_page if heading in headings]
    of_markdown = {"Overall results", "Abilities", "simulated/random", "simulated/oracle", "Significant findings (Holm-adjusted p < 0.05)"}
    assert set(headings) - set(on_page) <= of_markdown
    for place, line in enumerate(lines):
        if line.startswith("|") and not lines[place - 1].startswith("|"):
            assert lines[place - 1] == "", "a table needs an empty line before it"
        if line.startswith("#") and place:
            assert lines[place - 1] == lines[place + 1] == ""
