"""`isovist compare`, from runs to the page."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from workbench import isovist

from isovist.evaluation.run.records import RECORDS
from isovist.evaluation.run.run_folder import BY_STUDY, RUN

TASKS = ("cdr/object-classification-letter", "cdr/relative-spatial-letter")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("compare")
    assert isovist("generate", *TASKS, "--n", 24, "--out", home / "data").code == 0
    for name, more in (("random", ()), ("pixel-solver", ()), ("constant:B", ("--prompt-style", "direct"))):
        assert isovist("run", "--data", home / "data", "--model", f"simulated/{name}", *more, "--out", home / name).code == 0
    return home


def test_two_models(runs: Path, tmp_path: Path) -> None:
    ended = isovist("compare", runs / "random", runs / "pixel-solver", "--out", tmp_path / "out")
    assert ended.code == 0, ended
    assert "over all tasks. Significantly more accurate: simulated/pixel-solver in 2 of 2 tasks." in ended.out
    rows = list(csv.DictReader((tmp_path / "out" / "pairs.csv").read_text().splitlines()))
    assert [row["task"] for row in rows] == [*TASKS, "all tasks"]
    for row in rows:
        assert int(row["n_only_a_correct"]) == 0
        assert float(row["ci_low"]) > 0
        assert float(row["p_adjusted"]) < 0.001
    page = (tmp_path / "out" / "index.html").read_text()
    assert page.count("<svg") - page.count('<svg class="mark"') == 4  # two figures, for a screen and for a phone
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")


def test_ties_are_told_as_ties_and_settings_that_differ_by_name(runs: Path) -> None:
    ended = isovist("compare", runs / "constant:B", runs / "random", runs / "pixel-solver")
    assert "No significant difference between simulated/constant:B and simulated/random over all tasks." in ended.out
    assert "prompt style is direct (simulated/constant:B), final-line (simulated/random)" in ended.out
    total = next(line for line in ended.out.splitlines() if line.startswith("all tasks"))
    assert total.split("]")[1].split()[0] == total.split("]")[2].split()[0] != total.split("]")[3].split()[0]


def test_three_that_can_be_told_apart_are_told_in_order(runs: Path, tmp_path: Path) -> None:
    most = "simulated/deficit:unparsed,share=0.04,noise=0.4"
    assert isovist("run", "--data", runs / "data", "--model", most, "--out", tmp_path / "most").code == 0
    text = isovist("compare", runs / "random", tmp_path / "most", runs / "pixel-solver").out
    first, second = text.splitlines()[0].split(" over all tasks.")[:2]
    assert first.startswith("simulated/pixel-solver is significantly more accurate than simulated/random (")
    assert f" and {most} (" in first
    assert second.startswith(f" {most} is significantly more accurate than simulated/random (")


def test_items_that_not_all_were_asked_or_have_no_verdict_are_left_out_and_told(runs: Path, tmp_path: Path) -> None:
    assert isovist("run", "--data", runs / "data", "--n", 10, "--model", "simulated/random", "--out", tmp_path / "ten").code == 0
    lines = (tmp_path / "ten" / "records.jsonl").read_text().splitlines()
    (tmp_path / "ten" / "records.jsonl").write_text("\n".join(lines[:-3]) + "\n")
    ended = isovist("compare", tmp_path / "ten", runs / "pixel-solver")
    assert "17 items in 2 tasks" in ended.out
    assert "simulated/pixel-solver: 28 items excluded, not in every run." in ended.out
    assert "simulated/random: 3 items not scored" in ended.out


def older(run: Path) -> None:
    """The run as of an earlier version of its tasks."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from isovist.evaluation.run.run_folder import data_hash

    for path in (run / "data").rglob("*.parquet"):
        table = pq.read_table(path)
        place = table.column_names.index("id")
        ids = [re.sub(r"@\d+:", "@0:", str(id)) for id in table["id"].to_pylist()]
        pq.write_table(table.set_column(place, "id", pa.array(ids)), path)
    info = json.loads((run / "run.json").read_text())
    info["data_hash"] = data_hash(run / "data")
    (run / "run.json").write_text(json.dumps(info))


def others(run: Path) -> None:
    shutil.rmtree(run)
    assert isovist("run", "cdr/object-classification-icon", "--n", 4, "--model", "simulated/random", "--out", run).code == 0


@pytest.mark.parametrize(("change", "message"), [(older, "Different versions of"), (others, "No item in common")])
def test_other_items_are_refused(tmp_path: Path, change: Callable[[Path], None], message: str) -> None:
    for name in ("a", "b"):
        assert isovist("run", TASKS[0], "--n", 4, "--model", "simulated/random", "--out", tmp_path / name).code == 0
    change(tmp_path / "b")
    ended = isovist("compare", tmp_path / "a", tmp_path / "b", "--no-verify", "--out", tmp_path / "out")
    assert ended.code == 2
    assert message in ended.err
    assert ended.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_one_run_is_no_comparison(runs: Path) -> None:
    ended = isovist("compare", runs / "random")
    assert ended.code == 2
    assert "Give at least two run folders" in ended.err


def test_a_run_is_not_compared_with_itself(runs: Path) -> None:
    for command in ("compare", "report", "leaderboard"):
        ended = isovist(command, runs / "random", runs / "pixel-solver", runs / "pixel-solver" / ".." / "random", "--out", runs / "twice")
        assert ended.code == 2, ended
        assert "The same run is given 2 times" in ended.err
        assert ended.err.count("\n") == 1
        assert not (runs / "twice").exists()


def test_too_few_items_and_tasks_without_any_are_named(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "random", tmp_path / "few")
    rewritten(tmp_path / "few" / RUN, data=str(runs / "data"))
    file = tmp_path / "few" / "records.jsonl"
    ids = [json.loads(line)["item_id"] for line in file.read_text().splitlines()]
    kept = [place for place, id in enumerate(ids) if id.startswith(TASKS[0])][:5]
    file.write_text("".join(line for place, line in enumerate(file.read_text().splitlines(keepends=True)) if place in kept))
    ended = isovist("compare", tmp_path / "few", runs / "pixel-solver")
    assert "5 items in 1 task, scored in every run." in ended.out
    assert f"Excluded tasks without an item that is scored in every run: {TASKS[1]}." in ended.out
    assert f"Too few items for a significant difference (fewer than 6 clusters): {TASKS[0]}." in ended.out
    assert "Too few items" not in isovist("compare", runs / "random", runs / "pixel-solver").out


def rewritten(file: Path, **changes: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_what_nobody_set_is_not_told_as_a_setting(runs: Path, tmp_path: Path) -> None:
    """People read no prompt style and have no temperature: their run holds the defaults of the options, which are not those of a request."""
    shutil.copytree(runs / "random", tmp_path / "people")
    rewritten(tmp_path / "people" / RUN, data=str(runs / "data"), model="human", source_tool=BY_STUDY)
    ended = isovist("compare", tmp_path / "people", runs / "constant:B")
    assert "Different settings: evaluated with is isovist study (human), Isovist (simulated/constant:B)." in ended.out
    assert "prompt style is unknown (human), direct (simulated/constant:B)" in ended.out
    assert "temperature is unknown (human), 0.0 (simulated/constant:B)" in ended.out


def test_two_models_behind_one_name_are_told(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "random", tmp_path / "later")
    info = json.loads((runs / "random" / RUN).read_text())
    rewritten(tmp_path / "later" / RUN, data=str(runs / "data"), usage=info["usage"] | {"served_by": ["random-2"]})
    ended = isovist("compare", runs / "random", tmp_path / "later")
    assert "served as is simulated/random (simulated/random (random)), random-2 (simulated/random (later))" in ended.out
    assert "served as" not in isovist("compare", runs / "random", runs / "pixel-solver").out


def test_pictures_that_were_drawn_otherwise_are_told(runs: Path, tmp_path: Path) -> None:
    from isovist.evaluation.run.run_folder import data_hash

    shutil.copytree(runs / "data", tmp_path / "data")
    shutil.copytree(runs / "random", tmp_path / "cycles")
    (manifest,) = (tmp_path / "data").glob("*.json")
    manifest.write_text(manifest.read_text().replace('"raster"', '"cycles-4.5.0"'))
    rewritten(tmp_path / "cycles" / RUN, data=str(tmp_path / "data"), data_hash=data_hash(tmp_path / "data"))
    assert "different images" not in isovist("compare", runs / "pixel-solver", tmp_path / "cycles").out  # they happen to be
    lines = (tmp_path / "cycles" / RECORDS).read_text().splitlines(keepends=True)
    changed = [line.replace('"image_hashes": ["', '"image_hashes": ["0') for line in lines[:3]]
    (tmp_path / "cycles" / RECORDS).write_text("".join([*changed, *lines[3:]]))
    ended = isovist("compare", runs / "pixel-solver", tmp_path / "cycles")
    assert "renderer is raster (simulated/pixel-solver), cycles-4.5.0 (simulated/random)" in ended.out
    assert "3 items had different images in the runs" in ended.out
