"""Result files of other tools come back as runs: whose reply it is, what is left out, and what is told of it.

The files have the columns and fields that VLMEvalKit, lmms-eval and evalscope write; `test_exports_tools.py` has them written by the tools.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from exporting import COUNT, LETTERS, NUMBERS, N, generated
from recount import page
from workbench import done, edit, isovist, records, refused, stored, verdicts

from isovist.data.dataset.rows import ItemRow
from isovist.data.exporters.evalscope import numbered, question

FAILED = "Failed to obtain answer via API. "


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generated(tmp_path_factory.mktemp("predicted") / "data", "test")


def replies(rows: Sequence[ItemRow]) -> list[str]:
    """The truth for the first item of each task, a wrong answer for the second, no answer for the third, a hedge for the fourth."""
    return [(f"I see. Answer: {row.answer}", row.key.wrong_answers()[0], "", "Hm.")[i % N] for i, row in enumerate(rows)]


OUTCOMES = ("correct", "incorrect", "empty", "unparsed")


def expected(rows: Sequence[ItemRow]) -> dict[str, str]:
    return {row.id: OUTCOMES[i % N] for i, row in enumerate(rows)}


# Files as the tools write them ------------------------------------------------------------------------------------------


def vlmevalkit(folder: Path, predictions: Sequence[tuple[ItemRow, str]], kind: str = "xlsx") -> Path:
    """One file for choices and one for the rest, with the columns of our TSV but the pictures."""
    home = folder / "outputs" / "some-model" / "T20261122-025721"
    home.mkdir(parents=True)
    for name, wanted in (("choice", True), ("open", False)):
        lines = [
            {"index": f"i{row.id[-16:]}", "id": row.id, "task": row.task, "answer": row.answer, "prediction": reply}
            for row, reply in predictions
            if bool(row.choices) == wanted
        ]
        file = home / f"some-model_Isovist_{name}.{kind}"
        if kind == "json":
            file.write_text(json.dumps(lines), encoding="utf-8")
        elif kind == "tsv":
            cells = [["index", "id", "task", "answer", "prediction"], *([str(value) for value in line.values()] for line in lines)]
            quoted = ("\t".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in cells)
            file.write_text("\n".join(quoted) + "\n", encoding="utf-8")
        else:
            book = pytest.importorskip("openpyxl").Workbook()
            sheet = book.active
            assert sheet is not None
            sheet.append(["index", "id", "task", "answer", "prediction"])
            for line in lines:
                sheet.append([line["index"], line["id"], line["task"], line["answer"], line["prediction"] or None])
            book.save(file)
        (home / f"some-model_Isovist_{name}_acc.csv").write_text("task,credit\n", encoding="utf-8")
        (home.parent / file.name).symlink_to(file)  # as it does for the last evaluation
    return folder / "outputs"


def lmms_eval(folder: Path, predictions: Sequence[tuple[ItemRow, str]]) -> Path:
    home = folder / "results"
    home.mkdir(parents=True)
    (home / "20261122_104248_results.json").write_text(json.dumps({"model_name": "some/model", "model_source": "dummy"}), encoding="utf-8")
    for i, (row, reply) in enumerate(predictions):
        name = row.task.replace("/", "_").replace("-", "_")
        sample: dict[str, Any] = {"doc_id": i, "target": row.answer, "filtered_resps": reply, "input": row.prompt.replace("<image>", "")}
        sample["isovist_credit"] = {"id": row.id, "credit": 0.0, "outcome": "incorrect", "parsed_answer": None}
        with (home / f"20261122_104248_samples_isovist_{name}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(sample) + "\n")
    return home


def jsonl(folder: Path, predictions: Sequence[tuple[ItemRow, str]]) -> Path:
    home = folder / "some-model"
    home.mkdir(parents=True)
    lines = "".join(json.dumps({"id": row.id, "response": reply}) + "\n" for row, reply in predictions)
    (home / "responses.jsonl").write_text(lines, encoding="utf-8")
    return home


def evalscope(folder: Path, predictions: Sequence[tuple[ItemRow, str]], kind: str = "predictions") -> Path:
    home = folder / "20261122_024801" / kind / "some-model"
    home.mkdir(parents=True)
    for i, (row, reply) in enumerate(predictions):
        choice = bool(row.choices)
        text = (
            f"{question(row)}\n\n" + "\n".join(f"{x}) {y}" for x, y in zip("ABCDEFGH", row.choices, strict=False)) if choice else row.prompt
        )
        content: list[dict[str, Any]] = []
        for place, part in enumerate(numbered(text).split("<image ")):
            if place:
                data = base64.b64encode(row.images[place - 1]).decode()
                content.append({"type": "image", "image": f"data:image/png;base64,{data}", "detail": "auto"})
            content.append({"type": "text", "text": part.partition(">")[2] if place else part})
        answer = {"role": "assistant", "content": reply}
        line: dict[str, Any] = {"index": i, "model": "some-model", "messages": [{"role": "user", "content": content}, answer]}
        if kind == "predictions":
            line["model_output"] = {"choices": [{"message": answer, "stop_reason": "stop"}], "error": None}
        else:
            line["sample_score"] = {"score": {"prediction": reply, "extracted_prediction": ""}, "sample_id": i}
        name = f"general_{'vmcq' if choice else 'vqa'}_{row.task.replace('/', '-')}"
        with (home / f"{name}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    return folder / "20261122_024801"


WRITTEN: dict[str, tuple[str, Callable[[Path, Sequence[tuple[ItemRow, str]]], Path]]] = {
    "vlmevalkit xlsx": ("vlmevalkit", vlmevalkit),
    "vlmevalkit tsv": ("vlmevalkit", lambda folder, predictions: vlmevalkit(folder, predictions, "tsv")),
    "vlmevalkit json": ("vlmevalkit", lambda folder, predictions: vlmevalkit(folder, predictions, "json")),
    "lmms-eval": ("lmms-eval", lmms_eval),
    "jsonl": ("jsonl", jsonl),
    "evalscope": ("evalscope", evalscope),
    "evalscope reviews": ("evalscope", lambda folder, predictions: evalscope(folder, predictions, "reviews")),
}


def taken(tool: str, path: Path, data: Path, out: Path, *more: object) -> str:
    """Takes predictions in; what is told on stderr, without the bar."""
    ended = done("import", "predictions", path, "--source-tool", tool, "--data", data, "--out", out, *more)
    return ended.err + ended.out


# What comes back ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("written", WRITTEN)
def test_every_reply_comes_back_scored_by_our_parser_and_is_reported(data: Path, tmp_path: Path, written: str) -> None:
    rows = stored(data)
    tool, write = WRITTEN[written]
    output = taken(tool, write(tmp_path, [*zip(rows, replies(rows), strict=True)]), data, tmp_path / "run")
    assert f"Imported {len(rows)} responses of " in output
    assert "left out" not in output
    assert "No response to" not in output
    assert {id: outcome for id, (outcome, _) in verdicts(tmp_path / "run").items()} == expected(rows)
    info = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert info["model"] in ("some-model", "some/model")
    assert info["source_tool"].casefold() == {"jsonl": "json lines"}.get(tool, tool)
    assert not (tmp_path / "run" / "skipped.jsonl").exists()
    assert done("rescore", tmp_path / "run", "--no-verify").out.startswith(f"{len(rows)} responses scored again, 0 changed")
    done("report", tmp_path / "run", "--no-verify", "--out", tmp_path / "report")
    markdown = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert f"{LETTERS}" in markdown


def test_the_report_says_who_asked_and_claims_nothing_of_the_requests(data: Path, tmp_path: Path) -> None:
    rows = stored(data)
    taken("lmms-eval", lmms_eval(tmp_path, [*zip(rows, replies(rows), strict=True)]), data, tmp_path / "run")
    done("report", tmp_path / "run", "--no-verify", "--out", tmp_path / "report")
    settings = {line["Setting"]: line["some/model"] for line in page(tmp_path / "report").table("Setting")}
    assert settings["Evaluated with"] == "lmms-eval"
    of_requests = ("Server", "Prompt style", "Temperature", "Maximum output tokens", "Concurrent requests")
    assert {settings[name] for name in of_requests} == {"unknown"}
    assert not (tmp_path / "report" / "cost.csv").exists()
    refused(isovist("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "run"), "source tool")


# What is left out -----------------------------------------------------------------------------------------------------------


def left_out(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "skipped.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("written", ["vlmevalkit json", "lmms-eval", "evalscope", "jsonl"])
def test_unknown_rows_duplicate_responses_and_missing_items_are_reported_one_by_one(data: Path, tmp_path: Path, written: str) -> None:
    rows = stored(data)
    other = generated(tmp_path / "other", "train")
    stranger = stored(other, LETTERS)[0]
    letters = [row for row in rows if row.task == LETTERS]
    predictions = [(letters[0], letters[0].answer), (letters[1], letters[1].answer), (letters[0], "Hm."), (stranger, "A")]
    tool, write = WRITTEN[written]
    output = taken(tool, write(tmp_path, predictions), data, tmp_path / "run")
    assert "from 4 rows (2 correct)." in output
    assert "Skipped 1 row: second response to an item." in output
    assert f"No response to 2 items of {LETTERS}." in output
    assert NUMBERS in output.partition("Tasks without a response")[2]
    assert verdicts(tmp_path / "run") == {row.id: ("correct", 1.0) for row in letters[:2]}
    listed = left_out(tmp_path / "run")
    assert {one["id"] for one in listed if one["reason"] == "no response to the item"} == {row.id for row in letters[2:]}
    assert len(listed) == 4
    report = isovist("report", tmp_path / "run", "--no-verify", "--out", tmp_path / "report")
    assert report.code == 0


def test_with_the_ns_of_the_export_nothing_is_missing(data: Path, tmp_path: Path) -> None:
    few = [row for row in stored(data) if row.index == 0 and row.task == LETTERS]
    path = lmms_eval(tmp_path, [(row, row.answer) for row in few])
    assert "No response to" not in taken("lmms-eval", path, data, tmp_path / "run", "--n", len(few))
    assert json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["n"] == len(few)


def test_a_failed_request_is_a_machine_fault_and_no_wrong_answer(data: Path, tmp_path: Path) -> None:
    rows = stored(data, COUNT)
    path = vlmevalkit(tmp_path, [(row, FAILED if i else row.answer) for i, row in enumerate(rows)], "json")
    taken("vlmevalkit", path, data, tmp_path / "run")
    assert [one["outcome"] for one in records(tmp_path / "run")] == ["correct", "request_error", "request_error", "request_error"]


def test_a_reply_that_a_cell_of_xlsx_cut_off_is_left_out(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    rows = stored(data, COUNT)
    path = vlmevalkit(tmp_path, [(row, ("x " * 20_000)[:32_767] if i else row.answer) for i, row in enumerate(rows)])
    output = taken("vlmevalkit", path, data, tmp_path / "run")
    assert "Skipped 3 rows: a response truncated by its xlsx cell" in output
    assert f"No response to 3 items of {COUNT}" in output


def test_the_finish_reason_of_evalscope_determines_the_outcome(data: Path, tmp_path: Path) -> None:
    rows = stored(data, COUNT)
    path = evalscope(tmp_path, [(row, row.answer) for row in rows])
    (file,) = path.rglob("*.jsonl")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    lines[0]["model_output"]["choices"][0]["stop_reason"] = "max_tokens"
    lines[1]["model_output"] = {"choices": [], "error": "timeout"}
    lines[2]["model_output"]["choices"][0]["message"]["content"] = [
        {"type": "reasoning", "reasoning": "One, two."},
        {"type": "text", "text": rows[2].answer},
    ]
    lines[3]["messages"][0]["content"] = [part for part in lines[3]["messages"][0]["content"] if part["type"] == "text"]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines) + "{\n[]\n{}\n", encoding="utf-8")
    output = taken("evalscope", path, data, tmp_path / "run")
    run_records = records(tmp_path / "run")
    assert [one["outcome"] for one in run_records] == ["truncated", "request_error", "correct"]
    assert run_records[2]["reasoning"] == "One, two."
    assert "no image, so the item cannot be found" in output
    assert [one["reason"] for one in left_out(tmp_path / "run")] == [
        "no image, so the item cannot be found",
        "an invalid JSON line",
        "a line that is not a JSON object",
        "a line without messages and a response",
        "no response to the item",
    ]


def test_lines_of_another_program_tell_truncation_failure_and_reasoning(data: Path, tmp_path: Path) -> None:
    rows = stored(data, COUNT)
    path = jsonl(tmp_path, [(row, row.answer) for row in rows])
    (file,) = path.glob("*.jsonl")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    lines[0] |= {"finish_reason": "max_tokens"}
    lines[1] = {"id": rows[1].id, "error": "out of memory"}
    lines[2] |= {"reasoning": "One, two."}
    lines[3] = {"id": rows[3].id}
    file.write_text("".join(json.dumps(line) + "\n" for line in [*lines, {"response": "3"}]), encoding="utf-8")
    taken("jsonl", path, data, tmp_path / "run")
    run_records = records(tmp_path / "run")
    assert [one["outcome"] for one in run_records] == ["truncated", "request_error", "correct"]
    assert run_records[2]["reasoning"] == "One, two."
    assert [one["reason"] for one in left_out(tmp_path / "run")][:2] == ["a line without a response", "a line without an id"]


def test_thinking_that_lmms_eval_took_out_is_on_record(data: Path, tmp_path: Path) -> None:
    row = stored(data, COUNT)[0]
    path = lmms_eval(tmp_path, [(row, row.answer)])
    (file,) = path.glob("*.jsonl")
    edit(file, lambda sample: sample.update(resps=[f"<think>Seven?</think>{row.answer}"]))
    taken("lmms-eval", path, data, tmp_path / "run")
    (record,) = records(tmp_path / "run")
    assert (record["response"], record["outcome"]) == (f"<think>Seven?</think>{row.answer}", "correct")


# What cannot be ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["vlmevalkit", "lmms-eval", "evalscope"])
def test_a_folder_without_results_of_several_models_or_of_other_items_says_so(data: Path, tmp_path: Path, tool: str) -> None:
    def told(path: Path, *words: str) -> None:
        refused(isovist("import", "predictions", path, "--source-tool", tool, "--data", data, "--out", tmp_path / "run"), *words)
        assert not (tmp_path / "run").exists()

    told(tmp_path / "nowhere", "no such file or folder")
    (tmp_path / "empty").mkdir()
    told(tmp_path / "empty", "no results of")
    write = dict(WRITTEN.values())[tool]
    other = generated(tmp_path / "other", "train")
    told(write(tmp_path / "strangers", [(row, row.answer) for row in stored(other, LETTERS)]), "No response belongs to an item")
    rows = [(row, row.answer) for row in stored(data, LETTERS)]
    for model in ("one", "two"):
        write(tmp_path / "both" / model, rows)
    for file in (tmp_path / "both" / "two").rglob("*"):
        if file.name == "some-model":
            file.rename(file.with_name("another-model"))
    for file in [*(tmp_path / "both" / "two").rglob("some-model_*")]:
        file.unlink() if file.is_symlink() else file.rename(file.with_name(file.name.replace("some", "another")))
    for file in (tmp_path / "both" / "two").rglob("*results.json"):
        edit(file, lambda results: results.update(model_name="another/model"))
    told(tmp_path / "both", "several models", "another")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("predictions", "x", "--data", "d"), ("--source-tool",)),
        (("predictions", "x", "--source-tool", "lmms-eval"), ("--data",)),
        (("predictions", "x", "--source-tool", "inspect", "--data", "d"), ("inspect", "evalscope")),
        (("predictions", "x", "--source-tool", "lmms-eval", "--data", "d", "--seed", "1"), ("--seed",)),
        (("predictions", "x", "--source-tool", "lmms-eval", "--data", "d", "--all-tasks"), ("--all-tasks",)),
        (("cdr", "x", "--data", "d"), ("--data", "predictions")),
        (("upright", "x", "--source-tool", "evalscope"), ("--source-tool", "predictions")),
    ],
)
def test_options_that_do_not_fit(tmp_path: Path, args: tuple[str, ...], words: tuple[str, ...]) -> None:
    refused(isovist("import", *args, "--out", tmp_path / "out"), *words)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("m_Isovist_open.xlsx", b"no zip", ("damaged",)),
        ("m_Isovist_open.json", b'{"a": 1}', ("Not a JSON list of records",)),
        ("m_Isovist_open.json", b"[", ("cannot be read as a table",)),
        ("m_Isovist_open.tsv", b"\xff\xfe", ("cannot be read as a table",)),
        ("m_Isovist_open.tsv", b"id\tprediction\n", ("No response belongs", "the files are empty")),
        ("m_Isovist_open.json", b'[{"id": 3, "prediction": "B"}, 7, {"id": "a"}]', ("No response belongs", "without an id")),
    ],
)
def test_damaged_tables_say_so(data: Path, tmp_path: Path, name: str, content: bytes, words: tuple[str, ...]) -> None:
    if name.endswith("xlsx"):
        pytest.importorskip("openpyxl")
    (tmp_path / name).write_bytes(content)
    args = ("import", "predictions", tmp_path / name, "--source-tool", "vlmevalkit", "--data", data, "--out", tmp_path / "run")
    refused(isovist(*args), *words)
    assert not (tmp_path / "run").exists()
