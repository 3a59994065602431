"""A model reads the responses that the strict parser cannot, and a sample of the others; no score changes."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import TASKS, N
from scripted import Asked, Said, fault, serving
from workbench import done, isovist, records, refused, stored, write_records

from isovist.core.answers import Choice, Count, WordSubset, YesNo
from isovist.data.prompts import IMAGE, second_reading
from isovist.evaluation.models.python_function import FunctionModel
from isovist.evaluation.run.run_folder import RunFolder
from isovist.evaluation.run.second_reading import SECOND_READING, SecondReading, read_again, readings, score_reading
from isovist.evaluation.run.verification import keys_of

LETTERS = TASKS[1]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ISOVIST_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(data: Path, tmp_path: Path) -> Path:
    """Sixteen responses: four in words that no parser reads, one refused, one empty, one cut off, and nine keys."""
    path = tmp_path / "run"
    done("run", LETTERS, "--data", data, "--model", "simulated/oracle", "--out", path)
    changed: list[dict[str, Any]] = []
    for place, record in enumerate(records(path)):
        new = {
            0: {"response": f"<think>secret thought</think>It could be {record['parsed_answer']} or so {IMAGE}"},
            1: {"response": "Well, the wrong one."},
            2: {"response": "I am torn between several options."},
            3: {"response": "Hmm, B or C, hard to tell."},
            4: {"response": "I'm sorry, I can't see the image."},
            5: {"response": ""},
            6: {"response": "Answer: A", "finish_reason": "max_tokens"},
        }.get(place, {})
        changed.append(record | new)
    write_records(path, changed)
    done("rescore", path)
    assert [record["outcome"] for record in records(path)][:7] == ["unparsed"] * 4 + ["refused", "empty", "truncated"]
    return path


def scripted(asked: Asked) -> Said:
    """A reader that extracts the letter after "be", takes another for a wrong one, and repeats parsed answers except one."""
    text = asked.words
    response = text.split("=" * 20)[1].strip()
    if "could be" in response:
        return Said(f"Answer: {response.split('could be ')[1][0]}")
    if response == "Well, the wrong one.":
        return Said("Answer: Z")
    if response.startswith("Answer:"):
        return Said(response)
    return Said("It gives none.\nAnswer: unclear.")


def read(run: Path, url: str, *more: object) -> Any:
    return isovist("rescore", run, "--reader", "model:reader-1", "--base-url", url, *more)


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def test_a_reader_extracts_answers_and_no_score_changes(run: Path, data: Path, tmp_path: Path) -> None:
    before = (run / "records.jsonl").read_bytes()
    with serving(scripted) as server:
        ended = read(run, server.url)
        assert ended.code == 0, ended
        asked = list(server.asked)
    assert "14 responses read by reader-1" in ended.out  # four unparsed, one refused, nine parsed
    assert len(asked) == 14
    assert (run / "records.jsonl").read_bytes() == before
    (row,) = table(run / "second_reading.csv")
    counts = {name: row[name] for name in ("reader", "n", "n_unparsed", "n_read", "n_extracted", "n_checked", "n_check_unclear")}
    assert counts == {
        "reader": "reader-1", "n": str(N), "n_unparsed": "7", "n_read": "5", "n_extracted": "1", "n_checked": "9", "n_check_unclear": "0",
    }  # fmt: skip
    assert float(row["accuracy"]) == pytest.approx(9 / N)
    assert float(row["accuracy_with_extracted"]) == pytest.approx(10 / N)
    assert float(row["agreement"]) == 1
    done("report", run, "--out", tmp_path / "report")
    assert table(tmp_path / "report" / "second_reading.csv") == [row]
    (results,) = table(tmp_path / "report" / "results.csv")
    assert float(results["accuracy"]) == pytest.approx(9 / N)  # the strict one
    lead = (
        "Second reading by reader-1, not counted: an answer in 1 of 5 unparsed responses; agreement with the strict parser in 9 of 9 parsed"
    )
    assert lead in (tmp_path / "report" / "report.md").read_text()
    assert "Second reading of unparsed responses" in (tmp_path / "report" / "index.html").read_text()


@pytest.mark.parametrize(("given", "sent"), [((), 0.0), (("--temperature", 0.5), 0.5), (("--temperature", "none"), None)])
def test_the_temperature_of_the_reader_can_be_left_out(run: Path, given: tuple[object, ...], sent: float | None) -> None:
    with serving(lambda asked: Said("It gives none.\nAnswer: unclear.")) as server:
        read(run, server.url, *given)
        assert {asked.body.get("temperature") for asked in server.asked} == {sent}


def test_the_reader_receives_no_question_no_image_and_no_key(run: Path, data: Path) -> None:
    with serving(scripted) as server:
        assert read(run, server.url).code == 0
        asked = list(server.asked)
    questions = {row.metadata.question for row in stored(data, LETTERS)}
    ids = {row.id for row in stored(data, LETTERS)}
    for each in asked:
        assert [type(part) for part in each.content] == [str]
        assert not any(question in each.words for question in questions)
        assert not any(id_.encode() in each.raw for id_ in ids)
        assert "secret thought" not in each.words
        assert IMAGE not in each.words


@pytest.mark.parametrize("key", [Choice(("North", "East", "South"), 1), Count(3), YesNo(truth=True), WordSubset(("red",), ("red", "blue"))])
def test_the_prompt_does_not_depend_on_the_key(key: Any) -> None:
    other = {Choice: 2, Count: 5, YesNo: False, WordSubset: ("blue",)}[type(key)]
    assert second_reading(key, "Who knows?") == second_reading(replace(key, truth=other), "Who knows?")


def test_stored_readings_are_not_requested_again(run: Path) -> None:
    def failing(asked: Asked) -> Said:
        return fault(400, "no such thing") if "several options" in asked.words else scripted(asked)

    with serving(failing) as server:
        ended = read(run, server.url, "--max-connections", 1)
        assert ended.code == 1
        assert "1 responses not read (last: " in ended.err
        lines = (run / SECOND_READING).read_bytes().splitlines()
        assert len(lines) == 13
        (run / SECOND_READING).write_bytes(b"\n".join(lines[:-1]) + b"\n" + lines[-1][:20])  # killed while it wrote
        server.script = scripted
        server.asked.clear()
        assert read(run, server.url).code == 0
        assert len(server.asked) == 2  # the failed one and the torn one
        server.asked.clear()
        assert "0 responses read" in read(run, server.url).out
        assert read(run, server.url, "--check", 0).code == 0
        assert server.asked == []
        isovist("rescore", run, "--reader", "model:reader-2", "--base-url", server.url, "--check", 2)
        assert len(server.asked) == 7
    assert len(list(readings(run / SECOND_READING))) == 21
    assert [row["n_checked"] for row in table(run / "second_reading.csv")] == ["9", "2"]


def test_a_server_without_responses_ends_the_reading(run: Path) -> None:
    with serving(lambda asked: fault(404, "no such model")) as server:
        ended = read(run, server.url, "--max-connections", 1)
        assert len(server.asked) == 1
    assert ended.code == 2
    assert "no such model): reader-1." in ended.err
    assert list(readings(run / SECOND_READING)) == []


def test_the_errors_of_the_reader_are_measured(run: Path) -> None:
    """A reader that makes up answers agrees rarely, one that finds none is unclear."""
    with serving(lambda asked: Said("Answer: A")) as server:
        assert read(run, server.url).code == 0
    keys = [record["parsed_answer"] for record in records(run)[7:]]
    (row,) = table(run / "second_reading.csv")
    assert float(row["agreement"]) == pytest.approx(keys.count("A") / 9, abs=1e-5)
    assert row["n_extracted"] == "5"
    with serving(lambda asked: Said("unclear")) as server:
        isovist("rescore", run, "--reader", "model:mute", "--base-url", server.url)
    _, row = table(run / "second_reading.csv")
    assert (row["n_extracted"], row["n_check_unclear"], row["agreement"]) == ("0", "9", "0")


READINGS = {
    "Answer: unclear": None,
    "unclear": None,
    "The response says B first.\n**Answer: unclear**": None,
    "Answer: B\nAnswer: unclear": None,
    "<think>Answer: C</think>Answer: B": "B",
    "B": "B",
    "It says B or C.": None,
    "": None,
}


@pytest.mark.parametrize("text", READINGS)
def test_what_a_reading_comes_to(text: str) -> None:
    reading = SecondReading("i", "m", "h", text, None, None)
    key = Choice(("North", "East", "South"), 1)
    assert score_reading(reading, key).parsed_answer == READINGS[text]
    assert score_reading(replace(reading, finish_reason="max_tokens"), key).parsed_answer is None


def test_the_empty_set_is_an_answer_and_unclear_is_not() -> None:
    key = WordSubset((), ("red", "blue"))
    assert score_reading(SecondReading("i", "m", "h", "Answer: none", None, None), key).outcome == "correct"
    assert score_reading(SecondReading("i", "m", "h", "Answer: unclear", None, None), key).outcome == "unparsed"


def test_a_function_can_be_the_reader(run: Path) -> None:
    prompts: list[str] = []

    def reader(images: list[Any], prompt: str) -> str:
        prompts.append(prompt)
        assert images == []
        return "Answer: unclear"

    summary = read_again(RunFolder(run), keys_of(run), FunctionModel("f", reader, 2), n_check=3)
    assert summary.requested == len(prompts) == 8


def test_unusable_readers_are_refused(run: Path) -> None:
    refused(isovist("rescore", run, "--reader", "openai/gpt"), "model:", "openai/gpt")
    refused(isovist("rescore", run, "--reader", "model:"), "model:")
    refused(isovist("rescore", run, "--reader", "model:simulated/oracle"), "simulated/oracle")
    refused(isovist("rescore", run, "--base-url", "http://localhost:1/v1"), "--base-url")
    assert not (run / SECOND_READING).exists()


def test_a_damaged_file_is_named(run: Path) -> None:
    (run / SECOND_READING).write_text('{"item_id": 3}\n')
    refused(isovist("report", run, "--out", run / "report"), SECOND_READING)


def test_variants_are_not_read(data: Path, tmp_path: Path) -> None:
    done("run", LETTERS, "--data", data, "--model", "simulated/garbled", "--no-image", "--out", tmp_path)
    with serving(lambda asked: Said("Answer: unclear")) as server:
        assert read(tmp_path, server.url).code == 0
        assert len(server.asked) == N


def test_adaptive_runs_have_no_accuracy(data: Path, tmp_path: Path) -> None:
    done(
        "run", "perceptv/counting-circles", "--adaptive", "--model", "simulated/deficit:unparsed,share=0.5", "--workers", 1, "--max-items", 20,
        "--out", tmp_path,
    )  # fmt: skip
    with serving(lambda asked: Said("Answer: unclear")) as server:
        assert read(tmp_path, server.url).code == 0
    (row,) = table(tmp_path / "second_reading.csv")
    assert row["accuracy"] == ""
    assert int(row["n_read"]) > 0
    assert json.loads((tmp_path / SECOND_READING).read_text().splitlines()[0])["reader"] == "reader-1"


def test_a_response_read_before_is_read_again_when_it_changed(run: Path) -> None:
    with serving(scripted) as server:
        assert read(run, server.url).code == 0
        write_records(
            run, [record | ({"response": "It could be D or so."} if not place else {}) for place, record in enumerate(records(run))]
        )
        server.asked.clear()
        assert read(run, server.url).code == 0
        assert len(server.asked) == 1
