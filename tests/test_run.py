"""Runs: what simulated models score, what a record holds, and that a folder belongs to one run."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import TASKS, N
from workbench import RECORDS, RUN, contents, done, edit, isovist, records, refused, stored, verdicts, write_records

from isovist.common.canary import unmarked
from isovist.common.installation import install_command
from isovist.core.answers import Outcome
from isovist.data.items import generate
from isovist.evaluation.models import GenerationConfig
from isovist.evaluation.models.base import AS_ALLOWED
from isovist.evaluation.models.baselines import simulated_models
from isovist.evaluation.run.records import AttemptRecord, RecordWriter, at
from isovist.evaluation.run.records import latest_trial_results as counted
from isovist.evaluation.run.run_folder import RunFolder

LETTERS = "cdr/relative-compass-letter"
Copy = Callable[[Path], Path]


def ran(data: Path, out: Path, model: str, *more: object) -> list[dict[str, Any]]:
    """The records of a run of a simulated model over a data folder."""
    done("run", "--data", data, "--model", model, "--out", out, *more)
    return records(out)


@pytest.mark.parametrize("model", ["simulated/oracle", "simulated/pixel-solver"])
def test_the_oracle_and_the_pixel_solver_are_always_right(data: Path, tmp_path: Path, model: str) -> None:
    run_records = ran(data, tmp_path, model)
    assert len(run_records) == 3 * N
    assert {(record["outcome"], record["credit"]) for record in run_records} == {("correct", 1.0)}
    assert {record["served_by"] for record in run_records} == {model}


def test_silence_is_empty_and_never_wrong(data: Path, tmp_path: Path) -> None:
    run_records = ran(data, tmp_path, "simulated/silent")
    assert {(record["outcome"], record["credit"], record["parsed_answer"], record["response"]) for record in run_records} == {
        ("empty", 0.0, None, "")
    }


def test_words_without_an_answer_get_no_credit_and_are_not_guessed_at(data: Path, tmp_path: Path) -> None:
    run_records = ran(data, tmp_path, "simulated/garbled")
    assert {record["credit"] for record in run_records} == {0.0}
    assert {record["outcome"] for record in run_records} == {"unparsed"}


def test_a_constant_answer_is_right_where_it_is_the_key(data: Path, tmp_path: Path) -> None:
    rows = {row.id: row for row in stored(data)}
    run_records = ran(data, tmp_path, "simulated/constant:B")
    assert {record["parsed_answer"] for record in run_records} == {"B"}
    for record in run_records:
        assert record["outcome"] == ("correct" if rows[record["item_id"]].answer == "B" else "incorrect")
    assert 0 < sum(record["credit"] for record in run_records) < 3 * N


def test_a_guesser_is_near_chance_and_guesses_the_same_again(tmp_path: Path) -> None:
    n = 320
    done("generate", "cdr/relative-spatial-letter", "--n", n, "--image-size", 96, "--out", tmp_path / "data")
    run_records = ran(tmp_path / "data", tmp_path / "a", "simulated/random")
    again = ran(tmp_path / "data", tmp_path / "b", "simulated/random", "--max-connections", 1)
    share = sum(record["credit"] for record in run_records) / n
    assert abs(share - 1 / 8) < 3 * (1 / 8 * 7 / 8 / n) ** 0.5
    assert {record["parsed_answer"] for record in run_records} == set("ABCDEFGH")
    assert {r["item_id"]: r["response"] for r in run_records} == {r["item_id"]: r["response"] for r in again}


def test_a_record_holds_the_fields_of_the_design(data: Path, tmp_path: Path) -> None:
    kinds = {
        "item_id": str, "prompt_hash": str, "image_hashes": list, "attempt": int, "response": str, "outcome": str, "credit": float,
        "parsed_answer": str, "usage": dict, "latency_s": float, "finish_reason": str, "error": str,
    }  # fmt: skip
    for record in ran(data, tmp_path, "simulated/oracle"):
        for name, kind in kinds.items():
            assert isinstance(record[name], kind), name
        assert record["attempt"] == 1
        assert record["error"] == ""


def test_the_model_is_shown_the_very_bytes_and_words_of_the_data_folder(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[simulated_models.ModelRequest] = []

    def spy(request: simulated_models.ModelRequest, answer: object) -> str:
        del answer
        seen.append(request)
        return "Answer: A"

    monkeypatch.setitem(simulated_models._MODELS, "simulated/silent", ("looks on", spy))
    records_by_id = {record["item_id"]: record for record in ran(data, tmp_path, "simulated/silent")}
    rows = {row.id: row for row in stored(data)}
    assert {request.item_id for request in seen} == set(rows)
    for request in seen:
        row, record = rows[request.item_id], records_by_id[request.item_id]
        assert (request.images, request.prompt) == (row.images, row.prompt)
        assert record["image_hashes"] == [hashlib.sha256(unmarked(image)).hexdigest()[:16] for image in row.images]
        assert record["prompt_hash"] == hashlib.sha256(row.prompt.encode()).hexdigest()[:16]


def test_another_style_changes_the_words_and_not_the_pictures(data: Path, tmp_path: Path) -> None:
    by_id = {record["item_id"]: record for record in ran(data, tmp_path / "a", "simulated/oracle")}
    for record in ran(data, tmp_path / "b", "simulated/oracle", "--prompt-style", "direct"):
        assert record["image_hashes"] == by_id[record["item_id"]]["image_hashes"]
        assert record["prompt_hash"] != by_id[record["item_id"]]["prompt_hash"]


def test_run_json_tells_what_was_asked_of_whom(data: Path, tmp_path: Path) -> None:
    ran(data, tmp_path, "simulated/oracle", "--max-tokens", 99, "--temperature", 0.5)
    run_info = json.loads((tmp_path / RUN).read_bytes())
    assert (run_info["model"], run_info["style"]) == ("simulated/oracle", "final-line")
    assert (run_info["options"]["max_tokens"], run_info["options"]["temperature"]) == (99, 0.5)
    assert run_info["data"] == str(data.resolve())
    assert run_info["parts"] == [[task, "test"] for task in TASKS]
    assert {"python", "isovist", "aggdraw", "pillow"} <= set(run_info["versions"])
    assert run_info["started"] <= run_info["finished"]


def test_a_data_folder_is_asked_by_globs_and_at_most_n_of_each_task(data: Path, tmp_path: Path) -> None:
    run_records = ran(data, tmp_path, "simulated/oracle", "--n", 5, "cdr/*-icon", LETTERS)
    assert [record["item_id"].partition("@")[0] for record in run_records].count("cdr/spatial-direction-icon") == 5
    assert len(run_records) == 10
    assert {record["item_id"] for record in run_records} <= {row.id for row in stored(data) if row.index < 5}
    assert len(ran(data, tmp_path / "all", "simulated/oracle", "--n", 1000)) == 3 * N
    message = refused(
        isovist("run", "cdr/relative-spatial-icon", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "none")
    )
    assert LETTERS in message  # what it does hold
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("option", [("--seed", 7), ("--level", "hard"), ("--image-size", 400), ("--task-option", "order=paper")])
def test_options_for_fresh_items_are_not_passed_over_in_silence(data: Path, tmp_path: Path, option: tuple[object, ...]) -> None:
    """Whoever gives them to stored items believes to ask other items than are asked."""
    refused(isovist("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "run", *option), str(option[0]))


def test_of_stored_items_the_test_split_is_asked_unless_another_is_told(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for split, n in (("test", 2), ("train", 3)):
        done("generate", LETTERS, "--n", n, "--split", split, "--out", data)
    ended = done("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "test")
    assert "3 items of split train skipped" in ended.err
    assert [record["item_id"].split(":")[1] for record in records(tmp_path / "test")] == ["test"] * 2
    assert "skipped" not in done("run", "--data", data, "--split", "train", "--model", "simulated/oracle", "--out", tmp_path / "train").err
    assert len(records(tmp_path / "train")) == 3
    done("generate", LETTERS, "--n", 1, "--split", "train", "--out", tmp_path / "lessons")
    asked = done("run", "--data", tmp_path / "lessons", "--model", "simulated/oracle", "--out", tmp_path / "lessons-run")
    assert "skipped" not in asked.err
    ended = refused(
        isovist("run", "--data", tmp_path / "lessons", "--split", "test", "--model", "simulated/oracle", "--out", tmp_path / "none")
    )
    assert "no items of split test" in ended
    assert not (tmp_path / "none").exists()


def test_fresh_items_stand_in_the_folder_of_the_run_which_can_be_moved(oracle: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.copytree(oracle, moved)
    assert json.loads((moved / RUN).read_bytes())["data"] == "data"
    assert len(stored(moved / "data")) == len(records(moved)) == 16
    assert (
        done("run", "cdr/relative-*-letter", "--n", 8, "--model", "simulated/oracle", "--workers", 1, "--out", moved).out.count(
            "0 evaluated now"
        )
        == 1
    )
    done("rescore", moved)
    done("report", moved, "--out", tmp_path / "report")


CHANGED: dict[str, tuple[object, ...]] = {
    "model": ("cdr/relative-*-letter", "--n", 8, "--model", "simulated/random"),
    "style": ("cdr/relative-*-letter", "--n", 8, "--model", "simulated/oracle", "--prompt-style", "direct"),
    "temperature": ("cdr/relative-*-letter", "--n", 8, "--model", "simulated/oracle", "--temperature", 1),
    "max tokens": ("cdr/relative-*-letter", "--n", 8, "--model", "simulated/oracle", "--max-tokens", 5),
    "base url": ("cdr/relative-*-letter", "--n", 8, "--model", "simulated/oracle", "--base-url", "http://localhost:1/v1"),
    "seed": ("cdr/relative-*-letter", "--n", 8, "--model", "simulated/oracle", "--seed", 1),
    " n ": ("cdr/relative-*-letter", "--n", 7, "--model", "simulated/oracle"),
    "more, with another seed": ("cdr/relative-*-letter", "--n", 9, "--seed", 1, "--model", "simulated/oracle"),
    "parts": ("cdr/relative-compass-letter", "--n", 8, "--model", "simulated/oracle"),
    "more parts": ("cdr/relative-*", "--n", 8, "--model", "simulated/oracle"),
    "another split": ("cdr/relative-*-letter", "--n", 8, "--model", "simulated/oracle", "--split", "train"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_another_question_in_the_folder_of_a_run_is_refused_and_changes_nothing(
    oracle: Path, tmp_path: Path, copied: Copy, name: str
) -> None:
    run = copied(oracle)
    before = contents(run)
    message = refused(isovist("run", *CHANGED[name], "--workers", 1, "--out", run), str(run))
    assert name.strip() in message or "split" in message or "parts" in message or "seed" in message
    assert contents(run) == before
    done("report", run, "--out", tmp_path / "report")


@pytest.mark.parametrize("more", [(), ("--circular-eval", "--blank-image")])
def test_more_items_of_the_same_tasks_are_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[object, ...]) -> None:
    """The first items are the same, and their responses are kept: the run becomes the one with more items."""
    monkeypatch.setattr("isovist.data.dataset.generate._ROWS_2D", 4)  # two items have one file, five have two
    command = ("run", "cdr/relative-*-letter", "--model", "simulated/random", "--max-connections", 1, "--workers", 1, *more)
    for n in (2, 3, 5):
        done(*command, "--n", n, "--out", tmp_path / "grown")
    first = done(*command, "--n", 5, "--out", tmp_path / "whole").out
    assert contents(tmp_path / "grown" / "data") == contents(tmp_path / "whole" / "data")
    assert verdicts(tmp_path / "grown") == verdicts(tmp_path / "whole")
    assert len(records(tmp_path / "grown")) == len(records(tmp_path / "whole"))
    assert (
        first.splitlines()[0].partition(",")[0]
        == done(*command, "--n", 5, "--out", tmp_path / "grown").out.splitlines()[0].partition(",")[0]
    )
    done("report", tmp_path / "grown", "--out", tmp_path / "report")
    refused(isovist(*command, "--n", 4, "--out", tmp_path / "grown"), "with n 5")


def test_more_items_of_a_data_folder_are_added(data: Path, tmp_path: Path) -> None:
    command = ("run", "--data", data, "--model", "simulated/random", "--max-connections", 1)
    for n in (2, 3):
        done(*command, "--n", n, "--out", tmp_path / "grown")
    done(*command, "--n", 3, "--out", tmp_path / "whole")
    assert verdicts(tmp_path / "grown") == verdicts(tmp_path / "whole")
    done("report", tmp_path / "grown", "--out", tmp_path / "report")
    done(*command, "--out", tmp_path / "grown")
    assert len(records(tmp_path / "grown")) == 3 * N
    refused(isovist(*command, "--n", 3, "--out", tmp_path / "grown"), "different n")


def test_items_that_depend_on_their_number_are_not_added(data: Path, tmp_path: Path) -> None:
    """The mismatched image of an item is that of a neighbour, which may be another one among more items."""
    command = ("run", "--data", data, "--model", "simulated/random", "--mismatched-image", "--out", tmp_path / "run")
    done(*command, "--n", 4)
    refused(isovist(*command, "--n", 5), "different n")
    shard = ("run", "--data", data, "--model", "simulated/random", "--shard", "0/2", "--out", tmp_path / "shard")
    done(*shard, "--n", 4)
    refused(isovist(*shard, "--n", 5), "different n")


@pytest.mark.parametrize("place", ["replace", "manifest", "run"])
def test_a_kill_while_items_are_added_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    from isovist.data.dataset.manifest import Manifest

    command = ("run", LETTERS, "--model", "simulated/random", "--max-connections", 1, "--workers", 1, "--out", tmp_path / "run")
    done(*command, "--n", 2)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    def written(self: Manifest, folder: Path) -> None:
        write(self, folder)
        stop()

    write = Manifest.write
    with monkeypatch.context() as patched:
        if place == "replace":
            patched.setattr("isovist.data.dataset.generate.card", stop)
        else:
            patched.setattr(Manifest, "write", stop if place == "manifest" else written)
        assert isovist(*command, "--n", 3).code == 130
    done(*command, "--n", 3)
    done("run", LETTERS, "--model", "simulated/random", "--n", 3, "--workers", 1, "--out", tmp_path / "whole")
    assert contents(tmp_path / "run" / "data") == contents(tmp_path / "whole" / "data")
    assert verdicts(tmp_path / "run") == verdicts(tmp_path / "whole")
    done("report", tmp_path / "run", "--out", tmp_path / "report")


def test_other_data_in_the_folder_of_a_run_are_refused(data: Path, oracle: Path, copied: Copy) -> None:
    run = copied(oracle)
    refused(isovist("run", "--data", data, "--model", "simulated/oracle", "--out", run), "data")


def test_how_fast_it_is_asked_may_change(oracle: Path, copied: Copy) -> None:
    run = copied(oracle)
    whole = verdicts(run)
    write_records(run, records(run)[:5])
    ended = done(
        "run",
        "cdr/relative-*-letter",
        "--n",
        8,
        "--model",
        "simulated/oracle",
        "--workers",
        1,
        "--max-connections",
        3,
        "--timeout",
        9,
        "--out",
        run,
    )
    assert "11 evaluated now" in ended.out
    assert verdicts(run) == whole


@pytest.mark.parametrize("command", ["run", "rescore"])
def test_a_second_writer_is_refused(oracle: Path, copied: Copy, command: str) -> None:
    run = copied(oracle)
    before = contents(run)
    args = (
        ("rescore", run)
        if command == "rescore"
        else ("run", "cdr/relative-*-letter", "--n", 8, "--model", "simulated/oracle", "--out", run)
    )
    with RunFolder(run).locked():
        ended = isovist(*args, *(("--workers", 1) if command == "run" else ()))
    assert ended.code == 2
    assert ended.err.splitlines()[-1] == f"isovist: Run folder is in use by another process: {run}. Wait, or choose another folder."
    assert {name: text for name, text in contents(run).items() if name != RUN} == {n: t for n, t in before.items() if n != RUN}


@pytest.mark.parametrize("out", ["/proc/isovist/run", "/dev/null/run", "x" * 300])
def test_a_folder_that_cannot_be_made_is_one_line(data: Path, out: str) -> None:
    refused(isovist("run", LETTERS, "--n", 2, "--model", "simulated/oracle", "--out", out), out.removesuffix("/run"))
    refused(isovist("run", "--data", data, "--model", "simulated/oracle", "--out", out), out.removesuffix("/run"))


def test_a_file_for_a_folder_is_one_line(data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for items in ((LETTERS, "--n", 2), ("--data", data)):
        refused(isovist("run", *items, "--model", "simulated/oracle", "--out", tmp_path / "file"), "Not a folder")
    assert contents(tmp_path) == {"file": b"mine"}


@pytest.mark.parametrize("model", ["simulated/nonsense", "simulated/constant:", "nonsense", "nonsense/model"])
def test_an_unknown_model_is_one_line_and_leaves_nothing_behind(tmp_path: Path, model: str) -> None:
    refused(isovist("run", LETTERS, "--n", 2, "--model", model, "--out", tmp_path / "run"), model)
    assert not (tmp_path / "run").exists()


def test_a_run_of_nothing_is_refused(tmp_path: Path) -> None:
    refused(isovist("run", "--model", "simulated/oracle", "--out", tmp_path / "run"), "--data")
    refused(isovist("run", "--data", tmp_path / "none", "--model", "simulated/oracle", "--out", tmp_path / "run"), "no such folder")
    assert not (tmp_path / "run").exists()


def test_a_run_without_the_library_for_models_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "inspect_ai.model", None)
    for name in ("openai/gpt-4o-mini", "ollama/gemma3", "vllm/m"):
        message = refused(isovist("run", LETTERS, "--n", 2, "--model", name, "--out", tmp_path / "run"))
        assert f"Missing extra 'providers' for the model {name}. Run `{install_command('providers')}`." in message
    assert "Unknown model" in refused(isovist("run", LETTERS, "--n", 2, "--model", "gemma3", "--out", tmp_path / "run"))
    monkeypatch.setattr("isovist.common.errors.find_spec", lambda name: None)
    message = refused(isovist("run", LETTERS, "--n", 2, "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--out", tmp_path / "run"))
    assert f"Missing extra 'run' for the model m. Run `{install_command('run')}`." in message
    assert not (tmp_path / "run").exists()


RUNS: dict[str, Callable[[dict[str, Any]], object]] = {
    "another format": lambda run_info: run_info.update(format=9),
    "no options": lambda run_info: run_info.pop("options"),
    "unknown options": lambda run_info: run_info["options"].update(colour="red"),
    "parts that are no list": lambda run_info: run_info.update(parts=7),
    "an unknown field": lambda run_info: run_info.update(colour="red"),
    "a number for a time": lambda run_info: run_info.update(started=5),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_damaged_run_json_is_one_line(oracle: Path, tmp_path: Path, copied: Copy, name: str) -> None:
    run = copied(oracle)
    edit(run / RUN, RUNS[name])
    for command in (("report", run, "--out", tmp_path / "report"), ("rescore", run)):
        if (name, command[0]) != ("a number for a time", "rescore"):  # which does not look at it
            refused(isovist(*command), str(run))
    assert not (tmp_path / "report").exists()


def test_a_verdict_counts_before_a_fault_and_a_later_one_before_an_earlier(tmp_path: Path) -> None:
    path = tmp_path / RECORDS
    assert counted(path) == {}
    log = RecordWriter(path)
    attempts: list[tuple[str, int, Outcome, str]] = [
        ("a", 1, "request_error", ""), ("a", 2, "incorrect", ""), ("a", 3, "request_error", ""),
        ("b", 1, "request_error", ""), ("b", 2, "request_error", ""),
        ("c", 1, "incorrect", ""), ("c", 2, "correct", ""), ("c", 1, "request_error", "no-image"),
    ]  # fmt: skip
    for item, attempt, outcome, variant in attempts:
        log.append(AttemptRecord(item, "", [], attempt, f"said ä {attempt}", "", outcome, 0.0, None, variant=variant))
    log.close()
    verdicts_by_name = counted(path)
    assert {name: (verdict.outcome, verdict.attempt) for name, verdict in verdicts_by_name.items()} == {
        ("a", ""): ("incorrect", 3), ("b", ""): ("request_error", 2), ("c", ""): ("correct", 2), ("c", "no-image"): ("request_error", 1),
    }  # fmt: skip
    assert {name: at(path, verdict.place).response for name, verdict in verdicts_by_name.items()} == {
        ("a", ""): "said ä 2", ("b", ""): "said ä 2", ("c", ""): "said ä 2", ("c", "no-image"): "said ä 1",
    }  # fmt: skip


def test_the_defaults_of_a_run_are_those_of_a_plain_evaluation() -> None:
    assert (GenerationConfig().temperature, GenerationConfig().max_tokens, GenerationConfig().concurrency) == (0.0, AS_ALLOWED, 8)
    assert RECORDS == "records.jsonl"


def test_several_models_have_a_folder_each_with_equal_items_and_end_with_their_comparison(tmp_path: Path) -> None:
    models = ("simulated/random", "simulated/oracle", "nope/x")
    ended = isovist("run", LETTERS, "--n", 6, *(each for model in models for each in ("--model", model)), "--out", tmp_path / "runs")
    assert "Unknown model" in refused(ended)
    assert not (tmp_path / "runs").exists()
    text = done("run", LETTERS, "--n", 6, "--model", models[0], "--model", models[1], "--out", tmp_path / "runs", "--json").out
    results = json.loads(text)
    assert [each["model"] for each in results["runs"]] == list(models[:2])
    folders = [Path(each["run"]) for each in results["runs"]]
    assert [folder.name for folder in folders] == ["simulated-random", "simulated-oracle"]
    assert contents(folders[0] / "data") == contents(folders[1] / "data")
    assert [row["accuracy"]["estimate"] for row in results["comparison"]["models"] if row["model"] == models[1]] == [1]
    again = json.loads(done("run", LETTERS, "--n", 6, "--model", models[0], "--model", models[1], "--out", tmp_path / "runs", "--json").out)
    assert [each["evaluated_now"] for each in again["runs"]] == [0, 0]
    assert "Models with the same folder name" in refused(
        isovist("run", LETTERS, "--model", models[0], "--model", "simulated-random", "--out", tmp_path / "other")
    )
    assert "Run folder for several models" in refused(
        isovist("run", LETTERS, "--model", models[0], "--model", models[1], "--out", folders[0])
    )


def test_items_of_a_file_of_ids_are_those_of_the_ids(tmp_path: Path) -> None:
    given = generate(LETTERS, n=9, seed=3)
    ids = [given[7].id, generate("perceptv/counting-circles", n=1, seed=5)[0].id, given[2].id.partition("#")[0]]
    file = tmp_path / "ids.txt"
    file.write_text("\n".join(ids[:2]) + "\n\n")
    done("run", "--items", file, "--model", "simulated/oracle", "--out", tmp_path / "run")
    file.write_text("\n".join(ids))
    done("run", "--items", file, "--model", "simulated/oracle", "--out", tmp_path / "run")
    assert sorted(record["item_id"] for record in records(tmp_path / "run")) == sorted([ids[0], ids[1], given[2].id])
    assert [row.id for row in stored(tmp_path / "run" / "data") if row.task == LETTERS] == [ids[0], given[2].id]
    assert "0 differ" in done("verify", tmp_path / "run" / "data").out
    assert (
        "chosen by their ids"
        in done("report", tmp_path / "run", "--out", tmp_path / "report").out + contents(tmp_path / "report")["report.md"].decode()
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"\n{LETTERS}@1:test:standard:0:0", "in line 2 of"),
        (f"{LETTERS}@2:test:standard:0:0#0000000000000000", "Content hash of the item differs"),
        (f"{LETTERS}@2:test:standard:0:0\n{LETTERS}@2:test:standard:0:0\n", "Repeated id in line 2 of"),
        ("cdr/nothing@3:test:standard:0:0", "Unknown task: cdr/nothing"),
        ("x" * 100_000, "Invalid id in line 1 of"),
        ("\n \n", "No item ids"),
    ],
)
def test_a_file_with_an_id_of_no_item_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "ids.txt"
    file.write_text(text)
    ended = isovist("run", "--items", file, "--model", "simulated/oracle", "--out", tmp_path / "run")
    assert message in refused(ended)
    assert len(ended.err) < 1000
    assert not (tmp_path / "run").exists()
