"""The folder of a report holds the files of one report, and what others put there stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from workbench import contents, done, isovist, records, write_records

LIST = "report.json"


@pytest.fixture(scope="module")
def runs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("folder")
    done("run", "--data", data, "--model", "simulated/random", "--out", home / "random")
    done("run", "cdr/spatial-direction-icon", "--data", data, "--model", "simulated/oracle", "--out", home / "oracle")
    return home


def test_a_report_leaves_only_its_own_files(runs: Path, tmp_path: Path) -> None:
    out = tmp_path / "report"
    done("report", runs / "random", runs / "oracle", "--out", out)
    (out / "notes.md").write_text("mine")
    (out / "figures" / "mine.svg").write_text("mine too")
    before = set(contents(out))
    done("report", runs / "oracle", "--out", out)
    done("report", runs / "oracle", "--out", tmp_path / "alone")
    alone, after = contents(tmp_path / "alone"), contents(out)
    assert len(before) > len(after)
    assert {name: after[name] for name in alone} == alone
    assert set(after) - set(alone) == {"notes.md", "figures/mine.svg"}
    done("report", runs / "oracle", "--no-item-browser", "--out", out)
    assert not [name for name in contents(out) if name.startswith("items")]
    assert not (out / "items").exists()


@pytest.mark.parametrize("name", ["index.html", "figures/overview.svg", "items/photos/me.png", "items.html"])
def test_files_of_others_are_never_written_over(runs: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("mine")
    ended = isovist("report", runs / "oracle", "--out", tmp_path)
    assert ended.code == 2
    assert f"Folder has an unexpected file: {tmp_path} ({name} is not in {LIST})." in ended.err
    assert len(ended.err.splitlines()) == 1
    assert {path: bytes(text) for path, text in contents(tmp_path).items()} == {name: b"mine"}


@pytest.mark.parametrize("command", ["compare", "leaderboard"])
def test_comparisons_and_leaderboards_own_their_files_as_reports_do(runs: Path, tmp_path: Path, command: str) -> None:
    asked, out = (runs / "random", runs / "oracle"), tmp_path / "out"
    done("report", *asked, "--out", out)
    (out / "notes.md").write_text("mine")
    done(command, *asked, "--out", out)
    done(command, *asked, "--out", tmp_path / "alone")
    assert set(contents(out)) == {*contents(tmp_path / "alone"), "notes.md"}
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "index.html").write_text("mine")
    ended = isovist(command, *asked, "--out", tmp_path / "mine")
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert f"Folder has an unexpected file: {tmp_path / 'mine'} (index.html is not in {LIST})." in ended.err
    assert (tmp_path / "mine" / "index.html").read_text() == "mine"


@pytest.mark.parametrize("listed", ["../secret", "/etc/hostname", "a/../../secret", "..\\secret", "C:/secret", ""])
def test_a_list_that_leads_elsewhere_is_refused(runs: Path, tmp_path: Path, listed: str) -> None:
    (tmp_path / "secret").write_text("keep")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / LIST).write_text(json.dumps({"files": [listed], "isovist": "0", "format": 1}))
    ended = isovist("report", runs / "oracle", "--no-item-browser", "--out", tmp_path / "out")
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert f"The list has a path outside its folder: {tmp_path / 'out' / LIST} ({listed!r})." in ended.err
    assert (tmp_path / "secret").read_text() == "keep"


def test_nothing_is_deleted_through_a_link(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "photo.png").write_text("keep")
    out = tmp_path / "out"
    done("report", runs / "oracle", "--no-item-browser", "--out", out)
    file_list = json.loads((out / LIST).read_text())
    (out / LIST).write_text(json.dumps(file_list | {"files": [*file_list["files"], "link/photo.png"]}))
    (out / "link").symlink_to(tmp_path / "elsewhere")
    done("report", runs / "oracle", "--no-item-browser", "--out", out)
    assert (tmp_path / "elsewhere" / "photo.png").read_text() == "keep"


def test_what_cannot_be_read_is_refused_in_one_line(runs: Path, tmp_path: Path) -> None:
    (tmp_path / LIST).write_text("{")
    ended = isovist("report", runs / "oracle", "--no-item-browser", "--out", tmp_path)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert LIST in ended.err


def test_a_report_that_fails_leaves_the_last_one(runs: Path, tmp_path: Path) -> None:
    out = tmp_path / "report"
    done("report", runs / "oracle", "--out", out)
    before = contents(out)
    kept = records(runs / "random")
    write_records(runs / "random", [kept[0] | {"parsed_answer": "Z"}, *kept[1:]])
    try:
        assert isovist("report", runs / "random", "--out", out).code == 1
        assert isovist("report", runs / "random", "--no-verify", "--out", out).code == 2
    finally:
        write_records(runs / "random", kept)
    assert contents(out) == before
